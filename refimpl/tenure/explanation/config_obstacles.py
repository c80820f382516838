"""The fields of a PreemptionConfig by which running workloads are no candidates of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from tenure.explanation.obstacle import Obstacle
from tenure.model import (
    CandidateSelector,
    ClassNames,
    LabelSelector,
    NodeOperator,
    NumericLabel,
    PreemptionConfig,
    PreemptionRule,
    Trigger,
    Workload,
)
from tenure.oracle.configured import (
    config_of,
    facts_of,
    fault_of,
    has_run,
    is_class_named,
    is_label_number_selected,
    known_of,
    number_of,
    priority_of,
)
from tenure.oracle.decide import Decision, question_about
from tenure.oracle.labels import is_label_set_selected
from tenure.oracle.question import Question, uses_any
from tenure.oracle.tiers import is_tried_in
from tenure.oracle.unmodelled import ANNOTATION
from tenure.units import counted, format_duration


class _Refusal(NamedTuple):
    """A field that refuses a workload, its value, and what of the workload is not as it requires."""

    field: str
    value: str
    why: str


def config_obstacles(decision: Decision, kept: Iterable[Workload]) -> Iterator[Obstacle]:
    """What of the PreemptionConfig of a ClusterQueue keeps running workloads from being candidates.

    Of each workload the selector counts that fewest fields of keep it.

    Args:
        decision: one with a search for targets; none where its ClusterQueue names no PreemptionConfig.
        kept: workloads that hold quota in its tree, and are no candidates.
    """
    name, queue = decision.queue.preemption_config, f"ClusterQueue/{decision.queue.name}"
    if name is None or decision.selection is None:
        return
    if name not in (decision.snapshot.cluster.preemption_configs or {}):
        yield Obstacle(queue, ANNOTATION, name, "", "it does not exist, and counts as none", own=True)
        return
    question = question_about(decision)
    config = config_of(question)
    tried = {rule.trigger: is_tried_in(decision, rule.trigger) for rule in config.rules}
    found: dict[tuple[str, str], list[tuple[Workload, str]]] = {}
    for workload in kept:
        if uses_any(workload, question.needed):
            for refusal in _nearest(question, config, workload, tried):
                found.setdefault(refusal[:2], []).append((workload, refusal.why))
    for field, value, text in (*_faults(question, config), *_counted(found)):
        yield Obstacle(f"PreemptionConfig/{name}", field, value, "", text, own=True)


def _counted(found: Mapping[tuple[str, str], list[tuple[Workload, str]]]) -> Iterator[tuple[str, str, str]]:
    for (field, value), refused in found.items():
        (workload, why), many = refused[0], counted(len(refused), "running workload")
        yield field, value, why if len(refused) == 1 else f"keeps {many}, such as {workload.key}: {why}"


def _faults(question: Question, config: PreemptionConfig) -> Iterator[tuple[str, str, str]]:
    """The first selector that Kueue cannot build, which stops its tier and all later ones."""
    faulty = [(place, rule) for place, rule in enumerate(config.rules) if fault_of(rule)]
    for place, rule in sorted(faulty, key=lambda found: (found[1].trigger, found[0])):
        field = f"spec.rules[{place}]"
        if not rule.preemptors.fault:
            if _not_accepted(question, field, rule):
                continue
            number = next(number for number, found in enumerate(rule.candidates) if found.fault)
            part = "clusterQueueSelector" if rule.candidates[number].queues.fault else "labelSelector"
            field = f"{field}.candidateSelectors[{number}].{part}"
        else:
            field = f"{field}.preemptorSelector"
        yield field, "invalid", f"{fault_of(rule)}; it stops trigger {rule.trigger.label} and all later ones"
        return


def _nearest(
    question: Question, config: PreemptionConfig, workload: Workload, tried: Mapping[Trigger, bool]
) -> list[_Refusal]:
    """What refuses a workload by the selector that fewest fields of refuse it."""
    every = [
        refusals
        for place, rule in enumerate(config.rules)
        for refusals in _by_rule(question, f"spec.rules[{place}]", rule, workload, tried[rule.trigger])
    ]
    if not any(rule.candidates for rule in config.rules):
        return [_Refusal("spec.rules", "empty", "no rule has a candidate selector")]
    return min(every, key=len, default=[])


def _by_rule(
    question: Question, field: str, rule: PreemptionRule, workload: Workload, tried: bool
) -> Iterator[list[_Refusal]]:
    """What refuses a workload by each selector of a rule, the rule's own fields first."""
    own = _not_accepted(question, field, rule)
    if not tried:
        why = "it is not tried while quota is short"
        if rule.trigger == Trigger.INSUFFICIENT_QUOTA:
            why = "it is not tried where only a number of pods is short"
        own.append(_Refusal(f"{field}.activationPolicy.trigger", rule.trigger.label, why))
    for number, selector in enumerate(rule.candidates):
        if not selector.fault:
            inner = f"{field}.candidateSelectors[{number}]"
            yield [*own, *_by_selector(question, inner, rule, selector, workload)]


def _not_accepted(question: Question, field: str, rule: PreemptionRule) -> list[_Refusal]:
    preemptor, found = question.preemptor, []
    labels = known_of(preemptor).labels
    if not rule.preemptors.fault and not is_label_set_selected(rule.preemptors, labels):
        why = f"{preemptor.key} has {_labels(labels)}"
        found.append(_Refusal(f"{field}.preemptorSelector", selector_text(rule.preemptors), why))
    if not is_class_named(rule.preemptor_classes, preemptor):
        inner = f"{field}.preemptorPriorityClassSelector"
        found.append(_by_class(inner, rule.preemptor_classes, preemptor))
    return found


def _by_selector(
    question: Question, field: str, rule: PreemptionRule, selector: CandidateSelector, workload: Workload
) -> Iterator[_Refusal]:
    facts, key, queue = facts_of(question, rule, selector, workload), workload.key, workload.cluster_queue
    if not facts.in_scope:
        yield _Refusal(f"{field}.scope", selector.scope.label, f"{key} runs in ClusterQueue {queue}")
    if not facts.cluster_queue:
        labels = question.snapshot.cluster.cluster_queues[queue or ""].labels
        why = f"{key} runs in ClusterQueue {queue}, which has {_labels(labels)}"
        yield _Refusal(f"{field}.clusterQueueSelector", selector_text(selector.queues), why)
    if not facts.labels:
        why = f"{key} has {_labels(known_of(workload).labels)}"
        yield _Refusal(f"{field}.labelSelector", selector_text(selector.workloads), why)
    for place, number in enumerate(selector.numbers):
        if not is_label_number_selected(number, workload, question.preemptor):
            yield _by_number(question, f"{field}.numericLabels[{place}]", number, workload)
    if not facts.priority and selector.mode is not None and selector.comparison is not None:
        theirs, mine = (priority_of(each, selector.mode) for each in (workload, question.preemptor))
        why = f"{selector.mode.label} priority {theirs} of {key} against {mine}"
        yield _Refusal(f"{field}.priority.comparison", selector.comparison.label, why)
    if selector.min_execution is not None and not has_run(question, selector, workload):
        why = f"{key} has not run so long"
        yield _Refusal(f"{field}.minExecutionDuration", format_duration(selector.min_execution), why)
    if not facts.priority_class:
        yield _by_class(f"{field}.priority", selector.classes, workload)


def _by_number(question: Question, field: str, label: NumericLabel, workload: Workload) -> _Refusal:
    theirs, mine = number_of(label, workload), number_of(label, question.preemptor)
    if theirs is None:
        return _Refusal(field, label.key, f"{workload.key} has no such number")
    if label.minimum is not None and theirs < label.minimum:
        return _Refusal(f"{field}.minValue", str(label.minimum), f"{label.key} of {workload.key} is {theirs}")
    if label.maximum is not None and theirs > label.maximum:
        return _Refusal(f"{field}.maxValue", str(label.maximum), f"{label.key} of {workload.key} is {theirs}")
    if mine is None:
        return _Refusal(field, label.key, f"{question.preemptor.key} has no such number")
    value = "not set" if label.comparison is None else label.comparison.label
    return _Refusal(f"{field}.comparison", value, f"{label.key} {theirs} of {workload.key} against {mine}")


def _by_class(field: str, names: ClassNames, workload: Workload) -> _Refusal:
    called = known_of(workload).priority_class
    is_excluded = called in names.exclude
    part, listed = ("notMatchNames", names.exclude) if is_excluded else ("matchNames", names.match)
    why = f"{workload.key} has {f'priority class {called}' if called else 'no priority class'}"
    return _Refusal(f"{field}.{part}", ", ".join(listed), why)


def selector_text(selector: LabelSelector) -> str:
    """A label selector as `kubectl` writes one.

    >>> from tenure.model import NodeRequirement
    >>> low = NodeRequirement("tier", NodeOperator.IN, ("low",))
    >>> selector_text(LabelSelector((low, NodeRequirement("gang", NodeOperator.DOES_NOT_EXIST))))
    'tier=low,!gang'
    """
    return ",".join(_requirement(found.key, found.operator, found.values) for found in selector.requirements)


def _requirement(key: str, operator: NodeOperator, values: tuple[str, ...]) -> str:
    match operator:
        case NodeOperator.EXISTS:
            return key
        case NodeOperator.IN if len(values) == 1:
            return f"{key}={values[0]}"
        case NodeOperator.IN | NodeOperator.NOT_IN:
            return f"{key} {operator.label.lower()} ({','.join(values)})"
    return f"!{key}"


def _labels(labels: Mapping[str, str]) -> str:
    written = ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
    return f"labels {written}" if written else "no labels"
