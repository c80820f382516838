"""What the rules found about workloads of other ClusterQueues."""

from __future__ import annotations

from collections.abc import Iterator

from tenure.findings.finding import Finding
from tenure.model import Evidence, Ground, Workload
from tenure.oracle.decide import Decision
from tenure.oracle.question import WITH_ADVANTAGE, Candidate
from tenure.oracle.tree import quota_at
from tenure.rules.eligibility import reason_for
from tenure.rules.priority import has_lower_priority
from tenure.rules.quota import is_within_quota
from tenure.rules.reclaim import ground_across_queues, may_reclaim, may_take_while_borrowing
from tenure.rules.share import passes_final_share, passes_initial_share
from tenure.units import format_amount

_COMPARED = {-1: "lower than", 0: "equal to", 1: "higher than"}


def elsewhere_findings(decision: Decision, target: Workload) -> Iterator[Finding]:
    """What the rules found about whether a workload of another queue may be taken, from the outermost in."""
    found, taken = _found(decision, target)
    exceeds = list(_exceeding(decision, target))
    words = "may be taken from its ClusterQueue" if taken else "may not be taken from its ClusterQueue"
    yield Finding("KQ-300", taken, words)
    for finding in exceeds:
        yield Finding("KQ-200", not finding.holds, finding.text)
    policy = "".join(word.capitalize() for word in decision.terms.reclaim_within_cohort.name.split("_"))
    allowed = may_reclaim(decision.preemptor, target, decision.terms)
    said = "allows it" if allowed else "does not allow it"
    yield Finding("KQ-330", allowed, f"reclaimWithinCohort {policy} {said}")
    lower = has_lower_priority(decision.preemptor, target)
    text = f"priority {target.priority} is {'' if lower else 'not '}below {decision.preemptor.priority}"
    yield Finding("KQ-010", lower, text)
    if found is not None:
        shares = decision.terms.fair_sharing
        yield from _by_share(found, taken) if shares else _classically(decision, target, found)
    if taken and found is not None:
        reason = reason_for(found.evidence.ground)
        yield Finding("KQ-310", True, f"reason {reason.label}")


def _exceeding(decision: Decision, target: Workload) -> Iterator[Finding]:
    """Whether its queue, and every cohort up to the common one, exceeds its quota of something needed."""
    snapshot = decision.snapshot
    mine = snapshot.tree.nodes[snapshot.place].path
    for place in snapshot.tree.nodes[snapshot.tree.places[target.cluster_queue or ""]].path:
        if place in mine:
            return
        node = snapshot.tree.nodes[place]
        name = f"{'ClusterQueue' if node.queue else 'Cohort'} {node.name}"
        exceeds, words = False, []
        for asked in sorted(decision.assignment.needs_preemption):
            used, quota = snapshot.usage[place].get(asked, 0), quota_at(snapshot.tree, place, asked).subtree
            exceeds = exceeds or not is_within_quota(used, quota)
            amounts = f"{format_amount(asked.resource, used)} of {format_amount(asked.resource, quota)}"
            words.append(f"{amounts} {asked.resource} on {asked.flavor}")
        said = "exceeds its quota" if exceeds else "is within its quota"
        yield Finding("KQ-200", exceeds, f"{name} {said}: uses {', '.join(words)}")
        if decision.terms.fair_sharing:
            return  # fair sharing asks the queue alone


def _classically(decision: Decision, target: Workload, found: Candidate) -> Iterator[Finding]:
    preemptor, terms = decision.preemptor, decision.terms
    advantage = found.group == WITH_ADVANTAGE
    has = "has a" if advantage else "has no"
    yield Finding("KQ-350", advantage, f"the preemptor {has} hierarchical advantage over it")
    facts = Evidence(Ground.NONE, over_quota=True, advantage=advantage)
    ground = ground_across_queues(preemptor, target, facts, terms)
    yield Finding("KQ-320", ground != Ground.NONE, f"ground {ground.name}")
    if not advantage:
        may = may_take_while_borrowing(preemptor, target, terms)
        said = "may" if may else "may not"
        limit = "" if terms.max_priority_threshold is None else f", threshold {terms.max_priority_threshold}"
        policy = "".join(word.capitalize() for word in terms.borrow_within_cohort.name.split("_"))
        words = f"borrowWithinCohort {policy}{limit}: {said} be taken while the preemptor's queue borrows"
        yield Finding("KQ-340", may, words)


def _by_share(found: Candidate, taken: bool) -> Iterator[Finding]:
    evidence = found.evidence
    compared = f"the preemptor's share is {_COMPARED[evidence.share]} its queue's"
    if evidence.within_nominal:
        yield Finding("KQ-410", True, "the preemptor's queue stays within its nominal quota")
    elif evidence.ground == Ground.INITIAL_SHARE:
        yield Finding("KQ-430", passes_initial_share(evidence.share), f"{compared} before the removal")
    elif evidence.ground == Ground.FINAL_SHARE:
        yield Finding("KQ-420", passes_final_share(evidence.share), f"{compared} after the removal")
    words = f"ground {evidence.ground.name}" if taken else "no share allows it, or its turn did not come"
    yield Finding("KQ-400", taken, words)


def _found(decision: Decision, target: Workload) -> tuple[Candidate | None, bool]:
    """The candidate that a workload is, with the most that is known about it; whether it may be taken."""
    selection = decision.selection
    if selection is None:
        return None, False
    fairly = decision.terms.fair_sharing
    for group, allowed in (
        (selection.kept, True),
        (selection.removed, True),
        (selection.rejected, False),
        (selection.candidates, not fairly),
    ):
        for candidate in group:
            if candidate.workload.key == target.key:
                return candidate, allowed
    return None, False
