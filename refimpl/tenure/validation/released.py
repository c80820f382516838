"""What a release of Kueue refuses because no release has it, and only a proposal does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tenure.manifests import SourcedObject
from tenure.manifests.releases import Addition, LeftOut, TargetKueue, proposed_in
from tenure.validation.check import from_problem
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
            f"Kueue {kueue.release} does not have this {_what(left.addition)}, nor has any release "
            f"({left.addition.proposal} proposes it): {_unknown(left.addition)}; leave it out",
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
    return (left for sourced in objects for left in proposed_in(sourced))


def _what(addition: Addition) -> str:
    return "field" if addition.path else "kind"


def _unknown(addition: Addition) -> str:
    if addition.kind == "Configuration":
        return "Kueue does not start with it"
    return "kubectl refuses it as unknown"
