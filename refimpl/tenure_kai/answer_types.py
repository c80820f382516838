"""The answers of `tenure kai`. JSON has the same fields with camelCase names.

Durations are texts as Go writes them; times are RFC 3339; jobs are `namespace/name`.
"""

from __future__ import annotations

from dataclasses import dataclass

from tenure.explanation.remarks import Remark
from tenure.versions import KAI


@dataclass(frozen=True, slots=True)
class ResolveAnswer:
    """Which minimum runtime counts between two queues."""

    action: str
    """`preempt` or `reclaim`."""
    method: str
    """`lca` or `queue`; a preemption is the same under both."""
    pending_queue: str | None
    """The pending job's queue; null where none was given."""
    victim_queue: str
    """The victim's queue."""
    min_runtime: str
    """What counts."""
    min_runtime_ns: int
    """The same in nanoseconds."""
    source: str | None
    """The queue whose value it is; null for the plugin's default."""
    path: tuple[str, ...]
    """The victim's queue and those above it, the top first."""
    summary: str
    """Why, in a sentence."""
    remarks: tuple[Remark, ...]
    """What each rule found."""
    warnings: tuple[str, ...] = ()
    """What was assumed or ignored in the input."""
    kai: str = KAI
    """The KAI-Scheduler that decides so: its revision as Go writes it."""


@dataclass(frozen=True, slots=True)
class PairShape:
    """A queue that a job is pending in, and one that a job may be preempted in."""

    pending_queue: str
    """The pending job's queue."""
    victim_queue: str
    """The victim's queue."""
    action: str
    """`preempt` in the same queue, otherwise `reclaim`."""
    min_runtime: str
    """What counts."""
    min_runtime_ns: int
    """The same in nanoseconds."""
    source: str | None
    """The queue whose value it is; null for the plugin's default."""
    level: int | None
    """How far below the top of the victim's path that queue is, 0 for the top; null for the default."""
    until: str | None
    """Until when a job is protected that started at the given time; null without one."""
    text: str
    """Whose value it is, and where that queue is in the tree."""


@dataclass(frozen=True, slots=True)
class PairsAnswer:
    """The minimum runtime between every two queues that jobs are in."""

    method: str
    """`lca` or `queue`; a preemption is the same under both."""
    started: str | None
    """When a job of the victim's queue started; null where none is given."""
    summary: str
    """How much there is, in one line."""
    pairs: tuple[PairShape, ...]
    """By the victim's queue, in each its own first."""
    warnings: tuple[str, ...] = ()
    """What was assumed or ignored in the input."""
    kai: str = KAI
    """The KAI-Scheduler that decides so: its revision as Go writes it."""


@dataclass(frozen=True, slots=True)
class FilteredShape:
    """A running job that may be considered as a victim, or not."""

    victim: str
    """The job."""
    queue: str
    """Its queue."""
    action: str
    """`preempt` or `reclaim`."""
    passes: bool
    """Whether it may be considered."""
    elastic: bool
    """Whether it has pods to spare."""
    protected: bool | None
    """Whether it is protected; null where the filter does not ask."""
    until: str | None
    """The end of the protection; null where there is none."""
    min_runtime: str | None
    """What counts for it; null where the filter does not ask."""
    verdict: str
    """Why, in a clause."""
    remarks: tuple[Remark, ...]
    """What each rule found."""


@dataclass(frozen=True, slots=True)
class FilterAnswer:
    """Which jobs may be considered as a victim for a pending job."""

    pending: str
    """The pending job."""
    now: str
    """The clock."""
    method: str
    """`lca` or `queue`."""
    delayed_until: str | None
    """Until when the pending job evicts no workload; null where it waits for no preemption delay."""
    summary: str
    """The answer in a sentence."""
    victims: tuple[FilteredShape, ...]
    """The running jobs."""
    warnings: tuple[str, ...] = ()
    """What was assumed or ignored in the input."""
    kai: str = KAI
    """The KAI-Scheduler that decides so: its revision as Go writes it."""


@dataclass(frozen=True, slots=True)
class SubGroupLoss:
    """A sub-group that loses pods."""

    name: str
    """Of the sub-group."""
    min_available: int
    """What it must have."""
    active: int
    """How many of its pods hold a place."""
    lost: int
    """How many pods the scenario takes from it."""
    left: int
    """What remains."""
    keeps: bool
    """Whether that is enough."""


@dataclass(frozen=True, slots=True)
class LossShape:
    """A victim job of a scenario."""

    victim: str
    """The job."""
    accepted: bool
    """Whether the scenario is accepted, as far as this job goes."""
    elastic: bool
    """Whether it has pods to spare."""
    protected: bool | None
    """Whether it is protected; null where nothing had to be resolved."""
    until: str | None
    """The end of the protection; null where there is none."""
    sub_groups: tuple[SubGroupLoss, ...]
    """Those that lose pods, where they are looked at."""
    verdict: str
    """Why, in a clause."""
    remarks: tuple[Remark, ...]
    """What each rule found."""


@dataclass(frozen=True, slots=True)
class ValidateAnswer:
    """Whether a scenario is accepted."""

    pending: str
    """The pending job."""
    now: str
    """The clock."""
    action: str
    """`preempt` or `reclaim`."""
    method: str
    """`lca` or `queue`."""
    delayed_until: str | None
    """Until when the pending job evicts no workload; null where it waits for no preemption delay."""
    accepted: bool
    """Whether it may."""
    summary: str
    """The answer in a sentence."""
    victims: tuple[LossShape, ...]
    """The victim jobs, up to the first that refuses."""
    warnings: tuple[str, ...] = ()
    """What was assumed or ignored in the input."""
    kai: str = KAI
    """The KAI-Scheduler that decides so: its revision as Go writes it."""
