"""The joint effect: what the coming scheduling cycles do to all pending workloads together.

A package above this one plays the cycles (`tenure_play.forecast.joint`); here is what the effect consists of.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tenure.as_json import IfAny, Moment
from tenure.explanation.identifiers import ReasonWord, WorkloadKey
from tenure.explanation.quota_alone import BY_QUOTA
from tenure.model import SECOND, Instant
from tenure.units import counted, format_duration, join_names

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
    cluster_queue: IfAny[str] = None
    """The ClusterQueue with whose pending workloads the lists deal, and with the preemptions for them or in
    it; absent where all are listed."""


@dataclass(frozen=True, slots=True)
class JointOutcome:
    """What becomes of one pending workload in the coming cycles, beside all others that are pending."""

    text: str
    """The outcome in a sentence."""
    admitted_at: Moment | None
    """When the workload is admitted first; null where it is not, or where that is not known."""
    preempted: tuple[JointPreemption, ...]
    """Those that are preempted for it, and those of its victims that others preempt, in the order of time."""
    kept: tuple[WorkloadKey, ...]
    """The victims of the decision that are not preempted."""
    in_vain: tuple[PreemptionInVain, ...]
    """The preemption for it, where it does not get the quota."""


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
    by = "" if effect.cluster_queue is None else " for these or in this ClusterQueue"
    where = "" if effect.cluster_queue is None else f" of ClusterQueue {effect.cluster_queue}"
    pending = f"{counted(total, 'pending workload')}{where}"
    parts = [
        with_names(f"{len(starts)} of {pending} {verb(starts, 'start')}", starts),
        with_names(f"{len(victims)} {'is' if len(victims) == 1 else 'are'} preempted{by}", victims),
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


def joint_outcome(
    effect: JointEffect, workload: WorkloadKey, victims: Sequence[WorkloadKey], now: Instant
) -> JointOutcome | None:
    """What becomes of one pending workload, and of the victims that it has if it is taken alone.

    Args:
        effect: on all pending workloads.
        workload: one of them, `namespace/name`.
        victims: those whom it preempts if it is taken alone.
        now: the clock, ns since the epoch.

    Returns:
        None where the workload is not pending.

    >>> effect = JointEffect("", (), (), (), ("ml/b",), (), (), "", None)
    >>> joint_outcome(effect, "ml/b", ["ml/old"], 0).text
    'Jointly ml/b still waits; its victim keeps its quota'
    """
    start = next((found.at for found in effect.starts if found.workload == workload), None)
    if workload in effect.not_decided:
        return JointOutcome(f"Jointly not known: {names(effect.not_known)}", None, (), (), ())
    if start is None and workload not in effect.waiting:
        return None
    preempted = tuple(
        each for each in effect.preempted if each.workload in victims or each.preemptor == workload
    )
    kept = tuple(key for key in victims if all(each.workload != key for each in preempted))
    fate = "still waits" if start is None else f"starts {about_when(start, now)}"
    for_it = [each for each in preempted if each.preemptor == workload]
    expected = [each.workload for each in for_it if each.workload in victims]
    more = [each.workload for each in for_it if each.workload not in victims]
    others = [each.workload for each in preempted if each.preemptor != workload]
    parts = [
        f"{workload} {fate}",
        f"it preempts {_part(expected, victims)}" if expected else "",
        f"others preempt {with_names(_part(others, victims), others)}" if others else "",
        f"{_part(kept, victims)} {'keeps its' if len(kept) == 1 else 'keep their'} quota" if kept else "",
        f"{with_names(f'it preempts {len(more)} more', more)}" if more else "",
    ]
    text = f"Jointly{scope_text(effect)} {'; '.join(filter(None, parts))}"
    in_vain = tuple(each for each in effect.in_vain if each.preemptor == workload)
    return JointOutcome(text, start, preempted, kept, in_vain)


def _part(some: Sequence[object], victims: Sequence[object]) -> str:
    """How many of its victims, in words."""
    if len(some) < len(victims):
        return f"{len(some)} of its {len(victims)} victims"
    return f"all its {len(victims)} victims" if len(victims) > 1 else "its victim"


def about_when(at: Instant, now: Instant) -> str:
    """How soon, to the second.

    >>> about_when(0, 0), about_when(31_010_000_000, 0)
    ('now', 'in about 31s')
    """
    seconds = (at - now) // SECOND
    return f"in about {format_duration(seconds * SECOND)}" if seconds else "now"


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
    no_longer_in_vain: tuple[PreemptionInVain, ...] = ()
    """The preemptions in vain before, of preemptors for which none is in vain afterwards."""
