"""The order in which candidates are preempted: within a group, across groups, and as keys."""

from __future__ import annotations

from typing import Any

from tenure.model import Workload
from tenure.rules.ordering import candidate_precedes, order_key, stands_before
from tenure_proofs.defining import defines
from tenure_proofs.premises import any_terms, comes_first, duration_is_in_force, is_own
from tenure_proofs.registry import obligation
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import all_of, any_of, choose, iff, implies, is_set, negation, value_of

ORDER_RULES = ["KQ-050", "TBP-060", "TBP-020", "TBP-010", "KQ-030"]
OWN_GROUP, STAMP = 2, "quota_reserved_at"


def _search(claim: Claim) -> tuple[Any, Any, Any]:
    """A preemptor, what holds in its ClusterQueue, and the clock."""
    return claim.record("preemptor", Workload), any_terms(claim), claim.number("now")


def _in_one_sequence(claim: Claim, *names: str) -> tuple[Any, ...]:
    """Which of two candidates of any groups stands before the other, and candidates with their groups."""
    preemptor, terms, now = _search(claim)
    stands = claim.lift(stands_before)

    def of_two(first: tuple[Any, Any], second: tuple[Any, Any]) -> Any:
        return stands(*first, *second, preemptor, terms, now).value

    return of_two, *(_candidate(claim, name, terms) for name in names)


def _is_of_group(workload: Any, group: Any, terms: Any) -> Any:
    """A candidate's group: 0 or 1 when it runs elsewhere, 2 in the preemptor's own ClusterQueue."""
    return all_of(group >= 0, group <= OWN_GROUP, iff(group == OWN_GROUP, is_own(workload, terms)))


def _candidate(claim: Claim, name: str, terms: Any) -> tuple[Any, Any]:
    """A candidate and its group."""
    workload, group = claim.record(name, Workload), claim.number(f"{name}_group")
    claim.assume(_is_of_group(workload, group, terms))
    return workload, group


def _of_their_groups(first: Any, first_group: Any, second: Any, second_group: Any, *rest: Any) -> Any:
    _, terms, _ = rest
    return all_of(_is_of_group(first, first_group, terms), _is_of_group(second, second_group, terms))


def _expired(workload: Any, terms: Any, now: Any) -> Any:
    return all_of(
        is_own(workload, terms),
        duration_is_in_force(terms),
        is_set(workload, "quota_reserved_at"),
        now - value_of(workload, "quota_reserved_at") > value_of(terms, "min_admit_duration"),
    )


def _goes_first(first: Any, second: Any, asked: tuple[Any, Any, Any], *by_group: tuple[Any, Any]) -> Any:
    """By eviction, group, priority, expiry and the time of the reservation in turn, and then by uid."""
    preemptor, terms, now = asked
    mine, theirs = (choose(is_set(item, STAMP), value_of(item, STAMP), now) for item in (first, second))
    ended, other_ended = (
        all_of(item.priority == preemptor.priority, _expired(item, terms, now)) for item in (first, second)
    )
    return comes_first(
        (all_of(first.evicted, negation(second.evicted)), iff(first.evicted, second.evicted)),
        *by_group,
        (first.priority < second.priority, first.priority == second.priority),
        (all_of(ended, negation(other_ended)), iff(ended, other_ended)),
        (any_of(all_of(ended, mine < theirs), all_of(negation(ended), mine > theirs)), mine == theirs),
        last=first.uid < second.uid,
    )


def _of_one_group(first: Any, second: Any, _: Any, terms: Any, __: Any) -> Any:
    """Both run in the preemptor's ClusterQueue, or neither does: whom KQ-050 compares."""
    return iff(is_own(first, terms), is_own(second, terms))


@defines("PO-TBP-230", candidate_precedes, where=_of_one_group)
def evicted_first_then_lower_priority_then_expired_then_the_last_admitted(
    first: Any, second: Any, preemptor: Any, terms: Any, now: Any
) -> Any:
    """KEP-8522, Preemption Eligibility, preemption order among same-priority candidates 1-3.

    Integration tests 3: lower priority always before same priority; 7: deterministic. Time changes nothing
    below the preemptor's priority and in other ClusterQueues: there the one admitted last goes first.
    """
    return _goes_first(first, second, (preemptor, terms, now))


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


@defines("PO-KQ-115", stands_before, where=_of_their_groups)
def evicted_first_then_by_group_whatever_the_priorities(
    first: Any, first_group: Any, second: Any, second_group: Any, preemptor: Any, terms: Any, now: Any
) -> Any:
    """Kueue main of August 2026, candidate order: evicted, then with advantage, then elsewhere, then own.

    KEP-8826, Goals, Deterministic Victim Selection, of the groups of PO-UCQ-265: lower priority, then the
    last admitted.
    """
    group = first_group < second_group, first_group == second_group
    return _goes_first(first, second, (preemptor, terms, now), group)
