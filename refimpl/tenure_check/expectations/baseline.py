"""What is accepted of a change: the file of `tenure analyze diff --baseline`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field, WithJsonSchema

from tenure.explanation.groups import names_text
from tenure.manifests import Place, parse_duration, show
from tenure.manifests.fields import DurationText, Name
from tenure.model import Instant
from tenure.units import format_duration
from tenure.versions import form
from tenure_check.analysis.change_verdict import FailOnChange, kinds_of
from tenure_check.analysis.difference_answer import (
    BaselineUse,
    CellChange,
    Change,
    GuaranteeAspect,
    GuaranteeChange,
    LoopChange,
    MatrixDifference,
)
from tenure_check.analysis.matrix_answer import MatrixRole
from tenure_check.expectations.assertion_file import ExceptionShape, WorkloadsShape
from tenure_check.expectations.assertions import end_of
from tenure_play.loading import read_documents
from tenure_play.scenario_file import FilePart, Names, checked

ACCEPTABLE: Final = tuple(kind for kind in FailOnChange if kind != FailOnChange.ANY)
"""What can be accepted by itself."""


class AcceptedShape(ExceptionShape):
    """A change that does not fail until a day."""

    kind: Literal["new-preemption", "lost-guarantee", "lost-preemption", "new-loop"]
    """What it is, as --fail-on names it."""
    preemptor: WorkloadsShape | None = None
    """The pending workloads; all by default."""
    victim: WorkloadsShape | None = None
    """The running workloads; all by default."""
    reasons: Names | None = None
    """Of condition Preempted, as InCohortReclamation; all by default."""
    about: Literal["minAdmitDuration", "nominalQuota"] | None = None
    """Which guarantee is lost or gained; any by default."""
    keeps: DurationText | None = None
    """For how long workloads still keep their quota, at least; needs about: minAdmitDuration."""
    tree: Name | None = None
    """The root Cohort, or the ClusterQueue without one, of new-loop; any by default."""


class BaselineShape(FilePart):
    """What is accepted of changes: each entry with its reason, and the day on which it ends."""

    written_as: Annotated[str | None, WithJsonSchema({"const": form("baseline")})] = Field(
        default=None, alias="schema"
    )
    """The version of the document's form; this one by default."""
    accepted: list[AcceptedShape]
    """The entries; a change that one of them accepts does not fail."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """What is accepted.

    Args:
        entries: as they are written.
        ends: the first instant at which each does not count any more.
    """

    entries: tuple[AcceptedShape, ...] = ()
    ends: tuple[Instant, ...] = ()

    def applied(
        self, answer: MatrixDifference, loops: Sequence[LoopChange]
    ) -> tuple[MatrixDifference, list[LoopChange], tuple[BaselineUse, ...]]:
        """What is left of a difference and of its loops, and what became of each entry.

        Args:
            answer: a comparison without verdict.
            loops: the changed trees in which theorems do not exclude loops.
        """
        if not self.entries:
            return answer, list(loops), ()
        now, used = time.time_ns(), set[int]()
        current = [number for number, end in enumerate(self.ends) if now < end]

        def is_accepted(kind: FailOnChange, change: Change | LoopChange) -> bool:
            found = [number for number in current if accepts(self.entries[number], kind, change)]
            used.update(found)
            return bool(found)

        cells = [rest for cell in answer.cells for rest in _cells_left(cell, is_accepted)]
        guarantees = [
            kept for kept in answer.guarantees if not any(is_accepted(kind, kept) for kind in kinds_of(kept))
        ]
        left = [
            loop for loop in loops if loop.change != "new" or not is_accepted(FailOnChange.NEW_LOOP, loop)
        ]
        rest = replace(answer, cells=tuple(cells), guarantees=tuple(guarantees))
        if used:
            # Which state shows the remaining changes alone is not known.
            rest = replace(rest, example=None)
        return rest, left, tuple(self._uses(current, used))

    def current(self) -> list[dict[str, Any]]:
        """The entries that are not past their date, as they are written."""
        now = time.time_ns()
        return [_written(entry) for entry, end in zip(self.entries, self.ends, strict=True) if now < end]

    def _uses(self, current: Sequence[int], used: set[int]) -> Iterator[BaselineUse]:
        for number, entry in enumerate(self.entries):
            state: Literal["accepts", "past its date", "applies to nothing"] = "applies to nothing"
            if number in used:
                state = "accepts"
            elif number not in current:
                state = "past its date"
            yield BaselineUse(number, entry.kind, words_of_entry(entry), entry.reason, entry.until, state)


def _written(entry: AcceptedShape) -> dict[str, Any]:
    """An entry as it is written: its kind first, and a list of one name without the list."""

    def short(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: short(one) for name, one in value.items()}
        return value[0] if isinstance(value, list) and len(value) == 1 else value

    written = short(entry.model_dump(by_alias=True, exclude_none=True))
    if entry.keeps is not None:
        written["keeps"] = format_duration(entry.keeps)
    why = {name: written.pop(name) for name in ("reason", "until")}
    return {**written, **why}


def _cells_left(
    cell: CellChange, is_accepted: Callable[[FailOnChange, Change], bool]
) -> Iterator[CellChange]:
    """A cell with the reasons that are not accepted; nothing where none is left."""
    gained, lost = cell.reasons_gained, cell.reasons_lost
    if gained and is_accepted(FailOnChange.NEW_PREEMPTION, cell):
        gained = ()
    if lost and is_accepted(FailOnChange.LOST_PREEMPTION, cell):
        lost = ()
    if gained or lost or (gained, lost) == (cell.reasons_gained, cell.reasons_lost):
        yield replace(cell, reasons_gained=gained, reasons_lost=lost)


def accepts(entry: AcceptedShape, kind: FailOnChange, change: Change | LoopChange) -> bool:
    """Whether an entry accepts a change as one of a kind, its date aside."""
    if entry.kind != kind:
        return False
    if isinstance(change, LoopChange):
        return entry.tree in (None, change.after.tree)
    if not (_is_of(entry.preemptor, change.preemptor) and _is_of(entry.victim, change.victim)):
        return False
    if isinstance(change, CellChange):
        reasons = change.reasons_gained if kind == FailOnChange.NEW_PREEMPTION else change.reasons_lost
        return entry.about is None and (entry.reasons is None or set(reasons) <= set(entry.reasons))
    if entry.about not in (None, change.about) or (entry.reasons and change.reason not in entry.reasons):
        return False
    is_time = change.about == GuaranteeAspect.TIME.value
    return entry.keeps is None or (is_time and parse_duration(change.after) >= entry.keeps)


def _is_of(meant: WorkloadsShape | None, role: MatrixRole) -> bool:
    if meant is None:
        return True
    queues, classes = meant.cluster_queue, meant.priority_class
    return (not queues or role.cluster_queue in queues) and (not classes or role.priority_class in classes)


def words_of_entry(entry: AcceptedShape) -> str:
    """What an entry accepts, in words.

    >>> words_of_entry(AcceptedShape(kind="new-loop", tree="c", reason="known", until="2027-01-31"))
    'new-loop of c'
    """
    if FailOnChange(entry.kind) == FailOnChange.NEW_LOOP:
        return f"{entry.kind} of {entry.tree or 'any tree'}"
    one, other = (_named(meant) for meant in (entry.preemptor, entry.victim))
    return f"{entry.kind}, {one} over {other}"


def _named(meant: WorkloadsShape | None) -> str:
    queues = names_text(meant.cluster_queue) if meant and meant.cluster_queue else "any ClusterQueue"
    classes = f" at {names_text(meant.priority_class)}" if meant and meant.priority_class else ""
    return f"{queues}{classes}"


def load_baseline(path: str | Path) -> Baseline:
    """What a file accepts.

    Args:
        path: the file, or `-` for standard input.

    Raises:
        InputError: everything that is wrong in it.

    Source: `spec/schemas/baseline.schema.json`.
    """
    file = "stdin" if str(path) == "-" else str(path)
    documents = read_documents(path, file, "a map with accepted")
    place = Place("Baseline", file)
    expected = "one document with accepted, as tenure analyze baseline writes it"
    if len(documents) != 1:
        raise place.error("", f"{len(documents)} documents", expected)
    if isinstance(documents[0], dict) and documents[0] and not {"accepted", "schema"} & documents[0].keys():
        raise place.error("", f"a document with {names_text([str(key) for key in documents[0]])}", expected)
    shape = checked(BaselineShape, documents[0], place, name="baseline")
    ends = [end_of(entry, f"accepted[{number}].until", place) for number, entry in enumerate(shape.accepted)]
    for number, entry in enumerate(shape.accepted):
        if entry.keeps is not None and entry.about != GuaranteeAspect.TIME.value:
            found = f"about {entry.about}" if entry.about else "no about"
            raise place.error(f"accepted[{number}].keeps", found, f"about: {GuaranteeAspect.TIME.value}")
    return Baseline(tuple(shape.accepted), tuple(ends))


def dated(reason: str, until: str) -> ExceptionShape:
    """Why something is accepted, and until when.

    Raises:
        InputError: no reason, no date, or one that is past.

    >>> dated("agreed", "2020-01-31")
    Traceback (most recent call last):
    tenure.errors.InputError: --until: found 2020-01-31, which is past, expected a day to come
    """
    place = Place()
    if not reason.strip():
        raise place.error("--reason", show(reason), "why it is accepted")
    why = ExceptionShape(reason=reason, until=until)
    if end_of(why, "--until", place) <= time.time_ns():
        raise place.error("--until", f"{until}, which is past", "a day to come")
    return why


def entries_of(
    answer: MatrixDifference, loops: Sequence[LoopChange], kinds: Iterable[FailOnChange], why: ExceptionShape
) -> list[dict[str, Any]]:
    """Entries that accept all that a change does of some kinds, as they are written.

    Args:
        answer: the comparison.
        loops: as of `Baseline.applied`.
        kinds: what is accepted.
        why: the reason, and the day on which it ends.
    """
    said = why.model_dump()
    changes: list[Change] = [*answer.cells, *answer.guarantees]
    found: list[dict[str, Any]] = []
    for kind in kinds:
        of_kind = [change for change in changes if kind in kinds_of(change)]
        found += [{"kind": kind.value, **entry, **said} for entry in _entries(of_kind, kind)]
        if kind == FailOnChange.NEW_LOOP:
            new = [loop.after.tree for loop in loops if loop.change == "new"]
            found += [{"kind": kind.value, "tree": tree, **said} for tree in new]
    return [_written(AcceptedShape.model_validate(entry)) for entry in found]


def _entries(changes: Iterable[Change], kind: FailOnChange) -> Iterator[dict[str, Any]]:
    """One entry for changes of two ClusterQueues that differ in the priorities alone."""

    def key(change: Change) -> tuple[Any, ...]:
        return (change.preemptor.cluster_queue, change.victim.cluster_queue, *_about(change, kind).items())

    for _, same in groupby(sorted(changes, key=lambda change: str(key(change))), key=key):
        cells = list(same)
        victims: dict[str, list[str]] = {}
        for cell in cells:
            victims.setdefault(cell.preemptor.priority_class, []).append(cell.victim.priority_class)
        alike: dict[tuple[str, ...], list[str]] = {}
        for high, lows in victims.items():
            alike.setdefault(tuple(dict.fromkeys(lows)), []).append(high)
        one, other = cells[0].preemptor.cluster_queue, cells[0].victim.cluster_queue
        for lowest, highest in alike.items():
            yield {
                "preemptor": {"clusterQueue": one, "priorityClass": highest},
                "victim": {"clusterQueue": other, "priorityClass": list(lowest)},
                **_about(cells[0], kind),
            }


def _about(change: Change, kind: FailOnChange) -> dict[str, Any]:
    if isinstance(change, GuaranteeChange):
        is_time = change.about == GuaranteeAspect.TIME.value
        kept = {"keeps": change.after} if is_time else {}
        return {"reasons": [change.reason], "about": change.about, **kept}
    gained = kind == FailOnChange.NEW_PREEMPTION
    return {"reasons": list(change.reasons_gained if gained else change.reasons_lost)}
