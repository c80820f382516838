"""The search for targets, by the scheduler's configuration."""

from __future__ import annotations

from tenure.oracle.classical import select_classically
from tenure.oracle.fair import select_fairly
from tenure.oracle.heroes.search import select_for_hero
from tenure.oracle.question import Question, Selection
from tenure.oracle.remembering import as_rules_see


def find_targets(question: Question) -> Selection:
    """Find targets, as a hero does or by fair sharing where that is configured.

    Args:
        question: the search.

    Source: Kueue main of August 2026, preemptor; KEP-8826, Implementation.
    """
    seen = as_rules_see(question.preemptor, question.terms)
    asked = seen, question.needed, tuple(question.request.items())
    return question.snapshot.found.of(
        ("targets", *asked, question.terms, question.now),
        lambda: _select(question),
        lambda found: len(found.removed) + len(found.kept) + len(found.rejected),
    )


def _select(question: Question) -> Selection:
    if question.terms.hero:
        return select_for_hero(question)
    return select_fairly(question) if question.terms.fair_sharing else select_classically(question)
