"""The input of call `decide`, checked and turned into the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from tenure.errors import ErrorCode, InputError, Problem, bad_input
from tenure.manifests import (
    parse_instant,
    read_cluster_queue,
    read_local_queue,
    read_resource_flavor,
    read_workload,
)
from tenure.model import (
    Assignment,
    Cluster,
    FlavorResource,
    RequeuingTimestamp,
    Settings,
    Workload,
)
from tenure.readings import Reading, parse_reading

_Read = TypeVar("_Read")

REQUIRED = ("now", "clusterQueues", "admitted", "incoming", "targetCQ")
OPTIONAL = (
    "featureGates",
    "fairSharing",
    "requeuingTimestamp",
    "cohorts",
    "resourceFlavors",
    "localQueues",
    "assignment",
    "reading",
    "engine",
    "explain",
)
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

TIME_BASED_GATE = "TimeBasedSamePriorityPreemption"
FIXED_GATES = {"PriorityBoost": False, "PrioritySortingWithinCohort": True, "ReclaimablePods": True}
"""Gates that decide, of which only the default is modelled yet."""

TIMESTAMPS = {
    "": RequeuingTimestamp.CREATION,
    "Creation": RequeuingTimestamp.CREATION,
    "Eviction": RequeuingTimestamp.EVICTION,
}
"""`requeuingTimestamp`; the recorded unit tests leave it empty, which Kueue treats like Creation."""


@dataclass(frozen=True, slots=True)
class DecideRequest:
    """A checked request.

    Args:
        cluster, preemptor, queue, now, reading, assignment: what `tenure.oracle.decide.decide` takes.
        explained: whether the answer carries the trace.
    """

    cluster: Cluster
    preemptor: Workload
    queue: str
    now: int
    reading: Reading
    assignment: Assignment | None
    explained: bool


def read_decide_request(raw: object) -> DecideRequest:
    """Check the `input` of a request.

    Raises:
        InputError: everything that is wrong, with field paths relative to `input`.
    """
    if not isinstance(raw, Mapping):
        raise bad_input("input", raw, "an object")
    problems: list[Problem] = list(_key_problems(raw))

    def attempt(read: Callable[[], _Read]) -> _Read | None:
        try:
            return read()
        except InputError as error:
            problems.extend(error.problems)
            return None

    settings = attempt(lambda: _settings(raw))
    reading = attempt(lambda: parse_reading(raw.get("reading")))
    now = attempt(lambda: parse_instant(raw.get("now"), field="now"))
    queues = _each(raw, "clusterQueues", problems, lambda each, at: read_cluster_queue(each, where=at))
    flavors = _each(raw, "resourceFlavors", problems, lambda each, at: read_resource_flavor(each, where=at))
    locals_ = _each(raw, "localQueues", problems, lambda each, at: read_local_queue(each, where=at))
    admitted = _each(
        raw, "admitted", problems, lambda each, at: read_workload(each, where=at, holds_quota=True)
    )
    incoming = attempt(lambda: read_workload(raw.get("incoming"), where="incoming", holds_quota=False))
    assignment = attempt(lambda: read_assignment(raw.get("assignment")))
    explained = attempt(lambda: _flag(raw, "explain"))
    queue = attempt(lambda: _text(raw, "targetCQ"))
    problems += _given_twice("clusterQueues", [each.name for each in queues])
    problems += _given_twice("admitted", [each.key for each in admitted])
    attempt(lambda: _engine(raw))
    attempt(lambda: _unused(raw))
    if problems:
        raise InputError(problems)
    assert settings is not None
    assert reading is not None
    assert now is not None
    assert incoming is not None
    assert queue is not None
    return DecideRequest(
        cluster=Cluster(
            cluster_queues={each.name: each for each in queues},
            admitted=tuple(admitted),
            pending=(incoming,),
            flavors={flavor.name: flavor for flavor in flavors},
            local_queues={(local.namespace, local.name): local.cluster_queue for local in locals_},
            settings=settings,
        ),
        preemptor=incoming,
        queue=queue,
        now=now,
        reading=reading,
        assignment=assignment,
        explained=bool(explained),
    )


def read_assignment(raw: object) -> Assignment | None:
    """A given assignment, None to derive one.

    Raises:
        InputError: a malformed entry, with its path below `assignment`.
    """
    if raw is None:
        return None
    if not isinstance(raw, Mapping):
        raise bad_input("assignment", raw, "an object, or null to derive the assignment")
    usage: dict[FlavorResource, int] = {}
    for index, entry in enumerate(_list(raw, "usage", "assignment.usage")):
        path = f"assignment.usage[{index}]"
        place = _flavor_resource(entry, path)
        amount = entry["amount"] if isinstance(entry, Mapping) and "amount" in entry else None
        if not isinstance(amount, int) or isinstance(amount, bool) or amount < 0:
            expected = "an integer of at least 0 in base units, or milli-CPU for cpu"
            raise bad_input(f"{path}.amount", amount, expected)
        usage[place] = usage.get(place, 0) + amount
    needed = frozenset(
        _flavor_resource(entry, f"assignment.frsNeedPreemption[{index}]")
        for index, entry in enumerate(_list(raw, "frsNeedPreemption", "assignment.frsNeedPreemption"))
    )
    return Assignment(usage=usage, needs_preemption=needed, fits=not _is_no_fit(raw))


def _is_no_fit(raw: Mapping[str, Any]) -> bool:
    if raw.get("representativeMode") == "NoFit":
        return True
    modes = [
        flavor.get("mode")
        for pod_set in _list(raw, "podSets", "assignment.podSets")
        if isinstance(pod_set, Mapping)
        if isinstance(pod_set.get("flavors"), Mapping)
        for flavor in pod_set["flavors"].values()
        if isinstance(flavor, Mapping)
    ]
    return "NoFit" in modes


def _key_problems(raw: Mapping[str, Any]) -> list[Problem]:
    known = {*REQUIRED, *OPTIONAL, *RECORDED}
    unknown = [
        Problem(
            field=str(key), found="an unknown field", expected=f"one of {', '.join((*REQUIRED, *OPTIONAL))}"
        )
        for key in raw
        if key not in known
    ]
    missing = [
        Problem(field=key, found="nothing", expected="a value: it is required")
        for key in REQUIRED
        if key not in raw
    ]
    return unknown + missing


def _settings(raw: Mapping[str, Any]) -> Settings:
    gates = {} if raw.get("featureGates") is None else raw["featureGates"]
    if not isinstance(gates, Mapping):
        raise bad_input("featureGates", gates, "an object of booleans")
    for gate, value in gates.items():
        if not isinstance(value, bool):
            raise bad_input(f"featureGates.{gate}", value, "true or false")
    for gate, default in FIXED_GATES.items():
        if gates.get(gate, default) != default:
            problem = Problem(
                field=f"featureGates.{gate}",
                found=str(not default).lower(),
                expected=f"{str(default).lower()}: nothing else is modelled",
                code=ErrorCode.NOT_MODELLED,
            )
            raise InputError([problem])
    timestamp = raw.get("requeuingTimestamp", "Eviction")
    if not isinstance(timestamp, str) or timestamp not in TIMESTAMPS:
        raise bad_input("requeuingTimestamp", timestamp, "Eviction or Creation")
    return Settings(
        time_based_preemption=gates.get(TIME_BASED_GATE, True), requeuing_timestamp=TIMESTAMPS[timestamp]
    )


def _engine(raw: Mapping[str, Any]) -> None:
    engine = raw.get("engine", "reference")
    if engine == "fast":
        problem = Problem(
            field="engine",
            found="'fast'",
            expected="'reference': the optimized core does not exist yet",
            code=ErrorCode.NOT_MODELLED,
        )
        raise InputError([problem])
    if engine != "reference":
        raise bad_input("engine", engine, "'reference'")


def _unused(raw: Mapping[str, Any]) -> None:
    """Fields that cannot matter for a queue without cohort; their form is checked all the same."""
    _list(raw, "cohorts", "cohorts")
    if not isinstance(raw.get("fairSharing"), Mapping | None):
        raise bad_input("fairSharing", raw["fairSharing"], "an object, or null for classical preemption")


def _flag(raw: Mapping[str, Any], key: str) -> bool:
    value = raw.get(key, False)
    if not isinstance(value, bool):
        raise bad_input(key, value, "true or false")
    return value


def _text(raw: Mapping[str, Any], key: str) -> str | None:
    if key not in raw:
        return None  # reported already as missing
    if not isinstance(raw[key], str):
        raise bad_input(key, raw[key], "a name")
    return str(raw[key])


def _list(raw: Mapping[str, Any], key: str, path: str) -> list[Any]:
    value = raw.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise bad_input(path, value, "a list")
    return value


def _each(
    raw: Mapping[str, Any], key: str, problems: list[Problem], read: Callable[[Any, str], _Read]
) -> list[_Read]:
    made: list[_Read] = []
    try:
        entries = _list(raw, key, key)
    except InputError as error:
        problems.extend(error.problems)
        return made
    for index, entry in enumerate(entries):
        try:
            made.append(read(entry, f"{key}[{index}]"))
        except InputError as error:
            problems.extend(error.problems)
    return made


def _given_twice(key: str, names: list[str]) -> list[Problem]:
    first: dict[str, int] = {}
    return [
        Problem(
            f"{key}[{index}].metadata.name", repr(name), f"a name given once; {key}[{first[name]}] has it"
        )
        for index, name in enumerate(names)
        if first.setdefault(name, index) != index
    ]


def _flavor_resource(entry: object, path: str) -> FlavorResource:
    if not isinstance(entry, Mapping):
        raise bad_input(path, entry, "an object with flavor and resource")
    for key in ("flavor", "resource"):
        if not isinstance(entry.get(key), str):
            raise bad_input(f"{path}.{key}", entry.get(key), "a name")
    return FlavorResource(entry["flavor"], entry["resource"])
