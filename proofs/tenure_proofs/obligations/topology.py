"""Who requests a topology, and which flavors serve that."""

from __future__ import annotations

from typing import Any

from tenure.rules.topology import has_one_topology, may_serve_topology, requests_topology
from tenure_proofs.defining import definition_of
from tenure_proofs.registry import obligation
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import all_of, any_of, iff, implies, negation


@obligation("PO-KQ-730", rules=["KQ-620"])
@definition_of(requests_topology)
def any_field_that_asks_for_a_topology_is_a_request(*fields: Any) -> Any:
    """Kueue v0.19.2, explicit requests: any of four kinds of field, and nothing else."""
    return any_of(*fields)


@obligation("PO-KQ-740", rules=["KQ-630"])
def only_a_flavor_with_the_levels_serves_a_request_for_what_its_group_covers(claim: Claim) -> None:
    """Kueue v0.19.2, match of pod sets and flavors: explicit requests."""
    has, levels, covers, only = claim.flags("has_topology", "levels", "covers", "only")
    serves = claim.lift(may_serve_topology)(True, has, levels, covers, only).value
    claim.prove(
        implies(has, iff(serves, levels)),
        implies(negation(has), iff(serves, negation(covers))),
    )


@obligation("PO-KQ-750", rules=["KQ-630"])
def a_flavor_with_a_topology_serves_others_only_where_all_have_one(claim: Claim) -> None:
    """Kueue v0.19.2, match of pod sets and flavors: implied requests, and none."""
    has, levels, covers, only = claim.flags("has_topology", "levels", "covers", "only")
    serves = claim.lift(may_serve_topology)(False, has, levels, covers, only).value
    claim.prove(
        implies(negation(has), serves),
        implies(all_of(has, only), serves),
        implies(all_of(has, negation(only)), negation(serves)),
    )


@obligation("PO-KQ-760", rules=["KQ-640"])
@definition_of(has_one_topology)
def pods_that_are_placed_have_exactly_one_topology(
    requested: Any, only: Any, pods: Any, topologies: Any
) -> Any:
    """Kueue v0.19.2, flavor assigner: requests for topology-aware scheduling."""
    return implies(all_of(pods != 0, any_of(requested, only)), topologies == 1)
