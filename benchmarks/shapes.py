"""Clusters of a shape and a size, full, and a request for a share of what is held."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import pow as power

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

NOW = 1_800_000_000 * SECOND
FLAVOR = "default"
TARGET = "q000"
"""The ClusterQueue that asks; all that the others have beyond their own quota is borrowed from it."""

_LARGE = 2**30
_EACH_HERO = 20
"""Every so many-th queue is a hero, where there are any."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How queues are related to each other.

    Args:
        name: what it is called.
        queues: how many ClusterQueues.
        depth: levels of cohorts above them; 0 for none.
        resources: how many resources every workload holds, at least one; the first is cpu.
        fair: whether shares decide.
        heroes: whether the queue that asks is a hero above all others, and every twentieth one a hero of its
            cohort that owns nothing.
    """

    name: str
    queues: int
    depth: int
    resources: int = 2
    fair: bool = False
    heroes: bool = False


SHAPES = {
    shape.name: shape
    for shape in (
        Shape("queue", 1, 0),
        Shape("cohort", 50, 1),
        Shape("tree", 100, 3),
        Shape("fair", 50, 1, fair=True),
        Shape("heroes", 100, 3, heroes=True),
    )
}


@dataclass(frozen=True, slots=True)
class Case:
    """A cluster, and who asks for how much."""

    shape: Shape
    cluster: Cluster
    preemptor: Workload
    held: Mapping[FlavorResource, int] = field(repr=False)

    def assignment(self, share: float) -> Assignment:
        """The flavors for a request of a share of all that is held."""
        usage = {at: max(1, int(amount * share)) for at, amount in self.held.items()}
        return Assignment(usage=usage, needs_preemption=frozenset(usage))


def case_of(shape: Shape, count: int, share: float) -> Case:
    """A cluster that is full.

    Args:
        shape: of the cluster.
        count: workloads that are drawn; those of the queue that asks are left out where it is not alone.
        share: of all that is held, the quota of the queue that asks; above 0, at most 1.
    """
    drawn = (a_workload(number, f"q{number % shape.queues:03d}", shape.resources) for number in range(count))
    workloads = tuple(workload for workload in drawn if shape.queues == 1 or workload.cluster_queue != TARGET)
    held = {at: sum(workload.usage[at] for workload in workloads) for at in columns(shape.resources)}
    own = {
        at.resource: max(1, int(amount * (share if shape.queues > 1 else 1))) for at, amount in held.items()
    }
    owners = sum(_owns(number, shape) for number in range(1, shape.queues))
    rest = {at.resource: max(0, amount - own[at.resource]) // max(1, owners) for at, amount in held.items()}
    nothing = dict.fromkeys(rest, 0)
    queues = {
        f"q{number:03d}": _queue(
            number, shape, own if number == 0 else rest if _owns(number, shape) else nothing
        )
        for number in range(shape.queues)
    }
    settings = Settings(fair_sharing=tuple(FairStrategy) if shape.fair else None)
    preemptor = Workload("ns", "asks", "u-asks", priority=1000, created_at=NOW - SECOND)
    return Case(
        shape, Cluster(queues, workloads, settings=settings, cohorts=_cohorts(shape)), preemptor, held
    )


def columns(resources: int) -> tuple[FlavorResource, ...]:
    """The flavor-resources of a shape."""
    names = ["cpu", "memory", *(f"example.com/device-{number}" for number in range(2, resources))]
    return tuple(FlavorResource(FLAVOR, name) for name in names[:resources])


def _cohorts(shape: Shape) -> dict[str, Cohort]:
    """Cohorts in levels below one root, each level about as many times as wide as the one above."""
    made: dict[str, Cohort] = {}
    for level in range(1, shape.depth):
        for number in range(_width(shape, level)):
            name = _cohort(level, number)
            above = number * _width(shape, level - 1) // _width(shape, level)
            made[name] = Cohort(name, parent=_cohort(level - 1, above))
    return made


def _width(shape: Shape, level: int) -> int:
    return max(1, round(power(float(shape.queues), level / shape.depth)))


def _cohort(level: int, number: int) -> str:
    return f"level-{level}-{number:03d}"


def _is_hero(number: int, shape: Shape) -> bool:
    return shape.heroes and number % _EACH_HERO == 0


def _owns(number: int, shape: Shape) -> bool:
    return number == 0 or not _is_hero(number, shape)


def _queue(number: int, shape: Shape, nominal: dict[str, int]) -> ClusterQueue:
    cohort = None
    if shape.depth:
        last = 0 if shape.heroes and number == 0 else shape.depth - 1
        cohort = _cohort(last, number % _width(shape, last))
    return ClusterQueue(
        name=f"q{number:03d}",
        resource_groups=(ResourceGroup(tuple(nominal), (FlavorQuotas(FLAVOR, nominal),)),),
        within_cluster_queue=WithinClusterQueue.LOWER_PRIORITY,
        cohort=cohort,
        reclaim_within_cohort=ReclaimWithinCohort.ANY,
        rules=PreemptionRules.UBER_CLUSTER_QUEUE if _is_hero(number, shape) else PreemptionRules.DEFAULT,
    )


def a_workload(number: int, queue: str, resources: int = 2) -> Workload:
    """One that holds quota, its numbers scattered."""
    mixed = number * 2654435761 % 2**32
    reserved = NOW - (mixed % 2_000_000 + 1) * SECOND
    amounts = [mixed % 4 * 1000 + 1000, (mixed // 4 % 16 + 1) * _LARGE]
    amounts += [mixed // (5 + extra) % 8 + 1 for extra in range(2, resources)]
    return Workload(
        namespace=f"team-{number % 25}",
        name=f"job-training-run-{number:06d}",
        uid=f"0a5cb0fe-6a4b-4f5e-9d3e-{mixed * 4096 + number % 4096:012x}"[:36],
        priority=mixed // 7 % 10 * 10,
        created_at=reserved - 20 * SECOND,
        quota_reserved_at=reserved,
        cluster_queue=queue,
        usage=dict(zip(columns(resources), amounts, strict=False)),
    )


def pending_of(case: Case, share: float, count: int) -> Iterator[tuple[Workload, str, Assignment]]:
    """Pending workloads of all queues and priorities, with requests of all sizes up to a share.

    Args:
        case: the cluster.
        share: of all that is held, the largest request of the queue that may reclaim; the others ask for
            as much of what a queue holds.
        count: how many; every other one asks in the queue that may reclaim.
    """
    for number in range(count):
        name = TARGET if number % 2 == 0 else f"q{number // 2 % case.shape.queues:03d}"
        asked = case.assignment(share * (number % 97 + 1) / 97 / (1 if name == TARGET else case.shape.queues))
        yield replace(case.preemptor, name=f"asks-{number}", priority=number * 7 % 12 * 10), name, asked
