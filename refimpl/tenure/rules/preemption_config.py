"""Rules about PreemptionConfigs: whom their selectors select, and when a tier is tried.

From the text of Kueue v0.20 and its tests, not run.
"""

from __future__ import annotations

from tenure.model import (
    CandidateScope,
    Comparison,
    Duration,
    Instant,
    NodeOperator,
    PriorityMode,
    SelectorFacts,
    Trigger,
    Workload,
)
from tenure.readings import AlwaysTrigger, ConfiguredCandidates, ExecutionStart, InvalidSelector
from tenure.rules.protection import admission_time
from tenure.rules.registry import rule
from tenure.rules.reservation import quota_reservation_time


@rule("PCF-010")
def is_in_scope(
    scope: CandidateScope, same_queue: bool, same_local_queue: bool, same_parent: bool, same_root: bool
) -> bool:
    """Whether a workload runs within the scope of a candidate selector.

    > A candidate is within the scope
    >
    > 1. WithinLocalQueue, if its ClusterQueue and its LocalQueue are the
    >    preemptor's;
    > 2. WithinClusterQueue, if its ClusterQueue is the preemptor's;
    > 3. WithinParentCohort, if its ClusterQueue is the preemptor's or has the
    >    same parent cohort;
    > 4. WithinCohortTree, if its ClusterQueue is the preemptor's or has the
    >    same root cohort;
    > 5. AnyClusterQueue, always.

    Args:
        scope: of the selector.
        same_queue: both have one ClusterQueue.
        same_local_queue: both have one namespace and one `spec.queueName`.
        same_parent: their ClusterQueues have one parent cohort.
        same_root: their ClusterQueues are in one cohort tree.

    Source: Kueue of September 2026, scope filters; KEP-13396.

    >>> is_in_scope(CandidateScope.PARENT_COHORT, False, False, same_parent=False, same_root=True)
    False
    """
    if scope == CandidateScope.LOCAL_QUEUE:
        return same_queue and same_local_queue
    if scope == CandidateScope.CLUSTER_QUEUE:
        return same_queue
    if scope == CandidateScope.PARENT_COHORT:
        return same_queue or same_parent
    if scope == CandidateScope.COHORT_TREE:
        return same_queue or same_root
    return True


@rule("PCF-020")
def compares(comparison: Comparison, candidate: int, preemptor: int) -> bool:
    """Whether a candidate's value compares with the preemptor's as a selector requires.

    > LessThan, LessThanOrEqual, GreaterThan and GreaterThanOrEqual compare
    > the candidate's value, on the left, with the preemptor's.

    Args:
        comparison: of the selector.
        candidate, preemptor: the values.

    Source: Kueue of September 2026, priority filters and numeric label filters.

    >>> compares(Comparison.LESS, candidate=1, preemptor=1), compares(Comparison.AT_MOST, 1, 1)
    (False, True)
    """
    if comparison == Comparison.LESS:
        return candidate < preemptor
    if comparison == Comparison.AT_MOST:
        return candidate <= preemptor
    if comparison == Comparison.GREATER:
        return candidate > preemptor
    return candidate >= preemptor


@rule("PCF-030")
def compared_priority(mode: PriorityMode, base: int, effective: int) -> int:
    """The priority of a workload that a selector compares.

    > Mode Base compares spec.priority, mode Boosted the effective priority.

    Args:
        mode: of the selector.
        base: `spec.priority`, 0 when it is not set.
        effective: the effective priority (KQ-080), the same without gate PriorityBoost.

    Source: Kueue of September 2026, priority filters.

    >>> compared_priority(PriorityMode.BASE, base=100, effective=40)
    100
    """
    if mode == PriorityMode.BASE:
        return base
    return effective


@rule("PCF-040")
def is_class_selected(any_matched: bool, matched: bool, excluded: bool) -> bool:
    """Whether the name of a priority class is selected.

    > The name of the priority class must be among matchNames, unless there
    > are none, and must not be among notMatchNames. Without a class it is in
    > neither.

    Args:
        any_matched: there are `matchNames`.
        matched: the name is one of them.
        excluded: it is one of `notMatchNames`.

    Source: Kueue of September 2026, priority filters, priority class filter.

    >>> is_class_selected(any_matched=False, matched=False, excluded=False)
    True
    """
    return (matched or not any_matched) and not excluded


@rule("PCF-050")
def is_label_selected(operator: NodeOperator, present: bool, listed: bool) -> bool:
    """Whether a label meets one requirement of a label selector.

    > In requires a label with a listed value, Exists any value, DoesNotExist
    > no label. NotIn requires no label, or a value that is not listed.

    Args:
        operator: In, NotIn, Exists or DoesNotExist; a selector with another one is invalid (PCF-080).
        present: the object has the label.
        listed: its value is among the listed ones.

    Source: Kubernetes, meta/v1 LabelSelector.

    >>> is_label_selected(NodeOperator.NOT_IN, present=False, listed=False)
    True
    """
    if operator == NodeOperator.IN:
        return present and listed
    if operator == NodeOperator.NOT_IN:
        return not (present and listed)
    if operator == NodeOperator.EXISTS:
        return present
    return not present


@rule("PCF-060")
def is_number_selected(
    candidate: int | None,
    preemptor: int | None,
    comparison: Comparison | None,
    minimum: int | None,
    maximum: int | None,
) -> bool:
    """Whether a numeric label selects a candidate.

    > A numeric label selects a candidate when all hold:
    >
    > 1. the candidate has a number: its label, read as a 32-bit integer, or
    >    else the fallback;
    > 2. the number is at least minValue and at most maxValue, where they are
    >    set;
    > 3. with a comparison, the preemptor has a number too, and PCF-020 holds.

    Args:
        candidate, preemptor: their numbers; None without one.
        comparison: None where none is set.
        minimum, maximum: `minValue` and `maxValue`; None where they are not set.

    Source: Kueue of September 2026, numeric label filters.

    >>> is_number_selected(4, None, Comparison.LESS, None, None)
    False
    """
    if candidate is None:
        return False
    if minimum is not None and candidate < minimum:
        return False
    if maximum is not None and candidate > maximum:
        return False
    if comparison is None:
        return True
    return preemptor is not None and compares(comparison, candidate, preemptor)


@rule("PCF-070")
def is_selected(facts: SelectorFacts) -> bool:
    """Whether a candidate selector selects a workload.

    > A workload is a candidate when all hold:
    >
    > 1. the rule accepts the preemptor's labels and priority class;
    > 2. the workload uses a flavor-resource that lacks quota;
    > 3. all that the selector has selects it: scope, clusterQueueSelector,
    >    labelSelector, numericLabels, priority and the name of its priority
    >    class.

    Args:
        facts: what each part finds.

    Source: Kueue of September 2026, evaluator of PreemptionConfigs; KEP-13396.

    >>> is_selected(SelectorFacts(*[True] * 8)), is_selected(SelectorFacts(*[True] * 7, False))
    (True, False)
    """
    accepted = facts.preemptor and facts.uses_needed
    placed = facts.in_scope and facts.cluster_queue
    compared = facts.labels and facts.numbers and facts.priority and facts.priority_class
    return accepted and placed and compared


@rule("PCF-080")
def is_tier_tried(trigger: Trigger, quota_fits: bool, stopped: bool) -> bool:
    """Whether the candidates of a trigger are tried.

    > After the candidates of spec.preemption, those of each trigger are tried
    > in turn while the preemptor does not fit:
    >
    > 1. Always;
    > 2. InsufficientQuota, if the preemptor does not fit by quota;
    > 3. QuotaFeasibleAndInsufficientTopology, if it fits by quota.
    >
    > A trigger that an invalid selector stops is not tried, and no later one
    > is.

    Args:
        trigger: of the tier.
        quota_fits: whether the preemptor fits by quota beside what is left after the earlier removals.
        stopped: an invalid selector stops it.

    Source: Kueue of September 2026, evaluator of PreemptionConfigs.

    >>> is_tier_tried(Trigger.INSUFFICIENT_QUOTA, quota_fits=False, stopped=False)
    True
    """
    if stopped:
        return False
    if trigger == Trigger.INSUFFICIENT_QUOTA:
        return not quota_fits
    if trigger == Trigger.INSUFFICIENT_TOPOLOGY:
        return quota_fits
    return True


@rule("PCF-090")
def is_search_made(below_root: bool, by_policy: bool, configured: bool) -> bool:
    """Whether targets are looked for where a request would borrow beyond the nominal quota.

    > Targets are looked for when one holds:
    >
    > 1. the request fits the quota of a subtree below the root;
    > 2. spec.preemption allows it (KQ-530);
    > 3. the ClusterQueue names a PreemptionConfig, whether that exists or not.

    Args:
        below_root: the first.
        by_policy: the second.
        configured: the third.

    Source: Kueue of September 2026, flavor assigner.

    >>> is_search_made(below_root=False, by_policy=False, configured=True)
    True
    """
    return below_root or by_policy or configured


@rule("PCF-100")
def is_trigger_stopped(faulty: bool, invalid_selector: InvalidSelector) -> bool:
    """Whether invalid selectors stop a trigger.

    > An invalid selector of a rule of the trigger that accepts the preemptor,
    > or an invalid preemptorSelector, stops the trigger. When
    > invalid_selector is passed_over, the selector alone selects nothing, and
    > the rule alone accepts no workload.

    Args:
        faulty: such a rule of the trigger has an invalid selector.
        invalid_selector: the reading.

    Source: Kueue of September 2026, evaluator of PreemptionConfigs; KEP-13396 does not say it.

    >>> is_trigger_stopped(True, InvalidSelector.STOPS), is_trigger_stopped(True, InvalidSelector.PASSED_OVER)
    (True, False)
    """
    return faulty and invalid_selector == InvalidSelector.STOPS


@rule("PCF-110")
def are_candidates_merged(configured_candidates: ConfiguredCandidates, fair_sharing: bool) -> bool:
    """Whether the candidates of a tier and all before it are one set.

    > The candidates of a tier follow those before it. When
    > configured_candidates is merged, and without fair sharing, they make one
    > deduplicated set in the order of KQ-220, and the search begins again.

    Args:
        configured_candidates: the reading.
        fair_sharing: whether targets in other ClusterQueues are chosen by shares.

    Source: KEP-13396, Proposal, against Kueue of September 2026, classical strategy and fair strategy.

    >>> are_candidates_merged(ConfiguredCandidates.MERGED, fair_sharing=True)
    False
    """
    return configured_candidates == ConfiguredCandidates.MERGED and not fair_sharing


@rule("PCF-120")
def is_tier_in_baseline(trigger: Trigger, always_trigger: AlwaysTrigger) -> bool:
    """Whether a tier waits for no failure of the candidates of spec.preemption.

    > Every tier waits until the candidates of spec.preemption do not suffice.
    > When always_trigger is unconditional, Always does not wait.

    Args:
        trigger: of the tier.
        always_trigger: the reading.

    Source: KEP-13396, Proposed API PreemptionConfig, against Kueue of September 2026, classical strategy.

    >>> is_tier_in_baseline(Trigger.ALWAYS, AlwaysTrigger.WHEN_INSUFFICIENT)
    False
    """
    return always_trigger == AlwaysTrigger.UNCONDITIONAL and trigger == Trigger.ALWAYS


@rule("PCF-130")
def has_executed(
    target: Workload, now: Instant, min_execution: Duration | None, execution_start: ExecutionStart
) -> bool:
    """Whether a candidate has run as long as a selector demands.

    > A candidate has run long enough when minExecutionDuration is not set, or
    > when at least that has passed since its admission (PPR-020). One that is
    > not admitted has not run. When execution_start is quota_reserved, the
    > time counts from its quota reservation.

    Args:
        target: a workload that holds quota.
        now: the scheduling cycle's one clock value, ns since the epoch.
        min_execution: `minExecutionDuration` of the selector, ns; None where it is not set.
        execution_start: the reading.

    Source: KEP-13396, FUTURE_WORK, Time-Based Candidate Selectors. A proposal, from its text, not run.

    >>> target = Workload("ns", "w", "u", 0, 0, quota_reserved_at=0, admission_delay=5)
    >>> [has_executed(target, 60, 60, start) for start in ExecutionStart]
    [False, True]
    """
    if min_execution is None:
        return True
    if execution_start == ExecutionStart.QUOTA_RESERVED:
        return now - quota_reservation_time(target, now) >= min_execution
    if target.admission_delay is None:
        return False
    return now - admission_time(target, now) >= min_execution
