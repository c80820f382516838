"""The optimized core, fair sharing: rounds one after the other by each strategy, and the whole search."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import z3

from tenure.fast import fair
from tenure.fast.rounds import NO_NODE
from tenure.fast.tables import INITIAL_SHARE, WITHIN_NOMINAL
from tenure.rules import share as rules
from tenure_proofs.theorems.core_play import (
    HOW,
    TURNS,
    beside,
    sides,
    stored,
    turn_over,
    waits,
    without_next,
)
from tenure_proofs.theorems.core_rounds import (
    FALSE,
    FIND_WINNER,
    LEAVE_CHARGED,
    ORDERED,
    SHARED,
)
from tenure_proofs.theorems.core_steps import INT, Contents, Run, Step, either, same, together
from tenure_proofs.theorems.core_tournament import (
    BEFORE,
    COMPARING,
    FACTS,
    ROUNDS,
    SEARCH,
    between_nodes,
)
from tenure_proofs.theorems.core_tree import ENDS
from tenure_proofs.theorems.core_world import (
    ARRAYS,
    ASK,
    NODES,
    ROWS,
    SIZE,
    TOP,
    flag,
    handed,
    number,
    said,
    seeing,
)
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.kernels import POINT, Invariant, Law, read_kernel
from tenure_proofs.trusted.loops import State, Way
from tenure_proofs.trusted.symbols import SymInt, as_term

VICTIMS = ("usage", "log", "out", "grounds", "shares of victims", "held")
PLAYED = (*ORDERED, *SHARED, *VICTIMS, "winner", "rejected", "charged")
VISIT = Step(
    "a visit",
    (SEARCH, ROUNDS, int, HOW),
    BEFORE,
    reads=(*TURNS, *SHARED, "start", "end", "groups", "on_path"),
    writes=TURNS,
    returns=(int, int, int),
)
TAKE = Step("taking", (SEARCH, int, int, int, int), BEFORE, reads=VICTIMS, writes=VICTIMS, returns=(bool,))
REFRESH = Step(
    "refreshing",
    (SEARCH, ROUNDS, int, bool),
    BEFORE,
    reads=(*ORDERED, *SHARED, "end", "groups", "charged", "winner", "on_path"),
    writes=(*ORDERED, *SHARED, "winner"),
)
AGAIN = Step(
    "waiting again",
    (SEARCH, ROUNDS),
    BEFORE,
    reads=("next", "end", "settled", "start", "rejected"),
    writes=("next", "end", "settled"),
)
OWN, OWN_GROUND = ASK.fields["own"].term, z3.Function("the ground in the preemptor's ClusterQueue", INT, INT)
FEW = 2**31


def _own_ground(_: State, rows: Any, row: Any, policy: Any) -> SymInt:
    handed((rows, ROWS), (policy, SEARCH.fields["policy"]))
    return SymInt(OWN_GROUND(row.term))


ROUND_LAWS = {"move": LEAVE_CHARGED.law, "_take": TAKE.law, "refresh": REFRESH.law}
TAKEN = z3.Function("taken before a round", INT, INT)
CLAIMS = flag("the preemptor claims its nominal quota")


def _visited(now: Contents) -> tuple[Any, Contents, Any]:
    """By the first strategy: row, ground and share of who leaves in a round, and what there is then."""
    node = now["winner"][TOP]
    direct = z3.Or(node == OWN, CLAIMS.term)
    row, left, _ = without_next(now, node)
    ground = z3.If(node == OWN, OWN_GROUND(row), WITHIN_NOMINAL)
    found = [VISIT.result(now, node, place=place) for place in range(3)]
    told = [z3.If(direct, one, other) for one, other in zip((row, ground, 0), found, strict=True)]
    return told, either(direct, turn_over(left, node), VISIT.after(now, node)), told[0] >= 0


def _looked_at(now: Contents) -> tuple[Any, Contents, Any]:
    """The same by the second strategy, KQ-430: of a queue only its first, and it is not visited again."""
    node = now["winner"][TOP]
    share = between_nodes(*sides(node), now)
    row, none_waits = now["candidates"][now["next"][node]], stored(now, "next", node, now["end"][node])
    allowed = said(rules.passes_initial_share, share=SymInt(share))
    then = either(allowed, LEAVE_CHARGED.after(none_waits, row, FALSE), none_waits)
    return [row, z3.IntVal(INITIAL_SHARE), share], then, allowed


class _Rounds:
    """One round after the other: of the queue whose turn it is one candidate leaves, or none does.

    Args:
        visited: who leaves in a round, what there is then, and whether one does.
        run: what is in the arrays before each round.
        loop: which loop of its kernel it is.
    """

    def __init__(self, visited: Any, run: Run, loop: str) -> None:
        self.visited, self.run, self.loop = visited, run, loop

    def goes_on(self, step: Any, _: State) -> list[Any]:
        now = self.run(step)
        node = now["winner"][TOP]
        told, left, leaves = self.visited(now)
        taken = (told[0], TAKEN(step), *told[1:])
        after = REFRESH.after(either(leaves, TAKE.after(left, *taken), left), node, leaves)
        there = z3.And(node >= NO_NODE, node < NODES, TAKEN(step) >= 0, TAKEN(step) < FEW, told[0] < SIZE)
        some = z3.And(now["next"][node] < now["end"][node], waits(now, node))
        more = TAKEN(step + 1) == TAKEN(step) + z3.If(leaves, 1, 0)
        return [there, z3.Implies(node != NO_NODE, z3.And(some, more, self.run.goes_on(step, after)))]

    def ends(self, step: Any) -> tuple[Any, Any, Contents]:
        """Whether it is no queue's turn, or the request fits once one is taken; and what there is then."""
        now = self.run(step)
        told, left, leaves = self.visited(now)
        taken = (told[0], TAKEN(step), *told[1:])
        done = z3.And(leaves, TAKE.result(left, *taken))
        over = now["winner"][TOP] == NO_NODE
        return over, done, either(over, now, TAKE.after(left, *taken))

    def holds(self, steps: Any, _: State, here: State, point: Any) -> Labelled:
        over, done, _after = self.ends(point)
        before = z3.Implies(z3.And(point >= 0, point < steps), z3.Not(z3.Or(over, done)))
        taken = as_term(here["taken"], int) == TAKEN(steps)
        return together(
            "what is so far",
            [*same(here, self.run.of(steps)), ("taken so far", taken), ("none before is the last", before)],
        )

    def says(self, way: Way) -> Labelled:
        steps = way.names[self.loop].term
        over, done, after = self.ends(steps)
        taken, fits = as_term(way.value[0], int), as_term(way.value[1], bool)
        before = z3.And(POINT >= 0, steps > POINT)
        ended = self.ends(POINT)
        return together(
            "the last round",
            [
                ("none is left, or it fits", z3.Or(over, done)),
                ("whether it fits", fits == z3.Not(over)),
                ("how many are taken", taken == TAKEN(steps) + z3.If(over, 0, 1)),
                ("no round before it is the last", z3.Implies(before, z3.Not(z3.Or(*ended[:2])))),
                *same(way.names, after),
            ],
        )

    @property
    def invariant(self) -> Invariant:
        return Invariant(self.holds, points=lambda steps, _: [POINT, steps], everywhere=self.goes_on)


@theorem(
    "PO-ANY-586",
    about=(fair.play, fair.play_again),
    size="any number of rounds",
    assumes={
        **ARRAYS,
        "whose turn it is": "PO-ANY-576",
        "what a visit comes to": "PO-ANY-584",
        "what it writes to take one": "PO-ANY-582",
        "shares and winners are found again": "PO-ANY-580",
        "who was rejected waits again": "PO-ANY-487",
        "no more are taken than there are": "PO-ANY-110",
    },
)
def round_by_round_the_queue_whose_turn_it_is_is_visited_until_the_request_fits_or_none_is_left(
    play: Any = fair.play, play_again: Any = fair.play_again
) -> Iterator[Part]:
    """By the first strategy; of the preemptor's ClusterQueue, and under KQ-410 of any, the next one leaves.

    By the second one each queue of rejected candidates is visited once: KQ-430 is asked of its first.
    """
    first = _Rounds(_visited, Run("playing", BEFORE, PLAYED), "#0")
    yield from read_kernel(
        seeing(play, _visit=VISIT.law, own_ground=Law(_own_ground), **ROUND_LAWS),
        {"given": SEARCH, "rounds": ROUNDS, "claims": CLAIMS, "how": HOW},
        first.says,
        rooms=BEFORE,
        facts=(*FACTS, TAKEN(0) == 0, first.run.begins(BEFORE)),
        loops=[first.invariant],
    )
    taken = number("taken before", 0, FEW)
    finding = Run("finding all winners", AGAIN.after(BEFORE), ("winner",))
    second = _Rounds(_looked_at, Run("playing again", finding(ENDS - TOP), PLAYED), "#1")

    def one_more(step: Any, _: State) -> list[Any]:
        return [finding.goes_on(step, FIND_WINNER.after(finding(step), ENDS - 1 - step))]

    winners = Invariant(
        lambda steps, _, here, __: same(here, finding.of(steps)),
        points=lambda steps, _: [steps],
        everywhere=one_more,
    )

    def sides_there(step: Any, here: State) -> list[Any]:
        node = second.run(step)["winner"][TOP]
        inside = [z3.And(side >= 0, side < NODES) for side in sides(node)]
        return [*second.goes_on(step, here), *inside]

    laws = {"wait_again": AGAIN.law, "find_winner": FIND_WINNER.law, "against": COMPARING}
    yield from read_kernel(
        seeing(play_again, beside_common=Law(beside), **laws, **ROUND_LAWS),
        {"given": SEARCH, "rounds": ROUNDS, "taken": taken},
        second.says,
        rooms=BEFORE,
        facts=(
            *(*FACTS, TOP < ENDS, ENDS <= NODES, TAKEN(0) == taken.term),
            finding.begins(finding.before),
            second.run.begins(second.run.before),
        ),
        loops=[
            winners,
            Invariant(second.holds, points=lambda steps, _: [POINT, steps], everywhere=sides_there),
        ],
    )
