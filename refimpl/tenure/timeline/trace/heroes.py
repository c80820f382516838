"""Heroes in the trees of the trace engine: what they hold, who pays for it, and searches beside them.

Bills, effective quotas and searches are the kernels of the optimized core (`tenure.fast.heroes`).
"""

from __future__ import annotations

from tenure.fast import classical
from tenure.fast.compiled import compiled, inlined
from tenure.fast.heroes import following
from tenure.fast.heroes import search as hero_search
from tenure.fast.heroes.effective import NO_BRANCH, settle
from tenure.fast.heroes.tables import BRANCH, DEPTH, END, HELD, UNLOCKS, Books, Quest
from tenure.fast.heroes.tables import HERO as IS_HERO
from tenure.fast.tables import Ask, Forest, Policy, Rows, SearchInput
from tenure.model import FlavorMode
from tenure.rules import hero_fit
from tenure.timeline.trace.records import (
    books_of,
    forest_of,
    heroes_of,
    path_of,
    rounds_of,
    tables_of,
    usage_of,
    work_of,
)
from tenure.timeline.trace.tables import CHARGED, NODE, USED, HeroTables, Table, Trees

hero_mode_without_search = compiled(hero_fit.hero_mode_without_search)


@inlined
def _books_at(heroes: HeroTables, row: int) -> Books:
    """The books of `USED`, `CHARGED` or `AFTER`."""
    return books_of(heroes.used if row == USED else heroes.charged if row == CHARGED else heroes.after)


@inlined
def forest_beside(heroes: HeroTables, row: int) -> Forest:
    """The trees with the quotas of `CHARGED` or `AFTER`, where heroes offer no candidates."""
    return forest_of(heroes.forest_charged if row == CHARGED else heroes.forest_after)


@inlined
def _with_holders(books: Books, base: Books) -> Books:
    """Books of what the single workloads of heroes hold in other books."""
    return Books(
        books.tree,
        books.roots,
        books.heroes,
        books.heroes_end,
        books.given,
        books.covers,
        books.now,
        books.covered,
        books.room,
        base.singles,
        books.single_of,
        base.amounts,
        books.frozen,
        books.is_frozen,
        books.whole != 0,
        books.floor != 0,
        books.honour != 0,
    )


@compiled
def hold(trees: Trees, row: int, place: int, job: int, sign: int) -> None:
    """Add what a job holds or would hold to a row of usage, or take it away where the sign is -1."""
    heroes, tables = heroes_of(trees.heroes), tables_of(trees.tables)
    books = _books_at(heroes, row)
    if books.tree[IS_HERO, tables.places[place, NODE]] != 0:
        if sign > 0:
            _add_single(heroes, books, row, tables.places[place, NODE], job)
        else:
            _drop_single(heroes, books, row, tables.places[place, NODE], job)
    for resource in range(tables.requests.shape[1]):
        at = tables.columns[job, resource]
        if at >= 0:
            amount = tables.requests[job, resource]
            hold_amount(trees, row, place, at, sign * amount)
            if sign > 0 and books.tree[IS_HERO, tables.places[place, NODE]] != 0:
                books.amounts[0, heroes.slot[row, job], at] = amount


@compiled
def hold_amount(trees: Trees, row: int, place: int, at: int, amount: int) -> None:
    """Add an amount to what a ClusterQueue holds."""
    heroes, tables = heroes_of(trees.heroes), tables_of(trees.tables)
    path = path_of(tables, place)
    _books_at(heroes, row).now[HELD, path[0], at] += amount
    heroes.stale[row, path[len(path) - 1], at] = True


@compiled
def _add_single(heroes: HeroTables, books: Books, row: int, node: int, job: int) -> None:
    """A job of a hero holds quota, so far nothing."""
    slot = books.singles[1, node]
    books.singles[1, node] += 1
    heroes.slot[row, job], heroes.owner[row, slot] = slot, job
    for at in range(books.amounts.shape[2]):
        books.amounts[0, slot, at] = 0


@compiled
def _drop_single(heroes: HeroTables, books: Books, row: int, node: int, job: int) -> None:
    """A job of a hero no longer holds quota: the last one takes its slot."""
    books.singles[1, node] -= 1
    slot, last = heroes.slot[row, job], books.singles[1, node]
    other = heroes.owner[row, last]
    heroes.slot[row, other], heroes.owner[row, slot] = slot, other
    for at in range(books.amounts.shape[2]):
        books.amounts[0, slot, at] = books.amounts[0, last, at]


@compiled
def copy_held(trees: Trees, source: int, target: int) -> None:
    """Make what is held in one row of usage like another."""
    heroes = heroes_of(trees.heroes)
    before, after = _books_at(heroes, source), _books_at(heroes, target)
    for node in range(before.now.shape[1]):
        for at in range(before.now.shape[2]):
            after.now[HELD, node, at] = before.now[HELD, node, at]
            heroes.stale[target, node, at] = True
    for hero in before.heroes:
        after.singles[1, hero] = before.singles[1, hero]
        for slot in range(before.singles[0, hero], before.singles[1, hero]):
            job = heroes.owner[source, slot]
            heroes.owner[target, slot], heroes.slot[target, job] = job, slot
            for at in range(before.now.shape[2]):
                after.amounts[0, slot, at] = before.amounts[0, slot, at]


@compiled
def carry_out(trees: Trees, row: int, place: int) -> None:
    """Bill the tree of a ClusterQueue for its heroes in a row of usage, where what it holds has changed."""
    heroes, tables = heroes_of(trees.heroes), tables_of(trees.tables)
    books, path = _books_at(heroes, row), path_of(tables, place)
    top = path[len(path) - 1]
    for at in range(books.now.shape[2]):
        if heroes.stale[row, top, at]:
            heroes.stale[row, top, at] = False
            for node in range(top, books.tree[END, top]):
                for slot in range(books.singles[0, node], books.singles[1, node]):
                    books.amounts[1, slot, at] = books.amounts[0, slot, at]
            settle(_with_holders(books, books), top, NO_BRANCH, at, False)


@compiled
def is_hero(trees: Trees, place: int) -> bool:
    """Whether a ClusterQueue is a hero."""
    charged = books_of(heroes_of(trees.heroes).charged)
    return bool(charged.tree[IS_HERO, tables_of(trees.tables).places[place, NODE]] != 0)


@compiled
def follows(trees: Trees, place: int) -> bool:
    """Whether quotas in the tree of a ClusterQueue follow what standard queues hold."""
    path = path_of(tables_of(trees.tables), place)
    return bool(books_of(heroes_of(trees.heroes).charged).tree[UNLOCKS, path[len(path) - 1]] != 0)


@inlined
def _quest(heroes: HeroTables, books: Books, ask: Ask) -> Quest:
    """What a hero's search is about, beside what every search is."""
    tree, own = books.tree, ask.own
    root = books.roots[tree[BRANCH, own]]
    above = tree[DEPTH, own] - tree[DEPTH, root] + 1
    for index in range(len(ask.at)):
        heroes.asked[index] = heroes.accessible[own, ask.at[index]]
    asked, path = heroes.asked[: len(ask.at)], ask.path[above:]
    return Quest(root, path, asked, heroes.rank_first != 0, heroes.queues, heroes.heads)


@inlined
def _ask_alone(trees: Trees, place: int, asked: int) -> Ask:
    """A request for as much as `at` and `amount` say; whether it fits depends on nothing else."""
    tables = tables_of(trees.tables)
    return Ask(
        tables.places[place, NODE],
        path_of(tables, place),
        tables.at[:asked],
        tables.amount[:asked],
        tables.needed[:0],
        tables.is_needed,
        tables.watched,
        0,
    )


@compiled
def _fits_hero(trees: Trees, row: int, place: int, asked: int) -> bool:
    heroes, ask = heroes_of(trees.heroes), _ask_alone(trees, place, asked)
    books = _books_at(heroes, row)
    own = _with_holders(books, books)
    return bool(hero_search.fits(own, ask, _quest(heroes, own, ask)))


@compiled
def fits_hero(trees: Trees, row: int, place: int, job: int) -> bool:
    """Whether all that a job of a hero would hold fits beside a row of usage."""
    tables, asked = tables_of(trees.tables), 0
    for resource in range(tables.requests.shape[1]):
        if tables.columns[job, resource] >= 0:
            tables.at[asked] = tables.columns[job, resource]
            tables.amount[asked] = tables.requests[job, resource]
            asked += 1
    return _fits_hero(trees, row, place, asked)


@compiled
def way_of_hero(trees: Trees, row: int, place: int, at: int, request: int) -> FlavorMode:
    """How a flavor could serve a hero, as far as that shows without a search (UCQ-250)."""
    tables = tables_of(trees.tables)
    tables.at[0], tables.amount[0] = at, request
    accessible = heroes_of(trees.heroes).accessible[tables.places[place, NODE], at]
    return hero_mode_without_search(request, _fits_hero(trees, row, place, 1), accessible)


@compiled
def _note_singles(heroes: HeroTables, holder: Table, books: Books, rows: Rows, row: int) -> None:
    """Where what each row of a hero holds is in the books."""
    for held in range(rows.size):
        node = rows.queue[held]
        hero = node >= 0 and books.tree[IS_HERO, node] != 0
        books.single_of[held] = heroes.slot[row, holder[held]] if hero else -1


@inlined
def find_beside_heroes(trees: Trees, rows: Rows, ask: Ask, policy: Policy, row: int) -> tuple[int, int]:
    """Search for targets where there are heroes; start and end in `work.out` of these."""
    heroes, tables, order = heroes_of(trees.heroes), tables_of(trees.tables), trees.order
    base, usage, top = _books_at(heroes, row), usage_of(tables, row), ask.path[len(ask.path) - 1]
    books, seen = _with_holders(books_of(heroes.searched), base), forest_of(heroes.seen)
    forest, first, end = forest_beside(heroes, row), 0, 0
    _note_singles(heroes, tables.holder, books, rows, row)
    if base.tree[IS_HERO, ask.own] != 0:
        quest, rounds = _quest(heroes, books, ask), rounds_of(heroes.rounds)
        given = SearchInput(rows, seen, usage, ask, policy, order, work_of(trees.work))
        first, end = hero_search.select(given, books, base.now, rounds, quest)
    elif base.tree[UNLOCKS, top] != 0:
        given = SearchInput(rows, forest, usage, ask, policy, order, work_of(heroes.work))
        first, end, _ = following.select_classically(given, seen, books, base.now)
    else:
        given = SearchInput(rows, forest, usage, ask, policy, order, work_of(trees.work))
        first, end, _ = classical.select(given)
    return first, end
