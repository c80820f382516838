"""The tree that cohorts form: cycles, depth, and names that lead nowhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import cache

from tenure.errors import Problem
from tenure.manifests.conversion import object_name
from tenure.manifests.limits import MAX_COHORT_LEVELS
from tenure.manifests.showing import Place, comma_separated, did_you_mean, printable
from tenure.model import ClusterQueue, Cohort


def tree_problems(
    cohorts: Mapping[str, tuple[Place, Cohort]], watched: Collection[str] | None = None
) -> Iterator[Problem]:
    """What is wrong with the tree that cohorts form: cycles, and more levels than are followed.

    Args:
        cohorts: by name, in the order given, with how problems name each.
        watched: the cohorts of the request; a cycle that none of them is in or below is no problem,
            as Kueue decides in the other trees. None for all; of a cluster before any request,
            `cycle_warnings` and `outside_cycles` cover the rest.


    >>> chain = {f"c{i}": (Place(f"Cohort/c{i}"), Cohort(f"c{i}", f"c{i + 1}")) for i in range(300)}
    >>> print(*tree_problems(chain))
    Cohort/c0: spec.parentName: found 301 levels of cohorts, expected at most 100
    """
    parents = {name: cohort.parent for name, (_, cohort) in cohorts.items()}
    # First, as all that follows walks up the tree from many of its nodes.
    deep = too_deep(parents)
    if deep is not None:
        name, levels = deep
        place = cohorts[name][0]
        yield place.problem("spec.parentName", f"{levels} levels of cohorts", f"at most {MAX_COHORT_LEVELS}")
        return
    cycles = list(_cycles(parents))
    above = set(parents) if watched is None else {name for start in watched for name in _path(start, parents)}
    for cycle in (cycle for cycle in cycles if not above.isdisjoint(cycle)):
        found = f"a cycle: {comma_separated([*cycle, cycle[0]])}"
        expected = "a parent that is not below the cohort itself"
        yield cohorts[cycle[0]][0].problem("spec.parentName", found, expected)


def too_deep(parents: Mapping[str, str | None]) -> tuple[str, int] | None:
    """The cohort below the most levels, and how many, itself included; None where they are not too many.

    Args:
        parents: of every Cohort that was given, by its name. One that is only named counts as a level, and a
            cycle as many as it has cohorts.

    >>> too_deep({f"c{i}": f"c{i + 1}" for i in range(100)}), too_deep({"a": "b", "b": "a"})
    (('c0', 101), None)
    """
    levels: dict[str, int] = {}
    for cycle in _cycles(parents):
        levels |= dict.fromkeys(cycle, len(cycle))
    for name in parents:
        path = _path(name, parents, levels)
        above = parents.get(path[-1]) if path else None
        start = levels.get(above, 0) if above is not None else 0
        levels |= {here: start + i for i, here in enumerate(reversed(path), start=1)}
    deepest = min(levels, key=lambda name: (-levels[name], name), default="")
    return (deepest, levels[deepest]) if levels.get(deepest, 0) > MAX_COHORT_LEVELS else None


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
        if above is not None and above in path:
            yield path[path.index(above) :]


def cycle_warnings(cohorts: Mapping[str, tuple[Place, Cohort]]) -> Iterator[tuple[Place, str]]:
    """Every cycle of parents, reported at its first given cohort.

    >>> two = {name: (Place(f"Cohort/{name}"), Cohort(name, parent)) for name, parent in ("ab", "ba")}
    >>> [text for _, text in cycle_warnings(two)]
    ['spec.parentName forms a cycle, a, b, a: every ClusterQueue below it is inactive']
    """
    for cycle in _cycles({name: cohort.parent for name, (_, cohort) in cohorts.items()}):
        place = cohorts[cycle[0]][0]
        warning = f"{place.own('spec.parentName')} forms a cycle, {comma_separated([*cycle, cycle[0]])}"
        yield place, f"{warning}: every ClusterQueue below it is inactive"


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
) -> Iterator[tuple[Place, str, str]]:
    """LocalQueues that point to no ClusterQueue, where ClusterQueues were given at all.

    The last of each is the ClusterQueue's name, empty where it looks like a misspelt one.

    Args:
        local_queues: the ClusterQueue's name by namespace and name.
        given: names of ClusterQueues.

    >>> (place, text, missing), = queue_warnings({("ml", "jobs"): "team"}, ["teams"])
    >>> place.object, text, missing
    ('LocalQueue/ml/jobs', 'spec.clusterQueue team was not given; did you mean teams?', '')
    """
    meant = cache(lambda name: did_you_mean(name, given))
    for (namespace, name), queue in local_queues.items() if given else ():
        if queue not in given:
            name_text, hint = printable(queue), meant(queue)
            warning = f"spec.clusterQueue {name_text} was not given{hint}"
            yield Place(object_name("LocalQueue", namespace, name)), warning, "" if hint else name_text


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
