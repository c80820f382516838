"""`tenure next`: the same content as text and JSON; bounds, assumptions, and who cannot be asked about."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tenure.cli.bundled import schema
from tests.command_line import tenure
from tests.objects import (
    API,
    a_group,
    a_list,
    a_local_queue,
    a_queue,
    a_workload,
    admitted_to,
    an_object,
    condition,
)

TWO = ("--example", "two-teams", "--now", "2026-03-02T14:00:00Z")
NOW = ("--now", "2026-03-02T14:00:00Z")
LONG = "team-a/job-long-context-8a5dc"
SHORT = "team-a/job-doc-index-dfa0b"

Raw = dict[str, Any]


def answered(*words: str) -> Raw:
    done = tenure("next", *words, "-o", "json")
    assert done.returncode == 0, done.stderr.decode()
    answer: Raw = json.loads(done.stdout)
    assert [error.message for error in Draft202012Validator(schema("next")).iter_errors(answer)] == []
    return answer


def told(*words: str) -> str:
    return tenure("next", *words).stdout.decode()


def test_admitted_workloads_have_their_flavors_and_counts() -> None:
    heads = [head for cycle in answered(*TWO)["cycles"] for head in cycle["heads"]]
    admitted = [head for head in heads if head["result"] == "admitted"]
    flavors = {"cpu": "a100", "memory": "a100", "nvidia.com/gpu": "a100"}
    assert admitted[0]["assignment"] == [{"name": "main", "count": 2, "flavors": flavors}]
    assert [head for head in heads if bool(head["assignment"]) != (head in admitted)] == []


def workload(name: str, gpus: int, *, created: int, reserved: int | None = None, **spec: Any) -> Raw:
    """A workload of some GPUs, created and reserved so many minutes before 14:00."""
    requests = {"nvidia.com/gpu": str(gpus)}
    made = a_workload(name, requests, created=at(created), **{"queueName": "main", "priority": 10, **spec})
    return made if reserved is None else admitted_to("q", made, "a100", at(reserved))


def at(minutes: int) -> str:
    return f"2026-03-02T{13 - minutes // 60:02}:{59 - minutes % 60:02}:00Z"


def dump(
    tmp_path: Path, *workloads: Raw, strategy: str = "BestEffortFIFO", duration: str | None = None
) -> str:
    preemption: Raw = {"withinClusterQueue": "LowerOrNewerEqualPriority"}
    if duration is not None:
        preemption["withinClusterQueueConfig"] = {"minAdmitDuration": duration}
    group = a_group("a100", resource="nvidia.com/gpu", quota="4")
    queue = a_queue("q", group, queueingStrategy=strategy, preemption=preemption, namespaceSelector={})
    items = [an_object("ResourceFlavor", "a100"), queue, a_local_queue("main", "ml", "q"), *workloads]
    file = tmp_path / "cluster.json"
    file.write_text(json.dumps(a_list(items)))
    return str(file)


def test_the_text_and_json_say_the_same() -> None:
    answer, text = answered(*TWO, "--cycles", "9"), told(*TWO, "--cycles", "9", "--all")
    assert text.startswith(answer["summary"])
    for cycle in answer["cycles"]:
        assert f"Cycle {cycle['number']}, {cycle['at']}" in text
        for head in cycle["heads"]:
            assert f"  {head['workload']} ({head['clusterQueue']}): " in text
    assert all(assumption in text for assumption in answer["assumed"])
    (short,) = [line for line in told(*TWO, "--cycles", "9").splitlines() if line.startswith("  assumed: ")]
    assert short.endswith("; nothing arrives, finishes or is edited (all assumptions: --all)")
    assert "pods of evicted workloads end after 30s" in short
    assert len(short) < 200


def test_a_list_has_no_more_than_its_bound(tmp_path: Path) -> None:
    queued = [workload(f"w{number:02}", 5, created=50 - number) for number in range(13)]
    lines = told("ml/w11", dump(tmp_path, *queued), *NOW).splitlines()
    ahead = lines.index("Number 12 of 13 that wait in ClusterQueue q")
    assert lines[ahead + 3].startswith("  3. ml/w02: ")
    assert lines[ahead + 4] == "  and 8 more, with --all"


def test_one_workload_has_its_place_and_its_turn() -> None:
    asked = answered(LONG, *TWO)["asked"]
    assert (asked["place"], asked["waiting"], [before["workload"] for before in asked["ahead"]]) == (
        3,
        4,
        ["team-b/job-moe-64-448bc", "team-b/job-eval-suite-d739e"],
    )
    assert asked["turns"][0]["decision"] == "NoCandidates"
    assert asked["waits"]["lacks"][0]["node"] == "ClusterQueue gpu-cluster-queue"


def test_what_fits_behind_another_waits_for_its_turn(tmp_path: Path) -> None:
    file = dump(tmp_path, workload("first", 1, created=9), workload("second", 1, created=8))
    asked = answered("ml/second", file, *NOW)
    assert asked["summary"] == "ml/second is admitted in cycle 2, at 2026-03-02T14:00:00.01Z"
    assert [before["workload"] for before in asked["asked"]["ahead"]] == ["ml/first"]
    why = tenure("why-not", "ml/second", file, *NOW)
    lines = why.stdout.decode().splitlines()
    assert lines[0] == (
        "ml/second would fit alone, and waits for its turn: ml/first goes first in ClusterQueue q"
    )
    assert lines[1] == (
        "  later: ml/second is admitted in cycle 2, at 2026-03-02T14:00:00.01Z; "
        "cycle by cycle: tenure next ml/second"
    )
    assert json.loads(tenure("why-not", "ml/second", file, *NOW, "-o", "json").stdout)["ahead"] == [
        "ml/first"
    ]
    head = tenure("why-not", "ml/first", file, *NOW).stdout.decode()
    assert head.startswith("ml/first is admitted: it fits without preempting any workload\n")


def test_a_strict_queue_waits_behind_its_head(tmp_path: Path) -> None:
    running = workload("runs", 4, created=60, reserved=50)
    file = dump(
        tmp_path,
        running,
        workload("head", 8, created=20),
        workload("small", 1, created=10, priority=0),
        strategy="StrictFIFO",
    )
    waits = answered("ml/small", file, *NOW)["asked"]["waits"]
    assert waits["why"] == "it waits behind ml/head: the head of StrictFIFO ClusterQueue q lets no other pass"
    assert waits["decision"] is None


def test_time_alone_changes_what_waits_for_a_protection(tmp_path: Path) -> None:
    file = dump(
        tmp_path,
        workload("old", 4, created=200, reserved=59),
        workload("new", 4, created=10),
        duration="4h",
    )
    events = answered("ml/new", file, *NOW, "--reading", "released")
    assert events["ended"] == "quiet"
    later = events["asked"]["waits"]["later"]
    assert (later["at"], later["decision"]) == ("2026-03-02T17:00:00.000000001Z", "Preempt")
    assert [found["workload"] for found in later["preempts"]] == ["ml/old"]
    assert events["asked"]["protected"] == [{"workload": "ml/old", "until": "2026-03-02T17:00:00Z"}]
    before = tenure(
        "decide", file, "-w", "ml/new", "--now", "2026-03-02T17:00:00Z", "--expect", "NoCandidates"
    )
    after = tenure("decide", file, "-w", "ml/new", "--now", later["at"], "--expect", "Preempt")
    assert (before.returncode, after.returncode) == (0, 0)
    woken = answered("ml/new", file, *NOW)
    assert woken["summary"] == (
        "ml/new is admitted in cycle 4, at 2026-03-02T17:00:30.000000001Z, once ml/old has left"
    )
    assert told("ml/new", file, *NOW, "--until", "1h").startswith(
        "ml/new is not admitted within this forecast: 4 nvidia.com/gpu short on a100: 4 asked, 4 of 4 in use"
        "; something happens after 1h, at 2026-03-02T17:00:00.000000001Z"
    )


def test_what_only_a_job_that_finishes_can_help_is_not_known(tmp_path: Path) -> None:
    file = dump(
        tmp_path, workload("runs", 4, created=60, reserved=50, priority=90), workload("waits", 2, created=5)
    )
    assert answered("ml/waits", file, *NOW)["summary"] == (
        "ml/waits has no known start: it waits until ml/runs releases 2 nvidia.com/gpu on a100"
    )


def test_an_identical_job_that_does_not_fit_is_the_reason_for_one_that_is_skipped(tmp_path: Path) -> None:
    """Kueue parks all workloads of one shape when one of them was found not to fit."""
    running = workload("runs", 4, created=60, reserved=50, priority=90)
    file = dump(tmp_path, running, workload("first", 2, created=9), workload("second", 2, created=8))
    assert answered("ml/second", file, *NOW)["summary"] == (
        "ml/second has no known start: "
        "Kueue skips it, because the identical job ml/first does not fit; "
        "it is tried again when a job ends or quota is added"
    )


def test_a_back_off_ends_before_the_turn_comes(tmp_path: Path) -> None:
    backing = workload("backs-off", 1, created=30)
    backing["status"] = {"requeueState": {"count": 1, "requeueAt": "2026-03-02T14:05:00Z"}}
    file = dump(tmp_path, backing)
    done = tenure("next", "ml/backs-off", file, *NOW, "-o", "json")
    asked = json.loads(done.stdout)["asked"]
    assert (asked["place"], asked["notBefore"]) == (None, "2026-03-02T14:05:00Z")
    assert asked["admittedAt"] == "2026-03-02T14:05:00Z"
    assert b"set aside" not in done.stderr


def test_a_victim_whose_pods_cannot_be_read_is_set_aside_and_spoils_no_answer(tmp_path: Path) -> None:
    victim = workload("victim", 4, created=60, reserved=50, priority=0)
    odd = copy.deepcopy(victim)
    odd["spec"]["podSets"][0]["template"]["spec"]["resourceClaims"] = [{"name": "gpu"}]
    file = dump(tmp_path, odd, workload("first", 4, created=5))
    answer = answered(file, *NOW, "--eviction", "0s")
    assert [head["result"] for cycle in answer["cycles"] for head in cycle["heads"]][:2] == [
        "preempting",
        "admitted",
    ]


def test_bounds_are_said_where_they_cut() -> None:
    cut = answered(*TWO, "--cycles", "3")
    assert (len(cut["cycles"]), cut["ended"]) == (3, "cycles")
    assert "more cycles follow; --cycles lists more" in told(*TWO, "--cycles", "3")
    assert answered(*TWO, "--until", "1s")["ended"] == "until"
    assert cut["cycles"] == answered(*TWO)["cycles"][:3]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("team-a/none", *TWO), "expected one of 4 pending workloads"),
        (("team-a/job-pretrain-7b-e95a1", *TWO), "holds quota: `why "),
        ((*TWO, "--until", "-1h"), "expected a duration that is not negative"),
        ((*TWO, "--eviction", "soon"), "--eviction: found 'soon'"),
        ((), "files, folders, - for standard input"),
    ],
)
def test_what_cannot_be_asked_is_refused(words: tuple[str, ...], said: str) -> None:
    done = tenure("next", *words)
    assert done.returncode == 2
    assert said in done.stderr.decode()


def test_a_change_is_looked_at_as_if_it_were_made() -> None:
    asked = answered(SHORT, *TWO, "--set", f"workload/{SHORT}.spec.priority=1000")
    assert (asked["ended"], asked["asked"]["place"]) == ("admitted", 1)


def test_a_release_has_its_own_gates_of_cycles(tmp_path: Path) -> None:
    """Two heads choose one victim: in Kueue main the second looks for another one, in 0.19 it is skipped."""
    file = Path(dump(tmp_path))
    items = json.loads(file.read_text())["items"]
    (queue,) = (item for item in items if item["kind"] == "ClusterQueue")
    others = []
    for name, gpus in (("one", "2"), ("other", "2"), ("q", "0")):
        changed = copy.deepcopy(queue)
        changed["metadata"]["name"] = name
        changed["spec"] |= {"cohortName": "all", "preemption": {"reclaimWithinCohort": "Any"}}
        changed["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]["nominalQuota"] = gpus
        others.append(changed)
        local = {"metadata": {"namespace": "ml", "name": name}, "spec": {"clusterQueue": name}}
        others.append({"apiVersion": API, "kind": "LocalQueue", **local})
    others += [workload(name, 2, created=90, reserved=80) for name in ("first", "last")]
    others += [workload(f"asks-{name}", 2, created=10, queueName=name) for name in ("one", "other")]
    file.write_text(json.dumps({"kind": "List", "items": [items[0], *others]}))

    def results(*words: str) -> list[str]:
        heads = answered(str(file), *NOW, "--cycles", "1", *words)["cycles"][0]["heads"]
        return [head["result"] for head in heads]

    gate = "--feature-gates=RecomputeAssignmentUponPreemptionTargetsOverlap"
    assert results() == results("--kueue", "0.19", f"{gate}=true") == ["preempting", "preempting"]
    assert results("--kueue", "0.19") == results(f"{gate}=false") == ["preempting", "skipped"]


def gated(tmp_path: Path, *, others: int = 0) -> str:
    """A queue with room for all, before which two workloads wait for a gate that is not modelled."""
    gate = {"annotations": {"kueue.x-k8s.io/admission-gated-by": "example.com/gate"}}
    waiting = [workload(f"gated-{number}", 1, created=5) for number in range(2)]
    for found in waiting:
        found["metadata"] |= gate
    plain = [workload(f"plain-{number}", 9, created=5) for number in range(others)]
    return dump(tmp_path, *waiting, *plain)


def test_who_is_not_decided_about_is_counted_in_the_first_line_and_listed(tmp_path: Path) -> None:
    first, *rest = told(gated(tmp_path), *NOW).splitlines()
    assert first == (
        "0 cycles: 0 admitted, 0 preempted, "
        "2 waiting are not decided: an admission gate is not modelled; then nothing changes any more"
    )
    assert rest[1].startswith("  assumed: 2 waiting workloads that cannot be decided left out; ")
    listed = rest[rest.index("Not decided") + 1 :]
    assert [line.split(": ")[0] for line in listed] == ["  ml/gated-0", "  ml/gated-1"]


def test_who_is_not_decided_about_is_told_beside_those_that_wait(tmp_path: Path) -> None:
    first = told(gated(tmp_path, others=1), *NOW).splitlines()[0]
    assert "1 waiting afterwards, and 2 more that are not decided: an admission gate" in first


def test_json_names_everyone_who_is_not_decided_about(tmp_path: Path) -> None:
    answer = answered(gated(tmp_path), *NOW)
    assert answer["waitingCount"] == 0
    assert [found["workload"] for found in answer["notDecided"]] == ["ml/gated-0", "ml/gated-1"]
    assert answer["notDecided"][0]["why"].startswith(
        "metadata.annotations[kueue.x-k8s.io/admission-gated-by]: "
    )


def limited(name: str, gpus: int, *, hours: int, admitted: int, **spec: Any) -> Raw:
    """A workload that may run so many hours, admitted so many minutes before 14:00."""
    found = workload(
        name, gpus, created=300, reserved=admitted, maximumExecutionTimeSeconds=hours * 3600, **spec
    )
    found["status"]["conditions"].append(condition("Admitted", "Admitted", at(admitted)))
    return found


def finished(name: str, minutes: int) -> Raw:
    """A workload that has run for so long."""
    conditions = [
        condition("Admitted", "Admitted", at(minutes + 10)),
        condition("Finished", "Succeeded", at(10)),
    ]
    return {**workload(name, 1, created=200), "status": {"conditions": conditions}}


def at_latest(file: str, *words: str) -> Raw:
    found: Raw = answered("ml/waits", file, *NOW, *words)["asked"]["atLatest"]
    return found


def test_the_latest_start_follows_from_declared_limits(tmp_path: Path) -> None:
    runs = limited("runs", 4, hours=2, admitted=59, priority=90)
    file = dump(tmp_path, runs, workload("waits", 2, created=5))
    found = at_latest(file)
    # Admitted at 13:00; 30s for its pods to end, a second until others are tried.
    assert found["ifExact"] == "2026-03-02T15:00:31Z"
    assert found["latest"] == "2026-03-02T15:00:33Z"
    assert found["ends"] == [
        {"workload": "ml/runs", "until": "2026-03-02T15:00:30Z", "by": "spec.maximumExecutionTimeSeconds"}
    ]
    text = told("ml/waits", file, *NOW)
    assert text.startswith(
        "ml/waits is admitted by 2026-03-02T15:00:33Z at the latest, if each job ends by its own limit, "
        "with no preemption until then; at 2026-03-02T15:00:31Z if each runs exactly to it\n"
    )
    assert "  ml/runs ends at 2026-03-02T15:00:30Z (spec.maximumExecutionTimeSeconds)" in text
    markdown = told("ml/waits", file, *NOW, "-o", "markdown")
    assert "- `ml/runs` ends at 2026-03-02T15:00:30Z (spec.maximumExecutionTimeSeconds)" in markdown


def test_time_of_earlier_stays_counts_towards_a_limit(tmp_path: Path) -> None:
    runs = limited("runs", 4, hours=2, admitted=59, priority=90)
    runs["status"]["accumulatedPastExecutionTimeSeconds"] = 1800
    file = dump(tmp_path, runs, workload("waits", 2, created=5))
    assert at_latest(file)["ifExact"] == "2026-03-02T14:30:31Z"


def test_the_pods_of_a_workload_beyond_its_limit_still_have_to_end(tmp_path: Path) -> None:
    runs = limited("runs", 4, hours=1, admitted=179, priority=90)
    file = dump(tmp_path, runs, workload("waits", 2, created=5))
    assert at_latest(file)["ifExact"] == "2026-03-02T14:00:31Z"


def test_a_job_that_passes_the_waiting_one_delays_it_beyond_the_exact_time(tmp_path: Path) -> None:
    """If `first` ends early, `passes` takes its quota; the bound holds, the exact time does not."""
    file = dump(
        tmp_path,
        limited("first", 2, hours=2, admitted=59, priority=90),
        limited("second", 2, hours=2, admitted=59, priority=90),
        workload("waits", 4, created=9),
        workload("passes", 2, created=8, maximumExecutionTimeSeconds=5 * 3600),
    )
    found = at_latest(file)
    assert found["ifExact"] == "2026-03-02T15:00:31Z"
    # Both limits and that of `passes`, one after the other: 1 h + 1 h + 5 h, and time to end and to try.
    assert found["latest"] == "2026-03-02T21:01:35Z"


def test_the_head_of_a_strict_queue_delays_what_would_fit(tmp_path: Path) -> None:
    file = dump(
        tmp_path,
        limited("runs", 1, hours=2, admitted=59, priority=90),
        workload("head", 4, created=20, priority=20, maximumExecutionTimeSeconds=3600),
        workload("waits", 1, created=5),
        strategy="StrictFIFO",
    )
    found = at_latest(file)
    assert [start["workload"] for start in found["starts"]] == ["ml/head"]
    assert found["ifExact"] == "2026-03-02T16:01:00Z"
    assert found["latest"] >= "2026-03-02T16:01:01Z"
    impossible = limited("runs", 1, hours=2, admitted=59, priority=90)
    file = dump(
        tmp_path,
        impossible,
        workload("head", 8, created=20, priority=20),
        workload("waits", 1, created=5),
        strategy="StrictFIFO",
    )
    assert at_latest(file)["why"] == "ml/head is ahead of it, never fits and lets no other pass"


def test_without_limits_no_bound_is_known_and_the_answer_names_who_has_none(tmp_path: Path) -> None:
    runs = workload("runs", 4, created=60, reserved=50, priority=90)
    file = dump(tmp_path, runs, workload("waits", 2, created=5))
    found = at_latest(file)
    assert (found["latest"], found["ifExact"], found["unlimited"]) == (None, None, ["ml/runs"])
    assert found["why"] == "ml/runs may hold nvidia.com/gpu on a100 without a limit"
    assert (
        "  running without a limit: ml/runs; assume one with --runtime 4h or p95, "
        "or set kueue.x-k8s.io/max-exec-time-seconds on jobs"
    ) in told("ml/waits", file, *NOW).splitlines()


@pytest.mark.parametrize(("runtime", "length"), [("4h", "4h"), ("p50", "20m"), ("p95", "1h"), ("max", "1h")])
def test_a_runtime_is_assumed_of_workloads_without_a_limit(runtime: str, length: str, tmp_path: Path) -> None:
    ended = [finished(f"done-{minutes}", minutes) for minutes in (60, 20, 10)]
    runs = workload("runs", 4, created=60, reserved=9, priority=90)
    file = dump(tmp_path, runs, workload("waits", 2, created=5), *ended)
    found = at_latest(file, "--runtime", runtime)
    assert (found["runtime"], found["ends"][0]["by"]) == (length, "--runtime")


def test_what_comes_last_before_the_start_is_listed_and_what_never_ends_is_named(tmp_path: Path) -> None:
    runs = [workload(f"runs-{age}", 1, created=600, reserved=age, priority=90) for age in (500, 200, 100)]
    queued = [workload(f"waits-{number}", 1, created=50 - number) for number in range(8)]
    file = dump(tmp_path, *runs, *queued)
    lines = told("ml/waits-7", file, *NOW, "--runtime", "4h").splitlines()
    assert "    4 others start, with --all, and then" in lines
    assert [line.split()[0] for line in lines if " starts at 20" in line] == [
        f"ml/waits-{number}" for number in (4, 5, 6)
    ]
    assert lines[0].startswith("ml/waits-7 is admitted by ")
    never = "  counted as never ending, as it runs for longer than --runtime already: ml/runs-500"
    assert never in lines


def test_a_runtime_of_finished_workloads_needs_some(tmp_path: Path) -> None:
    file = dump(tmp_path, workload("waits", 2, created=5))
    done = tenure("next", "ml/waits", file, *NOW, "--runtime", "p95")
    assert done.returncode == 2
    assert "none of 0 finished or inactive workloads has both; or a duration such as 4h" in (
        done.stderr.decode()
    )


def test_a_limit_that_is_no_number_of_seconds_is_refused(tmp_path: Path) -> None:
    runs = limited("runs", 4, hours=0, admitted=59, priority=90)
    done = tenure("next", "ml/waits", dump(tmp_path, runs, workload("waits", 2, created=5)), *NOW)
    assert done.returncode == 2
    assert (
        "Workload/ml/runs: spec.maximumExecutionTimeSeconds: found 0, "
        "expected a number of seconds from 1 to 2147483647"
    ) in done.stderr.decode()
