"""The optimized core, fair sharing: how shares and candidates compare, and which queue is visited next.

A share is told by its place among all numbers, so two compare as their places do: none is no number at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import z3

from tenure.fast import fair, shares
from tenure.fast.rounds import NO_NODE, Rounds
from tenure.fast.tables import Order, Policy, SearchInput, Work
from tenure.rules import share as rules
from tenure_proofs.theorems.core_steps import FLAGS, GRID, INT, NUMBERS, Contents, contents_of, together
from tenure_proofs.theorems.core_tree import IN_ORDER
from tenure_proofs.theorems.core_world import (
    ARRAYS,
    ASK,
    COLUMNS,
    FOREST,
    NODES,
    ROWS,
    SIZE,
    SIZES,
    USAGE,
    flags,
    handed,
    number,
    numbers,
    of,
    said,
    seeing,
)
from tenure_proofs.theorems.registry import BELIEVED, theorem
from tenure_proofs.trusted.ast_lifter import Made
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.kernels import POINT, Invariant, Law, Room, read_kernel
from tenure_proofs.trusted.loops import State, Way
from tenure_proofs.trusted.symbols import SymBool, SymInt, as_term

CANDIDATES, HALVES, CELLS, RESOURCES = (
    z3.Int(f"room for {what}") for what in ("candidates", "halves", "changed cells", "resources")
)
_PLACES = {
    **dict.fromkeys(("ratio", "share", "start", "next", "end", "settled", "top", "rejected"), (NODES,)),
    "winner": (NODES,),
    "on_path": (NODES,),
    "charged": (NODES, COLUMNS),
    "borrowed": (RESOURCES,),
    "ends": (NODES, HALVES),
    "usage": (NODES, COLUMNS),
    "groups": (NODES,),
    **dict.fromkeys(("keys", "candidates", "out", "grounds", "shares of victims"), (CANDIDATES,)),
    "held": (COLUMNS, CANDIDATES),
    "log": (z3.IntVal(3), CELLS),
}
ROOMS = {name: Room(name, sizes) for name, sizes in _PLACES.items()}
BEFORE = {
    name: z3.Const(f"{name} before", FLAGS if name == "on_path" else NUMBERS if len(sizes) == 1 else GRID)
    for name, sizes in _PLACES.items()
    if name != "borrowed"
}
"""Every array of a tournament that may be written to, and what is in it at first.

What is in `borrowed` no one but `ratio_of` reads, and only once it has cleared it.
"""

TREES = Made(FOREST.cls, {**FOREST.fields, "weight": numbers("forest.weight", NODES)})
TIE = number("order.tie", 0, 64)
WORK = Made(
    Work,
    {
        **{name: ROOMS[name] for name in ("usage", "keys", "out", "held", "log")},
        "rows": ROOMS["candidates"],
        "ground": ROOMS["grounds"],
        "share": ROOMS["shares of victims"],
        "group": ROOMS["groups"],
    },
)
SEARCH = Made(
    SearchInput,
    {
        "rows": ROWS,
        "forest": TREES,
        "usage": USAGE,
        "ask": ASK,
        "policy": Made(Policy, {}),
        "order": Made(Order, {"tie": TIE}),
        "work": WORK,
    },
)
ROUNDS = Made(
    Rounds,
    {
        **{name: ROOMS[name] for name in Rounds._fields if name in ROOMS},
        "lendable": numbers("lendable", NODES, RESOURCES),
        "every": flags("every column", COLUMNS),
        "lightest": numbers("lightest", NODES, COLUMNS),
    },
)
NODE = number("node", 0, NODES)
INFINITE, NONE_BORROWED = number("infinite"), number("not borrowing")
FACTS = (*SIZES, SIZE > 0, CANDIDATES < 2**31, CANDIDATES > 0)
PLACES = {"shares compare as their places among all numbers; none is no number": BELIEVED}


def compared(first: Any, first_ratio: Any, second: Any, second_ratio: Any) -> Any:
    """KQ-450 of two shares, and their ratios where both are infinite."""
    both = z3.And(first == INFINITE.term, second == INFINITE.term)
    one, other = z3.If(both, first_ratio, first), z3.If(both, second_ratio, second)
    return z3.If(one > other, 1, z3.If(one < other, -1, 0))


def between_nodes(first: Any, second: Any, contents: Contents = BEFORE) -> Any:
    """The same of two nodes."""
    ratio, share = contents["ratio"], contents["share"]
    return compared(share[first], ratio[first], share[second], ratio[second])


def stays(node: Any) -> Any:
    """KQ-480 of a node."""
    borrows = BEFORE["ratio"][node] != NONE_BORROWED.term
    return said(
        rules.stays_in_tournament, borrowing=SymBool(borrows), on_path=SymBool(BEFORE["on_path"][node])
    )


_RANKED = z3.Function("a key without its tie", INT, INT, INT)
_BEATS = z3.Function("stands before", INT, INT, z3.BoolSort())


def _stands_before(first: Any, second: Any) -> Any:
    """KQ-220 of the next candidates of two queues: by their keys, and of keys that tell none apart by uid."""
    mine, other = BEFORE["next"][first], BEFORE["next"][second]
    keys, rows = BEFORE["keys"], BEFORE["candidates"]
    one, two = (_RANKED(keys[place], TIE.term) for place in (mine, other))
    twins = of(ROWS, "twin", rows[mine]) < of(ROWS, "twin", rows[other])
    return z3.If(one != two, one < two, twins)


def queue_beats(first: Any, second: Any) -> Any:
    """KQ-490 of two queues."""
    share, before = SymInt(between_nodes(first, second)), SymBool(_stands_before(first, second))
    return said(rules.queue_wins, share=share, first_candidate_stands_before=before)


def cohort_beats(first: Any, second: Any) -> Any:
    """KQ-500 of a cohort and what it is compared with."""
    return said(rules.cohort_wins, share=SymInt(between_nodes(first, second)))


def _comparing(held: State, tournament: Any, first: Any, second: Any) -> SymInt:
    handed((tournament, ROUNDS))
    return SymInt(between_nodes(first.term, second.term, contents_of(held)))


COMPARING = Law(_comparing)


@theorem(
    "PO-ANY-574",
    about=(shares.compare, fair.against, fair._stays, fair._queue_wins),
    size="any shares and candidates",
    assumes={**ARRAYS, **PLACES, "the order of two keys": BELIEVED},
)
def two_shares_and_two_queues_compare_as_the_rules_say(
    compare: Any = shares.compare,
    against: Any = fair.against,
    stay: Any = fair._stays,
    queue_wins: Any = fair._queue_wins,
) -> Iterator[Part]:
    """KQ-450 of two shares, where an infinite one is the greatest; KQ-480, and KQ-490 with KQ-220."""
    names = ("first", "first_ratio", "second", "second_ratio")
    told = {name: number(name) for name in names}
    wanted = compared(*(told[name].term for name in names))
    yield from read_kernel(
        seeing(compare, INFINITE=INFINITE),
        told,
        lambda way: [("how they compare", as_term(way.value, int) == wanted)],
    )
    other = number("other node", 0, NODES)
    pair = between_nodes(NODE.term, other.term)

    def comparing(_: State, *shares_of: Any) -> SymInt:
        return SymInt(compared(*(share.term for share in shares_of)))

    yield from read_kernel(
        seeing(against, compare=Law(comparing)),
        {"rounds": ROUNDS, "node": NODE, "other": other},
        lambda way: [("how they compare", as_term(way.value, int) == pair)],
        rooms=BEFORE,
        facts=FACTS,
    )
    yield from read_kernel(
        seeing(stay, NOT_BORROWING=NONE_BORROWED),
        {"rounds": ROUNDS, "node": NODE},
        lambda way: [("what the rule says", as_term(way.value, bool) == stays(NODE.term))],
        rooms=BEFORE,
        facts=FACTS,
    )
    waits = [
        z3.And(turn >= 0, turn < CANDIDATES, row >= 0, row < SIZE)
        for node in (NODE, other)
        for turn in [BEFORE["next"][node.term]]
        for row in [BEFORE["candidates"][turn]]
    ]
    without_tie = Law(lambda _, key, tie: SymInt(_RANKED(key.term, tie.term)))
    yield from read_kernel(
        seeing(queue_wins, against=COMPARING, _without_tie=without_tie),
        {"given": SEARCH, "rounds": ROUNDS, "queue": NODE, "best": other},
        lambda way: [("what the rule says", as_term(way.value, bool) == queue_beats(NODE.term, other.term))],
        rooms=BEFORE,
        facts=(*FACTS, *waits),
    )


def _end(node: Any) -> Any:
    return of(TREES, "end", node)


def _is_child(node: Any) -> Any:
    return z3.And(node > NODE.term, node < _end(NODE.term), of(TREES, "parent", node) == NODE.term)


def _is_queue(node: Any) -> Any:
    return TREES.fields["is_queue"].at(node).term


def _stands(node: Any, queue: bool) -> Any:
    """Whether it is a child that may be visited: a queue, or a cohort with one below."""
    kind = _is_queue(node) if queue else z3.Not(_is_queue(node))
    return z3.And(_is_child(node), kind, BEFORE["winner"][node] != NO_NODE, stays(node))


def _last_of_best(point: Any, cohort: Any) -> Any:
    """That a cohort does not beat another one, but where it comes before it and they are equal."""
    return z3.Or(z3.Not(cohort_beats(point, cohort)), z3.And(point <= cohort, cohort_beats(cohort, point)))


def _siblings(point: Any, here: State) -> list[Any]:
    """How the subtrees of a node's children lie: one behind the other."""
    child, cohort = as_term(here["child"], int), BEFORE["winner"][point]
    behind, last = _end(child), _end(NODE.term)
    after = z3.Implies(z3.And(_is_child(point), point > child), point >= behind)
    following = z3.Implies(behind < last, of(TREES, "parent", behind) == NODE.term)
    mine = z3.Implies(
        z3.And(_is_child(point), point < cohort, cohort < _end(point)), z3.Not(_is_child(cohort))
    )
    return [
        z3.Implies(_is_child(child), z3.And(after, following, child < behind, behind <= last)),
        z3.Implies(_stands(point, False), z3.And(point < cohort, cohort < _end(point), _end(point) <= last)),
        mine,
    ]


@theorem(
    "PO-ANY-576",
    about=(fair.find_winner,),
    size="any tree, any number of nodes side by side",
    assumes={
        **ARRAYS,
        IN_ORDER: BELIEVED,
        "how two nodes compare": "PO-ANY-574",
        "who wins below a cohort next to it is below that": "PO-ANY-576",
    },
)
def below_a_node_that_queue_wins_that_the_rules_visit(find_winner: Any = fair.find_winner) -> Iterator[Part]:
    """Some queue wins exactly if a child may be visited: a queue with candidates, or a cohort with a winner.

    Of queues none wins over the one that is chosen (KQ-490); of cohorts the last of the greatest is chosen,
    and its own winner wins exactly where its share is at least the chosen queue's (KQ-500). A queue wins
    below itself exactly if it has candidates that wait.
    """
    node = NODE.term

    def holds(_: Any, __: State, here: State, point: Any) -> Labelled:
        child, queue, cohort = (as_term(here[name], int) for name in ("child", "queue", "cohort"))
        before = z3.And(child > point)
        best = z3.And(queue != NO_NODE, z3.Not(queue_beats(point, queue)))
        last = z3.And(cohort != NO_NODE, _last_of_best(point, cohort))
        return together(
            "the best so far",
            [
                (
                    "at a child, or done",
                    z3.And(child > node, child <= _end(node), z3.Or(child == _end(node), _is_child(child))),
                ),
                ("a queue before it", z3.Or(queue == NO_NODE, z3.And(_stands(queue, True), queue < child))),
                (
                    "a cohort before it",
                    z3.Or(cohort == NO_NODE, z3.And(_stands(cohort, False), cohort < child)),
                ),
                ("the best queue", z3.Implies(z3.And(before, _stands(point, True)), best)),
                ("the best cohort", z3.Implies(z3.And(before, _stands(point, False)), last)),
            ],
        )

    def says(way: Way) -> Labelled:
        wins = way.names["@winner"].term[node]
        stored = ("no other's", way.names["@winner"].term == z3.Store(BEFORE["winner"], node, wins))
        if "#0" not in way.names:
            waits = BEFORE["next"][node] < BEFORE["end"][node]
            return [stored, ("itself, if candidates wait", wins == z3.If(waits, node, NO_NODE))]
        cohort = as_term(way.names["cohort"], int)
        some, is_child = wins != NO_NODE, _is_child(wins)
        queue, below = z3.And(some, is_child), z3.And(some, z3.Not(is_child))
        other_queue, other_cohort = _stands(POINT, True), _stands(POINT, False)
        by_cohort = z3.And(_stands(cohort, False), wins == BEFORE["winner"][cohort])
        inside = z3.And(wins >= node, wins < _end(node))
        return together(
            "who wins",
            [
                stored,
                ("below a cohort", z3.Not(_is_queue(node))),
                ("it is below it", z3.Implies(some, inside)),
                ("none, where none may be visited", z3.Implies(z3.Or(other_queue, other_cohort), some)),
                ("a queue that may be visited", z3.Implies(queue, _stands(wins, True))),
                (
                    "no queue beats it",
                    z3.Implies(z3.And(queue, other_queue), z3.Not(queue_beats(POINT, wins))),
                ),
                (
                    "no cohort beats it",
                    z3.Implies(z3.And(queue, other_cohort), z3.Not(cohort_beats(POINT, wins))),
                ),
                ("who wins below a cohort", z3.Implies(below, by_cohort)),
                (
                    "the last of the greatest",
                    z3.Implies(z3.And(below, other_cohort), _last_of_best(POINT, cohort)),
                ),
                ("it beats all queues", z3.Implies(z3.And(below, other_queue), cohort_beats(cohort, POINT))),
            ],
        )

    def staying(_: State, tournament: Any, which: Any) -> SymBool:
        handed((tournament, ROUNDS))
        return SymBool(stays(which.term))

    def beating(_: State, given: Any, tournament: Any, first: Any, second: Any) -> SymBool:
        handed((given, SEARCH), (tournament, ROUNDS))
        return SymBool(queue_beats(first.term, second.term))

    def points(_: Any, here: State) -> list[Any]:
        return [POINT, as_term(here["child"], int), as_term(here["cohort"], int), as_term(here["queue"], int)]

    first = z3.Implies(node + 1 < _end(node), of(TREES, "parent", node + 1) == node)
    yield from read_kernel(
        seeing(find_winner, _stays=Law(staying), _queue_wins=Law(beating), against=COMPARING),
        {"given": SEARCH, "rounds": ROUNDS, "node": NODE},
        says,
        rooms=BEFORE,
        facts=(*FACTS, node < _end(node), _end(node) <= NODES, first),
        loops=[Invariant(holds, points=points, everywhere=_siblings)],
    )
