"""No loop of any number of workloads: what rises with every preemption, and whose turn comes first.

A workload is *before* another one of higher priority number, or of the same and queued earlier. Where no
preemption goes up in this order, no turn of a play makes worse what runs and what waits for its victims, and
there are finitely many workloads: so a loop needs a workload behind a preemptor whose turn comes first.

PO-ANY-330 and PO-ANY-340 cover a tree in which

1. no ClusterQueue has `reclaimWithinCohort: Any`, and none is a hero;
2. no ClusterQueue has minAdmitDuration in force;
3. no WorkloadPriorityClass changes a priority with time, and gate PrioritySortingWithinCohort is on.

What a play does to its workloads is that of PO-ANY-351 to PO-ANY-354. A workload that comes evicted, but not
preempted, moves once in the order, when it is admitted; from then on none moves. Where the tree has one
ClusterQueue that is StrictFIFO, or has one flavor in each resource group and no quota for pods, PO-ANY-350
makes it whole: no loop. A decision which has found targets there finds some again, or needs none, once some
of what runs has left (PO-ANY-355): that each number of pods does is believed. It is false of several flavors
(F-091), and of quota for pods: the search for targets leaves pods out, so that those it finds may not
suffice. Where the tree has several ClusterQueues, whose turn comes first is decided by borrowing and shares
(PO-CYC-210, PO-CYC-220), and quota that one victim has freed may go to another (PO-CYC-230). PO-ANY-360
covers `reclaimWithinCohort: Any` too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import z3

from tenure.model import Basis, ReclaimWithinCohort, TurnResult
from tenure.oracle.selection import remove_until_fits
from tenure.readings import preset_names
from tenure.rules.cycle import is_ahead_in_queue, is_kept_at_head
from tenure.rules.eligibility import basis_for
from tenure.rules.quota import is_within_quota
from tenure.rules.reclaim import stands_in_attempt
from tenure_play.queues import preemptor_after
from tenure_proofs.premises import any_question
from tenure_proofs.registry import reading_of
from tenure_proofs.theorems.deciding import AGAIN
from tenure_proofs.theorems.livelock import Counted, is_before
from tenure_proofs.theorems.played import BEHIND, LEAVES, PARKED, better_by_a_turn
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.theorems.selection import listed, usage_of
from tenure_proofs.theorems.taken import lemmas_of, modelled
from tenure_proofs.trusted.ast_lifter import Value, lift
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.defined import Recursion
from tenure_proofs.trusted.induction import Contract, Labelled, Lemma, Part, by_induction
from tenure_proofs.trusted.logic import all_of, any_of, negation
from tenure_proofs.trusted.loops import Loop, Row, State, every
from tenure_proofs.trusted.symbols import SymBool, SymInt, SymToken, as_term

STAYS = ("a workload keeps its priority and the time that it queues from", "PO-ANY-351")
ONE_HEAD = ("a ClusterQueue has one head in a scheduling cycle", "PO-ANY-352")
TURNS = ("only who fits is admitted, and only targets of a head that preempts are preempted", "PO-ANY-353")
HAS_TURN = ("in one ClusterQueue that parks no preemptor, none behind one has its turn", "PO-ANY-350")
PHASES = ("who is admitted runs, who is evicted terminates, who is released waits", "PO-ANY-351")


def _preempts(claim: Claim, function: Callable[..., Any]) -> tuple[Any, Any]:
    """That the door may open between two workloads, and that the preemptor is before its target."""
    preemptor, target, terms, asked = any_question(claim)
    claim.assume(negation(terms.hero), terms.reclaim_within_cohort != ReclaimWithinCohort.ANY)
    basis = claim.lift(function)(*asked).value
    return basis != Basis.NONE, is_before(claim, preemptor, target, terms)


@theorem(
    "PO-ANY-330", size="any two workloads of any two ClusterQueues, any usage and shares, under every preset"
)
def where_no_policy_is_any_no_preemption_goes_up_in_priority_and_queueing_time(
    function: Callable[..., Any] = basis_for,
) -> Iterator[Part]:
    """Kueue v1beta2, ClusterQueuePreemption, where no policy is Any, there is no hero and no duration.

    The order is of higher priority, and of equal ones whoever queues earlier. It is one order for the
    whole tree: within a ClusterQueue, for reclaim, for a preemptor that borrows, and under fair sharing with
    either strategy. What PO-ANY-200 says makes it hold of every target of every decision.
    """
    for preset in preset_names():
        claim = Claim(reading_of(preset))
        may, before = _preempts(claim, function)
        claim.assume(may)
        claim.prove(before)
        yield Part(f"under {preset}", tuple(claim.facts), (("it is before", every(claim.goals)),))


_Row: TypeAlias = Callable[[Any], Any]
"""A row of numbers, one at each place."""


def falls(mine: _Row, theirs: _Row, place: Any, point: Any) -> Any:
    """That a row falls at a place, as far as one point says: none before it rises.

    Args:
        mine, theirs: the row before, and the row after.
        place, point: where it falls, and any place.
    """
    return z3.And(theirs(place) < mine(place), z3.Implies(point < place, theirs(point) <= mine(point)))


def never_back() -> Iterator[Part]:
    """That a row that falls twice has fallen, and that no row falls below itself."""
    point, place, later = z3.Int("any place"), z3.Int("place"), z3.Int("a later place")
    first, second, last = (_numbers(name) for name in ("the row", "the next row", "the last row"))
    earlier = z3.If(place < later, place, later)
    both = tuple(
        falls(one, other, by, at)
        for one, other, by in ((first, second, place), (second, last, later))
        for at in (point, place, later)
    )
    yield Part("two steps", both, (("the row falls", falls(first, last, earlier, point)),))
    alike = first(place) == second(place)
    yield Part("back again", (alike,), (("it does not fall", z3.Not(falls(first, second, place, point))),))


def _numbers(name: str) -> _Row:
    return lambda at: z3.Const(name, z3.ArraySort(z3.IntSort(), z3.IntSort()))[at]


@theorem(
    "PO-ANY-340",
    size="any number of workloads and ClusterQueues, while none behind a preemptor has its turn before it",
)
def what_holds_quota_or_was_promised_it_gets_better_and_never_comes_back(
    function: Callable[..., Any] = basis_for, turn: Callable[..., Any] = preemptor_after
) -> Iterator[Part]:
    """Kueue main of August 2026, scheduling cycle: a measure that no turn of a play makes worse.

    A workload is its place in the order. It counts 2 if it runs, 1 if it is its ClusterQueue's preemptor and
    waits, and 0 otherwise, or if a preemptor that waits is before it. What counts is better where the first
    workload that counts otherwise counts more. A head that is admitted makes it better, and so does one that
    becomes the preemptor. No other turn changes it, and in none of these does a workload run that did not:
    a preemptor may preempt more while it waits. What each lacks to 2 is a row that falls, and rows that fall
    never come back (PO-ANY-335). There are finitely many workloads, so that preemptions end. Whose turn it is
    may be what is broken: see PO-CYC-210, PO-CYC-220 and PO-CYC-230.
    """
    for premise in (STAYS, PHASES, TURNS, HAS_TURN):
        modelled(*premise)
    for result in TurnResult:
        if result != TurnResult.PREEMPTING:
            yield from better_by_a_turn(result, (), function=turn)
    for preset in preset_names():
        claim = Claim(reading_of(preset))
        may, is_before = _preempts(claim, function)
        known = (*claim.facts, *claim.goals, z3.Implies(LEAVES, may.term), z3.Implies(is_before.term, BEHIND))
        yield from better_by_a_turn(TurnResult.PREEMPTING, known, f" under {preset}", turn)
    yield from never_back()


@theorem(
    "PO-ANY-350",
    about=(is_ahead_in_queue, is_kept_at_head),
    size="any number of workloads of one ClusterQueue",
)
def in_a_queue_none_that_is_behind_a_waiting_preemptor_has_its_turn_before_it(
    function: Callable[..., Any] = is_ahead_in_queue,
) -> Iterator[Part]:
    """Kueue main of August 2026, order of a ClusterQueue's heap; preemptor at its head.

    In a BestEffortFIFO queue none has, in a StrictFIFO queue none that is behind in the order. So where a
    tree has one ClusterQueue, and that parks no preemptor, none behind a preemptor has its turn before it:
    with PO-ANY-340 there is no loop. While a preemptor is ahead of all, what runs only gets less, so that all
    its later decisions are about some of what ran when it found its targets. With several flavors in a
    resource group a BestEffortFIFO queue parks a preemptor whose pod sets get other flavors than before
    (F-091); with quota for pods it parks one that still lacks pods when its targets have left.
    """
    for premise in (STAYS, ONE_HEAD):
        modelled(*premise)
    claim = Claim(reading_of(preset_names()[0]))
    strict, lower = claim.flag("strict"), claim.flag("lower uid")
    priority, others = claim.number("priority"), claim.number("other priority")
    queued, since = claim.number("queued at"), claim.number("other queued at")
    kept = claim.lift(is_kept_at_head)
    mine, theirs = kept(True, strict).value, kept(False, strict).value
    ahead = claim.lift(function)(mine, theirs, priority, others, queued, since, lower).value
    before = any_of(priority > others, all_of(priority == others, queued < since))
    claim.prove(any_of(ahead, all_of(strict, negation(before))))
    parked, nothing = z3.Bool("the preemptor is parked"), z3.Bool("its decision finds nothing")
    facts = (*claim.facts, AGAIN.of(z3.Not(strict.term), nothing), PARKED.of(strict.term, nothing, parked))
    goals = (("it is ahead", every(claim.goals)), ("it is not parked", z3.Not(parked)))
    yield Part("two heads", facts, goals)


BEFORE, NOMINAL = z3.Int("usage"), z3.Int("nominal")
_size = z3.Function("size", z3.IntSort(), z3.IntSort())
_sizes = z3.Function("sizes of those ahead", z3.IntSort(), z3.IntSort())
SUM = Recursion(_sizes, "what a sum is", lambda: 0, lambda place, before: before + _size(place))
_fits = z3.Function("fits", z3.IntSort(), z3.BoolSort())


def _may_leave(usage: Any, _: Any) -> Any:
    over = z3.Not(lift(is_within_quota, usage, SymInt(NOMINAL)).value)
    return lift(stands_in_attempt, False, SymBool(over), Basis.WITHOUT_BORROWING, False).value


@theorem("PO-ANY-360", size="any number of candidates of one ClusterQueue, one flavor-resource, any request")
def reclaim_preempts_none_that_fits_nominal_quota_with_all_that_are_not_ahead_of_it(
    function: Callable[..., Any] = remove_until_fits,
) -> Iterator[Part]:
    """Kueue main of August 2026, candidate iterator: reclaim goes on while a ClusterQueue exceeds its quota.

    A candidate of another ClusterQueue leaves only if that one, without all candidates ahead of it, still
    uses more than its nominal quota. So those that come last, of highest priority and longest reserved, are
    safe from reclaim up to nominal quota, whoever asks and however much.
    """
    loop = Loop(
        function,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
        candidates=Row(SymToken, z3.Int("count")),
        usage=SymInt(BEFORE),
        stands=Counted(2, bool, _may_leave),
        fits=Counted(1, bool, lambda usage: _fits(as_term(usage, int))),
        remove=Counted(2, int, lambda usage, candidate: as_term(usage, int) - _size(candidate.term)),
    )

    def safe(removed: Any, point: Any) -> tuple[str, Any]:
        over = BEFORE - _sizes(point) > NOMINAL
        return ("it leaves while the rest is over quota", z3.Implies(removed.members[point], over))

    def invariant(steps: Any, state: State, point: Any) -> Labelled:
        fold = state["state"]
        usage, removed = usage_of(fold), listed(fold.fields["removed"])
        return [
            safe(removed, point),
            (
                "all ahead have left, or it is within",
                z3.Or(usage == BEFORE - _sizes(steps), usage <= NOMINAL),
            ),
            ("it does not fit yet", z3.Not(as_term(fold.fields["fits"], bool))),
        ]

    def result(value: Value, _state: State, point: Any, *_: Any) -> Labelled:
        return [safe(listed(value.fields["removed"]), point)]

    def summed(_: State, candidate: Value) -> list[Lemma]:
        return lemmas_of(SUM.at(candidate.term))

    return by_induction(loop, Contract(invariant, result, facts=(SUM.at(z3.IntVal(0)),), lemmas=summed))
