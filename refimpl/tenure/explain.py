"""Decision to why and why not, by rule identifier, with the values compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tenure.findings import (
    Comparison,
    Finding,
    comparisons,
    eligibility_findings,
    order_findings,
    request_findings,
)
from tenure.model import Amount, FlavorResource, Ground, Outcome, Target, Workload
from tenure.oracle.assignment import Assigner
from tenure.oracle.decide import Decision
from tenure.oracle.question import uses_any
from tenure.oracle.snapshot import Snapshot
from tenure.oracle.tree import available_at, empty_usage, potential_at, quota_at
from tenure.rules.quota import can_ever_fit
from tenure.units import format_amount

GROUND_RULES: dict[Ground, tuple[str, ...]] = {
    Ground.NONE: (),
    Ground.LOWER_PRIORITY: ("KQ-040", "KQ-010"),
    Ground.NEWER_EQUAL: ("KQ-040", "TBP-050", "TBP-040"),
    Ground.TIME_EXPIRED: ("KQ-040", "TBP-050", "TBP-020"),
    Ground.HIERARCHICAL: ("KQ-320", "KQ-330", "KQ-350"),
    Ground.WITHOUT_BORROWING: ("KQ-320", "KQ-330", "KQ-360"),
    Ground.WHILE_BORROWING: ("KQ-320", "KQ-330", "KQ-340"),
    Ground.WITHIN_NOMINAL: ("KQ-400", "KQ-330", "KQ-410"),
    Ground.FINAL_SHARE: ("KQ-400", "KQ-330", "KQ-420"),
    Ground.INITIAL_SHARE: ("KQ-400", "KQ-330", "KQ-430"),
}
"""The rules by which each ground allows a workload to be taken, from the outermost in."""


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
        workloads: every workload that holds quota in the queue's tree; those that are taken first, in order.
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
    known, shares = _Known.of(decision), comparisons(decision)
    ordered = sorted(decision.running, key=lambda each: (*known.rank(each), each.key))
    return Explanation(
        summary=summarize(decision),
        request=tuple(request_findings(decision)),
        workloads=tuple(_explain_workload(decision, workload, known, shares) for workload in ordered),
    )


def summarize(decision: Decision) -> tuple[str, ...]:
    """The outcome and what was short, without looking at any workload.

    >>> from tenure.model import Cluster, ClusterQueue
    >>> from tenure.oracle.decide import decide
    >>> from tenure.readings import preset
    >>> nothing = Workload("ns", "w", "u", priority=0, created_at=0)
    >>> summarize(decide(Cluster({"q": ClusterQueue("q")}), nothing, "q", 0, preset("guaranteed")))
    ('Fit: ns/w fits in ClusterQueue q beside 0 running workloads',)
    """
    return tuple(_summary(decision))


@dataclass(frozen=True, slots=True)
class _Known:
    """Where each workload stands in a decision, by name."""

    targets: dict[str, Target]
    places: dict[str, int]
    spared: frozenset[str]
    rejected: frozenset[str]
    reached: int

    @classmethod
    def of(cls, decision: Decision) -> _Known:
        selection = decision.selection
        places = {each.workload.key: place for place, each in enumerate(decision.candidates)}
        removed = () if selection is None else selection.removed
        return cls(
            targets={target.workload.key: target for target in decision.targets},
            places=places,
            spared=frozenset(each.workload.key for each in (selection.spared if selection else ())),
            rejected=frozenset(each.workload.key for each in (selection.rejected if selection else ())),
            reached=max((places[each.workload.key] for each in removed), default=-1),
        )

    def rank(self, workload: Workload) -> tuple[bool, int]:
        """Those who are taken first, then the other candidates, both in order; the rest last."""
        return (workload.key not in self.targets, self.places.get(workload.key, len(self.places)))


def _summary(decision: Decision) -> Iterator[str]:
    where = f"ClusterQueue {decision.queue.name}"
    if decision.queue.cohort is not None:
        where += f" and its cohort {decision.snapshot.tree.nodes[0].name}"
    count = len(decision.running)
    running = f"{count} running workload{'' if count == 1 else 's'}"
    preemptor, taken = decision.preemptor.key, len(decision.targets)
    match decision.outcome:
        case Outcome.FIT:
            yield f"Fit: {preemptor} fits in {where} beside {running}{_reduced(decision)}"
        case Outcome.NO_FIT:
            yield f"NoFit: {_hopeless(decision, where)}"
        case Outcome.NO_CANDIDATES:
            yield f"NoCandidates: of {running} in {where} {_too_few(decision)}"
        case Outcome.PREEMPT:
            make = "makes" if taken == 1 else "make"
            yield f"Preempt: {taken} of {running} in {where} {make} room for {preemptor}{_reduced(decision)}"
    yield from _impossible(decision) if decision.outcome == Outcome.NO_FIT else _shortfalls(decision)


def _hopeless(decision: Decision, where: str) -> str:
    queue, preemptor = decision.queue, decision.preemptor.key
    if queue.inactive:
        return f"ClusterQueue {queue.name} is inactive: {queue.inactive}"
    if would_fit_alone(decision):
        return f"{preemptor} would fit in {where} if nothing ran, and may not preempt for that"
    empty = "it" if queue.cohort is None else "the whole cohort"
    return f"{preemptor} could not run in {where} even if {empty} were empty"


def _too_few(decision: Decision) -> str:
    count, preemptor = len(decision.candidates), decision.preemptor.key
    if decision.terms.fair_sharing and decision.queue.cohort is not None:
        return f"{count} may be asked for {preemptor}, and shares do not let enough of them be taken"
    return f"{count} may be taken for {preemptor}, which is not enough"


def would_fit_alone(decision: Decision) -> bool:
    """Whether a request that no flavor serves would be served if nothing ran in the whole tree."""
    snapshot = decision.snapshot
    if snapshot.queue.inactive:
        return False
    alone = Snapshot(
        snapshot.cluster, snapshot.queue, snapshot.tree, snapshot.place, {}, empty_usage(snapshot.tree)
    )
    return Assigner(alone, decision.preemptor, decision.terms, decision.now).assign().fits


def _reduced(decision: Decision) -> str:
    """How many pods are left of each pod set that partial admission reduced."""
    asked = {pods.name: pods.count for pods in decision.preemptor.pod_sets}
    fewer = [
        f"{pods.count} of {asked[pods.name]} pods of {pods.name}"
        for pods in decision.assignment.pod_sets
        if pods.count < asked.get(pods.name, pods.count)
    ]
    return f", with {' and '.join(fewer)}" if fewer else ""


def _impossible(decision: Decision) -> Iterator[str]:
    snapshot = decision.snapshot
    for asked, amount in sorted(decision.assignment.usage.items()):
        potential = potential_at(snapshot.tree, snapshot.place, asked)
        if not can_ever_fit(amount, potential):
            yield _beyond(asked, amount, potential)
    if decision.queue.inactive:
        return
    covered = {each for group in decision.queue.resource_groups for each in group.covered_resources}
    requested = {
        name for pods in decision.preemptor.pod_sets for name, amount in pods.requests.items() if amount
    }
    for resource in sorted(requested - covered):
        yield f"{resource} asked, which the ClusterQueue does not cover"
    yield from _hopeless_flavors(decision)


def _hopeless_flavors(decision: Decision) -> Iterator[str]:
    """For a request that no flavor serves: what each flavor could have at most."""
    if decision.assignment.usage:
        return
    snapshot = decision.snapshot
    asked_in_all: dict[str, int] = {}
    for pods in decision.preemptor.pod_sets:
        for resource, amount in pods.requests.items():
            asked_in_all[resource] = asked_in_all.get(resource, 0) + amount
    for place in sorted(snapshot.queue.nominal()):
        amount = asked_in_all.get(place.resource, 0)
        potential = potential_at(snapshot.tree, snapshot.place, place)
        if amount > potential:
            yield _beyond(place, amount, potential)


def _beyond(asked: FlavorResource, amount: Amount, potential: Amount) -> str:
    request, most = format_amount(asked.resource, amount), format_amount(asked.resource, potential)
    return f"{request} {asked.resource} asked, on {asked.flavor} it could have {most} at most"


def _shortfalls(decision: Decision) -> Iterator[str]:
    snapshot = decision.snapshot
    tree, place, usage = snapshot.tree, snapshot.place, snapshot.usage
    for needed in sorted(decision.assignment.needs_preemption):
        asked = decision.assignment.usage.get(needed, 0)
        used, quota = usage[place].get(needed, 0), quota_at(tree, place, needed).nominal
        free = max(0, available_at(tree, usage, place, needed))
        resource, flavor = needed.resource, needed.flavor
        if decision.queue.cohort is None:
            yield (
                f"{format_amount(resource, used + asked - quota)} {resource} short on {flavor}: "
                f"{format_amount(resource, asked)} asked, {format_amount(resource, used)} of "
                f"{format_amount(resource, quota)} in use"
            )
        else:
            yield (
                f"{format_amount(resource, max(0, asked - free))} {resource} short on {flavor}: "
                f"{format_amount(resource, asked)} asked, {format_amount(resource, free)} available; the "
                f"queue uses {format_amount(resource, used)} of its {format_amount(resource, quota)}"
            )


def explain_workload(decision: Decision, workload: Workload) -> WorkloadExplanation:
    """Explain why one workload of the tree is preempted, or is not.

    Args:
        decision: the decision.
        workload: one of `decision.running`.
    """
    return _explain_workload(decision, workload, _Known.of(decision), comparisons(decision))


def _explain_workload(
    decision: Decision, workload: Workload, known: _Known, shares: Mapping[str, Comparison]
) -> WorkloadExplanation:
    taken = workload.key in known.targets
    if decision.outcome in (Outcome.FIT, Outcome.NO_FIT):
        verdict = {
            Outcome.FIT: "kept: the request fits without it",
            Outcome.NO_FIT: "kept: nobody is preempted for a request that no flavor serves",
        }[decision.outcome]
        return WorkloadExplanation(workload, taken, verdict, ())
    if not uses_any(workload, decision.assignment.needs_preemption):
        return WorkloadExplanation(workload, taken, "kept: it uses nothing that is short", ())
    place = known.places.get(workload.key)
    findings = [*eligibility_findings(decision, workload, shares)]
    if place is not None:
        findings += order_findings(decision, place)
    return WorkloadExplanation(workload, taken, _verdict(decision, workload, known), tuple(findings))


def _verdict(decision: Decision, workload: Workload, known: _Known) -> str:
    target = known.targets.get(workload.key)
    if target is not None:
        return f"preempted: {target.reason.label}, by {', '.join(GROUND_RULES[target.evidence.ground])}"
    if workload.key in known.spared:
        return "kept: removed at first, then given its quota back by fill-back"
    if workload.key not in known.places:
        return "kept: it may not be taken"
    if workload.key in known.rejected:
        return "kept: its queue's share does not allow it"
    if decision.terms.fair_sharing:
        return "kept: fair sharing did not come to it"
    if decision.outcome == Outcome.NO_CANDIDATES:
        return "kept: it may be taken, but all who may be taken together are not enough"
    place = known.places[workload.key]
    if place < known.reached:
        return "kept: passed over, since when its turn came it could not be taken any more"
    mine = _ordinal(place + 1)
    return f"kept: it may be taken, but the first {known.reached + 1} in order sufficed ({mine})"


def _ordinal(number: int) -> str:
    teens = 10 <= number % 100 < 20
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
