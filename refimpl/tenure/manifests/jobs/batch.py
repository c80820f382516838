"""Jobs of Kubernetes, JobSets, MPIJobs and the training jobs of Kubeflow: the pods they request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tenure.manifests.jobs.requested_pods import Manifest, RequestedPods, integer
from tenure.manifests.structure import dig

JOB_INDEX: Final = "batch.kubernetes.io/job-completion-index"
LEAST: Final = "kueue.x-k8s.io/job-min-parallelism"


def job(manifest: Manifest) -> list[RequestedPods]:
    """A Job of Kubernetes: as many pods as run at once, never more than are to complete.

    Source: Kueue v0.19.2, pkg/controller/jobs/job, PodSets and validatePartialAdmissionCreate.
    """
    count = at_once(manifest, "spec")
    least = manifest.at("metadata", "annotations", LEAST)
    if least is not None and not 0 < (integer(least) or 0) < count:
        manifest.wrong(("metadata", "annotations", LEAST), least, f"text of an integer from 1 to {count - 1}")
        return []
    requested = manifest.pods(
        "main", count, "spec", "template", least=integer(least), podIndexLabel=JOB_INDEX
    )
    return [requested]


def at_once(manifest: Manifest, *spec: str | int) -> int:
    """How many pods of a Job run at once: its parallelism, or fewer completions."""
    parallelism = manifest.count(*spec, "parallelism", default=1)
    return min(parallelism, manifest.count(*spec, "completions", default=parallelism))


def job_set(manifest: Manifest) -> list[RequestedPods]:
    """A JobSet: each replicated job with the pods of all its replicas.

    Source: Kueue v0.19.2, pkg/controller/jobs/jobset, PodSets.
    """
    requested = []
    for index in manifest.entries("spec", "replicatedJobs"):
        path = ("spec", "replicatedJobs", index)
        replicas = manifest.count(*path, "replicas", default=1)
        requested.append(
            manifest.pods(
                manifest.text(*path, "name"),
                replicas * at_once(manifest, *path, "template", "spec"),
                *(*path, "template", "spec", "template"),
                podIndexLabel=JOB_INDEX,
                subGroupIndexLabel="jobset.sigs.k8s.io/job-index",
                subGroupCount=replicas,
            )
        )
    return requested


def replicated(specs: str, *order: str) -> Callable[[Manifest], list[RequestedPods]]:
    """The reader of a job that has a map of replica types.

    Args:
        specs: the field of the map.
        order: the replica types, in the order in which Kueue makes pod sets of them.

    Source: Kueue v0.19.2, pkg/controller/jobs/mpijob and kubeflow/kubeflowjob, PodSets.
    """
    label = "training.kubeflow.org/replica-index"

    def read(manifest: Manifest) -> list[RequestedPods]:
        found = manifest.at("spec", specs)
        for name in found if isinstance(found, dict) else ():
            if name not in order:
                manifest.wrong(("spec", specs, str(name)), found[name], f"one of {', '.join(order)}")
        return [
            manifest.pods(
                name,
                manifest.count("spec", specs, name, "replicas", default=1),
                *("spec", specs, name, "template"),
                podIndexLabel=label,
            )
            for name in order
            if dig(found, name) is not None
        ]

    return read
