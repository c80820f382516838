"""A definition is claimed of all arguments, and refuses a rule that returns anything else."""

from __future__ import annotations

from typing import Any

from tenure.rules.cycle import wants_cycle
from tenure.rules.hero_fit import clamp_of_hero
from tenure_proofs.asked import Shared
from tenure_proofs.budgets import FLOOR
from tenure_proofs.defining import Definition, definition_of
from tenure_proofs.formats.problems import place_of
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.registry import Obligation, Verdict, everywhere
from tenure_proofs.runner import verdict_of
from tenure_proofs.trusted.logic import all_of, negation


def verdict(function: Any, says: Definition, where: Any = None) -> Verdict:
    statement = definition_of(function, where)(says)
    claimed = Obligation("PO-KQ-999", ("KQ-999",), statement, everywhere(Verdict.PROVED), FLOOR, "")
    return verdict_of(claimed, "as-written", Shared())


def test_a_value_that_the_rule_returns_is_proved() -> None:
    def says(changed: Any, down: Any, pending: Any) -> Any:
        return all_of(changed, negation(down), pending)

    assert verdict(wants_cycle, says) == Verdict.PROVED


def test_cases_that_leave_arguments_out_are_refuted() -> None:
    def says(changed: Any, down: Any, pending: Any) -> Any:
        return [(negation(changed), False), (all_of(changed, down), False)]

    assert verdict(wants_cycle, says) == Verdict.REFUTED


def test_none_where_the_rule_returns_a_number_is_refuted() -> None:
    def says(nominal: Any, limit: Any, clamp: Any) -> Any:
        return None

    assert verdict(clamp_of_hero, says) == Verdict.REFUTED


def test_nothing_is_claimed_of_arguments_that_are_not_assumed() -> None:
    def says(nominal: Any, limit: Any, clamp: Any) -> Any:
        return None

    found = verdict(clamp_of_hero, says, where=lambda _, limit, __: negation(limit.present))
    assert found == Verdict.PROVED


def test_a_definition_is_found_where_it_is_written() -> None:
    place = place_of(OBLIGATIONS["PO-CYC-120"].statement)
    assert place.file.endswith("tenure_proofs/obligations/cycle.py")
