"""The exposure of running workloads of random clusters, against workloads of random sizes.

Of each answer these are asked, of the reference and of workloads that this module makes up by itself:

  a workload of the least priority preempts the victim: the one that the answer shows, decided again
  none of many workloads of random size, with a priority just below it or any below it, preempts the victim
  from an instant that is named on a workload of the priority named preempts it; one nanosecond before,
  none of many of that priority does (where protection ends), or the priority before still sufficed

Where an answer says that it does not know below a priority, only priorities below that one are held against
it; how often it says so is counted, and how often a random workload preempts there.

  python -m tests.tenure.exposure.brute_force --n 300 --seed 1
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tenure.conformance.requests import DecideRequest
from tenure.errors import InputError
from tenure.explanation.risk.least_priority import Least
from tenure.explanation.risk.over_time import Exposure, Seen, exposure_of
from tenure.model import Amount, Cluster, Instant, PodSet, Toleration, Workload
from tenure.oracle.decide import decide
from tenure.oracle.snapshot import Snapshot, take_snapshot
from tenure.readings import Reading
from tenure_lab.generators.scenarios import draw_for_core

LEAST = -(2**31)
FAR_BELOW = (1, 1, 1, 2, 3, 5, 2**20)


@dataclass(slots=True)
class Tally:
    """What was found.

    Args:
        counts: how often what was found.
        wrong: each answer that is wrong, in words that draw it again.
    """

    counts: Counter[str]
    wrong: list[str]


class Trials:
    """Workloads of random sizes in one cluster.

    Args:
        request: the scenario.
        chance: the randomness.
        sizes: how many of them are tried for one question.
    """

    def __init__(self, request: DecideRequest, chance: random.Random, sizes: int) -> None:
        self.cluster: Cluster = request.cluster
        self.reading: Reading = request.reading
        self._chance, self._sizes = chance, sizes
        self._snapshots: dict[tuple[str, Instant], Snapshot] = {}

    def preempts(self, victim: Workload, asking: Workload, queue: str, now: Instant) -> bool:
        """Whether the reference preempts the victim for a workload."""
        key = (queue, now)
        if key not in self._snapshots:
            self._snapshots[key] = take_snapshot(self.cluster, queue, now, self.reading)
        try:
            decision = decide(self.cluster, asking, queue, now, self.reading, snapshot=self._snapshots[key])
        except InputError:
            return False
        return any(target.workload.key == victim.key for target in decision.targets)

    def any_preempts(
        self, victim: Workload, queue: str, now: Instant, priorities: Sequence[int]
    ) -> Workload | None:
        """The first of many workloads of random sizes that preempts the victim."""
        for _ in range(self._sizes if priorities else 0):
            asking = self._drawn(queue, now, self._chance.choice(priorities))
            if self.preempts(victim, asking, queue, now):
                return asking
        return None

    def _drawn(self, queue: str, now: Instant, priority: int) -> Workload:
        count = self._chance.choice((1, 1, 1, 2, 2, 3))
        pod_sets = tuple(self._pod_set(queue, f"set{number}") for number in range(count))
        return Workload("random", "w", "u", priority=priority, created_at=now, pod_sets=pod_sets)

    def _pod_set(self, queue: str, name: str) -> PodSet:
        chance, groups = self._chance, self.cluster.cluster_queues[queue].resource_groups
        resources = [
            resource for group in groups for resource in group.covered_resources if resource != "pods"
        ]
        asked = [resource for resource in resources if chance.random() < 0.7]
        flavors = [quotas.flavor for group in groups for quotas in group.flavors]
        described = self.cluster.flavors.get(chance.choice(flavors)) if flavors else None
        chosen = chance.random() < 0.7 and described is not None
        return PodSet(
            name=name,
            count=chance.choice((1, 1, 2, 3, 5)),
            requests={resource: self._amount(resource) for resource in asked},
            node_selector=dict(described.labels) if chosen and described is not None else {},
            tolerations=(Toleration(exists=True),) if chance.random() < 0.7 else (),
        )

    def _amount(self, resource: str) -> Amount:
        """Mostly a sum of quotas and usages of the cluster, or one off: there answers change."""
        step = {"cpu": 500, "memory": 2**29}.get(resource, 1)
        if self._chance.random() < 0.5:
            return step * self._chance.randint(1, 24)
        known = [0, *self._known(resource)]
        sum_of = sum(self._chance.choice(known) * self._chance.choice((1, 1, -1)) for _ in range(3))
        return max(1, abs(sum_of) + self._chance.choice((0, 0, 1, -1)))

    def _known(self, resource: str) -> Iterator[Amount]:
        for queue in self.cluster.cluster_queues.values():
            yield from (amount for at, amount in queue.nominal().items() if at.resource == resource)
        for workload in self.cluster.admitted:
            yield from (amount for at, amount in workload.usage.items() if at.resource == resource)


def check_cluster(seed: int, index: int, sizes: int, tally: Tally) -> None:
    """Ask about one or two running workloads of a drawn cluster."""
    request = draw_for_core(seed, index)
    chance = random.Random(f"{seed}/{index}")
    trials = Trials(request, chance, sizes)
    running = [workload for workload in request.cluster.admitted if workload.cluster_queue]
    for victim in chance.sample(running, min(2, len(running))):
        try:
            exposure = exposure_of(request.cluster, victim, request.now, request.reading)
        except InputError:
            tally.counts["refused: not modelled"] += 1
            continue
        tally.counts["workloads"] += 1
        for seen in exposure.seen:
            for said in _faults(trials, exposure, seen, request.now, tally):
                tally.wrong.append(f"seed {seed} index {index} {victim.key} by {seen.cluster_queue}: {said}")


def _faults(trials: Trials, exposure: Exposure, seen: Seen, now: Instant, tally: Tally) -> Iterator[str]:
    victim = exposure.victim
    for number, span in enumerate(seen.spans):
        yield from _faults_at(trials, victim, seen.cluster_queue, span.start, span.least, tally)
        if number:
            tally.counts["instants"] += 1
            before = seen.spans[number - 1].least
            yield from _faults_before(trials, victim, seen.cluster_queue, span.start - 1, before, tally)


def _faults_at(
    trials: Trials, victim: Workload, queue: str, now: Instant, least: Least, tally: Tally
) -> Iterator[str]:
    """The priority named preempts, and no workload below it does."""
    kind = "named" if least.priority is not None else "none"
    tally.counts[f"{kind}, {'exact' if least.open_from is None else 'not excluded below'}"] += 1
    if least.priority is not None:
        assert least.decision is not None
        shown = replace(least.decision.preemptor, name="again")
        if not trials.preempts(victim, shown, queue, now):
            yield f"the workload shown does not preempt at {now}"
    known = least.open_from if least.open_from is not None else least.priority
    found = trials.any_preempts(victim, queue, now, _below(victim, known))
    if found is not None:
        asked = [dict(pod_set.requests) for pod_set in found.pod_sets]
        yield f"at {now} {found.priority} preempts, asking {asked}; {known} named"
    if least.open_from is not None:
        most = least.priority if least.priority is not None else least.open_from + 2**20
        if trials.any_preempts(victim, queue, now, _between(least.open_from, most)) is not None:
            tally.counts["not excluded, and a random workload preempts"] += 1


def _faults_before(
    trials: Trials, victim: Workload, queue: str, now: Instant, before: Least, tally: Tally
) -> Iterator[str]:
    """One nanosecond before an instant what held before still holds: nothing below, and the priority."""
    known = before.open_from if before.open_from is not None else before.priority
    found = trials.any_preempts(victim, queue, now, _below(victim, known))
    if found is not None:
        yield f"a nanosecond before the change, at {now}, {found.priority} preempts, {known} named"
    if before.decision is not None:
        shown = replace(before.decision.preemptor, created_at=now)
        if not trials.preempts(victim, shown, queue, now):
            tally.counts["a nanosecond before, another size"] += 1


def _below(victim: Workload, priority: int | None) -> list[int]:
    """Priorities below one; where none was named, any."""
    if priority is None:
        own = victim.priority
        return [LEAST, own - 1, own, own + 1, own + 2, 2**20, 2**31 - 1]
    return [priority - less for less in FAR_BELOW] if priority > LEAST else []


def _between(low: int, high: int) -> list[int]:
    return [high - 1, low, *(number for number in range(low, min(high, low + 4)))]


def run(number: int, seed: int, sizes: int) -> Tally:
    """Ask about so many random clusters."""
    tally = Tally(Counter(), [])
    for index in range(number):
        check_cluster(seed, index, sizes, tally)
    return tally


def main() -> int:
    """Say what was found; 1 where an answer is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--n", type=int, default=300, help="clusters")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sizes", type=int, default=200, help="random workloads for one question")
    asked = parser.parse_args()
    print(f"seed {asked.seed}, {asked.n} clusters, {asked.sizes} random workloads for one question")
    tally = run(asked.n, asked.seed, asked.sizes)
    for what, count in sorted(tally.counts.items()):
        print(f"{count:7} {what}")
    for said in tally.wrong:
        print(f"WRONG {said}")
    print(f"{len(tally.wrong)} answers are wrong")
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
