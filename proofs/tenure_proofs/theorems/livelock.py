"""Reclaim between two ClusterQueues cannot go back and forth: what rises with each, of any number of victims.

Two ClusterQueues of one root, one flavor-resource, classical preemption: the preemptor's queue takes back
nominal quota without borrowing, the other one has borrowed it. Beware of the sum of min(usage, nominal): it
need not rise, since a victim may hold more than its queue has borrowed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import z3

from tenure.model import Basis
from tenure.oracle.selection import remove_until_fits
from tenure.readings import preset_names
from tenure.rules.eligibility import basis_within_queue
from tenure.rules.quota import fits_quota, fits_request, is_within_quota
from tenure.rules.reclaim import stands_in_attempt
from tenure.rules.time_based import requeue_timestamp
from tenure_proofs.premises import comes_first, duration_is_in_force, two_workloads
from tenure_proofs.registry import reading_of
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.theorems.selection import listed, usage_of
from tenure_proofs.theorems.taken import given, lemmas_of
from tenure_proofs.theorems.tree import HELD
from tenure_proofs.trusted.ast_lifter import Value, lift
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.induction import Contract, Labelled, Lemma, Part, by_induction
from tenure_proofs.trusted.logic import negation
from tenure_proofs.trusted.loops import Given, Loop, Row, State, every
from tenure_proofs.trusted.specified import GIVEN
from tenure_proofs.trusted.symbols import SymBool, SymInt, SymToken, as_term, wrapped

LARGEST = 2**60
"""Sums of amounts up to here do not saturate."""

MINE, OURS, THEIRS, LIMIT, REQUEST = (
    SymInt(z3.Int(name))
    for name in ("usage", "nominal", "usage of the other", "nominal of the other", "request")
)
_size = z3.Function("size", z3.IntSort(), z3.IntSort())


class Counted(Given):
    """A function of what the other queue uses, a number, and of a candidate."""

    def __call__(self, *told: Any) -> Any:
        return wrapped(self.result, self.meaning(*told))


def _fits(usage: Any) -> Any:
    borrows = z3.Not(lift(fits_quota, MINE, REQUEST, OURS).value)
    free = OURS.term + LIMIT.term - MINE.term - as_term(usage, int)
    return lift(fits_request, REQUEST, SymInt(free), SymBool(borrows), False).value


def _may_leave(usage: Any, quota: SymInt) -> Any:
    over = z3.Not(lift(is_within_quota, usage, quota).value)
    return lift(stands_in_attempt, False, SymBool(over), Basis.WITHOUT_BORROWING, False).value


def _if_within(usage: Any, quota: Any) -> Any:
    """What a queue uses, where it borrows nothing."""
    return z3.If(usage <= quota, usage, 0)


WORLD = (
    *(z3.And(amount.term >= 0, amount.term <= LARGEST) for amount in (MINE, OURS, THEIRS, LIMIT, REQUEST)),
    REQUEST.term > 0,
    MINE.term <= OURS.term,
)


@theorem("PO-ANY-300", size="any number of victims; two ClusterQueues, amounts up to 2^60")
def a_reclaim_raises_what_queues_use_that_borrow_nothing_by_the_request_at_least(
    function: Callable[..., Any] = remove_until_fits,
) -> Iterator[Part]:
    """Kueue main of August 2026, reclaim within nominal quota: what queues without borrowing use only rises.

    So reclaims alone come to an end: each raises it by at least the request, and it is never more than the
    nominal quota of all. Admissions that borrow may lower it, and are not spoken of.
    """
    count = z3.Int("count")
    loop = Loop(
        function,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
        candidates=Row(SymToken, count),
        usage=THEIRS,
        stands=Counted(2, bool, lambda usage, _: _may_leave(usage, LIMIT)),
        fits=Counted(1, bool, _fits),
        remove=Counted(2, int, lambda usage, candidate: as_term(usage, int) - _size(candidate.term)),
    )
    before, nominal = THEIRS.term, LIMIT.term

    def so_far(usage: Any, removed: Any) -> Labelled:
        return [
            ("less is in use", z3.And(usage >= 0, usage <= before)),
            ("it borrows while one leaves", z3.Implies(removed.there, before > nominal)),
            ("as before, where none has left", z3.Implies(z3.Not(removed.there), usage == before)),
        ]

    def invariant(_steps: Any, state: State, _point: Any) -> Labelled:
        fold = state["state"]
        not_yet = z3.Not(as_term(fold.fields["fits"], bool))
        return [*so_far(usage_of(fold), listed(fold.fields["removed"])), ("it does not fit yet", not_yet)]

    def result(value: Value, *_: Any) -> Labelled:
        usage, removed = usage_of(value), listed(value.fields["removed"])
        mine, request = MINE.term, REQUEST.term
        then = _if_within(mine + request, OURS.term) + _if_within(usage, nominal)
        now = _if_within(mine, OURS.term) + _if_within(before, nominal)
        found = z3.And(as_term(value.fields["fits"], bool), removed.there)
        return [*so_far(usage, removed), ("rises by the request", z3.Implies(found, then >= now + request))]

    def holds(state: State, candidate: Value) -> list[Lemma]:
        size = _size(candidate.term)
        held = HELD.of(z3.BoolVal(True), usage_of(state["state"]), size)
        return [given("no size is below zero", GIVEN, size >= 0), *lemmas_of(held)]

    return by_induction(loop, Contract(invariant, result, facts=WORLD, lemmas=holds))


@theorem(
    "PO-ANY-310",
    about=(stands_in_attempt, fits_request),
    size="any usage of two ClusterQueues, amounts up to 2^60",
)
def who_reclaimed_within_nominal_quota_is_not_reclaimed_in_turn() -> Iterator[Part]:
    """Kueue main of August 2026, candidates of another queue: it must use more than its quota.

    Whoever fits without borrowing leaves its ClusterQueue within its nominal quota, and no workload of such a
    queue is eligible for a reclaim.
    """
    then = SymInt(MINE.term + REQUEST.term)
    hypotheses = (*WORLD, _fits(THEIRS))
    yield Part("reclaimed", hypotheses, (("none is eligible", z3.Not(_may_leave(then, OURS))),))


def is_before(claim: Claim, preemptor: Any, target: Any, terms: Any) -> Any:
    """Of higher priority, or as high and earlier in the queue; without a duration in force."""
    queued, mine, theirs = claim.lift(requeue_timestamp), preemptor.priority, target.priority
    claim.assume(negation(duration_is_in_force(terms)))
    earlier = queued(preemptor, terms).value < queued(target, terms).value
    return comes_first((mine > theirs, mine == theirs), last=earlier)


@theorem(
    "PO-ANY-320",
    about=(basis_within_queue,),
    size="any two workloads of one ClusterQueue, under every preset",
)
def without_a_duration_in_force_a_preemptor_is_before_its_target_in_a_strict_order() -> Iterator[Part]:
    """Kueue v1beta2, `withinClusterQueue`: higher priority first, and of equal ones whoever queues earlier.

    So while priorities and places in the queue stay, no workload is preempted within its ClusterQueue by one
    that it has preempted itself, nor by one that such a workload has preempted, and so on. Where
    minAdmitDuration is in force this is false: a newer equal may preempt an expired workload (PO-TBP-030).
    """
    for preset in preset_names():
        claim = Claim(reading_of(preset))
        asked = two_workloads(claim)
        basis = claim.lift(basis_within_queue)(*asked, claim.number("now")).value
        claim.assume(basis != Basis.NONE)
        claim.prove(is_before(claim, *asked))
        yield Part(f"under {preset}", tuple(claim.facts), (("it is before", every(claim.goals)),))
