"""The parts of a case, checked: queues, jobs, victims, clocks, as `call` gets them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from tenure.errors import InputError, Problem
from tenure.manifests import did_you_mean, parse_duration, parse_instant, show
from tenure.model import Action, Duration, Instant
from tenure.units import FIRST_INSTANT
from tenure_kai.model import DEFAULT_SUB_GROUP, Job, Pod, PodStatus, Queue, SubGroup, Victim

_Read = TypeVar("_Read")

ACTIONS: Mapping[str, Action] = {"preempt": Action.PREEMPT, "reclaim": Action.RECLAIM}
_STATUSES = {pod_status.value: pod_status for pod_status in PodStatus}
_LARGEST = 2**31


def refused(field: str, found: object, expected: str) -> InputError:
    """An error about a field; an absent one is shown as nothing."""
    shown = "nothing" if found is None else show(found)
    return InputError([Problem(field=field, found=shown, expected=expected)])


def text(raw: Mapping[str, Any], key: str, at: str = "") -> str:
    """A field that holds a text, empty ones included.

    Raises:
        InputError: it is absent or something else.
    """
    found = raw.get(key)
    if not isinstance(found, str):
        raise refused(f"{at}{key}", found, "a text")
    return found


def optional_text(raw: Mapping[str, Any], key: str, at: str = "") -> str | None:
    """A field that holds a text, or null."""
    return None if raw.get(key) is None else text(raw, key, at)


def number(raw: Mapping[str, Any], key: str, at: str) -> int:
    """A field that holds a whole number of 32 bits."""
    found = raw.get(key)
    if not isinstance(found, int) or isinstance(found, bool) or not -_LARGEST <= found < _LARGEST:
        raise refused(f"{at}{key}", found, "a whole number of 32 bits")
    return found


def each_of(raw: Mapping[str, Any], key: str, read: Callable[[Mapping[str, Any], str], _Read]) -> list[_Read]:
    """Every entry of a list, read; an absent list is empty, and every problem of every entry is reported.

    Args:
        raw: what the list is in.
        key: the list.
        read: one entry, with the path of its fields.
    """
    found = raw.get(key)
    if not isinstance(found, list | None):
        raise refused(key, found, "a list")
    made: list[_Read] = []
    problems: list[Problem] = []
    for index, entry in enumerate(found or ()):
        at = f"{key}[{index}]"
        try:
            if not isinstance(entry, Mapping):
                raise refused(at, entry, "an object")
            made.append(read(entry, f"{at}."))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return made


def action(raw: Mapping[str, Any], at: str = "") -> Action:
    """`action`."""
    found = raw.get("action")
    if not isinstance(found, str) or found not in ACTIONS:
        raise refused(f"{at}action", found, f"preempt or reclaim{did_you_mean(found, ACTIONS)}")
    return ACTIONS[found]


def clock(raw: Mapping[str, Any], at: str = "") -> Instant:
    """`now`, ns since the epoch."""
    return parse_instant(raw.get("now"), field=f"{at}now")


def start(raw: Mapping[str, Any], at: str = "") -> Instant | None:
    """`lastStart`, ns since the epoch; None for null, and for the zero time that Go writes for no time."""
    found = stamp(raw, "lastStart", at)
    return None if found == FIRST_INSTANT else found


def stamp(raw: Mapping[str, Any], key: str, at: str = "") -> Instant | None:
    """A time, ns since the epoch; None for null."""
    return None if raw.get(key) is None else parse_instant(raw[key], field=f"{at}{key}")


def own_value(raw: Mapping[str, Any], key: str, at: str = "") -> Duration | None:
    """A value of a queue, ns; None where it is not set.

    >>> own_value({"preemptMinRuntime": "1m"}, "preemptMinRuntime") == 60 * 10**9
    True
    """
    return None if raw.get(key) is None else parse_duration(raw[key], field=f"{at}{key}")


def queue(raw: Mapping[str, Any], at: str = "") -> Queue:
    """A queue of a case."""
    return Queue(
        text(raw, "name", at),
        optional_text(raw, "parent", at) or "",
        own_value(raw, "preemptMinRuntime", at),
        own_value(raw, "reclaimMinRuntime", at),
    )


def job(raw: Mapping[str, Any], at: str = "") -> Job:
    """A job of a case; without sub-groups it has one called `default`."""
    groups = _moved(at, lambda: each_of(raw, "subGroups", sub_group))
    made = Job(
        text(raw, "name", at),
        optional_text(raw, "queue", at) or "",
        start(raw, at),
        tuple(groups) or (SubGroup(),),
        FIRST_INSTANT if raw.get("created") is None else parse_instant(raw["created"], field=f"{at}created"),
        stamp(raw, "lastEviction", at),
        own_value(raw, "preemptionDelay", at),
    )
    once(f"{at}subGroups", [group.name for group in made.sub_groups])
    once(f"{at}subGroups", [pod.name for _, pod in made.pods()])
    return made


def sub_group(raw: Mapping[str, Any], at: str = "") -> SubGroup:
    """A sub-group of a job: with its minAvailable, or with minMember as a PodGroup has it."""
    pods = _moved(at, lambda: each_of(raw, "pods", pod))
    name = optional_text(raw, "name", at) or DEFAULT_SUB_GROUP
    if "minMember" not in raw:
        return SubGroup(name, number(raw, "minAvailable", at), tuple(pods))
    if "minAvailable" in raw:
        raise refused(f"{at}minAvailable", raw["minAvailable"], "nothing beside minMember")
    least = 0 if raw["minMember"] is None else number(raw, "minMember", at)
    return SubGroup(name, least, tuple(pods), declared=True)


def pod(raw: Mapping[str, Any], at: str = "") -> Pod:
    """A pod of a sub-group."""
    return Pod(text(raw, "name", at), status(raw, at))


def status(raw: Mapping[str, Any], at: str = "") -> PodStatus:
    """`status` of a pod."""
    found = raw.get("status")
    if not isinstance(found, str) or found not in _STATUSES:
        raise refused(f"{at}status", found, f"one of {', '.join(_STATUSES)}{did_you_mean(found, _STATUSES)}")
    return _STATUSES[found]


def victims(raw: Mapping[str, Any]) -> list[Victim]:
    """`victims`; several entries of one job are one loss, as in the scheduler.

    >>> victims({"victims": [{"job": "v", "pods": ["a"]}, {"job": "v", "pods": ["b"]}]})
    [Victim(job='v', pods=('a', 'b'))]
    """
    pods: dict[str, tuple[str, ...]] = {}
    for found in each_of(raw, "victims", _victim):
        pods[found.job] = (*pods.get(found.job, ()), *found.pods)
    return [Victim(name, row) for name, row in pods.items()]


def _victim(raw: Mapping[str, Any], at: str) -> Victim:
    names = raw.get("pods")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise refused(f"{at}pods", names, "a list of names of pods")
    return Victim(text(raw, "job", at), tuple(names))


def once(key: str, names: list[str]) -> None:
    """Refuse names that appear twice in a list of a case."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise refused(key, twice[0], "each name once")


def _moved(at: str, read: Callable[[], _Read]) -> _Read:
    """The problems of a list below an entry, with the path of that entry."""
    try:
        return read()
    except InputError as error:
        moved = (
            Problem(f"{at}{problem.field}", problem.found, problem.expected) for problem in error.problems
        )
        raise InputError(list(moved)) from None
