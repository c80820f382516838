"""Whole scenarios from dice: a cluster that is nearly full, and a workload that waits in it.

What is drawn are model objects; `tenure_lab.generators.writing` makes manifests of them. A scenario of a
campaign is a function of its seed and its index alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from tenure.conformance.requests import DecideRequest
from tenure.model import (
    MINUTE,
    SECOND,
    Cluster,
    DynamicPriorityPolicy,
    FairStrategy,
    Instant,
    RequeuingTimestamp,
    Settings,
    WorkloadPriorityClass,
)
from tenure.readings import CHOICES, PROOFS_ONLY, Reading, default_preset, preset, preset_names
from tenure_lab.generators.configured import with_configs
from tenure_lab.generators.dice import Dice, SeededDice
from tenure_lab.generators.large_amounts import scaled
from tenure_lab.generators.options import ALL_FEATURES, PROPOSALS, Feature, Options
from tenure_lab.generators.queues import (
    COHORT_DRAWS,
    MOST_COHORTS,
    QUEUE_DRAWS,
    Proposals,
    QueueDraws,
    draw_flavors,
    draw_layout,
    draw_tree,
)
from tenure_lab.generators.quotas import Ledger
from tenure_lab.generators.workloads import WORKLOAD_DRAWS, IncomingDraws, RunningDraws, WorkloadSetting
from tenure_lab.generators.writing import write_request

Object = dict[str, Any]

NOW: Instant = 1_787_400_000 * SECOND
"""The clock of most scenarios, ns: 2026-08-22T12:00:00Z."""
CLOCKS: tuple[Instant, ...] = (NOW,) * 6 + (NOW + 1, NOW - 1)
"""Durations that end exactly now, a nanosecond ago, or a nanosecond from now."""

_FINAL, _INITIAL = FairStrategy.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE, FairStrategy.LESS_THAN_INITIAL_SHARE
STRATEGIES = ((_FINAL, _INITIAL), (_FINAL, _INITIAL), (_FINAL,), (_INITIAL,))

CLASS_NAMES = ("aging", "patient")
POLICY_PATHS = ("dynamicPriorityPolicy", "spec.dynamicPriorityPolicy")
GROWTH = (
    *(DynamicPriorityPolicy(1, 3, 15 * MINUTE), DynamicPriorityPolicy(2, 2, 40 * MINUTE)) * 5,
    *(DynamicPriorityPolicy(1, 2, 7 * MINUTE), DynamicPriorityPolicy(0, 1, MINUTE)) * 5,
    *(DynamicPriorityPolicy(1, 3, 10 * MINUTE), DynamicPriorityPolicy(1, 2, 599_999_999_999)) * 5,
    # What `guaranteed` refuses; few, since a refused decision shows little.
    DynamicPriorityPolicy(-1, 3, 10 * MINUTE),
    DynamicPriorityPolicy(1, None, 10 * MINUTE),
)


_PART = 32
"""Draws of a part of a scenario, at most."""


@dataclass(frozen=True, slots=True)
class _Size:
    """So many queues and workloads at most."""

    queues: int
    workloads: tuple[int, ...]


CORE = Options(features=ALL_FEATURES, as_served=False)
"""What scenarios for the optimized core may hold; how large they are is drawn."""
CORE_SIZES = (
    *(_Size(3, (2, 4, 6, 6)),) * 4,
    *(_Size(4, (4, 8, 10)),) * 4,
    *(_Size(6, (8, 12, 16)),) * 2,
    _Size(8, (24, 30)),
)
"""Most are small: what both sides do otherwise shows in a few workloads, and a small one costs less."""


def draw_for_core(seed: int, index: int, heroes: int = 20, configs: int = 20) -> DecideRequest:
    """One scenario for the optimized core: everything that the model knows, an unset policy included.

    Args:
        seed: any whole number.
        index: which of its scenarios, from 0.
        heroes: in how many of a hundred scenarios ClusterQueues may be heroes (KEP-8826).
        configs: in how many of a hundred others they name PreemptionConfigs (KEP-13396).

    >>> draw_for_core(8522, 7) == draw_for_core(8522, 7)
    True
    """
    dice = SeededDice(f"{seed}/{index}")
    proposals = Proposals(durations=dice.chance(45), ageing=dice.chance(20), heroes=dice.chance(heroes))
    size = dice.pick(CORE_SIZES)
    drawn = _draw(dice, replace(CORE, max_queues=size.queues), proposals, size.workloads)
    # Drawn apart, so that a scenario without a PreemptionConfig is the same beside others with one.
    own = SeededDice(f"{seed}/{index}/configs")
    return with_configs(drawn, own) if not proposals.heroes and own.chance(configs) else drawn


def draw_request(dice: Dice, options: Options) -> DecideRequest:
    """One scenario of these options; every proposal among its features plays a part."""
    has = options.has
    proposals = Proposals(has(Feature.DURATIONS), has(Feature.AGEING), has(Feature.HEROES))
    most = options.max_workloads
    return _draw(dice, options, proposals, (*(min(few, most) for few in (1, 2, 3, 5)), *(most,) * 20))


def draw_input(dice: Dice, options: Options) -> Object:
    """The same as the `input` of the oracle's call `decide`; where several forms say the same, one is drawn.

    >>> draw_input(Dice(), Options())["targetCQ"]
    'q0'
    """
    request = scaled(draw_request(dice, options), dice, options)
    return write_request(request, dice, options.features)


def draws_of(options: Options) -> int:
    """How many draws scenarios of these options take, mostly; what comes after them is the simplest.

    >>> draws_of(Options(max_workloads=1, max_queues=1))
    412
    """
    return 8 * _PART + _queue_draws(options) + WORKLOAD_DRAWS * options.max_workloads


def _queue_draws(options: Options) -> int:
    return _PART + QUEUE_DRAWS * options.max_queues + COHORT_DRAWS * MOST_COHORTS


def drawn_example(seed: int, index: int, options: Options) -> tuple[DecideRequest, Object]:
    """One of the scenarios of a seed, alone, and as the `input` of call `decide`."""
    # Scales are drawn apart, so that all that is not near 2^63 is drawn as it is without them.
    dice, scales = SeededDice(f"{seed}/{index}"), SeededDice(f"{seed}/{index}/scales")
    request = scaled(draw_request(dice, options), scales, options)
    return request, write_request(request, dice, options.features)


def examples(count: int, seed: int, **options: Any) -> Iterator[Object]:
    """Draw scenarios one after another, the same ones for the same arguments.

    Args:
        count: how many.
        seed: any whole number.
        options: the fields of `Options`, each with its default.

    Returns:
        JSON objects: Kueue v1beta2 API objects with explicit values, and no assignment.

    Raises:
        TypeError: an option that does not exist.
        ValueError: an option outside its range.

    Source: design of the JSON-lines oracle, call decide; Kueue v1beta2 API and webhooks for what is legal.

    >>> [drawn["targetCQ"] for drawn in examples(3, 1)] == [drawn["targetCQ"] for drawn in examples(3, 1)]
    True
    """
    chosen = Options(**options)
    return (drawn_example(seed, index, chosen)[1] for index in range(count))


def _draw(dice: Dice, options: Options, proposals: Proposals, counts: tuple[int, ...]) -> DecideRequest:
    now = dice.pick(CLOCKS)
    asking, reading, ageing = (dice.section(_PART) for _ in range(3))
    tree = draw_tree(dice.section(_PART), options)
    settings = draw_settings(dice.section(_PART), options)
    layout = draw_layout(dice, options)
    flavors = draw_flavors(dice.section(_PART), options, layout)
    placing = dice.section(_queue_draws(options))
    made = QueueDraws(placing, options, proposals, tree, layout, fair=settings.fair_sharing is not None)
    queues, cohorts = made.cluster_queues(flavors.by_name), made.cohorts()
    empty = Cluster(
        cluster_queues=queues,
        flavors=flavors.by_name,
        settings=settings,
        cohorts=cohorts,
        growing=draw_classes(ageing) if proposals.ageing else {},
    )
    setting = WorkloadSetting(options, proposals, tree, empty, now, flavors.constrained)
    ledger = Ledger(queues.values(), cohorts.values())
    admitted = RunningDraws(dice, ledger, setting).workloads(dice.pick(counts))
    waiting = IncomingDraws(asking, ledger, setting).workload()
    return DecideRequest(
        cluster=replace(empty, admitted=admitted, pending=(waiting,)),
        preemptor=waiting,
        queue=tree.target,
        now=now,
        reading=draw_reading(reading) if options.features & PROPOSALS else preset(default_preset()),
        assignment=None,
        explained=False,
    )


def draw_settings(dice: Dice, options: Options) -> Settings:
    """Fair sharing or not, and now and then a feature gate that is not at its default.

    >>> draw_settings(Dice(), Options()).fair_sharing is None
    True
    """
    unusual = options.has(Feature.GATES) and dice.chance(30)
    timed = options.has(Feature.DURATIONS)
    return Settings(
        time_based_preemption=not (unusual and timed and dice.chance(15)),
        requeuing_timestamp=dice.pick((RequeuingTimestamp.EVICTION, RequeuingTimestamp.CREATION)),
        fair_sharing=_fair_sharing(dice, options),
        priority_boost=unusual and dice.chance(30),
        priority_sorting_within_cohort=not (unusual and dice.chance(20)),
        fair_sharing_preempt_within_nominal=not (unusual and dice.chance(20)),
        flavor_fungibility=not (unusual and dice.chance(20)),
        partial_admission=not (unusual and dice.chance(20)),
    )


def _fair_sharing(dice: Dice, options: Options) -> tuple[FairStrategy, ...] | None:
    fair = dice.chance(45) if options.fair_sharing is None else options.fair_sharing
    return dice.pick(STRATEGIES) if fair else None


def draw_classes(dice: Dice) -> dict[str, WorkloadPriorityClass]:
    """Every class whose priority grows (KEP-754), by name.

    >>> list(draw_classes(Dice()))
    ['aging', 'patient']
    """
    return {
        name: WorkloadPriorityClass(
            name, dice.pick((0, 1, 0, -1)), dice.pick(GROWTH), dice.pick(POLICY_PATHS)
        )
        for name in CLASS_NAMES
    }


def draw_reading(dice: Dice) -> Reading:
    """A preset; in every third scenario with a choice or two that are another's.

    >>> draw_reading(Dice()).name
    'guaranteed'
    """
    name = dice.pick(("guaranteed", "guaranteed", *preset_names()))
    if not dice.chance(35):
        return preset(name)
    changed: dict[str, Any] = dict(dice.pick(_choices()) for _ in range(dice.pick((1, 2))))
    return replace(preset(name), name="custom", **changed)


@cache
def _choices() -> tuple[tuple[str, Any], ...]:
    """Every key with every choice that a decision may be made under."""
    return tuple(
        (key, choice)
        for key, members in CHOICES.items()
        for choice in members
        if choice is not PROOFS_ONLY.get(key)
    )
