"""PodGroups: jobs, their sub-groups and their last start."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tenure.errors import InputError
from tenure.kai.intake.notes import Notes, is_name
from tenure.kai.model import Job, SubGroup
from tenure.manifests import Place, parse_instant, show
from tenure.manifests.structure import dig
from tenure.model import Instant
from tenure.units import FIRST_INSTANT

LAST_START = "kai.scheduler/last-start-timestamp"
"""The annotation in which the scheduler keeps when it last placed the job."""


def read_pod_group(raw: object, place: Place, notes: Notes) -> Job | None:
    """A PodGroup of `scheduling.run.ai/v2alpha2`, without its pods.

    Args:
        raw: the object, untrusted.
        place: the object, for what is said about it.
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
    started = _started(raw, place, notes)
    if len(notes.problems) > known:
        return None
    return Job(f"{namespace}/{name}", queue or "", started, groups)


def _started(raw: object, place: Place, notes: Notes) -> Instant | None:
    found = dig(raw, "metadata", "annotations", LAST_START)
    if found in (None, ""):
        return None
    try:
        started = parse_instant(found, field=f"metadata.annotations[{LAST_START}]")
    except InputError:
        notes.warn(
            place,
            f"annotation {LAST_START}: {show(found)} is no RFC 3339 time; the scheduler goes on without",
        )
        return None
    return None if started == FIRST_INSTANT else started


def _sub_groups(raw: object, place: Place, notes: Notes) -> tuple[SubGroup, ...]:
    """The leaves among the sub-groups: those above others have no pods of their own."""
    found = dig(raw, "spec", "subGroups")
    if not isinstance(found, list | None):
        notes.refuse(place, "spec.subGroups", show(found), "a list")
        return ()
    named = _named(found or [], place, notes)
    if not named:
        return (
            SubGroup(min_available=_least(dig(raw, "spec", "minMember"), "spec.minMember", place, notes)),
        )
    fault = _fault(named)
    if fault:
        notes.warn(place, f"spec.subGroups: {fault}; the scheduler goes on with one sub-group of minimum 1")
        return (SubGroup(),)
    parents = {_parent(group) for _, group in named}
    return tuple(
        SubGroup(
            group["name"],
            _least(group.get("minMember"), f"spec.subGroups[{index}].minMember", place, notes),
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
        return f"{show(twice)} stands twice"
    lost = next((group for _, group in named if _parent(group) not in ("", *names)), None)
    return "" if lost is None else f"the parent {show(lost['parent'])} of {show(lost['name'])} does not exist"


def _parent(group: Mapping[str, Any]) -> str:
    # The scheduler looks parents up in small letters, whatever the letters of the name.
    return str(group.get("parent") or "").lower()


def _least(found: object, path: str, place: Place, notes: Notes) -> int:
    if not isinstance(found, int | None) or isinstance(found, bool):
        notes.refuse(place, path, show(found), "a whole number")
        return 1
    return max(found or 0, 1)
