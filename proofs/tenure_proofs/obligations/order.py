"""The order in which candidates are preempted: within a group, across groups, and as keys."""

from __future__ import annotations

from typing import Any

from tenure.model import Workload
from tenure.rules.ordering import candidate_precedes, order_key, stands_before
from tenure_proofs.premises import any_terms, duration_is_in_force, is_own
from tenure_proofs.registry import obligation
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import all_of, any_of, iff, implies, is_set, negation, value_of

ORDER_RULES = ["KQ-050", "TBP-060", "TBP-020", "TBP-010", "KQ-030"]
OWN_GROUP = 2


def _search(claim: Claim) -> tuple[Any, Any, Any]:
    """A preemptor, what holds in its ClusterQueue, and the clock."""
    return claim.record("preemptor", Workload), any_terms(claim), claim.number("now")


def _candidates(claim: Claim, *names: str) -> tuple[Any, ...]:
    """A preemptor, the terms and the clock; which of two candidates precedes the other; and candidates."""
    asked, precedes = _search(claim), claim.lift(candidate_precedes)

    def of_two(first: Any, second: Any) -> Any:
        return precedes(first, second, *asked).value

    return *asked, of_two, *claim.records(Workload, *names)


def _in_one_sequence(claim: Claim, *names: str) -> tuple[Any, ...]:
    """Which of two candidates of any groups stands before the other, and candidates with their groups."""
    preemptor, terms, now = _search(claim)
    stands = claim.lift(stands_before)

    def of_two(first: tuple[Any, Any], second: tuple[Any, Any]) -> Any:
        return stands(*first, *second, preemptor, terms, now).value

    return of_two, *(_candidate(claim, name, terms) for name in names)


def _of_one_group(terms: Any, first: Any, *others: Any) -> Any:
    """All run in the preemptor's ClusterQueue, or none does: whom KQ-050 compares."""
    return all_of(*(iff(is_own(first, terms), is_own(other, terms)) for other in others))


def _candidate(claim: Claim, name: str, terms: Any) -> tuple[Any, Any]:
    """A candidate and its group: 0 or 1 when it runs elsewhere, 2 in the preemptor's own ClusterQueue."""
    workload, group = claim.record(name, Workload), claim.number(f"{name}_group")
    claim.assume(
        group >= 0,
        group <= OWN_GROUP,
        iff(group == OWN_GROUP, is_own(workload, terms)),
    )
    return workload, group


def _expired(workload: Any, terms: Any, now: Any) -> Any:
    return all_of(
        is_own(workload, terms),
        duration_is_in_force(terms),
        is_set(workload, "quota_reserved_at"),
        now - value_of(workload, "quota_reserved_at") > value_of(terms, "min_admit_duration"),
    )


@obligation("PO-TBP-200", rules=ORDER_RULES)
def candidates_are_strictly_ordered(claim: Claim) -> None:
    """KEP-8522, Integration tests 7: deterministic. Irreflexive, asymmetric, transitive."""
    _, terms, _, precedes, first, second, third = _candidates(claim, "first", "second", "third")
    claim.assume(_of_one_group(terms, first, second, third))
    claim.prove(
        negation(precedes(first, first)),
        negation(all_of(precedes(first, second), precedes(second, first))),
        implies(all_of(precedes(first, second), precedes(second, third)), precedes(first, third)),
    )


@obligation("PO-TBP-210", rules=ORDER_RULES)
def two_candidates_with_different_uids_are_never_tied(claim: Claim) -> None:
    """KEP-8522, Integration tests 7: deterministic, given that uids are unique."""
    _, terms, _, precedes, first, second = _candidates(claim, "first", "second")
    claim.assume(_of_one_group(terms, first, second), first.uid != second.uid)
    claim.prove(implies(negation(precedes(first, second)), precedes(second, first)))


@obligation("PO-TBP-220", rules=ORDER_RULES)
def evicted_first_then_lower_priority(claim: Claim) -> None:
    """KEP-8522, Integration tests 3: lower priority always before same priority; Kueue: evicted first."""
    _, _, _, precedes, first, second = _candidates(claim, "first", "second")
    claim.prove(
        implies(all_of(first.evicted, negation(second.evicted)), precedes(first, second)),
        implies(
            all_of(first.evicted == second.evicted, first.priority < second.priority), precedes(first, second)
        ),
    )


@obligation("PO-TBP-230", rules=ORDER_RULES)
def among_equals_expired_first_and_longest_running_first(claim: Claim) -> None:
    """KEP-8522, Preemption Eligibility, preemption order among same-priority candidates 1-3."""
    preemptor, terms, now, precedes, first, second = _candidates(claim, "first", "second")
    claim.assume(
        is_own(first, terms),
        is_own(second, terms),
        first.evicted == second.evicted,
        first.priority == preemptor.priority,
        second.priority == preemptor.priority,
        is_set(first, "quota_reserved_at"),
        is_set(second, "quota_reserved_at"),
    )
    first_reserved, second_reserved = (value_of(item, "quota_reserved_at") for item in (first, second))
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


@obligation("PO-TBP-240", rules=ORDER_RULES)
def below_the_preemptors_priority_the_order_is_kueues(claim: Claim) -> None:
    """KEP-8522 orders same-priority candidates only: below, the one admitted last goes first, as in Kueue."""
    preemptor, _, _, precedes, first, second = _candidates(claim, "first", "second")
    claim.assume(
        first.evicted == second.evicted,
        first.priority == second.priority,
        first.priority < preemptor.priority,
        is_set(first, "quota_reserved_at"),
        is_set(second, "quota_reserved_at"),
        value_of(first, "quota_reserved_at") > value_of(second, "quota_reserved_at"),
    )
    claim.prove(precedes(first, second))


@obligation("PO-TBP-250", rules=ORDER_RULES)
def in_other_queues_time_changes_nothing_and_the_order_is_kueues(claim: Claim) -> None:
    """KEP-8522 is about one ClusterQueue: in others the one admitted last goes first, expired or not."""
    _, terms, _, precedes, first, second = _candidates(claim, "first", "second")
    claim.assume(
        negation(is_own(first, terms)),
        negation(is_own(second, terms)),
        first.evicted == second.evicted,
        first.priority == second.priority,
        is_set(first, "quota_reserved_at"),
        is_set(second, "quota_reserved_at"),
    )
    later = value_of(first, "quota_reserved_at") > value_of(second, "quota_reserved_at")
    together = value_of(first, "quota_reserved_at") == value_of(second, "quota_reserved_at")
    claim.prove(
        implies(later, precedes(first, second)),
        implies(all_of(together, first.uid < second.uid), precedes(first, second)),
    )


@obligation("PO-KQ-100", rules=["KQ-220", "KQ-230", *ORDER_RULES])
def keys_compared_field_by_field_sort_in_the_order_of_candidates(claim: Claim) -> None:
    """KQ-220 and KQ-230: one key for each candidate, compared like a tuple, is the order by comparisons."""
    preemptor, terms, now = _search(claim)
    first, first_group = _candidate(claim, "first", terms)
    second, second_group = _candidate(claim, "second", terms)
    key = claim.lift(order_key)
    mine = key(first, first_group, preemptor, terms, now)
    theirs = key(second, second_group, preemptor, terms, now)
    less = mine.field("uid") < theirs.field("uid")
    for name in ("recency", "unexpired", "priority", "group", "running"):
        less = any_of(
            mine.field(name) < theirs.field(name), all_of(mine.field(name) == theirs.field(name), less)
        )
    stands = claim.lift(stands_before)(first, first_group, second, second_group, preemptor, terms, now).value
    claim.prove(iff(stands, less), mine.defined, theirs.defined)


@obligation("PO-KQ-103", rules=["KQ-230"])
def a_flag_of_a_key_is_0_or_1(claim: Claim) -> None:
    """`OrderKey` of the model, which others pack into bits: 0 goes first, else 1."""
    preemptor, terms, now = _search(claim)
    candidate, group = _candidate(claim, "candidate", terms)
    key = claim.lift(order_key)(candidate, group, preemptor, terms, now)
    for name in ("running", "unexpired"):
        claim.prove(any_of(key.field(name) == 0, key.field(name) == 1))
    claim.prove(iff(candidate.evicted, key.field("running") == 0))


@obligation("PO-KQ-105", rules=["KQ-220", *ORDER_RULES])
def candidates_of_all_groups_are_strictly_ordered(claim: Claim) -> None:
    """Kueue main of August 2026, candidate iterator: one sequence. Irreflexive, asymmetric, transitive."""
    before, first, second, third = _in_one_sequence(claim, "first", "second", "third")
    claim.prove(
        negation(before(first, first)),
        negation(all_of(before(first, second), before(second, first))),
        implies(all_of(before(first, second), before(second, third)), before(first, third)),
    )


@obligation("PO-KQ-110", rules=["KQ-220", *ORDER_RULES])
def two_candidates_of_any_groups_with_different_uids_are_never_tied(claim: Claim) -> None:
    """Kueue main of August 2026, candidate order: the uid is compared last, and uids are unique."""
    before, first, second = _in_one_sequence(claim, "first", "second")
    claim.assume(first[0].uid != second[0].uid)
    claim.prove(any_of(before(first, second), before(second, first)))


@obligation("PO-KQ-115", rules=["KQ-220"])
def evicted_first_then_by_group_whatever_the_priorities(claim: Claim) -> None:
    """Kueue main of August 2026, candidate order: evicted, then with advantage, then elsewhere, then own."""
    of_two, *both = _in_one_sequence(claim, "first", "second")
    (first, first_group), (second, second_group) = both
    before = of_two(*both)
    claim.prove(
        implies(all_of(first.evicted, negation(second.evicted)), before),
        implies(all_of(negation(first.evicted), second.evicted), negation(before)),
        implies(all_of(first.evicted == second.evicted, first_group < second_group), before),
        implies(all_of(first.evicted == second.evicted, first_group > second_group), negation(before)),
    )
