"""Decision to why and why not, by rule identifier, with the values compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tenure.findings import Finding, eligibility_findings, order_findings, request_findings
from tenure.model import Ground, Outcome, Target, Workload
from tenure.oracle.candidates import uses_any
from tenure.oracle.decide import Decision
from tenure.rules.quota import can_ever_fit
from tenure.units import format_amount

GROUND_RULES: dict[Ground, tuple[str, ...]] = {
    Ground.NONE: (),
    Ground.LOWER_PRIORITY: ("KQ-040", "KQ-010"),
    Ground.NEWER_EQUAL: ("KQ-040", "TBP-050", "TBP-040"),
    Ground.TIME_EXPIRED: ("KQ-040", "TBP-050", "TBP-020"),
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
    known = _Known.of(decision)
    ordered = sorted(decision.running, key=lambda each: (*known.rank(each), each.key))
    return Explanation(
        summary=summarize(decision),
        request=tuple(request_findings(decision)),
        workloads=tuple(_explain_workload(decision, workload, known) for workload in ordered),
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

    @classmethod
    def of(cls, decision: Decision) -> _Known:
        return cls(
            targets={target.workload.key: target for target in decision.targets},
            places={each.workload.key: place for place, each in enumerate(decision.candidates)},
            spared=frozenset(workload.key for workload in decision.spared),
        )

    def rank(self, workload: Workload) -> tuple[bool, int]:
        """Those who are taken first, then the other candidates, both in order; the rest last."""
        return (workload.key not in self.targets, self.places.get(workload.key, len(self.places)))


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


def _explain_workload(decision: Decision, workload: Workload, known: _Known) -> WorkloadExplanation:
    taken = workload.key in known.targets
    if decision.outcome in (Outcome.FIT, Outcome.NO_FIT):
        verdict = {
            Outcome.FIT: "kept: the request fits without it",
            Outcome.NO_FIT: "kept: nobody's leaving would make the request fit",
        }[decision.outcome]
        return WorkloadExplanation(workload, taken, verdict, ())
    if not uses_any(workload, decision.assignment.needs_preemption):
        return WorkloadExplanation(workload, taken, "kept: it uses nothing that is short", ())
    place = known.places.get(workload.key)
    findings = [*eligibility_findings(decision, workload)]
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
    if decision.outcome == Outcome.NO_CANDIDATES:
        return "kept: it may be taken, but all who may be taken together are not enough"
    mine = _ordinal(known.places[workload.key] + 1)
    return f"kept: it may be taken, but the first {decision.removed} in order sufficed ({mine})"


def _ordinal(number: int) -> str:
    teens = 10 <= number % 100 < 20
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
