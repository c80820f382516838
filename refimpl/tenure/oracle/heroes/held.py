"""What the workloads of a tree hold while some of them leave and come back."""

from __future__ import annotations

from collections import Counter
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
        counts: how many workloads of a hero hold an amount of a flavor-resource, by the hero's place.
    """

    amounts: Mapping[int, Amounts] = field(default_factory=dict)
    counts: Mapping[int, Mapping[FlavorResource, Mapping[Amount, int]]] = field(default_factory=dict)

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
    return Held(amounts, {place: _counts_of(running.get(place, ())) for place in heroes})


def held_without(held: Held, place: int, amounts: Amounts) -> Held:
    """What is held once a workload has left a ClusterQueue."""
    return _changed(held, place, amounts, adding=False)


def held_beside(held: Held, place: int, amounts: Amounts) -> Held:
    """What is held once a workload has come to a ClusterQueue."""
    return _changed(held, place, amounts, adding=True)


def _changed(held: Held, place: int, amounts: Amounts, *, adding: bool) -> Held:
    before = held.amounts.get(place, {})
    after = {at: _by(before.get(at, 0), amount, adding=adding) for at, amount in amounts.items()}
    together = {**held.amounts, place: {**before, **after}}
    if place in held.counts:
        counts = held.counts.get(place, {})
        counted = {
            at: {**counts.get(at, {}), amount: _by(counts.get(at, {}).get(amount, 0), 1, adding=adding)}
            for at, amount in amounts.items()
        }
        return Held(together, {**held.counts, place: {**counts, **counted}})
    return Held(together, held.counts)


def _by(before: int, more: int, *, adding: bool) -> int:
    return plus(before, more) if adding else minus(before, more)


def _counts_of(workloads: Iterable[Workload]) -> Mapping[FlavorResource, Mapping[Amount, int]]:
    counts: dict[FlavorResource, Counter[Amount]] = {}
    for workload in workloads:
        for at, amount in workload.usage.items():
            counts.setdefault(at, Counter())[amount] += 1
    return counts


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
