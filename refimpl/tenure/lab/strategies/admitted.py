"""Workloads that hold quota: they fill the queues, so that the next one has to preempt somebody."""

from __future__ import annotations

from dataclasses import dataclass

from tenure.lab.strategies.amounts import PODS, step_of
from tenure.lab.strategies.dice import Dice
from tenure.lab.strategies.ledger import Ledger
from tenure.lab.strategies.objects import BOOST, Object, assigned, condition, pod_set, workload
from tenure.lab.strategies.options import Feature, Options
from tenure.lab.strategies.queues import MISSING_FLAVOR
from tenure.lab.strategies.tree import Tree
from tenure.model import Amount

PRIORITIES = (0, 1, 2, 1)
"""Few, so that many are equal."""
CREATED = (50, 40, 30, 40)
RESERVED = (15, 10, 10, 5)
"""Minutes before the clock."""

SIZES = (1, 1, 1, 1, 1, 1, 1, 2)
PLAIN = 64
WORKLOAD_DRAWS = 5
PLANS = ("own", "others", "others", "others", "everywhere", "everywhere", "crowd", "crowd")
"""Who fills up first: the target itself, everybody else, everybody, or one queue beside the target."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A place to put a workload: a flavor of a resource group of a ClusterQueue."""

    queue: str
    resources: tuple[str, ...]
    flavor: str


class AdmittedDraws:
    """Draws the workloads that hold quota, and charges them to the ledger.

    Args:
        dice, options, tree, ledger: see there.
        cluster_queues: the API objects.
        boost: whether some carry the annotation that gate PriorityBoost reads.
    """

    def __init__(
        self,
        dice: Dice,
        options: Options,
        tree: Tree,
        ledger: Ledger,
        cluster_queues: list[Object],
        *,
        boost: bool,
    ) -> None:
        self._dice = dice
        self._options = options
        self._tree = tree
        self._ledger = ledger
        self._boost = boost
        self._groups = {each["metadata"]["name"]: each["spec"]["resourceGroups"] for each in cluster_queues}
        self._debt = 2 if options.has(Feature.DEBT) and dice.chance(12) else 0
        self._extras = _extras(options)

    def workloads(self) -> list[Object]:
        """The workloads, until their number is reached or nothing more fits."""
        most = self._options.max_workloads
        count = self._dice.pick((1, 2, 3, 5, *(most,) * 20))
        phases = self._phases()
        made: list[Object] = []
        for index in range(min(count, most)):
            raw = self._workload(self._dice.section(WORKLOAD_DRAWS), index, phases)
            if raw is None:
                break
            made.append(raw)
            self._ledger.charge(raw)
        return made

    def _phases(self) -> list[list[Slot]]:
        """The slots that are filled first, and those that follow when they are full."""
        slots = [
            Slot(queue, tuple(group["coveredResources"]), flavor["name"])
            for queue, groups in self._groups.items()
            for group in groups
            for flavor in group["flavors"]
            if flavor["name"] != MISSING_FLAVOR
        ]
        root = self._tree.root_of(self._tree.target)
        near = [slot for slot in slots if self._tree.root_of(slot.queue) == root]
        own = [slot for slot in near if slot.queue == self._tree.target]
        others = [slot for slot in near if slot.queue != self._tree.target]
        plan = self._dice.pick(PLANS)
        if plan == "own" or not others:
            return [own, slots]
        if plan == "everywhere":
            return [near, slots]
        if plan == "others":
            return [others, near] if self._dice.chance(60) else [others]
        crowded = self._dice.pick(others).queue
        return [[slot for slot in near if slot.queue == crowded], near]

    def _workload(self, dice: Dice, index: int, phases: list[list[Slot]]) -> Object | None:
        shape = dice.up_to(63)
        size = SIZES[shape % 8]
        slot = self._place(phases, shape // 8)
        if slot is None:
            return None
        # Two thirds are plain, so that one draw does for them.
        order = dice.up_to(95)
        extra = dice.pick(self._extras) if order >= PLAIN else ""
        priority, created, reserved = order % 4, order // 4 % 4, order // 16 % 4
        usage = self._usage(slot, size, rest=shape // 8 == 7)
        made = workload(
            f"w{index:02d}",
            self._uid(dice, index),
            CREATED[created],
            None if extra == "no-priority" else PRIORITIES[priority],
            [],
        )
        self._assign(made, slot, self._with_other_groups(dice, slot, usage), extra)
        made["status"]["conditions"] = _conditions(extra, RESERVED[reserved])
        if self._boost and order % 3 == 0:
            made["metadata"]["annotations"] = {BOOST: ("1", "-1", "2", "x")[order % 4]}
        return made

    def _place(self, phases: list[list[Slot]], turn: int) -> Slot | None:
        """The slot of this turn in the first phase that has room, or the next one round that has some."""
        if self._debt:
            self._debt -= 1
            return phases[0][turn % len(phases[0])]
        for slots in phases:
            for index in range(len(slots)):
                slot = slots[(turn + index) % len(slots)]
                if self._room(slot, slot.resources[0]) > 0:
                    return slot
        return None

    def _room(self, slot: Slot, resource: str) -> Amount:
        return self._ledger.queues[slot.queue].available((slot.flavor, resource))

    def _usage(self, slot: Slot, size: int, *, rest: bool) -> dict[str, Amount]:
        """What it takes: so many steps of each resource, but no more than there is if there is some."""
        usage = {}
        for index, resource in enumerate(slot.resources):
            wanted = (size if index == 0 else 1) * step_of(resource)
            room = self._room(slot, resource)
            usage[resource] = wanted if index == 0 and room <= 0 else min(wanted, max(room, 0))
            if rest and index == 0 and wanted < room <= 4 * step_of(resource):
                usage[resource] = room
        return usage

    def _assign(self, made: Object, slot: Slot, held: dict[str, tuple[str, Amount]], extra: str) -> None:
        """Its pod sets, and what was assigned to them."""
        flavors = {resource: flavor for resource, (flavor, _) in held.items()}
        usage = {resource: amount for resource, (_, amount) in held.items()}
        if extra == "zero" and len(usage) > 1:
            usage[list(usage)[-1]] = 0
        counts: dict[str, int] = {"main": 2 if extra == "reclaimable" else 1}
        if extra == "two-sets":
            counts["extra"] = 1
        pods = {name: _per_pod(usage) for name in counts}
        made["spec"]["podSets"] = [
            pod_set(name, count, {key: each for key, each in pods[name].items() if key != PODS})
            for name, count in counts.items()
        ]
        made["status"]["admission"] = {
            "clusterQueue": slot.queue,
            "podSetAssignments": [
                assigned(name, count, flavors, {key: each * count for key, each in pods[name].items()})
                for name, count in counts.items()
            ],
        }
        if extra == "reclaimable":
            made["status"]["reclaimablePods"] = [{"name": "main", "count": 1}]

    def _with_other_groups(
        self, dice: Dice, slot: Slot, usage: dict[str, Amount]
    ) -> dict[str, tuple[str, Amount]]:
        """Flavor and amount by resource, now and then with something of another resource group."""
        held = {resource: (slot.flavor, amount) for resource, amount in usage.items()}
        for group in self._groups[slot.queue]:
            name, resource = group["flavors"][0]["name"], group["coveredResources"][0]
            if resource in held:
                continue
            room = self._ledger.queues[slot.queue].available((name, resource))
            if room > 0 and dice.chance(40):
                held[resource] = name, min(step_of(resource), room)
        return held

    def _uid(self, dice: Dice, index: int) -> str:
        """Unique, and in another order than the names; or one that many share."""
        if self._options.unique_uids:
            return f"u{(index * 37 + 11) % 97:02d}"
        return dice.pick(("u", "u", "v", ""))


def _extras(options: Options) -> tuple[str, ...]:
    """What may be special about a workload, most being plain."""
    special = [
        (Feature.EVICTIONS, ("evicted", "evicted", "not-ready", "check", "was-evicted", "was-reclaimed")),
        (Feature.RECLAIMABLE, ("reclaimable", "reclaimable")),
        (Feature.POD_SETS, ("two-sets", "two-sets")),
        (Feature.ZEROS, ("zero", "zero")),
    ]
    chosen = [extra for feature, extras in special if options.has(feature) for extra in extras]
    rare = ("unreserved",) if options.has(Feature.UNRESERVED) else ()
    plain = 99 - len(chosen) * 5 - len(rare)
    return (*("plain",) * plain, "no-priority", *chosen * 5, *rare)


def _per_pod(usage: dict[str, Amount]) -> dict[str, Amount]:
    """What one pod of a set takes; pods are counted, not asked for."""
    return {resource: 1 if resource == PODS else amount for resource, amount in usage.items()}


def _conditions(extra: str, reserved: int) -> list[Object]:
    """Its conditions: quota reserved so many minutes ago, evicted before or after."""
    held = condition("QuotaReserved", "QuotaReserved", reserved)
    since = {
        "evicted": [
            condition("Evicted", "Preempted", 2),
            condition("Preempted", "InClusterQueue", 2),
        ],
        "not-ready": [condition("Evicted", "PodsReadyTimeout", 3)],
        "check": [condition("Evicted", "AdmissionCheck", 3)],
        "was-evicted": [
            condition("Evicted", "QuotaReserved", reserved, holds=False),
            condition("Preempted", "QuotaReserved", reserved, holds=False),
        ],
        "was-reclaimed": [condition("Preempted", "InCohortReclaimWhileBorrowing", 20)],
    }
    return since.get(extra, []) if extra == "unreserved" else [held, *since.get(extra, [])]
