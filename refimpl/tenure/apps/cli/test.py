"""`tenure test`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from tenure.apps.cli.commands import with_records
from tenure.apps.cli.options import EditOptions, KueueRelease, Strict
from tenure.apps.cli.output import Reporting, ReportOutput, Reports, about, print_checked
from tenure.apps.cli.terminal import Color, choose_colour, complain, progress
from tenure.apps.testing import (
    Checked,
    ExpectationDocument,
    Status,
    checks_of,
    expectation_files,
    load_documents,
    run,
)
from tenure.apps.testing.results import answer_of, text_lines, warnings_of
from tenure.errors import InputError, Problem, bad_input
from tenure.manifests.releases import AsIf
from tenure.manifests.source_lines import SourceLines
from tenure.timeline.checks import LocateIn


@with_records
def run_tests(
    *,
    paths: Annotated[
        list[str] | None,
        typer.Argument(help="Files, or folders that are searched for *.tenure.yaml.", show_default=False),
    ] = None,
    strict: Strict = False,
    edits: EditOptions,
    kueue: KueueRelease = None,
    output: Annotated[
        ReportOutput, typer.Option("--output", "-o", help="How to print what came of them.")
    ] = ReportOutput.TEXT,
    report: Reports = None,
    color: Color = None,
) -> None:
    """Check what *.tenure.yaml files expect of decisions, manifests and plays, and say why it fails.

    A file names manifests and says what is expected, or is a scenario as `tenure play` takes it:

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

    For continuous integration, several reports of one run:

    \b
    tenure test queues/ --report junit=test.xml --report sarif=test.sarif --report github=-
    tenure schema expectations > expectations.schema.json

    Exit codes: 0 everything is as expected, 1 something is not, 2 bad input, 3 internal error.
    """
    choose_colour(color)
    reporting = Reporting(report, "tenure test")
    with reporting.of_bad_input():
        if not paths:
            raise bad_input("paths", "nothing", "files or folders with *.tenure.yaml")
        documents = _loaded(paths, edits.as_if(kueue), strict=strict)
    count = sum(len(document.checks) for document in documents)
    done = list(progress(run(documents), "checking", count))
    for text in warnings_of(done):
        complain("warning", text)
    _print(done, output, kueue)
    reporting.write(lambda lines: checks_of(done, _locate(lines)))
    statuses = {checked.result.status for checked in done}
    if Status.ERROR in statuses:
        raise typer.Exit(2)
    if Status.FAILS in statuses:
        raise typer.Exit(1)


def _loaded(paths: Sequence[str], as_if: AsIf, *, strict: bool) -> list[ExpectationDocument]:
    """Every document of every file.

    Raises:
        InputError: everything that is wrong in any of them.
    """
    documents: list[ExpectationDocument] = []
    problems: list[Problem] = []
    for file in expectation_files(paths):
        try:
            documents.extend(load_documents(file, strict=strict, as_if=as_if))
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(problems)
    return documents


def _locate(lines: SourceLines) -> LocateIn:
    return lambda file, number, field: lines.in_document(file, int(number), field)


def _print(done: Sequence[Checked], output: ReportOutput, kueue: str | None) -> None:
    locate = _locate(SourceLines())
    print_checked(
        output,
        lambda: checks_of(done, locate),
        lambda: answer_of(done, locate, kueue),
        about(kueue, text_lines(done)),
    )
