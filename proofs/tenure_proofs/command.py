"""`tenure prove`."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from tenure.errors import bad_input
from tenure.readings import preset_names

if TYPE_CHECKING:
    from tenure_proofs.report import Report

_Item = TypeVar("_Item")

EXTRA_HINT = "`tenure prove` needs the solvers: pip install 'tenure[proofs]'"


def prove(
    only: Annotated[
        list[str] | None,
        typer.Option(help="Only obligations whose identifier or rules start so, as PO-TBP-010 or TBP-020."),
    ] = None,
    reading: Annotated[
        list[str] | None, typer.Option(help="Only this preset; repeatable.", show_default="all presets")
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many random seeds Z3 answers with.")] = 1,
    solver: Annotated[str, typer.Option(help="both, or z3 alone.")] = "both",
    mutants: Annotated[bool, typer.Option(help="Try the wrong rules that the obligations must kill.")] = True,
    examples: Annotated[int, typer.Option(min=1, help="Plain executions for each lifted function.")] = 50,
    random_seed: Annotated[int, typer.Option(help="Seed of those executions.")] = 0,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Processes.", show_default="one for each CPU")
    ] = None,
    output: Annotated[str, typer.Option("--output", "-o", help="text or json.")] = "text",
) -> None:
    """Prove every obligation about the rules' own code, or refute it with a story that replays.

    Each rule is lifted to a formula twice, by running it on symbolic values and from its syntax; the two
    are proved equal and compared with plain execution. Each obligation is answered by Z3 and cvc5 under
    every preset; a refuted one is minimised, rebuilt as manifests and replayed through the oracle. Exit
    code 1 when anything is not as expected: a false claim that becomes provable fails as well.

    \b
    tenure prove
    tenure prove --only TBP-020 --no-mutants
    tenure prove -o json | jq '.obligations[] | select(.title != "")'
    """
    for name in reading or []:
        if name not in preset_names():
            raise bad_input("--reading", name, f"one of {', '.join(preset_names())}")
    if solver not in ("both", "z3"):
        raise bad_input("--solver", solver, "both or z3")
    if output not in ("text", "json"):
        raise bad_input("--output", output, "text or json")
    try:
        import cvc5  # noqa: F401
        import hypothesis  # noqa: F401
        import z3  # noqa: F401
    except ImportError as error:
        raise bad_input("environment", str(error), EXTRA_HINT) from None
    plan = Plan(
        only=tuple(only or ()),
        readings=tuple(reading or preset_names()),
        seeds=seeds,
        both_solvers=solver == "both",
        mutants=mutants,
        examples=examples,
        random_seed=random_seed,
        jobs=jobs or os.cpu_count() or 1,
    )
    report = run_plan(plan)
    _print(report, output)
    if not report.good:
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True)
class Plan:
    """What to prove, and how; the fields are the command's options."""

    only: tuple[str, ...] = ()
    readings: tuple[str, ...] = preset_names()
    seeds: int = 1
    both_solvers: bool = True
    mutants: bool = True
    examples: int = 50
    random_seed: int = 0
    jobs: int = 1


def run_plan(plan: Plan) -> Report:
    """Lift, prove, hunt mutants.

    Raises:
        InputError: `only` selects nothing.
    """
    from tenure.rules.registry import all_rules
    from tenure_proofs.mutants.hunt import DOOR, UNNAMED, all_mutants, meets
    from tenure_proofs.obligations import OBLIGATIONS
    from tenure_proofs.pool import lift_task, mutant_task, pool, prove_task
    from tenure_proofs.report import Report
    from tenure_proofs.solvers import solver_versions

    started = time.perf_counter()
    chosen = [
        each
        for each in OBLIGATIONS.values()
        if not plan.only or any(name.startswith(plan.only) for name in (each.id, *each.rules))
    ]
    if not chosen:
        raise bad_input("--only", plan.only, "the beginning of an obligation's or a rule's identifier")
    named = {rule for each in chosen for rule in each.rules}
    liftable = [entry.id for entry in all_rules() if entry.lift]
    rules = [rule for rule in liftable if rule in named or not plan.only]
    # The door comes first: it is the longest task.
    met = [name for name in UNNAMED if any(meets(each, name) for each in chosen)]
    functions = [*([DOOR] if DOOR in met else []), *rules]
    questions = [(each.id, reading) for each in chosen for reading in plan.readings]
    changed = {*met, *rules}
    wrong = [each.id for each in all_mutants().values() if each.rule in changed] if plan.mutants else []
    with pool(plan.jobs) as workers:
        lift = partial(lift_task, examples=plan.examples, random_seed=plan.random_seed)
        ask = partial(prove_task, both_solvers=plan.both_solvers, seeds=plan.seeds)
        # Whatever is asked for, a wrong rule may be met by every obligation, under every preset.
        hunt = partial(mutant_task, obligations=tuple(OBLIGATIONS), readings=preset_names())
        reports = tuple(_progress(workers.run(lift, functions), "lifting", len(functions)))
        results = tuple(_progress(workers.run(ask, questions), "proving", len(questions)))
        hunted = tuple(_progress(workers.run(hunt, wrong), "mutants", len(wrong)))
    return Report(
        lifted=reports,
        results=results,
        mutants=hunted,
        unnamed=tuple(rule for rule in rules if rule not in named),
        readings=plan.readings,
        seeds=plan.seeds,
        random_seed=plan.random_seed,
        versions=solver_versions(),
        seconds=time.perf_counter() - started,
    )


def _print(report: Report, output: str) -> None:
    from tenure_proofs.report import text_lines, to_json

    if output == "json":
        print(json.dumps(to_json(report), indent=2))
    else:
        print("\n".join(text_lines(report)))


def _progress(items: Iterable[_Item], what: str, total: int) -> Iterable[_Item]:
    """The items, with a bar on standard error while that is a terminal."""
    if not sys.stderr.isatty():
        return items
    from rich.console import Console
    from rich.progress import track

    return track(items, what, total=total, console=Console(stderr=True), transient=True)
