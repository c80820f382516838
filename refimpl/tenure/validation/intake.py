"""Objects as they were read, to the subjects of validation: header, version, name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from tenure.errors import Problem
from tenure.manifests import SourcedObject, place_of
from tenure.manifests.conversion import GROUP, VERSIONS, to_v1beta2
from tenure.manifests.showing import Place
from tenure.manifests.structure import dig
from tenure.readings import Reading
from tenure.validation.faults import ErrorType, Fault, Source, invalid, not_supported, required, wrong_type
from tenure.validation.kinds import SHAPES, SUBDOMAIN
from tenure.validation.report import Notice, notice
from tenure.validation.shapes import Text
from tenure.validation.subject import Subject
from tenure.validation.walk import deviations

KAI: Final = "scheduling.run.ai"

_OTHERS = ("AdmissionCheck", "MultiKueueCluster", "MultiKueueConfig", "ProvisioningRequestConfig", "Topology")
"""Kinds of Kueue's group that say nothing about quotas."""

_SUBDOMAIN = Text(longest=253, pattern=SUBDOMAIN)
_EXAMPLE = f"{GROUP}/v1beta2"


def kind_of(raw: object) -> str | None:
    """The kind of an object that is validated; None for any other object of any other group.

    >>> kind_of({"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Cohort"}), kind_of({"kind": "Deployment"})
    ('Cohort', None)
    """
    group = _group(raw)
    kind = dig(raw, "kind")
    if not isinstance(kind, str) or kind not in SHAPES:
        return None
    return kind if group == (KAI if kind == "Queue" else GROUP) else None


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
    kind, kinds = raw.get("kind"), [kind for kind in SHAPES if kind != "Queue"]
    if isinstance(kind, str) and kind and _group(raw) == GROUP and kind not in (*kinds, *_OTHERS):
        yield not_supported("kind", kind, kinds)


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
    versions = VERSIONS.get(kind, (f"{KAI}/v2",))
    found = dig(raw, "apiVersion")
    if found not in versions:
        yield not_supported("apiVersion", found, versions)


def _name_faults(subject: Subject) -> Iterator[Fault]:
    metadata = subject.get("metadata")
    if metadata is not None and not isinstance(metadata, dict):
        yield wrong_type("metadata", metadata, "a map")
        return
    name = subject.get("metadata", "name")
    if name is None or name == "":
        if not subject.get("metadata", "generateName"):
            yield required("metadata.name", "a name")
    elif not isinstance(name, str):
        yield wrong_type("metadata.name", name, "text")
    else:
        faults = list(deviations(_SUBDOMAIN, name, "metadata.name"))
        if faults and faults[0].type == ErrorType.INVALID:
            expected = "small letters, digits, '-' and '.', a letter or digit at both ends"
            faults = [invalid("metadata.name", name, expected)]
        yield from faults
