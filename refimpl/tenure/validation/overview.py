"""All objects that are validated together, by kind and name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from tenure.model import FairStrategy
from tenure.validation.faults import Fault, suggestion
from tenure.validation.subject import Subject


@dataclass(frozen=True, slots=True)
class Overview:
    """What the objects say together.

    Args:
        subjects: by kind, in the order given.
        parents: of every Cohort that names one.
        by_name, hints: what was looked for already.
        fair_sharing: the strategies of the Configuration that was given; None without one, or without fair
            sharing in it.
    """

    subjects: Mapping[str, list[Subject]]
    fair_sharing: tuple[FairStrategy, ...] | None = None
    parents: Mapping[str, str] = field(default_factory=dict)
    by_name: dict[str, Mapping[str, Subject]] = field(default_factory=dict)
    hints: dict[tuple[str, str], str] = field(default_factory=dict)

    def of(self, kind: str) -> list[Subject]:
        """The objects of one kind."""
        return self.subjects.get(kind, [])

    def names(self, kind: str) -> Mapping[str, Subject]:
        """The objects of one kind of cluster-wide object by name, in the order given."""
        if kind not in self.by_name:
            self.by_name[kind] = {subject.name: subject for subject in self.of(kind)}
        return self.by_name[kind]

    def hint(self, kind: str, name: str) -> str:
        """What a misspelt name of one kind means; kept, because many objects misspell a name alike."""
        if (kind, name) not in self.hints:
            self.hints[kind, name] = suggestion(name, self.names(kind))
        return self.hints[kind, name]

    def above(self, cohort: object) -> list[str]:
        """A cohort and those above it, each once even where they form a cycle."""
        path: list[str] = []
        while isinstance(cohort, str) and cohort and cohort not in path:
            path.append(cohort)
            cohort = self.parents.get(cohort)
        return path

    def root(self, queue: Subject) -> str:
        """The name at the top of a ClusterQueue's tree; empty where it is in none."""
        above = self.above(queue.get("spec", "cohortName"))
        return above[-1] if above else ""


Together: TypeAlias = Callable[[Overview], Iterator[tuple[Subject, Fault]]]
"""A rule about the objects together: which of them it is about, and what."""


def overview(subjects: Iterable[Subject], fair_sharing: tuple[FairStrategy, ...] | None = None) -> Overview:
    """The overview of some objects.

    >>> cohort = Subject("Cohort", {"metadata": {"name": "ml"}, "spec": {"parentName": "all"}})
    >>> overview([cohort]).above("ml")
    ['ml', 'all']
    """
    by_kind: dict[str, list[Subject]] = {}
    for subject in subjects:
        by_kind.setdefault(subject.kind, []).append(subject)
    pairs = ((cohort.name, cohort.get("spec", "parentName")) for cohort in by_kind.get("Cohort", ()))
    parents = {name: parent for name, parent in pairs if isinstance(parent, str) and parent}
    return Overview(by_kind, fair_sharing, parents)
