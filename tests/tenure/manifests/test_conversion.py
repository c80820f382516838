"""Objects of older API versions: converted as Kueue converts them, and wrong under their own names."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.manifests import (
    read_cluster_queue,
    read_cohort,
    read_local_queue,
    read_priority_class,
    read_resource_flavor,
    read_workload,
)
from tenure.manifests.conversion import to_v1beta2
from tenure.manifests.showing import Place
from tenure.model import Cohort, Fungibility
from tests.objects import Object, a_group, a_queue, an_object, pending, refused

OLD = "kueue.x-k8s.io/v1beta1"
LENDING = {
    "coveredResources": ["cpu"],
    "flavors": [{"name": "a", "resources": [{"name": "cpu", "nominalQuota": 1, "lendingLimit": 1}]}],
}


def old(found: Object) -> Object:
    """The same object under the older version."""
    return {**found, "apiVersion": OLD}


def test_a_cluster_queue() -> None:
    raw = old(
        a_queue(
            cohort="all",
            flavorFungibility={"whenCanBorrow": "Borrow", "whenCanPreempt": "Preempt"},
            admissionChecks=["dws"],
            fairSharing={"weight": "2"},
        )
    )
    before = repr(raw)
    found = read_cluster_queue(raw)
    assert found.cohort == "all"
    assert (
        found.fungibility.when_can_preempt == found.fungibility.when_can_borrow == Fungibility.MAY_STOP_SEARCH
    )
    assert found == read_cluster_queue(
        a_queue(
            cohortName="all",
            flavorFungibility={"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "MayStopSearch"},
            fairSharing={"weight": "2"},
        )
    )
    assert repr(raw) == before


def test_admission_checks_become_a_strategy() -> None:
    found, _ = to_v1beta2(old(a_queue(admissionChecks=["dws"])), "ClusterQueue", Place(), [])
    assert isinstance(found, dict)
    assert found["spec"]["admissionChecksStrategy"] == {"admissionChecks": [{"name": "dws"}]}


@pytest.mark.parametrize(
    ("source", "reference"),
    [
        (
            "kueue.x-k8s.io/workloadpriorityclass",
            {"group": "kueue.x-k8s.io", "kind": "WorkloadPriorityClass", "name": "high"},
        ),
        (
            "scheduling.k8s.io/priorityclass",
            {"group": "scheduling.k8s.io", "kind": "PriorityClass", "name": "high"},
        ),
        ("", None),
    ],
)
def test_a_priority_class_of_a_workload(source: str, reference: Any) -> None:
    raw = old(pending(priorityClassName="high", priorityClassSource=source, priority=3))
    found, _ = to_v1beta2(raw, "Workload", Place(), [])
    assert isinstance(found, dict)
    assert found["spec"].get("priorityClassRef") == reference
    assert read_workload(raw).priority == 3


def test_kinds_that_only_change_their_version() -> None:
    assert (
        read_local_queue(old(an_object("LocalQueue", "q", {"clusterQueue": "a"}, "ml"))).cluster_queue == "a"
    )
    assert read_resource_flavor(old(an_object("ResourceFlavor", "f"))).name == "f"
    assert read_priority_class(old(an_object("WorkloadPriorityClass", "high", value=-3))).base == -3


@pytest.mark.parametrize("field", ["parent", "parentName"])
def test_a_cohort_of_any_version(field: str) -> None:
    alpha = {**an_object("Cohort", "team", {field: "org"}), "apiVersion": "kueue.x-k8s.io/v1alpha1"}
    assert read_cohort(alpha) == Cohort("team", "org")
    assert read_cohort(old(an_object("Cohort", "team", {"parentName": "org"}))) == Cohort("team", "org")
    assert refused(read_cohort, old(an_object("Cohort", "team", {"parent": "org"}))) == [
        "Cohort/team: spec.parent: found 'org', expected no field of this name; did you mean parentName?"
    ]


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        ({"cohort": 3}, "spec.cohort: found 3, expected a string"),
        ({"cohrt": "a"}, "spec.cohrt: found 'a', expected no field of this name; did you mean cohort?"),
        (
            {"cohortName": "a"},
            f"spec.cohortName: found 'a', expected no field of this name in {OLD}; did you mean cohort?",
        ),
        (
            {"resourceGroups": [LENDING]},
            "spec.resourceGroups[0].flavors[0].resources[0].lendingLimit: found 1,"
            " expected no limit without spec.cohort",
        ),
        ({"admissionChecks": "dws"}, "spec.admissionChecks: found 'dws', expected a list"),
        ({"resourceGroups": [a_group("a", quota=-1)]}, "spec.resourceGroups[0].flavors[0].resources[0]"),
    ],
)
def test_what_is_wrong_is_told_under_the_users_own_names(spec: Object, error: str) -> None:
    (found,) = refused(read_cluster_queue, old(a_queue(**spec)))
    assert found.startswith(f"ClusterQueue/team-a: {error}")


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        (
            {"priorityClassSource": "high"},
            "spec.priorityClassSource: found 'high', expected one of"
            " kueue.x-k8s.io/workloadpriorityclass, scheduling.k8s.io/priorityclass",
        ),
        ({"priorityClassName": 3}, "spec.priorityClassName: found 3, expected a string"),
        (
            {"priorityClassRef": {}},
            f"spec.priorityClassRef: found {{}}, expected no field of this name in {OLD};"
            " did you mean priorityClassName?",
        ),
    ],
)
def test_what_is_wrong_with_a_workload(spec: Object, error: str) -> None:
    assert refused(read_workload, old(pending(**spec))) == [f"Workload/ml/w: {error}"]


@pytest.mark.parametrize("spec", [None, 3, [], "x"])
def test_a_spec_of_the_wrong_shape_is_left_to_the_check(spec: Any) -> None:
    raw = {"apiVersion": OLD, "metadata": {"name": "a"}, "spec": spec}
    for read in (read_cluster_queue, read_workload):
        if spec is None:
            assert read(raw).name == "a"
        else:
            assert any("expected a map" in error for error in refused(read, raw))
