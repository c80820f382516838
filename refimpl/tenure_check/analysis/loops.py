"""Loops in all trees of a configuration: excluded by theorems, or searched for."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from tenure.errors import bad_input
from tenure.manifests.source_lines import SourceLines
from tenure.model import Duration
from tenure.oracle.topology import has_topology
from tenure.readings import Reading
from tenure.units import format_amount, format_names
from tenure_check.analysis.closed_systems import CohortTree, parse_priority, parse_size
from tenure_check.analysis.loop_answer import (
    BY_QUOTA_ALONE,
    LoopAnswer,
    LoopsAnswer,
    LoopWorkload,
    NeededField,
    ResourceSearch,
    TreeSearch,
    found_so_far,
)
from tenure_check.analysis.loop_causes import NeededFact, needed_facts
from tenure_check.analysis.no_loop import (
    MissingCondition,
    ProvedOfLoops,
    missing_conditions,
    proved_of_loops,
)
from tenure_check.analysis.periodic_runs import (
    EVICTIONS,
    FoundLoop,
    LoopSearch,
    SearchBounds,
    name_in_play,
    scenario_of,
)
from tenure_play import Scenario, parse_scenario, play
from tenure_play.record import Loop

Watch: TypeAlias = Callable[[Iterable[FoundLoop | None], str], Iterator[FoundLoop | None]]
"""Passes the steps of a search on, and may show their number."""


@dataclass(frozen=True, slots=True)
class LoopRequest:
    """What is searched.

    Args:
        up_to, evictions: as of `SearchBounds`.
        sizes, priorities: as on the command line; empty for those of each tree.
        resources: only these; empty for all.
        within: seconds for all of it, 0 for no end.
        searches: whether loops are searched for where no theorem excludes them.
    """

    up_to: int = 3
    evictions: tuple[Duration, ...] = EVICTIONS
    sizes: tuple[str, ...] = ()
    priorities: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    within: float = 0
    searches: bool = True


@dataclass(slots=True)
class LoopHunt:
    """The search through all trees of a configuration.

    Args:
        trees: see `tenure_check.analysis.closed_systems.trees_of`.
        request, reading: see there.
        files: where each object was read, by `ClusterQueue/name`.
        watch: see there.
        note: gets lines about what is searched and found, as soon as that is known.

    `scenarios` are those of the loops found, as files have them.

    Raises:
        InputError: sizes, priorities or resources that no tree has.
    """

    trees: Sequence[CohortTree]
    request: LoopRequest
    reading: Reading
    files: dict[str, str]
    watch: Watch = lambda steps, _: iter(steps)
    note: Callable[[str], None] = lambda _: None
    lines: SourceLines = field(default_factory=SourceLines)
    scenarios: list[dict[str, Any]] = field(default_factory=list)
    interrupted: bool = False
    _done: list[TreeSearch] = field(default_factory=list)
    _left: int = 0
    _ends: float = 0.0

    def run(self, warnings: Sequence[str] = ()) -> LoopsAnswer:
        """Search every tree, up to its first loop; Ctrl-C ends it, and what was found counts."""
        chosen = {tree.name: self._resources(tree) for tree in self.trees}
        proved = {
            tree.name: None if tree.not_known else proved_of_loops(tree, self.reading) for tree in self.trees
        }
        for resource in self.request.resources:
            if not any(resource in found for found in chosen.values()):
                known = sorted({name for tree in self.trees for name in tree.resources()})
                raise bad_input("resource", resource, f"one of {', '.join(known) or 'none'}")
        chosen |= {name: [] for name, known in proved.items() if known is not None and known.excluded}
        chosen |= {tree.name: [] for tree in self.trees if tree.not_known or not self.request.searches}
        self._left = sum(map(len, chosen.values()))
        self._ends = time.monotonic() + self.request.within
        searched = [name for name, resources in chosen.items() if resources]
        if searched:
            longest = f", for at most {self.request.within:g} s" if self.request.within else ""
            self.note(f"no theorem excludes loops in {format_names(searched, 6)}: searching{longest}")
        for tree in self.trees:
            if not self.interrupted:
                self._done.append(self._tree(tree, chosen[tree.name], proved[tree.name]))
        searches = [search for searched in self._done for search in searched.searches]
        excluded = all(tree.proved is not None and tree.proved.excluded for tree in self._done)
        return LoopsAnswer(
            reading=self.reading.name,
            up_to=self.request.up_to,
            evictions=self.request.evictions,
            found=any(search.loop is not None for search in searches),
            complete=(self.request.searches or excluded)
            and not (self.interrupted or self._by_quota or any(tree.not_known for tree in self.trees))
            and not any(search.loop is None and (search.stopped or search.open) for search in searches),
            interrupted=self.interrupted,
            searched=self.request.searches,
            trees=tuple(self._done),
            warnings=(*warnings, *((BY_QUOTA_ALONE,) if self._by_quota else ())),
        )

    @property
    def _by_quota(self) -> bool:
        """Whether a topology takes part in any tree of which nothing else is proved."""
        return self.request.searches and any(
            has_topology(queue, tree.cluster)
            for tree, done in zip(self.trees, self._done, strict=False)
            if not (done.proved and done.proved.excluded)
            for queue in tree.queues
        )

    def _resources(self, tree: CohortTree) -> list[str]:
        wanted = self.request.resources
        return [resource for resource in tree.resources() if not wanted or resource in wanted]

    def _tree(self, tree: CohortTree, resources: Sequence[str], proved: ProvedOfLoops | None) -> TreeSearch:
        searches: list[ResourceSearch] = []
        for place, resource in enumerate(resources):
            searches.append(self._resource(tree, resource))
            is_last = self.interrupted or searches[-1].loop is not None
            self._left -= len(resources) - place if is_last else 1
            if self._left:
                self.note(f"{tree.name}: {found_so_far(searches[-1])}")
            if is_last:
                break
        names = tuple(queue.name for queue in tree.queues)
        alike = tuple(tuple(queue.name for queue in members) for members in tree.alike if len(members) > 1)
        is_open = not (tree.not_known or (proved is not None and proved.excluded))
        missing = self._missing(tree) if is_open else ()
        return TreeSearch(tree.name, names, alike, proved, tuple(searches), tree.not_known, missing)

    def _missing(self, tree: CohortTree) -> tuple[MissingCondition, ...]:
        """The conditions that are missing for theorems, with files and lines."""
        return tuple(
            replace(
                found,
                fields=tuple(
                    replace(known, file=file, line=self.lines.of_field(file, known.object, known.field))
                    for known in found.fields
                    for file in [self.files.get(known.object, "")]
                ),
            )
            for found in missing_conditions(tree, self.reading)
        )

    def _resource(self, tree: CohortTree, resource: str) -> ResourceSearch:
        request, began = self.request, time.monotonic()
        # Searches share what is left of the time.
        share = (self._ends - began) / max(1, self._left)
        bounds = SearchBounds(request.up_to, request.evictions, began + share if request.within else None)
        sizes = tuple(parse_size(text, resource) for text in request.sizes) or tree.sizes(resource)
        priorities = tuple(parse_priority(text, tree) for text in request.priorities) or tree.priorities
        kinds = tree.kinds(resource, sizes, priorities, request.up_to)
        search = LoopSearch(tree, kinds, bounds, self.reading)
        found: FoundLoop | None = None
        try:
            for step in self.watch(search.steps(), f"playing workloads of {tree.name}"):
                found = step
        except KeyboardInterrupt:
            self.interrupted = True
        tally = search.tally
        return ResourceSearch(
            resource=resource,
            sizes=tuple(format_amount(resource, size) for size in sizes),
            priorities=tuple(map(str, priorities)),
            complete_up_to=tally.complete_up_to,
            systems=len(tally.systems),
            plays=tally.plays,
            open=tally.open,
            rotations=tally.rotations,
            stopped=tally.stopped or self.interrupted,
            seconds=round(time.monotonic() - began, 1),
            loop=None if found is None else self._answer(tree, found, bounds),
            variants=tuple(map(str, tree.variants(priorities))) if tree.has_configs else (),
        )

    def _answer(self, tree: CohortTree, found: FoundLoop, bounds: SearchBounds) -> LoopAnswer:
        name = "loop-" + re.sub(r"[^a-z0-9]+", "-", tree.name.lower()).strip("-")
        scenario = scenario_of(tree, found, bounds, name)
        loop = _replayed(scenario, found, self.reading)
        self.scenarios.append(scenario)
        facts = needed_facts(scenario, self.reading)
        return LoopAnswer(
            scenario=name,
            workloads=tuple(_workloads(found, bounds)),
            period=loop.period,
            preemptions=loop.preemptions,
            stuck=loop.stuck,
            needed=tuple(self._located(fact) for fact in facts),
        )

    def _located(self, fact: NeededFact) -> NeededField:
        file = self.files.get(fact.object, "")
        line = self.lines.of_field(file, fact.object, fact.field)
        return NeededField(fact.object, fact.field, fact.value, fact.is_policy, fact.ends_alone, file, line)


def _replayed(scenario: dict[str, Any], found: FoundLoop, reading: Reading) -> Loop:
    """The loop of the scenario as `tenure simulate` finds it.

    Raises:
        RuntimeError: it finds none, or another one, which is a fault of the search.
    """
    played = parse_scenario(scenario)
    assert isinstance(played, Scenario)
    loop = play(played, reading).loop
    if loop is None or (loop.period, loop.preemptions) != (found.loop.period, found.loop.preemptions):
        raise RuntimeError(f"{scenario['scenario']}: the loop found differs from the one simulated again")
    return loop


def _workloads(found: FoundLoop, bounds: SearchBounds) -> Iterator[LoopWorkload]:
    for place, kind in enumerate(found.start.kinds):
        yield LoopWorkload(
            workload=f"{kind.workload.namespace}/{name_in_play(kind, place)}",
            cluster_queue=kind.queue,
            resource=kind.resource,
            request=format_amount(kind.resource, kind.amount),
            priority=kind.priority.value,
            priority_class=kind.priority.name or None,
            runs_first=place < found.start.running,
            eviction=found.start.evictions.get(place, bounds.evictions[0]),
            labels=tuple(f"{key}={value}" for key, value in kind.variant.labels),
            priority_boost=kind.variant.boost,
        )
