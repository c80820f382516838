"""The matrix of a configuration: random states first, then proofs of what they did not find.

The prover is a parameter: this package has no solver.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import product
from typing import Protocol

from tenure.conformance.requests import DecideRequest
from tenure.errors import InputError, Problem
from tenure.manifests.limits import MAX_CELLS
from tenure.model import Cluster, Reason
from tenure.oracle.decide import Decision
from tenure.oracle.tree import Tree, build_tree
from tenure.oracle.unmodelled import of_pair, with_known_configs
from tenure.readings import Reading
from tenure_check.analysis.decided_states import Deciding, Replays
from tenure_check.analysis.scopes import ALL_CELLS, PREMISES, CellSides, MatrixRequest, premises_of
from tenure_check.analysis.selections import reads_names
from tenure_check.analysis.states import (
    CellQuery,
    Example,
    PriorityLevel,
    States,
    hits_of,
    made_small,
    still_in_scope,
)
from tenure_check.analysis.symmetry import Symmetry, renamed
from tenure_check.choices import STATES, Scope


class CellVerdict(StrEnum):
    """Of a cell."""

    NEVER = "never"
    CAN = "can"
    UNKNOWN = "?"


@dataclass(frozen=True, slots=True)
class CellResult:
    """What is known of a cell for one reason.

    Args:
        verdict: see `CellVerdict`.
        why: what it rests on.
        example: where it can.
        is_fewest: whether it is known that no state has fewer victims than the example.
    """

    verdict: CellVerdict
    why: str
    example: Example | None = None
    is_fewest: bool = False


class Prover(Protocol):
    """Settles what random states have not hit."""

    def reasons(self, preemptor: str, victim: str, high: int, low: int) -> frozenset[Reason]:
        """The reasons for which rules might allow it at all, whatever is in use."""

    def settle(
        self, cells: Sequence[CellQuery], hit: Mapping[CellQuery, Example]
    ) -> Iterator[tuple[CellQuery, CellResult]]:
        """What is proved of each cell, or found by a solver's values."""

    def fewest(self, cell: CellQuery, example: Example) -> tuple[Example, bool]:
        """An example with as few victims as are found, and whether it is known that there are no fewer."""


Watch = Callable[[Iterable[tuple[CellQuery, CellResult]], int], Iterable[tuple[CellQuery, CellResult]]]
MakeProver = Callable[[Cluster, Tree, Reading], Prover]


@dataclass(frozen=True, slots=True)
class Effort:
    """How long the search for examples goes on.

    Args:
        seed: of the dice.
        fewest: states for each ClusterQueue, at least.
        most: at most; a queue has no more while its last `fewest` states have brought nothing new.
        counts_victims: whether examples with fewer victims, or a proof that there are none, are searched;
            otherwise a queue has no more states once every cell is hit that rules allow.
    """

    seed: int = 0
    fewest: int = STATES
    most: int = 10 * STATES
    counts_victims: bool = True

    @classmethod
    def of_states(cls, fewest: int, seed: int = 0, *, counts_victims: bool = True) -> Effort:
        """With at most ten times as many states as a queue has without anything new.

        >>> Effort.of_states(120) == Effort()
        True
        """
        return cls(seed, fewest, 10 * fewest, counts_victims)


@dataclass(slots=True)
class Matrix:
    """All cells of a configuration.

    Args:
        queues: the names of its ClusterQueues, in order.
        levels: the priorities.
        settled: what is known of each cell and reason that rules might allow.
        apart: why some pairs are not known, or never meet, by preemptor and victim.
        states: how many random states were decided.
        scope: its states.
        premises: of every verdict.
    """

    queues: tuple[str, ...]
    levels: tuple[PriorityLevel, ...]
    settled: dict[CellQuery, CellResult] = field(default_factory=dict)
    apart: dict[tuple[str, str], CellResult] = field(default_factory=dict)
    states: int = 0
    scope: Scope = Scope.CONSISTENT
    premises: tuple[str, ...] = PREMISES[Scope.CONSISTENT]

    def of(self, preemptor: str, high: int, victim: str, low: int) -> list[tuple[Reason, CellResult]]:
        """What is known of one cell, by reason."""
        cells = (CellQuery(preemptor, high, victim, low, reason) for reason in Reason)
        return [(cell.reason, self.settled[cell]) for cell in cells if cell in self.settled]

    def verdict(self, preemptor: str, high: int, victim: str, low: int) -> CellVerdict:
        """Of one cell, over all reasons."""
        known = self.apart.get((preemptor, victim))
        if known is not None:
            return known.verdict
        found = {settled.verdict for _, settled in self.of(preemptor, high, victim, low)}
        return next(
            (verdict for verdict in (CellVerdict.CAN, CellVerdict.UNKNOWN) if verdict in found),
            CellVerdict.NEVER,
        )


BY_CLASS = "every workload whose priority is a WorkloadPriorityClass's value names such a class"
"""Where rules of PreemptionConfigs read names of classes."""
BY_ALIKE = "by an example of ClusterQueues like these"
NO_QUOTAS = (
    "one of them has no quotas: no flavor is assigned in it, so that nothing is short and nothing in use"
)
NO_COHORT = "they share no cohort: a search for targets stays in the tree of its ClusterQueue"


def analyze(
    cluster: Cluster,
    levels: Sequence[PriorityLevel],
    reading: Reading,
    make_prover: MakeProver,
    effort: Effort,
    request: MatrixRequest = ALL_CELLS,
    watched: Watch = lambda answers, _: answers,
) -> Matrix:
    """Settle every cell, or some of them.

    Args:
        cluster: the configuration.
        levels: the priorities of its workloads.
        reading: see `tenure.readings`.
        make_prover: makes the prover of one tree.
        effort: how long the search for examples goes on.
        request: which cells, and of which states.
        watched: shows the progress of so many answers.

    Raises:
        InputError: more cells than `MAX_CELLS`.
    """
    matrix = Matrix(
        tuple(sorted(cluster.cluster_queues)),
        tuple(levels),
        scope=request.scope,
        premises=(*premises_of(request.scope, cluster), *([BY_CLASS] if reads_names(cluster) else [])),
    )
    _refuse_too_many(matrix, request.cells)
    configured, cluster = cluster, with_known_configs(cluster)
    wanted = set(_all_sides(matrix) if request.cells is None else request.cells)
    preemptors = {preemptor for preemptor, _, _, _ in wanted}
    trees, configured_trees = trees_of(cluster), trees_of(configured)
    root_of = {name: number for number, tree in enumerate(trees) for name in tree.places}
    for preemptor, victim in product(matrix.queues, repeat=2):
        tree = configured_trees[root_of[preemptor]]
        unmodelled = of_pair(configured, tree, preemptor, victim)
        if unmodelled:
            matrix.apart[preemptor, victim] = CellResult(CellVerdict.UNKNOWN, unmodelled[0].text)
        elif root_of[preemptor] != root_of[victim]:
            matrix.apart[preemptor, victim] = CellResult(CellVerdict.NEVER, NO_COHORT)
    for tree in trees:
        if not preemptors.intersection(tree.places):
            continue
        uncovered = why_uncovered(cluster)
        if uncovered:
            for preemptor, victim in product(tree.places, repeat=2):
                matrix.apart.setdefault((preemptor, victim), CellResult(CellVerdict.UNKNOWN, uncovered))
            continue
        names = _with_quotas(matrix, tree)
        pairs = {pair for pair in product(names, tree.places) if pair not in matrix.apart}
        cells = [sides for sides in wanted if (sides[0], sides[2]) in pairs]
        prover = make_prover(cluster, tree, reading)
        states = States(cluster, tree, reading, levels, request.scope)
        first = [state for state in request.known if state.queue in tree.places]
        _settle_tree(matrix, prover, states, Symmetry(tree), cells, effort, watched, first)
    return matrix


def _refuse_too_many(matrix: Matrix, wanted: Collection[CellSides] | None) -> None:
    """Before any cell is made: their number grows with the square of the queues, and of the priorities."""
    count = (len(matrix.queues) * len(matrix.levels)) ** 2 if wanted is None else len(wanted)
    if count > MAX_CELLS:
        made = f"{len(matrix.queues)} ClusterQueues with {len(matrix.levels)} priorities have"
        expected = f"at most {MAX_CELLS}; analyze trees of cohorts one by one, or with fewer priority classes"
        raise InputError([Problem("paths", f"{count} cells, as {made}", expected)])


def _with_quotas(matrix: Matrix, tree: Tree) -> set[str]:
    """The ClusterQueues of a tree that have quotas; in no cell of another one anything can happen.

    After edits workloads may run in one that has none any more.
    """
    found = {name for name, place in tree.places.items() if tree.nodes[place].quotas}
    victims = found if matrix.scope == Scope.CONSISTENT else {*tree.places}
    for preemptor, victim in product(tree.places, repeat=2):
        if preemptor not in found or victim not in victims:
            matrix.apart.setdefault((preemptor, victim), CellResult(CellVerdict.NEVER, NO_QUOTAS))
    return found


def _all_sides(matrix: Matrix) -> Iterator[CellSides]:
    priorities = [level.priority for level in matrix.levels]
    return product(matrix.queues, priorities, matrix.queues, priorities)


def sides_of(cell: CellQuery) -> CellSides:
    """The cell whatever the reason."""
    return cell.preemptor, cell.high, cell.victim, cell.low


def trees_of(cluster: Cluster) -> tuple[Tree, ...]:
    """Every tree of a configuration, once."""
    found: dict[str, Tree] = {}
    for name in sorted(cluster.cluster_queues):
        if not any(name in tree.places for tree in found.values()):
            found[name] = build_tree(cluster, cluster.cluster_queues[name])
    return tuple(found.values())


def why_uncovered(cluster: Cluster) -> str:
    """Why nothing is proved of a configuration; empty where it is covered.

    >>> from tenure.model import ClusterQueue, Settings
    >>> why_uncovered(Cluster({"q": ClusterQueue("q")}, settings=Settings(priority_boost=True)))
    'not covered yet: feature gate PriorityBoost, by which a workload may have any priority'
    """
    if cluster.settings.priority_boost:
        return "not covered yet: feature gate PriorityBoost, by which a workload may have any priority"
    if cluster.growing:
        names = ", ".join(sorted(cluster.growing))
        return f"not covered yet: priorities that grow with age, of WorkloadPriorityClass {names}"
    return ""


def _settle_tree(
    matrix: Matrix,
    prover: Prover,
    states: States,
    symmetry: Symmetry,
    cells: Sequence[CellSides],
    effort: Effort,
    watched: Watch,
    known: Sequence[DecideRequest],
) -> None:
    """Settle the first of all cells that are alike, and then the others by them."""
    # A prover settles two ClusterQueues at a time.
    first = sorted(
        {_first_sides(symmetry, sides) for sides in cells},
        key=lambda sides: (sides[0], sides[2], sides[1], sides[3]),
    )
    allowed = _allowed(prover, first)
    hit = _Hits(states, symmetry, effort, matrix.scope)
    hit.decide(known)
    for queue in sorted({sides[0] for sides in first}):
        hit.draw(queue, {cell for cell in allowed if cell.preemptor == queue})
    matrix.states += hit.drawn
    wanted = set(first)
    small = {
        cell: made_small(cell, example, states.decided, still_in_scope(symmetry.tree, matrix.scope))
        for cell, example in hit.found.items()
        if sides_of(cell) in wanted
    }
    _settle(matrix, prover, small, allowed, watched)
    _count_victims(matrix, prover, wanted)
    _settle_likewise(matrix, prover, symmetry, sorted(set(cells) - wanted))


def _allowed(prover: Prover, cells: Iterable[CellSides]) -> list[CellQuery]:
    """The cells by reason, as far as rules allow them."""
    return [
        CellQuery(preemptor, high, victim, low, reason)
        for preemptor, high, victim, low in cells
        for reason in sorted(prover.reasons(preemptor, victim, high, low))
    ]


class _Hits:
    """What states hit of the first cells of all that are alike, each with the smallest of them."""

    def __init__(self, states: States, symmetry: Symmetry, effort: Effort, scope: Scope) -> None:
        self._states, self._symmetry, self._effort, self._scope = states, symmetry, effort, scope
        self._dice = random.Random(effort.seed)
        self.found: dict[CellQuery, Example] = {}
        self.drawn = 0

    def decide(self, known: Sequence[DecideRequest]) -> None:
        """Decide states that are known."""
        for request in known:
            self._is_new(hits_of(request, self._states.decided(request)))

    def draw(self, queue: str, wanted: Set[CellQuery]) -> None:
        """Draw states in which workloads of a ClusterQueue wait, until its wanted cells are hit."""
        effort, since, drawn = self._effort, 0, 0
        while since < effort.fewest and drawn < effort.most:
            if not effort.counts_victims and wanted <= self.found.keys():
                break
            drawn += 1
            since = 0 if self._is_new(self._states.hits(self._dice, queue)) else since + 1
        self.drawn += drawn

    def _is_new(self, hits: Iterable[tuple[CellQuery, Example]]) -> bool:
        """Note what a state hits; whether any cell was not hit before."""
        is_new = False
        for hit, example in hits:
            cell = _first_like(self._symmetry, hit)
            if cell in self.found and example.size >= self.found[cell].size:
                continue
            moved = _moved(self._symmetry, hit, example, cell, self._scope, self._states.decided)
            if moved is not None:
                is_new = is_new or cell not in self.found
                self.found[cell] = moved
        return is_new


def _first_like(symmetry: Symmetry, cell: CellQuery) -> CellQuery:
    preemptor, victim = symmetry.first_like(cell.preemptor, cell.victim)
    return replace(cell, preemptor=preemptor, victim=victim)


def _first_sides(symmetry: Symmetry, sides: CellSides) -> CellSides:
    preemptor, victim = symmetry.first_like(sides[0], sides[2])
    return preemptor, sides[1], victim, sides[3]


def _moved(
    symmetry: Symmetry,
    old: CellQuery,
    example: Example,
    new: CellQuery,
    scope: Scope,
    decide_one: Callable[[DecideRequest], Decision],
) -> Example | None:
    """The example of a cell, with names exchanged, of one like it: if it is one, for names break ties."""
    if old == new:
        return example
    names = symmetry.names((old.preemptor, old.victim), (new.preemptor, new.victim))
    moved = renamed(example, names, new)
    if not still_in_scope(symmetry.tree, scope)(moved.request):
        return None
    hits = hits_of(moved.request, decide_one(moved.request))
    return next((found for cell, found in hits if cell == new), None)


def _settle(
    matrix: Matrix,
    prover: Prover,
    hit: Mapping[CellQuery, Example],
    wanted: Sequence[CellQuery],
    watched: Watch,
) -> None:
    replays = Replays()
    shown = {cell: example for cell, example in hit.items() if replays.is_replayed(cell, example)}
    for cell, example in shown.items():
        matrix.settled[cell] = CellResult(CellVerdict.CAN, "by an example", example)
    open_cells = [cell for cell in wanted if cell not in shown]
    answers = dict(watched(prover.settle(open_cells, shown), len(open_cells)))
    matrix.settled.update(answers)


def _count_victims(matrix: Matrix, prover: Prover, cells: Collection[CellSides]) -> None:
    """Note where no state has fewer victims than the example; where fewer are found, that is the example."""
    for cell, settled in matrix.settled.items():
        if settled.example is not None and not settled.is_fewest and sides_of(cell) in cells:
            example, is_fewest = prover.fewest(cell, settled.example)
            matrix.settled[cell] = replace(settled, example=example, is_fewest=is_fewest)


def _settle_likewise(matrix: Matrix, prover: Prover, symmetry: Symmetry, cells: Sequence[CellSides]) -> None:
    """Settle cells by others that are like them: what is proved holds, what can be is decided again."""
    replays, rest, decide_one = Replays(), [], Deciding().decided
    for sides in cells:
        for reason, settled in matrix.of(*_first_sides(symmetry, sides)):
            cell = CellQuery(*sides, reason)
            if settled.example is not None:
                first = _first_like(symmetry, cell)
                moved = _moved(symmetry, first, settled.example, cell, matrix.scope, decide_one)
                if moved is None or not replays.is_replayed(cell, moved):
                    rest.append(cell)
                    continue
                is_fewest = settled.is_fewest and moved.victims == settled.example.victims
                settled = CellResult(settled.verdict, BY_ALIKE, moved, is_fewest)
            matrix.settled[cell] = settled
    matrix.settled.update(prover.settle(rest, {}))
