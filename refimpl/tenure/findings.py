"""What every rule found about a decision, with the values compared.

One function for each place where rules speak: the request, a workload's eligibility, the order. A new rule
gets its finding here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tenure.model import Ground, WithinClusterQueue, Workload
from tenure.oracle.decide import Decision
from tenure.readings import NewerThan, SamePriorityGate
from tenure.rules.eligibility import ground_within_queue
from tenure.rules.ordering import candidate_precedes
from tenure.rules.priority import has_lower_priority
from tenure.rules.queue_order import queue_order_timestamp
from tenure.rules.quota import can_ever_fit, fits_quota
from tenure.rules.reservation import quota_reservation_time
from tenure.rules.time_based import (
    duration_in_force,
    ground_among_equals,
    is_newer_equal,
    is_time_expired,
    precedes_among_equals,
    reason_of,
    requeue_timestamp,
)
from tenure.units import format_amount, format_duration, format_instant


@dataclass(frozen=True, slots=True)
class Finding:
    """What one rule found.

    Args:
        rule: its identifier.
        holds: whether it applies: a yes of a yes-or-no rule; for the others, not the plain case.
        text: the values compared.
    """

    rule: str
    holds: bool
    text: str


def request_findings(decision: Decision) -> Iterator[Finding]:
    """What the quota rules found about every flavor-resource that is asked for."""
    nominal = decision.queue.nominal()
    for asked, amount in sorted(decision.assignment.usage.items()):
        used, quota = decision.usage.get(asked, 0), nominal.get(asked, 0)
        name = f"{asked.resource} on {asked.flavor}"
        request, limit = format_amount(asked.resource, amount), format_amount(asked.resource, quota)
        ever = can_ever_fit(amount, quota)
        yield Finding("KQ-070", ever, f"{name}: {request} asked, {_at_most(ever)} the quota of {limit}")
        fits = fits_quota(used, amount, quota)
        total = format_amount(asked.resource, used + amount)
        yield Finding("KQ-060", fits, f"{name}: {total} with this request, {_at_most(fits)} {limit}")


def _at_most(holds: bool) -> str:
    return "at most" if holds else "more than"


def eligibility_findings(decision: Decision, target: Workload) -> Iterator[Finding]:
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
        plain = queue_order_timestamp(workload, terms.requeuing_timestamp)
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


def order_findings(decision: Decision, place: int) -> Iterator[Finding]:
    """How the candidate at a place stands to its neighbours in the order of taking."""
    order = decision.candidates
    target = order[place].workload
    neighbours = (*order[max(0, place - 1) : place], *order[place + 1 : place + 2])
    for neighbour in (candidate.workload for candidate in neighbours):
        before = candidate_precedes(target, neighbour, decision.preemptor, decision.terms, decision.now)
        where = "before" if before else "after"
        why = _order_text(decision, target, neighbour)
        yield Finding("KQ-050", before, f"taken {where} {neighbour.key}: {why}")
        if _tbp_060_decides(decision, target, neighbour):
            duration = duration_in_force(decision.terms)
            first = precedes_among_equals(target, neighbour, decision.now, duration)
            yield Finding(
                "TBP-060", first, f"{where} {neighbour.key}: {_among_equals(decision, target, neighbour)}"
            )


def _order_text(decision: Decision, target: Workload, neighbour: Workload) -> str:
    if target.evicted != neighbour.evicted:
        return f"{target.key if target.evicted else neighbour.key} is already evicted"
    if target.priority != neighbour.priority:
        return f"priority {target.priority} against {neighbour.priority}"
    if target.priority == decision.preemptor.priority:
        return "the same priority as the preemptor: TBP-060 decides"
    mine, theirs = (quota_reservation_time(each, decision.now) for each in (target, neighbour))
    if mine == theirs:
        return f"same priority and reservation, uid {target.uid} against {neighbour.uid}"
    return f"same priority, quota reserved {format_instant(mine)} against {format_instant(theirs)}"


def _tbp_060_decides(decision: Decision, target: Workload, neighbour: Workload) -> bool:
    return target.evicted == neighbour.evicted and (
        target.priority == neighbour.priority == decision.preemptor.priority
    )


def _among_equals(decision: Decision, target: Workload, neighbour: Workload) -> str:
    duration = duration_in_force(decision.terms)
    words = []
    for who in (target, neighbour):
        expired = is_time_expired(who, decision.now, duration)
        held = format_duration(decision.now - quota_reservation_time(who, decision.now))
        words.append(f"{'expired' if expired else 'not expired'} after {held}")
    return " against ".join(words)


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
