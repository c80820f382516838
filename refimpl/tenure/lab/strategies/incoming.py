"""The incoming workload: what it asks for stands in relation to what is left."""

from __future__ import annotations

from typing import Any

from tenure.lab.strategies.amounts import PODS, step_of
from tenure.lab.strategies.dice import Dice
from tenure.lab.strategies.flavors import draw_constraints
from tenure.lab.strategies.ledger import Ledger, Node
from tenure.lab.strategies.objects import BOOST, Object, condition, pod_set, workload
from tenure.lab.strategies.options import Feature, Options
from tenure.model import Amount

# 3 stands twice: somebody who may preempt everybody is the case that decides most.
PRIORITIES = (3, 3, 2, 1, 3, 2, 0, 3)
CREATED = (40, 30, 30, 50)
REQUESTS = (
    *("more", "more", "more", "much-more", "much-more", "much-more"),
    *("nominal", "nominal", "above-nominal", "most", "most", "least-more", "step-more", "all"),
    *("too-much", "one-less", "all"),
)
SIDE_REQUESTS = ("step", "step", "all", "more", "zero", "none")
MOST_PODS = 8


class IncomingDraws:
    """Draws the incoming workload.

    Args:
        dice, options, ledger: see there; the ledger already charged with what is admitted.
        queue: the target, a ClusterQueue's API object.
        constrained: whether flavors have labels and taints.
        boost: whether it may carry the annotation that gate PriorityBoost reads.
    """

    def __init__(
        self, dice: Dice, options: Options, ledger: Ledger, queue: Object, *, constrained: bool, boost: bool
    ) -> None:
        self._dice = dice
        self._options = options
        self._node = ledger.queues[queue["metadata"]["name"]]
        self._groups = queue["spec"]["resourceGroups"]
        self._constrained = constrained
        self._boost = boost

    def workload(self) -> Object:
        """The pending workload."""
        requests = self._requests()
        second = self._second(requests)
        if second:
            first = next(iter(requests))
            requests[first] = max(0, requests[first] - step_of(first))
        count = self._count(requests)
        main = pod_set("main", count, _each(requests, count), **self._constraints())
        if count > 1 and self._options.has(Feature.PARTIAL) and self._dice.chance(70):
            main["minCount"] = 1 + self._dice.up_to(count - 2)
        pod_sets = [main, *second]
        order = self._dice.up_to(31)
        made = workload("in", "u99", CREATED[order // 8], PRIORITIES[order % 8], pod_sets)
        if self._boost and self._dice.chance(40):
            made["metadata"]["annotations"] = {BOOST: self._dice.pick(("1", "-1", "3"))}
        if self._options.has(Feature.EVICTIONS) and self._dice.chance(20):
            made["status"]["conditions"] = self._dice.pick(_PAST)
        return made

    def _requests(self) -> dict[str, Amount]:
        """What it asks for of every resource of one group, and perhaps of the others."""
        first = self._dice.up_to(len(self._groups) - 1)
        requests = self._group_requests(self._groups[first])
        for index, group in enumerate(self._groups):
            if index != first and self._dice.chance(50):
                resource = group["coveredResources"][0]
                place = group["flavors"][0]["name"], resource
                self._side(requests, place)
        return requests

    def _group_requests(self, group: Object) -> dict[str, Amount]:
        resources = group["coveredResources"]
        # Mostly the flavor that is tried first: what does not fit there, but elsewhere, comes by itself.
        flavors = [each["name"] for each in group["flavors"]]
        flavor = flavors[0] if len(flavors) == 1 else self._dice.pick((*flavors, flavors[0], flavors[-1]))
        place = flavor, resources[0]
        requests = {resources[0]: amount_for(self._dice.pick(REQUESTS), self._node, place)}
        for resource in resources[1:]:
            if resource != PODS:
                self._side(requests, (flavor, resource))
        return requests

    def _side(self, requests: dict[str, Amount], place: tuple[str, str]) -> None:
        kind = self._dice.pick(SIDE_REQUESTS)
        if kind == "none" or (kind == "zero" and not self._options.has(Feature.ZEROS)):
            return
        requests[place[1]] = {
            "step": min(step_of(place[1]), max(self._node.potential(place), 1)),
            "all": amount_for("all", self._node, place),
            "more": amount_for("step-more", self._node, place),
            "zero": 0,
        }[kind]

    def _count(self, requests: dict[str, Amount]) -> int:
        """As many pods as there are steps of every resource, now and then."""
        asked = [(amount, step_of(resource)) for resource, amount in requests.items() if amount]
        if not asked or not self._dice.chance(60):
            return 1
        steps = [amount // step for amount, step in asked if amount % step == 0]
        if len(steps) != len(asked) or not 1 < min(steps) <= MOST_PODS:
            return 1
        count = min(steps)
        return count if all(number % count == 0 for number in steps) else 1

    def _constraints(self) -> dict[str, Any]:
        return draw_constraints(self._dice) if self._constrained else {}

    def _second(self, requests: dict[str, Amount]) -> list[Object]:
        """Now and then another pod set, out of what the first was going to ask for."""
        if not self._options.has(Feature.POD_SETS) or not self._dice.chance(12):
            return []
        resource = next(iter(requests))
        return [pod_set("extra", 1, {resource: step_of(resource)}, **self._constraints())]


def amount_for(kind: str, node: Node, place: tuple[str, str]) -> Amount:
    """A request at the target, by its relation to what is left.

    Args:
        kind: one of `REQUESTS`.
        node: the target.
        place: flavor and resource.

    Returns:
        Milli-CPU for cpu, else base units; at least 1.

    >>> queue = Node("q0", nominal={("f0", "cpu"): 4000}, subtree={("f0", "cpu"): 4000})
    >>> queue.use(("f0", "cpu"), 3000)
    >>> [amount_for(kind, queue, ("f0", "cpu")) for kind in ("all", "least-more", "step-more", "most")]
    [1000, 1001, 2000, 4000]
    """
    step = step_of(place[1])
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
        # Above what it could ever have nobody need be asked.
        wanted = min(wanted, most)
    return max(wanted, 1)


def _each(requests: dict[str, Amount], count: int) -> dict[str, Amount]:
    return {resource: amount // count for resource, amount in requests.items()}


_PAST: tuple[list[Object], ...] = tuple(
    [condition("QuotaReserved", "Pending", minutes, holds=False), *more]
    for minutes, more in (
        (25, [condition("Evicted", "PodsReadyTimeout", 25)]),
        (30, [condition("Evicted", "AdmissionCheck", 30)]),
        (
            30,
            [
                condition("Evicted", "Preempted", 30),
                condition("Preempted", "InCohortReclaimWhileBorrowing", 30),
            ],
        ),
        (20, [condition("Evicted", "Preempted", 20), condition("Preempted", "InClusterQueue", 20)]),
    )
)
"""How it may have lost its quota before."""
