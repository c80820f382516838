"""What `tenure prove` does."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tenure.cli.exit_codes import ExitCode
from tenure.cli.output import Output, Reporting, Reports, print_answer, print_report, with_pointer
from tenure.cli.terminal import Color, choose_colour, complain, print_lines, print_text, progress
from tenure.errors import bad_input
from tenure.readings import preset_names
from tenure_proofs.cache import default_folder
from tenure_proofs.command import Clusters, ProofOutput, Solvers

if TYPE_CHECKING:
    from tenure.pools import Pool
    from tenure.reports import Report as Checks
    from tenure_proofs.answer import CertificateShape
    from tenure_proofs.certificates.checking import Checker
    from tenure_proofs.registry import Obligation
    from tenure_proofs.report import Report
    from tenure_proofs.runner import Result
    from tenure_proofs.theorems.outcome import End


EXTRA_HINT = "the solvers, which `tenure prove` needs: pip install 'tenure[proofs]'"


def run_prove(
    *,
    only: list[str] | None,
    why: str | None,
    reading: list[str] | None,
    seeds: int,
    solver: Solvers,
    mutants: bool,
    bounded: Clusters | None,
    examples: int,
    random_seed: int,
    jobs: int | None,
    cache: Path | None,
    no_cache: bool,
    smt2: Path | None,
    certificates: Path | None,
    checker: str | None,
    output: ProofOutput,
    report: Reports,
    color: Color,
) -> None:
    """As `tenure_proofs.command.prove` documents it."""
    choose_colour(color)
    reporting = Reporting(report, "tenure prove")
    for name in reading or []:
        if name not in preset_names():
            raise bad_input("--reading", name, f"one of {', '.join(preset_names())}")
    if cache is not None and no_cache:
        raise bad_input("--cache", str(cache), "not together with --no-cache")
    if solver == Solvers.CVC5 and seeds > 1:
        raise bad_input("--seeds", str(seeds), "only 1 with --solver cvc5: seeds are Z3's")
    if certificates is not None and solver == Solvers.Z3:
        raise bad_input("--certificates", str(certificates), "not with --solver z3: cvc5 writes them")
    if checker is not None and certificates is None:
        raise bad_input("--checker", checker, "only with --certificates DIR")
    _need_the_solvers()
    _need_the_rules()
    if why is not None:
        _print_why(why, output)
        return
    plan = Plan(
        only=tuple(only or ()),
        readings=tuple(dict.fromkeys(reading or preset_names())),
        seeds=0 if solver == Solvers.CVC5 else seeds,
        with_cvc5=solver != Solvers.Z3,
        mutants=mutants,
        bounded=bounded or _usual_clusters(only or ()),
        examples=examples,
        random_seed=random_seed,
        jobs=jobs or os.cpu_count() or 1,
        cache=None if no_cache else cache or default_folder(),
        smt2=smt2,
        certificates=certificates,
        checker=None if checker is None else _program(checker),
    )
    with reporting.of_bad_input():
        found = run_plan(plan)
    _print(found, output)
    reporting.write(lambda _: _checks(found))
    raise typer.Exit(exit_code(found))


def _print_why(claim: str, output: ProofOutput) -> None:
    from tenure_proofs.obligations import OBLIGATIONS
    from tenure_proofs.theorems.registry import all_theorems
    from tenure_proofs.theorems.why import why_lines, why_proved

    if output not in (ProofOutput.TEXT, ProofOutput.JSON, ProofOutput.YAML):
        raise bad_input("--output", output, "text, json or yaml with --why")
    if claim not in OBLIGATIONS and claim not in all_theorems():
        raise bad_input("--why", claim, "the identifier of a claim about rules or of any size, as PO-ANY-255")
    print_answer(
        Output(output),
        "prove-why",
        why_proved(claim).model_dump(mode="json", by_alias=True),
        why_lines(claim),
    )


def _program(checker: str) -> Checker:
    from tenure_proofs.certificates.checking import checker_of

    return checker_of(checker)


def _usual_clusters(only: Sequence[str]) -> Clusters:
    """Whole decisions ask about everything, so that a question about a part leaves them out."""
    return Clusters.USUAL if not only or _postconditions_of(only) else Clusters.NONE


def _postconditions_of(only: Sequence[str]) -> tuple[str, ...]:
    """The parts of `only` that name postconditions."""
    from tenure_proofs.bounded.postconditions import POSTCONDITIONS

    return tuple(
        part for part in only if any(postcondition.startswith(part) for postcondition in POSTCONDITIONS)
    )


def _theorems_of(only: Sequence[str]) -> tuple[str, ...]:
    """The theorems whose identifiers begin with a part of `only`; all of them where nothing is asked for."""
    from tenure_proofs.theorems.registry import all_theorems

    return tuple(
        identifier for identifier in all_theorems() if not only or identifier.startswith(tuple(only))
    )


def _need_the_solvers() -> None:
    try:
        import cvc5  # noqa: F401
        import hypothesis  # noqa: F401
        import z3  # noqa: F401
    except ImportError as error:
        raise bad_input("environment", f"no module {error.name}", EXTRA_HINT) from None


def _need_the_rules() -> None:
    try:
        import tenure_proofs.obligations  # noqa: F401
    except ImportError as error:
        expected = "every rule under the name that obligations import; rename it there as well"
        raise bad_input("obligations", str(error), expected) from None


@dataclass(frozen=True, slots=True)
class Plan:
    """What to prove, and how; the fields are the command's options. Without any seed cvc5 answers alone."""

    only: tuple[str, ...] = ()
    readings: tuple[str, ...] = preset_names()
    seeds: int = 1
    with_cvc5: bool = True
    mutants: bool = True
    bounded: Clusters = Clusters.NONE
    examples: int = 50
    random_seed: int = 0
    jobs: int = 1
    cache: Path | None = None
    smt2: Path | None = None
    certificates: Path | None = None
    checker: Checker | None = None


def run_plan(plan: Plan) -> Report:
    """Lift, prove, hunt mutants.

    Raises:
        InputError: a part of `only` selects nothing.
    """
    from tenure.rules.registry import all_rules
    from tenure_proofs import kept
    from tenure_proofs.answer import KeptShape
    from tenure_proofs.bounded.outcome import bounded_outcome
    from tenure_proofs.bounded.spaces import Size
    from tenure_proofs.bounded.trial import PARTS, parts
    from tenure_proofs.cache import Cache
    from tenure_proofs.mutants.hunt import DOOR, UNNAMED, all_mutants, meets, of_theorems, theorems_about
    from tenure_proofs.obligations import OBLIGATIONS
    from tenure_proofs.pool import (
        bounded_task,
        export_task,
        lift_task,
        mutant_task,
        prove_task,
        solving,
        theorem_task,
    )
    from tenure_proofs.report import Report
    from tenure_proofs.solvers import solver_versions

    started = time.perf_counter()
    chosen = _chosen(tuple(OBLIGATIONS.values()), plan.only)
    named = {rule for obligation in chosen for rule in obligation.rules}
    liftable = [entry.id for entry in all_rules() if entry.lift]
    rules = [rule for rule in liftable if rule in named or not plan.only]
    # The door comes first: it is the longest task.
    met = [name for name in UNNAMED if any(meets(obligation, name) for obligation in chosen)]
    functions = [*([DOOR] if DOOR in met else []), *rules]
    questions = [(obligation.id, reading) for obligation in chosen for reading in plan.readings]
    changed = {*met, *rules}
    theorems = _theorems_of(plan.only)
    changed |= {name for name in of_theorems() if not set(theorems).isdisjoint(theorems_about(name))}
    wrong = [mutant.id for mutant in all_mutants().values() if mutant.rule in changed] if plan.mutants else []
    cache = Cache(plan.cache, partial(complain, "warning"))
    lifts = kept.lifts(cache, plan.examples, plan.random_seed)
    verdicts = kept.verdicts(cache, plan.with_cvc5, plan.seeds)
    fates = kept.fates(cache)
    decided = kept.bounded_parts(cache)
    with solving(plan.jobs) as workers:
        lift = partial(lift_task, examples=plan.examples, random_seed=plan.random_seed)
        ask = partial(prove_task, with_cvc5=plan.with_cvc5, seeds=plan.seeds)
        # Whatever is asked for, a wrong rule may be met by every obligation, under every preset.
        hunt = partial(mutant_task, obligations=tuple(OBLIGATIONS), readings=preset_names())
        reports = tuple(progress(lifts.run(functions, partial(workers.run, lift)), "lifting", len(functions)))
        results = tuple(
            progress(
                verdicts.run(questions, partial(workers.run, ask, together=len(plan.readings))),
                "proving",
                len(questions),
            )
        )
        claim = partial(theorem_task, with_cvc5=plan.with_cvc5, seeds=plan.seeds)
        ends = tuple(progress(workers.run(claim, theorems), "any size", len(theorems)))
        hunted = tuple(progress(fates.run(wrong, partial(workers.run, hunt)), "mutants", len(wrong)))
        asked = [] if plan.bounded == Clusters.NONE else parts(Size(plan.bounded), PARTS)
        tried = tuple(
            progress(decided.run(asked, partial(workers.run, bounded_task)), "deciding", len(asked))
        )
        if plan.smt2 is not None:
            export = partial(export_task, folder=plan.smt2)
            for _ in progress(workers.run(export, questions), "exporting", len(questions)):
                pass
        certified = _certified(plan, results, ends, workers)
    cache.tidy()
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
        warnings=tuple(_left_out(plan, len(chosen), len(OBLIGATIONS))),
        theorems=ends,
        kept=KeptShape(
            lifted=lifts.found, results=verdicts.found, mutants=fates.found, bounded=decided.found
        ),
        bounded=bounded_outcome(Size(plan.bounded), tried, plan.readings, _postconditions_of(plan.only))
        if tried
        else None,
        certificates=certified,
    )


def _certified(
    plan: Plan, results: Sequence[Result], ends: Sequence[End], workers: Pool
) -> tuple[CertificateShape, ...] | None:
    """Write a certificate of each question that is proved; None where none are asked for."""
    from tenure_proofs.certificates.writing import made_folder, write_index
    from tenure_proofs.pool import certify_task
    from tenure_proofs.registry import Verdict

    if plan.certificates is None:
        return None
    made_folder(plan.certificates)
    columns: dict[str, list[str]] = {}
    for result in results:
        for column in (result, *result.beside):
            if column.verdict == Verdict.PROVED:
                columns.setdefault(result.obligation.id, []).append(column.reading)
    tasks = [(identifier, tuple(proved)) for identifier, proved in columns.items()]
    tasks += [(end.theorem.id, ()) for end in ends if end.verdict == Verdict.PROVED]
    certify = partial(certify_task, folder=plan.certificates, checker=plan.checker)
    made = progress(workers.run(certify, tasks), "certificates", len(tasks))
    certificates = tuple(entry for entries in made for entry in entries)
    write_index(plan.certificates, certificates)
    return certificates


def exit_code(report: Report) -> int:
    """What the command ends with."""
    if report.undecided:
        return ExitCode.INTERNAL
    return 0 if report.good else ExitCode.FOUND


def _chosen(obligations: Sequence[Obligation], only: Sequence[str]) -> list[Obligation]:
    def starts(obligation: Obligation, part: str) -> bool:
        return any(name.startswith(part) for name in (obligation.id, *obligation.rules))

    for part in only:
        known = any(starts(obligation, part) for obligation in obligations)
        if not known and not _theorems_of((part,)) and not _postconditions_of((part,)):
            raise bad_input("--only", part, "the beginning of an obligation's identifier, or of a rule's")
    return [
        obligation for obligation in obligations if not only or any(starts(obligation, part) for part in only)
    ]


def _left_out(plan: Plan, asked: int, obligations: int) -> Iterator[str]:
    if asked < obligations:
        yield f"{asked} of {obligations} obligations were asked about"
    if set(plan.readings) < set(preset_names()):
        yield f"asked under {', '.join(plan.readings)} only, of {', '.join(preset_names())}"
    if not plan.with_cvc5:
        yield "Z3 alone has answered"
    if not plan.seeds:
        yield "cvc5 alone has answered; Z3 was asked for witnesses, counterexamples and mutants"
    if not plan.mutants:
        yield "no mutants were tried"
    if plan.bounded == Clusters.NONE:
        yield "no whole decisions were made"


def _print(report: Report, output: ProofOutput) -> None:
    from tenure.reports import FORMS, report_text
    from tenure_proofs.formats.markdown import markdown_lines
    from tenure_proofs.report import text_lines, to_json

    if output in FORMS:
        # For programs, which take no colours.
        print_report(report_text(_checks(report), output), output)
    elif output == ProofOutput.MARKDOWN:
        print_text("".join(f"{line}\n" for line in markdown_lines(report)))
    elif output == ProofOutput.TEXT:
        print_lines(with_pointer(text_lines(report)))
    else:
        print_answer(Output.YAML if output == ProofOutput.YAML else Output.JSON, "prove", to_json(report), ())


def _checks(report: Report) -> Checks:
    from tenure_proofs.formats.checks import checks_of

    return checks_of(report)
