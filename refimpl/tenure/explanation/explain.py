"""Decision to why and why not, by rule identifier, with the values compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tenure.choices import Outcome
from tenure.explanation.configured import selector_remarks
from tenure.explanation.heroes import is_above_preemptor, kin_of
from tenure.explanation.limits import limit_text
from tenure.explanation.other_queues import Searched, elsewhere_remarks
from tenure.explanation.own_queue import own_queue_remarks
from tenure.explanation.proposals import proposals_in, shown_rules
from tenure.explanation.remarks import BASIS_RULES, Remark, remark
from tenure.explanation.summary import (
    is_by_share_alone,
    removed_in_turn,
    request_remarks,
    summarize,
    without_borrowing,
)
from tenure.model import Target, Trigger, Workload
from tenure.oracle.decide import Decision
from tenure.oracle.question import Candidate, uses_any
from tenure.rules.hero_targets import is_immune
from tenure.rules.ordering import candidate_precedes
from tenure.rules.preemption_config import are_candidates_merged
from tenure.rules.reservation import quota_reservation_time
from tenure.rules.time_based import duration_in_force, is_time_expired, precedes_among_equals
from tenure.units import format_duration, format_instant


@dataclass(frozen=True, slots=True)
class WorkloadExplanation:
    """A running workload: whether it is preempted, and what the rules found."""

    workload: str
    """`namespace/name`."""
    cluster_queue: str
    """The ClusterQueue whose quota it holds."""
    preempted: bool
    """Whether it is preempted."""
    verdict: str
    """The answer in one line."""
    remarks: tuple[Remark, ...]
    """What each rule found, outermost first."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """A whole decision explained.

    Args:
        decision: what is explained.
        request: what the quota rules found about the request.
        workloads: every workload that holds quota in the queue's tree; the victims first, in order.
    """

    decision: Decision
    request: tuple[Remark, ...]
    workloads: tuple[WorkloadExplanation, ...]

    @property
    def summary(self) -> tuple[str, ...]:
        """The outcome, and what was short; see `summarize`."""
        return summarize(self.decision)


def explain(decision: Decision) -> Explanation:
    """Explain a decision.

    Args:
        decision: what the reference decided.

    Raises:
        ValueError: the optimized core decided; it keeps no workload but the victims.

    >>> from tenure.model import Cluster, ClusterQueue
    >>> from tenure.oracle.decide import decide
    >>> from tenure.readings import preset
    >>> cluster = Cluster({"q": ClusterQueue("q")})
    >>> nothing = Workload("ns", "w", "u", priority=0, created_at=0)
    >>> explain(decide(cluster, nothing, "q", 0, preset("guaranteed"))).summary[0]
    'Fit: ns/w fits in ClusterQueue q beside 0 running workloads'
    """
    if decision.engine != "reference":
        raise ValueError(f"engine {decision.engine} keeps no trace: decide by the reference to explain")
    known, searched = _Known.of(decision), Searched.of(decision)
    ordered = sorted(decision.running, key=lambda workload: (*known.rank(workload), workload.key))
    return Explanation(
        decision=decision,
        request=tuple(request_remarks(decision)),
        workloads=tuple(_explain_workload(decision, workload, known, searched) for workload in ordered),
    )


@dataclass(frozen=True, slots=True)
class _Known:
    """Each workload's place in a decision, by name."""

    targets: dict[str, Target]
    places: dict[str, int]
    spared: frozenset[str]
    passed_over: frozenset[str]
    removed: frozenset[str]
    turns: int
    too_few: str

    @classmethod
    def of(cls, decision: Decision) -> _Known:
        selection = decision.selection
        places = {candidate.workload.key: place for place, candidate in enumerate(decision.candidates)}
        attempts = decision.attempts
        # Where no target is found, the second strategy drops a queue with the first that it rejects.
        whole = decision.terms.fair_sharing and decision.outcome == Outcome.NO_CANDIDATES
        judging = attempts if whole else attempts[-1:]
        return cls(
            targets={target.workload.key: target for target in decision.targets},
            places=places,
            spared=frozenset(candidate.workload.key for candidate in (selection.spared if selection else ())),
            passed_over=frozenset(found.workload.key for attempt in judging for found in attempt.rejected),
            removed=removed_in_turn(decision),
            turns=len(attempts[-1].turns) if attempts else 0,
            too_few=limit_text(decision, f"the victims of {decision.preemptor.key}") or _too_few(decision),
        )

    def rank(self, workload: Workload) -> tuple[bool, int]:
        """The victims first, then the other candidates, both in order; the rest last."""
        return (workload.key not in self.targets, self.places.get(workload.key, len(self.places)))


def explain_workload(decision: Decision, workload: Workload) -> WorkloadExplanation:
    """Explain why one workload of the tree is preempted, or is not.

    Args:
        decision: the decision.
        workload: one of `decision.running`.
    """
    own = workload.cluster_queue == decision.queue.name
    searched = Searched({}, {}) if own else Searched.of(decision)
    return _explain_workload(decision, workload, _Known.of(decision), searched)


def _explain_workload(
    decision: Decision, workload: Workload, known: _Known, searched: Searched
) -> WorkloadExplanation:
    verdict, remarks = _KEPT.get(decision.outcome, ""), list[Remark]()
    if decision.held:
        verdict = f"kept: {decision.preemptor.key} is not queued"
    elif not verdict and not uses_any(workload, decision.assignment.needs_preemption):
        verdict = "kept: it uses nothing that is short"
    elif not verdict:
        verdict, remarks = _verdict(decision, workload, known), _remarks(decision, workload, known, searched)
    return WorkloadExplanation(
        workload.key,
        workload.cluster_queue or "",
        workload.key in known.targets,
        verdict,
        tuple(remarks),
    )


_KEPT = {
    Outcome.FIT: "kept: the request fits without it",
    Outcome.NO_FIT: "kept: no workload is preempted for a request that no flavor serves",
}


def _remarks(decision: Decision, workload: Workload, known: _Known, searched: Searched) -> list[Remark]:
    own, place = workload.cluster_queue == decision.queue.name, known.places.get(workload.key)
    found = own_queue_remarks(decision, workload) if own else elsewhere_remarks(decision, workload, searched)
    configured = selector_remarks(decision, workload)
    # Of one that a PreemptionConfig alone selects spec.preemption has nothing that decides.
    found = found if decision.selected_by_config(workload) is None else iter(())
    return [*found, *configured, *(() if place is None else order_remarks(decision, place))]


def _verdict(decision: Decision, workload: Workload, known: _Known) -> str:
    target = known.targets.get(workload.key)
    if target is not None:
        selected = decision.selected_by_config(workload)
        if selected is not None:
            return f"preempted: {target.reason.label}, by {selected.config} rule {selected.words}"
        rules = shown_rules(BASIS_RULES[target.evidence.basis], proposals_in(decision.snapshot.cluster))
        return f"preempted: {target.reason.label}, by {rules}"
    if workload.key in known.spared:
        return "kept: removed at first, then given its quota back by fill-back"
    if workload.key not in known.places and decision.queue.preemption_config is not None:
        return "kept: neither spec.preemption nor a tier that was tried names it"
    if workload.key not in known.places:
        return f"kept: it may not be preempted{_because_of_heroes(decision, workload)}"
    none_found = decision.outcome == Outcome.NO_CANDIDATES
    too_few = f"it may be preempted, but {known.too_few}"
    if none_found and workload.key in known.removed:
        return f"kept: {too_few}"
    if workload.key in known.passed_over:
        return f"kept: {_REJECTED if decision.terms.fair_sharing else _TOO_LATE}"
    if is_by_share_alone(decision):
        return f"kept: {_NOT_REACHED}"
    if none_found:
        return f"kept: {too_few}"
    return _verdict_on_order(decision, workload, known)


def _too_few(decision: Decision) -> str:
    if decision.selection is not None and decision.selection.unfair is not None:
        return f"{decision.terms.fair_sharing_repair.name.lower()} refuses the victims that were found"
    which = "together"
    if is_by_share_alone(decision):
        which = "that the shares allow"
    elif len(removed_in_turn(decision)) < len(decision.candidates):
        which = "that may be preempted in their turn"
    borrowing = without_borrowing(decision)
    return f"preempting all candidates {which} would not free enough quota{borrowing}"


_TOO_LATE = "passed over, because it could no longer be preempted when its turn came"
_REJECTED = "its queue's share does not allow it"
_NOT_REACHED = "it may be preempted, but the search under fair sharing ended before its turn"


def _verdict_on_order(decision: Decision, workload: Workload, known: _Known) -> str:
    if decision.terms.hero:
        return "kept: it may be preempted, but the candidates visited before it sufficed"
    mine = _ordinal(known.places[workload.key] + 1)
    return f"kept: it may be preempted, but the first {known.turns} in order sufficed ({mine})"


def _because_of_heroes(decision: Decision, workload: Workload) -> str:
    """What a hero has to do with it, where that is all that keeps a workload."""
    if workload.cluster_queue == decision.queue.name:
        return ""
    kin = kin_of(decision, workload)
    if decision.terms.hero and is_above_preemptor(decision, workload):
        return ": hero, above you"
    if decision.terms.hero and not kin.in_scope:
        return ": outside the hero's subtree"
    if kin.hero and is_immune(decision.preemptor, workload, decision.terms, kin):
        if not decision.terms.hero:
            return ": it runs in a hero, and the preemptor in none"
        return ": hero, a peer of no lower priority" if kin.peer else ": hero, not below you"
    return ""


def _ordinal(number: int) -> str:
    teens = 10 <= number % 100 < 20
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def order_remarks(decision: Decision, place: int) -> Iterator[Remark]:
    """How the candidate at a place is related to its neighbours in the order of removal."""
    order = decision.candidates
    target = order[place].workload
    neighbours = (*order[max(0, place - 1) : place], *order[place + 1 : place + 2])
    for other in neighbours:
        neighbour = other.workload
        if decision.terms.fair_sharing and order[place].place != other.place:
            continue  # between queues shares decide
        if tier_of(order[place]) != tier_of(other) and not _is_merged(decision):
            continue  # tiers follow each other
        groups = _HERO_GROUPS if decision.terms.hero else _GROUPS
        yield from _group_remarks(order[place], other, groups)
        if order[place].group != other.group:
            continue
        before = candidate_precedes(target, neighbour, decision.preemptor, decision.terms, decision.now)
        where = "before" if before else "after"
        why = _order_text(decision, target, neighbour)
        yield remark("KQ-050", before, f"preempted {where} {neighbour.key}: {why}")
        if _tbp_060_decides(decision, target, neighbour):
            duration = duration_in_force(decision.terms)
            first = precedes_among_equals(target, neighbour, decision.now, duration)
            yield remark(
                "TBP-060", first, f"{where} {neighbour.key}: {_among_equals(decision, target, neighbour)}"
            )


def _is_merged(decision: Decision) -> bool:
    return are_candidates_merged(decision.terms.configured_candidates, decision.terms.fair_sharing)


def tier_of(candidate: Candidate) -> Trigger | None:
    """The tier of a PreemptionConfig that names a candidate; None where `spec.preemption` does."""
    return None if candidate.selected is None else candidate.selected.trigger


def _group_remarks(mine: Candidate, other: Candidate, groups: tuple[str, ...]) -> Iterator[Remark]:
    if mine.group == other.group or mine.workload.evicted != other.workload.evicted:
        return
    before = mine.group < other.group
    where = "before" if before else "after"
    yield remark(
        "KQ-220",
        before,
        f"preempted {where} {other.workload.key}: {groups[mine.group]} against {groups[other.group]}",
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
    mine, theirs = (quota_reservation_time(workload, decision.now) for workload in (target, neighbour))
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
