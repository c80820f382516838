"""Clusters of public reports: Tenure decides as Kueue did, and `why-not`, `why` and `next` name the cause."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tenure.cli.bundled import schema
from tests.command_line import tenure
from tests.objects import a_group, a_list, a_local_queue, a_queue, a_workload, admitted_to, an_object
from tools import libyaml

REPORTS = Path(__file__).parents[1] / "recorded" / "reports"
KUEUE: dict[str, dict[str, Any]] = json.loads((REPORTS / "kueue-0.19.2.json").read_text(encoding="utf-8"))
FAIR = ("--fair-sharing", "default")
SHARED_FAIRLY = ("fair-sharing-tournament", "kueue-9406", "weighted-shares", "kueue-7016")
STATUS = {"assumed": "admitted", "skipped": "skipped"}


def answered(*words: str, fair: bool = False) -> str:
    """What `tenure` prints about the cluster that the last word names."""
    *words_before, report = words
    flags = FAIR if fair else ()
    done = tenure(*words_before, f"{report}.yaml", "--now", "2026-06-01T12:00:00Z", *flags, cwd=REPORTS)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


@pytest.mark.parametrize("report", KUEUE)
def test_a_report_is_decided_as_by_kueue(report: str) -> None:
    fair = report in SHARED_FAIRLY
    for asked, expected in KUEUE[report].items():
        if asked == "cycle":
            continue
        _, workload = asked.split()
        found = json.loads(
            answered("decide", "-w", workload, "-o", "json", "--kueue", "0.19", report, fair=fair)
        )
        preempted = [[victim["workload"], victim["reason"]] for victim in found["preempted"]]
        assert {"decision": found["decision"], "preempted": preempted} == expected


@pytest.mark.parametrize("report", [report for report, found in KUEUE.items() if "cycle" in found])
def test_the_first_cycle_of_a_report_is_that_of_kueue(report: str) -> None:
    answer = answered(
        "next", "--cycles", "1", "-o", "json", "--kueue", "0.19", report, fair=report in SHARED_FAIRLY
    )
    heads = json.loads(answer)["cycles"][0]["heads"]
    assert [(head["workload"], _result(head["result"])) for head in heads] == [
        (head["workload"], STATUS.get(head["status"], "preempting" if head["preempted"] else ""))
        for head in KUEUE[report]["cycle"]
    ]


def _result(result: str) -> str:
    """A head that gets nothing is parked or tried again: Kueue's record has no status for either."""
    return "" if result in ("parked", "tried again") else result


def test_a_cohort_without_preemption_is_decided_under_fair_sharing() -> None:
    assert "2 pending workloads: 1 NoFit, 1 Fit" in answered("decide", "-a", "kueue-2473")


def test_a_past_preemption_is_confirmed_by_deciding_again() -> None:
    assert answered("why", "vic", "preempted-before").startswith(
        "team/vic was preempted at 2026-06-01T11:00:00Z for team/boss, InCohortReclamation"
    )


GATE = "gate RecomputeAssignmentUponPreemptionTargetsOverlap"
KEPT = (
    "100m cpu on std is kept for team/g2 of ClusterQueue guaranteed, which is handled first because it "
    "queues from an earlier time: spec.preemption.reclaimWithinCohort of ClusterQueue guaranteed is "
    "LowerPriority, not Any"
)
OVERLAP = "is already being preempted for team/bb in this cycle"
GETS_THE_LAST = (
    "team/first of ClusterQueue a is handled first because it queues from an earlier time, and gets 2 cpu "
    "on std"
)
WINS = "team/l1 of ClusterQueue cq-l is handled first in the order of fair sharing, and gets 5 cpu on std"


@pytest.mark.parametrize(
    ("words", "fair", "expected"),
    [
        (("next", "b1", "kept-for-the-head"), False, KEPT),
        (
            ("next", "second", "two-want-the-last"),
            False,
            f"cycle 1, 2026-06-01T12:00:00Z: skipped: {GETS_THE_LAST}",
        ),
        (("next", "r1", "fair-sharing-tournament"), True, f"skipped: {WINS}"),
        (
            ("next", "big", "--kueue", "0.19", "overlapping-targets"),
            True,
            f"skipped: team/n8, which it would preempt too, {OVERLAP}",
        ),
        (
            ("next", "big", "overlapping-targets"),
            True,
            f"decided again, since team/n8 {OVERLAP} ({GATE}, off in Kueue 0.19, where it would be skipped)",
        ),
    ],
)
def test_a_skipped_head_names_the_earlier_head_and_the_field(
    words: tuple[str, ...], fair: bool, expected: str
) -> None:
    assert expected in answered(*words, fair=fair)


NOLQ = "there is no LocalQueue missing in namespace team; its LocalQueues are u"


@pytest.mark.parametrize(
    ("words", "fair", "expected"),
    [
        (("b1", "kept-for-the-head"), False, [f"team/b1 would fit alone, and is skipped in cycle 1: {KEPT}"]),
        (
            ("b1", "kept-for-the-head"),
            False,
            [
                "reclaimWithinCohort Any instead of LowerPriority (ClusterQueue guaranteed, "
                "kept-for-the-head.yaml:20): team/b1 would be admitted in this cycle"
            ],
        ),
        (
            ("second", "two-want-the-last"),
            False,
            [
                f"team/second would fit alone, and is skipped in cycle 1: {GETS_THE_LAST}",
                "later: team/second has no known start: it would fit in ClusterQueue b and its cohort c if",
            ],
        ),
        (
            ("r1", "fair-sharing-tournament"),
            True,
            [
                f"team/r1 would fit alone, and is skipped in cycle 1: {WINS}",
                "later: team/r1 is admitted in cycle 4",
            ],
        ),
        (
            ("big", "--kueue", "0.19", "overlapping-targets"),
            True,
            [
                "team/big would preempt 8 running workloads alone, and is skipped in cycle 1: team/n8, which",
                f"feature {GATE} on (alpha in Kueue 0.19): team/big would preempt 8 running workloads in",
            ],
        ),
        (
            ("big", "backoff"),
            False,
            [
                "team/big is in back-off until 2026-06-01T12:00:30Z after its 1st PodsReady timeout, then "
                "behind team/small\n",
                "then, if nothing else happens: team/big has no known start",
            ],
        ),
        (
            ("checks", "not-queued"),
            False,
            [
                "team/checks holds its quota in ClusterQueue cq since 2026-06-01T08:00:00Z, and is not "
                "admitted yet: admission check prov is Pending since 2026-06-01T08:00:00Z: waiting for "
                "nodes\n"
                "  status.admissionChecks[0].state of Workload/team/checks: Pending (not-queued.yaml:87)\n"
            ],
        ),
        (("inactive", "not-queued"), False, ["team/inactive is inactive: spec.active is false\n"]),
        (("nolq", "not-queued"), False, [f"team/nolq is not queued: {NOLQ}\n"]),
        (("done", "not-queued"), False, ["team/done finished at 2026-06-01T08:00:00Z: ok\n"]),
        (
            ("running", "not-queued"),
            False,
            ["team/running is admitted since 2026-06-01T07:00:00Z, and holds"],
        ),
    ],
)
def test_why_not_names_what_a_workload_waits_for(
    words: tuple[str, ...], fair: bool, expected: list[str]
) -> None:
    answer = answered("why-not", *words, fair=fair)
    assert answer.startswith(f"team/{words[0]} ")
    assert [text for text in expected if text not in answer] == []


def test_why_begins_with_the_pending_workload_that_preempts_in_a_coming_cycle() -> None:
    assert answered("why", "w2-1", "third-one-preempts").startswith(
        "None of 4 pending workloads preempts team/w2-1, each taken alone; in cycle 3, at "
        "2026-06-01T12:00:00.02Z, team/w3-2 does, after team/w3-0 and team/w3-1 are admitted: tenure next\n"
        "A new workload of the right size could preempt team/w2-1 "
    )


def test_why_begins_with_pending_workloads_where_none_preempts_too(tmp_path: Path) -> None:
    assert answered("why", "w1-0", "third-one-preempts").splitlines()[:2] == [
        "None of 4 pending workloads preempts team/w1-0",
        "No new workload of any size could preempt team/w1-0 (priority 0) now",
    ]
    alone = [
        found for found in OBJECTS if found["kind"] != "Workload" or found["metadata"]["name"] == "running"
    ]
    file = tmp_path / "cluster.yaml"
    file.write_text(libyaml.dump_all(alone), encoding="utf-8")
    done = tenure("why", "running", str(file), "--now", "2026-06-01T12:00:00Z")
    assert done.stdout.startswith(b"No workload is pending, so none preempts team/running\n")


def test_next_gives_the_reason_of_the_first_line_once() -> None:
    answer = answered("next", "second", "two-want-the-last")
    assert answer.startswith("team/second has no known start: it would fit in ClusterQueue b ")
    assert "What it waits for" not in answer


RECORDED = REPORTS.parent / "stopped-queues.json"


@pytest.mark.parametrize(
    ("job", "expected"),
    [
        ("old", "ml/job-old-1f264 is inactive: spec.active is false: The workload is deactivated\n"),
        (
            "urgent",
            "ml/job-urgent-8c0e3 finished at 2026-11-27T23:40:18Z: The workload's owner no longer exists\n",
        ),
        ("sweep", "its pods are not all ready: Not all pods are ready or succeeded\n"),
        ("held", "stopPolicy of LocalQueue ml/night is Hold ("),
        ("gpt", "stopPolicy is HoldAndDrain ("),
        ("b2", "waits for its turn: ml/job-b1-575af goes first in StrictFIFO ClusterQueue batch\n"),
    ],
)
def test_why_not_answers_about_the_workloads_of_a_running_kueue(job: str, expected: str) -> None:
    done = tenure("why-not", f"job/{job}", str(RECORDED), "--now", "2026-11-27T23:41:19Z")
    assert (done.returncode, done.stderr) == (0, b"")
    assert expected in done.stdout.decode()


OBJECTS = list(libyaml.load_all((REPORTS / "not-queued.yaml").read_text(encoding="utf-8")))
WAITS = next(found for found in OBJECTS if found["metadata"]["name"] == "nolq")
SINCE = "2026-06-01T11:00:00Z"


def condition(kind: str, status: str, reason: str, message: str = "") -> dict[str, str]:
    return {"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": SINCE}


ADMISSION: dict[str, Any] = {
    "clusterQueue": "cq",
    "podSetAssignments": [
        {"name": "main", "count": 1, "flavors": {"cpu": "std"}, "resourceUsage": {"cpu": "1"}}
    ],
}
PENDING_TOPOLOGY: dict[str, Any] = {
    "clusterQueue": "cq",
    "podSetAssignments": [{**ADMISSION["podSetAssignments"][0], "delayedTopologyRequest": "Pending"}],
}
HOLDS = condition("QuotaReserved", "True", "QuotaReserved")


@pytest.mark.parametrize(
    ("kind", "status", "annotations"),
    [
        ("gated", {}, {"kueue.x-k8s.io/admission-gated-by": "example.com/gate"}),
        (
            "replacement-pods",
            {"conditions": [condition("WaitingForReplacementPods", "True", "PodsFailed")]},
            {},
        ),
        ("inadmissible", {"conditions": [condition("Requeued", "False", "Inadmissible", "no DRA")]}, {}),
        (
            "pods-ready",
            {
                "conditions": [
                    condition(
                        "QuotaReserved",
                        "False",
                        "Waiting",
                        "waiting for all admitted workloads to be in PodsReady condition",
                    )
                ]
            },
            {},
        ),
        (
            "evicted",
            {"admission": ADMISSION, "conditions": [HOLDS, condition("Evicted", "True", "Preempted")]},
            {},
        ),
        ("controller", {"admission": ADMISSION, "conditions": [HOLDS]}, {}),
        ("topology", {"admission": PENDING_TOPOLOGY, "conditions": [HOLDS]}, {}),
    ],
)
def test_why_not_names_each_condition_that_keeps_a_workload_out_of_its_queue(
    tmp_path: Path, kind: str, status: dict[str, Any], annotations: dict[str, str]
) -> None:
    metadata = {**WAITS["metadata"], "annotations": annotations}
    workload = {**WAITS, "metadata": metadata, "spec": {**WAITS["spec"], "queueName": "u"}, "status": status}
    others = [found for found in OBJECTS if found["kind"] != "Workload"]
    assert _causes(tmp_path, [*others, workload]) == [kind]


def test_why_not_names_a_cluster_queue_that_is_missing_or_that_kueue_finds_inactive(tmp_path: Path) -> None:
    workload = {**WAITS, "spec": {**WAITS["spec"], "queueName": "u"}}
    flavor, queue, local = (found for found in OBJECTS if found["kind"] != "Workload")
    elsewhere = {**local, "spec": {"clusterQueue": "gone"}}
    assert _causes(tmp_path, [flavor, queue, elsewhere, workload]) == ["no-cluster-queue"]
    text = "Can't admit new workloads: references inactive AdmissionCheck(s): prov."
    inactive = {
        **queue,
        "status": {"conditions": [condition("Active", "False", "AdmissionCheckInactive", text)]},
    }
    assert _causes(tmp_path, [flavor, inactive, local, workload]) == ["inactive-cluster-queue"]


def _causes(folder: Path, objects: list[dict[str, Any]]) -> list[str]:
    """The kinds of causes that `why-not` names, in an answer that its schema describes."""
    file = folder / "cluster.yaml"
    file.write_text(libyaml.dump_all(objects), encoding="utf-8")
    done = tenure("why-not", "nolq", str(file), "--now", "2026-06-01T12:00:00Z", "-o", "json")
    assert done.returncode == 0, done.stderr.decode()
    answer = json.loads(done.stdout)
    assert [error.message for error in Draft202012Validator(schema("why-not")).iter_errors(answer)] == []
    assert all(cause["file"] == str(file) and cause["line"] for cause in answer["causes"])
    return [cause["kind"] for cause in answer["causes"]]


def _clash(folder: Path, strategy: str = "BestEffortFIFO") -> str:
    """The owner of all quota and a queue that borrows, whose jobs need the same victim."""
    preempts = {
        "reclaimWithinCohort": "Any",
        "borrowWithinCohort": {"policy": "LowerPriority"},
        "withinClusterQueue": "LowerPriority",
    }
    queues = [
        a_queue(name, a_group("std", quota=quota), cohortName="all", preemption=preempts, **more)
        for name, quota, more in (
            ("owner", "4", {}),
            ("borrower", "0", {"queueingStrategy": strategy}),
            ("low", "0", {}),
        )
    ]
    objects = [
        an_object("ResourceFlavor", "std"),
        *queues,
        *(a_local_queue(name, "ml", name) for name in ("owner", "borrower", "low")),
        admitted_to("low", _asking("victim", "low", -1), "std", "2026-03-02T13:00:00Z"),
        _asking("mine", "owner", 1),
        _asking("head", "borrower", 1),
        _asking("behind", "borrower", 0),
    ]
    file = folder / "clash.json"
    file.write_text(json.dumps(a_list(objects)), encoding="utf-8")
    return str(file)


def _asking(name: str, queue: str, priority: int) -> dict[str, Any]:
    at = f"2026-03-02T12:0{2 - priority}:00Z"
    return a_workload(name, {"cpu": "4"}, created=at, queueName=queue, priority=priority)


def _why_not(name: str, file: str, *words: str) -> str:
    done = tenure("why-not", name, file, "--now", "2026-06-01T12:00:00Z", *words)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def test_why_not_names_the_gate_by_which_a_head_was_decided_again(tmp_path: Path) -> None:
    first, *_ = _why_not("head", _clash(tmp_path)).splitlines()
    assert first.startswith(
        "ml/head would preempt 1 running workload alone, and is parked in cycle 1: 4 cpu short"
    )
    assert first.endswith(
        "; decided again, since ml/victim is already being preempted for ml/mine in this cycle "
        f"({GATE}, off in Kueue 0.19, where it would be skipped)"
    )


@pytest.mark.parametrize(("strategy", "count"), [("StrictFIFO", 1), ("BestEffortFIFO", 0)])
def test_why_not_names_the_head_that_nothing_passes(tmp_path: Path, strategy: str, count: int) -> None:
    file = _clash(tmp_path, strategy)
    answer = _why_not("behind", file, "--set", "workload/ml/behind.spec.priority=-2")
    assert " is not admitted: 4 cpu short on std" in answer
    line = "  queueingStrategy is StrictFIFO: ml/head goes first, and nothing passes the head"
    assert answer.splitlines().count(line) == count
    assert "queueingStrategy is" not in _why_not("mine", file)


def test_why_not_tries_the_policy_that_forbids_preempting_while_borrowing(tmp_path: Path) -> None:
    forbids = ("--set", "clusterqueue/borrower.spec.preemption.borrowWithinCohort.policy=Never")
    nothing = "; LowerPriority alone would not free enough"
    helps, _, *_ = _why_not("head", _clash(tmp_path), *forbids).splitlines()
    assert helps == (
        "ml/head is not admitted: borrowWithinCohort.policy is Never: it would borrow 4 cpu beyond the "
        "nominalQuota of 0, and does not preempt for that"
    )
    lower = ("--set", "workload/ml/head.spec.priority=-5")
    first, _, *_ = _why_not("head", _clash(tmp_path), *forbids, *lower).splitlines()
    assert first == f"{helps}{nothing}"
