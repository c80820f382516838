"""SparkApplications: the pods they request."""

from __future__ import annotations

from typing import Any, Final

from tenure.manifests.jobs.requested_pods import Manifest, RequestedPods, mapping
from tenure.manifests.structure import dig, items

_UNITS: Final = {"k": "Ki", "m": "Mi", "g": "Gi", "t": "Ti", "p": "Pi"}
_LISTS: Final = ("initContainers", "tolerations")


def spark_application(manifest: Manifest) -> list[RequestedPods]:
    """A SparkApplication: its driver, and the executors that it begins with.

    Its templates, overheads of memory and numbers of cores are not looked at, as in Kueue.

    Source: Kueue v0.19.2, pkg/controller/jobs/sparkapplication, PodSets and sparkapplication_podset.go.
    """
    executors = manifest.count("spec", "executor", "instances", default=0)
    return [_pods(manifest, "driver", 1), _pods(manifest, "executor", executors)]


def _pods(manifest: Manifest, role: str, count: int) -> RequestedPods:
    role_spec = manifest.at("spec", role)
    requests = {
        "cpu": dig(role_spec, "coreRequest"),
        "memory": kubernetes_memory(dig(role_spec, "memory")),
    }
    limits = {
        "cpu": dig(role_spec, "coreLimit"),
        "memory": kubernetes_memory(dig(role_spec, "memoryLimit")),
    }
    gpu = dig(role_spec, "gpu", "name")
    if isinstance(gpu, str) and gpu and manifest.count("spec", role, "gpu", "quantity", default=0):
        limits[gpu] = dig(role_spec, "gpu", "quantity")
    resources = {"requests": _given(requests), "limits": _given(limits)}
    spec: dict[str, Any] = {
        "containers": [{"resources": resources}, *items(dig(role_spec, "sidecars"))],
        "nodeSelector": dig(role_spec, "nodeSelector"),
        "affinity": dig(role_spec, "affinity"),
        "priorityClassName": dig(role_spec, "priorityClassName"),
        **{name: items(dig(role_spec, name)) for name in _LISTS},
    }
    metadata = {
        "annotations": {
            **mapping(dig(role_spec, "template", "metadata", "annotations")),
            **mapping(dig(role_spec, "annotations")),
        }
    }
    return RequestedPods(role, count, {"metadata": metadata, "spec": _given(spec)}, ("spec", role))


def _given(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def kubernetes_memory(written: object) -> object:
    """An amount of memory as Java writes it, as Kubernetes does; anything else as it is.

    Units in capitals are found and not replaced, so that what comes out is no quantity.

    Source: Spark operator v2.5.1, pkg/util, ConvertJavaMemoryStringToK8sMemoryString.

    >>> kubernetes_memory("512m"), kubernetes_memory("2gb"), kubernetes_memory("1Gi"), kubernetes_memory("1G")
    ('512Mi', '2Gi', '1Gi', '1GGi')
    """
    if not isinstance(written, str):
        return written
    for unit, kubernetes in _UNITS.items():
        for ending in (unit, f"{unit}b"):
            if written.lower().endswith(ending):
                return written.removesuffix(ending) + kubernetes
    return written
