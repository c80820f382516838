"""KEP-8826: what the workloads of heroes are billed to the other nodes of their subtree.

Everything here is about one flavor-resource. Bills are whole numbers of arbitrary size: what does not fit 64
bits is a sum of quotas, and it only divides.
"""

from __future__ import annotations

from tenure.model import Amount
from tenure.readings import AccessibleRounding, HeroBilling, HeroLending
from tenure.rules.amounts import minus
from tenure.rules.registry import rule


@rule("UCQ-100")
def billed_usage(usage: Amount, nominal: Amount, billing: HeroBilling) -> Amount:
    """How much of a hero's usage others are billed for.

    > A hero bills the part of its usage that exceeds its own nominal quota;
    > when the KEP's formula is read literally, all of its usage.

    Args:
        usage: what is in use at the hero.
        nominal: its own nominal quota.
        billing: which of the two.

    Source: KEP-8826, Implementation, the formula for Accessible. Reading key `hero_billing`.

    >>> [billed_usage(usage=7, nominal=4, billing=choice) for choice in HeroBilling]
    [7, 3]
    """
    if billing == HeroBilling.WHOLE:
        return usage
    return max(0, minus(usage, nominal))


@rule("UCQ-110")
def left_to_bill(nominal: Amount, usage: Amount, hero: bool, billed: Amount) -> Amount:
    """What a node can still be billed.

    > A node can be billed its nominal quota, or if it is a hero, the part
    > of it that the hero does not use; less what deeper cohorts have
    > already billed it, and at least zero.

    Args:
        nominal: the node's own nominal quota; a Cohort has one too.
        usage: what is in use at the node, where it is a ClusterQueue.
        hero: whether it is a hero.
        billed: what it has been billed so far.

    Source: KEP-8826, Implementation ("billed proportionally against all queues in the subtree").

    >>> left_to_bill(10, 3, hero=False, billed=4), left_to_bill(10, 3, hero=True, billed=4)
    (6, 3)
    """
    own = minus(nominal, usage) if hero else nominal
    return max(0, minus(own, billed))


@rule("UCQ-120")
def bill_of_cohort(billed_usage: Amount, left: Amount) -> Amount:
    """What the heroes of one cohort bill its subtree together.

    > The heroes of a cohort together bill the usage of UCQ-100, but at most
    > what the cohort's subtree can still be billed.

    Args:
        billed_usage: the sum of UCQ-100 over the heroes of the cohort.
        left: the sum of UCQ-110 over the nodes of its subtree.

    Source: KEP-8826, Implementation: Accessible is a capacity, and none is below zero.

    >>> bill_of_cohort(billed_usage=12, left=9)
    9
    """
    return min(billed_usage, left)


@rule("UCQ-130")
def share_of_bill(
    bill: Amount, weight: Amount, before: Amount, total: Amount, rounding: AccessibleRounding
) -> Amount:
    """A node's share of a bill.

    > A bill is divided in proportion to weights. By accessible_rounding:
    >
    > 1. floor rounds each share down;
    > 2. cumulative rounds the running totals down, so that the shares add
    >    up to the bill;
    > 3. exact counts shares in fractions of a unit, with the sum of the
    >    weights as the denominator.

    Args:
        bill: what is shared.
        weight: the node's weight, not below zero.
        before: the sum of the weights of the nodes before it, in the order of the tree.
        total: the sum of all weights.
        rounding: how.

    Returns:
        zero where all weights are zero.

    Source: KEP-8826, Implementation, the formula for Accessible, which is not about whole numbers. Reading
        key `accessible_rounding`.

    >>> [share_of_bill(10, 1, before, 3, AccessibleRounding.CUMULATIVE) for before in (0, 1, 2)]
    [3, 3, 4]
    >>> [share_of_bill(10, 1, before, 3, AccessibleRounding.FLOOR) for before in (0, 1, 2)]
    [3, 3, 3]
    """
    if total <= 0:
        return 0
    if rounding == AccessibleRounding.EXACT:
        return bill * weight
    if rounding == AccessibleRounding.FLOOR:
        return bill * weight // total
    return bill * (before + weight) // total - bill * before // total


@rule("UCQ-140")
def credit_of_hero(rest: Amount, billed_usage: Amount) -> Amount:
    """How much of a hero's usage the others of its subtree pay for.

    > What was billed is credited to the heroes of the cohort in order of
    > name, each up to the amount that it bills.

    Args:
        rest: what was billed and is not credited yet.
        billed_usage: what this hero bills others (UCQ-100).

    Source: KEP-8826, Implementation; Non-Goals, Complex Peer Fair Sharing.

    >>> credit_of_hero(rest=5, billed_usage=3)
    3
    """
    return min(rest, billed_usage)


@rule("UCQ-150")
def bill_of_workload(
    amount: Amount, weight: Amount, is_queue: bool, total: Amount, rounding: AccessibleRounding
) -> Amount:
    """What one running workload of a hero is billed to a node, where the formula is read literally.

    > Each running workload of a hero is billed to every ClusterQueue of the
    > subtree, the hero's own included, in proportion to nominal quota. The
    > nominal quotas of cohorts are not billed.

    Args:
        amount: what the workload uses.
        weight: the node's nominal quota, as far as it may be billed.
        is_queue: whether the node is a ClusterQueue.
        total: the sum of the weights of the ClusterQueues of the subtree.
        rounding: how; a share of its own is rounded down unless it is exact.

    Source: KEP-8826, Implementation, the formula for Accessible. Reading keys `hero_billing`,
        `accessible_rounding`.

    >>> bill_of_workload(8, 10, True, 20, AccessibleRounding.FLOOR)
    4
    >>> bill_of_workload(8, 10, False, 20, AccessibleRounding.FLOOR)
    0
    """
    if not is_queue:
        return 0
    return share_of_bill(amount, weight, 0, total, rounding)


@rule("UCQ-260")
def lendable(amount: Amount, lending_limit: Amount | None, lending: HeroLending) -> Amount:
    """How much of an amount inside a node a hero may count on.

    > A node lends the whole amount; when lending limits are honoured, at
    > most its lending limit.

    Args:
        amount: the node's quota, or the sum over its subtree.
        lending_limit: the most that others may borrow of it; None for no limit.
        lending: whether limits are honoured.

    Source: KEP-8826, Goals, Bypass Limits; Lending Limits. Reading key `hero_lending`.

    >>> [lendable(10, 4, choice) for choice in HeroLending]
    [10, 4]
    """
    if lending_limit is None or lending == HeroLending.IGNORE:
        return amount
    return min(amount, lending_limit)
