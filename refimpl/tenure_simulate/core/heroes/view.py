"""A store while heroes run: what is counted once for all decisions, and searches on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from tenure.model import Cluster, Settings
from tenure.readings import (
    AccessibleRounding,
    HeroPrecedence,
    Reading,
)
from tenure_simulate.core.arrays import Arrays
from tenure_simulate.core.classical import select as select_classically
from tenure_simulate.core.fair import select as select_fairly
from tenure_simulate.core.heroes import following, search
from tenure_simulate.core.heroes.billing import SAFE
from tenure_simulate.core.heroes.effective import NO_BRANCH, hold, settle
from tenure_simulate.core.heroes.plan import Plan, has_heroes, plan_of
from tenure_simulate.core.heroes.search import accessible, fits
from tenure_simulate.core.heroes.tables import (
    BRANCH,
    DEPTH,
    END,
    FIRST,
    HELD,
    HERO,
    LENDING,
    LIMIT,
    LOCAL,
    NOMINAL,
    STOP,
    SUBTREE,
    UNLOCKS,
    USAGE,
    Books,
    Quest,
)
from tenure_simulate.core.layout import Layout
from tenure_simulate.core.rounds import Rounds, Strategies, rounds_for, strategies_of
from tenure_simulate.core.sorting import ROOM
from tenure_simulate.core.tables import Array, Ask, Forest, Order, Policy, Rows, SearchInput, Work
from tenure_simulate.core.uncovered import Uncovered

Ends: TypeAlias = tuple[int, int, bool, bool]
"""Start and end in `Work.out` of the victims; whether borrowing was allowed, and nominal quota claimed."""

LARGE = "heroes beside amounts beyond 58 bits"
"""What is left to the reference because it counts bills with numbers of any size."""


@dataclass(frozen=True, slots=True)
class View:
    """All trees of a store while heroes run.

    Args:
        base: books while every workload holds its quota.
        forest: the trees with the quotas of these; heroes offer no candidates.
        moving: books for searches, and `seen`, the trees with their quotas.
        charged: books for what is in use with a request, and `dear`, the trees with their quotas.
        rounds: room for a tournament.
        most: room, int64[nodes, columns].
        rank_first, clamp: the choices of readings `hero_precedence`, `hero_clamp`.
    """

    base: Books
    forest: Forest
    moving: Books
    seen: Forest
    charged: Books
    dear: Forest
    rounds: Rounds
    most: Array
    rank_first: bool
    clamp: int

    @property
    def usage(self) -> Array:
        """What is in use at every node while every workload holds its quota, beside what others pay for."""
        return self.base.now[USAGE]

    def concerns(self, node: int) -> bool:
        """Whether there are heroes in the tree of a ClusterQueue."""
        tree, top = self.base.tree, self.forest.root[node]
        return bool(tree[STOP, top] > tree[FIRST, top])

    def is_hero(self, node: int) -> bool:
        """Whether a ClusterQueue is a hero."""
        return bool(self.base.tree[HERO, node])

    def follows(self, node: int) -> bool:
        """Whether quotas in the tree of a ClusterQueue follow what standard queues hold."""
        return bool(self.base.tree[UNLOCKS, self.forest.root[node]])

    def accessible(self, node: int, at: int) -> int:
        """The most that a hero may use of a column."""
        root = int(self.base.roots[self.base.tree[BRANCH, node]])
        return accessible(self.base, node, root, at, self.clamp)

    def fits(self, ask: Ask) -> bool:
        """Whether a hero's request fits while every workload holds its quota."""
        return fits(self.base, ask, self._quest(ask))

    def find(
        self, rows: Rows, ask: Ask, policy: Policy, order: Order, work: Work, settings: Settings
    ) -> Ends:
        """Find targets.

        Args:
            rows: the same workloads, as they are at the instant of the decision.
            settings: of the scheduler.
        """
        before, books = self.base.now, self.moving
        if self.is_hero(ask.own):
            quest, rounds = self._quest(ask), self.rounds
            given = SearchInput(rows, self.seen, self.usage, ask, policy, order, work)
            return (*search.select(given, books, before, rounds, quest), True, False)
        given = SearchInput(rows, self.forest, self.usage, ask, policy, order, work)
        if settings.fair_sharing is not None:
            start, end, claims = self._find_fairly(given, strategies_of(settings, lowers=False))
            return start, end, True, claims
        if self.follows(ask.own):
            given = given._replace(work=work._replace(usage=books.now[USAGE]))
            return (*following.select_classically(given, self.seen, books, before), False)
        return (*select_classically(given), False)

    def after(self, node: int, some: bool, usage: Array) -> tuple[Forest, Array]:
        """Quotas and usage after a search of a standard queue.

        Args:
            some: whether it has found candidates.
            usage: what it has left in its room.
        """
        if not some:
            return self.forest, self.usage
        return (self.seen, self.moving.now[USAGE]) if self.follows(node) else (self.forest, usage)

    def _find_fairly(self, given: SearchInput, how: Strategies) -> tuple[int, int, bool]:
        if not self.follows(given.ask.own):
            return select_fairly(given, self.rounds, how)
        charged = self.charged.now[USAGE]
        rounds = self.rounds._replace(charged=charged, lendable=np.empty_like(self.rounds.lendable))
        contest = following.Contest(
            given=given._replace(work=given.work._replace(usage=self.moving.now[USAGE])),
            books=self.moving,
            seen=self.seen,
            charged=self.charged,
            dear=self.dear,
            before=self.base.now,
            every=given.ask._replace(watched=rounds.every),
            rounds=rounds,
            most=self.most,
        )
        return following.select_fairly(contest, how)

    def _quest(self, ask: Ask) -> Quest:
        books, path = self.base, ask.path
        root = int(books.roots[books.tree[BRANCH, ask.own]])
        nodes = books.tree.shape[1]
        return Quest(
            root=root,
            above=path[path.tolist().index(root) + 1 :],
            accessible=np.array([self.accessible(ask.own, int(at)) for at in ask.at], np.int64),
            rank_first=self.rank_first,
            queues=np.empty(nodes, np.int32),
            heads=np.empty(nodes, np.int64),
        )


@dataclass(frozen=True, slots=True)
class Heroes:
    """How the heroes of a store are counted.

    Args:
        reading: of it the choices about heroes.
    """

    reading: Reading

    @property
    def key(self) -> tuple[object, ...]:
        """Views of equal keys are equal."""
        reading = self.reading
        return (
            "heroes",
            reading.hero_scope,
            reading.hero_precedence,
            reading.hero_billing,
            reading.accessible_rounding,
            reading.hero_lending,
            reading.hero_clamp,
        )


def heroes_of(arrays: Arrays, reading: Reading) -> Heroes | None:
    """How a store's heroes are counted; None where it has none.

    Raises:
        Uncovered: shares in parts of a unit, which only proofs count.
    """
    if not arrays.made_of(("has heroes",), lambda: has_heroes(arrays.cluster)):
        return None
    refuse_exact(reading)
    return Heroes(reading)


def refuse_exact(reading: Reading) -> None:
    """Leave shares in parts of a unit to the reference.

    Raises:
        Uncovered: the reading counts with them.
    """
    if reading.accessible_rounding == AccessibleRounding.EXACT:
        raise Uncovered("exact shares of bills")


def view_of(layout: Layout, cluster: Cluster, usage: Array, rows: Rows, reading: Reading) -> View:
    """A store while heroes run.

    Args:
        layout, cluster: queues and cohorts.
        usage: what is in use at every node where no heroes run.
        rows: the workloads.
        reading: of it the choices about heroes.

    Raises:
        Uncovered: amounts that are too large for bills of 64 bits.
    """
    plan, given = plan_of(layout, cluster, reading), layout.forest
    singles = _singles(rows, plan)
    base, moving, charged = (books_of(given, plan, *singles, usage, reading) for _ in range(3))
    hold(rows, base)
    for books in (moving, charged):
        books.amounts[:] = base.amounts
    for top in np.flatnonzero(plan.tree[STOP] > plan.tree[FIRST]).tolist():
        refuse_large(base, top)
        for at in range(usage.shape[1]):
            settle(base, top, NO_BRANCH, at, False)
    seen = seen_by(given, base)
    return View(
        base=base,
        forest=seen._replace(active=given.active & (plan.tree[HERO] == 0)),
        moving=moving,
        seen=seen_by(given, moving),
        charged=charged,
        dear=seen_by(given, charged),
        rounds=rounds_for(seen, ROOM),
        most=np.empty(usage.shape, np.int64),
        rank_first=reading.hero_precedence == HeroPrecedence.RANK_FIRST,
        clamp=int(reading.hero_clamp),
    )


def seen_by(forest: Forest, books: Books) -> Forest:
    """The trees with the quotas of some books, which change with these."""
    return forest._replace(
        nominal=books.now[NOMINAL],
        subtree=books.now[SUBTREE],
        local=books.now[LOCAL],
        limit=books.now[LIMIT],
        covered=books.covered,
    )


def books_of(
    forest: Forest, plan: Plan, singles: Array, single_of: Array, usage: Array, reading: Reading
) -> Books:
    """Books in which no node is billed and nothing is written down as held.

    Args:
        forest, plan: the trees, and their heroes.
        singles, single_of: as in `Books`.
        usage: what is in use at every node where no heroes run.
        reading: of it the choices about heroes.
    """
    nodes, columns = usage.shape
    depths = int(plan.tree[DEPTH].max(initial=0)) + 1
    given = np.stack((forest.nominal, forest.subtree, forest.local, forest.limit, plan.lends))
    nothing = np.zeros((nodes, columns), np.int64)
    return Books(
        tree=plan.tree,
        roots=plan.roots,
        heroes=plan.heroes,
        heroes_end=plan.heroes_end,
        given=given,
        covers=forest.covered,
        now=np.concatenate((given, [usage, nothing, nothing])),
        covered=forest.covered.copy(),
        room=np.zeros((2, nodes), np.int64),
        singles=singles,
        single_of=single_of,
        amounts=np.zeros((2, int(singles[1].max(initial=0)), columns), np.int64),
        frozen=np.zeros((depths, nodes, columns), np.int64),
        is_frozen=np.zeros((depths, columns), np.bool_),
        billing=int(reading.hero_billing),
        lending=int(reading.hero_lending),
        floor=reading.accessible_rounding == AccessibleRounding.FLOOR,
    )


def _singles(rows: Rows, plan: Plan) -> tuple[Array, Array]:
    """The positions of each hero's workloads when they are put side by side, and of each row."""
    found = np.flatnonzero((rows.queue >= 0) & (plan.tree[HERO, rows.queue] != 0))
    found = found[np.argsort(rows.queue[found], kind="stable")]
    queues, nodes = rows.queue[found], np.arange(plan.tree.shape[1])
    ends = [np.searchsorted(queues, nodes, side=side) for side in ("left", "right")]
    single_of = np.full(rows.size, -1, np.int32)
    single_of[found] = np.arange(len(found))
    return np.stack(ends).astype(np.int64), single_of


def refuse_large(books: Books, top: int) -> None:
    """Leave a tree to the reference whose amounts are too large for bills of 64 bits, or below zero.

    Args:
        books: with what is held.
        top: the root of the tree.

    Raises:
        Uncovered: it has such amounts.
    """
    nodes = slice(top, int(books.tree[END, top]))
    quotas, held = books.given[NOMINAL, nodes], books.now[HELD, nodes]
    for amounts in (quotas, held):
        if (amounts.sum(axis=0, dtype=np.float64) >= SAFE).any():
            raise Uncovered(LARGE)
    if any((amounts < 0).any() for amounts in (quotas, held, books.given[LENDING, nodes])):
        raise Uncovered("heroes beside amounts below zero")
