"""What the rules found about the order in which candidates are taken."""

from __future__ import annotations

from collections.abc import Iterator

from tenure.model import Workload
from tenure.oracle.decide import Decision
from tenure.oracle.question import Candidate
from tenure.rules.ordering import candidate_precedes
from tenure.rules.reservation import quota_reservation_time
from tenure.rules.time_based import duration_in_force, is_time_expired, precedes_among_equals
from tenure.telling.findings.finding import Finding
from tenure.units import format_duration, format_instant


def order_findings(decision: Decision, place: int) -> Iterator[Finding]:
    """How the candidate at a place stands to its neighbours in the order of taking."""
    order = decision.candidates
    target = order[place].workload
    neighbours = (*order[max(0, place - 1) : place], *order[place + 1 : place + 2])
    for other in neighbours:
        neighbour = other.workload
        if decision.terms.fair_sharing and order[place].place != other.place:
            continue  # between queues shares decide
        groups = _HERO_GROUPS if decision.terms.hero else _GROUPS
        yield from _group_findings(order[place], other, groups)
        if order[place].group != other.group:
            continue
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


def _group_findings(mine: Candidate, other: Candidate, groups: tuple[str, ...]) -> Iterator[Finding]:
    if mine.group == other.group or mine.workload.evicted != other.workload.evicted:
        return
    before = mine.group < other.group
    where = "before" if before else "after"
    yield Finding(
        "KQ-220",
        before,
        f"taken {where} {other.workload.key}: {groups[mine.group]} against {groups[other.group]}",
    )


_GROUPS = ("hierarchical advantage over it", "of another ClusterQueue", "of the preemptor's ClusterQueue")
_HERO_GROUPS = ("its queue is beyond its quota", "its queue is within its quota", "of the hero itself")


def _order_text(decision: Decision, target: Workload, neighbour: Workload) -> str:
    if target.evicted != neighbour.evicted:
        return f"{target.key if target.evicted else neighbour.key} is already evicted"
    if target.priority != neighbour.priority:
        return f"priority {target.priority} against {neighbour.priority}"
    own = target.cluster_queue == decision.queue.name
    if own and target.priority == decision.preemptor.priority:
        return "the same priority as the preemptor: TBP-060 decides"
    mine, theirs = (quota_reservation_time(each, decision.now) for each in (target, neighbour))
    if mine == theirs:
        return f"same priority and reservation, uid {target.uid} against {neighbour.uid}"
    return f"same priority, quota reserved {format_instant(mine)} against {format_instant(theirs)}"


def _tbp_060_decides(decision: Decision, target: Workload, neighbour: Workload) -> bool:
    own = target.cluster_queue == neighbour.cluster_queue == decision.queue.name
    return (
        own
        and target.evicted == neighbour.evicted
        and (target.priority == neighbour.priority == decision.preemptor.priority)
    )


def _among_equals(decision: Decision, target: Workload, neighbour: Workload) -> str:
    duration = duration_in_force(decision.terms)
    words = []
    for who in (target, neighbour):
        expired = is_time_expired(who, decision.now, duration)
        held = format_duration(decision.now - quota_reservation_time(who, decision.now))
        words.append(f"{'expired' if expired else 'not expired'} after {held}")
    return " against ".join(words)
