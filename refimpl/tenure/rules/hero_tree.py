"""KEP-8826: the quota tree as it is while heroes run, one flavor-resource at one node at a time.

Kueue's own arithmetic (`tenure.rules.quota`) runs on what comes out here.
"""

from __future__ import annotations

from tenure.model import Amount
from tenure.readings import HeroLending
from tenure.rules.amounts import minus, plus
from tenure.rules.registry import rule


@rule("UCQ-160")
def effective_nominal(nominal: Amount, bill: Amount, received: Amount) -> Amount:
    """A node's nominal quota while heroes run.

    > A node's effective nominal quota is its nominal quota less what it is
    > billed, plus what its own workloads bill to others when that quota
    > moves to the hero.

    Args:
        nominal: the node's own nominal quota.
        bill: what it is billed.
        received: what is billed for its own workloads, where billed quota moves to the hero; else zero.

    Source: KEP-8826, Implementation, the formula for Accessible. It may be below zero where bills are
        those of the letter, and heroes are nested.

    >>> effective_nominal(10, bill=4, received=0), effective_nominal(10, bill=4, received=8)
    (6, 14)
    """
    return plus(minus(nominal, bill), received)


@rule("UCQ-170")
def effective_usage(usage: Amount, credit: Amount) -> Amount:
    """What is in use at a hero, beside what others pay for.

    > A hero's effective usage is its usage less its credit: usage that
    > others pay for leaves the tree together with the quota that pays for
    > it.

    Args:
        usage: what is in use at the ClusterQueue.
        credit: what it is credited (UCQ-140).

    Source: KEP-8826, Implementation ("billed proportionally against all queues in the subtree").

    >>> effective_usage(12, credit=8)
    4
    """
    return minus(usage, credit)


@rule("UCQ-180")
def widened_borrowing_limit(limit: Amount | None, before: Amount, after: Amount) -> Amount | None:
    """A borrowing limit while heroes run.

    > A borrowing limit inside a hero's subtree is raised by the amount by
    > which the node's subtree quota has fallen.

    Args:
        limit: the borrowing limit; None for no limit.
        before, after: the node's subtree quota without the bills of the hero's subtree, and with them.

    Source: KEP-8826, Implementation, last paragraph (the borrowing limit is "explained", read extended, by
        the amount that was taken).

    >>> widened_borrowing_limit(3, before=10, after=6), widened_borrowing_limit(None, before=10, after=6)
    (7, None)
    """
    if limit is None:
        return None
    return plus(limit, max(0, before - after))


@rule("UCQ-190")
def fallen_lending_limit(limit: Amount | None, bill: Amount, lending: HeroLending) -> Amount | None:
    """A lending limit while heroes run.

    > When lending limits are honoured, a node's lending limit is lowered by
    > what its subtree is billed, to at least zero. Otherwise it is
    > unchanged.

    Args:
        limit: the lending limit; None for no limit.
        bill: what the node and all below it are billed together.
        lending: whether limits are honoured.

    Source: KEP-8826, Goals, Bypass Limits ("adhering to lending limits might be an acceptable transitional
        constraint"). Reading key `hero_lending`.

    >>> fallen_lending_limit(4, 3, HeroLending.HONOUR), fallen_lending_limit(4, 9, HeroLending.HONOUR)
    (1, 0)
    """
    if limit is None or lending == HeroLending.IGNORE:
        return limit
    return max(0, minus(limit, bill))


@rule("UCQ-200")
def unlocked(usage: Amount, quota: Amount, locally_available: Amount, allowance: Amount) -> Amount:
    """By how much a lending limit inside a hero's subtree rises.

    > While a hero's subtree uses more than its quota, the lending limit of
    > a node inside is raised by what is missing, but by at most what is
    > locally available at the node, and in total by at most what the
    > subtree's heroes use.

    Args:
        usage: what is in use at the root of the hero's subtree.
        quota: its subtree quota.
        locally_available: what is left of the node's local quota (KQ-150).
        allowance: what heroes use in the subtree, less what was unlocked before.

    Source: KEP-8826, Lending Limits. Reading key `hero_lending`.

    >>> unlocked(usage=12, quota=10, locally_available=5, allowance=9)
    2
    """
    return max(0, min(minus(usage, quota), locally_available, allowance))
