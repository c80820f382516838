"""Make a scenario small while the difference stays: drop one part after another and ask again."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

from tenure.minimising import Minimiser
from tenure_lab.verdicts import AnswerPair, Sides

Object = dict[str, Any]
Path = tuple[str | int, ...]

DROPPED = frozenset(
    {
        *("annotations", "affinity", "borrowingLimit", "cohortName", "fairSharing", "labels", "lendingLimit"),
        *("maxPriorityThreshold", "minCount", "nodeLabels", "nodeSelector", "nodeTaints", "parentName"),
        *("preference", "priority", "reclaimablePods", "resourceGroups", "tolerations"),
        *("clusterQueueSelector", "labelSelector", "preemptorPriorityClassSelector", "preemptorSelector"),
    }
)
"""Fields that an object may do without."""

SHORTENED = frozenset(
    {
        *("cohorts", "conditions", "flavors", "matchExpressions", "nodeSelectorTerms", "podSets"),
        *("podSetAssignments", "preemptionStrategies", "resourceFlavors", "resourceGroups", "values"),
        *("candidateSelectors", "matchNames", "notMatchNames", "numericLabels", "rules"),
    }
)
"""Lists that may be shorter."""


def shrink(scenario: Object, keeps: Callable[[Object], bool], most: int = 3000) -> Object:
    """The smallest scenario that greedy dropping finds.

    Args:
        scenario: one that `keeps` is true of; it is not changed.
        keeps: whether a smaller one still shows what is looked for.
        most: how many scenarios may be tried.
    """
    search = Minimiser(scenario, keeps, most)
    while any(map(search.tries, _smaller(search.best))):
        pass  # what comes next must be about the new one
    return search.best


def _smaller(scenario: Object) -> Iterator[Object]:
    """Every way of making it smaller, the coarse ones first."""
    yield from _fewer_workloads(scenario)
    yield from _fewer_queues(scenario)
    yield from _fewer_levels(scenario)
    for gate in scenario.get("featureGates") or {}:
        yield _without(scenario, ("featureGates", gate))
    for path in _droppable(scenario, ()):
        yield _without(scenario, path)


def _fewer_workloads(scenario: Object) -> Iterator[Object]:
    """Half of them away, then a quarter, down to one."""
    admitted = scenario["admitted"]
    size = len(admitted)
    while size > 1:
        size //= 2
        for start in range(0, len(admitted), size):
            yield {**scenario, "admitted": admitted[:start] + admitted[start + size :]}
    if len(admitted) == 1:
        yield {**scenario, "admitted": []}


def _fewer_queues(scenario: Object) -> Iterator[Object]:
    for queue in scenario["clusterQueues"]:
        name = queue["metadata"]["name"]
        if name != scenario["targetCQ"]:
            kept = [other for other in scenario["clusterQueues"] if other is not queue]
            admitted = [
                workload
                for workload in scenario["admitted"]
                if workload["status"]["admission"]["clusterQueue"] != name
            ]
            yield {**scenario, "clusterQueues": kept, "admitted": admitted}


def _fewer_levels(scenario: Object) -> Iterator[Object]:
    """A cohort away, its children being those of its parent."""
    for cohort in scenario["cohorts"]:
        name, parent = cohort["metadata"]["name"], cohort["spec"].get("parentName")
        smaller = copy.deepcopy(scenario)
        smaller["cohorts"] = [other for other in smaller["cohorts"] if other["metadata"]["name"] != name]
        children = [
            *((member["spec"], "parentName") for member in smaller["cohorts"]),
            *((member["spec"], "cohortName") for member in smaller["clusterQueues"]),
        ]
        for spec, key in children:
            if spec.get(key) == name and parent is not None:
                spec[key] = parent
        if parent is not None:
            yield smaller


def _droppable(value: Any, at: Path) -> Iterator[Path]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in DROPPED and at:
                yield (*at, key)
            yield from _droppable(inner, (*at, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            if at and at[-1] in SHORTENED and not _holds(inner):
                yield (*at, index)
            yield from _droppable(inner, (*at, index))


def _holds(value: Any) -> bool:
    """A reservation: without it a workload holds nothing, which is another scenario and no smaller one."""
    return isinstance(value, dict) and value.get("type") == "QuotaReserved"


def _without(scenario: Object, path: Path) -> Object:
    smaller = copy.deepcopy(scenario)
    holder: Any = smaller
    for step in path[:-1]:
        holder = holder[step]
    del holder[path[-1]]
    return smaller


def smallest(found: AnswerPair, sides: Sides) -> AnswerPair:
    """The same failure in a smaller scenario.

    Raises:
        ProgramFailure: the program failed as a program.
    """
    wanted = _signature(found)
    best = found

    def keeps(scenario: Object) -> bool:
        nonlocal best
        try:
            tried = sides.one(scenario)
        except (KeyError, IndexError, StopIteration):
            return False  # too small to be a scenario
        if _signature(tried) != wanted:
            return False
        best = tried
        return True

    shrink(found.scenario, keeps)
    return best


def _signature(compared: AnswerPair) -> tuple[str, str, str]:
    """What must stay while it shrinks, so that one failure does not turn into another."""
    decisions = [answer.get("output", {}).get("decision", "") for answer in (compared.ours, compared.theirs)]
    return str(compared.verdict), decisions[0], decisions[1]
