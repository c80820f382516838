"""Quota that a ClusterQueue may not borrow yet (KEP-14468). A proposal, from its text, not run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tenure.model import Amount, FlavorResource, Instant, Reason, Workload
from tenure.oracle.snapshot import Snapshot
from tenure.oracle.tree import quota_at
from tenure.rules.backoff import arms_backoff, is_deferred


def deferred(
    snapshot: Snapshot, requested: Mapping[FlavorResource, Amount], now: Instant
) -> Iterator[tuple[FlavorResource, Instant]]:
    """The flavor-resources that a request may not borrow yet, each with the end of its cooldown.

    Args:
        snapshot: the tree around the ClusterQueue of the request.
        requested: how much of each.
        now: the scheduling cycle's one clock value, ns since the epoch.
    """
    tree, place = snapshot.tree, snapshot.place
    for at, end in snapshot.cluster.cooldowns.get(snapshot.queue.name, {}).items():
        used, nominal = snapshot.usage[place].get(at, 0), quota_at(tree, place, at).nominal
        if is_deferred(requested.get(at, 0), used, nominal, now, end):
            yield at, end


def arming(snapshot: Snapshot, victim: Workload, reason: Reason) -> Iterator[FlavorResource]:
    """The flavor-resources whose back-off a preemption arms.

    Args:
        snapshot: the tree as the scheduling cycle saw it.
        victim: one that runs in it.
        reason: of its preemption.
    """
    place = snapshot.tree.places[victim.cluster_queue or ""]
    for at, held in victim.usage.items():
        nominal = quota_at(snapshot.tree, place, at).nominal
        if arms_backoff(reason, held, snapshot.usage[place].get(at, 0), nominal):
            yield at
