"""What `tenure analyze sanity` answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tenure.as_json import KueueVersion
from tenure.manifests import SourcedObject, build, place_of
from tenure.manifests.conversion import VERSIONS, name_of, to_v1beta2
from tenure.manifests.premises import premises_of_states, refuse_unstated
from tenure.manifests.source_lines import SourceLines
from tenure.manifests.structure import dig
from tenure.oracle.unmodelled import over_time
from tenure.readings import Reading
from tenure_check.analysis.sanity import SanityCheck, findings_of_objects, findings_of_tree


@dataclass(frozen=True, slots=True)
class SanityNotice:
    """A field without effect, or hardly with the one that is meant, whatever workloads come."""

    check: SanityCheck
    """What was checked."""
    object: str
    """The object, such as `ClusterQueue/a`."""
    field: str
    """Path of the field in v1beta2."""
    message: str
    """What holds, and what to do."""
    why: str
    """The argument."""
    rules: tuple[str, ...]
    """Identifiers of the rules that it rests on."""
    file: str
    """Where the object was read."""
    line: int
    """The field's line there, from 1; 0 where it is not found."""


@dataclass(frozen=True, slots=True)
class SanityAnswer:
    """Of tenure analyze sanity."""

    reading: str
    """The reading, by its name."""
    checked: int
    """How many objects were looked at."""
    notices: tuple[SanityNotice, ...]
    """What was found, by file and line."""
    not_known: tuple[str, ...] = ()
    """What decides and is not modelled, in words; trees in which it may decide were passed over."""
    premises: tuple[str, ...] = ()
    """What is assumed of how Kueue is configured, because no object shows it, in words."""
    warnings: tuple[str, ...] = ()
    """About the input."""
    kueue: KueueVersion = None
    """The target release of Kueue, `0.19`; `0.19+proposals` with all that the proposals add."""


def sanity_answer(objects: Sequence[SourcedObject], reading: Reading) -> SanityAnswer:
    """Check a configuration.

    Args:
        objects: as they were read.
        reading: see `tenure.readings`.

    Raises:
        InputError: everything that is wrong with them; nothing shows whether their weights decide.

    >>> from tenure.readings import preset
    >>> sanity_answer([], preset("guaranteed")).notices
    ()
    """
    loaded = build(objects)
    refuse_unstated(loaded)
    converted = [(name_of(sourced.object, _kind(sourced.object)), _converted(sourced)) for sourced in objects]
    files = {name: sourced.file for (name, _), sourced in zip(converted, objects, strict=True)}
    lines = SourceLines()
    notices = [
        SanityNotice(
            finding.check,
            finding.object,
            finding.field,
            finding.message,
            finding.why,
            finding.rules,
            files.get(finding.object, ""),
            lines.of_field(files.get(finding.object, ""), finding.object, finding.field),
        )
        for finding in (*findings_of_tree(loaded.cluster, reading), *findings_of_objects(converted))
    ]
    notices.sort(key=lambda notice: (notice.file, notice.line))
    premises = premises_of_states(loaded)
    not_known = tuple(found.text for found in over_time(loaded.cluster))
    return SanityAnswer(reading.name, len(objects), tuple(notices), not_known, premises, loaded.warnings)


def _kind(raw: Any) -> str:
    return str(dig(raw, "kind") or "")


def _converted(sourced: SourcedObject) -> Any:
    """The object as v1beta2 has it."""
    kind = _kind(sourced.object)
    if kind not in VERSIONS:
        return sourced.object
    return to_v1beta2(sourced.object, kind, place_of(sourced.object, kind, file=sourced.file), [])[0]
