"""`tenure report`: a page of the cluster."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tenure.cli.commands import options_given, with_records
from tenure.cli.inquiry import inquire
from tenure.cli.options import (
    ClusterOptions,
    Paths,
    SchedulerFlags,
)
from tenure.cli.terminal import Color, choose_colour, hint, print_lines
from tenure.disk import claim, write_named
from tenure.errors import InputError, Problem, bad_input
from tenure.manifests.given import given, in_place_of_stdin
from tenure.units import END_OF_TIME, format_instant

if TYPE_CHECKING:
    from tenure_report.queue_answers import QueueAnalysis

_BUDGET_S: Final = 20.0
_SERVED_BUDGET_S: Final = 10.0
"""Less than the seconds between two readings."""
_PORT: Final = 8522
"""The number of the KEP that adds `minAdmitDuration`."""
_EVERY_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """A page that follows the cluster."""

    serve: Annotated[
        bool,
        typer.Option(
            "--serve", help="Serve the page on this machine alone, and read the cluster again and again."
        ),
    ] = False
    port: Annotated[int, typer.Option(min=0, max=65535, help="Of 127.0.0.1; 0 for any that is free.")] = _PORT
    every: Annotated[
        float,
        typer.Option(min=0, metavar="SECONDS", help="From one reading to the next, while someone looks."),
    ] = _EVERY_S


@with_records
def report_command(
    *,
    paths: Paths = None,
    cluster: ClusterOptions,
    flags: SchedulerFlags,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The page, replaced as a whole.", show_default=False
        ),
    ] = None,
    serving: Annotated[ServeOptions, "Serving"],
    budget: Annotated[
        float | None,
        typer.Option(
            min=0,
            metavar="SECONDS",
            help="Time for coming cycles and answers about jobs and ClusterQueues.",
            show_default=f"{_BUDGET_S:g}, or {_SERVED_BUDGET_S:g} with --serve",
        ),
    ] = None,
    color: Color = None,
) -> None:
    """Draw the cohorts, ClusterQueues and jobs of a cluster as one HTML page.

    Each ClusterQueue and Cohort has a bar per flavor-resource: nominal quota, what is in use by each job,
    borrowed, lent, and pending; a job protected by minAdmitDuration is marked, with the time left. The
    page can be searched, folded, and coloured by ClusterQueue or by priority.

    A job that you choose shows what `tenure why-not` and `tenure next` answer about a pending one, and
    `tenure why` about a running one; a ClusterQueue what `tenure analyze matrix`, `guarantees` and `sanity`
    answer about it. Pending jobs are answered first, those of high priority before others; what the budget
    does not reach has the command in its place. The coming cycles are listed as `tenure next` lists them;
    the bars follow the one that you choose:

    \b
    tenure report --example shared-cohort -o cluster.html
    kubectl tenure report -o cluster.html
    kubectl tenure dump > cluster.yaml
    tenure report cluster.yaml -o cluster.html

    With another quota, and at another time:

    \b
    tenure report cluster.yaml -o more.html --now 2026-03-02T14:00:00Z \\
      --set clusterqueue/team-a.spec.cohortName=research

    The file requests nothing from elsewhere and runs only its own script, so it can be attached to a
    ticket; it holds the names, priorities and requests of all workloads.

    With --serve the page follows the cluster, and keeps the place where you look. It is read again while a
    browser shows the page; where that fails, the last picture stays, with the error. Nothing is changed,
    and other machines cannot connect. Ctrl-C ends it:

    \b
    kubectl tenure report --serve

    Exit codes: 0 written, or served until Ctrl-C; 2 bad input; 3 internal error.
    """
    choose_colour(color)
    if serving.serve == (output is not None):
        found = "both" if serving.serve else "neither"
        raise InputError(
            [
                Problem(
                    "--output, --serve",
                    found,
                    "one of them: -o FILE writes a page, --serve follows the cluster",
                )
            ]
        )
    default = _SERVED_BUDGET_S if serving.serve else _BUDGET_S
    drawn = partial(_drawn, paths or [], cluster, flags, default if budget is None else budget)
    if output is None:
        _serve(drawn, serving, is_input="-" in (paths or ()))
        return
    if unused := options_given(serving):
        raise bad_input(unused[0], "no --serve", "--serve, which this option belongs to")
    claim("--output", output)
    page, summary = drawn()
    write_named("--output", output, page)
    print_lines([f"{output}: {summary}"])


def _serve(drawn: Callable[..., tuple[str, str]], serving: ServeOptions, *, is_input: bool) -> None:
    from tenure_play.drawing.cluster_page import served_policy
    from tenure_report.queue_answers import QueueAnalysis
    from tenure_report.serving import DrawnPage, serve

    if given().read is None and is_input:
        raise bad_input("paths", "-", "files or folders, which --serve can read again")
    policy = served_policy()

    def draw(number: int) -> DrawnPage:
        # What the reading before has frozen is in cycles, and would stay until the server ends.
        gc.unfreeze()
        gc.collect()
        again = given().again
        if number == 1 or again is None:
            return DrawnPage(*drawn(number, analysis), policy)
        with in_place_of_stdin(again()):
            return DrawnPage(*drawn(number, analysis), policy)

    def ready(address: str, summary: str) -> None:
        print_lines([f"{address} shows {summary}; Ctrl-C ends it"])
        if sys.stdout is not None:
            sys.stdout.flush()

    with QueueAnalysis() as analysis:
        serve(serving.port, serving.every, draw, ready)


def _drawn(
    paths: Sequence[str],
    cluster: ClusterOptions,
    flags: SchedulerFlags,
    budget: float,
    number: int | None = None,
    served: QueueAnalysis | None = None,
) -> tuple[str, str]:
    """The page, and what it shows in a line.

    Args:
        paths, cluster, flags, budget: of the command line.
        number, served: as `PageSource` has number and analysis.

    Raises:
        InputError: everything that is wrong in the manifests; no ClusterQueue among them.
    """
    from tenure_report.api import PageSource, report

    asked = inquire(paths, cluster, flags, keeps=True, queued_by=END_OF_TIME)
    named = ["--example", cluster.example] if cluster.example else [*paths]
    program, words, clock = "tenure", named, ["--now", format_instant(asked.now)]
    if given().read is not None:
        # The commands of the page read the cluster again, by the plugin that drew it.
        named = [word for word in named if word != "-"]
        program, words, clock = "kubectl tenure", [given().name, *named], []
    # A changed field is not in the file.
    files = () if cluster.edits.edits() else paths
    about = PageSource(words, [*named, *clock], program, files, number, served)
    page = report(asked.loaded, now=asked.now, reading=asked.reading, budget=budget, source=about)
    if budget and page.open and served is None:
        hint(f"--budget {2 * budget:g} gives analyze {' and '.join(page.open)} more time")
    return page.html, f"{page.summary}, {page.answered} of them answered"
