"""What one search found serves another only where both would have found the same."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from tenure.conformance.requests import read_decide_request
from tenure.model import ClusterQueue, Settings, WithinClusterQueue, Workload
from tenure.oracle.decide import decide
from tenure.oracle.remembering import Found, as_rules_see
from tenure.oracle.snapshot import take_snapshot
from tenure.readings import preset
from tenure.rules.terms import PreemptionTerms, terms_of
from tenure.strategies import chunk
from tests.sampling import sample

WHO_IT_IS = {"namespace", "name", "uid", "job_uid", "queue_name", "cluster_queue"}
WHAT_IT_ASKS = {"usage", "pod_sets"}
MERGED = {"priority_boost", "priority_class", "job_created_at"}
"""The priority inside a decision is the effective one."""


def terms(policy: WithinClusterQueue) -> PreemptionTerms:
    return terms_of(ClusterQueue("q", within_cluster_queue=policy), Settings(), preset("guaranteed"))


def test_everything_else_of_a_workload_tells_searches_apart_where_equals_may_be_taken() -> None:
    equal = terms(WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY)
    one = Workload("ns", "w", "u", priority=1, created_at=2)
    for field in fields(Workload):
        if field.name not in WHO_IT_IS | WHAT_IT_ASKS | MERGED:
            changed: dict[str, Any] = {field.name: 99}
            other = replace(one, **changed)
            assert as_rules_see(one, equal) != as_rules_see(other, equal), field.name


def test_the_oldest_is_forgotten_when_too_many_workloads_are_listed() -> None:
    found = Found(running=0)
    for number in range(20):
        found.of((number,), lambda: [0] * 100, len)
    assert found.of((19,), list, len) != []
    assert found.of((0,), list, len) == []


@pytest.mark.parametrize(("size", "kept"), [(511, True), (512, False)])
def test_what_fits_exactly_is_kept_and_one_workload_more_is_too_many(size: int, kept: bool) -> None:
    found = Found(running=0)  # has room for 1024, and what is found takes one more than it lists
    first = found.of((1,), lambda: [0] * 511, len)
    found.of((2,), lambda: [0] * size, len)
    assert (found.of((1,), list, len) is first) == kept


def asked_again(scenario: dict[str, Any]) -> list[dict[str, Any]]:
    """The same pending workload, with other priorities, ages and pods."""
    incoming, made = scenario["incoming"], []
    for priority in (-5, 0, 50, 100, 1000):
        for created in ("2020-01-01T00:00:00Z", "2025-06-01T00:00:00Z", "2030-01-01T00:00:00Z"):
            metadata = {**incoming["metadata"], "creationTimestamp": created}
            spec = {**incoming["spec"], "priority": priority}
            made.append({**scenario, "incoming": {**incoming, "metadata": metadata, "spec": spec}})
    return made


@pytest.mark.parametrize("seed", range(sample(1, 4)))
def test_decisions_on_one_snapshot_are_those_on_snapshots_of_their_own(seed: int) -> None:
    for scenario in chunk(seed + 4000, 0, most=25, max_workloads=9):
        requests = [read_decide_request(each) for each in asked_again(scenario)]
        first = requests[0]
        shared = take_snapshot(first.cluster, first.queue, first.now, first.reading)
        for each in (*requests, *requests):
            given = (each.cluster, each.preemptor, each.queue, each.now, each.reading, each.assignment)
            alone, together = decide(*given), decide(*given, snapshot=shared)
            assert (alone.outcome, alone.targets) == (together.outcome, together.targets)
            assert (alone.assignment, alone.selection) == (together.assignment, together.selection)
