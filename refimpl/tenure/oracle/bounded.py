"""Usage without bound: where it occurs, what Kueue decides depends on the order in which it has added.

Kueue's amounts stay at 2^63 - 1 whatever is taken away, and it adds and takes away on one snapshot.
"""

from __future__ import annotations

from collections.abc import Mapping

from tenure.choices import Outcome
from tenure.errors import ErrorCode, InputError, Problem
from tenure.model import UNLIMITED, Amount, Amounts, FlavorResource, Workload
from tenure.oracle.snapshot import Snapshot
from tenure.oracle.tree import NO_QUOTA, Node
from tenure.rules.amounts import plus

_SEARCHED = (Outcome.PREEMPT, Outcome.NO_CANDIDATES)


def with_bounded_usage(snapshot: Snapshot) -> Snapshot:
    """The snapshot, where what every node passes up is known.

    Args:
        snapshot: what a decision looks at.

    Raises:
        InputError: a node that keeps quota for itself uses 2^63 - 1 or more of a flavor-resource. Kueue adds
            to the Cohort above what did not fit there at the time, workload by workload.

    Source: Kueue main of August 2026, quota amounts and the usage of cohorts.
    """
    for node in snapshot.tree.nodes:
        for flavor_resource, amount in snapshot.usage[node.place].items():
            if amount >= UNLIMITED and node.quotas.get(flavor_resource, NO_QUOTA).local:
                raise _unbounded(node, flavor_resource, "in use")
    return snapshot


def require_bounded_search(
    snapshot: Snapshot, preemptor: Workload, request: Amounts, outcome: Outcome
) -> None:
    """Refuse what a search for targets among usage without bound has decided.

    Args:
        snapshot: what the decision looked at, as `with_bounded_usage` lets it pass.
        preemptor: the pending workload.
        request: the amount of each flavor-resource.
        outcome: what was decided; where no search for targets decided it, nothing is refused.

    Raises:
        InputError: a workload of the tree uses 2^63 - 1 or more of a flavor-resource by itself. Or, under
            fair sharing, the workloads of the tree do together, or those of a node with the request, which
            Kueue counts as used while it compares shares.

    Source: Kueue main of August 2026, preemption and fair-sharing preemption.
    """
    if outcome not in _SEARCHED:
        return
    fair = snapshot.cluster.settings.fair_sharing is not None
    # A node that keeps nothing for itself passes all of its usage up, so the root has whatever is unbounded.
    root = snapshot.tree.nodes[0]
    for flavor_resource, amount in snapshot.usage[root.place].items():
        if amount >= UNLIMITED and (fair or _is_held_by_one(snapshot, flavor_resource)):
            raise _unbounded(root, flavor_resource, "in use")
    if fair:
        _require_bounded_charge(snapshot, _largest_request(preemptor, request))


def _is_held_by_one(snapshot: Snapshot, flavor_resource: FlavorResource) -> bool:
    return any(
        workload.usage.get(flavor_resource, 0) >= UNLIMITED
        for workloads in snapshot.running.values()
        for workload in workloads
    )


def _largest_request(preemptor: Workload, request: Amounts) -> dict[str, Amount]:
    """By resource, the most that a search was made for: of any flavor, and before fewer pods were tried."""
    whole: dict[str, Amount] = {}
    for pods in preemptor.pod_sets:
        for resource, amount in pods.requests.items():
            whole[resource] = plus(whole.get(resource, 0), amount)
    chosen: dict[str, Amount] = {}
    for flavor_resource, amount in request.items():
        chosen[flavor_resource.resource] = plus(chosen.get(flavor_resource.resource, 0), amount)
    return {resource: max(whole.get(resource, 0), chosen.get(resource, 0)) for resource in whole | chosen}


def _require_bounded_charge(snapshot: Snapshot, most: Mapping[str, Amount]) -> None:
    for place in snapshot.tree.nodes[snapshot.place].path:
        node, used = snapshot.tree.nodes[place], snapshot.usage[place]
        for flavor_resource in node.quotas:
            if plus(used.get(flavor_resource, 0), most.get(flavor_resource.resource, 0)) >= UNLIMITED:
                raise _unbounded(node, flavor_resource, "in use with the request")


def _unbounded(node: Node, flavor_resource: FlavorResource, what: str) -> InputError:
    kind = "Cohort" if node.queue is None else "ClusterQueue"
    field = f"usage of {flavor_resource.resource} on {flavor_resource.flavor}"
    expected = "less: Kueue's sums stay there, and what it decides depends on their order"
    found = f"2^63 - 1 or more {what}"
    return InputError([Problem(field, found, expected, f"{kind}/{node.name}", code=ErrorCode.NOT_MODELLED)])
