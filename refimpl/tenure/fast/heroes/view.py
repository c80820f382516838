"""A store while heroes run: what is counted once for all decisions, and searches on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from tenure.fast.arrays import Arrays
from tenure.fast.classical import select as select_classically
from tenure.fast.fair import Rounds, rounds_for
from tenure.fast.fair import select as select_fairly
from tenure.fast.heroes import classical, fair, search
from tenure.fast.heroes.effective import NOBODY, hold, settle
from tenure.fast.heroes.fit import accessible, fits
from tenure.fast.heroes.plan import has_heroes, plan_of
from tenure.fast.heroes.proportion import SAFE
from tenure.fast.heroes.tables import Plan, Quest, Scene, Singles, Standing
from tenure.fast.layout import Layout
from tenure.fast.nodes import change
from tenure.fast.sorting import ROOM
from tenure.fast.tables import Array, Ask, Forest, Order, Policy, Rows, Work
from tenure.fast.uncovered import Uncovered
from tenure.model import Cluster, FairStrategy, Settings
from tenure.readings import AccessibleRounding, HeroClamp, HeroPrecedence, Reading

Ends: TypeAlias = tuple[int, int, bool, bool]
"""Start and end in `Work.out` of who is taken; whether borrowing was allowed, and nominal quota claimed."""

LARGE = "heroes beside amounts beyond 58 bits"
"""What is left to the reference because it counts bills with numbers of any size."""


@dataclass(frozen=True, slots=True)
class View:
    """All trees of a store while heroes run.

    Args:
        base: quotas and usage while everybody holds its quota.
        forest: the trees with these quotas; heroes offer nobody.
        scene: room for a search.
        charged: room for the same with a request.
        rounds: room for a tournament.
        most: room, int64[nodes, columns].
        rank_first, limit_alone: the choices of readings `hero_precedence`, `hero_clamp`.
    """

    base: Standing
    forest: Forest
    scene: Scene
    charged: Scene
    rounds: Rounds
    most: Array
    rank_first: bool
    limit_alone: bool

    def concerns(self, node: int) -> bool:
        """Whether there are heroes in the tree of a ClusterQueue."""
        top, plan = self.forest.root[node], self.scene.plan
        return bool(plan.end[top] > plan.first[top])

    def is_hero(self, node: int) -> bool:
        """Whether a ClusterQueue is a hero."""
        return bool(self.scene.plan.hero[node])

    def follows(self, node: int) -> bool:
        """Whether quotas in the tree of a ClusterQueue follow what standard queues hold."""
        return bool(self.scene.plan.unlocks[self.forest.root[node]])

    def accessible(self, node: int, at: int) -> int:
        """The most that a hero may use of a column."""
        forest, plan = self.scene.forest, self.scene.plan
        root = int(plan.root[plan.branch[node]])
        return accessible(forest, plan, node, root, at, self.limit_alone, self.scene.now.weight)

    def fits(self, ask: Ask) -> bool:
        """Whether a hero's request fits while everybody holds its quota."""
        return fits(self.forest, self.scene.plan, self.base, ask, self._quest(ask))

    def find(
        self, rows: Rows, ask: Ask, policy: Policy, order: Order, work: Work, settings: Settings
    ) -> Ends:
        """Find targets.

        Args:
            rows: the same workloads, as they are at the instant of the decision.
            settings: of the scheduler.
        """
        scene, base = self.scene._replace(rows=rows), self.base
        if self.is_hero(ask.own):
            quest = self._quest(ask)
            start, end = search.select(scene, base.held, ask, policy, order, work, self.rounds, quest)
            return start, end, True, False
        if settings.fair_sharing is not None:
            return self._find_fairly(scene, ask, policy, order, work, settings)
        if self.follows(ask.own):
            moving = work._replace(usage=scene.now.usage)
            found = classical.select(scene, self.forest, base, ask, policy, order, moving)
        else:
            found = select_classically(rows, self.forest, base.usage, ask, policy, order, work)
        return (*found, False)

    def after(self, node: int, some: bool, usage: Array) -> tuple[Forest, Array]:
        """Quotas and usage after a search of a standard queue.

        Args:
            some: whether it has found anybody.
            usage: what it has left in its room.
        """
        if not some:
            return self.forest, self.base.usage
        return (self.scene.seen, self.scene.now.usage) if self.follows(node) else (self.forest, usage)

    def _find_fairly(
        self, scene: Scene, ask: Ask, policy: Policy, order: Order, work: Work, settings: Settings
    ) -> Ends:
        strategies = settings.fair_sharing or tuple(FairStrategy)
        how = (
            settings.fair_sharing_preempt_within_nominal,
            strategies[0] == FairStrategy.LESS_THAN_INITIAL_SHARE,
            len(strategies) > 1,
        )
        rounds, base, forest = self.rounds, self.base, self.forest
        if self.follows(ask.own):
            charged = self.charged._replace(rows=scene.rows)
            every = ask._replace(watched=rounds.every)
            moving = rounds._replace(charged=charged.now.usage, lendable=np.empty_like(rounds.lendable))
            start, end, claims = fair.select(
                scene, charged, forest, base, ask, every, policy, order, work, moving, self.most, *how
            )
            return start, end, True, claims
        rounds.charged[:] = base.usage
        for at, amount in zip(ask.at.tolist(), ask.amount.tolist(), strict=True):
            change(forest, rounds.charged, ask.own, at, amount, True, work.log, 0)
        start, end, claims = select_fairly(
            scene.rows, forest, base.usage, ask, policy, order, work, rounds, *how
        )
        return start, end, True, claims

    def _quest(self, ask: Ask) -> Quest:
        plan, path = self.scene.plan, ask.path
        root = int(plan.root[plan.branch[ask.own]])
        return Quest(
            root=root,
            above=path[path.tolist().index(root) + 1 :],
            accessible=np.array([self.accessible(ask.own, int(at)) for at in ask.at], np.int64),
            rank_first=self.rank_first,
            queues=np.empty(len(plan.hero), np.int32),
            heads=np.empty(len(plan.hero), np.int64),
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
    if reading.accessible_rounding == AccessibleRounding.EXACT:
        raise Uncovered("exact shares of bills")
    return Heroes(reading)


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
    plan, configured = plan_of(layout, cluster, reading), layout.forest
    singles = _singles(rows, plan)
    full, scene, charged = (
        _scene(configured, plan, rows, singles, _standing(configured, plan, rows, usage)) for _ in range(3)
    )
    base = full.now
    hold(rows, base.held)
    for top in np.flatnonzero(plan.end > plan.first).tolist():
        _refuse_large(configured, plan, base, top)
        for at in range(usage.shape[1]):
            settle(full, top, NOBODY, at, False)
    return View(
        base=base,
        forest=full.seen._replace(active=configured.active & ~plan.hero),
        scene=scene,
        charged=charged,
        rounds=rounds_for(full.seen, ROOM),
        most=np.empty(usage.shape, np.int64),
        rank_first=reading.hero_precedence == HeroPrecedence.RANK_FIRST,
        limit_alone=reading.hero_clamp == HeroClamp.LIMIT,
    )


def _scene(forest: Forest, plan: Plan, rows: Rows, singles: Singles, standing: Standing) -> Scene:
    return Scene(forest, _with(forest, standing), plan, rows, singles, standing)


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
