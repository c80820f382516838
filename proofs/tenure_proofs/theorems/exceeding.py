"""Which ClusterQueues the search of `spec.preemption` looks into, and which cohort each has in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import z3

from tenure.oracle.classical import NOWHERE, common_cohorts
from tenure_proofs.theorems.decision import Told
from tenure_proofs.theorems.layout import AFTER, ON_PATH, UPWARDS
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


def _path(place: Any) -> tuple[Any, ...]:
    """The path of a node, as far as an arbitrary one is on it."""
    on_path_above = z3.And(place != 0, _contains(ANY, _above(place)))
    return _is_there(place), ANY, place, _contains(ANY, place), on_path_above


def _upwards(place: Any) -> tuple[Any, ...]:
    """Of the path of the preemptor's ClusterQueue."""
    return _is_there(place), place == 0, _around(place), _around(0), _around(_above(place))


def _stops(place: Any) -> z3.BoolRef:
    return z3.Not(z3.Or(_around(place), _exceeds(place)))


@theorem("PO-ANY-365", size="any tree, any number of ClusterQueues in it")
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
        everywhere=everywhere(
            (AFTER, lambda place: (place, _above(place), COUNT)), (ON_PATH, _path), (UPWARDS, _upwards)
        ),
        points=lambda place, steps, _: [place, steps, _above(steps)],
        ghosts={"$barrier": Ghost(z3.K(z3.IntSort(), z3.IntVal(0)), noted)},
    )
    yield from by_induction(loop, contract)
