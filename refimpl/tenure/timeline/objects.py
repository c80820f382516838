"""The Kubernetes objects of a scenario: as they are at the start, and after each edit."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from tenure.errors import InputError
from tenure.manifests import Loaded, build, read_priority_class, read_workload
from tenure.manifests.conversion import API_VERSION
from tenure.manifests.structure import dig, has_condition
from tenure.model import Cluster, Workload
from tenure.timeline.written import Written

EDITED = ("ClusterQueue", "Cohort", "ResourceFlavor", "WorkloadPriorityClass")
"""The kinds that an event may change."""


@dataclass(slots=True)
class Objects(Written):
    """The objects of a scenario of Kueue, and what they come to."""

    def api_version(self, kind: object) -> str:
        """Kueue's."""
        del kind
        return API_VERSION

    def loaded(self) -> Loaded:
        """What the objects come to now.

        Raises:
            InputError: everything that is wrong with them, or needs what is not modelled.
        """
        found = build(self.raw)
        if found.set_aside:
            raise InputError([problem for each in found.set_aside.values() for problem in each])
        return found

    def edited(self, patch: dict[str, Any], place: str) -> tuple[str, Cluster]:
        """Merge a patch into an object, or add a new one.

        Args:
            patch: with kind and metadata.name; maps are merged, everything else is replaced.
            place: path of the patch in the scenario.

        Returns:
            what changed in words, and all objects without workloads.

        Raises:
            InputError: a kind that no event may change; what is wrong with the result.
        """
        return self.patch(patch, place, EDITED), without_workloads(self.loaded().cluster)

    def class_priority(self, name: str) -> int | None:
        """The priority of a WorkloadPriorityClass at the start; None where there is no such class."""
        for each in self.raw:
            if each.object.get("kind") == "WorkloadPriorityClass":
                found = read_priority_class(each.object)
                if found.name == name:
                    return found.base
        return None

    def asking(self, workload: Workload) -> Workload:
        """A workload that holds quota, with what its pods ask for when it is evicted."""
        raw = self.workload(workload)
        if not has_condition(raw, "QuotaReserved"):
            return workload
        bare = {key: value for key, value in raw.items() if key != "status"}
        return with_pods(workload, read_workload(bare, holds_quota=False))

    def workload(self, workload: Workload) -> dict[str, Any]:
        """The manifest of a workload that is there at the start."""
        for each in self.raw:
            metadata = each.object.get("metadata")
            names = dig(metadata, "namespace") or "", dig(metadata, "name")
            if each.object.get("kind") == "Workload" and names == (workload.namespace, workload.name):
                return each.object
        return {}

    def shown(self) -> tuple[dict[str, Any], ...]:
        """The objects as they are now, without workloads."""
        return tuple(each.object for each in self.raw if each.object.get("kind") != "Workload")


def with_pods(workload: Workload, asking: Workload) -> Workload:
    """The workload with another's pod sets."""
    return dataclasses.replace(workload, pod_sets=asking.pod_sets)


def without_workloads(cluster: Cluster) -> Cluster:
    """The objects alone."""
    return dataclasses.replace(cluster, admitted=(), pending=())
