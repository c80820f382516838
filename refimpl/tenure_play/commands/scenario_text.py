"""Simulations of scenarios as people read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tenure.model import Instant
from tenure.outline import aligned
from tenure.units import counted, format_elapsed, format_instant
from tenure_play.record import ExpectationResult, Loop, Record, StoryLine, Summary
from tenure_play.recorder import to_the_millisecond

MOST_WORKLOADS = 40
"""Rows of a summary; of more workloads those that waited longest are shown."""


def play_lines(record: Record, story: int) -> Iterator[str]:
    """One play: what happened and why, every workload in short, loops, expectations.

    Args:
        record: the play.
        story: how many lines of the story; negative for all.

    >>> print(*play_lines(Record("s", "No job comes.", "guaranteed", 0, 10**9), 9), sep="\\n")
    s under guaranteed: No job comes.
      1970-01-01T00:00:00Z to 1970-01-01T00:00:01Z: 0 cycles, 0 preemptions, no loop
    """
    yield f"{record.scenario} under {record.reading}{': ' if record.title else ''}{record.title}"
    yield f"  {format_instant(record.start)} to {format_instant(record.end)}: {_counted(record)}"
    if record.story and story:
        yield ""
        yield from _story(record, story)
    if record.workloads:
        yield ""
        yield from _summaries(record)
    if record.loop is not None:
        yield ""
        yield from _loop(record, record.loop)
    if record.expectations:
        yield ""
        yield from (_outcome(record, expectation) for expectation in record.expectations)


def short_lines(records: Iterable[Record]) -> Iterator[str]:
    """Several plays: a line for each, and what fails."""
    plays = failed = 0
    for record in records:
        plays += 1
        failed += not record.holds
        word = "ok  " if record.holds else "FAIL"
        held = _held(record.expectations)
        yield f"{word} {record.scenario} under {record.reading}: {_counted(record)}, {held}"
        yield from (
            f"  {_outcome(record, expectation)}"
            for expectation in record.expectations
            if not expectation.holds
        )
    yield f"simulate: {counted(plays, 'simulation')}, {failed} of them not as expected"


def _counted(record: Record) -> str:
    if record.sessions:
        questions = counted(len(record.questions), "question")
        return f"{counted(len(record.sessions), 'session')}, {questions}, {len(record.preemptions)} preempted"
    parts = [counted(len(record.cycles), "cycle"), counted(len(record.preemptions), "preemption")]
    loop = record.loop
    parts.append("no loop" if loop is None else f"a loop of {to_the_millisecond(loop.period)}")
    return ", ".join(parts)


def _held(outcomes: Sequence[ExpectationResult]) -> str:
    return f"{sum(result.holds for result in outcomes)} of {counted(len(outcomes), 'expectation')} hold"


def _story(record: Record, most: int) -> Iterator[str]:
    shown = record.story if most < 0 else record.story[:most]
    rows = [
        (_after(record, story_line.at), story_line.what.value, story_line.workload, _told(story_line))
        for story_line in shown
    ]
    yield from (f"  {line}" for line in aligned([("AFTER", "WHAT", "WORKLOAD", "WHY"), *rows]))
    rest = len(record.story) - len(shown)
    if rest > 0:
        yield f"  and {rest} more; --story all shows them"


def _told(entry: StoryLine) -> str:
    return f"{entry.text}, by {', '.join(entry.rules)}" if entry.rules else entry.text


def _after(record: Record, at: Instant) -> str:
    return format_elapsed(at - record.start)


def _summaries(record: Record) -> Iterator[str]:
    shown = record.workloads
    if len(shown) > MOST_WORKLOADS:
        longest = sorted(shown, key=lambda summary: (-summary.longest_wait, summary.workload))[
            :MOST_WORKLOADS
        ]
        shown = tuple(longest)
    header = ("WORKLOAD", "RUNS", "PREEMPTED", "RAN", "KEPT", "LONGEST WAIT", "END")
    yield from (f"  {line}" for line in aligned([header, *[_summary(record, summary) for summary in shown]]))
    if len(record.workloads) > len(shown):
        yield f"  and {len(record.workloads) - len(shown)} more, who waited less"


def _summary(record: Record, summary: Summary) -> tuple[str, ...]:
    return (
        summary.workload,
        str(summary.runs),
        str(summary.preempted),
        to_the_millisecond(summary.ran),
        to_the_millisecond(summary.kept),
        to_the_millisecond(summary.longest_wait),
        "not finished" if summary.finished is None else f"finished after {_after(record, summary.finished)}",
    )


def _loop(record: Record, loop: Loop) -> Iterator[str]:
    again = "once" if loop.times == 1 else f"{loop.times} times"
    period = to_the_millisecond(loop.period)
    yield f"Loop: the state of {_after(record, loop.start)} comes back after {period}, {again}"
    yield from (f"  {pair.preemptor} preempts {pair.victim}" for pair in loop.preemptions)
    if loop.futile:
        yield "  no work is kept in any turn"
    else:
        yield f"  {to_the_millisecond(loop.work_done)} of work are kept in a turn"
    if loop.stuck:
        yield f"  never gets anywhere: {', '.join(loop.stuck)}"


def _outcome(record: Record, result: ExpectationResult) -> str:
    when = "" if result.at is None else f" at {_after(record, result.at)}"
    if result.holds:
        return f"ok   {result.field}{when}: {result.found}"
    return f"FAIL {result.field}{when}: expected {result.expected}, found {result.found}"
