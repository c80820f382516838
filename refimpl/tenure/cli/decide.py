"""`tenure decide`."""

from __future__ import annotations

import json
import sys
import time
from enum import StrEnum
from typing import Annotated, Any

import typer
import yaml

from tenure.api import assumed_queue, decide
from tenure.cli.settings import with_flags
from tenure.cli.text import decision_lines
from tenure.conformance.rendering import render_decision
from tenure.errors import bad_input
from tenure.manifests import Loaded
from tenure.manifests import load as load_manifests
from tenure.oracle.decide import Decision
from tenure.readings import default_preset, preset_names
from tenure.resources import bundled
from tenure.units import format_instant


class Output(StrEnum):
    """How an answer is printed."""

    TEXT = "text"
    JSON = "json"
    YAML = "yaml"


def decide_command(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files or folders of Kueue manifests; - reads standard input.", show_default=False
        ),
    ] = None,
    example: Annotated[
        str | None, typer.Option(help="Use a bundled example instead of files; see `tenure example`.")
    ] = None,
    workload: Annotated[
        str | None,
        typer.Option(
            "--workload", "-w", help="The pending workload, as namespace/name.", show_default="the only one"
        ),
    ] = None,
    now: Annotated[
        str | None, typer.Option(help="The cycle's clock, RFC 3339.", show_default="this moment")
    ] = None,
    reading: Annotated[str, typer.Option(help=f"A preset: {', '.join(preset_names())}.")] = default_preset(),
    override: Annotated[
        list[str] | None,
        typer.Option(
            "--override", metavar="KEY=CHOICE", help="One choice other than the preset's; repeatable."
        ),
    ] = None,
    cluster_queue: Annotated[
        str | None, typer.Option(help="The ClusterQueue.", show_default="where its LocalQueue points")
    ] = None,
    feature_gates: Annotated[
        str,
        typer.Option(metavar="GATE=BOOL,...", help="As Kueue's own flag, e.g. PriorityBoost=true."),
    ] = "",
    requeuing_timestamp: Annotated[
        str | None,
        typer.Option(
            help="waitForPodsReady.requeuingStrategy.timestamp: Eviction or Creation.",
            show_default="as configured, else Eviction",
        ),
    ] = None,
    fair_sharing: Annotated[
        str | None,
        typer.Option(
            metavar="STRATEGIES",
            help="default, off, or a list of strategies, e.g. LessThanInitialShare.",
            show_default="as configured, else off",
        ),
    ] = None,
    explained: Annotated[
        bool, typer.Option("--explain", "-e", help="Say for every workload which rule found what.")
    ] = False,
    output: Annotated[Output, typer.Option("--output", "-o", help="How to print the answer.")] = Output.TEXT,
) -> None:
    """Decide who is preempted for a pending workload, and why.

    The cluster as kubectl prints it:

    \b
    kubectl get clusterqueues,cohorts,resourceflavors,localqueues,workloads -A -o yaml \\
      | tenure decide - -w ml/train

    With the scheduler's own configuration, which decides too:

    \b
    kubectl get configmap -n kueue-system kueue-manager-config -o yaml > config.yaml
    tenure decide cluster.yaml config.yaml -w ml/train

    A folder of manifests, at a given time, and every rule's finding:

    \b
    tenure decide cluster/ -w ml/train --now 2026-03-02T14:00:00Z --explain

    What the proposal says to the letter, for another program:

    \b
    tenure decide cluster/ -w ml/train --reading as-written -o json | jq .preempted
    """
    loaded = with_flags(_load(paths or [], example), feature_gates, requeuing_timestamp, fair_sharing)
    for warning in loaded.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    if cluster_queue is None and assumed_queue(loaded) is not None:
        print("warning: no LocalQueue is given; the only ClusterQueue is taken", file=sys.stderr)
    clock = now if now is not None else format_instant(time.time_ns())
    chosen = {"preset": reading, **_overrides(override or [])}
    decision = decide(loaded, workload, now=clock, reading=chosen, cluster_queue=cluster_queue)
    _print(decision, explained, output)


def _load(paths: list[str], example: str | None) -> Loaded:
    if example is not None:
        if paths:
            raise bad_input("--example", example, "either files or an example, not both")
        return load_manifests([example_folder(example)])
    if not paths:
        raise bad_input("paths", "nothing", "files, folders, - for standard input, or --example two-teams")
    return load_manifests(paths)


def example_folder(name: str) -> Any:
    """The folder of a bundled example.

    Raises:
        InputError: there is no such example.
    """
    folder = bundled("examples")
    names = sorted(each.name for each in folder.iterdir() if each.is_dir())
    if name not in names:
        raise bad_input("example", name, f"one of {', '.join(names)}")
    return folder / name


def _overrides(parts: list[str]) -> dict[str, str]:
    overrides = {}
    for part in parts:
        key, separator, choice = part.partition("=")
        if not separator:
            raise bad_input("--override", part, "KEY=CHOICE, such as same_priority_gate=either")
        overrides[key] = choice
    return overrides


def _print(decision: Decision, explained: bool, output: Output) -> None:
    if output == Output.TEXT:
        print("\n".join(decision_lines(decision, explained=explained)))
        return
    rendered = {
        "workload": decision.preemptor.key,
        "clusterQueue": decision.queue.name,
        "now": format_instant(decision.now),
        **render_decision(decision, explained=explained),
    }
    if output == Output.JSON:
        print(json.dumps(rendered, indent=2, ensure_ascii=False))
    else:
        print(yaml.safe_dump(rendered, sort_keys=False, allow_unicode=True), end="")
