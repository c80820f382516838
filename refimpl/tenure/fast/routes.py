"""Kept removals, one route for each kind of question, and where a request stops on it."""

from __future__ import annotations

from dataclasses import dataclass

from tenure.fast import paths
from tenure.fast.entries import Call, Path, find_on_path, removed, walk_on
from tenure.fast.nodes import fill_back, replay
from tenure.fast.rounds import Rounds
from tenure.fast.search import Found, Searcher
from tenure.fast.supply import Supply, draw
from tenure.fast.tables import Array, Ask, SearchInput

_FEWEST_DRAWN, _TIMES_AS_MANY = 64, 4
"""How many candidates are found at a time."""


@dataclass(slots=True)
class Route:
    """The removals of one attempt, as far as somebody has needed them.

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
        by_priority: whether they all stand in the order of their priorities, and nobody is passed over.
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
        """Who leaves for a request; None where nobody suffices.

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
            each[end - kept : end].copy() for each in (work.out, work.ground, work.share)
        )
        return Found(rows_left, grounds, shares, self.may_borrow, self.rounds is not None)
