"""What the objects hardly mean together: names that lead nowhere, cycles, policies that undo one another.

A kind of which nothing was given is not missed: the objects may be in the cluster already.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from tenure.manifests.kueue_api import config_named
from tenure.manifests.quantities import amount_of
from tenure.manifests.showing import comma_separated, did_you_mean, printable, show
from tenure.manifests.structure import entries, whole
from tenure.model import FairStrategy
from tenure.units import format_amount
from tenure.validation.faults import Fault, Subject, WarningType, quantity, text
from tenure.validation.object_warnings import is_hero, quotas


@dataclass(frozen=True, slots=True)
class Overview:
    """The objects together.

    Args:
        subjects: by kind, in the order given.
        parents: of every Cohort that names one.
        by_name, hints: what was looked for already.
        fair_sharing: the strategies of the Configuration that was given; None without one, or without fair
            sharing in it.
    """

    subjects: Mapping[str, list[Subject]]
    fair_sharing: tuple[FairStrategy, ...] | None = None
    parents: Mapping[str, str] = field(default_factory=dict)
    by_name: dict[str, Mapping[str, Subject]] = field(default_factory=dict)
    hints: dict[tuple[str, str], str] = field(default_factory=dict)

    def of(self, kind: str) -> list[Subject]:
        """The objects of one kind."""
        return self.subjects.get(kind, [])

    def names(self, kind: str) -> Mapping[str, Subject]:
        """The objects of one kind of cluster-wide object by name, in the order given."""
        if kind not in self.by_name:
            self.by_name[kind] = {subject.name: subject for subject in self.of(kind)}
        return self.by_name[kind]

    def hint(self, kind: str, name: str) -> str:
        """What a misspelt name of one kind means; kept, because many objects misspell a name alike."""
        if (kind, name) not in self.hints:
            self.hints[kind, name] = did_you_mean(name, self.names(kind))
        return self.hints[kind, name]

    def above(self, cohort: object) -> list[str]:
        """A cohort and those above it, each once even where they form a cycle."""
        path: dict[str, None] = {}
        while isinstance(cohort, str) and cohort and cohort not in path:
            path[cohort] = None
            cohort = self.parents.get(cohort)
        return list(path)

    def root(self, queue: Subject) -> str:
        """The name at the top of a ClusterQueue's tree; empty where it is in none."""
        above = self.above(queue.get("spec", "cohortName"))
        return above[-1] if above else ""


Together: TypeAlias = Callable[[Overview], Iterator[tuple[Subject, Fault]]]
"""A rule about the objects together: which of them it is about, and what."""


def overview(subjects: Iterable[Subject], fair_sharing: tuple[FairStrategy, ...] | None = None) -> Overview:
    """The overview of some objects.

    >>> cohort = Subject("Cohort", {"metadata": {"name": "ml"}, "spec": {"parentName": "all"}})
    >>> overview([cohort]).above("ml")
    ['ml', 'all']
    """
    by_kind: dict[str, list[Subject]] = {}
    for subject in subjects:
        by_kind.setdefault(subject.kind, []).append(subject)
    pairs = ((cohort.name, cohort.get("spec", "parentName")) for cohort in by_kind.get("Cohort", ()))
    parents = {name: parent for name, parent in pairs if isinstance(parent, str) and parent}
    return Overview(by_kind, fair_sharing, parents)


def flavors(overview: Overview) -> Iterator[tuple[Subject, Fault]]:
    """A flavor that no ResourceFlavor describes makes its ClusterQueue inactive.

    Source: Kueue, status of a ClusterQueue: FlavorNotFound.

    >>> from tenure.validation.cross_object_warnings import overview
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
                yield from missing(overview, queue, path, flavor.get("name"), "ResourceFlavor", why)


def cluster_queues(overview: Overview) -> Iterator[tuple[Subject, Fault]]:
    """A LocalQueue, or a workload that holds quota, names a ClusterQueue that there is."""
    for queue in overview.of("LocalQueue"):
        name = queue.get("spec", "clusterQueue")
        why = "and nothing is admitted without it"
        yield from missing(overview, queue, "spec.clusterQueue", name, "ClusterQueue", why)
    for workload in overview.of("Workload"):
        path = ("status", "admission", "clusterQueue")
        why = "and its quota counts nowhere without it"
        name = workload.get(*path)
        yield from missing(overview, workload, ".".join(path), name, "ClusterQueue", why)


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
            hints[where] = hints[where] if where in hints else did_you_mean(name, known)
            message = f"no LocalQueue {show(name)} is given {why}{hints[where]}"
            yield workload, Fault(WarningType.DANGLING_REFERENCE, "spec.queueName", message)


def priority_classes(overview: Overview) -> Iterator[tuple[Subject, Fault]]:
    """A workload's class is among those given, where it is one of Kueue's."""
    for workload in overview.of("Workload"):
        reference = ("spec", "priorityClassRef")
        if workload.get(*reference, "kind") == "WorkloadPriorityClass":
            name, why = workload.get(*reference, "name"), "and its priority does not follow it"
            path = "spec.priorityClassRef.name"
            yield from missing(overview, workload, path, name, "WorkloadPriorityClass", why)


def cohorts(overview: Overview) -> Iterator[tuple[Subject, Fault]]:
    """A cohort exists as soon as it is named; one that no other object names shares nothing.

    Source: Kueue, Cohorts: one that no object describes exists implicitly.

    >>> from tenure.validation.cross_object_warnings import overview
    >>> queues = [Subject("ClusterQueue", {"metadata": {"name": n}, "spec": {"cohortName": c}})
    ...           for n, c in (("a", "research"), ("b", "research"), ("c", "reserch"))]
    >>> [fault.message for _, fault in cohorts(overview(queues))]
    ["no other object names or describes cohort 'reserch': nothing can be borrowed; did you mean research?"]
    """
    fields = (("ClusterQueue", "cohortName"), ("Cohort", "parentName"))
    naming = [
        (subject, f"spec.{field}", subject.get("spec", field))
        for kind, field in fields
        for subject in overview.of(kind)
    ]
    named = Counter(name for _, _, name in naming if isinstance(name, str) and name)
    described = overview.names("Cohort")
    known = sorted({*described, *named})
    for subject, path, name in naming:
        if not isinstance(name, str) or not name or name in described or named[name] > 1:
            continue
        # A queue that is validated alone may share its cohort with queues that are not given.
        if known != [name]:
            message = (
                f"no other object names or describes cohort {show(name)}: nothing can be borrowed"
                f"{did_you_mean(name, known)}"
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
        yield from missing(overview, queue, "spec.parentQueue", name, "Queue", why)


def pod_group_queues(overview: Overview) -> Iterator[tuple[Subject, Fault]]:
    """Source: KAI-Scheduler, PodGroupSpec: without its queue a PodGroup is not scheduled."""
    for pod_group in overview.of("PodGroup"):
        name, why = pod_group.get("spec", "queue"), "and no pod of the group is scheduled without it"
        yield from missing(overview, pod_group, "spec.queue", name, "Queue", why)


def missing(
    overview: Overview, subject: Subject, path: str, name: object, kind: str, why: str
) -> Iterator[tuple[Subject, Fault]]:
    """That an object names another one that is not among those given; nothing where none of its kind is.

    Args:
        overview: the objects.
        subject: the one that names another.
        path, name: where, and which.
        kind: of the other.
        why: what comes of it.
    """
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
        cycle = path[path.index(here) :] if isinstance(here, str) and here in path else []
        if cycle:
            message = f"a cycle of parents, {comma_separated([*cycle, cycle[0]])}: {why}"
            yield by_name[cycle[0]], Fault(WarningType.CYCLE, f"spec.{field}", message)


_BORROW = ("spec", "preemption", "borrowWithinCohort")


def thresholds(overview: Overview) -> Iterator[tuple[Subject, Fault]]:
    """A threshold that no priority class is above bounds nothing; one that all are above allows nothing.

    Source: Kueue v1beta2 API, BorrowWithinCohort.

    >>> from tenure.validation.cross_object_warnings import overview
    >>> borrow = {"policy": "LowerPriority", "maxPriorityThreshold": 1000}
    >>> queue = Subject("ClusterQueue", {"spec": {"preemption": {"borrowWithinCohort": borrow}}})
    >>> classes = [Subject("WorkloadPriorityClass", {"value": value}) for value in (10, 100)]
    >>> [fault.type.value for _, fault in thresholds(overview([queue, *classes]))]
    ['ThresholdBoundsNothing']
    """
    priorities = [
        value
        for subject in overview.of("WorkloadPriorityClass")
        if (value := whole(subject.get("value"))) is not None
    ]
    for queue in overview.of("ClusterQueue"):
        threshold = whole(queue.get(*_BORROW, "maxPriorityThreshold"))
        if threshold is None or not priorities or queue.get(*_BORROW, "policy") in (None, "Never"):
            continue
        message = None
        if threshold >= max(priorities):
            message = (
                f"no priority class is above {threshold} (the highest is {max(priorities)}), so that it "
                "protects no workload: lower it, or leave it out"
            )
        elif threshold < min(priorities):
            message = (
                f"every priority class is above {threshold} (the lowest is {min(priorities)}), so that only "
                "workloads without a class may be preempted while borrowing: raise it, or set policy Never"
            )
        if message is not None:
            path = f"{'.'.join(_BORROW)}.maxPriorityThreshold"
            yield queue, Fault(WarningType.THRESHOLD_BOUNDS_NOTHING, path, message)


def lent_for_good(overview: Overview) -> Iterator[tuple[Subject, Fault]]:
    """Who lends and never reclaims waits until the borrower is done, unless a PreemptionConfig takes it back.

    Source: Kueue v1beta2 API, ClusterQueuePreemption: reclaimWithinCohort is Never by default.
    """
    roots = [overview.root(queue) for queue in overview.of("ClusterQueue")]
    members = Counter(roots)
    for queue, root in zip(overview.of("ClusterQueue"), roots, strict=True):
        shared = bool(root) and members[root] > 1
        reclaim = queue.get("spec", "preemption", "reclaimWithinCohort")
        takes = is_hero(queue.raw) or config_named(queue.raw) is not None
        if shared and reclaim in (None, "Never") and not takes and _lends(queue):
            message = (
                "the queue lends what it does not use and never takes it back: its own workloads wait until "
                "the borrowers are done. Set LowerPriority or Any, or lendingLimit 0"
            )
            yield queue, Fault(WarningType.LENT_FOR_GOOD, "spec.preemption.reclaimWithinCohort", message)


def cohort_quota_on_top(overview: Overview) -> Iterator[tuple[Subject, Fault]]:
    """A Cohort's own quota is probably meant as the sum of its ClusterQueues' where it equals that.

    Source: KEP-79: what a Cohort has itself comes on top of what its members have.
    """
    totals: dict[str, Counter[tuple[str, str]]] = {}
    for queue in overview.of("ClusterQueue"):
        cohort = queue.get("spec", "cohortName")
        if isinstance(cohort, str):
            totals.setdefault(cohort, Counter()).update(_nominal(queue))
    for cohort in overview.of("Cohort"):
        own, below = _nominal(cohort), totals.get(cohort.name, Counter())
        if own and own == {at: below[at] for at in own}:
            (flavor, resource), amount = next(iter(own.items()))
            whole = format_amount(resource, 2 * amount)
            message = (
                "the Cohort's own quota comes on top of its ClusterQueues', and equals their sum: "
                f"{whole} {resource} on {flavor} in all. Leave it out of the Cohort if they share their own"
            )
            yield cohort, Fault(WarningType.COHORT_QUOTA_ON_TOP, "spec.resourceGroups", message)


def _nominal(holder: Subject) -> dict[tuple[str, str], int]:
    """The nominal quotas above zero that can be read, in base units, by flavor and resource."""
    found: dict[tuple[str, str], int] = {}
    for _, group in entries(holder.get("spec", "resourceGroups")):
        for _, flavor in entries(group.get("flavors")):
            for _, quota in entries(flavor.get("resources")):
                at, number = (flavor.get("name"), quota.get("name")), quantity(quota.get("nominalQuota"))
                if isinstance(at[0], str) and isinstance(at[1], str) and number is not None and number > 0:
                    found[at[0], at[1]] = amount_of(at[1], number)
    return found


def borrowing_under_fair_sharing(overview: Overview) -> Iterator[tuple[Subject, Fault]]:
    """Fair sharing does not look at `borrowWithinCohort`.

    Source: Kueue, preemption under fair sharing.
    """
    for queue in overview.of("ClusterQueue") if overview.fair_sharing is not None else ():
        if queue.get(*_BORROW, "policy") not in (None, "Never"):
            message = "no effect under fair sharing, which the Configuration switches on: leave it out"
            yield queue, Fault(WarningType.NO_EFFECT, f"{'.'.join(_BORROW)}.policy", message)


def fair_sharing_loop(overview: Overview) -> Iterator[tuple[Subject, Fault]]:
    """With LessThanInitialShare, two queues that take from themselves and from each other may do so for ever.

    Source: kubernetes-sigs/kueue, issue #14543: fill-back may leave an eviction that the strategies forbid.
    """
    if FairStrategy.LESS_THAN_INITIAL_SHARE not in (overview.fair_sharing or ()):
        return
    by_root: dict[str, list[str]] = {}
    for queue in overview.of("ClusterQueue"):
        policies = [
            queue.get("spec", "preemption", f"{name}")
            for name in ("withinClusterQueue", "reclaimWithinCohort")
        ]
        root = overview.root(queue)
        if root and not is_hero(queue.raw) and not any(policy in (None, "Never") for policy in policies):
            by_root.setdefault(root, []).append(queue.name)
    for configuration in overview.of("Configuration"):
        for names in by_root.values():
            if len(names) > 1:
                message = (
                    f"with LessThanInitialShare {comma_separated(names)} may evict each other for ever, "
                    "because each also takes from itself (kubernetes-sigs/kueue#14543): "
                    "name LessThanOrEqualToFinalShare alone, or set withinClusterQueue Never"
                )
                field = "fairSharing.preemptionStrategies"
                yield configuration, Fault(WarningType.EVICTION_LOOP, field, message)


def bypassed_lending_limits(overview: Overview) -> Iterator[tuple[Subject, Fault]]:
    """A hero takes idle quota below its cohort whatever the lending limits there are.

    Source: KEP-8826, Lending Limits.
    """
    heroes = [queue for queue in overview.of("ClusterQueue") if is_hero(queue.raw)]
    scopes = {text(hero.get("spec", "cohortName")): hero.name for hero in heroes}
    members = [(subject, subject.get("spec", "cohortName")) for subject in overview.of("ClusterQueue")]
    members += [(subject, subject.get("spec", "parentName")) for subject in overview.of("Cohort")]
    for member, parent in members:
        above = [scopes[cohort] for cohort in overview.above(parent) if cohort in scopes]
        if not above or is_hero(member.raw) or _honours_lending(member):
            continue
        for path, quota in quotas(member.raw):
            if quota.get("lendingLimit") is not None:
                message = f"the hero queue {above[0]} takes idle quota here whatever the limit"
                yield member, Fault(WarningType.LENDING_LIMIT_BYPASSED, f"{path}.lendingLimit", message)


def _honours_lending(subject: Subject) -> bool:
    """Whether the reading lets a hero honour lending limits."""
    chosen = getattr(subject.reading, "hero_lending", None)
    return chosen is not None and chosen.name == "HONOUR"


def _lends(queue: Subject) -> bool:
    return any(
        (quantity(quota.get("nominalQuota")) or 0) > 0 and quantity(quota.get("lendingLimit")) != 0
        for _, quota in quotas(queue.raw)
    )
