"""What a workload holds, and how many pods of it are left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from tenure.manifests.quantities import amount_of, saturated
from tenure.manifests.workload_schema import Admission, PodSet
from tenure.model import Amount, FlavorResource


class Assigned(NamedTuple):
    """What an admission gives to one pod set.

    Args:
        name: of the pod set.
        pods: number of pods that still hold it.
        flavors: flavor by resource.
        amounts: amount by resource, for all these pods.
    """

    name: str
    pods: int
    flavors: dict[str, str]
    amounts: dict[str, Amount]


def count_of(pod_set: PodSet) -> int:
    """The number of pods asked for; one where it is not said."""
    return 1 if pod_set.count is None else pod_set.count


def remaining(pod_sets: Iterable[PodSet], reclaimed: Mapping[str, int]) -> dict[str, int]:
    """The pods of each pod set that still need their quota.

    Args:
        pod_sets: what was asked for.
        reclaimed: how many pods of a pod set have released theirs.

    Source: Kueue, reclaimable pods.
    """
    return {pod_set.name: max(0, count_of(pod_set) - reclaimed.get(pod_set.name, 0)) for pod_set in pod_sets}


def assigned_of(
    admission: Admission, pod_sets: Sequence[PodSet], reclaimed: Mapping[str, int]
) -> Iterator[Assigned]:
    """What an admission gives to each pod set, less what reclaimed pods have released.

    Args:
        admission: what the workload was admitted with.
        pod_sets: what it asked for.
        reclaimed: how many pods of a pod set have released theirs.

    Source: Kueue, requests of a workload that has an admission.
    """
    left = remaining(pod_sets, reclaimed)
    asked = {pod_set.name: count_of(pod_set) for pod_set in pod_sets}
    for each in admission.pod_set_assignments or ():
        count = asked[each.name] if each.count is None else each.count
        used = each.resource_usage or {}
        flavors = {resource: flavor for resource, flavor in (each.flavors or {}).items() if flavor}
        amounts = dict.fromkeys(flavors, 0)
        for resource, exact in used.items():
            amounts[resource] = _scaled(amount_of(resource, exact), count, left[each.name])
        yield Assigned(each.name, min(count, left[each.name]), flavors, amounts)


def usage_of(assigned: Iterable[Assigned]) -> dict[FlavorResource, Amount]:
    """What a workload holds; a flavor that was assigned is a key even where nothing is used of it.

    >>> both = [Assigned(name, 1, {"cpu": "spot"}, {"cpu": 500}) for name in ("main", "workers")]
    >>> usage_of(both)
    {FlavorResource(flavor='spot', resource='cpu'): 1000}
    """
    usage: dict[FlavorResource, Amount] = {}
    for each in assigned:
        for resource, flavor in each.flavors.items():
            key = _shared(flavor, resource)
            usage[key] = saturated(usage.get(key, 0) + each.amounts[resource])
    return usage


@lru_cache(maxsize=2**12)
def _shared(flavor: str, resource: str) -> FlavorResource:
    """One object for the same flavor-resource of a hundred thousand workloads."""
    return FlavorResource(flavor, resource)


def _scaled(amount: Amount, assigned: int, left: int) -> Amount:
    """Fewer pods than were assigned hold less: whole amounts per pod, as Kueue divides them.

    More than were assigned hold the same, because such a pod set was admitted in part.
    """
    return saturated(amount // assigned * left) if left < assigned else amount
