"""The kinds of jobs that Kueue makes Workloads of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from tenure.manifests.jobs import batch, serving
from tenure.manifests.jobs.app_wrapper import app_wrapper
from tenure.manifests.jobs.ray import ray_cluster, ray_job, ray_service
from tenure.manifests.jobs.requested_pods import Manifest, RequestedPods
from tenure.manifests.jobs.spark import spark_application
from tenure.manifests.jobs.training import train_job
from tenure.manifests.structure import dig, true_conditions


def _finished(*conditions: str) -> Callable[[object], bool]:
    return lambda raw: not true_conditions(raw).isdisjoint(conditions)


def _status_is_one_of(path: tuple[str, ...], *ended: str) -> Callable[[object], bool]:
    return lambda raw: dig(raw, "status", *path) in ended


@dataclass(frozen=True, slots=True)
class Integration:
    """How Kueue takes one kind of job.

    Args:
        framework: its name in Kueue's Configuration, `integrations.frameworks`.
        pods_of: the pods that one of its Workloads requests.
        ended: whether such a job has come to its end.
        priority_class: where the job itself names its PriorityClass, before its pod templates.
        parts: how many Workloads a job has; None for one that is the whole job.
        named_after: the kind by which its Workloads are named; None for its own.
        gate: the feature gate that switches it on; None where it is on.
    """

    framework: str
    pods_of: Callable[[Manifest], list[RequestedPods]]
    ended: Callable[[object], bool] = lambda _: False
    priority_class: tuple[str, ...] = ()
    parts: Callable[[Manifest], int] | None = None
    named_after: str | None = None
    gate: str | None = None


_POLICY: Final = ("spec", "runPolicy", "schedulingPolicy", "priorityClass")
_TRAINED: Final = _finished("Succeeded", "Failed")


def _kubeflow(name: str, specs: str, *order: str) -> Integration:
    return Integration(f"kubeflow.org/{name}", batch.replicated(specs, *order), _TRAINED, _POLICY)


INTEGRATIONS: Final[dict[tuple[str, str], Integration]] = {
    ("batch/v1", "Job"): Integration("batch/job", batch.job, _finished("Complete", "Failed")),
    ("jobset.x-k8s.io/v1alpha2", "JobSet"): Integration(
        "jobset.x-k8s.io/jobset", batch.job_set, _finished("Completed", "Failed")
    ),
    ("kubeflow.org/v2beta1", "MPIJob"): _kubeflow("mpijob", "mpiReplicaSpecs", "Launcher", "Worker"),
    ("kubeflow.org/v1", "PyTorchJob"): _kubeflow("pytorchjob", "pytorchReplicaSpecs", "Master", "Worker"),
    ("kubeflow.org/v1", "TFJob"): _kubeflow(
        "tfjob", "tfReplicaSpecs", "Chief", "Master", "PS", "Worker", "Evaluator"
    ),
    ("kubeflow.org/v1", "XGBoostJob"): _kubeflow("xgboostjob", "xgbReplicaSpecs", "Master", "Worker"),
    ("kubeflow.org/v1", "PaddleJob"): _kubeflow("paddlejob", "paddleReplicaSpecs", "Master", "Worker"),
    ("kubeflow.org/v1", "JAXJob"): _kubeflow("jaxjob", "jaxReplicaSpecs", "Worker"),
    ("trainer.kubeflow.org/v1alpha1", "TrainJob"): Integration(
        "trainer.kubeflow.org/trainjob", train_job, _finished("Complete", "Failed")
    ),
    ("ray.io/v1", "RayCluster"): Integration("ray.io/raycluster", ray_cluster),
    ("ray.io/v1", "RayJob"): Integration(
        "ray.io/rayjob", ray_job, _status_is_one_of(("jobDeploymentStatus",), "Complete", "Failed")
    ),
    ("ray.io/v1", "RayService"): Integration("ray.io/rayservice", ray_service),
    ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"): Integration(
        "leaderworkerset.x-k8s.io/leaderworkerset", serving.leader_worker_set, parts=serving.replicas
    ),
    ("workload.codeflare.dev/v1beta2", "AppWrapper"): Integration(
        "workload.codeflare.dev/appwrapper", app_wrapper, _status_is_one_of(("phase",), "Succeeded", "Failed")
    ),
    ("sparkoperator.k8s.io/v1beta2", "SparkApplication"): Integration(
        "sparkoperator.k8s.io/sparkapplication",
        spark_application,
        _status_is_one_of(("applicationState", "state"), "COMPLETED", "FAILED", "SUBMISSION_FAILED"),
        gate="SparkApplicationIntegration",
    ),
    ("apps/v1", "StatefulSet"): Integration("statefulset", serving.stateful_set),
    ("apps/v1", "Deployment"): Integration(
        "deployment", serving.one_pod, parts=serving.replicas, named_after="Pod"
    ),
    ("v1", "Pod"): Integration("pod", serving.pod, _status_is_one_of(("phase",), "Succeeded", "Failed")),
}
"""By `apiVersion` and kind. Source: Kueue v0.19.2, pkg/controller/jobs."""


def integration_of(raw: Any) -> Integration | None:
    """How Kueue takes an object; None for one that is no job.

    >>> integration_of({"apiVersion": "batch/v1", "kind": "Job"}).framework
    'batch/job'
    """
    version, kind = dig(raw, "apiVersion"), dig(raw, "kind")
    if not isinstance(version, str) or not isinstance(kind, str):
        return None
    return INTEGRATIONS.get((version, kind))
