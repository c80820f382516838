"""Which object is being read, and older API versions to `kueue.x-k8s.io/v1beta2`, as Kueue converts them.

Pure functions on the untrusted object, before anything is checked: whatever has the wrong shape stays as it
is, because `checking` reports it, under the name that the older version has for the field.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TypeVar

from tenure.errors import InputError, Problem
from tenure.manifests.showing import LONGEST, Place, printable, show
from tenure.manifests.structure import dig

GROUP: Final = "kueue.x-k8s.io"
API_VERSION: Final = f"{GROUP}/v1beta2"

_BETA: Final = (API_VERSION, f"{GROUP}/v1beta1")
VERSIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "ClusterQueue": _BETA,
    "Cohort": (*_BETA, f"{GROUP}/v1alpha1"),
    "LocalQueue": _BETA,
    "ResourceFlavor": _BETA,
    "Workload": _BETA,
    "WorkloadPriorityClass": _BETA,
}
"""The versions that are read of each kind, the one that everything is converted to first."""

RETIRED: Final[Mapping[tuple[str, str], str]] = {
    ("Cohort", f"{GROUP}/v1alpha1"): "served by Kueue 0.9 to 0.12; its spec.parent is spec.parentName now"
}
"""Versions of a kind that dumps of older clusters have and that no API server takes now, and what became of
each. Source: Kueue's changelog of v0.13."""

_PRIORITY_CLASSES = {
    "kueue.x-k8s.io/workloadpriorityclass": ("kueue.x-k8s.io", "WorkloadPriorityClass"),
    "scheduling.k8s.io/priorityclass": ("scheduling.k8s.io", "PriorityClass"),
}
_SOURCES = ", ".join(_PRIORITY_CLASSES)


@dataclass(slots=True)
class Conversion:
    """One object on its way to v1beta2.

    Args:
        object: the object as v1beta2 has it.
        names: path of each renamed field in v1beta2, and its path in the object's own version.
        problems: what the object's own version does not have, or does not allow.
    """

    object: dict[str, Any]
    place: Place
    names: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def spec(self) -> dict[str, Any]:
        """A copy of the spec that may be changed; empty where the object has none."""
        found = self.object.get("spec")
        if not isinstance(found, dict):
            return {}
        self.object["spec"] = dict(found)
        return self.object["spec"]  # type: ignore[no-any-return]  # an untrusted object is a map of Any

    def rename(self, spec: dict[str, Any], old: str, new: str) -> None:
        """Give a field of the spec its new name; the new name itself is unknown in the older version."""
        if new in spec:
            expected = f"no field of this name in {self.object['apiVersion']}; did you mean {old}?"
            self.problems.append(self.place.problem(f"spec.{new}", show(spec.pop(new)), expected))
        if old in spec:
            spec[new] = spec.pop(old)
        self.names[f"spec.{new}"] = f"spec.{old}"


def to_v1beta2(raw: object, kind: str, place: Place, problems: list[Problem]) -> tuple[object, Place]:
    """The object as v1beta2 has it, and a place that names fields as the object's own version does.

    Args:
        raw: the object, untrusted; one of v1beta2, or without version, is returned as it is.
        kind: the kind that it should be.
        place: the object, for the problems.
        problems: gets the fields that the older version does not have.

    Source: Kueue, conversion of v1beta1; the `parent` of a Cohort of v1alpha1 was renamed in v0.12.

    >>> queue = {"apiVersion": "kueue.x-k8s.io/v1beta1", "spec": {"cohort": "all"}}
    >>> converted, place = to_v1beta2(queue, "ClusterQueue", Place("ClusterQueue/a"), [])
    >>> converted["spec"], place.problem("spec.cohortName", "3", "a string").field
    ({'cohortName': 'all'}, 'spec.cohort')
    """
    version = raw.get("apiVersion") if isinstance(raw, dict) else None
    if not isinstance(raw, dict) or version == API_VERSION or version not in VERSIONS[kind]:
        return raw, place
    conversion = Conversion(dict(raw), place)
    convert = _CONVERSIONS.get(kind)
    if convert is not None:
        convert(conversion)
    problems.extend(conversion.problems)
    conversion.object["apiVersion"] = API_VERSION
    return conversion.object, place._replace(names=tuple(conversion.names.items()))


def _cluster_queue(conversion: Conversion) -> None:
    spec = conversion.spec()
    conversion.rename(spec, "cohort", "cohortName")
    checks = spec.pop("admissionChecks", None)
    if isinstance(checks, list) and checks:
        spec["admissionChecksStrategy"] = {"admissionChecks": [{"name": name} for name in checks]}
    elif checks:
        conversion.problems.append(conversion.place.problem("spec.admissionChecks", show(checks), "a list"))
    fungibility = spec.get("flavorFungibility")
    if isinstance(fungibility, dict):
        spec["flavorFungibility"] = fungibility = dict(fungibility)
        for key, word in (("whenCanBorrow", "Borrow"), ("whenCanPreempt", "Preempt")):
            if fungibility.get(key) == word:
                fungibility[key] = "MayStopSearch"


def _cohort(conversion: Conversion) -> None:
    if conversion.object["apiVersion"] != VERSIONS["Cohort"][-1]:
        return
    spec = conversion.spec()
    # The last releases of v1alpha1 have the new name already.
    if "parent" in spec:
        conversion.rename(spec, "parent", "parentName")


def _workload(conversion: Conversion) -> None:
    spec = conversion.spec()
    if "priorityClassRef" in spec:
        expected = (
            f"no field of this name in {conversion.object['apiVersion']}; did you mean priorityClassName?"
        )
        found = show(spec.pop("priorityClassRef"))
        conversion.problems.append(conversion.place.problem("spec.priorityClassRef", found, expected))
    name, source = spec.pop("priorityClassName", None), spec.pop("priorityClassSource", None)
    for path, value in (("spec.priorityClassName", name), ("spec.priorityClassSource", source)):
        if not isinstance(value, str | None):
            conversion.problems.append(conversion.place.problem(path, show(value), "a string"))
    if isinstance(source, str) and source:
        _refer(conversion, spec, name, source)


def _refer(conversion: Conversion, spec: dict[str, Any], name: object, source: str) -> None:
    if source not in _PRIORITY_CLASSES:
        problem = conversion.place.problem("spec.priorityClassSource", show(source), f"one of {_SOURCES}")
        conversion.problems.append(problem)
        return
    group, kind = _PRIORITY_CLASSES[source]
    spec["priorityClassRef"] = {"group": group, "kind": kind, "name": name}


_CONVERSIONS: dict[str, Callable[[Conversion], None]] = {
    "ClusterQueue": _cluster_queue,
    "Cohort": _cohort,
    "Workload": _workload,
}


T = TypeVar("T")


def place_of(raw: object, kind: str, *, file: str = "", where: str = "") -> Place:
    """How problems name an object: kind, name space if it has one, name.

    >>> place_of({"metadata": {"namespace": "ml", "name": "train"}}, "Workload").object
    'Workload/ml/train'
    """
    return Place(partial(name_of, raw, kind), file, where)


def name_of(raw: object, kind: str) -> str:
    """What problems call an untrusted object: its kind, its name space if it has one, its name.

    >>> name_of({"metadata": {"name": 3}}, "Workload")
    'Workload'
    """
    names = (dig(raw, "metadata", key) for key in ("namespace", "name"))
    return object_name(kind, *(name for name in names if isinstance(name, str)))


def object_name(kind: str, *names: str) -> str:
    """What problems and warnings call an object.

    Args:
        kind: its kind.
        names: its name space, empty if it has none, and its name; untrusted.

    >>> object_name("Workload", "ml", "train"), object_name("Workload", "", "train")
    ('Workload/ml/train', 'Workload/train')
    """
    name = "/".join([part for part in (kind, *names) if part])
    if len(name) <= LONGEST and name.isprintable():
        return name
    return "/".join([printable(part) for part in (kind, *names) if part])


def read_one(
    raw: object, kind: str, where: str, reader: Callable[[object, Place, list[Problem]], T | None]
) -> T:
    """What a reader makes of one object.

    Args:
        raw: the object, untrusted.
        kind: what it should be.
        where: path to put before the path of every field in an error.
        reader: gets the object, how problems name it, and a list for them.

    Raises:
        InputError: everything that is wrong with it.
    """
    problems: list[Problem] = []
    return or_raise(reader(raw, place_of(raw, kind, where=where), problems), problems)


def as_v1beta2(raw: object, kind: str, place: Place, problems: list[Problem]) -> tuple[object, Place]:
    """The object in the version that is read, and how its fields are named; a wrong header is a problem.

    Args:
        raw: the object, untrusted; `apiVersion` and `kind` may be left out.
        kind: the kind that it should be.
        place: the object, for the problems.
        problems: gets what is wrong with the header, and with the fields of an older version.
    """
    if isinstance(raw, dict) and raw.get("apiVersion") == API_VERSION and raw.get("kind") == kind:
        return raw, place
    problems.extend(header_problems(raw, kind, VERSIONS[kind], place))
    return to_v1beta2(raw, kind, place, problems)


def header_problems(raw: object, kind: str, versions: Sequence[str], place: Place) -> Iterator[Problem]:
    """What is wrong with the version and the kind of an object.

    Args:
        raw: the object, untrusted; `apiVersion` and `kind` may be left out.
        kind: the kind that it should be.
        versions: those that are read.
        place: the object, for the problems.
    """
    header = raw if isinstance(raw, dict) else {}
    for name, allowed in (("apiVersion", versions), ("kind", (kind,))):
        found = header.get(name)
        # Go leaves both empty when it writes an object whose type is known.
        if found not in (None, "", *allowed):
            yield place.problem(name, show(found), " or ".join(allowed))


def or_raise(result: T | None, problems: list[Problem]) -> T:
    """The result, or an InputError with everything that was found to be wrong."""
    if problems or result is None:
        raise InputError(problems)
    return result
