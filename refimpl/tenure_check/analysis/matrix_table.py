"""A matrix as a table for people: ClusterQueues that are alike share a row and a column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, product

from tenure.units import format_names
from tenure_check.analysis.matrix import CellVerdict
from tenure_check.analysis.matrix_types import MatrixAnswer, MatrixCell

MARKS = {CellVerdict.CAN.value: "c", CellVerdict.NEVER.value: ".", CellVerdict.UNKNOWN.value: "?"}
SOME = "s"
NONE = " "
"""No priority is lower than the lowest class, for example."""

WIDEST = 12
"""Rows of a table with columns; more are told line by line."""
MOST_NAMES = 3


@dataclass(frozen=True, slots=True)
class MatrixTable:
    """The verdicts of a matrix by ClusterQueues, with those that are alike together.

    Args:
        groups: ClusterQueues of which any two may be exchanged, and nothing changes.
        codes: three signs for a preemptor's ClusterQueue and a victim's: about victims of lower, equal and
            higher priority.
    """

    groups: tuple[tuple[str, ...], ...]
    codes: Mapping[tuple[str, str], str]

    def code(self, row: Sequence[str], column: Sequence[str]) -> str:
        """The three signs of an entry; on the diagonal, of a preemptor and victims in one ClusterQueue."""
        return self.codes[row[0], column[0]]

    def among(self, row: Sequence[str]) -> str:
        """The three signs of two different ClusterQueues of one row; empty where it has one."""
        return self.codes[row[0], row[1]] if len(row) > 1 else ""

    def name(self, row: Sequence[str]) -> str:
        """The ClusterQueues of a row, in short.

        >>> queues = [f"team-{letter}" for letter in "abcdefz"]
        >>> cells = {pair: "c.." for pair in product(queues, repeat=2)}
        >>> MatrixTable((tuple(queues),), cells).name(queues)
        'team-a … team-z (7)'
        """
        if len(row) <= MOST_NAMES:
            return ", ".join(row)
        queues = sorted(queue for group in self.groups for queue in group)
        first = queues.index(row[0])
        if queues[first : first + len(row)] == list(row):
            return f"{row[0]} … {row[-1]} ({len(row)})"
        return format_names(row, MOST_NAMES)


def table_of(cells: Iterable[MatrixCell]) -> MatrixTable:
    """The table of all cells of a matrix."""
    codes = _codes(cells)
    queues = list(dict.fromkeys(preemptor for preemptor, _ in codes))
    return MatrixTable(tuple(map(tuple, _groups(queues, codes))), codes)


def matrix_lines(answer: MatrixAnswer) -> Iterator[str]:
    """The matrix as a table: the preemptors' ClusterQueues are rows, the victims' columns."""
    table = table_of(answer.cells)
    yield f"Which workloads may ever preempt which others: scope {answer.scope}, reading {answer.reading}"
    yield ""
    yield from _columns(table) if len(table.groups) <= WIDEST else _rows(table)
    yield "  c can   . never   ? not known   s not the same for all such priorities"
    yield ""
    counts = answer.counts
    total = counts.never + counts.can + counts.unknown
    proved = " and ".join(f"{name} {version}" for name, version in answer.solvers.items())
    yield f"{total} cells: {counts.can} can, {counts.never} never, {counts.unknown} not known"
    yield f"can is shown by examples, {answer.states} random states among them; never is proved by {proved}"
    yield from (f"assumed: {premise}" for premise in answer.premises)
    unknown = dict.fromkeys(cell.why for cell in answer.cells if cell.verdict == CellVerdict.UNKNOWN.value)
    yield from (f"not known: {why}" for why in unknown)
    yield "about one cell: --explain QUEUE/PRIORITY QUEUE/PRIORITY"


def _columns(table: MatrixTable) -> Iterator[str]:
    names = [str(number) for number in range(1, len(table.groups) + 1)]
    width = max(3, len(names[-1]))
    yield "  ".join(["preemptor", *(name.rjust(width) for name in names), "others of its row  ClusterQueues"])
    for name, row in zip(names, table.groups, strict=True):
        cells = [table.code(row, column).rjust(width) for column in table.groups]
        yield "  ".join([name.rjust(9), *cells, table.among(row).rjust(17), table.name(row)])
    yield ""
    yield "Columns are the victims' ClusterQueues, by the number of their row. The three signs of an entry"
    yield "stand for victims of lower, equal and higher priority than the preemptor:"


def _rows(table: MatrixTable) -> Iterator[str]:
    names = [table.name(row) for row in table.groups]
    width = max(map(len, names))
    for number, row in enumerate(table.groups):
        others: dict[str, list[int]] = {}
        for place, column in enumerate(table.groups):
            if place != number:
                others.setdefault(table.code(row, column), []).append(place + 1)
        listed = sorted(others.items(), key=lambda found: len(found[1]))
        told = [f"{code} {_ranges(places)}" for code, places in listed[:-1]] + [f"{listed[-1][0]} the rest"]
        among = f"  {table.among(row)} others of its row" if len(row) > 1 else ""
        itself = f"{table.code(row, row)} itself{among}"
        yield f"{number + 1:3}  {names[number].ljust(width)}  {itself}  {'  '.join(told)}"
    yield ""
    yield "A row lists, for preemptors of its ClusterQueues, the rows of their possible victims. Three signs"
    yield "stand for victims of lower, equal and higher priority than the preemptor:"


def _ranges(numbers: Sequence[int]) -> str:
    """Numbers in short.

    >>> _ranges([1, 2, 3, 5, 7, 8])
    '1-3,5,7,8'
    """
    runs = [
        [number for _, number in run]
        for _, run in groupby(enumerate(numbers), key=lambda placed: placed[1] - placed[0])
    ]
    return ",".join(
        f"{run[0]}-{run[-1]}" if len(run) > 2 else ",".join(str(number) for number in run) for run in runs
    )


def _codes(cells: Iterable[MatrixCell]) -> dict[tuple[str, str], str]:
    """Three signs for each pair: about victims of lower, equal and higher priority."""
    found: dict[tuple[str, str], tuple[set[str], set[str], set[str]]] = {}
    for cell in cells:
        one, other = cell.preemptor, cell.victim
        place = 0 if other.priority < one.priority else 1 if other.priority == one.priority else 2
        signs = found.setdefault((one.cluster_queue, other.cluster_queue), (set(), set(), set()))
        signs[place].add(MARKS[cell.verdict])
    return {
        pair: "".join(NONE if not marks else SOME if len(marks) > 1 else min(marks) for marks in signs)
        for pair, signs in found.items()
    }


def _groups(queues: Sequence[str], codes: Mapping[tuple[str, str], str]) -> list[list[str]]:
    """ClusterQueues that are alike: exchanging two of a group changes nothing."""
    groups: list[list[str]] = []
    for queue in queues:
        alike = next((group for group in groups if _are_alike(group, queue, queues, codes)), None)
        if alike is None:
            groups.append([queue])
        else:
            alike.append(queue)
    return groups


def _are_alike(
    group: Sequence[str], queue: str, queues: Sequence[str], codes: Mapping[tuple[str, str], str]
) -> bool:
    first, among = group[0], (*group, queue)
    between = {codes[one, other] for one, other in product(among, repeat=2) if one != other}
    others = [other for other in queues if other not in among]
    return (
        codes[first, first] == codes[queue, queue]
        and len(between) == 1
        and all(
            codes[first, other] == codes[queue, other] and codes[other, first] == codes[other, queue]
            for other in others
        )
    )
