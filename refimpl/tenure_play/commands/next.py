"""`tenure next`: what comes next in the cluster as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from tenure.cli.commands import with_records
from tenure.cli.named import named_workloads
from tenure.cli.options import (
    ClusterOptions,
    Pending,
    SchedulerFlags,
    Words,
)
from tenure.cli.output import OutlinePrinting, print_found
from tenure.cli.terminal import choose_colour
from tenure_play.horizon import USUAL_EVICTION, USUAL_UNTIL


@dataclass(frozen=True, slots=True)
class HorizonOptions:
    """How far is looked ahead, and how long things take meanwhile."""

    cycles: Annotated[
        int | None,
        typer.Option(
            min=1, help="At most so many scheduling cycles.", show_default="100, fewer in large clusters"
        ),
    ] = None
    until: Annotated[str, typer.Option(metavar="DURATION", help="At most so long from now, such as 90m.")] = (
        USUAL_UNTIL
    )
    eviction: Annotated[
        str, typer.Option(metavar="DURATION", help="How long the pods of an evicted workload take to end.")
    ] = USUAL_EVICTION

    runtime: Annotated[
        str | None,
        typer.Option(
            metavar="DURATION|p50|p95|max",
            help="How long workloads run that declare no maximumExecutionTimeSeconds: a duration, or that of "
            "the finished workloads. For the latest start of one workload.",
        ),
    ] = None


@with_records
def next_command(
    *,
    words: Words = None,
    workload: Pending = None,
    cluster: ClusterOptions,
    flags: SchedulerFlags,
    ahead: HorizonOptions,
    every: Annotated[bool, typer.Option("--all", help="Everything, however much it is.")] = False,
    printing: OutlinePrinting,
) -> None:
    """Forecast the coming scheduling cycles of the cluster as it is, or when one workload has its turn.

    The coming scheduling cycles, who is admitted, who preempts whom, and who waits for what:

    \b
    kubectl tenure next
    tenure next --example two-teams --now 2026-03-02T14:00:00Z

    One workload: its place in its ClusterQueue, who goes first, when it is tried, and what it waits for:

    \b
    tenure next ml/train cluster.yaml
    tenure next team-a/job-long-context-8a5dc --example two-teams --now 2026-03-02T14:00:00Z

    Where only the end of other jobs lets it start: when at the latest, with 4h for those without a limit:

    \b
    tenure next ml/train cluster.yaml --runtime 4h
    tenure next ml/train cluster.yaml --runtime p95

    The same with another quota, for the next hour, with pods that take two minutes to end:

    \b
    tenure next cluster.yaml --until 1h --eviction 2m --set clusterqueue/nlp.spec.cohortName=research

    The forecast assumes that no job arrives and none finishes; `--all` lists all assumptions. A word
    that is no file or folder is the workload.

    Exit codes: 0 answered; 2 bad input; 3 internal error.
    """
    from tenure.cli.inputs import as_options, print_warnings
    from tenure.cli.inquiry import inquire
    from tenure.units import END_OF_TIME
    from tenure_play.api import next_cycles

    choose_colour(printing.color)
    named, paths = named_workloads(words or [], workload, cluster.example, least=0)
    asked = inquire(paths, cluster, flags, keeps=True, queued_by=END_OF_TIME, about=named)
    with as_options("until", "eviction", "runtime"):
        found = next_cycles(
            asked.loaded,
            named[0] if named else None,
            now=asked.now,
            reading=asked.reading,
            every=every,
            cycles=ahead.cycles,
            until=ahead.until,
            eviction=ahead.eviction,
            runtime=ahead.runtime,
        )
    print_warnings(text for text in found.record.warnings if text not in asked.warnings)
    print_found(printing.output, found)
