"""Which flavors a pod set may use at all, by taints and by what it requires of nodes."""

from __future__ import annotations

from tenure.model import NodeRequirement, PodSet, ResourceFlavor, Taint
from tenure.rules.flavors import meets_requirement, tolerates


def may_use(pod_set: PodSet, flavor: ResourceFlavor) -> bool:
    """Whether a pod set's pods could run on the nodes of a flavor.

    What the pods require of labels that the flavor does not have takes no part.

    Args:
        pod_set: of a pending workload.
        flavor: a flavor that exists.

    Source: Kueue main of August 2026, flavors and pod sets.

    >>> may_use(PodSet("main", 1, {}, node_selector={"gpu": "a"}), ResourceFlavor("f", {"gpu": "b"}))
    False
    """
    return (
        untolerated(pod_set, flavor) is None
        and is_selected(pod_set, flavor)
        and has_affinity(pod_set, flavor)
    )


def untolerated(pod_set: PodSet, flavor: ResourceFlavor) -> Taint | None:
    """The first taint of a flavor that neither the pods nor the flavor itself tolerate."""
    tolerations = (*pod_set.tolerations, *flavor.tolerations)
    for taint in flavor.taints:
        if not any(tolerates(toleration, taint) for toleration in tolerations):
            return taint
    return None


def is_selected(pod_set: PodSet, flavor: ResourceFlavor) -> bool:
    """Whether a flavor's labels match the pods' node selector."""
    return all(
        flavor.labels[label] == value
        for label, value in pod_set.node_selector.items()
        if label in flavor.labels
    )


def has_affinity(pod_set: PodSet, flavor: ResourceFlavor) -> bool:
    """Whether a flavor's labels meet one term of the pods' required node affinity."""
    terms = [
        [requirement for requirement in term if requirement.key in flavor.labels]
        for term in pod_set.node_affinity
    ]
    # A term of which nothing is left matches every flavor, and one matching term is enough.
    return not terms or any(all(_meets(requirement, flavor) for requirement in term) for term in terms)


def _meets(requirement: NodeRequirement, flavor: ResourceFlavor) -> bool:
    return meets_requirement(requirement, flavor.labels[requirement.key])
