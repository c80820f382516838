"""Names that lead nowhere: warned of where the name looks misspelt, or where Kueue would not go on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import cache

from tenure.manifests.headers import object_name
from tenure.manifests.showing import Place, printable
from tenure.manifests.suggesting import did_you_mean
from tenure.model import ClusterQueue, Cohort


def queue_warnings(
    local_queues: Mapping[tuple[str, str], str], given: Collection[str]
) -> Iterator[tuple[Place, str]]:
    """LocalQueues that point to no ClusterQueue, where ClusterQueues were given at all.

    Args:
        local_queues: the ClusterQueue's name by namespace and name.
        given: names of ClusterQueues.

    >>> (place, text), = queue_warnings({("ml", "jobs"): "team"}, ["teams"])
    >>> place.object, text
    ('LocalQueue/ml/jobs', 'spec.clusterQueue team was not given; did you mean teams?')
    """
    meant = cache(lambda name: did_you_mean(name, given))
    for (namespace, name), queue in local_queues.items() if given else ():
        if queue not in given:
            told = f"spec.clusterQueue {printable(queue)} was not given{meant(queue)}"
            yield Place(object_name("LocalQueue", namespace, name)), told


def cohort_warnings(
    queues: Mapping[str, tuple[Place, ClusterQueue]], cohorts: Mapping[str, tuple[Place, Cohort]]
) -> Iterator[tuple[Place, str]]:
    """Cohorts that only one object names, and that look like one that was given.

    Args:
        queues, cohorts: by name, with how warnings name each.

    Source: Kueue: a Cohort that is only named exists, without quota of its own; a name that is misspelt takes
    its ClusterQueue out of the tree without a word.

    >>> queue, cohort = ClusterQueue("q", cohort="reserach"), Cohort("research")
    >>> given = {"research": (Place("Cohort/research"), cohort)}
    >>> [text for _, text in cohort_warnings({"q": (Place("ClusterQueue/q"), queue)}, given)]
    ['names the Cohort reserach, which was not given; did you mean research?']
    """
    above = [(place, queue.cohort) for place, queue in queues.values()]
    above += [(place, cohort.parent) for place, cohort in cohorts.values()]
    counts = Counter(name for _, name in above)
    for place, name in above:
        if name is None or name in cohorts or counts[name] > 1:
            continue
        # Names of a series differ at their end, and are not misspelt.
        alike = [each for each in cohorts if each[:-2] != name[:-2] or len(each) != len(name)]
        hint = did_you_mean(name, alike)
        if hint:
            yield place, f"names the Cohort {printable(name)}, which was not given{hint}"
