"""Which ClusterQueues are alike: every field that differs tells them apart, and names do not."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tenure.explanation.explain import explain_workload
from tenure.model import (
    MINUTE,
    NANO,
    BorrowWithinCohort,
    Cohort,
    PreemptionRules,
    Reason,
    ReclaimWithinCohort,
    WithinClusterQueue,
)
from tenure.oracle.decide import Decision
from tenure.oracle.tree import build_tree
from tenure.readings import preset
from tenure_check.analysis.decided_states import Deciding, Replays
from tenure_check.analysis.matrix import CellResult, CellVerdict, Effort, analyze
from tenure_check.analysis.states import (
    CellQuery,
    Example,
    PriorityLevel,
    States,
    decided,
    is_consistent,
    is_replayed,
    made_small,
)
from tenure_check.analysis.symmetry import Symmetry
from tests.analyzed import ANY, LOWER
from tests.clusters import cluster, groups, queue

QUOTA = (4, 2, 1)
DIFFERENCES: dict[str, dict[str, Any]] = {
    "nominal quota": {"resource_groups": groups((5, 2, 1))},
    "borrowing limit": {"resource_groups": groups((4, 3, 1))},
    "lending limit": {"resource_groups": groups((4, 2, None))},
    "within": {"within_cluster_queue": WithinClusterQueue.NEVER},
    "reclaim": {"reclaim_within_cohort": ReclaimWithinCohort.LOWER_PRIORITY},
    "borrow": {"borrow_within_cohort": BorrowWithinCohort.LOWER_PRIORITY},
    "threshold": {"max_priority_threshold": 7},
    "duration": {"min_admit_duration": MINUTE},
    "weight": {"weight": 2 * NANO},
    "inactive": {"inactive": "StopPolicy Hold"},
    "rules": {"rules": PreemptionRules.UBER_CLUSTER_QUEUE},
    "cohort": {"cohort": "t"},
}
LEVELS = (PriorityLevel("low", 0), PriorityLevel("high", 1))


def nested(**difference: Any) -> Any:
    """Two cohorts of two queues each, all alike but for the last one."""
    policy: dict[str, Any] = {"within_cluster_queue": LOWER, "reclaim_within_cohort": ANY}
    queues = [queue(name, cohort, QUOTA, **policy) for name, cohort in zip("abyz", "llrr", strict=True)]
    queues[-1] = replace(queues[-1], **difference)
    return cluster(*queues, cohorts=(Cohort("l", "t"), Cohort("r", "t"), Cohort("t")))


def symmetry_of(known: Any) -> Symmetry:
    return Symmetry(build_tree(known, known.cluster_queues["a"]))


def test_alike_are_queues_and_pairs_that_a_permutation_of_the_tree_exchanges() -> None:
    symmetry = symmetry_of(nested())
    assert symmetry.queues == ["a"]
    assert symmetry.first_pairs == [("a", "a"), ("a", "b"), ("a", "y")]
    assert symmetry.others["z", "y"] == ("a", "b")
    assert symmetry.others["z", "b"] == ("a", "y")
    assert symmetry.names(("a", "b"), ("z", "y")) == {"a": "z", "b": "y", "y": "a", "z": "b"}
    assert symmetry.names(("a", "y"), ("z", "b")) == {"a": "z", "b": "y", "y": "b", "z": "a"}


@pytest.mark.parametrize("difference", DIFFERENCES)
def test_a_field_that_differs_tells_queues_and_their_cohorts_apart(difference: str) -> None:
    symmetry = symmetry_of(nested(**DIFFERENCES[difference]))
    assert ("z", "z") in symmetry.first_pairs
    assert symmetry.first_like("y", "y") == ("y", "y")
    assert symmetry.first_like("b", "a") == ("a", "b")


def test_a_cohort_that_differs_tells_its_queues_apart() -> None:
    known = nested()
    wider = replace(known.cohorts["r"], resource_groups=groups((1, None, None)))
    assert symmetry_of(replace(known, cohorts={**known.cohorts, "r": wider})).queues == ["a", "y"]


class NoProver:
    """Proves nothing, and remembers what it was asked about."""

    def __init__(self) -> None:
        self.asked: list[CellQuery] = []

    def reasons(self, *_: Any) -> Any:
        return frozenset()

    def fewest(self, _: CellQuery, example: Example) -> tuple[Example, bool]:
        """The example itself."""
        return example, example.victims == 1

    def settle(self, cells: Any, _: Any) -> Any:
        self.asked += cells
        return [(cell, CellResult(CellVerdict.UNKNOWN, "nobody knows")) for cell in cells]


def test_examples_of_queues_that_are_alike_are_decided_anew_for_each() -> None:
    known, prover = nested(), NoProver()
    matrix = analyze(known, LEVELS, preset("guaranteed"), lambda *_: prover, Effort(seed=1, fewest=150))
    first = {cell for cell in matrix.settled if (cell.preemptor, cell.victim) == ("a", "y")}
    assert first
    for cell in first:
        for preemptor, victim in (("y", "b"), ("z", "a")):
            like = replace(cell, preemptor=preemptor, victim=victim)
            settled = matrix.settled[like]
            assert settled.verdict == CellVerdict.CAN, settled
            assert settled.example is not None
            assert is_replayed(like, settled.example)
    assert prover.asked == []


def test_replays_of_a_configuration_that_was_read_once_say_what_whole_ones_do() -> None:
    known = nested()
    tree = build_tree(known, known.cluster_queues["a"])
    states, dice, replays = States(known, tree, preset("guaranteed"), LEVELS), random.Random(3), Replays()
    hits = [found for _ in range(60) for found in states.hits(dice, "a")]
    for cell, example in hits:
        elsewhere = replace(cell, victim="b" if cell.victim != "b" else "y")
        for asked in (cell, elsewhere):
            assert replays.is_replayed(asked, example) == is_replayed(asked, example)
    assert len(hits) > 5


def told(decision: Decision) -> Iterator[Any]:
    """What is decided, why, and what is in use: of nothing it plays no part whether it is named."""
    yield from (decision.outcome, decision.assignment, decision.targets)
    yield from ({at: used for at, used in usage.items() if used} for usage in decision.snapshot.usage)
    yield from (explain_workload(decision, workload) for workload in decision.running)


def test_with_trees_that_are_built_once_states_of_changing_configurations_are_decided_alike() -> None:
    deciding, dice = Deciding(), random.Random(5)
    known = nested(), nested(resource_groups=groups((1, 0, None)))
    drawn = [
        States(one, build_tree(one, one.cluster_queues["a"]), preset("guaranteed"), LEVELS).drawn
        for one in known
    ]
    outcomes = set()
    for number in range(60):
        request = drawn[number // 5 % 2](dice, dice.choice("abyz"))
        for other in known:  # of the other one the state may not be one that admission produces
            asked = replace(request, cluster=replace(other, admitted=request.cluster.admitted))
            decision, alone = deciding.decided(asked), decided(asked)
            assert [*told(decision)] == [*told(alone)]
            outcomes.add(decision.outcome)
    assert len(outcomes) > 1


def test_states_near_a_cell_leave_no_quota_to_spare_in_a_large_cohort() -> None:
    policy: dict[str, Any] = {"within_cluster_queue": LOWER, "reclaim_within_cohort": ANY}
    known = cluster(*(queue(f"q{number}", "c", (4, None, None), **policy) for number in range(12)))
    tree = build_tree(known, known.cluster_queues["q0"])
    states, asked = (
        States(known, tree, preset("guaranteed"), LEVELS),
        CellQuery("q0", 0, "q7", 1, Reason.IN_COHORT_RECLAMATION),
    )
    dice = random.Random(4)
    hits = [found for _ in range(60) for found in states.near(dice, asked)]
    assert all(is_consistent(example.request, tree) for _, example in hits)
    near = dict(hits)
    assert asked in near
    assert is_replayed(asked, made_small(asked, near[asked], states.decided))
