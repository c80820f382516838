"""What comes next in a cluster as it is, as an answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tenure.api import Loaded, PendingDecision, find_pending, in_line, queue_of, undecided
from tenure.errors import ErrorCode, InputError
from tenure.explanation.summary import reading_text
from tenure.manifests import object_name
from tenure.manifests.durations import parse_duration
from tenure.manifests.premises import premises_of
from tenure.manifests.showing import in_short
from tenure.model import Duration, Instant
from tenure.oracle.snapshot import with_effective_priority
from tenure.readings import Reading, Wake
from tenure.rules.terms import terms_of
from tenure.rules.time_based import requeue_timestamp
from tenure.units import END_OF_TIME, counted, format_duration, format_instant
from tenure_play.actors import Actor, Phase
from tenure_play.forecast.answer_types import (
    AskedWorkload,
    ComingEvent,
    ComingTurn,
    InLine,
    LookEnd,
    NextAnswer,
    NotDecided,
)
from tenure_play.forecast.run import Course, heads_of
from tenure_play.forecast.text import (
    ALL_TRIED,
    CYCLES_APART,
    EVICTED,
    NOTHING_FINISHES,
    NOTHING_NEW,
    UNBLOCKED,
    summary_of,
)
from tenure_play.forecast.vain_preemptions import preemptions_in_vain
from tenure_play.forecast.waiting_reasons import protected_equals, still_waiting
from tenure_play.from_cluster import drained, scenario_from
from tenure_play.horizon import USUAL_EVICTION, USUAL_UNTIL
from tenure_play.record import Happening
from tenure_play.scenario import QueueGates, Timing

if TYPE_CHECKING:
    from tenure_play.forecast.limits import AssumedRuntime

_UNTIL, _EVICTION = parse_duration(USUAL_UNTIL), parse_duration(USUAL_EVICTION)
_EVENTS = (Happening.RELEASED, Happening.WOKEN, Happening.PRIORITY)


@dataclass(frozen=True, slots=True)
class Horizon:
    """How far is looked ahead, and how long things take meanwhile.

    Args:
        cycles: at most so many cycles; None for a number by the size of the cluster.
        until: at most so long, ns.
        eviction: how long the pods of an evicted workload take to end, ns.
        gates: of the queues and cycles.
        runtime: what is assumed of workloads that declare no limit; None for nothing.
    """

    cycles: int | None = None
    until: Duration = _UNTIL
    eviction: Duration = _EVICTION
    gates: QueueGates = field(default_factory=QueueGates)
    runtime: AssumedRuntime | None = None


def look_ahead(
    loaded: Loaded,
    manifests: Mapping[str, Mapping[str, Any]],
    now: Instant,
    reading: Reading,
    horizon: Horizon,
    workload: str | None = None,
) -> NextAnswer:
    """What comes next, as far as nothing arrives and nothing ends by itself.

    Args:
        loaded: the cluster.
        manifests: by `namespace/name` those of workloads that hold quota.
        now: the clock, ns since the epoch.
        reading: see `tenure.readings`.
        horizon: how far.
        workload: a pending workload, `namespace/name`; None for the whole cluster.

    Raises:
        InputError: no such workload, or it cannot be decided about; more than a play may take.

    >>> from tenure.api import load
    >>> from tenure.readings import preset
    >>> from tenure.resources import bundled
    >>> two_teams, at = load(bundled("examples", "two-teams")), 1772460000 * 10**9
    >>> look_ahead(two_teams, {}, at, preset("guaranteed"), Horizon()).ended.value
    'quiet'
    """
    if loaded.over_time:
        raise InputError(loaded.over_time)
    timing = Timing(eviction=horizon.eviction)
    scenario = scenario_from(loaded, manifests, now, now + horizon.until, timing, horizon.gates)
    asked = None if workload is None else _queued(loaded, workload)
    course = Course(scenario, reading, horizon.cycles, asked)
    ended = course.run()
    world = course.player.world
    waiting = [actor for actor in world.alive.values() if actor.phase == Phase.WAITING]
    listed = [actor for actor in waiting if _is_listed(course, actor)] if asked is None else []
    aside = tuple(map(not_decided, undecided(loaded, END_OF_TIME, every=True)))
    answer = NextAnswer(
        now=now,
        reading=reading.written(),
        reading_text=reading_text(reading),
        summary="",
        topology=next(topologies(course), None),
        assumed=(
            *_premises(loaded, asked),
            *_assumed(horizon, timing, reading, len(aside), one=asked is not None),
            *(() if loaded.configured else (UNBLOCKED,)),
        ),
        eviction=horizon.eviction,
        ended=ended,
        ended_text=ended_text(course, ended, horizon),
        cycles=tuple(course.coming),
        events=(*_drained(loaded, now), *_events(course)),
        waiting_count=len(waiting),
        not_decided=aside,
        waiting=tuple(still_waiting(course, sorted(listed, key=lambda actor: (actor.queue, actor.key)))),
        asked=None if asked is None else _asked(course, loaded, asked, now, reading),
        in_vain=preemptions_in_vain(course, ended),
    )
    if answer.asked is not None and answer.asked.admitted_at is None:
        # A forecast of the whole cluster has none.
        from tenure_play.forecast.latest_start import latest_start

        latest = latest_start(loaded, manifests, scenario, reading, answer.asked.workload, horizon.runtime)
        answer = replace(answer, asked=replace(answer.asked, at_latest=latest))
    return replace(answer, summary=summary_of(answer))


def topologies(course: Course) -> Iterator[str]:
    """What of the heads needs a place in a topology."""
    return (head.topology for _, head in heads_of(course.coming) if head.topology)


def _is_listed(course: Course, actor: Actor) -> bool:
    """Whether it is known why a workload waits: it was tried, or cannot be."""
    cluster = course.player.world.cluster
    is_stopped = bool(cluster.cluster_queues[actor.queue].inactive or cluster.hold_of(actor.workload))
    return is_stopped or actor.key in course.last


def _queued(loaded: Loaded, workload: str) -> str:
    """The full name of a workload that takes part.

    Raises:
        InputError: it does not wait, or cannot be decided about.
    """
    key = find_pending(loaded, workload).key
    for row in undecided(loaded, END_OF_TIME):
        if row.workload == key:
            raise InputError(row.problems)
    return key


def not_decided(row: PendingDecision) -> NotDecided:
    """A workload that waits and takes no part, and why."""
    problem = row.problems[0]
    _, colon, reason = problem.expected.partition(": ")
    is_reason = colon and problem.code == ErrorCode.NOT_MODELLED
    short = reason if is_reason else f"{problem.field} is {problem.found}"
    name = object_name("Workload", *row.workload.split("/", 1))
    return NotDecided(row.workload, row.cluster_queue, in_short(row.problems, name), short)


def _premises(loaded: Loaded, asked: str | None) -> tuple[str, ...]:
    """What is assumed of how Kueue is configured."""
    if asked is None:
        return premises_of(loaded)
    return premises_of(loaded, [queue_of(loaded, find_pending(loaded, asked))])


def _assumed(horizon: Horizon, timing: Timing, reading: Reading, aside: int, *, one: bool) -> Iterator[str]:
    if aside:
        yield f"{counted(aside, 'waiting workload')} that cannot be decided left out"
    yield NOTHING_NEW
    limits = " (but for the latest start, within their limits)" if one else ""
    yield f"{NOTHING_FINISHES}{limits}, and pods of admitted ones are ready in time"
    if one:
        yield "admission checks pass at once, and limits count from then"
    if one and horizon.runtime is not None:
        yield f"workloads that declare no limit run at most {horizon.runtime.text} in all"
    yield f"pods of evicted workloads end after {format_duration(horizon.eviction)}, and they queue again"
    yield (
        f"{CYCLES_APART} {format_duration(timing.cycle)} apart; after a release others are tried again "
        f"within {format_duration(timing.retry)}"
    )
    yield ALL_TRIED
    if reading.wake == Wake.EVENTS:
        yield "the end of a protection alone wakes no parked workload (F-005)"


def ended_text(course: Course, ended: LookEnd, horizon: Horizon) -> str:
    """Why a forecast ends where it does, in words."""
    match ended:
        case LookEnd.QUIET:
            return "then nothing changes any more"
        case LookEnd.ADMITTED:
            return "later cycles are not listed"
        case LookEnd.REPEATS:
            return "then the same happens again and again"
        case LookEnd.CYCLES:
            return "more cycles follow"
        case LookEnd.UNTIL:
            later = "" if course.later is None else f", at {format_instant(course.later)}"
            return f"something happens after {format_duration(horizon.until)}{later}"


def _drained(loaded: Loaded, now: Instant) -> Iterator[ComingEvent]:
    """The evictions from queues that are drained."""
    for running in loaded.cluster.admitted:
        queue = drained(loaded.cluster, running)
        if queue is not None:
            yield ComingEvent(now, EVICTED, running.key, f"is evicted: stopPolicy of {queue} is HoldAndDrain")


def _events(course: Course) -> Iterator[ComingEvent]:
    for line in course.journal.story:
        if line.what in _EVENTS:
            yield ComingEvent(line.at, line.what.value, line.workload, line.text)


def _asked(course: Course, loaded: Loaded, key: str, now: Instant, reading: Reading) -> AskedWorkload:
    world = course.player.world
    actor, cluster = world.actors[key], loaded.cluster
    queue = cluster.cluster_queues[actor.queue]
    line = in_line(loaded, actor.queue, now, reading)
    place = next((number for number, queued in enumerate(line) if queued.key == key), None)
    terms = terms_of(queue, cluster.settings, reading)
    ahead = [
        InLine(
            queued.key,
            with_effective_priority(queued, cluster, now, reading).priority,
            requeue_timestamp(queued, terms),
        )
        for queued in line[: place or 0]
    ]
    turns = tuple(_turns(course, key))
    waits = None if course.is_admitted else next(still_waiting(course, [actor]))
    found = next(
        submission.workload for submission in course.scenario.present if submission.workload.key == key
    )
    return AskedWorkload(
        workload=key,
        cluster_queue=actor.queue,
        strict=world.queues[actor.queue].is_strict,
        place=None if place is None else place + 1,
        waiting=len(line),
        ahead=tuple(ahead),
        not_before=found.requeue_at if place is None else None,
        turns=turns,
        admitted_at=world.now if course.is_admitted else None,
        waits=waits,
        protected=() if course.is_admitted else protected_equals(world, actor),
        at_latest=None,
    )


def _turns(course: Course, key: str) -> Iterator[ComingTurn]:
    """The cycles in which a workload is a head, with those that are handled before it there."""
    world = course.player.world
    tree = {queue.name for queue in world.tree_of(world.actors[key].queue)}
    for cycle in course.coming:
        for number, head in enumerate(cycle.heads):
            if head.workload == key:
                before = tuple(other for other in cycle.heads[:number] if other.cluster_queue in tree)
                yield ComingTurn(
                    cycle=cycle.number,
                    at=cycle.at,
                    decision=head.decision,
                    result=head.result,
                    before=before,
                    preempts=head.preempts,
                    awaits=head.awaits,
                    why=head.why,
                    note=head.note,
                )
