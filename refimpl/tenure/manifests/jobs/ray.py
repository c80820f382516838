"""RayClusters, RayJobs and RayServices: the pods they request, with what KubeRay adds to them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from tenure.errors import InputError
from tenure.manifests.jobs.requested_pods import Manifest, Path, RequestedPods, mapping
from tenure.manifests.quantities import parse_quantity
from tenure.manifests.structure import dig, items

_FAULT_TOLERANT: Final = "ray.io/ft-enabled"
_CLEANUP: Final = {"cpu": "200m", "memory": "256Mi"}
_AUTOSCALER: Final = {"cpu": "500m", "memory": "512Mi"}
_SUBMITTER: Final = {
    "requests": {"cpu": "500m", "memory": "200Mi"},
    "limits": {"cpu": "1", "memory": "1Gi"},
}
# Source: Kueue v0.19.2, pkg/controller/jobs/raycluster/common.go and rayjob, which repeat KubeRay's.


def ray_cluster(manifest: Manifest) -> list[RequestedPods]:
    """A RayCluster: its head, and each group of workers.

    Source: Kueue v0.19.2, pkg/controller/jobs/raycluster, BuildPodSets.
    """
    return _cluster(manifest, "spec")


def ray_service(manifest: Manifest) -> list[RequestedPods]:
    """A RayService: the RayCluster that it has.

    Source: Kueue v0.19.2, pkg/controller/jobs/rayservice, PodSets.
    """
    return _cluster(manifest, "spec", "rayClusterConfig")


def ray_job(manifest: Manifest) -> list[RequestedPods]:
    """A RayJob: the RayCluster that it has, and who submits the job to it.

    Source: Kueue v0.19.2, pkg/controller/jobs/rayjob, PodSets.
    """
    requested = _cluster(manifest, "spec", "rayClusterSpec")
    mode = manifest.text("spec", "submissionMode", default="K8sJobMode")
    if mode == "SidecarMode":
        requested[0] = _beside_head(requested[0], _SUBMITTER)
    elif mode == "K8sJobMode":
        if manifest.at("spec", "submitterPodTemplate") is not None:
            requested.append(manifest.pods("submitter", 1, "spec", "submitterPodTemplate"))
        else:
            template = {"spec": {"containers": [{"resources": _SUBMITTER}]}}
            requested.append(RequestedPods("submitter", 1, template, ("spec", "submitterPodTemplate")))
    return requested


def _cluster(manifest: Manifest, *spec: str) -> list[RequestedPods]:
    head = manifest.pods("head", 1, *spec, "headGroupSpec", "template")
    annotation = manifest.annotation(_FAULT_TOLERANT)
    if annotation.lower() == "true" or manifest.at(*spec, "gcsFaultToleranceOptions") is not None:
        head = _with_cleanup(head)
    if manifest.at(*spec, "enableInTreeAutoscaling") is True:
        given = manifest.at(*spec, "autoscalerOptions", "resources")
        head = _beside_head(head, given if given is not None else {"requests": _AUTOSCALER})
    return [head, *workers(manifest, *spec)]


def workers(manifest: Manifest, *spec: str) -> list[RequestedPods]:
    """The groups of workers of a RayCluster, with the replicas that its schema fills in.

    Args:
        manifest: what has the RayCluster.
        spec: path of its spec.

    Source: KubeRay v1.6.2, RayCluster: `replicas` is 0 where it is left out, `numOfHosts` 1.
    """
    requested = []
    for index in manifest.entries(*spec, "workerGroupSpecs"):
        path: Path = (*spec, "workerGroupSpecs", index)
        hosts = max(1, manifest.count(*path, "numOfHosts", default=1))
        count = manifest.count(*path, "replicas", default=0) * hosts
        requested.append(manifest.pods(manifest.text(*path, "groupName"), count, *path, "template"))
    return requested


def _beside_head(head: RequestedPods, resources: Any) -> RequestedPods:
    """A further container in the head's pod."""
    containers = items(dig(head.template, "spec", "containers"))
    return _with_containers(head, [*containers, {"resources": resources}])


def _with_cleanup(head: RequestedPods) -> RequestedPods:
    """The first container has the requests of the job that cleans Redis up."""
    containers = items(dig(head.template, "spec", "containers"))
    if not containers or not isinstance(containers[0], dict):
        return head
    resources = mapping(containers[0].get("resources"))
    requests = dict(mapping(resources.get("requests")))
    for resource, least in _CLEANUP.items():
        if _is_less(requests.get(resource), least):
            requests[resource] = least
    first = {**containers[0], "resources": {**resources, "requests": requests}}
    return _with_containers(head, [first, *containers[1:]])


def _is_less(found: object, least: str) -> bool:
    try:
        return found is None or parse_quantity(found) < parse_quantity(least)
    except InputError:
        return False


def _with_containers(head: RequestedPods, containers: list[Any]) -> RequestedPods:
    template = mapping(head.template)
    spec = {**mapping(template.get("spec")), "containers": containers}
    return replace(head, template={**template, "spec": spec})
