"""`tenure decide --all-pending`: all pending workloads, each taken alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import tenure
from tests.examples import change, copied
from tools import libyaml

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
AT = {"two-teams": "2026-03-02T14:00:00Z", "shared-cohort": "2026-05-11T14:00:00Z"}
ALL = ("--all-pending", "--now", AT["two-teams"])


def answered(*arguments: str) -> dict[str, Any]:
    """All decisions as JSON."""
    done = tenure("decide", *arguments, "-o", "json")
    assert done.returncode == 0, done.stderr.decode()
    parsed: dict[str, Any] = json.loads(done.stdout)
    return parsed


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the first example that a test may change."""
    return copied("two-teams", tmp_path)


def test_the_table_has_a_row_for_every_pending_workload() -> None:
    done = tenure("decide", "--example", "two-teams", *ALL)
    assert (done.returncode, done.stderr) == (0, b"")
    jointly, played, blank, head, *rows, empty, counted, clock = done.stdout.decode().splitlines()
    assert jointly.startswith(
        "Jointly 1 of 4 pending workloads starts (team-b/job-eval-suite-d739e); 11 are "
    )
    assert (played, blank) == (
        "  jointly: the coming cycles as `tenure next` plays them, "
        "then nothing changes before 2026-03-02T15:02:53Z",
        "",
    )
    assert head.split() == ["WORKLOAD", "QUEUE", "DECISION", "VICTIMS", "REASONS"]
    assert [row.split()[:3] for row in rows] == [
        ["team-b/job-moe-64-448bc", "gpu-cluster-queue", "NoFit"],
        ["team-b/job-eval-suite-d739e", "gpu-cluster-queue", "Preempt"],
        ["team-a/job-long-context-8a5dc", "gpu-cluster-queue", "NoCandidates"],
        ["team-a/job-doc-index-dfa0b", "gpu-cluster-queue", "Preempt"],
    ]
    assert rows[1].split(None, 3)[3] == "3  1 InClusterQueue, 2 InClusterQueueTimeBased"
    assert rows[2].endswith("37 nvidia.com/gpu short on a100: 40 asked, 61 of 64 in use")
    assert (empty, counted) == ("", "4 pending workloads: 2 Preempt, 1 NoFit, 1 NoCandidates")
    assert clock == "  clock 2026-03-02T14:00:00Z, reading guaranteed; each taken alone"


@pytest.mark.parametrize("example", AT)
def test_every_pending_workload_gets_the_decision_that_it_gets_alone(example: str) -> None:
    clock = ("--now", AT[example])
    listed = answered("--example", example, "--all-pending", *clock)
    for row in listed["pending"]:
        alone = answered("--example", example, "-w", row["workload"], *clock)
        for name in ("clusterQueue", "decision", "preempted", "effects"):
            assert row[name] == alone[name]
        assert (listed["now"], listed["reading"]) == (alone["now"], alone["reading"])


def test_the_order_is_by_cluster_queue_then_priority_then_time(folder: Path) -> None:
    listed = answered("--example", "shared-cohort", "--all-pending", "--now", AT["shared-cohort"])
    queues = [row["clusterQueue"] for row in listed["pending"]]
    assert len(set(queues)) > 1
    assert queues == sorted(queues)
    # The same priority for two: the one that was created later comes after.
    file = folder / "workloads-team-b.yaml"
    for name, created in (
        ("job-moe-64-448bc", "2026-03-02T10:00:00Z"),
        ("job-eval-suite-d739e", "2026-03-02T09:00:00Z"),
    ):
        change(file, "Workload", name, "spec", "priority", to=900)
        change(file, "Workload", name, "metadata", "creationTimestamp", to=created)
    names = [row["workload"] for row in answered(str(folder), *ALL)["pending"]]
    assert names[:2] == ["team-b/job-eval-suite-d739e", "team-b/job-moe-64-448bc"]


def test_what_is_not_modelled_is_a_row_with_its_reason(folder: Path) -> None:
    file = folder / "workloads-team-b.yaml"
    path = "spec", "podSets", 0, "template", "spec", "resourceClaims"
    change(file, "Workload", "job-moe-64-448bc", *path, to=[{"name": "gpu"}])
    listed = answered(str(folder), *ALL)
    last = listed["pending"][-1]
    assert (last["workload"], last["clusterQueue"], last["decision"]) == (
        "team-b/job-moe-64-448bc",
        None,
        None,
    )
    (problem,) = last["problems"]
    assert (problem["code"], problem["field"]) == (
        "not-modelled",
        "spec.podSets[0].template.spec.resourceClaims",
    )
    assert sum("job-moe-64-448bc" in warning for warning in listed["warnings"]) == 1
    text = tenure("decide", str(folder), *ALL).stdout.decode()
    (row,) = [line for line in text.splitlines() if line.startswith("team-b/job-moe-64-448bc")]
    assert "not decided" in row
    assert "spec.podSets[0].template.spec.resourceClaims: found" in row
    assert "3 pending" not in text
    assert "1 not decided" in text


def test_a_workload_without_its_local_queue_does_not_stop_the_others(folder: Path) -> None:
    change(folder / "workloads-team-b.yaml", "Workload", "job-moe-64-448bc", "spec", "queueName", to="gone")
    rows = answered(str(folder), *ALL)["pending"]
    assert [row["decision"] for row in rows] == ["Preempt", "NoCandidates", "Preempt", None]
    assert rows[-1]["problems"][0]["field"] == "spec.queueName"


def test_the_table_names_the_core_where_it_decides() -> None:
    done = tenure("decide", "--example", "two-teams", *ALL, "--engine", "fast")
    clock = "  clock 2026-03-02T14:00:00Z, reading guaranteed, engine fast; each taken alone"
    assert done.stdout.decode().splitlines()[-1] == clock
    listed = [answered("--example", "two-teams", *ALL, "--engine", name) for name in ("auto", "fast")]
    assert [entry["engine"] for entry in listed] == ["reference", "fast"]
    # The core keeps less of what it found than the reference tells.
    plain, fast = ([{**row, "summary": row["summary"][:0]} for row in entry["pending"]] for entry in listed)
    assert plain == fast


def test_a_hint_is_given_once_where_the_core_would_be_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def hints(*words: str) -> int:
        done = tenure("decide", "--example", "two-teams", *ALL, *words)
        return done.stderr.count(b"pip install 'tenure[fast]'")

    monkeypatch.setattr("tenure.engines.choice.find_spec", lambda _: None)
    assert hints() == 0
    monkeypatch.setattr("tenure.engines.choice.MUCH", 1)
    assert hints() == 1
    assert hints("--verbose") == 0
    assert hints("--engine", "reference") == 0


def test_one_cluster_queue_can_be_asked_about_alone() -> None:
    clock = ("--all-pending", "--now", AT["shared-cohort"])
    rows = answered("--example", "shared-cohort", *clock)["pending"]
    mine = answered("--example", "shared-cohort", *clock, "--cluster-queue", "llm")["pending"]
    assert mine == [row for row in rows if row["clusterQueue"] == "llm"]
    assert mine
    done = tenure("decide", "--example", "shared-cohort", *clock, "--cluster-queue", "lm")
    assert done.returncode == 2
    assert b"the name of one of 5 ClusterQueues" in done.stderr


def test_explained_each_is_said_in_full() -> None:
    text = tenure("decide", "--example", "two-teams", *ALL, "--verbose").stdout.decode()
    alone = (
        "-w",
        "team-b/job-eval-suite-d739e",
        "--now",
        AT["two-teams"],
        "--verbose",
        "--counterfactuals",
        "0",
    )
    said = tenure("decide", "--example", "two-teams", *alone).stdout.decode()
    body, pointer, _ = said.partition("look up an identifier:")
    assert pointer
    # The table of all begins with the joint effect instead.
    alone_only = [line for line in body.splitlines(keepends=True) if not line.startswith("  Jointly ")]
    assert len(alone_only) + 1 == len(body.splitlines())
    assert "".join(alone_only) in text
    assert text.count("What each rule found") == 4


def test_one_workload_and_all_of_them_is_a_contradiction() -> None:
    done = tenure("decide", "--example", "two-teams", *ALL, "-w", "team-b/job-eval-suite-d739e")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"either a workload or --all-pending" in done.stderr


def test_whoever_names_no_workload_is_told_of_all_pending() -> None:
    done = tenure("decide", "--example", "two-teams")
    assert done.returncode == 2
    assert b"or --all-pending\nsee tenure decide --help\n" in done.stderr


def test_no_pending_workload_is_an_answer(folder: Path) -> None:
    for file in folder.glob("workloads-*.yaml"):
        whole = libyaml.load(file.read_text(encoding="utf-8"))
        whole["items"] = [item for item in whole["items"] if "admission" in item.get("status", {})]
        file.write_text(libyaml.dump(whole), encoding="utf-8")
    assert answered(str(folder), *ALL)["pending"] == []
    assert b"0 pending workloads: none" in tenure("decide", str(folder), *ALL).stdout


def test_a_warning_is_said_once_and_listed(folder: Path) -> None:
    queues = folder / "queues.yaml"
    whole = libyaml.load(queues.read_text(encoding="utf-8"))
    whole["items"] = [item for item in whole["items"] if item["kind"] != "LocalQueue"]
    queues.write_text(libyaml.dump(whole), encoding="utf-8")
    for asked in (ALL, ("-w", "team-b/job-eval-suite-d739e")):
        done = tenure("decide", str(folder), *asked, "-o", "json")
        said = done.stderr.decode().splitlines()
        assert said == ["warning: no LocalQueue is given; the only ClusterQueue is used"]
        assert json.loads(done.stdout)["warnings"] == [line.removeprefix("warning: ") for line in said]


@pytest.mark.parametrize("engine", ["reference", "fast"])
def test_a_cycle_of_cohorts_changes_no_decision_in_another_tree(folder: Path, engine: str) -> None:
    before = answered(str(folder), *ALL, "--engine", engine)
    objects = [
        {"kind": kind, "apiVersion": "kueue.x-k8s.io/v1beta2", "metadata": {"name": name}, "spec": spec}
        for kind, name, spec in (
            ("Cohort", "north", {"parentName": "south"}),
            ("Cohort", "south", {"parentName": "north"}),
            ("ClusterQueue", "lost", {"cohortName": "north"}),
        )
    ]
    (folder / "cycle.yaml").write_text(libyaml.dump_all(objects))
    after = answered(str(folder), *ALL, "--engine", engine)
    assert after["pending"] == before["pending"]
    (warning,) = set(after["warnings"]) - set(before["warnings"])
    assert "forms a cycle, north, south, north" in warning
