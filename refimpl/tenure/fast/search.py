"""One search for targets: a question as arrays, and what the kernels found."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tenure.fast import classical, fair
from tenure.fast.arrays import Arrays
from tenure.fast.heroes.view import Choices, View, choices_of, view_of
from tenure.fast.nodes import change, replay
from tenure.fast.policy import Terms, policy_of, terms_of
from tenure.fast.tables import Array, Ask, Forest, Order, Policy, Rows, Work
from tenure.fast.uncovered import Uncovered
from tenure.model import (
    Amounts,
    ClusterQueue,
    FairStrategy,
    FlavorResource,
    Instant,
    Workload,
)
from tenure.readings import Reading


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found.

    Args:
        rows: who is taken, in the order of removal, int32[k]; empty where nothing sufficed.
        grounds: on what ground each, int8[k], by the numbers of `Ground`.
        shares: how shares compared when each was taken, int8[k]; -1, 0 or 1.
        may_borrow: whether the attempt let the preemptor's queue borrow.
        within_nominal: whether fair sharing let it claim its nominal quota.
    """

    rows: Array
    grounds: Array
    shares: Array
    may_borrow: bool = True
    within_nominal: bool = False


NOBODY = Found(np.empty(0, np.int32), np.empty(0, np.int8), np.empty(0, np.int8))


class Keeper(Protocol):
    """Keeps what searches of one kind have in common."""

    def find(self, searcher: Searcher, needed: Collection[FlavorResource], request: Amounts) -> Found:
        """As `Searcher.find`."""


@dataclass(frozen=True, slots=True)
class Searcher:
    """Searches for one pending workload in one store at one instant.

    Args:
        arrays: the store.
        queue: the preemptor's ClusterQueue.
        node: its node.
        path: from it up to the root, int32[depth].
        rows, order, policy: what the kernels are given.
        reading: the reading decided under.
        heroes: what of it decides about heroes; None where there are none.
        keeper: what further searches of the same kind share, where no hero is in the tree; None searches
            anew each time.
    """

    arrays: Arrays
    queue: ClusterQueue
    node: int
    path: Array
    rows: Rows
    order: Order
    policy: Policy
    reading: Reading
    heroes: Choices | None = None
    keeper: Keeper | None = None

    @property
    def view(self) -> View | None:
        """What heroes make of the store; None where none is in the queue's tree."""
        if self.heroes is None:
            return None
        arrays = self.arrays
        view: View = arrays.made_of(
            ("heroes", self.heroes),
            lambda: view_of(arrays.layout, arrays.cluster, arrays.usage, self.rows, self.reading),
        )
        return view if view.concerns(self.node) else None

    def standing(self) -> tuple[Forest, Array]:
        """Quotas, and what is in use at every node."""
        view = self.view
        if view is None:
            return self.arrays.layout.forest, self.arrays.usage
        return view.forest, view.base.usage

    def standing_after(self, found: Found, at: FlavorResource) -> tuple[Forest, Array]:
        """The same without those whom the last search of a standard queue has found, for one column."""
        view = self.view
        if view is None:
            return self.arrays.layout.forest, self._usage_without(found, at)
        if view.follows(self.node):
            return (view.seen, view.now.usage) if len(found.rows) else (view.forest, view.base.usage)
        return view.forest, self.arrays.work().usage

    def find(self, needed: Collection[FlavorResource], request: Amounts) -> Found:
        """Find targets.

        Args:
            needed: the flavor-resources that lack quota.
            request: all that has to fit, each amount above zero.
        """
        if self.keeper is not None and self.view is None:
            return self.keeper.find(self, needed, request)
        return self.find_anew(needed, request)

    def find_anew(self, needed: Collection[FlavorResource], request: Amounts) -> Found:
        """As `find`, whatever is kept."""
        ask = self.ask(needed, request)
        work, view = self.arrays.work(), self.view
        if view is not None and view.is_hero(self.node):
            rounds = self.arrays.rounds()
            start, end = view.find_for_hero(self.rows, ask, self.policy, self.order, work, rounds)
            return _found(work, start, end)
        if self.arrays.cluster.settings.fair_sharing is not None:
            return self._find_fairly(ask, view)
        if view is not None and view.follows(self.node):
            start, end, may_borrow = view.find_anew(self.rows, ask, self.policy, self.order, work)
        else:
            forest, usage = self.standing()
            start, end, may_borrow = classical.select(
                self.rows, forest, usage, ask, self.policy, self.order, work
            )
        return _found(work, start, end, may_borrow)

    def _find_fairly(self, ask: Ask, view: View | None) -> Found:
        arrays, settings = self.arrays, self.arrays.cluster.settings
        if view is not None and view.follows(self.node):
            raise Uncovered("fair sharing where heroes raise lending limits")
        work, rounds = arrays.work(), arrays.rounds() if view is None else view.rounds
        forest, usage = self.standing()
        rounds.charged[:] = usage
        for at, amount in zip(ask.at.tolist(), ask.amount.tolist(), strict=True):
            change(forest, rounds.charged, self.node, at, amount, True, work.log, 0)
        strategies = settings.fair_sharing or tuple(FairStrategy)
        start, end, claims = fair.select(
            self.rows,
            forest,
            usage,
            ask,
            self.policy,
            self.order,
            work,
            rounds,
            settings.fair_sharing_preempt_within_nominal,
            strategies[0] == FairStrategy.LESS_THAN_INITIAL_SHARE,
            len(strategies) > 1,
        )
        return _found(work, start, end, within_nominal=claims)

    def _usage_without(self, found: Found, at: FlavorResource) -> Array:
        work = self.arrays.work()
        if self.keeper is not None:
            watched = np.zeros(self.arrays.usage.shape[1], np.bool_)
            watched[self.arrays.layout.columns[at]] = True
            work.usage[:] = self.arrays.usage
            replay(self.rows, self.arrays.layout.forest, found.rows, watched, work.usage, work.log)
        return work.usage

    def ask(self, needed: Collection[FlavorResource], request: Amounts) -> Ask:
        """The question as arrays."""
        self.arrays.require(needed)
        self.arrays.require(request)
        columns = self.arrays.layout.columns
        at = np.array([columns[each] for each in request], np.int32)
        lacking = np.array([columns[each] for each in needed], np.int32)
        is_needed = np.zeros(len(columns), np.bool_)
        is_needed[lacking] = True
        watched = is_needed.copy()
        watched[at] = True
        amount = np.fromiter(request.values(), np.int64, len(request))
        return Ask(self.node, self.path, at, amount, lacking, is_needed, watched)


def _found(
    work: Work, start: int, end: int, may_borrow: bool = True, *, within_nominal: bool = False
) -> Found:
    """What kernels have left between two places of a record."""
    if start == end:
        return NOBODY
    rows, grounds, shares = (each[start:end].copy() for each in (work.out, work.ground, work.share))
    return Found(rows, grounds, shares, may_borrow, within_nominal)


def searcher(
    arrays: Arrays,
    preemptor: Workload,
    queue: ClusterQueue,
    now: Instant,
    reading: Reading,
) -> Searcher:
    """Prepare searches for a pending workload.

    Raises:
        Uncovered: what the core leaves to the reference.
    """
    node = arrays.layout.queues.get(queue.name)
    if node is None:
        raise Uncovered("cohorts that are their own ancestors")
    settings = arrays.cluster.settings
    terms: Terms = terms_of(queue, settings, reading)
    policy = policy_of(arrays, queue, preemptor, terms, now, reading)
    rows, order = arrays.rows(now, reading.priority_steps, settings.requeuing_timestamp, terms.since_eviction)
    heroes = choices_of(arrays.cluster, reading)
    return Searcher(arrays, queue, node, arrays.layout.path(node), rows, order, policy, reading, heroes)
