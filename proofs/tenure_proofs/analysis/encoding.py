"""One pair of ClusterQueues of a tree: what holds of every decision in which one preempts the other.

Usage is asked for at several moments, each an integer for every ClusterQueue and flavor-resource:
`start`; `turn`, when the victim's turn comes; `back`, when it is asked whether the victim may keep its
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

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, cast

import z3

from tenure.analysis.guarantees import NarrowCell
from tenure.analysis.scopes import Scope
from tenure.model import (
    Attempts,
    Cluster,
    Evidence,
    FairStrategy,
    FlavorMode,
    FlavorResource,
    Ground,
    Kin,
    Reason,
    ReclaimWithinCohort,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.assignment import PODS, mode_of_quota
from tenure.oracle.classical import levels_along
from tenure.oracle.fair import GROUNDS
from tenure.oracle.question import Asked, exceeds_any, fits_beside
from tenure.oracle.shares import lendable_at
from tenure.oracle.tree import (
    Tree,
    available_at,
    common_place,
    places_below,
    potential_at,
    quota_at,
    total_usage,
)
from tenure.readings import Reading
from tenure.rules.eligibility import ground_for, preemption_reason
from tenure.rules.quota import is_within_quota
from tenure.rules.reclaim import attempts, has_advantage, is_below_nominal
from tenure.rules.share import borrowed_amount, claims_nominal
from tenure.rules.terms import PreemptionTerms, terms_of
from tenure_proofs.analysis.fold import MOST, Folds, term_of
from tenure_proofs.trusted.claim import Traces
from tenure_proofs.trusted.domains import Record, domain_of, well_typed
from tenure_proofs.trusted.symbols import SymBool, SymInt, SymRecord

MOMENTS = ("start", "turn", "back", "final")
FAIR_MOMENTS = (*MOMENTS, "charged", "less")

NEAR = 2**45
"""Shares that differ by less than one part in this may compare either way: Kueue counts them in floats of 53
bits, and no comparison takes more than a dozen roundings."""

STAMPS = (
    "created_at",
    "quota_reserved_at",
    "pods_ready_evicted_at",
    "admission_check_evicted_at",
    "time_based_preempted_at",
    "preempted_while_borrowing_at",
)

LATEST = 2**62
"""The latest instant, ns: a century from now."""


@dataclass(frozen=True, slots=True)
class Priorities:
    """The priorities of a preemptor and its victim."""

    preemptor: int
    victim: int


def arguments_of_ground(terms: PreemptionTerms, priorities: Priorities) -> tuple[Any, ...]:
    """What KQ-300 is asked with: all that a state decides is arbitrary."""
    return (
        record_of("P", Workload, {"priority": priorities.preemptor}),
        record_of("V", Workload, {"priority": priorities.victim}),
        record_of("E", Evidence),
        symbolic_terms(terms),
        SymInt(z3.Int("now")),
        Kin(),
    )


def symbolic_terms(terms: PreemptionTerms) -> SymRecord:
    """The preemptor's terms; of names a formula says only whether they are the same."""
    fixed = {field.name: getattr(terms, field.name) for field in fields(terms)}
    del fixed["cluster_queue"]
    return record_of("T", PreemptionTerms, fixed)


def record_of(name: str, cls: type, fixed: Mapping[str, Any] | None = None) -> SymRecord:
    """An object of a class of the model, arbitrary but for the fields that are fixed."""
    domain = domain_of(cls)
    assert isinstance(domain, Record)
    return SymRecord(name, domain, fixed)


class Pair:
    """A preemptor's ClusterQueue and a victim's, in a tree or a slice of one, with symbolic usage.

    Args:
        cluster: for its settings.
        tree: where both are.
        names: of the preemptor's ClusterQueue, and of the victim's.
        reading: what rules are read with.
        traces: formulas of rules that were lifted before.
        tidy: whether to say that whoever leaves besides the victim may leave: only of a whole tree.
        scope: of which states it is; a slice is one of the same.
    """

    def __init__(
        self,
        cluster: Cluster,
        tree: Tree,
        names: tuple[str, str],
        reading: Reading,
        traces: Traces,
        *,
        tidy: bool = False,
        scope: Scope = Scope.CONSISTENT,
    ) -> None:
        self.tree, self._scope = tree, scope
        self.p, self.v = (tree.places[name] for name in names)
        queue = tree.nodes[self.p].queue
        assert queue is not None
        self._settings = cluster.settings
        self.terms = terms_of(queue, cluster.settings, reading)
        self._folds = Folds(reading, traces)
        self.queues = [node.place for node in tree.nodes if node.queue is not None]
        self.held = {moment: self._held(moment) for moment in self._moments()}
        usage = self._folds.of(total_usage)
        self._usage = {moment: usage(tree, held) for moment, held in self.held.items()}
        self.request = {
            at: self._folds.amount(f"request.{at.flavor}.{at.resource}", 0, self._potential(self.p, at))
            for at in tree.nodes[self.p].quotas
        }
        self.victim = {
            at: self._folds.amount(f"victim.{at.flavor}.{at.resource}") for at in self.held_at(self.v)
        }
        self._without = SymBool(z3.Bool("without borrowing"))
        self._stood: dict[Any, Any] = {}
        self.facts = (*self._of_all_states(), *self._of_the_request(), *self._of_the_victim())
        self.facts += tuple(self._of_fair_sharing() if self.terms.fair_sharing else self._of_attempts())
        self.facts += tuple(self._of_who_leaves()) if tidy else ()

    @property
    def definitions(self) -> tuple[z3.BoolRef, ...]:
        """What the names in the facts stand for."""
        return tuple(self._folds.facts)

    @property
    def calm(self) -> tuple[z3.BoolRef, ...]:
        """None but the victim leaves, not even until it is asked for: not a fact, but many states are so."""
        return tuple(
            self._term("start", place, at) == self._term("back", place, at) for place, at in self._each()
        )

    @property
    def sizes(self) -> list[Any]:
        """What tells two states apart, and how large they are."""
        held = [self._term(moment, place, at) for moment in ("start", "final") for place, at in self._each()]
        return [*held, *(amount.term for amount in self.request.values())]

    def question(self, priorities: Priorities, reason: Reason) -> tuple[z3.BoolRef, ...]:
        """Facts beside those of the pair: the victim of this priority is preempted for this reason."""
        ground = self._folds.of(ground_for)(*arguments_of_ground(self.terms, priorities))
        if isinstance(ground, Ground):
            none = ground == Ground.NONE
            return (z3.BoolVal(not none and preemption_reason(ground) == reason),)
        grounds = [known for known in Ground if known != Ground.NONE and preemption_reason(known) == reason]
        return (z3.Or([term_of(ground == known) for known in grounds]),)

    def narrowed(self, asked: NarrowCell) -> tuple[z3.BoolRef, ...]:
        """Facts beside those of a question: the victim meets a condition at the start of the search."""
        if asked.longest is not None:
            return (self._now.term - z3.Int("V.quota_reserved_at") <= asked.longest,)
        quotas = self.tree.nodes[self.v].quotas
        return tuple(self._term("start", self.v, at) <= quota.nominal for at, quota in quotas.items())

    def of_one_victim(self) -> tuple[z3.BoolRef, ...]:
        """Facts beside those of a question: no other workload is preempted.

        Whoever else was removed has its quota back then, and the request still fits.
        """
        if "alone" not in self.held:
            self.held["alone"] = self._held("alone")
            self._usage["alone"] = self._folds.of(total_usage)(self.tree, self.held["alone"])
        left = [
            self._term("alone", place, at)
            == self._term("start", place, at) - (self.victim[at].term if place == self.v else 0)
            for place, at in self._each()
        ]
        return (*left, self._fits("alone"))

    # -- usage --------------------------------------------------------------------------------------------

    def _moments(self) -> tuple[str, ...]:
        return FAIR_MOMENTS if self.terms.fair_sharing else MOMENTS

    def _potential(self, place: int, at: FlavorResource) -> int:
        return max(0, min(MOST, potential_at(self.tree, place, at)))

    def _most(self, place: int, at: FlavorResource) -> int:
        return self._potential(place, at) if self._scope == Scope.CONSISTENT else MOST

    def held_at(self, place: int) -> Collection[FlavorResource]:
        """Of what workloads of a ClusterQueue may hold something.

        After edits that is all that its tree has: workloads keep a flavor that their ClusterQueue loses.
        """
        return self.tree.nodes[place if self._scope == Scope.CONSISTENT else 0].quotas

    def _held(self, moment: str) -> dict[int, dict[FlavorResource, SymInt]]:
        times = 2 if moment in ("charged", "less") else 1
        return {
            place: {
                at: self._folds.amount(
                    f"{moment}.{place}.{at.flavor}.{at.resource}", 0, times * self._most(place, at)
                )
                for at in self.held_at(place)
            }
            for place in self.queues
        }

    def used(self, moment: str, place: int, at: FlavorResource) -> Any:
        """What is in use at a node at one of the moments: a number, or a symbolic one."""
        return self._usage[moment][place].get(at, 0)

    def _each(self) -> Iterator[tuple[int, FlavorResource]]:
        return ((place, at) for place in self.queues for at in self.held_at(place))

    def _term(self, moment: str, place: int, at: FlavorResource) -> Any:
        return self.held[moment][place][at].term

    def _of_all_states(self) -> Iterator[z3.BoolRef]:
        """Consistent states, by lemma R; usage only falls while candidates have their turns."""
        if self._scope == Scope.CONSISTENT:
            yield from self._of_consistent_states()
        for place, at in self._each():
            start, turn, back, final = (self._term(moment, place, at) for moment in MOMENTS)
            yield z3.And(start >= turn, turn >= back)
            yield back == final + (self.victim[at].term if place == self.v else 0)
            if self._is_inactive(place):
                yield start == final

    def _of_consistent_states(self) -> Iterator[z3.BoolRef]:
        available = self._folds.of(available_at)
        for node in self.tree.nodes:
            for at in node.quotas:
                yield term_of(available(self.tree, self._usage["start"], node.place, at)) >= 0

    def _is_inactive(self, place: int) -> bool:
        queue = self.tree.nodes[place].queue
        return queue is not None and bool(queue.inactive)

    # -- the preemptor ------------------------------------------------------------------------------------

    @cached_property
    def _needed(self) -> Mapping[FlavorResource, Any]:
        return {at: mode == FlavorMode.NO_CANDIDATES for at, mode in self._modes.items()}

    @cached_property
    def _modes(self) -> Mapping[FlavorResource, Any]:
        ask, usage = self._folds.traced, self._usage["start"]
        return {
            at: ask(mode_of_quota, self.tree, usage, self.p, at, amount, self.terms)[0]
            for at, amount in self.request.items()
        }

    def _is_needed(self, at: FlavorResource) -> z3.BoolRef:
        return term_of(self._needed[at]) if at in self._needed else z3.BoolVal(False)

    @property
    def _searched(self) -> Iterator[FlavorResource]:
        """A search for targets asks for all but pods."""
        return (at for at in self.request if at.resource != PODS)

    def _of_the_request(self) -> Iterator[z3.BoolRef]:
        yield z3.BoolVal(not self._is_inactive(self.p))
        yield from (z3.Not(term_of(mode == FlavorMode.NO_FIT)) for mode in self._modes.values())
        yield z3.Or([self._is_needed(at) for at in self.request])
        yield self._fits("final")
        # Who is removed last, or may not come back, is needed: the request does not fit beside it. Except
        # where only pods are short, for which no search asks.
        yield z3.Or(z3.Not(self._fits("back")), z3.Not(z3.Or([self._is_needed(at) for at in self._searched])))

    def _fits(self, moment: str) -> z3.BoolRef:
        both = (self._all_fit(moment, may_borrow=may_borrow) for may_borrow in (False, True))
        return z3.If(self._without.term, *both)

    def _all_fit(self, moment: str, *, may_borrow: bool) -> z3.BoolRef:
        above = self.tree.nodes[self.p].path[::-1]
        found = []
        for at in self._searched:
            quotas = tuple((index, quota_at(self.tree, index, at)) for index in above)
            asked: Any = Asked(at, cast(Any, self.request[at]), quotas)
            fits = self._folds.traced(fits_beside, asked, self._usage[moment], may_borrow)
            found.append(z3.Or(self.request[at].term == 0, term_of(fits)))
        return z3.And(found)

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

    def _exceeds(self, moment: str, place: int) -> z3.BoolRef:
        """Whether a node exceeds its quota of something needed (KQ-200)."""
        key = (moment, place)
        if key not in self._stood:
            self._stood[key] = z3.Or([self._exceeds_at(moment, place, at) for at in self._needed])
        return self._stood[key]

    def _exceeds_at(self, moment: str, place: int, at: FlavorResource) -> z3.BoolRef:
        quotas = ((at, quota_at(self.tree, place, at).subtree),)
        over = self._folds.traced(exceeds_any, dict(self._usage[moment][place]), quotas)
        return z3.And(self._is_needed(at), term_of(over))

    def _all_exceed(self, moment: str, place: int) -> z3.BoolRef:
        common = common_place(self.tree, place, self.p)
        return z3.And([self._exceeds(moment, index) for index in places_below(self.tree, place, common)])

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
        yield z3.Bool("E.over_quota") == self._all_exceed("turn", self.v)
        yield z3.Bool("E.advantage") == advantage

    # -- fair sharing -------------------------------------------------------------------------------------

    def _of_fair_sharing(self) -> Iterator[z3.BoolRef]:
        yield z3.Not(self._without.term)
        for place, at in self._each():
            is_asked = place == self.p and at in self.request and at.resource != PODS
            asked = self.request[at].term if is_asked else 0
            gone = self.victim[at].term if place == self.v else 0
            yield self._term("charged", place, at) == self._term("turn", place, at) + asked
            yield self._term("less", place, at) == self._term("charged", place, at) - gone
        if self.p != self.v:
            yield from self._of_shares()

    def _of_shares(self) -> Iterator[z3.BoolRef]:
        within, gate = self._within_nominal(), self._settings.fair_sharing_preempt_within_nominal
        claims = term_of(self._folds.of(claims_nominal)(SymBool(within), gate))
        yield z3.Bool("E.over_quota") == self._exceeds("start", self.v)
        yield z3.Bool("E.within_nominal") == claims
        theirs = places_below(self.tree, self.v, self._common)
        for place in theirs:  # KQ-480, by any flavor-resource
            yield z3.Or([self._borrowed("charged", place, at) > 0 for at in self.tree.nodes[place].quotas])
        mine = places_below(self.tree, self.p, self._common)[-1]
        compared = [
            z3.And(
                z3.Int("E.ground") == int(ground),
                self._compared(mine, "less" if ground == Ground.FINAL_SHARE else "charged", theirs[-1]),
            )
            for ground in self._grounds()
        ]
        yield z3.Or(claims, *compared)

    def _grounds(self) -> set[Ground]:
        """What the strategies allow on: the first one, and the second, which compares initial shares."""
        strategies = self._settings.fair_sharing or tuple(FairStrategy)
        return {GROUNDS[strategies[0]], *([Ground.INITIAL_SHARE] if len(strategies) > 1 else ())}

    def _within_nominal(self) -> z3.BoolRef:
        within = self._folds.of(is_within_quota)
        found = []
        for at, amount in self.request.items():
            asked = amount.term if at.resource != PODS else 0
            charged = SymInt(self._term("start", self.p, at) + asked)
            fits = within(charged, quota_at(self.tree, self.p, at).nominal)
            found.append(z3.Implies(self._is_needed(at), term_of(fits)))
        return z3.And(found)

    def _borrowed(self, moment: str, place: int, at: FlavorResource) -> Any:
        used, quota = self.used(moment, place, at), quota_at(self.tree, place, at).subtree
        return term_of(self._folds.of(borrowed_amount)(used, quota))

    def _compared(self, mine: int, moment: str, theirs: int) -> z3.BoolRef:
        """KQ-450 in whole numbers: each share is the largest of its ratios."""
        first, second = self._ratios("charged", mine), self._ratios(moment, theirs)
        lower = z3.And([z3.Or([one.at_most(other) for other in second]) for one in first])
        higher = z3.And([z3.Or([other.at_most(one) for one in first]) for other in second])
        share = z3.Int("E.share")
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
        """Who leaves besides the victim may be preempted as well, before its turn or afterwards."""
        terms, classical = self.terms, not self.terms.fair_sharing
        own = terms.within_cluster_queue != WithinClusterQueue.NEVER
        reclaims = terms.reclaim_within_cohort in (
            ReclaimWithinCohort.ANY,
            ReclaimWithinCohort.LOWER_PRIORITY,
        )
        for place, at in self._each():
            start, turn, back = (self._term(moment, place, at) for moment in MOMENTS[:3])
            may = own if place == self.p else reclaims
            later = z3.BoolVal(may)
            if place != self.p and classical:  # candidates of the preemptor's ClusterQueue come last
                later = z3.And(may and self.p != self.v, self._all_exceed("turn", place))
            yield z3.Or(may, start == turn)
            yield z3.Or(later, turn == back)
        if classical and self.p == self.v and terms.reclaim_within_cohort == ReclaimWithinCohort.ANY:
            yield from self._of_those_before()

    def _of_those_before(self) -> Iterator[z3.BoolRef]:
        """A candidate of another ClusterQueue that stands has been removed before those of the own one."""
        for place in self.queues:
            if place != self.p and not self._is_inactive(place):
                advantage = term_of(self._advantage[common_place(self.tree, place, self.p)])
                stands = z3.Or(advantage, self._without.term)
                yield z3.Not(z3.And(self._all_exceed("turn", place), stands))


@dataclass(frozen=True, slots=True)
class Ratio:
    """One resource's part in a share: borrowed divided by what can be lent, and by the weight.

    Args:
        borrowed: a term.
        lendable: what the cohort can lend; of nothing the ratio is zero.
        weight: in billionths; at zero the share is infinite while anything is borrowed.
    """

    borrowed: Any
    lendable: int
    weight: int

    def at_most(self, other: Ratio) -> z3.BoolRef:
        """Whether it is at most another one, or so close that floats may say so."""
        if self.lendable <= 0:
            return z3.BoolVal(True)
        if other.lendable <= 0 or (self.weight == 0 and other.weight != 0):
            return self.borrowed <= 0
        if other.weight == 0 and self.weight != 0:
            return z3.Or(other.borrowed > 0, self.borrowed <= 0)
        mine, theirs = (ratio.lendable * (ratio.weight or 1) for ratio in (self, other))
        return self.borrowed * (theirs * NEAR) <= other.borrowed * (mine * (NEAR + 1))
