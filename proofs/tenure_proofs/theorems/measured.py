"""No cycle of who preempts whom, where PreemptionConfigs let a measure fall, of any number of workloads.

A *measure* is a row of numbers of a workload. At a preemption it *falls* when one of them does and none
before that rises. `tenure.preemption_measures` finds the row; here is why it excludes cycles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import z3

from tenure.model import Comparison, PriorityMode, SelectorFacts
from tenure.readings import preset_names
from tenure.rules.preemption_config import compared_priority, compares, is_number_selected, is_selected
from tenure_proofs.registry import reading_of
from tenure_proofs.theorems.no_loop import (
    BEHIND,
    GETS_IT,
    LEAVES,
    STAYS,
    better_by_a_step,
    better_for_good,
)
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.theorems.taken import modelled
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.induction import Part
from tenure_proofs.trusted.logic import all_of, implies
from tenure_proofs.trusted.loops import every
from tenure_proofs.trusted.specified import GIVEN
from tenure_proofs.trusted.symbols import SymInt

UNCHANGED = ("nothing changes a workload's labels and its boost", GIVEN)
NO_CYCLE = ("there is an order in which every preemptor is before its victims", "PO-ANY-335")
BY_POLICY = ("spec.preemption preempts what is behind in priority and queueing time", "PO-ANY-330")

_ROW = z3.ArraySort(z3.IntSort(), z3.IntSort())


def _row(name: str) -> Any:
    return z3.Const(name, _ROW)


def _falls(mine: Any, theirs: Any, place: Any, point: Any) -> Any:
    """That a row falls at a place, as far as one point says: none before it rises."""
    return z3.And(theirs[place] < mine[place], z3.Implies(point < place, theirs[point] <= mine[point]))


def _moves(claim: Claim, comparison: Any, theirs: Any, mine: Any) -> None:
    """That LessThan lets a number fall, and LessThanOrEqual does not let it rise."""
    claim.prove(
        implies(comparison == Comparison.LESS, theirs < mine),
        implies(comparison == Comparison.AT_MOST, theirs <= mine),
    )


@theorem(
    "PO-ANY-335",
    about=(is_number_selected, compares, compared_priority, is_selected),
    size="any number of workloads, and of components of a measure",
)
def where_every_rule_lets_one_measure_fall_no_workload_is_preempted_by_one_that_it_preempted(
    number: Callable[..., Any] = is_number_selected,
    compared: Callable[..., Any] = compares,
    priority: Callable[..., Any] = compared_priority,
    selected: Callable[..., Any] = is_selected,
) -> Iterator[Part]:
    """Kueue v0.20, candidateSelectors: a cycle would end with a measure below the one that it began with.

    Every way to preempt lets one component of the measure fall and none before that rise. A label that is no
    number counts as the fallback, and without a fallback it is not compared. Falling twice is falling, at the
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
    claim.prove(all_of(facts.numbers, facts.priority))
    yield _part("a candidate", claim, "its numbers and its priority are selected")
    yield from _rows(compared)


@theorem(
    "PO-ANY-345",
    about=(compares,),
    size="any number of workloads and ClusterQueues, while no promised quota goes to one behind",
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
    modelled(*GETS_IT)
    modelled(*NO_CYCLE)
    claim = Claim(reading_of(preset_names()[0]))
    theirs, mine = claim.number("place of the victim"), claim.number("place of the preemptor")
    falls = claim.lift(compared)(Comparison.LESS, mine, theirs).value
    # The first workload of the order has place 0.
    known = (*claim.facts, *claim.goals, z3.Implies(LEAVES, falls.term), (mine < theirs).term == BEHIND)
    yield better_by_a_step("a step", known)
    yield from better_for_good()


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
        base, effective, other_base, other_effective = (
            claim.number(name) for name in ("base", "effective", "other base", "other effective")
        )
        comparison, chosen = claim.member("comparison", Comparison), claim.lift(priority)
        theirs, mine = chosen(mode, base, effective).value, chosen(mode, other_base, other_effective).value
        claim.assume(claim.lift(compared)(comparison, theirs, mine).value)
        own, others = (base, other_base) if mode == PriorityMode.BASE else (effective, other_effective)
        _moves(claim, comparison, own, others)
        yield _part(f"mode {mode.label}", claim, "that priority falls, or does not rise")


def _rows(compared: Callable[..., Any]) -> Iterator[Part]:
    point, place, later = z3.Int("any component"), z3.Int("place"), z3.Int("a later place")
    mine, theirs, last = (_row(f"the row of {name}") for name in ("the preemptor", "its victim", "the next"))
    claim = Claim(reading_of(preset_names()[0]))
    hypotheses = []
    for at, name in ((place, "at the place"), (point, "before it")):
        comparison = claim.member(name, Comparison)
        holds = claim.lift(compared)(comparison, SymInt(theirs[at]), SymInt(mine[at])).value
        strict, weak = (comparison == one for one in (Comparison.LESS, Comparison.AT_MOST))
        known = strict.term if at is place else z3.Or(strict.term, weak.term)
        hypotheses.append(known if at is place else z3.Implies(at < place, known))
        hypotheses.append(holds.term if at is place else z3.Implies(at < place, holds.term))
    known = (*claim.facts, *claim.goals, *hypotheses)
    yield Part("a step", known, (("its measure falls", _falls(mine, theirs, place, point)),))
    earlier = z3.If(place < later, place, later)
    both = tuple(
        _falls(one, other, by, at)
        for one, other, by in ((mine, theirs, place), (theirs, last, later))
        for at in (point, place, later)
    )
    yield Part("two steps", both, (("the measure falls", _falls(mine, last, earlier, point)),))
    alike = mine[place] == theirs[place]
    yield Part("back again", (alike,), (("it does not fall", z3.Not(_falls(mine, theirs, place, point))),))


def _part(place: str, claim: Claim, words: str) -> Part:
    return Part(place, tuple(claim.facts), ((words, every(claim.goals)),))
