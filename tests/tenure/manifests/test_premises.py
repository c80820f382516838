"""What the objects show of how Kueue is configured, and what is assumed where they show nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.errors import ErrorCode
from tenure.manifests import Loaded, SourcedObject, build
from tenure.manifests.configuration import DEFAULT_STRATEGIES, FairSharingSource
from tenure.manifests.premises import (
    ASSUMED_OFF,
    SHOWN_ON,
    premises_of,
    premises_of_both,
    premises_of_states,
    refuse_unstated,
)
from tests.objects import Object, a_queue, an_object, condition, pending, refused

FLAVOR = an_object("ResourceFlavor", "default")
FAIR: Object = {"preemptionStrategies": ["LessThanInitialShare"]}
SHARE: Object = {"fairSharing": {"weightedShare": 0}}
PLAIN: Object = {"reservingWorkloads": 0}
USAGE = "UsageBasedAdmissionFairSharing"


def configuration(**fields: Any) -> Object:
    return {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration", **fields}


def queue(
    name: str = "team-a", status: Object | None = None, cohort: str | None = "all", **spec: Any
) -> Object:
    found = a_queue(name, **spec, **({} if cohort is None else {"cohortName": cohort}), namespaceSelector={})
    return found if status is None else {**found, "status": status}


def cohort(name: str = "all", status: Object | None = None, **spec: Any) -> Object:
    return {**an_object("Cohort", name, spec), **({} if status is None else {"status": status})}


def local_queue(name: str = "jobs", status: Object | None = None) -> Object:
    found = an_object("LocalQueue", name, {"clusterQueue": "team-a"}, "ml")
    return found if status is None else {**found, "status": status}


def built(*objects: Object) -> Loaded:
    return build([SourcedObject("a.yaml", found) for found in (FLAVOR, *objects)])


@pytest.mark.parametrize(
    ("objects", "source", "on", "premises"),
    [
        pytest.param(
            [queue(status=SHARE)], FairSharingSource.STATUS, True, (SHOWN_ON,), id="share of a queue"
        ),
        pytest.param(
            [queue(), cohort(status=SHARE)],
            FairSharingSource.STATUS,
            True,
            (SHOWN_ON,),
            id="share of a cohort",
        ),
        pytest.param(
            [queue(status=PLAIN)], FairSharingSource.STATUS, False, (), id="a status without a share"
        ),
        pytest.param([queue()], FairSharingSource.ASSUMED, False, (ASSUMED_OFF,), id="no status"),
        pytest.param(
            [queue(status={})], FairSharingSource.ASSUMED, False, (ASSUMED_OFF,), id="an empty status"
        ),
        pytest.param(
            [queue(), cohort(status={})],
            FairSharingSource.ASSUMED,
            False,
            (ASSUMED_OFF,),
            id="a cohort has an empty status without fair sharing, and before Kueue has seen it",
        ),
        pytest.param(
            [queue(), local_queue(status=SHARE)],
            FairSharingSource.ASSUMED,
            False,
            (ASSUMED_OFF,),
            id="the share of a LocalQueue is of admission fair sharing",
        ),
        pytest.param([queue(cohort=None)], FairSharingSource.ASSUMED, False, (), id="without a cohort"),
        pytest.param(
            [queue(status=SHARE, cohort=None)], FairSharingSource.STATUS, True, (), id="shown, no cohort"
        ),
        pytest.param(
            [queue(status=SHARE), configuration(fairSharing=FAIR)], FairSharingSource.GIVEN, True, (), id="on"
        ),
        pytest.param([queue(), configuration()], FairSharingSource.GIVEN, False, (), id="off"),
    ],
)
def test_fair_sharing_is_configured_or_shown_or_assumed(
    objects: list[Object], source: FairSharingSource, on: bool, premises: tuple[str, ...]
) -> None:
    loaded = built(*objects)
    assert loaded.fair_sharing == source
    assert (loaded.cluster.settings.fair_sharing is not None) == on
    assert premises_of(loaded) == premises


def test_a_status_names_no_strategies_so_that_the_default_ones_count() -> None:
    assert built(queue(status=SHARE)).cluster.settings.fair_sharing == DEFAULT_STRATEGIES


@pytest.mark.parametrize(
    ("status", "fields", "text"),
    [
        (SHARE, {}, "fair sharing is off here, but by the status of ClusterQueue/team-a Kueue runs with it"),
        (
            PLAIN,
            {"fairSharing": FAIR},
            "fair sharing is on here, but by the status of ClusterQueue/team-a Kueue runs without it",
        ),
    ],
)
def test_the_configuration_counts_where_the_status_contradicts_it(
    status: Object, fields: Object, text: str
) -> None:
    loaded = built(queue(status=status), configuration(**fields))
    assert (loaded.cluster.settings.fair_sharing is None) == (not fields)
    assert loaded.warnings == (f"a.yaml: Configuration: {text}; the Configuration counts",)


@pytest.mark.parametrize("fields", [{}, {"fairSharing": FAIR}])
def test_no_contradiction_no_warning(fields: Object) -> None:
    status = SHARE if fields else PLAIN
    assert built(queue(status=status), queue("new"), configuration(**fields)).warnings == ()


def test_objects_of_two_states_are_warned_of_and_count_as_fair_sharing() -> None:
    loaded = built(queue(status=SHARE), queue("team-b", status=PLAIN))
    assert loaded.cluster.settings.fair_sharing is not None
    assert loaded.warnings == (
        "ClusterQueue/team-b: status.fairSharing is absent, although ClusterQueue/team-a has it;"
        " fair sharing counts as on",
    )


def test_a_comparison_names_the_side_that_assumes_something() -> None:
    before, after = built(queue()), built(queue(), configuration())
    assert premises_of_both(before, before) == (ASSUMED_OFF,)
    assert premises_of_both(before, after) == (f"before: {ASSUMED_OFF}",)


@pytest.mark.parametrize(
    "objects",
    [
        [queue(fairSharing={"weight": "3"})],
        [queue(), cohort(fairSharing={"weight": "1"})],
    ],
)
def test_weights_are_refused_where_nothing_shows_whether_they_decide(objects: list[Object]) -> None:
    (text,) = refused(refuse_unstated, built(*objects))
    assert "--fair-sharing default or off" in text
    assert "neither Kueue's Configuration nor status.fairSharing" in text


@pytest.mark.parametrize(
    "objects",
    [
        [queue(fairSharing={"weight": "3"}), configuration()],
        [queue(fairSharing={"weight": "3"}, status=PLAIN)],
        [queue(fairSharing={"weight": "3"}, status=SHARE)],
        [queue(cohort=None, fairSharing={"weight": "3"})],
        [queue()],
    ],
)
def test_weights_pass_where_it_is_shown_or_no_weight_decides(objects: list[Object]) -> None:
    refuse_unstated(built(*objects))


def operator(**config: Any) -> Object:
    found = an_object("Kueue", "cluster", {"managementState": "Managed", "config": config})
    return {**found, "apiVersion": "kueue.openshift.io/v1"}


SEQUENTIAL: Object = {"policy": "ByWorkload", "byWorkload": {"admission": "Sequential"}}


@pytest.mark.parametrize(
    ("config", "on", "is_blocked"),
    [
        ({"preemption": {"preemptionPolicy": "FairSharing"}}, True, False),
        ({"preemption": {"preemptionPolicy": "Classical"}}, False, False),
        ({}, False, False),
        ({"gangScheduling": SEQUENTIAL}, False, True),
        ({"gangScheduling": {"policy": "ByWorkload", "byWorkload": {"admission": "Parallel"}}}, False, False),
        ({"gangScheduling": {**SEQUENTIAL, "policy": "None"}}, False, False),
    ],
)
def test_the_object_of_openshifts_operator_is_a_configuration(
    config: Object, on: bool, is_blocked: bool
) -> None:
    loaded = built(queue(fairSharing={"weight": "3"}), operator(**config))
    refuse_unstated(loaded)
    assert loaded.fair_sharing == FairSharingSource.OPERATOR
    state = "on" if on else "off"
    assert premises_of(loaded) == (f"fair sharing {state} by preemptionPolicy of OpenShift's Kueue",)
    assert loaded.cluster.settings.fair_sharing == (DEFAULT_STRATEGIES if on else None)
    assert len(loaded.over_time) == is_blocked


def test_the_config_map_that_the_operator_makes_counts_beside_its_object() -> None:
    loaded = built(queue(), operator(preemption={"preemptionPolicy": "FairSharing"}), configuration())
    assert loaded.cluster.settings.fair_sharing is None


def test_a_word_that_the_operator_does_not_know_is_an_error() -> None:
    (text,) = refused(built, operator(preemption={"preemptionPolicy": "Fair"}))
    assert text.endswith(
        "spec.config.preemption.preemptionPolicy: found 'Fair', expected Classical or FairSharing"
    )


SCOPED = queue(admissionScope={"admissionMode": USAGE})
ACTIVE = {"conditions": [condition("Active")]}
ORDERED = {"admissionFairSharing": {"usageHalfLifeTime": "1h"}}


@pytest.mark.parametrize(
    ("objects", "is_ordered"),
    [
        pytest.param([SCOPED, configuration(**ORDERED)], True, id="configured"),
        pytest.param([SCOPED, configuration()], False, id="not configured"),
        pytest.param(
            [SCOPED, configuration(**ORDERED, featureGates={"AdmissionFairSharing": False})],
            False,
            id="gate off",
        ),
        pytest.param([queue(), configuration(**ORDERED)], False, id="the queue does not ask for it"),
        pytest.param([SCOPED], True, id="nothing known"),
        pytest.param([SCOPED, local_queue(status=ACTIVE)], False, id="an active LocalQueue without usage"),
        pytest.param([SCOPED, local_queue(status={**ACTIVE, **SHARE})], True, id="one with usage"),
        pytest.param([SCOPED, local_queue(status={})], True, id="one that Kueue has not seen"),
    ],
)
def test_which_queues_are_ordered_by_usage(objects: list[Object], is_ordered: bool) -> None:
    loaded = built(*objects)
    assert loaded.by_usage == ({"team-a"} if is_ordered else set())
    assert any("order by usage" in premise for premise in premises_of_states(loaded)) == is_ordered


@pytest.mark.parametrize(
    ("fields", "version", "is_blocked"),
    [
        ({"waitForPodsReady": {"blockAdmission": True}}, "v1beta2", True),
        ({"waitForPodsReady": {}}, "v1beta2", False),
        ({"waitForPodsReady": {"enable": True}}, "v1beta1", True),
        ({"waitForPodsReady": {"enable": True, "blockAdmission": False}}, "v1beta1", False),
        ({"waitForPodsReady": {"blockAdmission": True}}, "v1beta1", False),
        (
            {"waitForPodsReady": {"blockAdmission": True}, "featureGates": {"DisableWaitForPodsReady": True}},
            "v1beta2",
            False,
        ),
    ],
)
def test_blocked_admission_is_for_questions_over_time(fields: Object, version: str, is_blocked: bool) -> None:
    found = {**configuration(**fields), "apiVersion": f"config.kueue.x-k8s.io/{version}"}
    problems = built(queue(), found).over_time
    assert [problem.field for problem in problems] == ["waitForPodsReady.blockAdmission"] * is_blocked
    assert all(problem.code == ErrorCode.NOT_MODELLED for problem in problems)


def test_a_workload_that_was_blocked_shows_that_admission_is() -> None:
    message = "waiting for all admitted workloads to be in PodsReady condition"
    blocked = {**condition("QuotaReserved", "Waiting", status="False"), "message": message}
    waiting = {**pending(queueName="jobs"), "status": {"conditions": [blocked]}}
    (problem,) = built(queue(), local_queue(), waiting).over_time
    assert (problem.object, problem.field) == ("Workload/ml/w", "status.conditions[QuotaReserved]")
    assert built(queue(), local_queue(), waiting, configuration()).over_time == ()


def test_a_gate_that_decides_over_time_under_fair_sharing_only() -> None:
    gates = {"featureGates": {"FairSharingPrioritizeNonBorrowing": False}}
    (problem,) = built(queue(), configuration(fairSharing=FAIR, **gates)).over_time
    assert problem.field == "featureGates.FairSharingPrioritizeNonBorrowing"
    assert built(queue(), configuration(**gates)).over_time == ()
