"""The order in which candidates are taken."""

from __future__ import annotations

from typing import Any

from tenure.model import MINUTE, WithinClusterQueue
from tenure.rules.ordering import candidate_precedes
from tenure_proofs.registry import Verdict, everywhere, obligation
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import all_of, implies, is_set, negation, value_of

PROVED = Verdict.PROVED
ORDER_RULES = ["KQ-050", "TBP-060", "TBP-020", "TBP-010", "KQ-030"]


def _precedes(claim: Claim, preemptor: Any, terms: Any, now: Any) -> Any:
    precedes = claim.lift(candidate_precedes)
    return lambda first, second: precedes(first, second, preemptor, terms, now).value


def _expired(workload: Any, terms: Any, now: Any) -> Any:
    return all_of(
        terms.within_cluster_queue == WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY,
        terms.time_based_preemption,
        is_set(terms, "min_admit_duration"),
        value_of(terms, "min_admit_duration") >= MINUTE,
        is_set(workload, "quota_reserved_at"),
        now - value_of(workload, "quota_reserved_at") > value_of(terms, "min_admit_duration"),
    )


@obligation("PO-TBP-200", rules=ORDER_RULES, expect=everywhere(PROVED))
def candidates_are_strictly_ordered(claim: Claim) -> None:
    """KEP-8522, Integration tests 7: deterministic. Irreflexive, asymmetric, transitive."""
    preemptor, terms, now = claim.workload("preemptor"), claim.terms(), claim.number("now")
    first, second, third = (claim.workload(name) for name in ("first", "second", "third"))
    precedes = _precedes(claim, preemptor, terms, now)
    claim.prove(
        negation(precedes(first, first)),
        negation(all_of(precedes(first, second), precedes(second, first))),
        implies(all_of(precedes(first, second), precedes(second, third)), precedes(first, third)),
    )


@obligation("PO-TBP-210", rules=ORDER_RULES, expect=everywhere(PROVED))
def two_candidates_with_different_uids_are_never_tied(claim: Claim) -> None:
    """KEP-8522, Integration tests 7: deterministic, given that uids are unique."""
    preemptor, terms, now = claim.workload("preemptor"), claim.terms(), claim.number("now")
    first, second = claim.workload("first"), claim.workload("second")
    precedes = _precedes(claim, preemptor, terms, now)
    claim.assume(first.uid != second.uid)
    claim.prove(implies(negation(precedes(first, second)), precedes(second, first)))


@obligation("PO-TBP-220", rules=ORDER_RULES, expect=everywhere(PROVED))
def evicted_first_then_lower_priority(claim: Claim) -> None:
    """KEP-8522, Integration tests 3: lower priority always before same priority; Kueue: evicted first."""
    preemptor, terms, now = claim.workload("preemptor"), claim.terms(), claim.number("now")
    first, second = claim.workload("first"), claim.workload("second")
    precedes = _precedes(claim, preemptor, terms, now)
    claim.prove(
        implies(all_of(first.evicted, negation(second.evicted)), precedes(first, second)),
        implies(
            all_of(first.evicted == second.evicted, first.priority < second.priority), precedes(first, second)
        ),
    )


@obligation("PO-TBP-230", rules=ORDER_RULES, expect=everywhere(PROVED))
def among_equals_expired_first_and_longest_running_first(claim: Claim) -> None:
    """KEP-8522, Preemption Eligibility, preemption order among same-priority candidates 1-3."""
    preemptor, terms, now = claim.workload("preemptor"), claim.terms(), claim.number("now")
    first, second = claim.workload("first"), claim.workload("second")
    precedes = _precedes(claim, preemptor, terms, now)
    claim.assume(
        first.evicted == second.evicted,
        first.priority == preemptor.priority,
        second.priority == preemptor.priority,
        is_set(first, "quota_reserved_at"),
        is_set(second, "quota_reserved_at"),
    )
    first_reserved, second_reserved = (
        value_of(first, "quota_reserved_at"),
        value_of(second, "quota_reserved_at"),
    )
    first_expired, second_expired = _expired(first, terms, now), _expired(second, terms, now)
    claim.prove(
        implies(all_of(first_expired, negation(second_expired)), precedes(first, second)),
        implies(
            all_of(first_expired, second_expired, first_reserved < second_reserved), precedes(first, second)
        ),
        implies(
            all_of(negation(first_expired), negation(second_expired), first_reserved > second_reserved),
            precedes(first, second),
        ),
        implies(all_of(first_reserved == second_reserved, first.uid < second.uid), precedes(first, second)),
    )


@obligation("PO-TBP-240", rules=ORDER_RULES, expect=everywhere(PROVED))
def below_the_preemptors_priority_the_order_is_kueues(claim: Claim) -> None:
    """KEP-8522 orders same-priority candidates only: below, the one admitted last goes first, as in Kueue."""
    preemptor, terms, now = claim.workload("preemptor"), claim.terms(), claim.number("now")
    first, second = claim.workload("first"), claim.workload("second")
    claim.assume(
        first.evicted == second.evicted,
        first.priority == second.priority,
        first.priority < preemptor.priority,
        is_set(first, "quota_reserved_at"),
        is_set(second, "quota_reserved_at"),
        value_of(first, "quota_reserved_at") > value_of(second, "quota_reserved_at"),
    )
    claim.prove(_precedes(claim, preemptor, terms, now)(first, second))
