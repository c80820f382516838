"""`tenure kai`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from tenure.as_json import as_json
from tenure.cli.bundled import example_folder
from tenure.cli.commands import SETTINGS, Command, Group, with_records
from tenure.cli.exit_codes import ExitCode
from tenure.cli.inputs import changed, print_warnings
from tenure.cli.named import named_workloads
from tenure.cli.options import EditOptions, Example, Now, instant_of
from tenure.cli.output import Output, Printing, print_answer
from tenure.cli.terminal import choose_colour
from tenure.errors import bad_input
from tenure.manifests import did_you_mean, parse_instant
from tenure.manifests.releases import TargetKueue
from tenure.readings import KaiVersion, parse_reading
from tenure_kai import Action, Scene, Session, Victim
from tenure_kai.answers import filter_answer, resolve_answer, validate_answer
from tenure_kai.case import ACTIONS
from tenure_kai.intake import load_scene
from tenure_kai.pairs import pairs_answer, pairs_lines
from tenure_kai.text import filter_lines, resolve_lines, validate_lines

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
    choose_colour(printing.color)
    named, files = named_workloads(paths or [], workload, plugin.example, least=0)
    session = _session(files, plugin, edits, now)
    answer = filter_answer(session, _job(named), victim or (), _action(plugin.action))
    print_warnings(answer.warnings[len(session.scene.warnings) :])
    _print(printing.output, "kai-filter", answer, filter_lines(answer))
    if not any(filtered.passes for filtered in answer.victims):
        raise typer.Exit(ExitCode.FOUND)


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
    choose_colour(printing.color)
    named, files = named_workloads(paths or [], workload, plugin.example, least=0)
    session = _session(files, plugin, edits, now)
    victims = [_victim(name, session) for name in victim or ()]
    answer = validate_answer(session, _job(named), victims, _action(plugin.action))
    print_warnings(answer.warnings[len(session.scene.warnings) :])
    _print(printing.output, "kai-validate", answer, validate_lines(answer))
    if not answer.accepted:
        raise typer.Exit(ExitCode.FOUND)


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
    choose_colour(printing.color)
    session = _session(paths, plugin, edits, None)
    for option, queue in (("--victim-queue", victim_queue), ("--pending-queue", pending_queue)):
        _known(option, queue, session.scene)
    asking_queue = pending_queue or victim_queue
    between = Action.PREEMPT if asking_queue == victim_queue else Action.RECLAIM
    answer = resolve_answer(session, _action(plugin.action) or between, asking_queue, victim_queue)
    _print(printing.output, "kai-resolve", answer, resolve_lines(answer))


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
    choose_colour(printing.color)
    if plugin.action is not None:
        raise bad_input(
            "--action", plugin.action, "nothing: every pair has the action that KAI-Scheduler takes"
        )
    instant = None if started is None else parse_instant(started, field="--started")
    session = _session(paths, plugin, edits, None)
    answer = pairs_answer(session.scene, instant, session.version)
    _print(printing.output, "kai-pairs", answer, pairs_lines(answer, every=every))


def _known(option: str, queue: str | None, scene: Scene) -> None:
    if queue is not None and queue not in scene.queues:
        names = ", ".join(sorted(scene.queues)) or "none"
        raise bad_input(option, queue, f"one of the queues: {names}{did_you_mean(queue, scene.queues)}")


def _session(
    paths: Sequence[str] | None, plugin: PluginOptions, edits: EditOptions, now: str | None
) -> Session:
    clock = None if now is None else instant_of(now)
    changes = edits.edits()
    scene = load_scene(
        _sources(list(paths or ()), plugin.example),
        _arguments(plugin.argument or ()),
        changed=lambda objects: changed(objects, changes, TargetKueue()),
        version=plugin.version(),
    )
    print_warnings(scene.warnings)
    return Session(scene, instant_of(None) if clock is None else clock, plugin.version())


def _sources(paths: list[str], example: str | None) -> list[Any]:
    if example is not None:
        if paths:
            raise bad_input("--example", example, "either files or an example, not both")
        return [example_folder(example)]
    if not paths:
        raise bad_input(
            "paths", "nothing", "files, folders, - for standard input, or --example kai-departments"
        )
    return list(paths)


def _arguments(parts: Sequence[str]) -> dict[str, str]:
    made = {}
    for part in parts:
        name, separator, value = part.partition("=")
        if not separator:
            raise bad_input("--argument", part, "NAME=VALUE, such as defaultReclaimMinRuntime=10m")
        made[name] = value
    return made


def _action(name: str | None) -> Action | None:
    if name is None:
        return None
    if name not in ACTIONS:
        raise bad_input("--action", name, f"preempt or reclaim{did_you_mean(name, ACTIONS)}")
    return ACTIONS[name]


def _job(named: Sequence[str]) -> str:
    if not named:
        raise bad_input("--workload", "nothing", "the pending PodGroup, as namespace/name")
    return named[0]


def _victim(text: str, session: Session) -> Victim:
    """A job and its pods; without pods, all that hold a place."""
    name, separator, pods = text.partition("=")
    job = session.job(name)
    if separator:
        return Victim(name, tuple(part for part in pods.split(",") if part))
    return Victim(name, tuple(pod.name for _, pod in job.pods() if pod.status.holds_a_place))


def _print(output: Output, name: str, answer: object, lines: Any) -> None:
    print_answer(output, name, None if output == Output.TEXT else as_json(answer), lines)
