"""The objects of a request, read once: whoever asks again sends most of them again.

An object that was right is remembered by its content, whole; one that is wrong is read anew each time,
because its problems name its place in the request.
"""

from __future__ import annotations

from typing import Any, Final

from tenure.manifests import (
    LocalQueueEntry,
    Memory,
    Place,
    place_of,
    read_cluster_queue,
    read_cohort,
    read_local_queue,
    read_resource_flavor,
    read_workload,
)
from tenure.model import ClusterQueue, Cohort, ResourceFlavor, Workload

_QUEUES: Final[Memory[ClusterQueue]] = Memory(2**11)
_COHORTS: Final[Memory[Cohort]] = Memory(2**11)
_FLAVORS: Final[Memory[ResourceFlavor]] = Memory(2**10)
_LOCAL_QUEUES: Final[Memory[LocalQueueEntry]] = Memory(2**11)
_WORKLOADS: Final[Memory[Workload]] = Memory(2**13)


def cluster_queue(raw: object, at: str) -> ClusterQueue:
    """A ClusterQueue without an API server's defaults.

    >>> cluster_queue({"metadata": {"name": "a"}}, "clusterQueues[0]").name
    'a'
    """
    return _QUEUES.of(raw, lambda each: read_cluster_queue(each, where=at, defaulted=False))


def placed_cohort(raw: object, at: str) -> tuple[Place, Cohort]:
    """A Cohort, and how problems of the tree name it."""
    found = _COHORTS.of(raw, lambda each: read_cohort(each, where=at, defaulted=False))
    return place_of(raw, "Cohort", where=at), found


def resource_flavor(raw: object, at: str) -> ResourceFlavor:
    """A ResourceFlavor."""
    return _FLAVORS.of(raw, lambda each: read_resource_flavor(each, where=at))


def local_queue(raw: object, at: str) -> LocalQueueEntry:
    """A LocalQueue."""
    return _LOCAL_QUEUES.of(raw, lambda each: read_local_queue(each, where=at))


def workload(raw: Any, at: str, *, holds_quota: bool, reclaimable: bool) -> Workload:
    """A Workload that holds quota, whatever its conditions say, or waits for it."""

    def read(_: object) -> Workload:
        return read_workload(raw, where=at, holds_quota=holds_quota, reclaimable=reclaimable)

    return _WORKLOADS.of((raw, holds_quota, reclaimable), read)
