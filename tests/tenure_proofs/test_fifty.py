"""The script changes what it says and nothing else; a few changes are asked about for real."""

from __future__ import annotations

import ast
import subprocess
import sys
from itertools import repeat
from pathlib import Path

import pytest

from tests.command_line import run_program
from tests.tenure_proofs import fifty
from tests.tenure_proofs.asking import DoesNotEndError, limited
from tests.tenure_proofs.fifty import Drawn
from tests.tenure_proofs.sources import FOLDERS, functions_of
from tests.tenure_proofs.trees import ROOT, copied_tree

DRAWABLE = {area: fifty.drawable(area) for area in fifty.AREAS}


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The script, in a process of its own."""
    command = [sys.executable, "-m", "tests.tenure_proofs.fifty", *arguments]
    return run_program(*command, cwd=ROOT)


@pytest.mark.parametrize("area", fifty.AREAS)
def test_every_change_of_the_text_is_one_change_of_the_function_that_it_names(area: str) -> None:
    texts = {
        drawn.edit.file: (ROOT / drawn.edit.file).read_text(encoding="utf-8") for drawn in DRAWABLE[area]
    }
    functions = {file: dict(functions_of(ast.parse(text))) for file, text in texts.items()}
    for drawn in DRAWABLE[area]:
        edit = drawn.edit
        wrong = dict(functions_of(ast.parse(edit.changed(texts[edit.file]))))
        changed = [
            name for name, right in functions[edit.file].items() if ast.dump(right) != ast.dump(wrong[name])
        ]
        assert changed == [edit.function], edit


def test_all_three_areas_have_changes_in_every_file_that_decides() -> None:
    assert all(len(changes) > 500 for changes in DRAWABLE.values())
    files = {drawn.edit.file for drawn in DRAWABLE["oracle"]}
    assert {"refimpl/tenure/oracle/fair.py", "refimpl/tenure/oracle/heroes/billing.py"} <= files
    assert not any("/charts/" in drawn.edit.file for drawn in DRAWABLE["simulation"])


def test_as_many_are_drawn_of_each_area_and_the_seed_says_which() -> None:
    drawn = fifty.drawn(8, 7, fifty.AREAS)
    assert [change.edit.area for change in drawn] == ["rules"] * 3 + ["oracle"] * 3 + ["simulation"] * 2
    assert drawn == fifty.drawn(8, 7, fifty.AREAS) != fifty.drawn(8, 8, fifty.AREAS)


def test_every_judged_change_can_still_be_drawn() -> None:
    known = {drawn.edit.change for changes in DRAWABLE.values() for drawn in changes}
    assert [change for change in fifty.judged() if change not in known] == []


@pytest.mark.parametrize("rule", ["KQ-060", "KMR-070"])
def test_a_changed_operator_of_a_rule_is_noticed(rule: str, tmp_path: Path) -> None:
    tree = copied_tree(tmp_path)
    mutant = next(mutant for mutant in fifty.changes() if mutant.rule == rule)
    file = tree / fifty.edit_of(mutant).file
    before = file.read_text(encoding="utf-8")
    found = fifty.noticed_by_proofs(mutant, tree)
    assert found is not None
    assert found.outcome == "noticed"
    assert found.by.startswith("prove ends with 1: FAIL PO-")
    assert file.read_text(encoding="utf-8") == before


def test_changed_operators_of_the_oracle_are_noticed_and_no_file_is_written() -> None:
    before = {path: path.read_bytes() for path in (ROOT / FOLDERS["oracle"]).rglob("*.py")}
    done = run("--areas", "oracle", "--within", "selection.py", "--n", "3", "--seed", "5", "--ask", "vector")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("\n    vector ") == 3
    assert "3 operators changed (seed 5): 3 noticed; 0 escaped" in done.stdout
    assert before == {path: path.read_bytes() for path in before}


UNKNOWN = """
import sys
from tests.tenure_proofs.sources import swap
from tests.tenure_proofs.trees import ROOT
file = "refimpl/tenure_play/checks.py"
assert "tenure_play.checks" not in sys.modules
text = (ROOT / file).read_text(encoding="utf-8")
swap(file, text.replace("expected {result.expected}", "wanted {result.expected}"))
from tenure_play.checks import _said
from tenure_play.record import ExpectationResult
print(_said(ExpectationResult("", False, "1", "2")))
"""


def test_a_change_is_made_in_a_file_that_was_not_imported_before() -> None:
    done = run_program(sys.executable, "-c", UNKNOWN, cwd=ROOT, check=True)
    assert done.stdout == "wanted 1, found 2\n"


def test_what_nothing_notices_is_told_and_ends_with_1() -> None:
    asked = ("--areas", "oracle", "--within", "effects.py", "--n", "2", "--ask", "bounded")
    done = run(*asked, "--bounded", "small")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "2 escaped" in done.stdout
    assert done.stdout.count("ESCAPED") >= 2


def test_a_case_that_does_not_end_is_ended() -> None:
    with pytest.raises(DoesNotEndError), limited(0.05):
        sum(1 for _ in repeat(0))


def test_a_case_that_ends_is_left_alone() -> None:
    with limited(60):
        assert sum(range(1000)) == 499500


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (("--areas", "rules,chart"), "--areas: found chart, expected some of rules, oracle, simulation"),
        (("--ask", "vectors"), "--ask: found vectors, expected some of vector, prove"),
    ],
)
def test_an_option_that_is_not_known_is_refused(option: tuple[str, str], said: str) -> None:
    done = run(*option)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_help_teaches() -> None:
    done = run("--help")
    assert done.returncode == 0
    assert "python -m tests.tenure_proofs.fifty --n 200 --seed 1" in done.stdout


def test_a_change_is_told_with_its_place_and_what_noticed_it() -> None:
    change: Drawn = DRAWABLE["oracle"][0]
    said = fifty.told(1, change, fifty.Ended("noticed", "vector KQ-1/a: otherwise", 2.0))
    assert change.edit.place in said
    assert said.endswith("\n    vector KQ-1/a: otherwise")
