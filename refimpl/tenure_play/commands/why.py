"""`tenure why`, `tenure why-not`."""

from __future__ import annotations

from typing import Annotated

import typer

from tenure.choices import DEFAULT_LIMIT
from tenure.cli.commands import with_records
from tenure.cli.named import NAME_HELP, in_order, named_workloads
from tenure.cli.options import (
    ClusterOptions,
    ClusterQueueName,
    Counterfactuals,
    Pending,
    SchedulerFlags,
    Verbose,
)
from tenure.cli.output import Every, OutlinePrinting, print_found
from tenure.cli.terminal import choose_colour


@with_records
def why_command(
    *,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            help=f"The running or preempted workload: {NAME_HELP}; a pending one; files, folders, or - for "
            "standard input. In any order.",
            metavar="VICTIM [WORKLOAD] [PATHS]...",
            show_default=False,
        ),
    ] = None,
    workload: Annotated[
        str | None,
        typer.Option(
            "--workload", "-w", help=f"The pending workload: {NAME_HELP}.", show_default="all of them"
        ),
    ] = None,
    cluster: ClusterOptions,
    cluster_queue: ClusterQueueName = None,
    flags: SchedulerFlags,
    counterfactuals: Counterfactuals = DEFAULT_LIMIT,
    verbose: Verbose = False,
    every: Every = False,
    printing: OutlinePrinting,
) -> None:
    """Explain why a workload was preempted, or which pending workloads could preempt a running one.

    For each ClusterQueue the least priority by which a new workload of any size could preempt it, now and
    later; and which of the pending workloads would, each evaluated independently:

    \b
    tenure why ml/old cluster/

    For one pending workload, by which rules, with the nearest changes that would spare it:

    \b
    tenure why ml/old cluster/ -w ml/train

    Of a workload that was preempted, by its condition Preempted and by the cluster as it was then:

    \b
    tenure why ml/preempted-this-morning cluster/

    Exit codes: 0 answered, also where no workload preempts it; 2 bad input; 3 internal error.
    """
    from tenure.cli.inquiry import inquire
    from tenure_play.api import why

    choose_colour(printing.color)
    named, paths = named_workloads(words or [], workload, cluster.example, most=2)
    asked = inquire(paths, cluster, flags, cluster_queue, keeps=True, about=named)
    victim, *others = named if workload is None else reversed(named)
    pending = None
    if others:
        pending, victim = in_order(asked.loaded, others[0], victim)
    found = why(
        asked.loaded,
        victim,
        pending,
        now=asked.now,
        reading=asked.reading,
        cluster_queue=cluster_queue,
        counterfactuals=counterfactuals,
        verbose=verbose,
        every=every,
    )
    print_found(printing.output, found)


@with_records
def why_not_command(
    *,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            help=f"The pending workload, as -w has it: {NAME_HELP}; a running one; files, folders, or - for "
            "standard input. In any order.",
            metavar="WORKLOAD [VICTIM] [PATHS]...",
            show_default=False,
        ),
    ] = None,
    workload: Pending = None,
    cluster: ClusterOptions,
    cluster_queue: ClusterQueueName = None,
    flags: SchedulerFlags,
    counterfactuals: Counterfactuals = DEFAULT_LIMIT,
    verbose: Verbose = False,
    every: Every = False,
    printing: OutlinePrinting,
) -> None:
    """Explain why a workload is not admitted, or why it does not preempt a running one.

    What it waits for: quota, its turn, an admission check, a back-off, a queue that is held or missing; what
    is short and where, what was tried, and which change would let it in:

    \b
    tenure why-not ml/train cluster/

    The same with what each rule found about every running workload:

    \b
    tenure why-not ml/train cluster/ --verbose

    Why a running one is kept, and which change would preempt it:

    \b
    tenure why-not ml/train ml/old cluster/

    Words may come in any order: those that are no files or folders are the workloads.

    Exit codes: 0 answered, also where it is admitted; 2 bad input; 3 internal error.
    """
    from tenure.cli.inquiry import inquire
    from tenure_play.api import why_not

    choose_colour(printing.color)
    named, manifests = named_workloads(words or [], workload, cluster.example, most=2)
    asked = inquire(manifests, cluster, flags, cluster_queue, keeps=True, about=named)
    # A changed field is not in the file.
    files = () if cluster.edits.edits() else manifests
    name, victim = named[0], None
    if len(named) > 1:
        name, victim = in_order(asked.loaded, *named)
    found = why_not(
        asked.loaded,
        name,
        victim,
        now=asked.now,
        reading=asked.reading,
        cluster_queue=cluster_queue,
        files=files,
        counterfactuals=counterfactuals,
        verbose=verbose,
        every=every,
    )
    print_found(printing.output, found)
