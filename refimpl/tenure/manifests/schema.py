"""The shape of queues, cohorts, flavors and classes, and what one of their fields demands of another.

Where a field decides who is preempted, a name that the API does not have is an error: a typing mistake
must not silently mean "not set". Elsewhere unknown names pass, because every release adds counters.

What one field demands of another is checked on the raw object, so that a mistake in one does not hide
another: whatever has the wrong shape is passed over there, because `checking` reports it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator

from tenure.errors import InputError, Problem
from tenure.manifests.fields import (
    DurationText,
    Int32,
    Known,
    KubernetesObject,
    Name,
    NonNegative,
    Text,
    Unset,
    Weight,
    refuse,
)
from tenure.manifests.showing import Place, comma_separated, printable, show
from tenure.manifests.structure import dig, entries, items, repeated


class BorrowWithinCohortSpec(Known):
    policy: Annotated[Literal["Never", "LowerPriority"] | None, Unset] = None
    max_priority_threshold: Int32 | None = None


class WithinClusterQueueConfig(Known):
    """Source: KEP-8522, API Changes."""

    min_admit_duration: DurationText | None = None


class PreemptionSpec(Known):
    """Source: Kueue v1beta2 API, ClusterQueuePreemption; KEP-8522 and KEP-8826, API."""

    within_cluster_queue: Annotated[
        Literal["Never", "LowerPriority", "LowerOrNewerEqualPriority"] | None, Unset
    ] = None
    within_cluster_queue_config: WithinClusterQueueConfig | None = None
    reclaim_within_cohort: Annotated[Literal["Never", "LowerPriority", "Any"] | None, Unset] = None
    borrow_within_cohort: BorrowWithinCohortSpec | None = None
    rules: Annotated[
        Literal["DefaultPreemptionRules", "UberClusterQueueRules"] | None,
        Unset,
    ] = None


class ResourceQuota(Known):
    name: Name
    nominal_quota: NonNegative | None = None
    borrowing_limit: NonNegative | None = None
    lending_limit: NonNegative | None = None


class FlavorQuotasSpec(Known):
    name: Name
    resources: list[ResourceQuota] | None = None


class ResourceGroupSpec(Known):
    covered_resources: list[Name] | None = None
    flavors: list[FlavorQuotasSpec] | None = None


class FlavorFungibilitySpec(Known):
    when_can_borrow: Annotated[Literal["MayStopSearch", "TryNextFlavor"] | None, Unset] = None
    when_can_preempt: Annotated[Literal["MayStopSearch", "TryNextFlavor"] | None, Unset] = None
    preference: Annotated[Literal["BorrowingOverPreemption", "PreemptionOverBorrowing"] | None, Unset] = None


class FairSharingSpec(Known):
    weight: Weight | None = None


class AdmissionScope(Known):
    admission_mode: Text | None = None


_Stop: TypeAlias = Literal["None", "Hold", "HoldAndDrain"] | None


class ClusterQueueSpec(Known):
    """Source: Kueue v1beta2 API, ClusterQueueSpec."""

    resource_groups: list[ResourceGroupSpec] | None = None
    preemption: PreemptionSpec | None = None
    cohort_name: Text | None = None
    queueing_strategy: Annotated[Literal["StrictFIFO", "BestEffortFIFO"] | None, Unset] = None
    namespace_selector: dict[str, Any] | None = None
    flavor_fungibility: FlavorFungibilitySpec | None = None
    fair_sharing: FairSharingSpec | None = None
    admission_scope: AdmissionScope | None = None
    stop_policy: Annotated[_Stop, Unset] = None
    admission_checks_strategy: Any = None
    concurrent_admission_policy: Any = None


class ClusterQueueObject(KubernetesObject):
    spec: ClusterQueueSpec | None = None


class CohortSpec(Known):
    """Source: Kueue v1beta2 API, CohortSpec."""

    parent_name: Text | None = None
    resource_groups: list[ResourceGroupSpec] | None = None
    fair_sharing: FairSharingSpec | None = None


class CohortObject(KubernetesObject):
    spec: CohortSpec | None = None


class TaintSpec(Known):
    """Source: Kubernetes core/v1."""

    key: Name
    value: Text | None = None
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]
    time_added: Any = None


class CheckedToleration(Known):
    """Source: Kubernetes core/v1; the operators Lt and Gt of its newest release are not modelled."""

    key: Text | None = None
    operator: Annotated[
        Literal["Exists", "Equal", "Lt", "Gt"] | None,
        Unset,
        refuse("Lt", "a toleration that compares numbers"),
        refuse("Gt", "a toleration that compares numbers"),
    ] = None
    value: Text | None = None
    effect: Annotated[Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None, Unset] = None
    toleration_seconds: Any = None


def _sensible(value: CheckedToleration) -> CheckedToleration:
    """What Kubernetes requires of the fields of a toleration together."""
    if not value.key and value.operator != "Exists":
        raise InputError([Problem(".operator", show(value.operator), "Exists, because no key is named")])
    if value.value and value.operator == "Exists":
        raise InputError([Problem(".value", show(value.value), "nothing beside operator Exists")])
    return value


Toleration: TypeAlias = Annotated[CheckedToleration, AfterValidator(_sensible)]


class ResourceFlavorSpec(Known):
    """Source: Kueue v1beta2 API, ResourceFlavorSpec."""

    node_labels: dict[Name, Text] | None = None
    node_taints: list[TaintSpec] | None = None
    tolerations: list[Toleration] | None = None
    topology_name: Text | None = None


class ResourceFlavorObject(KubernetesObject):
    spec: ResourceFlavorSpec | None = None


class LocalQueueSpec(Known):
    """Source: Kueue v1beta2 API, LocalQueueSpec."""

    cluster_queue: Name
    stop_policy: Annotated[_Stop, Unset] = None
    fair_sharing: FairSharingSpec | None = None


class LocalQueueObject(KubernetesObject):
    spec: LocalQueueSpec


class DynamicPriorityPolicySpec(Known):
    """Source: KEP-754, WorkloadPriorityClass API; durations are text, as everywhere in Kubernetes."""

    step: Int32 | None = None
    max: Int32 | None = None
    delay_for_step: DurationText | None = None


class WorkloadPriorityClassSpec(Known):
    """Source: KEP-754, WorkloadPrioritySpec."""

    priority: Int32 | None = None
    dynamic_priority_policy: DynamicPriorityPolicySpec | None = None


class WorkloadPriorityClassObject(KubernetesObject):
    """Source: Kueue v1beta2 API, WorkloadPriorityClass; KEP-754, whose policy may be in either place."""

    value: Int32 | None = None
    description: Any = None
    dynamic_priority_policy: DynamicPriorityPolicySpec | None = None
    spec: WorkloadPriorityClassSpec | None = None


_LIMITS = ("borrowingLimit", "lendingLimit")


def cluster_queue_problems(raw: object, place: Place, *, defaulted: bool = True) -> Iterator[Problem]:
    """Quotas that do not go together, limits without cohort, policies that exclude each other.

    Args:
        raw: a ClusterQueue.
        place: the object, for the problems.
        defaulted: whether what only the API server refuses is refused.

    Source: Kueue v1beta2 API, ClusterQueueSpec and its validation rules; Kueue's ClusterQueue webhook.

    >>> group = {"coveredResources": ["cpu", "cpu"]}
    >>> problem, = cluster_queue_problems({"spec": {"resourceGroups": [group]}}, Place("ClusterQueue/a"))
    >>> problem.field, problem.found
    ('spec.resourceGroups[0].coveredResources[1]', "'cpu' a second time")
    """
    yield from _group_problems(raw, place, "cohortName", defaulted=defaulted)
    if defaulted:
        yield from _policy_problems(raw, place)


def cohort_problems(raw: object, place: Place, *, defaulted: bool = True) -> Iterator[Problem]:
    """As `cluster_queue_problems`, for a Cohort, whose limits need a parent, and whose quotas a value.

    Source: Kueue v1beta2 API, CohortSpec; Kueue's Cohort webhook, which fills in nothing.
    """
    if defaulted:
        yield from _quotas_given(raw, place)
    yield from _group_problems(raw, place, "parentName", defaulted=defaulted)


def _quotas_given(raw: object, place: Place) -> Iterator[Problem]:
    for i, group in entries(dig(raw, "spec", "resourceGroups")):
        for j, flavor in entries(group.get("flavors")):
            for k, quota in entries(flavor.get("resources")):
                if quota.get("nominalQuota") is None:
                    field = f"spec.resourceGroups[{i}].flavors[{j}].resources[{k}].nominalQuota"
                    yield place.problem(field, "nothing", "a value: the field is required")


def _group_problems(raw: object, place: Place, parent: str, *, defaulted: bool) -> Iterator[Problem]:
    resources: list[tuple[str, object]] = []
    flavors: list[tuple[str, object]] = []
    alone = defaulted and dig(raw, "spec", parent) in (None, "")
    for i, group in entries(dig(raw, "spec", "resourceGroups")):
        path = f"spec.resourceGroups[{i}]"
        covered = items(group.get("coveredResources"))
        resources += [(f"{path}.coveredResources[{j}]", name) for j, name in enumerate(covered)]
        for j, flavor in entries(group.get("flavors")):
            flavors.append((f"{path}.flavors[{j}].name", flavor.get("name")))
            quotas = f"{path}.flavors[{j}].resources"
            if defaulted:
                yield from _covered(flavor, covered, quotas, place)
            if alone:
                yield from _limits(flavor, quotas, place, parent)
    yield from repeated(resources, "each resource in one place", place)
    yield from repeated(flavors, "each flavor in one place", place)


def _covered(flavor: dict[str, Any], covered: list[Any], path: str, place: Place) -> Iterator[Problem]:
    named: list[tuple[int, Any]] = [(i, entry.get("name")) for i, entry in entries(flavor.get("resources"))]
    names = [name for _, name in named]
    if names == covered or not all(isinstance(name, str) for name in names + covered):
        return
    if sorted(names) != sorted(covered):
        missing = sorted(set(covered) - set(names))
        hint = f"; missing: {comma_separated(missing)}" if missing else ""
        yield place.problem(
            path, show(names), f"the group's coveredResources: {comma_separated(covered)}{hint}"
        )
        return
    for (i, name), right in zip(named, covered, strict=True):
        if name != right:
            expected = f"{printable(right)}, in the order of coveredResources"
            yield place.problem(f"{path}[{i}].name", show(name), expected)


def _limits(flavor: dict[str, Any], path: str, place: Place, parent: str) -> Iterator[Problem]:
    for i, quota in entries(flavor.get("resources")):
        for limit in _LIMITS:
            if quota.get(limit) is not None:
                own = place.own(f"spec.{parent}")
                yield place.problem(f"{path}[{i}].{limit}", show(quota[limit]), f"no limit without {own}")


def _policy_problems(raw: object, place: Place) -> Iterator[Problem]:
    preemption = dig(raw, "spec", "preemption")
    borrow = dig(preemption, "borrowWithinCohort", "policy")
    if dig(preemption, "reclaimWithinCohort") in (None, "", "Never") and borrow == "LowerPriority":
        expected = "Never, because reclaimWithinCohort is Never"
        yield place.problem("spec.preemption.borrowWithinCohort.policy", show(borrow), expected)
    fungibility = dig(raw, "spec", "flavorFungibility")
    preference = dig(fungibility, "preference")
    words = [dig(fungibility, key) for key in ("whenCanBorrow", "whenCanPreempt")]
    # An unset whenCanPreempt is TryNextFlavor by default.
    both = words[0] == "TryNextFlavor" and words[1] in (None, "", "TryNextFlavor")
    if preference not in (None, "") and not both:
        expected = "no preference unless whenCanBorrow and whenCanPreempt are TryNextFlavor"
        yield place.problem("spec.flavorFungibility.preference", show(preference), expected)
