"""Everything that a decision depends on, from the API server."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from tenure.apps.kubectl.server import ClusterError, Server
from tenure.manifests import SourcedObject
from tenure.manifests.namespaces import asks_for_labels
from tenure.manifests.structure import dig, items

_GROUP: Final = "kueue.x-k8s.io"
_VERSIONS: Final = ("v1beta2", "v1beta1", "v1alpha1")
"""Those that are read, the best first."""
_KINDS: Final = {
    "clusterqueues": "ClusterQueue",
    "cohorts": "Cohort",
    "resourceflavors": "ResourceFlavor",
    "localqueues": "LocalQueue",
    "workloadpriorityclasses": "WorkloadPriorityClass",
    "workloads": "Workload",
}
_NEEDED: Final = ("clusterqueues", "resourceflavors", "localqueues", "workloads")
_CONFIG_MAP: Final = "kueue-manager-config"


@dataclass(frozen=True, slots=True)
class Fetched:
    """What was read.

    Args:
        objects: as manifests hold them.
        warnings: what could not be read, and what is assumed instead.
    """

    objects: tuple[SourcedObject, ...]
    warnings: tuple[str, ...]


def fetch(server: Server, kueue_namespace: str) -> Fetched:
    """All objects of Kueue, its Configuration, Jobs where a priority grows, Namespaces where one is selected.

    Args:
        server: the API server.
        kueue_namespace: where Kueue runs.

    Raises:
        ClusterError: one of the kinds that every decision needs cannot be listed.
    """
    warnings: list[str] = []
    found = [*_kueue(server)]
    found += _configuration(server, kueue_namespace, warnings)
    if any(_grows(entry) for entry in found):
        found += _jobs(server, warnings)
    if any(asks_for_labels(dig(entry, "spec", "namespaceSelector")) for entry in found):
        found += _namespaces(server, warnings)
    file = f"context {server.context}"
    return Fetched(tuple(SourcedObject(file, entry) for entry in found), tuple(warnings))


def _kueue(server: Server) -> Iterator[dict[str, Any]]:
    from kubernetes import client

    served = _served(server)
    list_all = client.CustomObjectsApi(server.client).list_cluster_custom_object
    for plural, kind in _KINDS.items():
        if plural not in served:
            continue
        version = served[plural]
        typed = {"apiVersion": f"{_GROUP}/{version}", "kind": kind}
        asked = {"group": _GROUP, "version": version, "plural": plural}
        # The items of a typed list say neither version nor kind.
        yield from ({**typed, **entry} for entry in server.listed(f"{plural}.{_GROUP}", list_all, **asked))


def _served(server: Server) -> dict[str, str]:
    """The best version of each kind that there is.

    Raises:
        ClusterError: a kind is missing that every decision needs: Kueue is not installed.
    """
    from kubernetes import client

    resources = client.CustomObjectsApi(server.client).get_api_resources
    found: dict[str, str] = {}
    for version in _VERSIONS:
        try:
            answer = server.get(f"{_GROUP}/{version}", resources, group=_GROUP, version=version)
        except ClusterError as error:
            if error.status != 404:
                raise
            continue
        for resource in items(answer.get("resources")):
            name = dig(resource, "name")
            if isinstance(name, str) and name in _KINDS:
                found.setdefault(name, version)
    missing = [name for name in _NEEDED if name not in found]
    if missing:
        versions = ", ".join(_VERSIONS[:2])
        raise ClusterError(
            f"context {server.context}",
            f"no {', '.join(missing)} in {_GROUP}",
            f"a cluster in which Kueue is installed and serves {versions}",
        )
    return found


def _configuration(server: Server, namespace: str, warnings: list[str]) -> Iterator[dict[str, Any]]:
    from kubernetes import client

    read = client.CoreV1Api(server.client).read_namespaced_config_map
    what = f"ConfigMap {namespace}/{_CONFIG_MAP}"
    try:
        found = server.get(what, read, name=_CONFIG_MAP, namespace=namespace)
    except ClusterError as error:
        warnings.append(f"Kueue's Configuration is not known, its defaults are assumed: {error}")
        return
    yield {"apiVersion": "v1", "kind": "ConfigMap", **found}


def _grows(raw: dict[str, Any]) -> bool:
    if raw["kind"] != "WorkloadPriorityClass":
        return False
    return bool(raw.get("dynamicPriorityPolicy") or dig(raw, "spec", "dynamicPriorityPolicy"))


def _jobs(server: Server, warnings: list[str]) -> Iterator[dict[str, Any]]:
    """Jobs, of which only the creation counts."""
    from kubernetes import client

    try:
        for entry in server.listed(
            "jobs.batch", client.BatchV1Api(server.client).list_job_for_all_namespaces
        ):
            said = {
                key: dig(entry, "metadata", key) for key in ("name", "namespace", "uid", "creationTimestamp")
            }
            yield {"apiVersion": "batch/v1", "kind": "Job", "metadata": said}
    except ClusterError as error:
        warnings.append(f"Jobs are not known, ages are counted from Workloads: {error}")


def _namespaces(server: Server, warnings: list[str]) -> Iterator[dict[str, Any]]:
    """Namespaces, of which only the labels count."""
    from kubernetes import client

    try:
        for entry in server.listed("namespaces", client.CoreV1Api(server.client).list_namespace):
            said = {key: dig(entry, "metadata", key) for key in ("name", "labels")}
            yield {"apiVersion": "v1", "kind": "Namespace", "metadata": said}
    except ClusterError as error:
        warnings.append(f"Namespaces are not known, of those that are selected by labels: {error}")
