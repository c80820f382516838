"""`python -m tenure_check.analysis.campaign`: random configurations and states against what is proved.

For each configuration states are drawn and decided. No cell that a state hits may be *never*, and the
encodings of the tree and of its slices must accept decisions as they were made; see
`tenure_check.analysis.encoded_decisions`.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import TypeAdapter

from tenure.cli.terminal import complain, hint, print_text
from tenure.model import (
    MINUTE,
    NANO,
    BorrowWithinCohort,
    Cluster,
    ClusterQueue,
    Cohort,
    FairStrategy,
    FlavorFungibility,
    FlavorQuotas,
    Fungibility,
    PreemptionRules,
    ReclaimWithinCohort,
    ResourceFlavor,
    ResourceGroup,
    Settings,
    Target,
    WithinClusterQueue,
)
from tenure.oracle.decide import Decision
from tenure.oracle.tree import Tree
from tenure.readings import CHOICES, PROOFS_ONLY, Reading, preset, preset_names
from tenure.rules.terms import terms_of
from tenure.rules.time_based import duration_in_force
from tenure_check.analysis.encoded_decisions import LEVELS, Runs
from tenure_check.analysis.guarantees import NarrowCell, conditions_on
from tenure_check.analysis.matrix import trees_of
from tenure_check.analysis.prover import SolverProver
from tenure_check.analysis.random_configs import with_configs
from tenure_check.analysis.states import CellQuery, States, decided
from tenure_check.choices import Scope
from tenure_proofs.cache import Cache
from tenure_proofs.kept import Kept
from tenure_proofs.solvers import Cvc5

FEW_PAIRS, MOST_PAIRS = 2, 3
"""Pairs of ClusterQueues of a tree whose decisions are laid before encodings: beside questions, and alone."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a campaign; 1 where anything is refuted."""
    parser = argparse.ArgumentParser(
        description="Refute what tenure analyze matrix proves, if that is possible."
    )
    parser.add_argument("--configurations", type=int, default=50)
    parser.add_argument("--states", type=int, default=200, help="for each ClusterQueue of a configuration")
    parser.add_argument("--queues", type=int, default=3, help="at most")
    parser.add_argument("--seed", type=int, default=1, help="number of the first configuration")
    parser.add_argument("--kept", type=Path, help="folder of what is finished, which is not done again")
    parser.add_argument("--heroes", action="store_true", help="each configuration has heroes")
    parser.add_argument("--configs", action="store_true", help="each configuration has PreemptionConfigs")
    parser.add_argument("--scope", type=Scope, default=Scope.CONSISTENT, choices=list(Scope))
    given = parser.parse_args(arguments)
    trials = Trials(
        given.seed,
        given.configurations,
        given.states,
        given.queues,
        given.scope,
        heroes=given.heroes,
        configs=given.configs,
    )
    kept = Kept[int, TrialResult](
        Cache(given.kept, partial(complain, "warning")), trials.asked, list, trials.read
    )
    with Cvc5() as cvc5:
        results = list(kept.run(trials.numbers, lambda numbers: trials.results(numbers, cvc5)))
    count = sum((found.done for found in results), Counter[str]())
    refuted = [problem for found in results for problem in found.refuted]
    more = {"heroes": given.heroes, "PreemptionConfigs": given.configs}
    kind = " with ".join(["configurations", *(name for name, is_so in more.items() if is_so)])
    summary = f"{len(results)} {kind} from seed {given.seed}, scope {given.scope}: {_told(count)}"
    lines = [*refuted, summary]
    print_text("".join(f"{line}\n" for line in [*lines, f"{len(refuted)} refuted"]))
    return 1 if refuted else 0


class TrialResult(NamedTuple):
    """What was done about one configuration, and what contradicts the proofs."""

    done: Counter[str]
    refuted: list[str]


_RESULT: Final = TypeAdapter(tuple[dict[str, int], list[str]])


@dataclass(frozen=True, slots=True)
class Trials:
    """All that a campaign does.

    Args:
        seed: number of the first configuration.
        configurations: how many.
        states: how many for each ClusterQueue of one.
        queues: how many of these one has at most.
        scope: which states there are.
        heroes, configs: whether each configuration has heroes, or PreemptionConfigs.
    """

    seed: int
    configurations: int
    states: int
    queues: int
    scope: Scope = Scope.CONSISTENT
    heroes: bool = False
    configs: bool = False

    @property
    def numbers(self) -> range:
        """Of the random configurations."""
        return range(self.seed, self.seed + self.configurations)

    def asked(self, number: int) -> tuple[object, ...]:
        """What the result about one configuration depends on, beside the code."""
        return "analyze-campaign", number, self.states, self.queues, self.scope, self.heroes, self.configs

    def read(self, number: int, kept: object) -> TrialResult:
        """A result as it is kept.

        Raises:
            ValueError: it is none.
        """
        done, refuted = _RESULT.validate_python(kept)
        if not all(problem.startswith(f"configuration {number}: ") for problem in refuted):
            raise ValueError("it is about another configuration")
        return TrialResult(Counter(done), refuted)

    def results(self, numbers: Iterable[int], cvc5: Cvc5) -> Iterator[TrialResult]:
        """What came of some configurations, each listed as soon as it is there."""
        for number in numbers:
            found = self.result(number, cvc5)
            hint(f"configuration {number}: {_told(found.done)}; {len(found.refuted)} refuted")
            yield found

    def result(self, number: int, cvc5: Cvc5) -> TrialResult:
        """What contradicts the proofs in one configuration."""
        count, dice = Counter[str](), random.Random(number)
        cluster, reading = draw_configuration(dice, self.queues, self.scope)
        if self.heroes:
            cluster, reading = with_heroes(dice, cluster, reading)
        if self.configs:
            cluster = with_configs(dice, cluster)
        refuted = [
            f"configuration {number}: {problem}"
            for tree in trees_of(cluster)
            for problem in RandomTree(cluster, tree, reading, cvc5, count, self.scope).refutations(
                dice, self.states
            )
        ]
        return TrialResult(count, refuted)


def _told(count: Counter[str]) -> str:
    return ", ".join(f"{number} {what}" for what, number in sorted(count.items()))


def refusals(
    numbers: Iterable[int],
    states: int,
    queues: int,
    count: Counter[str],
    scope: Scope = Scope.CONSISTENT,
    *,
    heroes: bool = False,
    configs: bool = False,
) -> Iterator[str]:
    """Decisions that an encoding refuses; no solver searches for anything.

    Args:
        numbers: of random configurations.
        states: how many states for each ClusterQueue.
        queues: how many of these a configuration has at most.
        count: gets what was done.
        scope: which states there are.
        heroes, configs: whether each configuration has heroes, or PreemptionConfigs.
    """
    for number in numbers:
        dice = random.Random(number)
        cluster, reading = draw_configuration(dice, queues, scope)
        if heroes:
            cluster, reading = with_heroes(dice, cluster, reading)
        if configs:
            cluster = with_configs(dice, cluster)
        for problem in refusals_in(cluster, reading, dice, states, count, scope):
            yield f"configuration {number}: {problem}"


def refusals_in(
    cluster: Cluster,
    reading: Reading,
    dice: random.Random,
    states: int,
    count: Counter[str],
    scope: Scope = Scope.CONSISTENT,
) -> Iterator[str]:
    """The same of one configuration."""
    for tree in trees_of(cluster):
        drawing = States(cluster, tree, reading, LEVELS, scope)
        runs = Runs(cluster, tree, reading, MOST_PAIRS, count, scope)
        for queue in sorted(tree.places):
            for _ in range(states):
                decision = decided(drawing.drawn(dice, queue))
                for target in decision.targets:
                    yield from runs.refused(decision, target)


def draw_configuration(
    dice: random.Random, most: int, scope: Scope = Scope.CONSISTENT
) -> tuple[Cluster, Reading]:
    """A small configuration, and a reading.

    Args:
        dice: draw it.
        most: how many ClusterQueues it has at most.
        scope: after edits a ClusterQueue may have lost a flavor that others have.
    """
    resources = dice.choice((("gpu",), ("gpu",), ("gpu", "cpu"), ("gpu", "pods")))
    flavors = dice.choice((("f",), ("f",), ("f", "g")))
    cohorts = [Cohort("t"), Cohort("l", "t", weight=dice.choice((1, 2, 3)) * NANO), Cohort("m", "l")]
    if dice.random() < 0.5:
        cohorts = cohorts[:1]
    elif dice.random() < 0.5:
        cohorts[1] = replace(cohorts[1], resource_groups=_groups(dice, resources, flavors))
    queues = [_queue(dice, number, cohorts, resources, flavors) for number in range(dice.randint(2, most))]
    if scope == Scope.EDITED and len(flavors) > 1:
        queues = [_without_a_flavor(dice, queue) for queue in queues]
    fair = dice.choice(((), *((strategy,) for strategy in FairStrategy))) if dice.random() < 0.4 else None
    settings = Settings(fair_sharing=fair, fair_sharing_preempt_within_nominal=dice.random() < 0.8)
    return Cluster(
        cluster_queues={queue.name: queue for queue in queues},
        cohorts={cohort.name: cohort for cohort in cohorts},
        flavors={name: ResourceFlavor(name) for name in flavors},
        settings=settings,
    ), preset(dice.choice(preset_names()))


def with_heroes(dice: random.Random, cluster: Cluster, reading: Reading) -> tuple[Cluster, Reading]:
    """A configuration of which one ClusterQueue or more are heroes, under any reading of KEP-8826.

    Args:
        dice: draw them.
        cluster, reading: the configuration without.
    """
    names = sorted(cluster.cluster_queues)
    heroes = {dice.choice(names), *(name for name in names if dice.random() < 0.2)}
    queues = {
        name: replace(
            queue,
            rules=PreemptionRules.UBER_CLUSTER_QUEUE,
            reclaim_within_cohort=ReclaimWithinCohort.NEVER,
            borrow_within_cohort=BorrowWithinCohort.NEVER,
            max_priority_threshold=None,
        )
        if name in heroes
        else queue
        for name, queue in cluster.cluster_queues.items()
    }
    choices = {
        key: dice.choice([choice for choice in kind if choice != PROOFS_ONLY.get(key)])
        for key, kind in CHOICES.items()
        if key.startswith(("hero_", "accessible_"))
    }
    with_choices: Reading = replace(reading, **choices)  # type: ignore[arg-type]
    return replace(cluster, cluster_queues=queues), with_choices


def _without_a_flavor(dice: random.Random, queue: ClusterQueue) -> ClusterQueue:
    """The ClusterQueue, or the same without its first or its last flavor."""
    first, last = dice.choice(((0, 2), (0, 2), (0, 1), (1, 2)))
    groups = tuple(replace(group, flavors=group.flavors[first:last]) for group in queue.resource_groups)
    return replace(queue, resource_groups=groups)


def _queue(
    dice: random.Random,
    number: int,
    cohorts: Sequence[Cohort],
    resources: Sequence[str],
    flavors: Sequence[str],
) -> ClusterQueue:
    borrow = dice.choice(list(BorrowWithinCohort))
    threshold = None if borrow == BorrowWithinCohort.NEVER else dice.choice((None, 0, 1))
    borrowing, preempting = (dice.choice(list(Fungibility)) for _ in range(2))
    return ClusterQueue(
        name=f"q{number}",
        resource_groups=_groups(dice, resources, flavors),
        within_cluster_queue=dice.choice(list(WithinClusterQueue)),
        min_admit_duration=dice.choice((None, 60 * MINUTE)),
        cohort=dice.choice(cohorts).name,
        reclaim_within_cohort=dice.choice(
            (ReclaimWithinCohort.ANY, ReclaimWithinCohort.LOWER_PRIORITY, ReclaimWithinCohort.NEVER)
        ),
        borrow_within_cohort=borrow,
        max_priority_threshold=threshold,
        fungibility=FlavorFungibility(borrowing, preempting),
        weight=dice.choice((0, 1, 1, 2, 3)) * NANO,
        inactive="StopPolicy Hold" if dice.random() < 0.1 else "",
    )


def _groups(
    dice: random.Random, resources: Sequence[str], flavors: Sequence[str]
) -> tuple[ResourceGroup, ...]:
    made = []
    for flavor in flavors:
        limits = {name: dice.choice((None, None, 0, 2)) for name in resources}
        lends = {name: dice.choice((None, None, 0, 1, 2)) for name in resources}
        made.append(
            FlavorQuotas(
                flavor=flavor,
                nominal={name: dice.randint(0, 4) for name in resources},
                borrowing_limits={name: limit for name, limit in limits.items() if limit is not None},
                lending_limits={name: lent for name, lent in lends.items() if lent is not None},
            )
        )
    return (ResourceGroup(tuple(resources), tuple(made)),)


class RandomTree:
    """One tree of a configuration against its proofs.

    Args:
        cluster, tree, reading: the configuration.
        cvc5: the second solver.
        count: gets what was done.
        scope: which states there are.
    """

    def __init__(
        self,
        cluster: Cluster,
        tree: Tree,
        reading: Reading,
        cvc5: Cvc5,
        count: Counter[str],
        scope: Scope = Scope.CONSISTENT,
    ) -> None:
        self._scope = scope
        self._cluster, self._tree, self._reading, self._count = cluster, tree, reading, count
        self._prover = SolverProver(cluster, tree, reading, cvc5, scope)
        self._runs = Runs(cluster, tree, reading, FEW_PAIRS, count, scope)
        self._hit: set[CellQuery] = set()
        self._met: set[NarrowCell] = set()

    def refutations(self, dice: random.Random, states: int) -> Iterator[str]:
        """What contradicts the proofs, in so many states for each ClusterQueue."""
        drawing = States(self._cluster, self._tree, self._reading, LEVELS, self._scope)
        for queue in sorted(self._tree.places):
            for _ in range(states):
                decision = decided(drawing.drawn(dice, queue))
                self._count["states"] += 1
                for target in decision.targets:
                    self._count["victims"] += 1
                    yield from self._contradictions(decision, target)

    def _contradictions(self, decision: Decision, target: Target) -> Iterator[str]:
        victim, high = target.workload, decision.preemptor.priority
        names = decision.queue.name, victim.cluster_queue or ""
        cell = CellQuery(names[0], high, names[1], victim.priority, target.reason)
        if cell not in self._hit:
            self._hit.add(cell)
            self._count["cells hit"] += 1
            possible = target.reason in self._prover.reasons(*names, high, victim.priority)
            if not possible or "unsat" in (self._prover.selected(cell), self._prover.solved(cell)):
                yield f"never, and hit: {cell}"
        if self._scope == Scope.CONSISTENT:  # guarantees are about these
            yield from self._conditions_met(cell, decision, target)
        yield from self._runs.refused(decision, target)

    def _conditions_met(self, cell: CellQuery, decision: Decision, target: Target) -> Iterator[str]:
        """What is proved of guarantees: no condition that a victim meets may be one that it never meets."""
        queue = self._cluster.cluster_queues[cell.victim]
        duration = duration_in_force(terms_of(queue, self._cluster.settings, self._reading))
        running = [workload for known in decision.snapshot.running.values() for workload in known]
        for narrow in conditions_on(cell, duration):
            if narrow in self._met or not narrow.is_met(target.workload, running, decision.now, self._tree):
                continue
            self._met.add(narrow)
            self._count["conditions met"] += 1
            if self._prover.solved_narrowed(narrow) == "unsat":
                yield f"never, and met: {narrow}"


if __name__ == "__main__":
    sys.exit(main())
