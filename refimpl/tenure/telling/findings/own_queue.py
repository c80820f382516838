"""What the rules found about workloads of the preemptor's own ClusterQueue."""

from __future__ import annotations

from collections.abc import Iterator

from tenure.model import Ground, WithinClusterQueue, Workload
from tenure.oracle.decide import Decision
from tenure.readings import NewerThan, SamePriorityGate
from tenure.rules.eligibility import ground_within_queue
from tenure.rules.priority import has_lower_priority
from tenure.rules.queue_order import queue_order_timestamp
from tenure.rules.reservation import quota_reservation_time
from tenure.rules.time_based import (
    duration_in_force,
    ground_among_equals,
    is_newer_equal,
    is_time_expired,
    reason_of,
    requeue_timestamp,
)
from tenure.telling.findings.ageing import ageing_findings
from tenure.telling.findings.finding import Finding
from tenure.units import format_duration, format_instant


def own_queue_findings(decision: Decision, target: Workload) -> Iterator[Finding]:
    """What the rules found about whether a workload may be taken, from the outermost in."""
    preemptor, terms, now = decision.preemptor, decision.terms, decision.now
    ground = ground_within_queue(preemptor, target, terms, now)
    policy = _policy(terms.within_cluster_queue)
    yield Finding(
        "KQ-040",
        ground != Ground.NONE,
        f"policy {policy} allows it: {_ground(ground)}" if ground else f"policy {policy} does not allow it",
    )
    lower = has_lower_priority(preemptor, target)
    yield Finding(
        "KQ-010", lower, f"priority {target.priority} is {'' if lower else 'not '}below {preemptor.priority}"
    )
    yield from ageing_findings(decision, target, "it")
    yield from ageing_findings(decision, preemptor, "preemptor")
    if target.priority == preemptor.priority:
        yield from _equal_findings(decision, target)
    if ground != Ground.NONE:
        reason = reason_of(ground)
        yield Finding("TBP-070", ground == Ground.TIME_EXPIRED, f"reason {reason.label}")


def _equal_findings(decision: Decision, target: Workload) -> Iterator[Finding]:
    preemptor, terms, now = decision.preemptor, decision.terms, decision.now
    duration = duration_in_force(terms)
    yield Finding("TBP-010", duration is not None, _duration_text(decision))
    since = quota_reservation_time(target, now)
    stamped = target.quota_reserved_at is not None
    held = format_duration(now - since)
    yield Finding(
        "KQ-030",
        stamped,
        f"quota reserved {format_instant(since)}" if stamped else "no reservation stamp: reserved now",
    )
    expired = is_time_expired(target, now, duration)
    if duration is None:
        expiry = "no duration is in force, so none can be exceeded"
    elif expired:
        expiry = f"has run {held}, strictly more than {format_duration(duration)}"
    else:
        until = format_instant(since + duration)
        expiry = f"has run {held}, not more than {format_duration(duration)}: protected until {until}"
    yield Finding("TBP-020", expired, expiry)
    gate = duration is not None and terms.same_priority_gate == SamePriorityGate.EXPIRED_ONLY
    newer = is_newer_equal(preemptor, target, terms, now)
    allowed = ground_among_equals(preemptor, target, terms, now) != Ground.NONE
    yield Finding("TBP-050", allowed, _gate_text(expired, newer, gate))
    yield Finding("TBP-040", newer, _newer_text(decision, target, newer))
    yield from _queue_findings(decision, target)


def _gate_text(expired: bool, newer: bool, gate: bool) -> str:
    if expired:
        return "an equal that has exceeded its time may be taken"
    if gate:
        return "same_priority_gate is expired_only: an equal may be taken only after its time"
    return "an equal that is newer may be taken" if newer else "an equal neither expired nor newer stays"


def _newer_text(decision: Decision, target: Workload, newer: bool) -> str:
    preemptor, terms, now = decision.preemptor, decision.terms, decision.now
    if duration_in_force(terms) is not None and terms.newer_than == NewerThan.RESERVED_AFTER_CREATED:
        reserved = format_instant(quota_reservation_time(target, now))
        created = format_instant(preemptor.created_at)
        return f"quota reserved {reserved}, preemptor created {created}, so {'' if newer else 'not '}newer"
    queued = format_instant(requeue_timestamp(target, terms))
    waiting = format_instant(requeue_timestamp(preemptor, terms))
    return f"queued {queued}, preemptor {waiting}, so {'' if newer else 'not '}newer"


def _queue_findings(decision: Decision, target: Workload) -> Iterator[Finding]:
    terms = decision.terms
    for who, workload in (("it", target), ("preemptor", decision.preemptor)):
        plain = queue_order_timestamp(
            workload, terms.requeuing_timestamp, terms.priority_sorting_within_cohort
        )
        stands = requeue_timestamp(workload, terms)
        moved = plain != workload.created_at
        yield Finding(
            "KQ-020",
            moved,
            f"{who} queues from its {'eviction' if moved else 'creation'} {format_instant(plain)}",
        )
        again = stands != plain
        place = f"from {format_instant(stands)}, after its preemption" if again else "as in Kueue"
        yield Finding("TBP-030", again, f"{who} queues {place}")


def _duration_text(decision: Decision) -> str:
    terms = decision.terms
    duration = duration_in_force(terms)
    if duration is not None:
        return f"minAdmitDuration {format_duration(duration)} is in force"
    if terms.min_admit_duration is None:
        return "minAdmitDuration is not set"
    configured = format_duration(terms.min_admit_duration)
    if not terms.time_based_preemption:
        return f"minAdmitDuration {configured} is off with gate TimeBasedSamePriorityPreemption"
    if terms.within_cluster_queue != WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY:
        return (
            f"minAdmitDuration {configured} has no effect under policy {_policy(terms.within_cluster_queue)}"
        )
    return f"minAdmitDuration {configured} is below one minute, and has no effect"


def _policy(policy: WithinClusterQueue) -> str:
    return "".join(word.capitalize() for word in policy.name.split("_"))


def _ground(ground: Ground) -> str:
    return {
        Ground.LOWER_PRIORITY: "lower priority",
        Ground.NEWER_EQUAL: "equal priority and newer",
        Ground.TIME_EXPIRED: "equal priority and past minAdmitDuration",
    }[ground]
