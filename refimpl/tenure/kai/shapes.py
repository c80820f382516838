"""The shapes of the answers of `tenure kai`. JSON has the same fields with camelCase names.

Durations are texts as Go writes them; times are RFC 3339; jobs are `namespace/name`.
"""

from __future__ import annotations

from dataclasses import dataclass

from tenure.telling.findings import Finding


@dataclass(frozen=True, slots=True)
class ResolveAnswer:
    """Which minimum runtime counts between two queues.

    Args:
        action: preempt or reclaim.
        method: lca or queue; a preemption is the same under both.
        pending_queue: the pending job's queue; null where none was given.
        victim_queue: the victim's queue.
        min_runtime: what counts.
        min_runtime_ns: the same in nanoseconds.
        source: the queue whose value it is; null for the plugin's default.
        path: the victim's queue and those above it, the top first.
        summary: why, in a sentence.
        findings: what each rule found.
    """

    action: str
    method: str
    pending_queue: str | None
    victim_queue: str
    min_runtime: str
    min_runtime_ns: int
    source: str | None
    path: tuple[str, ...]
    summary: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class FilteredShape:
    """A running job that may be considered as a victim, or not.

    Args:
        victim: the job.
        queue: its queue.
        action: preempt or reclaim.
        passes: whether it may be considered.
        elastic: whether it has pods to spare.
        protected: whether it is protected; null where the filter does not ask.
        until: the end of the protection; null where there is none.
        min_runtime: what counts for it; null where the filter does not ask.
        verdict: why, in a clause.
        findings: what each rule found.
    """

    victim: str
    queue: str
    action: str
    passes: bool
    elastic: bool
    protected: bool | None
    until: str | None
    min_runtime: str | None
    verdict: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class FilterAnswer:
    """Who may be considered as a victim for a pending job.

    Args:
        pending: the pending job.
        now: the clock.
        method: lca or queue.
        summary: the answer in a sentence.
        victims: the running jobs that were asked about.
    """

    pending: str
    now: str
    method: str
    summary: str
    victims: tuple[FilteredShape, ...]


@dataclass(frozen=True, slots=True)
class GroupShape:
    """A sub-group that loses pods.

    Args:
        name: of the sub-group.
        min_available: what it must have.
        active: how many of its pods hold a place.
        taken: how many the scenario names.
        left: what remains.
        keeps: whether that is enough.
    """

    name: str
    min_available: int
    active: int
    taken: int
    left: int
    keeps: bool


@dataclass(frozen=True, slots=True)
class LossShape:
    """A victim job of a scenario.

    Args:
        victim: the job.
        stands: whether the scenario may stand, as far as this job goes.
        elastic: whether it has pods to spare.
        protected: whether it is protected; null where nothing had to be asked.
        until: the end of the protection; null where there is none.
        sub_groups: those that lose pods, where they are looked at.
        verdict: why, in a clause.
        findings: what each rule found.
    """

    victim: str
    stands: bool
    elastic: bool
    protected: bool | None
    until: str | None
    sub_groups: tuple[GroupShape, ...]
    verdict: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class ValidateAnswer:
    """Whether a scenario may stand.

    Args:
        pending: the pending job.
        now: the clock.
        action: preempt or reclaim.
        method: lca or queue.
        stands: whether it may.
        summary: the answer in a sentence.
        victims: the victim jobs, up to the first that refuses.
    """

    pending: str
    now: str
    action: str
    method: str
    stands: bool
    summary: str
    victims: tuple[LossShape, ...]
