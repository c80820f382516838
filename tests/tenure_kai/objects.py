"""Small objects of KAI-Scheduler."""

from __future__ import annotations

from typing import Any

from tenure_kai import Job, Pod, PodStatus, Queue, Scene, SubGroup


def a_queue(name: str = "a", parent: str = "", **spec: Any) -> dict[str, Any]:
    """A Queue as a manifest."""
    above = {"parentQueue": parent} if parent else {}
    return {
        "apiVersion": "scheduling.run.ai/v2",
        "kind": "Queue",
        "metadata": {"name": name},
        "spec": {**above, **spec},
    }


def a_pod_group(name: str = "b", started: str | None = None, **spec: Any) -> dict[str, Any]:
    """A PodGroup in name space `ns` and queue `a` as a manifest."""
    annotations = {} if started is None else {"kai.scheduler/last-start-timestamp": started}
    return {
        "apiVersion": "scheduling.run.ai/v2alpha2",
        "kind": "PodGroup",
        "metadata": {"namespace": "ns", "name": name, "annotations": annotations},
        "spec": {"queue": "a", **spec},
    }


def a_pod(name: str = "p", group: str = "b", sub_group: str = "", phase: str = "Running") -> dict[str, Any]:
    """A pod of a PodGroup as a manifest."""
    labels = {"kai.scheduler/subgroup-name": sub_group} if sub_group else {}
    metadata = {"namespace": "ns", "name": name, "annotations": {"pod-group-name": group}, "labels": labels}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "status": {"phase": phase}}


def pods(count: int, status: PodStatus = PodStatus.RUNNING) -> tuple[Pod, ...]:
    """So many pods."""
    return tuple(Pod(f"{status.value}-{index}", status) for index in range(count))


def a_scene(*jobs: Job, preempt_min_runtime: int | None = None) -> Scene:
    """One queue `q` with its own value, and jobs in it."""
    return Scene({"q": Queue("q", preempt_min_runtime=preempt_min_runtime)}, {job.name: job for job in jobs})


def a_job(name: str = "v", started: int | None = 0, least: int = 1, count: int = 1) -> Job:
    """A job of one sub-group in queue `q`."""
    return Job(name, "q", started, (SubGroup(min_available=least, pods=pods(count)),))
