"""Which warnings concern the trees of ClusterQueues in question; the others are counted."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from tenure.manifests import Loaded
from tenure.manifests.naming import keys_called
from tenure.manifests.showing import ObjectWarning


def concerning(loaded: Loaded, warnings: Iterable[str], words: Sequence[str]) -> list[str]:
    """The warnings about the trees of some words, and how many others there are.

    That a workload is set aside that is asked about itself is left to the answer.

    Args:
        loaded: the cluster.
        warnings: all of them.
        words: what workloads are called, and names of ClusterQueues; without any, all trees are in question.

    >>> from tenure.model import Cluster
    >>> concerning(Loaded(Cluster({})), ["all of it"], ["ml/train"])
    ['all of it']
    """
    named = {key for word in words for key in keys_called(loaded, word)}
    found = [text for text in warnings if not _is_answered(text, named)]
    if not words or not found:
        return found
    queue_of = _queues_of_workloads(loaded)
    roots = {root for word in words for root in _roots_of(loaded, word, queue_of)}
    if not roots:
        return found
    kept = [text for text in found if _root_of_warning(loaded, text, queue_of) in (None, *roots)]
    more = len(found) - len(kept)
    if more:
        of_others = "1 more warning is" if more == 1 else f"{more} more warnings are"
        kept.append(f"{of_others} about other trees of ClusterQueues; `decide --all-pending` shows all")
    return kept


def _is_answered(text: str, named: Container[str]) -> bool:
    """Whether a warning has only what the answer or the error about a named workload has too."""
    if not isinstance(text, ObjectWarning) or not text.object.startswith("Workload/"):
        return False
    name = text.object.removeprefix("Workload/")
    return ": set aside: " in text and (name if "/" in name else f"/{name}") in named


def _roots_of(loaded: Loaded, word: str, queue_of: Mapping[str, str]) -> Iterator[str]:
    """The trees of a word."""
    if word in loaded.cluster.cluster_queues:
        yield _root(loaded, word)
    for key in keys_called(loaded, word):
        if queue_of.get(key):
            yield _root(loaded, queue_of[key])


def _queues_of_workloads(loaded: Loaded) -> dict[str, str]:
    """The ClusterQueue of each workload, as far as it has one."""
    cluster = loaded.cluster
    only = next(iter(cluster.cluster_queues), "") if len(cluster.cluster_queues) == 1 else ""
    found = {
        workload.key: cluster.local_queues.get((workload.namespace, workload.queue_name), only)
        for workload in cluster.pending
    }
    return found | {workload.key: workload.cluster_queue or "" for workload in cluster.admitted}


def _root_of_warning(loaded: Loaded, text: str, queue_of: Mapping[str, str]) -> str | None:
    """The tree that a warning is about; None where it may concern all."""
    if not isinstance(text, ObjectWarning):
        return None
    kind, _, name = text.object.partition("/")
    namespace, _, own = name.rpartition("/")
    local = own if kind == "LocalQueue" else text.queue_name
    queues = {
        "ClusterQueue": name,
        "LocalQueue": loaded.cluster.local_queues.get((namespace, local)),
        "Workload": queue_of.get(name) or loaded.cluster.local_queues.get((namespace, local)),
    }
    if kind == "Cohort":
        return _above(loaded, name)
    queue = queues.get(kind)
    return _root(loaded, queue) if queue else None


def _root(loaded: Loaded, queue: str) -> str:
    """What the tree of a ClusterQueue is called: its highest cohort, or the ClusterQueue alone."""
    found = loaded.cluster.cluster_queues.get(queue)
    if found is None or found.cohort is None:
        return f"ClusterQueue/{queue}"
    return _above(loaded, found.cohort)


def _above(loaded: Loaded, cohort: str) -> str:
    """The highest cohort above one; of cohorts in a circle any."""
    seen: set[str] = set()
    while cohort not in seen:
        seen.add(cohort)
        above = loaded.cluster.cohorts.get(cohort)
        if above is None or above.parent is None:
            break
        cohort = above.parent
    return f"Cohort/{cohort}"
