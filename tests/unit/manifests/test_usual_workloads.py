"""The quick way through a workload: what it makes is what the full check makes, or it makes nothing."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

import pytest

from tenure.errors import InputError, Problem
from tenure.manifests import Loaded, SourcedObject, build
from tenure.manifests.builder import Builder
from tenure.manifests.conversion import API_VERSION
from tenure.manifests.showing import NumberText, Place
from tenure.manifests.usual_workloads import usual_workload
from tenure.manifests.workloads import fully_checked
from tenure.model import Workload
from tests.hostile.corpus import objects
from tests.hostile.mutations import VALUES, mutated
from tests.unit.manifests.objects import Object, admitted, assignment, condition, container, pending

MUTATIONS = 3000


def full(raw: object, holds: bool, reclaimable: bool) -> Workload | None:
    """The full check alone; None where anything is wrong."""
    problems: list[Problem] = []
    made = fully_checked(raw, Place(), problems, holds_quota=holds, reclaimable=reclaimable)
    return None if problems else made


def quick(raw: object, *, holds: bool = False, reclaimable: bool = True) -> Workload | None:
    """The quick way alone."""
    return usual_workload(raw, holds=holds, reclaimable=reclaimable, full=full)


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


WORKLOADS = [*rich(), *(each for each in objects() if each.get("kind") == "Workload")]


def test_usual_workloads_go_the_quick_way() -> None:
    running, *waiting = rich()
    assert quick(running, holds=True) is not None
    assert all(quick(each) is not None for each in waiting)


@pytest.mark.parametrize("holds", [True, False])
@pytest.mark.parametrize("reclaimable", [True, False])
def test_the_quick_way_agrees_on_every_real_workload(holds: bool, reclaimable: bool) -> None:
    for raw in WORKLOADS:
        made = quick(raw, holds=holds, reclaimable=reclaimable)
        assert made is None or made == full(raw, holds, reclaimable), json.dumps(raw, default=str)


def test_the_quick_way_agrees_on_mutated_workloads() -> None:
    random = Random(1)
    taken = wrong = 0
    for _ in range(MUTATIONS):
        raw = mutated(random.choice(WORKLOADS), random, most=2)
        holds = random.random() < 0.5
        made = quick(raw, holds=holds)
        right = full(raw, holds, True)
        assert made is None or made == right, repr(raw)
        taken += made is not None
        wrong += right is None
    # Otherwise nothing was compared.
    assert taken > MUTATIONS / 20
    assert wrong > MUTATIONS / 20


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of everything inside a value."""
    if not isinstance(value, dict | list):
        return []
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    return [path for key in keys for path in ((*at, key), *places(value[key], (*at, key)))]


@pytest.mark.parametrize("raw", rich(), ids=["running", "waiting", "waiting with conditions"])
def test_the_quick_way_agrees_whatever_stands_at_any_place(raw: Object) -> None:
    holds = "admission" in raw.get("status", {})
    for path in places(raw):
        for value in (*VALUES, NumberText("1"), "True", "Unknown", "main", 2):
            changed = copy.deepcopy(raw)
            inner: Any = changed
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = value
            made = quick(changed, holds=holds)
            assert made is None or made == full(changed, holds, True), (path, value)


def test_what_is_remembered_depends_on_whether_reclaimable_pods_count() -> None:
    running = rich()[0]
    first, second = (quick(running, holds=True, reclaimable=count) for count in (True, False))
    assert first is not None
    assert second is not None
    assert sorted(first.usage.values()) < sorted(second.usage.values())


def loaded(raw: Object) -> Loaded | str:
    """What comes of loading an object, or the whole of what is said to be wrong."""
    try:
        return build([SourcedObject("a.json", copy.deepcopy(raw))])
    except InputError as error:
        return str(error)


def test_the_builders_short_way_says_what_the_long_one_says(monkeypatch: pytest.MonkeyPatch) -> None:
    random, short, took = Random(2), Builder._took_usual, 0

    def counted(builder: Builder, raw: dict[str, Any], file: str) -> bool:
        nonlocal took
        taken = short(builder, raw, file)
        took += taken
        return taken

    for number in range(MUTATIONS // 5):
        raw = random.choice(WORKLOADS)
        raw = {**raw, "metadata": {"creationTimestamp": "2026-03-02T09:00:00Z", **raw["metadata"]}}
        raw = mutated(raw, random, most=2) if number % 3 else raw
        if isinstance(raw, dict):
            raw = {"apiVersion": API_VERSION, "kind": "Workload", **raw}
        monkeypatch.setattr(Builder, "_took_usual", counted)
        quickly = loaded(raw)
        monkeypatch.setattr(Builder, "_took_usual", lambda *_: False)
        assert quickly == loaded(raw), repr(raw)
    assert took > MUTATIONS // 50
