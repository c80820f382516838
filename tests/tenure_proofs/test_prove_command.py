"""`tenure prove` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tenure.cli.bundled import schema
from tenure_proofs.bounded.trial import PARTS
from tests.cli.terminals import ESCAPE, on_terminal
from tests.tenure_proofs.trees import tenure
from tools import libyaml

ONE = ("prove", "-j", "1")
"""The start of a process takes longer than most of what is asked here."""
QUICK = (*ONE, "--only", "PO-TBP-010", "--no-mutants", "--examples", "5")


# One test, since making the report takes seconds and each worker would make its own.
def test_the_json_report_has_every_verdict_of_both_solvers_and_every_function_lifted() -> None:
    asked = ("--only", "DYN-040", "--only", "PO-TBP-010")
    done = tenure(*ONE, *asked, "--no-mutants", "--examples", "5", "-o", "json")
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    Draft202012Validator(schema("prove")).validate(report)
    assert (report["schema"], report["good"], report["undecided"]) == ("tenure-prove/1", True, False)
    assert report["warnings"][0].endswith(" obligations were asked about")
    assert report["warnings"][1:] == ["no mutants were tried", "no whole decisions were made"]
    assert report["bounded"] is None
    assert report["readings"] == ["as-written", "released", "guaranteed"]
    assert set(report["solvers"]) == {"z3", "cvc5"}
    assert {item["id"] for item in report["obligations"]} >= {"PO-TBP-010", "PO-DYN-010", "PO-DYN-080"}
    for item in report["obligations"]:
        assert "DYN-040" in item["rules"] or item["id"] == "PO-TBP-010"
        assert list(item["verdicts"]) == report["readings"]
        for verdict in item["verdicts"].values():
            assert verdict["verdict"] == verdict["expected"]
            assert set(verdict["solvers"]) == {"z3", "cvc5"}
            assert (verdict["counterexample"] is not None) == (verdict["verdict"] == "refuted")
    assert {item["function"] for item in report["lifted"]} >= {
        "take_target",
        "policy_fault",
        "is_time_expired",
    }
    assert {(item["examples"], item["problem"]) for item in report["lifted"]} == {(5, "")}


def test_the_text_report_ends_with_the_matrix_of_the_asked_reading() -> None:
    done = tenure(*QUICK, "--reading", "guaranteed")
    assert done.returncode == 0
    assert "No same-priority preemption under minAdmitDuration  proved" in done.stdout
    assert "as-written" not in done.stdout
    *_, closing, pointer = done.stdout.splitlines()
    assert closing.startswith("prove: 1 verdicts, everything as expected")
    assert pointer.startswith("look up an identifier: tenure show ")


def test_cvc5_answers_alone_where_it_is_asked_to_and_a_refuted_claim_has_its_story() -> None:
    done = tenure(*QUICK, "--no-cache", "--solver", "cvc5", "-o", "json")
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    assert [warning for warning in report["warnings"] if warning.startswith("cvc5 alone has answered")]
    (protected,) = report["obligations"]
    said = {reading: item["solvers"] for reading, item in protected["verdicts"].items()}
    assert said == {
        "as-written": {"cvc5": "sat"},
        "released": {"cvc5": "sat"},
        "guaranteed": {"cvc5": "unsat"},
    }
    assert protected["verdicts"]["released"]["counterexample"]["story"]


def test_the_report_in_yaml_is_as_its_schema_says_with_mutants_too() -> None:
    done = tenure(*ONE, "--only", "PO-KQ-190", "--reading", "guaranteed", "--solver", "z3", "-o", "yaml")
    assert (done.returncode, done.stderr) == (0, "")
    report = libyaml.load(done.stdout)
    Draft202012Validator(schema("prove")).validate(report)
    assert {item["outcome"] for item in report["mutants"]} <= {"killed", "equivalent"}
    assert [
        warning for warning in report["warnings"] if "Z3 alone" in warning or "guaranteed only" in warning
    ]


def test_whole_decisions_are_made_once_and_kept_until_code_changes(tmp_path: Path) -> None:
    asked = (*ONE, "--only", "WD-130", "--only", "WD-170", "--bounded", "small", "--cache", str(tmp_path))
    first, again = tenure(*asked), tenure(*asked, "-o", "json")
    assert (first.returncode, first.stderr) == (0, "")
    assert "bounded: 0 postconditions hold, 2 are refuted as expected" in first.stdout
    assert "refuted     refuted     proved*" in first.stdout
    report = json.loads(again.stdout)
    Draft202012Validator(schema("prove")).validate(report)
    assert report["kept"] == {"lifted": 0, "results": 0, "mutants": 0, "bounded": 6 * PARTS}
    assert [item["id"] for item in report["bounded"]["postconditions"]] == ["WD-130", "WD-170"]
    verdict = report["bounded"]["postconditions"][0]["verdicts"]["as-written"]
    assert (verdict["verdict"], verdict["scenario"]["call"]) == ("refuted", "decide")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--reading", "nonsense"), "--reading: found 'nonsense', expected one of as-written"),
        (("--only", "NOPE"), "--only: found 'NOPE', expected the beginning of an obligation's"),
        (("--only", "PO-TBP-010", "--only", "NOPE"), "--only: found 'NOPE', expected the beginning"),
        (("--solver", "yices"), "'yices' is not one of 'both', 'z3', 'cvc5'"),
        (("--solver", "cvc5", "--seeds", "2"), "--seeds: found '2', expected only 1 with --solver cvc5"),
        (("--bounded", "huge"), "'huge' is not one of 'none', 'small', 'usual', 'deep'"),
        (("--output", "xml"), "'xml' is not one of 'text', 'json', 'yaml', 'junit'"),
    ],
    ids=" ".join,
)
def test_an_option_with_no_such_value_is_bad_input(arguments: tuple[str, ...], words: str) -> None:
    done = tenure("prove", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_the_help_shows_examples_as_they_are_typed_and_the_exit_codes() -> None:
    lines = tenure("prove", "--help").stdout.splitlines()
    assert sum(1 for line in lines if line.startswith("  tenure prove")) >= 2
    assert any(line.startswith("  Exit codes: 0 ") for line in lines)


def test_progress_is_shown_on_standard_error_while_that_is_a_terminal() -> None:
    shown = on_terminal(*QUICK, "--no-cache", stream="stderr")
    assert shown.code == 0
    assert "lifting" in shown.terminal
    assert "everything as expected" in shown.pipe
    assert ESCAPE not in shown.pipe
