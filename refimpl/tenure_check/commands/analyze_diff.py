"""`tenure analyze diff`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from tenure.cli.before_after import (
    Beside,
    TwoSides,
)
from tenure.cli.commands import with_records
from tenure.cli.options import EditOptions, Example, Interpretation, SchedulerFlags
from tenure.cli.output import OutlineOutput, OutlineOutputOption, Reports
from tenure.cli.terminal import Color
from tenure_check.choices import Scope
from tenure_check.commands.analyze_matrix import AskAgain, AskedScope, Seed, States
from tenure_check.commands.outlines import ListPremises


@dataclass(frozen=True, slots=True)
class ComparisonOptions:
    """What is compared, and how long examples are searched for."""

    nominal: Annotated[
        bool,
        typer.Option(
            "--nominal",
            help="Compare also whether workloads may be preempted only above nominal quota; takes long.",
        ),
    ] = False
    render: Annotated[
        list[str] | None,
        typer.Option(
            "--render",
            metavar="COMMAND",
            help="Compare what a command prints, such as 'helm template charts/queues'. It runs, without a "
            "shell, in the folder of BEFORE and in that of AFTER, which are checkouts or revisions, "
            "main: and HEAD:; repeatable.",
            show_default=False,
        ),
    ] = None
    scope: AskedScope = Scope.CONSISTENT
    states: States = 120
    seed: Seed = 0
    no_cache: AskAgain = False


@dataclass(frozen=True, slots=True)
class VerdictOptions:
    """What fails, how that is printed, and its reports."""

    output: OutlineOutputOption = OutlineOutput.TEXT
    fail_on: Annotated[
        str | None,
        typer.Option(
            "--fail-on",
            metavar="KIND,...",
            help="Print one verdict, PASS or FAIL, and what fails. new-preemption: workloads can be "
            "preempted that could not be before, or for another reason. lost-guarantee: sooner, or (with "
            "--nominal) within nominal quota. lost-preemption: the opposite of both. new-loop: workloads "
            "preempt each other for ever; searched where no theorem excludes it. any: any state is decided "
            "otherwise.",
            show_default=False,
        ),
    ] = None
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            metavar="FILE",
            help="What is accepted, as `tenure analyze baseline` writes it; it does not fail until its day.",
            show_default=False,
        ),
    ] = None
    report: Reports = None
    premises: ListPremises = False
    color: Color = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceInputs:
    """What is compared."""

    sides: TwoSides = None
    example: Example = None
    beside: Beside = None
    edits: EditOptions
    interpretation: Interpretation
    flags: SchedulerFlags


@with_records
def analyze_diff_command(
    *,
    inputs: DifferenceInputs,
    compared: ComparisonOptions,
    wanted: VerdictOptions,
) -> None:
    """Compare two configurations: who may preempt whom after a change, and could not before.

    Both are analyzed as by `tenure analyze matrix`, in every state that admission alone can produce, or with
    --scope edited also after edits of quotas; what runs and waits in the files plays no part. Each cell that
    is gained or lost is listed with the field that causes it and the smallest example. Decisions may change
    though no cell does: then a state shows it.

    A single field, and two folders or revisions of one:

    \b
    tenure analyze diff --example two-teams --unset clusterqueue/gpu-cluster-queue.spec.preemption
    tenure analyze diff queues/ --set clusterqueue/team-b.spec.preemption.reclaimWithinCohort=Any
    tenure analyze diff main:queues/..HEAD:queues/

    A comment for a pull request, and a check that fails where it lets workloads preempt more: PASS, or FAIL
    with the ClusterQueues, the smallest example and the field:

    \b
    tenure analyze diff main:queues/ HEAD:queues/ -o markdown > comment.md
    tenure analyze diff main:queues/ HEAD:queues/ --fail-on new-preemption,lost-guarantee

    Without what was accepted, and with reports for continuous integration:

    \b
    tenure analyze diff main:queues/ queues/ --fail-on new-preemption --baseline ok.yaml --report github=-

    What Helm or Kustomize makes of two revisions; the command runs in the files of each:

    \b
    tenure analyze diff main: HEAD: --render 'helm template charts/queues' --fail-on new-preemption

    A field is named if the example is decided otherwise without its change; if only several together cause
    it, all that changed are named. Answers are cached, as by `tenure analyze matrix`.

    Exit codes: 0 compared, 1 what --fail-on names has happened, 2 bad input, 3 internal error, 5 some cells
    are not known.
    """
    from tenure_check.commands.analyze_diff_run import run_analyze_diff

    run_analyze_diff(inputs=inputs, compared=compared, wanted=wanted)
