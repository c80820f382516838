"""Rules about quota, one flavor-resource at one node of the cohort tree at a time.

A node is a ClusterQueue or a Cohort. Each rule is one step of a walk through the tree: it takes what the
node above, or the nodes below, came to.
"""

from __future__ import annotations

from tenure.model import Amount, NodeQuota
from tenure.rules.amounts import minus, plus
from tenure.rules.registry import rule


@rule("KQ-060")
def fits_quota(usage: Amount, request: Amount, quota: Amount) -> bool:
    """Whether a request fits a quota beside what is in use.

    > A request fits a node's quota when the node's usage plus the request
    > is at most the quota; otherwise the node would borrow.

    Args:
        usage: what is in use of the flavor-resource at the node.
        request: the requested amount.
        quota: nominal quota of a ClusterQueue, subtree quota of a Cohort.

    Source: Kueue v1beta2, `ResourceQuota.nominalQuota`; Kueue main of August 2026, borrowing.

    >>> fits_quota(usage=3, request=1, quota=4), fits_quota(usage=4, request=1, quota=4)
    (True, False)
    """
    return plus(usage, request) <= quota


@rule("KQ-070")
def can_ever_fit(request: Amount, potential: Amount) -> bool:
    """Whether a request could fit if nothing ran.

    > A request can never fit when it exceeds the most that its ClusterQueue
    > could ever have.

    Args:
        request: the requested amount.
        potential: the most that the ClusterQueue could have with nothing in use (KQ-160).

    Source: Kueue main of August 2026, flavor assigner (maximum capacity).

    >>> can_ever_fit(request=5, potential=4)
    False
    """
    return request <= potential


@rule("KQ-120")
def local_quota(subtree: Amount, lending_limit: Amount | None) -> Amount:
    """The part of a node's quota that its cohort never sees.

    > A node without a lending limit lends all of its quota. With one, the
    > quota above the limit is local to the node: it is never lent.

    Args:
        subtree: the node's subtree quota.
        lending_limit: the most that others may borrow of it; None for no limit.

    Source: Kueue v1beta2, `ResourceQuota.lendingLimit`.

    >>> local_quota(10, 4), local_quota(10, None)
    (6, 0)
    """
    if lending_limit is None:
        return 0
    return max(0, minus(subtree, lending_limit))


@rule("KQ-130")
def quota_passed_up(quota: NodeQuota) -> Amount:
    """What a node adds to the quota of its cohort.

    > A node contributes its subtree quota less its local quota to its
    > cohort.

    Args:
        quota: the node's quota of the flavor-resource.

    Source: Kueue main of August 2026, subtree quota.

    >>> quota_passed_up(NodeQuota(nominal=10, subtree=10, local=6))
    4
    """
    return minus(quota.subtree, quota.local)


@rule("KQ-140")
def usage_passed_up(quota: NodeQuota, usage: Amount) -> Amount:
    """What a node's usage adds to the usage of its cohort.

    > Only the part of a node's usage that exceeds its local quota counts as
    > usage of its cohort.

    Args:
        quota: the node's quota of the flavor-resource.
        usage: what is in use at the node.

    Source: Kueue main of August 2026, usage of cohorts.

    >>> usage_passed_up(NodeQuota(nominal=10, subtree=10, local=6), usage=7)
    1
    """
    return max(0, minus(usage, quota.local))


@rule("KQ-150")
def local_available(quota: NodeQuota, usage: Amount) -> Amount:
    """What is left of a node's local quota.

    > A node's usage is charged to its local quota first. What is left of
    > the local quota is available to that node alone.

    Args:
        quota: the node's quota of the flavor-resource.
        usage: what is in use at the node.

    Source: Kueue main of August 2026, local availability.

    >>> local_available(NodeQuota(nominal=10, subtree=10, local=6), usage=5)
    1
    """
    return max(0, minus(quota.local, usage))


@rule("KQ-160")
def potential_available(quota: NodeQuota, above: Amount | None) -> Amount:
    """The most that a node could ever have.

    > A root's potential is its subtree quota. Any other node's potential is
    > its local quota plus its parent's potential, but at most its subtree
    > quota plus its borrowing limit.

    Args:
        quota: the node's quota of the flavor-resource.
        above: the same of the node above; None at a root.

    Source: Kueue v1beta2, `ResourceQuota.borrowingLimit`; Kueue main of August 2026, potential availability.

    >>> potential_available(NodeQuota(nominal=4, subtree=4, borrowing_limit=3), above=20)
    7
    """
    if above is None:
        return quota.subtree
    reach = plus(quota.local, above)
    if quota.borrowing_limit is None:
        return reach
    return min(plus(quota.subtree, quota.borrowing_limit), reach)


@rule("KQ-170")
def available_above(quota: NodeQuota, usage: Amount, above: Amount) -> Amount:
    """What a node may still take from the nodes above it.

    > Without a borrowing limit, all that is available at a node's parent is
    > available to it. With one, at most the limit plus what the node lends
    > and does not use itself.

    Args:
        quota: the node's quota of the flavor-resource.
        usage: what is in use at the node.
        above: what is available at the node above.

    Source: Kueue v1beta2, `ResourceQuota.borrowingLimit`; Kueue main of August 2026, availability.

    >>> available_above(NodeQuota(nominal=4, subtree=4, borrowing_limit=3), usage=5, above=20)
    2
    """
    if quota.borrowing_limit is None:
        return above
    unused = minus(quota_passed_up(quota), usage_passed_up(quota, usage))
    return min(plus(unused, quota.borrowing_limit), above)


@rule("KQ-180")
def available(quota: NodeQuota, usage: Amount, above: Amount | None) -> Amount:
    """What is available at a node.

    > At a root, the subtree quota less the usage is available. At any other
    > node, what is locally available plus what is available from the
    > parent. The result is negative when usage exceeds the quota.

    Args:
        quota: the node's quota of the flavor-resource.
        usage: what is in use at the node.
        above: what is available at the node above; None at a root.

    Source: Kueue main of August 2026, availability.

    >>> available(NodeQuota(nominal=4, subtree=4), usage=5, above=20)
    20
    """
    if above is None:
        return minus(quota.subtree, usage)
    return plus(local_available(quota, usage), available_above(quota, usage, above))


@rule("KQ-190")
def fits_request(request: Amount, free: Amount, borrows: bool, may_borrow: bool) -> bool:
    """Whether a request fits, in the search for targets.

    > A request fits when it is at most what is available, with a negative
    > amount counted as zero. In an attempt without borrowing it must also
    > leave its ClusterQueue within its quota.

    Args:
        request: the requested amount.
        free: what is available at the ClusterQueue (KQ-180).
        borrows: whether usage with the request exceeds the nominal quota (KQ-060).
        may_borrow: whether the attempt allows that.

    Source: Kueue main of August 2026, search for targets.

    >>> fits_request(request=2, free=5, borrows=True, may_borrow=False)
    False
    """
    if borrows and not may_borrow:
        return False
    return request <= max(0, free)


@rule("KQ-200")
def is_within_quota(usage: Amount, quota: Amount) -> bool:
    """Whether a node uses no more than its quota.

    > A node is within its quota when its usage is at most its quota.

    Args:
        usage: what is in use at the node.
        quota: nominal quota of a ClusterQueue, subtree quota of a Cohort.

    Source: Kueue main of August 2026, nodes that may lose workloads.

    >>> is_within_quota(usage=4, quota=4)
    True
    """
    return usage <= quota


@rule("KQ-210")
def remaining_request(request: Amount, quota: NodeQuota, usage: Amount) -> Amount:
    """What is left of a request for the node above.

    > The part of a request that reaches a node's parent is the request less
    > what is locally available at the node, and at least zero.

    Args:
        request: the amount requested at this node.
        quota: the node's quota of the flavor-resource.
        usage: what is in use at the node.

    Source: Kueue main of August 2026, hierarchical advantage.

    >>> remaining_request(5, NodeQuota(nominal=10, subtree=10, local=6), usage=4)
    3
    """
    return max(0, minus(request, local_available(quota, usage)))
