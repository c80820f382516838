"""The joint effect: what the coming scheduling cycles do to all pending workloads together.

A package above this one plays the cycles (`tenure_play.forecast.joint`); here is what the effect consists of.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tenure.as_json import Moment
from tenure.explanation.quota_alone import BY_QUOTA
from tenure.explanation.schema_words import ReasonWord, WorkloadKey
from tenure.units import counted, join_names

MOST_NAMED = 5
"""So many workloads are named in a sentence."""


@dataclass(frozen=True, slots=True)
class JointStart:
    """A pending workload that is admitted in the coming cycles."""

    workload: WorkloadKey
    """`namespace/name`."""
    cluster_queue: str
    """Its ClusterQueue."""
    at: Moment
    """When it is admitted first."""


@dataclass(frozen=True, slots=True)
class JointPreemption:
    """A workload that is preempted in the coming cycles."""

    workload: WorkloadKey
    """The victim, `namespace/name`."""
    cluster_queue: str
    """The ClusterQueue whose quota it holds."""
    preemptor: WorkloadKey
    """The workload that preempts it first, `namespace/name`."""
    reason: ReasonWord
    """Of the victim's Preempted condition."""
    at: Moment
    """When."""


@dataclass(frozen=True, slots=True)
class PreemptionInVain:
    """A preemption whose preemptor does not get the quota.

    The pods of all its victims end, the preemptor is tried after that and is not admitted, and no later cycle
    of the forecast admits it.
    """

    preemptor: WorkloadKey
    """The workload that preempts, `namespace/name`."""
    victims: tuple[WorkloadKey, ...]
    """Those that are preempted for it."""
    instead: tuple[WorkloadKey, ...]
    """Who gets the quota: the last workloads admitted since the preemption without which the preemptor would
    fit. Empty where it would not fit without any of them."""
    text: str
    """The same in a sentence."""


@dataclass(frozen=True, slots=True)
class JointEffect:
    """What the coming cycles do to all pending workloads together. Every workload that is pending now starts,
    waits, or is not decided."""

    summary: str
    """The effect in a sentence."""
    starts: tuple[JointStart, ...]
    """Those that are admitted, in the order of time."""
    preempted: tuple[JointPreemption, ...]
    """Those that are preempted, in the order of time, each once."""
    in_vain: tuple[PreemptionInVain, ...]
    """Preemptions whose preemptor does not get the quota."""
    waiting: tuple[WorkloadKey, ...]
    """Those that are not admitted, by name."""
    not_decided: tuple[WorkloadKey, ...]
    """Those whose fate is not known, by name."""
    not_known: tuple[str, ...]
    """Why that is not known, in words."""
    ended_text: str
    """Why the forecast ends where it does, in words."""
    until: Moment | None
    """Until when it is known what happens: later on time alone may change something, or the cycles were too
    many. Null where nothing changes later, or where the same repeats."""
    first_cycles: int | None = None
    """How many cycles were played, where more follow at once that are not counted; null where all were."""
    topology: str | None = None
    """`not modelled` where Kueue also needs a place in a topology, so that the effect is by quota alone; null
    where no topology takes part."""


def names(keys: Sequence[str]) -> str:
    """Some workloads in a sentence; many of them are counted.

    >>> names(["ml/a", "ml/b"]), names([f"ml/{number}" for number in range(9)])
    ('ml/a and ml/b', 'ml/0, ml/1, ml/2, ml/3, ml/4 and 4 more')
    """
    return join_names(keys, MOST_NAMED, MOST_NAMED)


def with_names(count: str, keys: Sequence[str]) -> str:
    """A count, and the names of what is counted.

    >>> with_names("2 start", ["ml/a", "ml/b"]), with_names("0 start", [])
    ('2 start (ml/a and ml/b)', '0 start')
    """
    return f"{count} ({names(keys)})" if keys else count


def joint_summary(effect: JointEffect) -> str:
    """The joint effect in a sentence.

    >>> effect = JointEffect("", (JointStart("ml/a", "q", 0),), (), (), ("ml/b",), (), (), "", None)
    >>> joint_summary(effect)
    'Jointly 1 of 2 pending workloads starts (ml/a); 0 are preempted; 1 still waits'
    """
    unknown = not_known_text(effect)
    if not effect.starts and not effect.waiting and effect.not_decided:
        return f"Jointly {unknown}"
    total = len(effect.starts) + len(effect.waiting) + len(effect.not_decided)
    starts = [start.workload for start in effect.starts]
    victims = [each.workload for each in effect.preempted]
    pending = counted(total, "pending workload")
    parts = [
        with_names(f"{len(starts)} of {pending} {verb(starts, 'start')}", starts),
        with_names(f"{len(victims)} {'is' if len(victims) == 1 else 'are'} preempted", victims),
        f"{len(effect.waiting)} still {verb(effect.waiting, 'wait')}",
        *([unknown] if effect.not_decided else []),
    ]
    return f"Jointly{scope_text(effect)} {'; '.join(parts)}"


def scope_text(*effects: JointEffect) -> str:
    """What bounds some effects, with a space before it: the first cycles alone, or quota alone.

    >>> scope_text(JointEffect("", (), (), (), (), (), (), "", None, first_cycles=16))
    ' in the first 16 cycles'
    """
    cycles = min((each.first_cycles for each in effects if each.first_cycles is not None), default=None)
    first = "" if cycles is None else f" in the first {counted(cycles, 'cycle') if cycles > 1 else 'cycle'}"
    return f"{f' {BY_QUOTA}' if any(each.topology for each in effects) else ''}{first}"


def not_known_text(effect: JointEffect) -> str:
    """How many workloads' fate is not known, and why."""
    return f"{len(effect.not_decided)} not known: {names(effect.not_known)}"


def vain_lines(found: Sequence[PreemptionInVain]) -> Iterator[str]:
    """A marked line for each preemption in vain."""
    return (f"! {each.text}" for each in found)


def verb(subjects: Sequence[object], plural: str) -> str:
    """A verb with its subjects.

    >>> verb(["ml/a"], "wait"), verb([], "wait")
    ('waits', 'wait')
    """
    return f"{plural}s" if len(subjects) == 1 else plural


@dataclass(frozen=True, slots=True)
class JointDifference:
    """What a change does to all pending workloads together: both sides, and who starts or is preempted on one
    of them only. Workloads whose fate is not known on a side are in neither list."""

    summary: str
    """The difference in a sentence."""
    before: JointEffect
    """The joint effect before."""
    after: JointEffect
    """The joint effect afterwards."""
    starts: tuple[JointStart, ...]
    """Those that start afterwards only."""
    no_longer_starts: tuple[JointStart, ...]
    """Those that start before only."""
    preempted: tuple[JointPreemption, ...]
    """Those that are preempted afterwards only."""
    no_longer_preempted: tuple[JointPreemption, ...]
    """Those that are preempted before only."""
