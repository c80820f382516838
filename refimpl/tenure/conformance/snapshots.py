"""One snapshot and one store for all requests about the same cluster, which differ in who waits only."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from tenure.conformance.requests import DecideRequest
from tenure.engines import Store
from tenure.model import ClusterQueue, PreemptionRules
from tenure.oracle.snapshot import Snapshot, take_snapshot

_MOST: Final = 2**7

_Key: TypeAlias = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Shared:
    """What requests about one cluster share.

    Args:
        snapshot: the tree around the ClusterQueue.
        store: what the core holds of the cluster.
    """

    snapshot: Snapshot
    store: Store


_taken: dict[_Key, Shared] = {}


def shared_by(checked: DecideRequest) -> Shared:
    """What a request shares with others, made for it or for an earlier one; the oldest is forgotten first.

    Args:
        checked: what was read from the request.

    Raises:
        InputError: no such ClusterQueue, or a WorkloadPriorityClass that the reading refuses.

    >>> from tenure.conformance.requests import read_decide_request
    >>> queue, workload = {"metadata": {"name": "q"}}, {"metadata": {"name": "w"}}
    >>> raw = {"now": "2026-01-01T00:00:00Z", "clusterQueues": [queue], "admitted": [], "targetCQ": "q"}
    >>> first, second = (shared_by(read_decide_request({**raw, "incoming": workload})) for _ in "12")
    >>> first.snapshot.tree is second.snapshot.tree
    True
    """
    key = _key(checked)
    found = _taken.get(key)
    if found is None:
        snapshot = take_snapshot(checked.cluster, checked.queue, checked.now, checked.reading)
        found = Shared(snapshot, Store(checked.cluster))
        if len(_taken) >= _MOST:
            del _taken[next(iter(_taken))]
        _taken[key] = found
    return Shared(replace(found.snapshot, cluster=checked.cluster), found.store)


def _key(checked: DecideRequest) -> _Key:
    """Which objects they are: `entries` returns the same ones for the same contents.

    A snapshot keeps its objects, so that no other object gets the identity of one while it is remembered.
    """
    cluster = checked.cluster
    growing = (checked.now, checked.reading, tuple(cluster.growing.values())) if cluster.growing else ()
    # A snapshot with heroes holds their bills, which a reading decides.
    billed = checked.reading if any(map(_may_be_hero, cluster.cluster_queues.values())) else None
    return (
        growing,
        billed,
        checked.queue,
        cluster.settings,
        tuple(map(id, cluster.cluster_queues.values())),
        tuple(map(id, cluster.cohorts.values())),
        tuple(map(id, cluster.flavors.values())),
        tuple(map(id, cluster.admitted)),
    )


def _may_be_hero(queue: ClusterQueue) -> bool:
    return queue.rules != PreemptionRules.DEFAULT
