"""Candidates that KEP-9876 protects: they have no turn. A proposal, from its text, not run."""

from __future__ import annotations

from dataclasses import replace

from tenure.model import Duration
from tenure.oracle.fair import is_within_nominal
from tenure.oracle.question import Question
from tenure.rules.protection import is_protected_from_others, is_rebalancing
from tenure.rules.share import claims_nominal


def protection_in(question: Question) -> Duration | None:
    """The duration for which workloads of other ClusterQueues are protected from a preemptor, ns.

    Args:
        question: the search.
    """
    settings = question.snapshot.cluster.settings
    if question.terms.hero or not settings.protects_from_others:
        return None
    return settings.fair_sharing_protection if rebalances(question) else settings.reclaim_protection


def rebalances(question: Question) -> bool:
    """Whether the duration that counts is that of fair sharing.

    Args:
        question: the search.
    """
    settings, by_share = question.snapshot.cluster.settings, question.terms.fair_sharing
    within = by_share and is_within_nominal(question, question.charged())
    return is_rebalancing(by_share, claims_nominal(within, settings.fair_sharing_preempt_within_nominal))


def beside_protection(question: Question) -> Question:
    """The same search, in which no protected workload of another ClusterQueue is a candidate.

    They keep their quota. The KEP excludes them "before the configured preemptionStrategies are applied",
    once after a candidate satisfies one: victims differ only where shares of ClusterQueues are equal.

    Args:
        question: the search.

    Source: KEP-9876, Notes (Interaction with Fair Sharing strategies); Preemption Eligibility.
    """
    duration = protection_in(question)
    if duration is None:
        return question
    snapshot = question.snapshot
    unprotected = {
        place: workloads
        if place == snapshot.place
        else tuple(
            found for found in workloads if not is_protected_from_others(found, question.now, duration)
        )
        for place, workloads in snapshot.running.items()
    }
    return replace(question, snapshot=replace(snapshot, running=unprotected), listing=None)
