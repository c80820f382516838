"""Random PreemptionConfigs: who preempts whom, decided, against the measures that are found in their rules.

    python -m tests.properties.preemption_cycles --n 10000 --seed 1

Each draw is three ClusterQueues of one cohort with up to two PreemptionConfigs, and eight workloads. Each
workload is decided, alone, beside each other one that holds all quota; in who preempts whom every cycle of up
to four workloads is searched. Where no measure is found and no cycle, more workloads are drawn.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import repeat

from tenure.choices import Engine
from tenure.engines import Batch
from tenure.model import (
    CandidateScope,
    CandidateSelector,
    ClassNames,
    Cluster,
    ClusterQueue,
    Comparison,
    FlavorQuotas,
    FlavorResource,
    LabelSelector,
    NodeOperator,
    NodeRequirement,
    NumericLabel,
    PodSet,
    PreemptionConfig,
    PreemptionRule,
    PriorityMode,
    ReclaimWithinCohort,
    ResourceFlavor,
    ResourceGroup,
    Selectable,
    Settings,
    Trigger,
    WithinClusterQueue,
    Workload,
)
from tenure.readings import preset
from tenure_check.analysis.configured_order import mutual_queues

READING = preset("released")
NOW = 1_000
GPU = FlavorResource("default", "gpu")
QUEUES = ("a", "b", "c")
WORKLOADS, MOST, ROUNDS = 8, 4, 3
"""Workloads of a draw, the most of a cycle, and how often workloads are drawn where there is no measure."""


@dataclass(frozen=True)
class Drawing:
    """Where draws come from.

    Args:
        random: the source.
        careful: whether rules compare by what falls, of one mode and one fallback: more have a measure.
        selective: whether most rules require a label, or the name of a priority class, of preemptors, and
            none or another of victims.
    """

    random: random.Random
    careful: bool
    selective: bool = False

    def cluster(self) -> Cluster:
        """A tree with PreemptionConfigs."""
        owner = self.random.choice(QUEUES)
        return Cluster(
            {name: self._queue(name, owns=name == owner) for name in QUEUES},
            flavors={"default": ResourceFlavor("default")},
            settings=Settings(priority_boost=self.random.random() < (0.2 if self.careful else 0.6)),
            preemption_configs={name: self._config(name) for name in ("x", "y")},
        )

    def _queue(self, name: str, *, owns: bool) -> ClusterQueue:
        quotas = FlavorQuotas("default", {"gpu": 1 if owns else 0})
        configs = (1, 3, 0) if self.careful else (1, 2, 1)
        return ClusterQueue(
            name,
            (ResourceGroup(("gpu",), (quotas,)),),
            within_cluster_queue=self.random.choices([*WithinClusterQueue], (4, 1, 1))[0],
            cohort="all",
            reclaim_within_cohort=self.random.choices([*ReclaimWithinCohort], (6, 2, 0.3, 0.7))[0],
            preemption_config=self.random.choices((None, "x", "y"), configs)[0],
            labels={"tier": self.random.choice(("high", "low"))},
        )

    def _config(self, name: str) -> PreemptionConfig:
        mode = self.random.choice((PriorityMode.BASE, PriorityMode.BOOSTED))
        by = self.random.choice(("tier", "class", "nodes")) if self.selective else ""
        rules = tuple(map(self._rule, range(self.random.choice((1, 2, 2))), repeat(mode), repeat(by)))
        return PreemptionConfig(name, rules)

    def _rule(self, place: int, mode: PriorityMode, by: str) -> PreemptionRule:
        trigger = self.random.choice((Trigger.ALWAYS, Trigger.INSUFFICIENT_QUOTA))
        labels, classes = self._side(by, usual=True)
        counted = range(self.random.choice((1, 1, 1, 2)))
        candidates = tuple(self._selector(mode, by) for _ in counted)
        return PreemptionRule(f"r{place}", trigger, labels, classes, candidates)

    def _selector(self, usual: PriorityMode, by: str) -> CandidateSelector:
        mode = usual if self.careful else self.random.choice([*PriorityMode])
        compares = self.random.random() < (0.3 if by else 0.7)
        counts = (0, 1, 1, 2) if compares else (0, 0, 1) if by else (1, 2)
        keys = self.random.sample(("nodes", "age"), k=self.random.choice(counts))
        scope = self.random.choices([*CandidateScope], (1, 3, 2, 2, 3))[0]
        queues = self._labels(0.2)
        labels, classes = self._side(by, usual=False)
        return CandidateSelector(
            scope,
            queues=queues,
            workloads=labels,
            classes=classes,
            numbers=tuple(map(self._number, keys)),
            mode=mode if compares else None,
            comparison=self._comparison() if compares else None,
        )

    def _number(self, key: str) -> NumericLabel:
        return NumericLabel(
            key,
            None if self.random.random() < 0.05 else self._comparison(),
            minimum=self.random.choice((None, None, None, 1)),
            maximum=self.random.choice((None, None, None, 2)),
            fallback=self.random.choice((None, 0, 0 if self.careful else 2)),
        )

    def _comparison(self) -> Comparison:
        weights = (5, 1, 0, 0) if self.careful else (6, 2, 1, 1)
        members: list[Comparison] = [*Comparison]
        return self.random.choices(members, weights)[0]

    def _labels(self, chance: float) -> LabelSelector:
        if self.random.random() >= chance:
            return LabelSelector()
        operator = self.random.choice((NodeOperator.IN, NodeOperator.NOT_IN))
        value = self.random.choice(("high", "low"))
        return LabelSelector((NodeRequirement("tier", operator, (value,)),))

    def _side(self, by: str, *, usual: bool) -> tuple[LabelSelector, ClassNames]:
        """What most rules require of preemptors, and others of victims, or the other way round."""
        if not by:
            return self._labels(0.1), ClassNames()
        mine = usual != (self.random.random() < (0.05 if self.careful else 0.2))
        if self.random.random() < 0.2:
            by = self.random.choice(("tier", "class", "nodes", "none"))
        if by == "class":
            names = self.random.choice((ClassNames(exclude=("gold",)), ClassNames(match=("plain",))))
            return LabelSelector(), ClassNames(match=("gold",)) if mine else names
        operator = NodeOperator.EXISTS if mine else NodeOperator.DOES_NOT_EXIST
        requirement = NodeRequirement(by, operator)
        if by == "tier":
            operator = self.random.choice((NodeOperator.IN, NodeOperator.NOT_IN))
            first = mine == (operator == NodeOperator.IN)
            requirement = NodeRequirement(by, operator, ("high" if first else "low",))
        return LabelSelector(() if by == "none" else (requirement,)), ClassNames()

    def workload(self, place: int) -> tuple[str, Workload]:
        """A workload and its ClusterQueue."""
        possible = (("nodes", "123"), ("age", "123"), ("tier", ("high", "low")))
        labels = {key: self.random.choice(values) for key, values in possible if self.random.random() < 0.7}
        priority = self.random.choice((0, 1, 2))
        name = self.random.choice(("gold", "plain", "")) if self.selective else ""
        workload = Workload(
            "ns",
            f"w{place}",
            f"u{place}",
            priority,
            created_at=self.random.randrange(4),
            priority_boost=self.random.choice((0, 0, -2, 1)),
            queue_name=self.random.choice(("first", "second")),
            pod_sets=(PodSet("main", 1, {"gpu": 1}),),
            selectable=Selectable(labels, name, priority),
        )
        return self.random.choice(QUEUES), workload


def preempted_by(cluster: Cluster, workloads: list[tuple[str, Workload]]) -> dict[int, tuple[int, ...]]:
    """Whom each workload preempts of those that hold all quota, as the reference decides."""
    found: dict[int, tuple[int, ...]] = dict.fromkeys(range(len(workloads)), ())
    for victim, (where, workload) in enumerate(workloads):
        held = replace(workload, cluster_queue=where, usage={GPU: 1}, quota_reserved_at=500)
        batch = Batch(Engine.REFERENCE, replace(cluster, admitted=(held,)), NOW, READING)
        for preemptor, (queue, pending) in enumerate(workloads):
            if preemptor != victim and batch.decide(pending, queue).targets:
                found[preemptor] += (victim,)
    return found


def cycle_in(graph: dict[int, tuple[int, ...]]) -> tuple[int, ...]:
    """A cycle of as few workloads as there is one; empty where none has up to four."""
    found: list[tuple[int, ...]] = [(place,) for place in graph]
    for _ in range(MOST - 1):
        found = [(*way, to) for way in found for to in graph[way[-1]] if to > way[0] and to not in way]
        for way in found:
            if way[0] in graph[way[-1]]:
                return way
    return ()


@dataclass
class Tally:
    """What draws came to.

    Args:
        outcomes: by whether there is a measure, how many workloads a cycle has: 0 without one.
        wrong: numbers of draws with a measure and a cycle.
    """

    outcomes: Counter[tuple[bool, int]] = field(default_factory=Counter)
    wrong: list[int] = field(default_factory=list)


def cycles(seed: int, numbers: range, rounds: int = ROUNDS) -> Tally:
    """Draw and decide.

    Args:
        seed, numbers: of the draws, each of which depends on nothing else.
        rounds: see `ROUNDS`.
    """
    tally = Tally()
    for number in numbers:
        drawing = Drawing(random.Random(f"{seed}:{number}"), number % 2 == 0, number % 3 == 0)
        cluster = drawing.cluster()
        has_measure = not any(group.measure.unmeasured for group in mutual_queues(cluster, READING))
        cycle: tuple[int, ...] = ()
        for _ in range(1 if has_measure else rounds):
            cycle = cycle or cycle_in(preempted_by(cluster, [*map(drawing.workload, range(WORKLOADS))]))
        tally.outcomes[has_measure, len(cycle)] += 1
        tally.wrong += [number] if has_measure and cycle else []
    return tally


def report(tally: Tally) -> Iterator[str]:
    """The figures in words."""
    for has_measure in (True, False):
        of = {size: count for (found, size), count in tally.outcomes.items() if found == has_measure}
        cycled = sum(count for size, count in of.items() if size)
        sizes = ", ".join(f"{count} of {size}" for size, count in sorted(of.items()) if size)
        named = "a measure" if has_measure else "no measure"
        yield f"{named}: {sum(of.values())} configurations, {cycled} with a cycle" + (
            f" ({sizes} workloads)" if sizes else ""
        )
    yield f"wrong: {tally.wrong or 'none'}"


def main() -> int:
    """Draw, and print the figures; 1 where a measure was found and a cycle."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--n", type=int, default=1000, help="how many configurations")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    whole = Tally()
    parts = [range(first, min(given.n, first + 50)) for first in range(0, given.n, 50)]
    with ProcessPoolExecutor(2) as pool:
        for part in pool.map(cycles, [given.seed] * len(parts), parts):
            whole.outcomes += part.outcomes
            whole.wrong += part.wrong
    print("\n".join(report(whole)))
    return 1 if whole.wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
