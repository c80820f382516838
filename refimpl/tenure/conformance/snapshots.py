"""One snapshot for all requests about the same cluster: only who waits differs from one to the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from tenure.conformance.requests import DecideRequest
from tenure.manifests import Memory
from tenure.oracle.snapshot import Snapshot, take_snapshot

_PARTS: Final = (
    "targetCQ",
    "featureGates",
    "fairSharing",
    "requeuingTimestamp",
    "cohorts",
    "resourceFlavors",
    "clusterQueues",
    "admitted",
)
"""The fields of a request that a snapshot depends on."""

_SNAPSHOTS: Final[Memory[Snapshot]] = Memory(2**7)


def snapshot_of(raw: Mapping[str, Any], checked: DecideRequest) -> Snapshot:
    """The snapshot that the request is about, of this time or of an earlier one.

    Args:
        raw: the input.
        checked: what was read from it.

    Raises:
        InputError: no such ClusterQueue.
    """
    found = _SNAPSHOTS.of(
        [raw.get(part) for part in _PARTS], lambda _: take_snapshot(checked.cluster, checked.queue)
    )
    return replace(found, cluster=checked.cluster)
