"""Reports beside an answer: every form, at the file and line that it is about, whatever a name holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tenure.errors import InputError
from tenure.manifests.source_lines import SourceLines, read_lines
from tenure.reports import (
    Case,
    FileLine,
    Report,
    Severity,
    Suite,
    Trouble,
    github_lines,
    junit_lines,
    summary_lines,
    to_sarif,
)
from tenure.reports.forms import parse_targets
from tests.cikit.command import Run
from tests.cikit.repository import NOW, break_quota, change, sample

NASTY = "100 %\r\n::error::<b>&\x1b[31m\ud800]]>"
ALL = ("--report", "junit=j.xml", "--report", "sarif=s.sarif", "--report", "github=g.txt")


def sarif_of(folder: Path) -> list[dict[str, Any]]:
    """The results of the SARIF file that `ALL` asks for."""
    run = json.loads((folder / "s.sarif").read_text(encoding="utf-8"))["runs"][0]
    known = {item["id"] for item in run["tool"]["driver"]["rules"]}
    assert {item["ruleId"] for item in run["results"]} <= known
    found: list[dict[str, Any]] = run["results"]
    return found


def at(result: dict[str, Any]) -> tuple[str, int]:
    """File and line of a result."""
    (location,) = result["locations"]
    place = location["physicalLocation"]
    return place["artifactLocation"]["uri"], place["region"]["startLine"]


def test_no_text_breaks_a_form() -> None:
    trouble = Trouble("x", NASTY, NASTY, (FileLine(f"a{NASTY[:5]},b.yaml", 3),), Severity.WARNING)
    report = Report(
        "tool", (Suite(NASTY, (Case(NASTY, NASTY, NASTY, details=NASTY, output=NASTY),)),), (trouble,)
    )
    (line,) = github_lines(report)
    assert line.startswith("::warning file=a100 %25%2Cb.yaml,line=3,title=100 %25%0D%0A%3A%3Aerror%3A%3A<b>")
    assert "\n" not in line
    assert "\r" not in line
    summary = list(summary_lines(report))
    assert not [line for line in summary if "<b>" in line or "\x1b" in line]
    assert {line for line in summary if line.startswith("<")} == {
        "<pre>",
        "</pre>",
        "<details><summary>Details 1 of 1</summary>",
        "</details>",
    }
    suites = ET.fromstring("\n".join(junit_lines(report)).encode())
    (failure,) = suites.iter("failure")
    assert failure.text == "100 %\n::error::<b>&?[31m?]]>"
    assert json.loads(json.dumps(to_sarif(report)))["runs"][0]["results"][0]["level"] == "warning"


def test_a_file_is_named_below_the_current_folder_or_else_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    places = [
        FileLine("a b#c.yaml"),
        FileLine(str(tmp_path / "in" / "a.yaml")),
        FileLine("/elsewhere/a.yaml"),
    ]
    results = to_sarif(
        Report("t", troubles=tuple(Trouble("x", "", "", (file_line,)) for file_line in places))
    )["runs"][0]
    uris = [
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in results["results"]
    ]
    assert uris == ["a%20b%23c.yaml", "in/a.yaml", "file:///elsewhere/a.yaml"]


@pytest.mark.parametrize("written", ["junit", "xml=a", "sarif=", "junit=gone/a.xml"])
def test_a_report_that_cannot_be_written_is_said_before_anything_is_done(written: str) -> None:
    with pytest.raises(InputError, match="--report: found "):
        parse_targets([written])


LIST = """\
apiVersion: v1
kind: List
items:
- kind: Cohort
  metadata: {name: a}
- kind: LocalQueue
  metadata:
    namespace: n
    name: b
  spec:
    labels: {a.b/c: 1}
    "quoted":
    - - x
      - y
"""


@pytest.mark.parametrize(
    ("name", "path", "line"),
    [
        ("Cohort/a", "", 4),
        ("Cohort/a", "spec.parentName", 4),
        ("LocalQueue/n/b", "metadata.name", 9),
        ("LocalQueue/n/b", "spec.labels[a.b/c]", 11),
        ("LocalQueue/n/b", "spec.quoted[0][1]", 14),
        ("LocalQueue/n/gone", "spec", 0),
    ],
)
def test_a_field_is_found_in_a_list_or_else_what_holds_it(
    name: str, path: str, line: int, tmp_path: Path
) -> None:
    (tmp_path / "a.yaml").write_text(LIST, encoding="utf-8")
    assert SourceLines().of_field(str(tmp_path / "a.yaml"), name, path) == line


def test_a_typed_list_in_json_is_looked_up_too(tmp_path: Path) -> None:
    items = [{"metadata": {"name": "a"}}, {"metadata": {"name": "b"}, "spec": {"x": 1}}]
    file = tmp_path / "a.json"
    file.write_text(json.dumps({"kind": "CohortList", "items": items}, indent=1), encoding="utf-8")
    expected = file.read_text(encoding="utf-8").splitlines().index('    "x": 1') + 1
    assert SourceLines().of_field(str(file), "Cohort/b", "spec.x") == expected


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "a: [", "a: &a [*a]\nb: *gone\n", "\x00", "- " * 5000, "? {a: b}\n: c"]
)
def test_a_hostile_file_ends_the_look_up_and_nothing_else(text: str) -> None:
    read_lines(text)


FAULTY = """\
kind: Cohort
metadata: {name: a}
spec: &spec
  x:
    y: 1
---
kind: Cohort
metadata: {name: b}
spec: {x: 2, x: {},
  z: 3}
---
kind: Cohort
metadata: {name: c}
spec:
- 1
- *gone
"""


@pytest.mark.parametrize(
    ("name", "path", "line"),
    [
        ("Cohort/a", "spec.x.y", 5),
        ("Cohort/b", "spec.x.y", 9),
        ("Cohort/c", "spec[0]", 15),
        ("Cohort/c", "spec[1]", 14),
    ],
)
def test_lines_are_found_beside_faults(name: str, path: str, line: int, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(FAULTY, encoding="utf-8")
    assert SourceLines().of_field(str(tmp_path / "a.yaml"), name, path) == line


def test_validate_points_at_the_field_and_tells_warnings_apart(tmp_path: Path, run_tenure: Run) -> None:
    repository = sample(tmp_path)
    line = break_quota(repository)
    change(repository / "queues" / "gpu.yaml", "clusterQueue: gpu", "clusterQueue: gpus")
    done = run_tenure(repository, "validate", "queues", *ALL)
    assert done.code == 1
    error, warning = sarif_of(repository)
    assert (error["level"], at(error)) == ("error", ("queues/gpu.yaml", line))
    assert (warning["level"], warning["ruleId"]) == ("warning", "DanglingReference")
    cases = {element.get("name"): element for element in ET.parse(repository / "j.xml").iter("testcase")}
    assert [name for name, element in cases.items() if element.find("failure") is not None] == [
        "ClusterQueue/gpu"
    ]
    assert "DanglingReference" in (cases["LocalQueue/ml/batch"].findtext("system-out") or "")
    strict = run_tenure(repository, "validate", "queues", "--strict", "--report", "junit=j.xml")
    assert strict.code == 1
    assert len(list(ET.parse(repository / "j.xml").iter("failure"))) == 2


def test_a_number_in_quoted_text_is_no_line(tmp_path: Path, run_tenure: Run) -> None:
    text = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: a}\nspec:\n"
    (tmp_path / "a.yaml").write_text(f"{text}  preemption: see line 999\n", encoding="utf-8")
    done = run_tenure(tmp_path, "decide", "a.yaml", "--all-pending", "--now", NOW, "--report", "github=g.txt")
    assert "line 999" in done.err
    assert "file=a.yaml,line=5," in (tmp_path / "g.txt").read_text(encoding="utf-8")


def test_what_cannot_be_read_is_reported_at_its_line(tmp_path: Path, run_tenure: Run) -> None:
    repository = sample(tmp_path)
    for command in (
        ("validate", "chart"),
        ("decide", "chart", "--now", NOW),
        ("simulate", "chart"),
        ("test", "chart/queue.yaml"),
    ):
        done = run_tenure(repository, *command, *ALL)
        assert (done.code, done.err.startswith("error: chart/queue.yaml: ")) == (2, True)
        (result, *_) = sarif_of(repository)
        assert at(result) == ("chart/queue.yaml", 3), command
        assert next(ET.parse(repository / "j.xml").iter("error")) is not None
        assert "::error file=chart/queue.yaml,line=3," in (repository / "g.txt").read_text(encoding="utf-8")


def test_decide_compares_with_what_is_expected(tmp_path: Path, run_tenure: Run) -> None:
    repository = sample(tmp_path)
    asked = ("decide", "queues", "running", "-w", "ml/eval", "--now", NOW)
    assert run_tenure(repository, *asked, "--expect", "Preempt", *ALL).code == 0
    assert sarif_of(repository) == []
    done = run_tenure(repository, *asked, "--expect", "Fit", *ALL)
    assert done.code == 1
    assert "error: expected Fit, found Preempt: 1 of 2" in done.err
    (result,) = sarif_of(repository)
    text = (repository / "running" / "workloads.yaml").read_text(encoding="utf-8")
    number = text[: text.index("name: eval")].count("\n") - 2
    assert at(result) == ("running/workloads.yaml", number)
    both = run_tenure(repository, "decide", "queues", "running", "--all-pending", "--expect", "Fit")
    assert (both.code, "--expect: found 'Fit', expected either" in both.err) == (2, True)


def test_all_who_wait_are_reported_with_those_who_cannot_be_decided(tmp_path: Path, run_tenure: Run) -> None:
    repository = sample(tmp_path)
    asked = ("decide", "queues", "running", "--all-pending", "--now", NOW, *ALL)
    assert run_tenure(repository, *asked).code == 0
    (case,) = ET.parse(repository / "j.xml").iter("testcase")
    assert (case.get("classname"), case.get("name")) == ("gpu", "ml/eval")
    change(
        repository / "running" / "workloads.yaml",
        "nvidia.com/gpu: 4",
        "nvidia.com/gpu: 4\n            claims: [{name: gpus}]",
    )
    assert run_tenure(repository, *asked).code == 2
    (result,) = sarif_of(repository)
    assert result["ruleId"] == "not-modelled"
    assert at(result)[0] == "running/workloads.yaml"


def test_play_points_at_the_expectation(tmp_path: Path, run_tenure: Run) -> None:
    repository = sample(tmp_path)
    text = (repository / "quota.tenure.yaml").read_text(encoding="utf-8").rpartition("---\n")[2]
    play = repository / "play.yaml"
    play.write_text(f"until: 1h\n---\n{text}", encoding="utf-8")
    change(play, "  waiting: second", "  waiting: first")
    done = run_tenure(repository, "simulate", "play.yaml", *ALL)
    assert done.code == 1
    (result,) = sarif_of(repository)
    line = play.read_text(encoding="utf-8").splitlines().index("  waiting: first") + 1
    assert at(result) == ("play.yaml", line)
    suites = {
        element.get("name"): element.get("failures")
        for element in ET.parse(repository / "j.xml").iter("testsuite")
    }
    assert suites == {"play-1 under guaranteed": "0", "rotation under guaranteed": "1"}


def test_a_result_keeps_its_fingerprint_where_its_lines_move_and_its_words_change() -> None:
    def fingerprints(*troubles: Trouble) -> list[str]:
        results = to_sarif(Report("tool", troubles=troubles))["runs"][0]["results"]
        return [result["partialFingerprints"]["tenure/v1"] for result in results]

    first = Trouble("x", "a: spec", "found 1", (FileLine("q.yaml", 3),))
    moved = Trouble("x", "a: spec", "found 2", (FileLine("q.yaml", 30),))
    other = Trouble("x", "b: spec", "found 1", (FileLine("q.yaml", 3),))
    assert fingerprints(first) == fingerprints(moved)
    assert len({*fingerprints(first, moved, other)}) == 3, "what differs in its words alone is told apart"
