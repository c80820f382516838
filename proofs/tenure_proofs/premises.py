"""What several statements assume or speak about, written from the sources; no rule's helper is used."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

from tenure.model import (
    MINUTE,
    Evidence,
    Kin,
    ReclaimWithinCohort,
    RequeuingTimestamp,
    WithinClusterQueue,
    Workload,
)
from tenure.readings import CHOICES, Reading
from tenure.rules.terms import PreemptionTerms
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import all_of, any_of, choose, has_value, is_set, negation, value_of


def duration_is_in_force(terms: Any) -> Any:
    """KEP-8522's feature is configured so that the webhook accepts it, and its gate is on."""
    return all_of(
        terms.within_cluster_queue == WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY,
        terms.time_based_preemption,
        is_set(terms, "min_admit_duration"),
        value_of(terms, "min_admit_duration") >= MINUTE,
    )


def is_own(workload: Any, terms: Any) -> Any:
    """The workload runs in the preemptor's own ClusterQueue."""
    return has_value(workload, "cluster_queue", terms.cluster_queue)


def reclaiming_allows(preemptor: Any, target: Any, terms: Any) -> Any:
    """What reclaimWithinCohort says of the two priorities."""
    return any_of(
        terms.reclaim_within_cohort == ReclaimWithinCohort.ANY,
        all_of(
            terms.reclaim_within_cohort == ReclaimWithinCohort.LOWER_PRIORITY,
            target.priority < preemptor.priority,
        ),
    )


def creation_that_counts(workload: Any) -> Any:
    """KEP-754: the Job's creation where it is given, else the Workload's, ns."""
    by_job = is_set(workload, "job_created_at")
    return choose(by_job, value_of(workload, "job_created_at"), workload.created_at)


MILLISECOND = 1_000_000


def queues_from(workload: Any, configured: Any, sorting: Any) -> Any:
    """Kueue's queue-order timestamp: the creation, or the eviction that counts as configured.

    Args:
        configured: the `requeuingTimestamp`.
        sorting: gate PrioritySortingWithinCohort.
    """
    pods, check, borrowed = (
        "pods_ready_evicted_at",
        "admission_check_evicted_at",
        "preempted_while_borrowing_at",
    )
    reclaimed = all_of(negation(sorting), is_set(workload, borrowed))
    own = choose(reclaimed, value_of(workload, borrowed) + MILLISECOND, workload.created_at)
    checked = choose(is_set(workload, check), value_of(workload, check), own)
    by_pods = all_of(configured == RequeuingTimestamp.EVICTION, is_set(workload, pods))
    return choose(by_pods, value_of(workload, pods), checked)


def comes_first(*criteria: tuple[Any, Any], last: Any) -> Any:
    """Whether one comes before another, by criteria of which each counts among equals.

    Args:
        criteria: whether it comes before by one of them, and whether both are equal by that.
        last: whether it comes before where they are equal by all of these.
    """
    for before, equal in reversed(criteria):
        last = any_of(before, all_of(equal, last))
    return last


def any_terms(claim: Claim, name: str = "terms") -> Any:
    """Arbitrary terms of a ClusterQueue, under the claim's reading."""
    return claim.record(name, PreemptionTerms, fixed_by(claim.reading))


def two_workloads(claim: Claim) -> tuple[Any, Any, Any]:
    """A preemptor, a target, and what holds in the preemptor's ClusterQueue."""
    return claim.record("preemptor", Workload), claim.record("target", Workload), any_terms(claim)


class Asked(NamedTuple):
    """What the door is asked, as it takes it."""

    preemptor: Any
    target: Any
    evidence: Any
    terms: Any
    now: Any
    kin: Any


def any_question(claim: Claim) -> tuple[Any, Any, Any, Asked]:
    """A preemptor, a target, the terms, and a question to the door about them."""
    preemptor, target, terms = two_workloads(claim)
    evidence, now = claim.record("evidence", Evidence), claim.number("now")
    return preemptor, target, terms, Asked(preemptor, target, evidence, terms, now, claim.record("kin", Kin))


def fixed_by(reading: Reading) -> dict[str, Any]:
    """The fields of the terms that a reading fixes; its other keys are no part of them."""
    fields = {field.name for field in dataclasses.fields(PreemptionTerms)}
    return {key: getattr(reading, key) for key in CHOICES if key in fields}
