"""`tenure analyze matrix` in the site's playground, for the queues in the editor, by Z3 alone.

There is no cvc5 for a browser, and one worker: so a configuration must be small, and after some time cells
that are still open stay so, with the reason. `tenure analyze matrix` has neither limit.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TypeAlias

from pydantic import TypeAdapter, ValidationError

from tenure.as_json import as_json
from tenure.errors import InputError, bad_input
from tenure.manifests import SourcedObject
from tenure.model import Cluster, Reason, WorkloadPriorityClass
from tenure.oracle.tree import Tree
from tenure.playground import PageQuestion, load_text, opened_request
from tenure.readings import Reading, parse_reading
from tenure_check.analysis.matrix import CellResult, CellVerdict, Effort, Matrix, analyze, sides_of
from tenure_check.analysis.matrix_answer import MatrixRole, cell_of
from tenure_check.analysis.matrix_text import cell_lines
from tenure_check.analysis.priority_levels import (
    classes_of,
    configuration_of,
    coverage,
    levels_of,
    thresholds_of,
)
from tenure_check.analysis.priority_ranges import Ranges, matrix_of_ranges
from tenure_check.analysis.prover import SolverProver
from tenure_check.analysis.selections import reads_names
from tenure_check.analysis.states import CellQuery, Example, PriorityLevel
from tenure_check.choices import Scope
from tenure_lab.generators.writing import write_request

MOST_CELLS = 400
"""Cells of the largest matrix in the page: 10 ClusterQueues with two priorities, 4 with five."""
MOST_S = 120.0
"""Seconds until open cells stay open."""
EFFORT = Effort()
"""Random states: as many as the command draws."""
LATE = f"the page ends the search after {MOST_S:g} s: `tenure analyze matrix` has no such limit"

Report: TypeAlias = Callable[[str], object]
Mark: TypeAlias = tuple[int, int, str]
"""Row, column and verdict of a cell."""


@dataclass(frozen=True, slots=True)
class MatrixProgress:
    """What the page shows while cells are settled."""

    sides: tuple[MatrixRole, ...] = ()
    """Rows and columns, preemptors and victims alike; only in the first report."""
    marks: tuple[Mark, ...] = ()
    """Cells whose verdict is new."""
    words: str = ""
    """What is done."""


@dataclass(frozen=True, slots=True)
class PageMatrix:
    """The whole matrix."""

    problems: tuple[str, ...] = ()
    """What is wrong with the text, or too large in it; nothing else is there then."""
    sides: tuple[MatrixRole, ...] = ()
    """Rows and columns."""
    verdicts: tuple[tuple[str, ...], ...] = ()
    """`never`, `can` or `?`, by row and column."""
    lines: tuple[str, ...] = ()
    """Counts, solvers, priorities and premises."""


@dataclass(frozen=True, slots=True)
class CellExample:
    """An example of a cell, as the page opens it."""

    reason: str
    """Of condition Preempted."""
    question: PageQuestion | None
    """What the editor and the controls show; null where manifests alone cannot express it."""


@dataclass(frozen=True, slots=True)
class PageCell:
    """One cell."""

    lines: tuple[str, ...]
    """As `tenure analyze matrix --explain` prints it."""
    examples: tuple[CellExample, ...]
    """One for each reason for which it can."""


@dataclass(frozen=True, slots=True)
class _Found:
    """The last matrix of the page, for questions about its cells."""

    matrix: Matrix
    cluster: Cluster
    reading: Reading
    sides: tuple[tuple[str, PriorityLevel], ...]


_LAST: list[_Found] = []
_IN_WORDS = (CellVerdict.CAN, CellVerdict.NEVER, CellVerdict.UNKNOWN)


def analyzed(question: str, report: Report, clock: Callable[[], float] = time.monotonic) -> str:
    """The matrix of the queues of a text, as JSON.

    Args:
        question: JSON with the fields of `PageQuestion`, of which text, reading and changes count.
        report: called with the progress, JSON with the fields of `MatrixProgress`.
        clock: seconds.

    Returns:
        JSON with the fields of `PageMatrix`.

    >>> json.loads(analyzed('{"text": "kind: ResourceFlavor"}', print))["problems"]  # doctest: +ELLIPSIS
    ['...']
    """
    _LAST.clear()
    try:
        asked = TypeAdapter(PageQuestion).validate_json(question)
        answer = _matrix(asked, report, clock)
    except ValidationError as error:
        answer = PageMatrix(problems=tuple(wrong["msg"] for wrong in error.errors()))
    except InputError as error:
        answer = PageMatrix(problems=tuple(map(str, error.problems)))
    return json.dumps(as_json(answer))


def _matrix(asked: PageQuestion, report: Report, clock: Callable[[], float]) -> PageMatrix:
    classes: list[WorkloadPriorityClass] = []

    def watched(objects: Iterator[SourcedObject]) -> Iterable[SourcedObject]:
        known = list(objects)
        classes.extend(classes_of(known))
        return known

    cluster = load_text(asked.text, asked.assigned, watched).cluster
    if not cluster.cluster_queues:
        raise bad_input("text", "no ClusterQueue", "the ClusterQueues of a configuration")
    levels, queues = levels_of(cluster, classes), len(cluster.cluster_queues)
    cluster, reading = configuration_of(cluster, classes), parse_reading(asked.reading or None)
    if (queues * len(levels)) ** 2 > MOST_CELLS:
        levels = levels_of(cluster, classes)  # without the priorities of the workloads
    sides = tuple(product(sorted(cluster.cluster_queues), levels))
    if len(sides) ** 2 > MOST_CELLS:
        found = f"{queues} ClusterQueues with {len(levels)} priorities"
        least = f"at most {MOST_CELLS} cells here; `tenure analyze matrix` takes more"
        raise bad_input("text", f"{found}, {len(sides) ** 2} cells", least)
    progress = _Progress(report, sides, clock)
    ranges = Ranges(cluster, levels, reading)
    if ranges.is_needed:
        progress.places.clear()  # regions of priorities are settled, which are no cells of the table
        inner = analyze(ranges.plain, ranges.regions, reading, progress.prover, EFFORT)
        matrix = matrix_of_ranges(ranges, inner)
    else:
        matrix = analyze(cluster, levels, reading, progress.prover, EFFORT)
    _LAST.append(_Found(matrix, cluster, reading, sides))
    verdicts = tuple(
        tuple(matrix.verdict(queue, high.priority, other, low.priority).value for other, low in sides)
        for queue, high in sides
    )
    lines = tuple(_lines(matrix, verdicts, reading.name, cluster))
    return PageMatrix(sides=progress.named, verdicts=verdicts, lines=lines)


def _lines(
    matrix: Matrix, verdicts: Sequence[Sequence[str]], reading: str, cluster: Cluster
) -> Iterator[str]:
    counts = Counter(verdict for row in verdicts for verdict in row)
    can, never, unknown = (counts[verdict.value] for verdict in _IN_WORDS)
    proved = "by a rule, or proved by Z3 alone: one solver, where the command uses two"
    total = f"{counts.total()} cells under {reading}"
    yield f"{total}: {can} can (an example exists), {never} never ({proved}), {unknown} not known"
    yield coverage(matrix.levels, thresholds_of([cluster]), names_count=reads_names(cluster))
    yield from (f"assumed: {premise}" for premise in matrix.premises)


def shown_cell(row: int, column: int) -> str:
    """A cell of the last matrix, as JSON.

    Args:
        row: of the preemptor.
        column: of the victim.

    Returns:
        JSON with the fields of `PageCell`.

    Raises:
        IndexError: no matrix was made, or it has no such cell.
    """
    found = _LAST[-1]
    (preemptor, high), (victim, low) = found.sides[row], found.sides[column]
    cell = cell_of(found.matrix, found.cluster, preemptor, high, victim, low)
    settled = found.matrix.of(preemptor, high.priority, victim, low.priority)
    examples = tuple(
        CellExample(reason.label, _question(known.example, found.reading))
        for reason, known in settled
        if known.example is not None
    )
    return json.dumps(as_json(PageCell(tuple(cell_lines(cell)), examples)))


def _question(example: Example, reading: Reading) -> PageQuestion | None:
    written = write_request(example.request)
    return None if "jobs" in written else opened_request(written, reading.written())


@dataclass
class _Progress:
    """Reports which cells are settled.

    Args:
        report: called with each report.
        sides: of the table.
        clock: seconds.
    """

    report: Report
    sides: tuple[tuple[str, PriorityLevel], ...]
    clock: Callable[[], float]
    places: dict[tuple[str, int], int] = field(init=False)
    """The row and column of a ClusterQueue's priority."""
    named: tuple[MatrixRole, ...] = field(init=False)
    _end: float = field(init=False)

    def __post_init__(self) -> None:
        self.places = {(queue, level.priority): at for at, (queue, level) in enumerate(self.sides)}
        self.named = tuple(MatrixRole(queue, level.name, level.priority) for queue, level in self.sides)
        self._end = self.clock() + MOST_S
        self.send(MatrixProgress(sides=self.named, words="random states are drawn"))

    @property
    def is_late(self) -> bool:
        """Whether the time is over."""
        return self.clock() > self._end

    def prover(self, cluster: Cluster, tree: Tree, reading: Reading) -> SolverProver:
        """What settles the cells of a tree, and reports them."""
        return _ReportingProver(self, cluster, tree, reading)

    def send(self, progress: MatrixProgress) -> None:
        """Report the progress."""
        self.report(json.dumps(as_json(progress)))

    def marked(self, cell: CellQuery, verdict: CellVerdict) -> tuple[Mark, ...]:
        """A cell of the table whose verdict is known."""
        row = self.places.get((cell.preemptor, cell.high))
        column = self.places.get((cell.victim, cell.low))
        return () if row is None or column is None else ((row, column, verdict.value),)


class _ReportingProver(SolverProver):
    """Settles cells by Z3 alone, until the time is over, and reports each.

    Args:
        progress: of the page.
        cluster: the configuration.
        tree: one of its trees.
        reading: see `tenure.readings`.
    """

    def __init__(self, progress: _Progress, cluster: Cluster, tree: Tree, reading: Reading) -> None:
        super().__init__(cluster, tree, reading, None, Scope.CONSISTENT)
        self._progress = progress

    def settle(
        self, cells: Sequence[CellQuery], hit: Mapping[CellQuery, Example]
    ) -> Iterator[tuple[CellQuery, CellResult]]:
        progress = self._progress
        marks = tuple(mark for cell in hit for mark in progress.marked(cell, CellVerdict.CAN))
        progress.send(MatrixProgress(marks=marks, words=f"{len(cells)} questions are left for Z3"))
        open_reasons = Counter(sides_of(cell) for cell in cells)
        shut = {sides_of(cell) for cell in hit}
        for number, (cell, settled) in enumerate(super().settle(cells, hit), start=1):
            sides, marks = sides_of(cell), ()
            open_reasons[sides] -= 1
            if settled.verdict != CellVerdict.NEVER:
                shut.add(sides)
                marks = progress.marked(cell, settled.verdict)
            elif not open_reasons[sides] and sides not in shut:
                marks = progress.marked(cell, CellVerdict.NEVER)
            progress.send(MatrixProgress(marks=marks, words=f"{number} of {len(cells)} questions answered"))
            yield cell, settled

    def reasons(self, preemptor: str, victim: str, high: int, low: int) -> frozenset[Reason]:
        found = super().reasons(preemptor, victim, high, low)
        if not found:
            marks = self._progress.marked(
                CellQuery(preemptor, high, victim, low, next(iter(Reason))), CellVerdict.NEVER
            )
            self._progress.send(MatrixProgress(marks=marks))
        return found

    def settled_of_pair(self, cells: Iterable[CellQuery]) -> Iterator[tuple[CellQuery, CellResult]]:
        if self._progress.is_late:
            yield from ((cell, CellResult(CellVerdict.UNKNOWN, LATE)) for cell in cells)
        else:
            yield from super().settled_of_pair(cells)

    def fewest(self, cell: CellQuery, example: Example) -> tuple[Example, bool]:
        if self._progress.is_late:
            return example, example.victims == 1
        return super().fewest(cell, example)
