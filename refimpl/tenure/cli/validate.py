"""`tenure validate`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from tenure.cli.commands import with_records
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


@with_records
def validate_command(
    *,
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files or folders of manifests of Kueue or KAI-Scheduler; - reads standard input.",
            show_default=False,
        ),
    ] = None,
    example: Example = None,
    old: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH",
            help="The objects as they are now, for what an update may not change; repeatable.",
            show_default="the objects are new",
        ),
    ] = None,
    edits: EditOptions,
    interpretation: Interpretation,
    feature_gates: Annotated[
        str,
        typer.Option(
            metavar="GATE=BOOL,...",
            help="As Kueue's own flag; above those of a Configuration among the files.",
        ),
    ] = "",
    strict: Annotated[
        bool,
        typer.Option("--strict", "--warnings-as-errors", help="Exit code 1 for warnings too."),
    ] = False,
    skip_others: Annotated[
        bool,
        typer.Option(
            "--skip-others",
            help="Pass over files without an object of Kueue or KAI-Scheduler, whatever they hold. Folders "
            "that are not applied together, such as overlays, are sets of their own, and may have objects of "
            "the same name.",
        ),
    ] = False,
    printing: CheckPrinting,
) -> None:
    """List everything that is wrong with manifests, before the API server does.

    Errors are what the schema, Kueue's webhooks or a proposal refuse. Warnings are about what they accept,
    and what is dangerous or without effect all the same.

    A folder, all of it at once:

    \b
    tenure validate cluster/

    The cluster that kubectl talks to, with the scheduler's configuration, whose feature gates count:

    \b
    kubectl tenure validate

    A change, against what is in the cluster:

    \b
    kubectl tenure validate queues/
    tenure validate queues/ --old cluster.json

    In continuous integration, warnings included:

    \b
    tenure validate cluster/ --strict -o json | jq '.errors[] | .file + ": " + .field'
    tenure validate cluster/ --report junit=validate.xml --report sarif=validate.sarif

    All YAML of a repository, whatever else it holds, templates included:

    \b
    tenure validate . --skip-others

    What a cluster with Kueue 0.19 would refuse, fields included that no release has and a KEP proposes:

    \b
    tenure validate cluster/ --kueue 0.19

    As if a field were different; the objects are checked after the change:

    \b
    tenure validate cluster/ --set clusterqueue/nlp.spec.preemption.reclaimWithinCohort=Any

    Exit codes: 0 valid, 1 errors found (with --strict also warnings), 2 unreadable input, 3 internal error.
    """
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
        yield f"note: no release of Kueue has {addition.field}, which {addition.proposal} proposes: {kinds}"
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
