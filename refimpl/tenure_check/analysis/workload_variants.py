"""Labels and boosts of workloads, which PreemptionConfigs read, as a search gives them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Final

from tenure.model import Cluster, LabelSelector, NumericLabel, PreemptionConfig, PreemptionRule

MOST_VARIANTS: Final = 24


@dataclass(frozen=True, slots=True)
class WorkloadVariant:
    """What workloads of the search have beside a request and a priority.

    Args:
        labels: keys with their values.
        boost: annotation `kueue.x-k8s.io/priority-boost`; 0 for none.
    """

    labels: tuple[tuple[str, str], ...] = ()
    boost: int = 0

    def __str__(self) -> str:
        boosted = (f"boost {self.boost}",) if self.boost else ()
        return ", ".join((*(f"{key}={value}" for key, value in self.labels), *boosted)) or "none"


PLAIN: Final = WorkloadVariant()
"""Without labels and boost."""


def configs_of(cluster: Cluster) -> tuple[PreemptionConfig, ...]:
    """The PreemptionConfigs with rules that active ClusterQueues of a tree name.

    >>> configs_of(Cluster({}))
    ()
    """
    named = (queue.preemption_config for queue in cluster.cluster_queues.values() if not queue.inactive)
    known = {name: found for name, found in (cluster.preemption_configs or {}).items() if found.rules}
    return tuple(known[name] for name in dict.fromkeys(named) if name is not None and name in known)


def variants_of(cluster: Cluster, priorities: Sequence[int]) -> tuple[WorkloadVariant, ...]:
    """The variants of workloads of a tree: of each label that a rule reads up to two values, and none.

    Args:
        cluster: its ClusterQueues, with their PreemptionConfigs.
        priorities: of the search; a boost is large enough to put the highest one below the lowest.

    >>> variants_of(Cluster({}), (0, 100))
    (WorkloadVariant(labels=(), boost=0),)
    """
    values: dict[str, tuple[str, ...]] = {}
    for config in configs_of(cluster):
        for rule in config.rules:
            for key, read in _read_by(rule):
                values[key] = tuple(islice(dict.fromkeys((*values.get(key, ()), *read)), 2))
    boosts = [0]
    if cluster.settings.priority_boost and configs_of(cluster):
        boosts.append(min(priorities) - max(priorities) - 1)
    labels = (((key, value) for value in (*read, "")) for key, read in values.items())
    every = product(product(*labels), boosts)
    some = islice(every, MOST_VARIANTS)
    return tuple(WorkloadVariant(tuple(pair for pair in pairs if pair[1]), boost) for pairs, boost in some)


def _read_by(rule: PreemptionRule) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The labels that a rule reads, each with values between which it distinguishes."""
    yield from _required((rule.preemptors, *(selector.workloads for selector in rule.candidates)))
    for selector in rule.candidates:
        for number in selector.numbers:
            yield number.key, _numbers(number)


def _required(selectors: Iterable[LabelSelector]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for selector in selectors:
        for requirement in selector.requirements:
            yield requirement.key, requirement.values or ("true",)


def _numbers(number: NumericLabel) -> tuple[str, ...]:
    """Two neighbours within the bounds, where there are two; labels have no sign."""
    least = max(number.minimum or 0, 0 if number.maximum in (0, 1) else 1)
    return tuple(
        str(found) for found in (least, least + 1) if number.maximum is None or found <= number.maximum
    )
