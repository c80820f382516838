"""The records of trees: compiled code reads them from tables of addresses, see `tenure.fast.addresses`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tenure.fast.addresses import address_table, describe
from tenure.fast.compiled import COMPILED
from tenure.fast.tables import Forest, Rows, Work
from tenure.timeline.trace.tables import TreeTables

describe(
    TreeTables, "i8x2 i4x2 i8 i8x2 i8x2 i8x2 i8x2 i8x2 i8 i8x2 i8x2 i8x2 i8x2 i8x2 i8x2 i4 i8 i4 ? ? i8 i8"
)

forest_of: Callable[[Any], Forest]
rows_of: Callable[[Any], Rows]
work_of: Callable[[Any], Work]
tables_of: Callable[[Any], TreeTables]

if COMPILED:
    from tenure.fast.readers import reader

    forest_of, rows_of, work_of, tables_of = map(reader, (Forest, Rows, Work, TreeTables))
else:
    forest_of = rows_of = work_of = tables_of = lambda record: record


def given_as(record: Any) -> Any:
    """What kernels are given for a record, which has to be kept as long."""
    return address_table(record) if COMPILED else record
