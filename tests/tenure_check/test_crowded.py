"""States of a full tree: admission can produce them, and they hit what random ones hardly ever do."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from tenure.conformance.requests import DecideRequest
from tenure.model import (
    Amounts,
    Cluster,
    Cohort,
    FlavorResource,
    PodSet,
    Reason,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.decide import Decision
from tenure.oracle.tree import build_tree
from tenure.readings import preset
from tenure_check.analysis import campaign
from tenure_check.analysis.adapted_examples import AdaptedExamples
from tenure_check.analysis.full_trees import CrowdedStates
from tenure_check.analysis.guarantees import NarrowCell, Narrowing
from tenure_check.analysis.matrix import CellVerdict, trees_of
from tenure_check.analysis.prover import BY_EXAMPLE, LARGEST_TREE, SolverProver
from tenure_check.analysis.states import (
    NOW,
    CellQuery,
    PriorityLevel,
    decided,
    hits_of,
    is_consistent,
    is_replayed,
    made_small,
)
from tenure_check.choices import Scope
from tests.analyzed import ANY, LOWER
from tests.clusters import cluster, groups, queue

LEVELS = PriorityLevel("low", 0), PriorityLevel("high", 1)
FEW = 60


def limited() -> Cluster:
    """Three cohorts below a root: one that may borrow nothing, two that may borrow less than there is."""
    quotas = {
        "a": ("x", (13, 1, 9)),
        "b": ("x", (22, 7, None)),
        "c": ("y", (7, None, 0)),
        "d": ("y", (16, None, None)),
        "e": ("y", (25, 20, None)),
        "f": ("z", (28, None, 24)),
        "g": ("z", (10, 3, None)),
    }
    queues = (queue(name, *known, reclaim_within_cohort=ANY) for name, known in quotas.items())
    limits = {"x": 0, "y": 12, "z": 18}
    cohorts = (Cohort(name, "root", groups((0, limit, None))) for name, limit in limits.items())
    return cluster(*queues, cohorts=(Cohort("root"), *cohorts))


@pytest.mark.parametrize("victim", "def")
def test_a_cell_below_limited_cohorts_is_hit_by_crowded_states_and_not_by_as_many_others(victim: str) -> None:
    known = limited()
    tree = build_tree(known, known.cluster_queues["a"])
    states = CrowdedStates(known, tree, preset("guaranteed"), LEVELS)
    cell = CellQuery("a", 0, victim, 1, Reason.IN_COHORT_RECLAMATION)
    near, crowded = (
        [example for _ in range(FEW) for hit, example in draw(dice, cell) if hit == cell]
        for draw, dice in ((states.near, random.Random(1)), (states.crowded, random.Random(1)))
    )
    assert crowded
    assert not near
    assert is_replayed(cell, made_small(cell, crowded[0], states.decided))


def weightless(count: int, within: WithinClusterQueue) -> Cluster:
    """ClusterQueues under fair sharing; the first has weight 0: its share is infinite while it borrows."""
    first = queue(
        "q0", "c", (10, None, None), within_cluster_queue=within, reclaim_within_cohort=ANY, weight=0
    )
    others = (queue(f"q{number}", "c", (4 + number, None, None)) for number in range(1, count))
    return cluster(first, *others, fair_sharing=())


BY_SHARE = CellQuery("q0", 0, "q1", 1, Reason.IN_COHORT_FAIR_SHARING)


def test_a_share_that_falls_once_an_own_workload_leaves_is_hit_by_states_that_let_it_leave() -> None:
    known = weightless(3, LOWER)
    tree = build_tree(known, known.cluster_queues["q0"])
    states = CrowdedStates(known, tree, preset("guaranteed"), LEVELS)
    hit = {
        draw: any(cell == BY_SHARE for _ in range(FEW) for cell, _ in draw(dice, BY_SHARE))
        for draw, dice in (
            (states.crowded, random.Random(1)),
            (states.crowded_with_own, random.Random(1)),
        )
    }
    assert [*hit.values()] == [False, True]


@pytest.mark.parametrize("within", list(WithinClusterQueue)[:2])
def test_a_tree_too_large_to_be_solved_whole_is_settled_by_who_may_leave(within: WithinClusterQueue) -> None:
    """Only where an own workload may leave first does the share of a queue of weight 0 allow a victim."""
    known = weightless(LARGEST_TREE + 1, within)
    prover = SolverProver(known, build_tree(known, known.cluster_queues["q0"]), preset("guaranteed"), None)
    ((_, settled),) = prover.settled_of_pair([BY_SHARE])
    never = within == WithinClusterQueue.NEVER
    assert settled.verdict == (CellVerdict.NEVER if never else CellVerdict.CAN), settled.why


def test_an_example_is_adapted_to_other_priorities_and_to_another_victim() -> None:
    known = cluster(*(queue(name, "c", (4, None, None), reclaim_within_cohort=ANY) for name in "abd"))
    tree = build_tree(known, known.cluster_queues["a"])
    prover = SolverProver(known, tree, preset("guaranteed"), None)
    first = CellQuery("a", 0, "b", 1, Reason.IN_COHORT_RECLAMATION)
    ((_, settled),) = prover.settled_of_pair([first])
    assert settled.example is not None
    adapted = AdaptedExamples(tree, preset("guaranteed"))
    adapted.note(first, settled.example)
    for cell in (replace(first, high=1, low=0), replace(first, victim="d")):
        requests = [*adapted.states_for(cell)]
        assert all(is_consistent(request, tree) for request in requests)
        assert cell in [hit for request in requests for hit, _ in hits_of(request, decided(request))]


@pytest.mark.parametrize("seed", range(6))
def test_crowded_states_of_random_configurations_are_consistent(seed: int) -> None:
    dice = random.Random(seed)
    known, reading = campaign.draw_configuration(dice, 5, Scope.CONSISTENT)
    for tree in trees_of(known):
        states = CrowdedStates(known, tree, reading, LEVELS)
        names = sorted(name for name, place in tree.places.items() if tree.nodes[place].quotas)
        for preemptor in names:
            cell = CellQuery(preemptor, 1, dice.choice(names), 0, Reason.IN_COHORT_RECLAMATION)
            for _ in range(10):
                request = states.drawn_crowded(dice, cell)
                assert is_consistent(request, tree), (seed, cell, request)


def test_of_many_workloads_those_that_are_not_needed_are_left_out_together() -> None:
    """One of a lower priority is enough; three dozen small ones take no part."""
    known = cluster(queue("a", None, (4, None, None), within_cluster_queue=LOWER))
    (victim, spare), gpu = ("victim", "spare"), FlavorResource("f", "gpu")
    running = (
        _running(victim, "a", {gpu: 4}, 0),
        *(_running(f"{spare}{number}", "a", {}, 1) for number in range(36)),
    )
    waiting = Workload("x", "pending", "p", priority=1, created_at=0, pod_sets=(PodSet("m", 1, {"gpu": 4}),))
    cell = CellQuery("a", 1, "a", 0, Reason.IN_CLUSTER_QUEUE)
    request = DecideRequest(
        replace(known, admitted=running), waiting, "a", NOW, preset("guaranteed"), None, explained=False
    )
    ((found, example),) = hits_of(request, decided(request))
    count = Counter[str]()

    def counted(state: DecideRequest) -> Decision:
        count["decided"] += 1
        return decided(state)

    small = made_small(found, example, counted)
    assert found == cell
    assert [workload.name for workload in small.request.cluster.admitted] == [victim]
    assert count["decided"] == 1


def _running(name: str, where: str, usage: Amounts, priority: int) -> Workload:
    return Workload(
        "x", name, name, priority, created_at=0, quota_reserved_at=0, cluster_queue=where, usage=usage
    )


def test_a_condition_on_a_victim_is_met_by_a_random_state_where_a_solver_would_choose_another_flavor() -> (
    None
):
    """Values of three flavors and two resources are seldom decided as they were meant."""
    quotas = {
        name: {"cpu": (cpu, None, None), "gpu": (4, None, None)}
        for name, cpu in zip("fgh", (1, 2, 3), strict=True)
    }
    known = cluster(queue("a", "c", quotas, within_cluster_queue=LOWER))
    prover = SolverProver(known, build_tree(known, known.cluster_queues["a"]), preset("guaranteed"), None)
    cell = CellQuery("a", 1, "a", 0, Reason.IN_CLUSTER_QUEUE)
    settled = prover.narrowed(NarrowCell(cell, Narrowing.WITHIN, None))
    assert (settled.verdict, settled.why) == (CellVerdict.CAN, BY_EXAMPLE)
    assert settled.example is not None
    assert is_replayed(cell, settled.example)
