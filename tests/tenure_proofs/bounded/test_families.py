"""What the families hold, and that what they leave out is only another name for what they hold."""

from __future__ import annotations

import dataclasses
from itertools import islice, permutations

import pytest

from tenure.model import Cluster
from tenure.oracle.decide import decide
from tenure.readings import preset
from tenure_proofs.bounded import deciding
from tenure_proofs.bounded.clusters import NOW, World
from tenure_proofs.bounded.families import FAMILIES
from tenure_proofs.bounded.spaces import Size, job_lists, running, tree_shapes
from tenure_proofs.bounded.trial import cluster_of, parts

COUNTS = {
    Size.SMALL: {
        "one queue": 1352,
        "two queues": 456,
        "durations": 36,
        "limits": 1080,
        "trees": 192,
        "heroes": 816,
    },
    Size.USUAL: {
        "one queue": 9184,
        "two queues": 12308,
        "durations": 776,
        "limits": 9072,
        "trees": 9360,
        "heroes": 6120,
    },
}
"""How many clusters there are; a bound that shrinks has to be admitted here."""


@pytest.mark.parametrize("size", COUNTS)
def test_the_families_have_as_many_clusters_as_before(size: Size) -> None:
    found = {name: sum(1 for _ in family.clusters(size)) for name, family in FAMILIES.items()}
    assert found == COUNTS[size]


@pytest.mark.parametrize("family", FAMILIES)
def test_no_cluster_comes_twice_and_the_parts_are_the_whole(family: str) -> None:
    every = list(FAMILIES[family].clusters(Size.SMALL))
    assert len(every) == len(set(every))
    in_parts = [
        cluster for part in parts(Size.SMALL, 3) if part.family == family for cluster in part.clusters()
    ]
    assert dict(in_parts) == dict(enumerate(every))
    assert cluster_of(family, Size.SMALL, 7) == every[7]


def test_the_trees_are_all_that_there_are() -> None:
    shapes = list(tree_shapes(3))
    assert len(shapes) == len(set(shapes))
    # With one cohort 1; below a root each of 3 queues is in one of 2 cohorts, not all in the root; and so on.
    assert [sum(len(parents) == size for parents, _ in shapes) for size in range(3)] == [1, 7, 31]


def test_lists_of_workloads_are_sorted_and_ties_come_in_every_order() -> None:
    one, two, high = running((0,), (0,), (1, 2)) + running((0,), (1,), (1,))
    assert list(job_lists([one, two, high], 2, 2)) == [
        (one, one),
        (one, two),
        (one, high),
        (two, one),
        (two, two),
        (two, high),
        (high, high),
    ]


def taken(world: World, uids: tuple[int, ...]) -> list[int]:
    """The victims when uids are given out in another order."""
    cluster = deciding._cluster(world, False)
    admitted = tuple(
        dataclasses.replace(workload, uid=f"u{uids[number]}")
        for number, workload in enumerate(cluster.admitted)
    )
    renamed = Cluster(cluster.cluster_queues, admitted, settings=cluster.settings, cohorts=cluster.cohorts)
    name = world.nodes[world.mine].name
    decision = decide(renamed, deciding._asking(world.asking), name, NOW, preset("guaranteed"))
    return [int(target.workload.name[1:]) for target in decision.targets]


def test_a_uid_decides_only_between_workloads_of_one_priority_and_stamp() -> None:
    asked = 0
    for family in FAMILIES.values():
        for world in islice(family.clusters(Size.USUAL), 5, None, 53):
            ranks = [(job.priority, job.reserved, job.evicted) for job in world.jobs]
            right = taken(world, tuple(range(len(ranks))))
            for uids in permutations(range(len(ranks))):
                ties_kept = all(
                    ranks[first] != ranks[second] or uids[first] < uids[second]
                    for second in range(len(ranks))
                    for first in range(second)
                )
                if ties_kept and right:
                    assert taken(world, uids) == right
                    asked += 1
    assert asked > 200
