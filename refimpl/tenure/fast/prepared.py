"""Decisions one after another on one store, with everything kept that they have in common."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

import numpy as np

from tenure.fast import fair, paths
from tenure.fast.amounts import minus
from tenure.fast.arrays import Arrays
from tenure.fast.assignment import NO_FIT
from tenure.fast.classical import attempts, classify
from tenure.fast.decide import Answer, answer_of
from tenure.fast.entries import Sorted, path_of
from tenure.fast.nodes import is_simple
from tenure.fast.routes import Route
from tenure.fast.search import NOBODY, Found, Searcher, searcher
from tenure.fast.sorting import by_node
from tenure.fast.tables import ELSEWHERE, NONE, Array, Ask, Policy, Rows, Work
from tenure.model import (
    Amounts,
    Assignment,
    ClusterQueue,
    FlavorResource,
    Instant,
    Outcome,
    ReclaimWithinCohort,
    WithinClusterQueue,
    Workload,
)
from tenure.readings import Reading

MOST_KEPT: Final = 2048
"""Kinds of preemptors, and kinds of their questions, that are kept at a time; beyond it all is made anew."""


_Bounded: TypeAlias = tuple[Route, int]
"""An attempt, and how many of its removals may be used."""


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
    ) -> Answer:
        """As `tenure.fast.decide`."""
        if self._changes != self.arrays.changes:
            self._renew()
        desk = self._desks.get(queue_name) or self._desk(queue_name)
        if desk.queue.inactive:
            return Answer(Outcome.NO_FIT, NOBODY, NO_FIT, self.arrays)
        searching = desk.by_priority.get(preemptor.priority) if desk.plain else None
        if searching is None:
            searching = self._searcher(desk, preemptor, now)
        answer = answer_of(searching, preemptor, assignment)
        if self._changes != self.arrays.changes:  # a column was added on the way
            self._renew()
        return answer

    def decide_many(
        self, pending: Iterable[tuple[Workload, str, Assignment | None]], now: Instant
    ) -> Iterator[Answer]:
        """Decide for many pending workloads, each as if it were the only one, when its answer is drawn.

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
            found = searching._replace(keeper=_Routes(sorted_rows, above))
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
    everybody = policy.reclaim == ReclaimWithinCohort.LOWER_PRIORITY or policy.borrow != NONE
    everybody = everybody or searching.view() is not None  # a hero's priority counts among its peers
    return np.unique(rows.priority if everybody else rows.priority[sorted_rows.of(searching.node)])


def _level(priorities: Array, priority: int) -> int:
    """The same number for all priorities that no comparison with the given ones tells apart."""
    place = int(np.searchsorted(priorities, priority))
    return 2 * place + int(place < len(priorities) and int(priorities[place]) == priority)


@dataclass(slots=True)
class _Frame:
    """One kind of question: which flavor-resources are lacking and requested.

    Args:
        ask: the question, with the request that came first.
        room: what each node of the path has of its quota, and what it keeps of that for itself, by column.
        own: of each lacking column its place in the request, and what is left of the queue's nominal quota.
        routes: by how far up the request has an advantage, attempts with their routes.
    """

    ask: Ask
    room: list[list[tuple[int, int]]]
    own: list[tuple[int, int]]
    routes: dict[int, list[_Bounded]] = field(default_factory=dict)

    def claims(self, request: Iterable[int]) -> bool:
        """Whether the queue stays within its nominal quota of all that is lacking, the request included."""
        asked = (*request, 0)  # what is lacking and not requested stands at the end
        for place, left in self.own:
            if asked[place] > left:
                return False
        return True

    def level(self, request: Iterable[int]) -> int:
        """Below which node of the path the whole rest of a request fits first (KQ-350)."""
        rest = list(request)
        for level, cells in enumerate(self.room):
            fit = True
            for index, (quota, local) in enumerate(cells):
                if rest[index] > quota:
                    fit = False
                if local:
                    rest[index] = max(0, rest[index] - local)
            if fit:
                return level
        return len(self.room)


class _Routes:
    """Everything kept for preemptors that see the same candidates.

    Args:
        sorted_rows: all rows in their order.
        above: searches for a preemptor of the same queue that is above everybody; None for such a one.
    """

    def __init__(self, sorted_rows: Sorted, above: Searcher | None) -> None:
        self._sorted = sorted_rows
        self._above = above
        self._changes = -1
        self._frames: dict[tuple[object, ...], _Frame | None] = {}

    def find(self, searcher: Searcher, needed: Collection[FlavorResource], request: Amounts) -> Found:
        """Who leaves, by the routes that are there or are made now."""
        routes = self.routes(searcher, needed, request)
        if routes is None:
            return searcher.find_anew(needed, request, self._sorted)
        amount = np.fromiter(request.values(), np.int64, len(request))
        for route, limit in routes:
            found = route.find(amount, limit)
            if found is not None:
                return found
        return NOBODY

    def routes(
        self, searcher: Searcher, needed: Collection[FlavorResource], request: Amounts
    ) -> list[_Bounded] | None:
        """The attempts for a question; None where nothing can be kept for it."""
        if self._changes != searcher.arrays.changes:  # another column: nothing stands where it stood
            self._frames.clear()
            self._changes = searcher.arrays.changes
        key = (frozenset(needed), *request)
        frame = self._frames[key] if key in self._frames else self._new_frame(searcher, key, needed, request)
        if frame is None:
            return None
        if searcher.arrays.cluster.settings.fair_sharing is not None:
            return self._fair_routes(searcher, frame, request)
        level = frame.level(request.values())
        if level not in frame.routes:
            shared = self._shared(searcher, needed, request)
            frame.routes[level] = shared or self._classical_routes(searcher, frame.ask, request)
        return frame.routes[level]

    def _shared(
        self, searcher: Searcher, needed: Collection[FlavorResource], request: Amounts
    ) -> list[_Bounded] | None:
        """The beginning of what a higher priority may take, where that is all in order of priority."""
        if self._above is None or not isinstance(self._above.keeper, _Routes):
            return None
        found = self._above.keeper.routes(self._above, needed, request) or []
        if len(found) != 1 or not found[0][0].by_priority:
            return None
        route = found[0][0]
        priorities = searcher.rows.priority[route.path.work.rows[: route.known]]
        return [(route, int(np.searchsorted(priorities, searcher.policy.priority)))]

    def _new_frame(
        self,
        searcher: Searcher,
        key: tuple[object, ...],
        needed: Collection[FlavorResource],
        request: Amounts,
    ) -> _Frame | None:
        if len(self._frames) >= MOST_KEPT:
            self._frames.clear()
        ask, arrays = searcher.ask(needed, request), searcher.arrays
        made = None
        if arrays.is_small():
            columns = ask.at.tolist()
            room = [_kept_room(arrays, node, columns) for node in searcher.path[:-1].tolist()]
            made = _Frame(ask, room, _own_room(searcher, ask))
        if self._changes != arrays.changes:
            self._frames.clear()
            self._changes = arrays.changes
        self._frames[key] = made
        return made

    def _classical_routes(self, searcher: Searcher, ask: Ask, request: Amounts) -> list[_Bounded]:
        ask = ask._replace(amount=np.fromiter(request.values(), np.int64, len(request)))
        arrays, policy = searcher.arrays, searcher.policy
        forest, work = arrays.layout.forest, arrays.work()
        classify(forest, arrays.usage, ask, policy, work, work.log[0, : len(ask.at)])
        if policy.borrow == NONE and _uses_nominal(searcher, ask):
            # There is one attempt, which borrows, and none of these stands in it.
            work.group[work.group == ELSEWHERE] = -1
        rows, offered, most = searcher.rows, *self._offered(searcher, work)
        supply = paths.supply_of(offered, most)
        elsewhere, advantaged = paths.offered_elsewhere(supply, rows, ask, policy, work)
        may_borrow, again = attempts(forest, arrays.usage, ask, policy, int(elsewhere), int(advantaged))
        which = (may_borrow, not may_borrow) if again else (may_borrow,)
        made = [_route(searcher, ask, work, len(offered), may_borrow=bool(each)) for each in which]
        for route in made:
            self._supply(route, supply, elsewhere=bool(elsewhere))
        return [(route, len(offered)) for route in made]

    def _supply(self, route: Route, supply: paths.Supply, *, elsewhere: bool) -> None:
        """Where a route's candidates come from: they are all there, or are found as they are needed."""
        searcher, ask, work = route.searcher, route.ask, route.path.work
        rows, policy = searcher.rows, searcher.policy
        if policy.duration >= 0:  # equals that have exceeded their time stand before the others
            keyed = work._replace(keys=searcher.arrays.work().keys)
            route.known = int(paths.gather_keys(supply, rows, ask, policy, searcher.order, keyed))
            by_key = np.argsort(keyed.keys[: route.known], kind="stable")
            work.rows[: route.known] = work.rows[: route.known][by_key]
        elif policy.within == WithinClusterQueue.LOWER_PRIORITY and not elsewhere:
            route.known = int(paths.draw(supply, rows, ask, policy, work, len(supply.offered)))
            route.by_priority = not rows.evicted[work.rows[: route.known]].any()
        else:
            route.supply = supply._replace(stage=supply.stage.copy())

    def _offered(self, searcher: Searcher, work: Work) -> tuple[Array, int]:
        """Rows by their keys among which all candidates are, and the first node behind the tree."""
        top = int(searcher.path[-1])
        most = int(searcher.arrays.layout.forest.end[top])
        looked_into = np.flatnonzero(work.group[top:most] >= 0) + top
        alone = len(looked_into) == 1
        return self._sorted.of(int(looked_into[0])) if alone else self._sorted.by_key, most

    def _fair_routes(self, searcher: Searcher, frame: _Frame, request: Amounts) -> list[_Bounded] | None:
        """The tournament's removals, where no request changes them: in a flat cohort, by a claim to nominal
        quota, of a queue that has no candidates itself."""
        arrays, ask = searcher.arrays, frame.ask
        if not arrays.cluster.settings.fair_sharing_preempt_within_nominal or len(searcher.path) != 2:
            return None
        if not frame.claims(request.values()):
            return None
        if 0 not in frame.routes:
            frame.routes[0] = self._tournament(searcher, ask)
        return frame.routes[0] or None

    def _tournament(self, searcher: Searcher, ask: Ask) -> list[_Bounded]:
        arrays, rows, policy, order = searcher.arrays, searcher.rows, searcher.policy, searcher.order
        forest, shared = arrays.layout.forest, arrays.work()
        fair.classify(forest, arrays.usage, ask, policy, shared)
        rounds, lined = fair.rounds_for(forest, 1), self._sorted
        rounds.charged[:] = arrays.usage
        route = _route(searcher, ask, shared, len(lined.by_queue), may_borrow=True)
        work = route.path.work._replace(keys=np.empty(len(lined.by_queue), np.int64))
        fair.line_up(lined.by_queue, lined.starts, forest, ask, work, rounds)
        route.path, route.rounds = path_of(route.path.steps, work), rounds
        fair.start(forest, rows, ask, policy, order, work, rounds)
        own = searcher.node
        return [] if rounds.next[own] < rounds.end[own] else [(route, len(lined.by_queue))]


def _uses_nominal(searcher: Searcher, ask: Ask) -> bool:
    """Whether the queue has no nominal quota left of something that is lacking."""
    used, nominal = searcher.arrays.usage[searcher.node], searcher.arrays.layout.forest.nominal[searcher.node]
    return bool((used[ask.needed] >= nominal[ask.needed]).any())


def _own_room(searcher: Searcher, ask: Ask) -> list[tuple[int, int]]:
    """As `_Frame.own`; what is not requested has the place -1."""
    used, nominal = searcher.arrays.usage[searcher.node], searcher.arrays.layout.forest.nominal[searcher.node]
    places = {at: place for place, at in enumerate(ask.at.tolist())}
    return [(places.get(at, -1), int(nominal[at]) - int(used[at])) for at in ask.needed.tolist()]


def _kept_room(arrays: Arrays, node: int, columns: list[int]) -> list[tuple[int, int]]:
    """As `_Frame.room` for one node."""
    found: list[tuple[int, int]] = arrays.asked_of(
        ("room", node, *columns), lambda: _room(arrays, node, columns)
    )
    return found


def _room(arrays: Arrays, node: int, columns: list[int]) -> list[tuple[int, int]]:
    forest, usage = arrays.layout.forest, arrays.usage
    made = []
    for at in columns:
        used = int(usage[node, at])
        left = max(0, minus(int(forest.local[node, at]), used))
        made.append((int(minus(int(forest.subtree[node, at]), used)), left))
    return made


def _route(searcher: Searcher, ask: Ask, shared: Work, count: int, *, may_borrow: bool) -> Route:
    arrays = searcher.arrays
    work = Work(
        usage=arrays.usage.copy(),
        group=shared.group.copy(),
        common=shared.common.copy(),
        keys=shared.keys[:0],
        rows=np.empty(count, np.int32),
        out=np.empty(count, np.int32),
        ground=np.empty(count, np.int8),
        share=np.empty(count, np.int8),
        node=shared.node,
        held=shared.held,
        ends=shared.ends,
        log=shared.log,
    )
    simple = bool(is_simple(arrays.layout.forest, ask))
    path = path_of(paths.steps_for(len(ask.at), count), work)
    return Route(searcher, ask, path, may_borrow, simple=simple)


def _seen(policy: Policy) -> Policy:
    """What of a policy decides who is a candidate and in which order, the rest blanked out."""
    if policy.within != WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY:
        policy = policy._replace(queued=0)
    return policy._replace(now=0) if policy.duration < 0 else policy
