"""Effective priorities over arrays: classes that grow (KEP-754), and boosts."""

from __future__ import annotations

from typing import Final

import numpy as np

from tenure.model import DynamicPriorityPolicy, Instant, WorkloadPriorityClass
from tenure.readings import PrioritySteps
from tenure_simulate.core.columns import Columns
from tenure_simulate.core.tables import NO_STAMP, Array
from tenure_simulate.core.uncovered import Uncovered

LEAST_PRIORITY: Final = -(2**31)
MOST_STEPS: Final = 2**63 - 1
_SAFE: Final = 2**62


def grown(
    created: Array, base: int, policy: DynamicPriorityPolicy, now: Instant, counting: PrioritySteps
) -> Array:
    """The priorities of workloads of one class at an instant (DYN-010 to DYN-030).

    Args:
        created: creation of each one's Job where it is given, else its own, ns, int64[n].
        base, policy: of the class.
        now: the cycle's clock, ns.
        counting: see reading `priority_steps`.

    Raises:
        Uncovered: a policy that no reading computes.

    >>> grown(np.array([0, 60]), 5, DynamicPriorityPolicy(2, 8, 60), 61, PrioritySteps.FLOOR).tolist()
    [7, 5]
    """
    if policy.delay_for_step <= 0:
        raise Uncovered("a class that the reading refuses")
    elapsed = np.maximum(0, now - created)
    rounding = 0 if counting == PrioritySteps.FLOOR else policy.delay_for_step - 1
    top = 0 if policy.max is None else policy.max
    most = int(elapsed.max(initial=0)) + rounding
    if most < _SAFE and most // policy.delay_for_step * abs(policy.step) < _SAFE:
        steps = (elapsed + rounding) // policy.delay_for_step
        return np.maximum(LEAST_PRIORITY, np.minimum(base + steps * policy.step, top))
    counted = [min((age + rounding) // policy.delay_for_step, MOST_STEPS) for age in elapsed.tolist()]
    return np.array(
        [max(LEAST_PRIORITY, min(base + steps * policy.step, top)) for steps in counted], np.int64
    )


def effective_priorities(
    columns: Columns,
    classes: tuple[WorkloadPriorityClass, ...],
    boosts: bool,
    now: Instant,
    counting: PrioritySteps,
) -> Array:
    """The priorities that count (DYN-050, KQ-080), int64[n]; the store's own column where nothing changes it.

    Args:
        columns: the workloads.
        classes: those whose priority grows, by the numbers of column `growing`.
        boosts: feature gate PriorityBoost.
        now, counting: as for `grown`.
    """
    priority = columns.column("priority")
    growing, boost = columns.column("growing"), columns.column("boost")
    assert priority is not None
    if growing is not None:
        created = _since(columns)
        priority = priority.copy()
        for number, priority_class in enumerate(classes):
            mine = growing == number
            if priority_class.policy is not None and mine.any():
                priority[mine] = grown(
                    created[mine], priority_class.base, priority_class.policy, now, counting
                )
    if boosts and boost is not None:
        priority = priority + np.where(boost == NO_STAMP, 0, boost)
    return priority


def _since(columns: Columns) -> Array:
    created, job = columns.column("created"), columns.column("job_created")
    return created if job is None else np.where(job == NO_STAMP, created, job)
