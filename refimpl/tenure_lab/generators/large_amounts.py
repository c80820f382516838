"""Scenarios whose amounts of one resource are near 2^63, where sums stop being bounded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar

from tenure.conformance.requests import DecideRequest
from tenure.model import UNLIMITED, Amount, ClusterQueue, Cohort, PodSet, Workload
from tenure_lab.generators.dice import Dice
from tenure_lab.generators.options import Feature, Options
from tenure_lab.generators.quotas import CPU, PODS, step_of

_HOLDER = TypeVar("_HOLDER", ClusterQueue, Cohort)
_Scale = Callable[[Amount], Amount]

PERCENT = 4
"""In so many of a hundred scenarios."""
STEPS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
"""How many drawn steps reach 2^63."""


def scaled(request: DecideRequest, dice: Dice, options: Options) -> DecideRequest:
    """The scenario, or now and then the same with every amount of one resource multiplied.

    Args:
        request: as it was drawn.
        dice: of this alone, where another part of the scenario must not change with it.
        options: whether it may be.

    Quotas, limits, usage and requests grow alike, so that what was full is full; what reaches 2^63 - 1 is
    unlimited, as in Kueue. An amount may be one more or one less than the multiple.
    """
    queue = request.cluster.cluster_queues[request.queue]
    resources = sorted({name for group in queue.resource_groups for name in group.covered_resources} - {PODS})
    if not (options.has(Feature.LARGE) and dice.chance(PERCENT) and resources):
        return request
    resource = dice.pick(resources)
    step = 2**63 // dice.pick(STEPS)
    beside = dice.pick((0, 0, 0, -1, 1))
    # Kueue counts cores in thousandths, and calls unlimited what is no whole number of cores below the end.
    unlimited = UNLIMITED // step_of(CPU) * step_of(CPU) if resource == CPU else UNLIMITED

    def larger(amount: Amount) -> Amount:
        whole, rest = divmod(amount, step_of(resource))
        scaled_up = whole * step + rest + beside
        if amount <= 0:
            return amount
        return scaled_up if scaled_up < unlimited else UNLIMITED

    return _with(request, resource, larger)


def _with(request: DecideRequest, resource: str, larger: _Scale) -> DecideRequest:
    def workload(given: Workload) -> Workload:
        pod_sets = tuple(_pod_set(pods, resource, larger) for pods in given.pod_sets)
        usage = {
            at: larger(amount) if at.resource == resource else amount for at, amount in given.usage.items()
        }
        return replace(given, pod_sets=pod_sets, usage=usage)

    cluster = request.cluster
    waiting = workload(request.preemptor)
    return replace(
        request,
        preemptor=waiting,
        cluster=replace(
            cluster,
            cluster_queues={
                name: _quotas(queue, resource, larger) for name, queue in cluster.cluster_queues.items()
            },
            cohorts={name: _quotas(cohort, resource, larger) for name, cohort in cluster.cohorts.items()},
            admitted=tuple(map(workload, cluster.admitted)),
            pending=(waiting,),
        ),
    )


def _quotas(holder: _HOLDER, resource: str, larger: _Scale) -> _HOLDER:
    groups = tuple(
        replace(
            group,
            flavors=tuple(
                replace(
                    flavor,
                    nominal=_amounts(flavor.nominal, resource, larger),
                    borrowing_limits=_amounts(flavor.borrowing_limits, resource, larger),
                    lending_limits=_amounts(flavor.lending_limits, resource, larger),
                )
                for flavor in group.flavors
            ),
        )
        for group in holder.resource_groups
    )
    return replace(holder, resource_groups=groups)


def _amounts(amounts: Mapping[str, Amount], resource: str, larger: _Scale) -> dict[str, Amount]:
    return {name: larger(amount) if name == resource else amount for name, amount in amounts.items()}


def _pod_set(pods: PodSet, resource: str, larger: _Scale) -> PodSet:
    """Every pod requests the same, so the set requests a multiple of its count."""

    def together(amount: Amount) -> Amount:
        return min(larger(amount // pods.count), UNLIMITED // pods.count) * pods.count

    return replace(pods, requests=_amounts(pods.requests, resource, together))
