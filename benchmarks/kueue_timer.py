"""The released scheduler's own code on the same clusters: `go/kueue`, in its timing mode."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.shapes import FLAVOR, NOW, TARGET, Case
from tenure.model import SECOND, Amounts, ClusterQueue, Cohort, FlavorResource, Workload

Object = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Timed:
    """What `GetTargets` answered and how long it took.

    Args:
        victims: `namespace/name` and reason of each, in no order.
        median, busy: medians in ns: on the clock, and of the processor.
        runs: how often it was asked.
    """

    victims: frozenset[tuple[str, str]]
    median: int
    busy: int
    runs: int


class Peer:
    """A running peer.

    Args:
        program: what `go build` made of `go/kueue`.
    """

    def __init__(self, program: Path) -> None:
        self._process = subprocess.Popen(
            [str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def version(self) -> str:
        """The release that was linked in."""
        return str(self._ask({"call": "version"})["kueue"])

    def time(self, case: Case, share: float, seconds: float) -> Timed:
        """Measure one question.

        Args:
            case: the cluster, and who asks.
            share: of all that is held, how much is asked for.
            seconds: how long to measure; it asks at least three times.
        """
        told = self._ask({"call": "time", "seconds": seconds, "input": request_of(case, share)})
        victims = frozenset((item["workload"], item["reason"]) for item in told["preempted"])
        return Timed(victims, told["medianNs"], told["medianCpuNs"], told["runs"])

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _ask(self, request: Object) -> Object:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"id": 1, **request}) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        if "error" in answer:
            raise RuntimeError(f"the peer refuses: {answer['error']}")
        output: Object = answer["output"]
        return output


def request_of(case: Case, share: float) -> Object:
    """A decision request of the protocol, with the objects as the API server has them."""
    cluster = case.cluster
    asked = case.assignment(share).usage
    flavors = {at.resource: {"flavor": at.flavor, "mode": "Preempt"} for at in asked}
    pod_set = {"name": "main", "count": 1, "flavors": flavors}
    return {
        "now": _time(NOW),
        "featureGates": {},
        "fairSharing": None if cluster.settings.fair_sharing is None else {"preemptionStrategies": []},
        "requeuingTimestamp": "Eviction",
        "clusterQueues": [_queue(cluster_queue) for cluster_queue in cluster.cluster_queues.values()],
        "cohorts": [_cohort(cohort) for cohort in cluster.cohorts.values()],
        "resourceFlavors": [{"metadata": {"name": FLAVOR}}],
        "admitted": [_admitted(workload) for workload in cluster.admitted],
        "incoming": _pending(case.preemptor, asked),
        "targetCQ": TARGET,
        "assignment": {"podSets": [pod_set]},
    }


def _queue(queue: ClusterQueue) -> Object:
    group = queue.resource_groups[0]
    quotas = _quantities(
        (FlavorResource(FLAVOR, name), group.flavors[0].nominal[name]) for name in group.covered_resources
    )
    resources = [{"name": name, "nominalQuota": quota} for name, quota in quotas.items()]
    spec: Object = {
        "namespaceSelector": {},
        "resourceGroups": [
            {"coveredResources": list(quotas), "flavors": [{"name": FLAVOR, "resources": resources}]}
        ],
        "preemption": {
            "withinClusterQueue": "LowerPriority",
            "reclaimWithinCohort": "Any",
            "borrowWithinCohort": {"policy": "Never"},
        },
    }
    if queue.cohort is not None:
        spec["cohortName"] = queue.cohort
    return {"metadata": {"name": queue.name}, "spec": spec}


def _cohort(cohort: Cohort) -> Object:
    return {"metadata": {"name": cohort.name}, "spec": {"parentName": cohort.parent}}


def _admitted(workload: Workload) -> Object:
    usage = _quantities(workload.usage.items())
    assert workload.quota_reserved_at is not None
    return {
        "metadata": {**_metadata(workload)},
        "spec": {"priority": workload.priority, "podSets": [{"name": "main", "count": 1}]},
        "status": {
            "conditions": [
                {
                    "type": "QuotaReserved",
                    "status": "True",
                    "lastTransitionTime": _time(workload.quota_reserved_at),
                }
            ],
            "admission": {
                "clusterQueue": workload.cluster_queue,
                "podSetAssignments": [
                    {
                        "name": "main",
                        "flavors": dict.fromkeys(usage, FLAVOR),
                        "resourceUsage": usage,
                        "count": 1,
                    }
                ],
            },
        },
    }


def _pending(workload: Workload, asked: Amounts) -> Object:
    container = {"name": "main", "resources": {"requests": _quantities(asked.items())}}
    template = {"spec": {"containers": [container]}}
    pod_sets = [{"name": "main", "count": 1, "template": template}]
    return {
        "metadata": _metadata(workload),
        "spec": {"priority": workload.priority, "podSets": pod_sets},
    }


def _metadata(workload: Workload) -> Object:
    return {
        "namespace": workload.namespace,
        "name": workload.name,
        "uid": workload.uid,
        "creationTimestamp": _time(workload.created_at),
    }


def _quantities(amounts: Iterable[tuple[FlavorResource, int]]) -> dict[str, str]:
    return {at.resource: f"{amount}m" if at.resource == "cpu" else str(amount) for at, amount in amounts}


def _time(instant: int) -> str:
    return datetime.fromtimestamp(instant // SECOND, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
