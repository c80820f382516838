"""Kueue's Configuration: the settings it makes, alone and inside its ConfigMap, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.errors import ErrorCode
from tenure.manifests import Loaded, SourcedObject, build, gate_problems, read_configuration
from tenure.manifests.feature_gates import known_gates, over_time_problems, refused_gates
from tenure.manifests.showing import Place
from tenure.model import FairStrategy, FlavorResource, RequeuingTimestamp, Settings
from tests.objects import Object, admitted, assignment, only_code, refused

NEW, OLD = "config.kueue.x-k8s.io/v1beta2", "config.kueue.x-k8s.io/v1beta1"
BOTH = (FairStrategy.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE, FairStrategy.LESS_THAN_INITIAL_SHARE)
WORDS = ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]
STRATEGIES = "[LessThanOrEqualToFinalShare, LessThanInitialShare], or one of them alone"


def a_configuration(version: str = NEW, **fields: Any) -> Object:
    return {"apiVersion": version, "kind": "Configuration", **fields}


def settings(version: str = NEW, **fields: Any) -> Settings:
    return read_configuration(a_configuration(version, **fields)).settings


def built(*objects: Object, given: Settings | None = None) -> Loaded:
    return build([SourcedObject(f"{i}.yaml", entry) for i, entry in enumerate(objects)], given)


def test_an_empty_configuration_is_kueues_default() -> None:
    assert settings() == settings(OLD) == Settings()


@pytest.mark.parametrize(
    ("version", "found", "expected"),
    [
        (NEW, {"preemptionStrategies": WORDS}, BOTH),
        (NEW, {"preemptionStrategies": WORDS[1:]}, BOTH[1:]),
        (OLD, {"enable": True}, BOTH),
        (OLD, {"enable": True, "preemptionStrategies": WORDS[:1]}, BOTH[:1]),
        (OLD, {"enable": False, "preemptionStrategies": ["unknown"]}, None),
        (OLD, {"preemptionStrategies": WORDS}, None),
        (NEW, None, None),
    ],
)
def test_fair_sharing(version: str, found: Any, expected: Any) -> None:
    assert settings(version, fairSharing=found).fair_sharing == expected


@pytest.mark.parametrize(
    ("version", "found", "expected"),
    [
        (NEW, {"requeuingStrategy": {"timestamp": "Creation"}}, RequeuingTimestamp.CREATION),
        (NEW, {"requeuingStrategy": {"backoffBaseSeconds": 5}}, RequeuingTimestamp.EVICTION),
        (OLD, {"enable": True, "requeuingStrategy": {"timestamp": "Creation"}}, RequeuingTimestamp.CREATION),
        (OLD, {"enable": False, "requeuingStrategy": {"timestamp": "Creation"}}, RequeuingTimestamp.EVICTION),
        (NEW, {"timeout": "5m"}, RequeuingTimestamp.EVICTION),
    ],
)
def test_requeuing(version: str, found: Any, expected: RequeuingTimestamp) -> None:
    assert settings(version, waitForPodsReady=found).requeuing_timestamp == expected


def test_feature_gates() -> None:
    gates = {
        "TimeBasedSamePriorityPreemption": False,
        "PriorityBoost": True,
        "PrioritySortingWithinCohort": False,
        "FairSharingPreemptWithinNominal": False,
        "FlavorFungibility": False,
        "PartialAdmission": False,
    }
    assert settings(featureGates=gates) == Settings(
        time_based_preemption=False,
        priority_boost=True,
        priority_sorting_within_cohort=False,
        fair_sharing_preempt_within_nominal=False,
        flavor_fungibility=False,
        partial_admission=False,
    )
    assert settings(featureGates={name: not value for name, value in gates.items()}) == Settings()


def test_every_other_gate_of_kueue_passes() -> None:
    assert gate_problems(dict.fromkeys(known_gates() - refused_gates().keys(), True), Place()) == []
    assert gate_problems(dict.fromkeys(known_gates(), False), Place()) == []


def test_a_gate_of_fair_sharing_decides_nothing_without_it() -> None:
    gates = {"FairSharingReevaluatePreemptionCandidates": True, "FairSharingRefill": True}
    assert read_configuration({"apiVersion": NEW, "featureGates": gates}).over_time == ()
    (problem,) = refused(
        lambda: read_configuration(
            {"apiVersion": NEW, "fairSharing": {"preemptionStrategies": WORDS}, "featureGates": gates}
        )
    )
    assert "FairSharingReevaluatePreemptionCandidates" in problem
    (later,) = over_time_problems({"FairSharingRefill": True}, Place(), fair_sharing=True)
    assert (later.field, later.code) == ("featureGates.FairSharingRefill", ErrorCode.NOT_MODELLED)


def test_gates_of_a_newer_kueue_are_warned_of_once() -> None:
    gates = {"ConfigurablePreemptions": True, "DynamicQuotaOrchestration": False, "Zzzz": True, "Yyyy": False}
    found = read_configuration({"apiVersion": NEW, "featureGates": gates})
    assert found.newer == ("Tenure does not know the 2 feature gates Yyyy, Zzzz, nor what they decide",)


@pytest.mark.parametrize("gate", sorted(refused_gates()))
def test_a_gate_that_switches_on_what_is_not_modelled(gate: str) -> None:
    (problem,) = gate_problems({gate: True}, Place())
    assert (problem.field, problem.code) == (f"featureGates.{gate}", ErrorCode.NOT_MODELLED)


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"featureGates": []}, "featureGates: found [], expected a map of feature gates to true or false"),
        (
            {"featureGates": {"PriorityBoost": "true"}},
            "featureGates.PriorityBoost: found 'true', expected true or false",
        ),
        (
            {"featureGates": {"PriorityBost": True}},
            "featureGates.PriorityBost: found True, expected a feature gate of Kueue; "
            "did you mean PriorityBoost?",
        ),
        (
            {"fairSharing": {}},
            f"fairSharing.preemptionStrategies: found nothing, expected {STRATEGIES}",
        ),
        (
            {"fairSharing": {"preemptionStrategies": WORDS[::-1]}},
            "fairSharing.preemptionStrategies: found ['LessThanInitialShare', 'LessThanOrEqualToFinalShare'],"
            f" expected {STRATEGIES}",
        ),
        (
            {"waitForPodsReady": {"requeuingStrategy": {"timestamp": "Now"}}},
            "waitForPodsReady.requeuingStrategy.timestamp: found 'Now',"
            " expected one of 'Eviction' or 'Creation'",
        ),
        ({"waitForPodsReady": 3}, "waitForPodsReady: found 3, expected a map"),
    ],
)
def test_what_is_wrong(fields: Object, error: str) -> None:
    assert refused(read_configuration, a_configuration(**fields)) == [f"Configuration: {error}"]


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"resources": {"transformations": [{"input": "a"}]}}, "resources.transformations"),
        ({"resources": {"excludeResourcePrefixes": ["a"]}}, "resources.excludeResourcePrefixes"),
        ({"resources": {"quotaCheckStrategy": "IgnoreUndeclared"}}, "resources.quotaCheckStrategy"),
    ],
)
def test_what_decides_and_is_not_modelled(fields: Object, path: str) -> None:
    assert f"Configuration: {path}: found" in refused(read_configuration, a_configuration(**fields))[0]
    assert only_code(read_configuration, a_configuration(**fields)) == ErrorCode.NOT_MODELLED


def test_what_does_not_decide_passes() -> None:
    passing: Object = {
        "manageJobsWithoutQueueName": True,
        "resources": {"quotaCheckStrategy": "BlockUndeclared"},
    }
    assert settings(**passing, integrations={"frameworks": ["batch/job"]}) == Settings()


def test_a_cluster_takes_its_settings_from_the_configuration() -> None:
    loaded = built(a_configuration(featureGates={"PriorityBoost": True}))
    assert loaded.cluster.settings == Settings(priority_boost=True)
    assert built().cluster.settings == Settings()


def test_settings_that_are_given_go_before_the_configuration() -> None:
    loaded = built(a_configuration(featureGates={"PriorityBoost": True}), given=Settings())
    assert loaded.cluster.settings == Settings()
    assert loaded.warnings == (
        "0.yaml: Configuration: not looked at, because the settings were given otherwise",
    )


@pytest.mark.parametrize("last", [True, False])
def test_reclaimed_pods_without_their_feature_gate(last: bool) -> None:
    workload = admitted(assignment(count=4), reclaimablePods=[{"name": "main", "count": 1}])
    objects = [workload, a_configuration(featureGates={"ReclaimablePods": False})]
    loaded = built(*objects if last else objects[::-1])
    assert loaded.cluster.admitted[0].usage == {FlavorResource("default", "cpu"): 4000}
    assert built(workload).cluster.admitted[0].usage == {FlavorResource("default", "cpu"): 3000}


def a_config_map(text: str) -> Object:
    metadata = {"namespace": "kueue-system", "name": "kueue-manager-config"}
    data = {"controller_manager_config.yaml": text}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def test_the_config_map_of_an_installation() -> None:
    text = f"apiVersion: {OLD}\nkind: Configuration\nfairSharing:\n  enable: true\n"
    assert built(a_config_map(text)).cluster.settings == Settings(fair_sharing=BOTH)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (f"apiVersion: {NEW}\nfairSharing: 3", ".fairSharing: found 3, expected a map"),
        (
            f"apiVersion: {NEW}\na: [",
            ": found a syntax error (did not find expected node content) in line 3, expected YAML",
        ),
        (f"apiVersion: {NEW}\n---\na: 1", ": found 2 documents, expected one Configuration"),
        (
            "apiVersion: config.kueue.x-k8s.io/v1",
            f".apiVersion: found 'config.kueue.x-k8s.io/v1', expected {NEW} or {OLD}",
        ),
    ],
)
def test_what_is_wrong_inside_the_config_map(text: str, error: str) -> None:
    place = "0.yaml: ConfigMap/kueue-system/kueue-manager-config: data[controller_manager_config.yaml]"
    assert refused(built, a_config_map(text)) == [place + error]


def test_the_config_map_of_another_controller_is_ignored() -> None:
    loaded = built(a_config_map("apiVersion: config.jobset.x-k8s.io/v1alpha1\nkind: Configuration\n"))
    assert loaded.ignored == ("0.yaml: ConfigMap/kueue-system/kueue-manager-config: not a kind that is read",)


def test_two_configurations() -> None:
    assert refused(built, a_configuration(), a_configuration()) == [
        "1.yaml: Configuration: found a second Configuration, expected one Configuration"
    ]
