"""One search for targets: a question as arrays, and what the kernels found."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from tenure.model import (
    Amounts,
    ClusterQueue,
    FlavorResource,
    Instant,
    Workload,
)
from tenure.readings import Reading, RequeueOrder
from tenure.rules.terms import PreemptionTerms, terms_of
from tenure.rules.time_based import duration_in_force
from tenure_simulate.core.arrays import Arrays
from tenure_simulate.core.classical import select as select_classically
from tenure_simulate.core.classical import select_beside_config as select_classically_beside_config
from tenure_simulate.core.configured import ConfiguredPreemptor, config_of, tiers_of
from tenure_simulate.core.fair import select as select_fairly
from tenure_simulate.core.fair import select_beside_config as select_fairly_beside_config
from tenure_simulate.core.heroes.view import Heroes, View, heroes_of, view_of
from tenure_simulate.core.policy import policy_for, policy_of
from tenure_simulate.core.rounds import strategies_of
from tenure_simulate.core.tables import Array, Ask, Order, Policy, Rows, SearchInput, TierTables, Work
from tenure_simulate.core.uncovered import Uncovered


class Found(NamedTuple):
    """What a search found.

    Args:
        rows: the victims, in the order of removal, int32[k]; empty where nothing sufficed.
        bases: on what basis each, int8[k], by the numbers of `Basis`; NONE: by a PreemptionConfig.
        shares: how shares compared when each was removed, int8[k]; -1, 0 or 1.
        may_borrow: whether the attempt let the preemptor's queue borrow.
        within_nominal: whether fair sharing let it claim its nominal quota.
    """

    rows: Array
    bases: Array
    shares: Array
    may_borrow: bool = True
    within_nominal: bool = False


NO_VICTIMS = Found(np.empty(0, np.int32), np.empty(0, np.int8), np.empty(0, np.int8))


class Searcher(NamedTuple):
    """Searches for one pending workload in one store at one instant.

    Args:
        arrays: the store.
        queue: the preemptor's ClusterQueue.
        node: its node.
        path: from it up to the root, int32[depth].
        terms: what holds for its preemptors.
        rows, order, policy: the same, and the workloads, as the kernels are given them.
        heroes: how heroes are counted; None where the store has none.
        tiers: of the PreemptionConfig that the queue names, which may be missing; None where it names none.
    """

    arrays: Arrays
    queue: ClusterQueue
    node: int
    path: Array
    terms: PreemptionTerms
    rows: Rows
    order: Order
    policy: Policy
    heroes: Heroes | None = None
    tiers: TierTables | None = None

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
        ask = self.ask(needed, request)
        arrays, view = self.arrays, self.view()
        settings, work = arrays.cluster.settings, arrays.work()
        if view is not None:
            return _found(work, *view.find(self.rows, ask, self.policy, self.order, work, settings))
        forest = arrays.layout.forest
        given = SearchInput(self.rows, forest, arrays.usage, ask, self.policy, self.order, work)
        if settings.fair_sharing is not None:
            how = strategies_of(settings, lowers=arrays.is_small())
            if self.tiers is None:
                start, end, claims = select_fairly(given, arrays.rounds(), how)
            else:
                start, end, claims = select_fairly_beside_config(given, arrays.rounds(), how, self.tiers)
            return _found(work, start, end, True, claims)
        if self.tiers is None:
            start, end, may_borrow = select_classically(given)
        else:
            start, end, may_borrow = select_classically_beside_config(given, self.tiers)
        return _found(work, start, end, may_borrow, False)

    def ask(self, needed: Collection[FlavorResource], request: Amounts) -> Ask:
        """The question as arrays."""
        key = (self.node, frozenset(needed), *request)
        kind: Ask = self.arrays.asked_of(key, lambda: self._ask(needed, request))
        return kind._replace(amount=np.fromiter(request.values(), np.int64, len(request)))

    def _ask(self, needed: Collection[FlavorResource], request: Amounts) -> Ask:
        self.arrays.require(needed)
        self.arrays.require(request)
        columns = self.arrays.layout.columns
        at = np.array([columns[flavor_resource] for flavor_resource in request], np.int32)
        lacking = np.array([columns[flavor_resource] for flavor_resource in needed], np.int32)
        is_needed = np.zeros(len(columns), np.bool_)
        is_needed[lacking] = True
        watched = is_needed.copy()
        watched[at] = True
        common = int(self.arrays.held_by_all(lacking))
        return Ask(self.node, self.path, at, np.empty(0, np.int64), lacking, is_needed, watched, common)


def _found(work: Work, start: int, end: int, may_borrow: bool, within_nominal: bool) -> Found:
    """What kernels have left between two places of a record."""
    if start == end:
        return NO_VICTIMS
    part = slice(start, end)
    out, basis, share = work.out[part].copy(), work.basis[part].copy(), work.share[part].copy()
    return Found(out, basis, share, may_borrow, within_nominal)


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
    desk = arrays.desks.get(queue.name)
    if desk is None or desk.reading is not reading or desk.queue is not queue:
        desk = arrays.desks[queue.name] = _desk(arrays, queue, reading)
    policy = policy_of(desk.policy, arrays, preemptor, desk.terms, now, reading)
    rows, order = desk.timeless or _rows(arrays, now, reading, desk.terms)
    found = Searcher(arrays, queue, desk.node, desk.path, desk.terms, rows, order, policy, desk.heroes)
    if queue.preemption_config is None:
        return found
    if found.view() is not None:
        raise Uncovered("a PreemptionConfig beside UberClusterQueueRules")
    config = config_of(arrays.cluster, queue)
    mine = ConfiguredPreemptor(preemptor, desk.node, policy.priority, desk.terms)
    return found._replace(tiers=tiers_of(arrays, config, mine, rows))


class _Desk(NamedTuple):
    """What all searches for the workloads of one ClusterQueue have in common.

    Args:
        reading, queue: whose it is.
        node, path, heroes: see `Searcher`.
        terms, policy: what holds for its preemptors.
        timeless: the workloads and their order, where these are the same at every instant.
    """

    reading: Reading
    queue: ClusterQueue
    node: int
    path: Array
    heroes: Heroes | None
    terms: PreemptionTerms
    policy: Policy
    timeless: tuple[Rows, Order] | None


def _desk(arrays: Arrays, queue: ClusterQueue, reading: Reading) -> _Desk:
    node = arrays.layout.queues.get(queue.name)
    if node is None:
        raise Uncovered("cohorts that are their own ancestors")
    terms = terms_of(queue, arrays.cluster.settings, reading)
    timeless = None if arrays.depends_on_time() else _rows(arrays, 0, reading, terms)
    path, heroes = arrays.layout.path(node), heroes_of(arrays, reading)
    return _Desk(reading, queue, node, path, heroes, terms, policy_for(terms), timeless)


def _rows(arrays: Arrays, now: Instant, reading: Reading, terms: PreemptionTerms) -> tuple[Rows, Order]:
    since_eviction = terms.requeue_order == RequeueOrder.EVICTION and duration_in_force(terms) is not None
    requeuing = arrays.cluster.settings.requeuing_timestamp
    return arrays.rows(now, reading.priority_steps, requeuing, since_eviction)
