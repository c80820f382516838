"""The priorities that cells are about, and which priorities they cover.

No rule compares priorities with anything but each other and maxPriorityThreshold. So two priorities of every
region between thresholds, a lower and a higher one, cover all others of the region.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from tenure.manifests import SourcedObject, read_priority_class
from tenure.manifests.selectable import names_any
from tenure.manifests.structure import dig
from tenure.model import Cluster, QueueingStrategy, ResourceFlavor, WorkloadPriorityClass
from tenure_check.analysis.states import PriorityLevel

LOWEST_PRIORITY, HIGHEST_PRIORITY = -(2**31), 2**31 - 1
MOST_CELLS_OF_OWN = 1_024
"""Cells up to which a matrix has more of the workloads' own priorities than two of each region."""


def levels_of(
    cluster: Cluster, classes: Sequence[WorkloadPriorityClass], wanted: Collection[int] = ()
) -> tuple[PriorityLevel, ...]:
    """The levels, the lowest first: the classes, and the priorities that workloads have beside them.

    Without classes two levels of each region are added where workloads have fewer, so that all priorities
    are covered. Of many different priorities the most frequent ones are taken.

    Args:
        cluster: its workloads, and the thresholds of its ClusterQueues.
        classes: the WorkloadPriorityClasses of the files.
        wanted: priorities that have a level in any case.

    >>> [level.name for level in levels_of(Cluster({}), [])]
    ['low', 'high']
    >>> from tenure.model import ClusterQueue, Workload
    >>> queue = ClusterQueue("q", max_priority_threshold=100)
    >>> [(level.name, level.priority) for level in levels_of(Cluster({"q": queue}), [])]
    [('low-to-100', 99), ('high-to-100', 100), ('low-above-100', 101), ('high-above-100', 102)]
    >>> running = tuple(Workload("n", str(number), "u", number, 0) for number in (-10, 50, 500))
    >>> [level.name for level in levels_of(Cluster({"q": queue}, admitted=running), [])]
    ['-10', '50', '500', '501']
    """
    regions = _regions(thresholds_of([cluster]))
    named = {known.name for known in classes}
    values = {known.base for known in classes}
    own = Counter(
        workload.priority
        for workload in (*cluster.admitted, *cluster.pending)
        if workload.priority_class not in named and workload.priority not in values
    )
    if not classes and not own and not wanted:
        return _without_names(regions)
    most = int(MOST_CELLS_OF_OWN**0.5) // max(1, len(cluster.cluster_queues)) - len(values)
    numbers = {*_frequent(own, regions, most), *wanted} - values
    numbers = {number for number in numbers if str(number) not in named}
    if not classes:
        numbers.update(*(_stand_ins(region, numbers) for region in regions))
    levels = [PriorityLevel(known.name, known.base) for known in classes]
    levels += [PriorityLevel(str(number), number) for number in numbers]
    return tuple(sorted(levels, key=lambda level: (level.priority, level.name)))


def regions_of(cluster: Cluster) -> tuple[PriorityLevel, ...]:
    """A lower and a higher priority of each region between thresholds; the same twice where it has one.

    >>> from tenure.model import ClusterQueue
    >>> queues = {str(number): ClusterQueue("q", max_priority_threshold=number) for number in (7, 8)}
    >>> [level.priority for level in regions_of(Cluster(queues))]
    [6, 7, 8, 8, 9, 10]
    """
    return tuple(level for region in _regions(thresholds_of([cluster])) for level in _pair(region))


def thresholds_of(clusters: Iterable[Cluster]) -> list[int]:
    """The different maxPriorityThresholds of ClusterQueues, the lowest first."""
    queues = (queue for cluster in clusters for queue in cluster.cluster_queues.values())
    written = (queue.max_priority_threshold for queue in queues)
    return sorted({threshold for threshold in written if threshold is not None})


def coverage(levels: Sequence[PriorityLevel], thresholds: Sequence[int], *, names_count: bool = False) -> str:
    """The priorities of the levels, and which others they cover.

    Args:
        levels: the levels.
        thresholds: of ClusterQueues.
        names_count: whether rules of PreemptionConfigs read the names of their classes.

    >>> levels = [PriorityLevel("batch", 0), PriorityLevel("500", 500)]
    >>> coverage(levels, [])
    'priorities batch (0), 500; they cover all others, since rules only compare priorities with each other'
    >>> coverage(levels, [100])
    'priorities batch (0), 500; not covered: two different priorities up to 100 or above 100'
    """
    listed = ", ".join(
        level.name if level.name == str(level.priority) else f"{level.name} ({level.priority})"
        for level in levels
    )
    if names_count:
        rest = "rules of PreemptionConfigs read names of classes"
        return f"priorities {listed}; not covered: workloads of other classes or without one, since {rest}"
    values = {level.priority for level in levels}
    regions = _regions(thresholds)
    lacking = [
        _region_words(region, thresholds)
        for region in regions
        if sum(value in region for value in values) < min(2, _size(region))
    ]
    if lacking:
        some = " or ".join(filter(None, lacking))
        return f"priorities {listed}; not covered: two different priorities{f' {some}' if some else ''}"
    compared = "" if not thresholds else f" and with maxPriorityThreshold {', '.join(map(str, thresholds))}"
    why = f"rules only compare priorities with each other{compared}"
    return f"priorities {listed}; they cover all others, since {why}"


def _size(region: range) -> int:
    """How many priorities a region has: Python of 32 bits, as in the playground, refuses `len`."""
    return region.stop - region.start


def _regions(thresholds: Sequence[int]) -> list[range]:
    """The priorities between thresholds, the lowest first; each threshold ends its region."""
    ends = [LOWEST_PRIORITY - 1, *thresholds, HIGHEST_PRIORITY]
    return [range(below + 1, end + 1) for below, end in pairwise(ends) if below < end]


def _region_words(region: range, thresholds: Sequence[int]) -> str:
    if not thresholds:
        return ""
    if region[0] == LOWEST_PRIORITY:
        return f"up to {region[-1]}"
    if region[-1] == HIGHEST_PRIORITY:
        return f"above {region[0] - 1}"
    return f"from {region[0]} to {region[-1]}"


def _pair(region: range) -> tuple[PriorityLevel, PriorityLevel]:
    if region[-1] == HIGHEST_PRIORITY:
        low, high = region[0], region[min(1, _size(region) - 1)]
        name = f"-above-{low - 1}"
        if region[0] == LOWEST_PRIORITY:
            low, high, name = 0, 1, ""
    else:
        low, high, name = region[max(0, _size(region) - 2)], region[-1], f"-to-{region[-1]}"
    return PriorityLevel(f"low{name}", low), PriorityLevel(f"high{name}", high)


def _without_names(regions: Sequence[range]) -> tuple[PriorityLevel, ...]:
    found = {level.priority: level for region in regions for level in _pair(region)}
    return tuple(found.values())


def _frequent(own: Mapping[int, int], regions: Sequence[range], most: int) -> list[int]:
    """Two of each region, and of all others as many as are left of `most`; the most frequent first."""
    ordered = sorted(own, key=lambda number: (-own[number], number))
    first = [number for region in regions for number in [n for n in ordered if n in region][:2]]
    rest = [number for number in ordered if number not in first]
    return first + rest[: max(0, most - len(first))]


def _stand_ins(region: range, numbers: Collection[int]) -> list[int]:
    """What a region needs besides to have two different priorities."""
    known = [number for number in numbers if number in region]
    if len(known) >= 2:
        return []
    if not known:
        return [level.priority for level in _pair(region)]
    return [known[0] + 1 if known[0] + 1 in region else known[0] - 1] if _size(region) > 1 else []


def levels_of_both(
    before: tuple[Cluster, Sequence[WorkloadPriorityClass]],
    after: tuple[Cluster, Sequence[WorkloadPriorityClass]],
) -> tuple[tuple[PriorityLevel, ...], tuple[PriorityLevel, ...]]:
    """The levels of two configurations: the same names, each with the value that it has there.

    A class that one of them lacks has the other's value in both: workloads may have that priority anyway.

    Args:
        before, after: the configurations and the WorkloadPriorityClasses of their files.

    >>> one, other = (WorkloadPriorityClass("p", value) for value in (5, 7))
    >>> levels_of_both((Cluster({}), [one]), (Cluster({}), [other]))
    ((PriorityLevel(name='p', priority=5),), (PriorityLevel(name='p', priority=7),))
    """
    sides = before, after
    classes = [{known.name: known for known in given} for _, given in sides]
    known = [{**other, **own} for own, other in (classes, classes[::-1])]
    clusters = [cluster for cluster, _ in sides]
    queues = {
        f"{number}/{name}": queue
        for number, cluster in enumerate(clusters)
        for name, queue in cluster.cluster_queues.items()
    }
    both = Cluster(
        queues,
        admitted=tuple(workload for cluster in clusters for workload in cluster.admitted),
        pending=tuple(workload for cluster in clusters for workload in cluster.pending),
    )
    levels = levels_of(both, [*known[1].values()])
    one, two = (tuple(replace(level, priority=_value_of(level, side)) for level in levels) for side in known)
    return one, two


def _value_of(level: PriorityLevel, classes: Mapping[str, WorkloadPriorityClass]) -> int:
    return classes[level.name].base if level.name in classes else level.priority


def classes_of(objects: Iterable[SourcedObject]) -> list[WorkloadPriorityClass]:
    """The WorkloadPriorityClasses among some objects.

    Raises:
        InputError: what is wrong with one.

    >>> classes_of([])
    []
    """
    return [
        read_priority_class(sourced.object)
        for sourced in objects
        if dig(sourced.object, "kind") == "WorkloadPriorityClass"
    ]


def configuration_of(cluster: Cluster, classes: Sequence[WorkloadPriorityClass]) -> Cluster:
    """Queues and settings alone; of classes, also those that no workload names yet.

    Strategies of queueing are all the same: no single decision asks for them. Where no ResourceFlavor is
    given at all, ClusterQueues count as active, so that those they name are taken to be there.

    >>> configuration_of(Cluster({}), []).admitted
    ()
    """
    growing = {known.name: known for known in classes if known.policy is not None}
    queues = {
        name: replace(queue, queueing=QueueingStrategy.BEST_EFFORT_FIFO)
        for name, queue in cluster.cluster_queues.items()
    }
    return Cluster(
        cluster_queues=queues,
        flavors=cluster.flavors or _named_flavors(cluster),
        settings=cluster.settings,
        cohorts=cluster.cohorts,
        growing={**cluster.growing, **growing},
        topologies=cluster.topologies,
        preemption_configs=cluster.preemption_configs,
        class_names=_names_by_value(classes) if names_any(cluster) else {},
    )


def _names_by_value(classes: Sequence[WorkloadPriorityClass]) -> dict[int, tuple[str, ...]]:
    """The names of all classes of a value."""
    found: dict[int, tuple[str, ...]] = {}
    for known in sorted(classes, key=lambda known: known.name):
        found[known.base] = (*found.get(known.base, ()), known.name)
    return found


def _named_flavors(cluster: Cluster) -> dict[str, ResourceFlavor]:
    groups = (group for queue in cluster.cluster_queues.values() for group in queue.resource_groups)
    names = {quotas.flavor for group in groups for quotas in group.flavors}
    return {name: ResourceFlavor(name) for name in sorted(names)}
