"""`tenure test`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import typer

from tenure.cli.commands import with_records
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
from tenure_check.expectations.manifest_sources import ManifestSources
from tenure_check.expectations.results import TEST, answer_of, text_lines, warnings_of
from tenure_play.checks import LocateIn

_EXITS: Final = {
    Status.ERROR: ExitCode.BAD_INPUT,
    Status.FAILS: ExitCode.FOUND,
    Status.UNKNOWN: ExitCode.NOT_KNOWN,
}
"""The worst first."""


@with_records
@standard_input_once()
def run_tests(
    *,
    reading: CheckedFiles,
    output: ChecksOutput = ReportOutput.TEXT,
    report: Reports = None,
    color: Color = None,
) -> None:
    """Check what *.tenure.yaml files expect of decisions, manifests and scenarios, and explain each failure.

    A file names manifests and expectations, or is a scenario as `tenure simulate` takes it:

    \b
    manifests: [cluster/]
    now: 2026-03-02T14:00:00Z
    validate: clean
    expect:
    - workload: ml/train
      decision: Preempt
      preempted: [ml/old]
    neverPreempted: [ml/serving]

    All of a folder, as pytest with Tenure's plugin would:

    \b
    tenure test queues/
    tenure test queues/quota.tenure.yaml -o json | jq '.expectations[] | select(.status != "holds")'

    Whether the expectations still hold after a change, or with what a release of Kueue has alone:

    \b
    tenure test queues/ --set clusterqueue/nlp.spec.preemption.withinClusterQueue=Never
    tenure test queues/ --kueue 0.19

    Manifests that Helm or Kustomize make: `manifests: [{render: kubectl kustomize overlays/prod}]`, and

    \b
    tenure test queues/ --render 'kubectl kustomize overlays/prod'

    For continuous integration, several reports of one run:

    \b
    tenure test queues/ --report junit=test.xml --report sarif=test.sarif --report github=-
    tenure schema expectations > expectations.schema.json

    What is asserted of every state (never, keeps, noLoop, reaches) is checked too; `tenure analyze check`
    checks that alone.

    Exit codes: 0 everything is as expected, 1 something is not, 2 bad input, 3 internal error, 5 what is
    asserted of every state is neither proved nor refuted.
    """
    choose_colour(color)
    reporting = Reporting(report, TEST)
    with reporting.of_bad_input():
        documents = documents_of(reading)
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
