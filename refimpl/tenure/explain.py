"""Decision to why and why not, by rule identifier, with the values compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tenure.findings import Finding, eligibility_findings, order_findings, request_findings
from tenure.model import Ground, Outcome, Workload
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
    taken = [target.workload.key for target in decision.targets]
    candidates = [candidate.workload.key for candidate in decision.candidates]
    rank = {key: place for place, key in enumerate([*taken, *(k for k in candidates if k not in taken)])}
    ordered = sorted(decision.running, key=lambda each: (rank.get(each.key, len(rank)), each.key))
    return Explanation(
        summary=tuple(_summary(decision)),
        request=tuple(request_findings(decision)),
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
    findings = (*eligibility_findings(decision, target), *order_findings(decision, target))
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
            mine, enough = _ordinal(place + 1), decision.removed
            return f"kept: it may be taken, but the first {enough} in order sufficed ({mine})"
    return "kept: it may not be taken"


def _ordinal(number: int) -> str:
    teens = 10 <= number % 100 < 20
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
