"""What is known of every state of a document's configuration."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property
from itertools import product
from typing import Any, Final, Protocol

from tenure.choices import Outcome
from tenure.explanation.groups import names_text
from tenure.manifests import Place, SourcedObject, did_you_mean, show
from tenure.manifests.load import Loaded
from tenure.manifests.premises import refuse_unstated
from tenure.manifests.source_lines import SourceLines
from tenure.model import Cluster, Reason
from tenure.oracle.decide import Decision
from tenure.oracle.tree import build_tree
from tenure.oracle.unmodelled import NOT_KNOWN, of_pair, over_time
from tenure.readings import Reading
from tenure.units import format_duration
from tenure_check.analysis import solved_cells
from tenure_check.analysis.answer_cache import AnswerCache
from tenure_check.analysis.closed_systems import CohortTree, called, object_files, trees_of
from tenure_check.analysis.guarantees import NarrowCell, Narrowing
from tenure_check.analysis.loop_answer import LoopAnswer
from tenure_check.analysis.loops import LoopHunt, LoopRequest
from tenure_check.analysis.matrix import CellResult, CellVerdict, Effort, Matrix, sides_of
from tenure_check.analysis.matrix_answer import MatrixCell, cell_of, written_example
from tenure_check.analysis.matrix_text import cell_lines, state_lines
from tenure_check.analysis.nominal_quota import unreached_state
from tenure_check.analysis.periodic_runs import EVICTIONS
from tenure_check.analysis.priority_levels import classes_of, configuration_of, levels_of
from tenure_check.analysis.scopes import CellSides
from tenure_check.analysis.small_states import smallest_example
from tenure_check.analysis.states import CellQuery, Example, PriorityLevel, decided
from tenure_check.choices import Scope
from tenure_check.expectations.assertion_file import (
    KeepsShape,
    NeverShape,
    NoLoopShape,
    ReachesShape,
    WorkloadsShape,
)
from tenure_check.expectations.causes import AsExpected, allowing_fields
from tenure_check.expectations.check import AllowedBy, CheckResult, Status
from tenure_play.scenario_file import FilePart
from tenure_proofs.fingerprints import key_of

PROVED: Final = "proved for every state by Z3 and cvc5"
BY_EXAMPLE: Final = "by an example"
EFFORT: Final = Effort(counts_victims=False)
"""How long is looked for examples, as `tenure analyze matrix` looks by default; any example will do."""
_POLICIES: Final = {
    Reason.IN_CLUSTER_QUEUE: "withinClusterQueue",
    Reason.IN_CLUSTER_QUEUE_TIME_BASED: "withinClusterQueue",
    Reason.IN_COHORT_RECLAIM_WHILE_BORROWING: "borrowWithinCohort",
}
"""The policy by which there is a reason; of all others it is reclaimWithinCohort."""
_RECLAIM: Final = "reclaimWithinCohort"
STOPPED: Final = "spec.stopPolicy"
"""The field by which a ClusterQueue is inactive, unless it lacks something."""

AGAINST: Final[Mapping[str, Callable[[int, int], bool]]] = {
    "equals": lambda high, low: high == low,
    "lower": lambda high, low: high < low,
    "higher": lambda high, low: high > low,
    "all": lambda high, low: True,  # noqa: ARG005 - of every comparison
}
"""Which pending workloads are meant: by their priority, and that of the running one."""


class Given(Protocol):
    """The manifests of a document."""

    @property
    def objects(self) -> tuple[SourcedObject, ...]:
        """As they were read."""

    @property
    def loaded(self) -> Loaded:
        """Their words."""

    @property
    def reading(self) -> Reading:
        """See `tenure.readings`."""


class AllStates:
    """What is known of every state of a document's configuration; searched on first use.

    Args:
        given: the document's manifests.
        place: how problems name it.
        kept: whether earlier runs may answer.
    """

    def __init__(self, given: Given, place: Place, *, kept: bool) -> None:
        self._given, self._place, self._kept = given, place, kept
        self._cells: dict[Scope, tuple[Matrix, set[CellSides]]] = {}
        self._lines = SourceLines()

    def answered(self, asserted: FilePart, find: Callable[[], CheckResult]) -> CheckResult:
        """What came of an assertion, in an earlier run of the same code with the same configuration or now.

        Args:
            asserted: the assertion.
            find: finds out, as do the methods below.

        Raises:
            InputError: nothing shows whether the weights of the configuration decide.
        """
        refuse_unstated(self._given.loaded, by_option=False)
        result = self._found(asserted, find)
        # Files are read now: their lines may be others than when it was found out.
        placed = tuple(self._placed(field.object, field.field) for field in result.allowed_by)
        return replace(result, allowed_by=placed, is_sentence=not isinstance(asserted, NoLoopShape))

    def _found(self, asserted: FilePart, find: Callable[[], CheckResult]) -> CheckResult:
        about = self._trees if isinstance(asserted, NoLoopShape) else (self._cluster, self._levels)
        shape = asserted.model_dump_json(exclude={"exception"})
        key = key_of("check", type(asserted).__name__, shape, about, self._given.reading, EFFORT)

        def is_final(result: CheckResult) -> bool:
            # A search that ends by the clock may find more another time.
            return not (isinstance(asserted, NoLoopShape) and result.status == Status.UNKNOWN)

        return AnswerCache(CheckResult, wanted=self._kept).once(key, find, is_final)

    def never(self, asserted: NeverShape, field: str) -> CheckResult:
        """Whether no workload of some ever preempts one of others."""
        return self._of_cells(self._cells_of(asserted, field), "never", Scope(asserted.scope))

    def keeps(self, asserted: KeepsShape, kept: WorkloadsShape, field: str) -> CheckResult:
        """Whether running workloads keep their quota for a time."""
        victims = self._sides(kept, field)
        everyone = self._sides(WorkloadsShape(), field)
        compared = AGAINST[asserted.against]
        cells = [(*one, *other) for one, other in product(everyone, victims) if compared(one[1], other[1])]
        expected, scope = f"kept for {format_duration(asserted.length)}", Scope(asserted.scope)
        matrix, meant = self._matrix(cells, scope), set(cells)
        apart = [cell for cell in cells if (cell[0], cell[2]) in matrix.apart]
        conditions = {
            cell: [NarrowCell(cell, Narrowing.PROTECTED, asserted.length)]
            for cell, settled in matrix.settled.items()
            if settled.verdict != CellVerdict.NEVER and sides_of(cell) in meant
        }
        narrowed = solved_cells.settled_narrow(self._cluster, matrix, self._given.reading, EFFORT, conditions)
        found = [(narrow.cell, settled.example) for narrow, settled in narrowed.items() if settled.example]
        if found:
            return self._refuted(expected, sorted(found, key=lambda pair: pair[1].size))
        unknown = {settled.why for settled in narrowed.values() if settled.verdict == CellVerdict.UNKNOWN}
        return self._judged(unknown | self._unknown(apart, scope), expected)

    def no_loop(self, asserted: NoLoopShape) -> CheckResult:
        """Whether a search for loops finds none."""
        reading = self._given.reading
        trees, warnings = self._trees
        evictions = tuple(asserted.evictions or EVICTIONS)
        within = (asserted.within or 0) / 10**9
        request = LoopRequest(asserted.up_to, evictions, within=within)
        answer = LoopHunt(trees, request, reading, object_files(self._given.objects)).run()
        if answer.interrupted:
            raise KeyboardInterrupt
        searches = [search for tree in answer.trees for search in tree.searches]
        systems = sum(search.systems for search in searches)
        plays = sum(search.plays for search in searches)
        searched = f"{systems:,} systems of at most {asserted.up_to} workloads, {plays:,} plays"
        loop = next((search.loop for search in searches if search.loop is not None), None)
        proofs = [tree.proved for tree in answer.trees if tree.proved is not None and tree.proved.excluded]
        if len(proofs) == len(answer.trees):
            named = sorted({name for proved in proofs for name in proved.theorems})
            found = f"none of any number of workloads, by {', '.join(named)}"
            return CheckResult(Status.HOLDS, "no loop", found, warnings=warnings)
        if loop is None:
            status = Status.HOLDS if answer.complete else Status.UNKNOWN
            unmodelled = dict.fromkeys(text for tree in answer.trees for text in tree.not_known)
            if unmodelled:
                words = f"{NOT_KNOWN}: {'; '.join(unmodelled)}"
                return CheckResult(Status.UNKNOWN, "no loop", words, warnings=warnings)
            rest = "" if answer.complete else "; not all was simulated"
            return CheckResult(status, "no loop", f"none in {searched}{rest}", warnings=warnings)
        fields = tuple(AllowedBy(fact.object, fact.field) for fact in loop.needed)
        found = f"a loop of {len(loop.workloads)} workloads"
        return CheckResult(Status.FAILS, "no loop", found, tuple(_loop_lines(loop)), warnings, fields)

    def reaches(self, asserted: ReachesShape, field: str) -> CheckResult:
        """Whether a request within a ClusterQueue's nominal quota always gets it."""
        name, reading = asserted.cluster_queue, self._given.reading
        self._known(name, sorted(self._cluster.cluster_queues), f"{field}.clusterQueue")
        expected = "quota, at once or by preemption"
        inactive = self._cluster.cluster_queues[name].inactive
        if inactive:
            stop = [AllowedBy(f"ClusterQueue/{name}", STOPPED)] if inactive.startswith(STOPPED) else []
            return CheckResult(
                Status.FAILS, expected, f"{name} is inactive: {inactive}", allowed_by=tuple(stop)
            )
        tree = build_tree(self._cluster, self._cluster.cluster_queues[name])
        unmodelled = of_pair(self._cluster, tree, name, name)
        if unmodelled:
            return self._judged({found.text for found in unmodelled}, expected)
        request = unreached_state(self._cluster, self._levels, reading, name)
        if request is not None:
            decision = decided(request)
            preempted = frozenset(target.workload.key for target in decision.targets)
            example = written_example(Example(request, "", preempted))
            wish = AsExpected(outcome=Outcome.PREEMPT.value)
            fields = self._allowing(decision, wish, name, _RECLAIM)
            words = f"a request of {name} within its nominal quota ends in {decision.outcome}"
            lines = tuple(state_lines(name, request.preemptor.priority, example))
            return CheckResult(Status.FAILS, expected, words, lines, allowed_by=fields)
        why = solved_cells.why_not_reached(self._cluster, name, reading)
        return self._judged({why} - {""}, expected)

    # -- cells --------------------------------------------------------------------------------------------

    def _cells_of(self, asserted: NeverShape, field: str) -> list[CellSides]:
        ones = self._sides(asserted.preemptor, f"{field}.preemptor")
        others = self._sides(asserted.victim, f"{field}.victim")
        return [(*one, *other) for one, other in product(ones, others)]

    def _sides(self, meant: WorkloadsShape, field: str) -> list[tuple[str, int]]:
        """ClusterQueues and priorities."""
        queues = sorted(self._cluster.cluster_queues)
        levels = {level.name: level.priority for level in self._levels}
        for name in meant.cluster_queue or ():
            self._known(name, queues, f"{field}.clusterQueue")
        for name in meant.priority_class or ():
            self._known(name, list(levels), f"{field}.priorityClass")
        priorities = dict.fromkeys(levels[name] for name in meant.priority_class or levels)
        return list(product(meant.cluster_queue or queues, priorities))

    def _known(self, name: str, known: Sequence[str], field: str) -> None:
        if name not in known:
            notes = [f"; {sourced.note}" for sourced in self._given.objects if sourced.note]
            expected = f"one of {names_text(known)}{did_you_mean(name, known)}{''.join(notes)}"
            raise self._place.error(field, name, expected)

    def _of_cells(self, cells: Sequence[CellSides], expected: str, scope: Scope) -> CheckResult:
        """Whether no cell of some can."""
        found = list(self._examples(cells, scope))
        if found:
            return self._refuted(expected, found, scope)
        return self._judged(self._unknown(cells, scope), expected)

    def _unknown(self, cells: Sequence[CellSides], scope: Scope) -> set[str]:
        """Why cells are not known."""
        matrix = self._matrix(cells, scope)
        unknown = [cell for cell in cells if matrix.verdict(*cell) == CellVerdict.UNKNOWN]
        return {self._words(matrix, cell).why for cell in unknown}

    def _judged(self, unknown: Set[str], expected: str) -> CheckResult:
        """What is not refuted: proved, or not known for one of some reasons."""
        if unknown:
            is_modelled = min(unknown) not in {found.text for found in over_time(self._cluster)}
            words = "neither proved nor refuted" if is_modelled else NOT_KNOWN
            return CheckResult(Status.UNKNOWN, expected, f"{words}: {min(unknown)}")
        return CheckResult(Status.HOLDS, expected, PROVED)

    def _examples(self, cells: Sequence[CellSides], scope: Scope) -> Iterator[tuple[CellQuery, Example]]:
        """The examples of those that can, the smallest first."""
        matrix, wanted = self._matrix(cells, scope), set(cells)
        found = [
            (cell, settled.example)
            for cell, settled in matrix.settled.items()
            if settled.example is not None and sides_of(cell) in wanted
        ]
        yield from sorted(found, key=lambda pair: pair[1].size)

    def _refuted(
        self, expected: str, found: Sequence[tuple[CellQuery, Example]], scope: Scope | None = None
    ) -> CheckResult:
        """A failure with an example, and the fields that allow it.

        Args:
            expected: the assertion.
            found: examples, of which the first is shown.
            scope: where any example of its cell will do, the states in which the smallest is searched.
        """
        lines: list[str] = []
        cell, example = found[0]
        if scope is not None:
            example = smallest_example(self._cluster, self._given.reading, cell, scope) or example
        settled = CellResult(CellVerdict.CAN, BY_EXAMPLE, example)
        alone = Matrix(tuple(self._cluster.cluster_queues), self._levels, {cell: settled})
        lines += cell_lines(self._words(alone, sides_of(cell)))
        rest = len(found) - 1
        lines += [f"and {rest} more"] if rest > 0 else []
        kept = AsExpected(kept=frozenset([example.victim]))
        fields = self._allowing(
            decided(example.request), kept, cell.preemptor, _POLICIES.get(cell.reason, _RECLAIM)
        )
        names = {level.priority: level.name for level in reversed(self._levels)}
        one, other = (
            f"{cell.preemptor} at priority {names[cell.high]}",
            f"{cell.victim} at priority {names[cell.low]}",
        )
        words = f"{one} can preempt {other}"
        return CheckResult(Status.FAILS, expected, words, tuple(lines), allowed_by=fields)

    def _words(self, matrix: Matrix, sides: CellSides) -> MatrixCell:
        preemptor, high, victim, low = sides
        levels = {level.priority: level for level in reversed(self._levels)}
        return cell_of(matrix, self._cluster, preemptor, levels[high], victim, levels[low])

    def _allowing(
        self, decision: Decision, wish: AsExpected, queue: str, policy: str
    ) -> tuple[AllowedBy, ...]:
        """The fields of the configuration without which a decision would be as wished, each verified."""
        fields = list(allowing_fields(decision, wish))
        own = (f"ClusterQueue/{queue}", f"spec.preemption.{policy}")
        chosen = sorted(fields, key=lambda field: (not field[1].startswith(own[1]), field[0] != own[0]))
        return tuple(AllowedBy(name, path) for name, path in chosen or [own])

    def _placed(self, name: str, path: str) -> AllowedBy:
        sourced = self._files.get(name)
        if sourced is None:
            return AllowedBy(name, path)
        line = self._lines.of_field(sourced.file, name, path)
        return AllowedBy(name, path, sourced.file, line, _value(sourced.object, path))

    # -- the configuration --------------------------------------------------------------------------------

    def _matrix(self, cells: Sequence[CellSides], scope: Scope) -> Matrix:
        """Some cells settled; those of every assertion of the document together, each once for a scope."""
        if scope not in self._cells:
            queues = tuple(sorted(self._cluster.cluster_queues))
            self._cells[scope] = Matrix(queues, self._levels, scope=scope), set()
        matrix, known = self._cells[scope]
        missing = set(cells) - known
        if missing:
            found = solved_cells.settled(
                self._cluster, self._levels, self._given.reading, EFFORT, wanted=missing, scope=scope
            )
            matrix.settled.update(found.settled)
            matrix.apart.update(found.apart)
            known |= missing
        return matrix

    @cached_property
    def _cluster(self) -> Cluster:
        return configuration_of(self._given.loaded.cluster, classes_of(self._given.objects))

    @cached_property
    def _levels(self) -> tuple[PriorityLevel, ...]:
        return levels_of(self._given.loaded.cluster, classes_of(self._given.objects))

    @cached_property
    def _trees(self) -> tuple[list[CohortTree], tuple[str, ...]]:
        """What is searched for loops, and warnings about it."""
        return trees_of(self._given.objects, self._given.reading)

    @cached_property
    def _files(self) -> Mapping[str, SourcedObject]:
        """Each object with where it was read, by its name."""
        return {
            called(sourced.object): sourced
            for sourced in self._given.objects
            if isinstance(sourced.object, dict) and isinstance(sourced.object.get("kind"), str)
        }


def _value(found: Any, path: str) -> str:
    """What a field has that is a text, a number or a truth value, in words; empty where it is not there."""
    for step in re.findall(r"[^.\[\]]+", path):
        if isinstance(found, list) and step.isdecimal() and int(step) < len(found):
            found = found[int(step)]
        else:
            found = found.get(step) if isinstance(found, dict) else None
    if isinstance(found, bool):
        return str(found).lower()
    return show(found).strip("'") if isinstance(found, str | int) else ""


def _loop_lines(loop: LoopAnswer) -> Iterator[str]:
    for known in loop.workloads:
        priority = known.priority_class or known.priority
        yield (
            f"{known.workload} of {known.cluster_queue} requests {known.request} {known.resource}, "
            f"priority {priority}"
        )
    yield f"in each turn of {format_duration(loop.period)}"
    yield from (f"  {pair.preemptor} preempts {pair.victim}" for pair in loop.preemptions)
