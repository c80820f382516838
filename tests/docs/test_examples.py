"""The bundled examples decide what their pages tell; the real Kueue v0.19.2 answers every row below so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tenure
from tests.docs.blocks import ROOT
from tools import libyaml

EXAMPLES = ROOT / "examples"
NOW = "2026-05-11T14:00:00Z"
PRETRAIN, DEPTH = "llm/job-pretrain-mix-9fa75", "vision/job-depth-f4d2f"
RELEASE, BID = "search/job-index-release-e3f0b", "ads/job-bid-landscape-c66ef"
CAPTIONS = "nightly/job-captions-f1221"
ETL, REPORT = "nightly/job-etl-6e260", "nightly/job-month-report-043e9"
QUERY_LOGS, REPLAY = "search/job-query-logs-5b54c", "search/job-ab-replay-197ec"
RECLAIM, BORROWING = "InCohortReclamation", "InCohortReclaimWhileBorrowing"
FAIR, OWN = "InCohortFairSharing", "InClusterQueue"


@pytest.mark.parametrize(
    ("workload", "fair", "outcome", "leaving"),
    [
        (PRETRAIN, False, "Preempt", {ETL: RECLAIM, QUERY_LOGS: RECLAIM, REPORT: RECLAIM}),
        (RELEASE, False, "Preempt", {ETL: BORROWING, QUERY_LOGS: OWN, REPLAY: OWN}),
        (BID, False, "NoCandidates", {}),
        (DEPTH, False, "Fit", {}),
        (CAPTIONS, False, "Fit", {}),
        (PRETRAIN, True, "Preempt", {ETL: FAIR, QUERY_LOGS: FAIR, REPORT: FAIR}),
        (RELEASE, True, "Preempt", {ETL: FAIR, QUERY_LOGS: OWN, REPLAY: OWN}),
        (BID, True, "Preempt", {QUERY_LOGS: FAIR}),
        (DEPTH, True, "Fit", {}),
        (CAPTIONS, True, "Fit", {}),
    ],
)
def test_the_shared_cohort_decides_as_kueue_does(
    workload: str, fair: bool, outcome: str, leaving: dict[str, str]
) -> None:
    configured = [EXAMPLES / "fair-sharing"] if fair else []
    decision = tenure.decide(tenure.load(EXAMPLES / "shared-cohort", *configured), workload, now=NOW)
    assert str(decision.outcome) == outcome
    assert {target.workload.key: target.reason.label for target in decision.targets} == leaving


def test_the_next_flavor_is_chosen_and_fewer_pods_where_they_fit() -> None:
    cluster = tenure.load(EXAMPLES / "shared-cohort")
    (depth,) = tenure.decide(cluster, DEPTH, now=NOW).assignment.pod_sets
    assert set(depth.flavors.values()) == {"spot"}
    (captions,) = tenure.decide(cluster, CAPTIONS, now=NOW).assignment.pod_sets
    assert (captions.count, set(captions.flavors.values())) == (3, {"spot"})


@pytest.mark.parametrize("folder", sorted(EXAMPLES.iterdir()), ids=lambda path: path.name)
def test_an_example_loads_without_a_warning_and_tells_of_every_workload_that_waits(folder: Path) -> None:
    loaded = tenure.load(folder)
    assert (loaded.warnings, loaded.set_aside) == ((), {})
    page = (folder / "README.md").read_text(encoding="utf-8")
    assert [workload.key for workload in loaded.cluster.pending if workload.key not in page] == []


@pytest.mark.parametrize(
    "file", sorted(EXAMPLES.glob("*/*.yaml")), ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_an_example_is_recorded_or_marked_as_written_by_hand(file: Path) -> None:
    first = file.read_text(encoding="utf-8").splitlines()[0]
    by_hand = file.parent.name in {"hero", "kai-departments"}
    assert first.startswith("# Written by hand" if by_hand else "# Recorded from a running Kueue v0.19.2 by ")


def test_the_emergency_queues_are_recorded_as_the_page_shows_them() -> None:
    page = (ROOT / "docs/how-to/five-configurations.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\| `(\w+)` \| (\d+) \| (\w+) \| (\w+) \| (\w+) \|$", page, re.M)
    recorded = libyaml.load((EXAMPLES / "emergency" / "queues.yaml").read_text(encoding="utf-8"))["items"]
    queues = {one["metadata"]["name"]: one["spec"] for one in recorded if one["kind"] == "ClusterQueue"}
    assert {name for name, *_ in shown} == set(queues)
    for name, cpus, within, reclaim, borrow in shown:
        policy = queues[name]["preemption"]
        (quota,) = queues[name]["resourceGroups"][0]["flavors"][0]["resources"]
        assert (quota["nominalQuota"], policy["withinClusterQueue"]) == (cpus, within)
        assert (policy["reclaimWithinCohort"], policy["borrowWithinCohort"]["policy"]) == (reclaim, borrow)
