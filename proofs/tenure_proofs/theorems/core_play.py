"""The optimized core, fair sharing: rounds of the tournament, one after the other, and the whole search."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import z3

from tenure.fast import fair
from tenure.fast.rounds import Strategies
from tenure.fast.tables import FINAL_SHARE, INITIAL_SHARE, NONE
from tenure.rules import share as rules
from tenure_proofs.theorems.core_rounds import (
    FALSE,
    FIND_NEXT,
    FLOATS,
    LEAVE_CHARGED,
    ON_SHARES,
    ORDERED,
    UNDO,
    share_without,
)
from tenure_proofs.theorems.core_steps import INT, Contents, Run, Step, either, same, together
from tenure_proofs.theorems.core_tournament import (
    BEFORE,
    CANDIDATES,
    COMPARING,
    FACTS,
    NODE,
    ROUNDS,
    SEARCH,
    TREES,
    WORK,
    between_nodes,
)
from tenure_proofs.theorems.core_world import (
    ARRAYS,
    ASK,
    NODES,
    SIZE,
    flag,
    handed,
    said,
    seeing,
)
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.trusted.ast_lifter import Made
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.kernels import POINT, Invariant, Law, read_kernel
from tenure_proofs.trusted.loops import State, Way
from tenure_proofs.trusted.symbols import SymBool, SymInt, as_term

HOW = Made(Strategies, {name: flag(name) for name in Strategies._fields})
INITIAL = HOW.fields["initial"].term
REJECT = Step(
    "rejecting",
    (WORK, ROUNDS, int),
    BEFORE,
    reads=("keys", "candidates", "next", "rejected", "start"),
    writes=("keys", "candidates", "next", "rejected"),
)
TURNS = (*ORDERED, "rejected", "charged", "log")
BESIDE = [z3.Function(f"the {side} below the common cohort", INT, INT) for side in ("own node", "other node")]


def beside(_: State, forest: Any, ask: Any, tournament: Any, node: Any) -> Any:
    handed((forest, TREES), (ask, ASK), (tournament, ROUNDS))
    return tuple(SymInt(side(node.term)) for side in BESIDE)


def sides(node: Any) -> tuple[Any, Any]:
    """The two nodes whose shares are compared, as terms: those of PO-ANY-578."""
    return BESIDE[0](node), BESIDE[1](node)


def stored(contents: Contents, name: str, place: Any, value: Any) -> Contents:
    return {**contents, name: z3.Store(contents[name], place, value)}


def without_next(contents: Contents, node: Any) -> tuple[Any, Contents, Any]:
    """Who is next in a queue, what there is once that one has left what is charged, and cells of the log."""
    row = contents["candidates"][contents["next"][node]]
    told = (row, FALSE)
    return row, LEAVE_CHARGED.after(contents, *told), LEAVE_CHARGED.result(contents, *told)


def turn_over(contents: Contents, node: Any) -> Contents:
    """Its turn is over: the next one waits."""
    return stored(contents, "next", node, contents["next"][node] + 1)


def waits(contents: Contents, node: Any) -> Any:
    """That the next one of a queue is a row, at a place that there is."""
    turn = contents["next"][node]
    row = contents["candidates"][turn]
    inside = z3.And(turn >= 0, turn < CANDIDATES, row >= 0, row < SIZE)
    return z3.Implies(turn < contents["end"][node], inside)


def _compared(contents: Contents, node: Any) -> Any:
    """How the preemptor's share compares at a candidate's turn by the first strategy."""
    _, left, __ = without_next(contents, node)
    return z3.If(INITIAL, between_nodes(*sides(node)), share_without(left, *sides(node)))


def _allowed(contents: Contents, node: Any) -> Any:
    """KQ-430 or KQ-420 of the next candidate of a queue."""
    share = SymInt(_compared(contents, node))
    before, after = said(rules.passes_initial_share, share=share), said(rules.passes_final_share, share=share)
    return z3.If(INITIAL, before, after)


def _rejected(contents: Contents, node: Any) -> Contents:
    """What there is once the next candidate has come back and is kept for the second strategy."""
    _, left, known = without_next(contents, node)
    return FIND_NEXT.after(REJECT.after(UNDO.after(left, known), node), node)


@theorem(
    "PO-ANY-584",
    about=(fair._visit,),
    size="any number of candidates",
    assumes={
        **ARRAYS,
        **FLOATS,
        "which nodes are compared": "PO-ANY-578",
        "how shares compare": "PO-ANY-574",
        "what one workload's leaving writes": "PO-ANY-490",
        "who is rejected waits for the second strategy": "PO-ANY-480",
        "whose turn it is then": "PO-ANY-568",
        "whether a share falls below whoever leaves": "PO-ANY-582",
    },
)
def a_visit_takes_the_first_candidate_of_a_queue_that_the_first_strategy_allows(
    visit: Any = fair._visit,
) -> Iterator[Part]:
    """KQ-420 and KQ-430 are asked of each in turn; those before it come back and are rejected.

    Where no candidate of the queue could be allowed, only the first is rejected, and none waits any more: the
    second strategy looks at the first one only.
    """
    node, run = NODE.term, Run("visiting", BEFORE, TURNS)
    lowers = z3.Bool("the share falls below whoever leaves")
    before = between_nodes(*sides(node))
    hopeless = z3.If(INITIAL, before >= 0, z3.And(HOW.fields["lowers"].term, lowers))

    def lowering(_: State, given: Any, tournament: Any, *nodes: Any) -> SymBool:
        handed((given, SEARCH), (tournament, ROUNDS), (nodes[0], NODE))
        asked = z3.And(nodes[1].term == sides(node)[0], nodes[2].term == sides(node)[1])
        return SymBool(z3.If(asked, lowers, z3.Not(lowers)))

    def one_more(step: Any, _: State) -> list[Any]:
        return [run.goes_on(step, _rejected(run(step), node)), waits(run(step), node)]

    def holds(steps: Any, _: State, here: State, point: Any) -> Labelled:
        turned_down = z3.And(
            run(point)["next"][node] < BEFORE["end"][node], z3.Not(_allowed(run(point), node))
        )
        return together(
            "what is so far",
            [
                *same(here, run.of(steps)),
                ("those before are rejected", z3.Implies(z3.And(point >= 0, point < steps), turned_down)),
            ],
        )

    def says(way: Way) -> Labelled:
        row, ground, share = (as_term(part, int) for part in way.value)
        nothing = z3.And(row == -1, ground == NONE, share == 0)
        if "#0" not in way.names:
            none_waits = stored(REJECT.after(BEFORE, node), "next", node, BEFORE["end"][node])
            return [("no candidate", z3.And(nothing, hopeless)), *same(way.names, none_waits)]
        steps = way.names["#0"].term
        now = run(steps)
        allowed = z3.And(now["next"][node] < now["end"][node], _allowed(now, node))
        found, left, _ = without_next(now, node)
        right = z3.If(INITIAL, INITIAL_SHARE, FINAL_SHARE)
        taken = z3.And(row == found, ground == right, share == _compared(now, node))
        over = z3.And(nothing, now["next"][node] >= now["end"][node])
        return [
            ("the first that is allowed, or none waits", z3.If(allowed, taken, over)),
            ("not where it is hopeless", z3.Not(hopeless)),
            *same(way.names, either(allowed, turn_over(left, node), now)),
        ]

    laws = {"move": LEAVE_CHARGED.law, "undo": UNDO.law, "reject": REJECT.law, "find_next": FIND_NEXT.law}
    side = [z3.And(term >= 0, term < NODES) for term in sides(node)]
    yield from read_kernel(
        seeing(
            visit,
            beside_common=Law(beside),
            against=COMPARING,
            _lowers_all=Law(lowering),
            **laws,
            **ON_SHARES,
        ),
        {"given": SEARCH, "rounds": ROUNDS, "node": NODE, "how": HOW},
        says,
        rooms=BEFORE,
        facts=(*FACTS, *side, run.begins(BEFORE)),
        loops=[Invariant(holds, points=lambda steps, _: [POINT, steps], everywhere=one_more)],
    )
