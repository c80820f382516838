"""One untrusted ClusterQueue, Cohort, LocalQueue, flavor or class to the model, or all that is wrong."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import Final

from tenure.errors import Problem
from tenure.manifests import schema
from tenure.manifests.checking import check
from tenure.manifests.conversion import as_v1beta2, read_one
from tenure.manifests.kueue_api import config_named, unmodelled_in
from tenure.manifests.limits import MAX_DEVIATIONS
from tenure.manifests.pods import tolerations_of
from tenure.manifests.quantities import quota_of
from tenure.manifests.schema import cluster_queue_problems, cohort_problems
from tenure.manifests.showing import Place, printable
from tenure.model import (
    NANO,
    BorrowWithinCohort,
    ClusterQueue,
    Cohort,
    FlavorFungibility,
    FlavorPreference,
    FlavorQuotas,
    Fungibility,
    PreemptionRules,
    QueueingStrategy,
    ReclaimWithinCohort,
    ResourceFlavor,
    ResourceGroup,
    Taint,
    WithinClusterQueue,
)

_NOTHING: Final = Fraction(0)
_KEEPS_AWAY = ("NoSchedule", "NoExecute")


@dataclass(frozen=True, slots=True)
class LocalQueueEntry:
    """A LocalQueue: `namespace` and `name`, the name of the ClusterQueue behind it, and whether it is held.

    `held` is its `spec.stopPolicy` where that is not None; else it is empty.
    """

    namespace: str
    name: str
    cluster_queue: str
    held: str = ""


def read_cluster_queue(raw: object, *, where: str = "", defaulted: bool = True) -> ClusterQueue:
    """A ClusterQueue of `kueue.x-k8s.io/v1beta2` or `v1beta1`.

    Args:
        raw: the object, untrusted; `apiVersion` and `kind` may be left out.
        where: path to put before the path of every field in an error, such as `clusterQueues[0]`.
        defaulted: whether an API server has accepted the object and filled in its defaults. Otherwise an
            unset policy is what Kueue's code makes of an empty text, and what only the API server
            refuses is accepted.

    Returns:
        The queue; quotas in milli-CPU or base units, `min_admit_duration` in nanoseconds, the weight in
        billionths. Whether its flavors exist is not looked at, see `with_flavors`.

    Raises:
        InputError: everything that is wrong with it, or decides and is not modelled.

    Source: Kueue v1beta2 API, ClusterQueueSpec; KEP-8522, API Changes.

    >>> read_cluster_queue({"metadata": {"name": "a"}, "spec": {"cohortName": "c"}}).cohort
    'c'
    >>> unset = {"metadata": {"name": "a"}, "spec": {"preemption": {}}}
    >>> read_cluster_queue(unset, defaulted=False).reclaim_within_cohort.name
    'UNSET'
    """
    return read_one(raw, "ClusterQueue", where, partial(cluster_queue, defaulted=defaulted))


def read_cohort(raw: object, *, where: str = "", defaulted: bool = True) -> Cohort:
    """A Cohort of `kueue.x-k8s.io/v1beta2`, `v1beta1` or `v1alpha1`.

    Args:
        raw, where, defaulted: as for `read_cluster_queue`.

    Raises:
        InputError: everything that is wrong with it; cycles are found by `cohorts.tree_problems`.

    Source: Kueue v1beta2 API, CohortSpec.

    >>> read_cohort({"metadata": {"name": "team"}, "spec": {"parentName": "org"}}).parent
    'org'
    """
    return read_one(raw, "Cohort", where, partial(cohort, defaulted=defaulted))


def read_resource_flavor(raw: object, *, where: str = "") -> ResourceFlavor:
    """A ResourceFlavor of `kueue.x-k8s.io/v1beta2` or `v1beta1`.

    Args:
        raw: the object, untrusted; `apiVersion` and `kind` may be left out.
        where: path to put before the path of every field in an error.

    Raises:
        InputError: everything that is wrong with it, or decides and is not modelled.

    Source: Kueue v1beta2 API, ResourceFlavorSpec; a taint of effect PreferNoSchedule keeps no pod away.

    >>> read_resource_flavor({"metadata": {"name": "a100"}, "spec": {"nodeLabels": {"gpu": "a100"}}}).labels
    {'gpu': 'a100'}
    """
    return read_one(raw, "ResourceFlavor", where, resource_flavor)


def read_local_queue(raw: object, *, where: str = "") -> LocalQueueEntry:
    """A LocalQueue of `kueue.x-k8s.io/v1beta2` or `v1beta1`.

    Args:
        raw: the object, untrusted; `apiVersion` and `kind` may be left out.
        where: path to put before the path of every field in an error.

    Raises:
        InputError: everything that is wrong with it, or decides and is not modelled.

    Source: Kueue v1beta2 API, LocalQueueSpec.

    >>> queue = {"metadata": {"namespace": "ml", "name": "jobs"}, "spec": {"clusterQueue": "team-a"}}
    >>> read_local_queue(queue).cluster_queue
    'team-a'
    """
    return read_one(raw, "LocalQueue", where, local_queue)


def with_flavors(queue: ClusterQueue, given: Container[str]) -> ClusterQueue:
    """The queue, inactive if it names a flavor that is not among those given.

    Source: Kueue, status of a ClusterQueue that references missing ResourceFlavors.

    >>> quotas = ResourceGroup(("cpu",), (FlavorQuotas("spot", {"cpu": 1}),))
    >>> with_flavors(ClusterQueue("a", (quotas,)), {}).inactive
    'ResourceFlavor spot is not given'
    """
    missing = [
        f"ResourceFlavor {printable(quotas.flavor)} is not given"
        for group in queue.resource_groups
        for quotas in group.flavors
        if quotas.flavor not in given
    ]
    if not missing:
        return queue
    return replace(queue, inactive=", ".join([queue.inactive, *missing] if queue.inactive else missing))


def cluster_queue(
    raw: object, place: Place, problems: list[Problem], *, defaulted: bool = True
) -> ClusterQueue | None:
    """As `read_cluster_queue`; problems are added to `problems`, and the result is None."""
    known = len(problems)
    raw, place = as_v1beta2(raw, "ClusterQueue", place, problems)
    checked = check(schema.ClusterQueueObject, raw, place, problems)
    problems.extend(islice(cluster_queue_problems(raw, place, defaulted=defaulted), MAX_DEVIATIONS))
    if checked is None or len(problems) > known:
        return None
    spec = checked.spec or schema.ClusterQueueSpec()
    preemption = spec.preemption or schema.PreemptionSpec()
    config = preemption.within_cluster_queue_config
    borrow = preemption.borrow_within_cohort
    stopped = "" if spec.stop_policy in (None, "None") else spec.stop_policy
    return ClusterQueue(
        name=checked.metadata.name,
        resource_groups=tuple(_group(group) for group in spec.resource_groups or ()),
        within_cluster_queue=WithinClusterQueue.labelled()[preemption.within_cluster_queue or "Never"],
        min_admit_duration=config.min_admit_duration if config else None,
        cohort=spec.cohort_name or None,
        reclaim_within_cohort=_reclaim(spec.preemption, defaulted=defaulted),
        borrow_within_cohort=_borrow(borrow, defaulted=defaulted),
        max_priority_threshold=borrow.max_priority_threshold if borrow else None,
        fungibility=_fungibility(spec.flavor_fungibility or schema.FlavorFungibilitySpec()),
        weight=_weight(spec.fair_sharing),
        inactive=f"spec.stopPolicy is {stopped}" if stopped else "",
        stop_policy=stopped,
        queueing=QueueingStrategy.labelled()[spec.queueing_strategy or "BestEffortFIFO"],
        rules=PreemptionRules.labelled()[preemption.rules or "DefaultPreemptionRules"],
        preemption_config=config_named(raw),
        unmodelled=unmodelled_in(raw, "ClusterQueue", checked.metadata.name),
    )


def cohort(raw: object, place: Place, problems: list[Problem], *, defaulted: bool = True) -> Cohort | None:
    """As `read_cohort`; problems are added to `problems`, and the result is None."""
    known = len(problems)
    raw, place = as_v1beta2(raw, "Cohort", place, problems)
    checked = check(schema.CohortObject, raw, place, problems)
    problems.extend(islice(cohort_problems(raw, place, defaulted=defaulted), MAX_DEVIATIONS))
    if checked is None or len(problems) > known:
        return None
    spec = checked.spec or schema.CohortSpec()
    return Cohort(
        name=checked.metadata.name,
        parent=spec.parent_name or None,
        resource_groups=tuple(_group(group) for group in spec.resource_groups or ()),
        weight=_weight(spec.fair_sharing),
        unmodelled=unmodelled_in(raw, "Cohort", checked.metadata.name),
    )


def resource_flavor(raw: object, place: Place, problems: list[Problem]) -> ResourceFlavor | None:
    """As `read_resource_flavor`; problems are added to `problems`, and the result is None."""
    known = len(problems)
    raw, place = as_v1beta2(raw, "ResourceFlavor", place, problems)
    checked = check(schema.ResourceFlavorObject, raw, place, problems)
    if checked is None or len(problems) > known:
        return None
    spec = checked.spec or schema.ResourceFlavorSpec()
    return ResourceFlavor(
        name=checked.metadata.name,
        labels=spec.node_labels or {},
        taints=tuple(
            Taint(taint.key, taint.value or "", taint.effect)
            for taint in spec.node_taints or ()
            if taint.effect in _KEEPS_AWAY
        ),
        tolerations=tolerations_of(spec.tolerations),
        topology=spec.topology_name or "",
    )


def local_queue(raw: object, place: Place, problems: list[Problem]) -> LocalQueueEntry | None:
    """As `read_local_queue`; problems are added to `problems`, and the result is None."""
    known = len(problems)
    raw, place = as_v1beta2(raw, "LocalQueue", place, problems)
    checked = check(schema.LocalQueueObject, raw, place, problems)
    if checked is None or len(problems) > known:
        return None
    metadata = checked.metadata
    policy = checked.spec.stop_policy
    held = "" if policy in (None, "None") else policy
    return LocalQueueEntry(metadata.namespace or "", metadata.name, checked.spec.cluster_queue, held)


def _reclaim(preemption: schema.PreemptionSpec | None, *, defaulted: bool) -> ReclaimWithinCohort:
    if preemption is not None and preemption.reclaim_within_cohort is not None:
        return ReclaimWithinCohort.labelled()[preemption.reclaim_within_cohort]
    # Kueue compares the policy with its words; an empty one is neither Never nor anything else.
    return ReclaimWithinCohort.NEVER if preemption is None or defaulted else ReclaimWithinCohort.UNSET


def _borrow(borrow: schema.BorrowWithinCohortSpec | None, *, defaulted: bool) -> BorrowWithinCohort:
    if borrow is not None and borrow.policy is not None:
        return BorrowWithinCohort.labelled()[borrow.policy]
    # Kueue checks whether the policy is Never, and an empty one is not.
    return BorrowWithinCohort.NEVER if borrow is None or defaulted else BorrowWithinCohort.LOWER_PRIORITY


def _fungibility(found: schema.FlavorFungibilitySpec) -> FlavorFungibility:
    when = Fungibility.labelled()
    return FlavorFungibility(
        when_can_borrow=when[found.when_can_borrow or "MayStopSearch"],
        when_can_preempt=when[found.when_can_preempt or "TryNextFlavor"],
        preference=FlavorPreference.labelled()[found.preference] if found.preference else None,
    )


def _weight(found: schema.FairSharingSpec | None) -> int:
    return NANO if found is None or found.weight is None else found.weight


def _group(group: schema.ResourceGroupSpec) -> ResourceGroup:
    flavors = tuple(_quotas(flavor) for flavor in group.flavors or ())
    return ResourceGroup(covered_resources=tuple(group.covered_resources or ()), flavors=flavors)


def _quotas(flavor: schema.FlavorQuotasSpec) -> FlavorQuotas:
    quotas = flavor.resources or ()
    return FlavorQuotas(
        flavor=flavor.name,
        # The webhook of a ClusterQueue fills in 0.
        nominal={quota.name: quota_of(quota.name, quota.nominal_quota or _NOTHING) for quota in quotas},
        borrowing_limits={
            quota.name: quota_of(quota.name, quota.borrowing_limit)
            for quota in quotas
            if quota.borrowing_limit is not None
        },
        lending_limits={
            quota.name: quota_of(quota.name, quota.lending_limit)
            for quota in quotas
            if quota.lending_limit is not None
        },
    )
