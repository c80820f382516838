"""What has to be believed is counted, and nothing that is proved or that only replays is in it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tenure_proofs import base, runner
from tenure_proofs.base import (
    CHECKS,
    FIRST,
    LAST,
    LIFTER_AND_LOGIC,
    LOOPS,
    PAGE,
    PROCEDURES,
    PROVED,
    READING,
    code_lines,
    lines_of,
    modules_behind,
    reading_list,
    trusted_base,
)
from tenure_proofs.counterexamples import Counterexample
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.registry import Verdict
from tenure_proofs.runner import run_obligation
from tenure_proofs.theorems import registry as theorem_registry
from tests.tenure_proofs.trees import ROOT

PRESETS = ("as-written", "released", "guaranteed")

FOLDER = ROOT / "proofs/tenure_proofs/trusted"


def test_the_reading_list_is_all_that_verdicts_rest_on_and_the_trusted_folder_comes_first() -> None:
    assert set(READING) == set(trusted_base().modules)
    names = [name for name in READING if ".trusted." in name]
    assert names == list(READING)[: len(names)]
    assert {name.rpartition(".")[2] for name in names} == {path.stem for path in FOLDER.glob("[!_]*.py")}


def test_the_page_shows_the_reading_list_as_it_is() -> None:
    page = (ROOT / PAGE).read_text(encoding="utf-8")
    shown = page.partition(FIRST)[2].partition(LAST)[0]
    assert shown.strip() == reading_list().strip(), "write it again: python -m tenure_proofs.base --write ."


def test_as_little_has_to_be_believed_as_was_promised() -> None:
    assert sum(map(lines_of, LIFTER_AND_LOGIC)) <= 1_000
    loops = sum(map(lines_of, LOOPS))
    assert loops <= 479
    several = sum(map(lines_of, PROCEDURES))
    assert several <= 810
    assert trusted_base().lines - loops - several <= 2_000


def test_few_theorems_rest_on_what_reads_functions_of_many_statements() -> None:
    theorems = Path(theorem_registry.__file__).parent
    using = {
        path.stem
        for path in theorems.glob("*.py")
        if "trusted.procedures" in path.read_text(encoding="utf-8")
    }
    # Between the loops there are functions that return from several places; arrays stand for lists there.
    assert using == {
        "beside_heroes",
        "changing",
        "deciding",
        "exceeding",
        "headlines",
        "keeping",
        "layout",
        "no_target",
        "packing",
        "played",
        "priorities",
        "relations",
        "repairs",
        "rounds",
        "selection",
        "standins",
        "taken",
        "three_searches",
        "tournament",
        "written",
    }


def test_no_verdict_about_an_obligation_rests_on_what_reads_loops() -> None:
    behind = modules_behind("tenure_proofs.runner", "tenure_proofs.cvc5_worker", without=(*PROVED, *CHECKS))
    assert not set(LOOPS) & set(behind)


@pytest.mark.parametrize(
    ("text", "modules"),
    [
        ("from . import logic", {"tenure_proofs.trusted.logic"}),
        ("from .. import premises, nothing", {"tenure_proofs.premises", "tenure_proofs"}),
        ("from .logic import all_of", {"tenure_proofs.trusted.logic"}),
        ("import tenure.rules.share as share, json", {"tenure.rules.share"}),
        ("from tenure import rules", {"tenure.rules"}),
        ("from tenurely import rules", set()),
    ],
)
def test_every_way_to_import_is_seen(text: str, modules: set[str]) -> None:
    (node,) = ast.parse(text).body
    assert set(base._imported(node, "tenure_proofs.trusted")) == modules


def test_what_imports_by_a_name_that_is_made_while_it_runs_is_refused() -> None:
    with pytest.raises(ValueError, match=r"tenure\.cli\.commands imports by import_module"):
        modules_behind("tenure.cli.commands")


def test_no_rule_no_oracle_no_obligation_and_no_check_is_counted() -> None:
    parts = ("tenure.oracle", "tenure.conformance", "tenure.rules", "tenure_proofs.obligations")
    checks = (
        "tenure_proofs.mutants",
        "tenure_proofs.crosscheck",
        "tenure_proofs.bridge",
        "tenure_proofs.models",
    )
    assert [name for name in trusted_base().modules if name.startswith((*parts, *checks))] == []


def test_what_tells_a_refutation_makes_an_error_of_it_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So that none of it is counted."""
    for said, verdict in (("", Verdict.REFUTED), ("it does not replay", Verdict.ERROR)):
        told = Counterexample({}, (), None, said)
        monkeypatch.setattr(runner, "find_counterexample", lambda *_, told=told: told)
        verdicts = [run_obligation(OBLIGATIONS["PO-TBP-010"], preset, None).verdict for preset in PRESETS]
        assert verdicts == [verdict, verdict, Verdict.PROVED]
    untold = {"tenure_proofs.counterexamples", "tenure_proofs.scenarios", "tenure_proofs.hero_scenarios"}
    assert not untold & set(trusted_base().modules)


def test_every_file_of_the_folder_is_explained() -> None:
    page = (FOLDER / "ASSUMPTIONS.md").read_text(encoding="utf-8")
    missing = [path.name for path in FOLDER.glob("[!_]*.py") if f"`{path.name}`" not in page]
    assert missing == []


def test_lines_of_code_are_counted_and_nothing_else() -> None:
    source = '''"""A module."""

import os  # why


def f(
    a,
):
    """Does
    nothing."""
    # A comment.
    text = """two
lines"""
    return text


class C:
    """A class."""

    field: int
    """A field."""
'''
    assert code_lines(source) == 1 + 3 + 2 + 1 + 2
