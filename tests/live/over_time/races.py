"""What no forecast knows, recognised by evidence: the objects, and a forecast that allows for it.

What decides here is in Kueue's memory, or depends on which of its controllers is faster. An entry says
where that can be so, and what the forecast would be; it explains a difference only where Kueue did just that.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import chain, combinations, permutations
from typing import TypeAlias

from tests.live.over_time.compare import Course, PodSets, differences, forecast, holding_of
from tests.live.over_time.ledger import condition, job_of
from tests.live.server import Object


@dataclass(frozen=True)
class Situation:
    """What a forecast is made of.

    Args:
        dump: the objects, as the step changes them.
        evicts: whom the step evicts, with the reason, by the Job's name.
        drained: their workloads as they were, by the Job's name.
        replaced: the Job whose workload the step replaces; empty for none.
    """

    dump: list[Object]
    evicts: Mapping[str, str] = field(default_factory=dict)
    drained: Mapping[str, Object] = field(default_factory=dict)
    replaced: str = ""


_STOPPED = ("ClusterQueueStopped", "LocalQueueStopped")
_TRIED = {"key": "example.com/tried", "value": "true", "effect": "NoSchedule"}
"""A taint, and what tolerates it."""
MOST = 4
"""Of more workloads than so many not every order is tried."""
Foreseen: TypeAlias = Callable[[Situation], Iterator[Course]]
"""The forecasts that allow for a race; none where it cannot be."""


@dataclass(frozen=True)
class Race:
    """Something that no forecast knows.

    Args:
        name: in a few words.
        reason: why Kueue does otherwise.
        foreseen: what happens where it can be so.
    """

    name: str
    reason: str
    foreseen: Foreseen


def explained(real: Course, situation: Situation) -> str:
    """The race that explains what became of a cluster, by name; empty where none does."""
    for race in RACES:
        if any(not differences(said, real) for said in race.foreseen(situation)):
            return race.name
    return ""


def _from_a_later_flavor(situation: Situation) -> Iterator[Course]:
    """A workload that the forecast skips in a cycle can have no flavor of those that were tried then."""
    dump = situation.dump
    skipped = forecast(dump, situation.evicts).skipped
    for one in dump:
        if one["kind"] == "Workload" and job_of(one) in skipped:
            for group in _queue_of(one, dump)["spec"]["resourceGroups"]:
                names = [flavor["name"] for flavor in group["flavors"]]
                for count in range(1, len(names)):
                    yield forecast(_kept_from(_named(one), names[:count], dump), situation.evicts)


def _kept_from(workload: tuple[str, str], flavors: list[str], dump: list[Object]) -> list[Object]:
    """Flavors with a taint that all workloads but one tolerate."""
    after = copy.deepcopy(dump)
    for one in after:
        if one["kind"] == "ResourceFlavor" and one["metadata"]["name"] in flavors:
            one["spec"].setdefault("nodeTaints", []).append(_TRIED)
        elif one["kind"] == "Workload" and _named(one) != workload:
            for pod_set in one["spec"]["podSets"]:
                pod_set["template"]["spec"].setdefault("tolerations", []).append(_TRIED)
    return after


def _without_twins(situation: Situation) -> Iterator[Course]:
    """Without one of several waiting workloads that Kueue takes for equivalent."""
    dump = situation.dump
    waiting = list(_set_aside(dump, tried=False))
    for one in waiting:
        twins = (other for other in waiting if other is not one and _shape(other) == _shape(one))
        if any(_queue_of(twin, dump) is _queue_of(one, dump) for twin in twins):
            yield forecast([other for other in dump if other is not one], situation.evicts)


def _set_aside_later(situation: Situation) -> Iterator[Course]:
    """First without those that have been tried and set aside, then with them."""
    aside = [_named(one) for one in _set_aside(situation.dump, tried=True)]
    if aside:
        yield _in_turn(situation, [aside])


def _replaced_later(situation: Situation) -> Iterator[Course]:
    """First without the workload that is replaced, then with it."""
    for one in situation.dump:
        if one["kind"] == "Workload" and job_of(one) == situation.replaced:
            yield _in_turn(situation, [[_named(one)]])


def _restarted_later(situation: Situation) -> Iterator[Course]:
    """First without those that were evicted when their queue was stopped, then with one after the other."""
    waiting = [_named(one) for one in situation.dump if _is_stopped(one)]
    if waiting:
        yield _in_turn(situation, [waiting])
    if len(waiting) <= MOST:
        for order in permutations(waiting):
            yield _in_turn(situation, [[one] for one in order])


def _is_stopped(one: Object) -> bool:
    evicted = condition(one, "Evicted") if one["kind"] == "Workload" else {}
    return evicted.get("status") == "True" and evicted["reason"] in _STOPPED


def _in_turn(situation: Situation, groups: list[list[tuple[str, str]]]) -> Course:
    """What happens where some workloads are queued later than all others, group by group."""
    dump, absent = situation.dump, set(chain.from_iterable(groups))
    found = forecast([one for one in dump if _named(one) not in absent], situation.evicts)
    for group in groups:
        dump = _after(dump, found)
        absent -= set(group)
        found = _joined(found, forecast([one for one in dump if _named(one) not in absent], {}))
    return found


def _evicted_one_by_one(situation: Situation) -> Iterator[Course]:
    """First while some of those that the step evicts still hold their quota, then without them."""
    drained = situation.drained
    for count in range(1, min(len(drained), MOST)):
        for kept in combinations(sorted(drained), count):
            staying = {_named(drained[name]): drained[name] for name in kept}
            dump = [staying.get(_named(one), one) for one in map(_not_drained, situation.dump)]
            first = forecast(dump, situation.evicts)
            gone = {name: pods for name, pods in first.holding.items() if name not in kept}
            first = replace(first, holding=gone)
            yield _joined(first, forecast(_after(situation.dump, first), {}))


def _named(one: Object) -> tuple[str, str]:
    return one["kind"], one["metadata"]["name"]


def _not_drained(one: Object) -> Object:
    """A queue that is held and not drained: what runs there goes on for the moment."""
    if one["kind"] == "Workload" or one.get("spec", {}).get("stopPolicy") != "HoldAndDrain":
        return one
    return {**one, "spec": {**one["spec"], "stopPolicy": "Hold"}}


def _joined(first: Course, then: Course) -> Course:
    return replace(
        then,
        preempted=[*first.preempted, *then.preempted],
        evicted=first.evicted,
        refused=first.refused or then.refused,
    )


def _set_aside(dump: list[Object], *, tried: bool) -> Iterator[Object]:
    """Workloads that wait and may be set aside; with `tried` those that Kueue says do not fit."""
    for one in dump:
        waits = one["kind"] == "Workload" and "admission" not in one.get("status", {})
        if waits and not (tried and condition(one, "QuotaReserved").get("status") != "False"):
            queue = _queue_of(one, dump)
            if queue["spec"].get("queueingStrategy") != "StrictFIFO":
                yield one


def _queue_of(workload: Object, dump: list[Object]) -> Object:
    """Its ClusterQueue."""
    named = {(one["kind"], one["metadata"]["name"]): one for one in dump}
    local = named["LocalQueue", workload["spec"]["queueName"]]
    return named["ClusterQueue", local["spec"]["clusterQueue"]]


def _after(dump: list[Object], course: Course) -> list[Object]:
    """The objects after what a forecast says."""
    after, held = copy.deepcopy(dump), holding_of(dump)
    for one in after:
        name = job_of(one) if one["kind"] == "Workload" else ""
        if name in held and name not in course.holding:
            del one["status"]["admission"]
            one["status"]["conditions"] = []
        elif name in course.holding and course.holding[name] != held.get(name):
            one["status"] = _admitted(one, course.holding[name], _queue_of(one, dump)["metadata"]["name"])
    return after


def _admitted(workload: Object, pods: PodSets, queue: str) -> Object:
    """The status of a workload that has just been admitted."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    reserved = {"type": "QuotaReserved", "status": "True", "reason": "QuotaReserved", "message": ""}
    parts = []
    for pod_set, (count, flavors) in zip(workload["spec"]["podSets"], pods, strict=True):
        requests = pod_set["template"]["spec"]["containers"][0]["resources"]["requests"]
        usage = {resource: str(int(amount) * count) for resource, amount in requests.items()}
        parts.append(
            {"name": pod_set["name"], "count": count, "flavors": dict(flavors), "resourceUsage": usage}
        )
    return {
        "admission": {"clusterQueue": queue, "podSetAssignments": parts},
        "conditions": [{**reserved, "lastTransitionTime": now}],
    }


def _shape(workload: Object) -> object:
    """What Kueue compares: the pods, and the priority, but not since when a workload waits."""
    spec = workload["spec"]
    pods = [
        (one["name"], one["count"], one.get("minCount"), one["template"]["spec"]) for one in spec["podSets"]
    ]
    return spec["priority"], pods


RACES = (
    Race(
        "equivalent to a workload that was set aside",
        "gate SchedulingEquivalenceHashing: without trying it, Kueue sets aside a workload of the same pods "
        "and priority as one that it has just found not to fit. It may have waited longer than that one, and "
        "so be allowed to preempt newer equals. Which ones were tried is in Kueue's memory.",
        _without_twins,
    ),
    Race(
        "woken within a second",
        "What was tried and set aside is tried again within a second after quota has become available, what "
        "is in a queue's heap, such as the head of a StrictFIFO queue or a new workload, at once.",
        _set_aside_later,
    ),
    Race(
        "requeued after its queue was stopped",
        "Workloads that were evicted when their queue was stopped are marked as requeued by a reconciler, "
        "one after the other, once the queue goes on; those that have waited before are tried at once.",
        _restarted_later,
    ),
    Race(
        "evicted one after the other",
        "Workloads that are evicted together return their quota each in its turn, and those that wait are "
        "tried in between.",
        _evicted_one_by_one,
    ),
    Race(
        "tried before a workload was replaced",
        "The workload of a Job that holds quota and is resized is deleted, and then created again; those "
        "that wait are tried in between, with its quota.",
        _replaced_later,
    ),
    Race(
        "search goes on with the next flavor",
        "gate FlavorFungibilityPreserveScanProgress: after a cycle in which a workload was skipped, Kueue's "
        "search goes on behind the flavor at which it ended; the forecast's begins with the first. With "
        "fewer pods than asked for (partial admission) that one may fit again.",
        _from_a_later_flavor,
    ),
)
