"""What is used at a call is what the theorem about the function says, and nothing that it does not show."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import z3

from tenure.oracle import classical, fair
from tenure.oracle.leaving import selection_after
from tenure.oracle.selection import remove_until_fits
from tenure_proofs.theorems import (
    keeping,
    relations,
    rounds,
    searching,
    selection,
    three_searches,
    tournament,
    tree,
)
from tenure_proofs.theorems.decision import seeing
from tenure_proofs.theorems.outcome import end_of
from tenure_proofs.theorems.proving import prove
from tenure_proofs.theorems.registry import BELIEVED, all_theorems, circle
from tenure_proofs.theorems.standins import PARTIAL
from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.induction import Contract, Part
from tenure_proofs.trusted.procedures import Law, read_procedure
from tenure_proofs.trusted.specified import Closure, Conclusion, Specification, Taken, leaves
from tenure_proofs.trusted.symbols import SymToken
from tests.tenure_proofs.changed import LITTLE, changed

SAID: dict[str, tuple[Any, str, Callable[[], Iterator[Part]]]] = {
    "removing": (three_searches, "REMOVED", all_theorems()["PO-ANY-246"].parts),
    "removing in turn": (three_searches, "IN_TURN", all_theorems()["PO-ANY-250"].parts),
    "an attempt": (three_searches, "ATTEMPTED", all_theorems()["PO-ANY-250"].parts),
    "attempts": (three_searches, "MADE", all_theorems()["PO-ANY-250"].parts),
    "a tournament": (three_searches, "PLAYED", all_theorems()["PO-ANY-250"].parts),
    "what is kept": (three_searches, "SELECTED", all_theorems()["PO-ANY-250"].parts),
    "filling back": (keeping, "FILLED", all_theorems()["PO-ANY-245"].parts),
    "what is taken away from the tree": (tree, "TAKEN_AWAY", all_theorems()["PO-ANY-050"].parts),
    "what is added to the tree": (relations, "ADDED", all_theorems()["PO-ANY-615"].parts),
    "who stays": (tournament, "COHORT_STAYS", all_theorems()["PO-ANY-105"].parts),
    "who is ahead": (tournament, "QUEUE_BEATS", all_theorems()["PO-ANY-105"].parts),
    "the best": (tournament, "BEST_COHORT", all_theorems()["PO-ANY-105"].parts),
    "who is visited below": (tournament, "WINNER", all_theorems()["PO-ANY-105"].parts),
    "whom to visit": (tournament, "NEXT", all_theorems()["PO-ANY-115"].parts),
    "who is taken": (rounds, "TAKEN", all_theorems()["PO-ANY-115"].parts),
}
"""A specification, where it is used, and the claim that uses it."""


@pytest.mark.parametrize("name", SAID)
def test_no_claim_is_proved_by_a_law_that_says_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, said, parts = SAID[name]
    weaker = dataclasses.replace(getattr(module, said), ensures=lambda *_: [], at=lambda *_: [])
    monkeypatch.setattr(module, said, weaker)
    assert prove(parts(), None, LITTLE).failures


def test_what_a_function_requires_is_shown_where_it_is_called() -> None:
    unasked = changed(selection_after, ("if not end.fits:", "if end.removed is None:"))
    proof = prove(keeping.SELECTED.of_statements(_seeing_filled(unasked)), None, LITTLE)
    assert any(failure.startswith("returns: defined") for failure in proof.failures)
    assert not prove(keeping.SELECTED.of_statements(_seeing_filled(selection_after)), None, LITTLE).failures


def _seeing_filled(function: Callable[..., Any]) -> Callable[..., Any]:
    stand = Law(lambda _, chain: chain)
    filled = selection.FILLED.law()
    return seeing(function, fill_back=filled, in_order=stand, some_of=stand, as_tuple=stand)


def test_a_round_that_is_over_fits_no_more_than_before() -> None:
    wrong = changed(fair._ended, ("fits=state.fits", "fits=True"))
    others: dict[str, Any] = {"next_queue": tournament.NEXT.law(), "rejecting": fair._rejecting}
    parts = rounds.steps_keep(fair.first_step, fair.second_step, _ended=wrong, **others)
    assert any("it keeps what holds" in failure for failure in prove(parts, None, LITTLE).failures)


def test_a_step_of_which_nothing_is_known_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = tuple(dataclasses.replace(step, ensures=lambda *_: []) for step in rounds.STEPS)
    monkeypatch.setattr(three_searches, "STEPS", steps)
    proof = prove(all_theorems()["PO-ANY-247"].parts(), None, LITTLE)
    assert any(failure.startswith("returns: defined") for failure in proof.failures)


def test_what_a_theorem_does_not_show_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    other = dataclasses.replace(selection.REMOVED, words="it rains")
    monkeypatch.setattr(three_searches, "REMOVED", other)
    claim = dataclasses.replace(all_theorems()["PO-ANY-246"])
    assert end_of(claim, None).detail == "uses 'it rains' of PO-ANY-010, which does not show it"


def _same_twice() -> Specification:
    token = SymToken(z3.Int("both"))
    takes = {"leaving": token, "candidates": token, "may_borrow": Closure(z3.Int("may"), 1, bool)}
    return dataclasses.replace(three_searches.ATTEMPTED, takes=takes)


def _no_constant() -> Specification:
    takes = {**selection.REMOVED.takes, "usage": SymToken(z3.IntVal(0))}
    return dataclasses.replace(selection.REMOVED, takes=takes)


@pytest.mark.parametrize("said", [_same_twice, _no_constant])
def test_what_is_shown_of_special_arguments_is_no_law(said: Callable[[], Specification]) -> None:
    with pytest.raises(LiftError, match="arbitrary arguments"):
        list(said().of_statements(classical._attempt))


def test_a_fact_that_nothing_shows_is_no_hypothesis_of_a_law() -> None:
    contract = Contract(lambda *_: [], lambda *_: [], facts=(z3.Bool("it rains"),))
    with pytest.raises(LiftError, match="nothing shows"):
        list(selection.REMOVED.of_steps(remove_until_fits, contract))
    taken = dataclasses.replace(contract, facts=(Taken(z3.Bool("it rains"), "it rains", BELIEVED),))
    assert list(selection.REMOVED.of_steps(remove_until_fits, taken))


def test_a_function_that_requires_something_is_not_handed_on() -> None:
    needy = dataclasses.replace(
        three_searches.ATTEMPTED, requires=lambda _: [("it rains", z3.Bool("it rains"))]
    )
    handed = PARTIAL(needy.law(), rounds.LEAVING, keeping.CANDIDATES)
    taken = {
        "choices": searching.MADE.takes["choices"],
        "fits": Law(lambda *_: False, (z3.Int("fits"),)),
    }
    seen = seeing(_calls_attempts, attempts_until_one_fits=searching.MADE.law(), handed=handed)
    with pytest.raises(LiftError, match="requires something"):
        list(read_procedure(seen, taken, lambda _: []))


def _calls_attempts(choices: Any, fits: Any) -> Any:
    return attempts_until_one_fits(choices, handed, fits)


def attempts_until_one_fits(*_: Any) -> Any:
    """Stands for the loop, so that its name is seen."""


handed = None


def test_nothing_tells_a_law_without_a_name_apart() -> None:
    with pytest.raises(LiftError, match="apart"):
        leaves(Law(lambda _: None))


def test_what_a_claim_shows_itself_is_used_only_where_all_of_it_is_shown_before() -> None:
    claim = all_theorems()["PO-ANY-105"]
    parts = list(claim.parts())
    before = dataclasses.replace(claim, statement=lambda: iter(parts[::-1]))
    assert circle(claim.id, {**all_theorems(), claim.id: before}) == (claim.id, claim.id)
    assert circle(claim.id, all_theorems()) == ()
    once_more = dataclasses.replace(claim, statement=lambda: iter([*parts, *parts[:1]]))
    assert end_of(once_more, None).detail == f"shows nothing of {parts[0].shows!r}"


def test_a_function_that_calls_itself_with_anything_else_than_less_is_not_proved() -> None:
    proof = prove(tournament.WINNER.of_statements(_winner_below, falls=lambda _: z3.IntVal(0)), None, LITTLE)
    assert "returns: defined" in [failure.split(": z3")[0] for failure in proof.failures]


def _winner_below(tournament: Any, state: Any, cohort: Any) -> Any:
    return _winner(tournament, state, cohort)  # type: ignore[name-defined]  # noqa: F821 - what is said of it


def test_what_another_theorem_concludes_is_used_only_where_it_shows_it() -> None:
    number, theorems = z3.Int("number"), all_theorems()
    others = Conclusion("PO-ANY-050", "nothing is ever in use", lambda one: one == 0)
    for conclusion, values, problem in (
        (tree.AS_BEFORE, (number, number), ""),
        (others, (number,), "does not show it"),
    ):
        goal = [("true", number == number)]
        part = Part("alone", (conclusion.of(*values),), tuple(goal))
        used = dataclasses.replace(theorems["PO-ANY-615"], statement=lambda part=part: iter([part]))
        assert problem in end_of(used, None).problem
        assert bool(end_of(used, None).problem) == bool(problem)
