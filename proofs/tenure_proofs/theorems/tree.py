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
from tenure_proofs.theorems.registry import theorem
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
    return Composed(*_used(known))


def _used(known: Labelled) -> list[Taken]:
    """What is known of a tree, with what shows it."""
    said = [isinstance(words, Said) for words, _ in known]
    by = [(PASSED_UP.by, LAW) if shown else (GIVEN,) for shown in said]
    return [Taken(formula, words, *shown) for (words, formula), shown in zip(known, by, strict=True)]


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
CHANGED = Conclusion(
    "PO-ANY-052",
    "each flavor-resource changes along a path, and nothing else does",
    lambda changes, then, climbed, before: then == z3.If(changes, climbed, before),
)
BESIDE_HEROES = Conclusion(
    "PO-ANY-057", "beside heroes, usage depends on who is out alone", lambda one, other: one == other
)
ONE_USAGE = ("what is alike at every node, of every flavor-resource, is in use alike", GIVEN)
_bills = z3.Bool("heroes are billed")
_at = z3.Function("in use at a node of a flavor-resource", *[z3.IntSort()] * 4)
_node, _resource = (
    z3.Function(f"a {what} that differs, if any does", *[z3.IntSort()] * 3) for what in ("node", "resource")
)
_held = z3.Function("is held of a flavor-resource", z3.IntSort(), z3.BoolSort())
POSITION = z3.Function("place of a node on the path", z3.IntSort(), z3.IntSort())
ONE_PLACE = "a node has one place on a path"


@theorem(
    "PO-ANY-050",
    about=(climb,),
    size=SIZE,
)
def what_is_taken_away_and_added_again_leaves_every_node_as_it_was() -> Iterator[Part]:
    """A workload that is removed and put back changes nothing.

    By induction from the ClusterQueue up, of what PO-ANY-030 and PO-ANY-040 say of each flavor-resource. That
    all of them change so, and nothing else does, is PO-ANY-052.
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
    place = POSITION(node)
    changes = z3.And(_held(resource), place >= 0, QUOTAS.size > place)

    was, less, more = (_at(usage, node, resource) for usage in (before, without, again))
    first, second, third = (used.term[place] for used in cells)
    known = [
        z3.Implies(changes, was == first),
        *_if_alike(again, before, (changes, less, second, was), (changes, more, third, less)),
        Taken(z3.Implies(changes, ALONG.holds(third, first)), ALONG.words, ALONG.by, LAW),
    ]
    yield from calls.shows("everywhere", [AS_BEFORE.goal(again, before)], *known)


def _if_alike(one: Any, other: Any, *changes: tuple[Any, ...]) -> list[Taken]:
    """What is known of two usages after changes: they are one where they are alike."""
    node, resource = _node(one, other), _resource(one, other)
    alike = _at(one, node, resource) == _at(other, node, resource)
    return [
        *(Taken(z3.Or(_bills, CHANGED.holds(*at)), CHANGED.words, CHANGED.by, LAW) for at in changes),
        Taken(
            z3.Implies(_bills, BESIDE_HEROES.holds(one, other)), BESIDE_HEROES.words, BESIDE_HEROES.by, LAW
        ),
        Taken(z3.Implies(alike, one == other), *ONE_USAGE),
    ]


IN_EITHER_ORDER, ALIKE_BELOW = (
    Conclusion("PO-ANY-055", words, lambda one, other: one == other)
    for words in (
        "two that leave, in either order, leave the same in use",
        "two that leave, in either order, leave the same in use at a node, where they do so below it",
    )
)
_above = z3.Function("the node above", z3.IntSort(), z3.IntSort())


class _Leaving:
    """One that leaves: the path of its ClusterQueue, and what it holds of some flavor-resource, if it does.

    Args:
        name: which of the two.
    """

    def __init__(self, name: str) -> None:
        self.name, self.size, self.amount = name, z3.Int(f"nodes of {name}"), SymInt(z3.Int(f"of {name}"))
        self.node, self.place = (
            z3.Function(f"{what} on the path of {name}", z3.IntSort(), z3.IntSort())
            for what in ("node", "place")
        )
        self.holds, told = z3.Bool(f"{name} holds some"), (z3.Int(f"quotas of {name}"),)
        self.quotas = Row(lambda place: quota_of(self.node(place)), self.size, told=told)

    def has(self, node: Any) -> z3.BoolRef:
        """Whether what is in use at a node changes."""
        return z3.And(self.holds, self.place(node) >= 0, self.place(node) < self.size)

    def below(self, node: Any) -> Any:
        """The node below one on its path."""
        return self.node(self.place(node) - 1)

    def on_path(self, node: Any) -> Taken:
        """What is known of a node on its path."""
        place, up = self.place(node), _above(node)
        one = z3.And(self.node(place) == node, z3.Or(place == 0, self.place(self.below(node)) == place - 1))
        goes_on = z3.If(
            node == 0,
            place == self.size - 1,
            z3.And(self.node(place + 1) == up, self.place(up) == place + 1, place + 1 < self.size),
        )
        words = "a node has one place on a path, and the node above it the next one"
        return Taken(z3.Implies(self.has(node), z3.And(one, goes_on)), words, GIVEN)

    def as_required(self, used: Cells) -> list[Taken]:
        """What is known where it leaves."""
        more = {"quotas": self.quotas, "used": used, "amount": self.amount, "adding": False}
        given, like = {**TAKEN_AWAY.takes, **more}, TAKEN_AWAY.like.term
        each = [pair for at in (like, like - 1) for pair in TAKEN_AWAY.each(given, SymToken(at))]
        return _used([*TAKEN_AWAY.requires(given), *each])


BEFORES = (0, 1, 0, 3)
"""The state before each change: one leaves, then the other; the other leaves, then one."""


@theorem("PO-ANY-055", about=(climb,), size=SIZE)
def two_that_leave_in_either_order_leave_the_same_in_use() -> Iterator[Part]:
    """Workloads of two ClusterQueues of a tree, or of one: it does not matter who leaves first.

    By induction from the ClusterQueues up, of what PO-ANY-040 says of four changes. A node that is on one
    path alone has what that one leaves; a node on both, what the nodes below it on each path pass up.
    """
    one, other, node = _Leaving("one"), _Leaving("the other"), z3.Int("any node of the tree")
    changes = [
        (who, Cells(z3.Const(f"before {number}", USAGE), who.size))
        for number, who in enumerate((one, other, other, one))
    ]
    calls = Composed(*(fact for who, used in changes for fact in who.as_required(used)))
    first = z3.Function("in use at a node", z3.IntSort(), z3.IntSort())
    states, known = [first], list[z3.BoolRef]()
    for (who, used), before in zip(changes, BEFORES, strict=True):
        then = calls.call(TAKEN_AWAY, who.quotas, used, who.amount, False, points=(who.place(node),))
        was = states[before]
        known += [used.term[at] == was(who.node(at)) for at in (who.place(node), who.place(node) - 1)]
        states.append(
            lambda at, who=who, then=then, was=was: z3.If(who.has(at), then.term[who.place(at)], was(at))
        )
    for who in (one, other):
        there = z3.And(who.has(node), who.place(node) > 0)
        alike = ALIKE_BELOW.holds(states[2](who.below(node)), states[4](who.below(node)))
        known += [z3.Implies(there, alike)]
        known += [who.on_path(at) for at in (node, one.below(node), other.below(node))]
    yield from calls.shows("keeps", [ALIKE_BELOW.goal(states[2](node), states[4](node))], *known)
    usages = z3.Ints("usage usage_without_one usage_without_both usage_without_the_other usage_without_them")
    both, again = usages[2], usages[4]
    differs, resource = _node(both, again), _resource(both, again)
    now = [_at(usage, differs, resource) for usage in usages]
    along = [
        (who.has(differs), then, at(differs), now[before])
        for (who, _), before, then, at in zip(changes, BEFORES, now[1:], states[1:], strict=True)
    ]
    alike = ALIKE_BELOW.of(states[2](differs), states[4](differs))
    of_both = _if_alike(both, again, *along)
    at_first = now[0] == first(differs)
    yield from calls.shows("everywhere", [IN_EITHER_ORDER.goal(both, again)], *of_both, alike, at_first)
