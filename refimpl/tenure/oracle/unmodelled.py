"""Unmodelled fields that may affect the answer."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import replace

from tenure.errors import ErrorCode, InputError, Problem
from tenure.model import Cluster, ClusterQueue, Reach, Unmodelled, with_unmodelled
from tenure.oracle.snapshot import Snapshot
from tenure.oracle.topology import has_topology
from tenure.oracle.tree import Tree, build_tree
from tenure.rules.hero_rank import is_hero

NOT_KNOWN = "not known"
CONFIGURABLE = "ConfigurablePreemptions"
"""The gate of PreemptionConfigs, which the reference models in decisions."""
LIMITED = "a PreemptionLimit"
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
    expected = f"{found.expected}{without}; {affected_answers(found)}"
    return Problem(found.field, found.found, expected, found.object, code=ErrorCode.NOT_MODELLED)


def deciding(snapshot: Snapshot) -> tuple[Unmodelled, ...]:
    """What may decide for the workloads of a snapshot's ClusterQueue, and is not modelled."""
    own = _own(snapshot.queue.unmodelled)
    of_config = _of_config(snapshot.cluster, snapshot.queue, with_heroes=snapshot.heroes is not None)
    return (*own, *of_config, *snapshot.tree.unmodelled)


def _of_config(cluster: Cluster, queue: ClusterQueue, *, with_heroes: bool) -> Iterator[Unmodelled]:
    """What of the PreemptionConfig of a ClusterQueue is not modelled in decisions."""
    name = queue.preemption_config
    if name is None:
        return
    found = None if cluster.preemption_configs is None else cluster.preemption_configs.get(name)
    what, expected = "", "the name of a PreemptionConfig that is given and valid"
    if cluster.preemption_configs is None:
        what = "is not given: add it (kubectl get preemptionconfigs -o yaml)"
    elif found is not None and found.unread:
        what = found.unread
    elif has_topology(queue, cluster):
        what, expected = "is not modelled for flavors with a topology", "nothing here"
    elif with_heroes:
        what, expected = "is not modelled beside UberClusterQueueRules", "nothing here"
    if what:
        text = f"PreemptionConfig {name} of ClusterQueue {queue.name} {what}"
        found_at = f"ClusterQueue/{queue.name}", ANNOTATION, repr(name)
        yield Unmodelled(*found_at, text, Reach.PREEMPTIONS, CONFIGURABLE, expected)


def refuse_unmodelled(found: Iterable[Unmodelled]) -> None:
    """Refuse what may decide and is not modelled.

    Raises:
        InputError: there is any.
    """
    problems = [problem_of(one) for one in dict.fromkeys(found)]
    if problems:
        raise InputError(problems)


def without_unmodelled(cluster: Cluster, queues: Container[str] | None = None) -> Cluster:
    """The cluster as if everything in it were modelled, for questions that nothing else touches.

    Args:
        cluster: the cluster.
        queues: the ClusterQueues whose PreemptionConfigs are left out; None for all.

    >>> both = {name: ClusterQueue(name, preemption_config="c") for name in "ab"}
    >>> [queue.preemption_config for queue in without_unmodelled(Cluster(both), "b").cluster_queues.values()]
    ['c', None]
    """
    found = with_unmodelled(cluster, lambda _: ())
    touched = {
        name: replace(queue, preemption_config=None)
        for name, queue in found.cluster_queues.items()
        if queue.preemption_config is not None and (queues is None or name in queues)
    }
    return replace(found, cluster_queues={**found.cluster_queues, **touched}) if touched else found


def with_known_configs(cluster: Cluster) -> Cluster:
    """As `without_unmodelled`, but with the PreemptionConfigs that decisions follow.

    >>> from tenure.model import PreemptionConfig
    >>> named = {name: ClusterQueue(name, preemption_config=name) for name in "ab"}
    >>> configs = {"a": PreemptionConfig("a"), "b": PreemptionConfig("b", unread="is not readable")}
    >>> found = with_known_configs(Cluster(named, preemption_configs=configs))
    >>> [queue.preemption_config for queue in found.cluster_queues.values()]
    ['a', None]
    """
    queues = cluster.cluster_queues.items()
    return without_unmodelled(cluster, {name for name, queue in queues if any(_configured(cluster, queue))})


def _configured(cluster: Cluster, queue: ClusterQueue) -> Iterator[Unmodelled]:
    """What of the PreemptionConfig of a ClusterQueue is not modelled in decisions."""
    if queue.preemption_config is not None:
        yield from _of_config(cluster, queue, with_heroes=_has_heroes(cluster, queue))


def of_pair(cluster: Cluster, tree: Tree, preemptor: str, victim: str) -> tuple[Unmodelled, ...]:
    """What may decide whether workloads of one ClusterQueue preempt those of another, and is not modelled.

    Args:
        cluster: the cluster.
        tree: of the preemptor's ClusterQueue.
        preemptor, victim: ClusterQueues.

    >>> found = Unmodelled("ClusterQueue/a", "", "", "", Reach.PREEMPTIONS)
    >>> cluster = Cluster({"a": ClusterQueue("a", unmodelled=(found,)), "b": ClusterQueue("b")})
    >>> tree = build_tree(cluster, cluster.cluster_queues["a"])
    >>> len(of_pair(cluster, tree, "a", "a")), of_pair(cluster, tree, "a", "b")
    (1, ())
    """
    if victim not in tree.places:
        return ()
    queue = cluster.cluster_queues[preemptor]
    return (
        *_own(queue.unmodelled),
        *tree.unmodelled,
        *_configured(cluster, queue),
        *_limited(cluster, queue),
    )


def _limited(cluster: Cluster, queue: ClusterQueue) -> Iterator[Unmodelled]:
    """Limits count what happened before: who may preempt at any time is not known beside them."""
    for limit in cluster.preemption_limits if queue.preemption_config is not None else ():
        text = f"what PreemptionLimit {limit.name} has counted by then is not modelled"
        yield Unmodelled(f"PreemptionLimit/{limit.name}", "kind", LIMITED, text, Reach.PREEMPTIONS)


def over_time(cluster: Cluster, queues: Iterable[str] | None = None) -> tuple[Unmodelled, ...]:
    """What may decide the course of some ClusterQueues, and is not modelled.

    Args:
        cluster: the cluster.
        queues: a whole tree of ClusterQueues; None for all.

    >>> configured = ClusterQueue("a", preemption_config="c")
    >>> over_time(Cluster({"a": configured}, preemption_configs={}))
    ()
    """
    return tuple(dict.fromkeys(_over_time(cluster, None if queues is None else frozenset(queues))))


def _has_heroes(cluster: Cluster, queue: ClusterQueue) -> bool:
    known = cluster.cluster_queues
    heroes = {name for name, each in known.items() if is_hero(each.rules, each.cohort is not None)}
    return bool(heroes) and not heroes.isdisjoint(build_tree(cluster, queue).places)


def _over_time(cluster: Cluster, queues: frozenset[str] | None) -> Iterator[Unmodelled]:
    for name, queue in sorted(cluster.cluster_queues.items()):
        if queues is None or name in queues:
            yield from (*queue.unmodelled, *_configured(cluster, queue))
    if not any(cohort.unmodelled for cohort in cluster.cohorts.values()):
        return
    left = set(cluster.cluster_queues if queues is None else queues)
    while left:
        tree = build_tree(cluster, cluster.cluster_queues[min(left)])
        left -= tree.places.keys()
        yield from tree.unmodelled


def _own(found: Iterable[Unmodelled]) -> Iterator[Unmodelled]:
    return (one for one in found if one.reach != Reach.TREE)
