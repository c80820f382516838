"""The records of trees: compiled code reads them from tables of addresses, see `tenure.fast.addresses`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tenure.fast.addresses import address_table, describe
from tenure.fast.compiled import COMPILED
from tenure.fast.rounds import Rounds
from tenure.fast.tables import Forest, Rows, Work
from tenure.timeline.trace.tables import Contest, TreeTables

describe(
    TreeTables, "i8x2 i4x2 i8 i8x2 i8x2 i8x2 i8x2 i8x2 i8 i8x2 i8x2 i8x2 i8x2 i8x2 i8x2 i4 i8 i4 ? ? i8 i8"
)

describe(Contest, "i8 ? f8 f8")

forest_of: Callable[[Any], Forest]
rows_of: Callable[[Any], Rows]
work_of: Callable[[Any], Work]
tables_of: Callable[[Any], TreeTables]
rounds_of: Callable[[Any], Rounds]
contest_of: Callable[[Any], Contest]

if COMPILED:
    from tenure.fast.readers import reader

    forest_of, rows_of, work_of, tables_of, rounds_of, contest_of = map(
        reader, (Forest, Rows, Work, TreeTables, Rounds, Contest)
    )
else:
    forest_of = rows_of = work_of = tables_of = rounds_of = contest_of = lambda record: record


def given_as(record: Any) -> Any:
    """What kernels are given for a record, which has to be kept as long."""
    return address_table(record) if COMPILED else record
