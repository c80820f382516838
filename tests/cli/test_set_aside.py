"""One bad workload spoils no answer about the others, and what does not go with the clock is said."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.command_line import tenure, tenure_process
from tests.examples import change, condition_of, copied
from tools import libyaml

NOW = "2026-03-02T14:00:00Z"
CLOCK = ("--now", NOW)
EVAL, MOE, INDEX = "team-b/job-eval-suite-d739e", "team-b/job-moe-64-448bc", "team-a/job-doc-index-dfa0b"
RUNNING = "team-a/job-pretrain-7b-e95a1"
QUEUE = "gpu-cluster-queue"
LATER = "2026-03-02T15:00:00Z"

Spoil: TypeAlias = Callable[[Path], None]


@pytest.fixture
def cluster(tmp_path: Path) -> Path:
    """A copy of the first example, whose objects an API server has stored."""
    return copied("two-teams", tmp_path)


def of_team(letter: str, cluster: Path) -> Path:
    return cluster / f"workloads-team-{letter}.yaml"


def lose_its_queue(cluster: Path) -> None:
    change(of_team("b", cluster), "Workload", MOE.split("/")[1], "spec", "queueName", to="gone")


def have_a_new_field(cluster: Path) -> None:
    change(of_team("b", cluster), "Workload", MOE.split("/")[1], "spec", "fancyNew", to={"a": 1})


def be_wrong(cluster: Path) -> None:
    change(of_team("b", cluster), "Workload", MOE.split("/")[1], "spec", "priority", to="high")


def back_off(cluster: Path, until: str = LATER) -> None:
    requeued = {"type": "Requeued", "status": "False", "reason": "PodsReadyTimeout", "message": ""}
    status = {
        "conditions": [{**requeued, "lastTransitionTime": "2026-03-02T13:30:00Z"}],
        "requeueState": {"count": 3, "requeueAt": until},
    }
    change(of_team("b", cluster), "Workload", MOE.split("/")[1], "status", to=status)


SPOILT: dict[str, tuple[Spoil, str]] = {
    "queue": (lose_its_queue, "spec.queueName: found 'gone', expected the name of one of 2 LocalQueues"),
    "field": (have_a_new_field, "spec.fancyNew: found {'a': 1}, expected no field of this name"),
    "wrong": (be_wrong, "spec.priority: found 'high', expected an integer"),
    "back-off": (back_off, f"status.requeueState.requeueAt: found {LATER}, expected a time that has come by"),
}
spoilt = pytest.mark.parametrize(("spoil", "why"), SPOILT.values(), ids=SPOILT)


def expectations(cluster: Path, **said: Any) -> Path:
    file = cluster.parent / "a.tenure.yaml"
    file.write_text(libyaml.dump({"manifests": [cluster.name], "now": NOW, **said}), encoding="utf-8")
    return file


def scenario(cluster: Path) -> Path:
    files = [f"{cluster.name}/{path.name}" for path in sorted(cluster.glob("*.yaml"))]
    file = cluster.parent / "played.yaml"
    file.write_text(libyaml.dump({"start": NOW, "until": "2h", "files": files}), encoding="utf-8")
    return file


def calls(cluster: Path) -> dict[str, tuple[str, ...]]:
    """Every command that reads a cluster."""
    return {
        "decide": ("decide", str(cluster), "-w", EVAL, *CLOCK),
        "all": ("decide", str(cluster), "-a", *CLOCK),
        "why": ("why", RUNNING, str(cluster), "-w", EVAL, "--counterfactuals", "0", *CLOCK),
        "why-not": ("why-not", EVAL, str(cluster), "--counterfactuals", "0", *CLOCK),
        "accessible": ("show", "-f", str(cluster), *CLOCK),
        "test": ("test", str(expectations(cluster, expect=[{"workload": EVAL, "decision": "Preempt"}]))),
    }


@spoilt
def test_every_command_sets_it_aside_in_the_same_words(spoil: Spoil, why: str, cluster: Path) -> None:
    spoil(cluster)
    said: set[str] = set()
    for name, words in calls(cluster).items():
        done = tenure(*words, "-o", "json")
        assert done.returncode == 0, (name, done.stderr)
        (warning,) = done.stderr.decode().splitlines()
        assert f"Workload/{MOE}: set aside: {why}" in warning
        assert json.loads(done.stdout)["warnings"] == [warning.removeprefix("warning: ")]
        # A document of expectations names its files from its own folder.
        said.add(warning.partition("Workload/")[2])
    assert len(said) == 1


@spoilt
def test_strict_refuses_it_everywhere(spoil: Spoil, why: str, cluster: Path) -> None:
    spoil(cluster)
    for name, words in calls(cluster).items():
        done = tenure(*words, "--strict")
        assert done.returncode == 2, name
        assert why in (done.stdout + done.stderr).decode()


@spoilt
def test_whoever_asks_about_it_gets_the_reason(spoil: Spoil, why: str, cluster: Path) -> None:
    spoil(cluster)
    done = tenure("decide", str(cluster), "-w", MOE, *CLOCK)
    assert done.returncode == 2
    assert f"Workload/{MOE}: {why}" in done.stderr.decode()
    rows = json.loads(tenure("decide", str(cluster), "-a", *CLOCK, "-o", "json").stdout)["pending"]
    (row,) = [row for row in rows if row["workload"] == MOE]
    assert row["decision"] is None
    assert row["problems"][0]["field"] == why.partition(":")[0]


@pytest.mark.parametrize("engine", ["reference", "fast"])
def test_the_others_are_decided_as_before_by_both_engines(engine: str, cluster: Path) -> None:
    words = ("decide", str(cluster), "-a", "--engine", engine, *CLOCK, "-o", "json")
    before = {row["workload"]: row for row in json.loads(tenure(*words).stdout)["pending"]}
    for spoil, _ in SPOILT.values():
        spoil(cluster)
    after = {row["workload"]: row for row in json.loads(tenure(*words).stdout)["pending"]}
    assert after.pop(MOE)["decision"] is None
    del before[MOE]
    assert after == before


def test_what_is_never_preempted_is_promised_of_the_others(cluster: Path) -> None:
    kept = "team-b/job-rlhf-rollout-63a0e"
    words = ("test", str(expectations(cluster, neverPreempted=[kept])))
    assert tenure(*words).returncode == 0
    lose_its_queue(cluster)
    one, other = (run(*words) for run in (tenure_process, tenure))
    assert (one.returncode, one.stdout, one.stderr) == (other.returncode, other.stdout, other.stderr)
    assert one.returncode == 0
    assert f"Workload/{MOE}: set aside: spec.queueName: found 'gone'" in one.stderr.decode()
    strict = tenure(*words, "--strict", "-o", "json")
    (expectation,) = json.loads(strict.stdout)["expectations"]
    assert (strict.returncode, expectation["status"]) == (2, "error")


@pytest.mark.parametrize("name", ["queue", "field", "wrong"])
def test_a_play_goes_on_without_it(name: str, cluster: Path) -> None:
    spoil, why = SPOILT[name]
    spoil(cluster)
    file = str(scenario(cluster))
    done = tenure("simulate", file, "-o", "json")
    assert done.returncode == 0, done.stderr
    assert f"Workload/{MOE}: set aside: {why}" in done.stderr.decode()
    (play,) = json.loads(done.stdout)["simulations"]
    assert why in " ".join(play["warnings"])
    assert MOE not in {row["workload"] for row in play["workloads"]}
    strict = tenure("simulate", file, "--strict")
    assert (strict.returncode, strict.stdout) == (2, b"")
    assert why in strict.stderr.decode()


def test_a_play_queues_it_when_its_back_off_is_over(cluster: Path) -> None:
    back_off(cluster)
    (play,) = json.loads(tenure("simulate", str(scenario(cluster)), "-o", "json").stdout)["simulations"]
    story = [line for line in play["story"] if line["workload"] == MOE]
    assert [(line["at"], line["what"]) for line in story[:3]] == [
        (NOW, "submitted"),
        (NOW, "parked"),
        (LATER, "woken"),
    ]
    considered = {head["workload"]: cycle["at"] for cycle in play["cycles"][::-1] for head in cycle["heads"]}
    assert considered.get(MOE, LATER) >= LATER


def test_back_off_ends_at_its_very_instant(cluster: Path) -> None:
    back_off(cluster, until=NOW)
    done = tenure("decide", str(cluster), "-w", MOE, *CLOCK)
    assert (done.returncode, done.stderr) == (0, b"")


def test_an_admitted_workload_with_a_new_field_holds_what_it_holds(cluster: Path) -> None:
    words = ("decide", str(cluster), "-a", *CLOCK, "-o", "json")
    before = json.loads(tenure(*words).stdout)
    change(of_team("a", cluster), "Workload", RUNNING.split("/")[1], "spec", "fancyNew", to=True)
    done = tenure(*words)
    after = json.loads(done.stdout)
    assert after["pending"] == before["pending"]
    (warning,) = after["warnings"]
    assert f"Workload/{RUNNING}: spec.fancyNew is not looked at" in warning
    assert warning in done.stderr.decode()
    assert tenure(*words, "--strict").returncode == 2


def test_an_admitted_workload_whose_usage_is_not_known_refuses_all(cluster: Path) -> None:
    field = ("status", "admission", "podSetAssignments", 0, "resourceUsage")
    change(of_team("a", cluster), "Workload", RUNNING.split("/")[1], *field, to={"nvidia.com/gpu": "many"})
    assert tenure("decide", str(cluster), "-w", EVAL, *CLOCK).returncode == 2


def test_a_queue_of_a_newer_kueue_is_read_with_a_warning(cluster: Path) -> None:
    change(cluster / "queues.yaml", "ClusterQueue", QUEUE, "spec", "fancyNew", to={"a": 1})
    done = tenure("decide", str(cluster), "-w", EVAL, *CLOCK)
    assert done.returncode == 0
    assert f"ClusterQueue/{QUEUE}: spec.fancyNew is not looked at" in done.stderr.decode()
    assert tenure("decide", str(cluster), "-w", EVAL, *CLOCK, "--strict").returncode == 2


def test_a_typing_mistake_in_a_queue_written_by_hand_is_an_error(cluster: Path) -> None:
    file = cluster / "queues.yaml"
    whole = libyaml.load(file.read_text(encoding="utf-8"))
    (queue,) = [entry for entry in whole["items"] if entry["kind"] == "ClusterQueue"]
    queue["metadata"] = {"name": QUEUE}
    queue["spec"]["premption"] = deepcopy(queue["spec"]["preemption"])
    file.write_text(libyaml.dump(whole), encoding="utf-8")
    done = tenure("decide", str(cluster), "-w", EVAL, *CLOCK)
    assert done.returncode == 2
    assert "did you mean preemption?" in done.stderr.decode()


def test_strict_makes_any_other_warning_an_error(cluster: Path) -> None:
    file = cluster / "queues.yaml"
    whole = libyaml.load(file.read_text(encoding="utf-8"))
    whole["items"] = [entry for entry in whole["items"] if entry["kind"] != "ResourceFlavor"]
    file.write_text(libyaml.dump(whole), encoding="utf-8")
    lose_its_queue(cluster)
    for name, words in calls(cluster).items():
        assert tenure(*words).returncode == 0, name
        strict = tenure(*words, "--strict")
        assert strict.returncode == 2, name
        said = (strict.stdout + strict.stderr).decode()
        assert "--strict: found" in said
        assert f"ClusterQueue/{QUEUE}: no ResourceFlavor was given" in said
        # All that is wrong is told at once.
        assert "spec.queueName: found 'gone'" in said
    strict = tenure("simulate", str(scenario(cluster)), "--strict")
    assert (strict.returncode, strict.stdout) == (2, b"")


def test_what_happens_after_the_clock_is_said(cluster: Path) -> None:
    evicted = {"type": "Evicted", "status": "True", "reason": "Preempted", "message": ""}
    status = {"conditions": [{**evicted, "lastTransitionTime": LATER}]}
    change(of_team("b", cluster), "Workload", EVAL.split("/")[1], "status", to=status)
    change(of_team("a", cluster), "Workload", INDEX.split("/")[1], "metadata", "creationTimestamp", to=LATER)
    running = RUNNING.split("/")[1]
    reserved = condition_of(of_team("a", cluster), running, "QuotaReserved")
    change(of_team("a", cluster), "Workload", running, *reserved, "lastTransitionTime", to=LATER)
    words = ("decide", str(cluster), "-w", EVAL, *CLOCK)
    done = tenure(*words)
    assert done.returncode == 0
    start = f"warning: now: found {NOW}, expected a later time: 1 workload "
    assert done.stderr.decode().splitlines() == [
        f"{start}is created after it: {INDEX} at {LATER}",
        f"{start}reserves quota after it: {RUNNING} at {LATER}",
        f"{start}is evicted after it: {EVAL} at {LATER}",
    ]
    assert tenure(*words, "--strict").returncode == 2
    played = tenure("simulate", str(scenario(cluster)))
    assert played.stderr.decode().count("expected a later time") == 3


def test_the_oracle_refuses_one_that_is_not_queued_yet() -> None:
    queue = {"metadata": {"name": "q"}}
    waits = {"metadata": {"name": "w"}, "status": {"requeueState": {"requeueAt": LATER}}}
    for now, said in ((NOW, "error"), (LATER, "output")):
        request = {"now": now, "clusterQueues": [queue], "admitted": [], "incoming": waits, "targetCQ": "q"}
        for engine in ("reference", "fast"):
            line = json.dumps({"id": 1, "call": "decide", "input": {**request, "engine": engine}})
            answer = json.loads(tenure("oracle", stdin=line.encode()).stdout)
            assert said in answer
            assert answer.get("error", {}).get("field", "") in ("", "incoming.status.requeueState.requeueAt")
