"""Files of expectations: what holds, what fails and why, and what is wrong with a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml
from jsonschema import Draft202012Validator

from tenure.cli.bundled import schema
from tenure.errors import InputError
from tenure_check.expectations import CheckResult, Status, load_documents, run
from tests.cikit.command import Run
from tests.cikit.repository import NOW, SAMPLE, break_expectation, change, sample
from tests.command_line import tenure
from tools import libyaml

CLUSTER = ["repository/queues", "repository/running"]
LATER = {"manifests": CLUSTER, "now": NOW}


def results(folder: Path, *documents: dict[str, Any]) -> list[CheckResult]:
    """What comes of some documents."""
    return [checked.result for checked in run(load_documents(written(folder, *documents)))]


def written(folder: Path, *documents: dict[str, Any]) -> Path:
    """A file of documents, beside a copy of the sample."""
    if not (folder / "repository").exists():
        sample(folder)
    file = folder / "a.tenure.yaml"
    file.write_text(libyaml.dump_all(documents), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("expectation", "found", "why"),
    [
        (
            {"expect": [{"workload": "eval", "decision": "Fit"}]},
            "Preempt: 1 of 2",
            "TBP-020 has run 4h1s",
        ),
        (
            {"expect": [{"workload": "ml/eval", "preempted": ["serving"]}]},
            "ml/train",
            "KQ-010  priority 1000 is not below 100",
        ),
        ({"expect": [{"workload": "eval", "preempted": []}]}, "ml/train", "TBP-020 has run 4h1s"),
        ({"expect": [{"workload": "eval", "kept": "train"}]}, "ml/train preempted", "TBP-050 "),
        ({"neverPreempted": "train"}, "preempted for ml/eval", "by KQ-040, TBP-050, TBP-020"),
    ],
    ids=["decision", "missing", "nobody", "kept", "never"],
)
def test_a_failure_says_what_was_found_and_which_rules_found_it(
    expectation: dict[str, Any], found: str, why: str, tmp_path: Path
) -> None:
    (result,) = results(tmp_path, {**LATER, **expectation})
    assert result.status == Status.FAILS
    assert result.found.startswith(found)
    assert any(why in line for line in result.lines), result.lines


def test_validate_looks_at_warnings_only_where_it_is_asked_for_none(tmp_path: Path) -> None:
    _, queue, local = libyaml.load_all((SAMPLE / "queues" / "gpu.yaml").read_text(encoding="utf-8"))
    local["spec"]["clusterQueue"] = "gone"
    valid, clean = results(
        tmp_path,
        {"manifests": [queue, local], "validate": "valid"},
        {"manifests": [queue, local], "validate": "clean"},
    )
    assert (valid.status, clean.status) == (Status.HOLDS, Status.FAILS)
    assert "DanglingReference" in clean.lines[0]
    wrong_type = {**local, "spec": {"clusterQueue": 3}}
    (wrong,) = results(tmp_path, {"manifests": [wrong_type], "validate": "valid"})
    assert wrong.status == Status.FAILS


def test_a_reading_decides_and_a_play_is_played_under_those_that_are_named(tmp_path: Path) -> None:
    soon = {**LATER, "now": "2026-03-02T12:00:00Z", "reading": "as-written"}
    newer = {**soon, "expect": [{"workload": "eval", "decision": "NoCandidates"}]}
    scenario = libyaml.load_all((SAMPLE / "quota.tenure.yaml").read_text(encoding="utf-8"))
    *_, play = scenario
    play["files"] = ["repository/queues/gpu.yaml"]
    play["expect"] = [{"reading": ["released", "guaranteed"], "at": "30m", "running": "second"}]
    decided, *played = run(load_documents(written(tmp_path, newer, play)))
    assert decided.result.status == Status.HOLDS
    assert [checked.check.name.rpartition(" ")[2] for checked in played] == ["[released]", "[guaranteed]"]
    for checked in played:
        assert checked.result.status == Status.FAILS
        assert any("admitted  ml/first" in line for line in checked.result.lines)


@pytest.mark.parametrize("form", ["text", "json", "yaml", "junit", "sarif", "github"])
def test_nothing_that_is_not_printable_is_printed(form: str, tmp_path: Path) -> None:
    bad = "a\x1b[2J\n::error::b\x9b\u202ec"
    said = {"manifests": [], "now": NOW, "expect": [{"workload": "w", "decision": "Fit"}]}
    file = tmp_path / f"{bad}.tenure.yaml".replace("/", "")
    file.write_text(libyaml.dump({**said, "test": bad, "neverPreempted": [bad]}), encoding="utf-8")
    play = tmp_path / "play.tenure.yaml"
    play.write_text(libyaml.dump({"scenario": bad, "until": "1h", "expct": 1}), encoding="utf-8")
    for arguments in (["test", str(file), "-o", form], ["test", str(tmp_path)], ["simulate", str(play)]):
        done = tenure(*arguments, cwd=tmp_path)
        assert done.returncode == 2
        lines = (done.stdout + done.stderr).decode().split("\n")
        assert [line for line in lines if not line.isprintable() or line.startswith("::error::b")] == []


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (kind, name)
        for kind in ("manifests", "files")
        for name in ("./-", "/dev/fd/0", "../secret.yaml", "{outside}/secret.yaml", "link.yaml")
    ],
)
def test_a_file_names_nothing_outside(
    kind: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = tmp_path / "checkout"
    inside.mkdir()
    (tmp_path / "secret.yaml").write_text("hunter2\n", encoding="utf-8")
    (inside / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    monkeypatch.chdir(inside)
    said = {kind: [name.format(outside=tmp_path)], "until": "1h", "expect": [{"preemptions": 0}]}
    if kind == "manifests":
        said = {"manifests": said["manifests"], "validate": "valid"}
    Path("a.tenure.yaml").write_text(libyaml.dump(said), encoding="utf-8")
    done = tenure("test", "a.tenure.yaml", stdin=b"hunter2\n", cwd=inside)
    assert done.returncode == 2
    assert f"{kind}[0]: found " in (done.stdout + done.stderr).decode()
    assert b"hunter2" not in done.stdout + done.stderr


def test_a_folder_of_manifests_may_hold_the_expectations_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = sample(tmp_path)
    monkeypatch.chdir(repository)
    file = repository / "queues" / "mine.tenure.yaml"
    expect = [{"workload": "eval", "kept": "serving"}]
    said = {"manifests": [".", "../running"], "now": NOW, "expect": expect}
    file.write_text(libyaml.dump(said), encoding="utf-8")
    assert [checked.result.status for checked in run(load_documents(file))] == [Status.HOLDS]


def test_who_is_meant_by_two_is_told_apart_by_the_field(tmp_path: Path) -> None:
    twice = [{"workload": "eval", "decision": "Preempt"}] * 2
    (document,) = load_documents(written(tmp_path, {**LATER, "expect": twice}))
    assert len({check.name for check in document.checks}) == 2


EXPECT = {"expect": [{"workload": "eval", "decision": "Fit"}]}


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({**LATER, "expct": []}, "expct: found [], expected no field of this name; did you mean expect?"),
        ({**LATER}, "found nothing that is expected, expected one of expect, neverPreempted, validate"),
        ({**LATER, "expect": [{"workload": "eval"}]}, "expect[0]: found a workload alone"),
        ({**LATER, "expect": [{"decision": "Fit"}]}, "expect[0].workload: found nothing"),
        (
            {**LATER, "expect": [{"workload": "eval", "decision": "fit"}]},
            "expect[0].decision: found 'fit', expected one of 'Fit'",
        ),
        ({**LATER, "validate": "strict"}, "validate: found 'strict', expected one of 'valid' or 'clean'"),
        ({**LATER, **EXPECT, "manifests": 1}, "manifests: found 1, expected a list"),
        ({"foo": 1}, "found keys foo, expected a map with manifests, or with until: a scenario"),
    ],
    ids=lambda value: "" if isinstance(value, dict) else value.split(":")[0],
)
def test_what_is_wrong_with_a_file_names_file_field_found_and_expected(
    document: dict[str, Any], words: str, tmp_path: Path
) -> None:
    file = written(tmp_path, document)
    with pytest.raises(InputError) as raised:
        load_documents(file)
    (problem,) = raised.value.problems
    assert (problem.file, words in str(problem)) == (str(file), True), str(problem)
    assert list(Draft202012Validator(schema("expectations")).iter_errors(document))


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({"manifests": CLUSTER, **EXPECT}, "now: found nothing, expected a time"),
        ({**LATER, "manifests": ["gone/"], **EXPECT}, "found no such file or folder"),
        ({**LATER, "manifests": [3], **EXPECT}, "manifests[0]: found 3, expected the name of a file"),
        ({**LATER, "reading": "garanteed", **EXPECT}, "reading: found 'garanteed'"),
        ({**LATER, "neverPreempted": "evl"}, "neverPreempted[0]: found 'evl', expected one of 2 work"),
        ({**LATER, "expect": [{"workload": "evla", "decision": "Fit"}]}, "expect[0].workload: found 'evla'"),
    ],
    ids=lambda value: "" if isinstance(value, dict) else value.split(":")[0],
)
def test_what_cannot_be_found_out_is_neither_right_nor_wrong(
    document: dict[str, Any], words: str, tmp_path: Path
) -> None:
    (result,) = results(tmp_path, document)
    assert result.status == Status.ERROR
    assert words in result.found


def test_the_schemas_say_what_is_read() -> None:
    text = (SAMPLE / "quota.tenure.yaml").read_text(encoding="utf-8")
    for document in yaml.load_all(text, yaml.BaseLoader):
        name = "scenario" if "until" in document else "expectations"
        document.pop("expect") if name == "scenario" else None  # numbers are texts to this loader
        assert list(Draft202012Validator(schema(name)).iter_errors(document)) == []


def test_one_run_answers_and_writes_every_report(tmp_path: Path, run_tenure: Run) -> None:
    repository = sample(tmp_path)
    line = break_expectation(repository)
    reports = ("--report", "junit=j.xml", "--report", "sarif=s.sarif", "--report", "github=g.txt")
    done = run_tenure(repository, "test", ".", "-o", "json", *reports)
    assert done.code == 1
    answer = json.loads(done.out)
    assert list(Draft202012Validator(schema("test")).iter_errors(answer)) == []
    (wrong,) = [item for item in answer["expectations"] if item["status"] != "holds"]
    assert (wrong["file"], wrong["line"], wrong["field"]) == ("quota.tenure.yaml", line, "expect[0].decision")
    (failure,) = ET.parse(repository / "j.xml").iter("failure")
    assert "expected Preempt, found NoCandidates" in failure.get("message", "")
    assert "minAdmitDuration below 4h (ClusterQueue gpu" in (failure.text or "")
    (result,) = json.loads((repository / "s.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "quota.tenure.yaml"},
        "region": {"startLine": line},
    }
    annotation = (repository / "g.txt").read_text(encoding="utf-8").splitlines()[0]
    assert annotation.startswith(
        f"::error file=quota.tenure.yaml,line={line},title=ml/eval%3A Preempt::expected"
    )


def test_the_command_ends_as_its_help_says(tmp_path: Path, run_tenure: Run) -> None:
    repository = sample(tmp_path)
    done = run_tenure(repository, "test", "quota.tenure.yaml")
    assert (done.code, done.out.splitlines()[-1]) == (0, "test: 9 expectations, 0 fail")
    change(repository / "quota.tenure.yaml", "workload: eval", "workload: evil")
    done = run_tenure(repository, "test", ".")
    assert done.code == 2
    assert "3 cannot be checked" in done.out
    done = run_tenure(repository, "test", "queues", "gone")
    assert done.code == 2
    assert "queues: found no file named *.tenure.yaml" in done.err
    assert "gone: found no such file or folder" in done.err


def test_input_that_no_expectation_can_do_without_is_said_to_be_wrong_once(
    tmp_path: Path, run_tenure: Run
) -> None:
    expected = [{"workload": name, "decision": "Fit"} for name in ("ml/a", "ml/b", "ml/c")]
    file = written(tmp_path, {"manifests": ["gone.yaml"], "now": NOW, "expect": expected})
    done = run_tenure(tmp_path, "test", str(file), "--report", "sarif=s.sarif")
    assert done.code == 2
    assert done.out.count("gone.yaml: found no such file or folder") == 1
    assert done.out.splitlines()[2:] == [
        "  ERR  ml/b: Fit: for the same reason",
        "  ERR  ml/c: Fit: for the same reason",
        "test: 3 expectations, 0 fail, 3 cannot be checked",
    ]
    results = json.loads((tmp_path / "s.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
    assert [result["ruleId"] for result in results] == ["bad-input"]


def test_what_is_excepted_takes_three_lines_and_json_has_the_rest(tmp_path: Path) -> None:
    queue = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ClusterQueue",
        "metadata": {"name": "q"},
        "spec": {
            "preemption": {"withinClusterQueue": "LowerPriority"},
            "resourceGroups": [
                {
                    "coveredResources": ["cpu"],
                    "flavors": [{"name": "f", "resources": [{"name": "cpu", "nominalQuota": 1}]}],
                }
            ],
        },
    }
    flavor = {"apiVersion": queue["apiVersion"], "kind": "ResourceFlavor", "metadata": {"name": "f"}}
    role, excepted = {"clusterQueue": "q"}, {"reason": "agreed", "until": "2999-12-31"}
    never = {"preemptor": role, "victim": role, "except": excepted}
    path = written(tmp_path, {"manifests": [flavor, queue], "never": never})
    done = tenure("test", str(path))
    assert done.returncode == 0, done.stdout
    _, claim, exception, allowed, *_ = done.stdout.decode().splitlines()
    assert claim.startswith("  exc  workloads of q never preempt workloads of q: q at priority ")
    assert exception == "         exception until 2999-12-31: agreed"
    assert allowed.startswith("         allowed by ClusterQueue/q spec.preemption.withinClusterQueue")
    (answer,) = json.loads(tenure("test", str(path), "-o", "json").stdout)["expectations"]
    assert any("by an example" in line for line in answer["why"])
