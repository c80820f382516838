"""What a change does to the cells of a configuration: which are gained and lost, and by which field.

The claim is about cells, which are proved; examples are small states that are decided under both.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import groupby, product

from tenure.manifests.source_lines import SourceLines
from tenure.model import Reason
from tenure.oracle.decide import Decision
from tenure_check.analysis.change_examples import (
    AnalyzedInput,
    CellKey,
    ChangeExamples,
    Rebuild,
    hit_by,
)
from tenure_check.analysis.difference_answer import (
    CellChange,
    ChangeCounts,
    ChangeKind,
    MatrixDifference,
    PairVerdicts,
)
from tenure_check.analysis.fields import ABSENT, FieldChange, changed_fields
from tenure_check.analysis.guarantee_difference import GuaranteeComparison, Narrowed, SharedCell
from tenure_check.analysis.matrix import CellResult, CellVerdict
from tenure_check.analysis.matrix_answer import MatrixRole
from tenure_check.analysis.small_states import MOST_QUEUES, PairQuery
from tenure_check.analysis.states import PriorityLevel
from tenure_check.analysis.two_configurations import (
    AFTER,
    BEFORE,
    Configuration,
    DecisionPair,
)


def matrix_difference(
    before: AnalyzedInput,
    after: AnalyzedInput,
    rebuild: Rebuild,
    lines: SourceLines,
    shared: tuple[Sequence[SharedCell], tuple[Narrowed, Narrowed]],
    seed: int,
    solvers: Mapping[str, str],
    total: int,
) -> MatrixDifference:
    """What differs between two configurations.

    Args:
        before, after: the sides; their levels have the same names.
        rebuild: called with the objects of a side, one field of which is as on the other.
        lines: of the files that objects are of.
        shared: the cells whose guarantees are compared, and what is known of their conditions on each side.
        seed: of random states.
        solvers: who proved, by version.
        total: how many cells there are, also of trees that do not differ and have no matrix.
    """
    fields = tuple(changed_fields(before.objects, after.objects, lines))
    return _Difference((before, after), fields, rebuild, shared, seed, total).answer(solvers)


class _Difference:
    def __init__(
        self,
        sides: tuple[AnalyzedInput, AnalyzedInput],
        fields: tuple[FieldChange, ...],
        rebuild: Rebuild,
        shared: tuple[Sequence[SharedCell], tuple[Narrowed, Narrowed]],
        seed: int,
        total: int,
    ) -> None:
        self._sides, self._fields = sides, fields
        self._seed, self._total = seed, total
        self._examples = ChangeExamples(sides, fields, rebuild)
        self._both, self._small = self._examples.both, self._examples.small
        self._guarantees = GuaranteeComparison(sides, *shared, self._examples)

    def answer(self, solvers: Mapping[str, str]) -> MatrixDifference:
        """The whole answer."""
        changed = {key: kind for key in self._keys if (kind := self._kind(key)) is not None}
        shown = {key: self._shown(key, kind) for key, kind in changed.items()}
        guarantees = list(self._guarantees.changes())
        twices = [*shown.values(), *(twice for _, twice in guarantees)]
        smallest = self._smallest_of_all(twice for twice in twices if twice is not None)
        became = Counter(change.change for change, _ in guarantees)
        kinds = Counter(changed.values())
        before, after = self._sides
        return MatrixDifference(
            before=before.words,
            after=after.words,
            scope=after.matrix.scope.value,
            premises=tuple(dict.fromkeys((*before.matrix.premises, *after.matrix.premises))),
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
                guarantees_gained=became["gained"],
                guarantees_lost=became["lost"],
            ),
            cells=tuple(self._cell(key, kind, shown[key]) for key, kind in changed.items()),
            guarantees=tuple(change for change, _ in guarantees),
            unsettled_guarantees=self._guarantees.unsettled,
            unsettled=sum(CellVerdict.UNKNOWN.value in self._verdicts(key) for key in self._keys),
            example=None if smallest is None else self._examples.written(smallest, None, None),
            looked=self._both.looked,
            warnings=(),
            pairs=tuple(self._pairs(changed)),
        )

    def _pairs(self, changed: Container[CellKey]) -> Iterator[PairVerdicts]:
        """What the cells of every two ClusterQueues come to."""
        for (preemptor, victim), keys in groupby(sorted(self._keys, key=_queues_of), key=_queues_of):
            cells = list(keys)
            one, other = (_worst(self._verdict(home, key) for key in cells) for home in (BEFORE, AFTER))
            yield PairVerdicts(preemptor, victim, one, other, any(key in changed for key in cells))

    # -- cells --------------------------------------------------------------------------------------------

    @cached_property
    def _keys(self) -> list[CellKey]:
        queues = sorted({name for side in self._sides for name in side.matrix.queues})
        places = range(len(self._levels(AFTER)))
        return list(product(queues, places, queues, places))

    def _levels(self, home: int) -> tuple[PriorityLevel, ...]:
        return self._sides[home].configured.levels

    def _kind(self, key: CellKey) -> ChangeKind | None:
        one, other = self._verdicts(key)
        if one == other:
            return "reasons" if one == CellVerdict.CAN.value and any(self._reasons(key)) else None
        if CellVerdict.CAN.value in (one, other):
            return "gained" if other == CellVerdict.CAN.value else "lost"
        return "unknown" if CellVerdict.UNKNOWN.value in (one, other) else None

    def _verdicts(self, key: CellKey) -> tuple[str, str]:
        return self._verdict(BEFORE, key), self._verdict(AFTER, key)

    def _verdict(self, home: int, key: CellKey) -> str:
        preemptor, high, victim, low = key
        matrix, levels = self._sides[home].matrix, self._levels(home)
        if not {preemptor, victim} <= set(matrix.queues):
            return ABSENT
        return matrix.verdict(preemptor, levels[high].priority, victim, levels[low].priority).value

    def _reasons(self, key: CellKey) -> tuple[list[Reason], list[Reason]]:
        """Gained and lost. What is not known of a reason on the other side is neither, where it can there."""
        one, other = (self._settled(home, key) for home in (BEFORE, AFTER))
        return _only_in(other, one), _only_in(one, other)

    def _settled(self, home: int, key: CellKey) -> dict[Reason, CellResult]:
        preemptor, high, victim, low = key
        levels = self._levels(home)
        found = self._sides[home].matrix.of(preemptor, levels[high].priority, victim, levels[low].priority)
        return dict(found)

    def _cell(self, key: CellKey, kind: ChangeKind, twice: DecisionPair | None) -> CellChange:
        gained, lost = self._reasons(key)
        one, other = self._verdicts(key)
        is_hit = partial(_hits_one, {(key, reason) for reason in (*gained, *lost)})
        fields, together = self._examples.responsible(twice, self._home(key, kind), is_hit)
        preemptor, high, victim, low = key
        return CellChange(
            change=kind,
            preemptor=self._side(preemptor, high),
            victim=self._side(victim, low),
            before=one,
            after=other,
            reasons_gained=tuple(reason.label for reason in gained),
            reasons_lost=tuple(reason.label for reason in lost),
            fields=fields,
            together=together,
            example=None if twice is None else self._examples.written(twice, key, self._home(key, kind)),
        )

    def _side(self, queue: str, place: int) -> MatrixRole:
        level = self._levels(AFTER)[place]
        return MatrixRole(queue, level.name, level.priority)

    # -- examples -----------------------------------------------------------------------------------------

    def _smallest_of_all(self, examples: Iterable[DecisionPair]) -> DecisionPair | None:
        """The smallest state that is decided otherwise; where no cell shows one, one is searched."""
        shown = min(examples, key=lambda twice: twice.size, default=None)
        if shown is not None or not self._fields:
            return shown
        queues = self._in_question()
        levels = self._levels(AFTER)
        ends = (levels[-1], levels[0]), (levels[0], levels[0]), (levels[0], levels[-1])
        pairs = [
            PairQuery(preemptor, high, victim, low)
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

    def _shown(self, key: CellKey, kind: ChangeKind) -> DecisionPair | None:
        """A small state in which the cell is hit on the side where it can, and not on the other."""
        home = self._home(key, kind)
        reasons = self._reasons(key)[0 if home == AFTER else 1]
        examples = [found.example for reason, found in self._settled(home, key).items() if reason in reasons]
        known = [example.request for example in examples if example is not None]
        wanted = {(key, reason) for reason in reasons}
        return self._examples.shown(key, home, known, partial(_hits_one, wanted))

    def _home(self, key: CellKey, kind: ChangeKind) -> int:
        """The side on which the cell can; where it can on both, the one that has a reason of its own."""
        if kind == "reasons":
            return AFTER if self._reasons(key)[0] else BEFORE
        return AFTER if self._verdict(AFTER, key) == CellVerdict.CAN.value else BEFORE


_FROM_THE_WORST = (CellVerdict.CAN.value, CellVerdict.UNKNOWN.value, CellVerdict.NEVER.value, ABSENT)


def _worst(verdicts: Iterable[str]) -> str:
    return min(verdicts, key=_FROM_THE_WORST.index)


def _queues_of(key: CellKey) -> tuple[str, str]:
    return key[0], key[2]


def _only_in(here: Mapping[Reason, CellResult], there: Mapping[Reason, CellResult]) -> list[Reason]:
    """The reasons for which it can on one side, and never can on the other."""
    can_there = any(settled.verdict == CellVerdict.CAN for settled in there.values())
    passed = {CellVerdict.CAN, CellVerdict.UNKNOWN} if can_there else {CellVerdict.CAN}
    return [
        reason
        for reason, settled in here.items()
        if settled.verdict == CellVerdict.CAN and (reason not in there or there[reason].verdict not in passed)
    ]


def _hits_one(wanted: set[tuple[CellKey, Reason]], decision: Decision, configured: Configuration) -> bool:
    return bool(wanted & set(hit_by(decision, configured.levels)))
