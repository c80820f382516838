"""One pair of ClusterQueues of a tree: what holds of every decision in which one preempts the other.

Usage has values at several moments, each an integer for every ClusterQueue and flavor-resource:
`start`; `turn`, when the victim's turn comes; `back`, when the search checks whether the victim may keep its
quota after all, with the victim; `final`, the same without it; under fair sharing `charged`, that is `turn`
with the request, and `less`, that is `charged` without the victim. Lemma W2: every target of a decision
satisfies all facts of a question here. So where both solvers find no values, no state has such a target,
whatever runs.

Two facts are about consistent states only, and are left out where quotas may have been edited while workloads
ran: that nothing less than zero is available at any node, and what follows from it, that no ClusterQueue uses
more than it could ever have, or anything that it does not cover. All others are about the walk of one
decision: what it looks at, and that usage only falls while candidates have their turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import z3

from tenure.model import (
    Attempts,
    Basis,
    Cluster,
    Evidence,
    FairStrategy,
    FlavorMode,
    FlavorResource,
    Kin,
    Reason,
    ReclaimWithinCohort,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.assignment import PODS
from tenure.oracle.classical import levels_along
from tenure.oracle.fair import BASES
from tenure.oracle.heroes.plan import STRANGERS
from tenure.oracle.shares import lendable_at
from tenure.oracle.tree import (
    Tree,
    common_place,
    places_below,
    quota_at,
)
from tenure.readings import Reading
from tenure.rules.eligibility import basis_for, preemption_reason
from tenure.rules.quota import is_within_quota
from tenure.rules.reclaim import attempts, has_advantage, is_below_nominal
from tenure.rules.share import borrowed_amount, claims_nominal
from tenure.rules.terms import PreemptionTerms
from tenure_check.analysis.guarantees import NarrowCell
from tenure_check.analysis.ratios import Ratio
from tenure_check.analysis.states import STAMPS
from tenure_check.analysis.symbolic_execution import term_of
from tenure_check.analysis.symbolic_usage import MOMENTS, SymbolicUsage
from tenure_check.choices import Scope
from tenure_proofs.trusted.claim import Traces
from tenure_proofs.trusted.domains import Record, domain_of, well_typed
from tenure_proofs.trusted.symbols import SymBool, SymInt, SymRecord

LATEST = 2**62
"""The latest instant, ns: a century from now."""


@dataclass(frozen=True, slots=True)
class Priorities:
    """The priorities of a preemptor and its victim."""

    preemptor: int
    victim: int


def arguments_of_basis(
    terms: PreemptionTerms, priorities: Priorities, kin: Kin = STRANGERS
) -> tuple[Any, ...]:
    """The inputs of KQ-300: all that a state decides is arbitrary."""
    return (
        record_of("P", Workload, {"priority": priorities.preemptor}),
        record_of("V", Workload, {"priority": priorities.victim}),
        record_of("E", Evidence),
        symbolic_terms(terms),
        SymInt(z3.Int("now")),
        kin,
    )


def symbolic_terms(terms: PreemptionTerms) -> SymRecord:
    """The preemptor's terms; of names a formula has only whether they are equal."""
    fixed = {field.name: getattr(terms, field.name) for field in fields(terms)}
    del fixed["cluster_queue"]
    return record_of("T", PreemptionTerms, fixed)


def record_of(name: str, cls: type, fixed: Mapping[str, Any] | None = None) -> SymRecord:
    """An object of a class of the model, arbitrary but for the fields that are fixed."""
    domain = domain_of(cls)
    assert isinstance(domain, Record)
    return SymRecord(name, domain, fixed)


class Pair(SymbolicUsage):
    """What holds of a decision in which a workload of the first ClusterQueue preempts one of the second.

    Args:
        cluster, tree, names, reading, traces: see `SymbolicUsage`.
        scope: see `SymbolicUsage`.
        by_config: whether a rule of a PreemptionConfig selects the victim; else a policy names it.
    """

    kin = STRANGERS
    """How the two are related where there are heroes."""

    def __init__(
        self,
        cluster: Cluster,
        tree: Tree,
        names: tuple[str, str],
        reading: Reading,
        traces: Traces,
        scope: Scope = Scope.CONSISTENT,
        *,
        by_config: bool = False,
    ) -> None:
        super().__init__(cluster, tree, names, reading, traces, scope)
        self._settings, self.by_config = cluster.settings, by_config
        self.facts = (*self._of_all_states(), *self._of_the_request(), *self._of_the_victim())
        if by_config:
            # Under fair sharing every search may borrow; the shares of its tiers do not count.
            self.facts += (z3.Not(self._without.term),) if self.terms.fair_sharing else ()
        else:
            self.facts += tuple(self._of_fair_sharing() if self.terms.fair_sharing else self._of_attempts())
            # Rules of a PreemptionConfig may let anyone leave after the candidates of policies.
            self.facts += () if self._configured or self.with_heroes else tuple(self._of_who_leaves())

    def question(self, priorities: Priorities, reason: Reason) -> tuple[z3.BoolRef, ...]:
        """Facts beside those of the pair: the victim of this priority is preempted for this reason.

        What of a PreemptionConfig selects is the question of `tenure_check.analysis.selection_proof`.
        """
        basis = self._folds.of(basis_for)(*arguments_of_basis(self.terms, priorities, self.kin))
        if self.by_config:
            is_reason = z3.BoolVal(reason == Reason.CONFIGURABLE_PREEMPTION)
            if self.p != self.v or self.terms.fair_sharing:
                return (is_reason,)
            # Without fair sharing every candidate of the own ClusterQueue is removed before the tiers.
            return (is_reason, term_of(basis == Basis.NONE))
        if isinstance(basis, Basis):
            none = basis == Basis.NONE
            return (z3.BoolVal(not none and preemption_reason(basis) == reason),)
        bases = [known for known in Basis if known != Basis.NONE and preemption_reason(known) == reason]
        return (z3.Or([term_of(basis == known) for known in bases]),)

    def narrowed(self, narrow: NarrowCell) -> tuple[z3.BoolRef, ...]:
        """Facts beside those of a question: the victim meets a condition at the start of the search."""
        if narrow.longest is not None:
            return (self._now.term - z3.Int("V.quota_reserved_at") <= narrow.longest,)
        return tuple(
            self._term("start", self.v, at) <= quota_at(self.tree, self.v, at).nominal
            for at in self.held_at(self.v)
        )

    # -- the preemptor ------------------------------------------------------------------------------------

    def _of_the_request(self) -> Iterator[z3.BoolRef]:
        yield z3.BoolVal(not self._is_inactive(self.p))
        for at, mode in self._modes.items():  # of what is not requested a quota may be negative beside heroes
            yield z3.Or(self.request[at].term == 0, z3.Not(term_of(mode == FlavorMode.NO_FIT)))
        yield z3.Or([self._is_needed(at) for at in self.request])
        yield self._fits("final")
        # Who is removed last, or may not come back, is needed: the request does not fit beside it. Except
        # where only pods are short, for which there is no search.
        yield z3.Or(z3.Not(self._fits("back")), z3.Not(z3.Or([self._is_needed(at) for at in self._searched])))

    # -- the victim ---------------------------------------------------------------------------------------

    @cached_property
    def _now(self) -> SymInt:
        return SymInt(z3.Int("now"))

    def _of_the_victim(self) -> Iterator[z3.BoolRef]:
        yield z3.And(self._now.term >= 0, self._now.term <= LATEST)
        yield from well_typed("E", domain_of(Evidence))
        for workload in ("P", "V"):
            for stamp in STAMPS:
                at = z3.Int(f"{workload}.{stamp}")
                yield z3.And(at >= 0, at <= self._now.term)
        yield z3.Bool("V.cluster_queue?")
        same = z3.Int("V.cluster_queue") == z3.Int("T.cluster_queue")
        yield same if self.p == self.v else z3.Not(same)
        yield z3.Bool("V.quota_reserved_at?")
        yield z3.Int("V.quota_reserved_at") >= z3.Int("V.created_at")
        yield z3.BoolVal(not self._is_inactive(self.v))
        yield z3.Or([self._is_needed(at) for at in self.victim])
        yield z3.Bool("E.borrowing") == z3.Not(self._without.term)

    @cached_property
    def _common(self) -> int:
        return common_place(self.tree, self.v, self.p)

    # -- classical preemption -----------------------------------------------------------------------------

    @cached_property
    def _advantage(self) -> Mapping[int, Any]:
        """By common cohort, whether the preemptor has a hierarchical advantage there."""
        walk = self._folds.of(levels_along)
        usage, place = self._usage["start"], self.p
        walks = [
            (amount, list(walk(self.tree, usage, place, {at: amount})))
            for at, amount in self.request.items()
            if at.resource != PODS
        ]
        found: dict[int, Any] = {}
        advantage: Any = False
        for step, index in enumerate(self.tree.nodes[self.p].path):
            found[index] = advantage
            fits = [z3.Or(amount.term == 0, term_of(levels[step].fits)) for amount, levels in walks]
            advantage = self._folds.of(has_advantage)(SymBool(z3.And(fits)), advantage)
        return found

    def _of_attempts(self) -> Iterator[z3.BoolRef]:
        elsewhere, somewhere = z3.Bool("elsewhere"), z3.Bool("somewhere")
        below = self._folds.of(is_below_nominal)
        nominal = [
            z3.Implies(
                self._is_needed(at),
                term_of(below(self.used("start", self.p, at), quota_at(self.tree, self.p, at).nominal)),
            )
            for at in self.request
        ]
        made = self._folds.of(attempts)(
            SymBool(elsewhere), SymBool(somewhere), SymBool(z3.And(nominal)), symbolic_terms(self.terms)
        )
        yield z3.Implies(self._without.term, z3.Not(term_of(made == Attempts.BORROWING)))
        yield z3.Implies(somewhere, elsewhere)
        if self.p == self.v:
            return
        advantage = term_of(self._advantage[self._common])
        yield elsewhere
        yield z3.Implies(advantage, somewhere)
        yield self._at_its_turn()
        yield z3.Bool("E.advantage") == advantage

    def _at_its_turn(self) -> z3.BoolRef:
        return z3.Bool("E.over_quota") == self._all_exceed("turn", self.v)

    # -- fair sharing -------------------------------------------------------------------------------------

    def _of_fair_sharing(self) -> Iterator[z3.BoolRef]:
        yield z3.Not(self._without.term)
        for place, at in self._each():
            is_asked = place == self.p and at in self.request and at.resource != PODS
            wanted = self.request[at].term if is_asked else 0
            gone = self.victim[at].term if place == self.v else 0
            yield self._term("charged", place, at) == self._term("turn", place, at) + wanted
            if place not in self.rising:
                yield self._term("less", place, at) == self._term("charged", place, at) - gone
        if self.p != self.v:
            yield from self._of_shares()

    def _of_shares(self) -> Iterator[z3.BoolRef]:
        within, gate = self._within_nominal(), self._settings.fair_sharing_preempt_within_nominal
        claims = term_of(self._folds.of(claims_nominal)(SymBool(within), gate))
        yield self._at_the_start()
        yield z3.Bool("E.within_nominal") == claims
        theirs = places_below(self.tree, self.v, self._common)
        for place in theirs:  # KQ-480, by any flavor-resource
            yield z3.Or([self._borrowed("charged", place, at) > 0 for at in self.tree.nodes[place].quotas])
        mine = places_below(self.tree, self.p, self._common)[-1]
        compared = [
            z3.And(
                z3.Int("E.basis") == int(basis),
                self._compared(mine, "less" if basis == Basis.FINAL_SHARE else "charged", theirs[-1]),
            )
            for basis in self._bases()
        ]
        yield z3.Or(claims, *compared)

    def _bases(self) -> set[Basis]:
        """What the strategies allow on: the first one, and the second, which compares initial shares."""
        strategies = self._settings.fair_sharing or tuple(FairStrategy)
        return {BASES[strategies[0]], *([Basis.INITIAL_SHARE] if len(strategies) > 1 else ())}

    def _at_the_start(self) -> z3.BoolRef:
        return z3.Bool("E.over_quota") == self._exceeds("start", self.v)

    def _within_nominal(self) -> z3.BoolRef:
        within = self._folds.of(is_within_quota)
        found = []
        for at, amount in self.request.items():
            wanted = amount.term if at.resource != PODS else 0
            charged = SymInt(self._term("start", self.p, at) + wanted)
            fits = within(charged, quota_at(self.tree, self.p, at).nominal)
            found.append(z3.Implies(self._is_needed(at), term_of(fits)))
        return z3.And(found)

    def _borrowed(self, moment: str, place: int, at: FlavorResource) -> Any:
        used, quota = self.used(moment, place, at), quota_at(self.trees[moment], place, at).subtree
        return term_of(self._folds.of(borrowed_amount)(used, quota))

    def _compared(self, mine: int, moment: str, theirs: int) -> z3.BoolRef:
        """KQ-450 in whole numbers: each share is the largest of its ratios."""
        share = z3.Int("E.share")
        if self.with_heroes:
            return z3.And(share >= -1, share <= 1)
        first, second = self._ratios("charged", mine), self._ratios(moment, theirs)
        lower = z3.And([z3.Or([one.at_most(other) for other in second]) for one in first])
        higher = z3.And([z3.Or([other.at_most(one) for one in first]) for other in second])
        return z3.Or(
            z3.And(share == -1, lower),
            z3.And(share == 1, higher),
            z3.And(share == 0, lower, higher),
        )

    def _ratios(self, moment: str, place: int) -> list[Ratio]:
        node = self.tree.nodes[place]
        assert node.parent is not None
        lendable = lendable_at(self.tree, node.parent)
        borrowed: dict[str, Any] = {}
        for at in node.quotas:
            borrowed[at.resource] = borrowed.get(at.resource, 0) + self._borrowed(moment, place, at)
        return [Ratio(part, lendable.get(name, 0), node.weight) for name, part in borrowed.items()]

    # -- who leaves besides -------------------------------------------------------------------------------

    def _of_who_leaves(self) -> Iterator[z3.BoolRef]:
        """Who leaves besides the victim may be preempted as well, before its turn or afterwards.

        Whether the others of a node exceed their quotas is not known in a slice.
        """
        terms, classical = self.terms, not self.terms.fair_sharing
        own = terms.within_cluster_queue != WithinClusterQueue.NEVER
        reclaims = terms.reclaim_within_cohort in (
            ReclaimWithinCohort.ANY,
            ReclaimWithinCohort.LOWER_PRIORITY,
        )
        for place, at in self._each():
            start, turn, back = (self._term(moment, place, at) for moment in MOMENTS[:3])
            may = own if place == self.p else reclaims
            sooner = later = z3.BoolVal(may)
            if place != self.p and classical and place in self._named:
                sooner = z3.And(may, self._all_exceed("start", place))  # or it would be no candidate
                # Candidates of the preemptor's ClusterQueue come last.
                later = z3.And(may and self.p != self.v, self._all_exceed("turn", place))
            yield z3.Or(sooner, start == turn)
            yield z3.Or(later, turn == back)
        if classical and self.p == self.v and terms.reclaim_within_cohort == ReclaimWithinCohort.ANY:
            yield from self._of_those_before()

    @cached_property
    def _named(self) -> frozenset[int]:
        """The places of ClusterQueues, without the others of a node in a slice."""
        return frozenset(self.tree.places.values())

    def _of_those_before(self) -> Iterator[z3.BoolRef]:
        """A candidate of another ClusterQueue that stands has been removed before those of the own one."""
        for place in sorted(self._named):
            if place != self.p and not self._is_inactive(place):
                advantage = term_of(self._advantage[common_place(self.tree, place, self.p)])
                stands = z3.Or(advantage, self._without.term)
                yield z3.Not(z3.And(self._all_exceed("turn", place), stands))


class VictimAlone(Pair):
    """Of all that holds of a pair only what its victim's quota decides, which is asked in little time.

    Which flavor-resources are needed is left open. So what these facts exclude the pair's exclude as well.
    """

    @cached_property
    def _needed(self) -> Mapping[FlavorResource, Any]:
        return {at: SymBool(z3.Bool(f"needed.{at.flavor}.{at.resource}")) for at in self.request}

    def _summed_moments(self) -> tuple[str, ...]:
        return ("start",) if self.terms.fair_sharing else ("turn",)

    def _of_consistent_states(self) -> Iterator[z3.BoolRef]:
        yield from ()

    def _of_the_request(self) -> Iterator[z3.BoolRef]:
        yield from ()

    def _of_attempts(self) -> Iterator[z3.BoolRef]:
        if self.p != self.v:
            yield self._at_its_turn()

    def _of_fair_sharing(self) -> Iterator[z3.BoolRef]:
        if self.p != self.v:
            yield self._at_the_start()

    def _of_who_leaves(self) -> Iterator[z3.BoolRef]:
        yield from ()
