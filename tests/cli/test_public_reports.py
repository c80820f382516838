"""Clusters of public reports: Tenure decides as Kueue did, and `why-not`, `why` and `next` name the cause."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import tenure

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
