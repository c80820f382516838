"""Quota in trees of any flavors and resources: who holds it, how much is left, and a search for targets.

The walks and the search are those of the optimized core (`tenure_simulate.core`), the rules are called here.
"""

from __future__ import annotations

from tenure.model import SECOND
from tenure.rules import cycle
from tenure_simulate.core import classical, fair, sorting
from tenure_simulate.core.amounts import MOST
from tenure_simulate.core.compiled import compiled, compiled_rule, inlined
from tenure_simulate.core.nodes import available, change, is_within_quota
from tenure_simulate.core.tables import Ask, Forest, Policy, Rows, SearchInput
from tenure_simulate.trace.heroes import (
    carry_out,
    copy_held,
    find_beside_heroes,
    fits_hero,
    forest_beside,
    hold,
    hold_amount,
    is_hero,
)
from tenure_simulate.trace.tables import (
    FIRST_STAMP,
    FOUND_END,
    FOUND_FIRST,
    HELD_ROWS,
    NOW,
    RECENT,
    RUNNING,
    TERMINATING,
    FairSharing,
    HeroTables,
    Table,
    TraceJobs,
    TracePlay,
    Trees,
    TreeTables,
    path_of,
    usage_of,
)

capacity_kept = compiled(cycle.capacity_kept)
laid_out = compiled_rule(sorting.laid_out, field_beside=compiled(sorting.field_beside))

FREE = -1
"""The node of a row that no search looks at."""


@compiled
def charge_held(trees: Trees, heroes: HeroTables | None, row: int, place: int, job: int, sign: int) -> None:
    """Add what a job holds or would hold to a row of usage, or take it away where the sign is -1."""
    if heroes is None:
        _charge_held(trees, row, place, job, sign)
    else:
        hold(heroes, trees.tables, row, place, job, sign)


@compiled
def _charge_held(trees: Trees, row: int, place: int, job: int, sign: int) -> None:
    forest, tables, log = trees.forest, trees.tables, trees.work.log
    usage, node = usage_of(tables, row), tables.node[place]
    for resource in range(tables.requests.shape[1]):
        at = tables.columns[job, resource]
        if at >= 0:
            change(forest, usage, node, at, tables.requests[job, resource], sign > 0, log, 0)


@compiled
def copy_trees(trees: Trees, heroes: HeroTables | None, source: int, target: int) -> None:
    """Make one row of usage like another."""
    if heroes is None:
        _copy_trees(trees, source, target)
    else:
        copy_held(heroes, source, target)


@compiled
def _copy_trees(trees: Trees, source: int, target: int) -> None:
    tables = trees.tables
    before, after = usage_of(tables, source), usage_of(tables, target)
    for node in range(before.shape[0]):
        for at in range(before.shape[1]):
            after[node, at] = before[node, at]


@compiled
def fits_in_trees(trees: Trees, heroes: HeroTables | None, row: int, place: int, job: int) -> bool:
    """Whether all that a job would hold is available beside a row of usage."""
    if heroes is None:
        return _is_available(trees, trees.forest, row, place, job)
    else:  # noqa: RET505 - the compiler leaves out a whole branch
        path = path_of(trees.tables, place)
        carry_out(heroes, path, row)
        if is_hero(heroes, path):
            return fits_hero(heroes, trees.tables, row, place, job)
        return _is_available(trees, forest_beside(trees.forest, heroes, row), row, place, job)


@inlined
def _is_available(trees: Trees, forest: Forest, row: int, place: int, job: int) -> bool:
    tables = trees.tables
    usage, path = usage_of(tables, row), path_of(tables, place)
    for resource in range(tables.requests.shape[1]):
        at = tables.columns[job, resource]
        if at >= 0 and available(forest, usage, path, at) < tables.requests[job, resource]:
            return False
    return True


@compiled
def keep_in_trees(
    trees: Trees, heroes: HeroTables | None, row: int, place: int, job: int, borrows: bool
) -> None:
    """Charge what is kept for a head without candidates (CYC-110)."""
    tables = trees.tables
    for resource in range(tables.requests.shape[1]):
        at = tables.columns[job, resource]
        if at >= 0:
            _keep(trees, heroes, row, place, at, tables.requests[job, resource], borrows)


@compiled
def _keep(
    trees: Trees, heroes: HeroTables | None, row: int, place: int, at: int, requested: int, borrows: bool
) -> None:
    tables, log = trees.tables, trees.work.log
    usage, node = usage_of(tables, row), tables.node[place]
    if heroes is None:
        forest = trees.forest
        kept = _kept(forest, usage, node, at, requested, borrows)
        change(forest, usage, node, at, kept, True, log, 0)
    else:
        path = path_of(tables, place)
        carry_out(heroes, path, row)
        kept = _kept(forest_beside(trees.forest, heroes, row), usage, node, at, requested, borrows)
        hold_amount(heroes, path, row, at, kept)


@inlined
def _kept(forest: Forest, usage: Table, node: int, at: int, requested: int, borrows: bool) -> int:
    nominal, limit = forest.nominal[node, at], forest.limit[node, at]
    return capacity_kept(requested, usage[node, at], nominal, limit != MOST, limit, borrows)


@compiled
def level_of(
    forest: Forest, tables: TreeTables, usage: Table, place: int, at: int, request: int
) -> tuple[int, bool]:
    """How far up the tree quota for a request comes from, and whether that is below the root."""
    last, rest = tables.depth[place] - 1, request
    for step in range(last + 1):
        node = tables.paths[place, step]
        used = usage[node, at]
        if is_within_quota(used + rest, forest.subtree[node, at]):
            return tables.heights[node], step < last
        rest -= max(0, forest.local[node, at] - used)
    return tables.heights[tables.paths[place, last]], False


@compiled
def take_row(trees: Trees, jobs: TraceJobs, job: int) -> None:
    """A job holds quota from now on."""
    rows, tables, width = trees.rows, trees.tables, 0
    row = tables.counts[HELD_ROWS]
    for resource in range(tables.requests.shape[1]):
        if tables.columns[job, resource] >= 0:
            entry = rows.first[row] + width
            rows.at[entry], rows.amount[entry] = tables.columns[job, resource], tables.requests[job, resource]
            width += 1
    rows.width[row], rows.queue[row] = width, tables.node[jobs.queue[job]]
    rows.reserved[row], rows.queued[row] = jobs.stamp[job], jobs.queued[job]
    rows.twin[row], rows.evicted[row] = jobs.rank[job], False
    tables.holder[row], jobs.slot[job] = job, row
    tables.counts[HELD_ROWS] += 1
    _order_row(trees, jobs, job)


@compiled
def _order_row(trees: Trees, jobs: TraceJobs, job: int) -> None:
    """The priority of a job that holds quota, and its place among candidates."""
    rows, tables, row = trees.rows, trees.tables, jobs.slot[job]
    rows.priority[row] = jobs.priority[job]
    age = (jobs.stamp[job] - tables.counts[FIRST_STAMP]) // SECOND
    recent, ties = tables.counts[RECENT], trees.order.tie
    rows.key[row] = laid_out(tables.low[job], age, jobs.rank[job], recent, ties)


@compiled
def rank_row(trees: Trees, jobs: TraceJobs, job: int, level: int) -> None:
    """A job has another priority, of which the rank among all of the play is given."""
    trees.tables.low[job] = level
    if jobs.phase[job] == RUNNING or jobs.phase[job] == TERMINATING:
        _order_row(trees, jobs, job)


@compiled
def free_row(trees: Trees, jobs: TraceJobs, job: int) -> None:
    """A job no longer holds quota: the last one takes its row."""
    rows, tables, row = trees.rows, trees.tables, jobs.slot[job]
    tables.counts[HELD_ROWS] -= 1
    last = tables.counts[HELD_ROWS]
    for entry in range(rows.width[last]):
        rows.at[rows.first[row] + entry] = rows.at[rows.first[last] + entry]
        rows.amount[rows.first[row] + entry] = rows.amount[rows.first[last] + entry]
    rows.width[row], rows.queue[row] = rows.width[last], rows.queue[last]
    rows.priority[row], rows.reserved[row] = rows.priority[last], rows.reserved[last]
    rows.queued[row], rows.twin[row] = rows.queued[last], rows.twin[last]
    rows.evicted[row], rows.key[row] = rows.evicted[last], rows.key[last]
    tables.holder[row] = tables.holder[last]
    jobs.slot[tables.holder[row]] = row


@compiled
def note_evicted(trees: Trees, jobs: TraceJobs, job: int) -> None:
    """A job that holds quota is evicted, which may change the time that it queues from."""
    rows = trees.rows
    rows.evicted[jobs.slot[job]], rows.queued[jobs.slot[job]] = True, jobs.queued[job]


@compiled
def mark_leaving(trees: Trees, jobs: TraceJobs, job: int, leaves: bool) -> None:
    """Whether the cycle preempts a job: no search looks at it then."""
    jobs.leaves[job] = 1 if leaves else 0
    node = trees.tables.node[jobs.queue[job]]
    trees.rows.queue[jobs.slot[job]] = FREE if leaves else node


@compiled
def policy_of(play: TracePlay, job: int, place: int) -> Policy:
    """Who may be preempted for a job."""
    jobs, queues, policies = play.jobs, play.queues, play.policies
    duration = queues.duration[place]
    by_reservation = duration >= 0 and policies.by_reservation == 1
    return Policy(
        jobs.priority[job],
        jobs.created[job] if by_reservation else jobs.queued[job],
        play.state[NOW],
        queues.within[place],
        queues.reclaim[place],
        queues.borrow[place],
        queues.threshold[place],
        duration,
        duration >= 0 and policies.expired_only == 1,
        by_reservation,
    )


@compiled
def search(  # noqa: PLR0913 - what is None is not compiled
    trees: Trees,
    policy: Policy,
    place: int,
    used: int,
    requested: int,
    lacking: int,
    heroes: HeroTables | None,
    sharing: FairSharing | None,
    classically: int | None,
) -> None:
    """Search for targets; `FOUND_FIRST` and `FOUND_END` say where they are in `work.out`.

    Args:
        trees, heroes: they.
        policy: who may be preempted.
        place: the preemptor's ClusterQueue.
        used: row of the usage.
        requested, lacking: so many of `at` and `needed` are requested, and lack quota.
        sharing, classically: of the trees; one of both is None, so that the compiler leaves out that search.
    """
    tables, rows = trees.tables, trees.rows
    for at in range(len(tables.watched)):
        tables.watched[at] = tables.is_needed[at] = False
    for index in range(lacking):
        tables.watched[tables.needed[index]] = tables.is_needed[tables.needed[index]] = True
    for index in range(requested):
        tables.watched[tables.at[index]] = True
    held = Rows(
        tables.counts[HELD_ROWS],
        rows.queue,
        rows.priority,
        rows.reserved,
        rows.queued,
        rows.key,
        rows.twin,
        rows.evicted,
        rows.first,
        rows.width,
        rows.at,
        rows.amount,
    )
    ask = Ask(
        tables.node[place],
        path_of(tables, place),
        tables.at[:requested],
        tables.amount[:requested],
        tables.needed[:lacking],
        tables.is_needed,
        tables.watched,
        1 if len(tables.watched) == 1 else 0,
    )
    first, end = 0, 0
    if heroes is None:
        usage, work = usage_of(tables, used), trees.work
        given = SearchInput(held, trees.forest, usage, ask, policy, trees.order, work)
        if classically is not None:
            first, end, _ = classical.select(given)
        if sharing is not None:
            first, end, _ = fair.select(given, sharing.rounds, sharing.how)
    else:
        carry_out(heroes, ask.path, used)
        first, end = find_beside_heroes(trees, heroes, held, ask, policy, used)
    tables.counts[FOUND_FIRST], tables.counts[FOUND_END] = first, end
