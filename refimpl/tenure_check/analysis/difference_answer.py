"""The answer of `tenure analyze diff`: its record, and the same for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal, TypeAlias

from tenure.as_json import KueueVersion
from tenure.explanation.shapes import WorkloadWithReason
from tenure.outline import Facts, Item, Name, Outline, Part, TitledList
from tenure.units import format_amount, format_duration, format_names
from tenure_check.analysis.fields import FieldChange
from tenure_check.analysis.loop_answer import TreeSearch
from tenure_check.analysis.matrix_answer import ExampleWorkload, MatrixExample, MatrixRole
from tenure_check.analysis.matrix_text import held_words, read_words
from tenure_check.analysis.scopes import premise_parts

ChangeKind: TypeAlias = Literal["gained", "lost", "reasons", "unknown"]
"""What became of a cell."""


@dataclass(frozen=True, slots=True)
class DifferenceExample:
    """A state that the two configurations decide otherwise."""

    cluster_queue: str
    """The ClusterQueue of the pending workload."""
    priority_class: str
    """Its priority class, or the region of priorities where no class is given."""
    state: MatrixExample
    """What runs and what is requested; `preempted` and `victim` are of the side where it can."""
    before: str
    """The decision before."""
    after: str
    """The decision after."""
    preempted_before: tuple[WorkloadWithReason, ...]
    """What is preempted before."""
    preempted_after: tuple[WorkloadWithReason, ...]
    """What is preempted after."""


@dataclass(frozen=True, slots=True)
class CellChange:
    """A cell that the two configurations have otherwise."""

    change: ChangeKind
    """`gained`: it can after and is not known to before; `lost`: it could before, and is not known to after;
    `reasons`: it can on both sides, for other reasons; `unknown`: whether it can is not known on one side."""
    preemptor: MatrixRole
    """The pending workload, after the change; before it where only that has the ClusterQueue."""
    victim: MatrixRole
    """The running workload."""
    before: str
    """The verdict before: `never`, `can`, `?`; `absent` where a ClusterQueue is not there."""
    after: str
    """The verdict after."""
    reasons_gained: tuple[str, ...]
    """The reasons for which it can after, and not before."""
    reasons_lost: tuple[str, ...]
    """The reasons for which it can before, and not after."""
    fields: tuple[str, ...]
    """The changed fields of which each alone, if it were not changed, would undo it in the example, or leave
    the example no state of the scope; all that changed where no single one does; none without an example."""
    together: bool
    """Whether no single field does, but only several together."""
    example: DifferenceExample | None
    """A small state that shows it; null where none is known."""


class GuaranteeAspect(StrEnum):
    """What a guarantee is about."""

    TIME = "minAdmitDuration"
    QUOTA = "nominalQuota"


@dataclass(frozen=True, slots=True)
class GuaranteeChange:
    """What running workloads may count on, and could not before, or may not any more."""

    change: Literal["gained", "lost"]
    """What became of it."""
    about: Literal["minAdmitDuration", "nominalQuota"]
    """`minAdmitDuration`: how long the preemptor never preempts it; `nominalQuota`: whether it does so only
    where the victim's ClusterQueue uses more than its nominal quota of something."""
    preemptor: MatrixRole
    """The pending workload; it may preempt the victim for this reason on both sides."""
    victim: MatrixRole
    """The running workload."""
    reason: str
    """Of condition Preempted."""
    before: str
    """For certain: a length of time; or `only above` or `also within` nominal quota."""
    after: str
    """The same after."""
    fields: tuple[str, ...]
    """The changed fields of which each alone would undo it in the example, as for cells."""
    together: bool
    """Whether no single field does, but only several together."""
    example: DifferenceExample | None
    """A small state that shows it; null where none is known."""


@dataclass(frozen=True, slots=True)
class ChangeCounts:
    """How many cells of which change."""

    gained: int
    """Cells gained."""
    lost: int
    """Cells lost."""
    reasons: int
    """Cells that can for other reasons."""
    unknown: int
    """Cells of which a side is not known, and which may have changed."""
    same: int
    """All others."""
    guarantees_gained: int
    """Guarantees gained, of cells that can on both sides."""
    guarantees_lost: int
    """Guarantees lost."""


@dataclass(frozen=True, slots=True)
class LoopChange:
    """A changed tree of ClusterQueues in which theorems do not exclude loops."""

    change: Literal["new", "not excluded", "not found"]
    """`new`: a loop was found after, and none before; `not excluded`: none was found, and theorems excluded
    loops before; `not found`: none was found, and theorems did not exclude them before either."""
    after: TreeSearch
    """The tree after the change, and what was searched in it."""


@dataclass(frozen=True, slots=True)
class PairVerdicts:
    """Whether any workload of a ClusterQueue may preempt any of another one, or of its own."""

    preemptor: str
    """The preemptor's ClusterQueue."""
    victim: str
    """The victim's."""
    before: str
    """`can` at some priorities, `?` not known at some, `never`; `absent` without one of the ClusterQueues."""
    after: str
    """The same after."""
    changed: bool
    """Whether a cell of the two has changed, at whichever priorities."""


@dataclass(frozen=True, slots=True)
class BaselineUse:
    """What became of an entry of the file that `--baseline` names."""

    entry: int
    """Its place in `accepted`, from 0."""
    kind: str
    """The name of `--fail-on`."""
    about: str
    """What it accepts, in words."""
    reason: str
    """Why."""
    until: str
    """The last day on which it counts."""
    state: Literal["accepts", "past its date", "applies to nothing"]
    """`accepts`: it accepts what this change does; `past its date`: it accepts nothing any more; `applies to
    nothing`: nothing that this change does is what it accepts."""


@dataclass(frozen=True, slots=True)
class ChangeVerdict:
    """Whether a change does what `--fail-on` names."""

    result: Literal["PASS", "FAIL", "not known"]
    """`FAIL`: it does; `not known`: cells or guarantees are not known on one side, and nothing else fails."""
    failures: dict[str, int]
    """By name of `--fail-on`, how many pairs of ClusterQueues changed so, each cause and reason apart; of
    `new-loop`, how many trees."""
    loops: tuple[LoopChange, ...] = ()
    """The trees of `new-loop`; none where it was not asked."""
    baseline: tuple[BaselineUse, ...] = ()
    """The entries of the baseline; none without one."""


@dataclass(frozen=True, slots=True)
class MatrixDifference:
    """Which workloads may preempt which others after a change and not before it, and the other way round."""

    before: str
    """What the side before is."""
    after: str
    """What the side after is."""
    scope: str
    """`consistent`: every state that admission alone can produce."""
    premises: tuple[str, ...]
    """What every verdict assumes."""
    reading: str
    """The reading, by its name."""
    kueue: KueueVersion
    """The target release of Kueue, `0.19`; `0.19+proposals` with all that the proposals add."""
    seed: int
    """Of the random states."""
    solvers: dict[str, str]
    """Who proved, by version."""
    changed_fields: tuple[FieldChange, ...]
    """Every field that differs."""
    counts: ChangeCounts
    """The number of cells of each change."""
    cells: tuple[CellChange, ...]
    """Every cell that changed."""
    guarantees: tuple[GuaranteeChange, ...]
    """Every guarantee that changed, of cells that can on both sides for the same reason."""
    unsettled: int
    """How many cells of trees that differ are `?` on either side; the exit code is 5 where any is."""
    unsettled_guarantees: int
    """How many guarantees are not known on either side; the exit code is 5 where any is."""
    example: DifferenceExample | None
    """The smallest state found that is decided otherwise, also where no cell changed; null where none was."""
    looked: int
    """How many states were decided under both in search of one."""
    warnings: tuple[str, ...]
    """About the input, and what was assumed."""
    not_known: tuple[str, ...] = ()
    """What decides on either side and is not modelled, in words; the exit code is 5 where there is any."""
    verdict: ChangeVerdict | None = None
    """Null without `--fail-on`."""
    pairs: tuple[PairVerdicts, ...] = ()
    """Every two ClusterQueues of the trees that differ."""

    @property
    def is_open(self) -> bool:
        """Whether something is not known on one side or both."""
        return bool(self.unsettled or self.unsettled_guarantees or self.not_known)


MOST_PAIRS: Final = 6
"""Pairs of priorities that are listed of one pair of ClusterQueues."""
MOST_FIELDS: Final = 8
"""Changed fields that are listed."""

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
class AlikeChanges:
    """Cells of one pair of ClusterQueues that changed alike, or guarantees of such.

    Args:
        cells: at least one.
    """

    cells: tuple[Change, ...]

    @property
    def first(self) -> Change:
        """One of them: what they share."""
        return self.cells[0]

    @property
    def example(self) -> DifferenceExample | None:
        """The smallest of their examples."""
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


def _groups(answer: MatrixDifference, change: str) -> list[AlikeChanges]:
    found: dict[tuple[object, ...], list[CellChange]] = {}
    for cell in answer.cells:
        if cell.change == change:
            queues = cell.preemptor.cluster_queue, cell.victim.cluster_queue
            reasons = cell.reasons_gained, cell.reasons_lost
            key = (*queues, cell.before, cell.after, *reasons, cell.fields)
            found.setdefault(key, []).append(cell)
    return [AlikeChanges(tuple(cells)) for cells in found.values()]


def _guarantee_groups(answer: MatrixDifference, change: str) -> list[AlikeChanges]:
    found: dict[tuple[object, ...], list[GuaranteeChange]] = {}
    for cell in answer.guarantees:
        if cell.change == change:
            queues = cell.preemptor.cluster_queue, cell.victim.cluster_queue
            key = (*queues, cell.about, cell.reason, cell.before, cell.after, cell.fields)
            found.setdefault(key, []).append(cell)
    return [AlikeChanges(tuple(cells)) for cells in found.values()]


def changes_alike(answer: MatrixDifference) -> Iterator[tuple[str, list[AlikeChanges]]]:
    """What changed, by title, in groups of one pair of ClusterQueues and one cause."""
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
    changed = ", ".join(f"{number} {words}" for number, words in parts if number)
    kept = ((counts.guarantees_lost, "lost"), (counts.guarantees_gained, "gained"))
    guarantees = ", ".join(f"{number} {words}" for number, words in kept if number)
    if changed or guarantees:
        cells = f"Of {total} cells: {changed}." if changed else f"None of {total} cells changes."
        return f"{cells} Guarantees: {guarantees}." if guarantees else cells
    if answer.example is not None:
        return f"None of {total} cells changes, but decisions do."
    unsettled = f"; {answer.unsettled} of them are not known on either side" if answer.unsettled else ""
    return f"None of {total} cells changes{unsettled}. No state was found that is decided otherwise."


def difference_outline(answer: MatrixDifference, *, premises: bool = False) -> Outline:
    """The difference for people: for a terminal, or for a comment on a pull request.

    Args:
        answer: see there.
        premises: whether they are listed.
    """
    fields = {change.words: change for change in answer.changed_fields}
    parts: list[Part] = [
        difference_summary(answer),
        Facts(
            [
                ["before  ", Name(answer.before)],
                ["after   ", Name(answer.after)],
            ]
        ),
        *(
            TitledList(title, [change_item(alike, fields) for alike in groups])
            for title, groups in changes_alike(answer)
        ),
    ]
    if _stands_alone(answer) and answer.example is not None:
        title = f"Smallest state found that is decided otherwise, of {answer.looked} looked at"
        parts.append(TitledList(title, example_items(answer.example)))
    changed = [Item(_field(change)) for change in answer.changed_fields]
    parts.append(TitledList("Changed fields", changed, MOST_FIELDS))
    if answer.unsettled or answer.unsettled_guarantees:
        parts.append(unsettled_words(answer))
    proved = " and ".join(f"{name} {version}" for name, version in answer.solvers.items())
    return Outline(
        "What this change lets workloads preempt",
        [
            *parts,
            *(f"not known: {text}" for text in answer.not_known),
            f"never is proved by {proved}; can is shown by examples",
            *premise_parts(answer.premises, f"{answer.reading}, scope {answer.scope}", listed=premises),
        ],
    )


def _stands_alone(answer: MatrixDifference) -> bool:
    """Whether no cell shows already what is decided otherwise."""
    changes: tuple[Change, ...] = (*answer.cells, *answer.guarantees)
    return not any(change.example for change in changes)


def change_item(alike: AlikeChanges, fields: Mapping[str, FieldChange]) -> Item:
    """Changes of one group: which, by which fields, and the smallest example.

    Args:
        alike: the group.
        fields: those that changed, by name.
    """
    below = []
    if alike.first.fields:
        below.append(Item(_because(alike.first, fields)))
    if alike.example is not None:
        below.append(Item("smallest example", example_items(alike.example)))
    return Item([*_claim(alike), f", at priorities {alike.priorities}"], below)


def _claim(alike: AlikeChanges) -> list[str]:
    cell = alike.first
    one, other = Name(cell.preemptor.cluster_queue), Name(cell.victim.cluster_queue)
    if isinstance(cell, GuaranteeChange):
        return _guarantee_claim(cell, one, other)
    if cell.change == "gained":
        reasons = f", for {_listed(cell.reasons_gained)} (before: {cell.before})"
        return [one, " may preempt ", other, reasons]
    if cell.change == "lost":
        return [one, " may not preempt ", other, f" any more, for {_listed(cell.reasons_lost)}{_after(cell)}"]
    if cell.change == "unknown":
        return [one, " preempts ", other, f": {cell.before} before, {cell.after} after"]
    parts = [f"also for {_listed(cell.reasons_gained)}"] if cell.reasons_gained else []
    parts += [f"not for {_listed(cell.reasons_lost)} any more"] if cell.reasons_lost else []
    return [one, " may preempt ", other, f", {' and '.join(parts)}"]


def _guarantee_claim(cell: GuaranteeChange, one: Name, other: Name) -> list[str]:
    """A guarantee after the change, and before it."""
    if cell.about == GuaranteeAspect.TIME.value:
        kept = f", and kept {cell.before}, for {cell.reason}"
        return ["workloads of ", other, f" keep {cell.after} from ", one, kept]
    quota = f" {cell.after} their nominal quota, and {cell.before} it before, for {cell.reason}"
    return [one, " may preempt workloads of ", other, quota]


def _after(cell: CellChange) -> str:
    return "" if cell.after == "never" else f" (after: {cell.after})"


def _listed(reasons: Sequence[str]) -> str:
    *first, last = reasons
    return f"{', '.join(first)} and {last}" if first else last


def _because(cell: Change, fields: Mapping[str, FieldChange]) -> list[str]:
    words = ["by several fields together: " if cell.together else "by "]
    for index, name in enumerate(cell.fields[:MOST_FIELDS]):
        words += [*(["; "] if index else []), *_field(fields[name])]
    return words


def _field(change: FieldChange) -> tuple[str, ...]:
    values = (Name(change.words), ": ", Name(change.before), " before, ", Name(change.after), " after")
    if not (change.file and change.line):
        return values
    return (*values, " (", Name(f"{change.file}:{change.line}"), ")")


def example_items(example: DifferenceExample) -> list[Item]:
    """A state, and how it is decided before and after."""
    running = [f"{_running(workload, example)} runs" for workload in example.state.running]
    decided = (
        f"{when}: {_decision(outcome, victims)}"
        for when, outcome, victims in (
            ("before", example.before, example.preempted_before),
            ("after", example.after, example.preempted_after),
        )
    )
    return [*map(Item, running or ["nothing runs"]), Item(_asks(example)), *map(Item, decided)]


def _running(workload: ExampleWorkload, example: DifferenceExample) -> str:
    usage = ", ".join(held_words(at, amount) for at, amount in workload.usage.items())
    at = workload.quota_reserved_at
    since = "" if at is None else f", for {format_duration(example.state.now - at)}"
    whose = f"{workload.workload} of {workload.cluster_queue}, priority {workload.priority}"
    return f"{whose}{read_words(workload)}, with {usage}{since},"


def _asks(example: DifferenceExample) -> str:
    requested = "; ".join(
        ", ".join(f"{format_amount(name, amount)} {name}" for name, amount in requests.items())
        for requests in example.state.asked
    )
    labels = read_words(example.state)
    waits = f"a workload of {example.cluster_queue}, priority class {example.priority_class}{labels}"
    return f"{waits}, requests {requested}"


def _decision(outcome: str, victims: Sequence[WorkloadWithReason]) -> str:
    words = ", ".join(f"{victim.workload} {victim.reason}" for victim in victims)
    return f"{outcome}, preempts {words}" if words else outcome


def unsettled_words(answer: MatrixDifference) -> str:
    """How much is not known."""
    numbers = f"{answer.unsettled} cells and {answer.unsettled_guarantees} guarantees"
    return f"{numbers} are not known on one side or both."
