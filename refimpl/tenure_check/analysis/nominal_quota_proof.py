"""Whether a request within nominal quota always gets it, from the reference's rules.

A classical search gives every candidate a turn, and usage only falls meanwhile. So where the request does
not fit in the end, no ClusterQueue whose workloads may be preempted still exceeds its quota of something
needed together with every cohort between it and the common one: of its workloads one would be a candidate
that stands. Both solvers search a state that is so and in which the request does not fit all the
same; the walks are the reference's own code.

First they get a slice: the ClusterQueue's own path, those of inactive ones, and the others of
each node as one. A Cohort that exceeds its quota has a child that exceeds its own, and so down to a
ClusterQueue: children within their quotas pass up at most what they lend (PO-AN-230), which is part of the
Cohort's quota. So where no ClusterQueue stands, no other child of a node on the path exceeds its quota, and
neither do the others together.

The tiers of a PreemptionConfig follow that search, and only remove more: where a rule selects every workload
of a ClusterQueue, none that uses what is needed is left there. What other rules remove is not counted on.
"""

from __future__ import annotations

from collections.abc import Iterator

import z3

from tenure.model import Basis, Cluster, ClusterQueue, Evidence, FlavorMode, Kin, Workload
from tenure.oracle.assignment import PODS
from tenure.oracle.tree import Tree, common_place, quota_at
from tenure.readings import Reading
from tenure.rules.eligibility import basis_for
from tenure_check.analysis.admissions import has_heroes
from tenure_check.analysis.encoding import Pair, record_of, symbolic_terms
from tenure_check.analysis.prover import BUDGET, LARGEST_TREE
from tenure_check.analysis.selections import takes_all
from tenure_check.analysis.symbolic_execution import term_of
from tenure_check.analysis.tree_slices import slice_of
from tenure_proofs.solvers import Cvc5
from tenure_proofs.solvers import Question as Asked
from tenure_proofs.trusted.symbols import SymInt


class ServedQueue(Pair):
    """A ClusterQueue in its tree at two moments: at the start of a search, and when all have had their turn.

    Args:
        cluster, tree, reading: see `Pair`.
        name: of the ClusterQueue.
    """

    def __init__(self, cluster: Cluster, tree: Tree, name: str, reading: Reading) -> None:
        other = next((known for known in sorted(tree.places) if known != name), name)
        super().__init__(cluster, tree, (name, other), reading, {})
        self._cluster, self._name = cluster, name

    def unserved(self) -> tuple[z3.BoolRef, ...]:
        """Facts of a state in which the request is within nominal quota and does not get it."""
        return (*self._of_all_states(), *self._within_nominal(), *self._nothing_left(), self._not_served())

    def _within_nominal(self) -> Iterator[z3.BoolRef]:
        for at, amount in self.request.items():
            used = self._term("start", self.p, at)
            nominal = quota_at(self.tree, self.p, at).nominal
            yield z3.Implies(amount.term > 0, used + amount.term <= nominal)
        yield z3.Or([amount.term > 0 for amount in self.request.values()])

    def _nothing_left(self) -> Iterator[z3.BoolRef]:
        """In the end no ClusterQueue stands whose workloads may be preempted, if rules allow it at all."""
        yield from self._of_a_candidate()
        yield from self._nothing_left_by_rules()
        for place in self.queues:
            if place == self.p:
                if not takes_all(self._cluster, self._name, self._name):
                    yield from (
                        self._term("start", place, at) == self._term("turn", place, at) for at in self.request
                    )
            elif not self._is_inactive(place):
                advantage = term_of(self._advantage[common_place(self.tree, place, self.p)])
                stands = z3.And(advantage, self._may_be_preempted())
                yield z3.Implies(stands, z3.Not(self._all_exceed("turn", place)))

    def _nothing_left_by_rules(self) -> Iterator[z3.BoolRef]:
        """Whoever uses what is needed has left a ClusterQueue all of whose workloads a rule selects."""
        for place in self.queues:
            name = self.tree.nodes[place].name
            known = name in self._cluster.cluster_queues and not self._is_inactive(place)
            if known and takes_all(self._cluster, self._name, name):
                for at in self.held_at(place):
                    yield z3.Implies(self._is_needed(at), self._term("turn", place, at) == 0)

    def _of_a_candidate(self) -> Iterator[z3.BoolRef]:
        """Any running workload of another ClusterQueue, with the evidence that a search has of it."""
        now = z3.Int("now")
        yield z3.And(now >= 0, z3.Int("P.created_at") >= 0, z3.Int("P.created_at") <= now)
        yield z3.And(z3.Int("V.created_at") >= 0, z3.Int("V.created_at") <= now)
        yield z3.Bool("V.cluster_queue?")
        yield z3.Int("V.cluster_queue") != z3.Int("T.cluster_queue")
        yield z3.And(z3.Bool("E.over_quota"), z3.Bool("E.advantage"))

    def _may_be_preempted(self) -> z3.BoolRef:
        """Whether rules allow it of any workload over quota over which the preemptor has an advantage."""
        basis = self._folds.of(basis_for)(
            record_of("P", Workload),
            record_of("V", Workload),
            record_of("E", Evidence),
            symbolic_terms(self.terms),
            SymInt(z3.Int("now")),
            Kin(),
        )
        if isinstance(basis, Basis):
            return z3.BoolVal(basis == Basis.HIERARCHICAL)
        return term_of(basis == Basis.HIERARCHICAL)

    def _not_served(self) -> z3.BoolRef:
        """No flavor at all, or one that is needed and does not fit in the end."""
        no_flavor = [term_of(mode == FlavorMode.NO_FIT) for mode in self._modes.values()]
        needed = z3.Or([self._is_needed(at) for at in self._searched])
        fits = [self._all_fit("turn", may_borrow=may_borrow) for may_borrow in (False, True)]
        return z3.Or(*no_flavor, z3.And(needed, z3.Not(z3.And(fits))))


def why_not_proved(cluster: Cluster, tree: Tree, name: str, reading: Reading, cvc5: Cvc5) -> str:
    """Why it is not proved that a request within a ClusterQueue's nominal quota always gets it.

    Args:
        cluster: the configuration.
        tree: of the ClusterQueue; without ages and boosts, see `why_uncovered`.
        name: of the ClusterQueue.
        reading: see `tenure.readings`.
        cvc5: the second solver.

    Returns:
        empty where both solvers prove it.
    """
    place = tree.places[name]
    queue = tree.nodes[place].queue
    assert queue is not None
    if queue.inactive:
        return f"ClusterQueue/{name} is inactive: {queue.inactive}"
    uncovered = _why_not_covered(cluster, tree, queue)
    if uncovered:
        return f"not covered yet: {uncovered}"
    inactive = (node.place for node in tree.nodes if node.queue is not None and node.queue.inactive)
    why = _why_not_proved_of(cluster, slice_of(tree, place, *inactive), name, reading, cvc5)
    if why and len(tree.places) <= LARGEST_TREE:
        why = _why_not_proved_of(cluster, tree, name, reading, cvc5)
    if why and queue.preemption_config is not None:
        config = f"PreemptionConfig {queue.preemption_config}"
        return f"by its policies alone it is not proved, and what {config} adds to it is not proved"
    return why


def _why_not_proved_of(cluster: Cluster, tree: Tree, name: str, reading: Reading, cvc5: Cvc5) -> str:
    served = ServedQueue(cluster, tree, name, reading)
    facts = served.unserved()
    question = (*served.definitions, *facts)
    solver = z3.SolverFor("QF_LIA")
    solver.set("rlimit", BUDGET.z3)
    solver.add(*question)
    result = str(solver.check())
    if result != "unsat":
        return (
            "solvers find quantities, no state was found"
            if result == "sat"
            else "Z3 has no answer within its budget"
        )
    other = cvc5.ask(Asked(question, BUDGET))
    if other == "sat":
        raise AssertionError(f"Z3 finds unsat and cvc5 sat for what {name} reaches")
    return "" if other == "unsat" else f"cvc5 has no answer: {other}"


def _why_not_covered(cluster: Cluster, tree: Tree, queue: ClusterQueue) -> str:
    if has_heroes(tree):
        return "a hero is in the tree, whose bills and lending change quotas"
    if cluster.settings.fair_sharing is not None:
        return "fair sharing, under which not every candidate has a turn"
    if any(len(group.flavors) > 1 for group in queue.resource_groups):
        return f"several flavors of a resource, in ClusterQueue/{queue.name}"
    if any(at.resource == PODS for at in tree.nodes[tree.places[queue.name]].quotas):
        return f"a quota of pods, in ClusterQueue/{queue.name}"
    return ""
