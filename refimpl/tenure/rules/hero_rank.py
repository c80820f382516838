"""KEP-8826: which ClusterQueue is a hero, what its subtree is, and how heroes are related to each other."""

from __future__ import annotations

from tenure.model import Head, Kin, PreemptionRules
from tenure.readings import HeroPrecedence, HeroScope
from tenure.rules.registry import rule


@rule("UCQ-010")
def is_above(contains_parent: bool, same_parent: bool) -> bool:
    """Whether one hero is above another.

    > A hero is above another hero when the subtree of its parent cohort
    > strictly contains the subtree of the other's parent cohort.

    Args:
        contains_parent: whether its parent cohort is the other's, or an ancestor of that.
        same_parent: whether both have the same parent cohort.

    Source: KEP-8826, Goals, Hierarchical Protection ("higher" in the hierarchy, closer to the root).

    >>> is_above(contains_parent=True, same_parent=False), is_above(contains_parent=True, same_parent=True)
    (True, False)
    """
    return contains_parent and not same_parent


@rule("UCQ-020")
def may_take_from_hero(kin: Kin, lower_priority: bool, precedence: HeroPrecedence) -> bool:
    """Whether a hero may preempt a workload of another hero.

    > A hero may preempt:
    >
    > 1. any workload of a hero below it;
    > 2. a workload of lower priority of any other hero, when
    >    hero_precedence is either;
    > 3. a workload of lower priority of a peer, when hero_precedence is
    >    rank_first.

    Args:
        kin: how the two heroes are related to each other.
        lower_priority: whether the target has lower priority than the preemptor (KQ-010).
        precedence: whether rank comes first.

    Source: KEP-8826, Goals, Hierarchical Protection; Non-Goals, Complex Peer Fair Sharing. Reading key
        `hero_precedence`.

    >>> stranger = Kin(hero=True, in_scope=True)
    >>> [may_take_from_hero(stranger, True, choice) for choice in HeroPrecedence]
    [True, False]
    """
    if kin.above:
        return True
    if precedence == HeroPrecedence.EITHER:
        return lower_priority
    return kin.peer and lower_priority


@rule("UCQ-030")
def has_turn_before(first: Head, second: Head) -> bool:
    """Whether one head has its turn in a scheduling cycle before another because of heroes.

    > The heads of heroes are considered before all other heads, ordered by,
    > in turn:
    >
    > 1. the number of cohorts above their ClusterQueue, fewest first;
    > 2. priority, highest first;
    > 3. queue-order timestamp, earliest first.

    Args:
        first, second: the heads of two ClusterQueues.

    Returns:
        False for two heads of standard queues: Kueue's order among them stays.

    Source: KEP-8826, Goals, Hierarchical Protection, and Non-Goals, Complex Peer Fair Sharing ("Standard
        priority and creation time will dictate precedence"); the KEP is silent on the cycle.

    >>> high, low = Head(True, 1, priority=0, queued_at=9), Head(True, 2, priority=7, queued_at=1)
    >>> has_turn_before(high, low), has_turn_before(low, Head(False, 1, priority=9, queued_at=0))
    (True, True)
    """
    if not first.hero:
        return False
    if not second.hero:
        return True
    if first.cohorts_above != second.cohorts_above:
        return first.cohorts_above < second.cohorts_above
    if first.priority != second.priority:
        return first.priority > second.priority
    return first.queued_at < second.queued_at


@rule("UCQ-040")
def root_of_scope(parent: int, root: int, scope: HeroScope) -> int:
    """The cohort whose subtree is a hero's.

    > A hero's subtree is the subtree of its parent cohort; when hero_scope
    > is tree, the whole tree.

    Args:
        parent: the place of the hero's parent cohort.
        root: the place of the tree's root.
        scope: which of them.

    Source: KEP-8826, Goals, Subtree Containment, against Universal Subtree Preemption; Cohort Interaction
        and Borrowing Subtree Isolation. Reading key `hero_scope`.

    >>> root_of_scope(parent=3, root=0, scope=HeroScope.BRANCH)
    3
    """
    if scope == HeroScope.BRANCH:
        return parent
    return root


@rule("UCQ-050")
def is_hero(rules: PreemptionRules, has_cohort: bool) -> bool:
    """Whether a ClusterQueue is a hero.

    > A ClusterQueue with UberClusterQueueRules is a hero when it has a
    > parent cohort. Without one it is a standard queue.

    Args:
        rules: `spec.preemption.rules`.
        has_cohort: whether the queue has a parent cohort.

    Source: KEP-8826, API; Goals, Subtree Containment.

    >>> is_hero(PreemptionRules.UBER_CLUSTER_QUEUE, has_cohort=False)
    False
    """
    return rules == PreemptionRules.UBER_CLUSTER_QUEUE and has_cohort


@rule("UCQ-060")
def kinship(
    preemptor_hero: bool,
    target_hero: bool,
    scope_contains: bool,
    parent_contains: bool,
    same_parent: bool,
    same_queue: bool,
) -> Kin:
    """How a target's ClusterQueue is related to the preemptor's.

    > 1. A target's ClusterQueue is in scope only if the preemptor's
    >    ClusterQueue is a hero and its subtree contains the target's.
    > 2. Whether one hero is above another is decided by UCQ-010.
    > 3. Two heroes are peers when they are different ClusterQueues with the
    >    same parent cohort.

    Args:
        preemptor_hero: whether the preemptor's ClusterQueue is a hero (UCQ-050).
        target_hero: whether the target's is.
        scope_contains: whether the cohort whose subtree is the preemptor's (UCQ-040) contains the target's
            ClusterQueue.
        parent_contains: whether the parent cohort of the preemptor's ClusterQueue contains the target's.
        same_parent: whether both have the same parent cohort.
        same_queue: whether both are one ClusterQueue.

    Source: KEP-8826, Goals, Hierarchical Protection and Subtree Containment; Non-Goals, Complex Peer Fair
        Sharing.

    >>> kinship(True, True, True, True, same_parent=True, same_queue=False)
    Kin(hero=True, in_scope=True, above=False, peer=True)
    >>> kinship(False, True, True, True, same_parent=False, same_queue=False)
    Kin(hero=True, in_scope=False, above=False, peer=False)
    """
    both = preemptor_hero and target_hero
    return Kin(
        hero=target_hero,
        in_scope=preemptor_hero and scope_contains,
        above=both and is_above(parent_contains, same_parent),
        peer=both and same_parent and not same_queue,
    )
