"""On what ground a workload may be preempted, and the key by which it is sorted, one row at a time."""

from __future__ import annotations

from tenure.fast.compiled import inlined
from tenure.fast.sorting import field_beside, flip
from tenure.fast.tables import (
    ADVANTAGE,
    HIERARCHICAL,
    LOWER_PRIORITY,
    NEWER_EQUAL,
    NONE,
    OWN,
    TIME_EXPIRED,
    WHILE_BORROWING,
    WITHOUT_BORROWING,
    Array,
    Order,
    Policy,
    Rows,
    SearchInput,
)
from tenure.model import BorrowWithinCohort, ReclaimWithinCohort, WithinClusterQueue


@inlined
def is_expired(rows: Rows, row: int, policy: Policy) -> bool:
    """Whether a workload has used up its protected time (TBP-020)."""
    return policy.duration >= 0 and policy.now - rows.reserved[row] > policy.duration


@inlined
def own_ground(rows: Rows, row: int, policy: Policy) -> int:
    """The ground within the preemptor's own ClusterQueue (KQ-040, TBP-050)."""
    priority = rows.priority[row]
    if policy.within == WithinClusterQueue.NEVER or priority > policy.priority:
        return NONE
    if priority < policy.priority:
        return LOWER_PRIORITY
    if policy.within != WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY:
        return NONE
    if is_expired(rows, row, policy):
        return TIME_EXPIRED
    if policy.expired_only:
        return NONE
    since = rows.reserved[row] if policy.by_reservation else rows.queued[row]
    return NEWER_EQUAL if since > policy.queued else NONE


@inlined
def may_reclaim(rows: Rows, row: int, policy: Policy) -> bool:
    """Whether the policy allows it to be preempted from another ClusterQueue (KQ-330)."""
    if policy.reclaim == ReclaimWithinCohort.ANY:
        return True
    lower = policy.reclaim == ReclaimWithinCohort.LOWER_PRIORITY
    return lower and rows.priority[row] < policy.priority


@inlined
def may_reclaim_any(policy: Policy) -> bool:
    """Whether the policy allows anything to be preempted from other ClusterQueues."""
    return policy.reclaim in (ReclaimWithinCohort.LOWER_PRIORITY, ReclaimWithinCohort.ANY)


@inlined
def classical_ground(rows: Rows, row: int, group: int, policy: Policy) -> int:
    """The ground in classical preemption (KQ-300, KQ-320)."""
    if group == OWN:
        return own_ground(rows, row, policy)
    if not may_reclaim(rows, row, policy):
        return NONE
    if group == ADVANTAGE:
        return HIERARCHICAL
    priority = rows.priority[row]
    borrows = policy.borrow != BorrowWithinCohort.NEVER
    if borrows and priority < policy.priority and priority <= policy.threshold:
        return WHILE_BORROWING
    return WITHOUT_BORROWING


with_field, flipped = inlined(field_beside), inlined(flip)


@inlined
def key_of(rows: Rows, row: int, group: int, policy: Policy, order: Order) -> int:
    """Its place among all candidates (KQ-230)."""
    key = with_field(rows.key[row], order.group, int(group))
    if group == OWN and rows.priority[row] == policy.priority and is_expired(rows, row, policy):
        key = flipped(key, order.expired)
    return int(key) if rows.evicted[row] else int(with_field(key, order.group + 2, 1))


@inlined
def uses_any(rows: Rows, row: int, wanted: Array) -> bool:
    """Whether it was assigned one of some columns, with any amount."""
    for entry in range(rows.first[row], rows.first[row] + rows.width[row]):
        if wanted[rows.at[entry]]:
            return True
    return False


@inlined
def offers(given: SearchInput, row: int) -> bool:
    """Whether it is a candidate in classical preemption; `work.group` is that of every node of the tree."""
    rows, ask, group = given.rows, given.ask, given.work.group
    node, top = rows.queue[row], ask.path[len(ask.path) - 1]
    if node < top or node >= given.forest.end[top] or group[node] < 0:
        return False
    if classical_ground(rows, row, group[node], given.policy) == NONE:
        return False
    return ask.common == 1 or uses_any(rows, row, ask.is_needed)
