"""`tenure simulate`: scenarios, or settings of queues on a trace of jobs."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from tenure.cli.commands import with_records
from tenure.cli.options import DEFAULT_READING, EditOptions, ReadingName, Workers
from tenure.cli.terminal import Color
from tenure_play.commands.scenario_options import ScenarioOptions, ViewOptions
from tenure_simulate.trace_options import (
    ColumnOptions,
    CountOptions,
    DrawingOptions,
    JobOptions,
    TraceOptions,
)

OF_SCENARIOS = "Options of scenarios"
OF_TRACES = "Options of traces, with --trace"


class SimulateOutput(StrEnum):
    """How the answer is printed."""

    TEXT = "text"
    JSON = "json"
    YAML = "yaml"
    CSV = "csv"
    MARKDOWN = "markdown"


@with_records
def simulate_command(
    *,
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            help="Scenarios: files or folders; with --trace manifests of the queues. - reads standard input.",
            metavar="[SCENARIO | QUEUES]...",
            show_default=False,
        ),
    ] = None,
    reading: ReadingName = DEFAULT_READING,
    output: Annotated[
        SimulateOutput,
        typer.Option("--output", "-o", help="How to print the answer; csv and markdown with --trace."),
    ] = SimulateOutput.TEXT,
    color: Color = None,
    scenarios: Annotated[ScenarioOptions, OF_SCENARIOS],
    edits: Annotated[EditOptions, OF_SCENARIOS],
    view: Annotated[ViewOptions, OF_SCENARIOS],
    traced: Annotated[TraceOptions, OF_TRACES],
    columns: Annotated[ColumnOptions, OF_TRACES],
    running: Annotated[JobOptions, OF_TRACES],
    counted: Annotated[CountOptions, OF_TRACES],
    workers: Annotated[Workers, OF_TRACES],
    drawing: Annotated[DrawingOptions, OF_TRACES],
) -> None:
    """Simulate scheduling over time: a scenario cycle by cycle, or settings of queues on a trace.

    A scenario holds objects, what happens to them and when, and what is expected of it, which is checked.
    Each head is decided as by `tenure decide`; a scenario with `scheduler: kai` runs sessions of
    KAI-Scheduler's MinRuntime plugin, as `tenure kai` does. The bundled scenarios, one of them as a story,
    and all of a folder under every reading, for continuous integration:

    \b
    tenure simulate
    tenure simulate --scenario tbp-it-2-rotation --reading as-written --story all
    tenure simulate scenarios/ --all-readings --report junit=simulate.xml

    As if a field of an object at the start were different, and for another program:

    \b
    tenure simulate --scenario tbp-it-2-rotation \\
      --set clusterqueue/gpu.spec.preemption.withinClusterQueueConfig.minAdmitDuration=2h
    tenure simulate scenario.yaml -o json | jq '.simulations[].preemptions[] | .victim'

    The cluster at an instant, for other commands; its first line has the time to decide at. It lacks what a
    controller keeps in memory only: which workloads are parked, and for which victims a head waits.

    \b
    tenure simulate scenario.yaml --at 4h0m1s --objects > cluster.yaml
    tenure decide cluster.yaml --all-pending --now 2026-01-05T13:00:01Z

    With --trace settings of queues are compared on tens of thousands of jobs: waits, preemptions, lost and
    unused quota. Each job joins the ClusterQueue that its queue names, works for its duration, and is
    scheduled as in a scenario: no cycle is left out. Three durations, on a trace with the columns job_id,
    queue, submit_s, duration_s, gpus and priority, as a report for a browser:

    \b
    tenure simulate queues.yaml --trace philly-2017-gpu.csv.gz --other-queue rest \\
      --sweep minAdmitDuration=off,1h,4h --checkpoint 1h --restart-cost 5m --html report.html

    A ClusterQueue for each user, two readings, as CSV; other columns; shares of GPUs, in thousandths; the
    finished Workloads that a cluster still has:

    \b
    tenure simulate queues/ --trace wagap-2013-hpc.csv.gz --queue-column user \\
      --sweep minAdmitDuration=4h --sweep reading=guaranteed,as-written -o csv
    tenure simulate queues.yaml --trace jobs.csv --submit-column created --class-column class
    tenure simulate queues.yaml --trace openb-2023-k8s-gpu.csv --size-times 1000
    kubectl get workloads -A -o json | tenure simulate queues.yaml --trace - --resource nvidia.com/gpu

    A sweep of minAdmitDuration sets withinClusterQueue to LowerOrNewerEqualPriority, which it needs, in every
    ClusterQueue; off leaves the policy as it is written. A sentence compares each setting with the first;
    --prefer wait or waste names the one to choose. Settings are simulated in --jobs processes, or by the
    workers of a Dask scheduler. Ctrl-C prints the settings that are done.

    Exit codes: 0 answered, and a scenario is as expected; 1 an expectation of a scenario fails; 2 bad input,
    or with --trace queues that only a scenario can hold; 3 internal error, or a process was killed;
    130 interrupted, with the settings that were done until then.
    """
    from tenure_simulate.command_run import run_simulate

    run_simulate(
        paths=paths,
        reading=reading,
        output=output,
        color=color,
        scenarios=scenarios,
        edits=edits,
        view=view,
        traced=traced,
        columns=columns,
        running=running,
        counted=counted,
        workers=workers,
        drawing=drawing,
    )
