"""Decisions one after another on one store, with everything kept that they have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from tenure.fast.arrays import Arrays
from tenure.fast.assignment import NO_FIT
from tenure.fast.decide import CoreAnswer, answer_of
from tenure.fast.entries import Sorted
from tenure.fast.kept import MOST_KEPT, Routes
from tenure.fast.search import NO_VICTIMS, Searcher, searcher
from tenure.fast.sorting import by_node
from tenure.fast.tables import Array, Policy, Rows
from tenure.model import (
    Assignment,
    BorrowWithinCohort,
    ClusterQueue,
    Instant,
    Outcome,
    ReclaimWithinCohort,
    WithinClusterQueue,
    Workload,
)
from tenure.readings import Reading


@dataclass(slots=True)
class _Desk:
    """What is known of the preemptors of one ClusterQueue.

    Args:
        plain: whether a preemptor's own priority is all that is asked of it.
        priorities: what it is compared with, sorted; of the workloads in `seen_by`.
    """

    queue: ClusterQueue
    plain: bool
    priorities: Array | None = None
    seen_by: Rows | None = None
    by_priority: dict[int, Searcher] = field(default_factory=dict)


class Prepared:
    """An engine on a store: candidates stay in their order, and removals that were played stay played.

    It follows the store: after a change it answers by what the store holds then.

    Args:
        arrays: the store.
        reading: see `tenure.readings`.

    >>> from tenure.model import Cluster
    >>> from tenure.readings import preset
    >>> engine = Prepared(Arrays(Cluster({"q": ClusterQueue("q")})), preset("guaranteed"))
    >>> engine.decide(Workload("ns", "w", "u", priority=0, created_at=0), "q", 0).outcome.value
    'Fit'
    """

    def __init__(self, arrays: Arrays, reading: Reading) -> None:
        self.arrays = arrays
        self._reading = reading
        self._changes = -1
        self._renew()

    def decide(
        self, preemptor: Workload, queue_name: str, now: Instant, assignment: Assignment | None = None
    ) -> CoreAnswer:
        """As `tenure.fast.decide`."""
        if self._changes != self.arrays.changes:
            self._renew()
        desk = self._desks.get(queue_name) or self._desk(queue_name)
        if desk.queue.inactive:
            return CoreAnswer(Outcome.NO_FIT, NO_VICTIMS, NO_FIT, self.arrays)
        searching = desk.by_priority.get(preemptor.priority) if desk.plain else None
        if searching is None:
            searching = self._searcher(desk, preemptor, now)
        answer = answer_of(searching, preemptor, assignment)
        if self._changes != self.arrays.changes:  # a column was added on the way
            self._renew()
        return answer

    def decide_many(
        self, pending: Iterable[tuple[Workload, str, Assignment | None]], now: Instant
    ) -> Iterator[CoreAnswer]:
        """Decide for many pending workloads, each evaluated independently, when its answer is drawn.

        Args:
            pending: workloads, the ClusterQueue of each, and the flavors it would get, None to derive them.
            now: the cycle's clock, ns since the epoch.

        Raises:
            KeyError: no such ClusterQueue.
            Uncovered: what the core leaves to the reference.
        """
        for workload, queue_name, assignment in pending:
            yield self.decide(workload, queue_name, now, assignment)

    def _renew(self) -> None:
        self._changes = self.arrays.changes
        self._desks: dict[str, _Desk] = {}
        self._keepers: dict[tuple[object, ...], Searcher] = {}
        self._sorted: Sorted | None = None
        self._timely = self.arrays.depends_on_time()

    def _desk(self, queue_name: str) -> _Desk:
        arrays = self.arrays
        queue = arrays.cluster.cluster_queues[queue_name]
        plain = (
            not self._timely
            and not arrays.cluster.growing
            and not arrays.cluster.settings.priority_boost
            and queue.within_cluster_queue != WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY
        )
        made = self._desks[queue_name] = _Desk(queue, plain)
        return made

    def _searcher(self, desk: _Desk, preemptor: Workload, now: Instant) -> Searcher:
        """Searches for all preemptors that see the same candidates in the same order."""
        searching = searcher(self.arrays, preemptor, desk.queue, now, self._reading)
        sorted_rows = self._in_order(searching)
        if desk.priorities is None or desk.seen_by is not searching.rows:
            desk.priorities, desk.seen_by = _compared(searching, sorted_rows), searching.rows
        level = _level(desk.priorities, searching.policy.priority)
        key = (desk.queue.name, level, _seen(searching.policy)._replace(priority=0), id(searching.rows))
        found = self._keepers.get(key)
        if found is None:
            if len(self._keepers) >= MOST_KEPT:
                self._keepers.clear()
                self._desks.clear()
            above = None
            if desk.plain and level < 2 * len(desk.priorities):
                highest = int(desk.priorities[-1]) + 1
                above = self._searcher(desk, replace(preemptor, priority=highest), now)
            found = searching._replace(keeper=Routes(sorted_rows, above))
            self._keepers[key] = found
        if desk.plain:
            if len(desk.by_priority) >= MOST_KEPT:
                desk.by_priority.clear()
            desk.by_priority[preemptor.priority] = found
        return found

    def _in_order(self, searching: Searcher) -> Sorted:
        """All rows by their keys, evicted ones first."""
        rows = searching.rows
        if self._sorted is None or self._sorted.rows is not rows:
            running = np.where(rows.evicted, 0, np.int64(1) << np.int64(searching.order.group + 2))
            by_key = np.argsort(rows.key | running).astype(np.int32)
            by_key = by_key[rows.queue[by_key] >= 0]
            by_queue, starts = np.empty_like(by_key), np.zeros(len(self.arrays.layout.names) + 1, np.int64)
            by_node(by_key, rows.queue, starts, by_queue)
            self._sorted = Sorted(rows, by_key, by_queue, starts)
        return self._sorted


def _compared(searching: Searcher, sorted_rows: Sorted) -> Array:
    """All priorities that a preemptor's own is compared with, sorted."""
    rows, policy = searching.rows, searching.policy
    in_all_queues = (
        policy.reclaim == ReclaimWithinCohort.LOWER_PRIORITY or policy.borrow != BorrowWithinCohort.NEVER
    )
    in_all_queues = in_all_queues or searching.view() is not None  # a hero's priority counts among its peers
    return np.unique(rows.priority if in_all_queues else rows.priority[sorted_rows.of(searching.node)])


def _level(priorities: Array, priority: int) -> int:
    """The same number for all priorities that no comparison with the given ones tells apart."""
    place = int(np.searchsorted(priorities, priority))
    return 2 * place + int(place < len(priorities) and int(priorities[place]) == priority)


def _seen(policy: Policy) -> Policy:
    """What of a policy decides who is a candidate and in which order, the rest blanked out."""
    if policy.within != WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY:
        policy = policy._replace(queued=0)
    return policy._replace(now=0) if policy.duration < 0 else policy
