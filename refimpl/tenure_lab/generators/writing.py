"""Model objects as Kueue's API objects: one writer for requests, output, shrinking and files.

Where several forms say the same, the simplest is written, or one that dice choose; either reads as what was
written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from tenure.conformance.requests import DecideRequest
from tenure.manifests import RECLAIMABLE_PODS, SETTING_OF_GATE, TIME_BASED
from tenure.model import (
    NANO,
    UNLIMITED,
    Amount,
    Amounts,
    ClusterQueue,
    Cohort,
    FairStrategy,
    FlavorFungibility,
    FlavorQuotas,
    Instant,
    NodeRequirement,
    PodSet,
    PreemptionRules,
    ReclaimWithinCohort,
    ResourceFlavor,
    ResourceGroup,
    Settings,
    Taint,
    Toleration,
    TopologyRequest,
    Workload,
    WorkloadPriorityClass,
)
from tenure.readings import default_preset, preset
from tenure.units import format_duration, format_instant
from tenure_lab.generators.dice import Dice
from tenure_lab.generators.options import Feature
from tenure_lab.generators.preemption_configs import (
    write_named_config,
    write_preemption_config,
    write_preemption_limit,
    write_selectable,
)
from tenure_lab.generators.quotas import CPU, GIB, MEMORY, PODS

Object = dict[str, Any]

API = "kueue.x-k8s.io/v1beta2"
BOOST = "kueue.x-k8s.io/priority-boost"

PREFERENCE = Taint("dedicated", "batch", "PreferNoSchedule")


def write_request(
    request: DecideRequest, dice: Dice | None = None, features: Collection[Feature] = ()
) -> Object:
    """The `input` of call `decide` that reads as this request; the assignment is left to be derived.

    Args:
        request: the request.
        dice: choose among the forms that say the same; None for the simplest of each.
        features: what may be written in other forms.

    >>> from tenure.conformance.requests import read_decide_request
    >>> from tenure_lab.generators.scenarios import draw_for_core
    >>> drawn = draw_for_core(8522, 0)
    >>> read_decide_request(write_request(drawn)) == drawn
    True
    """
    cluster, settings = request.cluster, request.cluster.settings
    forms = _Forms(dice or Dice(), frozenset(features), request)
    written = {
        "now": format_instant(request.now),
        "featureGates": _gates(settings, releases=forms.releases),
        "fairSharing": _fair_sharing(settings, forms),
        "requeuingTimestamp": settings.requeuing_timestamp.label,
        "clusterQueues": [forms.cluster_queue(queue) for queue in cluster.cluster_queues.values()],
        "cohorts": [forms.cohort(cohort) for cohort in cluster.cohorts.values()],
        "resourceFlavors": [forms.flavor(flavor) for flavor in cluster.flavors.values()],
        "admitted": [forms.workload(workload) for workload in cluster.admitted],
        "incoming": forms.workload(request.preemptor),
        "targetCQ": request.queue,
        "assignment": None,
    }
    if request.reading != preset(default_preset()):
        written["reading"] = request.reading.written()
    if cluster.topologies:
        written["topologies"] = [
            _named("Topology", name, {"levels": [{"nodeLabel": level} for level in levels]})
            for name, levels in cluster.topologies.items()
        ]
    if cluster.preemption_configs is not None:
        configs = cluster.preemption_configs.values()
        written["preemptionConfigs"] = [write_preemption_config(config) for config in configs]
    if cluster.preemption_limits:
        written["preemptionLimits"] = [write_preemption_limit(limit) for limit in cluster.preemption_limits]
    if cluster.growing:
        written["workloadPriorityClasses"] = [
            write_priority_class(priority_class) for priority_class in cluster.growing.values()
        ]
        written["jobs"] = {
            workload.key: format_instant(workload.job_created_at)
            for workload in (*cluster.pending, *cluster.admitted)
            if workload.job_created_at is not None
        }
    return written


def _gates(settings: Settings, *, releases: bool) -> Object:
    gates = {gate: getattr(settings, field) for gate, field in SETTING_OF_GATE.items()}
    # A released scheduler refuses a gate that it does not know.
    if settings.time_based_preemption:
        del gates[TIME_BASED]
    return {**gates, RECLAIMABLE_PODS: releases}


class _Forms:
    """Writes the objects that have several forms.

    Args:
        dice: choose the form.
        features: what may have another form than the simplest.
        request: what is written.
    """

    def __init__(self, dice: Dice, features: frozenset[Feature], request: DecideRequest) -> None:
        self._dice = dice
        self._features = features
        spare = any(pods.full_count is not None for pods in request.preemptor.pod_sets)
        self.releases = spare or not self.chance(Feature.GATES, 4)

    def chance(self, feature: Feature, percent: int) -> bool:
        """Whether another form is written, of what belongs to a feature."""
        return feature in self._features and self._dice.chance(percent)

    def cluster_queue(self, queue: ClusterQueue) -> Object:
        """A ClusterQueue."""
        spec: Object = {
            "resourceGroups": _groups(queue.resource_groups),
            "namespaceSelector": {},
            "queueingStrategy": "BestEffortFIFO",
            "stopPolicy": "None",
            "preemption": _preemption(queue),
            "flavorFungibility": _fungibility(queue.fungibility),
            **self._weight(queue.weight),
        }
        if queue.cohort is not None:
            spec["cohortName"] = queue.cohort
        written = _named("ClusterQueue", queue.name, spec)
        write_named_config(written, queue)
        return written

    def cohort(self, cohort: Cohort) -> Object:
        """A Cohort."""
        spec: Object = self._weight(cohort.weight)
        if cohort.parent is not None:
            spec["parentName"] = cohort.parent
        if cohort.resource_groups:
            spec["resourceGroups"] = _groups(cohort.resource_groups)
        return _named("Cohort", cohort.name, spec)

    def flavor(self, flavor: ResourceFlavor) -> Object:
        """A ResourceFlavor."""
        spec: Object = {}
        if flavor.labels:
            spec["nodeLabels"] = dict(flavor.labels)
        taints = [write_taint(taint) for taint in flavor.taints]
        # A preference keeps no pod away, so it is not read.
        taints += [write_taint(PREFERENCE)] if self.chance(Feature.TAINTS, 5) else []
        if taints:
            spec["nodeTaints"] = taints
        if flavor.tolerations:
            spec["tolerations"] = [write_toleration(toleration) for toleration in flavor.tolerations]
        if flavor.topology:
            spec["topologyName"] = flavor.topology
        return _named("ResourceFlavor", flavor.name, spec)

    def workload(self, workload: Workload) -> Object:
        """A Workload that holds quota, or waits for it."""
        metadata: Object = {
            "name": workload.name,
            "namespace": workload.namespace,
            "uid": workload.uid,
            "creationTimestamp": format_instant(workload.created_at),
        }
        boost = str(workload.priority_boost or ("x" if self.chance(Feature.GATES, 3) else ""))
        if boost:
            metadata["annotations"] = {BOOST: boost}
        spec: Object = {"active": True, "podSets": [write_pod_set(pods) for pods in workload.pod_sets]}
        if workload.priority or not self.chance(Feature.EVICTIONS, 25):
            spec["priority"] = workload.priority
        if workload.queue_name:
            spec["queueName"] = workload.queue_name
        if workload.priority_class:
            spec["priorityClassRef"] = {
                "group": "kueue.x-k8s.io",
                "kind": "WorkloadPriorityClass",
                "name": workload.priority_class,
            }
        status: Object = {"conditions": [*_conditions(workload), *self._conditions_that_ended(workload)]}
        spare = {
            pods.name: pods.full_count - pods.count
            for pods in workload.pod_sets
            if pods.full_count is not None
        }
        if workload.cluster_queue is not None:
            held = [self._held(*parts) for parts in self._sets(workload.usage)]
            spec["podSets"] = [template for template, _, _ in held]
            assigned = [assignment for _, assignment, _ in held]
            status["admission"] = {"clusterQueue": workload.cluster_queue, "podSetAssignments": assigned}
            spare = {template["name"]: count for template, _, count in held if count}
        if spare:
            status["reclaimablePods"] = [{"name": name, "count": count} for name, count in spare.items()]
        written = {
            "apiVersion": API,
            "kind": "Workload",
            "metadata": metadata,
            "spec": spec,
            "status": status,
        }
        write_selectable(written, workload.selectable)
        return written

    def _weight(self, weight: int) -> Object:
        written = weight != NANO or self.chance(Feature.WEIGHTS, 50)
        return {"fairSharing": {"weight": write_weight(weight)}} if written else {}

    def _sets(self, usage: Amounts) -> Iterator[tuple[str, str, dict[str, Amount]]]:
        """Name, flavor and amounts of every pod set: one for a flavor, now and then two."""
        by_flavor: dict[str, dict[str, Amount]] = {}
        for at, amount in usage.items():
            by_flavor.setdefault(at.flavor, {})[at.resource] = amount
        for number, (flavor, amounts) in enumerate(by_flavor.items()):
            if PODS not in amounts and self.chance(Feature.POD_SETS, 6):
                half = {resource: amount // 2 for resource, amount in amounts.items()}
                yield f"half{number}", flavor, half
                amounts = {resource: amount - half[resource] for resource, amount in amounts.items()}
            yield f"set{number}", flavor, amounts

    def _held(self, name: str, flavor: str, amounts: dict[str, Amount]) -> tuple[Object, Object, int]:
        """The pod set, its assignment, and how many of its pods are reclaimable."""
        spare = int(self.chance(Feature.RECLAIMABLE, 5) and max(amounts.values()) <= UNLIMITED // 2)
        count = 1 + spare if self.releases else 1
        requests = {resource: amount for resource, amount in amounts.items() if resource != PODS}
        assigned = {resource: _quantity(amount * count, resource) for resource, amount in amounts.items()}
        assignment = {
            "name": name,
            "count": count,
            "flavors": dict.fromkeys(amounts, flavor),
            "resourceUsage": assigned,
        }
        return _template(name, count, requests), assignment, spare

    def _conditions_that_ended(self, workload: Workload) -> Iterator[Object]:
        """Those that are False: an eviction before the reservation, or a reservation before the eviction."""
        at = workload.quota_reserved_at
        if workload.cluster_queue is None:
            if workload.evicted and self.chance(Feature.EVICTIONS, 50):
                yield _condition("QuotaReserved", "Pending", workload.created_at, holds=False)
        elif at is not None and not workload.evicted and self.chance(Feature.EVICTIONS, 6):
            yield _condition("Evicted", "QuotaReserved", at, holds=False)


def _fair_sharing(settings: Settings, forms: _Forms) -> Object | None:
    if settings.fair_sharing is None:
        return None
    usual = settings.fair_sharing == tuple(FairStrategy) and forms.chance(Feature.WEIGHTS, 50)
    return {
        "preemptionStrategies": []
        if usual
        else [fair_strategy.label for fair_strategy in settings.fair_sharing]
    }


def write_taint(taint: Taint) -> Object:
    """A taint of a flavor.

    >>> write_taint(Taint("dedicated"))
    {'key': 'dedicated', 'value': '', 'effect': 'NoSchedule'}
    """
    return {"key": taint.key, "value": taint.value, "effect": taint.effect}


def write_toleration(toleration: Toleration) -> Object:
    """A toleration of a pod or of a flavor.

    >>> write_toleration(Toleration(exists=True))
    {'operator': 'Exists'}
    """
    written: Object = {"operator": "Exists" if toleration.exists else "Equal"}
    for field in ("key", "value", "effect"):
        if getattr(toleration, field):
            written[field] = getattr(toleration, field)
    return written


def write_priority_class(named: WorkloadPriorityClass) -> Object:
    """A WorkloadPriorityClass with its policy.

    >>> write_priority_class(WorkloadPriorityClass("high", 7))["value"]
    7
    """
    written: Object = {"apiVersion": API, "kind": "WorkloadPriorityClass", "metadata": {"name": named.name}}
    if named.policy is None:
        return {**written, "value": named.base}
    policy: Object = {"step": named.policy.step, "delayForStep": format_duration(named.policy.delay_for_step)}
    if named.policy.max is not None:
        policy["max"] = named.policy.max
    if named.policy_path.startswith("spec."):
        return {**written, "spec": {"priority": named.base, "dynamicPriorityPolicy": policy}}
    return {**written, "value": named.base, "dynamicPriorityPolicy": policy}


def write_weight(weight: int) -> str:
    """A fair-sharing weight, given in 10⁻⁹, as a Kubernetes quantity.

    >>> [write_weight(weight) for weight in (2 * NANO, NANO // 2, 7)]
    ['2', '500m', '7n']
    """
    whole, rest = divmod(weight, NANO)
    if not rest:
        return str(whole)
    milli, rest = divmod(weight, NANO // 1000)
    return f"{weight}n" if rest else f"{milli}m"


def write_pod_set(pods: PodSet) -> Object:
    """A pod set of a pending workload, with what ties its pods to nodes.

    >>> write_pod_set(PodSet("main", 2, {"cpu": 1000}))["template"]["spec"]["containers"][0]["resources"]
    {'requests': {'cpu': '500m'}}
    """
    count = pods.count if pods.full_count is None else pods.full_count
    requests = {resource: amount // pods.count for resource, amount in pods.requests.items()}
    written = _template(pods.name, count, requests, **_constraints(pods))
    if pods.topology is not None:
        written["topologyRequest"] = _topology_request(pods.topology)
    return written if pods.min_count is None else {**written, "minCount": pods.min_count}


def _topology_request(requested: TopologyRequest) -> Object:
    fields = {
        "required": requested.required,
        "preferred": requested.preferred,
        "unconstrained": requested.unconstrained,
        "podSetSliceRequiredTopology": requested.slice_level,
        "podSetSliceSize": requested.slice_size,
        "podsetSliceRequiredTopologyConstraints": [
            {"topology": level, "size": 1} for level in requested.layers
        ],
        "podSetGroupName": requested.group,
    }
    return {name: value for name, value in fields.items() if value not in (None, [])}


def _template(name: str, count: int, requests: Mapping[str, Amount], **more: Any) -> Object:
    """A pod set; `requests` is one pod's, `more` is of its spec."""
    requested = {resource: _quantity(amount, resource) for resource, amount in requests.items()}
    container = {"name": "c", "image": "pause", "resources": {"requests": requested}}
    spec = {"containers": [container], "restartPolicy": "Never", **more}
    return {"name": name, "count": count, "template": {"spec": spec}}


def _constraints(pods: PodSet) -> Object:
    fields: Object = {}
    if pods.node_selector:
        fields["nodeSelector"] = dict(pods.node_selector)
    if pods.node_affinity:
        terms = [
            {"matchExpressions": [_expression(requirement) for requirement in term]}
            for term in pods.node_affinity
        ]
        required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
        fields["affinity"] = {"nodeAffinity": required}
    if pods.tolerations:
        fields["tolerations"] = [write_toleration(toleration) for toleration in pods.tolerations]
    return fields


def _expression(requirement: NodeRequirement) -> Object:
    written: Object = {"key": requirement.key, "operator": requirement.operator.label}
    return {**written, "values": list(requirement.values)} if requirement.values else written


def _groups(groups: Iterable[ResourceGroup]) -> list[Object]:
    return [
        {
            "coveredResources": list(group.covered_resources),
            "flavors": [_quotas(quotas) for quotas in group.flavors],
        }
        for group in groups
    ]


def _quotas(quotas: FlavorQuotas) -> Object:
    resources = []
    for resource, nominal in quotas.nominal.items():
        quota: Object = {"name": resource, "nominalQuota": _quantity(nominal, resource)}
        if resource in quotas.borrowing_limits:
            quota["borrowingLimit"] = _quantity(quotas.borrowing_limits[resource], resource)
        if resource in quotas.lending_limits:
            quota["lendingLimit"] = _quantity(quotas.lending_limits[resource], resource)
        resources.append(quota)
    return {"name": quotas.flavor, "resources": resources}


def _preemption(queue: ClusterQueue) -> Object:
    borrow: Object = {"policy": queue.borrow_within_cohort.label}
    if queue.max_priority_threshold is not None:
        borrow["maxPriorityThreshold"] = queue.max_priority_threshold
    written: Object = {
        "withinClusterQueue": queue.within_cluster_queue.label,
        "borrowWithinCohort": borrow,
    }
    if queue.reclaim_within_cohort != ReclaimWithinCohort.UNSET:
        written["reclaimWithinCohort"] = queue.reclaim_within_cohort.label
    if queue.min_admit_duration is not None:
        duration = format_duration(queue.min_admit_duration)
        written["withinClusterQueueConfig"] = {"minAdmitDuration": duration}
    if queue.rules == PreemptionRules.UBER_CLUSTER_QUEUE:
        written["rules"] = queue.rules.label
    return written


def _fungibility(fungibility: FlavorFungibility) -> Object:
    written = {
        "whenCanBorrow": fungibility.when_can_borrow.label,
        "whenCanPreempt": fungibility.when_can_preempt.label,
    }
    if fungibility.preference is not None:
        written["preference"] = fungibility.preference.label
    return written


def _conditions(workload: Workload) -> Iterator[Object]:
    if workload.quota_reserved_at is not None:
        yield _condition("QuotaReserved", "QuotaReserved", workload.quota_reserved_at)
    if workload.evicted:
        reason, at = "Preempted", workload.created_at
        if workload.pods_ready_evicted_at is not None:
            reason, at = "PodsReadyTimeout", workload.pods_ready_evicted_at
        elif workload.admission_check_evicted_at is not None:
            reason, at = "AdmissionCheck", workload.admission_check_evicted_at
        yield _condition("Evicted", reason, at)
    if workload.time_based_preempted_at is not None:
        yield _condition("Preempted", "InClusterQueueTimeBased", workload.time_based_preempted_at)
    elif workload.preempted_while_borrowing_at is not None:
        yield _condition("Preempted", "InCohortReclaimWhileBorrowing", workload.preempted_while_borrowing_at)


def _condition(kind: str, reason: str, at: Instant, *, holds: bool = True) -> Object:
    return {
        "type": kind,
        "status": str(holds),
        "lastTransitionTime": format_instant(at),
        "reason": reason,
        "message": "",
    }


def _quantity(amount: Amount, resource: str) -> str:
    """An amount (milli-CPU for cpu, else base units) as a Kubernetes quantity.

    >>> _quantity(2000, "cpu"), _quantity(2001, "cpu"), _quantity(2**31, "memory"), _quantity(3, "pods")
    ('2', '2001m', '2Gi', '3')
    """
    if resource == CPU:
        return f"{amount}m" if amount % 1000 else str(amount // 1000)
    if resource == MEMORY and amount % GIB == 0 and amount:
        return f"{amount // GIB}Gi"
    return str(amount)


def _named(kind: str, name: str, spec: Object) -> Object:
    return {"apiVersion": API, "kind": kind, "metadata": {"name": name}, "spec": spec}
