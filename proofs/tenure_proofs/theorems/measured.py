"""No cycle of who preempts whom, where PreemptionConfigs let a measure fall, of any number of workloads.

A *measure* is a row of numbers of a workload. At a preemption it *falls* when one of them does and none
before that rises. `tenure.preemption_measures` finds the row; here is why it excludes cycles. Whether labels
are selected it finds by the rules' own code, for one of all values that selectors do not tell apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import z3

from tenure.model import Comparison, NodeOperator, PriorityMode, SelectorFacts, TurnResult
from tenure.readings import preset_names
from tenure.rules.preemption_config import (
    compared_priority,
    compares,
    is_class_selected,
    is_label_selected,
    is_number_selected,
    is_selected,
)
from tenure_proofs.registry import reading_of
from tenure_proofs.theorems.no_loop import HAS_TURN, STAYS, falls, never_back
from tenure_proofs.theorems.played import BEHIND, LEAVES, better_by_a_turn
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.theorems.taken import modelled
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.induction import Part
from tenure_proofs.trusted.logic import all_of, any_of, implies, negation
from tenure_proofs.trusted.loops import every
from tenure_proofs.trusted.specified import GIVEN
from tenure_proofs.trusted.symbols import SymInt

UNCHANGED = ("nothing changes a workload's labels and its boost", GIVEN)
NO_CYCLE = ("there is an order in which every preemptor is before its victims", "PO-ANY-335")
BY_POLICY = ("spec.preemption preempts what is behind in priority and queueing time", "PO-ANY-330")


def _moves(claim: Claim, comparison: Any, theirs: Any, mine: Any) -> None:
    """That LessThan lets a number fall, and LessThanOrEqual does not let it rise; the others its negative."""
    claim.prove(
        implies(comparison == Comparison.LESS, theirs < mine),
        implies(comparison == Comparison.AT_MOST, theirs <= mine),
        implies(comparison == Comparison.GREATER, 0 - theirs < 0 - mine),
        implies(comparison == Comparison.AT_LEAST, 0 - theirs <= 0 - mine),
    )


@theorem("PO-ANY-335", size="any number of workloads, and of components of a measure")
def where_every_rule_lets_one_measure_fall_no_workload_is_preempted_by_one_that_it_preempted(
    number: Callable[..., Any] = is_number_selected,
    compared: Callable[..., Any] = compares,
    priority: Callable[..., Any] = compared_priority,
    label: Callable[..., Any] = is_label_selected,
    name: Callable[..., Any] = is_class_selected,
    selected: Callable[..., Any] = is_selected,
) -> Iterator[Part]:
    """Kueue v0.20, candidateSelectors: a cycle would end with a measure below the one that it began with.

    Every way to preempt lets one component of the measure fall and none before that rise. A label that is no
    number counts as the fallback, and without a fallback it is not compared. With GreaterThan a number falls
    whose lower value counts as the greater one. A component may be 1 where a label, or the name of the
    priority class, has one of some values, and 0 where not: it falls where every preemptor has one of them
    and no victim has, and does not rise where either holds. Falling twice is falling, at the
    earlier of the two places, and no row falls below itself: so who preempts whom has no cycle.
    A loop in time still needs a preemptor that does not get what its victims free: see PO-CYC-210, PO-CYC-220
    and PO-CYC-230.
    """
    modelled(*STAYS)
    modelled(*UNCHANGED)
    modelled(*BY_POLICY)
    yield from _labels(number)
    yield from _priorities(compared, priority)
    claim = Claim(reading_of(preset_names()[0]))
    facts = claim.record("facts", SelectorFacts)
    claim.assume(claim.lift(selected)(facts).value)
    claim.prove(all_of(facts.numbers, facts.priority, facts.preemptor, facts.labels, facts.priority_class))
    yield _part("a candidate", claim, "all that is compared and required of labels holds")
    yield from _values(number, label, name)
    yield from _row(compared)
    yield from never_back()


@theorem(
    "PO-ANY-345",
    size="any number of workloads and ClusterQueues, while none behind a preemptor has its turn before it",
)
def with_a_measure_what_holds_quota_or_was_promised_it_gets_better_and_never_comes_back(
    compared: Callable[..., Any] = compares,
) -> Iterator[Part]:
    """Kueue v0.20, candidateSelectors: PO-ANY-340, in an order of PO-ANY-335.

    Who preempts whom has no cycle, so that finitely many workloads have an order in which every preemptor is
    before its victims. With PO-ANY-350 there is no loop in a tree of one ClusterQueue that is BestEffortFIFO:
    there a preemptor has its turn before every other workload.
    """
    modelled(*STAYS)
    modelled(*UNCHANGED)
    modelled(*HAS_TURN)
    modelled(*NO_CYCLE)
    claim = Claim(reading_of(preset_names()[0]))
    theirs, mine = claim.number("place of the victim"), claim.number("place of the preemptor")
    falls = claim.lift(compared)(Comparison.LESS, mine, theirs).value
    # The first workload of the order has place 0.
    known = (*claim.facts, *claim.goals, z3.Implies(LEAVES, falls.term), (mine < theirs).term == BEHIND)
    yield from better_by_a_turn(TurnResult.PREEMPTING, known)
    yield from never_back()


def _labels(number: Callable[..., Any]) -> Iterator[Part]:
    """Of a component that is a label with a fallback; where the rule has none, whichever others have."""
    for labelled, by_preemptor, has_fallback in product((True, False), repeat=3):
        claim = Claim(reading_of(preset_names()[0]))
        theirs, mine, fallback = (claim.number(name) for name in ("theirs", "mine", "fallback"))
        low, high = claim.optional_number("low"), claim.optional_number("high")
        comparison, otherwise = claim.member("comparison", Comparison), fallback if has_fallback else None
        candidate, preemptor = theirs if labelled else otherwise, mine if by_preemptor else otherwise
        claim.assume(claim.lift(number)(candidate, preemptor, comparison, low, high).value)
        _moves(claim, comparison, theirs if labelled else fallback, mine if by_preemptor else fallback)
        words = (
            f"a candidate {_with(labelled)} a number, a preemptor {_with(by_preemptor)} one, "
            f"{_with(has_fallback)} a fallback"
        )
        # Without a number and without a fallback nothing is compared: the hypotheses contradict each other.
        if has_fallback or (labelled and by_preemptor):
            yield _part(words, claim, "the label falls, or does not rise")
        else:
            yield Part(words, (), (("it is not selected", z3.Not(claim.facts[-1])),))


def _with(there: bool) -> str:
    return "with" if there else "without"


def _priorities(compared: Callable[..., Any], priority: Callable[..., Any]) -> Iterator[Part]:
    for mode in PriorityMode:
        claim = Claim(reading_of(preset_names()[0]))
        base, effective, other_base = claim.numbers("base", "effective", "other base")
        other_effective = claim.number("other effective")
        comparison, chosen = claim.member("comparison", Comparison), claim.lift(priority)
        theirs, mine = chosen(mode, base, effective).value, chosen(mode, other_base, other_effective).value
        claim.assume(claim.lift(compared)(comparison, theirs, mine).value)
        own, others = (base, other_base) if mode == PriorityMode.BASE else (effective, other_effective)
        _moves(claim, comparison, own, others)
        yield _part(f"mode {mode.label}", claim, "that priority falls, or does not rise")


def _values(
    number: Callable[..., Any], label: Callable[..., Any], name: Callable[..., Any]
) -> Iterator[Part]:
    """Of a component that is whether a label has one of some values."""
    claim = Claim(reading_of(preset_names()[0]))
    one, other = claim.number("number"), claim.number("another number")
    low, high = claim.optional_number("low"), claim.optional_number("high")
    bounded = claim.lift(number)
    claim.assume((one < low.value) == (other < low.value), (one > high.value) == (other > high.value))
    alike = [bounded(found, None, None, low, high).value for found in (one, other)]
    claim.prove(alike[0] == alike[1])
    yield _part("two numbers that no bound tells apart", claim, "both are selected, or none")

    claim = Claim(reading_of(preset_names()[0]))
    theirs, mine = claim.optional_number("theirs"), claim.optional_number("mine")
    low, high = claim.optional_number("low"), claim.optional_number("high")
    comparison, bounded = claim.member("comparison", Comparison), claim.lift(number)
    claim.assume(bounded(theirs, mine, comparison, low, high).value)
    claim.prove(bounded(theirs, None, None, low, high).value)
    yield _part("a number that is compared", claim, "it is within the bounds")

    claim = Claim(reading_of(preset_names()[0]))
    named, some, matched, excluded = map(claim.flag, ("has a class", "some are listed", "listed", "excluded"))
    claim.assume(implies(any_of(matched, excluded), named), implies(matched, some))
    required = claim.lift(label)
    both = all_of(
        implies(some, required(NodeOperator.IN, named, matched).value),
        required(NodeOperator.NOT_IN, named, excluded).value,
    )
    claim.prove(claim.lift(name)(some, matched, excluded).value == both)
    yield _part("the name of a priority class", claim, "it is selected like a label")

    claim = Claim(reading_of(preset_names()[0]))
    required, accepts = claim.lift(label), []
    for side in ("preemptor", "victim"):
        operator = claim.member(f"operator of the {side}", NodeOperator)
        present, listed = claim.flag(f"label of the {side}"), claim.flag(f"listed of the {side}")
        accepts.append(required(operator, present, listed).value)
    claim.assume(*accepts)
    mine, theirs = claim.flag("the preemptor has one of the values"), claim.flag("the victim has one")
    # Both are instances of what is found of all values.
    every_preemptor, no_victim = claim.flag("every preemptor has"), claim.flag("no victim has")
    claim.assume(
        implies(all_of(every_preemptor, accepts[0]), mine),
        implies(all_of(no_victim, accepts[1]), negation(theirs)),
    )
    claim.prove(
        implies(all_of(every_preemptor, no_victim), all_of(mine, negation(theirs))),
        implies(any_of(every_preemptor, no_victim), implies(theirs, mine)),
    )
    yield _part("whether a label has one of some values", claim, "it falls, or does not rise")


def _row(compared: Callable[..., Any]) -> Iterator[Part]:
    point, place = z3.Int("any component"), z3.Int("place")
    mine, theirs = (
        z3.Function(f"the row of {name}", z3.IntSort(), z3.IntSort())
        for name in ("the preemptor", "its victim")
    )
    claim = Claim(reading_of(preset_names()[0]))
    hypotheses = []
    for at, name in ((place, "at the place"), (point, "before it")):
        comparison = claim.member(name, Comparison)
        holds = claim.lift(compared)(comparison, SymInt(theirs(at)), SymInt(mine(at))).value
        strict, weak = (comparison == one for one in (Comparison.LESS, Comparison.AT_MOST))
        known = strict.term if at is place else z3.Or(strict.term, weak.term)
        hypotheses.append(known if at is place else z3.Implies(at < place, known))
        hypotheses.append(holds.term if at is place else z3.Implies(at < place, holds.term))
    known = (*claim.facts, *claim.goals, *hypotheses)
    yield Part("a step", known, (("its measure falls", falls(mine, theirs, place, point)),))


def _part(place: str, claim: Claim, words: str) -> Part:
    return Part(place, tuple(claim.facts), ((words, every(claim.goals)),))
