"""Every live rule has an obligation, a page, an accepting and a rejecting vector; the missing are named."""

from __future__ import annotations

import tomllib
from pathlib import Path

from tenure.conformance.vectors import exercised_by_plays, load_vectors
from tenure.rules.registry import all_rules
from tenure_proofs.obligations import OBLIGATIONS

PAGES = Path(__file__).resolve().parents[2] / "spec" / "rules"
RULES = {entry.id: entry for entry in all_rules()}


def pages() -> dict[str, dict[str, object]]:
    """The front matter of every rule's page, by identifier."""
    fronts = [tomllib.loads(path.read_text(encoding="utf-8").split("+++")[1]) for path in PAGES.glob("*.md")]
    return {str(front["id"]): front for front in fronts}


def covered(verdict: str) -> set[str]:
    """The rules that have a vector of a verdict, or a scenario that is played."""
    by_vectors = {
        rule
        for vector in load_vectors()
        if vector.data["verdict"] == verdict
        for rule in vector.data["rules"]
    }
    return by_vectors | {rule for rule, by_verdict in exercised_by_plays().items() if verdict in by_verdict}


def test_the_registry_holds_rules() -> None:
    assert len(RULES) >= 59


def test_every_rule_that_is_lifted_is_named_by_an_obligation() -> None:
    # The others, a closed list, are compared with exact arithmetic in tests/unit/rules/test_unlifted.py.
    lifted = {identifier for identifier, entry in RULES.items() if entry.lift}
    missing = lifted - {rule for obligation in OBLIGATIONS.values() for rule in obligation.rules}
    assert not missing, f"no obligation names {sorted(missing)}"


def test_every_rule_has_a_page_and_every_page_a_rule() -> None:
    live = {identifier for identifier, front in pages().items() if front["status"] == "live"}
    assert RULES.keys() - live == set(), f"no live page: {sorted(RULES.keys() - live)}"
    assert live - RULES.keys() == set(), f"no function: {sorted(live - RULES.keys())}"


def test_every_page_names_the_function_that_is_registered() -> None:
    for identifier, front in pages().items():
        function = RULES[identifier].function
        assert front["function"] == f"{function.__module__}.{function.__qualname__}", identifier


def test_every_rule_has_an_accepting_vector() -> None:
    missing = RULES.keys() - covered("accept")
    assert not missing, f"no accepting vector: {sorted(missing)}"


def test_every_rule_has_a_rejecting_vector() -> None:
    missing = RULES.keys() - covered("reject")
    assert not missing, f"no rejecting vector: {sorted(missing)}"
