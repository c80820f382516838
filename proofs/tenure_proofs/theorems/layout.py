"""How a tree is laid out: each node after the node above it, and its path is itself and that node's path."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import z3

from tenure.oracle.tree import children_of, laid_out
from tenure_proofs.theorems.registry import PYTHON, theorem
from tenure_proofs.theorems.standins import BOOL, INT, token
from tenure_proofs.theorems.taken import everywhere
from tenure_proofs.trusted.ast_lifter import Value
from tenure_proofs.trusted.defined import OfEveryNumber, Recursion
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.loops import OWN, Groups, Grown, Row, State
from tenure_proofs.trusted.procedures import EMPTY, IN_FRONT, POINT, Invariant, Law, Table
from tenure_proofs.trusted.specified import GIVEN, Composed, Conclusion, Specification, Taken
from tenure_proofs.trusted.symbols import SymInt, SymToken, as_term

LAID_OUT = "a node comes after the node above it, and its path is itself and that node's path"
BY = "PO-ANY-025"
OF_TUPLES = ("a tuple with one more in front has that one first, and then the others", PYTHON)
LISTED = ("what is listed below one is directly below it", GIVEN)
FINITE = (
    "what is below one is finite: each has as many below it as those below it have, and themselves",
    GIVEN,
)

TOKENS, NUMBERS = z3.ArraySort(INT, INT), z3.ArraySort(INT, z3.ArraySort(INT, BOOL))
ANY, NODES = z3.Ints("any_node nodes")
ROOT = token("root")
_first, _others, _length = (
    z3.Function(f"{name} of a tuple", INT, INT) for name in ("first", "others", "length")
)
_has = z3.Function("a tuple has", INT, INT, BOOL)
_is_below = z3.Function("is directly below", INT, INT, BOOL)
_child, _many = z3.Function("one below", INT, INT, INT), z3.Function("how many are listed below", INT, INT)
_size = z3.Function("how many are in it", INT, INT)


def _counted(member: Any) -> Any:
    return z3.If(_size(member) > 0, _size(member), 0)


_left, _below = z3.Function("left", TOKENS, INT, INT), z3.Function("below", INT, INT, INT)
LEFT = Recursion(
    _left, "how many are left", lambda _: 0, lambda waiting, at, before: before + _counted(waiting[at])
)
BELOW = Recursion(
    _below, "how many are below", lambda _: 0, lambda one, at, before: before + _counted(_child(one, at))
)
WAITING, BEHIND, MORE = z3.Const("waiting", TOKENS), z3.Int("behind"), z3.Int("one more")
KEPT = OfEveryNumber(
    "one more at the end of a list changes no sum before it",
    lambda waiting, at, one, count: z3.Implies(
        count <= at, _left(z3.Store(waiting, at, one), count) == _left(waiting, count)
    ),
    (WAITING, BEHIND, MORE),
    lambda waiting, at, one, count: [LEFT.at(waiting, count), LEFT.at(z3.Store(waiting, at, one), count)],
)
NOT_NEGATIVE = OfEveryNumber(
    "a sum of sizes is not below zero",
    lambda waiting, count: _left(waiting, count) >= 0,
    (WAITING,),
    lambda waiting, count: [LEFT.at(waiting, count)],
)
BELOW_NOT_NEGATIVE = OfEveryNumber(
    "no fewer than none are below one",
    lambda one, count: _below(one, count) >= 0,
    (MORE,),
    lambda one, count: [BELOW.at(one, count)],
)


def _is_among(place: Any, count: Any) -> z3.BoolRef:
    return z3.And(place >= 0, place < count)


AFTER = Conclusion(
    BY,
    "a node other than the root comes after the node above it",
    lambda place, up, count: z3.Implies(z3.And(place > 0, place < count), _is_among(up, place)),
)
ON_PATH = Conclusion(
    BY,
    "a path is its node, and the path of the node above that",
    lambda there, node, place, on_it, on_path_above: z3.Implies(
        there, on_it == z3.Or(node == place, on_path_above)
    ),
)
UPWARDS = Conclusion(
    BY,
    "with a node the one above it is on a path, and the root is on every path",
    lambda there, is_root, on_it, on_root, above_on_it: z3.Implies(
        there, z3.If(is_root, on_root, z3.Implies(on_it, above_on_it))
    ),
)
LOWER = Conclusion(
    BY,
    "the path of what is listed below a node has one node more, and no more than there are",
    lambda listed, child, depth, above_it, count: z3.Implies(
        listed, z3.And(_is_among(child, count), depth == above_it + 1, depth <= count)
    ),
)


def above(path: Any) -> Any:
    """The place of the node above, of a path."""
    return _first(_others(path))


def of_tuple(number: Any, others: Any, *nodes: Any) -> z3.BoolRef:
    """What Python says of a tuple with one more in front, and of some nodes, perhaps in it."""
    whole = IN_FRONT(number, others)
    parts = z3.And(_first(whole) == number, _others(whole) == others, _length(whole) == _length(others) + 1)
    has = [_has(node, whole) == z3.Or(node == number, _has(node, others)) for node in nodes]
    return z3.And(parts, *has, _length(EMPTY) == 0, *(z3.Not(_has(node, EMPTY)) for node in nodes))


def placed(paths: Any, place: Any) -> z3.BoolRef:
    """That a node other than the root comes after the one above it, and that its path is as it should be."""
    path, others = paths[place], _others(paths[place])
    up, has = above(path), _has(ANY, path)
    here = z3.And(
        _first(path) == place,
        _length(path) == _length(others) + 1,
        _length(path) <= place + 1,
        has == z3.Or(place == ANY, _has(ANY, others)),
        z3.And(_has(place, path), _has(0, path)),
        z3.Implies(has, z3.And(ANY >= 0, place >= ANY)),
        z3.Implies(z3.And(has, ANY > 0), _has(above(paths[ANY]), path)),
    )
    at_root = z3.And(others == EMPTY, _length(path) == 1, z3.Not(_has(ANY, others)))
    lower = z3.And(_is_among(up, place), others == paths[up], _length(path) > 1)
    return z3.And(here, z3.If(place == 0, at_root, lower))


def _result(given: State, value: Value, place: Any) -> Labelled:
    members, paths = value
    inside = z3.And(place > 0, place < paths.size)
    child = _is_below(members.term[place], members.term[above(paths.term[place])])
    return [
        ("as many paths", z3.And(members.size == paths.size, paths.size > 0)),
        ("all that are below the root, and itself", members.size == _counted(given["root"].term)),
        ("the root is first", members.term[0] == given["root"].term),
        (LAID_OUT, z3.Implies(_is_among(place, paths.size), placed(paths.term, place))),
        ("it is directly below that node", z3.Implies(inside, child)),
    ]


MEMBERS = Law(
    lambda _, member: Row(lambda at: SymToken(_child(member.term, at)), _many(member.term)),
    told=(z3.Int("what is below"),),
)
PATHS = Specification(
    BY,
    LAID_OUT,
    laid_out,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
    {"root": ROOT, "below": MEMBERS},
    lambda _, part: tuple(Grown(part(name, TOKENS), part("size", int).term) for name in ("members", "paths")),
    lambda *_: [],
    at=_result,
)


def _grouped(given: State, value: Value, place: Any) -> Labelled:
    return _grouped_of(given, value, place, given["paths"].size)


def _grouped_of(given: State, value: Value, place: Any, last: Any) -> Labelled:
    paths, _ = given["paths"].told
    child = z3.And(ANY > 0, last > ANY, above(paths[ANY]) == place)
    return [
        (
            "exactly those that it is above",
            z3.Implies(_is_among(place, value.size), value.term[place][ANY] == child),
        )
    ]


def _laid(given: State, at: Value) -> Labelled:
    paths, count = given["paths"].told
    return [(LAID_OUT, z3.Implies(_is_among(at.term, count), placed(paths, at.term)))]


def _empty(given: State) -> Labelled:
    _, count = given["paths"].told
    children = given["children"]
    return [("as many lists, all of them empty", z3.And(children.size == count, children.term == NONE_YET))]


def _rows(paths: Any, count: Any) -> Row:
    def path(at: Any) -> Table:
        return Table(lambda number: SymInt(z3.If(number == 1, above(paths[at]), 0)), _length(paths[at]))

    return Row(path, count, told=(paths, count))


NONE_YET = z3.K(INT, z3.K(INT, z3.BoolVal(False)))
CHILDREN = Specification(
    BY,
    "what is listed at a place is what is directly below it",
    children_of,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
    {
        "paths": _rows(z3.Const("the paths", TOKENS), NODES),
        "children": Groups(z3.Const("children", NUMBERS), z3.Int("lists")),
    },
    lambda given, part: Groups(part("children", NUMBERS), given["children"].size),
    lambda *_: [],
    _empty,
    like=SymInt(z3.Int(f"{OWN}any place")),
    each=_laid,
    at=_grouped,
)


@theorem(BY, about=(laid_out, children_of), size="any tree")
def every_node_comes_after_the_node_above_it_and_its_path_is_itself_and_that_nodes_path(
    function: Callable[..., Any] = laid_out, grouping: Callable[..., Any] = children_of
) -> Iterator[Part]:
    """Kueue main of August 2026, cohort trees: of a root and all below it, each once it is met.

    The node above is the one in which it is. What is listed below a place has that place above it. That all
    is laid out comes to an end, since a tree is finite.
    """
    for induction in (KEPT, NOT_NEGATIVE, BELOW_NOT_NEGATIVE):
        yield from induction.parts()
    alone = z3.Store(z3.K(INT, z3.IntVal(0)), 0, ROOT.term)
    known = (LEFT.at(alone, z3.IntVal(0)),)
    yield from PATHS.of_statements(function, facts=known, loops=(_laying_out(), _putting_off()))
    yield from CHILDREN.of_statements(grouping, loops=(_grouping(),))
    yield from _together()


def _grouping() -> Invariant:
    given = CHILDREN.takes
    paths, _ = given["paths"].told

    def holds(steps: Any, _: State, here: State, place: Any) -> Labelled:
        return _grouped_of(given, here["children"], place, steps)

    def known(point: Any, _: State) -> list[z3.BoolRef]:
        return [Taken(formula, words, GIVEN) for words, formula in _laid(given, SymInt(point))]

    def points(steps: Any, _: State) -> list[Any]:
        return [POINT, steps, above(paths[steps])]

    return Invariant(holds, points, known)


def _together() -> Iterator[Part]:
    """What others use, of a tree that is laid out."""
    place = z3.Int("place")
    calls, at = Composed(), (place, ANY, CHILDREN.like.term)
    _, paths = calls.call(PATHS, ROOT, MEMBERS, points=at)
    empty = Groups(NONE_YET, paths.size)
    children = calls.call(CHILDREN, _rows(paths.term, paths.size), empty, points=[place])
    path, many = paths.term[place], paths.size
    up = paths.term[above(path)]
    there, on_path_above = _is_among(place, many), z3.And(place > 0, _has(ANY, up))
    above_any = _has(above(paths.term[ANY]), path)
    goals = [
        AFTER.goal(place, above(path), many),
        ON_PATH.goal(there, ANY, place, _has(ANY, path), on_path_above),
        UPWARDS.goal(there, ANY == 0, _has(ANY, path), _has(0, path), above_any),
        LOWER.goal(
            z3.And(there, children.term[place][ANY]), ANY, _length(paths.term[ANY]), _length(path), many
        ),
    ]
    yield from calls.shows("laid out", goals)


def _waiting(here: State, place: Any, laid: Any) -> Labelled:
    """What is known of those that wait."""
    waiting, up = here["waiting"], here["above"]
    members, paths = here["members"], here["paths"]
    path, one = up.term[place], waiting.term[place]
    at = _first(path)
    below = z3.And(_is_among(at, laid), path == paths.term[at], _is_below(one, members.term[at]))
    first = z3.And(waiting.size == 1, waiting.term[0] == ROOT.term, up.term[0] == EMPTY)
    return [
        ("as many", z3.And(waiting.size >= 0, up.size == waiting.size)),
        (
            "each is below one that is laid out",
            z3.Implies(z3.And(laid > 0, _is_among(place, waiting.size)), below),
        ),
        ("the root waits first", z3.Implies(laid == 0, first)),
    ]


def _laying_out() -> Invariant:
    def holds(_: Any, __: State, here: State, place: Any) -> Labelled:
        laid = here["paths"].size
        said = _result({"root": ROOT}, (here["members"], here["paths"]), place)[2:]
        some = [(words, z3.Implies(laid > 0, formula)) for words, formula in said]
        sizes = z3.And(laid >= 0, here["members"].size == laid)
        others = ("all others wait, or are below those", laid + _left_in(here) == _counted(ROOT.term))
        return [("as many paths", sizes), others, *some, *_waiting(here, place, laid)]

    def last(here: State) -> Any:
        return here["waiting"].term[here["waiting"].size - 1]

    def finite(_: Any, here: State) -> Any:
        return _size(last(here)) == 1 + _below(last(here), _many(last(here)))

    def in_front(_: Any, here: State) -> Any:
        number, others = here["paths"].size, here["above"].term[here["above"].size - 1]
        return of_tuple(number, others, 0, ANY, number, above(here["paths"].term[ANY]), _first(others))

    def known(point: Any, here: State) -> list[z3.BoolRef]:
        waiting = here["waiting"]
        return [
            *everywhere((*OF_TUPLES, in_front), (*FINITE, finite))(point, here),
            LEFT.at(waiting.term, waiting.size - 1),
            BELOW_NOT_NEGATIVE.of(last(here), _many(last(here))),
            NOT_NEGATIVE.of(waiting.term, waiting.size),
            BELOW.at(last(here), z3.IntVal(0)),
        ]

    def points(_: Any, here: State) -> list[Any]:
        at = here["waiting"].size - 1
        return [POINT, at, _first(here["above"].term[at]), z3.IntVal(0)]

    return Invariant(holds, points, known, measure=_left_in)


def _left_in(here: State) -> Any:
    return _left(here["waiting"].term, here["waiting"].size)


def _putting_off() -> Invariant:
    """Those below one wait."""

    def holds(steps: Any, first: State, here: State, place: Any) -> Labelled:
        more = _below(here["member"].term, steps)
        return [
            *_waiting(here, place, here["paths"].size),
            ("as many are left", _left_in(here) == _left_in(first) + more),
        ]

    def known(point: Any, here: State) -> list[z3.BoolRef]:
        waiting, steps, member = here["waiting"], as_term(here["#1"], int), here["member"].term
        one = _child(member, steps)
        then = z3.Store(waiting.term, waiting.size, one)

        def below(*_: Any) -> Any:
            return z3.Implies(_is_among(steps, _many(member)), _is_below(one, member))

        return [
            *everywhere((*LISTED, below))(point, here),
            KEPT.of(waiting.term, waiting.size, one, waiting.size),
            LEFT.at(then, waiting.size),
            BELOW.at(member, steps),
        ]

    return Invariant(holds, lambda *_: [POINT], known)
