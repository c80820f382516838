"""Workloads to the model: who holds what, who asks for what, and every error in words."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.errors import ErrorCode
from tenure.manifests import (
    MAX_AMOUNT,
    WorkloadReader,
    parse_instant,
    read_cluster_queue,
    read_local_queue,
    read_resource_flavor,
    read_workload,
)
from tenure.manifests.showing import NumberText
from tenure.model import (
    FlavorResource,
    NodeOperator,
    NodeRequirement,
    PodSet,
    Toleration,
    TopologyRequest,
    Workload,
)
from tests.objects import (
    CREATED,
    RESERVED,
    Object,
    admitted,
    assignment,
    condition,
    container,
    only_code,
    pending,
    refused,
    requests_of,
)

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


class TestWorkload:
    def test_what_an_admitted_workload_becomes(self) -> None:
        raw = admitted(
            assignment(count=4),
            conditions=[
                condition("Evicted", "PodsReadyTimeout", "2026-01-01T02:00:00Z"),
                condition("Preempted", "InClusterQueueTimeBased", "2026-01-01T03:00:00.5Z"),
            ],
        )
        raw["metadata"]["uid"] = "u1"
        raw["spec"] |= {"priority": -5, "queueName": "jobs", "priorityClassRef": {"name": "low"}}
        assert read_workload(raw) == Workload(
            namespace="ml",
            name="w",
            uid="u1",
            priority=-5,
            created_at=parse_instant(CREATED),
            quota_reserved_at=parse_instant(RESERVED),
            evicted=True,
            pods_ready_evicted_at=parse_instant("2026-01-01T02:00:00Z"),
            time_based_preempted_at=parse_instant("2026-01-01T03:00:00.5Z"),
            queue_name="jobs",
            cluster_queue="team-a",
            usage={FlavorResource("default", "cpu"): 4000},
        )

    @pytest.mark.parametrize("stamp", [None, ""])
    def test_absent_metadata(self, stamp: str | None) -> None:
        raw = {"metadata": {"name": "b1"} if stamp is None else {"name": "b1", "creationTimestamp": None}}
        assert read_workload(raw) == Workload("", "b1", "", 0, 0)

    @pytest.mark.parametrize(
        ("text", "boost"),
        [
            ("10", 10),
            ("+10", 10),
            ("-2147483648", -(2**31)),
            ("2147483648", 0),
            ("1_0", 0),
            (" 1", 0),
            ("", 0),
        ],
    )
    def test_a_priority_boost(self, text: str, boost: int) -> None:
        raw = pending()
        raw["metadata"]["annotations"] = {"kueue.x-k8s.io/priority-boost": text}
        found = read_workload(raw)
        assert (found.priority, found.priority_boost) == (0, boost)

    def test_a_preemption_while_borrowing(self) -> None:
        found = read_workload(admitted(conditions=[condition("Preempted", "InCohortReclaimWhileBorrowing")]))
        assert found.preempted_while_borrowing_at == parse_instant(RESERVED)

    @pytest.mark.parametrize(
        ("annotation", "reason"),
        [
            ("workload-slice-replacement-for", "a workload that replaces a slice of its own"),
            ("workload-allowed-resource-flavors", "a variant of a workload (concurrent admission)"),
            ("admission-gated-by", "an admission gate"),
        ],
    )
    def test_annotations_that_decide_and_are_not_modelled(self, annotation: str, reason: str) -> None:
        raw = admitted()
        raw["metadata"]["annotations"] = {f"kueue.x-k8s.io/{annotation}": "x"}
        assert refused(read_workload, raw, holds_quota=False) == [
            f"Workload/ml/w: metadata.annotations[kueue.x-k8s.io/{annotation}]: found 'x',"
            f" expected nothing here: {reason} is not modelled"
        ]
        assert only_code(read_workload, raw, holds_quota=False) == ErrorCode.NOT_MODELLED
        assert read_workload(raw).name == "w"

    def test_a_boost_that_is_no_text(self) -> None:
        raw = pending()
        raw["metadata"]["annotations"] = {"kueue.x-k8s.io/priority-boost": 3}
        assert refused(read_workload, raw) == [
            "Workload/ml/w: metadata.annotations[kueue.x-k8s.io/priority-boost]: found 3, expected a string"
        ]

    def test_other_conditions_and_annotations_do_not_count(self) -> None:
        raw = admitted(
            conditions=[
                condition("Evicted", "AdmissionCheck", status="False"),
                condition("Preempted", "InClusterQueue"),
                condition("Admitted"),
            ]
        )
        raw["metadata"]["annotations"] = {"kueue.x-k8s.io/elastic-job": "true", "note": 3}
        found = read_workload(raw)
        assert (found.evicted, found.admission_check_evicted_at, found.time_based_preempted_at) == (
            False,
            None,
            None,
        )
        assert found.priority == 0

    def test_an_eviction_by_an_admission_check(self) -> None:
        found = read_workload(admitted(conditions=[condition("Evicted", "AdmissionCheck")]))
        assert (found.evicted, found.admission_check_evicted_at, found.pods_ready_evicted_at) == (
            True,
            parse_instant(RESERVED),
            None,
        )

    def test_a_reservation_without_a_stamp(self) -> None:
        raw = admitted()
        raw["status"]["conditions"] = [condition("QuotaReserved", at=None)]
        assert read_workload(raw).quota_reserved_at is None
        raw["status"]["conditions"] = None
        assert read_workload(raw, holds_quota=True).quota_reserved_at is None
        assert read_workload(raw, holds_quota=True).cluster_queue == "team-a"

    def test_the_caller_may_decide_who_holds_quota(self) -> None:
        raw = admitted()
        found = read_workload(raw, holds_quota=False)
        assert (found.cluster_queue, found.usage, found.quota_reserved_at) == (None, {}, None)
        # What has been admitted once asks for what it was admitted with.
        assert found.pod_sets == (PodSet("main", 4, {"cpu": 4000}, settled={"cpu": "default"}),)

    def test_an_admission_of_a_pending_workload_settles_what_it_names(self) -> None:
        raw = pending(count=4, pod={"containers": [container(cpu=9)]})
        raw["spec"]["podSets"].append({"name": "more", "count": 2})
        left = assignment(count=3, flavors={"cpu": ""})
        raw["status"] = {"admission": {"clusterQueue": "other", "podSetAssignments": [left]}}
        assert read_workload(raw).pod_sets == (PodSet("main", 3, {"cpu": 4000}), PodSet("more", 2, {}))
        raw["status"]["admission"]["podSetAssignments"] = [assignment("gone")]
        assert refused(read_workload, raw) == [
            "Workload/ml/w: status.admission.podSetAssignments[0].name: found 'gone',"
            " expected the name of one of spec.podSets: main, more"
        ]

    def test_the_job_that_a_workload_is_for(self) -> None:
        raw = pending()
        raw["metadata"]["labels"] = {"kueue.x-k8s.io/job-uid": "j1", "other": 3}
        assert read_workload(raw).job_uid == "j1"
        raw["metadata"]["labels"]["kueue.x-k8s.io/job-uid"] = 3
        assert refused(read_workload, raw) == [
            "Workload/ml/w: metadata.labels[kueue.x-k8s.io/job-uid]: found 3, expected a string"
        ]

    @pytest.mark.parametrize(
        ("changes", "error"),
        [
            ({"priority": "100"}, "spec.priority: found '100', expected an integer"),
            ({"priority": True}, "spec.priority: found True, expected an integer"),
            ({"priority": NumberText("1.0")}, "spec.priority: found 1.0, expected an integer"),
            (
                {"priority": 10**5000},
                "spec.priority: found an integer of 16610 bits, expected at most 2147483647",
            ),
            ({"priorty": 1}, "spec.priorty: found 1, expected no field of this name; did you mean priority?"),
            (
                {"priorityClassName": "x"},
                "spec.priorityClassName: found 'x',"
                " expected no field of this name; did you mean priorityClassRef?",
            ),
            ({"active": "false"}, "spec.active: found 'false', expected true or false"),
            ({"queueName": NumberText("1.5")}, "spec.queueName: found 1.5, expected a string"),
            (
                {"queueName": "a\x1b[31m"},
                r"spec.queueName: found 'a\x1b[31m',"
                r" expected a string without control characters",
            ),
            ({"podSets": [{"count": -1}]}, "spec.podSets[0].count: found -1, expected at least 0"),
            (
                {"podSets": [{"name": ""}]},
                "spec.podSets[0].name: found '', expected a name that is not empty",
            ),
            (
                {"podSets": [{}, {}]},
                "spec.podSets[1].name: found 'main' a second time, expected each name once",
            ),
            (
                {"podSets": [{"count": 3, "minCount": 4}]},
                "spec.podSets[0].minCount: found 4, expected at most count, 3",
            ),
            (
                {"podSets": [{"minCount": 0}]},
                "spec.podSets[0].minCount: found 0, expected at least 1",
            ),
            (
                {"podSets": [{"topologyRequest": {"required": 3}}]},
                "spec.podSets[0].topologyRequest.required: found 3, expected a string",
            ),
            (
                {"podSets": [{"topologyRequest": {"rack": "r1"}}]},
                "spec.podSets[0].topologyRequest.rack: found 'r1', expected no field of this name; there are"
                " podIndexLabel, podSetGroupName, podSetSliceRequiredTopology, podSetSliceSize,"
                " podsetSliceRequiredTopologyConstraints, preferred, required, subGroupCount,"
                " subGroupIndexLabel, unconstrained",
            ),
            (
                {"podSets": [{"topologyRequest": ["required"]}]},
                "spec.podSets[0].topologyRequest: found ['required'], expected a map",
            ),
        ],
    )
    def test_what_is_wrong_with_a_spec(self, changes: Object, error: str) -> None:
        raw = pending()
        raw["spec"] |= changes
        assert refused(read_workload, raw, where="incoming") == [f"Workload/ml/w: incoming.{error}"]

    @pytest.mark.parametrize(
        ("status", "error"),
        [
            (
                {"admission": None},
                "status.admission: found nothing, expected the admission of a workload that holds quota",
            ),
            ({"admission": []}, "status.admission: found [], expected a map"),
            (
                {"admission": {"clusterQueue": ""}},
                "status.admission.clusterQueue: found '', expected a name that is not empty",
            ),
            (
                {"admission": {}},
                "status.admission.clusterQueue: found nothing, expected a value: the field is required",
            ),
            (
                {"admission": {"clusterQueue": "a", "podSetAssignments": [assignment(usage="1gi")]}},
                "status.admission.podSetAssignments[0].resourceUsage[cpu]: found '1gi',"
                " expected a Kubernetes quantity such as 4, 500m or 2Gi",
            ),
            (
                {"admission": {"clusterQueue": "a", "podSetAssignments": [assignment(usage="-1")]}},
                "status.admission.podSetAssignments[0].resourceUsage[cpu]: found '-1',"
                " expected a quantity that is not negative",
            ),
            (
                {"admission": {"clusterQueue": "a", "podSetAssignments": [assignment(flavour={})]}},
                "status.admission.podSetAssignments[0].flavour: found {},"
                " expected no field of this name; did you mean flavors?",
            ),
            (
                {"admission": {"clusterQueue": "a", "podSetAssignments": [assignment("other")]}},
                "status.admission.podSetAssignments[0].name: found 'other',"
                r" expected the name of one of spec.podSets: main",
            ),
            (
                {"admission": {"clusterQueue": "a", "podSetAssignments": [assignment(), assignment()]}},
                "status.admission.podSetAssignments[1].name: found 'main' a second time,"
                " expected each name once",
            ),
            (
                {"conditions": [condition("QuotaReserved"), condition("QuotaReserved")]},
                "status.conditions[1].type: found 'QuotaReserved' a second time, expected each type once",
            ),
            (
                {"conditions": [condition("QuotaReserved", at="yesterday")]},
                "status.conditions[0].lastTransitionTime: found 'yesterday',"
                " expected an RFC 3339 time such as 2026-08-22T12:00:00Z",
            ),
            (
                {"reclaimablePods": [{"name": "main"}]},
                "status.reclaimablePods[0].count: found nothing, expected a value: the field is required",
            ),
        ],
    )
    def test_what_is_wrong_with_a_status(self, status: Object, error: str) -> None:
        raw = admitted()
        raw["status"] |= status
        assert refused(read_workload, raw, where="admitted[3]", holds_quota=True) == [
            f"Workload/ml/w: admitted[3].{error}"
        ]

    def test_a_workload_that_is_out_of_play(self) -> None:
        finished = admitted(conditions=[condition("Finished")])
        assert refused(read_workload, finished) == [
            "Workload/ml/w: status.conditions: found Finished=True,"
            " expected a workload that holds quota or waits for it"
        ]
        assert refused(read_workload, pending(active=False)) == [
            "Workload/ml/w: spec.active: found False, expected a workload that holds quota or waits for it"
        ]
        assert read_workload(pending(active=False), holds_quota=False).name == "w"

    @pytest.mark.parametrize(
        "raw", [None, 3, "x", [], [{}], {1: 2}, {"metadata": None}, {"metadata": {"name": None}}]
    )
    def test_what_is_no_workload(self, raw: object) -> None:
        for holds_quota in (None, True, False):
            assert refused(read_workload, raw, holds_quota=holds_quota)
        for read in (read_cluster_queue, read_resource_flavor, read_local_queue):
            assert refused(read, raw)

    def test_a_wrong_kind_or_version(self) -> None:
        assert refused(read_workload, {**pending(), "kind": "Job", "apiVersion": "kueue.x-k8s.io/v1"}) == [
            "Workload/ml/w: apiVersion: found 'kueue.x-k8s.io/v1',"
            " expected kueue.x-k8s.io/v1beta2 or kueue.x-k8s.io/v1beta1",
            "Workload/ml/w: kind: found 'Job', expected Workload",
        ]


class TestUsage:
    def usage(self, *assignments: Object, **more: Any) -> dict[FlavorResource, int]:
        return dict(read_workload(admitted(*assignments, **more)).usage)

    def test_pod_sets_on_one_flavor_add_up(self) -> None:
        pod_sets = [{"name": "main"}, {"name": "workers", "count": 3}]
        found = self.usage(assignment(usage="0.0001"), assignment("workers", usage="3"), pod_sets=pod_sets)
        assert found == {FlavorResource("default", "cpu"): 3001}

    def test_an_assigned_flavor_counts_even_without_usage(self) -> None:
        nothing = {"name": "main", "flavors": {"cpu": "default", "gpu": "a100", "memory": ""}}
        assert self.usage({**nothing, "resourceUsage": {"cpu": 0}}) == {
            FlavorResource("default", "cpu"): 0,
            FlavorResource("a100", "gpu"): 0,
        }

    def test_usage_without_a_flavor_does_not_count(self) -> None:
        unassigned = {"name": "main", "flavors": None, "resourceUsage": {"cpu": "1"}}
        assert self.usage(unassigned) == {}

    @pytest.mark.parametrize(
        ("assigned", "reclaimed", "milli"),
        [
            (4, 0, 4000),
            (4, 1, 3000),
            (4, 9, 0),
            (3, 1, 4000),
            (3, 2, 2666),
            (None, 2, 2000),
            (0, 4, 4000),
            (8, 0, 2000),
        ],
    )
    def test_reclaimed_pods_release_whole_amounts_per_pod(
        self, assigned: int | None, reclaimed: int, milli: int
    ) -> None:
        found = self.usage(assignment(count=assigned), reclaimablePods=[{"name": "main", "count": reclaimed}])
        assert found == {FlavorResource("default", "cpu"): milli}

    def test_reclaimed_pods_hold_their_quota_without_the_feature_gate(self) -> None:
        raw = admitted(assignment(count=4), reclaimablePods=[{"name": "main", "count": 3}])
        held = {FlavorResource("default", "cpu"): 4000}
        reader = WorkloadReader(reclaimable=False)
        assert read_workload(raw, reader=reader).usage == held
        raw = pending(count=4, pod={"containers": [container(cpu=1)]})
        raw["status"] = {"reclaimablePods": [{"name": "main", "count": 1}]}
        assert read_workload(raw, reader=reader).pod_sets == (PodSet("main", 4, {"cpu": 4000}),)

    def test_usage_saturates(self) -> None:
        pod_sets = [{"name": "main"}, {"name": "more"}]
        found = self.usage(assignment(usage="8E"), assignment("more", usage="8E"), pod_sets=pod_sets)
        assert found == {FlavorResource("default", "cpu"): MAX_AMOUNT}


class TestPodRequests:
    def test_containers_and_overhead_add_up(self) -> None:
        pod = {
            "containers": [container(cpu="100m", memory="1Ki"), container(cpu=1)],
            "overhead": {"cpu": "50m"},
        }
        assert requests_of(pod, 2) == {"cpu": 2300, "memory": 2048}

    def test_an_ordinary_init_container_sets_a_minimum(self) -> None:
        pod = {"containers": [container(cpu=2)], "initContainers": [container(cpu=3), container(memory=7)]}
        assert requests_of(pod) == {"cpu": 3000, "memory": 7}

    def test_sidecars_run_beside_what_starts_after_them(self) -> None:
        before = {"initContainers": [container("Always", cpu=1), container(cpu=5)]}
        after = {"initContainers": [container(cpu=5), container("Always", cpu=1)]}
        assert requests_of({"containers": [container(cpu=2)], **before}) == {"cpu": 6000}
        assert requests_of({"containers": [container(cpu=2)], **after}) == {"cpu": 5000}
        assert requests_of({"containers": [container(cpu=5)], **after}) == {"cpu": 6000}

    def test_quantities_are_added_before_they_are_rounded(self) -> None:
        pod = {"containers": [container(cpu="0.0004"), container(cpu=NumberText("0.0004"))]}
        assert requests_of(pod, 3) == {"cpu": 3}

    def test_negative_requests_count_as_zero_and_large_ones_saturate(self) -> None:
        assert requests_of({"containers": [container(cpu="-1", memory="8E")]}, 100) == {
            "cpu": 0,
            "memory": MAX_AMOUNT,
        }

    def test_a_limit_without_request_is_one(self) -> None:
        limited = {"resources": {"limits": {"cpu": 2, "nvidia.com/gpu": 8}, "requests": {"cpu": 1}}}
        both = {"containers": [limited, {"resources": None}, {}], "initContainers": [limited]}
        assert requests_of(both) == {"cpu": 1000, "nvidia.com/gpu": 8}

    def test_a_pod_as_a_whole_asks_for_cpu_memory_and_huge_pages(self) -> None:
        whole = {"requests": {"cpu": 3, "example.com/disk": 1}, "limits": {"hugepages-2Mi": 4, "cpu": 5}}
        pod = {
            "containers": [container(cpu=1, memory=7), {"resources": {"requests": {"nvidia.com/gpu": 1}}}],
            "resources": whole,
            "overhead": {"cpu": "50m"},
        }
        expected = {"cpu": 3050, "memory": 7, "nvidia.com/gpu": 1, "hugepages-2Mi": 4}
        assert requests_of(pod) == expected

    def test_reclaimed_pods_are_not_asked_for_again(self) -> None:
        raw = pending(count=4, pod={"containers": [container(cpu=1)]})
        raw["status"] = {"reclaimablePods": [{"name": "main", "count": 1}]}
        assert read_workload(raw).pod_sets == (PodSet("main", 3, {"cpu": 3000}, full_count=4),)

    def test_absent_names_counts_and_templates(self) -> None:
        raw = pending()
        raw["spec"]["podSets"] = [{}, {"name": "more", "template": {"spec": None, "metadata": 3}}]
        assert read_workload(raw).pod_sets == (PodSet("main", 1, {}), PodSet("more", 1, {}))

    def test_what_pods_require_of_their_nodes(self) -> None:
        terms = [
            {
                "matchExpressions": [
                    {"key": "gpu", "operator": "In", "values": ["a100", "h100"]},
                    {"key": "age", "operator": "Lt", "values": ["3"]},
                    {"key": "spot", "operator": "DoesNotExist"},
                ],
            },
            {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-1"]}]},
        ]
        nodes = {
            REQUIRED: {"nodeSelectorTerms": terms},
            "preferredDuringSchedulingIgnoredDuringExecution": [1],
        }
        pod = {
            "nodeSelector": {"zone": "a"},
            "affinity": {"nodeAffinity": nodes, "podAffinity": {"x": 1}},
            "tolerations": [{"key": "gpu", "operator": "Exists"}],
        }
        (found,) = read_workload(pending(pod=pod)).pod_sets
        assert found.node_selector == {"zone": "a"}
        assert found.tolerations == (Toleration("gpu", exists=True),)
        assert found.node_affinity == (
            (
                NodeRequirement("gpu", NodeOperator.IN, ("a100", "h100")),
                NodeRequirement("age", NodeOperator.LESS, ("3",)),
                NodeRequirement("spot", NodeOperator.DOES_NOT_EXIST),
            ),
            (),
        )

    @pytest.mark.parametrize(
        ("expression", "error"),
        [
            ({"key": "a", "operator": "In"}, "values: found [], expected at least one value for In"),
            (
                {"key": "a", "operator": "Exists", "values": ["b"]},
                "values: found ['b'], expected no value for Exists",
            ),
            (
                {"key": "a", "operator": "Gt", "values": ["x"]},
                "values: found ['x'], expected one whole number as text for Gt",
            ),
            ({"key": "a", "operator": "In", "values": [1]}, "values[0]: found 1, expected a string"),
            (
                {"key": "a", "operator": "Like", "values": ["b"]},
                "operator: found 'Like',"
                " expected one of 'In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt' or 'Lt'",
            ),
        ],
    )
    def test_what_is_wrong_with_a_node_affinity(self, expression: Object, error: str) -> None:
        required = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
        pod = {"affinity": {"nodeAffinity": {REQUIRED: required}}}
        path = f"spec.podSets[0].template.spec.affinity.nodeAffinity.{REQUIRED}"
        assert refused(read_workload, pending(pod=pod)) == [
            f"Workload/ml/w: {path}.nodeSelectorTerms[0].matchExpressions[0].{error}"
        ]

    def test_partial_admission(self) -> None:
        raw = pending(count=4)
        raw["spec"]["podSets"][0]["minCount"] = 2
        assert read_workload(raw).pod_sets[0].min_count == 2

    @pytest.mark.parametrize(
        ("pod", "error"),
        [
            (
                {"containers": [container(cpu="1 Gi")]},
                "containers[0].resources.requests[cpu]: found '1 Gi',"
                " expected a Kubernetes quantity such as 4, 500m or 2Gi",
            ),
            (
                {"initContainers": [{"resources": {"request": {}}}]},
                "initContainers[0].resources.request: found {},"
                " expected no field of this name; did you mean requests?",
            ),
            ({"containers": {}}, "containers: found {}, expected a list"),
            ({"nodeSelector": {"gpu": 1}}, "nodeSelector[gpu]: found 1, expected a string"),
            ({"overhead": [1]}, "overhead: found [1], expected a map"),
            (
                {"resources": {"limits": {"cpu": []}}},
                "resources.limits[cpu]: found [], expected a Kubernetes quantity such as 4, 500m or 2Gi",
            ),
            (
                {"resourceClaims": [{"name": "gpu"}]},
                "resourceClaims: found [{'name': 'gpu'}],"
                " expected nothing here: dynamic resource allocation is not modelled",
            ),
        ],
    )
    def test_what_is_wrong_with_a_template(self, pod: Object, error: str) -> None:
        assert refused(read_workload, pending(pod=pod)) == [
            f"Workload/ml/w: spec.podSets[0].template.spec.{error}"
        ]

    @pytest.mark.parametrize(
        "request_", [{}, {"podIndexLabel": "batch.kubernetes.io/job-completion-index"}, {"required": None}]
    )
    def test_a_topology_request_that_asks_for_nothing_has_no_effect(self, request_: Object) -> None:
        raw = pending()
        raw["spec"] |= {"podSets": [{"topologyRequest": request_}]}
        assert read_workload(raw).pod_sets == (PodSet("main", 1, {}),)

    @pytest.mark.parametrize(
        ("request_", "topology"),
        [
            ({"required": "rack", "podSetGroupName": "g"}, TopologyRequest(required="rack", group="g")),
            ({"preferred": "rack"}, TopologyRequest(preferred="rack")),
            ({"unconstrained": False}, TopologyRequest(unconstrained=False)),
            (
                {"podSetSliceRequiredTopology": "rack", "podSetSliceSize": 2},
                TopologyRequest(slice_level="rack", slice_size=2),
            ),
            (
                {"podsetSliceRequiredTopologyConstraints": [{"topology": "rack", "size": 2}]},
                TopologyRequest(layers=("rack",)),
            ),
        ],
    )
    def test_what_asks_for_a_topology_is_read(self, request_: Object, topology: TopologyRequest) -> None:
        raw = pending()
        raw["spec"] |= {"podSets": [{"topologyRequest": request_}]}
        (pods,) = read_workload(raw).pod_sets
        assert pods.topology == topology

    def test_templates_of_admitted_workloads_do_not_matter(self) -> None:
        raw = admitted(
            pod_sets=[{"name": "main", "count": 4, "template": 3, "minCount": 2, "topologyRequest": {}}]
        )
        assert read_workload(raw).usage == {FlavorResource("default", "cpu"): 4000}
