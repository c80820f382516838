"""What the rules about a PreemptionConfig found in a decision."""

from __future__ import annotations

from collections.abc import Iterator

from tenure.explanation.limits import limit_remarks
from tenure.explanation.remarks import Remark, remark
from tenure.model import (
    CandidateSelector,
    ClassNames,
    Comparison,
    LabelSelector,
    NumericLabel,
    PreemptionConfig,
    PreemptionRule,
    PriorityMode,
    SelectedBy,
    SelectorFacts,
    Trigger,
    Workload,
)
from tenure.oracle.configured import (
    accepts,
    config_of,
    evaluated,
    facts_of,
    fault_of,
    has_run,
    is_label_number_selected,
    known_of,
    number_of,
    priority_of,
    stopped_by,
)
from tenure.oracle.decide import Decision, question_about
from tenure.oracle.labels import is_label_set_selected
from tenure.oracle.question import Question
from tenure.oracle.tiers import is_tried_in
from tenure.rules.preemption_config import (
    are_candidates_merged,
    is_search_made,
    is_selected,
    is_tier_in_baseline,
    is_trigger_stopped,
)
from tenure.units import format_duration


def config_remarks(decision: Decision) -> Iterator[Remark]:
    """What the rules about tiers found of a request; none where its ClusterQueue names no PreemptionConfig.

    Args:
        decision: any.
    """
    name = decision.queue.preemption_config
    if name is None:
        return
    searched = is_search_made(below_root=False, by_policy=False, configured=True)
    named = f"ClusterQueue {decision.queue.name} names PreemptionConfig {name}"
    yield remark("PCF-090", searched, f"{named}: targets are looked for also where the request borrows")
    if decision.selection is None:
        return
    question = question_about(decision)
    config, stopped = config_of(question), False
    yield from _interpreted(question, config)
    faults = {rule.trigger: f"rule {rule.name}: {fault}" for rule, fault in stopped_by(question, config)}
    for trigger in Trigger:
        if any(rule.trigger == trigger for rule in config.rules):
            stopped = stopped or trigger in faults
            why = f"stopped by an invalid selector ({faults[trigger]})" if trigger in faults else ""
            yield remark("PCF-080", *_tier(trigger, decision, stopped, why))
    yield from limit_remarks(decision)


def _interpreted(question: Question, config: PreemptionConfig) -> Iterator[Remark]:
    """What a reading other than the code's changes."""
    terms = question.terms
    for rule in evaluated(config, question.preemptor):
        fault = fault_of(rule)
        if fault and not is_trigger_stopped(True, terms.invalid_selector):
            yield remark("PCF-100", False, f"rule {rule.name}: an invalid selector is passed over: {fault}")
    if are_candidates_merged(terms.configured_candidates, terms.fair_sharing):
        yield remark("PCF-110", True, "candidates of spec.preemption and of rules are one sorted set")
        if is_tier_in_baseline(Trigger.ALWAYS, terms.always_trigger):
            yield remark("PCF-120", True, "tier Always does not wait for a failure of spec.preemption")


def _tier(trigger: Trigger, decision: Decision, stopped: bool, why: str) -> tuple[bool, str]:
    if stopped:
        return False, f"tier {trigger.label}: {why or 'stopped by an earlier tier'}"
    tried = is_tried_in(decision, trigger)
    chosen = 0 if decision.selection is None else len(_of_tier(decision, trigger))
    if not tried:
        how = "fits" if trigger == Trigger.INSUFFICIENT_QUOTA else "does not fit"
        return tried, f"tier {trigger.label}: not tried, because the request {how} by quota"
    terms = decision.terms
    merged = are_candidates_merged(terms.configured_candidates, terms.fair_sharing)
    where = "among" if merged else "after"
    return tried, f"tier {trigger.label}: {chosen} tried, {where} the candidates of spec.preemption"


def _of_tier(decision: Decision, trigger: Trigger) -> list[SelectedBy]:
    selection = decision.selection
    turns = () if selection is None else selection.attempts[-1].turns
    found = (turn.candidate.selected for turn in turns)
    return [selected for selected in found if selected is not None and selected.trigger == trigger]


def selector_remarks(decision: Decision, workload: Workload) -> Iterator[Remark]:
    """What every selector found of a running workload; none where the ClusterQueue names no PreemptionConfig.

    Args:
        decision: one with a search for targets.
        workload: a workload that holds quota.
    """
    if decision.queue.preemption_config is None:
        return
    question = question_about(decision)
    config = config_of(question)
    stops = min((rule.trigger for rule, _ in stopped_by(question, config)), default=None)
    for rule in config.rules:
        if rule.preemptors.fault or not accepts(rule, decision.preemptor):
            yield _not_applying(question, rule)
            continue
        stopped = stops is not None and stops <= rule.trigger
        untried = "is stopped by an invalid selector" if stopped else "is not tried"
        tried = not stopped and is_tried_in(decision, rule.trigger)
        for place, selector in enumerate(rule.candidates):
            name = f"rule {rule.name}/{place}"
            if selector.fault:
                yield _faulty(question, f"{name}: a selector is invalid: {selector.fault}")
                continue
            facts = facts_of(question, rule, selector, workload)
            yield from _of_selector(question, rule, place, selector, facts, workload)
            if is_selected(facts) and not tried:
                yield remark("PCF-080", False, f"{name}: its tier {rule.trigger.label} {untried}")


def _not_applying(question: Question, rule: PreemptionRule) -> Remark:
    """Why a rule does not apply to the preemptor."""
    preemptor, why = question.preemptor, f"rule {rule.name} does not apply"
    if rule.preemptors.fault:
        return _faulty(question, f"{why}: preemptorSelector is invalid: {rule.preemptors.fault}")
    if not is_label_set_selected(rule.preemptors, known_of(preemptor).labels):
        return remark("PCF-050", False, f"{why}: preemptorSelector does not select the preemptor's labels")
    called = known_of(preemptor).priority_class or "none"
    return remark("PCF-040", False, f"{why}: the preemptor's priority class is {called}")


def _faulty(question: Question, text: str) -> Remark:
    """What an invalid selector stops."""
    return remark("PCF-100", is_trigger_stopped(True, question.terms.invalid_selector), text)


def _of_selector(
    question: Question,
    rule: PreemptionRule,
    place: int,
    selector: CandidateSelector,
    facts: SelectorFacts,
    workload: Workload,
) -> Iterator[Remark]:
    name, chosen = f"rule {rule.name}/{place}", is_selected(facts)
    yield remark("PCF-070", chosen, f"{name} {'selects it' if chosen else 'does not select it'}")
    within = "is" if facts.in_scope else "is not"
    yield remark("PCF-010", facts.in_scope, f"{name}: it {within} in scope {selector.scope.label}")
    for called, found, holds in (
        ("clusterQueueSelector", selector.queues, facts.cluster_queue),
        ("labelSelector", selector.workloads, facts.labels),
    ):
        if found != LabelSelector():
            yield remark("PCF-050", holds, f"{name}: {called} {_selects(holds)} its labels")
    for label in selector.numbers:
        yield from _of_number(question, name, label, workload)
    yield from _of_priority(question, name, selector.mode, selector.comparison, facts, workload)
    if selector.min_execution is not None:
        holds = has_run(question, selector, workload)
        least = format_duration(selector.min_execution)
        yield remark("PCF-130", holds, f"{name}: it has {'' if holds else 'not '}run for {least}")
    if selector.classes != ClassNames():
        called = known_of(workload).priority_class or "none"
        yield remark("PCF-040", facts.priority_class, f"{name}: its priority class is {called}")


def _of_number(question: Question, name: str, label: NumericLabel, workload: Workload) -> Iterator[Remark]:
    mine, theirs = number_of(label, question.preemptor), number_of(label, workload)
    holds = is_label_number_selected(label, workload, question.preemptor)
    text = f"{name}: {label.key} is {_number(theirs)}"
    if label.comparison is not None:
        text += f", the preemptor's {_number(mine)}, compared by {label.comparison.label}"
    yield remark("PCF-060", holds, f"{text}: {_selects(holds)} it")


def _number(found: int | None) -> str:
    return "no number" if found is None else str(found)


def _of_priority(
    question: Question,
    name: str,
    mode: PriorityMode | None,
    comparison: Comparison | None,
    facts: SelectorFacts,
    workload: Workload,
) -> Iterator[Remark]:
    if mode is None or comparison is None:
        return
    theirs, mine = (priority_of(each, mode) for each in (workload, question.preemptor))
    text = f"{name}: {mode.label} priority {theirs}, the preemptor's {mine}"
    yield remark("PCF-030", mode == PriorityMode.BASE, text)
    holds = facts.priority
    yield remark("PCF-020", holds, f"{name}: {theirs} is {'' if holds else 'not '}{comparison.label} {mine}")


def _selects(holds: bool) -> str:
    return "selects" if holds else "does not select"


def nothing_selected(decision: Decision) -> str:
    """Why a PreemptionConfig names no candidate; empty where the ClusterQueue names none.

    Args:
        decision: one without any candidate.
    """
    name = decision.queue.preemption_config
    if name is None:
        return ""
    question = question_about(decision)
    faults = [f"rule {rule.name}: {fault}" for rule, fault in stopped_by(question, config_of(question))]
    if faults:
        return f", and an invalid selector stops PreemptionConfig {name} ({faults[0]})"
    if name not in (decision.snapshot.cluster.preemption_configs or {}):
        return f", and PreemptionConfig {name} does not exist"
    return f", and PreemptionConfig {name} selects none"
