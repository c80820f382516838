"""The cluster of a play at an instant: what is persisted is in it, and what a restart loses is not."""

from __future__ import annotations

from typing import Any

import pytest

import tenure
from tenure.readings import preset
from tenure.units import format_instant
from tenure_play import parse_scenario
from tenure_play.engine import world_at
from tenure_play.export import cluster_at
from tests.properties.cuts import heads_of, read_back
from tests.tenure_play.plays import queue, scenario, submit

RELEASED = preset("released")
HOUR = 3600 * 10**9


def two(strategy: str = "BestEffortFIFO") -> dict[str, Any]:
    """A high priority comes while the victim of a middle one leaves."""
    spec: dict[str, Any] = {
        "preemption": {"withinClusterQueue": "LowerPriority"},
        "queueingStrategy": strategy,
    }
    events = [
        submit("0s", "low", "q", 1),
        submit("1h", "middle", "q", 1, 5),
        submit("1h1m", "high", "q", 1, 9),
    ]
    return scenario([queue("q", 1, **spec)], events, until="3h", timing={"eviction": "10m"})


def test_an_evicted_workload_holds_its_quota_and_says_why_it_leaves() -> None:
    made = parse_scenario(two())
    objects, clock = cluster_at(made, RELEASED, made.start + HOUR + 1)
    (low,) = (object_ for object_ in objects if object_["metadata"]["name"] == "low")
    assert clock == made.start + HOUR + 1
    assert [item["type"] for item in low["status"]["conditions"]] == [
        "QuotaReserved",
        "Admitted",
        "Evicted",
        "Preempted",
    ]
    assert low["status"]["conditions"][-1]["reason"] == "InClusterQueue"
    assert low["status"]["admission"]["podSetAssignments"][0]["resourceUsage"] == {"cpu": "1"}


def conditions_of(raw: dict[str, Any], name: str, at: int) -> dict[str, tuple[str, str, str, str]]:
    """Status, reason, message and stamp of a workload's conditions, by type."""
    made = parse_scenario(raw)
    objects, _ = cluster_at(made, RELEASED, made.start + at)
    (found,) = (object_ for object_ in objects if object_["metadata"]["name"] == name)
    return {
        item["type"]: (item["status"], item["reason"], item["message"], item["lastTransitionTime"])
        for item in found["status"]["conditions"]
    }


def test_who_was_preempted_names_the_preemptor_and_both_paths_as_kueue_does() -> None:
    # The victim's pods end after ten minutes; the controller's clock is an hour ahead by then.
    queues = [queue("a", 1, "all"), queue("b", 1, "low", preemption={"reclaimWithinCohort": "Any"})]
    cohort = {"kind": "Cohort", "metadata": {"name": "low"}, "spec": {"parentName": "all"}}
    events = [
        submit("0s", "stays", "a", 1, 1),
        submit("1s", "victim", "a", 1),
        submit("1h", "owner", "b", 1, work="1h"),
        {"at": "1h5m", "clock": "1h"},
    ]
    raw = scenario(queues, events, objects=[cohort], until="9h", timing={"eviction": "10m"})
    told = (
        "Preempted to accommodate a workload (UID: default/owner, JobUID: UNKNOWN) due to reclamation within "
        "the cohort; preemptor path: /all/low/b; preemptee path: /all/a"
    )
    gone, came = "2026-01-05T10:00:00Z", "2026-01-05T11:10:00Z"
    leaving = conditions_of(raw, "victim", HOUR + 1)
    assert leaving["Preempted"] == ("True", "InCohortReclamation", told, gone)
    assert leaving["QuotaReserved"][0] == "True"
    waiting = conditions_of(raw, "victim", HOUR + 3000 * 10**9)
    assert waiting["QuotaReserved"] == ("False", "Pending", told, came)
    assert waiting["Evicted"] == ("True", "Preempted", told, gone)
    assert waiting["Preempted"] == ("True", "InCohortReclamation", told, gone)
    again = conditions_of(raw, "victim", 4 * HOUR)
    stamp = again["QuotaReserved"][3]
    assert again["Evicted"] == ("False", "QuotaReserved", f"Previously: {told}", stamp)
    assert again["Preempted"] == ("False", "QuotaReserved", f"Previously: {told}", stamp)
    assert "Preempted" not in conditions_of(raw, "stays", 4 * HOUR)


def test_the_head_that_waits_for_its_victim_is_lost_as_in_a_restart() -> None:
    made = parse_scenario(two())
    at = made.start + HOUR + 120 * 10**9
    assert world_at(made, RELEASED, at).queues["q"].preemptor == "default/middle"
    loaded, clock = read_back(made, RELEASED, at)
    assert heads_of(loaded.cluster, clock, RELEASED) == {"q": "default/high"}


def test_a_workload_that_waits_aside_is_exported_like_every_pending_one() -> None:
    events = [submit("0s", "runs", "q", 1, 5), submit("1m", "aside", "q", 1)]
    made = parse_scenario(scenario([queue("q", 1)], events))
    at = made.start + 120 * 10**9
    assert list(world_at(made, RELEASED, at).queues["q"].parked) == ["default/aside"]
    loaded, _ = read_back(made, RELEASED, at)
    assert [workload.key for workload in loaded.cluster.pending] == ["default/aside"]
    decision = tenure.decide(loaded, "default/aside", now=format_instant(at))
    assert str(decision.outcome) == "NoCandidates"


@pytest.mark.parametrize(("at", "policy"), [(0, "Never"), (2 * HOUR, "LowerPriority")])
def test_an_edit_counts_from_its_instant(at: int, policy: str) -> None:
    patch = {
        "kind": "ClusterQueue",
        "metadata": {"name": "q"},
        "spec": {"preemption": {"withinClusterQueue": "LowerPriority"}},
    }
    made = parse_scenario(scenario([queue("q", 1)], [{"at": "1h", "edit": patch}], until="3h"))
    loaded, _ = read_back(made, RELEASED, made.start + at)
    found = loaded.cluster.cluster_queues["q"].within_cluster_queue
    assert found.name.replace("_", "").lower() == policy.lower()


def test_a_workload_that_was_evicted_before_the_play_keeps_its_conditions_when_it_waits_again() -> None:
    stamp = "2026-01-05T08:59:00Z"
    conditions = [
        {"type": kind, "status": "True", "reason": reason, "message": "", "lastTransitionTime": stamp}
        for kind, reason in (
            ("QuotaReserved", "QuotaReserved"),
            ("Evicted", "Preempted"),
            ("Preempted", "InClusterQueueTimeBased"),
        )
    ]
    containers = [{"name": "main", "resources": {"requests": {"cpu": 1}}}]
    held = {"name": "main", "count": 1, "flavors": {"cpu": "default"}, "resourceUsage": {"cpu": "1"}}
    leaving = {
        "kind": "Workload",
        "metadata": {"namespace": "default", "name": "leaving", "uid": "u", "creationTimestamp": stamp},
        "spec": {
            "queueName": "q",
            "podSets": [{"name": "main", "count": 1, "template": {"spec": {"containers": containers}}}],
        },
        "status": {
            "conditions": conditions,
            "admission": {"clusterQueue": "q", "podSetAssignments": [held]},
        },
    }
    queues = [queue("q", 1, preemption={"withinClusterQueue": "LowerPriority"})]
    raw = scenario(queues, [submit("0s", "next", "q", 1, 5)], objects=[leaving])
    made = parse_scenario({**raw, "timing": {"eviction": "1m"}})
    before, _ = read_back(made, RELEASED, made.start + 30 * 10**9)
    after, _ = read_back(made, RELEASED, made.start + 90 * 10**9)
    assert [workload.key for workload in before.cluster.admitted] == ["default/leaving"]
    assert [workload.key for workload in after.cluster.admitted] == ["default/next"]
    assert [workload.time_based_preempted_at is not None for workload in after.cluster.pending] == [True]
