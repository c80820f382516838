"""One reader for many workloads: what it remembers of earlier ones changes nothing."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

import pytest

from tenure.errors import Problem
from tenure.manifests.showing import NumberText, Place
from tenure.manifests.workloads import WorkloadReader
from tenure.model import Workload
from tests.hostile.corpus import objects
from tests.hostile.mutations import VALUES, mutated
from tests.objects import Object, admitted, assignment, condition, container, pending

MUTATIONS = 3000


def outcome(raw: object, reader: WorkloadReader, *, holds: bool) -> object:
    """The workload, or everything that is wrong with it."""
    problems: list[Problem] = []
    made = reader.read(raw, Place("Workload/w"), problems, holds_quota=holds)
    assert (made is None) == bool(problems)
    return made or problems


def rich() -> list[Object]:
    """Workloads that hold much of what decides."""
    running = admitted(
        assignment(usage="8"),
        conditions=[
            condition("Evicted", "PodsReadyTimeout"),
            condition("Preempted", "InClusterQueueTimeBased"),
            condition("Admitted", status="False"),
        ],
        reclaimablePods=[{"name": "main", "count": 1}],
    )
    running["metadata"] |= {"uid": "u", "labels": {"kueue.x-k8s.io/job-uid": "j"}, "annotations": {"a": "b"}}
    pod = {
        "containers": [container(cpu="1", memory="1Gi")],
        "nodeSelector": {"pool": "a"},
        "tolerations": [{"key": "gpu", "operator": "Exists"}],
        "overhead": {"cpu": "100m"},
    }
    waiting = pending(pod=pod, count=3, priority=7, queueName="jobs", active=True)
    return [
        running,
        waiting,
        {**waiting, "status": {"conditions": [condition("QuotaReserved", status="False")]}},
    ]


WORKLOADS = [*rich(), *(object_ for object_ in objects() if object_.get("kind") == "Workload")]


def knowing() -> WorkloadReader:
    """A reader that has read everything that is right."""
    reader = WorkloadReader()
    for raw in WORKLOADS:
        for holds in (False, True):
            reader.read(raw, Place(), [], holds_quota=holds)
    return reader


def test_what_many_workloads_have_in_common_is_made_once() -> None:
    reader, raw = WorkloadReader(), rich()[0]
    first, second = (reader.read(raw, Place(), [], holds_quota=True) for _ in range(2))
    assert isinstance(first, Workload)
    assert isinstance(second, Workload)
    assert first.usage is second.usage
    other = WorkloadReader().read(raw, Place(), [], holds_quota=True)
    assert isinstance(other, Workload)
    assert other.usage is not first.usage, "nothing outlives its reader"


def test_what_does_not_decide_of_a_pod_does_not_hide_what_is_in_common() -> None:
    reader = WorkloadReader()
    made = []
    for argument in ("--seed=1", "--seed=2"):
        box = {**container(cpu="1"), "image": argument, "args": [argument]}
        raw = pending(pod={"containers": [box], "hostname": argument})
        made.append(reader.read(raw, Place(), [], holds_quota=False))
    first, second = made
    assert isinstance(first, Workload)
    assert isinstance(second, Workload)
    assert first.pod_sets is second.pod_sets


def test_what_is_known_changes_nothing_about_a_mutated_workload() -> None:
    random, reader = Random(1), knowing()
    wrong = 0
    for _ in range(MUTATIONS):
        raw = mutated(random.choice(WORKLOADS), random, most=2)
        holds = random.random() < 0.5
        alone = outcome(raw, WorkloadReader(), holds=holds)
        assert outcome(raw, reader, holds=holds) == alone, repr(raw)
        wrong += isinstance(alone, list)
    # Otherwise nothing was compared.
    assert MUTATIONS / 20 < wrong < MUTATIONS * 19 / 20


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of everything inside a value."""
    if not isinstance(value, dict | list):
        return []
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    return [path for key in keys for path in ((*at, key), *places(value[key], (*at, key)))]


@pytest.mark.parametrize("raw", rich(), ids=["running", "waiting", "waiting with conditions"])
def test_what_is_known_changes_nothing_whatever_a_field_holds(raw: Object) -> None:
    holds = "admission" in raw.get("status", {})
    reader = knowing()
    for path in places(raw):
        for value in (*VALUES, NumberText("1"), "True", "Unknown", "main", 2):
            changed = copy.deepcopy(raw)
            inner: Any = changed
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = value
            known = outcome(changed, reader, holds=holds)
            assert known == outcome(changed, WorkloadReader(), holds=holds), (path, value)


def test_whether_reclaimable_pods_count_is_the_readers() -> None:
    running = rich()[0]
    first, second = (
        WorkloadReader(reclaimable).read(running, Place(), [], holds_quota=True)
        for reclaimable in (True, False)
    )
    assert first is not None
    assert second is not None
    assert sorted(first.usage.values()) < sorted(second.usage.values())
