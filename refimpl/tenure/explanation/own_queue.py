"""What the rules find about workloads of the preemptor's own ClusterQueue, and about priorities that grow."""

from __future__ import annotations

from collections.abc import Iterator

from tenure.explanation.remarks import Remark, remark
from tenure.model import Basis, DynamicPriorityPolicy, Instant, WithinClusterQueue, Workload
from tenure.oracle.decide import Decision
from tenure.readings import NewerThan, PrioritySteps, SamePriorityGate
from tenure.rules.dynamic_priority import (
    dynamic_priority,
    elapsed_steps,
    elapsed_time,
    next_step_at,
)
from tenure.rules.eligibility import basis_within_queue
from tenure.rules.priority import has_lower_priority
from tenure.rules.queue_order import queue_order_timestamp
from tenure.rules.reservation import quota_reservation_time
from tenure.rules.time_based import (
    basis_among_equals,
    duration_in_force,
    is_newer_equal,
    is_time_expired,
    queue_preemption_reason,
    requeue_timestamp,
)
from tenure.units import counted, format_duration, format_instant


def own_queue_remarks(decision: Decision, target: Workload) -> Iterator[Remark]:
    """What the rules found about whether a workload may be preempted, outermost first."""
    preemptor, terms, now = decision.preemptor, decision.terms, decision.now
    basis = basis_within_queue(preemptor, target, terms, now)
    policy = terms.within_cluster_queue.label
    yield remark(
        "KQ-040",
        basis,
        f"policy {policy} allows it: {_basis(basis)}" if basis else f"policy {policy} does not allow it",
    )
    lower = has_lower_priority(preemptor, target)
    yield remark(
        "KQ-010", lower, f"priority {target.priority} is {'' if lower else 'not '}below {preemptor.priority}"
    )
    yield from ageing_remarks(decision, target, "it")
    yield from ageing_remarks(decision, preemptor, "preemptor")
    if target.priority == preemptor.priority:
        yield from _equal_remarks(decision, target)
    if basis != Basis.NONE:
        reason = queue_preemption_reason(basis)
        yield remark("TBP-070", reason, f"reason {reason.label}")


def _equal_remarks(decision: Decision, target: Workload) -> Iterator[Remark]:
    preemptor, terms, now = decision.preemptor, decision.terms, decision.now
    duration = duration_in_force(terms)
    yield remark("TBP-010", duration, _duration_text(decision))
    since = quota_reservation_time(target, now)
    stamped = target.quota_reserved_at is not None
    held = format_duration(now - since)
    yield remark(
        "KQ-030",
        since,
        f"quota reserved {format_instant(since)}" if stamped else "no reservation stamp: reserved now",
        target=target,
    )
    expired = is_time_expired(target, now, duration)
    if duration is None:
        expiry = "no duration is in force, so none can be exceeded"
    elif expired:
        expiry = f"has run {held}, strictly more than {format_duration(duration)}"
    else:
        until = format_instant(since + duration)
        expiry = f"has run {held}, not more than {format_duration(duration)}: protected until {until}"
    yield remark("TBP-020", expired, expiry)
    gate = duration is not None and terms.same_priority_gate == SamePriorityGate.EXPIRED_ONLY
    newer = is_newer_equal(preemptor, target, terms, now)
    basis = basis_among_equals(preemptor, target, terms, now)
    text = _gate_text(expired, newer, gate, timed=duration is not None)
    yield remark("TBP-050", basis, text)
    yield remark("TBP-040", newer, _newer_text(decision, target, newer))
    yield from _queue_remarks(decision, target)


def _gate_text(expired: bool, newer: bool, gate: bool, *, timed: bool) -> str:
    if expired:
        return "an equal that has exceeded its time may be preempted"
    if gate:
        return "same_priority_gate is expired_only: an equal may be preempted only after its time"
    if newer:
        return "an equal that is newer may be preempted"
    return f"an equal that is {'neither expired nor newer' if timed else 'not newer'} is kept"


def _newer_text(decision: Decision, target: Workload, newer: bool) -> str:
    preemptor, terms, now = decision.preemptor, decision.terms, decision.now
    if duration_in_force(terms) is not None and terms.newer_than == NewerThan.RESERVED_AFTER_CREATED:
        reserved = format_instant(quota_reservation_time(target, now))
        created = format_instant(preemptor.created_at)
        return f"quota reserved {reserved}, preemptor created {created}, so {'' if newer else 'not '}newer"
    queued = format_instant(requeue_timestamp(target, terms))
    waiting = format_instant(requeue_timestamp(preemptor, terms))
    return f"queued {queued}, preemptor {waiting}, so {'' if newer else 'not '}newer"


def _queue_remarks(decision: Decision, target: Workload) -> Iterator[Remark]:
    terms = decision.terms
    for who, workload in (("it", target), ("preemptor", decision.preemptor)):
        plain = queue_order_timestamp(
            workload, terms.requeuing_timestamp, terms.priority_sorting_within_cohort
        )
        stands = requeue_timestamp(workload, terms)
        moved = plain != workload.created_at
        yield remark(
            "KQ-020",
            plain,
            f"{who} queues from its {'eviction' if moved else 'creation'} {format_instant(plain)}",
            workload=workload,
        )
        again = stands != plain
        place = f"from {format_instant(stands)}, after its preemption" if again else "as in Kueue"
        yield remark("TBP-030", stands, f"{who} queues {place}", workload=workload, terms=terms)


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
        return f"minAdmitDuration {configured} has no effect under policy {terms.within_cluster_queue.label}"
    return f"minAdmitDuration {configured} is below one minute, and has no effect"


def _basis(basis: Basis) -> str:
    return {
        Basis.LOWER_PRIORITY: "lower priority",
        Basis.NEWER_EQUAL: "equal priority and newer",
        Basis.TIME_EXPIRED: "equal priority and past minAdmitDuration",
    }[basis]


def ageing_remarks(decision: Decision, workload: Workload, who: str) -> Iterator[Remark]:
    """What KEP-754's rules found about one workload; nothing where its priority does not grow.

    Args:
        decision: the decision.
        workload: the preemptor, or one that holds quota.
        who: how the sentence names it.

    Source: KEP-754, Priority Calculation.

    >>> from tenure.model import Cluster, ClusterQueue, WorkloadPriorityClass
    >>> from tenure.oracle.decide import decide
    >>> from tenure.readings import preset
    >>> hour = 3_600_000_000_000
    >>> growing = WorkloadPriorityClass("aging", 100, DynamicPriorityPolicy(400, 1000, hour))
    >>> cluster = Cluster({"q": ClusterQueue("q")}, growing={"aging": growing})
    >>> waiting = Workload("ns", "w", "u", priority=0, created_at=0, priority_class="aging")
    >>> decided = decide(cluster, waiting, "q", hour, preset("guaranteed"))
    >>> for found in ageing_remarks(decided, decided.preemptor, "preemptor"):
    ...     print(found.rule, found.text)
    DYN-050 preemptor has priority 500 by class aging: 100 and 1 step of 400 since 1970-01-01T01:00:00Z
    DYN-060 preemptor has priority 900 from 1970-01-01T02:00:00Z, in 1h
    """
    growing = decision.snapshot.cluster.growing.get(workload.priority_class)
    if growing is None or growing.policy is None:
        return
    policy, base, counting = growing.policy, growing.base, decision.reading.priority_steps
    steps = elapsed_steps(elapsed_time(workload, decision.now), policy.delay_for_step, counting)
    here = dynamic_priority(base, policy, steps)
    taken = f"{counted(steps, 'step')} of {policy.step}"
    since = format_instant(_since(workload, policy, steps, counting))
    yield remark(
        "DYN-050",
        here,
        f"{who} has priority {here} by class {growing.name}: "
        f"{base} and {taken} since {since}{_cut(base, policy, steps)}",
        base=base,
    )
    step_at = next_step_at(workload, policy, decision.now, counting)
    then = dynamic_priority(base, policy, steps + 1)
    if then == here:
        yield remark("DYN-060", False, f"{who} keeps priority {here}: no further step changes it")
        return
    wait = format_duration(step_at - decision.now)
    yield remark("DYN-060", True, f"{who} has priority {then} from {format_instant(step_at)}, in {wait}")


def _since(workload: Workload, policy: DynamicPriorityPolicy, steps: int, counting: PrioritySteps) -> Instant:
    """The time of the last step; the creation before the first."""
    start = workload.ages_since
    if steps == 0:
        return start
    if counting == PrioritySteps.FLOOR:
        return start + steps * policy.delay_for_step
    return start + (steps - 1) * policy.delay_for_step + 1


def _cut(base: int, policy: DynamicPriorityPolicy, steps: int) -> str:
    """Where max keeps the priority below what the steps come to."""
    most = 0 if policy.max is None else policy.max
    if base + steps * policy.step <= most:
        return ""
    return ", cut to 0 since max is not set" if policy.max is None else f", cut to max {most}"
