"""What objects say that cannot all be so is decided as Kueue decides it, and is said."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.conformance.protocol import answer
from tenure.manifests import Loaded, SourcedObject, build
from tenure.model import FlavorResource
from tests.objects import (
    Object,
    a_group,
    a_queue,
    admitted,
    an_object,
    assignment,
    condition,
    container,
    pending,
)

CPU = FlavorResource("default", "cpu")
AT = "status.admission.podSetAssignments"
SELECTOR = {"matchLabels": {"team": "a"}}
LOCAL = an_object("LocalQueue", "jobs", {"clusterQueue": "team-a"}, "ml")


def built(*objects: Object) -> Loaded:
    return build(SourcedObject("", found) for found in objects)


def cluster(*workloads: Object, **spec: Any) -> Loaded:
    """A ClusterQueue of 4 CPUs of the flavor `default`, and these workloads."""
    queue = a_queue(**{"namespaceSelector": {}, **spec})
    return built(queue, an_object("ResourceFlavor", "default"), LOCAL, *workloads)


def waiting(name: str = "p", **spec: Any) -> Object:
    return pending(name=name, queueName="jobs", **spec)


def said(loaded: Loaded) -> str:
    """The only warning."""
    (warning,) = loaded.warnings
    return warning


def held(loaded: Loaded) -> dict[FlavorResource, int]:
    (workload,) = loaded.cluster.admitted
    return dict(workload.usage)


def test_a_consistent_cluster_is_warned_of_nothing() -> None:
    loaded = cluster(admitted(assignment(count=4)), waiting())
    assert (loaded.warnings, held(loaded)) == ((), {CPU: 4000})


class TestAdmission:
    def test_a_flavor_that_the_queue_lacks_counts_against_none_of_its_quotas(self) -> None:
        loaded = cluster(admitted({**assignment(), "flavors": {"cpu": "v100"}}))
        assert said(loaded) == (
            f"Workload/ml/w: {AT}: found 4 cpu of flavor v100, expected a flavor that the"
            " ClusterQueue team-a has for cpu: default; as in Kueue, it counts"
            " against no quota of that queue, only of the cohorts above it"
        )
        assert held(loaded) == {FlavorResource("v100", "cpu"): 4000}

    def test_many_of_one_kind_are_one_warning(self) -> None:
        old = {**assignment(), "flavors": {"cpu": "old"}}
        workloads = [admitted(old) for _ in range(3)]
        for number, workload in enumerate(workloads):
            workload["metadata"]["name"] = f"w{number}"
        told = f"Workload/ml/w0: {AT}: found 4 cpu of flavor old (and 2 more Workloads alike), expected a"
        assert said(cluster(*workloads)).startswith(told)
        assert said(cluster(*workloads[::-1])).startswith(told)

    def test_usage_without_a_flavor_counts_against_no_quota(self) -> None:
        loaded = cluster(admitted({**assignment(), "flavors": {}}))
        assert said(loaded) == (
            f"Workload/ml/w: {AT}[0].flavors: found no flavor for cpu, expected the flavor of the 4 in"
            " resourceUsage; as in Kueue, they count against no quota"
        )
        assert held(loaded) == {}

    def test_usage_of_nothing_needs_no_flavor(self) -> None:
        usage = {"cpu": "4", "nvidia.com/gpu": "0"}
        assert cluster(admitted({**assignment(), "resourceUsage": usage})).warnings == ()

    def test_a_flavor_without_usage_can_be_preempted_for(self) -> None:
        loaded = cluster(admitted({**assignment(), "resourceUsage": {}}))
        assert said(loaded) == (
            f"Workload/ml/w: {AT}[0].resourceUsage: found no cpu, expected how much of flavor default is"
            " used; as in Kueue, nothing is used of it, and the workload may be preempted for it all the"
            " same"
        )
        assert held(loaded) == {CPU: 0}

    def test_pods_without_an_assignment_hold_nothing(self) -> None:
        raw = admitted()
        raw["status"]["admission"]["podSetAssignments"] = []
        loaded = cluster(raw)
        assert said(loaded) == (
            f"Workload/ml/w: {AT}: found none for main, expected one for each of spec.podSets; as in"
            " Kueue, the pods without one hold no quota, and nothing can be preempted of them"
        )
        assert held(loaded) == {}

    def test_more_pods_than_there_are_count_in_part(self) -> None:
        loaded = cluster(admitted(assignment(usage="4", count=500), pod_sets=[{"name": "main", "count": 1}]))
        assert said(loaded) == (
            f"Workload/ml/w: {AT}[0].count: found 500, expected at most the count of pod set main, 1; as"
            " in Kueue, of resourceUsage the part of 1 in 500 pods counts"
        )
        assert held(loaded) == {CPU: 8}

    def test_pods_that_were_reclaimed_are_no_fault(self) -> None:
        reclaimed = [{"name": "main", "count": 3}]
        loaded = cluster(admitted(assignment(count=4), reclaimablePods=reclaimed))
        assert (loaded.warnings, held(loaded)) == ((), {CPU: 1000})

    def test_more_than_a_queue_can_give_counts_in_full(self) -> None:
        loaded = cluster(admitted(assignment(usage="400")))
        assert said(loaded) == (
            f"Workload/ml/w: {AT}: found 400 cpu of flavor default, expected at most 4, what the"
            " ClusterQueue team-a has and may borrow; as in Kueue, it counts in full, and less than"
            " nothing is available until the excess is released"
        )
        assert held(loaded) == {CPU: 400_000}


class TestBounds:
    """What a ClusterQueue can give: its quota, and what its tree has that it may borrow."""

    @staticmethod
    def warned(usage: str, *others: Object, limit: object = None, **spec: Any) -> bool:
        group = a_group("default")
        if limit is not None:
            group["flavors"][0]["resources"][0]["borrowingLimit"] = limit
        loaded = cluster(admitted(assignment(usage=usage)), *others, resourceGroups=[group], **spec)
        return bool(loaded.warnings)

    def test_of_a_queue_alone(self) -> None:
        assert (self.warned("4"), self.warned("4001m")) == (False, True)

    def test_of_a_tree(self) -> None:
        tree = (
            a_queue("other", cohortName="left"),
            an_object("Cohort", "left", {"parentName": "top"}),
            an_object("Cohort", "right", {"parentName": "top"}),
            an_object("Cohort", "top", {"resourceGroups": [a_group("default", quota=10)]}),
            a_queue("apart", cohortName="elsewhere"),
        )
        warned = [self.warned(usage, *tree, cohortName="right") for usage in ("18", "19")]
        assert warned == [False, True]
        limited = [self.warned(usage, *tree, cohortName="right", limit=3) for usage in ("7", "8")]
        assert limited == [False, True]

    def test_of_a_cycle_of_cohorts_is_found_too(self) -> None:
        cycle = [an_object("Cohort", name, {"parentName": parent}) for name, parent in ("ab", "bc", "cb")]
        loaded = cluster(admitted(assignment(usage="5")), *cycle, cohortName="a")
        assert any("found 5 cpu of flavor default, expected at most 4" in text for text in loaded.warnings)


class TestPending:
    def test_a_request_below_zero_counts_as_none(self) -> None:
        pod = {"containers": [container(cpu="-5", memory="1Gi")], "initContainers": [container(cpu="1")]}
        loaded = cluster(waiting(pod=pod))
        assert said(loaded) == (
            "Workload/ml/p: spec.podSets[0].template.spec.containers[0].resources.requests[cpu]: found -5,"
            " expected 0 or more; as in Kueue, the total request of a pod counts as at least 0"
        )
        alone = cluster(waiting(pod={"containers": [container(cpu="-5")]}))
        assert alone.cluster.pending[0].pod_sets[0].requests == {"cpu": 0}

    def test_one_that_is_being_deleted_still_waits(self) -> None:
        raw = waiting()
        raw["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
        loaded = cluster(raw)
        assert said(loaded) == (
            "Workload/ml/p: metadata.deletionTimestamp: found 2026-01-01T00:00:00Z, expected no such"
            " time for a workload that waits; as in Kueue, it stays queued until the object is gone"
        )
        assert [workload.name for workload in loaded.cluster.pending] == ["p"]

    def test_the_same_is_said_of_workloads_that_are_alike(self) -> None:
        pod = {"containers": [container(cpu="-5")]}
        loaded = cluster(waiting("p1", pod=pod), waiting("p2", pod=pod))
        assert [warning.split(": ")[0] for warning in loaded.warnings] == ["Workload/ml/p1", "Workload/ml/p2"]


class TestNamespaces:
    def test_a_namespace_that_is_not_given_is_not_compared(self) -> None:
        loaded = cluster(waiting(), namespaceSelector=SELECTOR)
        assert said(loaded) == (
            "ClusterQueue/team-a: spec.namespaceSelector: not compared with ml, because no such"
            " Namespace is given; it is decided as if it were selected; Kueue looks at no workload of a"
            " Namespace that is not selected"
        )
        assert len(loaded.cluster.pending) == 1

    def test_no_selector_selects_nothing(self) -> None:
        loaded = cluster(waiting(), namespaceSelector=None)
        assert said(loaded).startswith(
            "ClusterQueue/team-a: spec.namespaceSelector: found nothing, which selects no Namespace;"
        )

    def test_a_queue_that_none_waits_for_is_not_spoken_of(self) -> None:
        assert cluster(admitted(), namespaceSelector=SELECTOR).warnings == ()

    @pytest.mark.parametrize(
        ("selector", "selected"),
        [
            (SELECTOR, True),
            ({"matchLabels": {"team": "b"}}, False),
            ({"matchLabels": {"kubernetes.io/metadata.name": "ml"}}, True),
            ({"matchExpressions": [{"key": "team", "operator": "In", "values": ["b", "a"]}]}, True),
            ({"matchExpressions": [{"key": "team", "operator": "NotIn", "values": ["a"]}]}, False),
            ({"matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["a"]}]}, True),
            ({"matchExpressions": [{"key": "tier", "operator": "Exists"}]}, False),
            ({"matchExpressions": [{"key": "tier", "operator": "DoesNotExist"}]}, True),
        ],
    )
    def test_one_that_is_not_selected_is_set_aside(self, selector: Object, selected: bool) -> None:
        namespace = {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": "ml", "labels": {"team": "a"}},
        }
        loaded = cluster(namespace, waiting(), namespaceSelector=selector)
        assert (len(loaded.cluster.pending), bool(loaded.set_aside)) == (selected, not selected)
        if not selected:
            (problem,) = loaded.set_aside["Workload/ml/p"]
            assert str(problem) == (
                "Workload/ml/p: metadata.namespace: found 'ml', expected a name space that"
                " spec.namespaceSelector of the ClusterQueue team-a selects"
            )
            assert said(loaded).startswith(
                "Workload/ml/p: set aside: metadata.namespace: found 'ml', expected"
            )


class TestRequests:
    """Of a request of the protocol, the same is said beside the answer."""

    @staticmethod
    def answered(call: str = "decide", **fields: Any) -> Object:
        given = {
            "now": "2026-01-02T00:00:00Z",
            "clusterQueues": [a_queue()],
            "admitted": [admitted()],
            "incoming": pending(name="p", pod={"containers": [container(cpu="1")]}),
            "targetCQ": "team-a",
            **fields,
        }
        if call == "accessible":
            del given["incoming"]
        return answer({"id": 1, "call": call, "input": given})

    def test_nothing_is_said_of_a_consistent_one(self) -> None:
        assert "warnings" not in self.answered()["output"]
        assert "warnings" not in self.answered("accessible")["output"]

    @pytest.mark.parametrize("engine", ["reference", "fast"])
    @pytest.mark.parametrize(
        ("ended", "found"), [({"active": False}, "spec.active"), ({}, "status.conditions")]
    )
    def test_what_has_ended_holds_nothing(self, ended: Object, found: str, engine: str) -> None:
        victim = admitted(conditions=[] if ended else [condition("Finished")])
        victim["spec"].update(ended)
        output = self.answered(admitted=[victim], engine=engine)["output"]
        assert output["decision"] == "Fit"
        (warning,) = output["warnings"]
        assert warning.startswith(f"Workload/ml/w: admitted[0].{found}: found ")
        assert warning.endswith("; as in Kueue, it holds no quota and cannot be preempted")
        assert self.answered("accessible", admitted=[victim])["output"]["warnings"] == [warning]

    @pytest.mark.parametrize("engine", ["reference", "fast"])
    def test_who_holds_quota_of_an_unknown_queue_counts_nowhere(self, engine: str) -> None:
        victim = admitted()
        victim["status"]["admission"]["clusterQueue"] = "gone"
        output = self.answered(admitted=[victim], engine=engine)["output"]
        assert output["decision"] == "Fit"
        words = "Workload/ml/w: holds quota of the ClusterQueue gone, which was not given"
        assert output["warnings"] == [words]
        assert words in cluster(victim).warnings

    @pytest.mark.parametrize(
        ("change", "field"),
        [
            ({"spec": {"active": False}}, "incoming.spec.active"),
            ({"status": {"conditions": [condition("Finished")]}}, "incoming.status.conditions"),
            ({"metadata": {"namespace": "ml", "name": "w"}}, "incoming.metadata.name"),
        ],
    )
    def test_one_that_cannot_wait_is_refused(self, change: Object, field: str) -> None:
        incoming = {**pending(name="p"), **change}
        error = self.answered(incoming=incoming)["error"]
        assert (error["code"], error["field"]) == ("bad-input", field)

    def test_one_that_holds_quota_is_decided_as_if_it_waited(self) -> None:
        incoming = pending(name="p", pod={"containers": [container(cpu="1")]})
        plain = self.answered(incoming=incoming)["output"]
        incoming["status"] = {"conditions": [condition("QuotaReserved")]}
        output = self.answered(incoming=incoming)["output"]
        (warning,) = output.pop("warnings")
        assert output == plain
        assert warning.startswith(
            "Workload/ml/p: incoming.status.conditions: found QuotaReserved=True, expected"
        )

    def test_an_inconsistent_admission_is_warned_of_in_the_words_of_manifests(self) -> None:
        odd = admitted({**assignment(), "flavors": {"cpu": "old"}})
        assert self.answered(admitted=[odd])["output"]["warnings"] == [said(cluster(odd))]
