"""A new rule's stubs are a rule that works; the lints say what of it is still to be written."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.lints.__main__ import run
from tools.lints.pages import pages
from tools.new_rule import main

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("refimpl/tenure", "proofs/tenure_proofs", "spec", "pyproject.toml")
WITHOUT = ("--no-mutants", "--no-cache", "--bounded", "none")
NEW = ("KQ-015", "When a twin may be preempted")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The library, the proofs and the specification, to be changed."""
    ignored = shutil.ignore_patterns("__pycache__")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def in_tree(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A program of Python with the packages of the tree."""
    path = os.pathsep.join(str(tree / name) for name in ("refimpl", "proofs"))
    environment = {**os.environ, "PYTHONPATH": path}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)


def test_the_stubs_are_a_rule_that_is_proved_and_every_todo_is_listed(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*NEW, "--root", str(tree)]) == 0
    written = [line.split()[1] for line in capsys.readouterr().out.splitlines() if line.startswith("wrote ")]
    assert written == [
        "spec/rules/KQ-015-when-a-twin-may-be-preempted.md",
        "refimpl/tenure/rules/priority.py",
        "proofs/tenure_proofs/obligations/base.py",
        "build/KQ-015-accept.json",
        "build/KQ-015-reject.json",
    ]

    problems = run(tree)
    left = {(problem.path, problem.code) for problem in problems}
    assert left == {
        *((path, "TNL024") for path in written[:3]),
        ("refimpl/tenure/rules/priority.py", "TNL025"),
    }
    assert [problem.message for problem in problems if problem.code == "TNL025"] == [
        "KQ-015 when_a_twin_may_be_preempted: nothing calls it; call it where the decision is made"
    ]

    proved = in_tree(tree, "-m", "tenure", "prove", "--only", "KQ-015", *WITHOUT)
    assert proved.returncode == 0, proved.stdout + proved.stderr
    assert "PO-KQ-015" in proved.stdout
    adding = ("vectors", "add", "priority-and-policy", "build/KQ-015-accept.json", "--folder", "spec/vectors")
    added = in_tree(tree, "-m", "tenure", *adding)
    assert added.returncode == 2
    assert "says accept, but KQ-015 never does in it, expected a case" in added.stderr


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (
            ("KQ-10", "A title"),
            "id: found 'KQ-10', expected KQ, TBP, UCQ, DYN, KMR or CYC, a dash, three digits",
        ),
        (
            ("KQ-010", "A title"),
            "id: found KQ-010, which is used by spec/rules/KQ-010-lower-priority.md; expec",
        ),
        (("KQ-015", "410"), "title: found '410', expected words that a function can be named by"),
        (
            ("KQ-015", "Claims nominal"),
            "name: found claims_nominal, which is used in refimpl/tenure/rules/sh",
        ),
        (
            ("KQ-015", "A title", "--module", "absent"),
            "--module: found 'absent', expected one of refimpl/tenure",
        ),
    ],
)
def test_what_cannot_be_written_is_refused_and_nothing_is(
    arguments: tuple[str, ...], error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = [page.path for page in pages(ROOT)]
    assert main([*arguments, "--root", str(ROOT)]) == 2
    assert capsys.readouterr().err.startswith(f"new_rule: {error}")
    assert [page.path for page in pages(ROOT)] == before


def test_the_cases_are_clusters_without_an_answer(tree: Path) -> None:
    assert main([*NEW, "--root", str(tree)]) == 0
    cases = [json.loads((tree / f"build/KQ-015-{name}.json").read_text()) for name in ("accept", "reject")]
    assert [case["verdict"] for case in cases] == ["accept", "reject"]
    assert all(case["rules"] == ["KQ-015"] and "expect" not in case and case["input"] for case in cases)
