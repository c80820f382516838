"""Who may be taken, and in which order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cmp_to_key

from tenure.model import Evidence, FlavorResource, Ground, Instant, Workload
from tenure.rules.eligibility import ground_within_queue
from tenure.rules.ordering import candidate_precedes
from tenure.rules.terms import PreemptionTerms


@dataclass(frozen=True, slots=True)
class Candidate:
    """A workload that may be taken, with the evidence for it."""

    workload: Workload
    evidence: Evidence


def uses_any(workload: Workload, needed: frozenset[FlavorResource]) -> bool:
    """Whether a workload was assigned one of the needed flavor-resources, with any amount.

    >>> gpu = FlavorResource("a100", "nvidia.com/gpu")
    >>> uses_any(Workload("ns", "w", "u", priority=0, created_at=0, usage={gpu: 0}), frozenset({gpu}))
    True
    """
    return not needed.isdisjoint(workload.usage)


def find_candidates(
    preemptor: Workload,
    running: Iterable[Workload],
    needed: frozenset[FlavorResource],
    terms: PreemptionTerms,
    now: Instant,
) -> tuple[Candidate, ...]:
    """The workloads of one ClusterQueue that may be taken, in the order of taking.

    Args:
        preemptor: the pending workload.
        running: the workloads that hold quota of its ClusterQueue.
        needed: the flavor-resources that lack quota.
        terms: what holds in the ClusterQueue.
        now: the scheduling cycle's one clock value, ns since the epoch.
    """
    candidates = [
        Candidate(target, Evidence(ground))
        for target in running
        if uses_any(target, needed)
        and (ground := ground_within_queue(preemptor, target, terms, now)) != Ground.NONE
    ]
    return _in_order(candidates, preemptor, terms, now)


def _in_order(
    candidates: list[Candidate], preemptor: Workload, terms: PreemptionTerms, now: Instant
) -> tuple[Candidate, ...]:
    def compare(first: Candidate, second: Candidate) -> int:
        if candidate_precedes(first.workload, second.workload, preemptor, terms, now):
            return -1
        return int(candidate_precedes(second.workload, first.workload, preemptor, terms, now))

    # Recorded snapshots may lack uids: equal candidates then stand by name, whatever the input's order.
    by_name = sorted(candidates, key=lambda candidate: candidate.workload.key)
    return tuple(sorted(by_name, key=cmp_to_key(compare)))
