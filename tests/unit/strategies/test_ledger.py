"""The quota arithmetic of the strategies, at the places where limits begin to matter."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.lab.strategies.ledger import Ledger
from tenure.lab.strategies.measures import charged, has_boundary, has_tie

Object = dict[str, Any]
PLACE = ("f0", "cpu")


def node(name: str, nominal: str, parent: str | None = None, **limits: str) -> Object:
    """A ClusterQueue, or with `parentName` among the limits' place a cohort."""
    quota = {"name": "cpu", "nominalQuota": nominal, **limits}
    group = {"coveredResources": ["cpu"], "flavors": [{"name": "f0", "resources": [quota]}]}
    spec: Object = {"resourceGroups": [group]}
    if parent is not None:
        spec |= {"cohortName": parent}
    return {"metadata": {"name": name}, "spec": spec}


def holder(queue: str, cpu: str, name: str = "w0", **more: Any) -> Object:
    """A workload that holds quota."""
    assigned = {"name": "main", "count": 1, "flavors": {"cpu": "f0"}, "resourceUsage": {"cpu": cpu}}
    reserved = {"type": "QuotaReserved", "status": "True", "lastTransitionTime": "2026-08-22T11:45:00Z"}
    return {
        "metadata": {"name": name, "creationTimestamp": "2026-08-22T11:10:00Z"},
        "spec": {"priority": 1, **more},
        "status": {
            "admission": {"clusterQueue": queue, "podSetAssignments": [assigned]},
            "conditions": [reserved],
        },
    }


def asker(cpu: str, priority: int = 5) -> Object:
    """The incoming workload."""
    container = {"resources": {"requests": {"cpu": cpu}}}
    pod_set = {"name": "main", "count": 1, "template": {"spec": {"containers": [container]}}}
    return {
        "metadata": {"name": "in", "creationTimestamp": "2026-08-22T11:10:00Z"},
        "spec": {"priority": priority, "podSets": [pod_set]},
    }


@pytest.mark.parametrize(
    ("limits", "available", "potential"),
    [
        ({}, 3000, 6000),
        ({"borrowingLimit": "0"}, 1000, 2000),
        ({"borrowingLimit": "1"}, 2000, 3000),
        ({"lendingLimit": "0"}, 4000, 6000),
    ],
)
def test_available_and_potential_follow_the_limits(
    limits: dict[str, str], available: int, potential: int
) -> None:
    queues = [node("q0", "2", "c0", **limits), node("q1", "4", "c0")]
    ledger = Ledger(queues, [])
    ledger.charge(holder("q0", "1"))
    ledger.charge(holder("q1", "2" if "lendingLimit" not in limits else "1"))
    assert ledger.queues["q0"].available(PLACE) == available
    assert ledger.queues["q0"].potential(PLACE) == potential


def test_a_queue_that_lends_nothing_keeps_its_usage_to_itself() -> None:
    ledger = Ledger([node("q0", "2", "c0", lendingLimit="0")], [])
    ledger.charge(holder("q0", "3"))
    assert ledger.cohorts["c0"].usage == {PLACE: 1000}


def test_a_workload_without_reservation_holds_nothing() -> None:
    ledger = Ledger([node("q0", "2")], [])
    ledger.charge({**holder("q0", "1"), "status": {**holder("q0", "1")["status"], "conditions": []}})
    assert ledger.queues["q0"].usage == {}


def scenario(*admitted: Object, incoming: Object, nominal: str = "4", fair: bool = False) -> Object:
    """One queue, or two of a cohort when somebody holds quota in the second."""
    return {
        "clusterQueues": [node("q0", nominal, "c0"), node("q1", nominal, "c0")],
        "cohorts": [],
        "fairSharing": {"preemptionStrategies": []} if fair else None,
        "admitted": list(admitted),
        "incoming": incoming,
        "targetCQ": "q0",
    }


@pytest.mark.parametrize(
    ("asked", "expected"),
    [("7", True), ("7001m", True), ("6999m", True), ("6", False), ("3", True), ("8", True), ("9", False)],
)
def test_a_request_beside_a_limit_is_a_boundary(asked: str, expected: bool) -> None:
    # Of 8 that the cohort has 1 is used, and of 4 that the queue has.
    given = scenario(holder("q0", "1"), incoming=asker(asked))
    assert charged(given).queues["q0"].available(PLACE) == 7000
    assert has_boundary(given) is expected


def test_a_queue_exactly_at_its_nominal_quota_is_a_boundary() -> None:
    assert has_boundary(scenario(holder("q0", "4"), incoming=asker("2")))
    assert not has_boundary(scenario(holder("q0", "3500m"), incoming=asker("2")))


def test_equal_candidates_tie() -> None:
    equal = scenario(holder("q0", "1"), holder("q1", "1", "w1"), incoming=asker("1"))
    other = scenario(holder("q0", "1"), holder("q1", "1", "w1", priority=2), incoming=asker("1"))
    assert has_tie(equal)
    assert not has_tie(other)


def test_a_workload_as_old_as_the_preemptor_ties_with_it() -> None:
    assert has_tie(scenario(holder("q0", "1"), incoming=asker("1", priority=1)))
    assert not has_tie(scenario(holder("q1", "1"), incoming=asker("1", priority=1)))


@pytest.mark.parametrize(("fair", "expected"), [(True, True), (False, False)])
def test_equal_shares_tie_in_fair_sharing_only(fair: bool, expected: bool) -> None:
    given = scenario(
        holder("q0", "5"), holder("q1", "5", "w1", priority=2), incoming=asker("1"), nominal="4", fair=fair
    )
    assert has_tie(given) is expected
