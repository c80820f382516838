"""What is in use at every node of a tree: what its own workloads hold, and what the nodes below it pass up.

So it is at first, and so it stays whoever leaves or comes: changes are those of PO-ANY-030 and PO-ANY-040.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import z3

from tenure.model import UNLIMITED
from tenure.oracle.heroes.held import together
from tenure.oracle.tree import summed_up
from tenure.rules.quota import usage_passed_up
from tenure_proofs.theorems.layout import AFTER
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.theorems.taken import everywhere, lemmas_of
from tenure_proofs.theorems.tree import (
    ADDED,
    AMOUNT,
    BEFORE,
    BOUNDED,
    HELD,
    PASSED_UP,
    PLACE,
    POINTS,
    QUOTAS,
    TAKEN_AWAY,
    USAGE,
    quota_of,
)
from tenure_proofs.trusted.ast_lifter import Value, lift
from tenure_proofs.trusted.defined import OfEveryNumber, Recursion
from tenure_proofs.trusted.induction import Contract, Ghost, Labelled, Lemma, Part, by_induction
from tenure_proofs.trusted.loops import Cells, Loop, Row, State
from tenure_proofs.trusted.specified import GIVEN, Composed, Specification, Taken
from tenure_proofs.trusted.symbols import SymInt, SymToken, as_term

NODE, COUNT = z3.Int("any node"), z3.Int("nodes")
OWN, NOTHING = z3.Const("held by its own workloads", USAGE), z3.K(z3.IntSort(), z3.IntVal(0))
_above = z3.Function("place of the node above", z3.IntSort(), z3.IntSort())
_sum = z3.Function("sum", USAGE, z3.IntSort(), z3.IntSort())


def _part(amounts: Any, place: Any) -> Any:
    return z3.If(amounts[place] > 0, amounts[place], 0)


SUM = Recursion(_sum, "what a sum is", lambda _: 0, lambda amounts, at, before: before + _part(amounts, at))
AMOUNTS, WHOSE, OTHER = z3.Const("amounts", USAGE), z3.Int("whose"), z3.Int("another amount")
_held = z3.Function("held there", z3.IntSort(), z3.IntSort())
_parts = z3.Function("what is summed there", z3.IntSort(), USAGE)
_changed = z3.Function("which of them is changed", z3.IntSort(), z3.IntSort())


def _is_among(place: Any, count: Any) -> Any:
    return z3.And(place >= 0, place < count)


def _replaced(amounts: Any, whose: Any, other: Any, count: Any) -> Any:
    then = z3.Store(amounts, whose, other)
    more = z3.If(_is_among(whose, count), _part(then, whose) - _part(amounts, whose), 0)
    return _sum(then, count) == _sum(amounts, count) + more


REPLACED = OfEveryNumber(
    "where one amount is another one, the sum is another one by as much",
    _replaced,
    (AMOUNTS, WHOSE, OTHER),
    lambda amounts, whose, other, count: [
        SUM.at(amounts, count),
        SUM.at(z3.Store(amounts, whose, other), count),
    ],
)
INCLUDED = OfEveryNumber(
    "no amount is more than the sum",
    lambda amounts, whose, count: z3.And(
        _sum(amounts, count) >= 0,
        z3.Implies(_is_among(whose, count), _sum(amounts, count) >= _part(amounts, whose)),
    ),
    (AMOUNTS, WHOSE),
    lambda amounts, _, count: [SUM.at(amounts, count)],
)
NONE = OfEveryNumber(
    "the sum of nothing is nothing",
    lambda count: _sum(NOTHING, count) == 0,
    (),
    lambda count: [SUM.at(NOTHING, count)],
)


def _bounded(sum_of: Any) -> Any:
    """KQ-100 of any number of amounts."""
    return z3.If(sum_of > UNLIMITED, UNLIMITED, sum_of)


def _passed(place: Any, amount: Any) -> Any:
    """KQ-140 of a node."""
    return lift(usage_passed_up, quota_of(place), SymInt(amount)).value


@theorem("PO-ANY-045", size="any tree, any number of workloads, any amounts")
def what_is_in_use_at_a_node_is_what_its_workloads_hold_and_what_the_nodes_below_it_pass_up(
    function: Callable[..., Any] = summed_up, adding: Callable[..., Any] = together
) -> Iterator[Part]:
    """Kueue main of August 2026, usage of cohorts: KQ-140 of every node below it, saturating as KQ-100 does.

    A workload that leaves or comes changes the sums as it changes what is in use, at every node of its path,
    where nothing is unlimited. So at all times what is in use at a node is at least what any node below it
    passes up, and at a ClusterQueue at least what any workload holds that runs there.
    """
    for induction in (REPLACED, INCLUDED, NONE):
        yield from induction.parts()
    yield from _of_workloads(adding)
    yield from _of_nodes(function)
    for said in (ADDED, TAKEN_AWAY):
        yield from _kept(said)


def _of_workloads(function: Callable[..., Any]) -> Iterator[Part]:
    count = z3.Int("count")
    loop = Loop(
        function,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
        amounts=Row(lambda place: SymInt(AMOUNTS[place]), count),
    )

    def bounded(point: Any) -> Any:
        return z3.And(AMOUNTS[point] >= 0, AMOUNTS[point] <= UNLIMITED)

    def so_far(total: Value, steps: Any) -> Labelled:
        sum_of = _sum(AMOUNTS, steps)
        return [("the sum", as_term(total, int) == _bounded(sum_of)), ("not below zero", sum_of >= 0)]

    def one_more(_: State, amount: Value) -> list[Lemma]:
        return lemmas_of(SUM.at(AMOUNTS, amount.term.arg(1)))  # its place

    contract = Contract(
        lambda steps, state, _: so_far(state["total"], steps),
        lambda value, *_: so_far(value, count),
        facts=(SUM.at(AMOUNTS, z3.IntVal(0)),),
        everywhere=everywhere((BOUNDED, GIVEN, bounded)),
        points=lambda point, steps, _: [point, steps],
        lemmas=one_more,
    )
    yield from by_induction(loop, contract)


def _of_nodes(function: Callable[..., Any]) -> Iterator[Part]:
    loop = Loop(
        function,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
        links=Row(lambda at: (SymInt(at + 1), SymInt(_above(at + 1)), quota_of(at + 1)), COUNT - 1),
        used=Cells(OWN, COUNT),
    )

    def bounded(place: Any) -> Any:
        local = quota_of(place).fields["local"].term
        known = (OWN[place] >= 0, OWN[place] <= UNLIMITED, local >= 0, local <= UNLIMITED)
        return z3.Implies(_is_among(place, COUNT), z3.And(*known))

    def summed(used: Any, passed: Any, place: Any, last: Any) -> Labelled:
        below = z3.And(place >= last, place < COUNT)
        from_it = z3.If(z3.And(below, _above(place) == NODE), _passed(place, used[place]), 0)
        bounds = z3.And(used[place] >= 0, used[place] <= UNLIMITED)
        return [
            ("its own, and what is passed up", used[NODE] == _bounded(OWN[NODE] + _sum(passed, COUNT))),
            ("by the nodes below it", passed[place] == from_it),
            PASSED_UP.goal(below, used[_above(place)], _passed(place, used[place])),
            ("amounts", z3.Implies(_is_among(place, COUNT), bounds)),
        ]

    def invariant(steps: Any, state: State, place: Any) -> Labelled:
        return summed(state["used"].term, state["$passed"], place, COUNT - steps)

    def result(value: Value, state: State, place: Any, *_: Any) -> Labelled:
        return summed(value.term, state["$passed"], place, z3.IntVal(1))

    def passing(state: State, link: Value) -> Any:
        place, *_ = link
        return _passed(place.term, state["used"].term[place.term])

    def noted(state: State, link: Value) -> Any:
        more = z3.Store(state["$passed"], link[0].term, passing(state, link))
        return z3.If(link[1].term == NODE, more, state["$passed"])

    def replaced(state: State, link: Value) -> list[Lemma]:
        return lemmas_of(REPLACED.of(state["$passed"], link[0].term, passing(state, link), COUNT))

    contract = Contract(
        invariant,
        result,
        facts=(COUNT >= 1, _is_among(NODE, COUNT), NONE.of(COUNT)),
        everywhere=everywhere(
            (BOUNDED, GIVEN, bounded), (AFTER, lambda place: (place, _above(place), COUNT))
        ),
        points=lambda place, steps, _: [place, NODE, COUNT - 1 - steps, _above(COUNT - 1 - steps)],
        ghosts={"$passed": Ghost(NOTHING, noted)},
        lemmas=replaced,
    )
    yield from by_induction(loop, contract)


def _kept(said: Specification) -> Iterator[Part]:
    """At any node of the path, by the node below it on the path; at the ClusterQueue by the workload."""
    adding, amount, any_part = said is ADDED, as_term(AMOUNT, int), z3.Int("any part")
    given: State = {**said.takes, "adding": adding}
    before = as_used(BEFORE)

    def part(used: Any, place: Any, runs: bool) -> Any:
        own = amount if runs else z3.IntVal(0)
        return z3.If(
            place == 0, own, lift(usage_passed_up, quota_of(place - 1), SymInt(used[place - 1])).value
        )

    def sum_at(used: Any, place: Any, parts: Any) -> Any:
        return used[place] == _held(place) + _sum(parts, COUNT)

    known = [(label, formula) for label, formula in said.requires(given) if label == BOUNDED]
    held: list[z3.BoolRef] = []
    for at in (*POINTS, z3.IntVal(0)):
        known += [pair for pair in said.each(given, SymToken(at)) if pair[0] == BOUNDED]
        parts, which = _parts(at), _changed(at)
        own = parts[which] == part(before, at, not adding)
        held += [own, sum_at(before, at, parts), _held(at) >= 0, _is_among(which, COUNT)]
        held.append(INCLUDED.of(parts, which, COUNT))
    calls = Composed(*(Taken(formula, label, GIVEN) for label, formula in known), *held)
    after = as_used(calls.call(said, QUOTAS, BEFORE, AMOUNT, adding, points=POINTS))
    new = part(after, PLACE, adding)
    then = z3.Store(_parts(PLACE), _changed(PLACE), new)
    goals = [
        ("the sum of its parts", sum_at(after, PLACE, then)),
        PASSED_UP.goal(_is_among(any_part, COUNT), after[PLACE], then[any_part]),
        HELD.goal(z3.And(PLACE == 0, _is_among(any_part, COUNT)), after[PLACE], then[any_part]),
    ]
    there = z3.And(PLACE >= 0, QUOTAS.size > PLACE)
    changed = REPLACED.of(_parts(PLACE), _changed(PLACE), new, COUNT)
    yield from calls.shows("keeps", goals, there, COUNT >= 0, changed, INCLUDED.of(then, any_part, COUNT))


def as_used(cells: Value) -> Any:
    """What is in use, by the place on the path."""
    return cells.term
