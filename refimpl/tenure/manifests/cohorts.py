"""The tree that cohorts form: cycles, depth, and names that lead nowhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import cache

from tenure.errors import Problem
from tenure.manifests.conversion import object_name
from tenure.manifests.limits import MAX_COHORT_LEVELS
from tenure.manifests.showing import Place, did_you_mean, listed, printable
from tenure.model import ClusterQueue, Cohort


def tree_problems(
    cohorts: Mapping[str, tuple[Place, Cohort]], asked: Collection[str] | None = None
) -> Iterator[Problem]:
    """What is wrong with the tree that cohorts form: cycles, and more levels than are followed.

    Args:
        cohorts: by name, in the order given, with how problems name each.
        asked: the cohorts that are asked about; a cycle that none of them is in or below is no problem,
            as Kueue decides in the other trees. None for all; of a cluster that nothing was asked about yet,
            `cycle_warnings` and `outside_cycles` say the rest.


    >>> chain = {f"c{i}": (Place(f"Cohort/c{i}"), Cohort(f"c{i}", f"c{i + 1}")) for i in range(300)}
    >>> print(*tree_problems(chain))
    Cohort/c0: spec.parentName: found 301 levels of cohorts, expected at most 100
    """
    parents = {name: cohort.parent for name, (_, cohort) in cohorts.items()}
    cycles = list(_cycles(parents))
    above = set(parents) if asked is None else {name for start in asked for name in _path(start, parents)}
    refused = [cycle for cycle in cycles if not above.isdisjoint(cycle)]
    for cycle in refused:
        found = f"a cycle: {listed([*cycle, cycle[0]])}"
        expected = "a parent that is not below the cohort itself"
        yield cohorts[cycle[0]][0].problem("spec.parentName", found, expected)
    if not refused:
        yield from _depth_problems(cohorts, {name for cycle in cycles for name in cycle})


def _depth_problems(
    cohorts: Mapping[str, tuple[Place, Cohort]], in_cycles: Collection[str]
) -> Iterator[Problem]:
    """The deepest cohort, where it is too deep; below a cycle, levels are counted from the cycle."""
    levels = dict.fromkeys(in_cycles, 1)
    for name in cohorts:
        path: list[str] = []
        here: str | None = name
        while here is not None and here not in levels:
            path.append(here)
            here = cohorts[here][1].parent if here in cohorts else None
        above = 0 if here is None else levels[here]
        levels |= {name: above + i for i, name in enumerate(reversed(path), start=1)}
    deepest = max(cohorts, key=lambda name: levels[name], default="")
    if levels.get(deepest, 0) > MAX_COHORT_LEVELS:
        found = f"{levels[deepest]} levels of cohorts"
        yield cohorts[deepest][0].problem("spec.parentName", found, f"at most {MAX_COHORT_LEVELS}")


def _cycles(parents: Mapping[str, str | None]) -> Iterator[list[str]]:
    """Every cycle once, from the cohort of it that was given first.

    Source: Kueue, Cohorts whose parents form a cycle admit nothing until it is broken.

    >>> list(_cycles({"a": "b", "b": "a", "c": "a"}))
    [['a', 'b']]
    """
    done: set[str] = set()
    for name in parents:
        path = _path(name, parents, done)
        above = parents.get(path[-1]) if path else None
        done.update(path)
        if above in path:
            yield path[path.index(above) :]


def cycle_warnings(cohorts: Mapping[str, tuple[Place, Cohort]]) -> Iterator[tuple[Place, str]]:
    """Every cycle of parents, told at the cohort of it that was given first.

    >>> two = {name: (Place(f"Cohort/{name}"), Cohort(name, parent)) for name, parent in ("ab", "ba")}
    >>> [text for _, text in cycle_warnings(two)]
    ['spec.parentName forms a cycle, a, b, a: every ClusterQueue below it is inactive']
    """
    for cycle in _cycles({name: cohort.parent for name, (_, cohort) in cohorts.items()}):
        place = cohorts[cycle[0]][0]
        told = f"{place.own('spec.parentName')} forms a cycle, {listed([*cycle, cycle[0]])}"
        yield place, f"{told}: every ClusterQueue below it is inactive"


def outside_cycles(queue: ClusterQueue, parents: Mapping[str, str | None]) -> ClusterQueue:
    """The queue; one below a cycle of cohorts is inactive, and in no tree with any other.

    Args:
        queue: as it was given.
        parents: of every cohort that was given, by its name.

    Source: Kueue, a ClusterQueue whose Cohorts form a cycle is inactive until the cycle is broken; the other
        trees are decided as if it were not there.

    >>> cut = outside_cycles(ClusterQueue("q", cohort="a"), {"a": "b", "b": "b"})
    >>> cut.cohort, cut.inactive
    (None, 'the parents of Cohort a form a cycle')
    """
    if queue.cohort is None or parents.get(_path(queue.cohort, parents)[-1]) is None:
        return queue
    reason = f"the parents of Cohort {printable(queue.cohort)} form a cycle"
    return replace(queue, cohort=None, inactive=", ".join(filter(None, (queue.inactive, reason))))


def _path(name: str, parents: Mapping[str, str | None], done: Collection[str] = ()) -> list[str]:
    """A cohort and those above it, each once, up to those that are done."""
    path: dict[str, None] = {}
    here: str | None = name
    while here is not None and here not in path and here not in done:
        path[here] = None
        here = parents.get(here)
    return list(path)


def root_of(name: str, cohorts: Mapping[str, Cohort]) -> str:
    """The name at the top of a cohort's tree; `cohorts` has no cycle.

    >>> root_of("team", {"team": Cohort("team", "org")})
    'org'
    """
    while name in cohorts and (parent := cohorts[name].parent) is not None:
        name = parent
    return name


def queue_warnings(
    local_queues: Mapping[tuple[str, str], str], given: Collection[str]
) -> Iterator[tuple[Place, str]]:
    """LocalQueues that point to no ClusterQueue, where ClusterQueues were given at all.

    Args:
        local_queues: the ClusterQueue's name by namespace and name.
        given: names of ClusterQueues.

    >>> (place, text), = queue_warnings({("ml", "jobs"): "team"}, ["teams"])
    >>> place.object, text
    ('LocalQueue/ml/jobs', 'spec.clusterQueue team was not given; did you mean teams?')
    """
    meant = cache(lambda name: did_you_mean(name, given))
    for (namespace, name), queue in local_queues.items() if given else ():
        if queue not in given:
            told = f"spec.clusterQueue {printable(queue)} was not given{meant(queue)}"
            yield Place(object_name("LocalQueue", namespace, name)), told


def cohort_warnings(
    queues: Mapping[str, tuple[Place, ClusterQueue]], cohorts: Mapping[str, tuple[Place, Cohort]]
) -> Iterator[tuple[Place, str]]:
    """Cohorts that only one object names, and that look like one that was given.

    Args:
        queues, cohorts: by name, with how warnings name each.

    Source: Kueue: a Cohort that is only named exists, without quota of its own; a name that is misspelt takes
    its ClusterQueue out of the tree without a word.

    >>> queue, cohort = ClusterQueue("q", cohort="reserach"), Cohort("research")
    >>> given = {"research": (Place("Cohort/research"), cohort)}
    >>> [text for _, text in cohort_warnings({"q": (Place("ClusterQueue/q"), queue)}, given)]
    ['names the Cohort reserach, which was not given; did you mean research?']
    """
    above = [(place, queue.cohort) for place, queue in queues.values()]
    above += [(place, cohort.parent) for place, cohort in cohorts.values()]
    counts = Counter(name for _, name in above)
    for place, name in above:
        if name is None or name in cohorts or counts[name] > 1:
            continue
        # Names of a series differ at their end, and are not misspelt.
        alike = [cohort for cohort in cohorts if cohort[:-2] != name[:-2] or len(cohort) != len(name)]
        hint = did_you_mean(name, alike)
        if hint:
            yield place, f"names the Cohort {printable(name)}, which was not given{hint}"
