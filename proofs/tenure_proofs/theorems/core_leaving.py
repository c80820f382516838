"""The optimized core, heroes: workloads that hold their quota, leave and come back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import z3

from tenure.fast.heroes import effective
from tenure.fast.heroes.tables import HELD, UNLOCKS
from tenure_proofs.theorems.core_books import (
    AT_FIRST,
    BEFORE,
    BOOKED,
    BOOKS,
    DEPTHS,
    KINDS,
    PASS_UP,
    SETTLE,
    SUMS_SEEN,
    Fold,
    Terms,
    ends,
    length,
    only,
    part,
    put,
    subtree,
    tree,
    whether,
)
from tenure_proofs.theorems.core_search import ROW
from tenure_proofs.theorems.core_world import (
    ARRAYS,
    ASK,
    COLUMNS,
    ENTRIES,
    MINUS,
    NODES,
    PLUS,
    ROWS,
    SIZE,
    SUMS,
    TOP,
    flag,
    number,
    numbers,
    of,
    seeing,
)
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.trusted.induction import Part
from tenure_proofs.trusted.kernels import read_kernel
from tenure_proofs.trusted.symbols import SymInt

QUEUE, SINGLE = of(ROWS, "queue", ROW.term), part("single_of", ROW.term)
MINE = number("mine", -1, NODES)
AT_START = numbers("amounts at the start", z3.IntVal(KINDS), NODES, COLUMNS)


def entry(row: Any, count: Any) -> tuple[Any, SymInt]:
    """The column and the amount of one of a row's entries."""
    place = of(ROWS, "first", row) + count
    return of(ROWS, "at", place), SymInt(of(ROWS, "amount", place))


def entries(row: Any) -> Any:
    """How many entries a row has."""
    return of(ROWS, "width", row)


def there(row: Any) -> Any:
    """That its entries are there."""
    return of(ROWS, "first", row) + entries(row) <= ENTRIES


@theorem(
    "PO-ANY-740",
    about=(effective.hold,),
    size="any number of workloads and entries",
    assumes={**ARRAYS, **SUMS},
)
def what_workloads_hold_is_written_down_entry_by_entry_and_of_a_heros_workload_by_itself_too(
    hold: Any = effective.hold,
) -> Iterator[Part]:
    """KQ-100 of what a queue held before and the entry. A workload whose queue is not known holds nothing."""

    def write(row: Any, count: Any, then: Terms) -> Terms:
        node, single, (at, amount) = of(ROWS, "queue", row), part("single_of", row), entry(row, count)
        held = PLUS(SymInt(then["@now"][HELD][node][at]), amount).term
        amounts = then["@amounts"]
        for which in range(2):
            amounts = put(amounts, amount.term, z3.IntVal(which), single, at)
        return {
            "@now": put(then["@now"], held, z3.IntVal(HELD), node, at),
            "@amounts": z3.If(single >= 0, amounts, then["@amounts"]),
        }

    def of_row(row: Any, then: Terms) -> Terms:
        return whether(of(ROWS, "queue", row) >= 0, written.end(row), then)

    rows = Fold("rows held", lambda: only(AT_FIRST, "@now", "@amounts"), of_row, lambda: SIZE)
    written = Fold("entries held", rows.at, write, entries)
    yield from read_kernel(
        seeing(hold, plus=PLUS),
        {"rows": ROWS, "books": BOOKS},
        lambda way: ends(way, rows.end()),
        rooms=BEFORE,
        facts=(*BOOKED, *rows.begins()),
        loops=[
            rows.invariant(lambda row, _: [there(row)], inner=[written]),
            written.invariant(around=[0]),
        ],
    )


@theorem(
    "PO-ANY-742",
    about=(effective.start,),
    size="any tree, any number of columns",
    assumes={**ARRAYS, "how a tree is counted": "PO-ANY-736"},
)
def as_a_search_begins_every_workload_holds_its_quota_and_each_watched_column_is_counted(
    start: Any = effective.start,
) -> Iterator[Part]:
    """No bill is recorded before; bills are recorded then where a hero of a branch searches."""
    nodes = subtree(TOP)

    def single(at: Any, node_at: Any, count: Any, then: Terms) -> Terms:
        place, amounts = part("singles", z3.IntVal(0), TOP + node_at) + count, then["@amounts"]
        return {"@amounts": put(amounts, amounts[0][place][at], z3.IntVal(1), place, at)}

    def of_node(at: Any, node_at: Any, _: Terms) -> Terms:
        node, then = TOP + node_at, held.at(at, node_at)
        amount = AT_START.at(z3.IntVal(HELD), node, at).term
        now = put(then["@now"], amount, z3.IntVal(HELD), node, at)
        return {"@now": now, "@amounts": singles.end(at, node_at)["@amounts"]}

    def of_depth(at: Any, depth: Any, then: Terms) -> Terms:
        return {"@is_frozen": put(then["@is_frozen"], z3.BoolVal(False), depth, at)}

    def of_column(at: Any, then: Terms) -> Terms:
        all_hold = {**then, **thawed.end(at), **held.end(at)}
        counted = SETTLE.after(all_hold, TOP, MINE.term, at, MINE.term >= 0)
        return whether(of(ASK, "watched", at), counted, then)

    columns = Fold("columns begun", lambda: AT_FIRST, of_column, lambda: COLUMNS)
    thawed = Fold(
        "nothing recorded", lambda at: only(columns.at(at), "@is_frozen"), of_depth, lambda _: DEPTHS
    )
    held = Fold("all hold", lambda at: only(columns.at(at), "@now", "@amounts"), of_node, lambda _: nodes)
    singles = Fold(
        "all singles hold",
        lambda at, node_at: only(held.at(at, node_at), "@amounts"),
        single,
        lambda _, node_at: length(*(part("singles", z3.IntVal(which), TOP + node_at) for which in range(2))),
    )
    yield from read_kernel(
        seeing(start, settle=SETTLE.law()),
        {"books": BOOKS, "before": AT_START, "ask": ASK, "mine": MINE},
        lambda way: ends(way, columns.end()),
        rooms=BEFORE,
        facts=(*BOOKED, *columns.begins()),
        loops=[
            columns.invariant(inner=[thawed, held]),
            thawed.invariant(around=[0]),
            held.invariant(around=[0], inner=[singles]),
            singles.invariant(around=[0, 2]),
        ],
    )


@theorem(
    "PO-ANY-744",
    about=(effective.leave,),
    size="any number of entries",
    assumes={
        **ARRAYS,
        **SUMS,
        "how a tree is counted": "PO-ANY-736",
        "what is passed up": "PO-ANY-510",
    },
)
def a_workload_leaves_or_comes_back_entry_by_entry_and_a_tree_whose_quotas_may_change_is_counted_again(
    leave: Any = effective.leave,
) -> Iterator[Part]:
    """KQ-100 and KQ-110 of what its queue holds of watched columns; usage goes up where no quota changes."""
    adding = flag("adding")
    recounted = z3.Or(SINGLE >= 0, tree(UNLOCKS, TOP) != 0)

    def of_entry(count: Any, then: Terms) -> Terms:
        at, amount = entry(ROW.term, count)
        held = SymInt(then["@now"][HELD][QUEUE][at])
        holds = z3.If(adding.term, PLUS(held, amount).term, MINUS(held, amount).term)
        now = put(then["@now"], holds, z3.IntVal(HELD), QUEUE, at)
        mine = put(then["@amounts"], z3.If(adding.term, amount.term, 0), z3.IntVal(1), SINGLE, at)
        noted = {**then, "@now": now, "@amounts": z3.If(SINGLE >= 0, mine, then["@amounts"])}
        counted = SETTLE.after(noted, TOP, MINE.term, at, False)
        passed = PASS_UP.after(noted, QUEUE, at, amount.term, adding.term)
        return whether(of(ASK, "watched", at), whether(recounted, counted, passed), then)

    changed = Fold("entries changed", lambda: AT_FIRST, of_entry, lambda: entries(ROW.term))
    yield from read_kernel(
        seeing(leave, **SUMS_SEEN, settle=SETTLE.law(), pass_up=PASS_UP.law()),
        {"books": BOOKS, "rows": ROWS, "mine": MINE, "row": ROW, "ask": ASK, "adding": adding},
        lambda way: ends(way, changed.end(), recounted),
        rooms=BEFORE,
        facts=(*BOOKED, SIZE > 0, QUEUE >= 0, there(ROW.term), *changed.begins()),
        loops=[changed.invariant()],
    )
