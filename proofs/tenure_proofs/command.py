"""`tenure prove`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tenure.cli.completion import complete_reading
from tenure.cli.output import Reports
from tenure.cli.terminal import Color


class Solvers(StrEnum):
    """Who answers."""

    BOTH = "both"
    Z3 = "z3"
    CVC5 = "cvc5"


class Clusters(StrEnum):
    """How large the clusters are that whole decisions are made about."""

    NONE = "none"
    SMALL = "small"
    USUAL = "usual"
    DEEP = "deep"


class ProofOutput(StrEnum):
    """How a report is printed."""

    TEXT = "text"
    JSON = "json"
    YAML = "yaml"
    JUNIT = "junit"
    MARKDOWN = "markdown"
    SARIF = "sarif"
    GITHUB = "github"


def prove(
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="Only claims whose identifier or rules begin with this: about rules, such as PO-TBP-010 or "
            "TBP-020, of any size, such as PO-ANY-010, or within a bound, such as WD-130; repeatable.",
            show_default="all",
        ),
    ] = None,
    why: Annotated[
        str | None,
        typer.Option(
            help="Instead, print what this claim rests on: the claims below it, such as those of PO-ANY-250, "
            "down to what is believed."
        ),
    ] = None,
    reading: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this reading; repeatable.",
            show_default="all readings",
            autocompletion=complete_reading,
        ),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many random seeds Z3 answers with.")] = 1,
    solver: Annotated[
        Solvers,
        typer.Option(help="Both solvers, Z3 alone, or cvc5 alone, for which Z3 still finds all examples."),
    ] = Solvers.BOTH,
    mutants: Annotated[bool, typer.Option(help="Try the wrong rules that the obligations must kill.")] = True,
    bounded: Annotated[
        Clusters | None,
        typer.Option(
            help="Up to which size every cluster is decided.",
            show_default="usual; none with --only, unless it names postconditions",
        ),
    ] = None,
    examples: Annotated[int, typer.Option(min=1, help="Plain executions for each lifted function.")] = 50,
    random_seed: Annotated[int, typer.Option(help="Seed of those executions.")] = 0,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Processes.", show_default="one for each CPU")
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option(
            file_okay=False,
            help="Folder of verdicts that earlier runs have kept.",
            show_default="tenure/proofs in $XDG_CACHE_HOME or ~/.cache",
        ),
    ] = None,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Prove everything again, and keep nothing.")
    ] = False,
    smt2: Annotated[
        Path | None,
        typer.Option(
            file_okay=False,
            help="Folder for the questions as SMT-LIB 2 scripts, to ask any other solver.",
            show_default="none are written",
        ),
    ] = None,
    certificates: Annotated[
        Path | None,
        typer.Option(
            file_okay=False,
            help="Folder for certificates: each proved question with cvc5's proof, and an index.",
            show_default="none are written",
        ),
    ] = None,
    checker: Annotated[
        str | None,
        typer.Option(
            help="Program that checks each certificate, with its options; {question} and {proof} stand for "
            "the files. Exit code 0 accepts.",
            show_default="none checks them",
        ),
    ] = None,
    output: Annotated[
        ProofOutput,
        typer.Option(
            "--output",
            "-o",
            help="How to print the report: for people, programs, test reports, pages, code scanning, "
            "or annotations of a workflow.",
        ),
    ] = ProofOutput.TEXT,
    report: Reports = None,
    color: Color = None,
) -> None:
    """Prove every claim about the rules' own code, or refute it by a replayable counterexample.

    Each rule is lifted to a formula twice, by running it on symbolic values and from its syntax; the two
    are proved equal and compared with plain execution. Each claim is answered by Z3 and cvc5 under
    every reading; a refuted one is minimised, rebuilt as manifests and replayed through the oracle. A false
    claim that becomes provable is not as expected either.

    Whole decisions about every cluster up to a size are compared with what must hold of them: a claim that is
    proved up to that bound.

    A verdict is kept under a hash of all code; the report counts the verdicts that were kept.

    Everything, or the claims about one rule:

    \b
    tenure prove
    tenure prove --only TBP-020 --no-mutants
    tenure prove --only WD-130 --bounded deep
    tenure prove --no-cache
    tenure prove --why PO-ANY-255

    The main claims, for another program; reports for CI; and the formulas, for another solver:

    \b
    tenure prove -o json | jq '.obligations[] | select(.title != "")'
    tenure prove --report junit=prove.xml --report sarif=prove.sarif
    tenure prove -o markdown > prove.md
    tenure prove --only PO-TBP-010 --no-mutants --smt2 build/smt2

    Certificates of the proofs, for a checker that shares no code with a solver:

    \b
    tenure prove --no-mutants --bounded none --certificates build/certificates
    tenure prove --only PO-ANY-210 --certificates build/certificates \\
      --checker 'ethos --require-proof-of-false --include=cpc/Cpc.eo --reference={question} {proof}'

    Exit codes: 0 everything is as expected, 1 something is not, 2 bad input, 3 undecided or an internal
    error.
    """
    from tenure_proofs.command_run import run_prove

    run_prove(
        only=only,
        why=why,
        reading=reading,
        seeds=seeds,
        solver=solver,
        mutants=mutants,
        bounded=bounded,
        examples=examples,
        random_seed=random_seed,
        jobs=jobs,
        cache=cache,
        no_cache=no_cache,
        smt2=smt2,
        certificates=certificates,
        checker=checker,
        output=output,
        report=report,
        color=color,
    )
