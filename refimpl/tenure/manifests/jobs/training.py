"""TrainJobs: the JobSet that their runtime makes of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from tenure.errors import ErrorCode
from tenure.manifests.jobs.batch import job_set
from tenure.manifests.jobs.requested_pods import Manifest, RequestedPods, mapping
from tenure.manifests.structure import dig, entries, items

KINDS: Final = ("ClusterTrainingRuntime", "TrainingRuntime")
API: Final = "trainer.kubeflow.org/v1alpha1"
_STEP: Final = "trainer.kubeflow.org/trainjob-ancestor-step"


def train_job(manifest: Manifest) -> list[RequestedPods]:
    """A TrainJob: the replicated jobs of its runtime, of which the trainer has its nodes and their resources.

    Only runtimes without a machine learning policy, or with PyTorch's, are followed.

    Source: Kueue v0.19.2, pkg/controller/jobs/trainjob, getChildJobSet; Kubeflow Trainer v2.2.1,
    pkg/runtime: the plug-ins plainml, torch and jobset.
    """
    kind = manifest.text("spec", "runtimeRef", "kind", default=KINDS[0])
    name = manifest.text("spec", "runtimeRef", "name")
    namespace = manifest.text("metadata", "namespace", default="default") if kind == KINDS[1] else ""
    runtime = manifest.runtimes.get((kind, namespace, name))
    if runtime is None:
        expected = f"the name of a {kind} that is given: it has the pods of the job"
        manifest.wrong(("spec", "runtimeRef", "name"), name, expected, ErrorCode.NOT_MODELLED)
        return []
    policy = mapping(dig(runtime, "spec", "mlPolicy"))
    others = [key for key, found in policy.items() if key not in ("numNodes", "torch") and found is not None]
    if others:
        expected = f"a runtime without mlPolicy.{others[0]}, which is not modelled"
        manifest.wrong(("spec", "runtimeRef", "name"), name, expected, ErrorCode.NOT_MODELLED)
    for index, patch in entries(manifest.at("spec", "runtimePatches")):
        found = dig(patch, "trainingRuntimeSpec", "template", "spec", "replicatedJobs")
        if found:
            path = ("spec", "runtimePatches", index, "trainingRuntimeSpec")
            expected = "no patch of replicated jobs, which is not modelled"
            manifest.wrong(path, found, expected, ErrorCode.NOT_MODELLED)
    templates = items(dig(runtime, "spec", "template", "spec", "replicatedJobs"))
    jobs = [_replicated(manifest, job, policy) for job in templates]
    made = {"spec": {"replicatedJobs": jobs}}
    return job_set(replace(manifest, raw=made, within=("spec", "runtimeRef")))


def _replicated(manifest: Manifest, job: Any, policy: dict[str, Any]) -> Any:
    """One replicated job, in which as many pods run at once as are to complete."""
    if not isinstance(job, dict):
        return job
    step = dig(job, "template", "metadata", "labels", _STEP)
    spec = dict(mapping(dig(job, "template", "spec")))
    pods = spec.get("template")
    count = spec.get("parallelism", 1)
    if step == "trainer":
        # Without a policy the runtime's own parallelism counts.
        count = (policy.get("numNodes") or 1) if policy else count
        count = manifest.count("spec", "trainer", "numNodes", default=count)
        pods = _with_resources(pods, manifest.at("spec", "trainer", "resourcesPerNode"))
    replicas = job.get("replicas", 1) if step is None else 1
    spec |= {"parallelism": count, "completions": count, "template": pods}
    return {"name": job.get("name"), "replicas": replicas, "template": {"spec": spec}}


def _with_resources(template: Any, resources: object) -> Any:
    """The template with the requests of the trainer's container."""
    if dig(resources, "requests") is None and dig(resources, "limits") is None:
        return template
    containers = [
        {**container, "resources": resources} if dig(container, "name") == "node" else container
        for container in items(dig(template, "spec", "containers"))
    ]
    spec = {**mapping(dig(template, "spec")), "containers": containers}
    return {**mapping(template), "spec": spec} if containers else template
