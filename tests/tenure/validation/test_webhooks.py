"""Rules of Kueue's webhooks and schemas of which no answer is recorded, and updates."""

from __future__ import annotations

from typing import Any

from tenure.manifests.showing import NumberText
from tests.tenure.validation.objects import errors, group, holding, queue, thing, workload

QUOTA = "spec.resourceGroups[0].flavors[0].resources[0]"


def flavor(**spec: Any) -> dict[str, Any]:
    """A ResourceFlavor."""
    return thing("ResourceFlavor", "a100", spec)


def test_a_cohort_may_lend_more_than_its_own_quota_and_a_queue_may_not() -> None:
    limited = [group(lendingLimit=9)]
    assert errors(thing("Cohort", "ml", {"parentName": "org", "resourceGroups": limited})) == []
    assert errors(queue(cohortName="ml", resourceGroups=limited)) == [("Invalid", f"{QUOTA}.lendingLimit")]


def test_a_weight_that_kubernetes_rounds_to_a_billionth_is_refused() -> None:
    for weight, wrong in (("1n", True), ("0.1n", True), ("2n", False), ("0", False), (3, False)):
        expected = [("Invalid", "spec.fairSharing")] if wrong else []
        assert errors(thing("Cohort", "ml", {"fairSharing": {"weight": weight}})) == expected, weight


def test_borrowing_needs_reclaiming_by_default_too() -> None:
    policy = {"borrowWithinCohort": {"policy": "LowerPriority"}}
    assert errors(queue(cohortName="ml", preemption=policy)) == [("Invalid", "spec.preemption")]
    assert errors(queue(cohortName="ml", preemption={**policy, "reclaimWithinCohort": "Any"})) == []


def test_a_group_of_another_size_than_a_flavor_is_refused() -> None:
    wider = {**group(), "coveredResources": ["nvidia.com/gpu", "cpu"]}
    assert errors(queue(resourceGroups=[wider])) == [("Invalid", "spec.resourceGroups[0]")]


def test_labels_taints_and_tolerations_of_a_flavor() -> None:
    taint = {"key": "spot", "effect": "NoSchedule"}
    assert (
        errors(flavor(nodeLabels={"a": "b"}, nodeTaints=[taint], tolerations=[{"operator": "Exists"}])) == []
    )
    assert errors(flavor(nodeLabels={"a b": "c"})) == [("Invalid", "spec.nodeLabels")]
    assert errors(flavor(nodeTaints=[taint, taint])) == [("Duplicate", "spec.nodeTaints[1]")]
    assert errors(flavor(nodeTaints=[{**taint, "effect": "Sometimes"}])) == [("Invalid", "spec.nodeTaints")]
    assert errors(flavor(nodeTaints=[{**taint, "value": "-"}])) == [("Invalid", "spec.nodeTaints[0].value")]
    assert errors(flavor(tolerations=[{"key": "@", "operator": "Exists"}])) == [
        ("Invalid", "spec.tolerations[0].key")
    ]
    assert errors(flavor(tolerations=[{"key": "a", "tolerationSeconds": 5}])) == [
        ("Invalid", "spec.tolerations")
    ]
    assert errors(flavor(topologyName="racks")) == [("Invalid", "spec")]


def test_pod_sets_of_a_workload() -> None:
    assert errors(workload()) == []
    pods = workload()["spec"]["podSets"][0]
    shrinking = [{**pods, "minCount": 1}, {**pods, "name": "more", "minCount": 1}]
    assert errors(thing("Workload", "w", {"podSets": shrinking})) == [("Invalid", "spec.podSets")]
    assert errors(thing("Workload", "w", {"podSets": [{**pods, "minCount": 3}]})) == [
        ("Invalid", "spec.podSets[0]")
    ]
    assert errors(thing("Workload", "w", {"podSets": [pods, pods]})) == [("Duplicate", "spec.podSets[1]")]
    assert errors(thing("Workload", "w", {"podSets": []})) == [("Invalid", "spec.podSets")]


def test_requests_of_a_workload() -> None:
    path = "spec.podSets[0].template.spec.containers[0].resources"
    for requests, field in (({"cpu": -1}, "cpu"), ({"pods": 1}, "pods"), ({"cpu": "x"}, "cpu")):
        container = {"name": "main", "resources": {"requests": requests}}
        pods = {"template": {"spec": {"containers": [container]}}}
        found = errors(thing("Workload", "w", {"podSets": [pods]}))
        assert found == [("Invalid", f"{path}.requests[{field}]")]


def test_a_class_needs_its_priority_and_its_kind() -> None:
    reference = {"group": "kueue.x-k8s.io", "kind": "PriorityClass", "name": "high"}
    found = workload()
    found["spec"] |= {"priorityClassRef": reference}
    assert errors(found) == [("Invalid", "spec"), ("Invalid", "spec.priorityClassRef")]


def test_a_boost_is_a_number_where_its_gate_is_on() -> None:
    boosted = workload()
    boosted["metadata"]["annotations"] = {"kueue.x-k8s.io/priority-boost": "much"}
    path = "metadata.annotations[kueue.x-k8s.io/priority-boost]"
    assert errors(boosted) == []
    assert errors(boosted, gates={"PriorityBoost": True}) == [("Invalid", path)]
    configuration = {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration"}
    assert errors(boosted, {**configuration, "featureGates": {"PriorityBoost": True}}) == [("Invalid", path)]


def test_a_workload_that_holds_quota_says_where() -> None:
    path = "status.admission.podSetAssignments[0]"
    assert errors(holding()) == []
    without = holding()
    del without["status"]["admission"]
    assert errors(without) == [("Required", "status.admission")]
    assert errors(without, old=[without]) == []
    assert errors(holding(usage=5)) == [("Invalid", f"{path}.resourceUsage[nvidia.com/gpu]")]
    renamed = holding()
    renamed["status"]["admission"]["podSetAssignments"][0]["name"] = "man"
    assert errors(renamed) == [("NotFound", f"{path}.name")]
    renamed["status"]["admission"]["podSetAssignments"] = []
    assert errors(renamed) == [("Invalid", "status.admission.podSetAssignments")]


def test_reclaimable_pods_are_of_a_pod_set_and_no_more_than_it_has() -> None:
    assert errors(holding(reclaimablePods=[{"name": "main", "count": 2}])) == []
    assert errors(holding(reclaimablePods=[{"name": "main", "count": 3}])) == [
        ("Invalid", "status.reclaimablePods[main].count")
    ]
    assert errors(holding(reclaimablePods=[{"name": "man", "count": 1}])) == [
        ("NotSupported", "status.reclaimablePods[man].name")
    ]


def test_what_an_update_may_not_change() -> None:
    local = thing("LocalQueue", "ml", {"clusterQueue": "a"})
    other = thing("LocalQueue", "ml", {"clusterQueue": "b"})
    assert errors(other, old=[local]) == [("Invalid", "spec.clusterQueue")]
    assert errors(other, old=[thing("LocalQueue", "other", {"clusterQueue": "a"})]) == []
    labelled = {"nodeLabels": {"a": "b"}}
    assert errors(flavor(**labelled), old=[flavor(topologyName="racks", **labelled)]) == [("Invalid", "spec")]


def test_what_a_workload_may_not_change_while_it_holds_quota() -> None:
    moved = holding()
    moved["status"]["admission"]["clusterQueue"] = "team-b"
    assert errors(moved, old=[holding()]) == [("Invalid", "status.admission")]
    fewer, more = holding(usage=1), holding(usage=4)
    fewer["spec"]["podSets"][0]["count"] = 1
    more["spec"]["podSets"][0]["count"] = 3
    assert ("Invalid", "spec.podSets.0") in errors(more, old=[holding()])
    assert ("Invalid", "spec.podSets.0") not in errors(fewer, old=[holding()])
    queued = holding()
    queued["spec"]["queueName"] = "other"
    assert errors(queued, old=[holding()]) == [("Invalid", "spec.queueName")]
    before = holding(reclaimablePods=[{"name": "main", "count": 2}])
    path = "status.reclaimablePods[main]"
    assert errors(holding(), old=[before]) == [("Required", path)]
    assert errors(holding(reclaimablePods=[{"name": "main", "count": 1}]), old=[before]) == [
        ("Invalid", f"{path}.count")
    ]


def test_a_wrong_configuration_is_an_error_and_one_that_is_not_modelled_is_none() -> None:
    configuration: dict[str, Any] = {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration"}
    assert errors({**configuration, "featureGates": {"PriorityBost": True}}) == [
        ("Invalid", "featureGates.PriorityBost")
    ]
    assert errors({**configuration, "featureGates": {"ConcurrentAdmission": True}}) == []
    assert errors({**configuration, "fairSharing": {"preemptionStrategies": ["Fair"]}}) == [
        ("Invalid", "fairSharing.preemptionStrategies")
    ]


def test_a_held_pod_set_may_shrink_whichever_way_its_count_is_written() -> None:
    old, fewer, more = holding(), holding(), holding()
    fewer["spec"]["podSets"][0]["count"] = NumberText("1.0")
    more["spec"]["podSets"][0]["count"] = NumberText("3.0")
    assert errors(fewer, old=[old]) == []
    assert errors(more, old=[old]) == [("Invalid", "spec.podSets.0")]
