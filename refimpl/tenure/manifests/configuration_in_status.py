"""What Kueue has written into the status of its objects about how it is configured."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from tenure.manifests.configuration import Configured
from tenure.manifests.showing import Place
from tenure.manifests.structure import dig, has_condition

BY_USAGE: Final = "UsageBasedAdmissionFairSharing"
BLOCKED: Final = "waiting for all admitted workloads to be in PodsReady condition"
"""Message of condition QuotaReserved while admission is blocked, by Kueue v0.19.2."""


@dataclass(slots=True)
class Shown:
    """What the objects show of Kueue's Configuration.

    Args:
        sharing: the ClusterQueues and Cohorts whose status has a share, as `ClusterQueue/a`.
        plain: those with a status without a share.
        weighted: those that set `spec.fairSharing.weight`.
        scoped: the ClusterQueues that request an order by usage.
        without_usage: whether the status of a LocalQueue would name its usage if Kueue kept any.
        blocked: the first pending workload whose admission was blocked, as `Workload/ns/name`; empty without.

    Source: Kueue v0.19.2. The controllers of ClusterQueues and Cohorts write `status.fairSharing` where fair
    sharing is configured, and remove it otherwise, for each object when the manager starts: it is never
    stale. That of a LocalQueue is about admission fair sharing alone. It is written once the queue is
    active, and stays when that is switched off.

    >>> shown = Shown()
    >>> shown.take("ClusterQueue", "a", {"status": {"fairSharing": {"weightedShare": 0}}})
    >>> shown.sharing, shown.is_known
    (['ClusterQueue/a'], True)
    """

    sharing: list[str] = field(default_factory=list)
    plain: list[str] = field(default_factory=list)
    weighted: list[str] = field(default_factory=list)
    scoped: set[str] = field(default_factory=set)
    without_usage: bool = False
    blocked: str = ""

    def take(self, kind: str, name: str, raw: object) -> None:
        """Look at a ClusterQueue or a Cohort that was found to be right."""
        called = f"{kind}/{name}"
        if dig(raw, "spec", "fairSharing", "weight") is not None:
            self.weighted.append(called)
        if dig(raw, "spec", "admissionScope", "admissionMode") == BY_USAGE:
            self.scoped.add(name)
        if dig(raw, "status", "fairSharing", "weightedShare") is not None:
            self.sharing.append(called)
        elif kind == "ClusterQueue" and dig(raw, "status"):
            # An empty status is all that a Cohort has without a share.
            self.plain.append(called)

    def take_local_queue(self, raw: object) -> None:
        """Look at a LocalQueue that was found to be right."""
        if has_condition(raw, "Active") and dig(raw, "status", "fairSharing") is None:
            self.without_usage = True

    def take_workload(self, place: Place, conditions: Iterable[object], *, holds_quota: bool) -> None:
        """Look at the conditions of a Workload that takes part; one that holds quota was not blocked."""
        if holds_quota or self.blocked:
            return
        if any(dig(condition, "message") == BLOCKED for condition in conditions):
            self.blocked = place.object

    @property
    def is_known(self) -> bool:
        """Whether a status shows that fair sharing is on or off."""
        return bool(self.sharing or self.plain)

    def by_usage(self, configured: Configured | None) -> frozenset[str]:
        """The ClusterQueues whose workloads are ordered by usage, as far as is known.

        Args:
            configured: the Configuration; None where none was given.
        """
        # One active LocalQueue without usage shows that none is kept in the whole cluster.
        is_kept = configured.by_usage if configured is not None else not self.without_usage
        return frozenset(self.scoped) if is_kept else frozenset()
