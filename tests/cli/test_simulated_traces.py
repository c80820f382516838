"""Traces as they lie: other columns, shares, times, several problems; and dumps of finished Workloads."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tenure_simulate.core import compiled
from tests.command_line import tenure, tenure_process

QUEUES = Path(__file__).parent / "trace" / "queues.yaml"
FINISHED_AT = "2026-03-02T12:00:00Z"


def figures(*words: str, stdin: bytes = b"") -> dict[str, Any]:
    done = tenure("simulate", *words, "-o", "json", stdin=stdin)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def queues_of(folder: Path, resource: str, each: str = "2") -> str:
    text = QUEUES.read_text(encoding="utf-8").replace("nvidia.com/gpu", resource)
    path = folder / "queues.yaml"
    path.write_text(text.replace("nominalQuota: 2", f"nominalQuota: {each}"), encoding="utf-8")
    return str(path)


def written(folder: Path, text: str, name: str = "trace.csv") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_sizes_are_gpus_or_else_cpus_and_a_queue_is_a_user(tmp_path: Path) -> None:
    trace = written(
        tmp_path,
        "job_id,user,queue,submit_s,duration_s,cpus,priority,req_time_s,wait_s\n"
        "0,team-a,q_1d,0,3600,2,1,86400,0\n",
    )
    answer = figures(
        "--trace", trace, queues_of(tmp_path, "cpu"), "--queue-column", "user", "--by", "priority"
    )
    (found,) = answer["settings"]
    assert (answer["resource"], found["heldHours"], found["groups"][0]["group"]) == ("cpu", 2.0, "1")


def test_shares_are_counted_in_parts_and_told_in_hours_of_the_whole(tmp_path: Path) -> None:
    trace = written(
        tmp_path, "job_id,queue,submit_s,duration_s,gpus\nshare,team-a,0,3600,0.25\nwhole,team-b,0,3600,1\n"
    )
    shares = queues_of(tmp_path, "example.com/gpu-thousandths", "1000")
    (found,) = figures("--trace", trace, shares, "--size-times", "1000")["settings"]
    assert (found["heldHours"], found["utilisation"]) == (1.25, round(1.25 / 2, 4))


def test_many_jobs_need_the_compiled_engine_or_slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenure_simulate.core.compiled.COMPILED", False)
    monkeypatch.setattr("tenure_simulate.command_run.MOST_INTERPRETED", 2)
    rows = "".join(f"j{number},team-a,{number},60,1\n" for number in range(3))
    trace = written(tmp_path, f"job_id,queue,submit_s,duration_s,gpus\n{rows}")
    asked = ("simulate", "--trace", trace, str(QUEUES))
    done = tenure(*asked)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"found '3 jobs', expected at most 2 here: `pip install 'tenure[fast]'`" in done.stderr
    slow = tenure(*asked, "--slow")
    assert (slow.returncode, b"kernels are interpreted" in slow.stderr) == (0, True)


def test_compiling_is_announced_with_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ("simulate", "--trace", str(QUEUES.parent / "trace.csv"), str(QUEUES))
    for must_compile in (True, False):
        monkeypatch.setattr(compiled, "must_compile", lambda _, found=must_compile: found)
        assert (b"compiling the engine once, about 60 s" in tenure(*asked).stderr) == must_compile


def test_few_jobs_are_simulated_before_machine_code_could_be_compiled(tmp_path: Path) -> None:
    asked = ("simulate", "--trace", str(QUEUES.parent / "trace.csv"), str(QUEUES))
    fresh = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    fresh.pop("NUMBA_DISABLE_JIT", None)
    done = tenure_process(*asked, environment=fresh)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == tenure(*asked).stdout
    assert not list(tmp_path.rglob("*.nbi"))


def test_machine_code_is_compiled_until_it_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "COMPILED", True)
    monkeypatch.setattr(compiled, "_KEPT", tmp_path)
    assert compiled.must_compile("turns.go_on")
    folder = tmp_path / "trace"
    folder.mkdir()
    (folder / "turns.go_on-321.py311.nbi").touch()
    assert not compiled.must_compile("turns.go_on")
    monkeypatch.setattr(compiled, "_KEPT", None)
    assert compiled.must_compile("turns.go_on")
    monkeypatch.setattr(compiled, "COMPILED", False)
    assert not compiled.must_compile("turns.go_on")


def test_submissions_may_be_times(tmp_path: Path) -> None:
    head = "job_id,queue,submit_s,duration_s,gpus\n"
    rows = "a,team-a,2026-03-02T08:00:00Z,60,1\nb,team-a,2026-03-02T09:00:00+01:00,60,1\n"
    answer = figures("--trace", written(tmp_path, head + rows), str(QUEUES), "--after", "1m")
    assert answer["length"] == "1m"


def test_every_problem_of_a_trace_is_told_up_to_ten(tmp_path: Path) -> None:
    head = "job_id,queue,submit_s,duration_s,gpus\n"
    trace = written(tmp_path, head + "".join(f"{number},team-a,soon,1,1\n" for number in range(12)))
    done = tenure("simulate", str(QUEUES), "--trace", trace)
    lines = done.stderr.decode().splitlines()
    assert done.returncode == 2
    assert all(f"{trace}: line {2 + number}, submit_s: found 'soon'" in lines[number] for number in range(10))
    assert sum("found 'soon'" in line for line in lines) == 10
    absent = tenure("simulate", str(QUEUES), "--trace", written(tmp_path, "job_id,queue\na,b\n"))
    assert [line.split(": ")[2] for line in absent.stderr.decode().splitlines()[:3]] == [
        "line 1, submit_s",
        "line 1, duration_s",
        "line 1, gpus",
    ]


CLASSES = """---
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: steady}
value: 1
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: ages}
spec: {priority: 0, dynamicPriorityPolicy: {step: 2, max: 4, delayForStep: 1h}}
"""
BY_CLASS = "job_id,queue,submit_s,duration_s,gpus,priority,class\n"


def with_classes(folder: Path) -> str:
    objects = folder / "classes.yaml"
    objects.write_text(QUEUES.read_text() + CLASSES)
    return str(objects)


def test_the_priority_of_a_job_grows_by_its_class(tmp_path: Path) -> None:
    # `runs` has priority 1. `waits` begins with 0, and an hour after it has come it has 2: the pods of `runs`
    # end for 30 seconds. `other` has what the cohort could lend.
    rows = "runs,team-a,0,7200,2,9,steady\nother,team-b,0,36000,2,9,\nwaits,team-a,60,60,2,9,ages\n"
    trace = written(tmp_path, BY_CLASS + rows)
    words = (with_classes(tmp_path), "--after", "3h", "--by", "priority")
    (found,) = figures("--trace", trace, *words, "--class-column", "class")["settings"]
    assert found["preemptions"] == 1
    assert found["firstWait"]["p95"] == "1h30s"
    assert [group["group"] for group in found["groups"]] == ["1", "9", "ages"]
    (alone,) = figures("--trace", trace, *words)["settings"]
    assert alone["preemptions"] == 0


def test_a_class_that_there_is_not_is_told_with_its_line(tmp_path: Path) -> None:
    trace = written(tmp_path, BY_CLASS + "a,team-a,0,60,1,0,steady\nb,team-a,0,60,1,0,steadfast\n")
    done = tenure("simulate", with_classes(tmp_path), "--trace", trace, "--class-column", "class")
    assert done.returncode == 2
    expected = "found 'steadfast', expected a WorkloadPriorityClass of the manifests (ages, steady)"
    assert f"{trace}: line 3, class: {expected}" in done.stderr.decode()
    absent = tenure("simulate", with_classes(tmp_path), "--trace", trace, "--class-column", "kind")
    assert "line 1, kind: found no such column" in absent.stderr.decode()


def test_finished_workloads_keep_their_classes(tmp_path: Path) -> None:
    # Two of priority 1 run for 4 hours on all there is; an hour after it was created `grows` has priority 2.
    steady = [workload(name, "2026-03-02T08:00:00Z") for name in ("one", "two")]
    grows = workload("grows", "2026-03-02T11:30:00Z")
    reference = {"group": "kueue.x-k8s.io", "kind": "WorkloadPriorityClass", "name": "ages"}
    for each in steady:
        each["spec"]["priority"] = 1
    grows["spec"].update(priority=0, priorityClassRef=reference)
    grows["metadata"]["creationTimestamp"] = "2026-03-02T08:00:01Z"
    words = ("--after", "9h", "--by", "priority")
    (found,) = figures("--trace", "-", with_classes(tmp_path), *words, stdin=dump(*steady, grows))["settings"]
    assert found["preemptions"] == 1
    assert [group["group"] for group in found["groups"]] == ["1", "ages"]
    (alone,) = figures("--trace", "-", str(QUEUES), *words, stdin=dump(*steady, grows))["settings"]
    assert alone["preemptions"] == 0


def workload(name: str, reserved: str, finished: str = FINISHED_AT, **status: Any) -> dict[str, Any]:
    conditions = [
        {"type": kind, "status": "True", "reason": kind, "message": "", "lastTransitionTime": since}
        for kind, since in (("QuotaReserved", reserved), ("Finished", finished))
        if since
    ]
    usage = {"nvidia.com/gpu": "2", "memory": "8Gi"}
    pods = {"name": "main", "count": 2, "flavors": dict.fromkeys(usage, "gpu"), "resourceUsage": usage}
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "Workload",
        "metadata": {"namespace": "ml", "name": name, "creationTimestamp": "2026-03-02T08:00:00Z"},
        "spec": {"queueName": "q", "priority": 7, "podSets": [{"name": "main", "count": 2, "template": {}}]},
        "status": {
            "admission": {"clusterQueue": "team-a", "podSetAssignments": [pods]},
            "conditions": conditions,
            **status,
        },
    }


def dump(*workloads: dict[str, Any]) -> bytes:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": workloads}).encode()


def test_finished_workloads_are_a_trace() -> None:
    # `plain` had its quota for an hour, `again` for half an hour, and 90 minutes in an earlier stay.
    plain = workload("plain", "2026-03-02T11:00:00Z")
    again = workload("again", "2026-03-02T11:30:00Z", accumulatedPastExecutionTimeSeconds=5400)
    runs = workload("runs", "2026-03-02T11:30:00Z", finished="")
    words = ("--trace", "-", str(QUEUES), "--after", "4h", "--by", "priority")
    done = tenure("simulate", *words, "-o", "json", stdin=dump(plain, again, runs))
    answer = json.loads(done.stdout)
    (found,) = answer["settings"]
    assert (answer["jobs"], answer["trace"], found["finished"]) == (2, "-", 2)
    assert found["heldHours"] == 2 * 1 + 2 * 2
    assert found["groups"][0]["group"] == "7"
    assert b"left out: 1 not finished" in done.stderr


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (
            workload("late", "2026-03-02T13:00:00Z"),
            "Workload/ml/late: status.conditions[type=Finished].lastTransitionTime: "
            "found 3600s before QuotaReserved, expected a later time",
        ),
        (
            workload("odd", "2026-03-02T11:00:00Z", accumulatedPastExecutionTimeSeconds="long"),
            "Workload/ml/odd: status.accumulatedPastExecutionTimeSeconds: found no count of seconds",
        ),
        (
            workload("runs", "2026-03-02T11:00:00Z", finished=""),
            "workloads.json: found 1 not finished, expected a Workload that has finished",
        ),
        (
            workload("other", "2026-03-02T11:00:00Z", admission={"clusterQueue": "team-c"}),
            "workloads.json: found 1 without nvidia.com/gpu, expected a Workload that has finished",
        ),
    ],
)
def test_what_is_wrong_in_a_dump_is_named(tmp_path: Path, broken: dict[str, Any], said: str) -> None:
    file = tmp_path / "workloads.json"
    file.write_bytes(dump(broken))
    done = tenure("simulate", str(QUEUES), "--trace", str(file))
    assert (done.returncode, done.stdout) == (2, b"")
    assert said in done.stderr.decode()


def test_one_of_several_resources_counts(tmp_path: Path) -> None:
    text = QUEUES.read_text(encoding="utf-8")
    text = text.replace("[nvidia.com/gpu]", "[nvidia.com/gpu, memory]").replace(
        "nominalQuota: 2}]", "nominalQuota: 2}, {name: memory, nominalQuota: 1Ti}]"
    )
    queues = written(tmp_path, text, "queues.yaml")
    trace = str(QUEUES.parent / "trace.csv")
    done = tenure("simulate", queues, "--trace", trace)
    assert b"found memory, nvidia.com/gpu, expected ClusterQueues with quota of one resource" in done.stderr
    assert figures("--trace", trace, queues, "--resource", "nvidia.com/gpu")["resource"] == "nvidia.com/gpu"
    none = tenure("simulate", queues, "--trace", trace, "--resource", "nvidia.com/gpus")
    assert b"queues: found none" in none.stderr
