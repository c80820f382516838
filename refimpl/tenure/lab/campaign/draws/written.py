"""A drawn scenario as the oracle's call `decide` takes it: to be shown, made small, and kept as a vector."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tenure.conformance.requests import DecideRequest
from tenure.lab.campaign.draws.written_queues import (
    cluster_queue_object,
    cohort_object,
    flavor_object,
    priority_class_object,
)
from tenure.lab.campaign.draws.written_workloads import workload_object
from tenure.manifests import SETTING_OF_GATE
from tenure.model import Cluster, FairStrategy, Settings
from tenure.units import format_instant

Object = dict[str, Any]

STRATEGIES = {
    FairStrategy.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE: "LessThanOrEqualToFinalShare",
    FairStrategy.LESS_THAN_INITIAL_SHARE: "LessThanInitialShare",
}


def input_of(request: DecideRequest) -> Object:
    """The input that reads as this request; the assignment is left to be derived.

    >>> from tenure.lab.campaign.draws import draw
    >>> from tenure.conformance.requests import read_decide_request
    >>> drawn = draw(8522, 0)
    >>> read_decide_request(input_of(drawn)) == drawn
    True
    """
    cluster, settings = request.cluster, request.cluster.settings
    written = {
        "now": format_instant(request.now),
        "featureGates": {gate: getattr(settings, field) for gate, field in SETTING_OF_GATE.items()},
        "fairSharing": _fair_sharing(settings),
        "requeuingTimestamp": settings.requeuing_timestamp.name.capitalize(),
        "clusterQueues": [cluster_queue_object(each) for each in cluster.cluster_queues.values()],
        "cohorts": [cohort_object(each) for each in cluster.cohorts.values()],
        "resourceFlavors": [flavor_object(each) for each in cluster.flavors.values()],
        "admitted": [workload_object(each) for each in cluster.admitted],
        "incoming": workload_object(request.preemptor),
        "targetCQ": request.queue,
        "assignment": None,
        "reading": request.reading.written(),
    }
    if cluster.growing:
        written["workloadPriorityClasses"] = [
            priority_class_object(each) for each in cluster.growing.values()
        ]
        written["jobs"] = dict(_jobs(cluster))
    return written


def _fair_sharing(settings: Settings) -> Object | None:
    if settings.fair_sharing is None:
        return None
    return {"preemptionStrategies": [STRATEGIES[each] for each in settings.fair_sharing]}


def _jobs(cluster: Cluster) -> Iterator[tuple[str, str]]:
    for each in (*cluster.pending, *cluster.admitted):
        if each.job_created_at is not None:
            yield each.key, format_instant(each.job_created_at)
