"""The input of call `decide`, checked and turned into the model."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, TypeVar

from tenure.choices import Engine
from tenure.conformance.assignments import read_assignment, read_list
from tenure.conformance.gathering import attempt, key_problems
from tenure.engines import parse_engine
from tenure.errors import InputError, Problem
from tenure.manifests import (
    MAX_DEVIATIONS,
    RECLAIMABLE_PODS,
    Place,
    WorkloadReader,
    comma_separated,
    did_you_mean,
    gate_problems,
    job_created,
    object_name,
    parse_instant,
    place_of,
    printable,
    read_cluster_queue,
    read_cohort,
    read_local_queue,
    read_priority_class,
    read_resource_flavor,
    read_topology,
    read_workload,
    settings_of,
    show,
    strategies_of,
    tree_problems,
    with_flavors,
    with_topologies,
)
from tenure.manifests.checking import check
from tenure.manifests.clock_conflicts import not_queued_yet
from tenure.manifests.configuration import PreemptionProtection, protection_problems, with_protection
from tenure.manifests.consistency import Caution, holding_cautions, queue_not_given
from tenure.manifests.kueue_api import without_gated
from tenure.manifests.preemption_configs import read_preemption_config
from tenure.manifests.preemption_limits import read_preemption_limit
from tenure.manifests.selectable import labels_of, names_any, selectable_of, with_selectable
from tenure.manifests.showing import refused
from tenure.manifests.structure import dig, has_condition, items
from tenure.manifests.workloads import out_of_play
from tenure.model import (
    Assignment,
    Cluster,
    ClusterQueue,
    FairStrategy,
    Instant,
    PreemptionConfig,
    RequeuingTimestamp,
    Settings,
    Workload,
)
from tenure.oracle.decide import Decision, decide
from tenure.readings import Reading, parse_reading

_Read = TypeVar("_Read")

REQUIRED = ("now", "clusterQueues", "admitted", "incoming", "targetCQ")
OPTIONAL = (
    "featureGates",
    "fairSharing",
    "requeuingTimestamp",
    "preemptionProtection",
    "cohorts",
    "resourceFlavors",
    "topologies",
    "localQueues",
    "workloadPriorityClasses",
    "preemptionConfigs",
    "preemptionLimits",
    "jobs",
    "assignment",
    "reading",
    "engine",
    "explain",
)
FIELDS = (*REQUIRED, *OPTIONAL)
OF_ONE = ("incoming", "targetCQ")
"""Required fields of call `decide` about the pending workload."""
RECORDED = (
    "suite",
    "name",
    "test",
    "call",
    "tas",
    "admissionFairSharing",
    "nodeUsage",
    "want",
    "got",
    "derived",
    "decision",
)
"""Fields of a recorded line that say where it comes from or what was decided; they take no part."""

TIMESTAMPS = {"": RequeuingTimestamp.CREATION, **RequeuingTimestamp.labelled()}
"""`requeuingTimestamp`; the recorded unit tests leave it empty, which Kueue treats like Creation."""


@dataclass(frozen=True, slots=True)
class DecideRequest:
    """A checked request.

    Args:
        cluster, preemptor, queue, now, reading, assignment: what `tenure.oracle.decide.decide` takes.
        explained: whether the answer carries the trace.
        engine: who decides.
        warnings: contradictions in the request.
    """

    cluster: Cluster
    preemptor: Workload
    queue: str
    now: int
    reading: Reading
    assignment: Assignment | None
    explained: bool
    engine: Engine = Engine.REFERENCE
    warnings: tuple[str, ...] = field(default=(), compare=False)

    def decided(self) -> Decision:
        """The reference's decision.

        Raises:
            InputError: it refuses the request.
        """
        return decide(self.cluster, self.preemptor, self.queue, self.now, self.reading, self.assignment)


@dataclass(frozen=True, slots=True)
class ClusterRequest:
    """A checked request about a cluster, whatever its pending workloads.

    Args:
        cluster, now, reading, warnings: as in `DecideRequest`.
    """

    cluster: Cluster
    now: Instant
    reading: Reading
    warnings: tuple[str, ...] = ()


def read_decide_request(raw: object, engine: Engine = Engine.REFERENCE) -> DecideRequest:
    """Check the `input` of call `decide`.

    Args:
        raw: the input.
        engine: what decides where it names no engine.

    Raises:
        InputError: everything that is wrong, with field paths relative to `input`.
    """
    read = _read(raw, engine, for_decision=True)
    assert isinstance(read, DecideRequest)
    return read


def read_cluster_request(raw: object) -> ClusterRequest:
    """Check the `input` of a call that is like `decide` and about no pending workload.

    Raises:
        InputError: everything that is wrong, with field paths relative to `input`.
    """
    read = _read(raw, Engine.REFERENCE, for_decision=False)
    assert isinstance(read, ClusterRequest)
    return read


def _read(raw: object, engine: Engine, *, for_decision: bool) -> DecideRequest | ClusterRequest:
    if not isinstance(raw, Mapping):
        raise refused("input", raw, "an object")
    required = REQUIRED if for_decision else tuple(key for key in REQUIRED if key not in OF_ONE)
    known = FIELDS if for_decision else tuple(key for key in FIELDS if key != "incoming")
    problems: list[Problem] = key_problems(raw, required, known, RECORDED)
    settings = attempt(problems, lambda: _settings(raw))
    reading = attempt(problems, lambda: parse_reading(raw.get("reading")))
    # What is missing is a problem already.
    now = attempt(problems, lambda: parse_instant(raw["now"], field="now")) if "now" in raw else None
    flavors = _each(raw, "resourceFlavors", problems, lambda item, at: read_resource_flavor(item, where=at))
    topologies = _each(raw, "topologies", problems, lambda item, at: read_topology(item, where=at))
    queues = _each(
        raw,
        "clusterQueues",
        problems,
        lambda item, at: read_cluster_queue(item, where=at, defaulted=False),
    )
    placed = _each(
        raw,
        "cohorts",
        problems,
        lambda item, at: (place_of(item, "Cohort", where=at), read_cohort(item, where=at, defaulted=False)),
    )
    locals_ = _each(raw, "localQueues", problems, lambda item, at: read_local_queue(item, where=at))
    classes = _each(
        raw, "workloadPriorityClasses", problems, lambda item, at: read_priority_class(item, where=at)
    )
    configs = _each(
        raw, "preemptionConfigs", problems, lambda item, at: read_preemption_config(item, where=at)
    )
    limits = _each(raw, "preemptionLimits", problems, lambda item, at: read_preemption_limit(item, where=at))
    jobs = attempt(problems, lambda: _jobs(raw)) or {}
    warnings: list[str] = []
    reader = WorkloadReader(_is_reclaimable(raw), warnings)
    admitted = _each(
        raw,
        "admitted",
        problems,
        lambda item, at: read_workload(item, where=at, holds_quota=True, reader=reader),
    )
    waiting = raw.get("incoming")
    incoming = None
    if for_decision and "incoming" in raw:
        incoming = attempt(
            problems,
            lambda: job_created(
                waiting,
                read_workload(waiting, where="incoming", holds_quota=False, reader=reader),
                jobs,
            ),
        )
    if incoming is not None and now is not None:
        early = not_queued_yet(incoming, now)
        problems += [] if early is None else [replace(early, field=f"incoming.{early.field}")]
    assignment = attempt(problems, lambda: read_assignment(raw.get("assignment")))
    explained = attempt(problems, lambda: _flag(raw, "explain"))
    named = for_decision or "targetCQ" in raw
    queue = attempt(problems, lambda: _text(raw, "targetCQ")) if named else None
    problems += _target_problems(queue, _names(raw.get("clusterQueues")))
    problems += _given_twice("clusterQueues", [cluster_queue.name for cluster_queue in queues])
    problems += _given_twice("cohorts", [cohort.name for _, cohort in placed])
    problems += _given_twice("resourceFlavors", [flavor.name for flavor in flavors])
    problems += _given_twice("topologies", [name for name, _ in topologies])
    problems += _given_twice("workloadPriorityClasses", [class_.name for class_ in classes])
    problems += _given_twice("preemptionConfigs", [config.name for config in configs])
    problems += _given_twice("preemptionLimits", [limit.name for limit in limits])
    problems += _given_twice("admitted", [workload.key for workload in admitted])
    if incoming is not None:
        problems += _waiting_problems(waiting, incoming, [workload.key for workload in admitted])
    watched = [cluster_queue.cohort or "" for cluster_queue in queues if cluster_queue.name == queue]
    problems += tree_problems(
        {cohort.name: (place, cohort) for place, cohort in placed}, watched if for_decision else None
    )
    chosen = attempt(problems, lambda: parse_engine(raw.get("engine", engine)))
    if problems:
        raise InputError(problems)
    if jobs:
        admitted = [job_created(raw["admitted"][at], workload, jobs) for at, workload in enumerate(admitted)]
    assert settings is not None
    assert reading is not None
    assert now is not None
    described = {flavor.name: flavor for flavor in flavors}
    known_topologies = dict(topologies) if settings.topology_aware_scheduling else {}
    cluster = Cluster(
        cluster_queues={
            cluster_queue.name: with_topologies(cluster_queue, described, known_topologies)
            for cluster_queue in _activated(raw, queues, described)
        },
        admitted=tuple(_counted(raw, admitted, warnings)),
        pending=() if incoming is None else (incoming,),
        flavors=described,
        local_queues={(local.namespace, local.name): local.cluster_queue for local in locals_},
        held={(local.namespace, local.name): local.held for local in locals_ if local.held},
        settings=settings,
        cohorts={cohort.name: cohort for _, cohort in placed},
        growing={class_.name: class_ for class_ in classes if class_.policy is not None},
        topologies=dict(topologies),
        preemption_limits=tuple(limits),
    )
    if names_any(cluster):
        given = None if raw.get("preemptionConfigs") is None else {config.name: config for config in configs}
        cluster = _with_selectable(raw, cluster, given, incoming)
        incoming = incoming and cluster.pending[0]
    cluster = without_gated(cluster, raw.get("featureGates") or {})
    _warn_of_holding(cluster, warnings)
    if not for_decision:
        return ClusterRequest(cluster, now, reading, tuple(dict.fromkeys(warnings)))
    assert incoming is not None
    assert queue is not None
    assert chosen is not None
    return DecideRequest(
        cluster=cluster,
        preemptor=incoming,
        queue=queue,
        now=now,
        reading=reading,
        assignment=assignment,
        explained=bool(explained),
        engine=chosen,
        warnings=tuple(dict.fromkeys((*warnings, *_waiting_warnings(waiting)))),
    )


def _with_selectable(
    raw: Mapping[str, Any],
    cluster: Cluster,
    configs: Mapping[str, PreemptionConfig] | None,
    incoming: Workload | None,
) -> Cluster:
    """The cluster with what PreemptionConfigs read of its objects."""
    made = zip(cluster.admitted, _holding(raw), strict=True)
    read = {workload.key: selectable_of(given, workload) for workload, given in made}
    if incoming is not None:
        read[incoming.key] = selectable_of(raw["incoming"], incoming)
    queues = {given["metadata"]["name"]: labels_of(given) for given in raw["clusterQueues"]}
    return with_selectable(cluster, configs, lambda workload: read[workload.key], queues)


def _holding(raw: Mapping[str, Any]) -> Iterator[Any]:
    return (given for given in raw["admitted"] if not out_of_play(given))


def _waiting_problems(raw: object, incoming: Workload, admitted: Sequence[str]) -> list[Problem]:
    """Whether the one that waits can wait: it has not ended, and holds no quota beside its name.

    Source: Kueue v0.19.2, pkg/workload/workload.go, IsAdmissible, without which no queue takes a workload;
    pkg/scheduler/scheduler.go, nominate, which passes over one that is in the cache.
    """
    place = place_of(raw, "Workload", where="incoming")
    problems = [
        place.problem(path, found, "a workload that waits for quota") for path, found in out_of_play(raw)
    ]
    if incoming.key in admitted:
        other = f"admitted[{admitted.index(incoming.key)}]"
        expected = f"a workload that waits for quota; {other} of the same name holds it"
        problems.append(place.problem("metadata.name", show(incoming.name), expected))
    return problems


def _waiting_warnings(raw: object) -> Iterator[str]:
    if has_condition(raw, "QuotaReserved"):
        kueue = "GetTargets decides as if it were pending; the scheduler never passes it one with quota"
        caution = Caution("status.conditions", "QuotaReserved=True", "a workload that waits for quota", kueue)
        yield caution.warning(place_of(raw, "Workload", where="incoming"))


def _counted(raw: Mapping[str, Any], admitted: Sequence[Workload], warnings: list[str]) -> Iterator[Workload]:
    """The workloads that hold quota in Kueue's cache too.

    Source: Kueue v0.19.2, pkg/cache/scheduler/cache.go, addOrUpdateWorkloadWithoutLock: one that has finished
    or is not active is not in the cache.
    """
    for at, workload in enumerate(admitted):
        place = place_of(raw["admitted"][at], "Workload", where=f"admitted[{at}]")
        ended = out_of_play(raw["admitted"][at])
        for path, found in ended:
            kueue = "it holds no quota and cannot be preempted"
            warnings.append(Caution(path, found, "a workload that holds quota", kueue).warning(place))
        if not ended:
            yield workload


def _warn_of_holding(cluster: Cluster, warnings: list[str]) -> None:
    admitted = cluster.admitted
    for workload in admitted:
        if workload.cluster_queue not in cluster.cluster_queues:
            name = object_name("Workload", workload.namespace, workload.name)
            warnings.append(f"{name}: {queue_not_given(workload.cluster_queue or '')}")
    for index, caution in holding_cautions(admitted, cluster):
        name = object_name("Workload", admitted[index].namespace, admitted[index].name)
        warnings.append(caution.warning(Place(name)))


def _names(objects: object) -> list[str]:
    """The names of a list of objects, untrusted."""
    found = [dig(item, "metadata", "name") for item in items(objects)]
    return [name for name in found if isinstance(name, str)]


def _target_problems(queue: str | None, given: list[str]) -> list[Problem]:
    """Whether the target is among the names of the ClusterQueues, right or wrong themselves."""
    if queue is None or queue in given or not given:
        return []
    expected = f"the name of one of clusterQueues: {comma_separated(given)}{did_you_mean(queue, given)}"
    return [Problem("targetCQ", show(queue), expected)]


def _settings(raw: Mapping[str, Any]) -> Settings:
    problems: list[Problem] = []
    fair_sharing = _fair_sharing(raw, problems)
    problems += gate_problems(raw.get("featureGates"), Place(), fair_sharing=fair_sharing is not None)
    written = raw.get("preemptionProtection")
    place = Place(where="preemptionProtection")
    protection = None if written is None else check(PreemptionProtection, written, place, problems)
    problems += protection_problems(protection, Place())
    timestamp = raw.get("requeuingTimestamp", "Eviction")
    if not isinstance(timestamp, str) or timestamp not in TIMESTAMPS:
        expected = "Eviction or Creation" + did_you_mean(timestamp, TIMESTAMPS)
        problems.append(Problem(field="requeuingTimestamp", found=show(timestamp), expected=expected))
    if problems:
        raise InputError(problems)
    gates = raw.get("featureGates") or {}
    return with_protection(settings_of(gates, TIMESTAMPS[timestamp], fair_sharing), protection, gates)


def _fair_sharing(raw: Mapping[str, Any], problems: list[Problem]) -> tuple[FairStrategy, ...] | None:
    found = raw.get("fairSharing")
    if found is None:
        return None
    if not isinstance(found, Mapping):
        expected = "an object, or null for classical preemption"
        problems.append(Problem(field="fairSharing", found=show(found), expected=expected))
        return None
    known = ("preemptionStrategies",)
    problems += [
        Problem(
            f"fairSharing.{printable(str(key))}",
            "an unknown field",
            f"preemptionStrategies, or nothing{did_you_mean(key, known)}",
        )
        for key in islice((key for key in found if key not in known), MAX_DEVIATIONS)
    ]
    field = "fairSharing.preemptionStrategies"
    return strategies_of(found.get("preemptionStrategies"), Place(), field, problems, may_be_empty=True)


def _is_reclaimable(raw: Mapping[str, Any]) -> bool:
    """Feature gate ReclaimablePods; one that is malformed is refused with the others."""
    gates = raw.get("featureGates")
    return not (isinstance(gates, Mapping) and gates.get(RECLAIMABLE_PODS) is False)


def _activated(
    raw: Mapping[str, Any], queues: list[ClusterQueue], flavors: Container[str]
) -> list[ClusterQueue]:
    """The queues, inactive where they name a flavor that is not given; without the list, flavors exist."""
    if raw.get("resourceFlavors") is None:
        return queues
    return [with_flavors(queue, flavors) for queue in queues]


def _jobs(raw: Mapping[str, Any]) -> dict[str, Instant]:
    """Creation times of the workloads' Jobs, by `namespace/name`."""
    jobs = raw.get("jobs")
    if not isinstance(jobs, Mapping | None):
        raise refused("jobs", jobs, "an object of creation times by namespace/name")
    problems: list[Problem] = []
    read: dict[str, Instant] = {}
    for name, created in (jobs or {}).items():
        try:
            read[name] = parse_instant(created, field=f"jobs[{printable(str(name))}]")
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return read


def _flag(raw: Mapping[str, Any], key: str) -> bool:
    value = raw.get(key, False)
    if not isinstance(value, bool):
        raise refused(key, value, "true or false")
    return value


def _text(raw: Mapping[str, Any], key: str) -> str | None:
    if key not in raw:
        return None  # reported already as missing
    if not isinstance(raw[key], str):
        raise refused(key, raw[key], "a name")
    return str(raw[key])


def _each(
    raw: Mapping[str, Any], key: str, problems: list[Problem], read: Callable[[Any, str], _Read]
) -> list[_Read]:
    """What is made of every entry of a list."""
    made: list[_Read] = []
    for index, entry in enumerate(attempt(problems, lambda: read_list(raw, key, key)) or ()):
        try:
            made.append(read(entry, f"{key}[{index}]"))
        except InputError as error:
            problems.extend(error.problems)
    return made


def _given_twice(key: str, names: list[str]) -> list[Problem]:
    first: dict[str, int] = {}
    return [
        Problem(
            f"{key}[{index}].metadata.name", show(name), f"a name given once; {key}[{first[name]}] has it"
        )
        for index, name in enumerate(names)
        if first.setdefault(name, index) != index
    ]
