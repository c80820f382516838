"""Since when the Jobs behind workloads exist: KEP-754 counts from there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tenure.errors import InputError
from tenure.manifests.instants import parse_instant
from tenure.manifests.structure import dig, items
from tenure.model import Instant, Workload

_NO_OWNERS: Final = frozenset(("", "v1"))
"""Pods, services and the like own no workload whose age counts; there may be a hundred thousand of them."""


@dataclass(slots=True)
class Jobs:
    """The objects that may own workloads, as they pass by, whatever their kind."""

    by_uid: dict[str, Instant] = field(default_factory=dict)
    by_name: dict[tuple[str, str, str], Instant] = field(default_factory=dict)

    def take(self, raw: object) -> None:
        """Remember when an object was created, if it says so."""
        kind, metadata = dig(raw, "kind"), dig(raw, "metadata")
        if dig(raw, "apiVersion") in _NO_OWNERS or not isinstance(kind, str):
            return
        created = _instant(dig(metadata, "creationTimestamp"))
        if created is None:
            return
        uid, name, namespace = (dig(metadata, key) for key in ("uid", "name", "namespace"))
        if isinstance(uid, str):
            self.by_uid[uid] = created
        if isinstance(name, str):
            self.by_name[kind, namespace if isinstance(namespace, str) else "", name] = created

    def behind(self, owners: object, workload: Workload) -> Workload:
        """The workload with its Job's creation, where its Job passed by.

        Args:
            owners: its owner references, untrusted.
            workload: its label `kueue.x-k8s.io/job-uid`, or an owner reference, names the Job.
        """
        created = self.by_uid.get(workload.job_uid)
        for owner in items(owners):
            if created is None:
                created = self._owner(owner, workload.namespace)
        return workload if created is None else replace(workload, job_created_at=created)

    def _owner(self, owner: object, namespace: str) -> Instant | None:
        uid, kind, name = (dig(owner, key) for key in ("uid", "kind", "name"))
        if isinstance(uid, str) and uid in self.by_uid:
            return self.by_uid[uid]
        if isinstance(kind, str) and isinstance(name, str):
            return self.by_name.get((kind, namespace, name))
        return None


def job_created(raw: object, workload: Workload, jobs: Mapping[str, Instant]) -> Workload:
    """The workload with its Job's creation, where that is given by name.

    Args:
        raw: the Workload, untrusted.
        workload: what was made of it.
        jobs: creation by `namespace/name`, of the workload or of the Job that owns it.

    >>> waiting = Workload("ml", "job-a-1", "u", priority=0, created_at=9)
    >>> owned = {"metadata": {"ownerReferences": [{"kind": "Job", "name": "a"}]}}
    >>> job_created(owned, waiting, {"ml/a": 5}).job_created_at
    5
    """
    if not jobs:
        return workload
    owners = [dig(owner, "name") for owner in items(dig(raw, "metadata", "ownerReferences"))]
    names = [workload.key, *(f"{workload.namespace}/{name}" for name in owners if isinstance(name, str))]
    created = next((jobs[name] for name in names if name in jobs), None)
    return workload if created is None else replace(workload, job_created_at=created)


def _instant(written: Any) -> Instant | None:
    """A time; what is none is no reason to refuse an object that is not read."""
    try:
        return parse_instant(written)
    except InputError:
        return None
