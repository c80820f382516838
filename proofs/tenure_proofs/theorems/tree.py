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
from tenure_proofs.theorems.registry import BELIEVED, GIVEN, theorem
from tenure_proofs.theorems.taken import everywhere
from tenure_proofs.trusted.ast_lifter import Made, Value, lift
from tenure_proofs.trusted.induction import Contract, Labelled, Part, by_induction
from tenure_proofs.trusted.loops import Cells, Loop, Row, State
from tenure_proofs.trusted.specified import Taken
from tenure_proofs.trusted.symbols import SymBool, SymInt, SymOptional, as_term

ADDED = {"what is added is in use at every node, as much as is passed up": "PO-ANY-030"}
IN_USE = "what is taken away is in use"
PASSED = "a node has in use what is passed up to it, at least"
BOUNDED = "no amount is below zero, and no usage is unlimited, before or after"
CONSISTENT = {BOUNDED: GIVEN, PASSED: BELIEVED}
SIZE = "any path, and any amounts below an unlimited one; local quota may be unlimited"


def _of(name: str, place: Any) -> SymInt:
    return SymInt(z3.Function(name, z3.IntSort(), z3.IntSort())(place))


def _quota(place: Any) -> Made:
    limited = SymBool(z3.Function("is limited", z3.IntSort(), z3.BoolSort())(place))
    numbers = {name: _of(name, place) for name in ("nominal", "subtree", "local")}
    return Made(NodeQuota, {**numbers, "borrowing_limit": SymOptional(limited, _of("limit", place))})


def _passed(place: Any, usage: Any) -> Any:
    """KQ-140 of a node of the path."""
    return lift(usage_passed_up, _quota(place), SymInt(usage)).value


def _more(before: Any, used: Any, place: Any, change: Any) -> Any:
    """What more there is at a node, given what was and is in use below it."""
    below = place - 1
    passed = _passed(below, used[below]) - _passed(below, before[below])
    return z3.If(place == 0, change, passed)


def _conserved(before: Any, used: Any, place: Any, change: Any, end: Any) -> Any:
    """That a node before an end has what it had, and what more there is."""
    right = used[place] == before[place] + _more(before, used, place, change)
    return z3.Implies(z3.And(place >= 0, place < end), right)


def added(change: z3.BoolRef) -> Taken:
    """What PO-ANY-030 says of a change."""
    (pair,) = ADDED.items()
    return Taken(change, *pair)


def _climbing(adding: bool, function: Callable[..., Any]) -> Iterator[Part]:
    """Every node of the path has in use what it had, and what more its child on the path passes up.

    At the ClusterQueue it is the amount itself; taken away, where `adding` is false. What is taken away is in
    use, and nothing saturates: no usage is unlimited, before or after. Where one is, what was added would
    not be taken away again (KQ-110).
    """
    count, amount = z3.Int("count"), z3.Int("amount")
    sign = 1 if adding else -1
    change = sign * amount
    before = z3.Array("before", z3.IntSort(), z3.IntSort())
    loop = Loop(
        function,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
        quotas=Row(_quota, count),
        used=Cells(before, count),
        amount=SymInt(amount),
        adding=adding,
    )

    def bounded(place: Any) -> Any:
        local, most = _of("local", place).term, before[place] + amount if adding else before[place]
        known = (before[place] >= 0, most < UNLIMITED, local >= 0, local <= UNLIMITED)
        return z3.Implies(z3.And(place >= 0, place < count), z3.And(*known))

    def passed(place: Any) -> Any:
        enough = before[place] >= _passed(place - 1, before[place - 1])
        return z3.Implies(z3.And(place > 0, place < count), enough)

    def invariant(steps: Any, state: State, place: Any) -> Labelled:
        used, rest = state["used"].term, as_term(state["rest"], int)
        above = z3.And(place >= steps, place < count)
        return [
            ("conserved below", _conserved(before, used, place, change, steps)),
            ("as it was above", z3.Implies(above, used[place] == before[place])),
            ("what goes on is what more is passed up", sign * rest == _more(before, used, steps, change)),
            ("no more than the amount goes on", z3.And(rest >= 0, rest <= amount)),
        ]

    def result(value: Value, _state: State, place: Any, *_: Any) -> Labelled:
        used, below = value.term, place - 1
        enough = used[place] >= _passed(below, used[below])
        return [
            ("conserved at every node of the path", _conserved(before, used, place, change, count)),
            ("at least what is passed up", z3.Implies(z3.And(place > 0, place < count), enough)),
            ("never below zero", z3.Implies(z3.And(place >= 0, place < count), used[place] >= 0)),
        ]

    known = {BOUNDED: bounded, PASSED: passed}
    held = () if adding else (Taken(before[0] >= amount, IN_USE, BELIEVED),)
    contract = Contract(
        invariant,
        result,
        facts=(count >= 1, amount >= 0, amount < UNLIMITED, *held),
        everywhere=everywhere(*((words, by, known[words]) for words, by in CONSISTENT.items())),
        points=lambda place, steps, _: [place, place - 1, steps, steps - 1],
    )
    return by_induction(loop, contract)


@theorem("PO-ANY-030", about=(climb,), size=SIZE)
def adding_at_a_queue_adds_to_every_node_what_more_is_passed_up(
    function: Callable[..., Any] = climb,
) -> Iterator[Part]:
    """Kueue main of August 2026, usage of cohorts: a node of the path has what more its child passes up.

    No other node changes. At the ClusterQueue it is the amount itself. Nothing saturates: no usage is
    unlimited, before or after.
    """
    return _climbing(True, function)


@theorem("PO-ANY-040", about=(climb,), size=SIZE)
def removing_at_a_queue_takes_from_every_node_what_less_is_passed_up(
    function: Callable[..., Any] = climb,
) -> Iterator[Part]:
    """Kueue main of August 2026, usage of cohorts: a node of the path loses what less its child passes up.

    No node falls below what the other children pass up. No usage is unlimited: an unlimited one stays so
    when something is taken away (KQ-110).
    """
    return _climbing(False, function)


@theorem(
    "PO-ANY-050",
    about=(climb,),
    size=SIZE,
)
def what_is_taken_away_and_added_again_leaves_every_node_as_it_was() -> Iterator[Part]:
    """A workload that is removed and put back changes nothing; nor do several, in whatever order.

    By induction from the ClusterQueue up, of what PO-ANY-030 and PO-ANY-040 say.
    """
    count, amount, place = z3.Int("count"), z3.Int("amount"), z3.Int("place")
    before, without, after = (
        z3.Array(name, z3.IntSort(), z3.IntSort()) for name in ("before", "without", "after")
    )
    changes = (
        Taken(
            _conserved(before, without, place, -amount, count),
            "what is taken away is in use no more at any node",
            "PO-ANY-040",
        ),
        added(_conserved(without, after, place, amount, count)),
    )
    same = after[place] == before[place]
    yield Part("first", (*changes, place == 0, count > 0), (("as it was", same),))
    below = after[place - 1] == before[place - 1]
    yield Part("keeps", (*changes, place > 0, place < count, below), (("as it was", same),))
