"""Pods: which job and sub-group they belong to, and their state as the scheduler sees it."""

from __future__ import annotations

from dataclasses import dataclass

from tenure.kai.intake.notes import Notes, is_name
from tenure.kai.model import DEFAULT_SUB_GROUP, Pod, PodStatus
from tenure.manifests import Place, show
from tenure.manifests.structure import dig, items

POD_GROUP = "pod-group-name"
"""The annotation that names a pod's PodGroup."""
SUB_GROUP = "kai.scheduler/subgroup-name"
"""The label that names a pod's sub-group."""

_ENDED = {"Succeeded": PodStatus.SUCCEEDED, "Failed": PodStatus.FAILED}


@dataclass(frozen=True, slots=True)
class PodEntry:
    """A pod, and where it belongs.

    Args:
        job: `namespace/name` of its PodGroup.
        sub_group: name of its sub-group.
        pod: the pod.
        place: the object, for what is said about it.
    """

    job: str
    sub_group: str
    pod: Pod
    place: Place


def read_pod(raw: object, place: Place, notes: Notes) -> PodEntry | None:
    """A pod of a PodGroup; None for one that names none.

    Args:
        raw: the object, untrusted.
        place: the object, for what is said about it.
        notes: gets what is wrong.

    Source: KAI-Scheduler, pods of a PodGroup. A pod that is placed and not bound yet shows that only in a
        BindRequest, and counts as Pending here.

    >>> raw = {"metadata": {"name": "p", "annotations": {"pod-group-name": "b"}}}
    >>> read_pod(raw, Place("Pod/p"), Notes()).pod.status.value
    'Unknown'
    """
    group = dig(raw, "metadata", "annotations", POD_GROUP)
    if group in (None, ""):
        return None
    name, namespace = dig(raw, "metadata", "name"), dig(raw, "metadata", "namespace") or "default"
    label = dig(raw, "metadata", "labels", SUB_GROUP)
    read = (
        ("metadata.name", name),
        ("metadata.namespace", namespace),
        (f"metadata.annotations[{POD_GROUP}]", group),
        (f"metadata.labels[{SUB_GROUP}]", label or DEFAULT_SUB_GROUP),
    )
    wrong = [(path, found) for path, found in read if not is_name(found)]
    for path, found in wrong:
        notes.refuse(place, path, "nothing" if found is None else show(found), "a name")
    if wrong:
        return None
    return PodEntry(f"{namespace}/{group}", label or DEFAULT_SUB_GROUP, Pod(name, status_of(raw)), place)


def status_of(raw: object) -> PodStatus:
    """A pod's state as the scheduler sees it.

    >>> status_of({"status": {"phase": "Pending"}, "spec": {"nodeName": "n1"}}).value
    'Bound'
    """
    phase = dig(raw, "status", "phase")
    if phase not in ("Running", "Pending"):
        return _ENDED.get(phase, PodStatus.UNKNOWN) if isinstance(phase, str) else PodStatus.UNKNOWN
    if dig(raw, "metadata", "deletionTimestamp") is not None:
        return PodStatus.RELEASING
    if phase == "Running":
        return PodStatus.RUNNING
    if dig(raw, "spec", "nodeName"):
        return PodStatus.BOUND
    return PodStatus.GATED if items(dig(raw, "spec", "schedulingGates")) else PodStatus.PENDING
