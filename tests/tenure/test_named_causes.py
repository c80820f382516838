"""An answer names what decides: a field, what is borrowed, the parts of a sum and of a share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

import tenure
from tenure.conformance.requests import read_decide_request
from tenure.explanation.answers import explained, why_not_answer
from tenure.explanation.obstacles import NO_FIELD
from tenure.explanation.text import explained_lines, why_not_outline
from tenure.manifests import build
from tenure.manifests.files import SourcedObject
from tenure.model import FairStrategy, Settings
from tenure.oracle.decide import Decision
from tests.published import published_vectors

GPU = "nvidia.com/gpu"
API = "kueue.x-k8s.io/v1beta2"
Raw = dict[str, Any]


def quotas(**amounts: int) -> list[Raw]:
    """Resource groups by `resource__flavor`, in the order of resources."""
    groups: dict[str, list[Raw]] = {}
    for name, amount in amounts.items():
        resource, _, flavor = name.partition("__")
        resource = GPU if resource == "gpu" else resource
        flavors = groups.setdefault(resource, [])
        flavors.append({"name": flavor, "resources": [{"name": resource, "nominalQuota": amount}]})
    return [{"coveredResources": [resource], "flavors": flavors} for resource, flavors in groups.items()]


def cohort(name: str, parent: str | None = None, **amounts: int) -> Raw:
    spec: Raw = {"resourceGroups": quotas(**amounts)} if amounts else {}
    if parent:
        spec["parentName"] = parent
    return {"apiVersion": API, "kind": "Cohort", "metadata": {"name": name}, "spec": spec}


def queue(name: str, cohort: str | None = None, preemption: Raw | None = None, **amounts: int) -> Raw:
    spec: Raw = {"resourceGroups": quotas(**amounts), "namespaceSelector": {}, "preemption": preemption or {}}
    if cohort:
        spec["cohortName"] = cohort
    return {"apiVersion": API, "kind": "ClusterQueue", "metadata": {"name": name}, "spec": spec}


def workload(name: str, held: str = "", **requests: int) -> Raw:
    """One pod; `held` names the ClusterQueue whose quota it holds, and the amounts their flavors."""
    amounts = {
        GPU if key.startswith("gpu") else key.partition("__")[0]: str(n) for key, n in requests.items()
    }
    found: Raw = {
        "apiVersion": API,
        "kind": "Workload",
        "metadata": {
            "name": name,
            "namespace": "ml",
            "uid": name,
            "creationTimestamp": "2026-01-01T00:00:00Z",
        },
        "spec": {
            "queueName": "l",
            "priority": 0,
            "podSets": [
                {
                    "name": "main",
                    "count": 1,
                    "template": {"spec": {"containers": [{"name": "c", "resources": {"requests": amounts}}]}},
                }
            ],
        },
    }
    if held:
        flavors = {
            GPU if key.startswith("gpu") else key.partition("__")[0]: key.partition("__")[2]
            for key in requests
        }
        given = {"name": "main", "count": 1, "flavors": flavors, "resourceUsage": amounts}
        found["status"] = {
            "admission": {"clusterQueue": held, "podSetAssignments": [given]},
            "conditions": [
                {
                    "type": "QuotaReserved",
                    "status": "True",
                    "reason": "QuotaReserved",
                    "message": "",
                    "lastTransitionTime": "2026-01-01T00:00:00Z",
                }
            ],
        }
    return found


def decided(into: str, objects: Iterable[Raw], settings: Settings | None = None) -> Decision:
    loaded = build([SourcedObject("", raw) for raw in objects], settings)
    return tenure.decide(loaded, "ml/new", now="2026-02-01T00:00:00Z", cluster_queue=into)


def lines(decision: Decision) -> list[str]:
    """All lines of why-not, and those of every rule."""
    answered = why_not_outline(why_not_answer(decision, None, counterfactuals=0)).text_lines()
    return [line.strip() for line in (*answered, *explained_lines(explained(decision, counterfactuals=0)))]


ALONE = [queue("q", cpu__x86=4), workload("old", "q", cpu__x86=3)]
NOMINAL = {"reclaimWithinCohort": "Any"}
OWNER = [
    queue("owner", "c", NOMINAL, cpu__node=10, gpu__cuda=8),
    queue("guest", "c", cpu__node=10, gpu__cuda=0),
    workload("own", "owner", cpu__node=10, gpu__cuda=4),
    workload("run", "guest", gpu__cuda=4),
]
SHARES = [
    cohort("org"),
    cohort("vision", "org", gpu__h100=10, gpu__a10=0),
    cohort("speech", "org", gpu__h100=10, gpu__a10=0),
    queue("pool", "org", gpu__h100=0, gpu__a10=40),
    queue("train", "vision", NOMINAL, gpu__h100=0),
    queue("notebooks", "vision", gpu__h100=0, gpu__a10=0),
    queue("talk", "speech", gpu__h100=0, gpu__a10=0),
    workload("borrowed", "notebooks", gpu__a10=30),
    workload("own", "train", gpu__h100=4),
    workload("t1", "talk", gpu__h100=8),
    workload("t2", "talk", gpu__h100=8),
]


@pytest.mark.parametrize(
    ("decision", "line"),
    [
        pytest.param(
            decided("q", [*ALONE, workload("new", cpu=2)]),
            "NoCandidates: of 1 running workload in ClusterQueue q none may be preempted for ml/new: "
            "spec.preemption.withinClusterQueue is Never; it is in no cohort (spec.cohortName), so it can "
            "borrow nothing",
            id="no cohort, and the policy is Never",
        ),
        pytest.param(
            decided("q", [*ALONE, workload("new", cpu=2)]),
            "ml/new is not admitted: 1 cpu short on x86; withinClusterQueue is Never: keeps 1 running "
            "workload of the same or a lower priority in q",
            id="the headline has the policy that is Never, and not the priority",
        ),
        pytest.param(
            decided("q", [*ALONE, workload("new", cpu=2)]),
            "cohortName is not set: in no cohort it can borrow nothing",
            id="no cohort is a field",
        ),
        pytest.param(
            decided("owner", [*OWNER, workload("new", cpu=2, gpu=4)]),
            f"ml/new is not admitted: 4 {GPU} short on cuda; borrowWithinCohort.policy is Never: keeps 1 "
            "candidate of other queues while the request borrows 2 cpu on node",
            id="the headline has the resource that is borrowed",
        ),
        pytest.param(
            decided("train", [*SHARES, workload("new", gpu=4)], Settings(fair_sharing=tuple(FairStrategy))),
            f"ml/new is not admitted: 4 {GPU} short on h100; fairSharing.weight of Cohort vision is 1: the "
            "share of Cohort vision with the request is 500, higher than the 0 of Cohort speech after the "
            "removal (for ml/t1)",
            id="the headline has the shares",
        ),
        pytest.param(
            decided("q", [*ALONE, workload("new", cpu=2)]),
            "in its own ClusterQueue: no workload may be preempted; 1 cpu on x86 short",
            id="an attempt without a cohort borrows nothing",
        ),
        pytest.param(
            decided("q", [*ALONE, workload("new", cpu=5)]),
            "NoFit: ml/new could not run in ClusterQueue q even if it were empty; "
            "it is in no cohort (spec.cohortName), so it can borrow nothing",
            id="no cohort, and more than the quota",
        ),
        pytest.param(
            decided("guest", [*OWNER, workload("new", gpu=1)]),
            "NoFit: ml/new would fit in ClusterQueue guest and its cohort c if nothing ran, and may not "
            "preempt for that: it would borrow, and spec.preemption.borrowWithinCohort.policy is Never",
            id="borrowing, and both policies are Never",
        ),
        pytest.param(
            decided("owner", [*OWNER, workload("new", cpu=2, gpu=4)]),
            "NoCandidates: of 2 running workloads in ClusterQueue owner and its cohort c 1 may be preempted "
            f"for ml/new only while it does not borrow: ml/run would free its {GPU}, but it borrows 2 cpu on "
            "node, and spec.preemption.borrowWithinCohort.policy is Never",
            id="what is short is not what is borrowed",
        ),
        pytest.param(
            decided(
                "a",
                [
                    cohort("c", cpu__f=4),
                    queue("a", "c", cpu__f=2),
                    queue("b", "c", cpu__f=2),
                    workload("new", cpu=4),
                ],
            ),
            "cpu on f: 4 asked, 8 available; the queue uses 0 of its 2; in all 8 "
            "(4 of Cohort c + 2 of ClusterQueue a + 2 of ClusterQueue b)",
            id="a cohort's own quota on top",
        ),
        pytest.param(
            decided(
                "a",
                [
                    cohort("c", cpu__f=4),
                    *(queue(name, "c", cpu__f=2) for name in "abcde"),
                    workload("new", cpu=15),
                ],
            ),
            "f for cpu: NoFit; cpu: 15 asked, 14 available: more than the 14 that it could ever have "
            "(4 of Cohort c + 10 of 5 ClusterQueues) (KQ-070)",
            id="a sum of many queues",
        ),
        pytest.param(
            decided("train", [*SHARES, workload("new", gpu=4)], Settings(fair_sharing=tuple(FairStrategy))),
            f"share 500 of Cohort vision: it borrows 30 {GPU} (30 on a10) of the 60 that Cohort org can "
            "lend; a share adds up all flavors of a resource",
            id="what makes a share",
        ),
        pytest.param(
            decided(
                "owner",
                [
                    queue("owner", "c", NOMINAL, gpu__f=8),
                    queue("guest", "c", gpu__f=0),
                    *(workload(f"g{n}", "guest", gpu__f=1) for n in range(8)),
                    workload("new", gpu=2),
                ],
            ),
            f"quota, not nodes: a pod asks for 2 {GPU}, and no victim holds more than 1 with all its pods; "
            f"Kueue does not check that one node has 2 {GPU} free",
            id="quota is not nodes",
        ),
    ],
)
def test_the_cause_is_named(decision: Decision, line: str) -> None:
    assert line in lines(decision)


def test_a_sum_is_left_out_where_limits_keep_some_of_it() -> None:
    limited = queue("b", "c", cpu__f=2)
    limited["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]["lendingLimit"] = 1
    objects = [cohort("c", cpu__f=4), queue("a", "c", cpu__f=2), limited, workload("new", cpu=4)]
    assert not any("Cohort c +" in line for line in lines(decided("a", objects)))


def test_nodes_are_not_mentioned_where_a_victim_holds_enough() -> None:
    objects = [
        queue("owner", "c", NOMINAL, gpu__f=8),
        queue("guest", "c", gpu__f=0),
        *(workload(f"g{n}", "guest", gpu__f=2) for n in range(4)),
        workload("new", gpu=2),
    ]
    assert not any("quota, not nodes" in line for line in lines(decided("owner", objects)))


@pytest.mark.parametrize(
    ("case", "cause"),
    [
        (
            "two-topologies-for-one-pod-set",
            "topologyName of ResourceFlavor cpus is racks: pod set main needs cpus and gpus, and one flavor "
            "alone may place its pods",
        ),
        (
            "a-pod-set-that-asks-for-nothing",
            "pod set main requests no resource of a flavor that could place its pods",
        ),
        ("no-flavor-at-all", "resourceGroups is empty: pod set main requests no resource of a flavor"),
    ],
)
def test_pods_that_no_single_topology_places_name_the_flavors(case: str, cause: str) -> None:
    (vector,) = (vector for vector in published_vectors() if vector.id == f"KQ-640/{case}")
    summary = why_not_answer(read_decide_request(vector.data["input"]).decided()).summary
    assert cause in summary
    assert NO_FIELD not in summary
