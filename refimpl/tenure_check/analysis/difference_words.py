"""What a change does to who may preempt whom, as text, and as Markdown for a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from tenure.explanation.markdown import as_code, as_prose
from tenure.explanation.shapes import WorkloadWithReason
from tenure.units import format_amount, format_duration, format_names
from tenure_check.analysis.difference_types import (
    CellChange,
    DifferenceExample,
    GuaranteeAspect,
    GuaranteeChange,
    MatrixDifference,
)
from tenure_check.analysis.fields import FieldChange
from tenure_check.analysis.matrix_types import ExampleWorkload
from tenure_check.analysis.matrix_words import held_words

MOST_PAIRS: Final = 6
"""Pairs of priorities that are told of one pair of ClusterQueues."""
MOST_FIELDS: Final = 8
"""Changed fields that are told."""

_TITLES: Final = {
    "gained": "Gained: may be preempted after, and not before",
    "lost": "Lost: could be preempted before, and not after",
    "reasons": "For other reasons: may be preempted before and after",
    "unknown": "Not known on one side",
}
_GUARANTEES: Final = {
    "lost": "Guarantees lost, of what may be preempted before and after",
    "gained": "Guarantees gained, of what may be preempted before and after",
}
Change: TypeAlias = CellChange | GuaranteeChange


@dataclass(frozen=True, slots=True)
class _Alike:
    """Cells of one pair of ClusterQueues that changed alike, or guarantees of such."""

    cells: tuple[Change, ...]

    @property
    def first(self) -> Change:
        return self.cells[0]

    @property
    def example(self) -> DifferenceExample | None:
        known = [cell.example for cell in self.cells if cell.example is not None]
        return min(known, key=_size, default=None)

    @property
    def priorities(self) -> str:
        """Which priorities preempt which."""
        pairs = [f"{cell.preemptor.priority_class} over {cell.victim.priority_class}" for cell in self.cells]
        return format_names(pairs, MOST_PAIRS)


def _size(example: DifferenceExample) -> tuple[int, int]:
    running = example.state.running
    return len(running), sum(sum(workload.usage.values()) for workload in running)


def _groups(answer: MatrixDifference, change: str) -> list[_Alike]:
    found: dict[tuple[object, ...], list[CellChange]] = {}
    for cell in answer.cells:
        if cell.change == change:
            queues = cell.preemptor.cluster_queue, cell.victim.cluster_queue
            reasons = cell.reasons_gained, cell.reasons_lost
            key = (*queues, cell.before, cell.after, *reasons, cell.fields)
            found.setdefault(key, []).append(cell)
    return [_Alike(tuple(cells)) for cells in found.values()]


def _guarantee_groups(answer: MatrixDifference, change: str) -> list[_Alike]:
    found: dict[tuple[object, ...], list[GuaranteeChange]] = {}
    for cell in answer.guarantees:
        if cell.change == change:
            queues = cell.preemptor.cluster_queue, cell.victim.cluster_queue
            key = (*queues, cell.about, cell.reason, cell.before, cell.after, cell.fields)
            found.setdefault(key, []).append(cell)
    return [_Alike(tuple(cells)) for cells in found.values()]


def _all_groups(answer: MatrixDifference) -> Iterator[tuple[str, list[_Alike]]]:
    """What changed, by title; titles of nothing are left out."""
    for change, title in _TITLES.items():
        yield title, _groups(answer, change)
    for change, title in _GUARANTEES.items():
        yield title, _guarantee_groups(answer, change)


def difference_summary(answer: MatrixDifference) -> str:
    """The difference in a sentence."""
    counts = answer.counts
    total = counts.gained + counts.lost + counts.reasons + counts.unknown + counts.same
    if not answer.changed_fields:
        if answer.not_known:
            return "No field that is modelled differs."
        return f"No field differs, and so none of {total} cells."
    parts = (
        (counts.gained, "gained"),
        (counts.lost, "lost"),
        (counts.reasons, "for other reasons"),
        (counts.unknown, "not known on one side"),
    )
    told = ", ".join(f"{number} {words}" for number, words in parts if number)
    kept = ((counts.guarantees_lost, "lost"), (counts.guarantees_gained, "gained"))
    guarantees = ", ".join(f"{number} {words}" for number, words in kept if number)
    if told or guarantees:
        cells = f"Of {total} cells: {told}." if told else f"None of {total} cells changes."
        return f"{cells} Guarantees: {guarantees}." if guarantees else cells
    if answer.example is not None:
        return f"None of {total} cells changes, but decisions do."
    unsettled = f"; {answer.unsettled} of them are not known on either side" if answer.unsettled else ""
    return f"None of {total} cells changes{unsettled}. No state was found that is decided otherwise."


def difference_lines(answer: MatrixDifference) -> Iterator[str]:
    """The difference line by line."""
    yield difference_summary(answer)
    yield f"  before  {answer.before}"
    yield f"  after   {answer.after}"
    yield f"  scope {answer.scope}, reading {answer.reading}"
    fields = {change.words: change for change in answer.changed_fields}
    for title, groups in _all_groups(answer):
        if groups:
            yield from ("", title)
        for alike in groups:
            yield from (f"  {line}" for line in _group_lines(alike, fields))
    if _stands_alone(answer) and answer.example is not None:
        yield from ("", f"Smallest state found that is decided otherwise, of {answer.looked} looked at")
        yield from (f"  {line}" for line in _example_lines(answer.example))
    yield from ("", "Changed fields")
    yield from (f"  {_field(change)}" for change in answer.changed_fields[:MOST_FIELDS])
    if len(answer.changed_fields) > MOST_FIELDS:
        yield f"  and {len(answer.changed_fields) - MOST_FIELDS} more"
    if answer.unsettled or answer.unsettled_guarantees:
        yield from ("", _unsettled(answer))
    yield from (f"not known: {text}" for text in answer.not_known)
    proved = " and ".join(f"{name} {version}" for name, version in answer.solvers.items())
    yield from ("", f"never is proved by {proved}; can is shown by examples")
    yield from (f"assumed: {premise}" for premise in answer.premises)


def _stands_alone(answer: MatrixDifference) -> bool:
    """Whether no cell shows already what is decided otherwise."""
    changes: tuple[Change, ...] = (*answer.cells, *answer.guarantees)
    return not any(change.example for change in changes)


def _group_lines(alike: _Alike, fields: Mapping[str, FieldChange]) -> Iterator[str]:
    yield f"{_claim(alike)}: {alike.priorities}"
    if alike.first.fields:
        yield f"  {_because(alike.first, fields)}"
    if alike.example is not None:
        yield "  smallest example"
        yield from (f"    {line}" for line in _example_lines(alike.example))


def _claim(alike: _Alike) -> str:
    cell = alike.first
    one, other = cell.preemptor.cluster_queue, cell.victim.cluster_queue
    if isinstance(cell, GuaranteeChange):
        return _guarantee_claim(cell, one, f"workloads of {other}")
    if cell.change == "gained":
        return f"{one} may preempt {other}, for {_listed(cell.reasons_gained)} (before: {cell.before})"
    if cell.change == "lost":
        return f"{one} may not preempt {other} any more, for {_listed(cell.reasons_lost)}{_after(cell)}"
    if cell.change == "unknown":
        return f"{one} preempts {other}: {cell.before} before, {cell.after} after"
    parts = [f"also for {_listed(cell.reasons_gained)}"] if cell.reasons_gained else []
    parts += [f"not for {_listed(cell.reasons_lost)} any more"] if cell.reasons_lost else []
    return f"{one} may preempt {other}, {' and '.join(parts)}"


def _guarantee_claim(cell: GuaranteeChange, one: str, other: str) -> str:
    """What a guarantee is after, and was before, of two ClusterQueues as they are to be told."""
    if cell.about == GuaranteeAspect.TIME.value:
        return f"{other} keep {cell.after} from {one}, and kept {cell.before}, for {cell.reason}"
    quota = f"{cell.after} their nominal quota, and {cell.before} it before"
    return f"{one} may preempt {other} {quota}, for {cell.reason}"


def _after(cell: CellChange) -> str:
    return "" if cell.after == "never" else f" (after: {cell.after})"


def _listed(reasons: Sequence[str]) -> str:
    *first, last = reasons
    return f"{', '.join(first)} and {last}" if first else last


def _because(cell: Change, fields: Mapping[str, FieldChange]) -> str:
    told = "; ".join(_field(fields[name]) for name in cell.fields[:MOST_FIELDS])
    return f"by several fields together: {told}" if cell.together else f"by {told}"


def _field(change: FieldChange) -> str:
    where = f" ({change.file}:{change.line})" if change.file and change.line else ""
    values = f"{change.before} before, {change.after} after"
    return f"{change.words}: {values}{where}"


def _example_lines(example: DifferenceExample) -> Iterator[str]:
    for workload in example.state.running:
        yield f"{_running(workload, example)} runs"
    if not example.state.running:
        yield "nothing runs"
    yield f"{_asks(example)}"
    for side, said, victims in (
        ("before", example.before, example.preempted_before),
        ("after", example.after, example.preempted_after),
    ):
        yield f"{side}: {_decision(said, victims)}"


def _running(workload: ExampleWorkload, example: DifferenceExample) -> str:
    usage = ", ".join(held_words(at, amount) for at, amount in workload.usage.items())
    at = workload.quota_reserved_at
    since = "" if at is None else f", for {format_duration(example.state.now - at)}"
    return (
        f"{workload.workload} of {workload.cluster_queue}, priority {workload.priority}, with {usage}{since},"
    )


def _asks(example: DifferenceExample) -> str:
    asked = "; ".join(
        ", ".join(f"{format_amount(name, amount)} {name}" for name, amount in requests.items())
        for requests in example.state.asked
    )
    return f"a workload of {example.cluster_queue}, priority class {example.priority_class}, asks for {asked}"


def _decision(said: str, victims: Sequence[WorkloadWithReason]) -> str:
    told = ", ".join(f"{victim.workload} {victim.reason}" for victim in victims)
    return f"{said}, preempts {told}" if told else said


def difference_markdown(answer: MatrixDifference) -> Iterator[str]:
    """The difference as Markdown, for a comment on a pull request."""
    yield "## What this change lets workloads preempt"
    about = f", Kueue {answer.kueue}" if answer.kueue else ""
    summary = difference_summary(answer)
    yield from ("", f"{summary} Scope {answer.scope}, reading {answer.reading}{about}.")
    yield from ("", f"- before: {as_code(answer.before)}", f"- after: {as_code(answer.after)}")
    fields = {change.words: change for change in answer.changed_fields}
    for _, groups in _all_groups(answer):
        for alike in groups:
            yield from _group_markdown(alike, fields)
    if _stands_alone(answer) and answer.example is not None:
        yield from ("", "Smallest state found that is decided otherwise:", "")
        yield from (f"- {as_prose(line)}" for line in _example_lines(answer.example))
    if answer.unsettled or answer.unsettled_guarantees:
        yield from ("", f"> {_unsettled(answer)}")
    for text in answer.not_known:
        yield from ("", f"> not known: {as_prose(text)}")


def _unsettled(answer: MatrixDifference) -> str:
    numbers = f"{answer.unsettled} cells and {answer.unsettled_guarantees} guarantees"
    return f"{numbers} are not known on one side or both."


def _group_markdown(alike: _Alike, fields: Mapping[str, FieldChange]) -> Iterator[str]:
    yield from ("", f"### {_sentence(alike)}", "")
    yield from (f"{as_prose(_claim(alike))}: {as_prose(alike.priorities)}.", "")
    for name in alike.first.fields[:MOST_FIELDS]:
        change = fields[name]
        where = f", {as_code(f'{change.file}:{change.line}')}" if change.file and change.line else ""
        yield f"- {as_code(change.words)}: {as_code(change.before)} → {as_code(change.after)}{where}"
    if alike.first.together:
        yield from ("", "No single one of these fields does it, but several together.")
    if alike.example is not None:
        yield from ("", "Smallest example:", "")
        yield from (f"- {as_prose(line)}" for line in _example_lines(alike.example))


def _sentence(alike: _Alike) -> str:
    cell = alike.first
    queues = as_code(cell.preemptor.cluster_queue), as_code(cell.victim.cluster_queue)
    classes = list(dict.fromkeys(known.victim.priority_class for known in alike.cells))
    victims = f"{_listed([as_code(name) for name in classes])} of {queues[1]}"
    if isinstance(cell, GuaranteeChange):
        return _guarantee_claim(cell, queues[0], f"workloads {victims}")
    if cell.change == "gained":
        return f"This change lets {queues[0]} preempt {victims}"
    if cell.change == "lost":
        return f"Some workloads of {queues[0]} can no longer preempt {victims}"
    if cell.change == "unknown":
        return f"Whether {queues[0]} may preempt {victims} is not known"
    return f"{queues[0]} preempts {victims} for other reasons"
