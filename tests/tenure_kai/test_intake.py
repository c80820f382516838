"""Manifests of KAI-Scheduler: what is read, what is an error, and what the scheduler only logs."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.errors import InputError
from tenure.manifests import parse_instant
from tenure.model import MINUTE, ResolveMethod
from tenure.readings import KaiVersion
from tenure_kai import PodStatus, Scene
from tenure_kai.intake import scene_of_objects
from tenure_kai.intake.objects import status_of
from tests.tenure_kai.objects import a_pod, a_pod_group, a_queue


def problems(*objects: Any) -> list[tuple[str, str]]:
    """Object and field of everything that is wrong."""
    with pytest.raises(InputError) as caught:
        scene_of_objects(objects)
    return [(problem.object, problem.field) for problem in caught.value.problems]


def warned(*objects: Any) -> str:
    """All warnings about objects that are gone on with."""
    return "\n".join(scene_of_objects(objects).warnings)


def a_config(text: str) -> dict[str, Any]:
    """The scheduler's ConfigMap."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "scheduler-config"},
        "data": {"config.yaml": text},
    }


def a_shard(**spec: Any) -> dict[str, Any]:
    """A SchedulingShard."""
    return {
        "apiVersion": "kai.scheduler/v1",
        "kind": "SchedulingShard",
        "metadata": {"name": "s"},
        "spec": spec,
    }


def test_a_cluster_is_read() -> None:
    scene = scene_of_objects(
        [
            a_queue("a", "up", reclaimMinRuntime="1m"),
            a_queue("up"),
            a_pod_group(started="2026-06-01T14:00:00Z", minMember=2),
            a_pod("p"),
            a_pod("q", phase="Pending"),
            {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "x"}},
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "alone"}},
        ]
    )
    job = scene.jobs["ns/b"]
    assert scene.queues["a"].parent == "up"
    assert scene.queues["a"].reclaim_min_runtime == MINUTE
    assert job.started_at == parse_instant("2026-06-01T14:00:00Z")
    assert [(sub_group.name, sub_group.min_available, sub_group.active) for sub_group in job.sub_groups] == [
        ("default", 2, 1)
    ]
    assert scene.warnings == ()


@pytest.mark.parametrize("value", ["1d", "soon", "", 60, True, ["1m"]])
def test_a_runtime_that_no_queue_can_have_is_an_error(value: object) -> None:
    assert problems(a_queue(preemptMinRuntime=value)) == [("Queue/a", "spec.preemptMinRuntime")]


def test_a_negative_runtime_is_used_and_warned_of() -> None:
    scene = scene_of_objects([a_queue(reclaimMinRuntime="-1s")])
    assert scene.queues["a"].reclaim_min_runtime == -(10**9)
    assert "negative" in scene.warnings[0]


def test_a_queue_without_its_parent_is_dropped_with_all_below_it() -> None:
    scene = scene_of_objects([a_queue("low", "mid"), a_queue("mid", "gnoe"), a_queue("gone")])
    assert list(scene.queues) == ["gone"]
    assert len(scene.warnings) == 2
    assert "did you mean gone?" in scene.warnings[1]


def test_parents_in_a_circle_are_one_error() -> None:
    circle = [a_queue("a", "b"), a_queue("b", "c"), a_queue("c", "a"), a_queue("d", "a")]
    assert problems(*circle) == [("Queue/a", "spec.parentQueue")]
    assert problems(a_queue("a", "a")) == [("Queue/a", "spec.parentQueue")]


def test_a_long_chain_of_queues_is_read_at_once() -> None:
    count = 20_000
    scene = scene_of_objects([a_queue(str(i), str(i - 1) if i else "") for i in range(count)])
    assert len(scene.queues) == count


def test_what_is_no_name_is_an_error() -> None:
    assert problems(a_queue(""))[0] == ("Queue", "metadata.name")
    assert problems(a_queue("a", parentQueue=3)) == [("Queue/a", "spec.parentQueue")]
    assert problems(a_pod_group(queue=["a"]))[0] == ("PodGroup/ns/b", "spec.queue")
    assert problems(a_pod(group=["b"]))[0][1] == "metadata.annotations[pod-group-name]"  # type: ignore[arg-type]


def test_an_object_stands_once() -> None:
    assert problems(a_queue(), a_queue()) == [("Queue/a", "metadata.name")]
    assert problems(a_queue(), a_pod_group(), a_pod_group()) == [("PodGroup/ns/b", "metadata.name")]


def test_another_version_is_an_error_and_another_group_is_passed_over() -> None:
    assert problems({**a_queue(), "apiVersion": "scheduling.run.ai/v3"}) == [("Queue/a", "apiVersion")]
    assert scene_of_objects([{**a_queue(), "apiVersion": "other.io/v1"}]).queues == {}


def test_a_stamp_that_is_no_time_is_no_stamp() -> None:
    scene = scene_of_objects([a_queue(), a_pod_group(started="yesterday")])
    assert scene.jobs["ns/b"].started_at is None
    assert "no RFC 3339 time" in scene.warnings[0]
    assert scene_of_objects([a_pod_group(started="0001-01-01T00:00:00Z")]).jobs["ns/b"].started_at is None


def groups_of(scene: Scene) -> list[tuple[str, int]]:
    """Sub-groups with their minima."""
    return [(sub_group.name, sub_group.min_available) for sub_group in scene.jobs["ns/b"].sub_groups]


def test_the_leaves_of_the_sub_groups_have_pods() -> None:
    tree = [{"name": "all"}, {"name": "x", "parent": "ALL", "minMember": 0}, {"name": "y", "minMember": 3}]
    objects = [a_queue(), a_pod_group(subGroups=tree)]
    assert groups_of(scene_of_objects(objects)) == [("x", 1), ("y", 3)]
    assert groups_of(scene_of_objects(objects, version=KaiVersion.V0_17)) == [("x", 0), ("y", 3)]


@pytest.mark.parametrize(
    "tree", [[{"name": "x"}, {"name": "x"}], [{"name": "x", "parent": "gone", "minMember": 5}]], ids=str
)
def test_sub_groups_that_contradict_each_other_become_one_of_minimum_1(tree: list[Any]) -> None:
    scene = scene_of_objects([a_queue(), a_pod_group(subGroups=tree, minMember=4)])
    assert groups_of(scene) == [("default", 1)]
    assert "one sub-group of minimum 1" in scene.warnings[0]


def test_minima_are_whole_numbers() -> None:
    assert problems(a_queue(), a_pod_group(minMember="2")) == [("PodGroup/ns/b", "spec.minMember")]
    wrong = a_pod_group(subGroups=[{"name": "x", "minMember": True}, "y"])
    assert [field for _, field in problems(a_queue(), wrong)] == [
        "spec.subGroups[1]",
        "spec.subGroups[0].minMember",
    ]


def test_pods_that_the_scheduler_leaves_out_are_warned_of() -> None:
    assert "has no sub-group 'gone'" in warned(a_queue(), a_pod_group(), a_pod(sub_group="gone"))
    assert "was not given" in warned(a_queue(), a_pod(group="gone"))
    assert "there is no Queue 'a'" in warned(a_pod_group())
    twin = a_pod_group()
    twin["metadata"]["namespace"] = "other"
    assert "are one" in warned(a_queue(), a_pod_group(), twin)


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        ({"status": {"phase": "Running"}, "metadata": {"deletionTimestamp": "x"}}, PodStatus.RELEASING),
        ({"status": {"phase": "Pending"}, "metadata": {"deletionTimestamp": "x"}}, PodStatus.RELEASING),
        ({"status": {"phase": "Pending"}, "spec": {"schedulingGates": [{}]}}, PodStatus.GATED),
        ({"status": {"phase": "Pending"}}, PodStatus.PENDING),
        ({"status": {"phase": "Succeeded"}, "metadata": {"deletionTimestamp": "x"}}, PodStatus.SUCCEEDED),
        ({"status": {"phase": "Failed"}}, PodStatus.FAILED),
        ({"status": {"phase": ["x"]}}, PodStatus.UNKNOWN),
        ({}, PodStatus.UNKNOWN),
    ],
)
def test_a_pod_has_the_state_that_the_scheduler_sees(raw: dict[str, Any], status: PodStatus) -> None:
    assert status_of(raw) == status


def test_arguments_come_from_the_config_map() -> None:
    text = "tiers: [{plugins: [{name: minruntime, arguments: {defaultReclaimMinRuntime: 1w, typo: x}}]}]"
    scene = scene_of_objects([a_config(text)])
    assert scene.arguments.default_reclaim == 7 * 24 * 60 * MINUTE
    assert "has no effect" in scene.warnings[0]
    assert scene_of_objects([a_config("other: thing")]).arguments.default_reclaim == 0


def test_arguments_of_the_caller_stand_above_the_configured() -> None:
    text = "tiers: [{plugins: [{name: minruntime, arguments: {defaultReclaimMinRuntime: 1w}}]}]"
    given = {"defaultReclaimMinRuntime": "-1s", "reclaimResolveMethod": "queue"}
    scene = scene_of_objects([a_config(text)], given)
    assert (scene.arguments.default_reclaim, scene.arguments.method) == (0, ResolveMethod.QUEUE)
    assert "is negative" in scene.warnings[0]


def test_arguments_come_from_a_shard_and_its_plugins_replace_them() -> None:
    shard = a_shard(minRuntime={"preemptMinRuntime": "5m"})
    assert scene_of_objects([shard]).arguments.default_preempt == 5 * MINUTE
    both = a_shard(minRuntime={"preemptMinRuntime": "5m"}, plugins={"minruntime": {"arguments": {}}})
    scene = scene_of_objects([both])
    assert scene.arguments.default_preempt == 0
    assert "has no effect" in scene.warnings[0]


def test_a_configuration_without_the_plugin_is_an_error() -> None:
    assert problems(a_config("tiers: [{plugins: [{name: priority}]}]"))[0][1] == "data[config.yaml].tiers"
    disabled = a_shard(plugins={"minruntime": {"enabled": False}})
    assert problems(disabled)[0][1] == "spec.plugins.minruntime.enabled"
    assert problems(a_config("tiers: ["))[0][0] == "ConfigMap/scheduler-config"
    assert len(problems(a_shard(), a_shard())) == 1
    assert problems(a_shard(minRuntime={"preemptMinRuntime": 5})) == [
        ("SchedulingShard/s", "spec.minRuntime.preemptMinRuntime")
    ]
