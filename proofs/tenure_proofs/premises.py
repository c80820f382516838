"""What several statements assume or speak about, written from the sources; no rule's helper is used."""

from __future__ import annotations

from typing import Any

from tenure.model import MINUTE, WithinClusterQueue
from tenure_proofs.trusted.logic import all_of, choose, is_set, value_of


def duration_is_in_force(terms: Any) -> Any:
    """KEP-8522's feature is configured so that the webhook accepts it, and its gate is on."""
    return all_of(
        terms.within_cluster_queue == WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY,
        terms.time_based_preemption,
        is_set(terms, "min_admit_duration"),
        value_of(terms, "min_admit_duration") >= MINUTE,
    )


def creation_that_counts(workload: Any) -> Any:
    """KEP-754: the Job's creation where it is given, else the Workload's, ns."""
    by_job = is_set(workload, "job_created_at")
    return choose(by_job, value_of(workload, "job_created_at"), workload.created_at)
