"""ClusterQueues and clusters of the model, in a line each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tenure.model import (
    Cluster,
    ClusterQueue,
    Cohort,
    FlavorQuotas,
    ResourceFlavor,
    ResourceGroup,
    Settings,
)

Quota = tuple[int, int | None, int | None]
"""Nominal quota, borrowing limit, lending limit."""


def queue(
    name: str, cohort: str | None, quota: Quota | Mapping[str, Mapping[str, Quota]], **policy: Any
) -> ClusterQueue:
    """A ClusterQueue with quota of `gpu` on flavor `f`, or with several: by flavor, then by resource."""
    return ClusterQueue(name, groups(quota), cohort=cohort, **policy)


def groups(quota: Quota | Mapping[str, Mapping[str, Quota]]) -> tuple[ResourceGroup, ...]:
    """One resource group."""
    flavors = {"f": {"gpu": quota}} if isinstance(quota, tuple) else quota
    made = tuple(
        FlavorQuotas(
            flavor=flavor,
            nominal={name: nominal for name, (nominal, _, _) in quotas.items()},
            borrowing_limits={name: limit for name, (_, limit, _) in quotas.items() if limit is not None},
            lending_limits={name: lent for name, (_, _, lent) in quotas.items() if lent is not None},
        )
        for flavor, quotas in flavors.items()
    )
    return (ResourceGroup(tuple(next(iter(flavors.values()))), made),)


def cluster(*queues: ClusterQueue, cohorts: tuple[Cohort, ...] = (), **settings: Any) -> Cluster:
    """A configuration."""
    named = {quotas.flavor for known in queues for group in known.resource_groups for quotas in group.flavors}
    return Cluster(
        cluster_queues={known.name: known for known in queues},
        cohorts={cohort.name: cohort for cohort in cohorts},
        flavors={name: ResourceFlavor(name) for name in sorted(named)},
        settings=Settings(**settings),
    )
