"""`tenure prove` and `tenure vectors run` as a user meets them on a tree in which something is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.tenure_proofs.trees import ROOT, changed_tree, copied_tree, python, tenure

TIME_BASED = "refimpl/tenure/rules/time_based.py"
RIGHT = "now - quota_reservation_time(target, now) > min_admit_duration"
WRONG = RIGHT.replace(">", ">=")
QUICK = ("prove", "--only", "PO-TBP-010", "--no-mutants", "--examples", "5")


@pytest.fixture(scope="module")
def wrong_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree in which a workload exactly at the threshold has expired."""
    return changed_tree(tmp_path_factory.mktemp("wrong"), TIME_BASED, RIGHT, WRONG)


def test_a_solver_that_knows_no_answer_leaves_the_run_undecided(tmp_path: Path) -> None:
    before, after = "        return said\n", '        return "unknown: it sleeps"\n'
    tree = changed_tree(tmp_path, "proofs/tenure_proofs/cvc5_worker.py", before, after)
    done = tenure(*QUICK, "-o", "json", root=tree)
    report = json.loads(done.stdout)
    assert (done.returncode, report["good"], report["undecided"]) == (3, False, True), done.stderr
    assert report["faults"] == ["3 obligations undecided"]


def test_a_premise_that_is_wrong_is_refuted_whatever_is_kept_of_the_right_one(tmp_path: Path) -> None:
    asked = (*QUICK, "--cache", str(tmp_path / "kept"), "-j", "1")
    right = tenure(*asked)
    assert right.returncode == 0, right.stderr
    tree = changed_tree(tmp_path / "tree", "proofs/tenure_proofs/premises.py", ">= MINUTE,", ">= 0,")
    wrong = tenure(*asked, root=tree)
    assert wrong.returncode == 1, wrong.stderr
    assert "FAIL PO-TBP-010 under guaranteed: expected proved, is refuted" in wrong.stdout


def test_a_rule_whose_function_was_renamed_is_bad_input_that_names_it(tmp_path: Path) -> None:
    imports = "proofs/tenure_proofs/obligations/time_based.py"
    text = (ROOT / imports).read_text(encoding="utf-8")
    renamed = text.replace("is_time_expired,", "has_expired,", 1)
    assert renamed != text
    tree = copied_tree(tmp_path)
    (tree / imports).write_text(renamed, encoding="utf-8")
    done = tenure(*QUICK, root=tree)
    assert done.returncode == 2
    assert "obligations: found" in done.stderr
    assert "cannot import name 'has_expired'" in done.stderr


def test_the_wrong_tree_is_what_is_imported(wrong_tree: Path) -> None:
    code = (
        "import tenure, tenure_proofs, inspect; from tenure.rules.time_based import is_time_expired as rule; "
        "from tenure.resources import bundled; "
        "print(tenure.__file__, tenure_proofs.__file__, bundled('spec'), '>=' in inspect.getsource(rule))"
    )
    done = python(code, root=wrong_tree)
    *paths, changed = done.stdout.split()
    assert len(paths) == 3
    assert all(Path(path).is_relative_to(wrong_tree) for path in paths)
    assert changed == "True"


def test_a_wrong_comparison_fails_the_proofs_in_the_rules_own_words(wrong_tree: Path) -> None:
    done = tenure("prove", "--only", "PO-TBP-020", "--no-mutants", "--examples", "5", root=wrong_tree)
    assert done.returncode == 1, done.stderr
    assert "the claim: exactly at the threshold a workload is kept" in done.stdout
    assert (
        "TBP-020: A target has exceeded minAdmitDuration when strictly more than that duration has passed "
        "since its quota was reserved." in done.stdout
    )
    assert "FAIL PO-TBP-020 under guaranteed: expected proved, is refuted" in done.stdout


def test_a_wrong_comparison_fails_a_vector_of_its_rule(wrong_tree: Path) -> None:
    right = tenure("vectors", "run", "TBP-020")
    assert right.returncode == 0, right.stdout + right.stderr
    wrong = tenure("vectors", "run", root=wrong_tree)
    assert wrong.returncode == 1, wrong.stdout + wrong.stderr
    assert [line for line in wrong.stdout.splitlines() if line.startswith("FAIL TBP-020/")]
