"""One search for targets: a question as arrays, and what the kernels found."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from tenure.fast import classical, fair
from tenure.fast.arrays import Arrays
from tenure.fast.heroes.view import Heroes, View, heroes_of, view_of
from tenure.fast.nodes import change
from tenure.fast.policy import Terms, policy_of, terms_of
from tenure.fast.tables import Array, Ask, Order, Policy, Rows, Work
from tenure.fast.uncovered import Uncovered
from tenure.model import (
    Amounts,
    ClusterQueue,
    FairStrategy,
    FlavorResource,
    Instant,
    WithinClusterQueue,
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


@dataclass(frozen=True, slots=True)
class Searcher:
    """Searches for one pending workload in one store at one instant.

    Args:
        arrays: the store.
        queue: the preemptor's ClusterQueue.
        node: its node.
        path: from it up to the root, int32[depth].
        rows, order, policy: what the kernels are given.
        prepared: whether candidates are sorted as a whole and kept for the next search that has the same.
        heroes: how heroes are counted; None where the store has none.
    """

    arrays: Arrays
    queue: ClusterQueue
    node: int
    path: Array
    rows: Rows
    order: Order
    policy: Policy
    prepared: bool = False
    heroes: Heroes | None = None

    def view(self) -> View | None:
        """What heroes make of the store; None where none is in the queue's tree."""
        if self.heroes is None:
            return None
        arrays, rows, reading = self.arrays, self.rows, self.heroes.reading

        def made() -> View:
            return view_of(arrays.layout, arrays.cluster, arrays.usage, rows, reading)

        view: View = arrays.made_of(self.heroes.key, made)
        return view if view.concerns(self.node) else None

    def find(self, needed: Collection[FlavorResource], request: Amounts) -> Found:
        """Find targets.

        Args:
            needed: the flavor-resources that lack quota.
            request: all that has to fit, each amount above zero.
        """
        arrays = self.arrays
        ask = self.ask(needed, request)
        work = arrays.work()
        view = self.view()
        if view is not None:  # nothing is kept there: quotas follow what runs
            return _found(
                work, *view.find(self.rows, ask, self.policy, self.order, work, arrays.cluster.settings)
            )
        if arrays.cluster.settings.fair_sharing is not None:
            return self._find_fairly(ask)
        if self.prepared:
            start, end, may_borrow = self._search_kept(ask, work)
        else:
            start, end, may_borrow = classical.select(
                self.rows, arrays.layout.forest, arrays.usage, ask, self.policy, self.order, work
            )
        if start == end:
            return NOBODY
        return Found(
            work.out[start:end].copy(),
            work.ground[start:end].copy(),
            work.share[start:end].copy(),
            may_borrow,
        )

    def _search_kept(self, ask: Ask, work: Work) -> tuple[int, int, bool]:
        """Search among candidates that are sorted already, if anybody has asked for the same before."""
        arrays, rows, policy = self.arrays, self.rows, self.policy
        forest = arrays.layout.forest
        classical.classify(forest, arrays.usage, ask, policy, work, work.log[0, : len(ask.at)])
        top = int(self.path[-1])
        end = int(forest.end[top])
        key = (
            "candidates",
            self.node,
            ask.needed.tobytes(),
            work.group[top:end].tobytes(),
            _seen(policy),
            id(rows.key),
            id(rows.queued),
        )
        kept, elsewhere, advantaged = arrays.made_of(key, lambda: self._sort(ask, work, end))
        return classical.search(
            rows,
            forest,
            arrays.usage,
            ask,
            policy,
            work._replace(rows=kept),
            len(kept),
            elsewhere,
            advantaged,
            len(kept),
        )

    def _sort(self, ask: Ask, work: Work, end: int) -> tuple[Array, int, int]:
        """All candidates in their order, how many of them elsewhere, and how many with advantage."""
        count, elsewhere, advantaged = classical.gather(self.rows, ask, self.policy, self.order, work, end)
        return work.rows[np.argsort(work.keys[:count])], elsewhere, advantaged

    def _find_fairly(self, ask: Ask) -> Found:
        arrays, settings = self.arrays, self.arrays.cluster.settings
        work, rounds = arrays.work(), arrays.rounds()
        rounds.charged[:] = arrays.usage
        for at, amount in zip(ask.at.tolist(), ask.amount.tolist(), strict=True):
            change(arrays.layout.forest, rounds.charged, self.node, at, amount, True, work.log, 0)
        strategies = settings.fair_sharing or tuple(FairStrategy)
        start, end, claims = fair.select(
            self.rows,
            arrays.layout.forest,
            arrays.usage,
            ask,
            self.policy,
            self.order,
            work,
            rounds,
            settings.fair_sharing_preempt_within_nominal,
            strategies[0] == FairStrategy.LESS_THAN_INITIAL_SHARE,
            len(strategies) > 1,
        )
        if start == end:
            return NOBODY
        rows, grounds, shares = (each[start:end].copy() for each in (work.out, work.ground, work.share))
        return Found(rows, grounds, shares, within_nominal=claims)

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


def _found(work: Work, start: int, end: int, may_borrow: bool, within_nominal: bool) -> Found:
    if start == end:
        return NOBODY
    rows, grounds, shares = (each[start:end].copy() for each in (work.out, work.ground, work.share))
    return Found(rows, grounds, shares, may_borrow, within_nominal)


def _seen(policy: Policy) -> Policy:
    """What of a policy decides who is a candidate and in which order, the rest blanked out."""
    if policy.within != WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY:
        policy = policy._replace(queued=0)
    return policy._replace(now=0) if policy.duration < 0 else policy


def searcher(
    arrays: Arrays,
    preemptor: Workload,
    queue: ClusterQueue,
    now: Instant,
    reading: Reading,
    *,
    prepared: bool = False,
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
    heroes = heroes_of(arrays, reading)
    return Searcher(arrays, queue, node, arrays.layout.path(node), rows, order, policy, prepared, heroes)
