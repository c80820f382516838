"""Whole requests: the `input` of the oracle's call `decide`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tenure.lab.strategies.admitted import WORKLOAD_DRAWS, AdmittedDraws
from tenure.lab.strategies.dice import Dice
from tenure.lab.strategies.flavors import draw_flavors
from tenure.lab.strategies.incoming import IncomingDraws
from tenure.lab.strategies.ledger import Ledger
from tenure.lab.strategies.objects import Object, stamp
from tenure.lab.strategies.options import Feature, Options
from tenure.lab.strategies.proposals import add_proposals, proposal_draws
from tenure.lab.strategies.queues import COHORT_DRAWS, QUEUE_DRAWS, QueueDraws, draw_layout, flavor_names
from tenure.lab.strategies.tree import MOST_COHORTS, draw_tree

if TYPE_CHECKING:
    from tenure.conformance.requests import DecideRequest

BOOST_GATE = "PriorityBoost"
GATES = {
    "FairSharingPreemptWithinNominal": True,
    "FlavorFungibility": True,
    "PartialAdmission": True,
    BOOST_GATE: False,
    "PrioritySortingWithinCohort": True,
    "ReclaimablePods": True,
}
"""The feature gates that scenarios vary, with their defaults in Kueue v0.19."""

FINAL, INITIAL = "LessThanOrEqualToFinalShare", "LessThanInitialShare"
STRATEGIES: tuple[list[str], ...] = ([], [FINAL, INITIAL], [FINAL], [INITIAL])

# Draws of the parts of a scenario, at most.
_SETTINGS, _INCOMING, _TREE, _FLAVORS, _QUEUES, _ADMITTED = 8, 24, 24, 8, 4, 4

CHUNK = 500
"""Draws of one Hypothesis run: few enough to see progress in between."""


def decide_inputs(**options: Any) -> st.SearchStrategy[Object]:
    """Requests about clusters that are nearly full: the `input` of the oracle's call `decide`.

    Args:
        options: the fields of `Options`, each with its default.

    Returns:
        A strategy of JSON objects: Kueue v1beta2 API objects with explicit values, and no assignment.

    Raises:
        TypeError: an option that does not exist.
        ValueError: an option outside its range.

    Source: design of the JSON-lines oracle, call decide; Kueue v1beta2 API and webhooks for what is legal.

    >>> from hypothesis import find
    >>> small = find(decide_inputs(), lambda scenario: True)
    >>> small["targetCQ"], len(small["admitted"]), small["fairSharing"]
    ('q0', 1, None)
    """
    chosen = Options(**options)
    size = _draws(chosen)
    return st.binary(min_size=size, max_size=size).map(lambda drawn: scenario_of(drawn, chosen))


def clusters(**options: Any) -> st.SearchStrategy[DecideRequest]:
    """The same scenarios, read: cluster, preemptor, queue and clock as the oracle takes them.

    Args:
        options: as for `decide_inputs`.

    Raises:
        TypeError: an option that does not exist.
        ValueError: an option outside its range.

    >>> clusters(max_depth=9)
    Traceback (most recent call last):
    ValueError: max_depth: found 9, expected 0 to 4
    """
    return decide_inputs(**options).map(_request)


def _request(scenario: Object) -> DecideRequest:
    # Imported here: who only wants JSON needs no oracle.
    from tenure.conformance.requests import read_decide_request

    return read_decide_request(scenario)


def examples(count: int, seed: int, **options: Any) -> Iterator[Object]:
    """Draw scenarios one after another, the same ones for the same arguments.

    Args:
        count: how many.
        seed: any whole number.
        options: as for `decide_inputs`.

    Raises:
        TypeError: an option that does not exist.
        ValueError: an option outside its range.

    >>> [drawn["targetCQ"] for drawn in examples(3, 1)] == [drawn["targetCQ"] for drawn in examples(3, 1)]
    True
    """
    number = 0
    while count > 0:
        drawn = chunk(seed, number, min(count, CHUNK), **options)
        yield from drawn
        count -= len(drawn)
        number += 1


class _EnoughDrawn(BaseException):
    """So many scenarios as were asked for have been drawn; Hypothesis lets through what is no Exception."""


def chunk(
    seed: int, number: int, size: int = CHUNK, *, most: int | None = None, **options: Any
) -> list[Object]:
    """Draw one run of scenarios.

    Args:
        seed: any whole number.
        number: which run, from 0.
        size: how many draws; scenarios that come up again are left out. Another size gives others.
        most: how many of its scenarios, at least 1; None for all.
        options: as for `decide_inputs`.

    Raises:
        TypeError: an option that does not exist.
        ValueError: an option outside its range.

    >>> chunk(1, 0, 5)[:2] == chunk(1, 0, 5, most=2)
    True
    """
    drawn: dict[str, Object] = {}
    with suppress(_EnoughDrawn):
        _collector(decide_inputs(**options), f"{seed}/{number}", size, drawn, most)()
    return list(drawn.values())


def _collector(
    strategy: st.SearchStrategy[Object], name: str, size: int, into: dict[str, Object], most: int | None
) -> Any:
    # A text, because the numbers of one seed's runs must not be those of another's.
    @seed(name)
    @settings(
        phases=[Phase.generate],
        database=None,
        max_examples=size,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(scenario: Object) -> None:
        # Hypothesis varies its draws one by one, and many variations make no difference.
        into.setdefault(json.dumps(scenario), scenario)
        if len(into) == most:
            raise _EnoughDrawn

    return collect


def scenario_of(drawn: bytes, options: Options) -> Object:
    """The scenario that some bytes stand for; smaller bytes for a simpler one.

    >>> scenario_of(b"", Options())["clusterQueues"][0]["spec"]["preemption"]["withinClusterQueue"]
    'LowerPriority'
    """
    added = proposal_draws(options)
    dice, proposed = Dice(drawn[: len(drawn) - added]), Dice(drawn[len(drawn) - added :])
    settings_dice, asking_dice = dice.section(_SETTINGS), dice.section(_INCOMING)
    tree = draw_tree(dice.section(_TREE), options)
    fair_sharing = _fair_sharing(settings_dice, options)
    gates = _gates(settings_dice, options)
    boost = gates[BOOST_GATE] or (options.has(Feature.GATES) and settings_dice.chance(5))
    timestamp = settings_dice.pick(("Eviction", "Creation"))
    layout = draw_layout(settings_dice, options)
    queues = QueueDraws(
        dice.section(_queue_draws(options)), options, tree, layout, fair=fair_sharing is not None
    )
    cluster_queues, cohorts = queues.cluster_queues(), queues.cohorts()
    flavors = draw_flavors(dice.section(_FLAVORS), options, flavor_names(layout))
    ledger = Ledger(cluster_queues, cohorts)
    filling = AdmittedDraws(dice, options, tree, ledger, cluster_queues, boost=boost)
    admitted = filling.workloads()
    (target,) = (each for each in cluster_queues if each["metadata"]["name"] == tree.target)
    asking = IncomingDraws(asking_dice, options, ledger, target, constrained=flavors.constrained, boost=boost)
    scenario = {
        "now": stamp(0),
        "featureGates": gates,
        "fairSharing": fair_sharing,
        "requeuingTimestamp": timestamp,
        "clusterQueues": cluster_queues,
        "cohorts": cohorts,
        "resourceFlavors": flavors.objects,
        "admitted": admitted,
        "incoming": asking.workload(),
        "targetCQ": tree.target,
        "assignment": None,
    }
    add_proposals(proposed, options, scenario)
    return scenario


def _queue_draws(options: Options) -> int:
    return _QUEUES + QUEUE_DRAWS * options.max_queues + COHORT_DRAWS * MOST_COHORTS


def _draws(options: Options) -> int:
    most = _ADMITTED + WORKLOAD_DRAWS * options.max_workloads
    base = _SETTINGS + _INCOMING + _TREE + _queue_draws(options) + _FLAVORS + most
    return base + proposal_draws(options)


def _fair_sharing(dice: Dice, options: Options) -> Object | None:
    wanted = options.fair_sharing
    strategies = dice.pick(STRATEGIES) if wanted is None or wanted else None
    fair = wanted if wanted is not None else dice.chance(45)
    return {"preemptionStrategies": list(strategies)} if fair and strategies is not None else None


def _gates(dice: Dice, options: Options) -> dict[str, bool]:
    gates = dict(GATES)
    if options.has(Feature.GATES) and dice.chance(30):
        changed = dice.pick((BOOST_GATE, *gates))
        gates[changed] = not gates[changed]
    return gates
