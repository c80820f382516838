"""What `tenure validate` does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import typer

from tenure.cli.exit_codes import ExitCode
from tenure.cli.inputs import changed, print_warnings, sources_of
from tenure.cli.options import EditOptions, Example, Interpretation, parse_gates
from tenure.cli.output import CheckPrinting, Output, Reporting, about, print_answer
from tenure.cli.terminal import choose_colour
from tenure.errors import ErrorCode, InputError, Problem
from tenure.manifests import Place, comma_separated, gate_problems
from tenure.manifests.files import SourcedObject, iterate_objects, iterate_ours
from tenure.manifests.kueue_api import CONFIGURABLE
from tenure.manifests.releases import LeftOut, TargetKueue, gates_problems
from tenure.units import counted
from tenure.validation import ErrorType, Notice, ValidationReport, WarningType, validate
from tenure.validation.check import is_looked_at
from tenure.validation.checks import checks_of
from tenure.validation.faults import is_error
from tenure.validation.released import proposals_in, refused_by
from tenure.validation.repository import Repository
from tenure.versions import kueue_version

if TYPE_CHECKING:
    from tenure.validation.answer_types import ManifestsAnswer


def run_validate(
    *,
    paths: list[str] | None,
    example: Example,
    old: list[str] | None,
    edits: EditOptions,
    interpretation: Interpretation,
    feature_gates: str,
    strict: bool,
    skip_others: bool,
    printing: CheckPrinting,
) -> None:
    """As `tenure.cli.validate.validate_command` documents it."""
    choose_colour(printing.color)
    reporting = Reporting(printing.report, "tenure validate")
    chosen = interpretation.chosen()
    gates = _gates(feature_gates)
    unreadable: list[Problem] = []
    with reporting.of_bad_input():
        sources = sources_of(paths or (), example)
        # What a ClusterQueue names is checked although its gate is off by default.
        kueue = TargetKueue.of(interpretation.kueue, {CONFIGURABLE: True, **gates})
        changes = edits.edits()
        notes: list[str] = []
        drawn: Iterable[SourcedObject]
        if skip_others:
            drawn = iterate_ours(sources, is_looked_at, unreadable, notes)
        else:
            drawn = iterate_objects(sources, unreadable)
        objects = list(changed(drawn, changes, kueue))
        print_warnings([*notes, *(sourced.note for sourced in objects if sourced.note)])
    before = list(
        TargetKueue(kueue.release, gates=kueue.gates).passing(iterate_objects(old or [], unreadable))
    )
    gates_of_all = gates_problems([(Place(), gates)], kueue.release, "--feature-gates")
    if gates_of_all:
        raise InputError(gates_of_all)
    found = refused_by(
        kueue,
        validate(
            objects,
            old=before,
            gates=gates,
            reading=chosen,
            repository=Repository() if skip_others else None,
        ),
    )
    proposed = [] if kueue.release else list(proposals_in(objects))
    if objects or not unreadable:
        answer = None
        if printing.output != Output.TEXT:
            from tenure.as_json import as_json

            answer = as_json(answer_of(found, kueue.release, proposed))
        print_answer(printing.output, "validate", answer, about(kueue.release, report_lines(found, proposed)))
    reporting.write(lambda lines: checks_of(found, objects, unreadable, strict=strict, locate=lines.of_field))
    # What could be read has been answered; the rest is no verdict about anything.
    if unreadable:
        raise InputError(unreadable)
    if not found.is_valid or (strict and found.warnings):
        raise typer.Exit(ExitCode.FOUND)


def answer_of(
    report: ValidationReport, kueue: str | None = None, proposed: Sequence[LeftOut] = ()
) -> ManifestsAnswer:
    """A report as JSON and YAML have it.

    Args:
        report: what was found.
        kueue: the target release, if there is one.
        proposed: the fields that no release has.

    >>> answer_of(ValidationReport()).valid
    True
    """
    from tenure.validation.answer_types import ManifestsAnswer, ProposedIn, RefusedIn, WarnedIn
    from tenure.validation.answer_types import about as about_notice

    return ManifestsAnswer(
        valid=report.is_valid,
        checked=report.checked,
        ignored=report.ignored,
        sets=report.sets,
        kueue=kueue_version(kueue),
        proposed=tuple(
            ProposedIn(left.place.file, left.place.object, left.addition.field, left.addition.proposal)
            for left in proposed
        ),
        errors=tuple(
            RefusedIn(file=found.file, type=ErrorType(found.type), **about_notice(found))
            for found in report.errors
        ),
        warnings=tuple(
            WarnedIn(file=found.file, type=WarningType(found.type), **about_notice(found))
            for found in report.warnings
        ),
    )


def report_lines(report: ValidationReport, proposed: Sequence[LeftOut] = ()) -> Iterator[str]:
    """A report as text: by file and object, errors before warnings, and what it comes to.

    Args:
        report: what was found.
        proposed: the fields that no release has; each is listed once.

    >>> list(report_lines(ValidationReport(checked=3)))
    ['validate: 3 objects, 0 errors, 0 warnings']
    """
    notices = [*report.errors, *report.warnings]
    files = dict.fromkeys(notice.file for notice in notices)
    for file in files:
        yield from _file_lines(file, [notice for notice in notices if notice.file == file])
    for addition, count in Counter(left.addition for left in proposed).items():
        kinds = counted(count, addition.kind)
        yield f"note: no release of Kueue has {addition.called}, which {addition.proposal} proposes: {kinds}"
    yield _summary(report)


def _file_lines(file: str, notices: list[Notice]) -> Iterator[str]:
    if file:
        yield file
    names = list(dict.fromkeys(notice.object for notice in notices))
    ordered = sorted(notices, key=lambda notice: names.index(notice.object))
    for name, found in groupby(ordered, key=lambda notice: notice.object):
        yield f"  {name or 'an object without kind and name'}"
        yield from (_line(notice) for notice in found)
    yield ""


def _line(notice: Notice) -> str:
    kind = "error  " if is_error(notice) else "warning"
    place = f"{notice.field}: " if notice.field else ""
    return f"    {kind}  {place}{notice.message} ({notice.type}, {notice.source})"


def _summary(report: ValidationReport) -> str:
    counts = ", ".join(
        counted(count, what)
        for count, what in (
            (report.checked, "object"),
            (len(report.errors), "error"),
            (len(report.warnings), "warning"),
        )
    )
    ignored = f"; {report.ignored} of other kinds ignored" if report.ignored else ""
    sets = f"; {len(report.sets)} sets: {comma_separated(report.sets)}" if report.sets else ""
    return f"validate: {counts}{ignored}{sets}"


def _gates(text: str) -> dict[str, bool]:
    gates = parse_gates(text)
    # A gate that decides what is not modelled is right here: nothing is decided.
    problems = gate_problems(gates, Place(), "--feature-gates")
    wrong = [problem for problem in problems if problem.code != ErrorCode.NOT_MODELLED]
    if wrong:
        raise InputError(wrong)
    return gates
