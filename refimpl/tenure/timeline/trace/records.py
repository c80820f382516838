"""The records of trees: compiled code reads them from tables of addresses, see `tenure.fast.addresses`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tenure.fast.addresses import address_table, describe
from tenure.fast.compiled import COMPILED, inlined
from tenure.fast.heroes.tables import Books
from tenure.fast.rounds import Rounds
from tenure.fast.tables import Forest, Rows, Work
from tenure.timeline.trace.tables import CHARGED, DEPTH, USED, HeroTables, Table, TreeTables, TurnContest

describe(
    TreeTables, "i8x2 i4x2 i8 i8x2 i8x2 i8x2 i8x2 i8x2 i8 i8x2 i8x2 i8x2 i8x2 i8x2 i8x2 i4 i8 i4 ? ? i8 i8"
)
describe(Books, "i4x2 i4 i4 i4 i8x3 ?x2 i8x3 ?x2 i8x2 i8x2 i4 i8x3 i8x3 ?x2 - - -")
describe(HeroTables, "i8 i8 i8 i8 i8 i8 i8 i8 i8 i8x2 i8 i4 i8 ?x3 i8x2 i8x2 -")

describe(TurnContest, "i8 ? f8 f8")

forest_of: Callable[[Any], Forest]
rows_of: Callable[[Any], Rows]
work_of: Callable[[Any], Work]
rounds_of: Callable[[Any], Rounds]
tables_of: Callable[[Any], TreeTables]
contest_of: Callable[[Any], TurnContest]
books_of: Callable[[Any], Books]
heroes_of: Callable[[Any], HeroTables]

if COMPILED:
    from tenure.fast.readers import reader

    forest_of, rows_of, work_of, rounds_of = map(reader, (Forest, Rows, Work, Rounds))
    tables_of, contest_of = map(reader, (TreeTables, TurnContest))
    books_of, heroes_of = map(reader, (Books, HeroTables))
else:
    forest_of = rows_of = work_of = rounds_of = lambda record: record
    tables_of = contest_of = books_of = heroes_of = lambda record: record


def given_as(record: Any) -> Any:
    """What kernels are given for a record, which has to be kept as long."""
    return address_table(record) if COMPILED else record


@inlined
def usage_of(tables: TreeTables, row: int) -> Table:
    """What is in use by node and flavor-resource: `USED`, `CHARGED` or `AFTER`."""
    return tables.used if row == USED else tables.charged if row == CHARGED else tables.after


@inlined
def path_of(tables: TreeTables, place: int) -> Table:
    """The nodes from a ClusterQueue to its root."""
    return tables.paths[place, : tables.places[place, DEPTH]]
