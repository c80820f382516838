"""Between the searches and the door no step with a mistake is proved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tenure.oracle import classical, decide, fair, partial
from tenure.oracle.heroes import search as heroes
from tenure.oracle.leaving import selection_after
from tenure.oracle.partial import halved
from tenure.oracle.search import find_targets
from tenure_proofs.budgets import Budget
from tenure_proofs.theorems import deciding, three_searches
from tenure_proofs.theorems.decision import seeing
from tenure_proofs.theorems.listed import THEOREMS
from tenure_proofs.theorems.proving import prove
from tenure_proofs.trusted.domains import LiftError
from tests.proofs.changed import changed

LITTLE = Budget(z3=1_000_000, cvc5=0)

MISTAKES: dict[str, tuple[Callable[..., Any], Callable[..., Any], str, str]] = {
    "nobody is handed on": (
        deciding._handed_on,
        decide.decide,
        "() if chosen.selection is None else chosen.selection.kept",
        "()",
    ),
    "all candidates are handed on": (
        deciding._handed_on,
        decide.decide,
        "chosen.selection.kept",
        "chosen.selection.candidates",
    ),
    "the door is asked about another priority": (
        deciding._handed_on,
        decide.decide,
        "preemptor = with_effective_priority(",
        "effective = with_effective_priority(",
    ),
    "an inactive ClusterQueue searches": (
        deciding._tried,
        decide._try,
        "if snapshot.queue.inactive:",
        "if not snapshot.queue.inactive:",
    ),
    "a given assignment needs no search": (
        deciding._tried,
        decide._try,
        "given, (), searched(given)",
        "given, (), None",
    ),
    "a search at another instant": (
        deciding._tried,
        decide._try,
        "partial(_searched, snapshot, preemptor, terms, now, search)",
        "partial(_searched, snapshot, preemptor, now, terms, search)",
    ),
    "a search where quota suffices": (
        deciding._asked,
        decide._searched,
        "assignment.fits and assignment.needs_preemption",
        "assignment.fits",
    ),
    "searched for other pods than counted": (
        deciding._searched_for_its_own,
        partial._tried,
        "assigned.groups, search(assigned.assignment)",
        "assigned.groups, assigned.groups",
    ),
    "the last that finds no place": (
        deciding._halved,
        halved,
        "chosen, end = trial, step",
        "end = step",
    ),
    "a step is left out": (deciding._halved, halved, "first = step + 1", "first = step + 2"),
    "it never ends": (deciding._halved, halved, "first = step + 1", "first = step"),
    "heroes share fairly": (
        THEOREMS["PO-ANY-240"].statement,
        find_targets,
        "question.terms.hero:",
        "question.terms.hero and not question.terms.fair_sharing:",
    ),
    "somebody where it does not fit": (
        THEOREMS["PO-ANY-245"].statement,
        selection_after,
        "if not end.fits:",
        "if end.fits:",
    ),
    "evidence is not completed": (
        THEOREMS["PO-ANY-245"].statement,
        selection_after,
        "completed(candidate) for",
        "candidate for",
    ),
    "usage before filling back": (
        THEOREMS["PO-ANY-245"].statement,
        selection_after,
        "usage=filled.usage",
        "usage=end.usage",
    ),
    "filled back by what borrows": (
        three_searches._classically,
        classical.select_classically,
        "fitting(leaving, borrowing)",
        "fitting(leaving, not borrowing)",
    ),
    "an attempt asks as if it borrowed": (
        three_searches._attempted,
        classical._attempt,
        "fitting(leaving, may_borrow)",
        "fitting(leaving, True)",
    ),
    "an attempt says that it fits": (
        three_searches._attempted,
        classical._attempt,
        "end.usage, end.fits,",
        "end.usage, True,",
    ),
    "fair sharing does not borrow": (
        three_searches._fairly,
        fair.select_fairly,
        "fitting(leaving, True)",
        "fitting(leaving, False)",
    ),
    "the second strategy begins anew": (
        three_searches._rounds_of,
        fair._played,
        "Round(end.usage,",
        "Round(tournament.leaving.usage,",
    ),
    "the second strategy forgets": (
        three_searches._rounds_of,
        fair._played,
        "by_queue(first.rejected), removed=end.removed",
        "by_queue(first.rejected)",
    ),
    "the second strategy is left out": (
        three_searches._rounds_of,
        fair._played,
        "if end.fits or not tournament.goes_again:",
        "if end.fits or tournament.goes_again:",
    ),
    "who is taken stays": (
        three_searches._taken,
        fair._take,
        "found, usage = _found(candidate, evidence), without(state.usage, candidate)",
        "found, usage = _found(candidate, evidence), state.usage",
    ),
    "who is taken is not noted": (
        three_searches._taken,
        fair._take,
        "removed=Chain(found, state.removed)",
        "removed=state.removed",
    ),
    "it fits as before": (
        three_searches._taken,
        fair._take,
        "fits(usage, True)",
        "fits(state.usage, True)",
    ),
    "a hero does not fill back": (
        three_searches._for_hero,
        heroes.select_for_hero,
        "end, search.fits, search.beside",
        "end, search.without, search.beside",
    ),
    "a hero begins elsewhere": (
        three_searches._for_hero,
        heroes.select_for_hero,
        "search.start, search.in_turn",
        "search.in_turn, search.start",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_no_step_with_a_mistake_is_proved(mistake: str) -> None:
    parts, function, right, wrong = MISTAKES[mistake]
    assert any(prove([part], None, LITTLE).failures for part in parts(changed(function, (right, wrong))))


@pytest.mark.parametrize(
    "identifier",
    [
        name
        for name, claim in THEOREMS.items()
        if not claim.statement.__module__.rpartition(".")[2].startswith("core_")
    ],
)
def test_every_loop_and_step_of_the_reference_is_read_as_it_is_now(identifier: str) -> None:
    parts = list(THEOREMS[identifier].parts())
    assert all(part.goals for part in parts)


def test_a_name_that_a_function_does_not_see_stands_for_nothing() -> None:
    with pytest.raises(LiftError, match="halved sees no _tired"):
        seeing(halved, _tired=None)
