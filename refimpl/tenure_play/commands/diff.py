"""`tenure diff`: what a change of queues or workloads does to every decision."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tenure.cli.before_after import Beside, TwoSides
from tenure.cli.commands import with_records
from tenure.cli.options import (
    EditOptions,
    Example,
    Interpretation,
    Now,
    SchedulerFlags,
)
from tenure.cli.output import Every, OutlineOutput, OutlineOutputOption
from tenure.cli.terminal import Color


class FailOn(StrEnum):
    """What makes the exit code 1."""

    GAINED_VICTIMS = "gained-victims"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class DiffPrinting:
    """The options of a difference."""

    output: OutlineOutputOption = OutlineOutput.TEXT
    every: Every = False
    fail_on: Annotated[
        FailOn | None,
        typer.Option(
            help="Exit code 1 where a running workload becomes a victim, jointly or for one job taken alone; "
            "or where anything changes."
        ),
    ] = None
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also draw a page: the answer, and the quota and jobs of both sides after coming cycles.",
        ),
    ] = None
    color: Color = None


@with_records
def diff_command(
    *,
    sides: TwoSides = None,
    example: Example = None,
    beside: Beside = None,
    edits: EditOptions,
    now: Now = None,
    interpretation: Interpretation,
    flags: SchedulerFlags,
    printing: DiffPrinting,
) -> None:
    """Show what a change does to all pending workloads together, and to each decision taken alone.

    A single field of a dump, before it is changed in the cluster:

    \b
    tenure diff cluster.yaml \\
      --set clusterqueue/nlp.spec.preemption.withinClusterQueueConfig.minAdmitDuration=4h
    tenure diff --example two-teams --unset clusterqueue/gpu-cluster-queue.spec.preemption

    Two folders, or two revisions of one, with the workloads that the cluster has now:

    \b
    kubectl tenure dump > cluster.json
    tenure diff queues/ changed/ --with cluster.json
    tenure diff main:queues/..HEAD:queues/ --with cluster.json

    A comment for a pull request, and a check that fails where a running workload becomes a victim:

    \b
    tenure diff main:queues/ HEAD:queues/ --with cluster.json -o markdown > comment.md
    tenure diff main:queues/ HEAD:queues/ --with cluster.json --fail-on gained-victims

    As a page, with the bars of both sides:

    \b
    tenure diff main:queues/ HEAD:queues/ --with cluster.json --html diff.html

    The first line is the joint effect: the coming cycles of both sides, as `tenure next` plays them. Below it
    every pending workload is taken alone on either side, at one instant; there a victim is a running workload
    that is preempted for any of them. Of a git revision only files are read: links are not followed, and
    nothing of the repository is run.

    Exit codes: 0 compared, 1 what --fail-on names has happened, 2 bad input, 3 internal error.
    """
    from tenure_play.commands.diff_run import run_diff

    run_diff(
        sides=sides,
        example=example,
        beside=beside,
        edits=edits,
        now=now,
        interpretation=interpretation,
        flags=flags,
        printing=printing,
    )
