"""Random PreemptionConfigs for random configurations."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Final

from tenure.model import (
    CandidateScope,
    CandidateSelector,
    ClassNames,
    Cluster,
    Comparison,
    LabelSelector,
    NodeOperator,
    NodeRequirement,
    NumericLabel,
    PreemptionConfig,
    PreemptionRule,
    PriorityMode,
    Trigger,
)

_KEYS: Final = ("team", "size")
_VALUES: Final = ("a", "b", "3")
_NAMES: Final = ("batch", "hero")
_FAULT: Final = LabelSelector(fault="operator invalid of label team is none")


def with_configs(dice: random.Random, cluster: Cluster) -> Cluster:
    """A configuration of which one ClusterQueue or more name a PreemptionConfig, which may be missing.

    Args:
        dice: draw them.
        cluster: the configuration without.

    >>> from tenure.model import ClusterQueue
    >>> found = with_configs(random.Random(1), Cluster({"a": ClusterQueue("a")}))
    >>> found.cluster_queues["a"].preemption_config
    'one'
    """
    names = sorted(cluster.cluster_queues)
    configured = {dice.choice(names), *(name for name in names if dice.random() < 0.3)}
    queues = {
        name: replace(
            queue,
            preemption_config=dice.choice(("one", "one", "one", "other", "missing" if number else "one"))
            if name in configured
            else None,
            labels={"team": dice.choice(_VALUES)} if dice.random() < 0.5 else {},
        )
        for number, (name, queue) in enumerate(cluster.cluster_queues.items())
    }
    configs = {name: PreemptionConfig(name, _rules(dice)) for name in ("one", "other")}
    return replace(
        cluster,
        cluster_queues=queues,
        preemption_configs=configs,
        class_names=dice.choice(({}, {0: ("batch",), 2: ("hero", "other")})),
    )


def _rules(dice: random.Random) -> tuple[PreemptionRule, ...]:
    return tuple(
        PreemptionRule(
            f"r{number}",
            dice.choice((Trigger.ALWAYS, Trigger.ALWAYS, *Trigger)),
            _FAULT if dice.random() < 0.05 else _labels(dice, 0.3),
            _names(dice, 0.2),
            tuple(_selector(dice) for _ in range(dice.randint(0, 2))),
        )
        for number in range(dice.randint(1, 3))
    )


def _selector(dice: random.Random) -> CandidateSelector:
    compared = dice.random() < 0.5
    return CandidateSelector(
        dice.choice(list(CandidateScope)),
        queues=_labels(dice, 0.2, ("team",)),
        workloads=_FAULT if dice.random() < 0.05 else _labels(dice, 0.4),
        numbers=tuple(_number(dice) for _ in range(dice.choice((0, 0, 1, 2)))),
        mode=dice.choice(list(PriorityMode)) if compared else None,
        comparison=dice.choice(list(Comparison)) if compared else None,
        classes=_names(dice, 0.3),
    )


def _labels(dice: random.Random, chance: float, keys: tuple[str, ...] = _KEYS) -> LabelSelector:
    if dice.random() >= chance:
        return LabelSelector()
    return LabelSelector(tuple(_requirement(dice, keys) for _ in range(dice.choice((1, 1, 2)))))


def _requirement(dice: random.Random, keys: tuple[str, ...]) -> NodeRequirement:
    known = (NodeOperator.IN, NodeOperator.NOT_IN, NodeOperator.EXISTS, NodeOperator.DOES_NOT_EXIST)
    operator = dice.choice(known)
    listed = operator in (NodeOperator.IN, NodeOperator.NOT_IN)
    values = tuple(sorted(dice.sample(_VALUES, dice.randint(1, 2)))) if listed else ()
    return NodeRequirement(dice.choice(keys), operator, values)


def _number(dice: random.Random) -> NumericLabel:
    minimum, maximum = (dice.choice((None, None, number)) for number in (2, 3))
    return NumericLabel(
        dice.choice(_KEYS),
        dice.choice((None, *Comparison)),
        minimum,
        maximum,
        dice.choice((None, None, -1, 0, 3)),
    )


def _names(dice: random.Random, chance: float) -> ClassNames:
    if dice.random() >= chance:
        return ClassNames()
    name = (dice.choice(_NAMES),)
    return ClassNames(match=name) if dice.random() < 0.5 else ClassNames(exclude=name)
