"""Names of objects that are not among those given, and parents that go round in a circle.

A kind of which nothing was given is not missed: the objects may be in the cluster already.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from tenure.manifests.showing import listed, printable, show
from tenure.manifests.structure import entries
from tenure.validation.faults import Fault, WarningType, suggestion
from tenure.validation.overview import Overview
from tenure.validation.subject import Subject


def flavors(overview: Overview) -> Iterator[tuple[Subject, Fault]]:
    """A flavor that no ResourceFlavor describes makes its ClusterQueue inactive.

    Source: Kueue, status of a ClusterQueue: FlavorNotFound.

    >>> from tenure.validation.overview import overview
    >>> group = {"flavors": [{"name": "a1000"}]}
    >>> queue = Subject("ClusterQueue", {"spec": {"resourceGroups": [group]}})
    >>> flavor = Subject("ResourceFlavor", {"metadata": {"name": "a100"}})
    >>> [fault.message for _, fault in flavors(overview([queue, flavor]))]
    ["no ResourceFlavor 'a1000' is given, and the queue is inactive without it; did you mean a100?"]
    """
    for queue in overview.of("ClusterQueue"):
        for i, group in entries(queue.get("spec", "resourceGroups")):
            for j, flavor in entries(group.get("flavors")):
                path = f"spec.resourceGroups[{i}].flavors[{j}].name"
                why = "and the queue is inactive without it"
                yield from _missing(overview, queue, path, flavor.get("name"), "ResourceFlavor", why)


def cluster_queues(overview: Overview) -> Iterator[tuple[Subject, Fault]]:
    """A LocalQueue, or a workload that holds quota, names a ClusterQueue that there is."""
    for queue in overview.of("LocalQueue"):
        name = queue.get("spec", "clusterQueue")
        why = "and nothing is admitted without it"
        yield from _missing(overview, queue, "spec.clusterQueue", name, "ClusterQueue", why)
    for workload in overview.of("Workload"):
        path = ("status", "admission", "clusterQueue")
        why = "and its quota counts nowhere without it"
        name = workload.get(*path)
        yield from _missing(overview, workload, ".".join(path), name, "ClusterQueue", why)


def local_queues(overview: Overview) -> Iterator[tuple[Subject, Fault]]:
    """A workload names a LocalQueue of its own name space."""
    known_in: dict[str, list[str]] = {}
    hints: dict[tuple[str, str], str] = {}
    for queue in overview.of("LocalQueue"):
        known_in.setdefault(queue.namespace, []).append(queue.name)
    for workload in overview.of("Workload") if known_in else ():
        known = known_in.get(workload.namespace, [])
        name = workload.get("spec", "queueName")
        why = f"in name space {printable(workload.namespace)}, and it waits for ever without it"
        if isinstance(name, str) and name and name not in known:
            where = (workload.namespace, name)
            hints[where] = hints[where] if where in hints else suggestion(name, known)
            message = f"no LocalQueue {show(name)} is given {why}{hints[where]}"
            yield workload, Fault(WarningType.DANGLING_REFERENCE, "spec.queueName", message)


def priority_classes(overview: Overview) -> Iterator[tuple[Subject, Fault]]:
    """A workload's class is among those given, where it is one of Kueue's."""
    for workload in overview.of("Workload"):
        reference = ("spec", "priorityClassRef")
        if workload.get(*reference, "kind") == "WorkloadPriorityClass":
            name, why = workload.get(*reference, "name"), "and its priority does not follow it"
            path = "spec.priorityClassRef.name"
            yield from _missing(overview, workload, path, name, "WorkloadPriorityClass", why)


def cohorts(overview: Overview) -> Iterator[tuple[Subject, Fault]]:
    """A cohort exists as soon as it is named; one that nobody else names shares nothing.

    Source: Kueue, Cohorts: one that no object describes exists implicitly.

    >>> from tenure.validation.overview import overview
    >>> queues = [Subject("ClusterQueue", {"metadata": {"name": n}, "spec": {"cohortName": c}})
    ...           for n, c in (("a", "research"), ("b", "research"), ("c", "reserch"))]
    >>> [fault.message for _, fault in cohorts(overview(queues))]
    ["nobody else names or describes cohort 'reserch': nothing can be borrowed; did you mean research?"]
    """
    fields = (("ClusterQueue", "cohortName"), ("Cohort", "parentName"))
    naming = [
        (subject, f"spec.{field}", subject.get("spec", field))
        for kind, field in fields
        for subject in overview.of(kind)
    ]
    named = Counter(name for _, _, name in naming if isinstance(name, str) and name)
    described = overview.names("Cohort")
    for subject, path, name in naming:
        if not isinstance(name, str) or not name or name in described or named[name] > 1:
            continue
        others = sorted({*described, *named} - {name})
        # A queue that is validated alone may share its cohort with queues that are not given.
        if others:
            message = (
                f"nobody else names or describes cohort {show(name)}: nothing can be borrowed"
                f"{suggestion(name, others)}"
            )
            yield subject, Fault(WarningType.DANGLING_REFERENCE, path, message)


def cycles(overview: Overview) -> Iterator[tuple[Subject, Fault]]:
    """Parents that lead back to where they began.

    Source: Kueue, Cohorts whose parents form a cycle admit nothing until it is broken. KAI-Scheduler follows
    the parents of its queues without end.
    """
    why = "nothing in the cohorts of a cycle is admitted: give one of them another parent, or none"
    yield from _cycles(overview.of("Cohort"), "parentName", why)
    why = "the scheduler follows the parents without end: give one of them another parent, or none"
    yield from _cycles(overview.of("Queue"), "parentQueue", why)


def parent_queues(overview: Overview) -> Iterator[tuple[Subject, Fault]]:
    """Source: KAI-Scheduler, a queue whose parent is missing is dropped, with all below it."""
    for queue in overview.of("Queue"):
        name, why = queue.get("spec", "parentQueue"), "and the scheduler drops a queue without its parent"
        yield from _missing(overview, queue, "spec.parentQueue", name, "Queue", why)


def _missing(
    overview: Overview, subject: Subject, path: str, name: object, kind: str, why: str
) -> Iterator[tuple[Subject, Fault]]:
    known = overview.names(kind)
    if known and isinstance(name, str) and name and name not in known:
        message = f"no {kind} {show(name)} is given, {why}{overview.hint(kind, name)}"
        yield subject, Fault(WarningType.DANGLING_REFERENCE, path, message)


def _cycles(subjects: Iterable[Subject], field: str, why: str) -> Iterator[tuple[Subject, Fault]]:
    by_name = {subject.name: subject for subject in subjects}
    parents = {name: subject.get("spec", field) for name, subject in by_name.items()}
    done: set[str] = set()
    for name in by_name:
        path: list[str] = []
        here: object = name
        while isinstance(here, str) and here in by_name and here not in done:
            done.add(here)
            path.append(here)
            here = parents[here]
        cycle = _from(path, here)
        if cycle:
            message = f"a cycle of parents, {listed([*cycle, cycle[0]])}: {why}"
            yield by_name[cycle[0]], Fault(WarningType.CYCLE, f"spec.{field}", message)


def _from(path: list[str], here: object) -> list[str]:
    return path[path.index(here) :] if isinstance(here, str) and here in path else []
