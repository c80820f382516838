"""Small states that show what a change does, and the fields that did it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import TypeAlias

from tenure.conformance.requests import DecideRequest
from tenure.errors import InputError
from tenure.explanation.shapes import WorkloadWithReason
from tenure.manifests import SourcedObject
from tenure.model import Cluster, Reason, WorkloadPriorityClass
from tenure.oracle.decide import Decision
from tenure.oracle.tree import build_tree
from tenure_check.analysis.difference_answer import DifferenceExample
from tenure_check.analysis.fields import ConfigurationObjects, FieldChange
from tenure_check.analysis.matrix import Matrix
from tenure_check.analysis.matrix_answer import written_example
from tenure_check.analysis.small_states import IsShown, PairQuery, SmallStates
from tenure_check.analysis.states import Example, PriorityLevel, decided
from tenure_check.analysis.two_configurations import (
    AFTER,
    BEFORE,
    Configuration,
    DecisionPair,
    TwoConfigurations,
    is_state_of,
    moved,
    what_is_preempted,
)

CellKey: TypeAlias = tuple[str, int, str, int]
"""The preemptor's ClusterQueue and the place of its level, and the victim's."""
IsHit: TypeAlias = Callable[[Decision, Configuration], bool]
"""Whether a decision of a configuration shows what is looked for."""

OUT_OF_SCOPE = "out of scope"

Rebuild: TypeAlias = Callable[[Sequence[SourcedObject]], tuple[Cluster, Sequence[WorkloadPriorityClass]]]
"""Makes a configuration of objects, and the classes among these."""


@dataclass(frozen=True, slots=True)
class AnalyzedInput:
    """One side of a comparison.

    Args:
        words: what it is, for the answer.
        objects: as they were read and changed.
        configured: the configuration that they make.
        matrix: its cells.
    """

    words: str
    objects: ConfigurationObjects
    configured: Configuration
    matrix: Matrix


class ChangeExamples:
    """Examples of what a change does.

    Args:
        sides: before and after.
        fields: all that changed.
        rebuild: called with the objects of a side, one field of which is as on the other.
    """

    def __init__(
        self,
        sides: tuple[AnalyzedInput, AnalyzedInput],
        fields: Sequence[FieldChange],
        rebuild: Rebuild,
    ) -> None:
        self._sides, self._fields, self._rebuild = sides, tuple(fields), rebuild
        one, other = sides
        self.both = TwoConfigurations(one.configured, other.configured, other.matrix.scope)
        self.small = SmallStates(self.both)
        self._known: dict[tuple[str, str, int], list[DecisionPair]] = {}
        self._undone: dict[tuple[FieldChange, int], Configuration | None] = {}

    def shown(
        self, key: CellKey, home: int, known: Sequence[DecideRequest], is_hit: IsHit
    ) -> DecisionPair | None:
        """A small state that shows something of a cell on one side, and not on the other.

        Args:
            key: the cell.
            home: the side.
            known: states of that side that show it; none is found where there are none.
            is_hit: whether a decision shows it.
        """
        if not known:
            return None
        is_shown = partial(self.is_shown, is_hit, home)
        same = self._known.setdefault((key[0], key[2], home), [])
        pair = self._pair(key, home)
        alike = (self.both.decided_on_both(_as_of(pair, twice.requests[home]), home) for twice in same)
        found = next(filter(is_shown, alike), None)
        if found is None:
            found = self.small.shown(pair, home, is_shown) or self._cut(known, home, is_shown)
            same.append(found)
        return found

    def _cut(self, requests: Sequence[DecideRequest], home: int, is_shown: IsShown) -> DecisionPair:
        """What remains of a known example where no small state shows it."""
        twice = [self.both.decided_on_both(request, home) for request in requests]
        shown = next(filter(is_shown, twice), None)
        return twice[0] if shown is None else self.small.shrunk(shown, home, is_shown)

    def is_shown(self, is_hit: IsHit, home: int, twice: DecisionPair) -> bool:
        """Whether it is shown on one side and not on the other, which must have the state if it can."""
        here, there = (
            decision is not None and is_hit(decision, self._sides[place].configured)
            for place, decision in ((place, twice.decisions[place]) for place in (home, 1 - home))
        )
        return here and not there and (twice.decisions[1 - home] is not None or self._is_one_sided(twice))

    def _is_one_sided(self, twice: DecisionPair) -> bool:
        """Whether a ClusterQueue of the state is on one side alone."""
        request = twice.requests[AFTER]
        queues = [request.queue, *(workload.cluster_queue for workload in request.cluster.admitted)]
        return not set(queues) <= set(self.both.queues)

    def _pair(self, key: CellKey, home: int) -> PairQuery:
        levels = self._sides[home].configured.levels
        return PairQuery(key[0], levels[key[1]], key[2], levels[key[3]])

    # -- fields -------------------------------------------------------------------------------------------

    def responsible(
        self, twice: DecisionPair | None, home: int, is_hit: IsHit
    ) -> tuple[tuple[str, ...], bool]:
        """The fields without whose change an example does not show it, and whether only several together do.

        Args:
            twice: the example; none has no fields.
            home: the side on which it is shown.
            is_hit: whether a decision shows it.
        """
        if twice is None:
            return (), False
        if len(self._fields) == 1:
            return (self._fields[0].words,), False
        found = tuple(
            change.words for change in self._fields if not self._is_hit_without(change, twice, home, is_hit)
        )
        return found or tuple(change.words for change in self._fields), not found

    def _is_hit_without(self, change: FieldChange, twice: DecisionPair, home: int, is_hit: IsHit) -> bool:
        """Whether it is shown without a change too, or that makes no configuration."""
        undone = self._with_undone(change, home)
        if undone is None:
            return True
        request = moved(twice.requests[home], self._sides[home].configured, undone)
        queue = undone.cluster.cluster_queues.get(request.queue)
        if queue is None or not is_state_of(build_tree(undone.cluster, queue), request, self.both.scope):
            return False
        return is_hit(decided(request), undone)

    def _with_undone(self, change: FieldChange, home: int) -> Configuration | None:
        """A side with one field as on the other; None where that makes no configuration."""
        if (change, home) not in self._undone:
            side, other = self._sides[home], self._sides[1 - home]
            try:
                cluster, classes = self._rebuild(side.objects.with_field_of(other.objects, change))
            except InputError:
                self._undone[change, home] = None
                return None
            values = {known.name: known.base for known in classes}
            levels = tuple(
                PriorityLevel(level.name, values.get(level.name, level.priority))
                for level in side.configured.levels
            )
            self._undone[change, home] = Configuration(cluster, levels, side.configured.reading)
        return self._undone[change, home]

    # -- words --------------------------------------------------------------------------------------------

    def written(self, twice: DecisionPair, key: CellKey | None, home: int | None) -> DifferenceExample:
        """An example as an answer has it.

        Args:
            twice: the example.
            key: the cell that it shows, if any.
            home: the side on which it does; where none is given, the one that preempts.
        """
        one, other = twice.decisions
        if home is None:
            home = AFTER if other is not None and (other.targets or one is None) else BEFORE
        request, decision = twice.requests[home], twice.decisions[home]
        assert decision is not None
        levels = self._sides[home].configured.levels
        victims = [target.workload for target in decision.targets]
        if key is not None:
            low = levels[key[3]].priority
            victims = [known for known in victims if (known.cluster_queue, known.priority) == (key[2], low)]
        names = {level.priority: level.name for level in levels}
        name = names.get(decision.preemptor.priority, str(decision.preemptor.priority))
        preempted = frozenset(what_is_preempted(decision))
        return DifferenceExample(
            cluster_queue=request.queue,
            priority_class=name if key is None else levels[key[1]].name,
            state=written_example(Example(request, victims[0].key if victims else "", preempted)),
            before=_said(one),
            after=_said(other),
            preempted_before=_preempted(one),
            preempted_after=_preempted(other),
        )


def hit_by(decision: Decision, levels: Sequence[PriorityLevel]) -> Iterator[tuple[CellKey, Reason]]:
    """The cells that a decision hits, with the reasons; classes of one priority are different cells."""
    places: dict[int, list[int]] = {}
    for place, level in enumerate(levels):
        places.setdefault(level.priority, []).append(place)
    for target in decision.targets:
        victim = target.workload
        pairs = product(places.get(decision.preemptor.priority, ()), places.get(victim.priority, ()))
        for high, low in pairs:
            yield (decision.queue.name, high, victim.cluster_queue or "", low), target.reason


def _as_of(pair: PairQuery, request: DecideRequest) -> DecideRequest:
    """A state of the same ClusterQueues with a pair's priorities; all that run in the victim's have one."""
    running = tuple(
        workload.with_priority((pair.low if workload.cluster_queue == pair.victim else pair.high).priority)
        for workload in request.cluster.admitted
    )
    return replace(
        request,
        cluster=replace(request.cluster, admitted=running),
        preemptor=request.preemptor.with_priority(pair.high.priority),
    )


def _said(decision: Decision | None) -> str:
    return OUT_OF_SCOPE if decision is None else decision.outcome.value


def _preempted(decision: Decision | None) -> tuple[WorkloadWithReason, ...]:
    found = {} if decision is None else what_is_preempted(decision)
    return tuple(WorkloadWithReason(workload, reason.label) for workload, reason in found.items())
