"""Searches as Python calls them: kernels get tables of addresses where they are compiled, see `addresses`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tenure.fast import classical, fair, paths
from tenure.fast.addresses import address_table
from tenure.fast.arrays import MOST_ASKED, Arrays
from tenure.fast.compiled import COMPILED, compiled, inlined
from tenure.fast.paths import Steps
from tenure.fast.rounds import Rounds, Strategies
from tenure.fast.tables import Array, Ask, Forest, Order, Policy, Rows, SearchInput, Work

_ANY = 0
"""In the place of a question's identity: any question."""


class Call(NamedTuple):
    """What searches of one kind are called with, whatever the preemptor and the amounts.

    Args:
        rows, order, forest, ask, work: the records; `ask` without amounts.
        rounds: the same of the tournament; None where no shares decide.
        tables: where their arrays are, in this order; empty where nothing is compiled.
    """

    rows: Rows
    order: Order
    forest: Forest
    ask: Ask
    work: Work
    rounds: Rounds | None
    tables: tuple[Array, ...]

    def given(self, usage: Array, amount: Array, policy: Policy, work: Work | None = None) -> SearchInput:
        """One search, as kernels are given it.

        Args:
            usage: what is in use at every node.
            amount: of the request, int64[r].
            policy: who may be preempted.
            work: other room.
        """
        ask, room = self.ask._replace(amount=amount), self.work if work is None else work
        return SearchInput(self.rows, self.forest, usage, ask, policy, self.order, room)


def call_of(arrays: Arrays, rows: Rows, order: Order, ask: Ask) -> Call:
    """The call for some workloads and a kind of question; the same one until the store changes.

    Args:
        arrays: the store.
        rows, order: its workloads.
        ask: the question without amounts.
    """
    found: Call | None = arrays.calls.get((id(rows), id(ask)))
    if found is None:  # the records are kept with it, so nothing else gets their identity
        if len(arrays.calls) >= MOST_ASKED:
            arrays.calls.clear()
        found = _call(arrays, rows, order, ask)
        arrays.calls[id(rows), id(ask)] = arrays.calls[id(rows), _ANY] = found
    return found


def _call(arrays: Arrays, rows: Rows, order: Order, ask: Ask) -> Call:
    other: Call | None = arrays.calls.get((id(rows), _ANY))
    if other is not None:  # all but the question is the same
        tables = (*other.tables[:3], address_table(ask), *other.tables[4:]) if COMPILED else ()
        return other._replace(ask=ask, tables=tables)
    records = rows, order, arrays.layout.forest, ask, arrays.work()
    rounds = None if arrays.cluster.settings.fair_sharing is None else arrays.rounds()
    known = [record for record in (*records, rounds) if record is not None]
    return Call(*records, rounds, tuple(map(address_table, known)) if COMPILED else ())


class Sorted(NamedTuple):
    """Rows in the order of their keys.

    Args:
        rows: what they are rows of.
        by_key: all of them, int32[n].
        by_queue: the same, each queue's side by side.
        starts: where each node's begin in `by_queue`, int64[nodes + 1].
    """

    rows: Rows
    by_key: Array
    by_queue: Array
    starts: Array

    def of(self, node: int) -> Array:
        """Those of one queue."""
        return self.by_queue[self.starts[node] : self.starts[node + 1]]


class Path(NamedTuple):
    """Kept removals.

    Args:
        steps: what is known after each.
        work: its `out`, `ground` and `share` are the removed ones.
        tables: where the arrays of both are; empty where nothing is compiled.
    """

    steps: Steps
    work: Work
    tables: tuple[Array, ...]


def path_of(steps: Steps, work: Work) -> Path:
    """Removals to be kept."""
    return Path(steps, work, (address_table(steps), address_table(work)) if COMPILED else ())


def find_classically(call: Call, usage: Array, amount: Array, policy: Policy) -> tuple[int, int, bool]:
    """Classical preemption, see `classical.select`.

    Args:
        usage: what is in use at every node.
        amount: of the request, int64[r].
        policy: who may be preempted.
    """
    if COMPILED:
        found: tuple[int, int, bool] = _classically(call.tables, usage, amount, policy)
        return found
    return classical.select(call.given(usage, amount, policy))


def find_fairly(
    call: Call,
    usage: Array,
    amount: Array,
    policy: Policy,
    how: Strategies,
    sorted_rows: Sorted | None = None,
) -> tuple[int, int, bool]:
    """Fair sharing, see `fair.select`.

    Args:
        usage, amount, policy: as for `find_classically`.
        how: who may be preempted by share.
        sorted_rows: the same workloads, where they have been sorted.
    """
    if policy.duration >= 0:  # equals that have exceeded their time come before the others
        sorted_rows = None
    lined = () if sorted_rows is None else (sorted_rows.by_queue, sorted_rows.starts)
    if COMPILED:
        kernel: Any = _fairly if sorted_rows is None else _fairly_sorted
        *tables, rounds = call.tables
        found: tuple[int, int, bool] = kernel(*lined, tuple(tables), rounds, usage, amount, policy, how)
        return found
    assert call.rounds is not None
    given = call.given(usage, amount, policy)
    if lined:
        return fair.select_sorted(*lined, given, call.rounds, how)
    return fair.select(given, call.rounds, how)


def walk_on(
    call: Call,
    path: Path,
    amount: Array,
    policy: Policy,
    known: int,
    may_borrow: bool,
    position: int,
    taken: int,
) -> tuple[int, int]:
    """Go on removing candidates, see `paths.walk`.

    Args:
        call: what the removals are made for.
        path: the removals.
        amount: of the request, int64[r].
        policy: who may be preempted.
        known, may_borrow, position, taken: as there; `known` is how many candidates are.
    """
    if COMPILED:
        steps, work = path.tables
        tables, usage = (*call.tables[:4], work), path.work.usage
        found: tuple[int, int] = _walk(
            tables, steps, usage, amount, policy, known, may_borrow, position, taken
        )
        return found
    given = call.given(path.work.usage, amount, policy, path.work)
    return paths.walk(given, known, may_borrow, position, taken, path.steps)


def find_on_path(
    path: Path, taken: int, limit: int, amount: Array, may_borrow: bool, simple: bool
) -> tuple[int, int]:
    """Where a request stops on kept removals, and how many come back, see `paths.find`.

    Args:
        path: the removals.
        taken, limit, amount, may_borrow, simple: as there.
    """
    if COMPILED:
        found: tuple[int, int] = _on_path(path.tables[0], taken, limit, amount, may_borrow, simple)
        return found
    return paths.find(path.steps, taken, limit, amount, may_borrow, simple)


def removed(path: Path, end: int, back: int) -> tuple[Array, Array, Array]:
    """Rows, grounds and shares of who stays removed, see `paths.leave_out`.

    Args:
        path: the removals.
        end, back: as there.
    """
    work, count = path.work, end - back
    if not back:
        return work.out[:end], work.ground[:end], work.share[:end]
    left = np.empty(count, np.int32), np.empty(count, np.int8), np.empty(count, np.int8)
    if COMPILED:
        _removed(path.tables, end, back, *left)
    else:
        paths.leave_out(path.steps, work, end, back, *left)
    return left


if COMPILED:
    from tenure.fast.readers import reader

    _rows, _order, _forest, _asked, _work, _rounds, _steps = map(
        reader, (Rows, Order, Forest, Ask, Work, Rounds, Steps)
    )

    @inlined
    def _ask(table: Array, amount: Array) -> Ask:
        kind = _asked(table)
        return Ask(
            kind.own,
            kind.path,
            kind.at,
            amount,
            kind.needed,
            kind.is_needed,
            kind.watched,
            kind.common,
        )

    @inlined
    def _given(tables: tuple[Array, ...], usage: Array, amount: Array, policy: Policy) -> SearchInput:
        rows, order, forest, ask, work = tables
        return SearchInput(
            _rows(rows), _forest(forest), usage, _ask(ask, amount), policy, _order(order), _work(work)
        )

    @compiled
    def _classically(
        tables: tuple[Array, ...], usage: Array, amount: Array, policy: Policy
    ) -> tuple[int, int, bool]:
        return classical.select(_given(tables, usage, amount, policy))

    @compiled
    def _fairly(
        tables: tuple[Array, ...], rounds: Array, usage: Array, amount: Array, policy: Policy, how: Strategies
    ) -> tuple[int, int, bool]:
        return fair.select(_given(tables, usage, amount, policy), _rounds(rounds), how)

    @compiled
    def _fairly_sorted(
        by_queue: Array,
        starts: Array,
        tables: tuple[Array, ...],
        rounds: Array,
        usage: Array,
        amount: Array,
        policy: Policy,
        how: Strategies,
    ) -> tuple[int, int, bool]:
        given = _given(tables, usage, amount, policy)
        return fair.select_sorted(by_queue, starts, given, _rounds(rounds), how)

    @compiled
    def _walk(
        tables: tuple[Array, ...],
        steps: Array,
        usage: Array,
        amount: Array,
        policy: Policy,
        known: int,
        may_borrow: bool,
        position: int,
        taken: int,
    ) -> tuple[int, int]:
        given = _given(tables, usage, amount, policy)
        return paths.walk(given, known, may_borrow, position, taken, _steps(steps))

    @compiled
    def _on_path(
        steps: Array, taken: int, limit: int, amount: Array, may_borrow: bool, simple: bool
    ) -> tuple[int, int]:
        return paths.find(_steps(steps), taken, limit, amount, may_borrow, simple)

    @compiled
    def _removed(
        tables: tuple[Array, ...], end: int, back: int, rows: Array, grounds: Array, shares: Array
    ) -> None:
        steps, work = tables
        paths.leave_out(_steps(steps), _work(work), end, back, rows, grounds, shares)
