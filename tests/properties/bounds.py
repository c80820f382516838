"""What the proofs over time promise of a play, counted in its record.

A delay, the c of the bounds, is the time from an expiry to the successor's reservation: from the first
instant at which every holder of a place has had it for minAdmitDuration and a workload waits, to the next
reservation. It holds the eviction, the controller's absence and the wait for a cycle.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise

from tenure.model import SECOND, Duration, Instant
from tenure.rules.cycle import persisted
from tenure_play import Record
from tenure_play.record import Ending, Preemption, RunSpan, WaitSpan


@dataclass(frozen=True, slots=True)
class Given:
    """What is known of a timeline beside its record.

    Args:
        duration: minAdmitDuration, ns.
        slow: the longest that a delay can be by the scenario's own timing, ns.
    """

    duration: Duration
    slow: Duration


def faults(record: Record, given: Given) -> Iterator[str]:
    """Every bound that a play breaks; one in brackets is known not to survive stamps in whole seconds."""
    yield from _too_early(record, given)
    places = list(places_of(record))
    for place in places:
        yield from _back_too_soon(place, record, given)
        yield from _too_often(place, given)
    yield from _turns(record, given)


def _too_early(record: Record, given: Given) -> Iterator[str]:
    for preemption in record.preemptions:
        reserved = preemption.at - preemption.ran
        if preemption.at - persisted(reserved) <= given.duration:
            yield f"preempted too early: {preemption.victim} after {preemption.ran}ns"
        elif preemption.ran <= given.duration - SECOND:
            yield f"preempted a second and more too early: {preemption.victim} after {preemption.ran}ns"
        elif preemption.ran <= given.duration:
            yield "(preempted up to a second early, by the clock)"


def places_of(record: Record) -> Iterator[list[Preemption]]:
    """The preemptions of each place in turn: each victim ran where the preemptor before it had come in."""
    stays = {(run.workload, run.start): run for run in record.runs}
    left = sorted(record.preemptions, key=lambda preemption: preemption.at)
    while left:
        place = [left.pop(0)]
        while (following := _successor(place[-1], stays, left)) is not None:
            left.remove(following)
            place.append(following)
        yield place


def _successor(
    taken: Preemption, stays: dict[tuple[str, Instant], RunSpan], left: list[Preemption]
) -> Preemption | None:
    """The next victim at a place: the preemptor, in the run for which the last victim was preempted."""
    own = [run for (who, start), run in stays.items() if who == taken.preemptor and start >= taken.at]
    stay = min(own, key=lambda run: run.start, default=None)
    if stay is None:
        return None
    return next(
        (
            preemption
            for preemption in left
            if preemption.victim == stay.workload and preemption.at == stay.stopped
        ),
        None,
    )


def _back_too_soon(place: list[Preemption], record: Record, given: Given) -> Iterator[str]:
    for first, second in combinations(place, 2):
        if first.victim == second.preemptor:
            if second.at - persisted(first.at) <= given.duration:
                yield f"back too soon: {first.victim} after {second.at - first.at}ns"
            elif second.at - first.at <= given.duration:
                yield "(back up to a second early, by the clock)"


def _too_often(place: list[Preemption], given: Given) -> Iterator[str]:
    times = [preemption.at for preemption in place]
    worst = given.duration - SECOND
    for (i, first), (j, last) in combinations(enumerate(times), 2):
        count = j - i + 1
        if count > (last - first) // worst + 1:
            yield f"too often: {count} preemptions of a place in {last - first}ns"
        elif given.duration % SECOND == 0 and count > (last - persisted(first)) // given.duration + 1:
            yield f"too often by the stamps: {count} preemptions of a place in {last - first}ns"
        elif count > (last - first) // given.duration + 1:
            yield "(once too often by the clock)"


def delay_of(record: Record, given: Given) -> Duration:
    """The longest delay, ns; at the end of the play as long as it has been so far."""
    return max((end - begin for begin, end in _delays(record, given)), default=0)


def _delays(record: Record, given: Given) -> Iterator[tuple[Instant, Instant]]:
    starts = sorted({run.start for run in record.runs})
    # Before the first reservation no place is held: every waiting workload could be served at once.
    for last, at in pairwise([record.start - given.duration, *starts, record.end]):
        since = max(last + given.duration, waiting_since(record, at))
        if since < at:
            yield since, at


def waiting_since(record: Record, at: Instant) -> Instant:
    """Since when a workload has been waiting, up to just before an instant."""
    since = at
    while before := [wait.start for wait in record.waits if wait.start < since <= wait.end]:
        since = min(before)
    return since


def _turns(record: Record, given: Given) -> Iterator[str]:
    delay = delay_of(record, given)
    if delay > given.slow:
        yield f"a delay that nothing explains: {delay}ns, and at most {given.slow}ns are"
    within = given.duration + min(delay, given.slow)
    for wait in record.waits:
        waits = wait.end - wait.start
        if waits <= _waiting(record, wait) * within:
            continue
        # Whose pods end has left its place before, and queues from then.
        if waits <= (_waiting(record, wait) + _leaving(record, wait)) * within:
            yield "(a victim whose pods still end goes first)"
        elif waits <= (_same_second(record, wait) + _leaving(record, wait)) * within:
            yield "(a workload of the same second goes first)"
        else:
            yield f"no turn: {wait.workload} waits {waits}ns"


def _waiting(record: Record, wait: WaitSpan) -> int:
    """How many wait when it begins to, itself included."""
    return sum(other.start <= wait.start < other.end for other in record.waits) or 1


def _same_second(record: Record, wait: WaitSpan) -> int:
    """The same, with those who begin to in the same second: of equal stamps the uid decides."""
    until = persisted(wait.start) + SECOND
    return sum(other.start < until and other.end > wait.start for other in record.waits) or 1


def _leaving(record: Record, wait: WaitSpan) -> int:
    """How many have been evicted when it begins to wait, and are still to give their quota back."""
    return sum(
        run.ended_by == Ending.PREEMPTED and run.stopped <= wait.start < run.end for run in record.runs
    )
