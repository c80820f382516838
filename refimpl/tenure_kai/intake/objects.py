"""Queues, PodGroups and Pods: untrusted manifests to what a session looks at, with what is wrong in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from tenure.errors import InputError, Problem
from tenure.manifests import Place, did_you_mean, parse_duration, parse_instant, printable, show
from tenure.manifests.limits import MAX_NAME
from tenure.manifests.showing import about_object
from tenure.manifests.structure import dig, items
from tenure.model import Duration, Instant
from tenure.readings import KaiVersion
from tenure.rules.min_runtime import least_members
from tenure.units import FIRST_INSTANT
from tenure_kai.model import DEFAULT_SUB_GROUP, Job, Pod, PodStatus, Queue, SubGroup


@dataclass(slots=True)
class Notes:
    """Problems end the reading once all objects are read; warnings do not.

    Args:
        problems: what cannot be decided about.
        warnings: what the scheduler goes on with, in words.
    """

    problems: list[Problem] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def refuse(self, place: Place, path: str, found: str, expected: str) -> None:
        """An error about a field of an object; `found` is shown as given."""
        self.problems.append(place.problem(path, found, expected))

    def take(self, place: Place, error: InputError) -> None:
        """The problems of a reader that knows the field and not the object."""
        self.problems += [
            place.problem(problem.field, problem.found, problem.expected) for problem in error.problems
        ]

    def warn(self, place: Place, text: str) -> None:
        """Something that the scheduler logs, or does without a word."""
        whole = ": ".join(part for part in (place.file, place.object, text) if part)
        self.warnings.append(about_object(whole, place.object) if place.object else whole)


def is_name(found: object) -> TypeGuard[str]:
    """Whether something may be the name of an object: a text that is not empty, not long, and can be printed.

    >>> is_name("team-a"), is_name(""), is_name("a\\n"), is_name(3)
    (True, False, False, False)
    """
    return isinstance(found, str) and 0 < len(found) <= MAX_NAME and found.isprintable()


_RUNTIMES = ("preemptMinRuntime", "reclaimMinRuntime")


def read_queue(raw: object, place: Place, notes: Notes) -> Queue | None:
    """A Queue of `scheduling.run.ai/v2`, as far as its place in the tree and its minimum runtimes go.

    Args:
        raw: the object, untrusted.
        place: the object, for messages.
        notes: gets what is wrong. A runtime that is no duration is an error: the scheduler cannot decode the
            Queue, and so no Queue at all. A negative one is a warning.

    Source: KAI-Scheduler, the CustomResourceDefinition of Queue.

    >>> notes = Notes()
    >>> raw = {"metadata": {"name": "a"}, "spec": {"reclaimMinRuntime": "1d"}}
    >>> read_queue(raw, Place("Queue/a"), notes) is None, notes.problems[0].field
    (True, 'spec.reclaimMinRuntime')
    """
    known = len(notes.problems)
    name, parent = dig(raw, "metadata", "name"), dig(raw, "spec", "parentQueue")
    if not is_name(name):
        notes.refuse(place, "metadata.name", show(name) if name is not None else "nothing", "a name")
    if parent not in (None, "") and not is_name(parent):
        notes.refuse(place, "spec.parentQueue", show(parent), "the name of a Queue")
    values = [_runtime(raw, field, place, notes) for field in _RUNTIMES]
    if len(notes.problems) > known:
        return None
    return Queue(name, parent or "", *values)


def _runtime(raw: object, field: str, place: Place, notes: Notes) -> Duration | None:
    found = dig(raw, "spec", field)
    if found is None:
        return None
    try:
        value = parse_duration(found, field=f"spec.{field}")
    except InputError as error:
        notes.take(place, error)
        return None
    if value < 0 and field in _RUNTIMES:
        notes.warn(
            place, f"spec.{field}: {show(found)} is negative: it protects no job, and hides the values above"
        )
    return value


def tree_of(read: Mapping[str, tuple[Place, Queue]], notes: Notes) -> dict[str, Queue]:
    """The queues that a session sees: those without a parent that exists are dropped, with all below them.

    Args:
        read: by name, each with its place.
        notes: gets circles of parents as errors, and dropped queues as warnings.

    Source: KAI-Scheduler, snapshot of queues. A circle is not looked for there, and a walk up would not end.

    >>> notes = Notes()
    >>> tree_of({"a": (Place("Queue/a"), Queue("a", "gone"))}, notes), len(notes.warnings)
    ({}, 1)
    """
    fates: dict[str, _Fate] = {}
    for name in read:
        _settle(name, read, fates)
    for name, (place, _) in read.items():
        fate = fates[name]
        if fate.circle and fate.at == name:
            notes.refuse(place, "spec.parentQueue", fate.circle, "parents without a circle")
        elif fate.at and not fate.circle:
            missing = read[fate.at][1].parent
            whose = "" if fate.at == name else f" of {printable(fate.at)} above it"
            hint = did_you_mean(missing, read)
            notes.warn(place, f"the parent {show(missing)}{whose} does not exist: the queue is dropped{hint}")
    return {name: queue for name, (_, queue) in read.items() if not fates[name].at}


@dataclass(frozen=True, slots=True)
class _Fate:
    """What becomes of a queue: unless something is wrong, it is kept.

    Args:
        at: the queue whose parent is missing, or from which a circle is described.
        circle: that circle in words.
    """

    at: str = ""
    circle: str = ""


def _settle(name: str, read: Mapping[str, tuple[Place, Queue]], fates: dict[str, _Fate]) -> None:
    """Say what becomes of a queue and of all above it; each queue is walked through once."""
    walked: dict[str, None] = {}
    here = name
    while here not in fates and here not in walked:
        walked[here] = None
        parent = read[here][1].parent
        if parent not in read:
            fates[here] = _Fate(here) if parent else _Fate()
        else:
            here = parent
    if here in walked and here not in fates:
        names = list(walked)
        circle = names[names.index(here) :]
        fates[here] = _Fate(here, printable(" in ".join([*circle, here])))
    for text in walked:
        fates.setdefault(text, fates[here])


LAST_START = "kai.scheduler/last-start-timestamp"
"""The annotation in which the scheduler keeps when it last placed the job."""
LAST_EVICTION = "kai.scheduler/last-eviction-timestamp"
"""The annotation in which the scheduler keeps when it last evicted a pod of the job, since v0.17.0."""
PREEMPTION_DELAY = "kai.scheduler/preemption-delay"
"""The annotation of which KAI-Scheduler's podgrouper makes a PodGroup's `spec.preemptionDelay`."""


def read_pod_group(raw: object, place: Place, notes: Notes) -> Job | None:
    """A PodGroup of `scheduling.run.ai/v2alpha2`, without its pods.

    Args:
        raw: the object, untrusted.
        place: the object, for messages.
        notes: gets what is wrong. A start stamp that is no time is a warning, as the scheduler goes on
            without; so are sub-groups that contradict each other: the job gets one of minimum 1.

    Source: KAI-Scheduler, PodGroup and its snapshot.

    >>> notes = Notes()
    >>> raw = {"metadata": {"namespace": "a", "name": "b"}, "spec": {"queue": "q", "minMember": 0}}
    >>> read_pod_group(raw, Place("PodGroup/a/b"), notes).sub_groups[0].min_available
    1
    """
    known = len(notes.problems)
    name, queue = dig(raw, "metadata", "name"), dig(raw, "spec", "queue")
    namespace = dig(raw, "metadata", "namespace") or "default"
    for path, found in (("metadata.name", name), ("metadata.namespace", namespace)):
        if not is_name(found):
            notes.refuse(place, path, show(found) if found is not None else "nothing", "a name")
    if queue not in (None, "") and not is_name(queue):
        notes.refuse(place, "spec.queue", show(queue), "the name of a Queue")
    groups = _sub_groups(raw, place, notes)
    started, evicted = (_stamp(raw, name, place, notes) for name in (LAST_START, LAST_EVICTION))
    created, delay = _created(raw, place, notes), _runtime(raw, "preemptionDelay", place, notes)
    if len(notes.problems) > known:
        return None
    return Job(f"{namespace}/{name}", queue or "", started, groups, created, evicted, delay)


def _stamp(raw: object, annotation: str, place: Place, notes: Notes) -> Instant | None:
    found = dig(raw, "metadata", "annotations", annotation)
    if found in (None, ""):
        return None
    try:
        stamp = parse_instant(found, field=f"metadata.annotations[{annotation}]")
    except InputError:
        notes.warn(
            place,
            f"annotation {annotation}: {show(found)} is no RFC 3339 time; the scheduler goes on without",
        )
        return None
    return None if stamp == FIRST_INSTANT else stamp


def _created(raw: object, place: Place, notes: Notes) -> Instant:
    found = dig(raw, "metadata", "creationTimestamp")
    if found is None:
        return FIRST_INSTANT
    try:
        return parse_instant(found, field="metadata.creationTimestamp")
    except InputError as error:
        notes.take(place, error)
        return FIRST_INSTANT


def _sub_groups(raw: object, place: Place, notes: Notes) -> tuple[SubGroup, ...]:
    """The leaves among the sub-groups: those above others have no pods of their own."""
    found = dig(raw, "spec", "subGroups")
    if not isinstance(found, list | None):
        notes.refuse(place, "spec.subGroups", show(found), "a list")
        return ()
    named = _named(found or [], place, notes)
    if not named:
        least = _member(dig(raw, "spec", "minMember"), "spec.minMember", place, notes)
        return (SubGroup(min_available=least_members(least, False, KaiVersion.V0_17)),)
    fault = _fault(named)
    if fault:
        notes.warn(place, f"spec.subGroups: {fault}; the scheduler goes on with one sub-group of minimum 1")
        return (SubGroup(),)
    parents = {_parent(group) for _, group in named}
    return tuple(
        SubGroup(
            group["name"],
            max(0, _member(group.get("minMember"), f"spec.subGroups[{index}].minMember", place, notes) or 0),
            declared=True,
        )
        for index, group in named
        if group["name"] not in parents
    )


def _named(found: list[Any], place: Place, notes: Notes) -> list[tuple[int, Mapping[str, Any]]]:
    good: list[tuple[int, Mapping[str, Any]]] = []
    for index, group in enumerate(found):
        at = f"spec.subGroups[{index}]"
        if not isinstance(group, Mapping) or not is_name(group.get("name")):
            notes.refuse(place, at, show(group), "a sub-group with a name")
        elif not isinstance(group.get("parent"), str | None):
            notes.refuse(place, f"{at}.parent", show(group["parent"]), "the name of a sub-group")
        else:
            good.append((index, group))
    return good


def _fault(named: list[tuple[int, Mapping[str, Any]]]) -> str:
    names = [group["name"] for _, group in named]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        return f"{show(twice)} appears twice"
    lost = next((group for _, group in named if _parent(group) not in ("", *names)), None)
    return "" if lost is None else f"the parent {show(lost['parent'])} of {show(lost['name'])} does not exist"


def _parent(group: Mapping[str, Any]) -> str:
    # The scheduler looks parents up in small letters, whatever the letters of the name.
    return str(group.get("parent") or "").lower()


def _member(found: object, path: str, place: Place, notes: Notes) -> int | None:
    if not isinstance(found, int | None) or isinstance(found, bool):
        notes.refuse(place, path, show(found), "a whole number")
        return None
    return found


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
        place: the object, for messages.
        has_delay: whether it has the annotation of a preemption delay.
    """

    job: str
    sub_group: str
    pod: Pod
    place: Place
    has_delay: bool = False


def read_pod(raw: object, place: Place, notes: Notes) -> PodEntry | None:
    """A pod of a PodGroup; None for one that names none.

    Args:
        raw: the object, untrusted.
        place: the object, for messages.
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
    pod = Pod(name, status_of(raw))
    has_delay = dig(raw, "metadata", "annotations", PREEMPTION_DELAY) is not None
    return PodEntry(f"{namespace}/{group}", label or DEFAULT_SUB_GROUP, pod, place, has_delay)


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
