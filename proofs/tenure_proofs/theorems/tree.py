"""What is in use in a cohort tree after a change: the loop of `tenure.oracle.tree`, for any path.

Every node is at a place of the path, the ClusterQueue at 0. Before the change what is in use at a node is
what its children pass up, as KQ-140 says. A node of the path has one child on it, and all
others stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import z3

from tenure.model import UNLIMITED, NodeQuota
from tenure.oracle.tree import climb
from tenure.rules.quota import usage_passed_up
from tenure_proofs.theorems.registry import BELIEVED, theorem
from tenure_proofs.trusted.ast_lifter import Made, Value, lift
from tenure_proofs.trusted.induction import Contract, Labelled, Part
from tenure_proofs.trusted.loops import OWN, Cells, Row, State
from tenure_proofs.trusted.specified import GIVEN, LAW, Composed, Conclusion, Said, Specification, Taken
from tenure_proofs.trusted.symbols import SymBool, SymInt, SymOptional, SymToken, as_term

IN_USE = "what is taken away is in use"
PASSED = "a node has in use what is passed up to it, at least"
BOUNDED = "no amount is below zero, and no usage is unlimited, before or after"
PASSED_UP, HELD = (
    Conclusion("PO-ANY-045", words, lambda there, used, part: z3.Implies(there, used >= part))
    for words in (PASSED, IN_USE)
)
SIZE = "any path, and any amounts below an unlimited one; local quota may be unlimited"
USAGE = z3.ArraySort(z3.IntSort(), z3.IntSort())


def _of(name: str, place: Any) -> SymInt:
    return SymInt(z3.Function(name, z3.IntSort(), z3.IntSort())(place))


def quota_of(place: Any) -> Made:
    """The quota of a node."""
    limited = SymBool(z3.Function("is limited", z3.IntSort(), z3.BoolSort())(place))
    numbers = {name: _of(name, place) for name in ("nominal", "subtree", "local")}
    return Made(NodeQuota, {**numbers, "borrowing_limit": SymOptional(limited, _of("limit", place))})


QUOTAS = Row(quota_of, z3.Int("count"), told=(z3.Int("quotas"),))
BEFORE, AMOUNT, PLACE = (
    Cells(z3.Const("before", USAGE), z3.Int("places")),
    SymInt(z3.Int("amount")),
    z3.Int("place"),
)


def _passed(given: State, used: Any, place: Any) -> Any:
    """KQ-140 of a node of the path."""
    return lift(usage_passed_up, given["quotas"].at(place), SymInt(used[place])).value


def _inside(given: State, place: Any, formula: Any) -> Any:
    return z3.Implies(z3.And(place >= 0, place < given["quotas"].size), formula)


def _climbed(adding: bool, by: str, words: str) -> Specification:
    """What is said of a change, of every node of the path."""
    sign = 1 if adding else -1

    def needed(given: State) -> Labelled:
        many, amount = given["quotas"].size, as_term(given["amount"], int)
        as_asked = as_term(given["adding"], bool) == z3.BoolVal(adding)
        path = z3.And(many >= 1, given["used"].size == many, as_asked)
        held = () if adding else (HELD.goal(z3.BoolVal(True), given["used"].term[0], amount),)
        return [(BOUNDED, z3.And(path, amount >= 0, amount < UNLIMITED)), *held]

    def each(given: State, at: Value) -> Labelled:
        place, before, local = at.term, given["used"].term, given["quotas"].at(at.term).fields["local"].term
        most = before[place] + as_term(given["amount"], int) if adding else before[place]
        bounded = z3.And(before[place] >= 0, most < UNLIMITED, local >= 0, local <= UNLIMITED)
        above = z3.And(place > 0, given["quotas"].size > place)
        enough = PASSED_UP.goal(above, before[place], _passed(given, before, place - 1))
        return [(BOUNDED, _inside(given, place, bounded)), enough]

    def changed(given: State, value: Value, place: Any) -> Labelled:
        before, used, amount = given["used"].term, value.term, as_term(given["amount"], int)
        more, enough = _more(given, sign, used, place), used[place] >= _passed(given, used, place - 1)
        less = sign * (used[place] - before[place])
        said = [
            ("conserved at every node of the path", used[place] == before[place] + more),
            ("at least what is passed up", z3.Implies(place > 0, enough)),
            ("never below zero", used[place] >= 0),
            ("by no more than the amount", z3.And(less >= 0, less <= amount)),
        ]
        return [(label, _inside(given, place, formula)) for label, formula in said]

    takes: State = {"quotas": QUOTAS, "used": BEFORE, "amount": AMOUNT, "adding": SymBool(z3.Bool("adding"))}
    return Specification(
        by,
        words,
        climb,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
        takes,
        lambda given, part: Cells(part("in use", USAGE), given["used"].size),
        lambda *_: [],
        needed,
        SymToken(z3.Int(f"{OWN}any node")),
        each,
        changed,
    )


def _more(given: State, sign: int, used: Any, place: Any) -> Any:
    """What more there is at a node, given what was and is in use below it."""
    passed = _passed(given, used, place - 1) - _passed(given, given["used"].term, place - 1)
    return z3.If(place == 0, sign * as_term(given["amount"], int), passed)


ADDED = _climbed(True, "PO-ANY-030", "what is added is in use at every node, as much as is passed up")
TAKEN_AWAY = _climbed(False, "PO-ANY-040", "what is taken away is in use no more at any node")


def _climbing(said: Specification, sign: int, function: Callable[..., Any]) -> Iterator[Part]:
    """By induction over the nodes, from the ClusterQueue up."""
    given = said.takes
    before = given["used"].term

    def invariant(steps: Any, state: State, place: Any) -> Labelled:
        used, rest, amount = state["used"].term, as_term(state["rest"], int), as_term(given["amount"], int)
        below = z3.And(place >= 0, place < steps)
        less = sign * (used[place] - before[place])
        conserved = used[place] == before[place] + _more(given, sign, used, place)
        return [
            ("conserved below", z3.Implies(below, conserved)),
            (
                "as it was above",
                _inside(given, place, z3.Implies(place >= steps, used[place] == before[place])),
            ),
            ("what goes on is what more is passed up", sign * rest == _more(given, sign, used, steps)),
            ("no more than the amount goes on", z3.And(rest >= 0, rest <= amount)),
            ("no more than the amount is changed", z3.Implies(below, z3.And(less >= 0, less <= amount))),
        ]

    return said.of_steps(
        function,
        Contract(
            invariant,
            lambda *_: [],
            points=lambda place, steps, _: [place, place - 1, steps, steps - 1],
        ),
    )


@theorem("PO-ANY-030", size=SIZE)
def adding_at_a_queue_adds_to_every_node_what_more_is_passed_up(
    function: Callable[..., Any] = climb,
) -> Iterator[Part]:
    """Kueue main of August 2026, usage of cohorts: a node of the path has what more its child passes up.

    No other node changes. At the ClusterQueue it is the amount itself. Nothing saturates: no usage is
    unlimited, before or after.
    """
    return _climbing(ADDED, 1, function)


@theorem("PO-ANY-040", size=SIZE)
def removing_at_a_queue_takes_from_every_node_what_less_is_passed_up(
    function: Callable[..., Any] = climb,
) -> Iterator[Part]:
    """Kueue main of August 2026, usage of cohorts: a node of the path loses what less its child passes up.

    What is taken away is in use. No node falls below what the other children pass up. No usage is unlimited:
    an unlimited one stays so when something is taken away (KQ-110).
    """
    return _climbing(TAKEN_AWAY, -1, function)


POINTS = (PLACE, PLACE - 1, ADDED.like.term, ADDED.like.term - 1)
"""An arbitrary node, and where a call requires something of every node."""


def in_a_consistent_tree(said: Specification, *amounts: SymInt) -> Composed:
    """Changes at a ClusterQueue, of amounts of which each is as required, and all of them together.

    Where one was unlimited, what was added would not be taken away again (KQ-110).
    """
    together = SymInt(sum((amount.term for amount in amounts), z3.IntVal(0)))
    of_all = {**said.takes, "amount": together, "adding": True, "used": BEFORE}
    known = [pair for at in POINTS for pair in ADDED.each(of_all, SymToken(at))]
    for amount in amounts:
        adding = said is ADDED
        known += said.requires({**of_all, "amount": amount, "adding": adding})
    return Composed(
        *(
            Taken(formula, words, PASSED_UP.by, LAW)
            if isinstance(words, Said)
            else Taken(formula, words, GIVEN)
            for words, formula in known
        )
    )


def upwards(calls: Composed, one: Cells, other: Cells, alike: Conclusion) -> Iterator[Part]:
    """That the same is in use at every node, by induction from the ClusterQueue up."""
    same = alike.goal(one.term[PLACE], other.term[PLACE])
    below, there = alike.holds(one.term[PLACE - 1], other.term[PLACE - 1]), QUOTAS.size > PLACE
    yield from calls.shows("first", [same], PLACE == 0, there)
    yield from calls.shows("keeps", [same], PLACE > 0, there, below)


AS_BEFORE, ALONG = (
    Conclusion("PO-ANY-050", words, lambda again, before: again == before)
    for words in ("who leaves comes back as it was", "who leaves comes back as it was along its path")
)
WHOLE = (
    "each flavor-resource changes along a path; beside heroes, who leaves comes back as it was",
    BELIEVED,
)
ONE_USAGE = ("what is alike at every node, of every flavor-resource, is in use alike", GIVEN)
_bills = z3.Bool("heroes are billed")
_at = z3.Function("in use at a node of a flavor-resource", *[z3.IntSort()] * 4)
_node, _resource = (
    z3.Function(f"a {what} that differs, if any does", *[z3.IntSort()] * 3) for what in ("node", "resource")
)
_position = z3.Function("place of a node on the path", z3.IntSort(), z3.IntSort())


@theorem(
    "PO-ANY-050",
    about=(climb,),
    size=SIZE,
)
def what_is_taken_away_and_added_again_leaves_every_node_as_it_was() -> Iterator[Part]:
    """A workload that is removed and put back changes nothing; nor do several, in whatever order.

    By induction from the ClusterQueue up, of what PO-ANY-030 and PO-ANY-040 say of each flavor-resource. That
    all of them change so, and nothing else, is assumed: dicts within a list are not read.
    """
    calls = in_a_consistent_tree(TAKEN_AWAY, AMOUNT)
    without = calls.call(TAKEN_AWAY, QUOTAS, BEFORE, AMOUNT, False, points=POINTS)
    again = calls.call(ADDED, QUOTAS, without, AMOUNT, True, points=POINTS)
    yield from upwards(calls, again, BEFORE, ALONG)
    yield from _everywhere(calls, BEFORE, without, again)


def _everywhere(calls: Composed, *cells: Cells) -> Iterator[Part]:
    """That what is in use is alike, where it is so along the path of an arbitrary flavor-resource."""
    before, without, again = z3.Ints("usage usage_without_it usage_again")
    node, resource = _node(again, before), _resource(again, before)
    place = _position(node)
    on_path = z3.And(place >= 0, QUOTAS.size > place)

    def along(now: Any, then: Any, of_now: Cells, of_then: Cells) -> z3.BoolRef:
        changed = [
            _at(usage, node, resource) == of.term[place] for usage, of in ((now, of_now), (then, of_then))
        ]
        as_it_was = _at(then, node, resource) == _at(now, node, resource)
        return z3.Or(_bills, z3.If(on_path, z3.And(*changed), as_it_was))

    first, second, third = cells
    changes = [along(before, without, first, second), along(without, again, second, third)]
    alike = z3.Implies(_at(again, node, resource) == _at(before, node, resource), again == before)
    known = [
        Taken(z3.And(*changes, z3.Implies(_bills, again == before)), *WHOLE),
        Taken(alike, *ONE_USAGE),
        Taken(
            z3.Implies(on_path, ALONG.holds(third.term[place], first.term[place])), ALONG.words, ALONG.by, LAW
        ),
    ]
    yield from calls.shows("everywhere", [AS_BEFORE.goal(again, before)], *known)
