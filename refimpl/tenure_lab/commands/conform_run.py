"""What `tenure conform` does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tenure.choices import WITH_INPUT
from tenure.cli.exit_codes import ExitCode
from tenure.cli.output import Reporting, ReportOutput, print_checked
from tenure.cli.terminal import RateLine, choose_colour
from tenure.disk import claim, write_named
from tenure.errors import InputError, Problem, bad_input
from tenure.manifests import did_you_mean
from tenure.readings import preset
from tenure_lab.commands.conform import (
    AskedVectors,
    ConformingProgram,
    ConformPrinting,
    DrawnClusters,
    Treatment,
)
from tenure_lab.commands.sizes import chosen_features, chosen_options

if TYPE_CHECKING:
    from tenure_lab.conform_report import Conformance


def run_conform(
    *,
    program: ConformingProgram,
    published: AskedVectors,
    drawn: DrawnClusters,
    treatment: Treatment,
    printing: ConformPrinting,
) -> None:
    """As `tenure_lab.commands.conform.conform_command` documents it."""
    choose_colour(printing.color)
    reporting = Reporting(printing.report, "tenure conform")
    claim("--keep", treatment.keep)
    calls = program.call or ["decide"]
    for call in calls:
        if call not in WITH_INPUT:
            raise bad_input("--call", call, f"one of {', '.join(WITH_INPUT)}{did_you_mean(call, WITH_INPUT)}")
    if program.reading is not None:
        preset(program.reading)
    from tenure_lab.campaigns import CampaignPlan
    from tenure_lab.conform_report import conform_checks
    from tenure_lab.conformance_run import ConformanceCheck, chosen_vectors
    from tenure_lab.programs import ProgramFailure, command_of

    at_least, excluded = treatment.share(), published.without_family or ()
    options = chosen_options(
        chosen_features(drawn.with_, drawn.without),
        {"max_workloads": drawn.max_workloads, "max_queues": drawn.max_queues, "max_depth": drawn.max_depth},
    )
    plan = CampaignPlan(
        scenarios=drawn.scenarios,
        seed=drawn.seed,
        command=tuple(command_of(program.command)),
        repeat=treatment.repeat,
        mode=program.mode.value,
        reading=program.reading or "",
        patience=treatment.timeout,
        partial=treatment.partial,
        features=tuple(sorted(options.features)),
        max_workloads=options.max_workloads,
        max_queues=options.max_queues,
        max_depth=options.max_depth,
        only=tuple(drawn.index or ()),
    )
    chosen = (
        chosen_vectors(calls, published.only or (), excluded, published.folder) if published.vectors else []
    )
    if not (chosen or plan.blocks()):
        raise bad_input("--no-vectors, --scenarios", "nothing to ask", "vectors, scenarios, or both")
    total = len(chosen) + (len(plan.only) or drawn.scenarios)
    progress = RateLine(
        lambda done, failed, rate: f"{done} of {total}, {rate:.0f} a second, {failed} not explained"
    )
    try:
        conformance = ConformanceCheck(
            plan, treatment.jobs, chosen, at_least, excluded, treatment.show, progress
        ).run()
    except ProgramFailure as failure:
        problem = Problem("--exec", str(failure), "a program that answers every request")
        reporting.write_problems(InputError([problem]))
        raise InputError([problem]) from failure
    finally:
        progress.end()
    if treatment.keep is not None:
        _keep(conformance, treatment.keep)
    _print(conformance, printing.output)
    reporting.write(lambda _: conform_checks(conformance))
    if not conformance.conforms:
        raise typer.Exit(ExitCode.FOUND)


def _keep(conformance: Conformance, path: Path) -> None:
    requests = "".join(f"{disagreement.request}\n" for disagreement in conformance.disagreements)
    write_named("--keep", path, requests)


def _print(conformance: Conformance, output: ReportOutput) -> None:
    from tenure.as_json import as_json
    from tenure_lab.conform_report import conform_checks, conform_lines

    print_checked(
        output,
        "conform",
        lambda: conform_checks(conformance),
        lambda: as_json(conformance),
        conform_lines(conformance),
    )
