"""The priorities that cells are about: those of the given classes, or one or two of each region.

No rule compares priorities with anything but each other and maxPriorityThreshold. So where no class is given,
two priorities of every region between thresholds stand for all: a lower and a higher one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tenure.manifests import SourcedObject, read_priority_class
from tenure.manifests.structure import dig
from tenure.model import Cluster, ClusterQueue, QueueingStrategy, ResourceFlavor, WorkloadPriorityClass
from tenure_check.analysis.states import PriorityLevel


def levels_of(cluster: Cluster, classes: Sequence[WorkloadPriorityClass]) -> tuple[PriorityLevel, ...]:
    """The levels, the lowest first.

    Args:
        cluster: for the thresholds of its ClusterQueues.
        classes: the WorkloadPriorityClasses of the files.

    >>> [level.name for level in levels_of(Cluster({}), [])]
    ['low', 'high']
    >>> from tenure.model import ClusterQueue
    >>> queue = ClusterQueue("q", max_priority_threshold=100)
    >>> [(level.name, level.priority) for level in levels_of(Cluster({"q": queue}), [])]
    [('low-to-100', 99), ('high-to-100', 100), ('low-above-100', 101), ('high-above-100', 102)]
    """
    if classes:
        ordered = sorted(classes, key=lambda known: (known.base, known.name))
        return tuple(PriorityLevel(known.name, known.base) for known in ordered)
    written = (queue.max_priority_threshold for queue in cluster.cluster_queues.values())
    thresholds = sorted({threshold for threshold in written if threshold is not None})
    if not thresholds:
        return (PriorityLevel("low", 0), PriorityLevel("high", 1))
    found: list[PriorityLevel] = []
    for threshold in thresholds:
        found += [
            PriorityLevel(f"low-to-{threshold}", threshold - 1),
            PriorityLevel(f"high-to-{threshold}", threshold),
        ]
    last = thresholds[-1]
    return (
        *found,
        PriorityLevel(f"low-above-{last}", last + 1),
        PriorityLevel(f"high-above-{last}", last + 2),
    )


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
    queues: dict[str, ClusterQueue] = {}
    for number, (cluster, _) in enumerate(sides):
        queues |= {f"{number}/{name}": queue for name, queue in cluster.cluster_queues.items()}
    names = sorted(classes[0].keys() | classes[1].keys())
    if not names:
        levels = levels_of(Cluster(queues), ())
        return levels, levels
    known = [{**other, **own} for own, other in (classes, classes[::-1])]
    order = sorted(names, key=lambda name: (known[1][name].base, name))
    one, two = (tuple(PriorityLevel(name, side[name].base) for name in order) for side in known)
    return one, two


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
    )


def _named_flavors(cluster: Cluster) -> dict[str, ResourceFlavor]:
    groups = (group for queue in cluster.cluster_queues.values() for group in queue.resource_groups)
    names = {quotas.flavor for group in groups for quotas in group.flavors}
    return {name: ResourceFlavor(name) for name in sorted(names)}
