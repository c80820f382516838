"""What a forecast says of a cluster, what became of it, and how they differ."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from tests.command_line import tenure
from tests.live.over_time.ledger import Change, is_finished, job_of
from tests.live.server import Object

_T = TypeVar("_T")
PodSets: TypeAlias = tuple[tuple[int, tuple[tuple[str, str], ...]], ...]
"""Of a workload that holds quota: of each pod set the count, and the flavor of each resource."""
REASONS = {
    "InClusterQueue": "prioritization in the ClusterQueue",
    "InCohortReclamation": "reclamation within the cohort",
    "InCohortFairSharing": "Fair Sharing within the cohort",
    "InCohortReclaimWhileBorrowing": "reclamation within the cohort while borrowing",
}
"""The words of Kueue's messages."""
LOOP = 5
"""A cluster in which one workload has preempted another so many times repeats itself."""


@dataclass
class Course:
    """What happens after a step.

    Args:
        holding: who holds quota in the end, by the Job's name.
        preempted: preemptor, victim, reason, and what the message says after the UIDs; in order.
        evicted: who is evicted otherwise, with the reason; in order.
        refused: why there is no forecast; empty where there is one.
        repeats: whether the same happens again and again.
        heads: of the forecast, who is handled in each cycle.
        skipped: of the forecast, who is skipped in a cycle.
    """

    holding: dict[str, PodSets]
    preempted: list[tuple[str, str, str, str]]
    evicted: list[tuple[str, str]]
    refused: str = ""
    repeats: bool = False
    heads: list[list[str]] = field(default_factory=list)
    skipped: set[str] = field(default_factory=set)


def holding_of(dump: Iterable[Object]) -> dict[str, PodSets]:
    """Who holds quota among objects, by the Job's name."""
    return {
        job_of(one): tuple(
            (part.get("count", 0), tuple(sorted(part.get("flavors", {}).items())))
            for part in one["status"]["admission"]["podSetAssignments"]
        )
        for one in dump
        if one["kind"] == "Workload" and "admission" in one.get("status", {}) and not is_finished(one)
    }


def happened(changes: Iterable[Change], dump: Iterable[Object], jobs: Mapping[str, str]) -> Course:
    """What became of a cluster.

    Args:
        changes: since the step.
        dump: the objects now.
        jobs: Jobs by the UID of their workload.
    """
    preempted, evicted = [], []
    for change in changes:
        if change.what == "Preempted":
            uid = change.message.partition("UID: ")[2].partition(",")[0]
            words = change.message.partition(") ")[2]
            preempted.append((jobs.get(uid, uid), change.job, change.reason, words))
        elif change.what == "Evicted" and change.reason != "Preempted":
            evicted.append((change.job, change.reason))
    return Course(holding_of(dump), preempted, evicted)


def forecast(dump: list[Object], evicts: Mapping[str, str], *options: str) -> Course:
    """What `tenure next` says happens to a cluster.

    Args:
        dump: the objects, as the step changes them.
        evicts: whom the step evicts, with the reason.
        options: of the command, besides.
    """
    course = Course(holding_of(dump), [], sorted(evicts.items()))
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": dump})
    words = ("next", "-", "-o", "json", "--kueue", "0.19", "--eviction", "0s", *options)
    done = tenure(*words, stdin=text.encode())
    if done.returncode:
        course.refused = done.stderr.decode()
        return course
    answer = json.loads(done.stdout)
    if answer["notDecided"]:
        course.refused = json.dumps(answer["notDecided"])
    course.repeats = answer["ended"] == "repeats"
    paths = _paths(dump)
    for cycle in answer["cycles"]:
        course.heads.append([_job(head["workload"]) for head in cycle["heads"]])
        for head in cycle["heads"]:
            _take(course, head, paths)
    return course


def _take(course: Course, head: Object, paths: Mapping[str, str]) -> None:
    name = _job(head["workload"])
    for victim in head["preempts"]:
        reason, job = victim["reason"], _job(victim["workload"])
        between = (
            f"preemptor path: {paths[head['clusterQueue']]}; preemptee path: {paths[victim['clusterQueue']]}"
        )
        course.preempted.append((name, job, reason, f"due to {REASONS.get(reason, reason)}; {between}"))
        course.holding.pop(job, None)
    if head["result"] == "skipped":
        course.skipped.add(name)
    if head["result"] == "admitted":
        course.holding[name] = tuple(
            (part["count"], tuple(sorted(part["flavors"].items()))) for part in head["assignment"]
        )


def _job(key: str) -> str:
    return key.rpartition("/")[2].removeprefix("job-").rpartition("-")[0]


def _paths(dump: Iterable[Object]) -> dict[str, str]:
    """Of each ClusterQueue its path from the root, as Kueue's messages write it."""
    parents = {
        one["metadata"]["name"]: one["spec"].get("parentName", "") for one in dump if one["kind"] == "Cohort"
    }
    found = {}
    for one in dump:
        if one["kind"] == "ClusterQueue":
            names, above = [one["metadata"]["name"]], one["spec"].get("cohortName", "")
            while above:
                names.append(above)
                above = parents.get(above, "")
            found[names[0]] = "".join(f"/{name}" for name in reversed(names))
    return found


def differences(said: Course, real: Course) -> list[str]:
    """What a forecast and what became of it differ in, in words; empty where it is right."""
    if said.refused:
        return [f"no forecast: {said.refused}"]
    found = []
    if said.holding != real.holding:
        names = sorted(said.holding.keys() | real.holding.keys())
        for name in names:
            mine, theirs = said.holding.get(name), real.holding.get(name)
            if mine != theirs:
                found.append(
                    f"{name} holds {mine or 'nothing'} by the forecast, {theirs or 'nothing'} in the cluster"
                )
    found += _in_one_alone("preempted", Counter(said.preempted), Counter(real.preempted))
    found += _in_one_alone("evicted", Counter(said.evicted), Counter(real.evicted))
    return found


def repeats_as(said: Course, real: Course) -> bool:
    """Whether a cluster repeats what a forecast says is repeated, and has done nothing else.

    It may end after some hundred times all the same: in which order workloads return to a queue is a race.
    """
    times = Counter(real.preempted)
    as_forecast = said.repeats and not said.refused and times.keys() == set(said.preempted)
    return as_forecast and max(times.values(), default=0) >= LOOP


def _in_one_alone(what: str, said: Counter[_T], real: Counter[_T]) -> Iterator[str]:
    yield from (f"{what} by the forecast alone: {one}" for one in (said - real).elements())
    yield from (f"{what} in the cluster alone: {one}" for one in (real - said).elements())
