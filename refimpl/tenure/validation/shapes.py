"""The shapes of whole objects: what the schema demands, what proposals add, what is let through."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from tenure.manifests.conversion import VERSIONS
from tenure.manifests.selectable import KIND, LIMIT_KIND
from tenure.manifests.served import (
    Anything,
    Duration,
    Fields,
    Flag,
    Instant,
    Items,
    Named,
    Number,
    Quantity,
    Shape,
    Text,
    Word,
    at,
    changed,
    kueue_shape,
)
from tenure.model import PreemptionRules
from tenure.readings import KaiVersion
from tenure.validation.kai_pod_group import POD_GROUP
from tenure.validation.kai_queue import QUEUE
from tenure.validation.preemption_config import SPEC
from tenure.validation.preemption_limit import LIMIT_SPEC

_OWNER: Final = Fields(
    {
        **dict.fromkeys(("apiVersion", "kind", "name", "uid"), Text(shortest=1)),
        **dict.fromkeys(("blockOwnerDeletion", "controller"), Flag()),
    },
    required=("apiVersion", "kind", "name", "uid"),
)
_METADATA: Final = Fields(
    {
        # A rule looks at the name.
        **dict.fromkeys(("name", "managedFields"), Anything()),
        **dict.fromkeys(("generateName", "namespace", "resourceVersion", "selfLink", "uid"), Text()),
        **dict.fromkeys(("annotations", "labels"), Named(Text())),
        **dict.fromkeys(("creationTimestamp", "deletionTimestamp"), Instant()),
        "deletionGracePeriodSeconds": Number(-(2**63), 2**63 - 1),
        "finalizers": Items(Text()),
        "generation": Number(-(2**63), 2**63 - 1),
        "ownerReferences": Items(_OWNER),
    }
)
"""Source: Kubernetes API machinery, metav1.ObjectMeta."""

_POLICY: Final = Fields({"delayForStep": Duration(), "max": Number(), "step": Number()})
_PROPOSED: Final[Mapping[tuple[str, ...], Shape]] = {
    ("ClusterQueue", "spec", "preemption", "withinClusterQueueConfig"): Fields(
        {"minAdmitDuration": Duration()}
    ),
    ("ClusterQueue", "spec", "preemption", "rules"): Word(tuple(PreemptionRules.labelled())),
    (KIND, "spec", "rules", "candidateSelectors", "minExecutionDuration"): Duration(),
    ("WorkloadPriorityClass", "dynamicPriorityPolicy"): _POLICY,
    ("WorkloadPriorityClass", "spec"): Fields({"dynamicPriorityPolicy": _POLICY, "priority": Number()}),
}
"""What no release has. Source: KEP-8522, API Changes; KEP-8826, API; KEP-754, WorkloadPriorityClass API;
KEP-13396, FUTURE_WORK."""

_ALPHA: Final = {KIND: SPEC, LIMIT_KIND: LIMIT_SPEC}
_REQUIRED: Final = {KIND: (), LIMIT_KIND: ("spec",)}
_KAI: Final = {"Queue": dict.fromkeys(KaiVersion, QUEUE), "PodGroup": POD_GROUP}
KUEUE: Final = tuple(VERSIONS)
KINDS: Final = (*KUEUE, KIND, LIMIT_KIND, *_KAI)
"""The kinds that are validated."""


@cache
def shape(kind: str, kai_version: KaiVersion = KaiVersion.V0_17) -> Fields:
    """The shape of a whole object.

    Args:
        kind: one of `KINDS`.
        kai_version: of KAI-Scheduler's kinds.

    >>> sorted(shape("Cohort").fields["spec"].fields)
    ['fairSharing', 'parentName', 'resourceGroups']
    """
    if kind in _KAI:
        return _KAI[kind][kai_version]
    if kind in _ALPHA:
        header = dict.fromkeys(("apiVersion", "kind", "status"), Anything())
        made = Fields({**header, "metadata": _METADATA, "spec": _ALPHA[kind]}, required=_REQUIRED[kind])
    else:
        made = changed(kueue_shape(kind), ("metadata",), _METADATA)
    for (owner, *path), added in _PROPOSED.items():
        if owner == kind:
            made = changed(made, tuple(path), added)
    return _let_through(kind, made)


def _let_through(kind: str, made: Fields) -> Fields:
    if kind == "WorkloadPriorityClass":
        # KEP-754 has spec.priority instead; a rule requires one of them.
        return made._replace(required=())
    if kind == "ClusterQueue":
        # A flavor that is there twice is reported by the webhook, with the path of its name.
        return _without_key(made, "spec", "resourceGroups", "flavors")
    if kind == "LocalQueue":
        # No webhook reads a LocalQueue.
        unread: Fields = changed(made, ("spec", "fairSharing", "weight"), Quantity(parsed=False))
        return unread
    if kind == "Workload":
        # What a test or a dump leaves out of a condition decides nothing.
        path = ("status", "conditions", "type")
        conditions: Fields = changed(made, path, at(made, *path), required=())
        return conditions
    return made


def _without_key(made: Fields, *path: str) -> Fields:
    found = at(made, *path)
    assert isinstance(found, Items)
    without: Fields = changed(made, path, found._replace(key=()))
    return without
