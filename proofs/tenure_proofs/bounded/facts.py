"""What is true of a cluster before a decision, counted from nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tenure_proofs.bounded.clusters import World, policy_of
from tenure_proofs.bounded.quotas import quotas_of

Gone = frozenset[int]
"""Workloads that have left, by their indices."""

NONE_GONE: Gone = frozenset()


class Facts:
    """A cluster's usage and what is available in it, whoever has left.

    Args:
        world: the cluster.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.quotas = quotas_of(world.nodes)
        self._used: dict[tuple[Gone, int], Sequence[int]] = {}

    def used(self, gone: Gone = NONE_GONE, more: int = 0) -> Sequence[int]:
        """What is in use at every node when some have left and the preemptor's queue uses so much more."""
        known = self._used.get((gone, more))
        if known is None:
            held = [0] * len(self.world.nodes)
            held[self.world.mine] = more
            for index, job in enumerate(self.world.jobs):
                if index not in gone:
                    held[job.queue] += job.amount
            known = self._used[gone, more] = self.quotas.used(held)
        return known

    def fits(self, gone: Gone = NONE_GONE, *, borrowing: bool = True) -> bool:
        """Whether the request fits when some have left; within the nominal quota where it may not borrow.

        A request for something does not fit where nothing is available, and more than that is never.
        """
        world, used = self.world, self.used(gone)
        if not borrowing and used[world.mine] + world.asking.amount > self.quotas.subtree[world.mine]:
            return False
        return world.asking.amount <= max(0, self.quotas.free(used, world.mine))

    def rests(self) -> Sequence[tuple[int, int]]:
        """The preemptor's queue and each cohort above, with what is left of the request there.

        Each level takes off what is idle and kept below it, so that the rest may be less than nothing.
        """
        used, found, rest = self.used(), [], self.world.asking.amount
        for index in self.world.path(self.world.mine):
            found.append((index, rest))
            rest -= max(0, self.quotas.kept[index] - used[index])
        return found

    def common(self, queue: int) -> int:
        """The lowest node above both a ClusterQueue and the preemptor's."""
        mine = self.world.path(self.world.mine)
        return next(index for index in self.world.path(queue) if index in mine)

    def is_exposed(self, job: int, gone: Gone = NONE_GONE) -> bool:
        """Whether a workload's queue, and every cohort below the common one, uses more than its quota."""
        queue = self.world.jobs[job].queue
        common, used = self.common(queue), self.used(gone)
        for index in self.world.path(queue):
            if index == common:
                return True
            if not self.quotas.is_over(used, index):
                return False
        raise AssertionError("a common node is on the path")

    def heroes(self) -> Iterable[int]:
        """The ClusterQueues that are heroes."""
        return (
            index
            for index, node in enumerate(self.world.nodes)
            if node.policy is not None and self.world.is_hero(index)
        )

    def own(self) -> Iterable[int]:
        """The workloads of the preemptor's ClusterQueue."""
        return (index for index, job in enumerate(self.world.jobs) if job.queue == self.world.mine)

    def has_limits(self) -> bool:
        """Whether any lending limit is set."""
        return any(node.lends is not None for node in self.world.nodes)

    def is_unbilled(self, preset: str) -> bool:
        """Whether no hero bills another queue and no lending limit is unlocked.

        Under the guarantee a hero bills what it uses beyond its own quota, and may unlock limits while it
        runs; as written it bills everything that it runs.
        """
        held = [(self.used()[index], self.world.nodes[index].nominal) for index in self.heroes()]
        if preset != "guaranteed" or self.has_limits():
            return all(used == 0 for used, _ in held)
        return all(used <= nominal for used, nominal in held)

    def is_free_of_bills_from_above(self) -> bool:
        """Whether no hero above the preemptor's, which is one, uses more than its own quota."""
        scope = self.world.nodes[self.world.mine].above
        assert scope is not None
        return all(
            self.used()[index] <= self.world.nodes[index].nominal
            for index in self.heroes()
            if self.world.nodes[index].above in self.world.path(scope)[1:]
        )

    def accessible(self, preset: str) -> int:
        """The most that the preemptor's hero may ever use: the quota of its subtree, within its limit.

        As written only ClusterQueues count, and the borrowing limit is all that it may use; under the
        guarantee it may borrow so much beyond its own quota.
        """
        node, guaranteed = self.world.nodes[self.world.mine], preset == "guaranteed"
        assert node.above is not None
        below = [self.world.nodes[index] for index in self.world.subtree(node.above)]
        total = sum(node.nominal for node in below if guaranteed or node.policy is not None)
        if node.borrows is None:
            return total
        return min(total, node.borrows + (node.nominal if guaranteed else 0))

    def hero_fits(self, gone: Gone = NONE_GONE) -> bool:
        """The same as `fits` for a hero under the guarantee, without lending limits and bills from above.

        Bills move usage and quota together, so a subtree has as much left with them as without.
        """
        world, used = self.world, self.used(gone)
        scope = world.nodes[world.mine].above
        assert scope is not None
        if used[world.mine] + world.asking.amount > self.accessible("guaranteed"):
            return False
        room = min(self.quotas.subtree[scope] - used[scope], self.quotas.free(used, scope))
        return world.asking.amount <= room


def has_proposal(world: World) -> bool:
    """Whether a field of a proposal is set anywhere."""
    policies = [policy_of(node) for node in world.nodes if node.policy is not None]
    return any(policy.hero or policy.duration is not None for policy in policies)
