"""Priorities that cells are about: the workloads' own, and whether they cover all others."""

from __future__ import annotations

import random
from itertools import product

import pytest

from tenure.model import Cluster, ClusterQueue, Workload, WorkloadPriorityClass
from tenure_check.analysis.priority_levels import (
    HIGHEST_PRIORITY,
    LOWEST_PRIORITY,
    coverage,
    levels_of,
    levels_of_both,
    regions_of,
)


def configured(thresholds: list[int], priorities: list[int], queues: int = 1) -> Cluster:
    """ClusterQueues with thresholds, and running workloads."""
    limits = [*thresholds, *[None] * queues]
    made = {
        str(number): ClusterQueue(str(number), max_priority_threshold=at) for number, at in enumerate(limits)
    }
    running = tuple(
        Workload("x", str(number), str(number), priority, 0) for number, priority in enumerate(priorities)
    )
    return Cluster(made, admitted=running)


@pytest.mark.parametrize("seed", range(60))
def test_any_two_priorities_are_covered_by_two_levels(seed: int) -> None:
    """They have the same order, and are on the same side of every threshold."""
    dice = random.Random(seed)
    ends = LOWEST_PRIORITY, HIGHEST_PRIORITY, 0, 1, 7, 100, 101
    thresholds = dice.sample(ends, dice.randint(0, 3))
    own = [dice.choice((*ends, dice.randint(-200, 200))) for _ in range(dice.randint(0, 6))]
    levels = [level.priority for level in levels_of(configured(thresholds, own), [])]
    assert all(LOWEST_PRIORITY <= value <= HIGHEST_PRIORITY for value in levels)
    near = {
        min(max(at + step, LOWEST_PRIORITY), HIGHEST_PRIORITY) for at in ends for step in (-2, -1, 0, 1, 2)
    }

    def kind(high: int, low: int) -> tuple[object, ...]:
        sides = tuple((high > threshold, low > threshold) for threshold in thresholds)
        return (high > low) - (high < low), sides

    covered = {kind(*pair) for pair in product(levels, repeat=2)}
    assert {kind(*pair) for pair in product(near, repeat=2)} == covered


def test_levels_are_the_priorities_of_workloads_and_of_classes() -> None:
    known = configured([100], [-10, 50, 500, 500, 0])
    assert [level.name for level in levels_of(known, [])] == ["-10", "0", "50", "500", "501"]
    classes = [WorkloadPriorityClass("batch", 0), WorkloadPriorityClass("prod", 500)]
    assert [level.name for level in levels_of(known, classes)] == ["-10", "batch", "50", "prod"]
    assert [level.name for level in levels_of(known, classes, [7])] == ["-10", "batch", "7", "50", "prod"]


def test_of_many_priorities_the_most_frequent_are_levels() -> None:
    known = configured([], [*range(40), 30, 31, 32, 33], queues=8)
    assert [level.name for level in levels_of(known, [])] == ["30", "31", "32", "33"]
    assert len(levels_of(configured([], [*range(40)], queues=100), [])) == 2


def test_what_classes_do_not_cover_is_named() -> None:
    classes = [WorkloadPriorityClass("batch", 0), WorkloadPriorityClass("prod", 500)]
    lacking = coverage(levels_of(configured([100], []), classes), [100])
    assert lacking.endswith("not covered: two different priorities up to 100 or above 100")
    assert "they cover all others" in coverage(levels_of(configured([], []), classes), [])


def test_both_sides_of_a_difference_have_the_same_levels() -> None:
    one, other = levels_of_both((configured([], [5]), []), (configured([10], [7]), []))
    assert one == other
    assert [level.name for level in one] == ["5", "7", "11", "12"]


def test_a_region_of_one_priority_has_it_twice() -> None:
    assert [level.priority for level in regions_of(configured([7, 8], []))] == [6, 7, 8, 8, 9, 10]
