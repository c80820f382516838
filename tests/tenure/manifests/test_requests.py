"""The input of the oracle's call `decide`: what each field becomes, and what is refused."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tenure.conformance.requests import DecideRequest, read_decide_request
from tenure.errors import ErrorCode, InputError
from tenure.model import (
    BorrowWithinCohort,
    Cohort,
    FairStrategy,
    FlavorResource,
    PodSetFlavors,
    ReclaimWithinCohort,
    Settings,
)
from tests.objects import (
    Object,
    a_group,
    a_queue,
    admitted,
    an_object,
    assignment,
    pending,
    refused,
)

RECORDED = Path(__file__).resolve().parents[3].parent / "shared" / "kueue"
FILES = (
    "preemption.jsonl",
    "fair_preemptions.jsonl",
    "hierarchical_preemptions.jsonl",
    "preemption_misc.jsonl",
    "scheduler_get_targets.jsonl",
    "random.jsonl.gz",
)


def an_input(**fields: Any) -> Object:
    return {
        "now": "2026-01-02T00:00:00Z",
        "clusterQueues": [a_queue()],
        "admitted": [admitted()],
        "incoming": pending(name="p"),
        "targetCQ": "team-a",
        **fields,
    }


def read(**fields: Any) -> DecideRequest:
    return read_decide_request(an_input(**fields))


def errors(**fields: Any) -> list[str]:
    return refused(read_decide_request, an_input(**fields))


def recorded() -> Iterator[Object]:
    for name in FILES:
        path = RECORDED / name
        text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        yield from map(json.loads, text.splitlines())


@pytest.mark.skipif(not RECORDED.is_dir(), reason="Kueue's recorded decisions are not beside the repository")
def test_every_recorded_line_is_accepted() -> None:
    count = 0
    for line in recorded():
        given = read_decide_request(line)
        assert given.assignment is not None
        assert [pod_set.count for pod_set in given.assignment.pod_sets] == [
            item["count"] for item in line["assignment"].get("podSets") or []
        ]
        assert set(given.cluster.cohorts) == {item["metadata"]["name"] for item in line["cohorts"] or []}
        assert (given.cluster.settings.fair_sharing is None) == (line["fairSharing"] is None)
        # What an assignment says is read apart from all the rest.
        count += 1
    assert count == 148 + 1097


def test_objects_are_taken_as_no_api_server_has_filled_them_in() -> None:
    queue = read(clusterQueues=[a_queue(preemption={"borrowWithinCohort": {}})]).cluster.cluster_queues[
        "team-a"
    ]
    assert queue.reclaim_within_cohort == ReclaimWithinCohort.UNSET
    assert queue.borrow_within_cohort == BorrowWithinCohort.LOWER_PRIORITY


@pytest.mark.parametrize(
    ("flavors", "inactive"),
    [
        (None, ""),
        ([], "ResourceFlavor default is not given"),
        ([an_object("ResourceFlavor", "default")], ""),
    ],
)
def test_a_flavor_that_is_not_given_makes_a_queue_inactive(flavors: Any, inactive: str) -> None:
    assert read(resourceFlavors=flavors).cluster.cluster_queues["team-a"].inactive == inactive


def test_cohorts() -> None:
    raw = an_object("Cohort", "team", {"parentName": "org", "resourceGroups": [a_group("default")]})
    found = read(cohorts=[raw]).cluster.cohorts
    assert (found["team"].parent, list(found)) == ("org", ["team"])
    assert read(cohorts=None).cluster.cohorts == {}
    assert found["team"] != Cohort("team", "org")


def test_a_cycle_of_cohorts_above_the_target_is_named() -> None:
    two = [an_object("Cohort", name, {"parentName": parent}) for name, parent in ("ab", "ba")]
    assert "a" in read(cohorts=two).cluster.cohorts
    below = a_queue()
    below["spec"]["cohortName"] = "b"
    assert errors(cohorts=two, clusterQueues=[below]) == [
        "Cohort/a: cohorts[0].spec.parentName: found a cycle: a, b, a,"
        " expected a parent that is not below the cohort itself"
    ]


@pytest.mark.parametrize("strategies", [None, []])
def test_fair_sharing_without_strategies_has_the_default_pair(strategies: Any) -> None:
    assert read(fairSharing={"preemptionStrategies": strategies}).cluster.settings.fair_sharing == (
        FairStrategy.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE,
        FairStrategy.LESS_THAN_INITIAL_SHARE,
    )
    assert read(fairSharing=None).cluster.settings.fair_sharing is None


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        (
            {"fairSharing": {"preemptionStrategy": []}},
            "fairSharing.preemptionStrategy: found an unknown field,"
            " expected preemptionStrategies, or nothing; did you mean preemptionStrategies?",
        ),
        ({"fairSharing": []}, "fairSharing: found [], expected an object, or null for classical preemption"),
        (
            {"fairSharing": {"preemptionStrategies": ["Fair"]}},
            "fairSharing.preemptionStrategies: found ['Fair'],"
            " expected [LessThanOrEqualToFinalShare, LessThanInitialShare], or one of them alone",
        ),
        (
            {"featureGates": {"PartialAdmision": False}},
            "featureGates.PartialAdmision: found False,"
            " expected a feature gate of Kueue; did you mean PartialAdmission?",
        ),
        ({"cohorts": {}}, "cohorts: found {}, expected a list"),
        (
            {"cohorts": [an_object("Cohort", "a"), an_object("Cohort", "a")]},
            "cohorts[1].metadata.name: found 'a', expected a name given once; cohorts[0] has it",
        ),
        (
            {"workloadPriorityClasses": [an_object("WorkloadPriorityClass", "high")]},
            "WorkloadPriorityClass/high: workloadPriorityClasses[0].value: found nothing,"
            " expected a value: the field is required",
        ),
        (
            {"jobs": {"ml/p": "soon"}},
            "jobs[ml/p]: found 'soon', expected an RFC 3339 time such as 2026-08-22T12:00:00Z",
        ),
        ({"jobs": []}, "jobs: found [], expected an object of creation times by namespace/name"),
        (
            {"assignment": {"podSets": [{"name": 3}]}},
            "assignment.podSets[0].name: found 3, expected a name",
        ),
        (
            {"assignment": {"podSets": [{"name": "main", "flavors": {"cpu": "default"}}]}},
            "assignment.podSets[0].flavors[cpu]: found 'default', expected an object with flavor and mode",
        ),
    ],
)
def test_what_is_refused(fields: Object, error: str) -> None:
    assert errors(**fields) == [error]


def test_gates_that_are_not_modelled() -> None:
    with pytest.raises(InputError) as caught:
        read(featureGates={"ConcurrentAdmission": True, "PriorityBoost": True})
    (problem,) = caught.value.problems
    assert (problem.field, problem.code) == ("featureGates.ConcurrentAdmission", ErrorCode.NOT_MODELLED)


def test_gates_both_ways() -> None:
    gates = {"PriorityBoost": True, "PartialAdmission": False, "TopologyAwareScheduling": False}
    expected = Settings(priority_boost=True, partial_admission=False, topology_aware_scheduling=False)
    assert read(featureGates=gates).cluster.settings == expected
    raw = admitted(assignment(count=4), reclaimablePods=[{"name": "main", "count": 1}])
    for gate, milli in ((True, 3000), (False, 4000)):
        found = read(admitted=[raw], featureGates={"ReclaimablePods": gate}).cluster.admitted[0]
        assert found.usage == {FlavorResource("default", "cpu"): milli}


def test_an_assignment_of_pod_sets() -> None:
    given = {
        "podSets": [
            {"name": "main", "count": 2, "flavors": {"cpu": {"flavor": "default", "mode": "Preempt"}}},
            {"name": "none", "count": 0, "flavors": None},
        ],
        "usage": [{"flavor": "default", "resource": "cpu", "amount": 2000}],
        "frsNeedPreemption": [{"flavor": "default", "resource": "cpu"}],
    }
    incoming = pending(name="p", count=4)
    incoming["spec"]["podSets"][0]["minCount"] = 2
    queue = a_queue(resourceGroups=[a_group("default", "spot")])
    found = read(assignment=given, incoming=incoming, clusterQueues=[queue])
    assert found.assignment is not None
    assert found.assignment.pod_sets == (
        PodSetFlavors("main", 2, {"cpu": "default"}),
        PodSetFlavors("none", 0, {}),
    )
    assert found.assignment.usage == {FlavorResource("default", "cpu"): 2000}
    assert found.assignment.fits
    assert found.preemptor.pod_sets[0].min_count == 2


def test_classes_and_jobs_of_the_right_form_are_accepted() -> None:
    classes = [an_object("WorkloadPriorityClass", "high", value=3)]
    assert read(workloadPriorityClasses=classes, jobs={"ml/p": "2026-01-01T00:00:00Z"}).queue == "team-a"
