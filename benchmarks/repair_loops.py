"""Which loops the repairs of kueue#14543 leave in small clusters: `python -m benchmarks.repair_loops`.

Each cluster has 3 to 5 workloads. All states that scheduling reaches from the empty one are decided,
whichever ClusterQueue has its turn; in a ClusterQueue the first workload by priority that can move has it. A
preemptor is admitted at once. A loop is a cycle among these states.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from graphlib import CycleError, TopologicalSorter
from typing import Any, Final, NamedTuple, TypeAlias

from benchmarks.fair_searches import NOW
from benchmarks.repairs import blocks_of, options, print_counts, reading_of
from tenure.choices import Outcome
from tenure.model import (
    NANO,
    SECOND,
    Cluster,
    ClusterQueue,
    Cohort,
    FairStrategy,
    FlavorQuotas,
    FlavorResource,
    PodSet,
    ReclaimWithinCohort,
    ResourceFlavor,
    ResourceGroup,
    Settings,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.decide import decide
from tenure.oracle.shares import weight_as_float
from tenure.readings import FairSharingRepair
from tenure.rules.share import Share, borrowed_amount, borrowed_ratio, weighted_share
from tenure_lab.generators.dice import SeededDice

COLUMNS: Final = {
    "clusters": "drawn",
    "loop": "clusters with a loop",
    "inside": "with a loop in which no workload is admitted without preemption",
    "fit": "with a loop without preemption inside a ClusterQueue",
    "shares": "with a loop of preemptions by shares alone",
    "ceiling": "of flat ones with a loop of admissions below the ceiling (PO-ANY-385)",
    "no fall": "of flat ones with a preemption by shares that lets no shares fall (PO-ANY-380)",
}
"""What is counted of each repair."""

STRATEGIES: Final = {
    "both": tuple(FairStrategy),
    "final": (FairStrategy.LESS_THAN_OR_EQUAL_TO_FINAL_SHARE,),
    "initial": (FairStrategy.LESS_THAN_INITIAL_SHARE,),
}

CPU: Final = 1000
RESOURCES: Final = ("cpu", "example.com/gpu")
_UNITS: Final = {"cpu": CPU, "example.com/gpu": 1}
_ALONE: Final = 50
"""With two resources so many of a hundred workloads request one of them alone."""
_ADMITTED, _INSIDE, _SHARES = "admitted", "inside", "by shares"

State: TypeAlias = frozenset[int]
"""The workloads that hold quota, by their numbers."""


class Job(NamedTuple):
    """A workload with its ClusterQueue."""

    queue: str
    workload: Workload


class Step(NamedTuple):
    """One turn: its kind, the workload, its victims, and the state after it."""

    kind: str
    job: int
    victims: State
    after: State


@dataclass(frozen=True, slots=True)
class Drawn:
    """A cluster in which nothing runs, and the workloads that wait."""

    cluster: Cluster
    jobs: tuple[Job, ...]


class Lasso(NamedTuple):
    """A loop: the cluster, who holds quota at its start, and the jobs in the order of their turns."""

    drawn: Drawn
    start: State
    order: tuple[int, ...]


def draw(seed: int, index: int, *, nested: bool, strategies: str, within: str, resources: int = 1) -> Drawn:
    """A cluster of two or three ClusterQueues.

    Args:
        seed, index: of the cluster.
        nested: whether two of three ClusterQueues are in a cohort below the root.
        strategies: one of `STRATEGIES`.
        within: `withinClusterQueue` of all, or `any` for one of two at random.
        resources: one or two; of two a workload may request one alone.
    """
    dice = SeededDice(f"repair-loops/{seed}/{index}/{nested}" + (f"/{resources}" if resources > 1 else ""))
    covered = RESOURCES[:resources]
    names = "abc" if nested else "abc"[: 2 + dice.chance(35)]
    lent, has_nominal = {covered[0]: dice.pick((4, 5, 6, 8))}, dice.chance(30)
    lent |= {resource: dice.pick((4, 5, 6, 8)) for resource in covered[1:]}
    policies = (WithinClusterQueue.NEVER, WithinClusterQueue.LOWER_PRIORITY)
    policy = dice.pick(policies) if within == "any" else WithinClusterQueue[within]
    queues = {
        name: ClusterQueue(
            name,
            _quota({resource: dice.pick((0, 1, 2)) if has_nominal else 0 for resource in covered}),
            policy,
            cohort="inner" if nested and name != "c" else "all",
            reclaim_within_cohort=ReclaimWithinCohort.ANY,
            weight=dice.pick((NANO, NANO, NANO, 2 * NANO, 3 * NANO)),
        )
        for name in names
    }
    cohorts = {"all": Cohort("all", None, _quota(lent))} | (
        {"inner": Cohort("inner", "all", _quota(dict.fromkeys(covered, 0)))} if nested else {}
    )
    flavors, settings = {"default": ResourceFlavor("default")}, Settings(fair_sharing=STRATEGIES[strategies])
    jobs, levels = [], list(range(0, 100, 10))
    for number in range(3 + dice.up_to(2)):
        queue = names[number] if number < len(names) else dice.pick(tuple(names))
        priority = levels.pop(dice.up_to(len(levels) - 1))
        asked = covered if resources == 1 or not dice.chance(_ALONE) else (dice.pick(covered),)
        requests = {resource: (1 + dice.up_to(lent[resource] - 1)) * _UNITS[resource] for resource in asked}
        pods = (PodSet("main", 1, requests),)
        created = NOW - (200 - number) * SECOND
        name = f"w{number}"
        jobs.append(Job(queue, Workload("ns", name, name, priority, created, pod_sets=pods)))
    return Drawn(Cluster(queues, flavors=flavors, settings=settings, cohorts=cohorts), tuple(jobs))


def _quota(amounts: Mapping[str, int]) -> tuple[ResourceGroup, ...]:
    nominal = {resource: amount * _UNITS[resource] for resource, amount in amounts.items()}
    return (ResourceGroup(tuple(amounts), (FlavorQuotas("default", nominal),)),)


def loop_with_nominal_quota() -> Lasso:
    """A loop under the final share alone and withinClusterQueue Never, in another order than Kueue's.

    So PO-ANY-382 needs that no ClusterQueue has nominal quota: within it no shares are compared. No loop of
    fewer workloads was found.
    """
    never, any_priority = WithinClusterQueue.NEVER, ReclaimWithinCohort.ANY
    queues = {
        name: ClusterQueue(
            name,
            _quota({"cpu": nominal}),
            never,
            cohort="all",
            reclaim_within_cohort=any_priority,
            weight=weight * NANO,
        )
        for name, nominal, weight in (("a", 2, 3), ("b", 4, 1), ("c", 4, 100))
    }
    cluster = Cluster(
        queues,
        flavors={"default": ResourceFlavor("default")},
        settings=Settings(fair_sharing=STRATEGIES["final"]),
        cohorts={"all": Cohort("all", None, _quota({"cpu": 3}))},
    )
    asked = (("a", 2, 0), ("a", 3, 1), ("b", 4, 5), ("b", 7, 3), ("c", 2, 2), ("c", 8, 4))
    jobs = tuple(
        Job(
            queue,
            Workload(
                "ns",
                f"{queue}-{cpus}",
                f"{queue}-{cpus}",
                priority,
                NOW - (200 - number) * SECOND,
                pod_sets=(PodSet("main", 1, {"cpu": cpus * CPU}),),
            ),
        )
        for number, (queue, cpus, priority) in enumerate(asked)
    )
    return Lasso(Drawn(cluster, jobs), State({2, 5}), (0, 3, 1, 4, 5, 2))


class Turns:
    """The turns that are possible in each state of a cluster, under a repair.

    Args:
        drawn: the cluster.
        repair: the choice of the reading.
    """

    def __init__(self, drawn: Drawn, repair: FairSharingRepair) -> None:
        self._cluster, self.jobs = drawn.cluster, drawn.jobs
        self._reading = reading_of(repair)
        self._known: dict[State, tuple[Step, ...]] = {}

    def of(self, state: State) -> tuple[Step, ...]:
        """One turn for each ClusterQueue that has one."""
        if state not in self._known:
            self._known[state] = tuple(self._turns(state))
        return self._known[state]

    def reached(self) -> tuple[State, ...]:
        """Every state that is reached from the empty one."""
        found = [State()]
        for state in found:
            found += {step.after for step in self.of(state)} - set(found)
        return tuple(found)

    def shares(self, state: State) -> Mapping[str, float]:
        """The share of each ClusterQueue of a flat cohort, in floating point as it is compared."""
        used: dict[str, Counter[str]] = {name: Counter() for name in self._cluster.cluster_queues}
        for number in state:
            used[self.jobs[number].queue].update(_requests(self.jobs[number].workload))
        nominal = {name: _nominal(queue) for name, queue in self._cluster.cluster_queues.items()}
        lendable = Counter(_nominal(self._cluster.cohorts["all"]))
        for own in nominal.values():
            lendable.update(own)
        shares = dict[str, float]()
        for name, queue in self._cluster.cluster_queues.items():
            borrowed = {at: borrowed_amount(used[name][at], own) for at, own in nominal[name].items()}
            ratio = max(borrowed_ratio(amount, lendable[at]) for at, amount in borrowed.items())
            weight = weight_as_float(queue.weight)
            shares[name] = weighted_share(Share(any(borrowed.values()), ratio, weight))
        return shares

    def cluster(self, state: State) -> Cluster:
        """The cluster in which those of a state hold quota."""
        return replace(self._cluster, admitted=tuple(map(self._running, sorted(state))))

    def _turns(self, state: State) -> Iterator[Step]:
        cluster = self.cluster(state)
        turned = set[str]()
        waiting = (number for number in range(len(self.jobs)) if number not in state)
        for number in sorted(waiting, key=lambda number: -self.jobs[number].workload.priority):
            queue = self.jobs[number].queue
            step = None if queue in turned else self._step(cluster, state, number)
            if step is not None:
                turned.add(queue)
                yield step

    def _running(self, number: int) -> Workload:
        queue, workload = self.jobs[number]
        since = NOW - (100 - number) * SECOND
        usage = {FlavorResource("default", at): amount for at, amount in _requests(workload).items()}
        return replace(workload, cluster_queue=queue, quota_reserved_at=since, usage=usage)

    def _step(self, cluster: Cluster, state: State, number: int) -> Step | None:
        queue, workload = self.jobs[number]
        decision = decide(cluster, workload, queue, NOW, self._reading)
        if decision.outcome not in (Outcome.FIT, Outcome.PREEMPT):
            return None
        names = {target.workload.name for target in decision.targets}
        victims = State(at for at, job in enumerate(self.jobs) if job.workload.name in names)
        across = any(self.jobs[victim].queue != queue for victim in victims)
        kind = _SHARES if across else _INSIDE if victims else _ADMITTED
        return Step(kind, number, victims, (state - victims) | {number})


def _nominal(node: ClusterQueue | Cohort) -> Mapping[str, int]:
    return node.resource_groups[0].flavors[0].nominal


def _requests(workload: Workload) -> Mapping[str, int]:
    return workload.pod_sets[0].requests


def falls(then: Mapping[str, float], now: Mapping[str, float], victims: set[str]) -> bool:
    """Whether shares fall from that of each ClusterQueue that lost a workload (PO-ANY-380)."""
    return all(
        now[losing] < then[losing]
        and all(share < then[losing] or share <= then[name] for name, share in now.items())
        for losing in victims
    )


def _has_loop(turns: Turns, kinds: tuple[str, ...]) -> bool:
    """Whether a cycle of steps of some kinds is left."""
    steps = {
        state: [step.after for step in turns.of(state) if step.kind in kinds] for state in turns.reached()
    }
    return _is_cyclic(steps)


def _is_cyclic(graph: Mapping[Any, Sequence[Any]]) -> bool:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError:
        return True
    return False


def _loops_below_ceiling(turns: Turns) -> bool:
    """Whether a loop is left where every other admission stays below the ceiling, or lifts nowhere."""
    first: tuple[State, float | None] = State(), None
    found, graph = [first], dict[Any, list[Any]]()
    for state, ceiling in found:
        steps = list(_below(turns, state, ceiling))
        graph[state, ceiling] = [*steps]
        found += [step for step in dict.fromkeys(steps) if step not in found]
    return _is_cyclic(graph)


def _below(turns: Turns, state: State, ceiling: float | None) -> Iterator[tuple[State, float | None]]:
    before = turns.shares(state)
    for step in turns.of(state):
        queue = turns.jobs[step.job].queue
        now = turns.shares(step.after)[queue]
        if step.kind == _SHARES:
            yield step.after, max(before[name] for name in _losing(turns, step))
        elif ceiling is None or now <= before[queue] or now < ceiling:
            yield step.after, ceiling


def _losing(turns: Turns, step: Step) -> set[str]:
    """The other ClusterQueues that lose a workload."""
    return {turns.jobs[victim].queue for victim in step.victims} - {turns.jobs[step.job].queue}


def counted_of(turns: Turns, *, flat: bool) -> dict[str, int]:
    """What is counted of a cluster, under a repair.

    Args:
        turns: of it.
        flat: whether its shares are those of one cohort.
    """
    steps = [(state, step) for state in turns.reached() for step in turns.of(state) if step.kind == _SHARES]
    kept = (
        falls(turns.shares(state), turns.shares(step.after), _losing(turns, step)) for state, step in steps
    )
    count = {"clusters": 1, "no fall": flat and not all(kept)}
    if not _has_loop(turns, (_ADMITTED, _INSIDE, _SHARES)):
        return count
    return count | {
        "loop": 1,
        "inside": _has_loop(turns, (_INSIDE, _SHARES)),
        "fit": _has_loop(turns, (_ADMITTED, _SHARES)),
        "shares": _has_loop(turns, (_SHARES,)),
        "ceiling": flat and _loops_below_ceiling(turns),
    }


def counted(drawing: Callable[[int], Drawn], flat: bool, indexes: Sequence[int]) -> dict[str, Counter[str]]:
    """What is counted of some clusters, by repair.

    Args:
        drawing: a cluster by its index.
        flat: whether they are of one cohort.
        indexes: which.
    """
    counts = {repair.name: Counter[str]() for repair in FairSharingRepair}
    for index in indexes:
        drawn = drawing(index)
        for repair in FairSharingRepair:
            counts[repair.name].update(counted_of(Turns(drawn, repair), flat=flat))
    return counts


def main() -> None:
    """Print the table."""
    parser = options("repair_loops", __doc__, "clusters", 1000)
    parser.add_argument("--nested", action="store_true", help="two of three ClusterQueues in an inner cohort")
    parser.add_argument("--strategies", choices=STRATEGIES, default="both")
    parser.add_argument("--within", choices=["any", "NEVER", "LOWER_PRIORITY"], default="any")
    parser.add_argument("--resources", type=int, choices=[1, 2], default=1)
    given = parser.parse_args()
    drawing = partial(
        draw,
        given.seed,
        nested=given.nested,
        strategies=given.strategies,
        within=given.within,
        resources=given.resources,
    )
    totals = {repair.name: Counter[str]() for repair in FairSharingRepair}
    with ProcessPoolExecutor(given.jobs) as processes:
        counting = partial(counted, drawing, not given.nested)
        for number, counts in enumerate(processes.map(counting, blocks_of(given.n, 50)), 1):
            for name, some in counts.items():
                totals[name].update(some)
            print(f"{number * 50} of {given.n} clusters", file=sys.stderr, end="\r", flush=True)
    print_counts(COLUMNS, totals, 8)


if __name__ == "__main__":
    main()
