"""The quota arithmetic of what is drawn, at the places where limits begin to matter."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tenure.conformance.requests import DecideRequest
from tenure.model import (
    MINUTE,
    Cluster,
    ClusterQueue,
    FairStrategy,
    FlavorResource,
    PodSet,
    Settings,
    Workload,
)
from tenure.readings import preset
from tenure_lab.generators.predicates import has_boundary, has_tie
from tenure_lab.generators.quotas import Ledger, charged
from tests import clusters

PLACE = FlavorResource("f0", "cpu")


def queue(name: str, nominal: int, **limits: int) -> ClusterQueue:
    """A ClusterQueue of cohort c0; quota and limits in milli-CPU."""
    return clusters.queue(
        name, "c0", {"f0": {"cpu": (nominal, limits.get("borrowing"), limits.get("lending"))}}
    )


def holder(where: str, cpu: int, name: str = "w0", **more: Any) -> Workload:
    """A workload that holds quota."""
    made = Workload("ns", name, name, priority=1, created_at=0, quota_reserved_at=35 * MINUTE)
    return replace(made, cluster_queue=where, usage={PLACE: cpu}, **more)


def asker(cpu: int, priority: int = 5) -> Workload:
    """The incoming workload."""
    return Workload("ns", "in", "", priority, created_at=0, pod_sets=(PodSet("main", 1, {"cpu": cpu}),))


@pytest.mark.parametrize(
    ("limits", "available", "potential"),
    [
        ({}, 3000, 6000),
        ({"borrowing": 0}, 1000, 2000),
        ({"borrowing": 1000}, 2000, 3000),
        ({"lending": 0}, 4000, 6000),
    ],
)
def test_available_and_potential_follow_the_limits(
    limits: dict[str, int], available: int, potential: int
) -> None:
    ledger = Ledger([queue("q0", 2000, **limits), queue("q1", 4000)], [])
    ledger.charge(holder("q0", 1000))
    ledger.charge(holder("q1", 1000 if "lending" in limits else 2000))
    assert ledger.queues["q0"].available(PLACE) == available
    assert ledger.queues["q0"].potential(PLACE) == potential


def test_a_queue_that_lends_nothing_keeps_its_usage_to_itself() -> None:
    ledger = Ledger([queue("q0", 2000, lending=0)], [])
    ledger.charge(holder("q0", 3000))
    assert ledger.cohorts["c0"].usage == {PLACE: 1000}


def scenario(
    *admitted: Workload, incoming: Workload, nominal: int = 4000, fair: bool = False
) -> DecideRequest:
    """Two queues of a cohort."""
    cluster = Cluster(
        {name: queue(name, nominal) for name in ("q0", "q1")},
        admitted=admitted,
        settings=Settings(fair_sharing=tuple(FairStrategy) if fair else None),
    )
    return DecideRequest(cluster, incoming, "q0", 0, preset("guaranteed"), None, explained=False)


def test_a_workload_without_reservation_holds_nothing() -> None:
    given = scenario(holder("q0", 1000, quota_reserved_at=None), incoming=asker(1000))
    assert charged(given).queues["q0"].usage == {}


@pytest.mark.parametrize(
    ("asked", "expected"),
    [(7000, True), (7001, True), (6999, True), (6000, False), (3000, True), (8000, True), (9000, False)],
)
def test_a_request_beside_a_limit_is_a_boundary(asked: int, expected: bool) -> None:
    # Of 8 that the cohort has 1 is used, and of 4 that the queue has.
    given = scenario(holder("q0", 1000), incoming=asker(asked))
    assert charged(given).queues["q0"].available(PLACE) == 7000
    assert has_boundary(given) is expected


def test_a_queue_exactly_at_its_nominal_quota_is_a_boundary() -> None:
    assert has_boundary(scenario(holder("q0", 4000), incoming=asker(2000)))
    assert not has_boundary(scenario(holder("q0", 3500), incoming=asker(2000)))


def test_equal_candidates_tie() -> None:
    equal = scenario(holder("q0", 1000), holder("q1", 1000, "w1"), incoming=asker(1000))
    other = scenario(holder("q0", 1000), holder("q1", 1000, "w1", priority=2), incoming=asker(1000))
    assert has_tie(equal)
    assert not has_tie(other)


def test_a_workload_as_old_as_the_preemptor_ties_with_it() -> None:
    assert has_tie(scenario(holder("q0", 1000), incoming=asker(1000, priority=1)))
    assert not has_tie(scenario(holder("q1", 1000), incoming=asker(1000, priority=1)))


@pytest.mark.parametrize(("fair", "expected"), [(True, True), (False, False)])
def test_equal_shares_tie_in_fair_sharing_only(fair: bool, expected: bool) -> None:
    given = scenario(
        holder("q0", 5000), holder("q1", 5000, "w1", priority=2), incoming=asker(1000), fair=fair
    )
    assert has_tie(given) is expected
