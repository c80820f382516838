"""Unmodelled fields that may affect the answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tenure.errors import ErrorCode, InputError, Problem
from tenure.model import Cluster, Reach, Unmodelled, with_unmodelled
from tenure.oracle.snapshot import Snapshot
from tenure.oracle.topology import has_topology
from tenure.oracle.tree import Tree, build_tree

NOT_KNOWN = "not known"
CONFIGURABLE = "ConfigurablePreemptions"
"""The gate of PreemptionConfigs, which the reference models in single decisions."""
ANNOTATION = "metadata.annotations[kueue.x-k8s.io/preemption-config-name]"


def affected_answers(found: Unmodelled) -> str:
    """The text of an answer that it affects.

    >>> why = "status of Cohort a is not modelled"
    >>> affected_answers(Unmodelled("Cohort/a", "status", "1", why, Reach.TREE))
    'not known: status of Cohort a is not modelled'
    """
    return f"{NOT_KNOWN}: {found.text}"


def problem_of(found: Unmodelled) -> Problem:
    """What is wrong for a question that cannot be answered with it.

    >>> gated = Unmodelled("ClusterQueue/a", "spec.f", "1", "f is such", Reach.TREE, "F")
    >>> print(problem_of(gated))
    ClusterQueue/a: spec.f: found 1, expected nothing here, or feature gate F off; not known: f is such
    """
    without = f", or feature gate {found.gate} off" if found.gate else ""
    expected = f"nothing here{without}; {affected_answers(found)}"
    return Problem(found.field, found.found, expected, found.object, code=ErrorCode.NOT_MODELLED)


def deciding(snapshot: Snapshot) -> tuple[Unmodelled, ...]:
    """What may decide for the workloads of a snapshot's ClusterQueue, and is not modelled."""
    own = (found for found in _own(snapshot.queue.unmodelled) if found.gate != CONFIGURABLE)
    return (*own, *_of_config(snapshot), *snapshot.tree.unmodelled)


def _of_config(snapshot: Snapshot) -> Iterator[Unmodelled]:
    """What of the PreemptionConfig of a snapshot's ClusterQueue is not modelled in single decisions."""
    queue, cluster = snapshot.queue, snapshot.cluster
    name = queue.preemption_config
    if name is None:
        return
    found = None if cluster.preemption_configs is None else cluster.preemption_configs.get(name)
    what = ""
    if cluster.preemption_configs is None:
        what = "is not given: add it (kubectl get preemptionconfigs -o yaml)"
    elif found is not None and found.unread:
        what = found.unread
    elif has_topology(queue, cluster):
        what = "is not modelled for flavors with a topology"
    elif snapshot.heroes is not None:
        what = "is not modelled beside UberClusterQueueRules"
    if what:
        text = f"PreemptionConfig {name} of ClusterQueue {queue.name} {what}"
        found_at = f"ClusterQueue/{queue.name}", ANNOTATION, repr(name)
        yield Unmodelled(*found_at, text, Reach.PREEMPTIONS, CONFIGURABLE)


def refuse_unmodelled(found: Iterable[Unmodelled]) -> None:
    """Refuse what may decide and is not modelled.

    Raises:
        InputError: there is any.
    """
    problems = [problem_of(one) for one in dict.fromkeys(found)]
    if problems:
        raise InputError(problems)


def without_unmodelled(cluster: Cluster) -> Cluster:
    """The cluster as if everything in it were modelled, for questions that nothing else touches."""
    found = with_unmodelled(cluster, lambda _: ())
    if all(queue.preemption_config is None for queue in found.cluster_queues.values()):
        return found
    queues = {name: replace(queue, preemption_config=None) for name, queue in found.cluster_queues.items()}
    return replace(found, cluster_queues=queues)


def of_pair(cluster: Cluster, tree: Tree, preemptor: str, victim: str) -> tuple[Unmodelled, ...]:
    """What may decide whether workloads of one ClusterQueue preempt those of another, and is not modelled.

    Args:
        cluster: the cluster.
        tree: of the preemptor's ClusterQueue.
        preemptor, victim: ClusterQueues.

    >>> from tenure.model import ClusterQueue
    >>> found = Unmodelled("ClusterQueue/a", "", "", "", Reach.PREEMPTIONS)
    >>> cluster = Cluster({"a": ClusterQueue("a", unmodelled=(found,)), "b": ClusterQueue("b")})
    >>> tree = build_tree(cluster, cluster.cluster_queues["a"])
    >>> len(of_pair(cluster, tree, "a", "a")), of_pair(cluster, tree, "a", "b")
    (1, ())
    """
    own = cluster.cluster_queues[preemptor].unmodelled
    if victim in tree.places:
        return (*_own(own), *tree.unmodelled)
    return tuple(found for found in own if found.reach == Reach.ANYWHERE)


def over_time(cluster: Cluster, queues: Iterable[str] | None = None) -> tuple[Unmodelled, ...]:
    """What may decide the course of some ClusterQueues, and is not modelled.

    Args:
        cluster: the cluster.
        queues: a whole tree of ClusterQueues; None for all.
    """
    return tuple(dict.fromkeys(_over_time(cluster, None if queues is None else frozenset(queues))))


def _over_time(cluster: Cluster, queues: frozenset[str] | None) -> Iterator[Unmodelled]:
    for name, queue in sorted(cluster.cluster_queues.items()):
        for found in queue.unmodelled:
            if queues is None or name in queues or found.reach == Reach.ANYWHERE:
                yield found
    if not any(cohort.unmodelled for cohort in cluster.cohorts.values()):
        return
    left = set(cluster.cluster_queues if queues is None else queues)
    while left:
        tree = build_tree(cluster, cluster.cluster_queues[min(left)])
        left -= tree.places.keys()
        yield from tree.unmodelled


def _own(found: Iterable[Unmodelled]) -> Iterator[Unmodelled]:
    return (one for one in found if one.reach != Reach.TREE)
