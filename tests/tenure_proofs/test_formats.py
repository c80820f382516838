"""A report says the same in every form, and what is wrong at the line of the rule that it is about."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import z3
from jsonschema import Draft202012Validator

from tenure.errors import InputError
from tenure.reports import FileLine, Trouble, github_lines, junit_lines, to_sarif
from tenure.reports import Report as Checks
from tenure.rules.time_based import is_time_expired
from tenure_proofs.bridge import LiftReport
from tenure_proofs.export import export
from tenure_proofs.formats.checks import checks_of
from tenure_proofs.formats.markdown import markdown_lines
from tenure_proofs.formats.problems import faults, place_of
from tenure_proofs.mutants.hunt import Hunted
from tenure_proofs.obligations import OBLIGATIONS, claim_text
from tenure_proofs.registry import Verdict
from tenure_proofs.report import Report
from tenure_proofs.runner import Result
from tests.tenure_proofs.test_mutants import report_of
from tests.tenure_proofs.trees import ROOT, tenure

PROTECTED, THRESHOLD = OBLIGATIONS["PO-TBP-010"], OBLIGATIONS["PO-TBP-020"]
TIME_BASED = "refimpl/tenure/rules/time_based.py"
LINE = is_time_expired.__code__.co_firstlineno


def part(**properties: Any) -> dict[str, Any]:
    """A schema of an object with all of these properties and no others."""
    required = list(properties)
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


TEXT: dict[str, Any] = {"type": "string", "minLength": 1}
MESSAGE = part(text=TEXT)
RELATIVE = {"type": "string", "pattern": r"^[^/\\: ]+(/[^/\\: ]+)*$"}
PHYSICAL = part(artifactLocation=part(uri=RELATIVE), region=part(startLine={"type": "integer", "minimum": 1}))
LOCATION = part(physicalLocation=PHYSICAL)
NUMBERED = part(id={"type": "integer", "minimum": 0}, physicalLocation=PHYSICAL)
RULE = part(id=TEXT, shortDescription=MESSAGE, fullDescription=MESSAGE, help=MESSAGE, helpUri=TEXT)
RULE["required"] = ["id", "shortDescription", "help"]
RESULT = part(
    ruleId=TEXT,
    level={"enum": ["none", "note", "warning", "error"]},
    message=MESSAGE,
    locations={"type": "array", "items": LOCATION},
    relatedLocations={"type": "array", "items": NUMBERED, "uniqueItems": True},
    partialFingerprints={"type": "object", "additionalProperties": TEXT},
)
RUN = part(
    tool=part(
        driver=part(name=TEXT, version=TEXT, rules={"type": "array", "items": RULE, "uniqueItems": True})
    ),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    results={"type": "array", "items": RESULT},
    invocations={
        "type": "array",
        "items": part(executionSuccessful={"type": "boolean"}),
        "uniqueItems": True,
    },
    properties={"type": "object"},
)
SARIF = Draft202012Validator(
    part(
        **{"$schema": {"type": "string", "format": "uri"}},
        version={"const": "2.1.0"},
        runs={"type": "array", "items": RUN, "minItems": 1},
    )
)
"""What SARIF 2.1.0 says of the parts used here, sections 3.13 to 3.49; no package ships its schema."""


def wrong_report() -> Report:
    """One of everything that can be wrong, and one that is right."""
    report = report_of(
        Result(PROTECTED, "guaranteed", Verdict.PROVED),
        Result(THRESHOLD, "guaranteed", Verdict.REFUTED, detail="50 % | more,\nor: less"),
        mutants=(
            Hunted("MU-TBP-020-001", "TBP-020", "a > b", "a >= b", "survived"),
            Hunted("MU-TBP-020-002", "TBP-020", "a > b", "a < b", "killed", "PO-TBP-020"),
        ),
        unnamed=("TBP-020",),
    )
    return dataclasses.replace(report, lifted=(LiftReport("is_time_expired", 1, "they differ\x07"),))


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_a_place_is_below_the_current_folder_or_else_the_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (place_of(is_time_expired).file, place_of(is_time_expired).line) == (TIME_BASED, LINE)
    monkeypatch.chdir(tmp_path)
    assert place_of(is_time_expired).file == "tenure/rules/time_based.py"


def test_everything_that_is_wrong_is_a_fault_and_nothing_else() -> None:
    found = [(fault.kind, fault.id, fault.places[0].file) for fault in faults(wrong_report())]
    assert found == [
        ("lifting", "is_time_expired", TIME_BASED),
        ("obligation", "PO-TBP-020", TIME_BASED),
        ("mutant", "MU-TBP-020-001", TIME_BASED),
        ("unnamed", "TBP-020", TIME_BASED),
    ]


def test_junit_counts_failures_and_errors_by_suite() -> None:
    suites = ElementTree.fromstring("\n".join(junit_lines(checks_of(wrong_report()))))
    counted = {
        suite.get("name"): tuple(int(suite.get(kind, "")) for kind in ("tests", "failures", "errors"))
        for suite in suites
    }
    assert counted == {
        "lifting": (1, 1, 0),
        "obligations": (2, 1, 0),
        "mutants": (2, 1, 0),
        "rules without obligation": (1, 1, 0),
    }
    (failure,) = [element for element in suites.iter("failure") if "refuted" in element.get("message", "")]
    assert failure.get("message") == "expected proved, is refuted: 50 % | more,\nor: less"


def test_junit_calls_what_has_no_verdict_an_error() -> None:
    report = report_of(Result(PROTECTED, "guaranteed", Verdict.UNKNOWN, detail="z3 says unknown"))
    suites = ElementTree.fromstring("\n".join(junit_lines(checks_of(report))))
    assert [element.get("message") for element in suites.iter("error")] == [
        "expected proved, is unknown: z3 says unknown"
    ]


def test_markdown_has_the_matrix_and_what_is_wrong() -> None:
    lines = list(markdown_lines(wrong_report()))
    assert "| Invariant | guaranteed |" in lines
    assert f"| {PROTECTED.title} | proved |" in lines
    assert f"| PO-TBP-020: {claim_text(THRESHOLD)} | **refuted** (unexpected) |" in lines
    (wrong,) = [line for line in lines if line.startswith("- PO-TBP-020")]
    assert wrong.endswith("is refuted: 50 % \\| more, or: less")


def test_sarif_points_at_the_rules_file_and_line() -> None:
    log = to_sarif(checks_of(wrong_report()))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    known = {item["id"] for item in run["tool"]["driver"]["rules"]}
    assert [item["ruleId"] for item in run["results"]] == ["lifting", "PO-TBP-020", "mutant", "unnamed"]
    assert {item["ruleId"] for item in run["results"]} <= known
    for item in run["results"]:
        (location,) = item["locations"]
        assert location["physicalLocation"] == {
            "artifactLocation": {"uri": TIME_BASED},
            "region": {"startLine": LINE},
        }
        assert item["level"] == "error"


def test_sarif_has_the_shape_that_the_standard_gives_it() -> None:
    reports = (
        wrong_report(),
        report_of(Result(PROTECTED, "guaranteed", Verdict.PROVED)),
        report_of(Result(PROTECTED, "guaranteed", Verdict.UNKNOWN)),
    )
    for report in reports:
        SARIF.validate(to_sarif(checks_of(report)))
    misspelt = to_sarif(checks_of(wrong_report()))
    misspelt["runs"][0]["results"][0]["level"] = "fatal"
    assert not SARIF.is_valid(misspelt)


def test_braces_in_a_message_of_sarif_are_no_placeholders() -> None:
    lifted = LiftReport("is_time_expired", 1, "differs from execution on {'now': {0}}")
    (run,) = to_sarif(checks_of(dataclasses.replace(report_of(), lifted=(lifted,))))["runs"]
    (result,) = run["results"]
    assert result["message"]["text"].endswith("differs from execution on {{'now': {{0}}}}")


def test_sarif_of_what_is_good_has_no_results() -> None:
    (run,) = to_sarif(checks_of(report_of(Result(PROTECTED, "guaranteed", Verdict.PROVED))))["runs"]
    assert (run["results"], run["properties"]["good"]) == ([], True)


def test_what_is_only_undecided_is_a_warning() -> None:
    report = report_of(Result(PROTECTED, "guaranteed", Verdict.UNKNOWN))
    assert [item["level"] for item in to_sarif(checks_of(report))["runs"][0]["results"]] == ["warning"]
    assert next(iter(github_lines(checks_of(report)))).startswith("::warning file=")


def test_what_ends_a_property_of_an_annotation_is_escaped_there_and_not_in_its_message() -> None:
    odd = Trouble("PO-1", "a, b: 5 %\r\n::error::", "x, y: 5 %\r\nz", (FileLine("a,b:c%.py", 3),))
    assert next(github_lines(Checks("tenure prove", troubles=(odd,)))) == (
        "::error file=a%2Cb%3Ac%25.py,line=3,title=a%2C b%3A 5 %25%0D%0A%3A%3Aerror%3A%3A::x, y: 5 %25%0D%0Az"
    )


def test_annotations_are_one_escaped_line_each() -> None:
    lines = list(github_lines(checks_of(wrong_report())))
    assert len(lines) == 5
    (one,) = [line for line in lines if "PO-TBP-020" in line]
    assert one == (
        f"::error file={TIME_BASED},line={LINE},"
        f"title=PO-TBP-020%3A {claim_text(THRESHOLD)}::under guaranteed expected proved, is refuted: "
        "50 %25 | more,%0Aor: less"
    )
    assert lines[-1].startswith("::notice title=tenure prove::prove: 2 verdicts, NOT as expected")


@pytest.mark.parametrize(
    ("output", "begins"),
    [
        ("junit", '<?xml version="1.0"'),
        ("markdown", "## What `tenure prove` found"),
        ("sarif", '{\n  "$schema": "https://docs.oasis-open.org/sarif'),
        ("github", "::notice title=tenure prove::prove: 1 verdicts, everything as expected"),
    ],
)
def test_the_command_prints_each_form(output: str, begins: str) -> None:
    asked = ("--only", "PO-TBP-020", "--reading", "guaranteed", "--no-mutants", "--examples", "5")
    done = tenure("prove", "-j", "1", *asked, "-o", output)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(begins)


@pytest.mark.parametrize(("column", "said"), [("as-written", z3.sat), ("guaranteed", z3.unsat)])
def test_an_exported_question_has_the_expected_answer(column: str, said: Any, tmp_path: Path) -> None:
    path = export(PROTECTED, column, tmp_path / "made", {})
    assert path.name == f"PO-TBP-010.{column}.smt2"
    assert f"(set-info :status {said})" in path.read_text()
    solver = z3.Solver()
    solver.from_file(str(path))
    assert solver.check() == said


def test_a_folder_that_cannot_be_written_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="--smt2"):
        export(PROTECTED, "guaranteed", tmp_path / "file", {})


def test_the_command_exports_every_column(tmp_path: Path) -> None:
    asked = ("--only", "PO-TBP-300", "--reading", "guaranteed", "--no-mutants", "--examples", "1")
    done = tenure("prove", "-j", "1", *asked, "--smt2", str(tmp_path))
    assert done.returncode == 0, done.stderr
    columns = {"guaranteed", *OBLIGATIONS["PO-TBP-300"].columns_beside("guaranteed")}
    assert {path.name for path in tmp_path.iterdir()} == {f"PO-TBP-300.{column}.smt2" for column in columns}


def test_a_folder_that_cannot_be_written_ends_the_command_as_bad_input(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    asked = ("--only", "PO-TBP-020", "--reading", "guaranteed", "--no-mutants", "--examples", "5")
    done = tenure("prove", "-j", "1", *asked, "--smt2", str(tmp_path / "file"))
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
