"""Quotas, limits and resource groups of a ClusterQueue or a Cohort, as Kueue's webhooks check them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from tenure.manifests.showing import comma_separated, printable, show
from tenure.manifests.structure import entries, items
from tenure.validation.faults import Fault, Subject, duplicate, invalid, quantity, text
from tenure.validation.labels import key_faults

_MOST_IN_ALL = 256
_MOST_COMBINATIONS = 512
_FINEST_WEIGHT = Fraction(1, 10**9)
_GROUPS = "spec.resourceGroups"


def cluster_queue_quotas(subject: Subject) -> Iterator[Fault]:
    """Names, order, signs and limits of the quotas of a ClusterQueue.

    Source: Kueue, ClusterQueue webhook; a limit needs a cohort, and lends no more than the nominal quota.

    >>> quota = {"name": "cpu", "nominalQuota": 4, "lendingLimit": 5}
    >>> group = {"coveredResources": ["cpu"], "flavors": [{"name": "x86", "resources": [quota]}]}
    >>> queue = Subject("ClusterQueue", {"spec": {"cohortName": "all", "resourceGroups": [group]}})
    >>> [fault.message for fault in cluster_queue_quotas(queue)]
    ['found 5, expected at most the nominalQuota, 4']
    """
    yield from _group_faults(subject, "cohortName", at_most_nominal=True)


def cohort_quotas(subject: Subject) -> Iterator[Fault]:
    """As `cluster_queue_quotas`, for a Cohort: a limit needs a parent, and may exceed the nominal quota.

    Source: Kueue, Cohort webhook. A Cohort lends what its members have too.
    """
    yield from _group_faults(subject, "parentName", at_most_nominal=False)


def fair_sharing_weight(subject: Subject) -> Iterator[Fault]:
    """A weight is 0, or above 10^-9.

    Source: Kueue, ClusterQueue and Cohort webhooks; they report it with the path of `fairSharing`.

    >>> cohort = Subject("Cohort", {"spec": {"fairSharing": {"weight": -1}}})
    >>> [fault.field for fault in fair_sharing_weight(cohort)]
    ['spec.fairSharing']
    """
    written = subject.get("spec", "fairSharing", "weight")
    weight = quantity(written)
    if weight is None:
        return
    if weight < 0:
        yield invalid("spec.fairSharing", written, "a weight that is not negative")
    elif 0 < weight <= _FINEST_WEIGHT:
        yield invalid("spec.fairSharing", written, "0, or a weight above 10^-9")


def totals(subject: Subject) -> Iterator[Fault]:
    """At most 256 flavors and 256 resources in all groups, 512 pairs of them in one.

    Source: Kueue, ClusterQueue webhook.
    """
    groups = entries(subject.get("spec", "resourceGroups"))
    for field, what in (("flavors", "flavors"), ("coveredResources", "resources")):
        total = sum(len(items(group.get(field))) for _, group in groups)
        if total > _MOST_IN_ALL:
            yield invalid(_GROUPS, total, f"at most {_MOST_IN_ALL} {what} in all groups")
    for i, group in groups:
        pairs = sum(len(items(flavor.get("resources"))) for _, flavor in entries(group.get("flavors")))
        if pairs > _MOST_COMBINATIONS:
            expected = f"at most {_MOST_COMBINATIONS} pairs of a flavor and a resource in a group"
            yield invalid(f"{_GROUPS}[{i}]", pairs, expected)


def as_many_as_covered(subject: Subject) -> Iterator[Fault]:
    """Every flavor of a group has as many resources as the group covers.

    Source: Kueue v1beta2 API, validation rule of ResourceGroup.

    >>> group = {"coveredResources": ["cpu", "memory"], "flavors": [{"resources": [{"name": "cpu"}]}]}
    >>> fault, = as_many_as_covered(Subject("Cohort", {"spec": {"resourceGroups": [group]}}))
    >>> fault.field
    'spec.resourceGroups[0]'
    >>> fault.message
    'found 1, expected 2 resources in flavors[0], as in coveredResources: cpu, memory'
    """
    for i, group in entries(subject.get("spec", "resourceGroups")):
        covered = group.get("coveredResources")
        for j, flavor in entries(group.get("flavors")):
            found = flavor.get("resources")
            # What is missing altogether is reported as such.
            if isinstance(covered, list) and isinstance(found, list) and len(found) != len(covered):
                names = comma_separated(map(text, covered))
                expected = f"{len(covered)} resources in flavors[{j}], as in coveredResources: {names}"
                yield invalid(f"{_GROUPS}[{i}]", len(found), expected)


def _group_faults(subject: Subject, parent: str, *, at_most_nominal: bool) -> Iterator[Fault]:
    seen_resources: set[str] = set()
    seen_flavors: set[str] = set()
    alone = subject.get("spec", parent) in (None, "")
    without = subject.place.own(f"spec.{parent}") if alone else None
    for i, group in entries(subject.get("spec", "resourceGroups")):
        covered = items(group.get("coveredResources"))
        for j, name in enumerate(covered):
            path = f"{_GROUPS}[{i}].coveredResources[{j}]"
            yield from key_faults(name, path)
            yield from _once(name, seen_resources, path)
        for j, flavor in entries(group.get("flavors")):
            path = f"{_GROUPS}[{i}].flavors[{j}]"
            for k, quota in entries(flavor.get("resources")):
                if k >= len(covered):
                    break
                at = f"{path}.resources[{k}]"
                yield from _order(quota.get("name"), covered[k], at)
                yield from _amounts(quota, at, without, at_most_nominal=at_most_nominal)
            yield from _once(flavor.get("name"), seen_flavors, f"{path}.name")


def _once(name: object, seen: set[str], path: str) -> Iterator[Fault]:
    if isinstance(name, str):
        if name in seen:
            yield duplicate(path, name)
        seen.add(name)


def _order(name: object, covered: object, path: str) -> Iterator[Fault]:
    if isinstance(name, str) and isinstance(covered, str) and name != covered:
        yield invalid(f"{path}.name", name, f"{printable(covered)}, in the order of coveredResources")


def _amounts(
    quota: dict[str, Any], path: str, without: str | None, *, at_most_nominal: bool
) -> Iterator[Fault]:
    for field in ("nominalQuota", "borrowingLimit", "lendingLimit"):
        written = quota.get(field)
        amount = quantity(written)
        if amount is None:
            continue
        if amount < 0:
            yield invalid(f"{path}.{field}", written, "a quantity that is not negative")
        if field != "nominalQuota" and without is not None:
            yield invalid(f"{path}.{field}", written, f"no limit without {without}")
    nominal, lent = quantity(quota.get("nominalQuota")), quantity(quota.get("lendingLimit"))
    if at_most_nominal and nominal is not None and lent is not None and lent > nominal:
        expected = f"at most the nominalQuota, {show(quota['nominalQuota'])}"
        yield invalid(f"{path}.lendingLimit", quota["lendingLimit"], expected)
