"""Kueue's Configuration: what its manager refuses at its start, each as the manager of v0.19.2 answered."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.validation.configuration import LOCKED, NEEDS, OFF
from tests.tenure.validation.objects import report

SELECTOR = "managedJobsNamespaceSelector"


def notices(section: dict[str, Any], version: str = "v1beta2") -> list[str]:
    """The fields of the errors about a Configuration."""
    made = {"apiVersion": f"config.kueue.x-k8s.io/{version}", "kind": "Configuration", **section}
    return [notice.field for notice in report(made).errors]


def own(*names: str) -> dict[str, Any]:
    """A selector that leaves out some name spaces."""
    expression = {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": list(names)}
    return {SELECTOR: {"matchExpressions": [expression]}}


@pytest.mark.parametrize(
    ("section", "fields"),
    [
        ({"waitForPodsReady": {"timeout": "5m", "requeuingStrategy": {"timestamp": "Creation"}}}, []),
        ({"waitForPodsReady": {"timeout": "5 m"}}, ["waitForPodsReady.timeout"]),
        ({"waitForPodsReady": {"timeout": "-5m"}}, ["waitForPodsReady.timeout"]),
        ({"waitForPodsReady": {"timeout": 300}}, ["waitForPodsReady.timeout"]),
        ({"waitForPodsReady": {"timeOut": "5m"}}, ["waitForPodsReady.timeOut"]),
        (
            {"waitForPodsReady": {"requeuingStrategy": {"backoffLimitCount": -1}}},
            ["waitForPodsReady.requeuingStrategy.backoffLimitCount"],
        ),
        ({"integrations": {"frameworks": ["batch/job", "pod"], "externalFrameworks": ["A.v1.b.c"]}}, []),
        ({"integrations": {"frameworks": ["batch/jobs"]}}, ["integrations.frameworks[0]"]),
        ({"integrations": {"frameworks": ["pod", "pod"]}}, ["integrations.frameworks[1]"]),
        ({"integrations": {"externalFrameworks": ["A.v1"]}}, ["integrations.externalFrameworks[0]"]),
        ({"admissionFairSharing": {"usageHalfLifeTime": "1h", "resourceWeights": {"cpu": 1.5}}}, []),
        ({"admissionFairSharing": "on"}, ["admissionFairSharing"]),
        (
            {"admissionFairSharing": {"resourceWeights": {"cpu": -1}}},
            ["admissionFairSharing.resourceWeights[cpu]"],
        ),
        ({"resources": {"transformations": [{"input": "a", "outputs": {"b": " 1.5"}}]}}, []),
        (
            {"resources": {"transformations": [{"input": "a"}, {"input": "a"}]}},
            ["resources.transformations[1].input"],
        ),
        (
            {"resources": {"transformations": [{"strategy": "Keep"}]}},
            ["resources.transformations[0].strategy"],
        ),
        (
            {"resources": {"transformations": [{"outputs": {"b": "x"}}]}},
            ["resources.transformations[0].outputs[b]"],
        ),
        (
            {"resources": {"quotaCheckStrategy": "IgnoreUndeclared", "excludeResourcePrefixes": ["a"]}},
            ["resources.quotaCheckStrategy"],
        ),
        (own("kube-system", "kueue-system"), []),
        (own("kube-system"), [SELECTOR]),
        ({**own("kube-system", "here"), "namespace": "here"}, []),
        ({SELECTOR: {"matchExpressions": [{"key": "a"}]}}, [f"{SELECTOR}.matchExpressions[0].operator"]),
        (
            {"internalCertManagement": {"webhookServiceName": "1a"}},
            ["internalCertManagement.webhookServiceName"],
        ),
        ({"internalCertManagement": {"enable": False, "webhookServiceName": "1a"}}, []),
        ({"visibilityServer": {"bindAddress": "::1", "bindPort": 8082}}, []),
        (
            {"visibilityServer": {"bindAddress": "here", "bindPort": 0}},
            ["visibilityServer.bindAddress", "visibilityServer.bindPort"],
        ),
        ({"tls": {"minVersion": "VersionTLS11"}}, ["tls.minVersion"]),
        ({"metrics": {"enableClusterQueueResources": 1}}, ["metrics.enableClusterQueueResources"]),
        ({"multiKueue": {"gcInterval": "1d"}}, ["multiKueue.gcInterval"]),
        ({"featureGates": {"AllAlpha": False, "AllBeta": True, "PriorityBoost": None}}, []),
        ({"featureGates": {"HierarchicalCohorts": False}}, ["featureGates.HierarchicalCohorts"]),
        ({"featureGates": {"UnadmittedWorkloadsExplicitStatus": True}}, ["featureGates"]),
    ],
)
def test_what_the_manager_refuses(section: dict[str, Any], fields: list[str]) -> None:
    assert notices(section) == fields


def test_an_older_configuration_has_its_own_fields_and_switches() -> None:
    older = {"waitForPodsReady": {"enable": False, "timeout": "-5m"}, "queueVisibility": {}}
    assert notices(older, "v1beta1") == []
    assert notices({"visibilityServer": {}}, "v1beta1") == ["visibilityServer"]
    assert notices({"waitForPodsReady": {"enable": True, "timeout": "-5m"}}, "v1beta1") == [
        "waitForPodsReady.timeout"
    ]


def test_topology_aware_scheduling_is_off_only_with_all_that_needs_it() -> None:
    needing = [gate for gate, needed in NEEDS.items() if "TopologyAwareScheduling" in needed]
    on = [gate for gate in needing if gate not in OFF]
    gates = {"TopologyAwareScheduling": False}
    assert notices({"featureGates": gates}) == ["featureGates"] * len(on)
    assert notices({"featureGates": {**gates, **dict.fromkeys(on, False)}}) == []


def test_a_locked_gate_may_be_named_with_its_value() -> None:
    assert notices({"featureGates": dict(LOCKED)}) == []
