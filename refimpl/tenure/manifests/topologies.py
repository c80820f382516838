"""One untrusted Topology: its levels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from tenure.errors import Problem
from tenure.manifests.checking import check
from tenure.manifests.conversion import API_VERSION, GROUP, header_problems, read_one
from tenure.manifests.fields import KubernetesObject, Name, Open
from tenure.manifests.showing import Place, printable
from tenure.model import ClusterQueue, ResourceFlavor

TOPOLOGY_VERSIONS: Final = (API_VERSION, f"{GROUP}/v1beta1", f"{GROUP}/v1alpha1")
"""The versions of a Topology, which have the same fields."""


class TopologyLevel(Open):
    """Source: Kueue v1beta2 API, TopologyLevel."""

    node_label: Name


class TopologySpec(Open):
    """Source: Kueue v1beta2 API, TopologySpec."""

    levels: list[TopologyLevel] | None = None


class TopologyObject(KubernetesObject):
    """A Topology."""

    spec: TopologySpec | None = None


def topology(raw: object, place: Place, problems: list[Problem]) -> tuple[str, tuple[str, ...]] | None:
    """As `read_topology`; problems are added to `problems`, and the result is None."""
    known = len(problems)
    problems.extend(header_problems(raw, "Topology", TOPOLOGY_VERSIONS, place))
    checked = check(TopologyObject, raw, place, problems)
    if checked is None or len(problems) > known:
        return None
    levels = (checked.spec and checked.spec.levels) or ()
    return checked.metadata.name, tuple(level.node_label for level in levels)


def read_topology(raw: object, *, where: str = "") -> tuple[str, tuple[str, ...]]:
    """The name of a Topology, and the labels of its levels from the outermost.

    Args:
        raw: the object, untrusted; `apiVersion` and `kind` may be left out.
        where: path to put before the path of every field in an error.

    Raises:
        InputError: everything that is wrong with it.

    Source: Kueue v1beta2 API, TopologySpec.

    >>> read_topology({"metadata": {"name": "racks"}, "spec": {"levels": [{"nodeLabel": "rack"}]}})
    ('racks', ('rack',))
    """
    return read_one(raw, "Topology", where, topology)


def with_topologies(
    queue: ClusterQueue, flavors: Mapping[str, ResourceFlavor], given: Mapping[str, tuple[str, ...]]
) -> ClusterQueue:
    """The queue, inactive if a flavor of it names a Topology that is not among those given.

    Args:
        queue: a ClusterQueue.
        flavors: the ResourceFlavors, by name.
        given: the Topologies, by name; none where nothing is known about them.

    Source: Kueue v0.19.2, status of a ClusterQueue of which a Topology is missing.

    >>> from tenure.model import FlavorQuotas, ResourceGroup
    >>> queue = ClusterQueue("a", (ResourceGroup(("cpu",), (FlavorQuotas("gpu", {"cpu": 1}),)),))
    >>> with_topologies(queue, {"gpu": ResourceFlavor("gpu", topology="racks")}, {"rows": ()}).inactive
    'there is no Topology racks for ResourceFlavor gpu'
    """
    missing = [
        f"there is no Topology {printable(flavor.topology)} for ResourceFlavor {printable(flavor.name)}"
        for group in queue.resource_groups
        for quotas in group.flavors
        if (flavor := flavors.get(quotas.flavor)) and flavor.topology and flavor.topology not in given
    ]
    if not given or not missing:
        return queue
    return replace(queue, inactive=", ".join([queue.inactive, *missing] if queue.inactive else missing))
