"""The search for targets, by the scheduler's configuration."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from tenure.oracle.classical import select_classically
from tenure.oracle.configured import select_beside_config
from tenure.oracle.fair import select_fairly
from tenure.oracle.fair_repairs import select_by_repair
from tenure.oracle.heroes.search import select_for_hero
from tenure.oracle.protection import beside_protection
from tenure.oracle.question import Question, Selection
from tenure.readings import FairSharingRepair

Search: TypeAlias = Callable[[Question], Selection]
"""A search for targets: `find_targets`, or a cache in front of it for several decisions."""


def find_targets(question: Question) -> Selection:
    """Find targets, as a hero does or by fair sharing where that is configured, and by a PreemptionConfig.

    Args:
        question: the search.

    Source: Kueue main of August 2026, preemptor; KEP-8826, Implementation; KEP-13396; KEP-9876.
    """
    if question.snapshot.queue.preemption_config is not None:
        return select_beside_config(question)
    question = beside_protection(question)
    if question.terms.hero:
        return select_for_hero(question)
    if not question.terms.fair_sharing:
        return select_classically(question)
    if question.terms.fair_sharing_repair != FairSharingRepair.NONE:
        return select_by_repair(question)
    return select_fairly(question)
