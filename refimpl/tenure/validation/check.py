"""Objects as they were read through all rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tenure.errors import ErrorCode, Problem
from tenure.manifests import SourcedObject, place_of
from tenure.manifests.cohorts import too_deep
from tenure.manifests.configuration import GROUP as CONFIGURED
from tenure.manifests.configuration import KEY, configuration, embedded
from tenure.manifests.conversion import GROUP, RETIRED, VERSIONS, to_v1beta2
from tenure.manifests.kueue_api import newer_kinds
from tenure.manifests.limits import MAX_COHORT_LEVELS
from tenure.manifests.selectable import (
    KIND,
    LIMIT_KIND,
    PREEMPTION_CONFIG_VERSIONS,
    PREEMPTION_LIMIT_VERSIONS,
)
from tenure.manifests.served import REFERENCE
from tenure.manifests.showing import Place
from tenure.manifests.structure import dig
from tenure.model import FairStrategy
from tenure.readings import KaiVersion, Reading, default_preset, preset
from tenure.validation.configuration import faults as configuration_faults
from tenure.validation.cross_object_warnings import Overview, overview
from tenure.validation.faults import (
    ErrorType,
    Fault,
    Notice,
    Source,
    Subject,
    ValidationReport,
    WarningType,
    duplicate,
    invalid,
    not_supported,
    notice,
    required,
    text,
    wrong_type,
)
from tenure.validation.mutating_webhooks import mutated
from tenure.validation.repository import Repository
from tenure.validation.rules import ERRORS, OF_ALL, TOGETHER, WARNINGS
from tenure.validation.shapes import KINDS, KUEUE, shape
from tenure.validation.walk import deviations

KAI: Final = "scheduling.run.ai"
KAI_VERSIONS: Final = {"Queue": (f"{KAI}/v2",), "PodGroup": (f"{KAI}/v2alpha2",)}
"""The kinds of KAI-Scheduler that are validated, and their versions."""

_OTHERS = ("AdmissionCheck", "MultiKueueCluster", "MultiKueueConfig", "ProvisioningRequestConfig", "Topology")
"""Kinds of Kueue's group without quotas."""

_EXAMPLE = f"{GROUP}/v1beta2"


def kind_of(raw: object) -> str | None:
    """The kind of an object that is validated; None for any other object of any other group.

    >>> kind_of({"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Cohort"}), kind_of({"kind": "Deployment"})
    ('Cohort', None)
    """
    group = _group(raw)
    kind = dig(raw, "kind")
    if not isinstance(kind, str) or kind not in KINDS:
        return None
    return kind if group == (KAI if kind in KAI_VERSIONS else GROUP) else None


def is_looked_at(raw: object) -> bool:
    """Whether an object is validated: Kueue's, KAI-Scheduler's, or a ConfigMap with a Configuration.

    >>> [is_looked_at({"apiVersion": version}) for version in ("kueue.x-k8s.io/v1beta2", "v1")]
    [True, False]
    """
    configured = dig(raw, "data", KEY) if dig(raw, "kind") == "ConfigMap" else None
    return _group(raw) in (GROUP, CONFIGURED, KAI) or (
        isinstance(configured, str) and CONFIGURED in configured
    )


def header_faults(raw: object, where: str = "") -> Iterator[Fault]:
    """What keeps an object from being recognised: it is no map, or has no version or kind, or a misspelt one.

    Args:
        raw: the object, untrusted.
        where: path of the object itself, for one that is no map and has no name.

    >>> fault, = header_faults({"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Cohrt"})
    >>> fault.field, fault.message.rpartition("; ")[2]
    ('kind', 'did you mean Cohort?')
    """
    if not isinstance(raw, dict):
        yield wrong_type(where, raw, "a Kubernetes object (a map)")
        return
    for name, example in (("apiVersion", _EXAMPLE), ("kind", "ClusterQueue")):
        found = raw.get(name)
        if found is None or found == "":
            yield required(name, f"text such as {example}")
        elif not isinstance(found, str):
            yield wrong_type(name, found, f"text such as {example}")
    kind = raw.get("kind")
    if (
        isinstance(kind, str)
        and kind
        and _group(raw) == GROUP
        and kind not in (*KUEUE, *_OTHERS, *newer_kinds())
    ):
        yield not_supported("kind", kind, KUEUE)


def take(
    sourced: SourcedObject, kind: str, old: object, gates: Mapping[str, bool], reading: Reading
) -> tuple[Subject, list[Notice]]:
    """An object as v1beta2 has it, and what is wrong with its version and its name.

    Args:
        sourced: the object, of a kind that is validated.
        kind: its kind.
        old: the object before an update; None for a new one.
        gates, reading: see `Subject`.
    """
    place = place_of(sourced.object, kind, file=sourced.file)
    problems: list[Problem] = []
    raw: object = sourced.object
    if kind in VERSIONS:
        raw, place = to_v1beta2(raw, kind, place, problems)
        old = to_v1beta2(old, kind, place, [])[0]
    if old is None:
        raw = mutated(kind, raw)
    subject = Subject(kind, raw, place, old, gates, reading)
    notices = [from_problem(problem, Source.SCHEMA) for problem in problems]
    notices += [notice(subject, fault, Source.SCHEMA) for fault in _version_faults(sourced.object, kind)]
    notices += [notice(subject, fault, Source.SCHEMA) for fault in _name_faults(subject)]
    return subject, notices


def from_problem(problem: Problem, source: Source, type_: ErrorType = ErrorType.FORBIDDEN) -> Notice:
    """A problem of the readers as an error of validation."""
    message = f"found {problem.found}, expected {problem.expected}"
    return Notice(problem.object, problem.field, str(type_), message, str(source), problem.file)


def place_in(raw: object, file: str) -> Place:
    """How an object that was not recognised is named."""
    kind = dig(raw, "kind")
    return place_of(raw, kind if isinstance(kind, str) else "", file=file)


def _group(raw: object) -> str:
    version = dig(raw, "apiVersion")
    return version.partition("/")[0] if isinstance(version, str) and "/" in version else ""


def _version_faults(raw: object, kind: str) -> Iterator[Fault]:
    alpha = {KIND: PREEMPTION_CONFIG_VERSIONS, LIMIT_KIND: PREEMPTION_LIMIT_VERSIONS}
    versions = {**VERSIONS, **KAI_VERSIONS, **alpha}[kind]
    found = dig(raw, "apiVersion")
    served = [version for version in versions if (kind, version) not in RETIRED]
    if isinstance(found, str) and (why := RETIRED.get((kind, found))):
        fault = invalid("apiVersion", found, f"{served[0]}; the other was {why}")
        yield replace(fault, type=ErrorType.NOT_SUPPORTED)
    elif found not in served:
        yield not_supported("apiVersion", found, served)


def _name_faults(subject: Subject) -> Iterator[Fault]:
    metadata = subject.get("metadata")
    if metadata is not None and not isinstance(metadata, dict):
        yield wrong_type("metadata", metadata, "a map")
        return
    name = subject.get("metadata", "name")
    if name is None or name == "":
        prefix = subject.get("metadata", "generateName")
        if not prefix:
            yield required("metadata.name", "a name")
        elif isinstance(prefix, str):
            # The server puts five characters behind it.
            yield from _reference_faults(f"{prefix}x", "metadata.generateName")
    elif not isinstance(name, str):
        yield wrong_type("metadata.name", name, "text")
    else:
        yield from _reference_faults(name, "metadata.name")


def _reference_faults(name: str, path: str) -> Iterator[Fault]:
    for fault in deviations(REFERENCE, name, path):
        if fault.type == ErrorType.INVALID:
            expected = "small letters, digits, '-' and '.', a letter or digit at both ends"
            fault = invalid(path, name, expected)
        yield fault


def validate(
    objects: Iterable[SourcedObject],
    *,
    old: Sequence[SourcedObject] = (),
    gates: Mapping[str, bool] | None = None,
    reading: Reading | None = None,
    repository: Repository | None = None,
) -> ValidationReport:
    """Everything that is wrong with some objects, and what they hardly mean.

    Nothing is refused that the API server, Kueue's webhooks or a proposal would accept: what is accepted and
    dangerous is a warning.

    Args:
        objects: ClusterQueues, Cohorts, LocalQueues, ResourceFlavors, Workloads, WorkloadPriorityClasses,
            Kueue's Configuration, and Queues and PodGroups of KAI-Scheduler; any other kind is ignored.
        old: the same objects as they are now, where `objects` update them.
        gates: feature gates; those of a Configuration among the objects count where this names none.
        reading: decides about what a proposal leaves open; None for the default preset.
        repository: knows which of them are not applied together; None if all are.

    Source: Kueue v1beta2 API and webhooks; KEP-8522, Webhook Validation; KEP-8826, API; KEP-754.

    >>> cohort = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Cohort", "metadata": {"name": "all"},
    ...           "spec": {"fairSharing": {"weight": "-1"}}}
    >>> report = validate([SourcedObject("", cohort)])
    >>> [(error.object, error.field, error.type) for error in report.errors]
    [('Cohort/all', 'spec.fairSharing', 'FieldValueInvalid')]
    """
    run = _Run(tuple(objects), old, gates or {}, reading or preset(default_preset()), repository)
    return run.report()


@dataclass(slots=True)
class _Run:
    objects: tuple[SourcedObject, ...]
    old: Sequence[SourcedObject]
    given_gates: Mapping[str, bool]
    reading: Reading
    repository: Repository | None = None
    gates: dict[str, bool] = field(default_factory=dict)
    fair_sharing: tuple[FairStrategy, ...] | None = None
    errors: list[list[Notice]] = field(default_factory=list)
    warnings: list[list[Notice]] = field(default_factory=list)
    subjects: dict[int, Subject] = field(default_factory=dict)
    ignored: int = 0
    places: dict[tuple[str, str, str], list[int]] = field(default_factory=dict)

    def report(self) -> ValidationReport:
        self.errors = [[] for _ in self.objects]
        self.warnings = [[] for _ in self.objects]
        # The Configuration may come after the objects whose gates it sets.
        for index, sourced in enumerate(self.objects):
            self._take_configuration(index, sourced)
        self.gates |= self.given_gates
        self._take_objects()
        for index, subject in self.subjects.items():
            self.errors[index] += error_notices(subject)
            self.warnings[index] += warning_notices(subject)
        sets = self._sets()
        for together in sets.values():
            self._look_at_all(overview(together, self.fair_sharing))
        return ValidationReport(
            tuple(notice for found in self.errors for notice in found),
            tuple(notice for found in self.warnings for notice in found),
            len(self.objects) - self.ignored,
            self.ignored,
            tuple(sets) if len(sets) > 1 else (),
        )

    def _take_configuration(self, index: int, sourced: SourcedObject) -> None:
        raw, place = sourced.object, place_in(sourced.object, sourced.file)
        problems: list[Problem] = []
        content: object = raw
        if dig(raw, "kind") == "ConfigMap":
            found = embedded(raw, place, problems)
            content, place = found if found is not None else (None, place)
        elif not _is_configuration(raw):
            return
        if content is not None:
            self._configure(index, content, place, problems)
        # What is right and only not modelled is no fault of the object.
        wrong = [problem for problem in problems if problem.code != ErrorCode.NOT_MODELLED]
        self.errors[index] += [
            from_problem(problem, Source.CONFIGURATION, ErrorType.INVALID) for problem in wrong
        ]

    def _configure(self, index: int, content: object, place: Place, problems: list[Problem]) -> None:
        read = configuration(content, place, problems)
        for text_ in read.newer if read is not None else ():
            fault = Fault(WarningType.NOT_MODELLED, "featureGates", text_)
            self.warnings[index].append(
                notice(Subject("Configuration", content, place), fault, Source.TENURE)
            )
        named = dig(content, "featureGates")
        if isinstance(named, dict):
            self.gates |= {gate: on for gate, on in named.items() if isinstance(on, bool)}
        if read is not None:
            self.fair_sharing = read.settings.fair_sharing
        self.subjects[index] = subject = Subject("Configuration", content, place)
        known_fields = {problem.field for problem in problems if problem.code != ErrorCode.NOT_MODELLED}
        found = [notice(subject, fault, Source.CONFIGURATION) for fault in configuration_faults(content)]
        self.errors[index] += [one for one in found if one.field not in known_fields]

    def _take_objects(self) -> None:
        before = {_identity(found_object.object): found_object.object for found_object in self.old}
        for index, sourced in enumerate(self.objects):
            kind = kind_of(sourced.object)
            if index in self.subjects:
                continue
            if kind is None:
                self._skip(index, sourced)
                continue
            identity = _identity(sourced.object)
            old = before.get(identity) if all(identity[::2]) else None
            subject, notices = take(sourced, kind, old, self.gates, self.reading)
            self.errors[index] += notices
            if self.repository is not None and self.repository.is_patch(sourced.file):
                self._take_patch(index, subject)
                continue
            known = self.places.setdefault(identity, [])
            if identity[2] and any(not self._are_apart(index, other) for other in known):
                again = duplicate("metadata.name", identity[2])
                self.errors[index].append(notice(subject, again, Source.TENURE))
            known.append(index)
            self.subjects[index] = subject

    def _take_patch(self, index: int, subject: Subject) -> None:
        """A part of an object: what it lacks another one has."""
        faults = _schema_faults(subject)
        kept = (fault for fault in faults if fault.type != ErrorType.REQUIRED)
        self.errors[index] += [notice(subject, fault, Source.SCHEMA) for fault in kept]

    def _are_apart(self, index: int, other: int) -> bool:
        files = self.objects[index].file, self.objects[other].file
        return self.repository is not None and self.repository.are_apart(*files)

    def _sets(self) -> dict[str, list[Subject]]:
        """What is looked at together: everything, or each set with the objects that are there once."""
        repository = self.repository
        named_twice = (indexes for indexes in self.places.values() if len(indexes) > 1)
        several = {index for indexes in named_twice for index in indexes}
        heads: dict[str, int] = {}
        if repository is not None:
            for index in sorted(several):
                heads.setdefault(repository.root_of(self.objects[index].file), index)
        if len(heads) < 2:
            return {"": list(self.subjects.values())}
        return {
            root: [
                subject
                for index, subject in self.subjects.items()
                if index not in several or not self._are_apart(head, index)
            ]
            for root, head in heads.items()
        }

    def _skip(self, index: int, sourced: SourcedObject) -> None:
        faults = list(header_faults(sourced.object, f"objects[{index}]"))
        subject = Subject("", sourced.object, place_in(sourced.object, sourced.file))
        self.errors[index] += [notice(subject, fault, Source.SCHEMA) for fault in faults]
        self.ignored += not self.errors[index]
        kind = dig(sourced.object, "kind")
        if _group(sourced.object) == GROUP and isinstance(kind, str) and kind in newer_kinds():
            message = f"{kind} of Kueue 0.20 and later is neither checked nor modelled"
            self.warnings[index].append(
                notice(subject, Fault(WarningType.NOT_MODELLED, "kind", message), Source.TENURE)
            )

    def _look_at_all(self, everything: Overview) -> None:
        index_of = {id(subject): index for index, subject in self.subjects.items()}
        # First, as the rules walk up the tree from each of its nodes.
        deep = too_deep(everything.parents)
        if deep is not None:
            name, levels = deep
            subject = everything.names("Cohort")[name]
            fault = invalid("spec.parentName", levels, f"at most {MAX_COHORT_LEVELS} levels of cohorts")
            self.errors[index_of[id(subject)]].append(notice(subject, fault, Source.TENURE))
            return
        for rule in TOGETHER:
            for subject, fault in rule(everything):
                found = notice(subject, fault, Source.TENURE)
                known = self.warnings[index_of[id(subject)]]
                if found not in known:
                    known.append(found)


def _schema_faults(subject: Subject) -> Iterator[Fault]:
    """What the schema refuses; of KAI-Scheduler's, with the version that takes it."""
    asked = subject.reading.kai_version
    found = list(deviations(shape(subject.kind, asked), subject.raw))
    if not found or subject.kind not in KAI_VERSIONS:
        yield from found
        return
    refusing = {
        version: {fault.field for fault in deviations(shape(subject.kind, version), subject.raw)}
        for version in KaiVersion
        if version != asked
    }
    for fault in found:
        taken = next((version for version, refused in refusing.items() if fault.field not in refused), None)
        if taken is not None:
            right = f"; right with --override kai_version={taken.name.lower()}"
            fault = replace(fault, message=fault.message.partition("; ")[0] + right)
        yield fault


def error_notices(subject: Subject) -> Iterator[Notice]:
    """What is wrong with one object: its schema first, then every rule about its kind."""
    if subject.kind in KINDS:
        yield from (notice(subject, fault, Source.SCHEMA) for fault in _schema_faults(subject))
    for source, rule in (OF_ALL, *ERRORS.get(subject.kind, ())):
        yield from (notice(subject, fault, source) for fault in rule(subject))


def warning_notices(subject: Subject) -> Iterator[Notice]:
    """What one object hardly means."""
    for rule in WARNINGS.get(subject.kind, ()):
        yield from (notice(subject, fault, Source.TENURE) for fault in rule(subject))


def _is_configuration(raw: object) -> bool:
    version = dig(raw, "apiVersion")
    return dig(raw, "kind") == "Configuration" and isinstance(version, str) and version.startswith(CONFIGURED)


def _identity(raw: object) -> tuple[str, str, str]:
    metadata = dig(raw, "metadata")
    kind, space, name = dig(raw, "kind"), dig(metadata, "namespace"), dig(metadata, "name")
    return text(kind), space if isinstance(space, str) else "", name if isinstance(name, str) else ""
