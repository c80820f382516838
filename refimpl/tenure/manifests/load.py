"""Many untrusted objects to one cluster: what is kept, ignored, set aside, warned of and refused."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tenure.errors import ErrorCode, InputError, Problem
from tenure.manifests import configuration, operators, queues
from tenure.manifests.checking import without_unknown
from tenure.manifests.cohorts import (
    cohort_warnings,
    cycle_warnings,
    outside_cycles,
    queue_warnings,
    tree_problems,
)
from tenure.manifests.configuration import DEFAULT_STRATEGIES, NOT_BLOCKED, Configured, FairSharingSource
from tenure.manifests.configuration_in_status import BLOCKED, Shown
from tenure.manifests.consistency import holding_cautions, queue_not_given
from tenure.manifests.conversion import API_VERSION, GROUP, VERSIONS, object_name, place_of, to_v1beta2
from tenure.manifests.files import KUSTOMIZATIONS, SourcedObject, iterate_objects, overlay_note
from tenure.manifests.history import (
    EVENT_VERSIONS,
    ConditionNote,
    EvictionCount,
    WorkloadEvent,
    event_about,
    eviction_counts,
    notes_of,
)
from tenure.manifests.instants import parse_instant
from tenure.manifests.kueue_api import (
    PREEMPTION_CONFIG,
    unknown_in,
    without_gated,
)
from tenure.manifests.limits import MAX_PROBLEMS
from tenure.manifests.namespaces import Namespaces
from tenure.manifests.naming import ANYWHERE, Home, key_in
from tenure.manifests.other_inputs import KAI_GROUPS, OF_KAI, ask_instead, what_it_is
from tenure.manifests.pods import adds_to_requests
from tenure.manifests.priority_classes import Jobs, priority_class
from tenure.manifests.selectable import (
    JOB_UID,
    KIND,
    LIMIT_KIND,
    PREEMPTION_LIMIT_VERSIONS,
    class_in,
    labels_of,
    with_selectable,
)
from tenure.manifests.showing import (
    Place,
    about_object,
    comma_separated,
    did_you_mean,
    in_short,
    printable,
    show,
)
from tenure.manifests.structure import condition_types, dig, has_condition, parts_of
from tenure.manifests.topologies import TOPOLOGY_VERSIONS, topology, with_topologies
from tenure.manifests.workload_schema import BOOST
from tenure.manifests.workloads import WorkloadReader, out_of_play, priority_boost
from tenure.model import (
    Cluster,
    ClusterQueue,
    Cohort,
    Instant,
    PreemptionConfig,
    PreemptionLimit,
    ResourceFlavor,
    Selectable,
    Settings,
    Workload,
    WorkloadPriorityClass,
)

if TYPE_CHECKING:
    from tenure.manifests.jobs.submitted import MadeWorkload, SubmittedJobs

_WITH_STATUS: Final = frozenset(("ClusterQueue", "Cohort", "LocalQueue", "Workload"))
_OF_THE_PAST: Final = ("Evicted", "Preempted")
"""Conditions that stay when they are reset, also of a workload that takes no part."""
_INDEX: Final = re.compile(r"\[\d+\]")
_READ: Final = {
    **{kind: (GROUP, versions) for kind, versions in VERSIONS.items()},
    "Configuration": (configuration.GROUP, configuration.VERSIONS),
    "ConfigMap": ("", ("v1",)),
    operators.KIND: (operators.GROUP, operators.VERSIONS),
    "Namespace": ("", ("v1",)),
    "Topology": (GROUP, TOPOLOGY_VERSIONS),
    LIMIT_KIND: (GROUP, PREEMPTION_LIMIT_VERSIONS),
}
"""The kinds that are read: their API group and versions."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was read from a set of manifests.

    Args:
        cluster: the queues and workloads.
        warnings: what was assumed, and what Kueue itself would stumble over; one sentence each.
        ignored: objects that play no part, and why; one sentence each.
        set_aside: pending workloads that need what is not modelled or are wrong, by
            `Workload/namespace/name`: no other decision depends on them, and an answer about one of them
            gets these problems.
        evicted_at: by `namespace/name`, since when condition Evicted is True, ns.
        history: by `namespace/name`, the conditions of workloads that were evicted or preempted, also before
            their present admission; of all workloads, whether they take part or not.
        evictions: by `namespace/name`, how often Kueue has evicted a workload, by reason.
        events: by `namespace/name`, the Events about a workload's past, in the order of time.
        out_of_play: the Workloads that have finished or are not active, unread.
        owners: by `namespace/name`, `metadata.ownerReferences` as written, untrusted, of all workloads.
        home: where names of workloads without a namespace are looked for.
        fair_sharing: where it is known from whether fair sharing is on.
        weighted: the ClusterQueues and Cohorts that set `fairSharing.weight`, as `ClusterQueue/a`.
        by_usage: the ClusterQueues whose workloads are ordered by what their LocalQueues have used.
        over_time: what decides only over several cycles and is not modelled, of the Configuration, or of what
            the objects show of it.
        configured: whether the Configuration was given.
        gates: the feature gates that the Configuration sets.
        flag_gates: those of Kueue's own flag, above them.
        submitted: by `namespace/name`, the workloads of jobs that are yet to be created: see `submitted_at`.
        objects: what was read, as it was written; only of `tenure.load`, for answers that need it again.
    """

    cluster: Cluster
    warnings: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    set_aside: Mapping[str, tuple[Problem, ...]] = field(default_factory=dict)
    evicted_at: Mapping[str, Instant] = field(default_factory=dict)
    history: Mapping[str, Mapping[str, ConditionNote]] = field(default_factory=dict)
    evictions: Mapping[str, tuple[EvictionCount, ...]] = field(default_factory=dict)
    events: Mapping[str, tuple[WorkloadEvent, ...]] = field(default_factory=dict)
    out_of_play: tuple[object, ...] = ()
    owners: Mapping[str, object] = field(default_factory=dict)
    home: Home = ANYWHERE
    fair_sharing: FairSharingSource = FairSharingSource.GIVEN
    weighted: tuple[str, ...] = ()
    by_usage: frozenset[str] = frozenset()
    over_time: tuple[Problem, ...] = ()
    configured: bool = True
    gates: Mapping[str, bool] = field(default_factory=dict)
    flag_gates: Mapping[str, bool] = field(default_factory=dict)
    submitted: frozenset[str] = frozenset()
    objects: tuple[SourcedObject, ...] = field(default=(), compare=False)

    def __repr__(self) -> str:
        """Its cluster, and how much of the manifests counts, in a line."""
        rest = f"{len(self.warnings)} warnings, {len(self.ignored) + len(self.set_aside)} objects ignored"
        return f"<Loaded: {self.cluster!r}, {rest}>"

    def _repr_html_(self) -> str:
        """Its ClusterQueues with their numbers of workloads, and how much of the manifests counts."""
        from tenure.manifests.notebook import loaded_html

        return loaded_html(self.cluster, self.warnings, len(self.ignored) + len(self.set_aside))

    def submitted_at(self, now: Instant) -> Loaded:
        """The same with the jobs that are yet to be created created now; before, they are the newest of all.

        Args:
            now: the clock, ns since the epoch.
        """
        if not self.submitted:
            return self
        pending = tuple(
            replace(found, created_at=now) if found.key in self.submitted else found
            for found in self.cluster.pending
        )
        return replace(self, cluster=replace(self.cluster, pending=pending))


@dataclass(slots=True, eq=False, repr=False)
class Builder:
    """A cluster in the making.

    Args:
        settings: the scheduler's configuration; None to take it from the objects.
        unreadable: what could not be read at all; it grows while the objects are drawn.
        strict: whether what would be set aside or passed over is refused.
    """

    settings: Settings | None
    unreadable: list[Problem]
    strict: bool = False
    problems: list[Problem] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    cluster_queues: dict[str, tuple[Place, ClusterQueue]] = field(default_factory=dict)
    cohorts: dict[str, tuple[Place, Cohort]] = field(default_factory=dict)
    reader: WorkloadReader = field(init=False)
    workloads: list[tuple[str, Workload]] = field(default_factory=list)
    reclaiming: list[tuple[int, Any, Place]] = field(default_factory=list)
    local_queues: dict[tuple[str, str], str] = field(default_factory=dict)
    held: dict[tuple[str, str], str] = field(default_factory=dict)
    flavors: dict[str, ResourceFlavor] = field(default_factory=dict)
    topologies: dict[str, tuple[str, ...]] = field(default_factory=dict)
    growing: dict[str, WorkloadPriorityClass] = field(default_factory=dict)
    classed: list[tuple[int, Any]] = field(default_factory=list)
    jobs: Jobs = field(default_factory=Jobs)
    submitted: SubmittedJobs | None = None
    base: dict[str, int] = field(default_factory=dict)
    undated: set[str] = field(default_factory=set)
    configured: Configured | None = None
    operated: tuple[Configured, Place] | None = None
    configured_at: Place = field(default_factory=Place)
    seen: dict[tuple[str, str, str], str] = field(default_factory=dict)
    set_aside: dict[str, tuple[Problem, ...]] = field(default_factory=dict)
    evicted_at: dict[str, Instant] = field(default_factory=dict)
    history: dict[str, Mapping[str, ConditionNote]] = field(default_factory=dict)
    evictions: dict[str, tuple[EvictionCount, ...]] = field(default_factory=dict)
    events: dict[str, dict[str, tuple[str, WorkloadEvent]]] = field(default_factory=dict)
    uids: dict[str, object] = field(default_factory=dict)
    out_of_play: list[object] = field(default_factory=list)
    owners: dict[str, object] = field(default_factory=dict)
    namespaces: Namespaces = field(default_factory=Namespaces)
    shown: Shown = field(default_factory=Shown)
    configs: dict[str, PreemptionConfig] = field(default_factory=dict)
    configs_at: dict[str, Place] = field(default_factory=dict)
    limits: list[PreemptionLimit] = field(default_factory=list)
    labels: dict[str, Mapping[str, str]] = field(default_factory=dict)
    other_classes: dict[str, str] = field(default_factory=dict)
    queue_labels: dict[str, Mapping[str, str]] = field(default_factory=dict)
    unknown: dict[tuple[str, str], tuple[Place, str, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.reader = WorkloadReader(warnings=self.warnings)

    def build(self, objects: Iterable[SourcedObject]) -> Loaded:
        """Take every object, then look at them together.

        Raises:
            InputError: everything that is wrong with any of them.
        """
        for sourced in objects:
            self._take(sourced)
            if sourced.note:
                self.warnings.append(sourced.note)
            if len(self.problems) >= MAX_PROBLEMS:
                expected = f"fewer than {MAX_PROBLEMS} problems; the rest is not read"
                self.problems.append(Problem("", "more problems", expected, file=sourced.file))
                break
        self.problems.extend(tree_problems(self.cohorts, watched=()))
        self._submit_jobs()
        if self.unreadable or self.problems:
            raise InputError([*self.unreadable, *self.problems])
        if self.configured is None and self.operated is not None:
            self.configured, self.configured_at = self.operated
        self._count_reclaimed_pods()
        self._count_from_jobs()
        self._check_flavors()
        self._check_topologies()
        self._check_cycles()
        self._check_cluster_queues()
        self._check_namespaces()
        self._check_fair_sharing()
        self._warn_of_unknown()
        cluster = self._cluster({name: cohort for name, (_, cohort) in self.cohorts.items()})
        self._check_holding(cluster)
        self._check_preemption_configs(cluster)
        configured = None if self.settings is not None else self.configured
        return Loaded(
            cluster,
            tuple(self.warnings),
            tuple(self.ignored),
            self.set_aside,
            self.evicted_at,
            self.history,
            self.evictions,
            self._events(),
            tuple(self.out_of_play),
            self.owners,
            fair_sharing=self._fair_sharing_source(),
            weighted=tuple(self.shown.weighted),
            by_usage=self.shown.by_usage(configured),
            over_time=configured.over_time if configured else tuple(self._shown_over_time()),
            configured=self.settings is not None or self.configured is not None,
            gates=configured.gates if configured else {},
            submitted=frozenset(self.undated),
        )

    def add_cluster_queue(self, raw: object, place: Place) -> None:
        queue = queues.cluster_queue(raw, place, self.problems)
        if queue is not None:
            self.cluster_queues[queue.name] = place, queue
            self.namespaces.selectors[queue.name] = dig(raw, "spec", "namespaceSelector")
            self.queue_labels[queue.name] = labels_of(raw)
            self.shown.take("ClusterQueue", queue.name, raw)

    def add_cohort(self, raw: object, place: Place) -> None:
        cohort = queues.cohort(raw, place, self.problems)
        if cohort is not None:
            # A cycle is reported with the field's name in the version that the user wrote.
            self.cohorts[cohort.name] = to_v1beta2(raw, "Cohort", place, [])[1], cohort
            self.shown.take("Cohort", cohort.name, raw)

    def add_resource_flavor(self, raw: object, place: Place) -> None:
        flavor = queues.resource_flavor(raw, place, self.problems)
        if flavor is not None:
            self.flavors[flavor.name] = flavor

    def add_topology(self, raw: object, place: Place) -> None:
        found = topology(raw, place, self.problems)
        if found is not None:
            name, levels = found
            self.topologies[name] = levels

    def add_preemption_limit(self, raw: object, place: Place) -> None:
        from tenure.manifests.preemption_limits import preemption_limit

        found = preemption_limit(raw, place, self.problems)
        if found is not None:
            self.limits.append(found)

    def add_local_queue(self, raw: object, place: Place) -> None:
        queue = queues.local_queue(raw, place, self.problems)
        if queue is not None:
            self.local_queues[queue.namespace, queue.name] = queue.cluster_queue
            if queue.held:
                self.held[queue.namespace, queue.name] = queue.held
            self.shown.take_local_queue(raw)

    def add_priority_class(self, raw: object, place: Place) -> None:
        found = priority_class(raw, place, self.problems)
        if found is None:
            return
        self.base[found.name] = found.base
        if found.policy is not None:
            self.growing[found.name] = found

    def add_configuration(self, raw: object, place: Place) -> None:
        found = configuration.configuration(raw, place, self.problems)
        if self.configured is not None:
            self.problems.append(place.problem("", "a second Configuration", "one Configuration"))
        elif found is not None:
            self.configured = found
            if self.settings is not None:
                self._warn(place, "not looked at, because the settings were given otherwise")
                return
            self.configured_at = place
            for note in (*found.notes, *found.newer):
                self._warn(place, note)

    def add_config_map(self, raw: object, place: Place) -> None:
        known = len(self.problems)
        found = configuration.embedded(raw, place, self.problems)
        if found is not None:
            self.add_configuration(*found)
        elif len(self.problems) == known:
            self._ignore(place, "not a kind that is read")

    def add_operator(self, raw: object, place: Place) -> None:
        """The ConfigMap that the operator makes of it counts where it is given too."""
        found = operators.operated(raw, place, self.problems)
        if found is not None:
            self.operated = found, place

    def add_namespace(self, raw: object, place: Place) -> None:
        self.namespaces.take(raw, place, self.problems)

    def add_workload(self, raw: object, place: Place) -> None:
        parts = parts_of(raw)
        types, true = condition_types(parts.conditions)
        key = key_in(parts.metadata)
        self.uids[key] = parts.metadata.get("uid")
        if not types.isdisjoint(_OF_THE_PAST):
            self.history[key] = notes_of(raw)
        if "schedulingStats" in parts.status and (counts := eviction_counts(raw)):
            self.evictions[key] = counts
        self.owners[key] = parts.metadata.get("ownerReferences")
        if "Finished" in true or parts.spec.get("active") is False:
            reasons = " and ".join(f"{path} has {found}" for path, found in out_of_play(raw))
            self._ignore(place, f"neither holds quota nor waits for it: {reasons}")
            self.out_of_play.append(raw)
            return
        holds_quota = "QuotaReserved" in true
        self.shown.take_workload(place, parts.conditions, holds_quota=holds_quota)
        found = self.reader.read(raw, place, self.problems, holds_quota=holds_quota)
        if found is None or (not holds_quota and self._is_gated(raw, place)):
            return
        metadata = parts.metadata
        if parts.status.get("reclaimablePods"):
            self.reclaiming.append((len(self.workloads), raw, place))
        if found.priority_class:
            self.classed.append((len(self.workloads), metadata.get("ownerReferences")))
        elif other := class_in(parts.spec):
            self.other_classes[found.key] = other
        # Most Workloads have the label of their job's uid alone, which is kept already.
        labels = metadata.get("labels")
        if labels and (len(labels) > 1 or JOB_UID not in labels):
            self.labels[found.key] = labels_of(raw)
        self.workloads.append((place.file, found))
        if found.evicted:
            self.evicted_at[found.key] = _evicted_at(parts.conditions)
        if metadata.get("creationTimestamp") is None:
            self._warn(place, "metadata.creationTimestamp is absent, counted as the epoch")
        annotations = metadata.get("annotations")
        if annotations and priority_boost(annotations) is None:
            shown = show(annotations[BOOST])
            self._warn(place, f"metadata.annotations[{BOOST}] {shown} is no 32-bit integer, counted as 0")

    def _is_gated(self, raw: object, place: Place) -> bool:
        """Whether gates decide if Kueue considers a pending workload at all."""
        gates = dig(raw, "spec", "preemptionGates")
        if gates:
            expected = "nothing here: a gate that keeps a workload from preempting is not modelled"
            code = ErrorCode.NOT_MODELLED
            self.problems.append(place.problem("spec.preemptionGates", show(gates), expected, code))
        return bool(gates)

    def _take_event(self, raw: object) -> None:
        """An Event counts once, whichever API group it is read from; one about anything else does not."""
        found = event_about(raw)
        if found is not None:
            key, uid, event = found
            self.events.setdefault(key, {})[str(dig(raw, "metadata", "name"))] = uid, event

    def _events(self) -> dict[str, tuple[WorkloadEvent, ...]]:
        """The Events about each workload; those about an earlier one of its name are left out."""
        made: dict[str, tuple[WorkloadEvent, ...]] = {}
        for key, found in self.events.items():
            known = self.uids.get(key)
            own = [event for uid, event in found.values() if not uid or not known or uid == known]
            made[key] = tuple(sorted(own, key=lambda event: event.at))
        return made

    def _take(self, sourced: SourcedObject) -> None:
        raw: Any = sourced.object
        kind, version = (raw.get("kind"), raw.get("apiVersion")) if isinstance(raw, dict) else (None, None)
        place = place_of(raw, kind if isinstance(kind, str) else "", file=sourced.file)
        if not (isinstance(kind, str) and isinstance(version, str) and kind and version):
            self.problems.extend(_header_problems(raw, place))
            return
        group, slash, _ = version.partition("/")
        if kind == "Event" and version in EVENT_VERSIONS:
            self._take_event(raw)
            return
        own, versions = _READ.get(kind, (None, ()))
        if own is None or (slash and group != own) or (own == "" and slash):
            self._take_other(raw, place, group)
        elif version not in versions:
            problem = place.problem("apiVersion", show(version), " or ".join(versions))
            self.problems.append(problem)
        elif self._is_new(raw, kind, place):
            known = len(self.problems)
            for field_ in unknown_in(raw, kind) if kind in _WITH_STATUS else ():
                self._note_unknown(field_, kind, place)
            _ADD[kind](self, raw, place)
            if len(self.problems) > known and not self.strict:
                self._spare(raw, kind, place, known)

    def _take_preemption_config(self, raw: object, place: Place) -> None:
        """It decides through the ClusterQueues that name it; of two with one name neither is read."""
        from tenure.manifests.preemption_configs import preemption_config

        problems: list[Problem] = []
        found = preemption_config(raw, place, problems)
        self.problems += problems if self.strict else []
        name = dig(raw, "metadata", "name")
        if not isinstance(name, str):
            return
        if found is None:
            found = PreemptionConfig(name, unread=f"cannot be read: {in_short(problems)}")
        elif name in self.configs:
            found = PreemptionConfig(name, unread="is given twice")
        self.configs[name], self.configs_at[name] = found, place

    def _take_other(self, raw: Any, place: Place, group: str) -> None:
        """An object that is not read itself: a job, one that decides about jobs, or one that is ignored."""
        if group == GROUP and dig(raw, "kind") == KIND:
            self._take_preemption_config(raw, place)
            return
        self.jobs.take(raw)
        if text := adds_to_requests(raw):
            self._warn(place, text)
        elif not self._submitted().takes(raw, place):
            self._ignore(place, OF_KAI if group in KAI_GROUPS else "not a kind that is read")

    def _spare(self, raw: object, kind: str, place: Place, known: int) -> None:
        """Keep an object with problems from refusing all others, where no other decision depends on them."""
        own = tuple(self.problems[known:])
        if _may_be_set_aside(raw, kind, own):
            del self.problems[known:]
            self.set_aside[place.object] = own
            queue_name = dig(raw, "spec", "queueName")
            self._warn(
                place, f"set aside: {in_short(own)}", queue_name if isinstance(queue_name, str) else ""
            )
            return
        rest = without_unknown(raw, own) if _is_served(raw, kind) else None
        if rest is None:
            return
        del self.problems[known:]
        _ADD[kind](self, rest, place)
        if len(self.problems) > known:
            self.problems[known:] = own
            return
        for problem in own:
            self._note_unknown(problem.field, kind, place)

    def _note_unknown(self, field: str, kind: str, place: Place) -> None:
        """A field of a newer release, which is warned of once for all objects of a kind."""
        key = kind, _INDEX.sub("[]", field)
        at, shown, count = self.unknown.get(key, (place, field, 0))
        both = (at.object, at.file, shown, at), (place.object, place.file, field, place)
        first = min(both, key=lambda found: found[:3])
        self.unknown[key] = first[3], first[2], count + 1

    def _warn_of_unknown(self) -> None:
        for (kind, _), (place, path, count) in sorted(self.unknown.items(), key=lambda found: found[0]):
            more = f" (and of {count - 1} more {kind}{'' if count == 2 else 's'})" if count > 1 else ""
            self._warn(place, f"{path} is not looked at: Tenure does not know this field{more}")

    def _is_new(self, raw: object, kind: str, place: Place) -> bool:
        metadata = dig(raw, "metadata")
        if not isinstance(metadata, dict) or not isinstance(name := metadata.get("name"), str):
            return True
        namespace = metadata.get("namespace")
        key = (kind, namespace if isinstance(namespace, str) else "", name)
        if key not in self.seen:
            self.seen[key] = place.file
            return True
        first = self.seen[key]
        folders = [Path(file).parent for file in (first, place.file) if Path(file).suffix]
        overlays = overlay_note(folder / name for folder in folders for name in KUSTOMIZATIONS)
        also = f"{first} has it too" if first else ""
        expected = "; ".join(filter(None, ["each object once", also, overlays]))
        self.problems.append(place.problem("metadata.name", f"{show(name)} a second time", expected))
        return False

    def _submitted(self) -> SubmittedJobs:
        """What takes jobs: it knows thirty kinds, and most dumps hold none."""
        from tenure.manifests.jobs.submitted import SubmittedJobs

        if self.submitted is None:
            self.submitted = SubmittedJobs()
        return self.submitted

    def _submit_jobs(self) -> None:
        """The Workloads that Kueue would make of jobs, which may come before what decides about them."""
        if self.submitted is None or not self.submitted.jobs:
            return
        from tenure.manifests.jobs.submitted import JobContext, SkippedJob

        newest = max((_newest(found) for _, found in self.workloads), default=0)
        configured = self.configured
        given = JobContext(
            self.owners,
            {*self.local_queues, *self.held},
            self.base,
            configured.frameworks if configured else None,
            {gate for gate, is_on in configured.gates.items() if is_on} if configured else (),
            configured is not None and configured.every_job,
        )
        assumed: list[tuple[Place, str]] = []
        for made in list(self.submitted.made(given)):
            if isinstance(made, SkippedJob):
                # A job that is not stored yet gets an answer even if nothing comes of it.
                (self._ignore if made.is_stored else self._warn)(made.job, made.why)
            elif self._is_new(made.raw, "Workload", made.job):
                self._submit(made, newest)
                assumed += [(made.job, made.assumed)] if made.assumed and not made.problems else []
        for place, text in assumed[:1]:
            more = f" (and {len(assumed) - 1} more jobs alike)" if len(assumed) > 1 else ""
            self._warn(place, f"{text}{more}")

    def _submit(self, made: MadeWorkload, newest: Instant) -> None:
        problems = list(made.problems)
        found = self.reader.read(made.raw, made.job, problems, holds_quota=False)
        metadata = made.raw["metadata"]
        key = f"{metadata['namespace']}/{metadata['name']}"
        self.owners[key] = metadata["ownerReferences"]
        if problems:
            own = tuple(made.as_of_job(problem) for problem in problems)
            if self.strict:
                self.problems.extend(own)
            else:
                self.set_aside[object_name("Workload", metadata["namespace"], metadata["name"])] = own
                self._warn(made.job, f"set aside: {in_short(own, made.job.object)}")
        elif found is not None:
            if self._reads_labels(found):
                expected = "the Workload itself: the labels that Kueue copies from a job are not modelled"
                problem = made.job.problem("metadata.labels", "a job", expected, ErrorCode.NOT_MODELLED)
                self.set_aside[object_name("Workload", found.namespace, found.name)] = (problem,)
                self._warn(made.job, f"set aside: {in_short((problem,), made.job.object)}")
                return
            if metadata["creationTimestamp"] is None:
                self.undated.add(key)
                found = replace(found, created_at=newest)
            elif found.priority_class:
                self.classed.append((len(self.workloads), metadata["ownerReferences"]))
            self.workloads.append((made.job.file, found))

    def _reads_labels(self, waiting: Workload) -> bool:
        """Whether rules of a PreemptionConfig may read labels of a pending workload."""
        queue = self._queue_of(waiting)
        return queue is not None and self.cluster_queues[queue][1].preemption_config is not None

    def _count_reclaimed_pods(self) -> None:
        """The Configuration may come after the workloads that were read as if it were the default."""
        if self.settings is not None or self.configured is None or self.configured.reclaimable:
            return
        reader = WorkloadReader(reclaimable=False)
        for index, raw, place in self.reclaiming:
            holds = has_condition(raw, "QuotaReserved")
            found = reader.read(raw, place, self.problems, holds_quota=holds)
            if found is not None:
                self.workloads[index] = place.file, found

    def _count_from_jobs(self) -> None:
        """A priority that grows counts from the Job, which may come after its workload."""
        for index, owners in self.classed:
            file, found = self.workloads[index]
            if found.priority_class not in self.growing:
                continue
            counted = self.jobs.behind(owners, found)
            self.workloads[index] = file, counted
            if counted.job_created_at is None:
                place = _place_of(file, found)
                self._warn(place, "its Job is not given: its priority grows from the Workload's creation")

    def _check_flavors(self) -> None:
        for name, (place, queue) in self.cluster_queues.items():
            checked = queues.with_flavors(queue, self.flavors)
            if checked is queue:
                continue
            named = [flavor.flavor for group in queue.resource_groups for flavor in group.flavors]
            if self.flavors:
                self.cluster_queues[name] = place, checked
                hints = {did_you_mean(name, self.flavors) for name in named if name not in self.flavors}
                self._warn(place, f"inactive: {checked.inactive}{''.join(sorted(hints))}")
            else:
                missing = comma_separated(named)
                reason = f"no ResourceFlavor was given; Kueue needs {missing} for this queue to be active"
                self._warn(place, reason, many=": no ResourceFlavor was given; Kueue needs those named")

    def _check_topologies(self) -> None:
        settings = self.settings or (self.configured.settings if self.configured else Settings())
        for name, (place, queue) in self.cluster_queues.items() if settings.topology_aware_scheduling else ():
            checked = with_topologies(queue, self.flavors, self.topologies)
            if checked is not queue:
                self.cluster_queues[name] = place, checked
                self._warn(place, f"inactive: {checked.inactive}")

    def _check_cycles(self) -> None:
        """A cycle of Cohorts refuses no other tree, and has no usage that could be counted."""
        found = list(cycle_warnings(self.cohorts))
        for place, text in found:
            self._warn(place, text)
        parents = {name: cohort.parent for name, (_, cohort) in self.cohorts.items()}
        for name, (place, queue) in self.cluster_queues.items() if found else ():
            self.cluster_queues[name] = place, outside_cycles(queue, parents)

    def _check_cluster_queues(self) -> None:
        for file, found in self.workloads:
            name = found.cluster_queue
            if name is not None and name not in self.cluster_queues:
                place = _place_of(file, found)
                self._warn(
                    place, queue_not_given(name), many="hold quota of ClusterQueues not given", named=name
                )
        for place, text, missing in queue_warnings(self.local_queues, set(self.cluster_queues)):
            many = "point to ClusterQueues that were not given" if missing else ""
            self._warn(place, text, many=many, named=missing)
        for place, text in cohort_warnings(self.cluster_queues, self.cohorts):
            self._warn(place, text)

    def _check_preemption_configs(self, cluster: Cluster) -> None:
        """What Kueue only logs: a PreemptionConfig that is missing, and a selector that it cannot build."""
        named: dict[str, Place] = {}
        for name, queue in cluster.cluster_queues.items():
            if queue.preemption_config is not None:
                named.setdefault(queue.preemption_config, self.cluster_queues[name][0])
        for name, place in named.items() if self.configs else ():
            found = self.configs.get(name)
            if found is None:
                known = f"there is {comma_separated(self.configs)}{did_you_mean(name, self.configs)}"
                text = f"PreemptionConfig {printable(name)} does not exist, and counts as none; {known}"
                self._warn(place, f"metadata.annotations[{PREEMPTION_CONFIG}]: {text}")
                continue
            from tenure.manifests.preemption_configs import faults_of

            for path, fault, effect in faults_of(found):
                self._warn(self.configs_at[name], f"{path}: {fault}: {effect}")

    def _check_holding(self, cluster: Cluster) -> None:
        cautions = list(holding_cautions(cluster.admitted, cluster))
        files = {found.key: file for file, found in self.workloads} if cautions else {}
        for index, caution in cautions:
            found = cluster.admitted[index]
            place = _place_of(files[found.key], found)
            self.warnings.append(about_object(caution.warning(place), place.object))

    def _check_namespaces(self) -> None:
        waiting = [(file, found) for file, found in self.workloads if found.cluster_queue is None]
        for file, found in waiting:
            queue = self._queue_of(found)
            problem = None if queue is None else self.namespaces.problem(found, queue, file)
            if problem is not None:
                self.set_aside[problem.object] = (problem,)
                text = f"set aside: {in_short((problem,))}"
                self._warn(Place(problem.object, file), text, found.queue_name)
                self.problems.append(problem)
        if self.strict and self.problems:
            raise InputError(self.problems)
        for name, text in self.namespaces.warnings():
            self._warn(self.cluster_queues[name][0], text)

    def _queue_of(self, workload: Workload) -> str | None:
        """Where a pending workload waits; the only ClusterQueue where there are no LocalQueues."""
        if self.local_queues or len(self.cluster_queues) != 1:
            name = self.local_queues.get((workload.namespace, workload.queue_name))
            return name if name in self.cluster_queues else None
        return next(iter(self.cluster_queues))

    def _settings(self) -> Settings:
        if self.settings is not None:
            return self.settings
        if self.configured is not None:
            return self.configured.settings
        return Settings(fair_sharing=DEFAULT_STRATEGIES if self.shown.sharing else None)

    def _fair_sharing_source(self) -> FairSharingSource:
        if self.settings is None and self.operated is not None and self.configured is self.operated[0]:
            return FairSharingSource.OPERATOR
        if self.settings is not None or self.configured is not None:
            return FairSharingSource.GIVEN
        return FairSharingSource.STATUS if self.shown.is_known else FairSharingSource.ASSUMED

    def _shown_over_time(self) -> Iterator[Problem]:
        """What the objects show of a Configuration that was not given, and decides over several cycles."""
        if self.settings is None and self.shown.blocked:
            message = f"message {BLOCKED!r}"
            field = "status.conditions[QuotaReserved]"
            expected = f"a Configuration with waitForPodsReady.blockAdmission {NOT_BLOCKED}"
            yield Problem(field, message, expected, self.shown.blocked, code=ErrorCode.NOT_MODELLED)

    def _check_fair_sharing(self) -> None:
        """What is configured and what Kueue has written into the status of its objects should agree."""
        if self.settings is not None:
            return
        if self.configured is None:
            if self.shown.sharing and self.shown.plain:
                first, other = min(self.shown.sharing), min(self.shown.plain)
                text = f"status.fairSharing is absent, although {first} has it; fair sharing counts as on"
                self._warn(Place(other), text)
            return
        on = self.configured.settings.fair_sharing is not None
        against = self.shown.plain if on else self.shown.sharing
        if against and not (self.shown.sharing if on else self.shown.plain):
            state, shows = ("on", "without it") if on else ("off", "with it")
            text = f"fair sharing is {state} here, but by the status of {min(against)} Kueue runs {shows}"
            self._warn(self.configured_at, f"{text}; the Configuration counts")

    def _warn(self, place: Place, text: str, queue_name: str = "", many: str = "", named: str = "") -> None:
        whole = f"{_file_and_object(place)}: {text}"
        self.warnings.append(about_object(whole, place.object, queue_name, many, named))

    def _ignore(self, place: Place, why: str) -> None:
        self.ignored.append(f"{_file_and_object(place)}: {why}")

    def _cluster(self, cohorts: Mapping[str, Cohort]) -> Cluster:
        gates = self.configured.gates if self.configured is not None and self.settings is None else {}
        given = self.configs or None
        whole = with_selectable(self._whole(cohorts), given, self._selectable, self.queue_labels)
        return without_gated(whole, gates)

    def _selectable(self, workload: Workload) -> Selectable:
        """What PreemptionConfigs read of a workload."""
        own = {JOB_UID: workload.job_uid} if workload.job_uid else {}
        named = workload.priority_class or self.other_classes.get(workload.key, "")
        return Selectable(self.labels.get(workload.key, own), named, workload.priority)

    def _whole(self, cohorts: Mapping[str, Cohort]) -> Cluster:
        return Cluster(
            cluster_queues={name: queue for name, (_, queue) in self.cluster_queues.items()},
            admitted=tuple(found for _, found in self.workloads if found.cluster_queue is not None),
            pending=tuple(
                found
                for _, found in self.workloads
                if found.cluster_queue is None and found.key not in self.namespaces.refused
            ),
            flavors=self.flavors,
            local_queues=self.local_queues,
            settings=self._settings(),
            cohorts=cohorts,
            growing=self.growing,
            held=self.held,
            topologies=self.topologies,
            preemption_limits=tuple(self.limits),
        )


_ADD: dict[str, Callable[[Builder, object, Place], None]] = {
    "ClusterQueue": Builder.add_cluster_queue,
    "Cohort": Builder.add_cohort,
    "ResourceFlavor": Builder.add_resource_flavor,
    "Topology": Builder.add_topology,
    LIMIT_KIND: Builder.add_preemption_limit,
    "LocalQueue": Builder.add_local_queue,
    "Namespace": Builder.add_namespace,
    "Workload": Builder.add_workload,
    "WorkloadPriorityClass": Builder.add_priority_class,
    "Configuration": Builder.add_configuration,
    "ConfigMap": Builder.add_config_map,
    operators.KIND: Builder.add_operator,
}


def _newest(found: Workload) -> Instant:
    """The last time that is known of a workload."""
    known = (found.quota_reserved_at, found.pods_ready_evicted_at, found.requeue_at)
    return max((found.created_at, *(at for at in known if at is not None)))


def _evicted_at(conditions: Iterable[Any]) -> Instant:
    """Since when condition Evicted is True, of those of a right object; the epoch where it has no stamp."""
    since = next(
        c.get("lastTransitionTime") for c in conditions if (c["type"], c["status"]) == ("Evicted", "True")
    )
    return parse_instant(since) if since is not None else 0


def _may_be_set_aside(raw: object, kind: str, problems: Sequence[Problem]) -> bool:
    """Whether nothing but the object itself depends on what is wrong with it.

    A workload that holds quota uses it whatever else is wrong. Where its status is wrong, that is not known.
    """
    return (
        kind == "Workload"
        and not has_condition(raw, "QuotaReserved")
        and _has_unique_name(raw)
        # What is not modelled, or has no field, is no reason of its status.
        and not any(
            problem.field.partition(".")[0] == "status"
            for problem in problems
            if not problem.unknown and problem.code != ErrorCode.NOT_MODELLED
        )
    )


def _has_unique_name(raw: object) -> bool:
    """Whether an object's name identifies it."""
    name, namespace = dig(raw, "metadata", "name"), dig(raw, "metadata", "namespace")
    names = (name, "" if namespace is None else namespace)
    return bool(name) and all(isinstance(part, str) and printable(part) == part for part in names)


def _is_served(raw: object, kind: str) -> bool:
    """Whether an API server has stored the object, so that an unknown name is not a typing mistake.

    It stores no field that its own release does not have. Of Workloads the uid is written by hand too,
    because it breaks ties.
    """
    stamped = dig(raw, "metadata", "resourceVersion")
    if stamped is None and kind != "Workload":
        stamped = dig(raw, "metadata", "uid")
    return kind in VERSIONS and isinstance(stamped, str)


def _header_problems(raw: object, place: Place) -> Iterator[Problem]:
    if not isinstance(raw, dict):
        yield place.problem("", show(raw), "a Kubernetes object (a map)")
    elif not any(name in raw for name in ("apiVersion", "kind", "metadata")):
        expected = "a Kubernetes object, with apiVersion, kind and metadata"
        what = what_it_is(raw)
        yield place.problem("", what or f"a map of {comma_separated(raw)}", f"{expected}{ask_instead(what)}")
    else:
        for name, example in (("apiVersion", API_VERSION), ("kind", "ClusterQueue")):
            found = raw.get(name)
            if not isinstance(found, str) or not found:
                shown = show(found) if name in raw else "nothing"
                yield place.problem(name, shown, f"a string such as {example}")


def _place_of(file: str, workload: Workload) -> Place:
    return Place(object_name("Workload", workload.namespace, workload.name), file)


def _file_and_object(place: Place) -> str:
    return ": ".join(part for part in (place.file, place.object) if part)


__all__ = ["Loaded", "build", "load"]


def load(
    paths: Sequence[str | Path],
    settings: Settings | None = None,
    *,
    strict: bool = False,
    watched: Callable[[Iterator[SourcedObject]], Iterable[SourcedObject]] = iter,
) -> Loaded:
    """A cluster from files, folders and standard input.

    Args:
        paths: files, folders (searched for `*.yaml`, `*.yml` and `*.json`), or `-` for standard input.
        settings: the scheduler's configuration; None takes Kueue's Configuration where the files hold it,
            and Kueue's defaults otherwise.
        strict: whether a pending workload or LocalQueue that would be set aside, and a field of a newer
            release that would not be looked at, is an error.
        watched: passes the objects on while they are read, so that they may be counted.

    Raises:
        InputError: everything that is wrong in any of the files and objects.

    Source: the output of `kubectl get -o yaml`; Kueue v1beta2 API.

    >>> load(["absent.yaml"])
    Traceback (most recent call last):
    tenure.errors.InputError: absent.yaml: found no such file or folder, expected a file or folder to read
    """
    unreadable: list[Problem] = []
    with without_collector():
        return Builder(settings, unreadable, strict).build(watched(iterate_objects(paths, unreadable)))


def build(
    objects: Iterable[SourcedObject], settings: Settings | None = None, *, strict: bool = False
) -> Loaded:
    """A cluster from objects that have been read already.

    Args:
        objects: ClusterQueues, Cohorts, ResourceFlavors, LocalQueues, Workloads, WorkloadPriorityClasses,
            PreemptionConfigs, PreemptionLimits, Topologies, Namespaces and Kueue's Configuration; other kinds
            are ignored.
        settings, strict: as for `load`.

    Raises:
        InputError: everything that is wrong with any of the objects.

    Source: Kueue v1beta2 API.

    >>> queue = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": {"name": "a"}}
    >>> list(build([SourcedObject("a.yaml", queue)]).cluster.cluster_queues)
    ['a']
    """
    return Builder(settings, [], strict).build(objects)


@contextmanager
def without_collector(*, stays: bool = False) -> Iterator[None]:
    """Loading makes millions of objects and no cycles; the collector would look at them over and over.

    Args:
        stays: whether what is made stays to the end, so that the collector need not look at it afterwards.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if stays:
            gc.freeze()
        if enabled:
            gc.enable()
