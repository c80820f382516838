"""`tenure why` of workloads of a running Kueue: preempted, run again, and then stopped or deactivated."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tenure.resources import bundled
from tests.command_line import tenure

DUMP = Path(__file__).parents[1] / "recorded" / "stopped-queues.json"
NOW = ("--now", "2026-11-27T23:41:19Z", "--counterfactuals", "0")


def objects(*, events: bool = False) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = json.loads(DUMP.read_text("utf-8"))["items"]
    return [found for found in items if events or found["kind"] != "Event"]


@pytest.fixture
def dump(tmp_path: Path) -> str:
    """The cluster without its Events."""
    return written(tmp_path, objects())


def written(folder: Path, found: list[dict[str, Any]]) -> str:
    path = folder / "cluster.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": found}), "utf-8")
    return str(path)


def named(found: list[dict[str, Any]], job: str) -> dict[str, Any]:
    """The Workload of a Job."""
    return next(
        each
        for each in found
        if each["kind"] == "Workload" and each["metadata"]["ownerReferences"][0]["name"] == job
    )


def why(job: str, dump: str) -> list[str]:
    done = tenure("why", f"ml/{job}", dump, *NOW)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().splitlines()


def answered(job: str, dump: str) -> Any:
    answer = json.loads(tenure("why", f"ml/{job}", dump, *NOW, "-o", "json").stdout)
    schema = bundled("spec", "schemas", "why.schema.json").read_text("utf-8")
    Draft202012Validator(json.loads(schema)).validate(answer)
    return answer


def test_who_is_pending_again_is_told_of_its_preemption_and_where_to_ask_about_the_present(dump: str) -> None:
    first, *rest = why("later", dump)
    assert first == (
        "ml/job-later-5bedd was preempted at 2026-11-27T23:40:47Z for ml/job-wants-0640f, InClusterQueue: "
        "recorded, and confirmed by deciding again"
    )
    assert "  now it is pending: `why-not ml/job-later-5bedd` explains what it waits for" in rest
    assert "Since then" not in rest


def test_who_was_stopped_after_a_preemption_and_another_run_is_told_of_both(dump: str) -> None:
    first, *rest = why("gpt", dump)
    assert first == (
        "ml/job-gpt-42832 was evicted at 2026-11-27T23:41:15Z, ClusterQueueStopped, "
        "which is not a preemption; before that it was preempted before 2026-11-27T23:40:19Z, "
        "when it got quota again, for ml/job-opt-d856e, InClusterQueue"
    )
    since = rest.index("Since then")
    assert rest[since + 1 : since + 3] == [
        "  2026-11-27T23:40:19Z  quota was reserved for it again",
        "  2026-11-27T23:41:15Z  it was evicted, ClusterQueueStopped: The ClusterQueue is stopped; "
        "that is not a preemption",
    ]
    assert "  evictions in all, as Kueue counts them: 1 Preempted, 1 ClusterQueueStopped" in rest


def test_who_was_deactivated_is_told_of_that_and_of_its_preemption(dump: str) -> None:
    first, *rest = why("old", dump)
    assert first == (
        "ml/job-old-1f264 was evicted at 2026-11-27T23:40:30Z, Deactivated, which is not a preemption; "
        "before that it was preempted before 2026-11-27T23:40:26Z, when it got quota again, "
        "for ml/job-rush-e414c, InClusterQueue"
    )
    assert "  now it is inactive: spec.active is false" in rest
    assert "  evictions in all, as Kueue counts them: 2 Preempted, 1 Deactivated" in rest


def test_json_has_what_happened_since(dump: str) -> None:
    answer = answered("gpt", dump)
    assert (answer["reason"], answer["at"]) == ("InClusterQueue", None)
    assert [(event["at"], event["what"], event["reason"]) for event in answer["since"]] == [
        ("2026-11-27T23:40:19Z", "quota-reserved", ""),
        ("2026-11-27T23:41:15Z", "evicted", "ClusterQueueStopped"),
    ]
    assert answer["evictions"] == [
        {"reason": "Preempted", "cause": "", "count": 1},
        {"reason": "ClusterQueueStopped", "cause": "", "count": 1},
    ]


def test_who_was_deactivated_while_it_waited_after_a_preemption_is_told_so(tmp_path: Path) -> None:
    found = objects()
    named(found, "later")["spec"]["active"] = False
    lines = why("later", written(tmp_path, found))
    assert lines[0].endswith("recorded, and confirmed by deciding again")
    assert "  it was deactivated: spec.active is false" in lines


def test_who_finished_after_another_run_is_told_of_its_preemption(tmp_path: Path) -> None:
    found = objects()
    ended = {"type": "Finished", "status": "True", "reason": "Succeeded", "message": "Job finished"}
    at = {"lastTransitionTime": "2026-11-27T23:41:00Z"}
    workload = named(found, "gpt")
    workload["status"]["conditions"].append({**ended, **at})
    for condition in workload["status"]["conditions"]:
        if condition["type"] == "Evicted":
            condition.update(status="False", reason="QuotaReserved")
    lines = why("gpt", written(tmp_path, found))
    assert lines[0].startswith(
        "ml/job-gpt-42832 was preempted before 2026-11-27T23:40:19Z, when it got quota"
    )
    assert "  2026-11-27T23:41:00Z  it finished: Job finished" in lines
    assert "  now it finished at 2026-11-27T23:41:00Z: Job finished" in lines


def test_who_cannot_be_decided_about_is_told_of_its_preemption_all_the_same(tmp_path: Path) -> None:
    found = objects()
    named(found, "later")["metadata"]["annotations"] = {
        "kueue.x-k8s.io/admission-gated-by": "example.com/gate"
    }
    lines = why("later", written(tmp_path, found))
    assert lines[0].startswith(
        "ml/job-later-5bedd was preempted at 2026-11-27T23:40:47Z for ml/job-wants-0640f"
    )
    assert "ml/job-later-5bedd takes no part: metadata.annotations[" in lines[0]
    # The first line has the reason; no second one repeats it.
    assert "Decided again, at 2026-11-27T23:40:47Z" not in lines


def test_a_running_workload_of_the_same_job_is_meant_first(tmp_path: Path) -> None:
    found = objects()
    again = named(objects(), "keep")
    again["metadata"].update(name="job-old-aaaaa", uid="another")
    again["metadata"]["ownerReferences"][0]["name"] = "old"
    assert "ml/job-old-aaaaa (priority 100)" in why("old", written(tmp_path, [*found, again]))[1]


SHORT = ("ml/b1", "b1", "job/b1", "jobs.batch/b1", "ml/job/b1", "ml/job-b1", "job-b1-575af")


@pytest.mark.parametrize("word", SHORT)
def test_every_command_takes_the_name_of_the_job(word: str, dump: str) -> None:
    named = "ml/job-b1-575af"
    for words in (
        ("decide", "-w", word),
        ("decide", word),
        ("next", word),
        ("next", "-w", word),
        ("why-not", word),
        ("why-not", "-w", word),
        ("why", "-w", "b0", "--all"),
        ("why", "b0", word),
        ("why", "ml/b0", "-w", word),
        ("why-not", word, "b0"),
        ("decide", "-w", named, "--set", f"workload/{word}.spec.priority=101"),
    ):
        done = tenure(*words, dump, "--now", "2026-11-27T23:41:19Z")
        assert done.returncode == 0, (words, done.stderr.decode())
        assert named in done.stdout.decode(), words


def test_a_name_of_several_jobs_is_answered_with_all_of_them(tmp_path: Path) -> None:
    found = objects()
    named(found, "b2")["metadata"]["ownerReferences"][0]["name"] = "b1"
    path = written(tmp_path, found)
    both = "the full name of one of 2 that are called so: ml/job-b1-575af, ml/job-b2-04a83"
    for words in (
        ("decide", "-w", "ml/b1"),
        ("next", "b1"),
        ("decide", "--set", "workload/ml/b1.spec.priority=1"),
    ):
        done = tenure(*words, path)
        assert done.returncode == 2
        assert both in done.stderr.decode(), words


def decided(*words: str) -> Any:
    return json.loads(tenure("decide", *words, str(DUMP), *NOW[:2], "-o", "json").stdout)


def test_the_json_of_a_decision_names_the_pods_and_flavors_of_each_pod_set() -> None:
    on_a100 = [{"name": "main", "count": 1, "flavors": {"nvidia.com/gpu": "a100"}}]
    raised = ("--set", "workload/b1.spec.priority=101")
    answer = decided("-w", "b1", *raised)
    assert (answer["decision"], answer["assignment"]) == ("Preempt", on_a100)
    rows = {row["workload"]: row for row in decided("-a", *raised)["pending"]}
    assert rows["ml/job-b1-575af"]["assignment"] == on_a100
    assert (rows["ml/job-b2-04a83"]["decision"], rows["ml/job-b2-04a83"]["assignment"]) == ("Fit", on_a100)
    assert "assignment" not in decided("-w", "b1")


def test_who_waits_behind_a_strict_head_is_told_so_beside_the_decision() -> None:
    lines = tenure("decide", "-w", "b2", str(DUMP), *NOW[:2]).stdout.decode().splitlines()
    assert lines[0] == "Fit: ml/job-b2-04a83 fits in ClusterQueue batch beside 1 running workload"
    assert lines[2] == (
        "  ml/job-b2-04a83 is behind ml/job-b1-575af, the head of StrictFIFO ClusterQueue batch; "
        "Kueue tries ml/job-b1-575af first"
    )
    assert decided("-w", "b2")["behind"] == "ml/job-b1-575af"
    assert "behind" not in decided("-w", "b1")
    every = tenure("decide", "-a", str(DUMP), *NOW[:2]).stdout.decode()
    assert "  1 of them is behind the head of a StrictFIFO ClusterQueue, which Kueue tries first" in every
    rows = {row["workload"]: row.get("behind") for row in decided("-a")["pending"]}
    assert {key for key, behind in rows.items() if behind} == {"ml/job-b2-04a83"}


def test_behind_the_head_of_another_strategy_or_of_a_stopped_queue_nothing_is_said() -> None:
    for changed in ("queueingStrategy=BestEffortFIFO", "stopPolicy=Hold"):
        answer = decided("-w", "b2", "--set", f"clusterqueue/batch.spec.{changed}")
        assert "behind" not in answer


def test_a_workload_of_a_held_queue_is_not_queued_and_every_answer_says_so() -> None:
    held = "LocalQueue ml/night is held: spec.stopPolicy is Hold"
    answer = decided("-w", "held")
    assert answer["decision"] == "NoFit"
    assert answer["summary"] == [
        f"NoFit: {held}",
        "if it were not held: Fit: "
        "ml/job-held-032d8 fits in ClusterQueue research beside 2 running workloads",
    ]
    rows = {row["workload"]: row for row in decided("-a")["pending"]}
    assert rows["ml/job-held-032d8"]["summary"] == answer["summary"]
    lines = tenure("why-not", "held", str(DUMP), *NOW[:2]).stdout.decode().splitlines()
    policy = r"stopPolicy of LocalQueue ml/night is Hold \(.*:\d+\): its workloads are not queued"
    assert re.fullmatch(f"ml/job-held-032d8 is not admitted: {policy}", lines[0])
    (about,) = tenure("why-not", "held", "keep", str(DUMP), *NOW[:2]).stdout.decode().splitlines()[:1]
    assert (
        about == "ml/job-keep-f4f3a is not preempted for ml/job-held-032d8: ml/job-held-032d8 is not queued"
    )
    lines = tenure("next", str(DUMP), *NOW[:2]).stdout.decode().splitlines()
    assert lines[0].startswith("1 cycle: 0 admitted, 0 preempted, 7 waiting afterwards; ")
    assert f"  ml/job-held-032d8 (research): {held}" in lines
    lines = tenure("next", "held", str(DUMP), *NOW[:2]).stdout.decode().splitlines()
    assert lines[0] == f"ml/job-held-032d8 has no known start: {held}"
    assert any("Not queued; 0 wait in ClusterQueue research" in line for line in lines)


def test_no_answer_warns_of_a_held_queue() -> None:
    assert tenure("decide", "-w", "held", str(DUMP), *NOW[:2]).stderr == b""


def test_a_running_workload_of_a_held_queue_is_a_candidate() -> None:
    """As Kueue does: `later` was preempted while its LocalQueue was held."""
    words = (
        "--set",
        "localqueue/ml/research.spec.stopPolicy=Hold",
        "--set",
        "workload/b1.spec.queueName=night",
    )
    answer = decided("-w", "b1", *words, "--set", "localqueue/ml/night.spec.stopPolicy=None")
    assert (answer["decision"], answer["preempted"]) == ("NoCandidates", [])
    raised = ("--set", "workload/b1.spec.priority=1000")
    answer = decided("-w", "b1", *words, *raised, "--set", "localqueue/ml/night.spec.stopPolicy=None")
    assert answer["decision"] == "Preempt"
    assert {victim["workload"] for victim in answer["preempted"]} == {
        "ml/job-keep-f4f3a",
        "ml/job-sweep-10311",
    }


@pytest.mark.parametrize("queue", ["localqueue/ml/research", "clusterqueue/research"])
def test_next_evicts_what_runs_in_a_queue_that_is_drained(queue: str) -> None:
    drained = ("--set", f"{queue}.spec.stopPolicy=HoldAndDrain")
    answer = json.loads(tenure("next", str(DUMP), *NOW[:2], *drained, "-o", "json").stdout)
    events = [(event["at"][14:19], event["what"], event["workload"]) for event in answer["events"]]
    for key in ("ml/job-keep-f4f3a", "ml/job-sweep-10311"):
        assert ("41:19", "evicted", key) in events
        assert ("41:49", "released", key) in events
    assert {"ml/job-keep-f4f3a", "ml/job-sweep-10311"} <= {found["workload"] for found in answer["waiting"]}


def test_next_evicts_nothing_of_a_held_local_queue_when_its_cluster_queue_is_drained() -> None:
    """As the released Kueue was seen to do: it does not find the ClusterQueue of such a workload."""
    stopped = (
        *("--set", "localqueue/ml/research.spec.stopPolicy=Hold"),
        *("--set", "clusterqueue/research.spec.stopPolicy=HoldAndDrain"),
    )
    answer = json.loads(tenure("next", str(DUMP), *NOW[:2], *stopped, "-o", "json").stdout)
    assert [event for event in answer["events"] if event["what"] == "evicted"] == []


def test_who_is_released_into_a_held_queue_stays_out() -> None:
    words = (
        "--set",
        "localqueue/ml/night.spec.stopPolicy=None",
        "--set",
        "workload/held.spec.podSets[0].count=3",
    )
    held = ("--set", "localqueue/ml/research.spec.stopPolicy=Hold")
    answer = json.loads(tenure("next", str(DUMP), *NOW[:2], *words, *held, "-o", "json").stdout)
    victims = {
        evicted["workload"]
        for cycle in answer["cycles"]
        for head in cycle["heads"]
        for evicted in head["preempts"]
    }
    assert victims
    waits = {found["workload"]: found["why"] for found in answer["waiting"]}
    assert {waits[key] for key in victims} == {"LocalQueue ml/research is held: spec.stopPolicy is Hold"}


def admitted_after_drain(strategy: str) -> list[str]:
    """Who is admitted when the LocalQueue of `b0`, which holds what `b1` lacks, is drained."""
    words = (
        *("--set", "workload/b0.spec.queueName=night"),
        *("--set", "localqueue/ml/night.spec.stopPolicy=HoldAndDrain"),
        *("--set", f"clusterqueue/batch.spec.queueingStrategy={strategy}"),
        *("--set", "workload/b2.spec.active=false"),
    )
    answer = json.loads(tenure("next", str(DUMP), *NOW[:2], *words, "-o", "json").stdout)
    heads = [head for cycle in answer["cycles"] for head in cycle["heads"]]
    return [head["workload"] for head in heads if head["result"] == "admitted"]


def test_what_a_drained_local_queue_gives_back_is_tried_for_by_a_strict_head_alone() -> None:
    """As the released Kueue did, asked in the same way: nothing wakes a workload that waits aside."""
    assert admitted_after_drain("StrictFIFO") == ["ml/job-b1-575af"]
    assert admitted_after_drain("BestEffortFIFO") == []
