"""One search for targets: a question as arrays, and what the kernels found."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple, Protocol

import numpy as np

from tenure.fast.arrays import Arrays
from tenure.fast.entries import Sorted, call_of, find_classically, find_fairly
from tenure.fast.heroes.view import Heroes, View, heroes_of, view_of
from tenure.fast.nodes import replay
from tenure.fast.policy import Terms, policy_for, policy_of, terms_of
from tenure.fast.rounds import strategies_of
from tenure.fast.tables import Array, Ask, Order, Policy, Rows, Work
from tenure.fast.uncovered import Uncovered
from tenure.model import (
    Amounts,
    ClusterQueue,
    FlavorResource,
    Instant,
    Workload,
)
from tenure.readings import Reading


class Found(NamedTuple):
    """What a search found.

    Args:
        rows: the victims, in the order of removal, int32[k]; empty where nothing sufficed.
        grounds: on what ground each, int8[k], by the numbers of `Ground`.
        shares: how shares compared when each was removed, int8[k]; -1, 0 or 1.
        may_borrow: whether the attempt let the preemptor's queue borrow.
        within_nominal: whether fair sharing let it claim its nominal quota.
    """

    rows: Array
    grounds: Array
    shares: Array
    may_borrow: bool = True
    within_nominal: bool = False


NO_VICTIMS = Found(np.empty(0, np.int32), np.empty(0, np.int8), np.empty(0, np.int8))


class Keeper(Protocol):
    """Keeps what searches of one kind have in common."""

    def find(self, searcher: Searcher, needed: Collection[FlavorResource], request: Amounts) -> Found:
        """As `Searcher.find`."""


class Searcher(NamedTuple):
    """Searches for one pending workload in one store at one instant.

    Args:
        arrays: the store.
        queue: the preemptor's ClusterQueue.
        node: its node.
        path: from it up to the root, int32[depth].
        rows, order, policy: what the kernels are given.
        keeper: what further searches of the same kind share; None searches again each time.
        heroes: how heroes are counted; None where the store has none.
    """

    arrays: Arrays
    queue: ClusterQueue
    node: int
    path: Array
    rows: Rows
    order: Order
    policy: Policy
    keeper: Keeper | None = None
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
        if self.keeper is not None and self.view() is None:  # with heroes quotas follow what runs
            return self.keeper.find(self, needed, request)
        return self.find_anew(needed, request)

    def find_anew(
        self,
        needed: Collection[FlavorResource],
        request: Amounts,
        sorted_rows: Sorted | None = None,
    ) -> Found:
        """As `find`, whatever is kept.

        Args:
            needed, request: as there.
            sorted_rows: the same workloads, where they have been sorted; only fair sharing looks at them.
        """
        arrays, view = self.arrays, self.view()
        settings = arrays.cluster.settings
        if view is not None:
            ask, work = self.ask(needed, request), arrays.work()
            return _found(work, *view.find(self.rows, ask, self.policy, self.order, work, settings))
        call = call_of(arrays, self.rows, self.order, self.kind(needed, request))
        amount = np.fromiter(request.values(), np.int64, len(request))
        if settings.fair_sharing is not None:
            how = strategies_of(settings, lowers=arrays.is_small())
            start, end, claims = find_fairly(call, arrays.usage, amount, self.policy, how, sorted_rows)
            return _found(call.work, start, end, True, claims)
        start, end, may_borrow = find_classically(call, arrays.usage, amount, self.policy)
        return _found(call.work, start, end, may_borrow, False)

    def usage_without(self, found: Found, at: FlavorResource) -> Array:
        """What is in use at every node once the found ones have left; only one column is looked at."""
        work = self.arrays.work()
        if self.keeper is not None:
            watched = np.zeros(self.arrays.usage.shape[1], np.bool_)
            watched[self.arrays.layout.columns[at]] = True
            work.usage[:] = self.arrays.usage
            replay(self.rows, self.arrays.layout.forest, found.rows, watched, work.usage, work.log)
        return work.usage

    def ask(self, needed: Collection[FlavorResource], request: Amounts) -> Ask:
        """The question as arrays."""
        kind = self.kind(needed, request)
        return kind._replace(amount=np.fromiter(request.values(), np.int64, len(request)))

    def kind(self, needed: Collection[FlavorResource], request: Amounts) -> Ask:
        """The question without amounts."""
        key = ("ask", self.node, frozenset(needed), *request)
        kind: Ask = self.arrays.asked_of(key, lambda: self._ask(needed, request))
        return kind

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
    out, ground, share = work.out[part].copy(), work.ground[part].copy(), work.share[part].copy()
    return Found(out, ground, share, may_borrow, within_nominal)


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
    return Searcher(arrays, queue, desk.node, desk.path, rows, order, policy, None, desk.heroes)


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
    terms: Terms
    policy: Policy
    timeless: tuple[Rows, Order] | None


def _desk(arrays: Arrays, queue: ClusterQueue, reading: Reading) -> _Desk:
    node = arrays.layout.queues.get(queue.name)
    if node is None:
        raise Uncovered("cohorts that are their own ancestors")
    terms: Terms = terms_of(queue, arrays.cluster.settings, reading)
    timeless = None if arrays.depends_on_time() else _rows(arrays, 0, reading, terms)
    path, heroes = arrays.layout.path(node), heroes_of(arrays, reading)
    return _Desk(reading, queue, node, path, heroes, terms, policy_for(queue, terms), timeless)


def _rows(arrays: Arrays, now: Instant, reading: Reading, terms: Terms) -> tuple[Rows, Order]:
    requeuing = arrays.cluster.settings.requeuing_timestamp
    return arrays.rows(now, reading.priority_steps, requeuing, terms.since_eviction)
