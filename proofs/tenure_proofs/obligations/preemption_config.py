"""Whom the selectors of a PreemptionConfig select, and when its tiers are tried."""

from __future__ import annotations

from typing import Any

from tenure.model import (
    CandidateScope,
    Comparison,
    NodeOperator,
    PriorityMode,
    SelectorFacts,
    Trigger,
    Workload,
)
from tenure.readings import AlwaysTrigger, ConfiguredCandidates, ExecutionStart, InvalidSelector
from tenure.rules.preemption_config import (
    are_candidates_merged,
    compared_priority,
    compares,
    has_executed,
    is_class_selected,
    is_in_scope,
    is_label_selected,
    is_number_selected,
    is_search_made,
    is_selected,
    is_tier_in_baseline,
    is_tier_tried,
    is_trigger_stopped,
)
from tenure.rules.protection import is_protected_from_others
from tenure_proofs.defining import Cases, defines
from tenure_proofs.registry import REFUTED, everywhere, obligation, proved_under
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import all_of, any_of, choose, iff, implies, is_set, negation, value_of


@defines("PO-PCF-010", is_in_scope)
def a_scope_reaches_exactly_what_it_names(
    scope: Any, queue: Any, local: Any, parent: Any, root: Any
) -> Cases:
    """Kueue v0.20, candidateSelectors[].scope."""
    return [
        (scope == CandidateScope.LOCAL_QUEUE, all_of(queue, local)),
        (scope == CandidateScope.CLUSTER_QUEUE, queue),
        (scope == CandidateScope.PARENT_COHORT, any_of(queue, parent)),
        (scope == CandidateScope.COHORT_TREE, any_of(queue, root)),
        (scope == CandidateScope.ANYWHERE, True),
    ]


def _compares(comparison: Any, candidate: Any, preemptor: Any) -> Any:
    """A comparison, with the candidate on the left."""
    return all_of(
        implies(comparison == Comparison.LESS, candidate < preemptor),
        implies(comparison == Comparison.AT_MOST, candidate <= preemptor),
        implies(comparison == Comparison.GREATER, candidate > preemptor),
        implies(comparison == Comparison.AT_LEAST, candidate >= preemptor),
    )


@defines("PO-PCF-020", compares)
def a_comparison_has_the_candidate_on_the_left(comparison: Any, candidate: Any, preemptor: Any) -> Any:
    """Kueue v0.20, comparison of priorities and of numeric labels."""
    return _compares(comparison, candidate, preemptor)


@obligation("PO-PCF-025", rules=["PCF-020"], expect=everywhere(REFUTED))
def no_two_workloads_select_each_other_by_less_than_or_equal(claim: Claim) -> None:
    """KEP-13396, risks: asymmetry; LessThanOrEqual selects an equal, and is selected by it."""
    one, other = claim.numbers("one", "other")
    compared = claim.lift(compares)
    at_most = Comparison.AT_MOST
    claim.prove(negation(all_of(compared(at_most, one, other).value, compared(at_most, other, one).value)))


@defines("PO-PCF-030", compared_priority)
def base_ignores_what_boosted_adds(mode: Any, base: Any, effective: Any) -> Cases:
    """Kueue v0.20, priority.mode."""
    return [(mode == PriorityMode.BASE, base), (mode == PriorityMode.BOOSTED, effective)]


@obligation("PO-PCF-035", rules=["PCF-020", "PCF-030"], expect=everywhere(REFUTED))
def no_two_workloads_select_each_other_by_base_or_boosted_priority(claim: Claim) -> None:
    """KEP-13396, Story 3: within a ClusterQueue rules of item 6 select; 1 boosted by -2, and 0."""
    one, other = claim.numbers("one", "other")
    boosted = tuple(claim.number(name) for name in ("one_boosted", "other_boosted"))
    priority, compared = claim.lift(compared_priority), claim.lift(compares)

    def selects(candidate: int, preemptor: int) -> Any:
        bases = (one, other)

        def under(mode: PriorityMode) -> Any:
            theirs, mine = (priority(mode, bases[who], boosted[who]).value for who in (candidate, preemptor))
            return compared(Comparison.LESS, theirs, mine).value

        return any_of(under(PriorityMode.BASE), under(PriorityMode.BOOSTED))

    claim.prove(negation(all_of(selects(0, 1), selects(1, 0))))


@defines("PO-PCF-040", is_class_selected)
def a_name_is_among_those_that_match_and_not_among_the_others(
    any_matched: Any, matched: Any, excluded: Any
) -> Any:
    """Kueue v0.20, matchNames and notMatchNames."""
    return all_of(negation(excluded), implies(any_matched, matched))


def _is_of_labels(operator: Any, *_: Any) -> Any:
    """Gt and Lt are of node affinity."""
    return all_of(operator != NodeOperator.GREATER, operator != NodeOperator.LESS)


@defines("PO-PCF-050", is_label_selected, where=_is_of_labels)
def what_one_operator_selects_its_opposite_does_not(operator: Any, present: Any, listed: Any) -> Cases:
    """Kubernetes, meta/v1 LabelSelector: NotIn is not In, DoesNotExist is not Exists."""
    return [
        (operator == NodeOperator.IN, all_of(present, listed)),
        (operator == NodeOperator.NOT_IN, negation(all_of(present, listed))),
        (operator == NodeOperator.EXISTS, present),
        (operator == NodeOperator.DOES_NOT_EXIST, negation(present)),
    ]


@defines("PO-PCF-060", is_number_selected)
def a_number_is_there_within_its_bounds_and_compares(
    candidate: Any, preemptor: Any, comparison: Any, minimum: Any, maximum: Any
) -> Any:
    """Kueue v0.20, numericLabels[]; without a label and fallbackValue there is no number."""
    number = candidate.value
    compared = all_of(preemptor.present, _compares(comparison.value, number, preemptor.value))
    return all_of(
        candidate.present,
        implies(minimum.present, number >= minimum.value),
        implies(maximum.present, number <= maximum.value),
        implies(comparison.present, compared),
    )


@obligation("PO-PCF-067", rules=["PCF-060"])
def no_two_workloads_select_each_other_by_a_smaller_number(claim: Claim) -> None:
    """KEP-13396, Story 1: a numeric label with LessThan guarantees asymmetry, whatever its bounds."""
    one, other = claim.numbers("one", "other")
    low, high = claim.optional_number("low"), claim.optional_number("high")
    selected = claim.lift(is_number_selected)
    claim.prove(
        negation(
            all_of(
                selected(one, other, Comparison.LESS, low, high).value,
                selected(other, one, Comparison.LESS, low, high).value,
            )
        )
    )


@defines("PO-PCF-070", is_selected)
def every_part_of_a_selector_must_select(facts: Any) -> Any:
    """Kueue v0.20, rules[].candidateSelectors: all parts, and nothing besides."""
    return all_of(*(getattr(facts, name) for name in SelectorFacts.__slots__))


@defines("PO-PCF-080", is_tier_tried)
def a_stopped_tier_is_not_tried_and_quota_chooses_among_the_last_two(
    trigger: Any, quota_fits: Any, stopped: Any
) -> Any:
    """Kueue of September 2026, evaluator of PreemptionConfigs."""
    by_quota = implies(trigger == Trigger.INSUFFICIENT_QUOTA, negation(quota_fits))
    return all_of(negation(stopped), by_quota, implies(trigger == Trigger.INSUFFICIENT_TOPOLOGY, quota_fits))


@defines("PO-PCF-090", is_search_made)
def a_named_config_is_enough_for_a_search(below_root: Any, by_policy: Any, configured: Any) -> Any:
    """Kueue of September 2026, flavor assigner."""
    return any_of(below_root, by_policy, configured)


@defines("PO-PCF-100", is_trigger_stopped)
def an_invalid_selector_stops_its_trigger_unless_it_is_passed_over(faulty: Any, choice: Any) -> Any:
    """Kueue of September 2026, evaluator of PreemptionConfigs, newest and earlier."""
    return all_of(faulty, choice != InvalidSelector.PASSED_OVER)


@obligation("PO-PCF-105", rules=["PCF-100"], expect=everywhere(REFUTED))
def an_invalid_selector_leaves_its_trigger_alone(claim: Claim) -> None:
    """Kueue before September 2026, evaluator of PreemptionConfigs."""
    stopped = claim.lift(is_trigger_stopped)(claim.flag("faulty"), claim.reading.invalid_selector)
    claim.prove(negation(stopped.value))


@defines("PO-PCF-110", are_candidates_merged)
def under_fair_sharing_tiers_are_appended(choice: Any, fair: Any) -> Any:
    """KEP-13396, Integration, and Kueue of September 2026, fair strategy."""
    return all_of(choice != ConfiguredCandidates.APPENDED, negation(fair))


@obligation("PO-PCF-115", rules=["PCF-110"], expect=proved_under("released", "guaranteed"))
def configured_candidates_are_never_sorted_among_others(claim: Claim) -> None:
    """Kueue of September 2026, classical strategy: the tiers follow, against KEP-13396, Proposal."""
    merged = claim.lift(are_candidates_merged)(claim.reading.configured_candidates, claim.flag("fair"))
    claim.prove(negation(merged.value))


@defines("PO-PCF-120", is_tier_in_baseline)
def no_tier_but_always_can_be_there_from_the_start(trigger: Any, choice: Any) -> Any:
    """KEP-13396, Proposed API PreemptionConfig: the baseline."""
    return all_of(trigger == Trigger.ALWAYS, choice == AlwaysTrigger.UNCONDITIONAL)


@obligation("PO-PCF-125", rules=["PCF-120"], expect=proved_under("as-written"))
def always_waits_for_no_failure(claim: Claim) -> None:
    """KEP-13396, Proposed API PreemptionConfig: "contributes matching candidates unconditionally"."""
    at_once = claim.lift(is_tier_in_baseline)(Trigger.ALWAYS, claim.reading.always_trigger)
    claim.prove(at_once.value)


def _running(claim: Claim) -> tuple[Any, Any, Any, Any]:
    """A workload that is admitted, when it was, a minimum, and the clock."""
    target, minimum, now = claim.record("target", Workload), claim.number("minimum"), claim.number("now")
    claim.assume(is_set(target, "quota_reserved_at"), is_set(target, "admission_delay"))
    return target, value_of(target, "quota_reserved_at") + value_of(target, "admission_delay"), minimum, now


@defines("PO-PCF-130", has_executed)
def a_candidate_has_run_long_enough_exactly_from_its_start_plus_the_minimum(
    target: Any, now: Any, minimum: Any, choice: Any
) -> Any:
    """KEP-13396, FUTURE_WORK, Time-Based Candidate Selectors: under either choice of execution_start."""
    reserved = choose(is_set(target, "quota_reserved_at"), value_of(target, "quota_reserved_at"), now)
    admitted = reserved + value_of(target, "admission_delay")
    return any_of(
        negation(minimum.present),
        all_of(choice == ExecutionStart.QUOTA_RESERVED, now >= reserved + minimum.value),
        all_of(
            choice == ExecutionStart.ADMITTED,
            is_set(target, "admission_delay"),
            now >= admitted + minimum.value,
        ),
    )


@obligation("PO-PCF-134", rules=["KQ-030", "PPR-020", "PCF-130"], expect=everywhere(REFUTED))
def after_the_minimum_whoever_runs_has_run_long_enough_for_a_waiting_preemptor(claim: Claim) -> None:
    """KEP-13396, FUTURE_WORK, Story 1: whoever is admitted while it is parked has its own minimum."""
    target, since, minimum, now = _running(claim)
    came = claim.number("came")
    claim.assume(minimum > 0, came + minimum <= now, since <= now)
    start = claim.reading.execution_start
    claim.prove(claim.lift(has_executed)(target, now, minimum, start).value)


@obligation("PO-PCF-136", rules=["KQ-030", "PPR-020", "PPR-030", "PCF-130"])
def a_minimum_and_a_protection_of_kep_9876_end_at_the_same_instant(claim: Claim) -> None:
    """KEP-13396, FUTURE_WORK, against KEP-9876, Preemption Eligibility: of one admitted workload."""
    target, _, minimum, now = _running(claim)
    claim.assume(negation(target.evicted))
    executed = claim.lift(has_executed)(target, now, minimum, ExecutionStart.ADMITTED).value
    protected = claim.lift(is_protected_from_others)(target, now, minimum).value
    claim.prove(iff(executed, negation(protected)))
