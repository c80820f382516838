"""Random PreemptionConfigs for random configurations."""

from __future__ import annotations

import random
from dataclasses import replace

from tenure.model import Cluster
from tenure_lab.generators.configured import CLASSES, TEAMS, draw_config
from tenure_lab.generators.dice import SeededDice


def with_configs(dice: random.Random, cluster: Cluster) -> Cluster:
    """A configuration of which one ClusterQueue or more name a PreemptionConfig, which may be missing.

    Args:
        dice: draw them; rules are those of `tenure_lab.generators.configured`.
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
            labels={"tier": dice.choice(TEAMS)} if dice.random() < 0.5 else {},
        )
        for number, (name, queue) in enumerate(cluster.cluster_queues.items())
    }
    rules = SeededDice(str(dice.getrandbits(64)))
    first, second, _ = CLASSES
    return replace(
        cluster,
        cluster_queues=queues,
        preemption_configs={name: draw_config(rules, name) for name in ("one", "other")},
        class_names=dice.choice(({}, {0: (first,), 2: (second, "other")})),
    )
