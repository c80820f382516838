"""What the optimized core leaves to the reference.

A part of the model that the core has never heard of is left to the reference, not ignored.
"""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import Any, Final

from tenure.model import Cluster


class Uncovered(Exception):  # noqa: N818 - an answer of the core, no error
    """The core does not decide this; the reference does.

    Args:
        what: in a few words, the same for all cases of a kind: they are counted by it.
    """

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


MOST_NUMBERED: Final = 2**31 - 2
"""Nodes, columns, workloads and heroes are numbered by 32 bits, and so is the place behind the last one."""


def require_numbers(count: int, of: str) -> None:
    """Leave to the reference what 32 bits do not number, before an array is made of it.

    Args:
        count: how many there are.
        of: what, in the plural.

    Raises:
        Uncovered: too many.

    >>> require_numbers(2**31 - 1, "workloads")
    Traceback (most recent call last):
        ...
    tenure_simulate.core.uncovered.Uncovered: more workloads than 32 bits number
    """
    if count > MOST_NUMBERED:
        raise Uncovered(f"more {of} than 32 bits number")


_KNOWN: Final = {
    "ClusterQueue": "name resource_groups within_cluster_queue min_admit_duration cohort "
    "reclaim_within_cohort borrow_within_cohort max_priority_threshold fungibility weight inactive queueing "
    "rules stop_policy preemption_config labels",
    "Cohort": "name parent resource_groups weight",
    "Settings": "time_based_preemption requeuing_timestamp fair_sharing priority_boost "
    "priority_sorting_within_cohort fair_sharing_preempt_within_nominal flavor_fungibility partial_admission "
    "topology_aware_scheduling",
}
"""The fields that the core decides by, or that no decision needs."""


def refuse_unknown(cluster: Cluster) -> None:
    """Leave a cluster to the reference that sets a field which the core does not know.

    Raises:
        Uncovered: the field, by name.

    >>> refuse_unknown(Cluster({}))
    """
    if cluster.limits_in_force:
        raise Uncovered("Cluster.preemption_limits")
    if cluster.execution_minimums:
        raise Uncovered("CandidateSelector.min_execution")
    for cluster_queue in (cluster.settings, *cluster.cluster_queues.values(), *cluster.cohorts.values()):
        for field, default in _unknown(type(cluster_queue)):  # type: ignore[arg-type]
            if getattr(cluster_queue, field) != default:
                raise Uncovered(f"{type(cluster_queue).__name__}.{field}")


@cache
def _unknown(kind: Any) -> tuple[tuple[str, Any], ...]:
    """The fields of a record that are not known, with their defaults."""
    known = _KNOWN[kind.__name__].split()
    return tuple(
        (field.name, _default(field)) for field in dataclasses.fields(kind) if field.name not in known
    )


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return None if field.default is dataclasses.MISSING else field.default
