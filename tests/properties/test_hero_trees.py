"""Whole decisions on every small tree: whom heroes take, and who takes from them.

PO-UCQ-100 and PO-UCQ-110 are about one target at the door, in trees of any size. Here every part of a
decision takes part, from the tree to filling back, up to the bound that `BOUND` prints.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import pytest

from tenure.model import (
    Cluster,
    Cohort,
    FairStrategy,
    FlavorResource,
    PodSet,
    PreemptionRules,
    ReclaimWithinCohort,
    Settings,
    Workload,
)
from tenure.oracle.decide import decide
from tenure.readings import parse_reading, preset_names
from tests.clusters import queue

COHORTS, QUEUES = 3, 3
BOUND = f"every tree of at most {COHORTS} cohorts and {QUEUES} ClusterQueues"
GPU = FlavorResource("default", "gpu")
REQUESTS = (1, 2, 4)
CLASSICAL = Settings()
FAIR = Settings(fair_sharing=(FairStrategy.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE,))


@dataclass(frozen=True)
class Shape:
    """A tree: the parent of every cohort but the root, the cohort of every queue, and which are heroes."""

    parents: tuple[int, ...]
    places: tuple[int, ...]
    heroes: tuple[bool, ...]

    def walked(self, cohort: int) -> tuple[int, ...]:
        """A cohort and all above it."""
        return (cohort, *(self.walked(self.parents[cohort - 1]) if cohort else ()))

    def contains(self, upper: int, lower: int) -> bool:
        """Whether the subtree of one cohort holds another."""
        return upper in self.walked(lower)


def shapes() -> Iterator[Shape]:
    """Every tree within the bound."""
    for size in range(1, COHORTS + 1):
        for parents in product(*(range(index) for index in range(1, size))):
            for places in product(range(size), repeat=QUEUES):
                for heroes in product((False, True), repeat=QUEUES):
                    yield Shape(parents, places, heroes)


def cluster_of(shape: Shape, settings: Settings = CLASSICAL, more_outside: int = 0) -> Cluster:
    """Two of the queues use what the third does not: each runs a low and a high priority.

    Args:
        shape: the tree.
        settings: the scheduler's.
        more_outside: how much higher priorities are outside the subtree of the first queue's cohort.
    """
    queues = {
        f"q{index}": queue(
            f"q{index}",
            f"c{shape.places[index]}",
            {GPU.flavor: {GPU.resource: (1 if index else 2, None, None)}},
            reclaim_within_cohort=ReclaimWithinCohort.ANY,
            rules=PreemptionRules.UBER_CLUSTER_QUEUE if shape.heroes[index] else PreemptionRules.DEFAULT,
        )
        for index in range(QUEUES)
    }
    cohorts = {
        f"c{below + 1}": Cohort(f"c{below + 1}", f"c{above}") for below, above in enumerate(shape.parents)
    }
    admitted = tuple(
        Workload(
            "ns",
            f"{queue}-{priority}",
            f"{queue}-{priority}",
            priority=priority + (0 if shape.contains(shape.places[0], shape.places[index]) else more_outside),
            created_at=0,
            quota_reserved_at=0,
            cluster_queue=queue,
            usage={GPU: 1},
        )
        for index, queue in enumerate(queues)
        if index
        for priority in (0, 2)
    )
    return Cluster(queues, admitted, cohorts=cohorts, settings=settings)


def asking(amount: int) -> Workload:
    """Who asks, between the two priorities."""
    return Workload(
        "ns", "new", "new", priority=1, created_at=1, pod_sets=(PodSet("main", 1, {GPU.resource: amount}),)
    )


@dataclass
class Counted:
    """What the decisions of all trees came to."""

    decisions: int = 0
    targets: int = 0
    by_heroes: int = 0
    of_heroes: int = 0
    outside: int = 0
    from_above: int = 0

    def add(self, shape: Shape, target: Workload) -> None:
        """Count a target of a decision about the first queue."""
        queue = int((target.cluster_queue or "")[1:])
        mine, theirs = shape.places[0], shape.places[queue]
        self.targets += 1
        self.by_heroes += shape.heroes[0]
        self.of_heroes += shape.heroes[queue]
        self.outside += shape.heroes[0] and not shape.contains(mine, theirs)
        above = shape.contains(mine, theirs) and mine != theirs
        peer = mine == theirs and target.priority < 1
        self.from_above += shape.heroes[queue] and not (shape.heroes[0] and (above or peer))


def counted(reading: dict[str, object], settings: Settings = CLASSICAL) -> Counted:
    """All decisions within the bound."""
    found, chosen = Counted(), parse_reading(reading)
    for shape in shapes():
        cluster = cluster_of(shape, settings)
        for amount in REQUESTS:
            decision = decide(cluster, asking(amount), "q0", 10, chosen)
            found.decisions += 1
            for target in decision.targets:
                found.add(shape, target.workload)
    return found


@pytest.mark.parametrize(
    ("name", "settings"), [*((name, CLASSICAL) for name in preset_names()), ("guaranteed", FAIR)]
)
def test_on_every_small_tree_immunity_and_containment_hold_of_whole_decisions(
    name: str, settings: Settings
) -> None:
    found = counted({"preset": name}, settings)
    print(f"{name}, {settings.fair_sharing}: {BOUND}, {found}")
    assert (found.outside, found.from_above) == (0, 0)
    assert found.by_heroes > 100
    assert found.targets - found.by_heroes > 100
    assert found.of_heroes > 10


def test_on_whole_trees_heroes_go_outside_and_as_written_preempt_those_above() -> None:
    guaranteed, written = (
        counted({"preset": name, "hero_scope": "tree"}) for name in ("guaranteed", "as-written")
    )
    assert guaranteed.outside > 0
    assert guaranteed.from_above == 0
    assert written.outside > 0
    assert written.from_above > 0


def test_on_every_small_tree_priorities_outside_a_hero_s_subtree_decide_nothing() -> None:
    reading, asked = parse_reading("guaranteed"), 0
    for shape in shapes():
        inside = all(shape.contains(shape.places[0], place) for place in shape.places)
        if inside or not shape.heroes[0]:
            continue
        for amount in REQUESTS:
            one, other = (
                decide(cluster_of(shape, more_outside=more), asking(amount), "q0", 10, reading)
                for more in (0, 5)
            )
            assert one.outcome == other.outcome
            assert [target.workload.key for target in one.targets] == [
                target.workload.key for target in other.targets
            ]
            asked += bool(one.targets)
    assert asked > 50
