"""What is in a scenario: predicates on what is drawn alone, for histograms and for tuning.

None of them calls the oracle: they measure how often a campaign visits ties and boundaries, so they must not
depend on what the oracle makes of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from tenure.conformance.requests import DecideRequest
from tenure.model import Amount, FlavorResource, PreemptionRules, Workload
from tenure_lab.generators.quotas import PODS, QuotaNode, charged


def traits_of(request: DecideRequest) -> Iterator[str]:
    """What there is about a scenario, in the words of a histogram."""
    tie, boundary = has_tie(request), has_boundary(request)
    yield from plain_traits_of(request)
    yield f"{levels(request)} levels of cohorts above the target"
    for present, name in (
        (tie, "tie"),
        (boundary, "boundary"),
        (tie or boundary, "tie or boundary"),
        (has_flavor_choice(request), "several flavors in a group of the target"),
    ):
        if present:
            yield name


def plain_traits_of(request: DecideRequest) -> Iterator[str]:
    """Those that take no reckoning: the kind of preemption, and which proposals play a part."""
    queues = request.cluster.cluster_queues.values()
    yield "fair sharing" if is_fair(request) else "classical"
    for present, name in (
        (any(queue.rules == PreemptionRules.UBER_CLUSTER_QUEUE for queue in queues), "with heroes"),
        (any(queue.min_admit_duration is not None for queue in queues), "with minAdmitDuration"),
        (bool(request.cluster.growing), "with classes whose priority grows"),
        (request.cluster.preemption_configs is not None, "with PreemptionConfigs"),
    ):
        if present:
            yield name


def is_fair(request: DecideRequest) -> bool:
    """Whether fair sharing decides."""
    return request.cluster.settings.fair_sharing is not None


def levels(request: DecideRequest) -> int:
    """How many cohorts are above the target; 0 for one without."""
    return charged(request).queues[request.queue].depth


def has_flavor_choice(request: DecideRequest) -> bool:
    """Whether the target has a resource group of several flavors."""
    return any(
        len(group.flavors) > 1 for group in request.cluster.cluster_queues[request.queue].resource_groups
    )


def has_tie(request: DecideRequest) -> bool:
    """Whether two workloads, or the preemptor and a workload, differ by their uid or name at most.

    Two workloads that hold the same needed flavor-resource, of equal priority, eviction and reservation; a
    workload of the target of the preemptor's priority and creation time; or two queues of the target's
    tree with equal weight and equal usage beyond their nominal quota, whose shares are therefore equal.

    Source: Kueue, CandidatesOrdering; queue-order timestamp; DominantResourceShare.
    """
    near = _near(request)
    return (
        is_candidate_tie(near)
        or any(_equals_preemptor(request, workload) for workload in near)
        or (is_fair(request) and _has_equal_shares(request))
    )


def is_candidate_tie(workloads: Iterable[Workload]) -> bool:
    """Whether two of these workloads come equal in the order of candidates, up to their uids.

    >>> is_candidate_tie([Workload("ns", name, "", priority=1, created_at=0) for name in "ab"])
    True
    """
    seen = Counter(
        (workload.priority, workload.quota_reserved_at, workload.evicted) for workload in workloads
    )
    return any(number > 1 for number in seen.values())


def has_boundary(request: DecideRequest) -> bool:
    """Whether a quantity is exactly at, or one unit beside, a limit that decides.

    Of a flavor-resource of the target that the incoming workload requests: the target uses exactly its
    nominal quota; or the request is, up to one unit, what is available, what the nominal quota leaves, or
    what could ever be had. A unit is a milli-CPU for cpu, else a base unit. A limit of zero is no boundary.
    """
    target = charged(request).queues[request.queue]
    requested = requests_of(request.preemptor)
    return any(
        _is_exact(target, place, requested[place.resource])
        for place in target.nominal
        if requested[place.resource]
    )


def requests_of(workload: Workload) -> Counter[str]:
    """The requests of a pending workload: milli-CPU for cpu, else base units, per resource."""
    total: Counter[str] = Counter()
    for pods in workload.pod_sets:
        total.update(pods.requests)
        total[PODS] += pods.count
    return total


def _is_exact(target: QuotaNode, place: FlavorResource, requested: Amount) -> bool:
    nominal, usage = target.nominal[place], target.usage.get(place, 0)
    limits = (target.available(place), nominal - usage, target.potential(place))
    return 0 < usage == nominal or any(limit > 0 and abs(requested - limit) <= 1 for limit in limits)


def _has_equal_shares(request: DecideRequest) -> bool:
    ledger = charged(request)
    root = ledger.queues[request.queue].root
    seen: Counter[object] = Counter()
    for name, node in ledger.queues.items():
        beyond = {
            place: node.usage.get(place, 0) - nominal
            for place, nominal in node.nominal.items()
            if node.usage.get(place, 0) > nominal
        }
        if beyond and node.root is root:
            parent = node.parent.name if node.parent else ""
            weight = request.cluster.cluster_queues[name].weight
            seen[parent, weight, tuple(sorted(beyond.items()))] += 1
    return any(number > 1 for number in seen.values())


def _near(request: DecideRequest) -> list[Workload]:
    """The workloads of the target's tree that hold something that the incoming workload needs."""
    queues = charged(request).queues
    target, requested = queues[request.queue], requests_of(request.preemptor)
    places = {place for place in target.nominal if requested[place.resource]}
    return [
        workload
        for workload in request.cluster.admitted
        if workload.quota_reserved_at is not None
        and (queue := queues.get(workload.cluster_queue or "")) is not None
        and queue.root is target.root
        and places & workload.usage.keys()
    ]


def _equals_preemptor(request: DecideRequest, workload: Workload) -> bool:
    incoming = request.preemptor
    return workload.cluster_queue == request.queue and (workload.priority, workload.created_at) == (
        incoming.priority,
        incoming.created_at,
    )
