"""What a change does to the cells of a configuration: which are gained and lost, and by which field.

The claim is about cells, which are proved; examples are small states that are decided under both.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product
from typing import TypeAlias

from tenure.analysis.both_sides import (
    AFTER,
    BEFORE,
    BothSides,
    ConfiguredSide,
    OnBothSides,
    is_state_of,
    moved,
    what_is_preempted,
)
from tenure.analysis.difference_types import (
    CellChange,
    ChangeCounts,
    ChangeKind,
    DifferenceExample,
    MatrixDifference,
    PreemptedWith,
)
from tenure.analysis.fields import ABSENT, ConfigurationObjects, FieldChange, changed_fields
from tenure.analysis.matrix import CellVerdict, Matrix, Settled
from tenure.analysis.matrix_types import MatrixSide
from tenure.analysis.matrix_words import written_example
from tenure.analysis.scopes import PREMISES
from tenure.analysis.small import MOST_QUEUES, AskedPair, IsShown, SmallStates
from tenure.analysis.states import Example, PriorityLevel, decided
from tenure.conformance.requests import DecideRequest
from tenure.errors import InputError
from tenure.manifests import SourcedObject
from tenure.manifests.source_lines import SourceLines
from tenure.model import Cluster, Reason, WorkloadPriorityClass
from tenure.oracle.decide import Decision
from tenure.oracle.tree import build_tree

_Key: TypeAlias = tuple[str, int, str, int]
"""The preemptor's ClusterQueue and the place of its level, and the victim's."""

OUT_OF_SCOPE = "out of scope"

Rebuild: TypeAlias = Callable[[Sequence[SourcedObject]], tuple[Cluster, Sequence[WorkloadPriorityClass]]]
"""Makes a configuration of objects, and the classes among these."""


@dataclass(frozen=True, slots=True)
class AnalyzedSide:
    """One side of a comparison.

    Args:
        words: what it is, for the answer.
        objects: as they were read and changed.
        configured: the configuration that they make.
        matrix: its cells.
    """

    words: str
    objects: ConfigurationObjects
    configured: ConfiguredSide
    matrix: Matrix


def matrix_difference(
    before: AnalyzedSide,
    after: AnalyzedSide,
    rebuild: Rebuild,
    lines: SourceLines,
    seed: int,
    solvers: Mapping[str, str],
    total: int,
) -> MatrixDifference:
    """What differs between two configurations.

    Args:
        before, after: the sides; their levels have the same names.
        rebuild: asked with the objects of a side, one field of which is as on the other.
        lines: of the files that objects are of.
        seed: of random states.
        solvers: who proved, by version.
        total: how many cells there are, also of trees that do not differ and have no matrix.
    """
    fields = tuple(changed_fields(before.objects, after.objects, lines))
    return _Difference((before, after), fields, rebuild, seed, total).answer(solvers)


class _Difference:
    def __init__(
        self,
        sides: tuple[AnalyzedSide, AnalyzedSide],
        fields: tuple[FieldChange, ...],
        rebuild: Rebuild,
        seed: int,
        total: int,
    ) -> None:
        self._sides, self._fields, self._rebuild = sides, fields, rebuild
        self._seed, self._total = seed, total
        self._both = BothSides(*(side.configured for side in sides))
        self._small = SmallStates(self._both)
        self._known: dict[tuple[str, str, int], list[OnBothSides]] = {}
        self._undone: dict[tuple[FieldChange, int], ConfiguredSide | None] = {}

    def answer(self, solvers: Mapping[str, str]) -> MatrixDifference:
        """The whole answer."""
        changed = {key: kind for key in self._keys if (kind := self._kind(key)) is not None}
        shown = {key: self._shown(key, kind) for key, kind in changed.items()}
        smallest = self._smallest_of_all(twice for twice in shown.values() if twice is not None)
        kinds = Counter(changed.values())
        before, after = self._sides
        return MatrixDifference(
            before=before.words,
            after=after.words,
            scope=after.matrix.scope.value,
            premises=PREMISES[after.matrix.scope],
            reading=after.configured.reading.name,
            kueue=None,
            seed=self._seed,
            solvers=dict(solvers),
            changed_fields=self._fields,
            counts=ChangeCounts(
                gained=kinds["gained"],
                lost=kinds["lost"],
                reasons=kinds["reasons"],
                unknown=kinds["unknown"],
                same=self._total - len(changed),
            ),
            cells=tuple(self._cell(key, kind, shown[key]) for key, kind in changed.items()),
            unsettled=sum(CellVerdict.UNKNOWN.value in self._verdicts(key) for key in self._keys),
            example=None if smallest is None else self._written(smallest, None),
            looked=self._both.looked,
            warnings=(),
        )

    # -- cells --------------------------------------------------------------------------------------------

    @cached_property
    def _keys(self) -> list[_Key]:
        queues = sorted({name for side in self._sides for name in side.matrix.queues})
        places = range(len(self._levels(AFTER)))
        return list(product(queues, places, queues, places))

    def _levels(self, home: int) -> tuple[PriorityLevel, ...]:
        return self._sides[home].configured.levels

    def _kind(self, key: _Key) -> ChangeKind | None:
        one, other = self._verdicts(key)
        if one == other:
            return "reasons" if one == CellVerdict.CAN.value and any(self._reasons(key)) else None
        if CellVerdict.CAN.value in (one, other):
            return "gained" if other == CellVerdict.CAN.value else "lost"
        return "unknown" if CellVerdict.UNKNOWN.value in (one, other) else None

    def _verdicts(self, key: _Key) -> tuple[str, str]:
        return self._verdict(BEFORE, key), self._verdict(AFTER, key)

    def _verdict(self, home: int, key: _Key) -> str:
        preemptor, high, victim, low = key
        matrix, levels = self._sides[home].matrix, self._levels(home)
        if not {preemptor, victim} <= set(matrix.queues):
            return ABSENT
        return matrix.verdict(preemptor, levels[high].priority, victim, levels[low].priority).value

    def _reasons(self, key: _Key) -> tuple[list[Reason], list[Reason]]:
        """Gained and lost. What is not known of a reason on the other side is neither, where it can there."""
        one, other = (self._settled(home, key) for home in (BEFORE, AFTER))
        return _only_in(other, one), _only_in(one, other)

    def _settled(self, home: int, key: _Key) -> dict[Reason, Settled]:
        preemptor, high, victim, low = key
        levels = self._levels(home)
        found = self._sides[home].matrix.of(preemptor, levels[high].priority, victim, levels[low].priority)
        return dict(found)

    def _cell(self, key: _Key, kind: ChangeKind, twice: OnBothSides | None) -> CellChange:
        gained, lost = self._reasons(key)
        one, other = self._verdicts(key)
        fields = () if twice is None else tuple(self._responsible(key, twice))
        preemptor, high, victim, low = key
        return CellChange(
            change=kind,
            preemptor=self._side(preemptor, high),
            victim=self._side(victim, low),
            before=one,
            after=other,
            reasons_gained=tuple(reason.label for reason in gained),
            reasons_lost=tuple(reason.label for reason in lost),
            fields=fields if fields or twice is None else tuple(change.words for change in self._fields),
            together=not fields and twice is not None,
            example=None if twice is None else self._written(twice, key),
        )

    def _side(self, queue: str, place: int) -> MatrixSide:
        level = self._levels(AFTER)[place]
        return MatrixSide(queue, level.name, level.priority)

    # -- examples -----------------------------------------------------------------------------------------

    def _smallest_of_all(self, examples: Iterable[OnBothSides]) -> OnBothSides | None:
        """The smallest state that is decided otherwise; where no cell shows one, one is searched."""
        shown = min(examples, key=lambda twice: twice.size, default=None)
        if shown is not None or not self._fields:
            return shown
        queues = self._in_question()
        levels = self._levels(AFTER)
        ends = (levels[-1], levels[0]), (levels[0], levels[0]), (levels[0], levels[-1])
        pairs = [
            AskedPair(preemptor, high, victim, low)
            for preemptor, victim in product(queues[:MOST_QUEUES], repeat=2)
            for high, low in dict.fromkeys(ends)
        ]
        found = self._small.otherwise(pairs, AFTER)
        return found or self._small.random_otherwise(queues, AFTER, random.Random(self._seed))

    def _in_question(self) -> list[str]:
        """The ClusterQueues that both sides have and cover: changed ones first, then all others."""
        touched = [change.object.partition("/")[2] for change in self._fields]
        apart = [self._sides[home].matrix.apart for home in (BEFORE, AFTER)]
        known = [name for name in self._both.queues if not any((name, name) in pairs for pairs in apart)]
        return [name for name in dict.fromkeys((*touched, *known)) if name in known]

    def _hit(self, twice: OnBothSides, home: int) -> set[_Key]:
        """The cells that a decision hits; classes of one priority are different cells."""
        return {key for key, _ in self._hit_for(twice, home)}

    def _hit_for(self, twice: OnBothSides, home: int) -> set[tuple[_Key, Reason]]:
        """The cells that a decision hits, with the reasons."""
        decision = twice.decisions[home]
        return set() if decision is None else set(_hit_by(decision, self._levels(home)))

    def _shown(self, key: _Key, kind: ChangeKind) -> OnBothSides | None:
        """A small state in which the cell is hit on the side where it can, and not on the other."""
        home = self._home(key, kind)
        gained, lost = self._reasons(key)
        reasons = gained if home == AFTER else lost
        examples = [found.example for reason, found in self._settled(home, key).items() if reason in reasons]
        known = [example.request for example in examples if example is not None]
        if not known:
            return None
        is_shown = partial(self._is_shown, {(key, reason) for reason in reasons}, home)
        same = self._known.setdefault((key[0], key[2], home), [])
        pair = self._pair(key, home)
        alike = (self._both.decided_on_both(_as_of(pair, twice.requests[home]), home) for twice in same)
        found = next(filter(is_shown, alike), None)
        if found is None:
            found = self._small.shown(pair, home, is_shown) or self._from_matrix(known, home, is_shown)
            same.append(found)
        return found

    def _from_matrix(self, requests: Sequence[DecideRequest], home: int, is_shown: IsShown) -> OnBothSides:
        """What remains of the matrix's example where no small state shows it."""
        twice = [self._both.decided_on_both(request, home) for request in requests]
        shown = next(filter(is_shown, twice), None)
        return twice[0] if shown is None else self._small.shrunk(shown, home, is_shown)

    def _is_shown(self, wanted: set[tuple[_Key, Reason]], home: int, twice: OnBothSides) -> bool:
        """Whether a state hits one of some cells on one side, and none of them on the other."""
        here, there = (self._hit_for(twice, place) & wanted for place in (home, 1 - home))
        return (
            bool(here) and not there and (twice.decisions[1 - home] is not None or self._is_one_sided(twice))
        )

    def _is_one_sided(self, twice: OnBothSides) -> bool:
        """Whether a ClusterQueue of the state is on one side alone."""
        request = twice.requests[AFTER]
        queues = [request.queue, *(workload.cluster_queue for workload in request.cluster.admitted)]
        return not set(queues) <= set(self._both.queues)

    def _pair(self, key: _Key, home: int) -> AskedPair:
        levels = self._levels(home)
        return AskedPair(key[0], levels[key[1]], key[2], levels[key[3]])

    def _home(self, key: _Key, kind: ChangeKind) -> int:
        """The side on which the cell can; where it can on both, the one that has a reason of its own."""
        if kind == "reasons":
            return AFTER if self._reasons(key)[0] else BEFORE
        return AFTER if self._verdict(AFTER, key) == CellVerdict.CAN.value else BEFORE

    def _responsible(self, key: _Key, twice: OnBothSides) -> Iterator[str]:
        """The fields without whose change the example does not hit the cell as it does."""
        home = AFTER if key in self._hit(twice, AFTER) else BEFORE
        if len(self._fields) == 1:
            yield self._fields[0].words
            return
        decision = twice.decisions[home]
        assert decision is not None
        wanted = {found for found in _hit_by(decision, self._levels(home)) if found[0] == key}
        for change in self._fields:
            undone = self._with_undone(change, home)
            if undone is None:
                continue
            request = moved(twice.requests[home], self._sides[home].configured, undone)
            if not wanted & _hit_in(request, undone):
                yield change.words

    def _with_undone(self, change: FieldChange, home: int) -> ConfiguredSide | None:
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
                for level in self._levels(home)
            )
            self._undone[change, home] = ConfiguredSide(cluster, levels, side.configured.reading)
        return self._undone[change, home]

    def _written(self, twice: OnBothSides, key: _Key | None) -> DifferenceExample:
        one, other = twice.decisions
        home = AFTER if other is not None and (other.targets or one is None) else BEFORE
        if key is not None:
            home = AFTER if key in self._hit(twice, AFTER) else BEFORE
        request, decision = twice.requests[home], twice.decisions[home]
        assert decision is not None
        victims = [target.workload for target in decision.targets]
        levels = {level.priority: level.name for level in self._levels(home)}
        if key is not None:
            low = self._levels(home)[key[3]].priority
            victims = [known for known in victims if (known.cluster_queue, known.priority) == (key[2], low)]
        name = levels.get(decision.preemptor.priority, str(decision.preemptor.priority))
        victim = victims[0].key if victims else ""
        return DifferenceExample(
            cluster_queue=request.queue,
            priority_class=name if key is None else self._levels(home)[key[1]].name,
            state=written_example(Example(request, victim, len(decision.targets))),
            before=_said(one),
            after=_said(other),
            preempted_before=_preempted(one),
            preempted_after=_preempted(other),
        )


def _only_in(here: Mapping[Reason, Settled], there: Mapping[Reason, Settled]) -> list[Reason]:
    """The reasons for which it can on one side, and never can on the other."""
    can_there = any(settled.verdict == CellVerdict.CAN for settled in there.values())
    passed = {CellVerdict.CAN, CellVerdict.UNKNOWN} if can_there else {CellVerdict.CAN}
    return [
        reason
        for reason, settled in here.items()
        if settled.verdict == CellVerdict.CAN and (reason not in there or there[reason].verdict not in passed)
    ]


def _hit_by(decision: Decision, levels: Sequence[PriorityLevel]) -> Iterator[tuple[_Key, Reason]]:
    places: dict[int, list[int]] = {}
    for place, level in enumerate(levels):
        places.setdefault(level.priority, []).append(place)
    for target in decision.targets:
        victim = target.workload
        pairs = product(places.get(decision.preemptor.priority, ()), places.get(victim.priority, ()))
        for high, low in pairs:
            yield (decision.queue.name, high, victim.cluster_queue or "", low), target.reason


def _hit_in(request: DecideRequest, configured: ConfiguredSide) -> set[tuple[_Key, Reason]]:
    """The cells that a state hits; none where it is no state of the configuration."""
    queue = configured.cluster.cluster_queues.get(request.queue)
    if queue is None or not is_state_of(build_tree(configured.cluster, queue), request):
        return set()
    return set(_hit_by(decided(request), configured.levels))


def _as_of(pair: AskedPair, request: DecideRequest) -> DecideRequest:
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


def _preempted(decision: Decision | None) -> tuple[PreemptedWith, ...]:
    found = {} if decision is None else what_is_preempted(decision)
    return tuple(PreemptedWith(workload, reason.label) for workload, reason in found.items())
