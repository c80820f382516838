"""What has to be believed is counted, and nothing that is proved or that only replays is in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tenure_proofs import runner
from tenure_proofs.base import trusted_base
from tenure_proofs.counterexamples import Counterexample
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.registry import Verdict
from tenure_proofs.runner import run_obligation
from tests.proofs.trees import ROOT

PRESETS = ("as-written", "released", "guaranteed")

FOLDER = ROOT / "proofs/tenure_proofs/trusted"


def test_the_whole_trusted_folder_is_counted() -> None:
    ours = {f"tenure_proofs.trusted.{path.stem}" for path in FOLDER.glob("*.py") if path.stem != "__init__"}
    # Obligations import these, and are not counted themselves.
    by_statements = {
        f"tenure_proofs.trusted.{name}" for name in ("ancestors", "logic", "schemas", "transitions")
    }
    assert ours <= set(trusted_base().modules) | by_statements
    assert by_statements <= set(trusted_base().modules)


def test_no_rule_no_oracle_and_no_obligation_is_counted() -> None:
    parts = ("tenure.oracle", "tenure.conformance", "tenure_proofs.obligations", "tenure_proofs.mutants")
    assert [name for name in trusted_base().modules if name.startswith(parts)] == []
    rules = [name for name in trusted_base().modules if name.startswith("tenure.rules")]
    assert rules == ["tenure.rules.terms"], "the terms are what a claim is made of, and decide nothing"


def test_what_tells_a_refutation_makes_an_error_of_it_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So that none of it is counted."""
    for said, verdict in (("", Verdict.REFUTED), ("it does not replay", Verdict.ERROR)):
        told = Counterexample({}, (), None, said)
        monkeypatch.setattr(runner, "find_counterexample", lambda *_, told=told: told)
        verdicts = [run_obligation(OBLIGATIONS["PO-TBP-010"], each, None).verdict for each in PRESETS]
        assert verdicts == [verdict, verdict, Verdict.PROVED]
    untold = {"tenure_proofs.counterexamples", "tenure_proofs.scenarios", "tenure_proofs.hero_scenarios"}
    assert not untold & set(trusted_base().modules)


def test_every_file_of_the_folder_is_explained() -> None:
    page = (FOLDER / "ASSUMPTIONS.md").read_text(encoding="utf-8")
    missing = [path.name for path in FOLDER.glob("[!_]*.py") if f"`{path.name}`" not in page]
    assert missing == []


def test_the_lines_are_those_of_the_files() -> None:
    lines = 0
    for name in trusted_base().modules:
        below = ROOT / ("proofs" if name.startswith("tenure_proofs") else "refimpl")
        path = below / Path(*name.split("."))
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        lines += len(file.read_text(encoding="utf-8").splitlines())
    assert trusted_base().lines == lines
