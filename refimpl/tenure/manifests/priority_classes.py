"""Untrusted WorkloadPriorityClasses into the model, and the age of Jobs, from which KEP-754 counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tenure.errors import InputError, Problem
from tenure.manifests import schema
from tenure.manifests.checking import check
from tenure.manifests.conversion import as_v1beta2, read_one
from tenure.manifests.instants import parse_instant
from tenure.manifests.showing import Place, show
from tenure.manifests.structure import dig, items
from tenure.model import DynamicPriorityPolicy, Instant, Workload, WorkloadPriorityClass

RELEASED = "dynamicPriorityPolicy"
PROPOSED = "spec.dynamicPriorityPolicy"
"""Where a policy may be: beside `value`, or under `spec` beside `priority`."""


def read_priority_class(raw: object, *, where: str = "") -> WorkloadPriorityClass:
    """A WorkloadPriorityClass of `kueue.x-k8s.io/v1beta2` or `v1beta1`.

    Args:
        raw: the object, untrusted; `apiVersion` and `kind` may be left out. Its base is the released `value`
            or the proposal's `spec.priority`, its `dynamicPriorityPolicy` is beside either.
        where: path to put before the path of every field in an error.

    Returns:
        The class. Without a policy no decision uses it: Kueue has copied its value into `spec.priority`
        of the workloads. A policy is judged where it is used (DYN-040), since that is a matter of
        the reading.

    Raises:
        InputError: everything that is wrong with it; two bases, or two policies, that differ.

    Source: Kueue v1beta2 API, WorkloadPriorityClass; KEP-754, WorkloadPriorityClass API.

    >>> read_priority_class({"metadata": {"name": "high"}, "value": "1"})
    Traceback (most recent call last):
    tenure.errors.InputError: WorkloadPriorityClass/high: value: found '1', expected an integer
    >>> policy = {"step": 400, "max": 1000, "delayForStep": "1h"}
    >>> spec = {"priority": 100, "dynamicPriorityPolicy": policy}
    >>> read_priority_class({"metadata": {"name": "sample"}, "spec": spec}).policy.delay_for_step
    3600000000000
    """
    return read_one(raw, "WorkloadPriorityClass", where, priority_class)


def priority_class(raw: object, place: Place, problems: list[Problem]) -> WorkloadPriorityClass | None:
    """As `read_priority_class`; problems are added to `problems`, and the result is None."""
    known = len(problems)
    raw, place = as_v1beta2(raw, "WorkloadPriorityClass", place, problems)
    checked = check(schema.WorkloadPriorityClassObject, raw, place, problems)
    problems.extend(_base_problems(raw, place))
    problems.extend(_policy_problems(raw, place))
    if checked is None or len(problems) > known:
        return None
    spec = checked.spec or schema.WorkloadPriorityClassSpec()
    base = spec.priority if checked.value is None else checked.value
    beside = _given(checked.dynamic_priority_policy)
    policy = beside or _given(spec.dynamic_priority_policy)
    return WorkloadPriorityClass(
        name=checked.metadata.name,
        base=base or 0,
        policy=_policy(policy) if policy else None,
        policy_path=RELEASED if beside else PROPOSED,
    )


def _given(policy: schema.DynamicPriorityPolicySpec | None) -> schema.DynamicPriorityPolicySpec | None:
    """The policy, unless it is the empty one that Go writes for no policy."""
    return None if policy == schema.DynamicPriorityPolicySpec() else policy


def _policy(found: schema.DynamicPriorityPolicySpec) -> DynamicPriorityPolicy:
    return DynamicPriorityPolicy(
        step=found.step or 0, max=found.max, delay_for_step=found.delay_for_step or 0
    )


def _base_problems(raw: object, place: Place) -> Iterator[Problem]:
    value, proposed = dig(raw, "value"), dig(raw, "spec", "priority")
    if value is None and proposed is None:
        yield place.problem("value", "nothing", "a value: the field is required")
    elif value is not None and proposed is not None and value != proposed:
        expected = f"the same as value, {show(value)}, or nothing"
        yield place.problem("spec.priority", show(proposed), expected)


def _policy_problems(raw: object, place: Place) -> Iterator[Problem]:
    beside, below = dig(raw, RELEASED), dig(raw, "spec", RELEASED)
    if beside and below and beside != below:
        yield place.problem(PROPOSED, show(below), "one policy, beside value or below spec")


_NO_OWNERS: Final = frozenset(("", "v1"))
"""Pods, services and the like own no workload whose age counts; there may be a hundred thousand of them."""


@dataclass(slots=True)
class Jobs:
    """The objects that may own workloads, as they pass by, whatever their kind."""

    by_uid: dict[str, Instant] = field(default_factory=dict)
    by_name: dict[tuple[str, str, str], Instant] = field(default_factory=dict)

    def take(self, raw: object) -> None:
        """Remember when an object was created, if it has a creation time."""
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
    """A time; a value that is not one does not refuse an object that is not read."""
    try:
        return parse_instant(written)
    except InputError:
        return None
