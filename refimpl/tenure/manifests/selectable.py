"""What PreemptionConfigs read of other objects; their kind, and that of PreemptionLimits.

The shapes of both are beside it: most clusters have neither, and no use for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from tenure.manifests.conversion import GROUP
from tenure.manifests.structure import dig
from tenure.model import Cluster, PreemptionConfig, Selectable, Workload

KIND: Final = "PreemptionConfig"
PREEMPTION_CONFIG_VERSIONS: Final = (f"{GROUP}/v1alpha1",)
"""The only version there is."""

LIMIT_KIND: Final = "PreemptionLimit"
PREEMPTION_LIMIT_VERSIONS: Final = PREEMPTION_CONFIG_VERSIONS
"""The text names none: the one of PreemptionConfigs."""

JOB_UID: Final = "kueue.x-k8s.io/job-uid"
"""The label that Kueue gives a Workload."""


def selectable_of(raw: object, workload: Workload) -> Selectable:
    """What PreemptionConfigs read of a workload.

    Args:
        raw: the Workload, which was found to be right.
        workload: what was made of it.

    >>> read = Workload("ml", "w", "u", priority=7, created_at=0)
    >>> selectable_of({"metadata": {"labels": {"nodes": "4"}}}, read)
    Selectable(labels={'nodes': '4'}, priority_class='', priority=7)
    """
    return Selectable(labels_of(raw), class_named(raw), workload.priority)


def class_named(raw: object) -> str:
    """The priority class that a Workload names, Kueue's or Kubernetes' own; empty without one.

    >>> class_named({"spec": {"priorityClassRef": {"name": "batch"}}})
    'batch'
    """
    spec = dig(raw, "spec")
    return class_in(spec) if isinstance(spec, dict) else ""


def class_in(spec: Mapping[str, object]) -> str:
    """The priority class that a Workload's spec names; as `class_named`.

    >>> class_in({"priorityClassName": "batch"}), class_in({})
    ('batch', '')
    """
    named = dig(spec.get("priorityClassRef"), "name") or spec.get("priorityClassName")
    return named if isinstance(named, str) else ""


def labels_of(raw: object) -> Mapping[str, str]:
    """The labels of an object; what is no text is left out.

    >>> labels_of({"metadata": {"labels": {"tier": "low"}}})
    {'tier': 'low'}
    """
    found = dig(raw, "metadata", "labels")
    entries = found.items() if isinstance(found, dict) else ()
    return {key: value for key, value in entries if isinstance(key, str) and isinstance(value, str)}


def names_any(cluster: Cluster) -> bool:
    """Whether a ClusterQueue names a PreemptionConfig, so that labels count.

    >>> names_any(Cluster({}))
    False
    """
    return any(queue.preemption_config is not None for queue in cluster.cluster_queues.values())


def with_selectable(
    cluster: Cluster,
    configs: Mapping[str, PreemptionConfig] | None,
    read: Callable[[Workload], Selectable],
    labels: Mapping[str, Mapping[str, str]],
) -> Cluster:
    """The cluster with its PreemptionConfigs, and with what they read of workloads and ClusterQueues.

    Args:
        cluster: one in which a ClusterQueue names a PreemptionConfig; any other stays as it is.
        configs: by name; None where it is not known which there are.
        read: what they read of a workload.
        labels: of ClusterQueues, by name.
    """
    if not names_any(cluster):
        return cluster

    def known(workloads: Sequence[Workload]) -> tuple[Workload, ...]:
        return tuple(replace(workload, selectable=read(workload)) for workload in workloads)

    return replace(
        cluster,
        preemption_configs=configs,
        admitted=known(cluster.admitted),
        pending=known(cluster.pending),
        cluster_queues={
            name: replace(queue, labels=labels.get(name, {}))
            for name, queue in cluster.cluster_queues.items()
        },
    )
