"""A proof that says nothing is refused: cases that never occur, calls it does not look at, rules never met.

Every run asks this of every obligation that is proved. Here each way to say nothing is shown to be noticed,
and what does say something to pass; then that no obligation excuses more than it has to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from tenure.model import (
    MINUTE,
    DynamicPriorityPolicy,
    Evidence,
    Kin,
    PolicyFault,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.door import take_target
from tenure.readings import InvalidClass
from tenure.rules.dynamic_priority import dynamic_priority, policy_fault
from tenure.rules.hero_rank import is_above
from tenure.rules.ordering import order_key
from tenure.rules.priority import effective_priority
from tenure.rules.time_based import is_time_expired
from tenure_proofs.budgets import FLOOR, SPENT, Budget
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.premises import any_terms
from tenure_proofs.registry import Obligation, Statement, Verdict, everywhere
from tenure_proofs.runner import Result, run_obligation
from tenure_proofs.trusted.claim import Claim, Traces
from tenure_proofs.trusted.logic import (
    all_of,
    any_of,
    equal_fields,
    has_value,
    iff,
    implies,
    is_set,
    negation,
    notion,
    value_of,
)
from tenure_proofs.trusted.schemas import lemma
from tenure_proofs.vacuity import vacuity_of

IDLE = "it is proved whatever"
NEVER = "never occurs together with the facts"


def made(statement: Statement, *rules: str, excused: Mapping[str, str] | None = None) -> Obligation:
    """An obligation that is expected to be proved, and that no other test sees."""
    return Obligation(
        "PO-KQ-999",
        rules or ("KQ-080",),
        statement,
        everywhere(Verdict.PROVED),
        FLOOR,
        "",
        irrespective_of=dict(excused or {}),
    )


def ended(statement: Statement, *rules: str, excused: Mapping[str, str] | None = None) -> Result:
    """How a statement ends under the default reading, by Z3."""
    return run_obligation(made(statement, *rules, excused=excused), "guaranteed", None)


def effective(claim: Claim, name: str = "") -> tuple[Any, Any, Any, Any]:
    """What KQ-080 makes of a base, a boost and a gate."""
    base, boost, gate = claim.number(f"base{name}"), claim.number(f"boost{name}"), claim.flag(f"gate{name}")
    return claim.lift(effective_priority)(base, boost, gate).value, base, boost, gate


def refused(result: Result, *words: str) -> None:
    """A statement ended as vacuous, and is told why."""
    assert (result.verdict, result.as_expected) == (Verdict.VACUOUS, False), result.detail
    for word in words:
        assert word in result.detail


def test_a_claim_that_says_something_is_proved() -> None:
    def sound(claim: Claim) -> None:
        priority, base, boost, gate = effective(claim)
        claim.assume(any_of(boost == 0, boost == 1))
        claim.prove(
            implies(negation(gate), priority == base),
            implies(all_of(gate, boost > 0), priority > base),
            negation(all_of(priority == base, gate, boost > 0)),
            iff(priority == base, any_of(negation(gate), boost == 0)),
        )

    assert ended(sound).verdict == Verdict.PROVED


def test_an_antecedent_that_never_holds_is_refused_and_shown() -> None:
    def empty(claim: Claim) -> None:
        x = claim.number("x")
        priority, base, _, gate = effective(claim)
        claim.prove(implies(negation(gate), priority == base), implies(all_of(x > 3, x < 2), priority == x))

    refused(ended(empty), NEVER, "the antecedent", "And(3 < x, 2 > x)", "state one that can, or leave it out")


def empty_cases() -> Iterator[Any]:
    """Statements about a priority without gate, each with a part that never occurs: its facts and goals."""

    def never(x: Any) -> Any:
        return all_of(x > 3, x < 2)

    yield pytest.param(lambda x, same: ((any_of(x == 1, never(x)),), (same,)), id="a case of a fact")
    yield pytest.param(lambda x, same: ((implies(never(x), x == 5),), (same,)), id="an antecedent in a fact")
    yield pytest.param(
        lambda x, same: ((x > 3,), (implies(any_of(x > 7, x < 2), same),)), id="a case of an antecedent"
    )
    yield pytest.param(
        lambda x, same: ((x > 3,), (implies(x > 7, implies(x < 6, same)),)), id="an antecedent within another"
    )
    yield pytest.param(
        lambda x, same: ((), (any_of(negation(never(x)), same),)), id="an implication in other words"
    )
    yield pytest.param(lambda x, same: ((x > 3,), (any_of(same, x < 2),)), id="an alternative")
    yield pytest.param(lambda x, same: ((x > 3,), (same, any_of(x > 2, x > 8))), id="what holds anyway")
    yield pytest.param(
        lambda x, same: ((x > 3,), (same, negation(all_of(x < 2, x > 8)))), id="two that never meet"
    )
    yield pytest.param(
        lambda x, same: ((x > 3,), (same, iff(x < 2, all_of(x < 1, x > 3)))),
        id="an equivalence of what never holds",
    )


@pytest.mark.parametrize("parts", list(empty_cases()))
def test_every_part_of_a_fact_or_a_goal_must_be_able_to_occur(parts: Any) -> None:
    def empty(claim: Claim) -> None:
        x = claim.number("x")
        priority, base, _, gate = effective(claim)
        facts, goals = parts(x, priority == base)
        claim.assume(negation(gate), *facts)
        claim.prove(*goals)

    refused(ended(empty), NEVER)


def test_axioms_types_notions_and_lemmas_need_not_have_all_their_cases() -> None:
    def sound(claim: Claim) -> None:
        x, one, other = claim.number("x"), claim.record("one", Workload), claim.record("other", Workload)
        priority, base, _, gate = effective(claim)
        claim.grant(implies(x < 2, x < 3))
        claim.assume(x > 3, negation(gate), equal_fields(one, other), negation(is_set(one, "cluster_queue")))
        claim.prove(
            lemma(implies(x < 1, x * x >= 0)),
            notion(any_of(priority == base, all_of(x < 2, priority > base))),
        )

    assert ended(sound).verdict == Verdict.PROVED


def test_a_statement_that_lifts_nothing_or_claims_nothing_of_it_is_refused() -> None:
    def arithmetic(claim: Claim) -> None:
        x = claim.number("x")
        effective(claim)
        claim.prove(x + 1 > x)

    refused(ended(arithmetic), IDLE, "KQ-080 returns as effective_priority(base, boost, gate)")


def test_that_a_function_returns_is_no_use_of_what_it_returns() -> None:
    def returns(claim: Claim) -> None:
        claim.prove(
            claim.lift(is_time_expired)(claim.record("w", Workload), claim.number("now"), MINUTE).defined
        )

    refused(ended(returns, "TBP-020"), IDLE, "TBP-020")


def test_that_a_function_may_raise_is_a_use_of_it() -> None:
    def never_taken(claim: Claim) -> None:
        preemptor, target, terms = (
            claim.record("preemptor", Workload),
            claim.record("target", Workload),
            any_terms(claim),
        )
        claim.assume(
            has_value(target, "cluster_queue", terms.cluster_queue),
            terms.within_cluster_queue == WithinClusterQueue.NEVER,
        )
        door = claim.lift(take_target)
        taken = door(
            preemptor,
            target,
            claim.record("evidence", Evidence),
            terms,
            claim.number("now"),
            claim.record("kin", Kin),
        )
        claim.prove(negation(taken.defined))

    assert ended(never_taken, "KQ-300", "KQ-040").verdict == Verdict.PROVED


def test_one_call_of_several_that_nothing_is_claimed_of_is_refused_by_name() -> None:
    def leftover(claim: Claim) -> None:
        priority, base, _, gate = effective(claim)
        unused, *_ = effective(claim, "_of_another")
        claim.assume(negation(gate), unused > 0)
        claim.prove(priority == base)

    refused(ended(leftover), IDLE, "effective_priority(base_of_another, boost_of_another, gate_of_another)")


def test_that_equal_arguments_give_equal_results_says_nothing_of_a_rule() -> None:
    def pure(claim: Claim) -> None:
        one, base, boost, gate = effective(claim)
        other, base_2, boost_2, gate_2 = effective(claim, "_2")
        claim.assume(base == base_2, boost == boost_2, iff(gate, gate_2))
        claim.prove(one == other)

    refused(ended(pure), "it is proved whatever KQ-080 returns:")


def test_so_does_equality_of_records_field_by_field() -> None:
    def pure(claim: Claim) -> None:
        one, other, now = claim.record("one", Workload), claim.record("other", Workload), claim.number("now")
        expired = claim.lift(is_time_expired)
        claim.assume(equal_fields(one, other))
        claim.prove(iff(expired(one, now, MINUTE).value, expired(other, now, MINUTE).value))

    def sees_little(claim: Claim) -> None:
        one, other, now = claim.record("one", Workload), claim.record("other", Workload), claim.number("now")
        expired = claim.lift(is_time_expired)
        claim.assume(equal_fields(one, other, "uid", "priority"))
        claim.prove(iff(expired(one, now, MINUTE).value, expired(other, now, MINUTE).value))

    refused(ended(pure, "TBP-020"), "it is proved whatever TBP-020 returns:")
    assert ended(sees_little, "TBP-020").verdict == Verdict.PROVED


def test_an_arbitrary_result_is_still_of_its_type() -> None:
    def a_member(claim: Claim) -> None:
        base, policy = claim.number("base"), claim.record("policy", DynamicPriorityPolicy)
        fault = claim.lift(policy_fault)(base, policy, InvalidClass.REFUSE).value
        claim.prove(any_of(*(fault == member for member in PolicyFault)))

    refused(ended(a_member, "DYN-040"), IDLE)


def test_parts_of_a_record_are_results_too() -> None:
    def keyed(claim: Claim) -> tuple[Any, Any]:
        workload, preemptor, now = (
            claim.record("workload", Workload),
            claim.record("preemptor", Workload),
            claim.number("now"),
        )
        group = claim.number("group")
        return claim.lift(order_key)(workload, group, preemptor, any_terms(claim), now), group

    def sound(claim: Claim) -> None:
        key, group = keyed(claim)
        claim.prove(key.field("group") == group)

    def idle(claim: Claim) -> None:
        key, group = keyed(claim)
        claim.prove(key.defined, iff(key.field("group") > group, group < key.field("group")))

    assert ended(sound, "KQ-230").verdict == Verdict.PROVED
    refused(
        ended(idle, "KQ-230"), IDLE, "KQ-230 returns as order_key(workload, group, preemptor, terms, now)"
    )


def test_a_rule_that_is_named_and_never_called_is_refused() -> None:
    def sound(claim: Claim) -> None:
        priority, base, _, gate = effective(claim)
        claim.prove(implies(negation(gate), priority == base))

    refused(
        ended(sound, "KQ-080", "KQ-010", "UCQ-150"),
        "it names KQ-010, UCQ-150, and nothing that it lifts under guaranteed calls that",
    )


def test_a_rule_that_is_called_by_what_is_lifted_is_reached() -> None:
    def sound(claim: Claim) -> None:
        target, now = claim.record("target", Workload), claim.number("now")
        claim.assume(is_set(target, "quota_reserved_at"), value_of(target, "quota_reserved_at") == now)
        claim.prove(negation(claim.lift(is_time_expired)(target, now, MINUTE).value))

    assert ended(sound, "TBP-020", "KQ-030").verdict == Verdict.PROVED


def test_under_another_reading_the_same_statement_may_not_reach_a_rule() -> None:
    def by_reading(claim: Claim) -> None:
        priority, base, _, gate = effective(claim)
        claim.prove(implies(negation(gate), priority == base))
        if claim.reading.invalid_class == InvalidClass.COMPUTE:
            claim.prove(negation(claim.lift(is_above)(claim.flag("contains"), True).value))

    obligation = made(by_reading, "KQ-080", "UCQ-010")
    assert run_obligation(obligation, "as-written", None).verdict == Verdict.PROVED
    refused(run_obligation(obligation, "guaranteed", None), "it names UCQ-010")


def test_what_is_excused_by_rule_or_by_call_passes() -> None:
    def composed(claim: Claim) -> None:
        base, policy, steps = (
            claim.number("base"),
            claim.record("policy", DynamicPriorityPolicy),
            claim.number("n"),
        )
        grown = claim.lift(dynamic_priority)(base, policy, steps).value
        priority, own, _, gate = effective(claim, "_own")
        claim.assume(own == grown, negation(gate))
        claim.prove(priority == own)

    rules, call = ("KQ-080", "DYN-030"), "dynamic_priority(base, policy, n)"
    refused(ended(composed, *rules), f"DYN-030 returns as {call}")
    for key in ("DYN-030", call):
        assert ended(composed, *rules, excused={key: "any number"}).verdict == Verdict.PROVED


def test_what_is_refuted_is_not_asked() -> None:
    def false(claim: Claim) -> None:
        x = claim.number("x")
        priority, base, *_ = effective(claim)
        claim.prove(priority == base, implies(all_of(x > 3, x < 2), priority == x))

    result = run_obligation(replace(made(false), expect=everywhere(Verdict.REFUTED)), "guaranteed", None)
    assert result.as_expected


def test_a_case_that_a_solver_cannot_decide_is_no_proof() -> None:
    def hard(claim: Claim) -> None:
        x, y, z = (claim.number(name) for name in "xyz")
        priority, base, _, gate = effective(claim)
        cubes = x * x * x + y * y * y + z * z * z == 42
        claim.prove(implies(all_of(cubes, negation(gate)), priority == base))

    little = replace(made(hard), budget=Budget(z3=60_000, cvc5=0))
    result = run_obligation(little, "guaranteed", None)
    assert result.verdict == Verdict.UNKNOWN
    assert f"whether it can occur is unknown: {SPENT}" in result.detail


TRACES: Traces = {}
EXCUSED = [(name, key) for name, obligation in OBLIGATIONS.items() for key in obligation.irrespective_of]


@pytest.mark.parametrize(("name", "key"), EXCUSED, ids=lambda item: item)
def test_no_obligation_excuses_more_than_its_proofs_need(name: str, key: str) -> None:
    obligation = OBLIGATIONS[name]
    kept = {text: reason for text, reason in obligation.irrespective_of.items() if text != key}
    without = replace(obligation, irrespective_of=kept)
    columns = {**obligation.expect, **obligation.also}
    found = [vacuity_of(without, column, TRACES) for column in columns if columns[column] == Verdict.PROVED]
    assert any(pair is not None and key in pair[1] for pair in found)
    assert key in obligation.rules or "(" in key, "a rule, or a call as the complaint shows it"
    assert obligation.irrespective_of[key]


def test_a_workload_s_fields_are_told_apart_by_record() -> None:
    # Two arbitrary workloads are different arguments, although their fields have the same names.
    def sound(claim: Claim) -> None:
        expired, now = claim.lift(is_time_expired), claim.number("now")
        one, other = claim.record("one", Workload), claim.record("other", Workload)
        claim.assume(is_set(one, "quota_reserved_at"), is_set(other, "quota_reserved_at"))
        later = value_of(one, "quota_reserved_at") >= value_of(other, "quota_reserved_at")
        claim.prove(
            implies(all_of(later, expired(one, now, MINUTE).value), expired(other, now, MINUTE).value)
        )

    assert ended(sound, "TBP-020").verdict == Verdict.PROVED
