"""AppWrappers: the pods of the objects that they wrap."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from tenure.manifests.jobs.batch import job, job_set, replicated
from tenure.manifests.jobs.requested_pods import Manifest, Path, RequestedPods
from tenure.manifests.jobs.serving import pod
from tenure.manifests.structure import dig, items

_PART: Final = re.compile(r"\.?([^.\[\]]+)|\[([0-9]{1,9})\]")
_CONTAINERS: Final = ("containers", "initContainers")
_OF_CONTAINER: Final = ("name", "resources")
_OF_POD: Final = ("nodeSelector", "affinity", "tolerations", "priorityClassName", "overhead")


def app_wrapper(manifest: Manifest) -> list[RequestedPods]:
    """An AppWrapper: the pods that it declares of each component, or those of a kind that it knows.

    Of a template no more than the fields below counts: no restart policy of an init container, and no request
    of a pod as a whole.

    Source: Kueue v0.19.2, pkg/controller/jobs/appwrapper, PodSets; AppWrapper v1.2.2, pkg/utils.
    """
    name = manifest.text("metadata", "name")
    requested = [
        pods for index in manifest.entries("spec", "components") for pods in _component(manifest, index)
    ]
    return [
        replace(pods, name=f"{name}-{index}", template=_counted(pods.template), least=None)
        for index, pods in enumerate(requested)
    ]


def _component(manifest: Manifest, index: int) -> Iterator[RequestedPods]:
    path = ("spec", "components", index)
    wrapped = replace(manifest, raw=manifest.at(*path, "template"), within=(*path, "template"))
    declared = manifest.entries(*path, "podSets")
    if not declared:
        found = _KNOWN.get((wrapped.text("apiVersion"), wrapped.text("kind")))
        yield from found(wrapped) if found else ()
        return
    for number in declared:
        at = manifest.text(*path, "podSets", number, "path")
        count = manifest.count(*path, "podSets", number, "replicas", default=1)
        parts = path_of(at)
        if parts is None or not isinstance(wrapped.at(*parts), dict):
            expected = "the path of a pod template in this component, from template on"
            manifest.wrong((*path, "podSets", number, "path"), at, expected)
            continue
        labels = manifest.at(*path, "podSets", number, "annotations")
        yield replace(wrapped.pods("", count, *parts), labels=_labels(labels))


def path_of(text: str) -> tuple[str | int, ...] | None:
    """The path of a template inside a component; None where it is not written as one.

    >>> path_of("template.spec.jobs[0].template"), path_of("spec")
    (('spec', 'jobs', 0, 'template'), None)
    """
    if not text.startswith("template"):
        return None
    rest, parts = text.removeprefix("template"), []
    while rest:
        found = _PART.match(rest)
        if found is None:
            return None
        parts.append(found[1] if found[2] is None else int(found[2]))
        rest = rest[found.end() :]
    return tuple(parts)


_PREFIX: Final = "workload.codeflare.dev.appwrapper/tas-"


def _labels(annotations: object) -> dict[str, object]:
    named = {
        "podIndexLabel": dig(annotations, f"{_PREFIX}pod-index-label"),
        "subGroupIndexLabel": dig(annotations, f"{_PREFIX}sub-group-index-label"),
    }
    return {name: label for name, label in named.items() if label is not None}


def _replicas(manifest: Manifest) -> list[RequestedPods]:
    count = manifest.count("spec", "replicas", default=1)
    return [manifest.pods("", count, "spec", "template")]


def _ray(*spec: str) -> Callable[[Manifest], list[RequestedPods]]:
    """A RayCluster, of which neither hosts nor what KubeRay adds are counted here."""

    def read(manifest: Manifest) -> list[RequestedPods]:
        requested = [manifest.pods("", 1, *spec, "headGroupSpec", "template")]
        for index in manifest.entries(*spec, "workerGroupSpecs"):
            path: Path = (*spec, "workerGroupSpecs", index)
            requested.append(
                manifest.pods("", manifest.count(*path, "replicas", default=1), *path, "template")
            )
        return requested

    return read


_KNOWN: Final[Mapping[tuple[str, str], Callable[[Manifest], list[RequestedPods]]]] = {
    ("v1", "Pod"): pod,
    ("apps/v1", "Deployment"): _replicas,
    ("apps/v1", "StatefulSet"): _replicas,
    ("batch/v1", "Job"): job,
    ("jobset.x-k8s.io/v1alpha2", "JobSet"): job_set,
    ("kubeflow.org/v1", "PyTorchJob"): replicated("pytorchReplicaSpecs", "Master", "Worker"),
    ("ray.io/v1", "RayCluster"): _ray("spec"),
    ("ray.io/v1", "RayJob"): _ray("spec", "rayClusterSpec"),
}


def _counted(template: object) -> dict[str, Any]:
    spec = dig(template, "spec")
    counted = {name: dig(spec, name) for name in _OF_POD if dig(spec, name) is not None}
    for name in _CONTAINERS:
        counted[name] = [_container(container) for container in items(dig(spec, name))]
    return {"metadata": dig(template, "metadata"), "spec": counted}


def _container(container: object) -> object:
    if not isinstance(container, dict):
        return container
    resources = dig(container, "resources")
    if isinstance(resources, dict):
        resources = {name: amounts for name, amounts in resources.items() if name != "claims"}
    return {"name": container.get("name"), "resources": resources}
