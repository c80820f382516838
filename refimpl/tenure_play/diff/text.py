"""A difference in words."""

from __future__ import annotations

from collections.abc import Sequence

from tenure.explanation.groups import FOR_ALL, MOST
from tenure.explanation.quota_alone import BY_QUOTA, note_lines
from tenure.explanation.shapes import WorkloadWithReason
from tenure.explanation.summary import assumed_lines
from tenure.outline import Facts, Item, Name, Outline, TitledList
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


def outline_of(answer: DiffAnswer, *, every: bool = False) -> Outline:
    """A difference for people: for a terminal, or for a comment on a pull request.

    Args:
        answer: the difference.
        every: whether all workloads are listed.
    """
    most = None if every else MOST
    clock = f"clock {format_instant(answer.now)}, reading {answer.reading}"
    victims = (
        TitledList(title, [_running_item(change, gained) for change in changes], most, FOR_ALL)
        for title, changes, gained in (
            ("Become victims", answer.gained_victims, True),
            ("Cease to be victims", answer.lost_victims, False),
        )
    )
    return Outline(
        "What this change does to preemption",
        [
            summary_of(answer),
            Facts(
                [
                    ["before  ", Name(answer.before)],
                    ["after   ", Name(answer.after)],
                    f"{clock}; each evaluated independently",
                    *(line.strip() for line in assumed_lines(answer.premises)),
                    *(line.strip() for line in note_lines(answer.topology)),
                    *(f"not known: {text}" for text in answer.not_known),
                ]
            ),
            *victims,
            TitledList("Decided otherwise", [*map(_pending_item, answer.pending)], most, FOR_ALL),
            TitledList("Note", [*map(Item, answer.notes)]),
        ],
    )


def _running_item(change: RunningChange, gained: bool) -> Item:
    words = [Name(change.workload), " (", Name(change.cluster_queue or ""), "): "]
    words += [*_preemptors(change.preemptors), "; "]
    if not change.runs_after:
        return Item([*words, "does not run afterwards"])
    return Item([*words, _safe(change, gained), "; ", _protected(change)])


def _safe(change: RunningChange, gained: bool) -> str:
    """From when, or until when, it is no victim, for whatever reason."""
    if change.until is not None:
        return f"safe {'only after' if gained else 'until'} {format_instant(change.until)}"
    if change.looked_until is not None:
        found = "not safe" if gained else "safe"
        return f"{found} until {format_instant(change.looked_until)}, later was not looked at"
    return f"{'not safe' if gained else 'safe'} as long as nothing else happens"


def _preemptors(preemptors: Sequence[WorkloadWithReason]) -> list[str]:
    """The first pending workload that preempts it, and how many more there are.

    >>> reason = "InCohortReclamation"
    >>> "".join(_preemptors([WorkloadWithReason("ml/a", reason), WorkloadWithReason("ml/b", reason)]))
    'for ml/a InCohortReclamation, and 1 more'
    """
    more = f", and {len(preemptors) - 1} more" if len(preemptors) > 1 else ""
    return ["for ", Name(preemptors[0].workload), f" {preemptors[0].reason}{more}"]


def _protected(change: RunningChange) -> str:
    before, after = change.protected_before, change.protected_after
    if after is not None:
        return f"protected from equals until {format_instant(after)}"
    if before is not None:
        return f"not protected from equals, before until {format_instant(before)}"
    return "not protected from equals"


def _pending_item(change: PendingChange) -> Item:
    decided = f"{change.before}, then {change.after}" if change.before != change.after else change.after
    words = [Name(change.workload), " (", Name(change.cluster_queue or ""), f"): {decided}"]
    for verb, victims in (("preempts", change.gained), ("no longer preempts", change.lost)):
        for index, victim in enumerate(victims):
            words += [", " if index else f"; {verb} ", Name(victim.workload), f" {victim.reason}"]
    return Item(words)
