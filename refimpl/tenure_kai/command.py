"""`tenure kai`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from tenure.cli.commands import SETTINGS, Command, Group, with_records
from tenure.cli.options import EditOptions, Example, Now
from tenure.cli.output import Printing
from tenure.readings import KaiVersion, parse_reading

kai_app = typer.Typer(
    cls=Group,
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings=SETTINGS,
    help=(
        "Show which jobs KAI-Scheduler's MinRuntime plugin protects, until when, and why.\n\n"
        "The bundled departments, and then your own cluster:\n\n\b\n"
        "tenure kai filter --example kai-departments -w serving/checkout --now 2026-06-01T14:00:00Z\n"
        "kubectl tenure kai filter -w serving/checkout"
    ),
    epilog="Exit codes: 0 may be preempted, or the scenario is accepted; 1 it is not; 2 bad input.",
)

Paths = Annotated[
    list[str] | None,
    typer.Argument(
        help="Files or folders with Queues, PodGroups, Pods and the scheduler's configuration; - reads "
        "standard input. `filter` and `validate` take the pending PodGroup among them too.",
        show_default=False,
    ),
]
PendingJob = Annotated[
    str | None,
    typer.Option("--workload", "-w", metavar="JOB", help="The pending PodGroup, as namespace/name."),
]
ActionName = Annotated[
    str | None,
    typer.Option(
        "--action", help="preempt or reclaim.", show_default="preempt in the same queue, else reclaim"
    ),
]
PluginArguments = Annotated[
    list[str] | None,
    typer.Option(
        "--argument",
        metavar="NAME=VALUE",
        help="An argument of the plugin, above the configured one; repeatable.",
    ),
]


KaiVersionName = Annotated[
    str,
    typer.Option(
        "--kai-version",
        metavar="VERSION",
        help=f"The KAI-Scheduler: {', '.join(version.name.lower() for version in KaiVersion)}.",
    ),
]


DEFAULT_KAI_VERSION = KaiVersion.MARCH_2026.name.lower()


@dataclass(frozen=True, slots=True)
class PluginOptions:
    """The call of the plugin, its arguments, and whose plugin it is."""

    action: ActionName = None
    argument: PluginArguments = None
    kai_version: KaiVersionName = DEFAULT_KAI_VERSION
    example: Example = None

    def version(self) -> KaiVersion:
        """The KAI-Scheduler.

        Raises:
            InputError: no such version.
        """
        return parse_reading({"kai_version": self.kai_version}).kai_version


@kai_app.command("filter", cls=Command, context_settings=SETTINGS)
@with_records
def filter_command(
    *,
    paths: Paths = None,
    workload: PendingJob = None,
    victim: Annotated[
        list[str] | None,
        typer.Option(
            "--victim",
            metavar="JOB",
            help="A running PodGroup; repeatable.",
            show_default="all that run",
        ),
    ] = None,
    plugin: PluginOptions,
    edits: EditOptions,
    now: Now = None,
    printing: Printing,
) -> None:
    """Show whether running jobs may be victims, or until when they are protected, and by which value.

    One job, and every job:

    \b
    tenure kai filter cluster/ -w serving/checkout --victim vision/pretrain --now 2026-06-01T14:00:00Z
    tenure kai filter cluster/ -w serving/checkout -o json | jq '.victims[] | select(.passes)'

    As if the plugin resolved by queue, or a queue protected its jobs for longer:

    \b
    tenure kai filter cluster/ -w serving/checkout --argument reclaimResolveMethod=queue
    tenure kai filter cluster/ -w serving/checkout --set queue/vision.spec.reclaimMinRuntime=2h

    As KAI-Scheduler v0.17.0, where a pending job waits for its preemption delay:

    \b
    tenure kai filter cluster/ -w serving/checkout --kai-version v0_17

    Exit codes: 0 at least one may be considered, 1 all are protected, 2 bad input.
    """
    from tenure_kai.command_run import run_filter

    run_filter(
        paths=paths, workload=workload, victim=victim, plugin=plugin, edits=edits, now=now, printing=printing
    )


@kai_app.command("validate", cls=Command, context_settings=SETTINGS)
@with_records
def validate_command(
    *,
    paths: Paths = None,
    workload: PendingJob = None,
    victim: Annotated[
        list[str] | None,
        typer.Option(
            "--victim",
            metavar="JOB[=POD,POD...]",
            help="A victim, and those of its pods that would be preempted; repeatable.",
            show_default="none",
        ),
    ] = None,
    plugin: PluginOptions,
    edits: EditOptions,
    now: Now = None,
    printing: Printing,
) -> None:
    """Check whether a scenario is accepted: every protected elastic job must keep its minimum.

    Two pods of one job, and a whole job besides:

    \b
    tenure kai validate cluster/ -w serving/checkout --victim vision/sweep=sweep-0,sweep-1
    tenure kai validate cluster/ -w serving/checkout --victim vision/sweep=sweep-0 --victim vision/pretrain

    Jobs that are not elastic are not checked here: `tenure kai filter` answers whether they may be preempted.

    Exit codes: 0 the scenario is accepted, 1 it is refused, 2 bad input.
    """
    from tenure_kai.command_run import run_validate

    run_validate(
        paths=paths, workload=workload, victim=victim, plugin=plugin, edits=edits, now=now, printing=printing
    )


@kai_app.command("resolve", cls=Command, context_settings=SETTINGS)
@with_records
def resolve_command(
    *,
    paths: Paths = None,
    victim_queue: Annotated[str, typer.Option(metavar="QUEUE", help="The victim's queue.")] = "",
    pending_queue: Annotated[
        str | None,
        typer.Option(metavar="QUEUE", help="The pending job's queue.", show_default="the victim's"),
    ] = None,
    plugin: PluginOptions,
    edits: EditOptions,
    printing: Printing,
) -> None:
    """Find which minimum runtime counts between two queues, and whose value it is.

    A preemption within a queue, and a reclaim by another one:

    \b
    tenure kai resolve cluster/ --victim-queue vision
    tenure kai resolve cluster/ --victim-queue vision --pending-queue serving

    Exit codes: 0 answered, 2 bad input.
    """
    from tenure_kai.command_run import run_resolve

    run_resolve(
        paths=paths,
        victim_queue=victim_queue,
        pending_queue=pending_queue,
        plugin=plugin,
        edits=edits,
        printing=printing,
    )


@kai_app.command("pairs", cls=Command, context_settings=SETTINGS)
@with_records
def pairs_command(
    *,
    paths: Paths = None,
    started: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="When a job of the victim's queue started, RFC 3339: the table has until when it is "
            "protected.",
            show_default="durations are printed",
        ),
    ] = None,
    plugin: PluginOptions,
    edits: EditOptions,
    every: Annotated[bool, typer.Option("--all", help="All rows, however many they are.")] = False,
    printing: Printing,
) -> None:
    """List for each pair of queues how long a job of one is protected from a job of the other, and why.

    A preemption within each queue, a reclaim between every two:

    \b
    tenure kai pairs cluster/

    Until when a job that started at noon is protected, from whom:

    \b
    tenure kai pairs cluster/ --started 2026-06-01T12:00:00Z
    tenure kai pairs cluster/ -o json | jq '.pairs[] | select(.victimQueue == "vision")'

    The queues are those without queues below, and all that a job is in.

    Exit codes: 0 answered, 2 bad input.
    """
    from tenure_kai.command_run import run_pairs

    run_pairs(paths=paths, started=started, plugin=plugin, edits=edits, every=every, printing=printing)
