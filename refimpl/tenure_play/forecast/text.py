"""What comes next, in lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from tenure.explanation.quota_alone import BY_QUOTA, note_lines
from tenure.explanation.shapes import PreemptedWorkload
from tenure.model import SECOND, Instant
from tenure.units import counted, format_instant
from tenure_play.forecast.answer_types import (
    AskedWorkload,
    ComingEvent,
    ComingHead,
    ComingTurn,
    LookEnd,
    NextAnswer,
    StillWaiting,
)
from tenure_play.forecast.run import changes_anything, some_names
from tenure_play.record import Happening, Result

EVICTED: Final = "evicted"
"""The event of a workload whose queue is drained."""
MOST = 10
"""So many of a kind are listed; the rest are counted."""


def summary_of(answer: NextAnswer) -> str:
    """The answer in one line."""
    by = "" if answer.topology is None else f"{BY_QUOTA.capitalize()}: "
    if answer.asked is not None:
        return by + _asked_summary(answer, answer.asked)
    heads = [head for cycle in answer.cycles for head in cycle.heads]
    admitted = sum(1 for head in heads if head.result == Result.ADMITTED)
    preempted = sum(len(head.preempts) for head in heads)
    count = len(answer.cycles)
    done = f"{admitted} admitted, {preempted} preempted, {_waiting_text(answer)}"
    return f"{by}{counted(count, 'cycle')}: {done}; {answer.ended_text}"


def _waiting_text(answer: NextAnswer) -> str:
    """How many wait; those that are not decided about are never left out."""
    aside = answer.not_decided
    if not aside:
        return f"{answer.waiting_count} waiting afterwards"
    reasons = list(dict.fromkeys(found.in_short for found in aside))
    are = f"{'is' if len(aside) == 1 else 'are'} not decided about: {some_names(reasons)}"
    if not answer.waiting_count:
        return f"{len(aside)} waiting {are}"
    return f"{answer.waiting_count} waiting afterwards, and {len(aside)} more that {are}"


def _asked_summary(answer: NextAnswer, asked: AskedWorkload) -> str:
    name, waits = asked.workload, asked.waits
    if asked.admitted_at is not None:
        victims = [evicted.workload for turn in asked.turns for evicted in turn.preempts]
        have = "has" if len(victims) == 1 else "have"
        once = f", once {some_names(victims)} {have} left" if victims else ""
        cycle = asked.turns[-1].cycle
        return f"{name} is admitted in cycle {cycle}, at {format_instant(asked.admitted_at)}{once}"
    assert waits is not None
    if answer.ended in (LookEnd.CYCLES, LookEnd.UNTIL):
        return f"{name} is not admitted within this forecast: {waits.why}; {answer.ended_text}"
    if waits.later is not None:
        when = _from(waits.later.at)
        return f"{name} is not admitted now; {when} time alone would change that, if it is tried then"
    return f"{name} is not admitted within what can be known: {_until(waits)}"


def _until(waits: StillWaiting) -> str:
    """What would have to happen, as far as is known."""
    holders = [key for lack in waits.lacks for key in lack.held_by]
    if not holders:
        return waits.why
    lacks = " and ".join(f"{lack.short} {lack.resource} on {lack.flavor}" for lack in waits.lacks)
    return f"it waits until {lacks} are given back by {some_names(list(dict.fromkeys(holders)), 'or')}"


def next_lines(answer: NextAnswer, *, every: bool = False) -> Iterator[str]:
    """What comes next, line by line.

    Args:
        answer: what comes next.
        every: whether everything is told, however much it is.
    """
    yield answer.summary
    yield f"  clock {format_instant(answer.now)}, reading {answer.reading_text}"
    yield f"  assumed: {'; '.join(answer.assumed)}"
    yield from note_lines(answer.topology)
    if answer.asked is not None:
        yield from _asked_lines(answer.asked, every=every)
        return
    yield from _course_lines(answer, every=every)
    yield from _waiting_lines(answer, every=every)
    if answer.not_decided:
        yield from ("", "Not decided about")
        lines = (f"  {found.workload}: {found.why}" for found in answer.not_decided)
        yield from _cut(lines, "of them", every=every)


def _cut(lines: Iterable[str], what: str, *, every: bool) -> Iterator[str]:
    told = list(lines)
    most = len(told) if every or len(told) <= MOST + 1 else MOST
    yield from told[:most]
    if len(told) > most:
        yield f"  and {len(told) - most} more {what}, with --all"


def _course_lines(answer: NextAnswer, *, every: bool) -> Iterator[str]:
    """Cycles and what happens between them, in the order of time."""
    shown = (EVICTED, Happening.RELEASED)
    events = [event for event in answer.events if every or event.what in shown]
    told = [cycle for cycle in answer.cycles if every or cycle.changes]
    most = len(told) if every or len(told) <= MOST + 1 else MOST
    for cycle in told[:most]:
        before = [event for event in events if event.at <= cycle.at]
        events = events[len(before) :]
        yield from _event_lines(before, every=every)
        yield from ("", f"Cycle {cycle.number}, {format_instant(cycle.at)}")
        heads = (
            f"  {head.workload} ({head.cluster_queue}): {_result_text(head)}"
            for head in cycle.heads
            if every or changes_anything(head)
        )
        yield from _cut(heads, "heads", every=every)
        still = 0 if every else sum(1 for head in cycle.heads if not changes_anything(head))
        if still:
            yield f"  {counted(still, 'other head')} tried, not admitted"
    if len(told) > most:
        yield from ("", f"and {len(told) - most} more cycles that change something, with --all")
    else:
        yield from _event_lines(events, every=every)
    unchanged = len(answer.cycles) - len(told)
    if unchanged:
        yield from ("", f"{unchanged} of the {len(answer.cycles)} cycles change nothing; --all tells them")


def _event_lines(events: Sequence[ComingEvent], *, every: bool) -> Iterator[str]:
    for (at, text), found in groupby(events, key=lambda event: (event.at, event.text)):
        names = [event.workload for event in found]
        told = ", ".join(names) if every else some_names(names)
        yield f"{format_instant(at)}  {told}: {'each ' if len(names) > 1 else ''}{text}"


def _result_text(head: ComingHead | ComingTurn) -> str:
    return "; ".join(filter(None, (_outcome_text(head), head.note)))


def _outcome_text(head: ComingHead | ComingTurn) -> str:
    match head.result:
        case Result.ADMITTED:
            return "is admitted"
        case Result.PREEMPTING:
            fresh = [f"preempts {_victims(head.preempts)}"] if head.preempts else []
            waits = [f"waits for the pods of {some_names(head.awaits)} to end"] if head.awaits else []
            return "; ".join([*fresh, *waits])
        case _:
            return f"{head.result.value}: {head.why}"


def _victims(preempts: Sequence[PreemptedWorkload]) -> str:
    return some_names([f"{evicted.workload} {evicted.reason}" for evicted in preempts])


def _waiting_lines(answer: NextAnswer, *, every: bool) -> Iterator[str]:
    untried = answer.waiting_count - len(answer.waiting)
    if not answer.waiting_count:
        return
    yield from ("", "Waiting afterwards")
    for queue, found in groupby(answer.waiting, key=lambda waits: waits.cluster_queue):
        waiting = list(found)
        lines = (f"  {each.workload} ({queue}): {each.why}{_later(each)}" for each in waiting)
        yield from _cut(lines, f"in {queue}", every=every)
    if untried:
        yield f"  {untried} that were not tried: tenure next WORKLOAD shows why"


def _later(waits: StillWaiting) -> str:
    later = waits.later
    if later is None:
        return ""
    then = f"preempt {_victims(later.preempts)}" if later.preempts else "be admitted"
    return f"; {_from(later.at)} it would {then}, if it is tried then ({later.because})"


def _from(instant: Instant) -> str:
    """From when on; what runs out with a second has run out a nanosecond later.

    >>> _from(3_000_000_001), _from(3_000_000_000)
    ('after 1970-01-01T00:00:03Z', 'from 1970-01-01T00:00:03Z on')
    """
    if instant % SECOND == 1:
        return f"after {format_instant(instant - 1)}"
    return f"from {format_instant(instant)} on"


def _asked_lines(asked: AskedWorkload, *, every: bool) -> Iterator[str]:
    kind = "StrictFIFO " if asked.strict else ""
    yield ""
    if asked.place is None and asked.not_before is None:
        yield f"It is not queued; {asked.waiting} wait in {kind}ClusterQueue {asked.cluster_queue}"
    elif asked.place is None:
        assert asked.not_before is not None
        until = format_instant(asked.not_before)
        where = f"{kind}ClusterQueue {asked.cluster_queue}"
        yield f"It is in back-off until {until}; {asked.waiting} wait in {where}"
    else:
        where = f"{kind}ClusterQueue {asked.cluster_queue}"
        yield f"It is number {asked.place} of {asked.waiting} that wait in {where}"
    ahead = (
        f"  {number}. {before.workload}: priority {before.priority}, "
        f"queues from {format_instant(before.queued_from)}"
        for number, before in enumerate(asked.ahead, 1)
    )
    yield from _cut(ahead, "ahead of it", every=every)
    if asked.turns:
        yield from ("", "When it is tried")
        yield from _cut(map(_turn_line, asked.turns), "times", every=every)
    if asked.waits is not None:
        yield from ("", "What it waits for")
        yield from _reasons(asked.waits, every=every)
    if asked.protected:
        yield from ("", "Equals that are protected from it (TBP-020)")
        equals = (f"  {found.workload}: until {format_instant(found.until)}" for found in asked.protected)
        yield from _cut(equals, "equals", every=every)


def _turn_line(turn: ComingTurn) -> str:
    firsts = [f"{head.workload} ({head.result.value})" for head in turn.before]
    after = f"; handled before it: {some_names(firsts)}" if firsts else ""
    return f"  cycle {turn.cycle}, {format_instant(turn.at)}: {_result_text(turn)}{after}"


def _reasons(waits: StillWaiting, *, every: bool) -> Iterator[str]:
    if not waits.lacks:
        yield f"  {waits.why}"
    for lack in waits.lacks:
        found = f"{lack.asked} asked, {lack.available} available in {lack.node}"
        yield f"  {lack.short} {lack.resource} short on {lack.flavor}: {found}"
        held = lack.held_by if every else (some_names(lack.held_by),) if lack.held_by else ()
        if held:
            yield f"    held by {', '.join(held)}"
    if waits.later is not None:
        yield f"  {_later(waits).removeprefix('; ')}"
