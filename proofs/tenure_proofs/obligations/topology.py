"""Who requests a topology, and which flavors serve that."""

from __future__ import annotations

from typing import Any

from tenure.rules.topology import has_one_topology, may_serve_topology, requests_topology
from tenure_proofs.defining import Cases, defines
from tenure_proofs.trusted.logic import all_of, any_of, implies, negation


@defines("PO-KQ-730", requests_topology)
def any_field_that_asks_for_a_topology_is_a_request(*fields: Any) -> Any:
    """Kueue v0.19.2, explicit requests: any of four kinds of field, and nothing else."""
    return any_of(*fields)


@defines("PO-KQ-740", may_serve_topology)
def a_topology_serves_requests_for_its_levels_and_other_pod_sets_only_where_all_flavors_have_one(
    requested: Any, has: Any, levels: Any, covers: Any, only: Any
) -> Cases:
    """Kueue v0.19.2, match of pod sets and flavors; without one, it serves what its group does not cover."""
    return [
        (all_of(requested, has), levels),
        (all_of(requested, negation(has)), negation(covers)),
        (negation(requested), implies(has, only)),
    ]


@defines("PO-KQ-760", has_one_topology)
def pods_that_are_placed_have_exactly_one_topology(
    requested: Any, only: Any, pods: Any, topologies: Any
) -> Any:
    """Kueue v0.19.2, flavor assigner: requests for topology-aware scheduling."""
    return implies(all_of(pods != 0, any_of(requested, only)), topologies == 1)
