"""On what basis a workload may be preempted, and the key by which it is sorted, one row at a time.

The rules are those of `tenure.rules`, compiled.
"""

from __future__ import annotations

from typing import NamedTuple

from tenure.model import ReclaimWithinCohort
from tenure.readings import NewerThan, SamePriorityGate
from tenure.rules import eligibility, ordering, reclaim
from tenure_simulate.core.compiled import compiled, compiled_rule, inlined
from tenure_simulate.core.sorting import field_beside, flip
from tenure_simulate.core.tables import ADVANTAGE, NONE, OWN, Array, Order, Policy, Rows, SearchInput

EXPIRED_ONLY, EITHER = int(SamePriorityGate.EXPIRED_ONLY), int(SamePriorityGate.EITHER)
BY_RESERVATION, BY_QUEUE = int(NewerThan.RESERVED_AFTER_CREATED), int(NewerThan.QUEUE_ORDER)


class Holder(NamedTuple):
    """A workload, as far as rules about bases and the order read one.

    Args:
        priority: the effective one.
        created_at, quota_reserved_at: ns.
        queued_at: the time it queues from, ns.
        evicted: whether it is leaving.
        cluster_queue: `OWN` for the preemptor's.
        uid: no rule here reads it; 0.
    """

    priority: int
    created_at: int
    quota_reserved_at: int
    queued_at: int
    evicted: bool
    cluster_queue: int
    uid: int


class Terms(NamedTuple):
    """As `tenure.rules.terms.PreemptionTerms`, as far as those rules read them; all numbers."""

    cluster_queue: int
    within_cluster_queue: int
    min_admit_duration: int
    time_based_preemption: bool
    reclaim_within_cohort: int
    borrow_within_cohort: int
    max_priority_threshold: int
    same_priority_gate: int
    newer_than: int


class ClassicalEvidence(NamedTuple):
    """As `tenure.model.Evidence`, as far as KQ-320 reads it."""

    advantage: bool
    borrowing: bool


class KernelPlace(NamedTuple):
    """As `tenure.model.OrderKey`."""

    running: int
    group: int
    priority: int
    unexpired: int
    recency: int
    uid: int


@compiled
def queued_at(workload: Holder, terms: Terms) -> int:  # noqa: ARG001 - it is called as the rule is
    """Instead of TBP-030, which has given the instant when the rows were made."""
    return workload.queued_at


basis_within_queue = compiled_rule(eligibility.basis_within_queue, requeue_timestamp=queued_at)
basis_across_queues = compiled_rule(reclaim.basis_across_queues)
order_key = compiled_rule(ordering.order_key, OrderKey=KernelPlace)
reclaims = compiled_rule(reclaim.may_reclaim)


@inlined
def terms_in(policy: Policy) -> Terms:
    """What holds for a preemptor."""
    return Terms(
        OWN,
        policy.within,
        policy.duration,
        policy.duration >= 0,
        policy.reclaim,
        policy.borrow,
        policy.threshold,
        EXPIRED_ONLY if policy.expired_only else EITHER,
        BY_RESERVATION if policy.by_reservation else BY_QUEUE,
    )


@inlined
def preemptor_in(policy: Policy) -> Holder:
    """The preemptor; where its creation counts, `policy.queued` is that."""
    return Holder(policy.priority, policy.queued, policy.now, policy.queued, False, OWN, 0)


@inlined
def holder(rows: Rows, row: int, group: int) -> Holder:
    """A workload that holds quota."""
    reserved, queued = rows.reserved[row], rows.queued[row]
    return Holder(rows.priority[row], queued, reserved, queued, rows.evicted[row], group, 0)


@inlined
def own_basis(rows: Rows, row: int, policy: Policy) -> int:
    """The basis within the preemptor's own ClusterQueue (KQ-040)."""
    basis: int = basis_within_queue(
        preemptor_in(policy), holder(rows, row, OWN), terms_in(policy), policy.now
    )
    return basis


@inlined
def may_reclaim(rows: Rows, row: int, policy: Policy) -> bool:
    """Whether the policy allows it to be preempted from another ClusterQueue (KQ-330)."""
    return bool(reclaims(preemptor_in(policy), holder(rows, row, ADVANTAGE), terms_in(policy)))


@inlined
def may_reclaim_any(policy: Policy) -> bool:
    """Whether the policy allows anything to be preempted from other ClusterQueues."""
    return policy.reclaim in (ReclaimWithinCohort.LOWER_PRIORITY, ReclaimWithinCohort.ANY)


@inlined
def classical_basis(rows: Rows, row: int, group: int, policy: Policy) -> int:
    """The basis in classical preemption (KQ-040, KQ-320); whether the attempt borrows is left open."""
    if group == OWN:
        return own_basis(rows, row, policy)
    evidence = ClassicalEvidence(group == ADVANTAGE, False)
    basis: int = basis_across_queues(
        preemptor_in(policy), holder(rows, row, int(group)), evidence, terms_in(policy)
    )
    return basis


with_field, flipped = inlined(field_beside), inlined(flip)


@inlined
def key_of(rows: Rows, row: int, group: int, policy: Policy, order: Order) -> int:
    """Its place among all candidates (KQ-230)."""
    key = with_field(rows.key[row], order.group, int(group))
    mine = holder(rows, row, int(group))
    place = order_key(mine, int(group), preemptor_in(policy), terms_in(policy), policy.now)
    if place.unexpired == 0:
        key = flipped(key, order.expired)
    return int(with_field(key, order.group + 2, place.running))


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
    if classical_basis(rows, row, group[node], given.policy) == NONE:
        return False
    return ask.common == 1 or uses_any(rows, row, ask.is_needed)
