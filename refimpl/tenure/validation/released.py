"""What a release of Kueue refuses because no release has it, and only a proposal does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tenure.manifests import SourcedObject, place_of
from tenure.manifests.releases import LeftOut, TargetKueue, additions_in
from tenure.validation.check import from_problem, kind_of
from tenure.validation.faults import ErrorType, Notice, Source, ValidationReport


def refused_by(kueue: TargetKueue, report: ValidationReport) -> ValidationReport:
    """A report with what a release does not have as errors.

    Args:
        kueue: the release, with what was left out of the objects, and feature gates that it does not have.
        report: about the objects as the release has them.

    >>> refused_by(TargetKueue(), ValidationReport()).is_valid
    True
    """
    lacking = [
        Notice(
            left.place.object,
            left.addition.field,
            str(ErrorType.FORBIDDEN),
            f"Kueue {kueue.release} does not have this field, nor has any release ({left.addition.proposal} "
            "proposes it): kubectl refuses it as unknown; leave it out",
            str(Source.SCHEMA),
            left.place.file,
        )
        for left in kueue.left_out
    ]
    lacking += [
        Notice(
            place.object,
            field,
            str(ErrorType.NOT_SUPPORTED),
            f"Kueue {kueue.release} does not serve this {'kind' if field == 'kind' else 'version'}",
            str(Source.SCHEMA),
            place.file,
        )
        for place, field in kueue.unserved
    ]
    gates = [from_problem(problem, Source.CONFIGURATION) for problem in kueue.problems]
    return replace(report, errors=(*report.errors, *lacking, *gates))


def proposals_in(objects: Iterable[SourcedObject]) -> Iterator[LeftOut]:
    """The fields of some objects that no release of Kueue has."""
    for sourced in objects:
        kind = kind_of(sourced.object)
        if kind is not None:
            place = place_of(sourced.object, kind, file=sourced.file)
            yield from (LeftOut(place, addition) for addition in additions_in(sourced.object, kind))
