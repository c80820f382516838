"""Decision to why and why not, by rule identifier, with the values compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tenure.model import Ground, Outcome, WithinClusterQueue, Workload
from tenure.oracle.candidates import uses_any
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
    is_newer_equal,
    is_time_expired,
    precedes_among_equals,
    reason_of,
    requeue_timestamp,
)
from tenure.units import format_amount, format_duration, format_instant

GROUND_RULES: dict[Ground, tuple[str, ...]] = {
    Ground.NONE: (),
    Ground.LOWER_PRIORITY: ("KQ-040", "KQ-010"),
    Ground.NEWER_EQUAL: ("KQ-040", "TBP-050", "TBP-040"),
    Ground.TIME_EXPIRED: ("KQ-040", "TBP-050", "TBP-020"),
}
"""The rules by which each ground allows a workload to be taken, from the outermost in."""


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


@dataclass(frozen=True, slots=True)
class WorkloadExplanation:
    """Why a running workload is preempted, or is not.

    Args:
        workload: who.
        taken: whether it is preempted.
        verdict: the answer in one line.
        findings: what each rule found, from the outermost in.
    """

    workload: Workload
    taken: bool
    verdict: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """A whole decision explained.

    Args:
        summary: the outcome, and what was short.
        request: what the quota rules found about the request.
        workloads: every workload that holds quota of the queue; those that are taken first, in order.
    """

    summary: tuple[str, ...]
    request: tuple[Finding, ...]
    workloads: tuple[WorkloadExplanation, ...]


def explain(decision: Decision) -> Explanation:
    """Explain a decision.

    >>> from tenure.model import Cluster, ClusterQueue
    >>> from tenure.oracle.decide import decide
    >>> from tenure.readings import preset
    >>> cluster = Cluster({"q": ClusterQueue("q")})
    >>> nothing = Workload("ns", "w", "u", priority=0, created_at=0)
    >>> explain(decide(cluster, nothing, "q", 0, preset("guaranteed"))).summary[0]
    'Fit: ns/w fits in ClusterQueue q beside 0 running workloads'
    """
    taken = [target.workload.key for target in decision.targets]
    candidates = [candidate.workload.key for candidate in decision.candidates]
    rank = {key: place for place, key in enumerate([*taken, *(k for k in candidates if k not in taken)])}
    ordered = sorted(decision.running, key=lambda each: (rank.get(each.key, len(rank)), each.key))
    return Explanation(
        summary=tuple(_summary(decision)),
        request=tuple(_request_findings(decision)),
        workloads=tuple(_explain_workload(decision, workload) for workload in ordered),
    )


def _summary(decision: Decision) -> Iterator[str]:
    queue, preemptor = decision.queue.name, decision.preemptor.key
    running = f"{len(decision.running)} running workload{'' if len(decision.running) == 1 else 's'}"
    match decision.outcome:
        case Outcome.FIT:
            yield f"Fit: {preemptor} fits in ClusterQueue {queue} beside {running}"
        case Outcome.NO_FIT:
            yield f"NoFit: {preemptor} could not run in ClusterQueue {queue} even if it were empty"
        case Outcome.NO_CANDIDATES:
            yield (
                f"NoCandidates: of {running} in ClusterQueue {queue} {len(decision.candidates)} "
                f"may be taken for {preemptor}, which is not enough"
            )
        case Outcome.PREEMPT:
            yield (
                f"Preempt: {len(decision.targets)} of {running} in ClusterQueue {queue} "
                f"make{'s' if len(decision.targets) == 1 else ''} room for {preemptor}"
            )
    yield from _impossible(decision) if decision.outcome == Outcome.NO_FIT else _shortfalls(decision)


def _impossible(decision: Decision) -> Iterator[str]:
    nominal = decision.queue.nominal()
    for asked, amount in sorted(decision.assignment.usage.items()):
        quota = nominal.get(asked, 0)
        if not can_ever_fit(amount, quota):
            request, limit = format_amount(asked.resource, amount), format_amount(asked.resource, quota)
            yield f"{request} {asked.resource} asked on {asked.flavor}, the quota is {limit}"
    covered = {each for group in decision.queue.resource_groups for each in group.covered_resources}
    requested = {
        name for pods in decision.preemptor.pod_sets for name, amount in pods.requests.items() if amount
    }
    for resource in sorted(requested - covered):
        yield f"{resource} asked, which the ClusterQueue does not cover"


def _shortfalls(decision: Decision) -> Iterator[str]:
    nominal = decision.queue.nominal()
    for needed in sorted(decision.assignment.needs_preemption):
        asked = decision.assignment.usage.get(needed, 0)
        used, quota = decision.usage.get(needed, 0), nominal.get(needed, 0)
        resource, flavor = needed.resource, needed.flavor
        yield (
            f"{format_amount(resource, used + asked - quota)} {resource} short on {flavor}: "
            f"{format_amount(resource, asked)} asked, {format_amount(resource, used)} of "
            f"{format_amount(resource, quota)} in use"
        )


def _request_findings(decision: Decision) -> Iterator[Finding]:
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


def _explain_workload(decision: Decision, target: Workload) -> WorkloadExplanation:
    taken = any(chosen.workload == target for chosen in decision.targets)
    if decision.outcome in (Outcome.FIT, Outcome.NO_FIT):
        verdict = {
            Outcome.FIT: "kept: the request fits without it",
            Outcome.NO_FIT: "kept: nobody's leaving would make the request fit",
        }[decision.outcome]
        return WorkloadExplanation(target, taken, verdict, ())
    if not uses_any(target, decision.assignment.needs_preemption):
        return WorkloadExplanation(target, taken, "kept: it uses nothing that is short", ())
    findings = (*_eligibility_findings(decision, target), *_order_findings(decision, target))
    return WorkloadExplanation(target, taken, _verdict(decision, target), findings)


def _verdict(decision: Decision, target: Workload) -> str:
    for chosen in decision.targets:
        if chosen.workload == target:
            rules = ", ".join(GROUND_RULES[chosen.evidence.ground])
            return f"preempted: {chosen.reason.label}, by {rules}"
    if target in decision.spared:
        return "kept: removed at first, then given its quota back by fill-back"
    for place, candidate in enumerate(decision.candidates):
        if candidate.workload == target:
            if decision.outcome == Outcome.NO_CANDIDATES:
                return "kept: it may be taken, but all who may be taken together are not enough"
            return (
                f"kept: it may be taken, but the first {decision.removed} in order sufficed ({place + 1}th)"
            )
    return "kept: it may not be taken"


def _eligibility_findings(decision: Decision, target: Workload) -> Iterator[Finding]:
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
    allowed = expired or (newer and not gate)
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


def _order_findings(decision: Decision, target: Workload) -> Iterator[Finding]:
    order = [candidate.workload for candidate in decision.candidates]
    if target not in order:
        return
    place = order.index(target)
    for neighbour in (*order[max(0, place - 1) : place], *order[place + 1 : place + 2]):
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
