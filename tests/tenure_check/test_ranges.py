"""Priorities that grow with age, and boosts: every relation that they can have, and examples with ages."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from tenure.conformance.requests import DecideRequest
from tenure.model import (
    BorrowWithinCohort,
    Cluster,
    DynamicPriorityPolicy,
    FlavorResource,
    PodSet,
    Reason,
    Workload,
    WorkloadPriorityClass,
)
from tenure.readings import preset
from tenure.rules.dynamic_priority import dynamic_priority
from tenure_check.analysis.matrix import CellResult, CellVerdict, Effort, Matrix, analyze, trees_of
from tenure_check.analysis.priority_levels import levels_of
from tenure_check.analysis.priority_ranges import Ranges, matrix_of_ranges
from tenure_check.analysis.states import CellQuery, Example, PriorityLevel, decided, hits_of, reread
from tenure_check.choices import Scope
from tests.analyzed import ANY, HOUR, LOWER
from tests.clusters import cluster, queue

READING = preset("guaranteed")


def growing(base: int, step: int, highest: int, name: str = "grows") -> WorkloadPriorityClass:
    return WorkloadPriorityClass(name, base, DynamicPriorityPolicy(step, highest, HOUR))


def configured(*classes: WorkloadPriorityClass, threshold: int | None = None, **settings: Any) -> Cluster:
    policy: dict[str, Any] = {"within_cluster_queue": LOWER, "reclaim_within_cohort": ANY}
    if threshold is not None:
        borrow = BorrowWithinCohort.LOWER_PRIORITY
        policy |= {"borrow_within_cohort": borrow, "max_priority_threshold": threshold}
    made = cluster(queue("a", "c", (4, None, None), **policy), queue("b", "c", (2, None, None)), **settings)
    return Cluster(
        made.cluster_queues,
        flavors=made.flavors,
        settings=made.settings,
        growing={known.name: known for known in classes if known.policy is not None},
    )


class AllNever:
    """Says never of all that random states do not hit."""

    def reasons(self, preemptor: str, *_: Any) -> frozenset[Reason]:
        """All, of one of the queues."""
        return frozenset(Reason) if preemptor == "a" else frozenset()

    def fewest(self, _: CellQuery, example: Example) -> tuple[Example, bool]:
        """The example itself."""
        return example, example.victims == 1

    def settle(self, cells: Any, _: Any) -> Any:
        """Never."""
        return [(cell, CellResult(CellVerdict.NEVER, "proved")) for cell in cells]


def matrix_of(known: Cluster, *levels: PriorityLevel) -> Matrix:
    ranges = Ranges(known, levels, READING)
    assert ranges.is_needed
    inner = analyze(ranges.plain, ranges.regions, READING, lambda *_: AllNever(), Effort(seed=2, fewest=250))
    return matrix_of_ranges(ranges, inner)


def shown(matrix: Matrix, high: int, low: int) -> CellResult:
    settled = matrix.settled[CellQuery("a", high, "a", low, Reason.IN_CLUSTER_QUEUE)]
    if settled.example is not None:
        request = reread(settled.example.request)
        (target,) = (
            found for found in decided(request).targets if found.workload.key == settled.example.victim
        )
        assert target.reason == Reason.IN_CLUSTER_QUEUE
    return settled


GROWS, STAYS = PriorityLevel("grows", 0), PriorityLevel("stays", 100)


def test_what_has_grown_preempts_what_stays_and_before_is_preempted_by_it() -> None:
    matrix = matrix_of(configured(growing(0, 40, 200)), GROWS, STAYS)
    older, younger = shown(matrix, 0, 100), shown(matrix, 100, 0)
    assert (older.verdict, younger.verdict) == (CellVerdict.CAN, CellVerdict.CAN)
    assert older.example is not None
    assert older.example.request.preemptor.priority_class == "grows"
    assert shown(matrix, 0, 0).verdict == CellVerdict.CAN


def test_what_never_grows_beyond_another_never_preempts_it() -> None:
    matrix = matrix_of(configured(growing(0, 40, 90)), GROWS, STAYS)
    assert shown(matrix, 0, 100).verdict == CellVerdict.NEVER
    assert shown(matrix, 100, 0).verdict == CellVerdict.CAN


def test_with_boosts_any_class_preempts_any_other() -> None:
    low, high = PriorityLevel("low", 0), PriorityLevel("high", 100)
    matrix = matrix_of(configured(priority_boost=True), low, high)
    for one, other in product((0, 100), repeat=2):
        settled = shown(matrix, one, other)
        assert settled.verdict == CellVerdict.CAN
        assert settled.example is not None
    settled = shown(matrix, 0, 100)
    assert settled.example is not None
    assert settled.example.request.preemptor.priority_boost > 0


def test_classes_that_cannot_be_told_by_their_value_are_not_covered() -> None:
    for known, levels in (
        (configured(growing(0, 40, 200)), (GROWS, PriorityLevel("other", 0))),
        (configured(growing(0, -1, 200)), (GROWS,)),
        (configured(growing(9, 40, 3)), (PriorityLevel("grows", 9),)),
        (configured(), (STAYS,)),
    ):
        assert not Ranges(known, levels, READING).is_needed


@pytest.mark.parametrize("seed", range(30))
def test_kinds_are_those_of_all_pairs_of_values(seed: int) -> None:
    dice = random.Random(seed)
    bases = dice.sample(range(-20, 60), 2)
    classes = [
        growing(base, dice.randint(0, 30), base + dice.randint(0, 120), name)
        for base, name in zip(bases, "xy", strict=True)
    ]
    threshold = dice.choice((None, dice.randint(-30, 100)))
    levels = [PriorityLevel(known.name, known.base) for known in classes]
    ranges = Ranges(configured(*classes, threshold=threshold), tuple(levels), READING)
    values = []
    for known in classes:
        assert known.policy is not None
        values.append({dynamic_priority(known.base, known.policy, steps) for steps in range(200)})
    regions = [level.priority for level in levels_of(ranges.cluster, ())]

    def kind(high: int, low: int) -> tuple[bool, bool, int]:
        above = [threshold is not None and value > threshold for value in (high, low)]
        return above[0], above[1], (high > low) - (high < low)

    def kind_of_regions(high: int, low: int) -> tuple[bool, bool, int]:
        places = [regions.index(value) for value in (high, low)]
        return places[0] > 1, places[1] > 1, (high > low) - (high < low)

    for (one, mine), (other, theirs) in product(zip(levels, values, strict=True), repeat=2):
        found = ranges.kinds(one, other)
        assert {kind_of_regions(*pair) for pair in found} == {kind(*pair) for pair in product(mine, theirs)}
        for stands_for, (high, low) in found.items():
            assert high in mine
            assert low in theirs
            assert kind(high, low) == kind_of_regions(*stands_for)


def test_an_example_at_the_epoch_is_moved_to_where_a_job_can_be_older() -> None:
    """Solvers like small numbers, and a priority of 200 takes five hours of age."""
    known = configured(growing(0, 40, 200))
    (tree,), gpu = trees_of(known), FlavorResource("f", "gpu")
    victim = Workload(
        "x", "victim", "m", priority=0, created_at=0, quota_reserved_at=0, cluster_queue="a", usage={gpu: 6}
    )
    waiting = Workload(
        "x", "pending", "p", priority=1, created_at=0, pod_sets=(PodSet("main", 1, {"gpu": 4}),)
    )
    plain = Ranges(known, (GROWS, STAYS), READING).plain
    request = DecideRequest(
        replace(plain, admitted=(victim,)), waiting, "a", 0, READING, None, explained=False
    )
    old = CellQuery("a", 1, "a", 0, Reason.IN_CLUSTER_QUEUE)
    (hit,) = hits_of(request, decided(request))
    assert hit[0] == old
    asked, ranges = replace(old, high=0, low=100), Ranges(known, (GROWS, STAYS), READING)
    found = ranges.example(asked, (200, 100), old, hit[1], tree, Scope.CONSISTENT)
    assert found is not None
    assert found.request.preemptor.ages_since <= found.request.now - 5 * HOUR
