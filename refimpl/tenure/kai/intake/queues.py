"""Queues, and the tree that they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tenure.errors import InputError
from tenure.kai.intake.notes import Notes, is_name
from tenure.kai.model import Queue
from tenure.manifests import Place, did_you_mean, parse_duration, printable, show
from tenure.manifests.structure import dig
from tenure.model import Duration

_RUNTIMES = ("preemptMinRuntime", "reclaimMinRuntime")


def read_queue(raw: object, place: Place, notes: Notes) -> Queue | None:
    """A Queue of `scheduling.run.ai/v2`, as far as its place in the tree and its minimum runtimes go.

    Args:
        raw: the object, untrusted.
        place: the object, for what is said about it.
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
    if value < 0:
        notes.warn(
            place, f"spec.{field}: {show(found)} is negative: it protects nobody, and hides the values above"
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
    """What becomes of a queue: with nothing said, it is kept.

    Args:
        at: the queue whose parent is missing, or from which a circle is told.
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
    for each in walked:
        fates.setdefault(each, fates[here])
