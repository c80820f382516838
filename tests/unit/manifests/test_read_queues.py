"""ClusterQueues, flavors and LocalQueues to the model: each field, and every error in words."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.errors import ErrorCode
from tenure.manifests import (
    MAX_AMOUNT,
    LocalQueueEntry,
    read_cluster_queue,
    read_local_queue,
    read_resource_flavor,
)
from tenure.manifests.showing import NumberText
from tenure.model import (
    ClusterQueue,
    FlavorQuotas,
    FlavorResource,
    ResourceFlavor,
    ResourceGroup,
    WithinClusterQueue,
)
from tests.unit.manifests.objects import Object, a_group, a_queue, an_object, only_code, refused


class TestClusterQueue:
    def test_everything_that_decides(self) -> None:
        raw = a_queue(
            resourceGroups=[
                {
                    "coveredResources": ["cpu", "memory"],
                    "flavors": [
                        {
                            "name": "spot",
                            "resources": [
                                {"name": "cpu", "nominalQuota": "1500m", "borrowingLimit": "1"},
                                {"name": "memory", "nominalQuota": "1Gi", "lendingLimit": 0},
                            ],
                        }
                    ],
                },
                a_group("a100", "h100", resource="nvidia.com/gpu", quota="1Gi"),
            ],
            cohortName="all",
            preemption={
                "withinClusterQueue": "LowerOrNewerEqualPriority",
                "withinClusterQueueConfig": {"minAdmitDuration": "4h"},
                "reclaimWithinCohort": "Any",
                "borrowWithinCohort": {"policy": "LowerPriority", "maxPriorityThreshold": 100},
            },
        )
        gpu = {"nvidia.com/gpu": 2**30}
        assert read_cluster_queue(raw) == ClusterQueue(
            name="team-a",
            resource_groups=(
                ResourceGroup(("cpu", "memory"), (FlavorQuotas("spot", {"cpu": 1500, "memory": 2**30}),)),
                ResourceGroup(("nvidia.com/gpu",), (FlavorQuotas("a100", gpu), FlavorQuotas("h100", gpu))),
            ),
            within_cluster_queue=WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY,
            min_admit_duration=4 * 3600 * 10**9,
            cohort="all",
        )

    @pytest.mark.parametrize(
        ("policy", "expected"),
        [
            ("", WithinClusterQueue.NEVER),
            (None, WithinClusterQueue.NEVER),
            ("Never", WithinClusterQueue.NEVER),
            ("LowerPriority", WithinClusterQueue.LOWER_PRIORITY),
            ("LowerOrNewerEqualPriority", WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY),
        ],
    )
    def test_policies(self, policy: str | None, expected: WithinClusterQueue) -> None:
        raw = a_queue(preemption={"withinClusterQueue": policy, "withinClusterQueueConfig": {}})
        assert read_cluster_queue(raw).within_cluster_queue == expected
        assert read_cluster_queue(raw).min_admit_duration is None

    @pytest.mark.parametrize("spec", [None, {}, {"preemption": None, "cohortName": ""}])
    def test_defaults(self, spec: Any) -> None:
        assert read_cluster_queue(an_object("ClusterQueue", "a", spec)) == ClusterQueue("a")

    def test_what_cannot_matter_alone_is_accepted(self) -> None:
        raw = a_queue(
            stopPolicy="None",
            queueingStrategy="StrictFIFO",
            namespaceSelector={"matchLabels": {"a": "b"}},
            flavorFungibility={
                "whenCanBorrow": "TryNextFlavor",
                "whenCanPreempt": "TryNextFlavor",
                "preference": "PreemptionOverBorrowing",
            },
            fairSharing={"weight": NumberText("0.75")},
            admissionScope={"admissionMode": "UsageBasedAdmissionFairSharing"},
            admissionChecksStrategy={"admissionChecks": [{"name": "x", "onFlavors": ["default"]}]},
            concurrentAdmissionPolicy={"migration": {"mode": "TryPreferredFlavors"}},
            preemption={"rules": "DefaultPreemptionRules"},
        )
        raw["status"] = {"pendingWorkloads": 3, "counterOfTheNextRelease": 4}
        raw["metadata"] |= {"managedFields": [{"manager": "kubectl"}], "labels": {"a": 1}}
        assert read_cluster_queue(raw).name == "team-a"

    def test_a_quota_beyond_64_bits_is_unlimited(self) -> None:
        assert read_cluster_queue(a_queue(resourceGroups=[a_group("a", quota="1E")])).nominal() == {
            FlavorResource("a", "cpu"): MAX_AMOUNT
        }

    @pytest.mark.parametrize(
        ("spec", "error"),
        [
            (
                {"stopPolicy": "Hold"},
                "stopPolicy: found 'Hold', expected nothing here: a queue that is held is not modelled",
            ),
            (
                {"stopPolicy": "HoldAndDrain"},
                "stopPolicy: found 'HoldAndDrain',"
                " expected nothing here: a queue that is held is not modelled",
            ),
            (
                {"preemption": {"rules": "UberClusterQueueRules"}},
                "preemption.rules: found 'UberClusterQueueRules',"
                " expected nothing here: a hero queue (KEP-8826) is not modelled",
            ),
        ],
    )
    def test_what_is_not_modelled(self, spec: Object, error: str) -> None:
        raw = a_queue(**spec)
        assert refused(read_cluster_queue, raw) == [f"ClusterQueue/team-a: spec.{error}"]
        assert only_code(read_cluster_queue, raw) == ErrorCode.NOT_MODELLED

    @pytest.mark.parametrize(
        ("spec", "error"),
        [
            (
                {"cohort": "a"},
                "spec.cohort: found 'a', expected no field of this name; did you mean cohortName?",
            ),
            (
                {"preemption": {"withinClusterQueue": "Lower"}},
                "spec.preemption.withinClusterQueue: found 'Lower',"
                r" expected one of 'Never', 'LowerPriority' or 'LowerOrNewerEqualPriority'",
            ),
            (
                {"preemption": {"withinClusterQueu": "Never"}},
                "spec.preemption.withinClusterQueu: found 'Never',"
                r" expected no field of this name; did you mean withinClusterQueue?",
            ),
            (
                {"preemption": {"withinClusterQueueConfig": {"zzz": 1}}},
                "spec.preemption.withinClusterQueueConfig.zzz: found 1,"
                " expected no field of this name; there are minAdmitDuration",
            ),
            (
                {"preemption": {"withinClusterQueueConfig": {"minAdmitDuration": 3600}}},
                "spec.preemption.withinClusterQueueConfig.minAdmitDuration: found 3600,"
                " expected a duration such as 4h, 1h30m or 300ms",
            ),
            ({"preemption": []}, "spec.preemption: found [], expected a map"),
            (
                {"preemption": {"borrowWithinCohort": {"maxPriorityThreshold": 2**31}}},
                "spec.preemption.borrowWithinCohort.maxPriorityThreshold: found 2147483648,"
                " expected at most 2147483647",
            ),
            ({"resourceGroups": {}}, "spec.resourceGroups: found {}, expected a list"),
            ({"resourceGroups": [None]}, "spec.resourceGroups[0]: found None, expected a map"),
            (
                {"resourceGroups": [{"coveredResources": "cpu"}]},
                "spec.resourceGroups[0].coveredResources: found 'cpu', expected a list",
            ),
            (
                {"resourceGroups": [a_group("a", quota=True)]},
                "spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: found True,"
                " expected a Kubernetes quantity such as 4, 500m or 2Gi",
            ),
            (
                {"resourceGroups": [a_group("a", quota=None)]},
                "spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: found None,"
                " expected a Kubernetes quantity such as 4, 500m or 2Gi",
            ),
            (
                {"resourceGroups": [a_group("a", quota="-1")]},
                "spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: found '-1',"
                " expected a quantity that is not negative",
            ),
            (
                {"resourceGroups": [a_group("a"), a_group("b", resource="cpu")]},
                "spec.resourceGroups[1].coveredResources[0]: found 'cpu' a second time,"
                " expected each resource in one place",
            ),
            (
                {"resourceGroups": [a_group("a"), a_group("a", resource="gpu")]},
                "spec.resourceGroups[1].flavors[0].name: found 'a' a second time,"
                " expected each flavor in one place",
            ),
            (
                {"resourceGroups": [{**a_group("a"), "coveredResources": ["cpu", "memory"]}]},
                "spec.resourceGroups[0].flavors[0].resources: found ['cpu'],"
                " expected the group's coveredResources: cpu, memory",
            ),
            (
                {"resourceGroups": [{"coveredResources": ["cpu"], "flavors": [{"name": "a"}]}]},
                "spec.resourceGroups[0].flavors[0].resources: found [],"
                " expected the group's coveredResources: cpu",
            ),
            (
                {"flavorFungibility": {"whenCanBorrow": "Borrow"}},
                "spec.flavorFungibility.whenCanBorrow: found 'Borrow',"
                " expected one of 'MayStopSearch' or 'TryNextFlavor'",
            ),
        ],
    )
    def test_what_is_wrong(self, spec: Object, error: str) -> None:
        assert refused(read_cluster_queue, a_queue(**spec)) == [f"ClusterQueue/team-a: {error}"]

    def test_resources_in_another_order_are_named_one_by_one(self) -> None:
        quotas = [{"name": name, "nominalQuota": 1} for name in ("memory", "cpu")]
        group = {"coveredResources": ["cpu", "memory"], "flavors": [{"name": "a", "resources": quotas}]}
        path = "ClusterQueue/team-a: spec.resourceGroups[0].flavors[0].resources"
        assert refused(read_cluster_queue, a_queue(resourceGroups=[group])) == [
            f"{path}[0].name: found 'memory', expected cpu, in the order of coveredResources",
            f"{path}[1].name: found 'cpu', expected memory, in the order of coveredResources",
        ]

    def test_every_problem_is_reported_and_none_hides_another(self) -> None:
        raw = a_queue(
            stopPolicy="Hold",
            resourceGroups=[a_group("a", "a", quota="1gi")],
            preemption={"withinClusterQueue": 3, "rules": "UberClusterQueueRules"},
        )
        fields = [line.split(": ")[1] for line in refused(read_cluster_queue, raw, where="clusterQueues[2]")]
        assert fields == [
            "clusterQueues[2].spec.resourceGroups[0].flavors[0].resources[0].nominalQuota",
            "clusterQueues[2].spec.resourceGroups[0].flavors[1].resources[0].nominalQuota",
            "clusterQueues[2].spec.preemption.withinClusterQueue",
            "clusterQueues[2].spec.preemption.rules",
            "clusterQueues[2].spec.stopPolicy",
            "clusterQueues[2].spec.resourceGroups[0].flavors[1].name",
        ]

    def test_a_long_value_is_shortened(self) -> None:
        (error,) = refused(read_cluster_queue, a_queue(preemption={"withinClusterQueue": "x" * 10_000}))
        assert len(error) < 250


class TestFlavorsAndLocalQueues:
    def test_a_flavor(self) -> None:
        taints = [{"key": "spot", "effect": "NoSchedule"}]
        raw = an_object("ResourceFlavor", "spot", {"nodeLabels": {"type": "spot"}, "nodeTaints": taints})
        assert read_resource_flavor(raw) == ResourceFlavor("spot", labelled=True, tainted=True)

    def test_a_preference_is_no_taint(self) -> None:
        raw = an_object(
            "ResourceFlavor", "spot", {"nodeTaints": [{"effect": "PreferNoSchedule"}], "nodeLabels": {}}
        )
        assert read_resource_flavor(raw) == ResourceFlavor("spot")

    def test_topology_is_not_modelled(self) -> None:
        raw = an_object("ResourceFlavor", "tas", {"topologyName": "default"})
        assert refused(read_resource_flavor, raw, where="resourceFlavors[0]") == [
            "ResourceFlavor/tas: resourceFlavors[0].spec.topologyName: found 'default',"
            " expected nothing here: topology-aware scheduling is not modelled"
        ]

    def test_a_local_queue(self) -> None:
        raw = an_object("LocalQueue", "jobs", {"clusterQueue": "team-a", "stopPolicy": "None"}, "ml")
        assert read_local_queue(raw) == LocalQueueEntry("ml", "jobs", "team-a")

    def test_a_local_queue_without_a_cluster_queue(self) -> None:
        expected = "LocalQueue/ml/jobs: spec: found nothing, expected a value: the field is required"
        assert refused(read_local_queue, an_object("LocalQueue", "jobs", None, "ml")) == [expected]
