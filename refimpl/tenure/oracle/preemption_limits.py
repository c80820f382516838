"""What PreemptionLimits allow (KEP-13396, FUTURE_WORK). A proposal, from its text, not run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tenure.model import Cluster, Instant, PreemptionLimit, RulePreemption, SelectedBy, Workload
from tenure.oracle.labels import is_label_set_selected
from tenure.oracle.question import Candidate, Question, Selection
from tenure.rules.preemption_limit import (
    counts_with,
    is_beyond_limit_passed_over,
    is_limited,
    is_within_limit,
)


def preemption_by(preempting: str, victim: Workload, selected: SelectedBy, now: Instant) -> RulePreemption:
    """A preemption by rules of a PreemptionConfig, as limits count it.

    Args:
        preempting: the preemptor's ClusterQueue.
        victim: who is preempted.
        selected: by which rules.
        now: when, ns.
    """
    rules = tuple(name for name, _ in selected.selectors)
    return RulePreemption(now, preempting, victim.cluster_queue or "", victim.key, selected.config, rules)


def limits_on(cluster: Cluster, preemption: RulePreemption) -> Iterator[PreemptionLimit]:
    """The PreemptionLimits that count a preemption (PCF-140).

    Args:
        cluster: the cluster.
        preemption: any.
    """
    config = (cluster.preemption_configs or {}).get(preemption.config)
    labels = {} if config is None else config.labels
    for limit in cluster.preemption_limits:
        if is_limited(
            limit.scope,
            is_label_set_selected(limit.configs, labels),
            not limit.rules or not set(limit.rules).isdisjoint(preemption.rules),
            _is_queue_selected(cluster, limit, preemption.preempting),
            _is_queue_selected(cluster, limit, preemption.preempted),
        ):
            yield limit


def _is_queue_selected(cluster: Cluster, limit: PreemptionLimit, name: str) -> bool:
    queue = cluster.cluster_queues.get(name)
    return is_label_set_selected(limit.queues, {} if queue is None else queue.labels)


def counted_beside(
    cluster: Cluster, limit: PreemptionLimit, preemption: RulePreemption, others: Iterable[RulePreemption]
) -> int:
    """How many of some preemptions a limit counts beside one that is proposed (PCF-150).

    Args:
        cluster: the cluster.
        limit: one that counts the preemption.
        preemption: the one that is proposed.
        others: earlier ones, or more of the same search, itself included.
    """
    return sum(
        1
        for other in others
        if counts_with(
            limit.scope,
            other.preempting == preemption.preempting,
            other.preempted == preemption.preempted,
            other.victim == preemption.victim,
            other.at,
            preemption.at,
            limit.window,
        )
        and limit in limits_on(cluster, other)
    )


def limit_without_room(question: Question, victims: Iterable[Candidate]) -> PreemptionLimit | None:
    """The first PreemptionLimit that has no room for the victims of a search (PCF-160); None if all have.

    Args:
        question: the search.
        victims: who would be preempted.
    """
    cluster = question.snapshot.cluster
    if not cluster.preemption_limits:
        return None
    # A victim that is evicted already is no further preemption.
    proposed = tuple(
        preemption_by(question.snapshot.queue.name, found.workload, found.selected, question.now)
        for found in victims
        if found.selected is not None and not found.workload.evicted
    )
    for preemption in proposed:
        for limit in limits_on(cluster, preemption):
            counted = counted_beside(cluster, limit, preemption, cluster.preempted)
            further = counted_beside(cluster, limit, preemption, proposed)
            if not is_within_limit(counted, further, limit.limit):
                return limit
    return None


def is_beyond_limit(question: Question, removed: Iterable[Candidate], candidate: Candidate) -> bool:
    """Whether a search passes over a candidate of a PreemptionConfig for a limit (PCF-170).

    Args:
        question: the search.
        removed: who has been removed.
        candidate: whose turn it is.
    """
    if not question.snapshot.cluster.preemption_limits:
        return False
    within = limit_without_room(question, (*removed, candidate)) is None
    return is_beyond_limit_passed_over(within, question.terms.limit_search)


def within_limits(question: Question, selection: Selection) -> Selection:
    """What a search found, or nothing where a PreemptionLimit has no room for all targets (PCF-160).

    Args:
        question: the search.
        selection: what it found without regard to that.
    """
    limit = limit_without_room(question, selection.kept)
    if limit is None:
        return selection
    return replace(selection, kept=(), removed=(), spared=(), usage=question.snapshot.usage, exhausted=limit)
