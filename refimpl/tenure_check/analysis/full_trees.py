"""States of a full tree in which others borrow what a preemptor requests.

Random states of a large tree seldom are like that: where cohorts have limits of their own, a ClusterQueue
exceeds its quota, and every cohort on the way too, only while hardly any other leaves it room.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from tenure.conformance.requests import DecideRequest
from tenure.model import Amount, FlavorResource, PodSet, WithinClusterQueue
from tenure.oracle.assignment import PODS
from tenure.oracle.tree import Usage, potential_at
from tenure_check.analysis.admissions import in_order_of_admission, in_use_with
from tenure_check.analysis.states import LARGEST, NOW, CellQuery, Example, States, hits_of, is_in_scope

Held: TypeAlias = Mapping[FlavorResource, Amount]


@dataclass(frozen=True, slots=True)
class _Filled:
    """What a ClusterQueue has in use, by one workload, and whether that may be preempted."""

    place: int
    amounts: Held
    may_go: bool


class CrowdedStates(States):
    """Draws states of one tree, crowded ones as well; see `States`.

    >>> from tenure_check.analysis.states import PriorityLevel
    >>> from tenure.model import Cluster, ClusterQueue, FlavorQuotas, ReclaimWithinCohort, ResourceGroup
    >>> from tenure.model import Reason
    >>> from tenure.oracle.tree import build_tree
    >>> from tenure.readings import preset
    >>> quotas = (ResourceGroup(("gpu",), (FlavorQuotas("a100", {"gpu": 4}),)),)
    >>> reclaims = {"reclaim_within_cohort": ReclaimWithinCohort.ANY}
    >>> queues = {name: ClusterQueue(name, quotas, cohort="c", **reclaims) for name in ("a", "b")}
    >>> cluster = Cluster(queues)
    >>> levels = (PriorityLevel("low", 0),)
    >>> states = CrowdedStates(cluster, build_tree(cluster, queues["a"]), preset("guaranteed"), levels)
    >>> cell = CellQuery("a", 0, "b", 0, Reason.IN_COHORT_RECLAMATION)
    >>> any(hit == cell for seed in range(9) for hit, _ in states.crowded(random.Random(seed), cell))
    True
    """

    def crowded(self, dice: random.Random, cell: CellQuery) -> Iterator[tuple[CellQuery, Example]]:
        """Draw a crowded state; who is preempted there, with the state."""
        yield from self._hits_in_scope(self.drawn_crowded(dice, cell))

    def crowded_with_own(self, dice: random.Random, cell: CellQuery) -> Iterator[tuple[CellQuery, Example]]:
        """As `crowded`, of a state in which the preemptor's ClusterQueue may lose a workload of its own.

        Its share may be too high for another victim until that one has left.
        """
        mine = self._tree.places[cell.preemptor]
        if self._cluster.cluster_queues[cell.preemptor].within_cluster_queue == WithinClusterQueue.NEVER:
            return
        requested, held = self._wanted_beside_own(dice, mine)
        request = self._filled_around(dice, cell, requested, held)
        leaving = min(cell.low, cell.high - 1)
        running = tuple(
            replace(workload, priority=leaving) if workload.cluster_queue == cell.preemptor else workload
            for workload in request.cluster.admitted
        )
        yield from self._hits_in_scope(replace(request, cluster=replace(request.cluster, admitted=running)))

    def _hits_in_scope(self, request: DecideRequest) -> Iterator[tuple[CellQuery, Example]]:
        decision = self.decided(request)
        if decision.targets and is_in_scope(request, self._tree, self._scope):
            yield from hits_of(request, decision)

    def drawn_crowded(self, dice: random.Random, cell: CellQuery) -> DecideRequest:
        """A state that may well hit a cell: all is in use, and what the preemptor requests is borrowed."""
        return self._filled_around(dice, cell, *self._wanted(dice, self._tree.places[cell.preemptor]))

    def _filled_around(
        self, dice: random.Random, cell: CellQuery, requested: Held, held: Held
    ) -> DecideRequest:
        """A crowded state of what the preemptor requests and its ClusterQueue has in use."""
        mine, theirs = (self._tree.places[name] for name in (cell.preemptor, cell.victim))
        filled = [_Filled(mine, held, mine == theirs)] if held else []
        reserved = {at: held.get(at, 0) + amount for at, amount in requested.items()}
        filled += self._filled_up(dice, mine, theirs, reserved)
        filled += self._borrowed(dice, theirs, filled)
        running = tuple(
            replace(
                self._running(dice, number, known.place, known.amounts),
                priority=cell.low if known.may_go else max(self._priorities),
            )
            for number, known in enumerate(filled)
        )
        parts = (PodSet("set0", 1, {at.resource: amount for at, amount in requested.items()}),)
        waiting = replace(self._waiting(dice, mine), priority=cell.high, pod_sets=parts)
        admitted = running if self._plan is None else in_order_of_admission(running)
        cluster = replace(self._cluster, admitted=admitted)
        request = DecideRequest(
            cluster, waiting, cell.preemptor, NOW, self._reading, assignment=None, explained=False
        )
        return self._labelled(dice, request, cell)

    def _wanted(self, dice: random.Random, place: int) -> tuple[dict[FlavorResource, Amount], Held]:
        """What a preemptor requests on one flavor, and what its ClusterQueue has in use there."""
        quotas = [at for at in self._tree.nodes[place].quotas if at.resource != PODS]
        flavor = dice.choice(quotas).flavor if quotas else ""
        requested, held = {}, {}
        for at in (at for at in quotas if at.flavor == flavor):
            nominal = self._nominal(place)[at]
            most = min(LARGEST, potential_at(self._tree, place, at))
            total = dice.choice((nominal, nominal, nominal // 2, nominal + 1, most, most // 2))
            total = max(1, min(total, most))
            requested[at] = min(total, dice.choice((total, 1, 2, max(1, total // 2))))
            held[at] = min(total, most) - requested[at]
        return requested, {at: amount for at, amount in held.items() if amount > 0}

    def _wanted_beside_own(self, dice: random.Random, place: int) -> tuple[Held, Held]:
        """What a preemptor requests on one flavor: within the nominal quota, but not beside what is held."""
        quotas = [at for at in self._tree.nodes[place].quotas if at.resource != PODS]
        flavor = dice.choice(quotas).flavor if quotas else ""
        requested, held = {}, {}
        for at in (at for at in quotas if at.flavor == flavor):
            nominal = max(1, self._nominal(place)[at])
            requested[at] = max(1, dice.choice((nominal, nominal - 1, nominal // 2)))
            held[at] = max(1, nominal - requested[at]) + dice.choice((0, 1, nominal // 2))
        return requested, held

    def _filled_up(self, dice: random.Random, mine: int, theirs: int, reserved: Held) -> Iterator[_Filled]:
        """What others have in use beside what is reserved for the preemptor."""
        usage = in_use_with(self._tree, self._nothing, mine, reserved)
        order = [place for place in self._places if place not in (mine, theirs)]
        dice.shuffle(order)
        if mine != theirs:
            order.insert(dice.choice((0, len(order))), theirs)
        if dice.random() < 0.3:
            order = order[: dice.randint(0, len(order))]
        within_nominal, some = dice.random() < 0.3, dice.choice((1, 1, 1, len(self._places) // 2))
        may_go = {theirs, *dice.sample(self._places, max(1, some))}
        for place in order:
            amounts = self._all_free(usage, place)
            if within_nominal and place != theirs:
                nominal = self._nominal(place)
                amounts = {at: min(free, nominal[at]) for at, free in amounts.items() if nominal[at]}
            if amounts:
                usage = in_use_with(self._tree, usage, place, amounts)
                yield _Filled(place, amounts, place in may_go)

    def _borrowed(self, dice: random.Random, theirs: int, filled: Sequence[_Filled]) -> Iterator[_Filled]:
        """What is in use of all that is left."""
        usage = self._nothing
        for known in filled:
            usage = in_use_with(self._tree, usage, known.place, known.amounts)
        for place in dict.fromkeys((dice.choice((theirs, theirs, *self._places)), theirs)):
            if amounts := self._all_free(usage, place):
                usage = in_use_with(self._tree, usage, place, amounts)
                yield _Filled(place, amounts, place == theirs or dice.random() < 0.5)

    def _all_free(self, usage: Usage, place: int) -> dict[FlavorResource, Amount]:
        return {at: amount for at, amount in self._free(usage, place).items() if amount > 0}
