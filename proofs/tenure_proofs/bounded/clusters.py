"""Plain clusters: all that a postcondition knows of one, in the words of the API and in whole numbers."""

from __future__ import annotations

from dataclasses import dataclass

SECOND = 1_000_000_000
"""In ns."""

DURATION = 60 * SECOND
"""The one minAdmitDuration of every family, the shortest that the webhook accepts."""

NOW = 1_767_603_600 * SECOND
"""When every decision is made: 2026-01-05T09:00:00Z, in ns."""

NEVER, LOWER, NEWER = "Never", "LowerPriority", "LowerOrNewerEqualPriority"
ANY = "Any"
FINAL, INITIAL = "LessThanOrEqualToFinalShare", "LessThanInitialShare"


@dataclass(frozen=True, slots=True)
class Policy:
    """What a ClusterQueue says of preemption; values as the API writes them.

    Args:
        within: `withinClusterQueue`.
        duration: minAdmitDuration in ns; None for none.
        reclaim: `reclaimWithinCohort`.
        borrow: `borrowWithinCohort.policy`.
        threshold: `maxPriorityThreshold`; None for none.
        hero: whether it has UberClusterQueueRules.
    """

    within: str = NEVER
    duration: int | None = None
    reclaim: str = NEVER
    borrow: str = NEVER
    threshold: int | None = None
    hero: bool = False


@dataclass(frozen=True, slots=True)
class Node:
    """A Cohort, or a ClusterQueue, which has a policy; of one resource of one flavor.

    Args:
        name: its name.
        above: index of its cohort; None at a root.
        nominal: nominal quota in base units.
        borrows, lends: `borrowingLimit` and `lendingLimit`; None for no limit.
        policy: of a ClusterQueue.
    """

    name: str
    above: int | None
    nominal: int = 0
    borrows: int | None = None
    lends: int | None = None
    policy: Policy | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """A workload.

    Args:
        queue: index of its ClusterQueue.
        priority: its priority; that of who asks is 1 in every family.
        amount: what it holds, or asks for, in base units.
        created, reserved: ns since the epoch; who asks has reserved nothing.
        evicted: whether condition Evicted is True.
    """

    queue: int
    priority: int
    amount: int
    created: int
    reserved: int = 0
    evicted: bool = False


@dataclass(frozen=True, slots=True)
class World:
    """A cluster of one tree, and who asks for a place in it.

    Args:
        nodes: the tree, each cohort before what is below it.
        jobs: who holds quota; the index is the order of names and uids.
        asking: who asks.
        strategies: the fair-sharing strategies; None for classical preemption.
    """

    nodes: tuple[Node, ...]
    jobs: tuple[Job, ...]
    asking: Job
    strategies: tuple[str, ...] | None = None

    @property
    def mine(self) -> int:
        """The index of the ClusterQueue that asks."""
        return self.asking.queue

    @property
    def policy(self) -> Policy:
        """What its ClusterQueue says."""
        return policy_of(self.nodes[self.mine])

    def is_hero(self, queue: int) -> bool:
        """Whether a ClusterQueue is a hero: it has the rules, and a cohort."""
        node = self.nodes[queue]
        return policy_of(node).hero and node.above is not None

    def path(self, index: int) -> tuple[int, ...]:
        """A node and all above it."""
        above = self.nodes[index].above
        return (index,) if above is None else (index, *self.path(above))

    def subtree(self, index: int) -> tuple[int, ...]:
        """A node and all below it."""
        return tuple(number for number in range(len(self.nodes)) if index in self.path(number))


def policy_of(node: Node) -> Policy:
    """The policy of a ClusterQueue."""
    assert node.policy is not None
    return node.policy


def name_of(index: int) -> str:
    """The name and uid of the workload with this index; who asks is `new`."""
    return f"w{index}"
