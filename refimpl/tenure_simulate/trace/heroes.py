"""Heroes in the trees of the trace engine: what they hold, who pays for it, and searches beside them.

Bills, effective quotas and searches are the kernels of the optimized core (`tenure_simulate.core.heroes`).
"""

from __future__ import annotations

from tenure.model import FlavorMode
from tenure.rules import hero_fit
from tenure_simulate.core import classical
from tenure_simulate.core.compiled import compiled, inlined
from tenure_simulate.core.heroes import following
from tenure_simulate.core.heroes import search as hero_search
from tenure_simulate.core.heroes.effective import NO_BRANCH, settle
from tenure_simulate.core.heroes.tables import (
    BRANCH,
    DEPTH,
    END,
    HELD,
    LIMIT,
    LOCAL,
    NOMINAL,
    SUBTREE,
    UNLOCKS,
    USAGE,
    Books,
    Quest,
)
from tenure_simulate.core.heroes.tables import HERO as IS_HERO
from tenure_simulate.core.tables import Ask, Forest, Policy, Rows, SearchInput, Work
from tenure_simulate.trace.tables import HeroTables, Table, Trees, TreeTables, path_of, usage_of

hero_mode_without_search = compiled(hero_fit.hero_mode_without_search)


@inlined
def _books_of(heroes: HeroTables, row: int, now: Table, covered: Table) -> Books:
    """Books of what the single workloads of heroes hold in a row of usage."""
    books = heroes.books
    return Books(
        books.tree,
        books.roots,
        books.heroes,
        books.heroes_end,
        books.given,
        books.covers,
        now,
        covered,
        books.room,
        heroes.singles[row],
        books.single_of,
        heroes.amounts[row],
        books.frozen,
        books.is_frozen,
        books.billing,
        books.lending,
        books.floor,
    )


@inlined
def _books_at(heroes: HeroTables, row: int) -> Books:
    """The books of a row of usage."""
    return _books_of(heroes, row, heroes.now[row], heroes.covered[row])


@inlined
def _books_searched(heroes: HeroTables, row: int) -> Books:
    """Those of a search beside a row of usage."""
    return _books_of(heroes, row, heroes.books.now, heroes.books.covered)


@inlined
def _with_usage(work: Work, usage: Table) -> Work:
    """The same room, of which the usage is another."""
    return Work(
        usage,
        work.group,
        work.common,
        work.keys,
        work.rows,
        work.out,
        work.basis,
        work.share,
        work.node,
        work.held,
        work.ends,
        work.log,
    )


@inlined
def _forest_with(forest: Forest, now: Table, covered: Table) -> Forest:
    """The trees with the quotas of some books."""
    return Forest(
        forest.parent,
        forest.root,
        forest.end,
        forest.is_queue,
        forest.active,
        now[NOMINAL],
        now[SUBTREE],
        now[LOCAL],
        now[LIMIT],
        covered,
        forest.resource,
        forest.weight,
    )


@inlined
def forest_beside(forest: Forest, heroes: HeroTables, row: int) -> Forest:
    """The trees with the quotas of a row of usage."""
    return _forest_with(forest, heroes.now[row], heroes.covered[row])


@inlined
def forest_searched(forest: Forest, heroes: HeroTables) -> Forest:
    """The trees with the quotas that a search leaves."""
    return _forest_with(forest, heroes.books.now, heroes.books.covered)


@compiled
def hold(heroes: HeroTables, tables: TreeTables, row: int, place: int, job: int, sign: int) -> None:
    """Add what a job holds or would hold to a row of usage, or take it away where the sign is -1."""
    node = tables.node[place]
    hero = heroes.books.tree[IS_HERO, node] != 0
    if hero:
        if sign > 0:
            _add_single(heroes, row, node, job)
        else:
            _drop_single(heroes, row, node, job)
    for resource in range(tables.requests.shape[1]):
        at = tables.columns[job, resource]
        if at >= 0:
            amount = tables.requests[job, resource]
            hold_amount(heroes, path_of(tables, place), row, at, sign * amount)
            if sign > 0 and hero:
                heroes.amounts[row, 0, heroes.slot[row, job], at] = amount


@compiled
def hold_amount(heroes: HeroTables, path: Table, row: int, at: int, amount: int) -> None:
    """Add an amount to what the first node of a path holds."""
    heroes.now[row, HELD, path[0], at] += amount
    heroes.stale[row, path[len(path) - 1], at] = True


@compiled
def _add_single(heroes: HeroTables, row: int, node: int, job: int) -> None:
    """A job of a hero holds quota, so far nothing."""
    slot = heroes.singles[row, 1, node]
    heroes.singles[row, 1, node] += 1
    heroes.slot[row, job], heroes.owner[row, slot] = slot, job
    for at in range(heroes.amounts.shape[3]):
        heroes.amounts[row, 0, slot, at] = 0


@compiled
def _drop_single(heroes: HeroTables, row: int, node: int, job: int) -> None:
    """A job of a hero no longer holds quota: the last one takes its slot."""
    heroes.singles[row, 1, node] -= 1
    slot, last = heroes.slot[row, job], heroes.singles[row, 1, node]
    other = heroes.owner[row, last]
    heroes.slot[row, other], heroes.owner[row, slot] = slot, other
    for at in range(heroes.amounts.shape[3]):
        heroes.amounts[row, 0, slot, at] = heroes.amounts[row, 0, last, at]


@compiled
def copy_held(heroes: HeroTables, source: int, target: int) -> None:
    """Make what is held in one row of usage like another."""
    now, singles, amounts = heroes.now, heroes.singles, heroes.amounts
    for node in range(now.shape[2]):
        for at in range(now.shape[3]):
            now[target, HELD, node, at] = now[source, HELD, node, at]
            heroes.stale[target, node, at] = True
    for hero in heroes.books.heroes:
        singles[target, 1, hero] = singles[source, 1, hero]
        for slot in range(singles[source, 0, hero], singles[source, 1, hero]):
            job = heroes.owner[source, slot]
            heroes.owner[target, slot], heroes.slot[target, job] = job, slot
            for at in range(now.shape[3]):
                amounts[target, 0, slot, at] = amounts[source, 0, slot, at]


@compiled
def carry_out(heroes: HeroTables, path: Table, row: int) -> None:
    """Bill the tree of a path for its heroes in a row of usage, where what it holds has changed."""
    books, top = _books_at(heroes, row), path[len(path) - 1]
    for at in range(books.now.shape[2]):
        if heroes.stale[row, top, at]:
            heroes.stale[row, top, at] = False
            for node in range(top, books.tree[END, top]):
                for slot in range(books.singles[0, node], books.singles[1, node]):
                    books.amounts[1, slot, at] = books.amounts[0, slot, at]
            settle(books, top, NO_BRANCH, at, False)


@compiled
def is_hero(heroes: HeroTables, path: Table) -> bool:
    """Whether the first node of a path is a hero."""
    return bool(heroes.books.tree[IS_HERO, path[0]] != 0)


@compiled
def follows(heroes: HeroTables, path: Table) -> bool:
    """Whether quotas in the tree of a path follow what standard queues hold."""
    return bool(heroes.books.tree[UNLOCKS, path[len(path) - 1]] != 0)


@inlined
def _quest(heroes: HeroTables, ask: Ask) -> Quest:
    """What a hero's search is about, beside what every search is."""
    tree, own = heroes.books.tree, ask.own
    root = heroes.books.roots[tree[BRANCH, own]]
    above = tree[DEPTH, own] - tree[DEPTH, root] + 1
    for index in range(len(ask.at)):
        heroes.requested[index] = heroes.accessible[own, ask.at[index]]
    requested, path = heroes.requested[: len(ask.at)], ask.path[above:]
    return Quest(root, path, requested, heroes.rank_first != 0, heroes.queues, heroes.heads)


@inlined
def _ask_alone(tables: TreeTables, place: int, requested: int) -> Ask:
    """A request for as much as `at` and `amount` say; whether it fits depends on nothing else."""
    return Ask(
        tables.node[place],
        path_of(tables, place),
        tables.at[:requested],
        tables.amount[:requested],
        tables.needed[:0],
        tables.is_needed,
        tables.watched,
        0,
    )


@compiled
def _fits_hero(heroes: HeroTables, tables: TreeTables, row: int, place: int, requested: int) -> bool:
    ask = _ask_alone(tables, place, requested)
    return bool(hero_search.fits(_books_at(heroes, row), ask, _quest(heroes, ask)))


@compiled
def fits_hero(heroes: HeroTables, tables: TreeTables, row: int, place: int, job: int) -> bool:
    """Whether all that a job of a hero would hold fits beside a row of usage."""
    requested = 0
    for resource in range(tables.requests.shape[1]):
        if tables.columns[job, resource] >= 0:
            tables.at[requested] = tables.columns[job, resource]
            tables.amount[requested] = tables.requests[job, resource]
            requested += 1
    return _fits_hero(heroes, tables, row, place, requested)


@compiled
def way_of_hero(
    heroes: HeroTables, tables: TreeTables, row: int, place: int, at: int, request: int
) -> FlavorMode:
    """How a flavor could serve a hero, as far as that shows without a search (UCQ-250)."""
    tables.at[0], tables.amount[0] = at, request
    accessible = heroes.accessible[tables.node[place], at]
    return hero_mode_without_search(request, _fits_hero(heroes, tables, row, place, 1), accessible)


@compiled
def _note_singles(heroes: HeroTables, holder: Table, rows: Rows, row: int) -> None:
    """Where what each row of a hero holds is in the books."""
    books = heroes.books
    for held in range(rows.size):
        node = rows.queue[held]
        hero = node >= 0 and books.tree[IS_HERO, node] != 0
        books.single_of[held] = heroes.slot[row, holder[held]] if hero else -1


@inlined
def find_beside_heroes(
    trees: Trees, heroes: HeroTables, rows: Rows, ask: Ask, policy: Policy, row: int
) -> tuple[int, int]:
    """Search for targets where there are heroes; start and end in `work.out` of these."""
    tables, order, work = trees.tables, trees.order, trees.work
    tree, usage, top = heroes.books.tree, usage_of(tables, row), ask.path[len(ask.path) - 1]
    books, seen = _books_searched(heroes, row), forest_searched(trees.forest, heroes)
    forest, first, end = forest_beside(trees.forest, heroes, row), 0, 0
    _note_singles(heroes, tables.holder, rows, row)
    if tree[IS_HERO, ask.own] != 0:
        given = SearchInput(rows, seen, usage, ask, policy, order, work)
        first, end = hero_search.select(given, books, heroes.now[row], heroes.rounds, _quest(heroes, ask))
    elif tree[UNLOCKS, top] != 0:
        given = SearchInput(rows, forest, usage, ask, policy, order, _with_usage(work, books.now[USAGE]))
        first, end, _ = following.select_classically(given, seen, books, heroes.now[row])
    else:
        given = SearchInput(rows, forest, usage, ask, policy, order, work)
        first, end, _ = classical.select(given)
    return first, end
