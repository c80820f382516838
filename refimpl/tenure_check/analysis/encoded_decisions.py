"""Decisions as they were made, laid before the encoding: every quantity is fixed to what it was (lemma W2).

No search for values is involved, so an encoding that excludes what happens is found by the first
decision that it refuses, also where random states hit the cell before solvers get it. Whole trees and
slices are treated alike. What the other children of a node come to is counted here on the whole tree, not by
the code that cuts the slice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import z3

from tenure.model import Amount, Cluster, FlavorResource, Reason, Target
from tenure.oracle.decide import Decision
from tenure.oracle.heroes.effective import effective_usage
from tenure.oracle.heroes.held import held_by
from tenure.oracle.heroes.plan import plan_heroes
from tenure.oracle.tree import NO_QUOTA, Node, Tree, Usage, total_usage
from tenure.readings import Reading
from tenure.rules.quota import usage_passed_up
from tenure_check.analysis.encoding import Pair, Priorities
from tenure_check.analysis.heroes import HeroPair, kind_and_name
from tenure_check.analysis.scopes import CellSides
from tenure_check.analysis.selection_proof import SelectionProof
from tenure_check.analysis.states import STAMPS, CellQuery, PriorityLevel
from tenure_check.analysis.symbolic_execution import term_of
from tenure_check.analysis.tree_slices import slice_of
from tenure_check.choices import Scope
from tenure_proofs.trusted.claim import Traces

Counted: TypeAlias = tuple[Tree, Usage]

LEVELS = tuple(PriorityLevel(str(priority), priority) for priority in range(4))
"""Of the workloads in random states."""


class Runs:
    """Lays decisions of one tree before the encodings of that tree and of its slices.

    Args:
        cluster, tree, reading: the configuration.
        pairs: of how many pairs of ClusterQueues at most.
        count: gets what was done.
        scope: of which states the encodings are.
    """

    def __init__(
        self,
        cluster: Cluster,
        tree: Tree,
        reading: Reading,
        pairs: int,
        count: Counter[str],
        scope: Scope = Scope.CONSISTENT,
    ) -> None:
        self._scope = scope
        self._cluster, self._tree, self._reading = cluster, tree, reading
        self._most, self._count = pairs, count
        self._plan = plan_heroes(tree, reading)
        self._traces: Traces = {}
        self._laid: set[tuple[object, ...]] = set()
        self._selected: set[CellSides] = set()
        self._pairs: dict[tuple[str, str, bool, bool], Pair] = {}

    def refused(self, decision: Decision, target: Target) -> Iterator[str]:
        """Which encodings refuse that a decision preempts this victim.

        Of victims that have both ClusterQueues, the reason, and whether others were removed before them in
        common, the first one is used.
        """
        run = _Run(decision, target)
        names = decision.queue.name, target.workload.cluster_queue or ""
        kind = (*names, target.reason, bool(run.before))
        by_config = target.reason == Reason.CONFIGURABLE_PREEMPTION
        sides = names[0], decision.preemptor.priority, names[1], target.workload.priority
        if by_config and sides not in self._selected:
            self._selected.add(sides)
            if not self._is_selected(decision, target):
                yield f"the selection of {names[0]} and {names[1]} refuses a decision"
        is_new_pair = (*names, True, by_config) not in self._pairs
        if kind in self._laid or (is_new_pair and len(self._pairs) >= 2 * self._most):
            return
        self._laid.add(kind)
        for sliced in (True,) if self._plan else (False, True):
            self._count["decisions accepted"] += 1
            if not _holds(self._pair(names, by_config, sliced=sliced), run):
                what = "slice" if sliced else "encoding"
                yield f"the {what} of {names[0]} and {names[1]} refuses a decision: {target.reason.label}"

    def _is_selected(self, decision: Decision, target: Target) -> bool:
        """Whether the rules may select a victim that has the labels of this one."""
        high, low = decision.preemptor.priority, target.workload.priority
        cell = CellQuery(decision.queue.name, high, target.workload.cluster_queue or "", low, target.reason)
        proof = SelectionProof(self._cluster, self._reading, self._traces)
        solver = z3.Solver()
        solver.add(*proof.facts(cell))
        solver.add(*proof.having("P", decision.preemptor), *proof.having("V", target.workload))
        return bool(solver.check() == z3.sat)

    def _pair(self, names: tuple[str, str], by_config: bool, *, sliced: bool) -> Pair:
        key = (*names, sliced, by_config)
        if key not in self._pairs:
            if self._plan is not None:
                plan, traces = self._plan, self._traces
                self._pairs[key] = HeroPair(self._cluster, plan, names, self._reading, traces, self._scope)
                return self._pairs[key]
            places = (self._tree.places[name] for name in names)
            tree = slice_of(self._tree, *places) if sliced else self._tree
            self._pairs[key] = Pair(
                self._cluster,
                tree,
                names,
                self._reading,
                self._traces,
                scope=self._scope,
                by_config=by_config,
            )
        return self._pairs[key]


@dataclass(frozen=True, slots=True)
class _Run:
    """One victim of a decision."""

    decision: Decision
    target: Target

    @property
    def before(self) -> frozenset[str]:
        """Keys of those removed before the victim's turn."""
        removed = self._removed
        return frozenset(removed[: removed.index(self.target.workload.key)])

    @property
    def _removed(self) -> list[str]:
        assert self.decision.selection is not None
        return [candidate.workload.key for candidate in self.decision.selection.removed]

    def usage(self) -> Mapping[str, Counted]:
        """What was in use at every node of the whole tree, by moment, and the tree with its quotas then."""
        assert self.decision.selection is not None
        # At the victim's turn those removed before it have not come back yet.
        gone = self.before | {candidate.workload.key for candidate in self.decision.selection.kept}
        left = {"start": frozenset[str](), "turn": self.before, "final": gone}
        return {moment: self._without(keys) for moment, keys in left.items()}

    def _without(self, keys: frozenset[str]) -> Counted:
        snapshot = self.decision.snapshot
        if snapshot.heroes is not None and not self.decision.terms.hero:
            left = {
                place: tuple(workload for workload in running if workload.key not in keys)
                for place, running in snapshot.running.items()
            }
            then = effective_usage(snapshot.heroes, held_by(left, snapshot.heroes.branch_of))
            return then.tree, then
        tree = snapshot.tree if snapshot.heroes is None else snapshot.heroes.tree
        held: dict[int, Counter[FlavorResource]] = {}
        for place, running in self.decision.snapshot.running.items():
            held[place] = Counter()
            for workload in running:
                held[place].update({} if workload.key in keys else dict(workload.usage))
        return tree, total_usage(tree, held)


def _holds(pair: Pair, run: _Run) -> bool:
    """Whether the facts of a pair hold of a run."""
    priorities = Priorities(run.decision.preemptor.priority, run.target.workload.priority)
    question = pair.question(priorities, run.target.reason)
    if len(run.decision.targets) == 1:
        question += pair.of_one_victim()
    solver = z3.SolverFor("QF_LIA")
    solver.add(*pair.definitions, *pair.facts, *question)
    solver.add(*_quantities(pair, run), *_facts_of_workloads(pair, run))
    return bool(solver.check() == z3.sat)


def _quantities(pair: Pair, run: _Run) -> Iterator[z3.BoolRef]:
    """What was in use at every node of the pair's tree, what is requested and what the victim holds."""
    whole = run.decision.snapshot.tree
    kept = {
        index
        for place in (pair.p, pair.v)
        for index in whole.nodes[whole.places[pair.tree.nodes[place].name]].path
    }
    for moment, (counted, usage) in run.usage().items():
        if isinstance(pair, HeroPair):
            yield from _quotas(pair, moment, counted)
        for node in pair.tree.nodes:
            for at in node.quotas if node.queue is None else pair.held_at(node.place):
                amount = _amount(counted, usage, kept, pair.tree, node, at)
                yield z3.IntVal(amount) == term_of(pair.used(moment, node.place, at))
    requested = run.decision.assignment.usage
    yield from (amount.term == requested.get(at, 0) for at, amount in pair.request.items())
    held = run.target.workload.usage
    yield from (amount.term == held.get(at, 0) for at, amount in pair.victim.items())


def _quotas(pair: HeroPair, moment: str, counted: Tree) -> Iterator[z3.BoolRef]:
    """What the quotas were at a moment, of every node that is not others in a slice."""
    whole = {kind_and_name(node): node for node in counted.nodes}
    for node in pair.trees[moment].nodes:
        known = whole.get(kind_and_name(node))
        if known is None:
            continue
        for at, quota in node.quotas.items():
            found = known.quotas.get(at, NO_QUOTA)
            for name in ("nominal", "subtree", "local", "borrowing_limit"):
                symbolic, actual = getattr(quota, name), getattr(found, name)
                if symbolic is None or actual is None:
                    assert symbolic is actual
                else:
                    yield z3.IntVal(actual) == term_of(symbolic)


def _amount(whole: Tree, usage: Usage, kept: set[int], part: Tree, node: Node, at: FlavorResource) -> Amount:
    """What was in use at a node of a slice: of the others of a node, all that they passed up to it."""
    if node.queue is None:
        return usage[_cohort(whole, node.name).place].get(at, 0)
    if node.name in whole.places:
        return usage[whole.places[node.name]].get(at, 0)
    assert node.parent is not None
    above = _cohort(whole, part.nodes[node.parent].name)
    others = [index for index in (*above.queues, *above.cohorts) if index not in kept]
    return sum(
        usage_passed_up(whole.nodes[index].quotas.get(at, NO_QUOTA), usage[index].get(at, 0))
        for index in others
    )


def _cohort(tree: Tree, name: str) -> Node:
    return next(node for node in tree.nodes if node.queue is None and node.name == name)


def _facts_of_workloads(pair: Pair, run: _Run) -> Iterator[z3.BoolRef]:
    decision = run.decision
    assert decision.selection is not None
    if not pair.terms.fair_sharing:
        yield z3.Bool("without borrowing") == (not decision.selection.may_borrow)
    yield z3.Int("now") == decision.now
    for name, workload in (("P", decision.preemptor), ("V", run.target.workload)):
        for stamp in STAMPS:
            known = getattr(workload, stamp)
            if stamp != "created_at":
                yield z3.Bool(f"{name}.{stamp}?") == (known is not None)
            if known is not None:
                yield z3.Int(f"{name}.{stamp}") == known
