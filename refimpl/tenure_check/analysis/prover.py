"""What settles the cells that random states have not hit: both solvers, slice by slice, then whole trees.

Cells whose slices, terms, priorities' relation and reason are the same are solved once.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, groupby
from typing import Any, Protocol, TypeAlias

import z3

from tenure.conformance.requests import DecideRequest
from tenure.model import Basis, Cluster, Reason
from tenure.oracle.heroes.plan import kin_between, plan_heroes
from tenure.oracle.topology import has_topology
from tenure.oracle.tree import Tree
from tenure.readings import Reading
from tenure.rules.eligibility import basis_for, preemption_reason
from tenure.rules.terms import PreemptionTerms, terms_of
from tenure_check.analysis.adapted_examples import AdaptedExamples
from tenure_check.analysis.decided_states import Replays
from tenure_check.analysis.encoding import Pair, Priorities, VictimAlone, arguments_of_basis
from tenure_check.analysis.full_trees import CrowdedStates
from tenure_check.analysis.guarantees import NarrowCell, Narrowing, smaller_shown
from tenure_check.analysis.heroes import HeroPair
from tenure_check.analysis.matrix import CellResult, CellVerdict
from tenure_check.analysis.models import requests_of
from tenure_check.analysis.selection_proof import SelectionProof
from tenure_check.analysis.selections import selections_of
from tenure_check.analysis.small_states import smallest_example
from tenure_check.analysis.states import (
    CellQuery,
    Example,
    PriorityLevel,
    hits_of,
    is_in_scope,
    made_small,
    still_in_scope,
)
from tenure_check.analysis.tree_slices import slice_of
from tenure_check.choices import Scope
from tenure_proofs.budgets import Budget
from tenure_proofs.solvers import Cvc5
from tenure_proofs.solvers import Question as Asked
from tenure_proofs.trusted.claim import Claim, Traces

Key: TypeAlias = tuple[Any, ...]
Draw: TypeAlias = Callable[[CrowdedStates, random.Random, CellQuery], Iterator[tuple[CellQuery, Example]]]
Copy: TypeAlias = tuple[CellQuery, CellQuery, Example]
"""A cell, and one like it with its example."""

BUDGET = Budget(z3=20_000_000, cvc5=2_000_000, clock_s=120.0)
"""Of one answer about a cell: a hundred times what one costs."""

LARGEST_TREE = 12
"""Trees of more ClusterQueues are solved by slices only: a whole one would take minutes a cell."""

FEW_MODELS, MOST_MODELS = 4, 8
MOST_VICTIMS = 1_000
"""More than any state that is looked at has."""

FEW_STATES, NEAR_STATES, FEW_CROWDED = 32, 800, 96
NEAR_SEED = 22
"""Random states near a cell, before solvers get it, and before they get the whole tree."""

FEW = (CrowdedStates.near, FEW_STATES), (CrowdedStates.crowded, FEW_CROWDED)
BESIDE_OWN = CrowdedStates.crowded_with_own, 64
FEW_IN_LARGE = FEW[1], BESIDE_OWN, FEW[0]
"""Of a large tree few but crowded states hit anything."""
MANY = (CrowdedStates.crowded, 400), (CrowdedStates.near, NEAR_STATES)
"""The same with crowded ones, in the order in which they are drawn."""

FEW_ALONE = (CrowdedStates.crowded, FEW_CROWDED), BESIDE_OWN, (CrowdedStates.near, 200)
"""Of a cell of which no example with one victim is known, before solvers get it."""

FEW_NARROW = (CrowdedStates.near, 200), (CrowdedStates.crowded, FEW_CROWDED)
"""Of a cell with a condition on the victim, before solvers get the whole tree."""

PROVED = "proved for every state by Z3 and cvc5"
PROVED_ALONE = "proved for every state by Z3 alone"
BY_EXAMPLE = "by an example"
BY_MODEL = "by an example, of which a solver found the quantities"
BY_ENUMERATION = "by an example among all small states"
BY_TWIN = "by the example of a cell like it"
NO_TOPOLOGY = "never by quota alone; topology is not modelled, and a policy allows it"
NO_REPLAY = "solvers find values, but no state was found that is decided so"
NO_EXAMPLE = "bills and lending of heroes might allow it, but no state was found that is decided so"
TOO_LARGE = f"{NO_REPLAY}; trees of more than {LARGEST_TREE} ClusterQueues are not proved as a whole"


class Elsewhere(Protocol):
    """Other processes, for which there may be too little to do; then there is no answer."""

    def settled(self, cells: Sequence[CellQuery]) -> Iterable[tuple[CellQuery, CellResult]] | None:
        """What is known of cells, pairs in any order."""

    def copied(self, copies: Sequence[Copy]) -> Iterable[tuple[CellQuery, Example | None]] | None:
        """See `SolverProver.copied`; cells in any order."""


class SolverProver:
    """Settles cells of one tree.

    Args:
        cluster: the configuration.
        tree: one of its trees.
        reading: see `tenure.readings`.
        cvc5: the second solver; None where there is none, so that Z3 alone proves, as the answer notes.
        scope: the states that verdicts are about.
        elsewhere: settles cells in other processes; None where there are none.
        counts_victims: see `tenure_check.analysis.matrix.Effort`.
    """

    def __init__(
        self,
        cluster: Cluster,
        tree: Tree,
        reading: Reading,
        cvc5: Cvc5 | None,
        scope: Scope = Scope.CONSISTENT,
        elsewhere: Elsewhere | None = None,
        *,
        counts_victims: bool = True,
    ) -> None:
        self.cluster, self._tree, self._reading, self._cvc5 = cluster, tree, reading, cvc5
        self._proved = PROVED_ALONE if cvc5 is None else PROVED
        self._scope = scope
        self._plan = plan_heroes(tree, reading)
        self._elsewhere, self._counts_victims = elsewhere, counts_victims
        self._replays = Replays()
        self._traces: Traces = {}
        self._bases: dict[Key, Any] = {}
        self._slices: dict[tuple[str, str], tuple[Tree, Key]] = {}
        self._answers: dict[Key, str] = {}
        self._seen: dict[CellQuery, Example] = {}
        is_plain = self._plan is None and selections_of(cluster) is None
        self._adapted = AdaptedExamples(tree, reading) if is_plain else None
        self._near_states: dict[tuple[PriorityLevel, ...], CrowdedStates] = {}
        self._narrowed: dict[Key, str] = {}
        self._shown: dict[Key, tuple[CellQuery, Example]] = {}
        self._alone: dict[Key, str] = {}
        self._asked: BothSolvers | None = None
        self._whole: BothSolvers | None = None
        self._relaxed: BothSolvers | None = None
        self._selection_proof = SelectionProof(cluster, reading, self._traces)
        self._selections: dict[CellQuery, str] = {}

    def reasons(self, preemptor: str, victim: str, high: int, low: int) -> frozenset[Reason]:
        """For which reasons rules might allow it at all, whatever is in use."""
        basis = self._basis(preemptor, victim, high, low)
        found = frozenset(preemption_reason(known) for known in _leaves(basis) if known != Basis.NONE)
        named = self.cluster.cluster_queues[preemptor].preemption_config
        return found if named is None else found | {Reason.CONFIGURABLE_PREEMPTION}

    def settle(
        self, cells: Sequence[CellQuery], hit: Mapping[CellQuery, Example]
    ) -> Iterator[tuple[CellQuery, CellResult]]:
        """What is proved of each cell, or found by a solver's values."""
        examples = {self._key(cell): (cell, example) for cell, example in hit.items()}
        alike: dict[Key, list[CellQuery]] = {}
        for cell in cells:
            alike.setdefault(self._key(cell), []).append(cell)
        unsettled = [known[0] for key, known in alike.items() if key not in examples]
        for cell, settled in self._ask(unsettled):
            key = self._key(cell)
            yield cell, settled
            if settled.example is not None:
                examples[key] = cell, settled.example
            else:
                yield from ((twin, settled) for twin in alike[key][1:])
        shown = ((cell, *examples[key]) for key in alike if key in examples for cell in alike[key])
        copies = [copy for copy in shown if copy[0] != copy[1]]
        rest: list[CellQuery] = []
        for cell, copied in self._copies(copies):
            if copied is None:
                rest.append(cell)
            else:
                yield cell, CellResult(CellVerdict.CAN, BY_TWIN, copied)
        yield from self._ask(sorted(rest, key=pair_of))

    def _ask(self, cells: Sequence[CellQuery]) -> Iterator[tuple[CellQuery, CellResult]]:
        answers = None if self._elsewhere is None else self._elsewhere.settled(cells)
        if answers is not None:
            yield from answers
            return
        for _, group in groupby(cells, pair_of):
            yield from self.settled_of_pair(group)

    def _copies(self, copies: Sequence[Copy]) -> Iterable[tuple[CellQuery, Example | None]]:
        made = None if self._elsewhere is None else self._elsewhere.copied(copies)
        return ((copy[0], self.copied(*copy)) for copy in copies) if made is None else made

    def forget(self) -> None:
        """Forget who was preempted in the states of other cells."""
        self._seen.clear()

    def settled_of_pair(self, cells: Iterable[CellQuery]) -> Iterator[tuple[CellQuery, CellResult]]:
        """What is known of cells of one pair of ClusterQueues, whatever was solved before."""
        self._asked = self._whole = None
        self._seen.clear()
        listed = list(cells)
        few = FEW if self._is_small else FEW_IN_LARGE
        for cell in listed:
            adapted = self._adapted_example(cell)
            if adapted is None and self.selected(cell) == "sat":
                self._look_near([cell], NEAR_SEED, few)
            settled = self._settled(cell) if adapted is None else adapted
            if settled.example is not None:
                example, is_fewest = self.fewest(cell, settled.example)
                settled = replace(settled, example=example, is_fewest=is_fewest)
                self._note(cell, example)
            yield cell, settled

    def _note(self, cell: CellQuery, example: Example) -> None:
        if self._adapted is not None:
            self._adapted.note(cell, example)

    def _adapted_example(self, cell: CellQuery) -> CellResult | None:
        """An example made of that of another cell."""
        if self._adapted is None or cell in self._seen:
            return None
        found = self._example_of(cell, self._adapted.states_for(cell))
        return None if found is None else CellResult(CellVerdict.CAN, BY_EXAMPLE, found)

    def _settled(self, cell: CellQuery) -> CellResult:
        shown = self._seen_example(cell)
        if shown is not None:
            return CellResult(CellVerdict.CAN, BY_EXAMPLE, shown)
        selected = self.selected(cell)
        if selected != "sat":
            return self._never_selected(cell, selected)
        result = self.solved(cell)
        if result == "unsat":
            return self._never(cell)
        if result != "sat":
            return CellResult(CellVerdict.UNKNOWN, result)
        return self._by_values(cell)

    def selected(self, cell: CellQuery) -> str:
        """Whether a rule of a PreemptionConfig may select the victim: `sat`, `unsat`, or why neither.

        It is `sat` where the reason is a policy's, which `solved` is about.
        """
        if cell.reason != Reason.CONFIGURABLE_PREEMPTION:
            return "sat"
        if cell not in self._selections:
            facts = self._selection_proof.facts(cell)
            self._selections[cell] = answer_of_both(facts, self._cvc5, str(cell))
        return self._selections[cell]

    def _never_selected(self, cell: CellQuery, result: str) -> CellResult:
        if result != "unsat":
            return CellResult(CellVerdict.UNKNOWN, result)
        name = self.cluster.cluster_queues[cell.preemptor].preemption_config
        words = f"no rule of PreemptionConfig {name} selects such a workload, whatever labels both have"
        return CellResult(CellVerdict.NEVER, f"{words}: {self._proved}")

    def _never(self, cell: CellQuery) -> CellResult:
        """What a proof by quota settles; Kueue also preempts where a request fits and finds no place."""
        if self._is_placed(cell):
            return CellResult(CellVerdict.UNKNOWN, NO_TOPOLOGY)
        return CellResult(CellVerdict.NEVER, self._proved)

    def _is_placed(self, cell: CellQuery) -> bool:
        return has_topology(self.cluster.cluster_queues[cell.preemptor], self.cluster)

    def solved(self, cell: CellQuery) -> str:
        """The solvers' result for a cell, by the slice around it: `unsat`, `sat`, or why neither."""
        key = self._key(cell)
        if key not in self._answers:
            self._answers[key] = self._slice_solver(cell).both(Priorities(cell.high, cell.low), cell.reason)
        return self._answers[key]

    def narrowed(self, narrow: NarrowCell) -> CellResult:
        """What is proved of a cell with a condition on the victim, or found by a solver's values."""
        result = self.solved_narrowed(narrow)
        if result == "unsat":
            return self._never(narrow.cell)
        if result != "sat":
            return CellResult(CellVerdict.UNKNOWN, result)
        key = (self._key(narrow.cell), narrow.narrowing, narrow.longest)
        if key in self._shown:
            twin, example = self._shown[key]
            copied = self.copied(narrow.cell, twin, example)
            if copied is not None and narrow.is_shown(copied, self._tree):
                return CellResult(CellVerdict.CAN, BY_TWIN, copied)
        found = self._narrow_example(narrow)
        settled = self._narrowed_by_values(narrow) if found is None else found
        if settled.example is not None:
            self._shown[key] = narrow.cell, settled.example
        return settled

    def never_narrowed(self, narrow: NarrowCell) -> CellResult | None:
        """That a cell with a condition never can, where what holds of its victim alone excludes it."""
        is_own = narrow.cell.preemptor == narrow.cell.victim
        if self._plan is not None or is_own or narrow.narrowing != Narrowing.WITHIN:
            return None
        key = (self._key(narrow.cell), narrow.narrowing, narrow.longest)
        if key not in self._narrowed:
            if self._relaxed_solver(narrow.cell).both_narrowed(narrow) != "unsat":
                return None
            self._narrowed[key] = "unsat"
        return self._never(narrow.cell) if self._narrowed[key] == "unsat" else None

    def _narrow_example(self, narrow: NarrowCell) -> CellResult | None:
        """An example among random states near the cell, which is found sooner than values of a whole tree."""
        states, is_state = self._states_of(narrow.cell), still_in_scope(self._tree, self._scope)
        for draw, most in FEW_NARROW if self._plan is None else ((CrowdedStates.near, NEAR_STATES),):
            dice = random.Random(NEAR_SEED + 2)
            for _ in range(most):
                for cell, example in draw(states, dice, narrow.cell):
                    if cell == narrow.cell and narrow.is_shown(example, self._tree):
                        small = smaller_shown(narrow, example, self._tree, states.decided, is_state)
                        if self._replays.is_replayed(cell, small):
                            return CellResult(CellVerdict.CAN, BY_EXAMPLE, small)
        return None

    def _narrowed_by_values(self, narrow: NarrowCell) -> CellResult:
        if self._plan is not None:  # solvers give no values for trees with heroes
            return CellResult(CellVerdict.UNKNOWN, NO_EXAMPLE)
        if not self._is_small:
            return CellResult(CellVerdict.UNKNOWN, TOO_LARGE)
        return self._narrowed_in_tree(narrow)

    def solved_narrowed(self, narrow: NarrowCell) -> str:
        """As `solved`, of a cell with a condition on the victim."""
        key = (self._key(narrow.cell), narrow.narrowing, narrow.longest)
        if key not in self._narrowed:
            self._narrowed[key] = self._slice_solver(narrow.cell).both_narrowed(narrow)
        return self._narrowed[key]

    def _narrowed_in_tree(self, narrow: NarrowCell) -> CellResult:
        cell = narrow.cell
        solver = self._whole_solver(cell)
        result = solver.both_narrowed(narrow)
        if result == "unsat":
            return self._never(cell)
        if result != "sat":
            return CellResult(CellVerdict.UNKNOWN, result)
        self._seen.clear()  # what was seen may not meet the condition
        priorities = Priorities(cell.high, cell.low)
        for model in solver.models(priorities, cell.reason, solver.pair.narrowed(narrow)):
            found = self._example_in(cell, self._requests_of(solver, cell, model))
            if found is not None and narrow.is_shown(found, self._tree):
                return CellResult(CellVerdict.CAN, BY_MODEL, found)
        return CellResult(CellVerdict.UNKNOWN, NO_REPLAY)

    def fewest(self, cell: CellQuery, example: Example) -> tuple[Example, bool]:
        """An example with as few victims as are found, and whether it is known that there are no fewer."""
        if self._plan is not None or not self._counts_victims or self._is_placed(cell):
            return example, example.victims == 1
        if example.victims > 1:
            example = self._drawn_alone(cell) or example
        if example.victims > 1 and self._said_alone(cell) != "unsat":
            example = self._example_alone(cell) or example
        return example, example.victims == 1 or (example.victims == 2 and self._said_alone(cell) == "unsat")

    def _said_alone(self, cell: CellQuery) -> str:
        """As `solved`, of a victim that alone is preempted."""
        key = self._key(cell)
        if key not in self._alone:
            solver = self._slice_solver(cell)
            condition = solver.pair.of_one_victim()
            self._alone[key] = solver.both(Priorities(cell.high, cell.low), cell.reason, condition)
        return self._alone[key]

    def _drawn_alone(self, cell: CellQuery) -> Example | None:
        """An example with one victim among random states that may well hit the cell."""
        states = self._states_of(cell)
        for draw, most in FEW_ALONE:
            dice = random.Random(NEAR_SEED + 2)
            hits = chain.from_iterable(draw(states, dice, cell) for _ in range(most))
            alone = (example for found, example in hits if found == cell and example.victims == 1)
            small = (made_small(cell, example, states.decided) for example in alone)
            found = next((example for example in small if self._replays.is_replayed(cell, example)), None)
            if found is not None:
                return found
        return None

    def _example_alone(self, cell: CellQuery) -> Example | None:
        solver = self._slice_solver(cell)
        found = self._modelled(cell, solver, solver.pair.of_one_victim(), most=1)
        found = found or self._enumerated(cell, most=1)
        if found is not None or not self._is_small:
            return found
        solver = self._whole_solver(cell)
        return self._modelled(cell, solver, solver.pair.of_one_victim(), most=1)

    def _enumerated(self, cell: CellQuery, most: int = MOST_VICTIMS) -> Example | None:
        """An example among all small states whose amounts may decide, with so many victims at most."""
        return smallest_example(self.cluster, self._reading, cell, most=most)

    # -- what is the same ---------------------------------------------------------------------------------

    def _key(self, cell: CellQuery) -> Key:
        if self.cluster.cluster_queues[cell.preemptor].preemption_config is not None:
            return (cell,)  # two ClusterQueues or priorities may differ in what rules select
        basis = self._basis(cell.preemptor, cell.victim, cell.high, cell.low)
        if self._plan is not None:  # of which nodes heroes change the quotas is not in the shape
            return (*pair_of(cell), basis.get_id(), cell.reason)
        _, shape = self._slice(cell)
        return (shape, basis.get_id(), cell.reason)

    def _slice(self, cell: CellQuery) -> tuple[Tree, Key]:
        names = cell.preemptor, cell.victim
        if names not in self._slices:
            cut = slice_of(self._tree, *(self._tree.places[name] for name in names))
            self._slices[names] = cut, (self._terms_key(cell.preemptor), _shape(cut, names))
        return self._slices[names]

    def _terms(self, name: str) -> PreemptionTerms:
        return terms_of(self.cluster.cluster_queues[name], self.cluster.settings, self._reading)

    def _terms_key(self, name: str) -> PreemptionTerms:
        return replace(self._terms(name), cluster_queue="")

    def _basis(self, preemptor: str, victim: str, high: int, low: int) -> Any:
        """KQ-300 between the two, of arbitrary evidence and stamps."""
        own = preemptor == victim
        kin = kin_between(self._plan, *(self._tree.places[name] for name in (preemptor, victim)))
        key = (self._terms_key(preemptor), own, kin, high, low)
        if key not in self._bases:
            arguments = arguments_of_basis(self._terms(preemptor), Priorities(high, low), kin)
            formula = Claim(self._reading, self._traces).lift(basis_for)(*arguments)
            known = z3.substitute(
                formula.call.formula.value,
                (z3.Bool("V.cluster_queue?"), z3.BoolVal(True)),
                (z3.Int("V.cluster_queue"), z3.IntVal(0)),
                (z3.Int("T.cluster_queue"), z3.IntVal(0 if own else 1)),
            )
            self._bases[key] = z3.simplify(known)
        return self._bases[key]

    def copied(self, cell: CellQuery, twin: CellQuery, example: Example) -> Example | None:
        """The example of a cell like this one, with ClusterQueues and priorities exchanged, if it is one."""
        names = {twin.preemptor: cell.preemptor, twin.victim: cell.victim}
        names |= {new: old for old, new in list(names.items()) if new not in names}
        if len(set(names.values())) < len(names):
            return None
        levels = {twin.high: cell.high, twin.low: cell.low}
        running = tuple(
            replace(
                workload,
                cluster_queue=names.get(workload.cluster_queue or "", workload.cluster_queue),
                priority=levels.get(workload.priority, workload.priority),
            )
            for workload in example.request.cluster.admitted
        )
        request = replace(
            example.request,
            cluster=replace(example.request.cluster, admitted=running),
            preemptor=example.request.preemptor.with_priority(cell.high),
            queue=cell.preemptor,
        )
        return self._example_in(cell, [request])

    # -- solvers ------------------------------------------------------------------------------------------

    def _slice_solver(self, cell: CellQuery) -> BothSolvers:
        if self._asked is None or not self._asked.is_about(cell):
            self._asked = (
                self._solver_of_heroes(cell) if self._plan else self._solver(cell, self._slice(cell)[0])
            )
        return self._asked

    def _relaxed_solver(self, cell: CellQuery) -> BothSolvers:
        if self._relaxed is None or not self._relaxed.is_about(cell):
            pair = self._pair(VictimAlone, cell, self._slice(cell)[0])
            self._relaxed = BothSolvers(pair, pair_of(cell), self._cvc5)
        return self._relaxed

    def _by_values(self, cell: CellQuery) -> CellResult:
        """An example by values of the slice, then of random and small states, then of the whole tree."""
        rounds = 1 if self._is_small else 2
        found = None if self._plan else self._modelled(cell, self._slice_solver(cell), rounds=rounds)
        if found is not None:
            return CellResult(CellVerdict.CAN, BY_MODEL, found)
        self._look_near([cell], NEAR_SEED + 1, MANY)
        shown = self._seen_example(cell)
        if shown is not None:
            return CellResult(CellVerdict.CAN, BY_EXAMPLE, shown)
        if self._plan is not None:
            return self._by_enumeration(cell, NO_EXAMPLE)
        return self._by_whole_tree(cell) if self._is_small else self._by_enumeration(cell, TOO_LARGE)

    @property
    def _is_small(self) -> bool:
        """Whether solvers get the tree as a whole."""
        return len(self._tree.places) <= LARGEST_TREE

    def _by_whole_tree(self, cell: CellQuery) -> CellResult:
        solver = self._whole_solver(cell)
        result = solver.both(Priorities(cell.high, cell.low), cell.reason)
        if result == "unsat":
            return self._never(cell)
        if result != "sat":
            return self._by_enumeration(cell, result)
        found = self._modelled(cell, solver)
        if found is not None:
            return CellResult(CellVerdict.CAN, BY_MODEL, found)
        return self._by_enumeration(cell, NO_REPLAY)

    def _modelled(
        self,
        cell: CellQuery,
        solver: BothSolvers,
        condition: tuple[z3.BoolRef, ...] = (),
        most: int = MOST_VICTIMS,
        rounds: int = 2,
    ) -> Example | None:
        """An example of which a solver finds the quantities, with so many victims at most."""
        for model in solver.models(Priorities(cell.high, cell.low), cell.reason, condition, rounds):
            found = self._example_in(cell, self._requests_of(solver, cell, model))
            if found is not None and found.victims <= most:
                return found
        return None

    def _by_enumeration(self, cell: CellQuery, why_not: str) -> CellResult:
        found = self._enumerated(cell)
        if found is None:
            return CellResult(CellVerdict.UNKNOWN, why_not)
        return CellResult(CellVerdict.CAN, BY_ENUMERATION, found)

    def _whole_solver(self, cell: CellQuery) -> BothSolvers:
        if self._whole is None or not self._whole.is_about(cell):
            self._whole = self._solver(cell, self._tree)
        return self._whole

    def _requests_of(
        self, solver: BothSolvers, cell: CellQuery, model: z3.ModelRef
    ) -> Iterator[DecideRequest]:
        made = requests_of(solver.pair, self._tree, self.cluster, self._reading, cell, model)
        known = selections_of(self.cluster)
        if known is None:
            return made
        return (labelled for request in made for labelled in known.selected(request, cell))

    def _look_near(self, cells: Sequence[CellQuery], seed: int, draws: Sequence[tuple[Draw, int]]) -> None:
        """See who is preempted in random states that may well hit a cell, until one does; at most so many."""
        for draw, most in draws:
            dice = random.Random(seed)
            for cell in cells:
                drawn = 0
                while drawn < most and cell not in self._seen:
                    drawn += 1
                    for found, example in draw(self._states_of(cell), dice, cell):
                        self._seen.setdefault(found, example)

    def _states_of(self, cell: CellQuery) -> CrowdedStates:
        levels = tuple(
            PriorityLevel("", priority) for priority in sorted({cell.low, cell.high, cell.low - 1})
        )
        if levels not in self._near_states:
            states = CrowdedStates(self.cluster, self._tree, self._reading, levels, self._scope)
            self._near_states[levels] = states
        return self._near_states[levels]

    def _seen_example(self, cell: CellQuery) -> Example | None:
        """An example that was seen, made small, if it is still one as manifests."""
        if cell not in self._seen:
            return None
        is_state = still_in_scope(self._tree, self._scope)
        small = made_small(cell, self._seen.pop(cell), self._states_of(cell).decided, is_state)
        return small if self._replays.is_replayed(cell, small) else None

    def _example_in(self, cell: CellQuery, requests: Iterable[DecideRequest]) -> Example | None:
        """As `_example_of`, of those that are in scope."""
        in_scope = (known for known in requests if is_in_scope(known, self._tree, self._scope))
        return self._example_of(cell, in_scope)

    def _example_of(self, cell: CellQuery, requests: Iterable[DecideRequest]) -> Example | None:
        """The first of some states in which the cell's victim is preempted, made small."""
        for request in requests:
            for found, example in hits_of(request, self._states_of(cell).decided(request)):
                self._seen.setdefault(found, example)
            if cell in self._seen:
                return self._seen_example(cell)
        return None

    def _solver_of_heroes(self, cell: CellQuery) -> BothSolvers:
        assert self._plan is not None
        names = pair_of(cell)
        pair = HeroPair(self.cluster, self._plan, names, self._reading, self._traces, self._scope)
        return BothSolvers(pair, names, self._cvc5)

    def _solver(self, cell: CellQuery, tree: Tree) -> BothSolvers:
        return BothSolvers(self._pair(Pair, cell, tree), pair_of(cell), self._cvc5)

    def _pair(self, kind: type[Pair], cell: CellQuery, tree: Tree) -> Pair:
        by_config = cell.reason == Reason.CONFIGURABLE_PREEMPTION
        cluster, reading = self.cluster, self._reading
        return kind(cluster, tree, pair_of(cell), reading, self._traces, self._scope, by_config=by_config)


class BothSolvers:
    """Both solvers about one pair.

    Args:
        pair: the pair.
        names: of the two ClusterQueues.
        cvc5: the second solver; None without one.
    """

    def __init__(self, pair: Pair, names: tuple[str, str], cvc5: Cvc5 | None) -> None:
        self.pair, self.names, self._cvc5 = pair, names, cvc5

    def both_narrowed(self, narrow: NarrowCell) -> str:
        """As `both`, of a cell with a condition on the victim."""
        cell = narrow.cell
        return self.both(Priorities(cell.high, cell.low), cell.reason, self.pair.narrowed(narrow))

    def both(self, priorities: Priorities, reason: Reason, condition: tuple[z3.BoolRef, ...] = ()) -> str:
        """`unsat` if both find that, `sat`, or why neither; a condition is added."""
        facts = self._asked(priorities, reason, condition)
        return answer_of_both(facts, self._cvc5, f"{self.names}, {priorities}, {reason.label}")

    def is_about(self, cell: CellQuery) -> bool:
        """Whether a cell is one of the pair, and named by a policy or selected by a rule as the pair is."""
        by_config = cell.reason == Reason.CONFIGURABLE_PREEMPTION
        return (self.names, self.pair.by_config) == (pair_of(cell), by_config)

    def models(
        self,
        priorities: Priorities,
        reason: Reason,
        condition: tuple[z3.BoolRef, ...] = (),
        rounds: int = 2,
    ) -> Iterator[z3.ModelRef]:
        """Values that satisfy all facts, in each of which something else is in use, small ones first.

        In the first round they are of states in which none but the victim leaves; in the second any.
        """
        solver = _new_solver()
        solver.add(*self._asked(priorities, reason, condition))
        for more, most in ((self.pair.calm, FEW_MODELS), ((), MOST_MODELS))[:rounds]:
            solver.push()
            solver.add(*more)
            yield from self._small_models(solver, most)
            solver.pop()

    def _small_models(self, solver: z3.Solver, most: int) -> Iterator[z3.ModelRef]:
        if solver.check() != z3.sat:
            return
        size = sum((term for term in self.pair.sizes), z3.IntVal(0))
        bound, found = 4, 0
        while found < most and bound < 2**62:
            solver.push()
            solver.add(size <= bound)
            model = solver.model() if solver.check() == z3.sat else None
            solver.pop()
            if model is None:
                bound *= 4
                continue
            found += 1
            yield model
            solver.add(z3.Or([term != model.eval(term, True) for term in self.pair.sizes]))

    def _asked(
        self, priorities: Priorities, reason: Reason, condition: tuple[z3.BoolRef, ...]
    ) -> tuple[z3.BoolRef, ...]:
        question = self.pair.question(priorities, reason)  # which defines names of its own
        return (*self.pair.definitions, *self.pair.facts, *question, *condition)


def answer_of_both(facts: tuple[z3.BoolRef, ...], cvc5: Cvc5 | None, about: str) -> str:
    """`unsat` if both solvers find that, `sat`, or why neither.

    Args:
        facts: what must hold.
        cvc5: the second solver; None without one.
        about: what the facts are about.
    """
    # Each question has a solver of its own: one that goes on from question to question skips what makes
    # a single one small, and takes three times as long.
    solver = _new_solver()
    solver.add(*facts)
    result = str(solver.check())
    if result != "unsat":
        return result if result == "sat" else "Z3 has no answer within its budget"
    if cvc5 is None:
        return result
    other = cvc5.ask(Asked(facts, BUDGET))
    if other == "sat":
        raise AssertionError(f"Z3 finds unsat and cvc5 sat for {about}")
    return other if other == "unsat" else f"cvc5 has no answer: {other}"


def _new_solver() -> z3.Solver:
    solver = z3.SolverFor("QF_LIA")
    # An answer takes milliseconds; a Control-C that Z3 took for itself would end no more than one of them.
    solver.set("rlimit", BUDGET.z3, "ctrl_c", False)
    return solver


def pair_of(cell: CellQuery) -> tuple[str, str]:
    """The ClusterQueues of a cell."""
    return cell.preemptor, cell.victim


def _leaves(term: Any) -> set[Basis]:
    """The values that a formula might have."""
    if z3.is_int_value(term):
        return {Basis(term.as_long())}
    if z3.is_app_of(term, z3.Z3_OP_ITE):
        return _leaves(term.children()[1]) | _leaves(term.children()[2])
    return set(Basis)


def _shape(tree: Tree, names: tuple[str, str]) -> Key:
    """All of a slice that decides, without names."""
    return tuple(
        (
            node.path,
            tuple(sorted(node.quotas.items())),
            node.weight,
            node.height,
            node.queue is not None and bool(node.queue.inactive),
            tuple(node.name == name for name in names),
        )
        for node in tree.nodes
    )
