"""The functions of `import tenure` answer what the commands of their names print."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

import tenure
from tenure.resources import bundled
from tests.command_line import run_program
from tests.command_line import tenure as command
from tests.examples import change, copied

NOW = "2026-03-02T14:00:00Z"
RUNS, WAITS = "team-a/job-pretrain-7b-e95a1", "team-a/job-long-context-8a5dc"
ANSWERS: dict[str, tuple[Callable[[tenure.Loaded], tenure.Answer[Any]], tuple[str, ...]]] = {
    "why": (lambda two: tenure.why(two, RUNS, now=NOW), ("why", RUNS)),
    "why of one": (
        lambda two: tenure.why(two, RUNS, WAITS, now=NOW, verbose=True),
        ("why", RUNS, "-w", WAITS, "-v"),
    ),
    "why-not": (lambda two: tenure.why_not(two, WAITS, now=NOW), ("why-not", WAITS)),
    "next": (lambda two: tenure.next(two, now=NOW), ("next",)),
    "next of one": (
        lambda two: tenure.next(two, WAITS, now=NOW, until="2h"),
        ("next", WAITS, "--until", "2h"),
    ),
    "loops": (tenure.loops, ("analyze", "loops")),
    "matrix": (tenure.matrix, ("analyze", "matrix")),
    "guarantees": (tenure.guarantees, ("analyze", "guarantees")),
}


@pytest.fixture
def example(tmp_path: Path) -> Path:
    return copied("two-teams", tmp_path)


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_has_the_forms_of_the_command(example: Path, name: str) -> None:
    function, words = ANSWERS[name]
    at = () if words[0] == "analyze" else ("--now", NOW)
    answer = function(tenure.load(example))
    rest = ("look up an identifier", "Kueue ")
    lines = command(*words, str(example), *at).stdout.decode().splitlines()
    assert [line for line in lines if not line.startswith(rest)] == answer.text.splitlines()
    written = json.loads(command(*words, str(example), *at, "-o", "json").stdout)
    own = json.loads(json.dumps(answer.json()))
    assert {key: own[key] for key in own if key not in ("kueue", "warnings")} == {
        key: written[key] for key in own if key not in ("kueue", "warnings")
    }
    assert repr(answer).count("\n") == 0
    shown = answer._repr_html_()
    assert shown.startswith("<h3>")
    assert "<ul></ul>" not in shown
    worded = shown.partition("<svg")[0]
    assert not re.search(r"(^|[\s(])--?[a-z]", re.sub("<[^>]*>", " ", worded))  # options are the command's


def test_a_difference_is_that_of_two_loaded_clusters(example: Path, tmp_path: Path) -> None:
    changed = copied("two-teams", tmp_path / "changed")
    change(changed / "queues.yaml", "ClusterQueue", "gpu-cluster-queue", "spec", "preemption", to={})
    answer = tenure.diff(tenure.load(example), tenure.load(changed), now=NOW)
    lines = command("diff", str(example), str(changed), "--now", NOW).stdout.decode().splitlines()
    assert answer.text.splitlines()[:2] == lines[:2]
    assert answer.record.joint is not None


def test_a_page_is_shown_in_a_frame_that_runs_its_script_and_nothing_else(tmp_path: Path) -> None:
    page = tenure.report(tenure.load(bundled("examples", "two-teams")), now=NOW)
    shown = page._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts" ')
    assert shown.count("<") == 2  # the frame alone; the page is an attribute
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page.html
    assert repr(page) == "<ClusterPage: 1 ClusterQueue, 16 running and 4 pending workloads>"


def test_every_function_is_listed_and_is_there() -> None:
    added = {entry.name for entry in entry_points(group="tenure.functions")}
    assert added <= {*dir(tenure)}
    assert all(callable(getattr(tenure, name)) for name in added)
    assert [name for name in dir(tenure) if getattr(tenure, name, None) is None] == []


def test_settings_are_compared_on_a_trace() -> None:
    jobs = Path(__file__).parents[1] / "cli" / "trace"
    sweep = ("minAdmitDuration=off,1h",)
    answer = tenure.simulate(jobs / "queues.yaml", jobs / "trace.csv", sweep=sweep)
    words = ("simulate", str(jobs / "queues.yaml"), "--trace", str(jobs / "trace.csv"), "--sweep", *sweep)
    written = json.loads(command(*words, "-o", "json").stdout)
    assert json.loads(json.dumps(answer.json()))["settings"] == written["settings"]


def test_a_table_is_a_frame_with_dotted_columns(example: Path) -> None:
    matrix = tenure.matrix(tenure.load(example))
    frame = matrix.to_frame()
    assert len(frame) == len(matrix.record.cells)
    assert {"preemptor.clusterQueue", "victim.priority", "verdict"} <= {*frame.columns}
    assert [*frame["verdict"]] == [cell.verdict for cell in matrix.record.cells]
    with pytest.raises(tenure.InputError, match="expected one with a table"):
        tenure.loops(tenure.load(example)).to_frame()


def test_a_frame_without_rows_has_the_columns_of_one_with_rows(example: Path, tmp_path: Path) -> None:
    two = tenure.load(example)
    same = tenure.diff(two, two, now=NOW).to_frame()
    changed = copied("two-teams", tmp_path / "changed")
    change(changed / "queues.yaml", "ClusterQueue", "gpu-cluster-queue", "spec", "preemption", to={})
    other = tenure.diff(two, tenure.load(changed), now=NOW).to_frame()
    assert (len(same), len(other)) == (0, 2)
    assert [*same.columns] == [*other.columns]
    assert "workload" in same.columns


def test_a_notebook_shows_the_queues_of_what_was_loaded(example: Path) -> None:
    shown = tenure.load(example)._repr_html_()
    assert "<td>gpu-cluster-queue</td><td></td><td>16</td><td>4</td>" in shown


UNGUARDED = """
import tenure
from tenure.resources import bundled
print("once")
two = tenure.load(bundled("examples", "two-teams"))
page = tenure.report(two, now="2026-03-02T14:00:00Z", budget=600)
print("Which workloads can ever preempt which" in page.html)
"""


def test_a_script_that_guards_nothing_is_run_once(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(UNGUARDED, encoding="utf-8")
    done = run_program(sys.executable, "script.py", cwd=tmp_path)
    assert (done.returncode, done.stdout.splitlines()) == (0, ["once", "True"]), done.stderr


def test_files_are_validated() -> None:
    assert tenure.validate([]).errors == ()
