"""All objects through all rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tenure.errors import ErrorCode, Problem
from tenure.manifests import SourcedObject
from tenure.manifests.configuration import GROUP, configuration, embedded
from tenure.manifests.showing import Place
from tenure.manifests.structure import dig
from tenure.model import FairStrategy
from tenure.readings import Reading, default_preset, preset
from tenure.validation.faults import ErrorType, Source, duplicate
from tenure.validation.intake import from_problem, header_faults, kind_of, place_in, take
from tenure.validation.kinds import SHAPES
from tenure.validation.overview import Overview, overview
from tenure.validation.report import Notice, Report, notice
from tenure.validation.rules import ERRORS, TOGETHER, WARNINGS
from tenure.validation.subject import Subject, text
from tenure.validation.walk import deviations


def validate(
    objects: Iterable[SourcedObject],
    *,
    old: Sequence[SourcedObject] = (),
    gates: Mapping[str, bool] | None = None,
    reading: Reading | None = None,
) -> Report:
    """Everything that is wrong with some objects, and what they hardly mean.

    Nothing is refused that the API server, Kueue's webhooks or a proposal would accept: what is accepted and
    dangerous is a warning.

    Args:
        objects: ClusterQueues, Cohorts, LocalQueues, ResourceFlavors, Workloads, WorkloadPriorityClasses,
            Kueue's Configuration, and Queues of KAI-Scheduler; any other kind is ignored.
        old: the same objects as they are now, where `objects` update them.
        gates: feature gates; those of a Configuration among the objects count where this names none.
        reading: decides about what a proposal leaves open; None for the default preset.

    Source: Kueue v1beta2 API and webhooks; KEP-8522, Webhook Validation; KEP-8826, API; KEP-754.

    >>> cohort = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Cohort", "metadata": {"name": "all"},
    ...           "spec": {"fairSharing": {"weight": "-1"}}}
    >>> report = validate([SourcedObject("", cohort)])
    >>> [(error.object, error.field, error.type) for error in report.errors]
    [('Cohort/all', 'spec.fairSharing', 'FieldValueInvalid')]
    """
    run = _Run(tuple(objects), old, gates or {}, reading or preset(default_preset()))
    return run.report()


@dataclass(slots=True)
class _Run:
    objects: tuple[SourcedObject, ...]
    old: Sequence[SourcedObject]
    given_gates: Mapping[str, bool]
    reading: Reading
    gates: dict[str, bool] = field(default_factory=dict)
    fair_sharing: tuple[FairStrategy, ...] | None = None
    errors: list[list[Notice]] = field(default_factory=list)
    warnings: list[list[Notice]] = field(default_factory=list)
    subjects: dict[int, Subject] = field(default_factory=dict)
    ignored: int = 0

    def report(self) -> Report:
        self.errors = [[] for _ in self.objects]
        self.warnings = [[] for _ in self.objects]
        # The Configuration may stand after the objects whose gates it sets.
        for index, sourced in enumerate(self.objects):
            self._take_configuration(index, sourced)
        self.gates |= self.given_gates
        self._take_objects()
        for index, subject in self.subjects.items():
            self.errors[index] += error_notices(subject)
            self.warnings[index] += warning_notices(subject)
        self._look_at_all(overview(self.subjects.values(), self.fair_sharing))
        return Report(
            tuple(each for found in self.errors for each in found),
            tuple(each for found in self.warnings for each in found),
            len(self.objects) - self.ignored,
            self.ignored,
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
        self.errors[index] += [from_problem(each, Source.CONFIGURATION, ErrorType.INVALID) for each in wrong]

    def _configure(self, index: int, content: object, place: Place, problems: list[Problem]) -> None:
        read = configuration(content, place, problems)
        named = dig(content, "featureGates")
        if isinstance(named, dict):
            self.gates |= {gate: on for gate, on in named.items() if isinstance(on, bool)}
        if read is not None:
            self.fair_sharing = read.settings.fair_sharing
        self.subjects[index] = Subject("Configuration", content, place)

    def _take_objects(self) -> None:
        before = {_identity(each.object): each.object for each in self.old}
        seen: set[tuple[str, str, str]] = set()
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
            if identity in seen and identity[2]:
                again = duplicate("metadata.name", identity[2])
                self.errors[index].append(notice(subject, again, Source.TENURE))
            seen.add(identity)
            self.subjects[index] = subject

    def _skip(self, index: int, sourced: SourcedObject) -> None:
        faults = list(header_faults(sourced.object, f"objects[{index}]"))
        subject = Subject("", sourced.object, place_in(sourced.object, sourced.file))
        self.errors[index] += [notice(subject, fault, Source.SCHEMA) for fault in faults]
        self.ignored += not self.errors[index]

    def _look_at_all(self, everything: Overview) -> None:
        index_of = {id(subject): index for index, subject in self.subjects.items()}
        for rule in TOGETHER:
            for subject, fault in rule(everything):
                self.warnings[index_of[id(subject)]].append(notice(subject, fault, Source.TENURE))


def error_notices(subject: Subject) -> Iterator[Notice]:
    """What is wrong with one object: its schema first, then every rule about its kind."""
    shape = SHAPES.get(subject.kind)
    if shape is not None:
        yield from (notice(subject, fault, Source.SCHEMA) for fault in deviations(shape, subject.raw))
    for source, rule in ERRORS.get(subject.kind, ()):
        yield from (notice(subject, fault, source) for fault in rule(subject))


def warning_notices(subject: Subject) -> Iterator[Notice]:
    """What one object hardly means."""
    for rule in WARNINGS.get(subject.kind, ()):
        yield from (notice(subject, fault, Source.TENURE) for fault in rule(subject))


def _is_configuration(raw: object) -> bool:
    version = dig(raw, "apiVersion")
    return dig(raw, "kind") == "Configuration" and isinstance(version, str) and version.startswith(GROUP)


def _identity(raw: object) -> tuple[str, str, str]:
    metadata = dig(raw, "metadata")
    kind, space, name = dig(raw, "kind"), dig(metadata, "namespace"), dig(metadata, "name")
    return text(kind), space if isinstance(space, str) else "", name if isinstance(name, str) else ""
