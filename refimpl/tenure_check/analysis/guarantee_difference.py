"""What a change does to guarantees of cells that can on both sides: from when on, and above which quota."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import TypeAlias

from tenure.model import (
    BorrowWithinCohort,
    ClusterQueue,
    Duration,
    FlavorFungibility,
    Reason,
    ReclaimWithinCohort,
    WithinClusterQueue,
)
from tenure.oracle.decide import Decision
from tenure.oracle.tree import Node
from tenure.rules.terms import terms_of
from tenure.rules.time_based import duration_in_force
from tenure.units import format_duration
from tenure_check.analysis.change_examples import AnalyzedInput, CellKey, ChangeExamples
from tenure_check.analysis.difference_answer import GuaranteeAspect, GuaranteeChange
from tenure_check.analysis.guarantees import NarrowCell, Narrowing, conditions_on
from tenure_check.analysis.matrix import CellResult, CellVerdict, trees_of
from tenure_check.analysis.matrix_answer import MatrixRole
from tenure_check.analysis.states import CellQuery
from tenure_check.analysis.two_configurations import AFTER, BEFORE, Configuration, DecisionPair

Narrowed: TypeAlias = Mapping[NarrowCell, CellResult]

ONLY_ABOVE, ALSO_WITHIN = "only above", "also within"


@dataclass(frozen=True, slots=True)
class SharedCell:
    """A cell that can on both sides, for one reason.

    Args:
        key: by names of ClusterQueues and places of priorities.
        cells: as each side has it.
        durations: minAdmitDuration in force in the victim's ClusterQueue on each side, ns.
        abouts: what its guarantees are compared about.
    """

    key: CellKey
    cells: tuple[CellQuery, CellQuery]
    durations: tuple[Duration | None, Duration | None]
    abouts: tuple[GuaranteeAspect, ...]

    def conditions(self, home: int) -> list[NarrowCell]:
        """Its conditions on a side."""
        wanted = {
            Narrowing.AT_ONCE: GuaranteeAspect.TIME,
            Narrowing.PROTECTED: GuaranteeAspect.TIME,
            Narrowing.WITHIN: GuaranteeAspect.QUOTA,
        }
        known = conditions_on(self.cells[home], self.durations[home])
        return [narrow for narrow in known if wanted[narrow.narrowing] in self.abouts]


def shared_cells(before: AnalyzedInput, after: AnalyzedInput, *, nominal: bool) -> list[SharedCell]:
    """The cells that can on both sides for the same reason, and whose guarantees may differ.

    None is about time where no minAdmitDuration is in force on either side.

    A decision depends on what other ClusterQueues have and whether they are active, not on their
    policies: where only such differ, nothing changes for a preemptor.

    Args:
        before, after: the sides.
        nominal: whether guarantees about nominal quota are compared too, which takes long.
    """
    sides = before, after
    queues = sorted({*before.matrix.queues} & {*after.matrix.queues})
    durations = [_durations(side.configured) for side in sides]
    alike = _seen_from_elsewhere(before.configured) == _seen_from_elsewhere(after.configured)
    places = range(len(after.configured.levels))
    found: list[SharedCell] = []
    for key in product(queues, places, queues, places):
        timed = durations[BEFORE][key[2]], durations[AFTER][key[2]]
        own = [side.configured.cluster.cluster_queues[key[0]] for side in sides]
        abouts = _compared(timed, nominal=nominal)
        if not abouts or (alike and own[BEFORE] == own[AFTER] and timed[BEFORE] == timed[AFTER]):
            continue
        for reason in Reason:
            one, other = (_cell(side, key, reason) for side in sides)
            if _can(before, one) and _can(after, other):
                found.append(SharedCell(key, (one, other), timed, abouts))
    return found


def _compared(
    durations: tuple[Duration | None, Duration | None], *, nominal: bool
) -> tuple[GuaranteeAspect, ...]:
    timed = (GuaranteeAspect.TIME,) if durations != (None, None) else ()
    return (*timed, GuaranteeAspect.QUOTA) if nominal else timed


def conditions_of(shared: Sequence[SharedCell], home: int) -> dict[CellQuery, list[NarrowCell]]:
    """What is to be settled on one side."""
    return {cell.cells[home]: cell.conditions(home) for cell in shared}


def _durations(side: Configuration) -> dict[str, Duration | None]:
    return {
        name: duration_in_force(terms_of(queue, side.cluster.settings, side.reading))
        for name, queue in side.cluster.cluster_queues.items()
    }


def _seen_from_elsewhere(side: Configuration) -> object:
    trees = [tuple(map(_without_policy, tree.nodes)) for tree in trees_of(side.cluster)]
    cluster = side.cluster
    return trees, cluster.flavors, cluster.settings, cluster.growing, side.levels, side.reading


def _without_policy(node: Node) -> Node:
    if node.queue is None:
        return node
    plain = ClusterQueue(node.queue.name)
    return replace(
        node,
        queue=replace(
            node.queue,
            within_cluster_queue=WithinClusterQueue.NEVER,
            min_admit_duration=None,
            reclaim_within_cohort=ReclaimWithinCohort.NEVER,
            borrow_within_cohort=BorrowWithinCohort.NEVER,
            max_priority_threshold=None,
            fungibility=FlavorFungibility(),
            queueing=plain.queueing,
        ),
    )


def _cell(side: AnalyzedInput, key: CellKey, reason: Reason) -> CellQuery:
    preemptor, high, victim, low = key
    levels = side.configured.levels
    return CellQuery(preemptor, levels[high].priority, victim, levels[low].priority, reason)


def _can(side: AnalyzedInput, cell: CellQuery) -> bool:
    settled = side.matrix.settled.get(cell)
    return settled is not None and settled.example is not None


class GuaranteeComparison:
    """Compares the guarantees of shared cells.

    Args:
        sides: before and after.
        shared: the cells.
        narrowed: what is known of their conditions on each side.
        examples: shows what differs.
    """

    def __init__(
        self,
        sides: tuple[AnalyzedInput, AnalyzedInput],
        shared: Sequence[SharedCell],
        narrowed: tuple[Narrowed, Narrowed],
        examples: ChangeExamples,
    ) -> None:
        self._sides, self._shared, self._narrowed, self._examples = sides, shared, narrowed, examples
        self.unsettled = 0

    def changes(self) -> Iterator[tuple[GuaranteeChange, DecisionPair | None]]:
        """What differs, each with a state that shows it; what is not known is counted."""
        for shared in self._shared:
            for about in shared.abouts:
                one, other = (self._strength(shared, home, about) for home in (BEFORE, AFTER))
                if one is None or other is None:
                    self.unsettled += 1
                elif one != other:
                    yield self._change(shared, about, (one, other))

    def _strength(self, shared: SharedCell, home: int, about: GuaranteeAspect) -> int | None:
        """How much is kept: ns for certain, or whether nominal quota is; None where that is not known."""
        cell, duration = shared.cells[home], shared.durations[home]
        known = {
            narrowing: self._narrowed[home].get(NarrowCell(cell, narrowing, duration))
            for narrowing in Narrowing
        }
        if about == GuaranteeAspect.QUOTA:
            return _as_number(known[Narrowing.WITHIN], 1)
        protected = known[Narrowing.PROTECTED]
        if duration is not None and protected is not None and protected.verdict == CellVerdict.NEVER:
            return duration
        return 0 if _as_number(known[Narrowing.AT_ONCE], 1) == 0 else None

    def _change(
        self, shared: SharedCell, about: GuaranteeAspect, strengths: tuple[int, int]
    ) -> tuple[GuaranteeChange, DecisionPair | None]:
        one, other = strengths
        home = AFTER if other < one else BEFORE
        narrowing = Narrowing.PROTECTED if about == GuaranteeAspect.TIME else Narrowing.WITHIN
        condition = NarrowCell(shared.cells[home], narrowing, max(strengths))
        is_hit = partial(_meets, condition, shared.key)
        known = [self._sides[home].matrix.settled[condition.cell].example] + [
            settled.example
            for narrow, settled in self._narrowed[home].items()
            if narrow.cell == condition.cell and settled.example is not None
        ]
        requests = [example.request for example in known if example is not None]
        twice = self._examples.shown(shared.key, home, requests, is_hit)
        if twice is not None and not self._examples.is_shown(is_hit, home, twice):
            twice = None
        fields, together = self._examples.responsible(twice, home, is_hit)
        preemptor, high, victim, low = shared.key
        return (
            GuaranteeChange(
                change="lost" if home == AFTER else "gained",
                about=about.value,
                preemptor=self._side(preemptor, high),
                victim=self._side(victim, low),
                reason=condition.cell.reason.label,
                before=_said(about, one),
                after=_said(about, other),
                fields=fields,
                together=together,
                example=None if twice is None else self._examples.written(twice, shared.key, home),
            ),
            twice,
        )

    def _side(self, queue: str, place: int) -> MatrixRole:
        level = self._sides[AFTER].configured.levels[place]
        return MatrixRole(queue, level.name, level.priority)


def _as_number(settled: CellResult | None, never: int) -> int | None:
    if settled is None or settled.verdict == CellVerdict.UNKNOWN:
        return None
    return never if settled.verdict == CellVerdict.NEVER else 0


def _said(about: GuaranteeAspect, strength: int) -> str:
    if about == GuaranteeAspect.TIME:
        return format_duration(strength)
    return ONLY_ABOVE if strength else ALSO_WITHIN


def _meets(condition: NarrowCell, key: CellKey, decision: Decision, configured: Configuration) -> bool:
    """Whether a decision preempts a victim of a cell that meets a condition."""
    preemptor, high, victim, low = key
    levels, snapshot = configured.levels, decision.snapshot
    if (decision.queue.name, decision.preemptor.priority) != (preemptor, levels[high].priority):
        return False
    running = [workload for known in snapshot.running.values() for workload in known]
    return any(
        target.reason == condition.cell.reason
        and (target.workload.cluster_queue, target.workload.priority) == (victim, levels[low].priority)
        and condition.is_met(target.workload, running, decision.now, snapshot.tree)
        for target in decision.targets
    )
