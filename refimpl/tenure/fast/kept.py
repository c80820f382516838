"""What is kept for preemptors that see the same candidates: removals, by the kind of their question."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np

from tenure.fast import fair, paths
from tenure.fast.amounts import minus
from tenure.fast.arrays import Arrays
from tenure.fast.classical import classify
from tenure.fast.entries import Call, Path, Sorted, call_of, find_on_path, path_of, removed, walk_on
from tenure.fast.nodes import fill_back, is_simple, replay
from tenure.fast.rounds import Rounds, classify_fairly, line_up, rounds_for
from tenure.fast.search import NO_VICTIMS, Found, Searcher
from tenure.fast.supply import Supply, attempts_with, draw, gather_keys, supply_of
from tenure.fast.tables import ELSEWHERE, Array, Ask, SearchInput, Work
from tenure.model import (
    Amounts,
    BorrowWithinCohort,
    FlavorResource,
    WithinClusterQueue,
)

_FEWEST_DRAWN, _TIMES_AS_MANY = 64, 4
"""How many candidates are found at a time."""


@dataclass(slots=True)
class Route:
    """The removals of one attempt, as far as they have been needed.

    Args:
        searcher: whose policy holds.
        call: what kernels are called with.
        ask: the question, with the request that came first.
        path: the removals, in room of its own; the `rows` of its `work` are the candidates in their order.
        may_borrow: of the attempt.
        known: how many candidates are known.
        supply: where more come from; None where all are known.
        rounds: of the tournament under fair sharing; None in classical preemption.
        simple: whether the root alone decides who comes back.
        by_priority: whether they are all in the order of their priorities, and none is passed over.
        taken: how many removals are known.
    """

    searcher: Searcher
    call: Call
    ask: Ask
    path: Path
    may_borrow: bool
    known: int = 0
    supply: Supply | None = None
    rounds: Rounds | None = None
    simple: bool = False
    by_priority: bool = False
    taken: int = 0
    _position: int = 0
    _ended: bool = False

    def find(self, amount: Array, limit: int) -> Found | None:
        """The victims for a request; None where no set suffices.

        Args:
            amount: requested of each column, int64[c].
            limit: how many removals may be used, at most.
        """
        step, back = self._find(amount, limit)
        if step == self.taken < limit and not self._ended:
            self._go_on(amount)
            step, back = self._find(amount, limit)
        if step >= min(self.taken, limit):
            return None
        if not self.simple:
            return self._filled_back(step + 1, amount)
        return Found(*removed(self.path, step + 1, back), self.may_borrow, self.rounds is not None)

    def given(self, amount: Array) -> SearchInput:
        """The removals as one search, for kernels."""
        work = self.path.work
        return self.call.given(work.usage, amount, self.searcher.policy, work)

    def _find(self, amount: Array, limit: int) -> tuple[int, int]:
        return find_on_path(self.path, self.taken, limit, amount, self.may_borrow, self.simple)

    def _go_on(self, amount: Array) -> None:
        searcher = self.searcher
        if self.rounds is not None:
            self.taken = paths.walk_fairly(self.given(amount), self.rounds, self.taken, self.path.steps)
            self._ended = int(self.rounds.winner[self.ask.path[-1]]) < 0
            return
        while True:
            place = self._position, self.taken
            self._position, self.taken = walk_on(
                self.call, self.path, amount, searcher.policy, self.known, self.may_borrow, *place
            )
            if self._position < self.known:
                return
            if not self._draw():
                self._ended = True
                return

    def _draw(self) -> bool:
        """Have more candidates; whether there are any."""
        if self.supply is None:
            return False
        before = self.known
        wanted = max(_FEWEST_DRAWN, _TIMES_AS_MANY * before)
        self.known = int(draw(self.supply, self.given(self.ask.amount), wanted))
        return self.known > before

    def _filled_back(self, end: int, amount: Array) -> Found:
        """Who stays removed, found one by one on the tree."""
        searcher, ask, mine = self.searcher, self.ask._replace(amount=amount), self.path.work
        arrays = searcher.arrays
        forest, rows, work = arrays.layout.forest, searcher.rows, arrays.work()
        work.usage[:] = arrays.usage
        for name in ("out", "ground", "share"):
            getattr(work, name)[:end] = getattr(mine, name)[:end]
        work.held[: len(ask.at), :end] = self.path.steps.held[:, :end]
        replay(rows, forest, work.out[:end], ask.watched, work.usage, work.log)
        kept = fill_back(forest, rows, ask, self.may_borrow, end, work)
        rows_left, grounds, shares = (
            column[end - kept : end].copy() for column in (work.out, work.ground, work.share)
        )
        return Found(rows_left, grounds, shares, self.may_borrow, self.rounds is not None)


MOST_KEPT: Final = 2048
"""Kinds of preemptors, and kinds of their questions, that are kept at a time; beyond it all is made again."""

_Bounded: TypeAlias = tuple[Route, int]
"""An attempt, and how many of its removals may be used."""


@dataclass(slots=True)
class _Frame:
    """One kind of question: which flavor-resources are lacking and requested.

    Args:
        call: what kernels are called with.
        ask: the question, with the request that came first.
        room: what each node of the path has of its quota, and what it keeps of that for itself, by column.
        own: of each lacking column its place in the request, and what is left of the queue's nominal quota.
        routes: by how far up the request has an advantage, attempts with their routes.
    """

    call: Call
    ask: Ask
    room: list[list[tuple[int, int]]]
    own: list[tuple[int, int]]
    routes: dict[int, list[_Bounded]] = field(default_factory=dict)

    def claims(self, request: Iterable[int]) -> bool:
        """Whether the queue stays within its nominal quota of all that is lacking, the request included."""
        asked = (*request, 0)  # what is lacking and not requested is at the end
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


class Routes:
    """Everything kept for preemptors that see the same candidates.

    Args:
        sorted_rows: all rows in their order.
        above: searches for a preemptor of the same queue that is above every workload; None for such a one.
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
        return NO_VICTIMS

    def routes(
        self, searcher: Searcher, needed: Collection[FlavorResource], request: Amounts
    ) -> list[_Bounded] | None:
        """The attempts for a question; None where nothing can be kept for it."""
        if self._changes != searcher.arrays.changes:  # another column: every position has changed
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
            frame.routes[level] = shared or self._classical_routes(searcher, frame, request)
        return frame.routes[level]

    def _shared(
        self, searcher: Searcher, needed: Collection[FlavorResource], request: Amounts
    ) -> list[_Bounded] | None:
        """The beginning of what a higher priority may take, where that is all in order of priority."""
        if self._above is None or not isinstance(self._above.keeper, Routes):
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
            call = call_of(arrays, searcher.rows, searcher.order, searcher.kind(needed, request))
            made = _Frame(call, ask, room, _own_room(searcher, ask))
        if self._changes != arrays.changes:
            self._frames.clear()
            self._changes = arrays.changes
        self._frames[key] = made
        return made

    def _classical_routes(self, searcher: Searcher, frame: _Frame, request: Amounts) -> list[_Bounded]:
        ask = frame.ask._replace(amount=np.fromiter(request.values(), np.int64, len(request)))
        arrays, policy = searcher.arrays, searcher.policy
        given = frame.call.given(arrays.usage, ask.amount, policy)
        work = given.work
        classify(given)
        if policy.borrow == BorrowWithinCohort.NEVER and _uses_nominal(searcher, ask):
            # There is one attempt, which borrows, and none of these is in it.
            work.group[work.group == ELSEWHERE] = -1
        offered = self._offered(searcher, work)
        supply = supply_of(offered)
        elsewhere, may_borrow, again = attempts_with(supply, given)
        which = (may_borrow, not may_borrow) if again else (may_borrow,)
        made = [
            _route(searcher, frame.call, ask, work, len(offered), may_borrow=bool(borrowing))
            for borrowing in which
        ]
        for route in made:
            self._supply(route, supply, elsewhere=bool(elsewhere))
        return [(route, len(offered)) for route in made]

    def _supply(self, route: Route, supply: Supply, *, elsewhere: bool) -> None:
        """Where a route's candidates come from: they are all there, or are found as they are needed."""
        searcher, given = route.searcher, route.given(route.ask.amount)
        rows, policy, work = given.rows, given.policy, given.work
        if policy.duration >= 0:  # equals that have exceeded their time come before the others
            keyed = work._replace(keys=searcher.arrays.work().keys)
            route.known = int(gather_keys(supply, given._replace(work=keyed)))
            by_key = np.argsort(keyed.keys[: route.known], kind="stable")
            work.rows[: route.known] = work.rows[: route.known][by_key]
        elif policy.within == WithinClusterQueue.LOWER_PRIORITY and not elsewhere:
            route.known = int(draw(supply, given, len(supply.offered)))
            route.by_priority = not rows.evicted[work.rows[: route.known]].any()
        else:
            route.supply = supply._replace(stage=supply.stage.copy())

    def _offered(self, searcher: Searcher, work: Work) -> Array:
        """Rows by their keys among which all candidates are."""
        top = int(searcher.path[-1])
        most = int(searcher.arrays.layout.forest.end[top])
        looked_into = np.flatnonzero(work.group[top:most] >= 0) + top
        alone = len(looked_into) == 1
        return self._sorted.of(int(looked_into[0])) if alone else self._sorted.by_key

    def _fair_routes(self, searcher: Searcher, frame: _Frame, request: Amounts) -> list[_Bounded] | None:
        """The tournament's removals, where no request changes them: in a flat cohort, by a claim to nominal
        quota, of a queue that has no candidates itself."""
        arrays = searcher.arrays
        if not arrays.cluster.settings.fair_sharing_preempt_within_nominal or len(searcher.path) != 2:
            return None
        if not frame.claims(request.values()):
            return None
        if 0 not in frame.routes:
            frame.routes[0] = self._tournament(searcher, frame)
        return frame.routes[0] or None

    def _tournament(self, searcher: Searcher, frame: _Frame) -> list[_Bounded]:
        ask, arrays, lined = frame.ask, searcher.arrays, self._sorted
        shared = frame.call.given(arrays.usage, ask.amount, searcher.policy)
        classify_fairly(shared)
        rounds = rounds_for(shared.forest, 1)
        rounds.charged[:] = arrays.usage
        route = _route(searcher, frame.call, ask, shared.work, len(lined.by_queue), may_borrow=True)
        work = route.path.work._replace(keys=np.empty(len(lined.by_queue), np.int64))
        route.path, route.rounds = path_of(route.path.steps, work), rounds
        given = route.given(ask.amount)
        line_up(lined.by_queue, lined.starts, given, rounds)
        fair.start(given, rounds)
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


def _route(searcher: Searcher, call: Call, ask: Ask, shared: Work, count: int, *, may_borrow: bool) -> Route:
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
    return Route(searcher, call, ask, path, may_borrow, simple=simple)
