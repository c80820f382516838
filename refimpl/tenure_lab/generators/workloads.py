"""Draws of workloads: those that hold quota and fill the queues, and the one that preempts some of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tenure.model import (
    MINUTE,
    SECOND,
    Amount,
    Cluster,
    ClusterQueue,
    FlavorResource,
    Instant,
    NodeOperator,
    NodeRequirement,
    PodSet,
    ResourceGroup,
    Toleration,
    Workload,
)
from tenure_lab.generators.dice import Dice
from tenure_lab.generators.options import Feature, Options
from tenure_lab.generators.queues import POOL, TIER, TOLERATES_TAINT, DrawnTree, Proposals
from tenure_lab.generators.quotas import PODS, Ledger, QuotaNode, step_of

PRIORITIES = (0, 1, 2, 1)
"""Few, so that many are equal."""
CREATED = (50, 40, 30, 40)
RESERVED = (15, 10, 10, 5)
"""Minutes before the clock."""
PLANS = ("own", "others", "others", "others", "everywhere", "everywhere", "crowd", "crowd")
"""What fills up first: the target, all other queues, all of them, or one queue beside the target."""
STEPS: Final = (1, 1, 1, 2, 2, 3)
SMALL_STEPS: Final = (1, 1, 1, 1, 1, 1, 1, 2)
"""So many steps of quota a workload holds; small ones make more victims, and more work."""
BOOSTS = (1, -1, 2)
SHARED_UIDS = ("u", "u", "v", "")
PAST: Final = (
    *((past, Feature.EVICTIONS) for past in ("evicted", "evicted", "not-ready", "check", "was-reclaimed")),
    *(("was-timed", Feature.DURATIONS), ("no-priority", None), ("zero", Feature.ZEROS)),
    *(("other", None), ("other", None), ("unreserved", Feature.UNRESERVED)),
)
"""What is special about a workload that holds quota, and the feature that it belongs to."""

# 3 is named often: a workload that may preempt every other one is the case that decides most.
INCOMING_PRIORITIES = (3, 3, 2, 1, 3, 2, 0, 3)
INCOMING_CREATED = (40, 30, 30, 50)
REQUESTS = (
    *("more", "more", "more", "much-more", "much-more", "much-more"),
    *("nominal", "nominal", "above-nominal", "most", "most", "least-more", "step-more", "all"),
    *("too-much", "one-less", "all"),
)
SIDE_REQUESTS = ("step", "step", "all", "more", "zero", "none")
MOST_PODS = 8
WORKLOAD_DRAWS = 16
JOB_AGES = (45, 60, 30)

TOLERATIONS = (
    TOLERATES_TAINT,
    Toleration(exists=True),
    Toleration("dedicated", exists=True),
    Toleration("spot", exists=True, effect="NoExecute"),
    Toleration("dedicated", value="other"),
    Toleration("spot", exists=True, effect="NoSchedule"),
)
_IN, _NOT_IN, _EXISTS, _ABSENT = (
    NodeOperator.IN,
    NodeOperator.NOT_IN,
    NodeOperator.EXISTS,
    NodeOperator.DOES_NOT_EXIST,
)
REQUIREMENTS = (
    NodeRequirement(POOL, _IN, ("f1",)),
    NodeRequirement(POOL, _IN, ("f0", "f2")),
    NodeRequirement(POOL, _NOT_IN, ("f0",)),
    NodeRequirement(POOL, _EXISTS),
    NodeRequirement(POOL, _ABSENT),
    NodeRequirement(TIER, _ABSENT),
    NodeRequirement(TIER, _EXISTS),
    NodeRequirement(TIER, _NOT_IN, ("gold",)),
    NodeRequirement("zone", _IN, ("a",)),
)
SELECTORS: tuple[dict[str, str], ...] = (
    {POOL: "f1"},
    {POOL: "f0"},
    {TIER: "gold"},
    {"zone": "a"},
    {POOL: "f0", TIER: "gold"},
)


@dataclass(frozen=True, slots=True)
class WorkloadSetting:
    """What workloads are drawn for.

    Args:
        options, proposals: see there.
        tree: which queue is the target.
        cluster: its queues, flavors and classes; its workloads are not looked at.
        now: the clock, ns.
        constrained: whether flavors have labels and taints.
    """

    options: Options
    proposals: Proposals
    tree: DrawnTree
    cluster: Cluster
    now: Instant
    constrained: bool

    def before(self, minutes: int) -> Instant:
        """A whole second, as Kubernetes writes times, so many minutes before the clock."""
        return (self.now + 1) // SECOND * SECOND - minutes * MINUTE


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a workload may be put: a flavor of a resource group of a ClusterQueue."""

    queue: str
    flavor: str
    resources: tuple[str, ...]


class RunningDraws:
    """Draws the workloads that hold quota, and charges them.

    Args:
        dice, ledger, setting: see there.
    """

    def __init__(self, dice: Dice, ledger: Ledger, setting: WorkloadSetting) -> None:
        self._all = self._dice = dice
        self._ledger = ledger
        self._setting = setting
        options = setting.options
        self._debt = 2 if options.has(Feature.DEBT) and dice.chance(12) else 0
        self._pasts = [past for past, feature in PAST if feature is None or options.has(feature)]
        self._slots = [
            Slot(queue.name, quotas.flavor, group.covered_resources)
            for queue in setting.cluster.cluster_queues.values()
            for group in queue.resource_groups
            for quotas in group.flavors
            if quotas.flavor in setting.cluster.flavors
        ]

    def workloads(self, most: int) -> tuple[Workload, ...]:
        """The workloads, until there are so many or nothing more fits."""
        made: list[Workload] = []
        phases = self._phases()
        while len(made) < most:
            self._dice = self._all.section(WORKLOAD_DRAWS)
            slot = self._place(phases)
            if slot is None:
                break
            workload = self._workload(slot, len(made))
            self._ledger.charge(workload)
            made.append(workload)
        return tuple(made)

    def _phases(self) -> list[list[Slot]]:
        """The slots that are filled first, and those that follow when they are full."""
        tree = self._setting.tree
        root = tree.root_of(tree.target)
        near = [slot for slot in self._slots if tree.root_of(slot.queue) == root]
        own = [slot for slot in near if slot.queue == tree.target]
        others = [slot for slot in near if slot.queue != tree.target]
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
        return self._ledger.queues[slot.queue].available(FlavorResource(slot.flavor, resource))

    def _workload(self, slot: Slot, index: int) -> Workload:
        dice, setting = self._dice, self._setting
        past = dice.pick(self._pasts) if dice.chance(25) else ""
        if past == "unreserved" and setting.options.as_served and not dice.chance(25):
            past = ""  # a signed divergence (DV-050) would hide what else there is to compare
        since = setting.before(dice.pick(RESERVED))
        aged = bool(setting.cluster.growing) and dice.chance(40)
        return Workload(
            namespace="ns",
            name=f"w{index:02d}",
            uid=self._uid(index),
            priority=0 if past == "no-priority" else dice.pick(PRIORITIES),
            created_at=setting.before(dice.pick(CREATED)),
            quota_reserved_at=None if past == "unreserved" else since,
            priority_boost=dice.pick(BOOSTS) if setting.options.has(Feature.GATES) and dice.chance(10) else 0,
            **draw_class(dice, setting, aged=aged),
            cluster_queue=slot.queue,
            usage=self._usage(slot, past),
            **self._left_behind(past),
        )

    def _uid(self, index: int) -> str:
        """Unique, and in another order than the names; or one that many share."""
        if self._setting.options.unique_uids:
            return f"u{(index * 37 + 11) % 97:02d}"
        return self._dice.pick(SHARED_UIDS)

    def _left_behind(self, past: str) -> dict[str, Any]:
        """What evictions before have left in its conditions."""
        lately = self._setting.before(3)
        ago = self._setting.before(self._dice.pick((20, 35, 45)))
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
        steps = self._dice.pick(SMALL_STEPS if self._setting.options.as_served else STEPS)
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
        others = [other for other in self._slots if other.queue == slot.queue and other.flavor != slot.flavor]
        if others:
            other = self._dice.pick(others)
            room = self._room(other, other.resources[0])
            if room > 0:
                place = FlavorResource(other.flavor, other.resources[0])
                usage[place] = min(step_of(other.resources[0]), room)


def draw_class(dice: Dice, setting: WorkloadSetting, *, aged: bool) -> dict[str, Any]:
    """The class whose priority grows, and when its Job was made, as fields of a Workload."""
    if not aged:
        return {}
    named = dice.pick(tuple(setting.cluster.growing))
    created = setting.before(dice.pick(JOB_AGES)) if dice.chance(40) else None
    return {"priority_class": named, "job_created_at": created}


class IncomingDraws:
    """Draws the workload that is decided: its requests are chosen in relation to what is left.

    Args:
        dice, setting: see there.
        ledger: charged with what runs.
    """

    def __init__(self, dice: Dice, ledger: Ledger, setting: WorkloadSetting) -> None:
        self._dice = dice
        self._setting = setting
        self._options = setting.options
        self._queue: ClusterQueue = setting.cluster.cluster_queues[setting.tree.target]
        self._node = ledger.queues[setting.tree.target]

    def workload(self) -> Workload:
        """The pending workload."""
        dice, setting = self._dice, self._setting
        requests = self._requests()
        second = self._second(requests)
        equal = setting.proposals.durations and dice.chance(60)
        aged = bool(setting.cluster.growing) and dice.chance(40)
        return Workload(
            namespace="ns",
            name="in",
            uid="u99",
            priority=dice.pick((1, 0, 2)) if equal else dice.pick(INCOMING_PRIORITIES),
            created_at=setting.before(dice.pick(INCOMING_CREATED)),
            priority_boost=dice.pick((1, -1, 3))
            if self._options.has(Feature.GATES) and dice.chance(10)
            else 0,
            **draw_class(dice, setting, aged=aged),
            pod_sets=(self._main(requests), *second),
            **self._past(),
        )

    def _past(self) -> dict[str, Any]:
        """How it may have lost its quota before."""
        timed, evicted = self._options.has(Feature.DURATIONS), self._options.has(Feature.EVICTIONS)
        if not (timed or evicted) or not self._dice.chance(30):
            return {}
        ago = self._setting.before(self._dice.pick((20, 25, 30, 45)))
        pasts: list[dict[str, Any]] = []
        if timed:
            pasts += [{"evicted": True, "time_based_preempted_at": ago}, {"time_based_preempted_at": ago}]
        if evicted:
            pasts += [
                {"evicted": True, "pods_ready_evicted_at": ago},
                {"evicted": True, "admission_check_evicted_at": ago},
                {"evicted": True, "preempted_while_borrowing_at": ago},
                {"evicted": True},
            ]
        return self._dice.pick(pasts)

    def _requests(self) -> dict[str, Amount]:
        """Its requests of every resource of one group, and perhaps of the others."""
        chosen = self._dice.pick(self._queue.resource_groups)
        requests = self._group_requests(chosen)
        for group in self._queue.resource_groups:
            if group is not chosen and self._dice.chance(50):
                self._add_side(requests, group.flavors[0].flavor, group.covered_resources[0])
        return requests

    def _group_requests(self, group: ResourceGroup) -> dict[str, Amount]:
        first, *others = group.covered_resources
        names = [quotas.flavor for quotas in group.flavors]
        # Mostly the flavor that is tried first: what does not fit there, but elsewhere, comes by itself.
        flavor = self._dice.pick((*names, names[0], names[-1]))
        requests = {first: amount_for(self._dice.pick(REQUESTS), self._node, FlavorResource(flavor, first))}
        for resource in others:
            if resource != PODS:
                self._add_side(requests, flavor, resource)
        return requests

    def _add_side(self, requests: dict[str, Amount], flavor: str, resource: str) -> None:
        place = FlavorResource(flavor, resource)
        kind = self._dice.pick(SIDE_REQUESTS)
        if kind == "step":
            requests[resource] = min(step_of(resource), max(self._node.potential(place), 1))
        elif kind in ("all", "more"):
            requests[resource] = amount_for("all" if kind == "all" else "step-more", self._node, place)
        elif kind == "zero" and self._options.has(Feature.ZEROS):
            requests[resource] = 0

    def _second(self, requests: dict[str, Amount]) -> tuple[PodSet, ...]:
        """Now and then another pod set, out of what the first was going to ask for."""
        if not self._options.has(Feature.POD_SETS) or not self._dice.chance(12):
            return ()
        resource = next(iter(requests))
        step = step_of(resource)
        requests[resource] = max(0, requests[resource] - step)
        return (PodSet("extra", 1, {resource: step}, **self._constraints()),)

    def _main(self, requests: Mapping[str, Amount]) -> PodSet:
        """As many pods as there are steps of every resource, now and then; seldom some are reclaimable."""
        dice = self._dice
        count = _count(requests) if dice.chance(60) else 1
        partial = count > 1 and self._options.has(Feature.PARTIAL) and dice.chance(70)
        least = 1 + dice.up_to(count - 2) if partial else None
        spare = self._options.has(Feature.RECLAIMABLE) and dice.chance(4)
        return PodSet(
            "main",
            count,
            requests,
            min_count=least,
            full_count=count + 1 if spare else None,
            **self._constraints(),
        )

    def _constraints(self) -> dict[str, Any]:
        """Fields of a PodSet: node selector, required affinity and tolerations."""
        if not self._setting.constrained:
            return {}
        dice = self._dice
        kind = dice.up_to(13)
        fields: dict[str, Any] = {}
        if kind in (4, 9):
            fields["node_selector"] = dice.pick(SELECTORS)
        if kind in (5, 6, 7):
            fields["node_affinity"] = tuple(
                tuple(dice.pick(REQUIREMENTS) for _ in range(dice.pick((1, 1, 2))))
                for _ in range(2 if kind == 7 else 1)
            )
        if kind in (3, 6, 8, 9):
            fields["tolerations"] = (dice.pick(TOLERATIONS),)
        return fields


def _count(requests: Mapping[str, Amount]) -> int:
    steps = [(amount, step_of(resource)) for resource, amount in requests.items() if amount]
    if not steps or any(amount % step for amount, step in steps):
        return 1
    count = min(amount // step for amount, step in steps)
    return count if count <= MOST_PODS and all(amount % count == 0 for amount, _ in steps) else 1


def amount_for(kind: str, node: QuotaNode, place: FlavorResource) -> Amount:
    """A request at the target, by its relation to what is left.

    Args:
        kind: one of `REQUESTS`.
        node: the target.
        place: the requested resource.

    Returns:
        Milli-CPU for cpu, else base units; at least 1.

    >>> place = FlavorResource("f0", "cpu")
    >>> queue = QuotaNode("q0", nominal={place: 4000}, subtree={place: 4000})
    >>> queue.use(place, 3000)
    >>> [amount_for(kind, queue, place) for kind in ("all", "least-more", "step-more", "most")]
    [1000, 1001, 2000, 4000]
    """
    step = step_of(place.resource)
    left, most = max(node.available(place), 0), node.potential(place)
    nominal = node.nominal.get(place, 0) - node.usage.get(place, 0)
    wanted = {
        "more": left + 3 * step,
        "much-more": left + 5 * step,
        "step-more": left + step,
        "least-more": left + 1,
        "all": left,
        "one-less": left - 1,
        "nominal": nominal if nominal > left else left + 3 * step,
        "above-nominal": max(nominal, left) + 2 * step,
        "most": most,
        "too-much": most + 1,
    }[kind]
    if kind != "too-much":
        # More than it could ever have decides nothing.
        wanted = min(wanted, most)
    return max(wanted, 1)
