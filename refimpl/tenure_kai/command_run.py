"""What `tenure kai` does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer

from tenure.as_json import as_json
from tenure.cli.bundled import example_folder
from tenure.cli.exit_codes import ExitCode
from tenure.cli.inputs import changed, print_warnings
from tenure.cli.named import named_workloads
from tenure.cli.options import EditOptions, Now, instant_of
from tenure.cli.output import Output, Printing, print_answer
from tenure.cli.terminal import choose_colour
from tenure.errors import bad_input
from tenure.manifests import did_you_mean, parse_instant
from tenure.manifests.releases import TargetKueue
from tenure_kai import Action, Scene, Session, Victim
from tenure_kai.answers import filter_answer, resolve_answer, validate_answer
from tenure_kai.case import ACTIONS
from tenure_kai.command import (
    Paths,
    PendingJob,
    PluginOptions,
)
from tenure_kai.intake import load_scene
from tenure_kai.pairs import pairs_answer, pairs_lines
from tenure_kai.text import filter_lines, resolve_lines, validate_lines


def run_filter(
    *,
    paths: Paths,
    workload: PendingJob,
    victim: list[str] | None,
    plugin: PluginOptions,
    edits: EditOptions,
    now: Now,
    printing: Printing,
) -> None:
    """As `tenure_kai.command.filter_command` documents it."""
    choose_colour(printing.color)
    session, named = _named_job(paths, workload, plugin, edits, now)
    answer = filter_answer(session, _job(named), victim or (), _action(plugin.action))
    print_warnings(answer.warnings[len(session.scene.warnings) :])
    _print(printing.output, "kai-filter", answer, filter_lines(answer))
    if not any(filtered.passes for filtered in answer.victims):
        raise typer.Exit(ExitCode.FOUND)


def run_validate(
    *,
    paths: Paths,
    workload: PendingJob,
    victim: list[str] | None,
    plugin: PluginOptions,
    edits: EditOptions,
    now: Now,
    printing: Printing,
) -> None:
    """As `tenure_kai.command.validate_command` documents it."""
    choose_colour(printing.color)
    session, named = _named_job(paths, workload, plugin, edits, now)
    victims = [_victim(name, session) for name in victim or ()]
    answer = validate_answer(session, _job(named), victims, _action(plugin.action))
    print_warnings(answer.warnings[len(session.scene.warnings) :])
    _print(printing.output, "kai-validate", answer, validate_lines(answer))
    if not answer.accepted:
        raise typer.Exit(ExitCode.FOUND)


def run_resolve(
    *,
    paths: Paths,
    victim_queue: str,
    pending_queue: str | None,
    plugin: PluginOptions,
    edits: EditOptions,
    printing: Printing,
) -> None:
    """As `tenure_kai.command.resolve_command` documents it."""
    choose_colour(printing.color)
    session = _session(paths, plugin, edits, None)
    for option, queue in (("--victim-queue", victim_queue), ("--pending-queue", pending_queue)):
        _known(option, queue, session.scene)
    asking_queue = pending_queue or victim_queue
    between = Action.PREEMPT if asking_queue == victim_queue else Action.RECLAIM
    answer = resolve_answer(session, _action(plugin.action) or between, asking_queue, victim_queue)
    _print(printing.output, "kai-resolve", answer, resolve_lines(answer))


def run_pairs(
    *,
    paths: Paths,
    started: str | None,
    plugin: PluginOptions,
    edits: EditOptions,
    every: bool,
    printing: Printing,
) -> None:
    """As `tenure_kai.command.pairs_command` documents it."""
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


def _named_job(
    paths: Paths, workload: PendingJob, plugin: PluginOptions, edits: EditOptions, now: Now
) -> tuple[Session, Sequence[str]]:
    """What is asked about, and the pending job as it is named."""
    named, files = named_workloads(paths or [], workload, plugin.example, least=0)
    return _session(files, plugin, edits, now), named


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
