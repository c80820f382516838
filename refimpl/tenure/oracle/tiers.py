"""In which states a tier of a PreemptionConfig is tried: by what is short, and of what a search counts."""

from __future__ import annotations

from collections.abc import Iterator

from tenure.model import ClusterQueue, PreemptionRule, Trigger
from tenure.oracle.assignment import PODS
from tenure.oracle.decide import Decision, question_about
from tenure.oracle.leaving import leaving_of
from tenure.rules.preemption_config import is_tier_tried


def counts_pods(queue: ClusterQueue) -> bool:
    """Whether a ClusterQueue has quota for a number of pods.

    A search for targets does not count it: what is short of pods alone fits by quota, as triggers see it.

    >>> counts_pods(ClusterQueue("a"))
    False
    """
    return any(PODS in group.covered_resources for group in queue.resource_groups)


def may_be_tried(rule: PreemptionRule, queue: ClusterQueue) -> bool:
    """Whether the tier of a rule may be tried for a preemptor of a ClusterQueue without topologies."""
    return any(_tried(rule, queue))


def must_be_tried(rule: PreemptionRule, queue: ClusterQueue) -> bool:
    """Whether the tier of a rule is tried for every such preemptor, unless it is stopped or not needed."""
    return all(_tried(rule, queue))


def _tried(rule: PreemptionRule, queue: ClusterQueue) -> Iterator[bool]:
    for quota_fits in (False, True) if counts_pods(queue) else (False,):
        yield is_tier_tried(rule.trigger, quota_fits, stopped=False)


def is_tried_in(decision: Decision, trigger: Trigger) -> bool:
    """Whether an attempt of a decision's search tries the tier of a trigger that nothing stops.

    Args:
        decision: one with a search for targets.
        trigger: of the tier.
    """
    return any(is_tier_tried(trigger, fits, stopped=False) for fits in _fitting(decision))


def _fitting(decision: Decision) -> Iterator[bool]:
    """Of each attempt, whether the request fits by quota before anything leaves.

    One that fits after a removal ends there, so that no later tier is tried.
    """
    question = question_about(decision)
    leaving = leaving_of(question)
    for attempt in decision.selection.attempts if decision.selection is not None else ():
        yield leaving.fits(leaving.usage, attempt.may_borrow)
