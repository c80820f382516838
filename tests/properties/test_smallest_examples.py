"""The smallest example of a change is the smallest: no state of fewer workloads, or of less, shows it.

Every state of at most two running workloads is decided, in whole units, of random small configurations.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

import pytest

from tenure.conformance.requests import DecideRequest
from tenure.model import (
    MINUTE,
    BorrowWithinCohort,
    Cluster,
    ClusterQueue,
    FlavorQuotas,
    FlavorResource,
    PodSet,
    ReclaimWithinCohort,
    ResourceGroup,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.decide import Decision
from tenure.readings import preset
from tenure_check.analysis.small_states import PairQuery, SmallStates
from tenure_check.analysis.states import NOW, PriorityLevel, decided
from tenure_check.analysis.two_configurations import (
    AFTER,
    BEFORE,
    Configuration,
    DecisionPair,
    TwoConfigurations,
)
from tests.sampling import sample

READING = preset("guaranteed")
GPU = FlavorResource("f", "gpu")
LOW, HIGH = PriorityLevel("low", 0), PriorityLevel("high", 1)
NAMES = ("p", "v", "x")
LARGE = (("p", 8), ("v", 32))


def drawn_queue(dice: random.Random, name: str) -> ClusterQueue:
    """A ClusterQueue with little quota, its limits and policies drawn."""
    nominal = dice.randint(0, 2)
    borrowing = {"gpu": dice.randint(0, 3)} if dice.random() < 0.3 else {}
    lending = {"gpu": dice.randint(0, nominal)} if dice.random() < 0.3 else {}
    quotas = FlavorQuotas("f", {"gpu": nominal}, borrowing, lending)
    return ClusterQueue(
        name,
        (ResourceGroup(("gpu",), (quotas,)),),
        cohort="c",
        within_cluster_queue=dice.choice([*WithinClusterQueue]),
        reclaim_within_cohort=dice.choice(
            (ReclaimWithinCohort.NEVER, ReclaimWithinCohort.LOWER_PRIORITY, ReclaimWithinCohort.ANY)
        ),
        borrow_within_cohort=dice.choice([*BorrowWithinCohort]),
    )


def drawn_change(dice: random.Random) -> tuple[Cluster, Cluster]:
    """A cluster of two or three ClusterQueues, and the same with another one of them."""
    names = NAMES[: dice.randint(2, 3)]
    before = {name: drawn_queue(dice, name) for name in names}
    changed = dice.choice(names)
    return Cluster(before), Cluster({**before, changed: drawn_queue(dice, changed)})


def states(cluster: Cluster, pair: PairQuery, count: int, most: int) -> Iterator[DecideRequest]:
    """Every state of so many workloads that run, the victim's queue first, of so much in all."""
    queues = [*cluster.cluster_queues]
    held = [[pair.victim], queues][:count]
    for total in range(count + 1, most + 1):
        for amounts in product(range(1, total), repeat=count):
            asked = total - sum(amounts)
            if asked < 1:
                continue
            for kinds in product(*(product(names, (LOW, HIGH)) for names in held)):
                running = tuple(
                    Workload(
                        namespace="x",
                        name=f"w{number}",
                        uid=str(number),
                        priority=level.priority,
                        created_at=NOW - MINUTE,
                        quota_reserved_at=NOW - MINUTE,
                        cluster_queue=queue,
                        usage={GPU: amount},
                    )
                    for number, ((queue, level), amount) in enumerate(zip(kinds, amounts, strict=True))
                )
                for created in (NOW, NOW - 2 * MINUTE):
                    waiting = Workload(
                        namespace="x",
                        name="pending",
                        uid="p",
                        priority=pair.high.priority,
                        created_at=created,
                        pod_sets=(PodSet("main", 1, {"gpu": asked}),),
                    )
                    admitted = replace(cluster, admitted=running)
                    yield DecideRequest(
                        admitted, waiting, pair.preemptor, NOW, READING, assignment=None, explained=False
                    )


def size(twice: DecisionPair) -> tuple[int, int]:
    """How many run, and how much is held and asked for in all."""
    request = twice.requests[BEFORE]
    running = request.cluster.admitted
    asked = sum(sum(pods.requests.values()) for pods in request.preemptor.pod_sets)
    return len(running), asked + sum(sum(workload.usage.values()) for workload in running)


@dataclass(frozen=True)
class DrawnSearch:
    """A change of a configuration, and a pair that may preempt before it and not after."""

    both: TwoConfigurations
    pair: PairQuery
    most: int

    def is_shown(self, twice: DecisionPair) -> bool:
        """Whether the pair preempts before the change, and not after."""
        return (
            twice.decisions[AFTER] is not None and self._hits(twice, BEFORE) and not self._hits(twice, AFTER)
        )

    def _hits(self, twice: DecisionPair, side: int) -> bool:
        decision = twice.decisions[side]
        return decision is not None and self._is_hit_by(decision)

    def _is_hit_by(self, decision: Decision) -> bool:
        victim = (self.pair.victim, self.pair.low.priority)
        return any((it.workload.cluster_queue, it.workload.priority) == victim for it in decision.targets)

    def may_be_shown(self) -> bool:
        """Whether a state may show it: the policy before the change allows the pair to preempt."""
        queue = self.both.sides[BEFORE].cluster.cluster_queues[self.pair.preemptor]
        is_within = self.pair.victim == self.pair.preemptor
        policy = queue.within_cluster_queue if is_within else queue.reclaim_within_cohort
        if policy == policy.LOWER_PRIORITY:
            return self.pair.low.priority < self.pair.high.priority
        return policy != policy.NEVER

    def found(self) -> DecisionPair | None:
        """The example of the search."""
        return SmallStates(self.both).shown(self.pair, BEFORE, self.is_shown)

    def smaller(self, count: int, most: int) -> Iterator[DecisionPair]:
        """Every state of so many running workloads and at most so much that shows it."""
        cluster = self.both.sides[BEFORE].cluster
        for request in states(cluster, self.pair, count, min(most, self.most)):
            # Most states show nothing before the change: those are not decided after it.
            if not self._is_hit_by(decided(request)):
                continue
            twice = self.both.decided_on_both(request, BEFORE)
            if self.is_shown(twice):
                yield twice


def drawn_search(dice: random.Random) -> DrawnSearch:
    before, after = drawn_change(dice)
    levels = (LOW, HIGH)
    both = TwoConfigurations(Configuration(before, levels, READING), Configuration(after, levels, READING))
    pair = PairQuery("p", dice.choice(levels), dice.choice(("p", "v")), dice.choice(levels))
    groups = (
        queue.resource_groups for cluster in (before, after) for queue in cluster.cluster_queues.values()
    )
    quota = sum(flavor.nominal["gpu"] for (group,) in groups for flavor in group.flavors)
    return DrawnSearch(both, pair, quota + 1)


@pytest.mark.parametrize("seed", range(sample(20, 400)))
def test_no_smaller_state_shows_what_a_change_does(seed: int) -> None:
    """The first change, whether an example is found or not, and the first with one."""
    print(f"seed {seed}")
    dice = random.Random(seed)
    for draw in range(60):
        search = drawn_search(dice)
        found = search.found() if not draw or search.may_be_shown() else None
        if found is None and draw:
            continue
        workloads, amount = (3, 0) if found is None else size(found)
        for count in range(1, min(workloads, 2) + 1):
            most = amount - 1 if count == workloads else search.most
            smaller = [size(twice) for twice in search.smaller(count, most)]
            assert smaller == [], (draw, search.pair, search.both.sides)
        if found is not None:
            return
    pytest.fail("no change with an example was drawn")


def test_the_least_that_is_asked_for_does_where_quotas_are_large() -> None:
    """A queue of 8 that reclaims from one of 32: forty are held and one is asked for, not two."""
    quotas = {name: ResourceGroup(("gpu",), (FlavorQuotas("f", {"gpu": amount}),)) for name, amount in LARGE}
    queues = {name: ClusterQueue(name, (group,), cohort="c") for name, group in quotas.items()}
    reclaiming = replace(queues["p"], reclaim_within_cohort=ReclaimWithinCohort.ANY)
    one, other = (
        Configuration(side, (LOW, HIGH), READING)
        for side in (Cluster({**queues, "p": reclaiming}), Cluster(queues))
    )
    both = TwoConfigurations(one, other)
    search = DrawnSearch(both, PairQuery("p", HIGH, "v", LOW), 41)
    found = search.found()
    assert found is not None
    assert size(found) == (1, 41)
    (pods,) = found.requests[BEFORE].preemptor.pod_sets
    assert pods.requests == {"gpu": 1}
