"""The search for targets, by the scheduler's configuration."""

from __future__ import annotations

from tenure.oracle.classical import select_classically
from tenure.oracle.fair import select_fairly
from tenure.oracle.question import Question, Selection


def find_targets(question: Question) -> Selection:
    """Find targets, by fair sharing where that is configured.

    Args:
        question: the search.

    Source: Kueue main of August 2026, preemptor.
    """
    if question.terms.fair_sharing:
        return select_fairly(question)
    return select_classically(question)
