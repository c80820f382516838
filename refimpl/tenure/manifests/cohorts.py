"""The tree that cohorts form: who is above whom, and where that goes round in a circle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tenure.errors import Problem
from tenure.manifests.limits import MAX_COHORT_LEVELS
from tenure.manifests.showing import Place, listed
from tenure.model import Cohort


def tree_problems(cohorts: Mapping[str, tuple[Place, Cohort]]) -> Iterator[Problem]:
    """What is wrong with the tree that cohorts form: cycles, and more levels than are followed.

    Args:
        cohorts: by name, in the order given, with how problems name each.

    >>> chain = {f"c{i}": (Place(f"Cohort/c{i}"), Cohort(f"c{i}", f"c{i + 1}")) for i in range(300)}
    >>> print(*tree_problems(chain))
    Cohort/c0: spec.parentName: found 301 levels of cohorts, expected at most 100
    """
    cycles = list(cycle_problems(cohorts))
    yield from cycles or _depth_problems(cohorts)


def _depth_problems(cohorts: Mapping[str, tuple[Place, Cohort]]) -> Iterator[Problem]:
    """The deepest cohort, where it is too deep; there is no cycle."""
    levels: dict[str, int] = {}
    for name in cohorts:
        path: list[str] = []
        here: str | None = name
        while here is not None and here not in levels:
            path.append(here)
            here = cohorts[here][1].parent if here in cohorts else None
        above = 0 if here is None else levels[here]
        levels |= {each: above + i for i, each in enumerate(reversed(path), start=1)}
    deepest = max(cohorts, key=lambda name: levels[name], default="")
    if levels.get(deepest, 0) > MAX_COHORT_LEVELS:
        found = f"{levels[deepest]} levels of cohorts"
        yield cohorts[deepest][0].problem("spec.parentName", found, f"at most {MAX_COHORT_LEVELS}")


def cycle_problems(cohorts: Mapping[str, tuple[Place, Cohort]]) -> Iterator[Problem]:
    """One problem for each cycle of parents, at the cohort of it that was given first.

    Args:
        cohorts: by name, in the order given, with how problems name each.

    Source: Kueue, Cohorts whose parents form a cycle admit nothing until it is broken.

    >>> two = {name: (Place(f"Cohort/{name}"), Cohort(name, parent)) for name, parent in ("ab", "ba")}
    >>> problem, = cycle_problems(two)
    >>> problem.object, problem.found
    ('Cohort/a', 'a cycle: a, b, a')
    """
    parents = {name: cohort.parent for name, (_, cohort) in cohorts.items()}
    done: set[str] = set()
    for name in cohorts:
        cycle = _cycle_from(name, parents, done)
        if cycle:
            place = cohorts[cycle[0]][0]
            found = f"a cycle: {listed([*cycle, cycle[0]])}"
            yield place.problem("spec.parentName", found, "a parent that is not below the cohort itself")


def root_of(name: str, cohorts: Mapping[str, Cohort]) -> str:
    """The name at the top of a cohort's tree; `cohorts` has no cycle.

    >>> root_of("team", {"team": Cohort("team", "org")})
    'org'
    """
    while name in cohorts and (parent := cohorts[name].parent) is not None:
        name = parent
    return name


def _cycle_from(name: str, parents: Mapping[str, str | None], done: set[str]) -> list[str]:
    path: list[str] = []
    here: str | None = name
    while here is not None and here not in done:
        done.add(here)
        path.append(here)
        here = parents.get(here)
    if here is None or here not in path:
        return []
    return path[path.index(here) :]
