"""A store while heroes run: what is counted once for all decisions, and searches on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tenure.fast.fair import Rounds, rounds_for
from tenure.fast.heroes import classical, search
from tenure.fast.heroes.effective import hold, settle
from tenure.fast.heroes.fit import accessible, fits
from tenure.fast.heroes.plan import has_heroes, plan_of
from tenure.fast.heroes.proportion import SAFE
from tenure.fast.heroes.tables import Plan, Quest, Singles, Standing
from tenure.fast.layout import Layout
from tenure.fast.sorting import ROOM
from tenure.fast.tables import Array, Ask, Forest, Order, Policy, Rows, Work
from tenure.fast.uncovered import Uncovered
from tenure.model import Cluster
from tenure.readings import AccessibleRounding, HeroClamp, HeroPrecedence, Reading

LARGE = "heroes beside amounts beyond 58 bits"
"""What is left to the reference because it counts bills with numbers of any size."""


class Choices(NamedTuple):
    """The part of a reading that decides about heroes."""

    scope: int
    precedence: int
    billing: int
    rounding: int
    lending: int
    clamp: int


@dataclass(frozen=True, slots=True)
class View:
    """All trees of a store while heroes run.

    Args:
        plan: the heroes.
        singles: their workloads.
        configured: the trees as they are configured.
        base: quotas and usage while everybody holds its quota.
        forest: the trees with these quotas; heroes offer nobody.
        now: room for a search.
        seen: the trees with the quotas of that.
        rounds: room for the tournament of standard queues.
        rank_first, limit_alone: the choices of readings `hero_precedence`, `hero_clamp`.
    """

    plan: Plan
    singles: Singles
    configured: Forest
    base: Standing
    forest: Forest
    now: Standing
    seen: Forest
    rounds: Rounds
    rank_first: bool
    limit_alone: bool

    def concerns(self, node: int) -> bool:
        """Whether there are heroes in the tree of a ClusterQueue."""
        top = self.configured.root[node]
        return bool(self.plan.end[top] > self.plan.first[top])

    def is_hero(self, node: int) -> bool:
        """Whether a ClusterQueue is a hero."""
        return bool(self.plan.hero[node])

    def follows(self, node: int) -> bool:
        """Whether quotas in the tree of a standard queue follow who leaves."""
        return bool(self.plan.unlocks[self.configured.root[node]])

    def accessible(self, node: int, at: int) -> int:
        """The most that a hero may use of a column."""
        root = int(self.plan.root[self.plan.branch[node]])
        return accessible(self.configured, self.plan, node, root, at, self.limit_alone, self.now.weight)

    def fits(self, ask: Ask) -> bool:
        """Whether a hero's request fits while everybody holds its quota."""
        return fits(self.forest, self.plan, self.base, ask, self._quest(ask))

    def find_for_hero(
        self, rows: Rows, ask: Ask, policy: Policy, order: Order, work: Work, rounds: Rounds
    ) -> tuple[int, int]:
        """Find targets for a hero; start and end in `work.out`."""
        return search.select(
            rows,
            self.configured,
            self.seen,
            self.plan,
            self.singles,
            self.base,
            self.now,
            ask,
            policy,
            order,
            work,
            rounds,
            self._quest(ask),
        )

    def find_anew(
        self, rows: Rows, ask: Ask, policy: Policy, order: Order, work: Work
    ) -> tuple[int, int, bool]:
        """Find targets for a standard queue where quotas follow who leaves; as `classical.search`."""
        return classical.select(
            rows,
            self.configured,
            self.forest,
            self.seen,
            self.plan,
            self.singles,
            self.base,
            self.now,
            ask,
            policy,
            order,
            work._replace(usage=self.now.usage),
        )

    def _quest(self, ask: Ask) -> Quest:
        plan, path = self.plan, ask.path
        root = int(plan.root[plan.branch[ask.own]])
        return Quest(
            root=root,
            above=path[path.tolist().index(root) + 1 :],
            accessible=np.array([self.accessible(ask.own, int(at)) for at in ask.at], np.int64),
            rank_first=self.rank_first,
            queues=np.empty(len(plan.hero), np.int32),
            heads=np.empty(len(plan.hero), np.int64),
        )


def choices_of(cluster: Cluster, reading: Reading) -> Choices | None:
    """What of a reading decides about a cluster's heroes; None where it has none.

    Raises:
        Uncovered: shares in parts of a unit, which only proofs count.
    """
    if not has_heroes(cluster):
        return None
    if reading.accessible_rounding == AccessibleRounding.EXACT:
        raise Uncovered("exact shares of bills")
    return Choices(
        reading.hero_scope,
        reading.hero_precedence,
        reading.hero_billing,
        reading.accessible_rounding,
        reading.hero_lending,
        reading.hero_clamp,
    )


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
    plan = plan_of(layout, cluster, reading)
    configured = layout.forest
    singles = _singles(rows, plan)
    base, now = (_standing(configured, plan, rows, usage) for _ in range(2))
    hold(configured, rows, base.held)
    for top in np.flatnonzero(plan.end > plan.first).tolist():
        _refuse_large(configured, plan, base, top)
        for at in range(usage.shape[1]):
            settle(configured, plan, rows, singles, base, top, -1, at, False)
    forest = _with(configured, base)
    return View(
        plan=plan,
        singles=singles,
        configured=configured,
        base=base,
        forest=forest._replace(active=forest.active & ~plan.hero),
        now=now,
        seen=_with(configured, now),
        rounds=rounds_for(forest, ROOM),
        rank_first=reading.hero_precedence == HeroPrecedence.RANK_FIRST,
        limit_alone=reading.hero_clamp == HeroClamp.LIMIT,
    )


def _with(forest: Forest, standing: Standing) -> Forest:
    return forest._replace(
        nominal=standing.nominal,
        subtree=standing.subtree,
        local=standing.local,
        limit=standing.limit,
        covered=standing.covered,
    )


def _singles(rows: Rows, plan: Plan) -> Singles:
    heroes = np.flatnonzero((rows.queue >= 0) & plan.hero[rows.queue]).astype(np.int32)
    heroes = heroes[np.argsort(rows.queue[heroes], kind="stable")]
    nodes = np.arange(len(plan.hero))
    queues = rows.queue[heroes]
    return Singles(heroes, np.searchsorted(queues, nodes), np.searchsorted(queues, nodes, side="right"))


def _standing(forest: Forest, plan: Plan, rows: Rows, usage: Array) -> Standing:
    nodes, columns = usage.shape
    depths = int(plan.depth.max(initial=0)) + 1
    return Standing(
        nominal=forest.nominal.copy(),
        subtree=forest.subtree.copy(),
        local=forest.local.copy(),
        limit=forest.limit.copy(),
        covered=forest.covered.copy(),
        lending=plan.lends.copy(),
        usage=usage.copy(),
        bill=np.zeros((nodes, columns), np.int64),
        held=np.zeros((nodes, columns), np.int64),
        gone=np.zeros(rows.size, np.bool_),
        weight=np.zeros(nodes, np.int64),
        share=np.zeros(nodes, np.int64),
        frozen=np.zeros((depths, nodes, columns), np.int64),
        is_frozen=np.zeros((depths, columns), np.bool_),
    )


def _refuse_large(forest: Forest, plan: Plan, standing: Standing, top: int) -> None:
    nodes = slice(top, int(forest.end[top]))
    quotas, held = forest.nominal[nodes], standing.held[nodes]
    for amounts in (quotas, held):
        if (amounts.sum(axis=0, dtype=np.float64) >= SAFE).any():
            raise Uncovered(LARGE)
    if any((each < 0).any() for each in (quotas, held, plan.lends[nodes])):
        raise Uncovered("heroes beside amounts below zero")
