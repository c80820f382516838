"""The cells of a matrix that a question names, each with its reason or the smallest example."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from tenure.errors import bad_input
from tenure.units import format_names
from tenure_check.analysis.blocking_fields import fields_in_the_way
from tenure_check.analysis.matrix import CellVerdict
from tenure_check.analysis.matrix_answer import (
    MatrixAnswer,
    MatrixCell,
    MatrixRole,
    with_smallest_examples,
)
from tenure_check.analysis.matrix_text import grouped, side_name
from tenure_check.analysis.two_configurations import Configuration
from tenure_check.choices import Scope

_NUMBER = re.compile(r"[+-]?[0-9]{1,12}")


def numbers_named(sides: Sequence[str]) -> list[int]:
    """The priorities that a question gives as numbers.

    Args:
        sides: `QUEUE`, `QUEUE/CLASS` or `QUEUE/NUMBER`.

    Raises:
        InputError: one is no int32.

    >>> numbers_named(["a/-10", "b/high", "c"])
    [-10]
    """
    found = [
        int(number) for _, _, number in (side.partition("/") for side in sides) if _NUMBER.fullmatch(number)
    ]
    for number in found:
        if not -(2**31) <= number < 2**31:
            raise bad_input("explain", str(number), "a priority: an int32")
    return found


def with_explained(
    answer: MatrixAnswer, configured: Configuration, preemptor: str, victim: str, scope: Scope
) -> MatrixAnswer:
    """The cells that a question names; of cells that are alike one is explained.

    Args:
        answer: with all cells.
        configured: the configuration.
        preemptor, victim: as `numbers_named` has them.
        scope: of which states.

    Raises:
        InputError: there is no such cell.
    """
    alike = [*grouped(_named_cells(answer, preemptor, victim))]
    cells = [_explained(cell, configured, scope) for cell, _ in alike]
    rest = [cell for _, others in alike for cell in others]
    return replace(answer, cells=(*cells, *rest), sentences=())


def _explained(found: MatrixCell, configured: Configuration, scope: Scope) -> MatrixCell:
    """The cell, with the fields by which it never can where only the solvers exclude it."""
    cluster, reading = configured.cluster, configured.reading
    cell = with_smallest_examples(found, cluster, reading, scope)
    if cell.verdict != CellVerdict.NEVER.value or not cell.reasons:
        return cell
    fields = fields_in_the_way(cluster, reading, scope, cell)
    would = f"it can with {'; or with '.join(fields)}" if fields else "no single other field value allows it"
    return replace(cell, why=f"{cell.why}; {would}")


def _named_cells(answer: MatrixAnswer, preemptor: str, victim: str) -> list[MatrixCell]:
    roles = {side_name(cell.preemptor): cell.preemptor for cell in answer.cells}

    def named(side: str) -> set[MatrixRole]:
        queue, _, level = side.partition("/")
        found = {role for role in roles.values() if role.cluster_queue == queue}
        if not level:
            return found
        return {role for role in found if role.priority_class == level} or {
            role
            for role in found
            if str(role.priority) == str(int(level) if _NUMBER.fullmatch(level) else level)
        }

    ones, others = named(preemptor), named(victim)
    if not ones or not others:
        queues, names = (
            format_names([*dict.fromkeys(known)], 20)
            for known in zip(
                *((role.cluster_queue, role.priority_class) for role in roles.values()), strict=True
            )
        )
        expected = f"QUEUE, QUEUE/CLASS or QUEUE/NUMBER: ClusterQueues {queues}; priorities {names}"
        raise bad_input("explain", victim if ones else preemptor, expected)
    return [cell for cell in answer.cells if cell.preemptor in ones and cell.victim in others]
