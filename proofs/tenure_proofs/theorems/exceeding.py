"""Which ClusterQueues the search of `spec.preemption` looks into, and which cohort each has in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import z3

from tenure.oracle.classical import NOWHERE, common_cohorts
from tenure_proofs.theorems.decision import Told
from tenure_proofs.theorems.layout import BY, LAID_OUT, after_the_one_above, goes_up, on_path
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.theorems.taken import everywhere
from tenure_proofs.theorems.tree import USAGE
from tenure_proofs.trusted.ast_lifter import Value
from tenure_proofs.trusted.induction import Contract, Ghost, Labelled, Part, by_induction
from tenure_proofs.trusted.loops import Cells, Loop, Row, State
from tenure_proofs.trusted.symbols import SymBool, SymInt

COUNT, ANY = z3.Ints("nodes any_node")
_above = z3.Function("place of the node above", z3.IntSort(), z3.IntSort())
_contains = z3.Function("is the node or above it", z3.IntSort(), z3.IntSort(), z3.BoolSort())
_around = z3.Function("contains the ClusterQueue of the preemptor", z3.IntSort(), z3.BoolSort())
_exceeds = z3.Function("exceeds its quota", z3.IntSort(), z3.BoolSort())


def _is_there(place: Any) -> z3.BoolRef:
    return z3.And(place >= 0, place < COUNT)


def _laid_out(place: Any) -> z3.BoolRef:
    """The path of a node, and that of the preemptor's ClusterQueue."""
    above, is_root = _above(place), place == 0
    path = on_path(ANY, place, _contains(ANY, place), z3.And(z3.Not(is_root), _contains(ANY, above)))
    up = goes_up(is_root, _around(place), _around(0), _around(above))
    links = z3.Implies(is_root, above == 0)
    return z3.And(
        after_the_one_above(place, above, COUNT), z3.Implies(_is_there(place), z3.And(path, up, links))
    )


def _stops(place: Any) -> z3.BoolRef:
    return z3.Not(z3.Or(_around(place), _exceeds(place)))


@theorem("PO-ANY-365", about=(common_cohorts,), size="any tree, any number of ClusterQueues in it")
def a_queue_is_looked_into_exactly_if_it_and_all_below_the_lowest_common_cohort_exceed_their_quota(
    function: Callable[..., Any] = common_cohorts,
) -> Iterator[Part]:
    """Kueue main of August 2026, classical preemption: subtrees within their quota are skipped.

    The node in common contains both, and whatever contains both contains it. Where there is none, a node
    that contains the ClusterQueue and not the preemptor's is within its quota. By induction from the root
    down: a node comes after the node above it.
    """
    loop = Loop(
        function,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
        links=Row(lambda at: (SymInt(at), SymInt(_above(at)), SymBool(_around(at))), COUNT),
        common=Cells(z3.Const("common", USAGE), COUNT),
        exceeds=Told(1, bool, _exceeds),
    )

    def said(common: Any, barrier: Any, place: Any, last: Any) -> Labelled:
        lowest, stop, holds = common[place], barrier[place], _contains(ANY, place)
        inside = z3.And(place >= 0, place < last)
        reached, not_reached = z3.And(inside, lowest != NOWHERE), z3.And(inside, lowest == NOWHERE)
        of_both = z3.Implies(z3.And(holds, _around(ANY)), _contains(ANY, lowest))
        between = z3.Implies(z3.And(holds, z3.Not(_around(ANY))), _exceeds(ANY))
        goals = [
            ("what it has in common", reached, z3.And(_is_there(lowest), _around(lowest))),
            ("contains it", reached, z3.Implies(lowest == ANY, holds)),
            ("whatever contains both contains that", reached, of_both),
            ("all below that exceed their quota", reached, between),
            ("one is within its quota", not_reached, _stops(stop)),
            ("and contains it", not_reached, z3.Implies(stop == ANY, holds)),
            (
                "and what contains the preemptor's",
                inside,
                z3.Implies(z3.And(holds, _around(place)), _around(ANY)),
            ),
        ]
        return [(label, z3.Implies(when, goal)) for label, when, goal in goals]

    def invariant(steps: Any, state: State, place: Any) -> Labelled:
        return said(state["common"].term, state["$barrier"], place, steps)

    def result(value: Value, state: State, place: Any, *_: Any) -> Labelled:
        return said(value.term, state["$barrier"], place, COUNT)

    def noted(state: State, link: Value) -> Any:
        place, above, _ = (part.term for part in link)
        barrier = state["$barrier"]
        return z3.Store(barrier, place, z3.If(_stops(place), place, barrier[above]))

    contract = Contract(
        invariant,
        result,
        everywhere=everywhere((LAID_OUT, BY, _laid_out)),
        points=lambda place, steps, _: [place, steps, _above(steps)],
        ghosts={"$barrier": Ghost(z3.K(z3.IntSort(), z3.IntVal(0)), noted)},
    )
    yield from by_induction(loop, contract)
