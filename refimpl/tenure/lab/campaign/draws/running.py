"""Workloads that hold quota: they fill the queues, so that the next one has to preempt somebody."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any, Final

from tenure.lab.campaign.draws.nodes import Nodes
from tenure.lab.campaign.draws.proposals import Proposals
from tenure.lab.campaign.draws.times import minutes_before
from tenure.lab.strategies.admitted import CREATED, PLANS, PRIORITIES, RESERVED
from tenure.lab.strategies.amounts import step_of
from tenure.lab.strategies.dice import Dice
from tenure.lab.strategies.tree import Tree
from tenure.model import Amount, ClusterQueue, FlavorResource, Instant, Workload

STEPS: Final = (1, 1, 1, 2, 2, 3)
PAST: Final = (
    *("evicted", "evicted", "not-ready", "check", "was-reclaimed", "was-timed", "no-priority", "zero"),
    *("other", "other", "unreserved"),
)
BOOSTS = (1, -1, 2)


@dataclass(frozen=True, slots=True)
class Slot:
    """A place to put a workload: a flavor of a resource group of a ClusterQueue."""

    queue: str
    flavor: str
    resources: tuple[str, ...]


class RunningDraws:
    """Draws the workloads that hold quota, and charges them.

    Args:
        dice, tree, nodes: see there.
        queues: by name.
        proposals: what the KEPs add.
        classes: names of the classes whose priority grows.
        flavors: names of those that exist.
        now: the clock, ns.
    """

    def __init__(
        self,
        dice: Dice,
        tree: Tree,
        nodes: Nodes,
        queues: Mapping[str, ClusterQueue],
        proposals: Proposals,
        classes: tuple[str, ...],
        flavors: Set[str],
        now: Instant,
    ) -> None:
        self._dice = dice
        self._tree = tree
        self._nodes = nodes
        self._proposals = proposals
        self._classes = classes
        self._now = now
        self._debt = 2 if dice.chance(12) else 0
        self._slots = [
            Slot(queue.name, quotas.flavor, group.covered_resources)
            for queue in queues.values()
            for group in queue.resource_groups
            for quotas in group.flavors
            if quotas.flavor in flavors
        ]

    def workloads(self, most: int) -> tuple[Workload, ...]:
        """The workloads, until there are so many or nothing more fits."""
        made: list[Workload] = []
        phases = self._phases()
        while len(made) < most:
            slot = self._place(phases)
            if slot is None:
                break
            each = self._workload(slot, len(made))
            self._nodes.charge(each)
            made.append(each)
        return tuple(made)

    def _phases(self) -> list[list[Slot]]:
        """The slots that are filled first, and those that follow when they are full."""
        root = self._tree.root_of(self._tree.target)
        near = [slot for slot in self._slots if self._tree.root_of(slot.queue) == root]
        own = [slot for slot in near if slot.queue == self._tree.target]
        others = [slot for slot in near if slot.queue != self._tree.target]
        plan = self._dice.pick(PLANS)
        if plan == "own" or not others:
            return [own, self._slots]
        if plan == "everywhere":
            return [near, self._slots]
        if plan == "others":
            return [others, near] if self._dice.chance(60) else [others]
        crowded = self._dice.pick(others).queue
        return [[slot for slot in near if slot.queue == crowded], near]

    def _place(self, phases: list[list[Slot]]) -> Slot | None:
        """A slot with room of the first phase that has any; for a debt, whatever comes."""
        if self._debt:
            self._debt -= 1
            return self._dice.pick(phases[0])
        for slots in phases:
            first = self._dice.up_to(len(slots) - 1)
            for slot in (*slots[first:], *slots[:first]):
                if self._room(slot, slot.resources[0]) > 0:
                    return slot
        return None

    def _room(self, slot: Slot, resource: str) -> Amount:
        return self._nodes.queues[slot.queue].available((slot.flavor, resource))

    def _workload(self, slot: Slot, index: int) -> Workload:
        dice = self._dice
        past = dice.pick(PAST) if dice.chance(25) else ""
        since = minutes_before(self._now, dice.pick(RESERVED))
        aged = bool(self._classes) and dice.chance(40)
        return Workload(
            namespace="ns",
            name=f"w{index:02d}",
            uid=f"u{(index * 37 + 11) % 97:02d}",  # unique, and in another order than the names
            priority=0 if past == "no-priority" else dice.pick(PRIORITIES),
            created_at=minutes_before(self._now, dice.pick(CREATED)),
            quota_reserved_at=None if past == "unreserved" else since,
            priority_boost=dice.pick(BOOSTS) if dice.chance(10) else 0,
            priority_class=dice.pick(self._classes) if aged else "",
            job_created_at=minutes_before(self._now, dice.pick((45, 60, 30)))
            if aged and dice.chance(40)
            else None,
            cluster_queue=slot.queue,
            usage=self._usage(slot, past),
            **self._left_behind(past),
        )

    def _left_behind(self, past: str) -> dict[str, Any]:
        """What evictions before have left in its conditions."""
        lately = minutes_before(self._now, 3)
        ago = minutes_before(self._now, self._dice.pick((20, 35, 45)))
        left: dict[str, dict[str, Any]] = {
            "evicted": {"evicted": True},
            "not-ready": {"evicted": True, "pods_ready_evicted_at": lately},
            "check": {"evicted": True, "admission_check_evicted_at": lately},
            "was-reclaimed": {"preempted_while_borrowing_at": ago},
            "was-timed": {"time_based_preempted_at": ago},
        }
        return left.get(past, {})

    def _usage(self, slot: Slot, past: str) -> dict[FlavorResource, Amount]:
        """So many steps of each resource, but no more than there is if there is some; seldom all of it."""
        steps = self._dice.pick(STEPS)
        usage: dict[FlavorResource, Amount] = {}
        for place, resource in enumerate(slot.resources):
            step, room = step_of(resource), self._room(slot, resource)
            wanted = (steps if place == 0 else 1) * step
            if self._dice.chance(8) and wanted < room <= 4 * step:
                wanted = room
            amount = wanted if place == 0 and room <= 0 else min(wanted, max(room, 0))
            usage[FlavorResource(slot.flavor, resource)] = amount
        if past == "zero" and len(usage) > 1:
            usage[FlavorResource(slot.flavor, slot.resources[-1])] = 0
        if past == "other":
            self._add_other(slot, usage)
        return usage

    def _add_other(self, slot: Slot, usage: dict[FlavorResource, Amount]) -> None:
        """Something of another flavor of the same queue, as a second pod set would hold it."""
        others = [each for each in self._slots if each.queue == slot.queue and each.flavor != slot.flavor]
        if others:
            other = self._dice.pick(others)
            room = self._room(other, other.resources[0])
            if room > 0:
                place = FlavorResource(other.flavor, other.resources[0])
                usage[place] = min(step_of(other.resources[0]), room)
