"""Texts of a chart: names made harmless and short, times after the start, what the play comes to."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterator

from tenure.model import SECOND, Duration
from tenure.units import format_duration, format_elapsed, format_instant
from tenure_play.record import Loop, Preemption, Record
from tenure_play.scenario import MILLISECOND

MOST_SENTENCES = 40
"""Preemptions that the description lists one by one: a screen reader reads all of it."""
MOST_NAMES = 4
_NOT_SHOWN = {"Cc", "Cf", "Cn", "Co", "Cs"}


def clean(text: str) -> str:
    """A text without characters that no XML may hold or that turn the ones around them about.

    >>> clean("a\\x00b")
    'a\\ufffdb'
    """
    spaced = " ".join(text.split())
    return "".join("\ufffd" if unicodedata.category(name) in _NOT_SHOWN else name for name in spaced)


def short(text: str, most: int) -> str:
    """A text of at most so many characters; what is left out is in the middle, since names differ at the end.

    >>> short("team-a/job-pretrain-7b-e95a1", 12)
    'team-…-e95a1'
    """
    if len(text) <= most:
        return text
    ahead = (most - 1) // 2
    return f"{text[:ahead]}…{text[len(text) - (most - 1 - ahead) :]}"


def wrapped(text: str, most: int) -> list[str]:
    """A text in lines of at most so many characters."""
    return textwrap.wrap(clean(text), most) or [""]


def long(duration: Duration) -> str:
    """A duration to the millisecond, and to the minute where it is more than a day.

    >>> long(1_500_000_001), long(26 * 3600 * SECOND + SECOND)
    ('1.5s', '26h')
    """
    unit = 60 * SECOND if duration >= 24 * 3600 * SECOND else MILLISECOND
    return format_duration(duration - duration % unit)


def counted(count: int, what: str) -> str:
    """A number and what is counted.

    >>> counted(1, "preemption"), counted(2398, "preemption")
    ('1 preemption', '2,398 preemptions')
    """
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def in_one_namespace(record: Record) -> bool:
    """Whether all workloads are of one namespace, which then goes without saying."""
    return len({summary.workload.partition("/")[0] for summary in record.workloads}) <= 1


def name_of(record: Record, workload: str) -> str:
    """A workload as the chart calls it."""
    return clean(workload.partition("/")[2] or workload) if in_one_namespace(record) else clean(workload)


def facts(record: Record) -> Iterator[str]:
    """What the play comes to, in sentences.

    >>> list(facts(Record("s", "", "guaranteed", 0, 9)))
    ['No preemption.']
    """
    yield _preemptions(record)
    never = [summary for summary in record.workloads if summary.runs == 0]
    if len(never) > MOST_NAMES:
        yield f"{len(never)} of {len(record.workloads)} workloads never run."
    elif never:
        *names, last = [name_of(record, summary.workload) for summary in never]
        yield f"{', '.join(names)} and {last} never run." if names else f"{last} never runs."
    if len(record.workloads) > MOST_NAMES and any(summary.longest_wait for summary in record.workloads):
        yield f"The longest wait is {long(max(summary.longest_wait for summary in record.workloads))}."


def _preemptions(record: Record) -> str:
    if not record.preemptions:
        return "No preemption."
    count = counted(len(record.preemptions), "preemption")
    early = [preemption.cut_short for preemption in record.preemptions if preemption.cut_short]
    if early and len(record.preemptions) == 1:
        return f"{count}, {long(early[0])} too early."
    if len(early) == 1:
        return f"{count}, one of them {long(early[0])} too early."
    if early:
        many = "all" if len(early) == len(record.preemptions) else f"{len(early):,}"
        return f"{count}, {many} of them too early, by up to {long(max(early))}."
    protected = any(run.protected_until is not None for run in record.runs)
    return f"{count}, none too early." if protected else f"{count}."


def loop_text(loop: Loop) -> str:
    """A loop in a few words.

    >>> loop_text(Loop(0, 60 * SECOND, 3, (), (), (), 0, futile=True))
    'loop: the same every 1m, 3 times; no work is kept'
    """
    times = "once again" if loop.times == 1 else f"{loop.times:,} times"
    kept = "; no work is kept" if loop.futile else ""
    return f"loop: the same every {long(loop.period)}, {times}{kept}"


def preemption_text(record: Record, preemption: Preemption) -> str:
    """A preemption in a sentence."""
    early = f", {long(preemption.cut_short)} too early" if preemption.cut_short else ""
    who = f"{name_of(record, preemption.preemptor)} preempts {name_of(record, preemption.victim)}"
    when = format_elapsed(preemption.at - record.start)
    return f"At {when} {who} after {long(preemption.ran)}: {clean(preemption.reason)}{early}."


def description(record: Record) -> str:
    """The chart in words, for those who do not see it.

    >>> description(Record("s", "No job comes.", "guaranteed", 0, 10**9))
    'Played under guaranteed from 1970-01-01T00:00:00Z to 1970-01-01T00:00:01Z. No preemption.'
    """
    return " ".join(_sentences(record))


def _sentences(record: Record) -> Iterator[str]:
    window = f"from {format_instant(record.start)} to {format_instant(record.end)}"
    yield f"Played under {clean(record.reading)} {window}."
    yield from facts(record)
    if record.loop is not None:
        yield f"From {format_elapsed(record.loop.start - record.start)} a {loop_text(record.loop)}."
    yield from (preemption_text(record, preemption) for preemption in record.preemptions[:MOST_SENTENCES])
    if len(record.preemptions) > MOST_SENTENCES:
        yield f"And {counted(len(record.preemptions) - MOST_SENTENCES, 'more preemption')}."
