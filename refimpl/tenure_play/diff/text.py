"""A difference as text, and as Markdown for a pull request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tenure.explanation.groups import MOST, shortened
from tenure.explanation.markdown import as_code, as_prose
from tenure.explanation.quota_alone import BY_QUOTA, note_lines
from tenure.explanation.shapes import WorkloadWithReason
from tenure.explanation.summary import assumed_lines
from tenure.units import format_instant
from tenure_play.diff.answer_types import DiffAnswer, PendingChange, RunningChange


def summary_of(answer: DiffAnswer) -> str:
    """The difference in a sentence.

    >>> from tenure_play.diff.answer_types import DiffAnswer
    >>> summary_of(DiffAnswer("a", "b", 0, "guaranteed", 2, 3, (), (), (), None, ()))
    'No decision changes: 2 pending and 3 running workloads.'
    """
    by = "" if answer.topology is None else f" {BY_QUOTA}"
    counts = f"{answer.pending_count} pending and {answer.running_count} running workloads"
    if not (answer.pending or answer.gained_victims or answer.lost_victims):
        known = " that is known" if answer.not_known else ""
        return f"No decision{known} changes{by}: {counts}."
    return (
        f"Decided otherwise{by}: {len(answer.pending)}; become victims: {len(answer.gained_victims)}; "
        f"cease to be victims: {len(answer.lost_victims)}; of {counts}."
    )


def text_lines(answer: DiffAnswer, *, every: bool = False) -> Iterator[str]:
    """A difference line by line.

    Args:
        answer: the difference.
        every: whether all workloads are told.
    """
    yield summary_of(answer)
    yield f"  before  {answer.before}"
    yield f"  after   {answer.after}"
    yield f"  clock {format_instant(answer.now)}, reading {answer.reading}; each evaluated independently"
    yield from assumed_lines(answer.premises)
    yield from note_lines(answer.topology)
    yield from (f"  not known: {text}" for text in answer.not_known)
    for title, changes, gained in (
        ("Become victims", answer.gained_victims, True),
        ("Cease to be victims", answer.lost_victims, False),
    ):
        yield from _section(title, (_running_line(change, gained) for change in changes), every=every)
    yield from _section("Decided otherwise", map(_pending_line, answer.pending), every=every)
    yield from _section("Note", answer.notes, every=True)


def _section(title: str, lines: Iterable[str], *, every: bool) -> Iterator[str]:
    told = list(lines)
    if told:
        yield from ("", title)
        yield from shortened(told, every=every)


def _running_line(change: RunningChange, gained: bool) -> str:
    told = f"{change.workload} ({change.cluster_queue}): {_preemptors(change.preemptors)}"
    if not change.runs_after:
        return f"{told}; does not run afterwards"
    return f"{told}; {_safe(change, gained)}; {_protected(change)}"


def _safe(change: RunningChange, gained: bool) -> str:
    """From when, or until when, it is no victim, for whatever reason."""
    if change.until is not None:
        return f"safe {'only after' if gained else 'until'} {format_instant(change.until)}"
    if change.looked_until is not None:
        found = "not safe" if gained else "safe"
        return f"{found} until {format_instant(change.looked_until)}, later was not looked at"
    return f"{'not safe' if gained else 'safe'} as long as nothing else happens"


def _preemptors(preemptors: Sequence[WorkloadWithReason]) -> str:
    """The first pending workload that preempts it, and how many more there are.

    >>> reason = "InCohortReclamation"
    >>> _preemptors([WorkloadWithReason("ml/a", reason), WorkloadWithReason("ml/b", reason)])
    'for ml/a InCohortReclamation, and 1 more'
    """
    more = f", and {len(preemptors) - 1} more" if len(preemptors) > 1 else ""
    return f"for {preemptors[0].workload} {preemptors[0].reason}{more}"


def _protected(change: RunningChange) -> str:
    before, after = change.protected_before, change.protected_after
    if after is not None:
        return f"protected from equals until {format_instant(after)}"
    if before is not None:
        return f"not protected from equals, before until {format_instant(before)}"
    return "not protected from equals"


def _pending_line(change: PendingChange) -> str:
    decided = f"{change.before}, then {change.after}" if change.before != change.after else change.after
    return "".join((f"{change.workload} ({change.cluster_queue}): {decided}", *_victims(change)))


def _victims(change: PendingChange) -> Iterator[str]:
    for words, taken in (("preempts", change.gained), ("no longer preempts", change.lost)):
        if taken:
            yield f"; {words} {', '.join(f'{victim.workload} {victim.reason}' for victim in taken)}"


def markdown_lines(answer: DiffAnswer, *, every: bool = False) -> Iterator[str]:
    """A difference as Markdown, for a comment on a pull request.

    Args:
        answer: the difference.
        every: whether all workloads are told.
    """
    yield "## What this change does to preemption"
    about = f", Kueue {answer.kueue}" if answer.kueue else ""
    yield from ("", f"{summary_of(answer)} At {format_instant(answer.now)}, reading {answer.reading}{about}.")
    yield from ("", f"- before: {as_code(answer.before)}", f"- after: {as_code(answer.after)}")
    head = ("Running workload", "ClusterQueue", "Preempted for", "Safe", "Protected from equals until")
    for title, changes, gained in (
        ("Become victims", answer.gained_victims, True),
        ("Cease to be victims", answer.lost_victims, False),
    ):
        yield from _table(title, head, [_running_row(change, gained) for change in changes], every=every)
    yield from _table(
        "Decided otherwise",
        ("Pending workload", "ClusterQueue", "Before", "After", "Preempts", "No longer preempts"),
        [_pending_row(change) for change in answer.pending],
        every=every,
    )
    for text in answer.not_known:
        yield from ("", f"> not known: {as_prose(text)}")
    for note in (*(f"Assumed: {premise}." for premise in answer.premises), *answer.notes):
        yield from ("", f"> {as_prose(note)}")


def _running_row(change: RunningChange, gained: bool) -> tuple[str, ...]:
    more = f" and {len(change.preemptors) - 1} more" if len(change.preemptors) > 1 else ""
    first = change.preemptors[0]
    until = "" if change.protected_after is None else format_instant(change.protected_after)
    return (
        as_code(change.workload),
        as_code(change.cluster_queue or ""),
        f"{as_code(first.workload)} {first.reason}{more}",
        _safe(change, gained).removeprefix("safe ") if change.runs_after else "does not run afterwards",
        until,
    )


def _pending_row(change: PendingChange) -> tuple[str, ...]:
    victims = (
        ", ".join(f"{as_code(taken.workload)} {taken.reason}" for taken in named)
        for named in (change.gained, change.lost)
    )
    return (
        as_code(change.workload),
        as_code(change.cluster_queue or ""),
        change.before,
        change.after,
        *victims,
    )


def _table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]], *, every: bool) -> Iterator[str]:
    if not rows:
        return
    yield from ("", f"### {title}", "", f"| {' | '.join(head)} |", "|" + "---|" * len(head))
    yield from (f"| {' | '.join(row)} |" for row in (rows if every else rows[:MOST]))
    if not every and len(rows) > MOST:
        yield from ("", f"and {len(rows) - MOST} more")
