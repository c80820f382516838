"""ClusterQueues, flavors and LocalQueues to the model: each field, and every error in words."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.manifests import (
    MAX_AMOUNT,
    LocalQueueEntry,
    read_cluster_queue,
    read_cohort,
    read_local_queue,
    read_resource_flavor,
)
from tenure.model import (
    NANO,
    UNLIMITED,
    BorrowWithinCohort,
    ClusterQueue,
    Cohort,
    FlavorFungibility,
    FlavorPreference,
    FlavorQuotas,
    FlavorResource,
    Fungibility,
    PreemptionRules,
    ReclaimWithinCohort,
    ResourceFlavor,
    ResourceGroup,
    Taint,
    Toleration,
    WithinClusterQueue,
)
from tests.objects import Object, a_group, a_queue, an_object, refused


def with_limit(**limits: object) -> Object:
    """A resource group of one flavor, with limits."""
    quota = {"name": "cpu", "nominalQuota": 4, **limits}
    return {"coveredResources": ["cpu"], "flavors": [{"name": "a", "resources": [quota]}]}


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
                ResourceGroup(
                    ("cpu", "memory"),
                    (FlavorQuotas("spot", {"cpu": 1500, "memory": 2**30}, {"cpu": 1000}, {"memory": 0}),),
                ),
                ResourceGroup(("nvidia.com/gpu",), (FlavorQuotas("a100", gpu), FlavorQuotas("h100", gpu))),
            ),
            within_cluster_queue=WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY,
            min_admit_duration=4 * 3600 * 10**9,
            cohort="all",
            reclaim_within_cohort=ReclaimWithinCohort.ANY,
            borrow_within_cohort=BorrowWithinCohort.LOWER_PRIORITY,
            max_priority_threshold=100,
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

    @pytest.mark.parametrize("policy", ["Hold", "HoldAndDrain"])
    def test_a_queue_that_is_held_is_inactive(self, policy: str) -> None:
        assert read_cluster_queue(a_queue(stopPolicy=policy)).inactive == f"spec.stopPolicy is {policy}"
        assert read_cluster_queue(a_queue(stopPolicy=policy)).stop_policy == policy
        assert read_cluster_queue(a_queue(stopPolicy="None")).inactive == ""

    def test_what_the_api_server_would_have_filled_in(self) -> None:
        unset = a_queue(preemption={"reclaimWithinCohort": "", "borrowWithinCohort": {"policy": ""}})
        served, bare = read_cluster_queue(unset), read_cluster_queue(unset, defaulted=False)
        assert (served.reclaim_within_cohort, served.borrow_within_cohort) == (
            ReclaimWithinCohort.NEVER,
            BorrowWithinCohort.NEVER,
        )
        assert (bare.reclaim_within_cohort, bare.borrow_within_cohort) == (
            ReclaimWithinCohort.UNSET,
            BorrowWithinCohort.LOWER_PRIORITY,
        )
        assert read_cluster_queue(a_queue(), defaulted=False) == read_cluster_queue(a_queue())

    @pytest.mark.parametrize("quota", [{}, {"nominalQuota": None}, {"nominalQuota": " 0 "}])
    def test_a_nominal_quota_that_is_left_out_is_0(self, quota: dict[str, object]) -> None:
        flavor = {"name": "a", "resources": [{"name": "cpu", **quota}]}
        groups = [{"coveredResources": ["cpu"], "flavors": [flavor]}]
        assert read_cluster_queue(a_queue(resourceGroups=groups)) == read_cluster_queue(
            a_queue(resourceGroups=[a_group("a", quota=0)])
        )

    def test_what_only_the_api_server_refuses_is_read_without_it(self) -> None:
        quota = {"name": "cpu", "nominalQuota": 1, "borrowingLimit": 1}
        raw = a_queue(
            resourceGroups=[
                {"coveredResources": ["cpu", "gpu"], "flavors": [{"name": "a", "resources": [quota]}]},
                {"coveredResources": ["disk"], "flavors": [{"name": "b"}]},
            ]
        )
        assert len(refused(read_cluster_queue, raw)) == 3
        assert read_cluster_queue(raw, defaulted=False).resource_groups == (
            ResourceGroup(("cpu", "gpu"), (FlavorQuotas("a", {"cpu": 1000}, {"cpu": 1000}),)),
            ResourceGroup(("disk",), (FlavorQuotas("b", {}),)),
        )

    def test_limits_saturate_like_quotas(self) -> None:
        quota = {"name": "cpu", "nominalQuota": 0, "borrowingLimit": "1E", "lendingLimit": "10E"}
        group = {"coveredResources": ["cpu"], "flavors": [{"name": "a", "resources": [quota]}]}
        (found,) = read_cluster_queue(a_queue(cohortName="all", resourceGroups=[group])).resource_groups
        assert found.flavors[0].borrowing_limits == found.flavors[0].lending_limits == {"cpu": UNLIMITED}

    @pytest.mark.parametrize(
        ("weight", "billionths"),
        [(None, NANO), ("2", 2 * NANO), ("100m", NANO // 10), (0, 0), ("2n", 2), ("0.0000000011", 2)],
    )
    def test_weights_in_billionths(self, weight: object, billionths: int) -> None:
        assert read_cluster_queue(a_queue(fairSharing={"weight": weight})).weight == billionths
        assert read_cohort(an_object("Cohort", "a", {"fairSharing": {"weight": weight}})).weight == billionths

    def test_how_it_chooses_among_flavors(self) -> None:
        both = {"whenCanBorrow": "TryNextFlavor", "whenCanPreempt": "MayStopSearch"}
        found = read_cluster_queue(a_queue(flavorFungibility=both)).fungibility
        assert found == FlavorFungibility(Fungibility.TRY_NEXT_FLAVOR, Fungibility.MAY_STOP_SEARCH)
        preferring = {"whenCanBorrow": "TryNextFlavor", "preference": "PreemptionOverBorrowing"}
        found = read_cluster_queue(a_queue(flavorFungibility=preferring)).fungibility
        assert found.preference == found.preferred == FlavorPreference.PREEMPTION_OVER_BORROWING
        default = {"whenCanBorrow": "TryNextFlavor", "preference": "BorrowingOverPreemption"}
        for raw, preference in ((default, FlavorPreference.BORROWING_OVER_PREEMPTION), (both, None)):
            found = read_cluster_queue(a_queue(flavorFungibility=raw)).fungibility
            assert (found.preference, found.preferred) == (
                preference,
                FlavorPreference.BORROWING_OVER_PREEMPTION,
            )
        assert read_cluster_queue(a_queue(flavorFungibility={})).fungibility == FlavorFungibility()

    def test_what_decides_nothing_is_accepted(self) -> None:
        raw = a_queue(
            stopPolicy="None",
            queueingStrategy="StrictFIFO",
            namespaceSelector={"matchLabels": {"a": "b"}},
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
        ("written", "rules"),
        [
            ({}, PreemptionRules.DEFAULT),
            ({"rules": ""}, PreemptionRules.DEFAULT),
            ({"rules": "DefaultPreemptionRules"}, PreemptionRules.DEFAULT),
            ({"rules": "UberClusterQueueRules"}, PreemptionRules.UBER_CLUSTER_QUEUE),
        ],
    )
    @pytest.mark.parametrize("version", ["v1beta1", "v1beta2"])
    def test_the_rules_of_a_hero(self, written: Object, rules: PreemptionRules, version: str) -> None:
        raw = {**a_queue(preemption=written), "apiVersion": f"kueue.x-k8s.io/{version}"}
        assert read_cluster_queue(raw).rules == rules

    def test_other_rules_than_those_two_are_refused(self) -> None:
        (error,) = refused(read_cluster_queue, a_queue(preemption={"rules": "HeroRules"}))
        assert error.startswith("ClusterQueue/team-a: spec.preemption.rules: found 'HeroRules', expected ")
        assert "UberClusterQueueRules" in error

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
                " expected the group's coveredResources: cpu, memory; missing: memory",
            ),
            (
                {"resourceGroups": [{"coveredResources": ["cpu"], "flavors": [{"name": "a"}]}]},
                "spec.resourceGroups[0].flavors[0].resources: found [],"
                " expected the group's coveredResources: cpu; missing: cpu",
            ),
            (
                {"cohortName": "all", "resourceGroups": [with_limit(borrowingLimit="-1")]},
                "spec.resourceGroups[0].flavors[0].resources[0].borrowingLimit: found '-1',"
                " expected a quantity that is not negative",
            ),
            (
                {"resourceGroups": [with_limit(lendingLimit=1)]},
                "spec.resourceGroups[0].flavors[0].resources[0].lendingLimit: found 1,"
                " expected no limit without spec.cohortName",
            ),
            (
                {"fairSharing": {"weight": "1n"}},
                "spec.fairSharing.weight: found '1n', expected 0, or a weight above 10^-9",
            ),
            (
                {"fairSharing": {"weight": -1}},
                "spec.fairSharing.weight: found -1, expected a quantity that is not negative",
            ),
            (
                {"preemption": {"borrowWithinCohort": {"policy": "LowerPriority"}}},
                "spec.preemption.borrowWithinCohort.policy: found 'LowerPriority',"
                " expected Never, because reclaimWithinCohort is Never",
            ),
            (
                {"flavorFungibility": {"preference": "PreemptionOverBorrowing"}},
                "spec.flavorFungibility.preference: found 'PreemptionOverBorrowing',"
                " expected no preference unless whenCanBorrow and whenCanPreempt are TryNextFlavor",
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
            stopPolicy="Held",
            resourceGroups=[a_group("a", "a", quota="1gi")],
            preemption={"withinClusterQueue": 3, "rules": "HeroRules"},
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


class TestCohort:
    def test_everything_that_decides(self) -> None:
        spec = {"parentName": "org", "resourceGroups": [with_limit(lendingLimit=1)], "fairSharing": None}
        group = ResourceGroup(("cpu",), (FlavorQuotas("a", {"cpu": 4000}, {}, {"cpu": 1000}),))
        assert read_cohort(an_object("Cohort", "team", spec)) == Cohort("team", "org", (group,))

    def test_a_nominal_quota_must_be_there(self) -> None:
        group = {"coveredResources": ["cpu"], "flavors": [{"name": "a", "resources": [{"name": "cpu"}]}]}
        raw = an_object("Cohort", "all", {"resourceGroups": [group]})
        assert refused(read_cohort, raw) == [
            "Cohort/all: spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: found nothing,"
            " expected a value: the field is required"
        ]

    def test_what_is_wrong(self) -> None:
        raw = an_object("Cohort", "team", {"parent": "org", "resourceGroups": [with_limit(borrowingLimit=1)]})
        assert refused(read_cohort, raw, where="cohorts[1]") == [
            "Cohort/team: cohorts[1].spec.parent: found 'org',"
            " expected no field of this name; did you mean parentName?",
            "Cohort/team: cohorts[1].spec.resourceGroups[0].flavors[0].resources[0].borrowingLimit:"
            " found 1, expected no limit without spec.parentName",
        ]


class TestFlavorsAndLocalQueues:
    def test_a_flavor(self) -> None:
        taints = [
            {"key": "spot", "effect": "NoSchedule", "timeAdded": None},
            {"key": "slow", "effect": "PreferNoSchedule"},
            {"key": "old", "value": "yes", "effect": "NoExecute"},
        ]
        tolerations = [{"key": "gpu"}, {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 3}]
        spec = {"nodeLabels": {"type": "spot"}, "nodeTaints": taints, "tolerations": tolerations}
        assert read_resource_flavor(an_object("ResourceFlavor", "spot", spec)) == ResourceFlavor(
            "spot",
            {"type": "spot"},
            (Taint("spot"), Taint("old", "yes", "NoExecute")),
            (Toleration("gpu"), Toleration(exists=True, effect="NoExecute")),
        )

    @pytest.mark.parametrize(
        ("spec", "error"),
        [
            ({"nodeLabels": {"gpu": 1}}, "nodeLabels[gpu]: found 1, expected a string"),
            (
                {"nodeTaints": [{"effect": "NoSchedule"}]},
                "nodeTaints[0].key: found nothing, expected a value: the field is required",
            ),
            (
                {"nodeTaints": [{"key": "a", "effect": "Never"}]},
                "nodeTaints[0].effect: found 'Never',"
                " expected one of 'NoSchedule', 'PreferNoSchedule' or 'NoExecute'",
            ),
            (
                {"tolerations": [{"value": "a"}]},
                "tolerations[0].operator: found None, expected Exists, because no key is named",
            ),
            (
                {"tolerations": [{"key": "a", "operator": "Exists", "value": "b"}]},
                "tolerations[0].value: found 'b', expected nothing beside operator Exists",
            ),
            (
                {"tolerations": [{"key": "a", "operator": "Gt", "value": "3"}]},
                "tolerations[0].operator: found 'Gt',"
                " expected nothing here: a toleration that compares numbers is not modelled",
            ),
        ],
    )
    def test_what_is_wrong_with_a_flavor(self, spec: Object, error: str) -> None:
        raw = an_object("ResourceFlavor", "spot", spec)
        assert refused(read_resource_flavor, raw) == [f"ResourceFlavor/spot: spec.{error}"]

    def test_a_flavor_names_its_topology(self) -> None:
        raw = an_object("ResourceFlavor", "tas", {"topologyName": "default"})
        assert read_resource_flavor(raw).topology == "default"

    @pytest.mark.parametrize(("policy", "held"), [("Hold", "Hold"), ("None", ""), (None, "")])
    def test_a_local_queue_is_held_by_its_policy(self, policy: str | None, held: str) -> None:
        raw = an_object("LocalQueue", "jobs", {"clusterQueue": "team-a", "stopPolicy": policy}, "ml")
        assert read_local_queue(raw).held == held

    def test_a_local_queue(self) -> None:
        raw = an_object("LocalQueue", "jobs", {"clusterQueue": "team-a", "stopPolicy": "None"}, "ml")
        assert read_local_queue(raw) == LocalQueueEntry("ml", "jobs", "team-a")

    def test_a_local_queue_without_a_cluster_queue(self) -> None:
        expected = "LocalQueue/ml/jobs: spec: found nothing, expected a value: the field is required"
        assert refused(read_local_queue, an_object("LocalQueue", "jobs", None, "ml")) == [expected]
