"""Which new workloads could preempt a running one by a PreemptionConfig: made-up labels, decided about.

What a rule reads of the running workload is known; labels and priority class of the preemptor are made up so
that the rule accepts it, and every preemptor that comes out is decided about by the reference.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from tenure.explanation.risk.least_priority import Least, Spending, found_by
from tenure.explanation.risk.policy import Prospect, asking
from tenure.explanation.risk.sizes import smaller_request, try_likeliest
from tenure.model import (
    CandidateSelector,
    Comparison,
    Instant,
    LabelSelector,
    NodeOperator,
    NumericLabel,
    PreemptionConfig,
    PreemptionRule,
    Selectable,
    Workload,
)
from tenure.oracle.configured import (
    config_of,
    facts_of,
    first_stopped,
    number_of,
    priority_of,
)
from tenure.oracle.question import Question
from tenure.oracle.tiers import may_be_tried
from tenure.readings import Reading
from tenure.rules.dynamic_priority import LEAST_PRIORITY
from tenure.rules.preemption_config import compares, is_number_selected, is_selected

_MOST = 8
"""So many made-up workloads are tried for one ClusterQueue at most, those of the least priority first."""


class _MadeUp(NamedTuple):
    """A made-up workload, and the highest priority of which the same holds; None where there is none."""

    preemptor: Workload
    most: int | None = None


def least_configured(prospect: Prospect, created_at: Instant, reading: Reading, spending: Spending) -> Least:
    """As `least_priority`, of a ClusterQueue that names a PreemptionConfig.

    Args:
        prospect: the running workload, seen from that ClusterQueue.
        created_at: when the made-up workloads were created, ns.
        reading: see `tenure.readings`.
        spending: what searches may spend.
    """
    queue = prospect.snapshot.queue
    config = config_of(_question(prospect, asking(prospect.now, 0, created_at)))
    allowed, inactive = prospect.least_allowed(created_at), prospect.inactive()
    if inactive:
        return Least(refusal=inactive)
    made = [] if allowed is None else [_MadeUp(asking(prospect.now, allowed, created_at))]
    made += _selecting(prospect, config, created_at)
    if not made:
        if not prospect.held:
            return Least(refusal=prospect.refusal())
        rest = f"no rule of PreemptionConfig {queue.preemption_config} selects it"
        return Least(refusal=f"{prospect.refusal() or 'no rule of spec.preemption allows it'}, and {rest}")
    made.sort(key=lambda each: each.preemptor.priority)
    least = made[0].preemptor.priority
    for preemptor, most in made[:_MOST]:
        decision = try_likeliest(prospect, preemptor, reading, spending.likeliest)
        if decision is not None:
            smaller = smaller_request(prospect, decision, reading, spending.smaller)
            found = replace(found_by(smaller, preemptor.priority, prospect.victim.key), most=most)
            return found if least == preemptor.priority else replace(found, open_from=least)
    return Least(open_from=least)


def _question(prospect: Prospect, preemptor: Workload) -> Question:
    needed = frozenset(prospect.held)
    return Question(prospect.snapshot, preemptor, needed, {}, prospect.terms, prospect.now)


def _selecting(prospect: Prospect, config: PreemptionConfig, created_at: Instant) -> Iterator[_MadeUp]:
    """A made-up workload for each selector that may select the running one."""
    stops = first_stopped(config, prospect.terms.invalid_selector)
    for rule in config.rules:
        if not may_be_tried(rule, prospect.snapshot.queue) or rule.preemptors.fault:
            continue
        if stops is not None and rule.trigger >= stops:
            continue
        for selector in rule.candidates:
            preemptor = _accepted(prospect, rule, selector, created_at)
            question = _question(prospect, preemptor)
            facts = facts_of(question, rule, selector, prospect.victim)
            of_victim = facts.in_scope and facts.cluster_queue and facts.labels and facts.priority_class
            if not selector.fault and facts.uses_needed and of_victim and _has_numbers(prospect, selector):
                least = asking(prospect.now, LEAST_PRIORITY, created_at)
                yield (
                    _MadeUp(preemptor, _most(selector, prospect.victim))
                    if is_selected(facts)
                    else _MadeUp(least)
                )


def _has_numbers(prospect: Prospect, selector: CandidateSelector) -> bool:
    """Whether the running workload has every number of a selector, within its bounds."""
    return all(
        is_number_selected(number_of(label, prospect.victim), None, None, label.minimum, label.maximum)
        for label in selector.numbers
    )


def _accepted(
    prospect: Prospect, rule: PreemptionRule, selector: CandidateSelector, created_at: Instant
) -> Workload:
    """A made-up workload with what a rule and a selector of it require of the preemptor, if possible."""
    victim, labels = prospect.victim, dict(_labels_for(rule.preemptors))
    for label in selector.numbers:
        number = _number_for(label, victim)
        if number is not None:
            labels.setdefault(label.key, str(number))
    priority = LEAST_PRIORITY
    if selector.mode is not None and selector.comparison in (Comparison.LESS, Comparison.AT_MOST):
        priority = _beside(selector.comparison, priority_of(victim, selector.mode))
    names = (name for name in rule.preemptor_classes.match if name not in rule.preemptor_classes.exclude)
    made = replace(asking(prospect.now, priority, created_at), selectable=Selectable(labels, next(names, "")))
    if prospect.is_own:
        return replace(made, namespace=victim.namespace, queue_name=victim.queue_name)
    return made


def _most(selector: CandidateSelector, victim: Workload) -> int | None:
    """The highest priority of which a selector selects the running workload; None where there is none."""
    if selector.mode is None or selector.comparison not in (Comparison.GREATER, Comparison.AT_LEAST):
        return None
    return _beside(selector.comparison, priority_of(victim, selector.mode))


def _beside(comparison: Comparison, theirs: int) -> int:
    """The preemptor's value nearest to a candidate's with which a comparison holds."""
    return theirs + {Comparison.LESS: 1, Comparison.GREATER: -1}.get(comparison, 0)


def _number_for(label: NumericLabel, victim: Workload) -> int | None:
    """The number that the preemptor's label needs; None where its fallback does, or none is compared."""
    theirs = number_of(label, victim)
    if label.comparison is None or theirs is None:
        return None
    if label.fallback is not None and compares(label.comparison, theirs, label.fallback):
        return None
    return max(0, _beside(label.comparison, theirs))


def _labels_for(selector: LabelSelector) -> Iterator[tuple[str, str]]:
    """Labels that a selector accepts, as far as its requirements do not exclude each other."""
    for found in selector.requirements:
        if found.operator == NodeOperator.IN:
            yield found.key, found.values[0]
        elif found.operator == NodeOperator.EXISTS:
            yield found.key, "any"
