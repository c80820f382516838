"""What the workloads of a tree hold while some of them leave and come back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tenure.model import Amount, Amounts, FlavorResource, Workload
from tenure.rules.amounts import minus, plus


@dataclass(frozen=True, slots=True)
class Held:
    """What is held at every ClusterQueue of a tree; a value, never changed.

    Args:
        amounts: what the workloads of each ClusterQueue hold together, by the queue's place.
        of_heroes: the amounts of every single workload of a hero, by the queue's place.
    """

    amounts: Mapping[int, Amounts] = field(default_factory=dict)
    of_heroes: Mapping[int, tuple[Amounts, ...]] = field(default_factory=dict)

    def without(self, place: int, amounts: Amounts) -> Held:
        """The same without one workload."""
        held = dict(self.amounts.get(place, {}))
        for flavor_resource, amount in amounts.items():
            held[flavor_resource] = minus(held.get(flavor_resource, 0), amount)
        of_heroes = self.of_heroes
        if place in of_heroes:
            left = list(of_heroes[place])
            left.remove(amounts)
            of_heroes = {**of_heroes, place: tuple(left)}
        return Held({**self.amounts, place: held}, of_heroes)

    def beside(self, place: int, amounts: Amounts) -> Held:
        """The same with one more workload."""
        held = dict(self.amounts.get(place, {}))
        for flavor_resource, amount in amounts.items():
            held[flavor_resource] = plus(held.get(flavor_resource, 0), amount)
        of_heroes = self.of_heroes
        if place in of_heroes:
            of_heroes = {**of_heroes, place: (*of_heroes[place], amounts)}
        return Held({**self.amounts, place: held}, of_heroes)

    def used(self, place: int, flavor_resource: FlavorResource) -> Amount:
        """What is held of a flavor-resource at one ClusterQueue."""
        amounts = self.amounts.get(place)
        return 0 if amounts is None else amounts.get(flavor_resource, 0)


NOTHING_HELD: Final = Held()


def held_by(running: Mapping[int, tuple[Workload, ...]], heroes: Mapping[int, object]) -> Held:
    """What running workloads hold.

    Args:
        running: the workloads of each ClusterQueue, by the queue's place.
        heroes: the places of heroes.
    """
    amounts = {place: held_together(workloads) for place, workloads in running.items()}
    single = {place: tuple(workload.usage for workload in running.get(place, ())) for place in heroes}
    return Held(amounts, single)


def held_together(workloads: Iterable[Workload]) -> dict[FlavorResource, Amount]:
    """What a set of workloads holds together, per flavor-resource."""
    usages = [workload.usage for workload in workloads]
    held = dict.fromkeys(flavor_resource for usage in usages for flavor_resource in usage)
    return {at: together([usage.get(at, 0) for usage in usages]) for at in held}


def together(amounts: Sequence[Amount]) -> Amount:
    """The sum of amounts.

    >>> together([1, 2, 3])
    6
    """
    total = 0
    for amount in amounts:
        total = plus(total, amount)
    return total
