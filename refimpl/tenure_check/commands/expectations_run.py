"""What `tenure test` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import typer

from tenure.cli.exit_codes import ExitCode
from tenure.cli.inputs import print_warnings
from tenure.cli.output import ChecksOutput, Reporting, ReportOutput, Reports, about, print_checked
from tenure.cli.terminal import Color, choose_colour, progress
from tenure.errors import InputError, Problem, bad_input
from tenure.manifests.files import standard_input_once
from tenure.manifests.source_lines import SourceLines
from tenure_check.commands.checked_files import CheckedFiles
from tenure_check.expectations import (
    Checked,
    ExpectationDocument,
    Status,
    checks_of,
    expectation_files,
    load_documents,
    run,
)
from tenure_check.expectations.expectation_file import ABOUT_ALL_STATES
from tenure_check.expectations.manifest_sources import ManifestSources
from tenure_check.expectations.results import TEST, answer_of, text_lines, warnings_of
from tenure_play.checks import LocateIn

_EXITS: Final = {
    Status.ERROR: ExitCode.BAD_INPUT,
    Status.FAILS: ExitCode.FOUND,
    Status.UNKNOWN: ExitCode.NOT_KNOWN,
}

"""The worst first."""


@standard_input_once()
def check_files(*, reading: CheckedFiles, output: ChecksOutput, report: Reports, color: Color) -> None:
    """As `tenure_check.commands.test.run_tests` documents it."""
    choose_colour(color)
    reporting = Reporting(report, TEST)
    with reporting.of_bad_input():
        documents = documents_of(reading)
    check_documents(documents, output, reporting, reading.kueue)


@standard_input_once()
def check_all_states(*, reading: CheckedFiles, output: ChecksOutput, report: Reports, color: Color) -> None:
    """As `tenure_check.commands.analyze_check.check_command` documents it."""
    choose_colour(color)
    reporting = Reporting(report, "tenure analyze check")
    with reporting.of_bad_input():
        documents = []
        for document in documents_of(reading):
            asserted = [check for check in document.checks if check.field.split("[")[0] in ABOUT_ALL_STATES]
            if asserted:
                documents.append(replace(document, checks=tuple(asserted)))
        if not documents:
            expected = f"one of {', '.join(ABOUT_ALL_STATES)}"
            raise bad_input("paths", "nothing that is asserted of every state", expected)
    check_documents(documents, output, reporting, reading.kueue)


def check_documents(
    documents: Sequence[ExpectationDocument],
    output: ReportOutput,
    reporting: Reporting,
    kueue: str | None,
) -> None:
    """Check what some documents expect, print and report what came of it, and exit as that demands.

    Args:
        documents: the documents.
        output: how to print it.
        reporting: the reports to write.
        kueue: the target Kueue.

    Raises:
        typer.Exit: something is not as expected, cannot be found out, or is not known.
    """
    count = sum(len(document.checks) for document in documents)
    done = list(progress(run(documents), "checking", count))
    print_warnings(warnings_of(done))
    _print(done, output, kueue, reporting.tool)
    reporting.write(lambda lines: checks_of(done, _locate(lines), reporting.tool))
    statuses = {checked.result.status for checked in done}
    for status, code in _EXITS.items():
        if status in statuses:
            raise typer.Exit(code)


def documents_of(reading: CheckedFiles) -> list[ExpectationDocument]:
    """Every document of every file.

    Raises:
        InputError: there is no file; everything that is wrong in any of them.
    """
    as_if = reading.edits.as_if(reading.kueue)
    if not reading.paths:
        raise bad_input("paths", "nothing", "files or folders with *.tenure.yaml")
    documents: list[ExpectationDocument] = []
    sources = ManifestSources(reading.render or ())
    strict, kept = reading.strict, not reading.no_cache
    problems: list[Problem] = []
    for file in expectation_files(reading.paths):
        try:
            documents.extend(load_documents(file, strict=strict, as_if=as_if, kept=kept, sources=sources))
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(problems)
    return documents


def _locate(lines: SourceLines) -> LocateIn:
    return lambda file, number, field: lines.in_document(file, int(number), field)


def _print(done: Sequence[Checked], output: ReportOutput, kueue: str | None, tool: str) -> None:
    locate = _locate(SourceLines())
    print_checked(
        output,
        "test",
        lambda: checks_of(done, locate, tool),
        lambda: answer_of(done, locate, kueue),
        about(kueue, text_lines(done, locate, tool)),
    )
