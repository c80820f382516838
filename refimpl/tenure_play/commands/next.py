"""`tenure next`: what comes next in the cluster as it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import typer

from tenure.cli.commands import with_records
from tenure.cli.inquiry import inquire
from tenure.cli.named import named_workloads
from tenure.cli.options import (
    EditOptions,
    Example,
    InputOptions,
    Interpretation,
    Now,
    Pending,
    SchedulerFlags,
    Strict,
    Words,
    parse_gates,
)
from tenure.cli.output import OutlinePrinting
from tenure.cli.terminal import choose_colour
from tenure.errors import bad_input
from tenure.manifests import parse_duration
from tenure.model import Duration
from tenure.units import END_OF_TIME, format_duration
from tenure_play.answers import WorkloadQuestions
from tenure_play.forecast.answer import USUAL_EVICTION, USUAL_UNTIL, Horizon
from tenure_play.forecast.joint import gates_over_time
from tenure_play.forecast.limits import assumed_runtime
from tenure_play.forecast.unknown_trees import left_out, without_unknown_trees


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
        format_duration(USUAL_UNTIL)
    )
    eviction: Annotated[
        str, typer.Option(metavar="DURATION", help="How long the pods of an evicted workload take to end.")
    ] = format_duration(USUAL_EVICTION)

    runtime: Annotated[
        str | None,
        typer.Option(
            metavar="DURATION|p50|p95|max",
            help="How long workloads run that declare no maximumExecutionTimeSeconds: a duration, or that of "
            "the finished workloads. For the latest start of one workload.",
        ),
    ] = None

    def horizon(self) -> Horizon:
        """The horizon, but for what the cluster decides.

        Raises:
            InputError: no such duration, or a negative one.
        """
        until, eviction = _length(self.until, "--until"), _length(self.eviction, "--eviction")
        return Horizon(self.cycles, until, eviction)


def _length(text: str, option: str) -> Duration:
    found = parse_duration(text, field=option)
    if found < 0:
        raise bad_input(option, text, "a duration that is not negative")
    return found


@with_records
def next_command(
    *,
    words: Words = None,
    workload: Pending = None,
    example: Example = None,
    strict: Strict = False,
    edits: EditOptions,
    now: Now = None,
    interpretation: Interpretation,
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
    choose_colour(printing.color)
    named, paths = named_workloads(words or [], workload, example, least=0)
    horizon = ahead.horizon()
    source = InputOptions(paths, example, strict)
    asked = inquire(
        source, now, interpretation, None, flags, edits, keeps=True, queued_by=END_OF_TIME, about=named
    )
    gates = gates_over_time(asked.loaded, parse_gates(flags.feature_gates))
    runtime = None
    if ahead.runtime is not None:
        runtime = assumed_runtime(ahead.runtime, asked.loaded.out_of_play)
    horizon = replace(horizon, gates=gates, runtime=runtime)
    workload_name = named[0] if named else None
    known = without_unknown_trees(asked.loaded, workload_name)
    asked = asked.warned(left_out(asked.loaded, known), known)
    asked.print_found(printing.output, WorkloadQuestions(asked).next(workload_name, horizon, every=every))
