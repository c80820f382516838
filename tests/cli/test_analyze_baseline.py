"""`tenure analyze baseline`, what `analyze diff --baseline` accepts, and the reports of a verdict."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tenure_check.analysis.change_verdict import FailOnChange
from tenure_check.analysis.difference_answer import GuaranteeChange
from tenure_check.analysis.matrix_answer import MatrixRole
from tenure_check.expectations.baseline import AcceptedShape, accepts
from tests.cli.test_analyze_matrix import QUEUES
from tests.cli.test_edits import git
from tests.command_line import tenure
from tools import libyaml
from tools.schemas import made_schema

SMALL = "--states", "30"
FAIL_ON = "--fail-on", "new-preemption,lost-guarantee"
WHY = "--reason", "agreed with b", "--until", "2999-01-31"
MORE = "--set", "clusterqueue/a.spec.preemption.withinClusterQueue=LowerOrNewerEqualPriority"


@pytest.fixture
def sides(tmp_path: Path) -> tuple[str, str]:
    """Before, ClusterQueue a reclaims from lower priorities alone; after, from any."""
    before, after = tmp_path / "before.yaml", tmp_path / "after.yaml"
    after.write_text(QUEUES, encoding="utf-8")
    changed = QUEUES.replace("reclaimWithinCohort: Any", "reclaimWithinCohort: LowerPriority")
    before.write_text(changed, encoding="utf-8")
    return str(before), str(after)


def judged(*words: str, code: int) -> Any:
    done = tenure("analyze", "diff", *words, *FAIL_ON, *SMALL, "-o", "json")
    assert done.returncode == code, done.stdout + done.stderr
    return json.loads(done.stdout)["verdict"]


def written(path: Path, **changed: str) -> str:
    """A file that accepts that a preempts b at any priority, but for what is changed."""
    entry = {
        "kind": "new-preemption",
        "preemptor": {"clusterQueue": "a"},
        "victim": {"clusterQueue": "b"},
        "reason": "agreed",
        "until": "2999-01-31",
        **changed,
    }
    path.write_text(libyaml.dump({"accepted": [entry]}), encoding="utf-8")
    return str(path)


def test_what_is_written_down_does_not_fail_and_more_does(sides: tuple[str, str], tmp_path: Path) -> None:
    file = tmp_path / "accepted.yaml"
    done = tenure("analyze", "baseline", *sides, *WHY, *SMALL, "--to", str(file))
    assert done.returncode == 0, done.stderr
    found = libyaml.load(file.read_text(encoding="utf-8"))
    Draft202012Validator(made_schema("baseline")).validate(found)
    for entry in found["accepted"]:
        assert (entry["preemptor"]["clusterQueue"], entry["victim"]["clusterQueue"]) == ("a", "b")
        del entry["preemptor"], entry["victim"]
        assert entry == {
            "kind": "new-preemption",
            "reasons": "InCohortReclamation",
            "reason": "agreed with b",
            "until": "2999-01-31",
        }
    verdict = judged(*sides, "--baseline", str(file), code=0)
    assert verdict["result"] == "PASS"
    assert {use["state"] for use in verdict["baseline"]} == {"accepts"}
    assert len(verdict["baseline"]) == len(found["accepted"])
    assert judged(*sides, *MORE, "--baseline", str(file), code=1)["failures"]["new-preemption"] == 1
    done = tenure("analyze", "diff", *sides, *FAIL_ON, *SMALL, "--baseline", str(file))
    assert done.stdout.decode().startswith("PASS: no other new preemption, no other lost guarantee than the")
    assert "until 2999-01-31: agreed with b" in done.stdout.decode()


def test_a_second_change_is_added_and_what_is_past_goes(sides: tuple[str, str], tmp_path: Path) -> None:
    file = Path(written(tmp_path / "accepted.yaml", until="2020-01-31"))
    for _ in range(2):
        done = tenure("analyze", "baseline", *sides, *MORE, *WHY, *SMALL, "--to", str(file))
        assert done.returncode == 0, done.stderr
        entries = libyaml.load(file.read_text(encoding="utf-8"))["accepted"]
        assert {entry["victim"]["clusterQueue"] for entry in entries} == {"a", "b"}
        assert all(entries.count(entry) == 1 for entry in entries)
        assert {entry["until"] for entry in entries} == {"2999-01-31"}


@pytest.mark.parametrize(
    ("changed", "state", "title"),
    [
        ({"until": "2020-01-31"}, "past its date", "Past their date in the baseline: they accept nothing"),
        ({"kind": "lost-guarantee"}, "applies to nothing", "In the baseline, and nothing that this change"),
        ({"reasons": "InClusterQueue"}, "applies to nothing", "In the baseline, and nothing that this"),
        ({"victim": {"clusterQueue": "a"}}, "applies to nothing", "In the baseline, and nothing that this"),
    ],
)
def test_an_entry_that_accepts_nothing_is_named(
    changed: dict[str, Any], state: str, title: str, sides: tuple[str, str], tmp_path: Path
) -> None:
    file = written(tmp_path / "accepted.yaml", **changed)
    verdict = judged(*sides, "--baseline", file, code=1)
    assert [use["state"] for use in verdict["baseline"]] == [state]
    done = tenure("analyze", "diff", *sides, *FAIL_ON, *SMALL, "--baseline", file)
    assert title in done.stdout.decode()
    assert "accepted[0]: " in done.stdout.decode()


def test_a_baseline_without_a_name_is_refused(sides: tuple[str, str]) -> None:
    done = tenure("analyze", "diff", *sides, *FAIL_ON, "--baseline", "")
    assert done.returncode == 2
    assert "error: --baseline: found '', expected a file that" in done.stderr.decode()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("accepted: 3", "Baseline: accepted: found 3, expected a list"),
        ("{}", "Baseline: accepted: found nothing, expected "),
        ("accepted: [{kind: all, reason: r, until: 2999-01-01}]", "Baseline: accepted[0].kind: found 'all'"),
        ("accepted: [{kind: new-loop, until: 2999-01-01}]", "Baseline: accepted[0].reason: found nothing"),
        (
            "accepted: [{kind: new-loop, reason: r, until: soon}]",
            "accepted[0].until: found soon, expected a day",
        ),
        (
            "accepted: [{kind: lost-guarantee, keeps: 4h, reason: r, until: 2999-01-01}]",
            "accepted[0].keeps: found no about, expected about: minAdmitDuration",
        ),
        ("{accepted: []}\n---\n{accepted: []}", "found 2 documents, expected one document with accepted"),
        ("{title: t, never: []}", "found a document with title, never, expected one document with"),
        ("{schema: tenure-baseline/9, accepted: []}", "schema: found 'tenure-baseline/9', expected "),
    ],
)
def test_what_is_wrong_with_a_baseline_is_named(
    text: str, found: str, sides: tuple[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "accepted.yaml"
    file.write_text(text, encoding="utf-8")
    done = tenure("analyze", "diff", *sides, *FAIL_ON, "--baseline", str(file))
    assert done.returncode == 2
    assert str(file) in done.stderr.decode()
    assert found in done.stderr.decode()


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (
            ("--reason", "r", "--until", "2020-01-31"),
            "--until: found 2020-01-31, which is past, expected a day",
        ),
        (("--reason", "r", "--until", "soon"), "--until: found soon, expected a day"),
        (("--reason", " ", "--until", "2999-01-31"), "--reason: found ' ', expected why it is accepted"),
        ((*WHY, "--accept", "any"), "--accept: found 'any', expected one or several of new-preemption"),
        ((*WHY, "--accept", ""), "--accept: found '', expected one or several of new-preemption"),
        ((*WHY, "--to", "no/such/folder"), "--to: "),
    ],
)
def test_what_cannot_be_written_down_is_named(
    words: tuple[str, ...], found: str, sides: tuple[str, str]
) -> None:
    done = tenure("analyze", "baseline", *sides, *words, *SMALL)
    assert done.returncode == 2
    assert found in done.stderr.decode()


def test_a_baseline_needs_what_fails(sides: tuple[str, str], tmp_path: Path) -> None:
    file = written(tmp_path / "accepted.yaml")
    done = tenure("analyze", "diff", *sides, "--baseline", file)
    assert done.returncode == 2
    assert "--baseline: found" in done.stderr.decode()


DATED = {"reason": "agreed", "until": "2999-01-31"}


@pytest.mark.parametrize(("keeps", "is_accepted"), [("1h", True), ("30m", True), ("2h", False)])
def test_of_a_guarantee_is_accepted_what_is_still_kept(keeps: str, *, is_accepted: bool) -> None:
    """Further loss of the same guarantee is another change."""
    one, other = MatrixRole("a", "high", 2), MatrixRole("b", "low", 1)
    lost = GuaranteeChange("lost", "minAdmitDuration", one, other, "r", "4h", "1h", (), False, None)
    shape = {"kind": "lost-guarantee", "about": "minAdmitDuration", "keeps": keeps, **DATED}
    entry = AcceptedShape.model_validate(shape)
    assert accepts(entry, FailOnChange.LOST_GUARANTEE, lost) == is_accepted
    assert not accepts(entry, FailOnChange.NEW_PREEMPTION, lost)


def test_the_annotation_is_a_sentence_with_file_and_line(tmp_path: Path) -> None:
    folder = tmp_path / "queues"
    folder.mkdir()
    git(tmp_path, "init", "-b", "main")
    for policy in ("Never", "Any"):
        text = QUEUES.replace("reclaimWithinCohort: Any", f"reclaimWithinCohort: {policy}")
        (folder / "all.yaml").write_text(text, encoding="utf-8")
        git(tmp_path, "add", "queues")
        git(tmp_path, "commit", "-m", policy)
    line = 1 + next(n for n, text in enumerate(QUEUES.splitlines()) if "reclaimWithinCohort: Any" in text)
    sentence = f"a can now preempt b: reclaimWithinCohort is Any (queues/all.yaml:{line})"
    reports = [f"{form}={form}" for form in ("github", "gitlab", "summary", "sarif", "junit")]
    words = [word for report in reports for word in ("--report", report)]
    done = tenure("analyze", "diff", "main~1:queues", "main:queues", *FAIL_ON, *SMALL, *words, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    said = {
        name: (tmp_path / name).read_text(encoding="utf-8")
        for name in (report.split("=")[0] for report in reports)
    }
    assert (
        f"::error file=queues/all.yaml,line={line},title=a can now preempt b::{sentence}\n" in said["github"]
    )
    (entry,) = json.loads(said["gitlab"])
    assert entry["description"] == sentence
    assert entry["location"] == {"path": "queues/all.yaml", "lines": {"begin": line}}
    (result,) = json.loads(said["sarif"])["runs"][0]["results"]
    assert result["message"]["text"] == sentence
    assert result["ruleId"] == "new-preemption"
    assert '<failure message="a can now preempt b">' in said["junit"]
    summary = said["summary"]
    assert "FAIL: a can now preempt b\n" in summary
    assert re.search(r"^1 a +[.X]  [.]     [.X]  X$", summary, re.MULTILINE)
    assert "changed: a over b\n" in summary
    assert summary.index("changed: ") < summary.index("<details>") < summary.index("smallest example")


def test_a_verdict_that_passes_annotates_nothing(sides: tuple[str, str]) -> None:
    done = tenure("analyze", "diff", sides[1], sides[0], *FAIL_ON, *SMALL, "--report", "github=-")
    assert done.returncode == 0
    assert "::error" not in done.stdout.decode()
    said = "::notice title=tenure analyze diff::PASS: no new preemption, no lost guarantee\n"
    assert said in done.stdout.decode()


def test_bad_input_is_reported_too(tmp_path: Path) -> None:
    done = tenure("analyze", "diff", str(tmp_path / "no"), str(tmp_path / "no"), "--report", "github=-")
    assert done.returncode == 2
    assert "::error " in done.stdout.decode()
