"""What theorems say of a configuration: to which it applies, and that the search finds nothing else."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import pytest

from tenure.model import PreemptionRules
from tenure_check.analysis.closed_systems import CohortTree, PriorityChoice
from tenure_check.analysis.no_loop import missing_conditions, proved_of_loops
from tenure_check.analysis.periodic_runs import EVICTIONS, LoopSearch, SearchBounds
from tests.objects import a_group, an_object
from tests.tenure_check.loops.proved import drawn_tree, searched
from tests.tenure_check.test_loops import FAIR, READING, queue, trees

LOWER: dict[str, Any] = {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "LowerPriority"}
NEWER: dict[str, Any] = {"withinClusterQueue": "LowerOrNewerEqualPriority"}
HOUR: dict[str, Any] = {**NEWER, "withinClusterQueueConfig": {"minAdmitDuration": "1h"}}
OF_ONE, OF_SEVERAL, OF_NONE = ("PO-ANY-340", "PO-ANY-350"), ("PO-ANY-340",), ("PO-KQ-270", "PO-KQ-330")
SEEDS = (2, 8, 14)
OF_EACH = ("PO-AN-050", *OF_ONE)
ANY = {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Any"}
TWO_QUEUES = [queue("a", 2, **LOWER), queue("b", 2, **NEWER)]


def limited(name: str, **preemption: Any) -> dict[str, Any]:
    """A ClusterQueue that may not borrow."""
    made = queue(name, 2, **preemption)
    made["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]["borrowingLimit"] = 0
    return made


def two_flavors(strategy: str = "BestEffortFIFO", **preemption: Any) -> list[dict[str, Any]]:
    """A ClusterQueue in which a pod set may get either flavor."""
    made = queue("a", 2, **preemption)
    made["spec"]["queueingStrategy"] = strategy
    (group,) = made["spec"]["resourceGroups"]
    group["flavors"] += a_group("other", quota=3)["flavors"]
    return [an_object("ResourceFlavor", "other"), made]


def with_pods(strategy: str = "BestEffortFIFO", **preemption: Any) -> dict[str, Any]:
    """A ClusterQueue that has quota for pods."""
    made = queue("a", 2, **preemption)
    made["spec"]["queueingStrategy"] = strategy
    (group,) = made["spec"]["resourceGroups"]
    group["coveredResources"].append("pods")
    group["flavors"][0]["resources"].append({"name": "pods", "nominalQuota": 3})
    return made


@pytest.mark.parametrize(
    ("objects", "theorems"),
    [
        ([queue("a", 4)], OF_NONE),
        ([queue("a", 4), queue("b", 4)], OF_NONE),
        ([queue("a", 4, **NEWER)], OF_ONE),
        ([queue("a", 4, **LOWER)], OF_ONE),
        (TWO_QUEUES, OF_SEVERAL),
        ([FAIR, *TWO_QUEUES], OF_SEVERAL),
        ([*TWO_QUEUES, queue("c", 2, reclaimWithinCohort="Any")], None),
        ([queue("a", 4, **ANY)], OF_ONE),
        ([limited("a", **ANY), limited("b", **LOWER)], OF_EACH),
        ([limited("a", **ANY), limited("b", **HOUR)], None),
        ([limited("a", **ANY), queue("b", 2, **LOWER)], None),
        (two_flavors(**LOWER), OF_SEVERAL),
        (two_flavors("StrictFIFO", **LOWER), OF_ONE),
        (two_flavors(reclaimWithinCohort="LowerPriority"), OF_ONE),
        ([with_pods(**LOWER)], OF_SEVERAL),
        ([with_pods("StrictFIFO", **LOWER)], OF_ONE),
        ([queue("a", 4, **HOUR)], None),
        ([*TWO_QUEUES, queue("c", 2, **HOUR)], None),
    ],
)
def test_theorems_are_named_where_their_hypotheses_hold(
    objects: list[dict[str, Any]], theorems: tuple[str, ...] | None
) -> None:
    (tree,) = trees(*objects)
    proved = proved_of_loops(tree, READING)
    assert (proved and proved.theorems) == theorems
    assert proved is None or proved.excluded == (theorems != OF_SEVERAL)
    is_excluded = proved is not None and proved.excluded
    assert is_excluded or missing_conditions(tree, READING)


@pytest.mark.parametrize(
    ("objects", "fields"),
    [
        ([limited("a", **ANY), limited("b", **HOUR)], ["b withinClusterQueueConfig.minAdmitDuration"]),
        (TWO_QUEUES, ["a borrowingLimit", "b borrowingLimit"]),
        (
            [limited("a", **ANY), queue("b", 2, **LOWER)],
            ["a reclaimWithinCohort", "b borrowingLimit"],
        ),
        (two_flavors(**LOWER), ["a spec.resourceGroups[0].flavors"]),
        ([with_pods(**LOWER)], ["a spec.resourceGroups[0].coveredResources"]),
        ([queue("a", 4, **HOUR)], ["a withinClusterQueueConfig.minAdmitDuration"]),
    ],
)
def test_fields_in_the_way_are_those_that_the_theorems_miss(
    objects: list[dict[str, Any]], fields: list[str]
) -> None:
    (tree,) = trees(*objects)
    found = [known for missing in missing_conditions(tree, READING) for known in missing.fields]
    assert len(found) == len(fields)
    for known, (name, _, path) in zip(found, (text.partition(" ") for text in fields), strict=True):
        assert known.object == f"ClusterQueue/{name}"
        assert known.field.endswith(path)


def _with(tree: CohortTree, **changes: Any) -> CohortTree:
    cluster = dataclasses.replace(tree.cluster, **changes)
    return dataclasses.replace(tree, scenario=dataclasses.replace(tree.scenario, cluster=cluster))


def test_nothing_is_named_beside_a_hero_a_priority_that_grows_or_without_sorting_by_priority() -> None:
    (tree,) = trees(*TWO_QUEUES)
    cluster = tree.cluster
    hero = dataclasses.replace(cluster.cluster_queues["a"], rules=PreemptionRules.UBER_CLUSTER_QUEUE)
    unsorted = dataclasses.replace(cluster.settings, priority_sorting_within_cohort=False)
    changes: list[dict[str, Any]] = [
        {"cluster_queues": {**cluster.cluster_queues, "a": hero}},
        {"settings": unsorted},
        {"growing": {"batch": object()}},
    ]
    assert [proved_of_loops(_with(tree, **change), READING) for change in changes] == [None] * 3
    missing = [missing_conditions(_with(tree, **change), READING)[0].condition for change in changes]
    assert missing == [
        "no ClusterQueue is a hero",
        "a cohort's ClusterQueues take turns by priority",
        "priorities do not grow",
    ]


@pytest.mark.parametrize("strategy", ["BestEffortFIFO", "StrictFIFO"])
@pytest.mark.parametrize("policy", [LOWER, NEWER], ids=["lower", "newer"])
def test_the_search_finds_no_loop_where_a_theorem_excludes_them(
    strategy: str, policy: dict[str, Any]
) -> None:
    alone = queue("a", 4, **policy)
    alone["spec"]["queueingStrategy"] = strategy
    (tree,) = trees(alone)
    assert proved_of_loops(tree, READING) is not None
    kinds = tree.kinds("cpu", (2000, 3000), [PriorityChoice(0), PriorityChoice(1)], 3)
    search = LoopSearch(tree, kinds, SearchBounds(3, EVICTIONS), READING)
    assert [step for step in search.steps() if step is not None] == []
    assert search.tally.plays > 0


def test_random_trees_in_which_theorems_exclude_loops_have_none() -> None:
    """Of `tests.tenure_check.loops.proved`: ClusterQueues that cannot borrow, and one that is alone."""
    counts = set()
    for seed in SEEDS:
        print(f"seed {seed}")
        tree, reading = drawn_tree(random.Random(seed))
        search, found = searched(tree, reading, 2)
        assert (found, search.tally.plays > 0) == (False, True)
        counts.add(len(tree.queues) > 1)
    assert counts == {False, True}
