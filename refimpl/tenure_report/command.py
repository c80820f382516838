"""`tenure report`: a page of the cluster."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from tenure.cli.commands import with_records
from tenure.cli.options import (
    ClusterOptions,
    Paths,
    SchedulerFlags,
)
from tenure.cli.terminal import Color

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
    from tenure_report.command_run import run_report

    run_report(
        paths=paths, cluster=cluster, flags=flags, output=output, serving=serving, budget=budget, color=color
    )
