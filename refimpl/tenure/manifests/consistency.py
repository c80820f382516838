"""Objects that contradict each other. Kueue goes on, and Tenure as Kueue does, with a warning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from tenure.manifests import workload_schema as schema
from tenure.manifests.quantities import amount_of
from tenure.manifests.showing import Place, comma_separated, printable
from tenure.model import (
    Amount,
    Cluster,
    ClusterQueue,
    Cohort,
    FlavorResource,
    PreemptionRules,
    Workload,
    nominal_of,
)
from tenure.units import format_amount

ASSIGNMENTS = "status.admission.podSetAssignments"


class Caution(NamedTuple):
    """A contradiction in an object.

    Args:
        field: path of the field.
        found: the value.
        expected: what would have been right.
        kueue: what Kueue does about it, and so does Tenure.
    """

    field: str
    found: str
    expected: str
    kueue: str

    def warning(self, place: Place) -> str:
        """The warning about one object.

        >>> print(Caution("spec.count", "9", "1", "it counts as 1").warning(Place("Workload/ml/train")))
        Workload/ml/train: spec.count: found 9, expected 1; as in Kueue, it counts as 1
        """
        return f"{place.problem(self.field, self.found, self.expected)}; as in Kueue, {self.kueue}"


def admission_cautions(
    admission: schema.Admission, counts: Mapping[str, int], reclaimed: Mapping[str, int]
) -> Iterator[Caution]:
    """Contradictions between an admission and its own workload.

    Args:
        admission: of a workload that holds quota.
        counts: the pods of each of its pod sets.
        reclaimed: how many pods of a pod set have released theirs.

    Source: Kueue v0.19.2, pkg/workload/workload.go: totalRequestsFromAdmission reads the assignments alone,
    and divides their usage by more pods than there are; FlavorResourceUsage counts what has no flavor under
    the flavor "", of which no queue has quota. classical/hierarchical_preemption.go, WorkloadUsesResources:
    who was assigned a flavor is a candidate, whatever it uses of it.

    >>> admission = schema.Admission.model_validate({"clusterQueue": "q", "podSetAssignments": []})
    >>> [caution.found for caution in admission_cautions(admission, {"main": 1}, {})]
    ['none for main']
    """
    assignments = admission.pod_set_assignments or ()
    given = {assignment.name for assignment in assignments}
    missing = [name for name in counts if name not in given]
    if missing:
        expected = "one for each of spec.podSets"
        kueue = "the pods without one hold no quota, and nothing can be preempted of them"
        yield Caution(ASSIGNMENTS, f"none for {comma_separated(missing)}", expected, kueue)
    for i, assignment in enumerate(assignments):
        count, most = assignment.count, counts[assignment.name]
        if count is not None and count > most:
            left = max(0, most - reclaimed.get(assignment.name, 0))
            kueue = f"of resourceUsage the part of {left} in {count} pods counts"
            expected = f"at most the count of pod set {printable(assignment.name)}, {most}"
            yield Caution(f"{ASSIGNMENTS}[{i}].count", str(count), expected, kueue)
        yield from _usage_cautions(assignment, f"{ASSIGNMENTS}[{i}]")


def _usage_cautions(assignment: schema.PodSetAssignment, path: str) -> Iterator[Caution]:
    assigned, used = assignment.flavors or {}, assignment.resource_usage or {}
    if assigned.keys() == used.keys() and all(assigned.values()):
        return
    flavors = {resource: flavor for resource, flavor in assigned.items() if flavor}
    for resource, exact in used.items():
        # A request of nothing needs no quota, and Kueue assigns no flavor for it.
        if exact and resource not in flavors:
            amount = format_amount(resource, amount_of(resource, exact))
            expected = f"the flavor of the {printable(amount)} in resourceUsage"
            found = f"no flavor for {printable(resource)}"
            yield Caution(f"{path}.flavors", found, expected, "they count against no quota")
    for resource, flavor in flavors.items():
        if resource not in used:
            expected = f"how much of flavor {printable(flavor)} is used"
            kueue = "nothing is used of it, and the workload may be preempted for it all the same"
            yield Caution(f"{path}.resourceUsage", f"no {printable(resource)}", expected, kueue)


def request_cautions(pod_sets: Iterable[schema.PodSetSpec]) -> Iterator[Caution]:
    """Requests below zero.

    Source: Kueue v0.19.2, pkg/webhooks/workload_webhook.go, validateResourceList: such a workload cannot be
    created any more (feature gate WorkloadValidateResourcesAreNonNegative); of one that exists,
    totalRequestsFromPodSets floors the request of a pod at zero.

    >>> from tenure.manifests.workload_schema import PodSetSpec
    >>> pod = {"containers": [{"resources": {"requests": {"cpu": "-5"}}}]}
    >>> (caution,) = request_cautions([PodSetSpec.model_validate({"template": {"spec": pod}})])
    >>> caution.field, caution.found
    ('spec.podSets[0].template.spec.containers[0].resources.requests[cpu]', '-5')
    """
    for i, pod_set in enumerate(pod_sets):
        spec = (pod_set.template and pod_set.template.spec) or schema.PodSpec()
        path = f"spec.podSets[{i}].template.spec"
        for name, containers in (("containers", spec.containers), ("initContainers", spec.init_containers)):
            for j, container in enumerate(containers or ()):
                requests = container.resources.requests if container.resources else None
                for resource, exact in (requests or {}).items():
                    if exact < 0:
                        at = f"{path}.{name}[{j}].resources.requests[{printable(resource)}]"
                        amount = format_amount(resource, amount_of(resource, exact))
                        kueue = "the total request of a pod counts as at least 0"
                        yield Caution(at, amount, "0 or more", kueue)


def deletion_caution(since: object) -> Caution:
    """A pending workload that is being deleted.

    Args:
        since: its deletionTimestamp, as it was read.

    Source: Kueue v0.19.2, pkg/cache/queue/manager.go, AddOrUpdateWorkload: IsAdmissible does not check the
    timestamp. The workload leaves its queue when the object is gone (workload_controller.go, Delete).
    """
    found = printable(str(since))
    expected = "no such time for a workload that waits"
    return Caution("metadata.deletionTimestamp", found, expected, "it stays queued until the object is gone")


def queue_not_given(name: str) -> str:
    """The warning about a workload that holds quota of a missing ClusterQueue.

    Source: Kueue v0.19.2, pkg/cache/scheduler/cache.go, addOrUpdateWorkloadWithoutLock: ErrCqNotFound, which
    is logged; the workload counts nowhere.
    """
    return f"holds quota of the ClusterQueue {printable(name)}, which was not given"


def holding_cautions(admitted: Iterable[Workload], cluster: Cluster) -> Iterator[tuple[int, Caution]]:
    """Admissions that the queues as they are now cannot have given.

    Args:
        admitted: the workloads that hold quota.
        cluster: the queues and cohorts.

    Returns:
        of each kind, ClusterQueue, flavor and resource the workload whose name comes first, by its index, and
        how many more; the order of the workloads decides nothing.

    Source: Kueue v0.19.2, pkg/cache/scheduler/resource_node.go, addUsage: any flavor-resource counts, at the
    ClusterQueue and the cohorts above it, where quota of it may be; available may be negative, "e.g.
    capacity was removed or the node moved to another Cohort".

    >>> holds = Workload("", "w", "", 0, 0, cluster_queue="q", usage={FlavorResource("old", "cpu"): 1000})
    >>> [caution.found for _, caution in holding_cautions([holds], Cluster({"q": ClusterQueue("q")}))]
    ['1 cpu of flavor old']
    """
    bounds = _Bounds(cluster.cluster_queues, cluster.cohorts)
    first: dict[tuple[str, FlavorResource, bool], tuple[int, Amount]] = {}
    more: dict[tuple[str, FlavorResource, bool], int] = {}
    for index, workload in sorted(enumerate(admitted), key=lambda numbered: numbered[1].key):
        nominal = bounds.nominal.get(workload.cluster_queue or "")
        if nominal is None:
            continue
        for at, amount in workload.usage.items():
            own = nominal.get(at)
            if own is not None and (amount <= own or amount <= bounds.most(workload.cluster_queue, at)):
                continue
            key = (workload.cluster_queue or "", at, own is None)
            if key in first:
                more[key] = more.get(key, 0) + 1
            else:
                first[key] = index, amount
    for (queue, at, lacks), (index, amount) in first.items():
        flavor, resource = printable(at.flavor), printable(at.resource)
        found = f"{format_amount(at.resource, amount)} {resource} of flavor {flavor}"
        others = more.get((queue, at, lacks))
        found += f" (and {others} more Workloads alike)" if others else ""
        yield index, bounds.lacking(queue, at, found) if lacks else bounds.exceeded(queue, at, found)


class _Bounds:
    """What each ClusterQueue can give."""

    def __init__(self, queues: Mapping[str, ClusterQueue], cohorts: Mapping[str, Cohort]) -> None:
        self.nominal = {name: queue.nominal() for name, queue in queues.items()}
        self._queues = queues
        self._cohorts = cohorts
        self._totals: dict[str, dict[FlavorResource, Amount]] | None = None

    def most(self, name: str | None, at: FlavorResource) -> Amount:
        """What one workload may hold at most: its queue's nominal quota, and what it may borrow of its tree.

        No lending limit and no limit of a cohort is looked at, so that what is above it cannot be.
        """
        queue, nominal = self._queues[name or ""], self.nominal[name or ""][at]
        if queue.cohort is None:
            return nominal
        most = self._total(self._root(queue.cohort), at)
        if queue.rules != PreemptionRules.DEFAULT:
            # A hero is held by what is accessible in its branch, not by its borrowing limit.
            return most
        limits = [
            quotas.borrowing_limits[at.resource]
            for group in queue.resource_groups
            for quotas in group.flavors
            if quotas.flavor == at.flavor and at.resource in quotas.borrowing_limits
        ]
        return min([most, *(nominal + limit for limit in limits)])

    def lacking(self, queue: str, at: FlavorResource, found: str) -> Caution:
        names = [own.flavor for own in self.nominal[queue] if own.resource == at.resource]
        expected = (
            f"a flavor that the ClusterQueue {printable(queue)} has for {printable(at.resource)}: "
            f"{comma_separated(names)}"
        )
        kueue = "it counts against no quota of that queue, only of the cohorts above it"
        return Caution(ASSIGNMENTS, found, expected, kueue)

    def exceeded(self, queue: str, at: FlavorResource, found: str) -> Caution:
        most = format_amount(at.resource, self.most(queue, at))
        expected = f"at most {most}, what the ClusterQueue {printable(queue)} has and may borrow"
        kueue = "it counts in full, and less than nothing is available until the excess is released"
        return Caution(ASSIGNMENTS, found, expected, kueue)

    def _total(self, root: str, at: FlavorResource) -> Amount:
        """The nominal quota of a whole tree."""
        if self._totals is None:
            self._totals = {}
            for name, queue in self._queues.items():
                if queue.cohort is not None:
                    self._add(self._root(queue.cohort), self.nominal[name])
            for name, cohort in self._cohorts.items():
                self._add(self._root(name), nominal_of(cohort.resource_groups))
        return self._totals[root].get(at, 0)

    def _add(self, root: str, amounts: Mapping[FlavorResource, Amount]) -> None:
        assert self._totals is not None
        total = self._totals.setdefault(root, {})
        for at, amount in amounts.items():
            total[at] = total.get(at, 0) + amount

    def _root(self, name: str) -> str:
        """The top of a cohort's tree; of a cycle its least name, since it has no top."""
        path: list[str] = []
        while name in self._cohorts and (parent := self._cohorts[name].parent) is not None:
            if parent in path:
                return min(path[path.index(parent) :])
            path.append(name)
            name = parent
        return name
