"""`tenure decide`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from tenure.choices import DEFAULT_LIMIT, Engine, Outcome
from tenure.cli.commands import with_records
from tenure.cli.options import (
    ENGINE_HELP,
    ClusterOptions,
    Counterfactuals,
    Pending,
    SchedulerFlags,
    Verbose,
    Words,
)
from tenure.cli.output import CheckPrinting, Every
from tenure.errors import bad_input


@dataclass(frozen=True, slots=True)
class PendingOptions:
    """Which pending workloads are decided about."""

    workload: Pending = None
    all_pending: Annotated[
        bool,
        typer.Option(
            "--all-pending",
            "-a",
            help="Decide for every pending workload: all jointly, and each taken alone.",
        ),
    ] = False

    def check(self, expect: Outcome | None) -> None:
        """Refuse what cannot go with `--all-pending`.

        Raises:
            InputError: a workload is named too, or a decision is expected.
        """
        if self.all_pending:
            _alone("--workload", self.workload)
            _alone("--expect", expect)


@dataclass(frozen=True, slots=True)
class DecidingOptions:
    """How it is decided, and what is expected."""

    verbose: Verbose = False
    counterfactuals: Counterfactuals = DEFAULT_LIMIT
    engine: Annotated[
        Engine | None,
        typer.Option(help=ENGINE_HELP, show_default="reference; auto with --all-pending"),
    ] = None
    expect: Annotated[
        Outcome | None, typer.Option(help="The decision that is expected; exit code 1 for another.")
    ] = None


@with_records
def decide_command(
    *,
    words: Words = None,
    pending: PendingOptions,
    cluster: ClusterOptions,
    cluster_queue: Annotated[
        str | None,
        typer.Option(
            help="The ClusterQueue; with --all-pending, only workloads pending in it.",
            show_default="where its LocalQueue points",
        ),
    ] = None,
    flags: SchedulerFlags,
    deciding: DecidingOptions,
    every: Every = False,
    printing: CheckPrinting,
) -> None:
    """Decide which workloads are preempted for a pending one, and why.

    The cluster that kubectl talks to, and a dump of it, each with Kueue's Configuration:

    \b
    kubectl tenure decide -w ml/train
    kubectl tenure dump > cluster.json
    tenure decide cluster.json -w ml/train

    How the decision came about: where in the tree quota is short, which flavors, numbers of pods and attempts
    were tried, which single field of which object would have to differ, and what each rule found:

    \b
    tenure decide cluster/ -w ml/train --now 2026-03-02T14:00:00Z --verbose
    tenure decide cluster/ -w ml/train -v -o json | jq .explanation

    The proposal exactly as written, for another program:

    \b
    tenure decide cluster/ -w ml/train --reading as-written -o json | jq .preempted

    Every pending workload, as a table, or those of one ClusterQueue:

    \b
    tenure decide cluster/ --all-pending
    tenure decide cluster/ --all-pending --cluster-queue team-a -o json | jq '.pending[].decision'

    In continuous integration, where this job has to fit without preempting any other:

    \b
    tenure decide cluster/ -w ml/train --expect Fit --report junit=decide.xml

    With --all-pending the first line is the joint effect: what the coming cycles do to all workloads
    together, as `tenure next` plays them. Below it each workload is taken alone: no decision sees what
    another would change. Changes that would alter an answer are searched for one workload only.
    With --cluster-queue the joint effect is that on its workloads; with --verbose one workload has what
    becomes of it and its victims in these cycles.

    Workloads are sorted by ClusterQueue, then by effective priority, highest first, then by the time they
    queue from.

    Exit codes: 0 decided, whatever the decision; 1 not that of --expect; 2 bad input, or the
    workload needs what is not modelled, with --all-pending each of them; 3 internal error.
    """
    from tenure.cli.decide_run import run_decide

    run_decide(
        words=words,
        pending=pending,
        cluster=cluster,
        cluster_queue=cluster_queue,
        flags=flags,
        deciding=deciding,
        every=every,
        printing=printing,
    )


def _alone(option: str, value: str | None) -> None:
    if value is not None:
        raise bad_input(option, str(value), "either a workload or --all-pending, not both")
