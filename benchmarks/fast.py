"""The optimized core beside the reference: one decision about a full cluster, by shape and size.

    python benchmarks/fast.py [--shape queue tree] [--workloads 100 1000] [--share 10] [--seconds 1]

Shapes: one ClusterQueue, a flat cohort of 50, a tree of three levels with 100 ClusterQueues, fair sharing
over 50, and that tree with a hero at its root, who asks, and five below. Every workload holds two
resources; the request is such that about a share of all must leave.
`cold` decides on arrays, keys made and nothing sorted; `prepared` with the sorted candidates of the last
decision, which fair sharing does not keep. The assignment is given; the ratio is the reference to cold.
Medians, in microseconds.
"""

from __future__ import annotations

import argparse
import dataclasses
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tenure.fast import COMPILED, NOT_COMPILED, Arrays
from tenure.fast import decide as decide_by_core
from tenure.model import (
    SECOND,
    Assignment,
    Cluster,
    ClusterQueue,
    Cohort,
    FairStrategy,
    FlavorQuotas,
    FlavorResource,
    PreemptionRules,
    ReclaimWithinCohort,
    ResourceGroup,
    Settings,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.decide import decide as decide_by_reference
from tenure.readings import preset

CPU, MEMORY = FlavorResource("default", "cpu"), FlavorResource("default", "memory")
SIZES = (100, 1_000, 10_000, 100_000)
SHAPES = {"queue": 1, "cohort": 50, "tree": 100, "fair": 50, "heroes": 100}
READING = preset("released")
HERO_READING = preset("guaranteed")
"""By the letter (`released`) every workload of a hero is billed to every queue one by one."""

COUNTED = ("shape", "workloads", "share", "victims")
HEADS = (*COUNTED, "reference", "cold", "prepared", "ratio", "build ms", "bytes")
NOW = 1_800_000_000 * SECOND
SLOW = 20_000
"""From so many workloads on the reference decides once only."""

LONGEST = {"heroes": 100}
"""Up to so many workloads the reference is asked; it counts every bill anew after each removal."""


@dataclass(frozen=True, slots=True)
class Case:
    """A cluster, and who asks for how much."""

    cluster: Cluster
    preemptor: Workload
    assignment: Assignment


def case_of(shape: str, count: int, share: float) -> Case:
    """A cluster that is full, and a request for a share of it.

    Args:
        shape: see `SHAPES`.
        count: workloads that hold quota.
        share: of them that must leave, above 0, at most 1.
    """
    queues = SHAPES[shape]
    workloads = tuple(_workload(number, f"q{number % queues:03d}") for number in range(count))
    held = {at: sum(each.usage[at] for each in workloads) for at in (CPU, MEMORY)}
    request = {at: max(1, int(amount * share)) for at, amount in held.items()}
    own = request if queues > 1 else held
    mine = {at.resource: amount for at, amount in own.items()}
    # Whoever else is there borrows all it holds from the preemptor's queue and, beyond that, from the root.
    cluster_queues = {
        f"q{number:03d}": _queue(number, shape, mine if number == 0 else _small(held, own, queues))
        for number in range(queues)
    }
    if queues > 1:
        workloads = tuple(each for each in workloads if each.cluster_queue != "q000")
    settings = Settings(fair_sharing=tuple(FairStrategy) if shape == "fair" else None)
    cohorts = _cohorts() if shape in ("tree", "heroes") else {}
    if shape == "heroes":
        cluster_queues |= {f"q{i:03d}": _hero(i, cluster_queues[f"q{i:03d}"]) for i in range(6)}
    preemptor = Workload("ns", "asks", "u-asks", priority=1000, created_at=NOW - SECOND)
    return Case(
        Cluster(cluster_queues, workloads, settings=settings, cohorts=cohorts),
        preemptor,
        Assignment(usage=request, needs_preemption=frozenset(request)),
    )


def _cohorts() -> dict[str, Cohort]:
    """Five cohorts below a root, and four below each of them."""
    upper = {f"top{i}": Cohort(f"top{i}", parent="root") for i in range(5)}
    return upper | {f"mid{i}": Cohort(f"mid{i}", parent=f"top{i // 4}") for i in range(20)}


def _small(held: dict[FlavorResource, int], own: dict[FlavorResource, int], queues: int) -> dict[str, int]:
    """What is left of the quota for each other queue."""
    return {at.resource: max(0, held[at] - own[at]) // max(1, queues - 1) for at in held}


def _queue(number: int, shape: str, nominal: dict[str, int]) -> ClusterQueue:
    middle = f"mid{number % 20}"
    cohort = {"queue": None, "tree": middle, "heroes": middle}.get(shape, "root")
    return ClusterQueue(
        name=f"q{number:03d}",
        resource_groups=_groups(nominal),
        within_cluster_queue=WithinClusterQueue.LOWER_PRIORITY,
        cohort=cohort,
        reclaim_within_cohort=ReclaimWithinCohort.ANY,
    )


def _groups(nominal: dict[str, int]) -> tuple[ResourceGroup, ...]:
    return (ResourceGroup(("cpu", "memory"), (FlavorQuotas("default", nominal),)),)


def _hero(number: int, queue: ClusterQueue) -> ClusterQueue:
    """The first one stands at the root and owns a request's worth; five below it own nothing."""
    cohort = f"top{number - 1}" if number else "root"
    groups = _groups({"cpu": 0, "memory": 0}) if number else queue.resource_groups
    rules = PreemptionRules.UBER_CLUSTER_QUEUE
    return dataclasses.replace(queue, cohort=cohort, resource_groups=groups, rules=rules)


def _workload(number: int, queue: str) -> Workload:
    mixed = number * 2654435761 % 2**32
    reserved = NOW - (mixed % 2_000_000 + 1) * SECOND
    return Workload(
        namespace=f"team-{number % 25}",
        name=f"job-training-run-{number:06d}",
        uid=f"0a5cb0fe-6a4b-4f5e-9d3e-{mixed * 4096 + number % 4096:012x}"[:36],
        priority=mixed // 7 % 10 * 10,
        created_at=reserved - 20 * SECOND,
        quota_reserved_at=reserved,
        cluster_queue=queue,
        usage={CPU: mixed % 4 * 1000 + 1000, MEMORY: (mixed // 4 % 16 + 1) * 2**30},
    )


def main() -> None:
    """Print a table."""
    given = _arguments()
    print(f"Python {platform.python_version()}, {platform.machine()}; medians in microseconds")
    if not COMPILED:
        print(NOT_COMPILED)
    print("  ".join(head.rjust(10) for head in HEADS))
    for shape in given.shape:
        for count in given.workloads:
            for share in given.share:
                cells = _row(shape, count, share, given.seconds)
                print("  ".join(cell.rjust(10) for cell in cells), flush=True)


def _row(shape: str, count: int, share: int, seconds: float) -> Iterator[str]:
    case = case_of(shape, count, share / 100)
    started = time.perf_counter()
    arrays = Arrays(case.cluster)
    built = time.perf_counter() - started
    reading = HERO_READING if shape == "heroes" else READING
    asked = (case.preemptor, "q000", NOW, reading, case.assignment)
    victims = len(decide_by_core(arrays, *asked).found.rows)
    cold = _median(lambda: decide_by_core(arrays, *asked), seconds)
    prepared = _median(lambda: decide_by_core(arrays, *asked, prepared=True), seconds)
    reference = float("nan")
    if count <= LONGEST.get(shape, count):
        reference = _median(lambda: decide_by_reference(case.cluster, *asked), 0 if count > SLOW else seconds)
    yield from (shape, str(count), f"{share} %", str(victims), f"{reference:.0f}", f"{cold:.1f}")
    yield f"{prepared:.1f}"
    yield from (f"{reference / cold:.0f}", f"{built * 1e3:.0f}", f"{arrays.nbytes / count:.0f}")


def _median(run: Callable[[], object], seconds: float) -> float:
    """Microseconds, the median of what fits into a time, at least one run."""
    taken: list[float] = []
    end = time.perf_counter() + seconds
    while not taken or time.perf_counter() < end:
        started = time.perf_counter()
        run()
        taken.append(time.perf_counter() - started)
    return statistics.median(taken) * 1e6


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--shape", choices=tuple(SHAPES), nargs="+", default=tuple(SHAPES))
    parser.add_argument("--workloads", type=int, nargs="+", default=SIZES)
    parser.add_argument("--share", type=int, nargs="+", default=(1, 10, 50), help="victims, in percent")
    parser.add_argument("--seconds", type=float, default=0.5, help="how long to measure each figure")
    return parser.parse_args()


if __name__ == "__main__":
    main()
