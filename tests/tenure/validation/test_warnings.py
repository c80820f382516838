"""What is legal, and dangerous or without effect."""

from __future__ import annotations

from typing import Any

from tests.tenure.validation.objects import group, queue, report, thing, warnings, workload

QUOTA = "spec.resourceGroups[0].flavors[0].resources[0]"
FLAVOR = "spec.resourceGroups[0].flavors[0].name"
BORROW = "spec.preemption.borrowWithinCohort"
RECLAIMING = {"reclaimWithinCohort": "Any"}


def fair(*strategies: str) -> dict[str, Any]:
    """A Configuration with fair sharing."""
    header = {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration"}
    return {**header, "fairSharing": {"preemptionStrategies": list(strategies)}}


def borrower(threshold: int | None = None, policy: str = "LowerPriority") -> dict[str, Any]:
    """A queue that preempts while borrowing."""
    borrow = {"policy": policy} | ({} if threshold is None else {"maxPriorityThreshold": threshold})
    return queue(cohortName="ml", preemption={**RECLAIMING, "borrowWithinCohort": borrow})


def classes(*values: int) -> list[dict[str, Any]]:
    """Priority classes."""
    header = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "WorkloadPriorityClass"}
    return [{**header, "metadata": {"name": f"p{value}"}, "value": value} for value in values]


def test_a_queue_as_it_should_be_is_not_warned_of() -> None:
    assert warnings(queue(), thing("ResourceFlavor", "a100"), workload()) == []


def test_limits_that_borrow_and_lend_nothing() -> None:
    never = queue(cohortName="ml", resourceGroups=[group(borrowingLimit=0)])
    assert warnings(never) == [("NeverBorrows", f"{QUOTA}.borrowingLimit")]
    empty = [group(nominalQuota=0, borrowingLimit=0)]
    assert warnings(queue(cohortName="ml", resourceGroups=empty)) == [
        ("NothingFits", f"{QUOTA}.nominalQuota")
    ]
    assert warnings(queue(resourceGroups=[group(nominalQuota=0)])) == [
        ("NothingFits", f"{QUOTA}.nominalQuota")
    ]
    assert warnings(queue(cohortName="ml", resourceGroups=[group(nominalQuota=0)])) == []


def test_an_unlimited_quota_with_a_lending_limit_lends_nothing() -> None:
    endless = [group(nominalQuota=str(2**63 - 1), lendingLimit=4)]
    found = warnings(queue(cohortName="ml", resourceGroups=endless))
    assert found == [("UnlimitedLendsNothing", f"{QUOTA}.lendingLimit")]
    both = [group(nominalQuota=str(2**63 - 1), lendingLimit=str(2**63 - 1))]
    assert warnings(queue(cohortName="ml", resourceGroups=both)) == []


def test_policies_without_effect() -> None:
    assert warnings(queue(preemption=RECLAIMING)) == [("NoEffect", "spec.preemption.reclaimWithinCohort")]
    assert warnings(borrower(100, "Never")) == [("NoEffect", f"{BORROW}.maxPriorityThreshold")]
    assert warnings(borrower(), fair("LessThanInitialShare")) == [("NoEffect", f"{BORROW}.policy")]


def test_a_weight_of_nothing_is_the_first_to_leave() -> None:
    assert warnings(queue(fairSharing={"weight": 0})) == [("ZeroWeight", "spec.fairSharing.weight")]


def test_a_threshold_bounds_something_only_between_the_classes() -> None:
    path = f"{BORROW}.maxPriorityThreshold"
    for threshold, told in ((9, True), (10, False), (99, False), (100, True), (1000, True)):
        expected = [("ThresholdBoundsNothing", path)] if told else []
        assert warnings(borrower(threshold), *classes(10, 100)) == expected, threshold
    assert warnings(borrower(1000)) == []


def test_a_flavor_that_nothing_describes() -> None:
    given = report(queue(), thing("ResourceFlavor", "a1000"))
    assert [(notice.type, notice.field) for notice in given.warnings] == [("DanglingReference", FLAVOR)]
    assert "did you mean a1000?" in given.warnings[0].message
    assert warnings(queue()) == []


def test_queues_and_classes_that_there_are_not() -> None:
    local = thing("LocalQueue", "ml", {"clusterQueue": "team-b"})
    assert warnings(local, queue()) == [("DanglingReference", "spec.clusterQueue")]
    pending = workload()
    pending["spec"] |= {"queueName": "ml", "priority": 1}
    elsewhere = thing("LocalQueue", "ml", {"clusterQueue": "team-a"})
    elsewhere["metadata"]["namespace"] = "other"
    assert warnings(pending, elsewhere) == [("DanglingReference", "spec.queueName")]
    pending["spec"]["priorityClassRef"] = {
        "group": "kueue.x-k8s.io",
        "kind": "WorkloadPriorityClass",
        "name": "p11",
    }
    assert warnings(pending, *classes(10)) == [("DanglingReference", "spec.priorityClassRef.name")]


def test_a_cohort_that_no_other_object_names() -> None:
    shared = [queue(name, cohortName="research", preemption=RECLAIMING) for name in ("a", "b")]
    lonely = queue("c", cohortName="reserch", preemption=RECLAIMING)
    assert warnings(*shared, lonely) == [("DanglingReference", "spec.cohortName")]
    assert warnings(*shared, lonely, thing("Cohort", "reserch")) == []
    assert warnings(lonely) == []


def test_parents_in_a_circle() -> None:
    cohorts = [thing("Cohort", a, {"parentName": b}) for a, b in ("ab", "bc", "ca")]
    assert warnings(*cohorts) == [("Cycle", "spec.parentName")]
    queues = [
        {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": a}, "spec": spec}
        for a, spec in (
            ("a", {"parentQueue": "a", "resources": {}}),
            ("b", {"parentQueue": "x", "resources": {}}),
        )
    ]
    assert warnings(*queues) == [("Cycle", "spec.parentQueue"), ("DanglingReference", "spec.parentQueue")]


def test_a_queue_that_lends_and_never_reclaims() -> None:
    taking = queue("b", cohortName="ml", preemption=RECLAIMING)
    path = "spec.preemption.reclaimWithinCohort"
    assert warnings(queue("a", cohortName="ml"), taking) == [("LentForGood", path)]
    keeping = queue("a", cohortName="ml", resourceGroups=[group(lendingLimit=0)])
    assert warnings(keeping, taking) == []
    assert warnings(queue("a", cohortName="ml")) == []


def test_a_cohort_whose_own_quota_is_the_sum_of_its_queues() -> None:
    members = [
        queue(name, cohortName="ml", preemption=RECLAIMING, resourceGroups=[group(nominalQuota=2)])
        for name in "ab"
    ]
    cohort = thing("Cohort", "ml", {"resourceGroups": [group(nominalQuota=4)]})
    (found,) = report(*members, cohort).warnings
    assert (found.type, found.object, found.field) == ("CohortQuotaOnTop", "Cohort/ml", "spec.resourceGroups")
    assert "8 nvidia.com/gpu on a100 in all" in found.message
    more = thing("Cohort", "ml", {"resourceGroups": [group(nominalQuota=1)]})
    assert warnings(*members, more) == []


def test_a_fungibility_that_borrows_where_nothing_can_be_borrowed() -> None:
    path = "spec.flavorFungibility.whenCanBorrow"
    alone = queue("a", flavorFungibility={"whenCanBorrow": "TryNextFlavor"})
    assert warnings(alone) == [("NoEffect", path)]
    assert warnings(queue("a", flavorFungibility={"whenCanBorrow": "MayStopSearch"})) == []


def test_two_queues_that_may_evict_each_other_for_ever() -> None:
    both = {"withinClusterQueue": "LowerPriority", **RECLAIMING}
    queues = [queue(name, cohortName="ml", preemption=both) for name in ("a", "b")]
    path = "fairSharing.preemptionStrategies"
    strategies = ("LessThanOrEqualToFinalShare", "LessThanInitialShare")
    assert warnings(fair(*strategies), *queues) == [("EvictionLoop", path)]
    assert warnings(fair("LessThanInitialShare"), *queues) == [("EvictionLoop", path)]
    assert warnings(fair("LessThanOrEqualToFinalShare"), *queues) == []
    assert warnings(fair(*strategies), queues[0]) == []
    assert warnings(*queues) == []


def test_the_strategies_of_a_config_map_count_too() -> None:
    text = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfairSharing:\n"
    text += "  preemptionStrategies: [LessThanInitialShare]\n"
    config_map = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "kueue-manager-config"},
        "data": {"controller_manager_config.yaml": text},
    }
    assert warnings(borrower(), config_map) == [("NoEffect", f"{BORROW}.policy")]
