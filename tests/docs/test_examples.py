"""The bundled examples decide what their pages tell; the real Kueue v0.19.2 answers every row below so."""

from __future__ import annotations

from pathlib import Path

import pytest

import tenure
from tests.docs.blocks import ROOT

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
