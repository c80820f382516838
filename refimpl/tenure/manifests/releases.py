"""The Kueue that answers are for: one with all that the proposals add, or a release, which has none of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, TypeAlias

from tenure.errors import InputError, Problem, bad_input
from tenure.manifests.configuration import GROUP as CONFIGURED
from tenure.manifests.configuration import embedded
from tenure.manifests.conversion import GROUP, place_of
from tenure.manifests.feature_gates import PROTECTION, TIME_BASED
from tenure.manifests.files import SourcedObject
from tenure.manifests.kueue_api import newer_fields, newer_kinds, without
from tenure.manifests.load import Loaded
from tenure.manifests.showing import Place, show
from tenure.manifests.structure import dig, items
from tenure.units import format_names
from tenure.versions import KUEUE

KNOWN_RELEASES: Final = (KUEUE,)
"""Those whose fields, feature gates and decisions were compared with what Tenure has."""
IN_OBJECTS: Final = "objects"
"""Instead of a release: the one whose Deployment is among the objects."""
_OTHERWISE: Final = {"0.18": "0.18 was compared as well, and tries flavors in another order (DV-060)"}
_NUMBER: Final = re.compile(r"v?(?P<minor>\d+\.\d+)(\.\d+)?([-+].*)?", re.ASCII)
_MOST_NAMES: Final = 3
"""So many objects of a kind a sentence names."""


class Addition(NamedTuple):
    """A field that a proposal adds and no release has.

    Args:
        kind: of the object.
        path: of the field.
        proposal: who adds it.
    """

    kind: str
    path: tuple[str, ...]
    proposal: str

    @property
    def field(self) -> str:
        """The path as Kubernetes writes it."""
        return ".".join(self.path)


ADDITIONS: Final = (
    Addition("ClusterQueue", ("spec", "preemption", "withinClusterQueueConfig"), "KEP-8522"),
    Addition("ClusterQueue", ("spec", "preemption", "rules"), "KEP-8826"),
    Addition("WorkloadPriorityClass", ("dynamicPriorityPolicy",), "KEP-754"),
    Addition("WorkloadPriorityClass", ("spec",), "KEP-754"),
)
"""Every one. Source: the custom resource definitions of Kueue v0.19.2, which have none of these fields."""

ADDED_GATES: Final[Mapping[str, str]] = {
    TIME_BASED: "KEP-8522",
    PROTECTION: "KEP-9876",
    "ConfigurablePreemptions": "v0.20",
    "DynamicQuotaOrchestration": "v0.20",
    "FairSharingRefill": "v0.20",
}
"""Feature gates that v0.19 does not have, and the proposal or release that adds each.

Source: Kueue v0.19.2, pkg/features. FairSharingReevaluatePreemptionCandidates is in later patches of v0.19.
"""


class LeftOut(NamedTuple):
    """A proposal's field in an object.

    Args:
        place: the object.
        addition: the field.
    """

    place: Place
    addition: Addition


def proposal_of(kind: str, path: str) -> str | None:
    """The proposal without which an object has no such field; None for what a release has.

    Args:
        kind: of the object.
        path: of the field.

    >>> proposal_of("ClusterQueue", "spec.preemption.withinClusterQueueConfig.minAdmitDuration")
    'KEP-8522'
    >>> proposal_of("ClusterQueue", "spec.preemption.withinClusterQueue") is None
    True
    """
    return next(
        (
            addition.proposal
            for addition in ADDITIONS
            if addition.kind == kind and f"{path}.".startswith(f"{addition.field}.")
        ),
        None,
    )


def parse_release(text: str) -> str:
    """A release of Kueue as a user writes it, without its last number.

    Raises:
        InputError: none that is known.

    >>> parse_release("v0.19.2")
    '0.19'
    >>> parse_release("0.12")
    Traceback (most recent call last):
    tenure.errors.InputError: --kueue: found '0.12', expected 0.19, the release whose fields, feature gates \
and decisions are known; or objects
    """
    found = _NUMBER.fullmatch(text)
    if found is not None and found["minor"] in KNOWN_RELEASES:
        return found["minor"]
    why = _OTHERWISE.get(found["minor"]) if found is not None else None
    expected = f"{', '.join(KNOWN_RELEASES)}, the release whose fields, feature gates and decisions are known"
    raise bad_input("--kueue", text, f"{expected}{f'; {why}' if why else ''}; or {IN_OBJECTS}")


@dataclass(slots=True)
class TargetKueue:
    """The Kueue that answers about one cluster are for.

    Args:
        release: one of `KNOWN_RELEASES`; None for Kueue with all that the proposals add.
        in_objects: whether the release is still to be read from the objects.
        left_out: what of the objects that release does not have; it grows while they are passed on.
        newer: fields of a newer release that it does not look at, with the objects that have them, likewise.
        unserved: objects of kinds that it does not serve, likewise.
        problems: feature gates with which that release does not start, likewise.
    """

    release: str | None = None
    in_objects: bool = False
    left_out: list[LeftOut] = field(default_factory=list)
    newer: dict[str, list[str]] = field(default_factory=dict)
    unserved: list[Place] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @classmethod
    def of(cls, text: str | None) -> TargetKueue:
        """The Kueue of option `--kueue`; None for Kueue with all that the proposals add.

        Raises:
            InputError: as `parse_release`.
        """
        if text is None:
            return cls()
        return cls(in_objects=True) if text == IN_OBJECTS else cls(parse_release(text))

    def settled(self, objects: Iterable[SourcedObject]) -> Iterable[SourcedObject]:
        """The same objects, after the release was read from them if requested.

        Raises:
            InputError: there is no Deployment of Kueue among them, or one of another release.
        """
        if not self.in_objects:
            return objects
        self.in_objects, every = False, list(objects)
        self.release = release_among(every)
        return every

    def passing(self, objects: Iterable[SourcedObject]) -> Iterable[SourcedObject]:
        """The objects as the release has them: what only a proposal has is left out, and noted."""
        return objects if self.release is None else map(self._as_released, objects)

    def stamped(self, loaded: Loaded) -> Loaded:
        """A cluster that was made of these objects, with its release and with warnings of what was left out.

        Raises:
            InputError: the release does not start with the feature gates of the Configuration.
        """
        warnings = (*loaded.warnings, *self.warnings())
        if self.release is None:
            return loaded
        settings = replace(loaded.cluster.settings, release=self.release)
        return replace(loaded, cluster=replace(loaded.cluster, settings=settings), warnings=warnings)

    def warnings(self) -> tuple[str, ...]:
        """What is to be warned of, once all objects are drawn.

        Raises:
            InputError: as `stamped`.

        >>> TargetKueue.of("0.19").warnings()
        ()
        """
        if self.problems:
            raise InputError(self.problems)
        return tuple(self._warnings())

    def _warnings(self) -> Iterator[str]:
        """What was left out, a sentence for each field."""
        for addition in ADDITIONS:
            lacking = (left.place.object for left in self.left_out if left.addition == addition)
            names = list(dict.fromkeys(lacking))
            if names:
                yield f"{self.lacks(addition)}, and is not looked at: {format_names(names, _MOST_NAMES)}"
        for field_, names in sorted(self.newer.items()):
            named = format_names(list(dict.fromkeys(names)), _MOST_NAMES)
            yield f"{field_} is not looked at: Kueue {self.release} does not have it: {named}"

    def lacks(self, addition: Addition) -> str:
        """That the release does not have a field."""
        return f"{addition.field} is a field that Kueue {self.release} does not have ({addition.proposal})"

    def _as_released(self, sourced: SourcedObject) -> SourcedObject:
        raw = sourced.object
        kind, version = dig(raw, "kind"), dig(raw, "apiVersion")
        if kind in ("Configuration", "ConfigMap"):
            self.problems.extend(gates_problems(_gates(sourced), self.release))
        if not isinstance(kind, str) or not str(version).startswith(f"{GROUP}/"):
            return sourced
        place = place_of(raw, str(kind), file=sourced.file)
        if str(kind) in newer_kinds():
            self.unserved.append(place)
        for path, _ in newer_fields(str(kind)):
            if dig(raw, *path) is not None:
                self.newer.setdefault(_written(path), []).append(place.object)
                raw = without(raw, path)
        if kind not in _KINDS:
            return replace(sourced, object=raw)
        for addition in additions_in(raw, str(kind)):
            self.left_out.append(LeftOut(place, addition))
            raw = without(raw, addition.path)
        return replace(sourced, object=raw)


Change: TypeAlias = Callable[[Iterable[SourcedObject], TargetKueue], Iterable[SourcedObject]]
"""From objects as read and the target Kueue to the objects that are used."""


@dataclass(frozen=True, slots=True)
class AsIf:
    """How objects count otherwise than they were written: fields that are changed, and a release of Kueue.

    Args:
        kueue: as `TargetKueue.of` takes it.
        change: passes the objects on.
    """

    kueue: str | None = None
    change: Change = lambda objects, kueue: kueue.passing(kueue.settled(objects))


AS_WRITTEN: Final = AsIf()
"""Nothing is otherwise."""


_KINDS = frozenset(addition.kind for addition in ADDITIONS)


def additions_in(raw: object, kind: str) -> Iterator[Addition]:
    """The fields of an object that only proposals have.

    Args:
        raw: the object, untrusted.
        kind: its kind.

    >>> next(additions_in({"spec": {"preemption": {"rules": "UberClusterQueueRules"}}}, "ClusterQueue")).field
    'spec.preemption.rules'
    """
    for addition in ADDITIONS:
        if addition.kind == kind and dig(raw, *addition.path) is not None:
            yield addition


def gates_problems(
    named: Iterable[tuple[Place, object]], release: str | None, field: str = "featureGates"
) -> list[Problem]:
    """The feature gates that some release does not have.

    Args:
        named: maps of feature gates, untrusted, and where each is.
        release: None has all.
        field: path of the maps.

    Source: Kueue v0.19.2, cmd/kueue/main.go: it exits where a gate of its Configuration is not known.
    """
    return [
        place.problem(
            f"{field}.{gate}", show(gates[gate]), f"a feature gate of Kueue {release}, not {proposal}'s"
        )
        for place, gates in named
        for gate, proposal in ADDED_GATES.items()
        if release is not None and isinstance(gates, Mapping) and gate in gates
    ]


def _gates(sourced: SourcedObject) -> Iterator[tuple[Place, object]]:
    """The feature gates of a Configuration, or of one inside a ConfigMap."""
    raw = sourced.object
    place = place_of(raw, str(dig(raw, "kind")), file=sourced.file)
    if dig(raw, "kind") == "ConfigMap":
        found = embedded(raw, place, [])
        if found is not None:
            yield found[1], dig(found[0], "featureGates")
    elif str(dig(raw, "apiVersion")).startswith(f"{CONFIGURED}/"):
        yield place, dig(raw, "featureGates")


def _written(path: Sequence[str]) -> str:
    *above, last = path
    return f"{'.'.join(above)}[{last}]" if above[-1:] == ["annotations"] else ".".join(path)


def release_among(objects: Sequence[SourcedObject]) -> str:
    """The release of the Deployment of Kueue that is among some objects.

    Args:
        objects: as they were read.

    Raises:
        InputError: none is, or Deployments of several releases, or one that is not known.

    >>> containers = [{"image": "images.example/kueue/kueue:v0.19.2"}]
    >>> spec = {"template": {"spec": {"containers": containers}}}
    >>> release_among([SourcedObject("", {"apiVersion": "apps/v1", "kind": "Deployment", "spec": spec})])
    '0.19'
    """
    found = list(dict.fromkeys(tag for sourced in objects for tag in _tags(sourced.object)))
    if len(found) != 1:
        expected = "one Deployment of Kueue among the objects, with its release as image tag"
        there = f"are {', '.join(found)}" if found else "is no such Deployment"
        raise bad_input("--kueue", IN_OBJECTS, f"{expected}; there {there}")
    return parse_release(found[0])


def _tags(raw: object) -> Iterator[str]:
    """The tag of the image of Kueue's controller, where an object is a Deployment of it."""
    if dig(raw, "kind") != "Deployment":
        return
    for container in items(dig(raw, "spec", "template", "spec", "containers")):
        image = str(dig(container, "image")).partition("@")[0]
        name, _, tag = image.rpartition("/")[2].partition(":")
        if name == "kueue" and tag:
            yield tag
