"""Which ClusterQueues the search of `spec.preemption` looks into, and which cohort each has in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import z3

from tenure.oracle import classical
from tenure.oracle.classical import NOWHERE, common_cohorts
from tenure.oracle.question import ELSEWHERE, WITH_ADVANTAGE, Question
from tenure.oracle.snapshot import Snapshot
from tenure.oracle.tree import Node, Tree
from tenure_proofs.theorems.decision import Told, handed, seeing
from tenure_proofs.theorems.layout import AFTER, ON_PATH, TOKENS, UPWARDS
from tenure_proofs.theorems.registry import PYTHON, theorem
from tenure_proofs.theorems.standins import BOOL, INT, known_as, telling, token, truth_of
from tenure_proofs.theorems.taken import everywhere, known
from tenure_proofs.theorems.tree import USAGE
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.defined import Recursion
from tenure_proofs.trusted.induction import Contract, Ghost, Labelled, Part, by_induction
from tenure_proofs.trusted.loops import Cells, Grown, Loop, Row, State, Way
from tenure_proofs.trusted.procedures import POINT, Invariant, Law, Table
from tenure_proofs.trusted.specified import Conclusion, Specification, Taken
from tenure_proofs.trusted.symbols import SymBool, SymInt, SymOptional, SymToken, as_term

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


def _in_common(lowest: Any, place: Any) -> z3.BoolRef:
    holds = _contains(ANY, place)
    both = z3.Implies(z3.And(holds, _around(ANY)), _contains(ANY, lowest))
    return z3.Implies(
        z3.And(_is_there(place), lowest != NOWHERE),
        z3.And(_is_there(lowest), _around(lowest), both, _all_exceed(place)),
    )


def _all_exceed(place: Any) -> z3.BoolRef:
    """Whatever contains a node, or is it, and does not contain the preemptor's ClusterQueue."""
    return z3.Implies(z3.And(_contains(ANY, place), z3.Not(_around(ANY))), _exceeds(ANY))


BY = "PO-ANY-365"
COMMON = Conclusion(BY, "all below the lowest common cohort exceed their quota", _in_common)
OWN_PLACE, _COMMON = z3.Int("place of the preemptor's ClusterQueue"), z3.Const("cohorts in common", USAGE)
_is_queue = z3.Function("is a ClusterQueue", INT, BOOL)
_advantage = z3.Function("the preemptor has an advantage there", INT, BOOL)
SOMEWHERE, ADVANTAGES = z3.Bool("an_advantage"), token("advantages")
ANY_OF_THEM = ("`any` of the values of a dict is true where one of them is", PYTHON)
_kin = telling("how two ClusterQueues are related", known_as, known_as, known_as)
_NODES = Table(lambda at: Made(Node, {"queue": SymOptional(SymBool(_is_queue(at)), token("queue"))}), COUNT)
_SNAPSHOT = {"heroes": token("heroes"), "place": SymInt(OWN_PLACE), "tree": Made(Tree, {"nodes": _NODES})}
QUESTION = Made(Question, {"snapshot": Made(Snapshot, _SNAPSHOT), "": token("question")})


def facts_of(offer: Value) -> State:
    """What an offer says, by name, also where a token stands for it."""
    if isinstance(offer, Made):
        return offer.fields
    flags = ("over_quota", "advantage", "by_share")
    kinds = {**dict.fromkeys(("place", "group", "common", "kin"), int), **dict.fromkeys(flags, bool)}
    sorts = {int: (INT, SymInt), bool: (BOOL, SymBool)}
    return {
        name: sorts[kind][1](z3.Function(f"{name} of an offer", INT, sorts[kind][0])(offer.term))
        for name, kind in kinds.items()
    }


def _told(given: State, offer: Value) -> Labelled:
    found, advantage = facts_of(offer), truth_of(_there(given["advantage"]))
    same = [as_term(found[name], int) == given[handed_on].term for name, handed_on in _HANDED_ON.items()]
    kin = _kin(token("heroes"), SymInt(OWN_PLACE), given["place"]).term
    return [
        ("its place, and the cohort", z3.And(*same)),
        ("its group", as_term(found["group"], int) == z3.If(advantage, WITH_ADVANTAGE, ELSEWHERE)),
        ("its advantage", truth_of(found["advantage"]) == advantage),
        ("beyond its quota", z3.And(truth_of(found["over_quota"]), z3.Not(truth_of(found["by_share"])))),
        ("how it is related", known_as(found["kin"]) == kin),
    ]


_HANDED_ON = {"place": "place", "common": "cohort"}


def _there(value: Value) -> Value:
    return value.value if isinstance(value, SymOptional) else value


OFFER = Specification(
    BY,
    "what is offered of a ClusterQueue is what is known of it",
    classical._offer_elsewhere,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
    {
        "question": QUESTION,
        **{name: SymInt(z3.Int(name)) for name in ("place", "cohort")},
        "advantage": SymBool(z3.Bool("advantage")),
    },
    lambda _, part: part("offer", SymToken),
    _told,
)


def _is_above(cohort: Any) -> z3.BoolRef:
    """Whether a node is a cohort above the preemptor's ClusterQueue."""
    return z3.And(_is_there(cohort), _around(cohort), cohort != OWN_PLACE)


def _reached(place: Any) -> z3.BoolRef:
    return z3.And(_is_queue(place), _is_above(_COMMON[place]))


def _place_of(offers: Any, number: Any) -> Any:
    return as_term(facts_of(SymToken(offers[number]))["place"], int)


def _offered(_: State, value: Value, number: Any) -> Labelled:
    found = facts_of(SymToken(value.term[number]))
    place, common, group = (as_term(found[name], int) for name in ("place", "common", "group"))
    inside, has = z3.And(number >= 0, number < value.size), _advantage(common)
    goals = [
        ("a ClusterQueue that is reached", z3.And(_is_there(place), _reached(place))),
        ("with its lowest common cohort", common == _COMMON[place]),
        ("it and all below that exceed their quota", _all_exceed(place)),
        ("with the advantage there", z3.And(truth_of(found["advantage"]) == has, z3.Implies(has, SOMEWHERE))),
        ("in the group of that", group == z3.If(has, WITH_ADVANTAGE, ELSEWHERE)),
        ("in their order", z3.Implies(number > 0, _place_of(value.term, number - 1) < place)),
    ]
    return [(label, z3.Implies(inside, goal)) for label, goal in goals]


OFFERED = Specification(
    BY,
    "each ClusterQueue that is offered, and all below the lowest common cohort, exceed their quota",
    classical._offers_elsewhere,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
    {"question": QUESTION},
    lambda _, part: Grown(part("offers", TOKENS), part("size", int).term),
    lambda *_: [],
    at=_offered,
)
MANY = Recursion(
    z3.Function("how many are reached", INT, INT),
    "how many are reached",
    lambda: 0,
    lambda at, before: before + z3.If(_reached(at), 1, 0),
)


def advantages(_: State, question: Value) -> Made:
    """What stands for the advantages around the ClusterQueue of the preemptor, by the cohort's place."""
    handed((question, QUESTION))

    def at(_: State, cohort: Value) -> SymOptional:
        there, has = _is_above(cohort.term), _advantage(cohort.term)
        known(Taken(z3.Implies(z3.And(there, has), SOMEWHERE), *ANY_OF_THEM))
        return SymOptional(SymBool(there), SymBool(has))

    return Made(dict, {"get": Law(at), "values": Law(lambda _: ADVANTAGES)})


def _offering(function: Callable[..., Any], offer: Callable[..., Any]) -> Iterator[Part]:
    """Which ClusterQueues are offered, and with which facts."""
    yield from OFFER.of_statements(seeing(offer, kin_between=_kin))

    def common(_: State, question: Value) -> Row:
        handed((question, QUESTION))
        return Row(lambda at: SymInt(_COMMON[at]), COUNT)

    def holds(steps: Any, _: State, here: State, point: Any) -> Labelled:
        offers = here["offers"]
        inside = z3.And(point >= 0, point < offers.size)
        before = z3.Implies(inside, _place_of(offers.term, point) < steps)
        many = z3.And(offers.size >= 0, offers.size == MANY.function(steps))
        return [("as many", many), ("of those before", before), *_offered({}, offers, point)]

    def instances(_: Any, here: State) -> list[z3.BoolRef]:
        steps = as_term(here["#0"], int)
        return [MANY.at(steps), COMMON.of(_COMMON[steps], steps)]

    def points(_: Any, here: State) -> list[Any]:
        return [POINT, POINT - 1, here["offers"].size - 1]

    def claim(way: Way) -> Labelled:
        return [("as many as are reached", way.value.size == MANY.function(COUNT))]

    laws = {"_common_cohorts": Law(common), "advantages_around": Law(advantages)}
    seen = seeing(function, **laws, _offer_elsewhere=OFFER.law())
    facts = (MANY.at(z3.IntVal(0)),)
    yield from OFFERED.of_statements(seen, claim, facts, loops=(Invariant(holds, points, instances),))


@theorem(
    BY,
    size="any tree, any number of ClusterQueues in it",
)
def a_queue_is_looked_into_exactly_if_it_and_all_below_the_lowest_common_cohort_exceed_their_quota(
    function: Callable[..., Any] = common_cohorts,
    offers: Callable[..., Any] = classical._offers_elsewhere,
    offer: Callable[..., Any] = classical._offer_elsewhere,
) -> Iterator[Part]:
    """Kueue main of August 2026, classical preemption: subtrees within their quota are skipped.

    The node in common contains both, and whatever contains both contains it. Where there is none, a node
    that contains the ClusterQueue and not the preemptor's is within its quota. By induction from the root
    down: a node comes after the node above it. Each ClusterQueue that is reached below a cohort above the
    preemptor's is offered once, with the advantage that the preemptor has in that cohort.
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
        goals = [
            ("what it has in common", reached, z3.And(_is_there(lowest), _around(lowest))),
            ("contains it", reached, z3.Implies(lowest == ANY, holds)),
            ("whatever contains both contains that", reached, of_both),
            ("all below that exceed their quota", reached, _all_exceed(place)),
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
        found = said(value.term, state["$barrier"], place, COUNT)
        return [*found, COMMON.goal(value.term[place], place)]

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
    yield from _offering(offers, offer)
