"""The Kueue that answers are for: one with all that the proposals add, or a release, which has none of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, TypeAlias

from tenure.errors import ErrorCode, InputError, Problem, bad_input
from tenure.manifests.configuration import GROUP as CONFIGURED
from tenure.manifests.configuration import embedded
from tenure.manifests.conversion import GROUP, place_of
from tenure.manifests.feature_gates import PROTECTION, TIME_BASED
from tenure.manifests.files import SourcedObject
from tenure.manifests.kueue_api import CONFIGURABLE, ApiEntry, newer_fields, newer_kinds, without
from tenure.manifests.load import Loaded
from tenure.manifests.selectable import KIND as PREEMPTION_CONFIG
from tenure.manifests.selectable import LIMIT_KIND
from tenure.manifests.showing import Place, show
from tenure.manifests.structure import dig, items
from tenure.units import format_names
from tenure.versions import KUEUE, KUEUE_FROM_TEXT, NOT_RUN

KNOWN_RELEASES: Final = (KUEUE, KUEUE_FROM_TEXT)
"""The one whose fields, feature gates and decisions were compared with what Tenure has, and the one that is
known by its text and its tests alone."""
IN_OBJECTS: Final = "objects"
"""Instead of a release: the one whose Deployment is among the objects."""
_OTHERWISE: Final = {"0.18": "0.18 was compared as well, and tries flavors in another order (DV-060)"}
_NUMBER: Final = re.compile(r"v?(?P<minor>\d+\.\d+)(\.\d+)?([-+].*)?", re.ASCII)
_V1BETA1: Final = f"{GROUP}/v1beta1"
_DEFAULTING: Final = "WorkloadPriorityClassDefaulting"
_DEFAULT_CLASS: Final = ("WorkloadPriorityClass", "default")
_MOST_NAMES: Final = 3
"""So many objects of a kind a sentence names."""


class Addition(NamedTuple):
    """A field, or a whole kind, that a proposal adds and no release has.

    Args:
        kind: of the object.
        path: of the field; through the items of a list whose name ends in `[]`; empty for the kind itself.
        proposal: who adds it.
    """

    kind: str
    path: tuple[str, ...]
    proposal: str

    @property
    def field(self) -> str:
        """The path as Kubernetes writes it; `kind` for a kind."""
        return ".".join(self.path) or "kind"

    @property
    def called(self) -> str:
        """The field, or the kind, by its name."""
        return self.field if self.path else f"kind {self.kind}"

    @property
    def keys(self) -> tuple[str, ...]:
        """The names on the path."""
        return tuple(key.removesuffix("[]") for key in self.path)


ADDITIONS: Final = (
    Addition("ClusterQueue", ("spec", "preemption", "withinClusterQueueConfig"), "KEP-8522"),
    Addition("ClusterQueue", ("spec", "preemption", "rules"), "KEP-8826"),
    Addition("WorkloadPriorityClass", ("dynamicPriorityPolicy",), "KEP-754"),
    Addition("WorkloadPriorityClass", ("spec",), "KEP-754"),
    Addition(
        PREEMPTION_CONFIG,
        ("spec", "rules[]", "candidateSelectors[]", "minExecutionDuration"),
        "the future work of KEP-13396",
    ),
    Addition(LIMIT_KIND, (), "the future work of KEP-13396"),
    Addition("Configuration", ("preemptionProtection",), "KEP-9876"),
    Addition("Configuration", ("reclaimBackoff",), "KEP-14468"),
)
"""Every one. Source: the custom resource definitions of Kueue v0.19.2, which have none of these fields."""

ADDED_GATES: Final[Mapping[str, str]] = {
    TIME_BASED: "KEP-8522",
    PROTECTION: "KEP-9876",
    CONFIGURABLE: "v0.20",
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


def parse_release(text: str) -> str:
    """A release of Kueue as a user writes it, without its last number.

    Raises:
        InputError: none that is known.

    >>> parse_release("v0.19.2")
    '0.19'
    >>> parse_release("0.12")
    Traceback (most recent call last):
    tenure.errors.InputError: --kueue: found '0.12', expected 0.19, the release whose fields, feature gates \
and decisions were compared; 0.20, known from its text and its tests; or objects
    """
    found = _NUMBER.fullmatch(text)
    if found is not None and found["minor"] in KNOWN_RELEASES:
        return found["minor"]
    why = _OTHERWISE.get(found["minor"]) if found is not None else None
    expected = f"{KUEUE}, the release whose fields, feature gates and decisions were compared"
    expected = f"{expected}; {KUEUE_FROM_TEXT}, known from its text and its tests"
    raise bad_input("--kueue", text, f"{expected}{f'; {why}' if why else ''}; or {IN_OBJECTS}")


@dataclass(slots=True)
class TargetKueue:
    """The Kueue that answers about one cluster are for.

    Args:
        release: one of `KNOWN_RELEASES`; None for Kueue with all that the proposals add.
        in_objects: whether the release is still to be read from the objects.
        left_out: what of the objects that release does not have; it grows while they are passed on.
        unseen: fields that it does not look at and why, with the objects that have them, likewise.
        unserved: objects of kinds or versions that it does not serve, and the field that has it, likewise.
        problems: feature gates with which that release does not start, likewise.
        not_modelled: what decides otherwise in that release and is not modelled, likewise.
        gates: feature gates of the command line, above those of a Configuration.
        configurable: whether PreemptionConfigs count, once the objects are passed on.
        classed: whether jobs without a class get one, likewise.
    """

    release: str | None = None
    in_objects: bool = False
    left_out: list[LeftOut] = field(default_factory=list)
    unseen: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    unserved: list[tuple[Place, str]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    not_modelled: list[Problem] = field(default_factory=list)
    gates: Mapping[str, bool] = field(default_factory=dict)
    configurable: bool = False
    classed: bool = False

    @classmethod
    def of(cls, text: str | None, gates: Mapping[str, bool] | None = None) -> TargetKueue:
        """The Kueue of option `--kueue`; None for Kueue with all that the proposals add.

        Args:
            text: the option.
            gates: feature gates of the command line.

        Raises:
            InputError: as `parse_release`.
        """
        if text is None:
            return cls()
        given = gates or {}
        if text == IN_OBJECTS:
            return cls(in_objects=True, gates=given)
        return cls(parse_release(text), gates=given)

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
        if self.release is None:
            return objects
        if self.release == KUEUE_FROM_TEXT:
            objects = list(objects)  # A Configuration may come after the objects whose gates it sets.
            self._look_at_gates(objects)
        return (found for sourced in objects if (found := self._as_released(sourced)) is not None)

    def _look_at_gates(self, objects: Sequence[SourcedObject]) -> None:
        """Which feature gates are on, by the command line, a Configuration or the release's defaults."""
        named = (gates for sourced in objects for _, gates in _gates(sourced) if isinstance(gates, Mapping))
        gates = {name: on for each in (*named, self.gates) for name, on in each.items()}
        self.configurable = gates.get(CONFIGURABLE, False) is True
        default = any(
            (dig(sourced.object, "kind"), dig(sourced.object, "metadata", "name")) == _DEFAULT_CLASS
            for sourced in objects
        )
        self.classed = default and gates.get(_DEFAULTING, True) is not False

    def stamped(self, loaded: Loaded) -> Loaded:
        """A cluster that was made of these objects, with its release and with warnings of what was left out.

        Raises:
            InputError: the release does not start with the feature gates of the Configuration.
        """
        warnings = (*loaded.warnings, *self.warnings())
        if self.release is None:
            return loaded
        settings = replace(loaded.cluster.settings, release=self.release, reclaim_backoff=None)
        return replace(loaded, cluster=replace(loaded.cluster, settings=settings), warnings=warnings)

    def warnings(self) -> tuple[str, ...]:
        """What is to be warned of, once all objects are drawn.

        Raises:
            InputError: as `stamped`.

        >>> TargetKueue.of("0.19").warnings()
        ()
        """
        if self.problems or self.not_modelled:
            raise InputError([*self.problems, *self.not_modelled])
        return tuple(self._warnings())

    def _warnings(self) -> Iterator[str]:
        """How the release is known, and what was left out, a sentence for each field."""
        if self.release == KUEUE_FROM_TEXT:
            yield f"answers about Kueue {self.release} are {NOT_RUN}"
        if self.classed:
            yield (
                f"Kueue {self.release} gives jobs without a priority class WorkloadPriorityClass default "
                f"(feature gate {_DEFAULTING}); jobs without a Workload are read without it"
            )
        for addition in ADDITIONS:
            lacking = (left.place.object for left in self.left_out if left.addition == addition)
            names = list(dict.fromkeys(lacking))
            if names:
                yield f"{self.lacks(addition)}, and is not looked at: {format_names(names, _MOST_NAMES)}"
        for (field_, why), names in sorted(self.unseen.items()):
            named = format_names(list(dict.fromkeys(names)), _MOST_NAMES)
            yield f"{field_} is not looked at: {why}: {named}"

    def lacks(self, addition: Addition) -> str:
        """That the release does not have a field or a kind."""
        what = "a field" if addition.path else "one"
        return f"{addition.called} is {what} that Kueue {self.release} does not have ({addition.proposal})"

    def _as_released(self, sourced: SourcedObject) -> SourcedObject | None:
        """The object as the release has it; None for one of a kind that it does not have."""
        raw = sourced.object
        kind, version = dig(raw, "kind"), dig(raw, "apiVersion")
        if kind in ("Configuration", "ConfigMap"):
            self.problems.extend(gates_problems(_gates(sourced), self.release))
            # What it has of proposals is dropped when the cluster is stamped.
            self.left_out += proposed_in(sourced)
        if not isinstance(kind, str) or not str(version).startswith(f"{GROUP}/"):
            return sourced
        place = place_of(raw, str(kind), file=sourced.file)
        self._note_unserved(raw, kind, place)
        if kind == "ClusterQueue":
            self._note_pods(raw, place)
        for path, entry in newer_fields(kind):
            why = self._unseen(entry)
            if why and dig(raw, *path) is not None:
                self.unseen.setdefault((_written(path), why), []).append(place.object)
                raw = without(raw, path)
        for left in proposed_in(sourced):
            self.left_out.append(left)
            if not left.addition.path:
                return None
            raw = without(raw, left.addition.keys)
        return replace(sourced, object=raw)

    def _unseen(self, entry: ApiEntry) -> str:
        """Why the release does not look at a field; empty if it does."""
        if entry.is_newer_than(str(self.release)):
            return f"Kueue {self.release} does not have it"
        if entry.gate == CONFIGURABLE and not self.configurable:
            off = f"feature gate {CONFIGURABLE} is off in Kueue {self.release}"
            return f"{off} unless --feature-gates or a Configuration sets it"
        return ""

    def _note_unserved(self, raw: object, kind: str, place: Place) -> None:
        if kind in newer_kinds(str(self.release)):
            self.unserved.append((place, "kind"))
        if self.release == KUEUE_FROM_TEXT and dig(raw, "apiVersion") == _V1BETA1:
            self.unserved.append((place, "apiVersion"))

    def _note_pods(self, raw: object, place: Place) -> None:
        """Kueue v0.20 counts pods in the search for targets (#16167): the rules here are those of v0.19."""
        if self.release != KUEUE_FROM_TEXT:
            return
        for index, group in enumerate(items(dig(raw, "spec", "resourceGroups"))):
            if "pods" in items(dig(group, "coveredResources")):
                path = f"spec.resourceGroups[{index}].coveredResources"
                counted = f"no pods: Kueue {self.release} counts them in its search for targets"
                expected = f"{counted}, which is not modelled; or --kueue {KUEUE}"
                self.not_modelled.append(place.problem(path, "pods", expected, ErrorCode.NOT_MODELLED))


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


def additions_in(raw: object, kind: str) -> Iterator[Addition]:
    """The fields of an object that only proposals have.

    Args:
        raw: the object, untrusted.
        kind: its kind.

    >>> next(additions_in({"spec": {"preemption": {"rules": "UberClusterQueueRules"}}}, "ClusterQueue")).field
    'spec.preemption.rules'
    """
    for addition in ADDITIONS:
        if addition.kind == kind and _has(raw, addition.keys):
            yield addition


def proposed_in(sourced: SourcedObject) -> Iterator[LeftOut]:
    """The fields of an object, or of a Configuration inside a ConfigMap, that only proposals have.

    Args:
        sourced: the object, of any kind.
    """
    raw = sourced.object
    kind = str(dig(raw, "kind"))
    places = list(_configurations(sourced))
    if str(dig(raw, "apiVersion")).startswith(f"{GROUP}/"):
        places = [(place_of(raw, kind, file=sourced.file), raw)]
    for place, content in places:
        for addition in additions_in(content, "Configuration" if kind == "ConfigMap" else kind):
            yield LeftOut(place, addition)


def _has(raw: object, keys: Sequence[str]) -> bool:
    if isinstance(raw, list):
        return any(_has(item, keys) for item in raw)
    if not keys:
        return raw is not None
    return isinstance(raw, Mapping) and _has(raw.get(keys[0]), keys[1:])


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
        if proposal != f"v{release}"
    ]


def _gates(sourced: SourcedObject) -> Iterator[tuple[Place, object]]:
    """The feature gates of a Configuration, or of one inside a ConfigMap."""
    return ((place, dig(content, "featureGates")) for place, content in _configurations(sourced))


def _configurations(sourced: SourcedObject) -> Iterator[tuple[Place, object]]:
    raw = sourced.object
    place = place_of(raw, str(dig(raw, "kind")), file=sourced.file)
    if dig(raw, "kind") == "ConfigMap":
        found = embedded(raw, place, [])
        if found is not None:
            yield found[1], found[0]
    elif str(dig(raw, "apiVersion")).startswith(f"{CONFIGURED}/"):
        yield place, raw


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
