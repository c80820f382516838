"""A forecast for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from tenure.explanation.groups import FOR_ALL
from tenure.explanation.quota_alone import BY_QUOTA, note_lines
from tenure.explanation.shapes import PreemptedWorkload
from tenure.joint import vain_lines
from tenure.model import SECOND, Instant
from tenure.outline import CommandAdvice, Facts, Item, Name, Outline, Part, TitledList, Words, first_items
from tenure.units import counted, format_duration, format_instant
from tenure_play.forecast.answer_types import (
    AskedWorkload,
    ComingEvent,
    ComingHead,
    ComingTurn,
    LatestStart,
    LookEnd,
    NextAnswer,
    StillWaiting,
)
from tenure_play.forecast.run import changes_anything, some_names
from tenure_play.record import Happening, Result

EVICTED: Final = "evicted"
"""The event of a workload whose queue is drained."""
NOTHING_NEW: Final = "nothing new arrives, and nothing is edited or deleted"
NOTHING_FINISHES: Final = "no running workload finishes"
CYCLES_APART: Final = "cycles are at least"
ALL_TRIED: Final = "every waiting workload is tried once, also one that Kueue has parked in its memory"
UNBLOCKED: Final = "no admission waits for pods to be ready (waitForPodsReady.blockAdmission)"
_USUAL: Final = (NOTHING_NEW, NOTHING_FINISHES, CYCLES_APART, ALL_TRIED, UNBLOCKED)
"""What every forecast assumes, or how it begins."""
MOST: Final = 10
"""So many of a kind are listed; the rest are counted."""
FEW: Final = 3
"""So many are listed of those before a workload."""


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
    """How many wait, and how many are not decided."""
    aside = answer.not_decided
    if not aside:
        return f"{answer.waiting_count} waiting afterwards"
    reasons = list(dict.fromkeys(found.in_short for found in aside))
    are = f"{'is' if len(aside) == 1 else 'are'} not decided: {some_names(reasons)}"
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
    latest = asked.at_latest
    if latest is not None and latest.latest is not None:
        exact = ""
        if latest.if_exact is not None:
            exact = f"; at {format_instant(latest.if_exact)} if each runs exactly to it"
        by = format_instant(latest.latest)
        return f"{name} is admitted by {by} at the latest, {_premise(latest)}{exact}"
    if latest is not None and latest.if_exact is not None:
        at = format_instant(latest.if_exact)
        return (
            f"{name} is admitted at {at} if each job runs exactly to its limit; no bound is known otherwise"
        )
    if answer.ended in (LookEnd.CYCLES, LookEnd.UNTIL):
        return f"{name} is not admitted within this forecast: {waits.why}; {answer.ended_text}"
    if waits.later is not None:
        when = _from(waits.later.at)
        return f"{name} is not admitted now; {when} it could be, if it is tried then"
    return f"{name} has no known start: {_until(waits)}"


_EXTENDED = {LookEnd.CYCLES: "; --cycles lists more", LookEnd.UNTIL: "; --until extends the forecast"}


def _premise(latest: LatestStart) -> str:
    """What the bound rests on."""
    limit = "if each job ends by its own limit"
    if latest.per_preemption is None:
        return limit
    most = f"at most {counted(latest.preemptions, 'preemption')}" if latest.preemptions else "no preemption"
    return f"{limit}, with {most} until then"


def _latest_items(latest: LatestStart, *, every: bool) -> Iterator[Item]:
    if latest.latest is not None:
        bound = f"by {format_instant(latest.latest)}, whenever jobs end within their limits, in any order"
        if latest.per_preemption is not None:
            bound += f"; each further preemption adds at most {format_duration(latest.per_preemption)}"
        yield Item(bound)
    elif latest.why and (latest.unlimited or latest.if_exact is not None):
        yield Item(f"no bound is known: {latest.why}")
    if latest.if_exact is not None:
        ends = [
            Item([Name(run.workload), f" ends at {format_instant(run.until)} ({run.by})"])
            for run in latest.ends
        ]
        starts = [
            Item([Name(found.workload), f" starts at {format_instant(found.at)}"]) for found in latest.starts
        ]
        below = [*_last_items(ends, "end", every=every), *_last_items(starts, "start", every=every)]
        yield Item(
            f"at {format_instant(latest.if_exact)} if each job runs exactly to its limit, after", below
        )
    if latest.unlimited:
        names = ", ".join(latest.unlimited) if every else some_names(latest.unlimited)
        if latest.runtime is None:
            # What makes Workloads of jobs knows thirty kinds; most forecasts have no use for it.
            from tenure.manifests.jobs.submitted import LONGEST as LIMIT_LABEL

            advice = CommandAdvice("assume one with --runtime 4h or p95, or ")
            yield Item([f"running without a limit: {names}; ", advice, f"set {LIMIT_LABEL} on jobs"])
        elif latest.latest is None:
            yield Item(f"running for longer than --runtime already: {names}; assume a longer one")
        else:
            runs = "it runs" if len(latest.unlimited) == 1 else "they run"
            yield Item(f"counted as never ending, as {runs} for longer than --runtime already: {names}")


def _last_items(items: Sequence[Item], what: str, *, every: bool) -> Iterator[Item]:
    """What comes last before the start is what it waits for."""
    before = 0 if every else max(0, len(items) - FEW)
    if before:
        others = f"1 other {what}s" if before == 1 else f"{before} others {what}"
        yield Item([others, FOR_ALL, ", and then"])
    yield from items[before:]


def _until(waits: StillWaiting) -> str:
    """What would have to happen, as far as is known."""
    holders = [key for lack in waits.lacks for key in lack.held_by]
    if not holders:
        return waits.why
    lacks = " and ".join(f"{lack.short} {lack.resource} on {lack.flavor}" for lack in waits.lacks)
    return f"it waits until {some_names(list(dict.fromkeys(holders)), 'or')} releases {lacks}"


def _assumed_lines(assumed: Sequence[str], *, every: bool) -> Iterator[Words]:
    """What a forecast assumes: what every one does in short, all else in full."""
    named = [one for one in assumed if every or not one.startswith(_USUAL)]
    if every:
        yield f"assumed: {'; '.join(named)}"
        return
    short = "nothing arrives, finishes or is edited"
    yield [f"assumed: {'; '.join([*named, short])}", CommandAdvice(" (all assumptions: --all)")]


def outline_of(answer: NextAnswer, *, every: bool = False) -> Outline:
    """A forecast as text and as Markdown.

    Args:
        answer: the forecast.
        every: whether everything is listed, however much it is.
    """
    facts: list[Words] = [
        f"clock {format_instant(answer.now)}, reading {answer.reading_text}",
        *_assumed_lines(answer.assumed, every=every),
        *(line.strip() for line in note_lines(answer.topology)),
    ]
    extend = _EXTENDED.get(answer.ended, "") if answer.summary.endswith(answer.ended_text) else ""
    first: list[Part] = [[answer.summary, CommandAdvice(extend)], *vain_lines(answer.in_vain), Facts(facts)]
    if answer.asked is not None:
        title = f"What comes next for {answer.asked.workload}"
        return Outline(title, [*first, *_asked_parts(answer.asked, answer.summary, every=every)])
    not_decided = [Item([Name(found.workload), f": {found.why}"]) for found in answer.not_decided]
    course = (item for _, item in course_items(answer, every=every))
    return Outline(
        "What comes next",
        [
            *first,
            TitledList("What happens", [*course]),
            TitledList("Waiting afterwards", [*_waiting_items(answer, every=every)]),
            TitledList("Not decided", not_decided, None if every else MOST, FOR_ALL),
        ],
    )


def course_items(answer: NextAnswer, *, every: bool = False) -> Iterator[tuple[Instant | None, Item]]:
    """Cycles and what happens between them, in the order of time.

    Args:
        answer: the forecast.
        every: whether everything is listed, however much it is.

    Returns:
        the instant of each, ns since the epoch, None for what is about several; and the entry.
    """
    shown = (EVICTED, Happening.RELEASED)
    events = [event for event in answer.events if every or event.what in shown]
    cycles = [cycle for cycle in answer.cycles if every or cycle.changes]
    most = None if every else MOST
    for cycle in cycles[:most]:
        before = [event for event in events if event.at <= cycle.at]
        events = events[len(before) :]
        yield from _event_items(before, every=every)
        heads = [
            Item([Name(head.workload), " (", Name(head.cluster_queue), f"): {_result(head)}"])
            for head in cycle.heads
            if every or changes_anything(head)
        ]
        listed = [*first_items(heads, most, [" heads", FOR_ALL])]
        still = len(cycle.heads) - len(heads)
        if still:
            listed.append(Item(f"{counted(still, 'other head')} tried, not admitted"))
        yield cycle.at, Item(f"Cycle {cycle.number}, {format_instant(cycle.at)}", listed)
    if more := cycles[len(cycles[:most]) :]:
        yield None, Item([f"and {len(more)} more cycles that change something", FOR_ALL])
    else:
        yield from _event_items(events, every=every)
    unchanged = len(answer.cycles) - len(cycles)
    if unchanged:
        of_all = f"{unchanged} of the {len(answer.cycles)} cycles"
        listing = CommandAdvice(" (tenure next --all lists them)")
        yield None, Item([f"{of_all} change nothing", listing])


def _event_items(events: Sequence[ComingEvent], *, every: bool) -> Iterator[tuple[Instant, Item]]:
    for (at, text), found in groupby(events, key=lambda event: (event.at, event.text)):
        names = [event.workload for event in found]
        listed = ", ".join(names) if every else some_names(names)
        yield at, Item(f"{format_instant(at)}  {listed}: {'each ' if len(names) > 1 else ''}{text}")


def _result(head: ComingHead | ComingTurn) -> str:
    return "; ".join(filter(None, (_result_alone(head), head.note)))


def _result_alone(head: ComingHead | ComingTurn) -> str:
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


def _waiting_items(answer: NextAnswer, *, every: bool) -> Iterator[Item]:
    for queue, found in groupby(answer.waiting, key=lambda waits: waits.cluster_queue):
        items = [
            Item([Name(each.workload), " (", Name(queue), f"): {each.why}{_later(each)}"]) for each in found
        ]
        yield from first_items(items, None if every else MOST, [f" in {queue}", FOR_ALL])
    untried = answer.waiting_count - len(answer.waiting)
    if untried:
        yield Item(f"{untried} more, not tried: tenure next WORKLOAD explains one")


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


def _asked_parts(asked: AskedWorkload, summary: str, *, every: bool) -> Iterator[Part]:
    where = f"{'StrictFIFO ' if asked.strict else ''}ClusterQueue {asked.cluster_queue}"
    if asked.place is not None:
        place = f"Number {asked.place} of {asked.waiting} that wait in {where}"
    elif asked.not_before is not None:
        place = f"In back-off until {format_instant(asked.not_before)}; {asked.waiting} wait in {where}"
    else:
        place = f"Not queued; {asked.waiting} wait in {where}"
    ahead = [
        Item(
            [
                f"{number}. ",
                Name(before.workload),
                f": priority {before.priority}, queues from {format_instant(before.queued_from)}",
            ]
        )
        for number, before in enumerate(asked.ahead, 1)
    ]
    turns = [Item(_turn(turn)) for turn in asked.turns]
    equals = [
        Item([Name(found.workload), f": until {format_instant(found.until)}"]) for found in asked.protected
    ]
    most = None if every else MOST
    if ahead:
        yield TitledList(place, ahead, None if every else FEW, FOR_ALL)
    else:
        yield Facts([place])
    yield TitledList("When it is tried", turns, most, FOR_ALL)
    if asked.waits is not None:
        reasons = [*_reasons(asked.waits, every=every)]
        if reasons != [Item(asked.waits.why)] or asked.waits.why not in summary:
            yield TitledList("What it waits for", reasons)
    if asked.at_latest is not None:
        yield TitledList("When it starts at the latest", [*_latest_items(asked.at_latest, every=every)])
    yield TitledList("Equals that are protected from it (TBP-020)", equals, most, FOR_ALL)


def _turn(turn: ComingTurn) -> str:
    firsts = [f"{head.workload} ({head.result.value})" for head in turn.before]
    after = f"; handled before it: {some_names(firsts)}" if firsts else ""
    return f"cycle {turn.cycle}, {format_instant(turn.at)}: {_result(turn)}{after}"


def _reasons(waits: StillWaiting, *, every: bool) -> Iterator[Item]:
    if not waits.lacks:
        yield Item(waits.why)
    for lack in waits.lacks:
        held = lack.held_by if every else (some_names(lack.held_by),) if lack.held_by else ()
        yield Item(
            f"{lack.short} {lack.resource} short on {lack.flavor}: "
            f"{lack.asked} requested, {lack.available} available in {lack.node}",
            [Item(f"held by {', '.join(held)}")] if held else [],
        )
    if waits.later is not None:
        yield Item(_later(waits).removeprefix("; "))
