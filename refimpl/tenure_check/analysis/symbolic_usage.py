"""Two ClusterQueues of a tree with symbolic usage at several moments of a decision, and what fits at each.

The moments are those of `tenure_check.analysis.encoding`, which states what holds of them when one preempts
the other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import Any, cast

import z3

from tenure.model import Cluster, FlavorMode, FlavorResource
from tenure.oracle.assignment import PODS, mode_of_quota
from tenure.oracle.question import ResourceRequest, exceeds_any, fits_beside
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
from tenure.rules.terms import terms_of
from tenure_check.analysis.symbolic_execution import MOST, SymbolicFunctions, term_of
from tenure_check.choices import Scope
from tenure_proofs.trusted.claim import Traces
from tenure_proofs.trusted.symbols import SymBool, SymInt

MOMENTS = ("start", "turn", "back", "final")
FAIR_MOMENTS = (*MOMENTS, "charged", "less")
ALONE = "alone"
"""When no workload but the victim has left."""


class SymbolicUsage:
    """A preemptor's ClusterQueue and a victim's, in a tree or a slice of one, with symbolic usage.

    Args:
        cluster: for its settings.
        tree: where both are.
        names: of the preemptor's ClusterQueue, and of the victim's.
        reading: what rules are read with.
        traces: formulas of rules that were lifted before.
        scope: of which states it is; a slice is one of the same.
    """

    with_heroes = False
    """Whether heroes change quotas: then it is not known what a node could ever have, or a cohort lend."""

    def __init__(
        self,
        cluster: Cluster,
        tree: Tree,
        names: tuple[str, str],
        reading: Reading,
        traces: Traces,
        scope: Scope = Scope.CONSISTENT,
    ) -> None:
        self._scope, self._folds = scope, SymbolicFunctions(reading, traces)
        self.tree = tree
        self.tree = self.trees["start"]
        self.p, self.v = (tree.places[name] for name in names)
        queue = tree.nodes[self.p].queue
        assert queue is not None
        self.terms = terms_of(queue, cluster.settings, reading)
        self._configured = queue.preemption_config is not None
        self.queues = [node.place for node in tree.nodes if node.queue is not None]
        self.held = {moment: self._held(moment) for moment in self._moments()}
        usage = self._folds.of(total_usage)
        self._usage = {
            moment: usage(self.trees[moment], self.held[moment]) for moment in self._summed_moments()
        }
        self.request = {
            at: self._folds.amount(f"request.{at.flavor}.{at.resource}", 0, self._potential(self.p, at))
            for at in tree.nodes[self.p].quotas
        }
        self.victim = {
            at: self._folds.amount(f"victim.{at.flavor}.{at.resource}") for at in self.held_at(self.v)
        }
        self._without = SymBool(z3.Bool("without borrowing"))
        self._stood: dict[Any, Any] = {}

    @property
    def definitions(self) -> tuple[z3.BoolRef, ...]:
        """What the names in the facts stand for."""
        return tuple(self._folds.facts)

    @property
    def calm(self) -> tuple[z3.BoolRef, ...]:
        """None but the victim leaves, not even before its turn: not a fact, but many states are so."""
        return tuple(
            self._term("start", place, at) == self._term("back", place, at) for place, at in self._each()
        )

    @property
    def sizes(self) -> list[Any]:
        """What distinguishes two states, and how large they are."""
        held = [self._term(moment, place, at) for moment in ("start", "final") for place, at in self._each()]
        return [*held, *(amount.term for amount in self.request.values())]

    def of_one_victim(self) -> tuple[z3.BoolRef, ...]:
        """Facts beside those of a question: no other workload is preempted.

        Whoever else was removed has its quota back then, and the request still fits.
        """
        if ALONE not in self.held:
            self.held[ALONE] = self._held(ALONE)
            self._usage[ALONE] = self._folds.of(total_usage)(self.trees[ALONE], self.held[ALONE])
        left = [
            self._term(ALONE, place, at)
            == self._term("start", place, at) - (self.victim[at].term if place == self.v else 0)
            for place, at in self._each()
        ]
        return (*left, self._fits(ALONE))

    # -- usage --------------------------------------------------------------------------------------------

    @cached_property
    def trees(self) -> Mapping[str, Tree]:
        """The tree with the quotas of each moment: without heroes always the same, as they are configured."""
        return dict.fromkeys((*FAIR_MOMENTS, ALONE), self.tree)

    @cached_property
    def rising(self) -> frozenset[int]:
        """Places at which more may be in use when workloads leave; without heroes there are none."""
        return frozenset()

    def _moments(self) -> tuple[str, ...]:
        return FAIR_MOMENTS if self.terms.fair_sharing else MOMENTS

    def _summed_moments(self) -> tuple[str, ...]:
        """Those at which the usage of cohorts decides too."""
        return self._moments()

    def _potential(self, place: int, at: FlavorResource) -> int:
        return MOST if self.with_heroes else max(0, min(MOST, potential_at(self.tree, place, at)))

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
            if place in self.rising:
                continue
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

    # -- what the request needs, and where it fits -----------------------------------------------------------

    @cached_property
    def _needed(self) -> Mapping[FlavorResource, Any]:
        return {at: mode == FlavorMode.NO_CANDIDATES for at, mode in self._modes.items()}

    @cached_property
    def _modes(self) -> Mapping[FlavorResource, Any]:
        traced, usage = self._folds.traced, self._usage["start"]
        return {
            at: traced(mode_of_quota, self.tree, usage, self.p, at, amount, self.terms, self._configured)[0]
            for at, amount in self.request.items()
        }

    def _is_needed(self, at: FlavorResource) -> z3.BoolRef:
        return term_of(self._needed[at]) if at in self._needed else z3.BoolVal(False)

    @property
    def _searched(self) -> Iterator[FlavorResource]:
        """A search for targets is about all but pods."""
        return (at for at in self.request if at.resource != PODS)

    def _fits(self, moment: str) -> z3.BoolRef:
        both = (self._all_fit(moment, may_borrow=may_borrow) for may_borrow in (False, True))
        return z3.If(self._without.term, *both)

    def _all_fit(self, moment: str, *, may_borrow: bool) -> z3.BoolRef:
        above = self.tree.nodes[self.p].path[::-1]
        found = []
        for at in self._searched:
            quotas = tuple((index, quota_at(self.trees[moment], index, at)) for index in above)
            requested: Any = ResourceRequest(at, cast(Any, self.request[at]), quotas)
            fits = self._folds.traced(fits_beside, requested, self._usage[moment], may_borrow)
            found.append(z3.Or(self.request[at].term == 0, term_of(fits)))
        return z3.And(found)

    # -- who exceeds quota -----------------------------------------------------------------------------------

    def _exceeds(self, moment: str, place: int) -> z3.BoolRef:
        """Whether a node exceeds its quota of something needed (KQ-200)."""
        key = (moment, place)
        if key not in self._stood:
            self._stood[key] = z3.Or([self._exceeds_at(moment, place, at) for at in self._needed])
        return self._stood[key]

    def _exceeds_at(self, moment: str, place: int, at: FlavorResource) -> z3.BoolRef:
        quotas = ((at, quota_at(self.trees[moment], place, at).subtree),)
        over = self._folds.traced(exceeds_any, dict(self._usage[moment][place]), quotas)
        return z3.And(self._is_needed(at), term_of(over))

    def _all_exceed(self, moment: str, place: int) -> z3.BoolRef:
        common = common_place(self.tree, place, self.p)
        return z3.And([self._exceeds(moment, index) for index in places_below(self.tree, place, common)])
