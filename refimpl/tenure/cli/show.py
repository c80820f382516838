"""`tenure show`: an entry of the specification, or what is accessible to the ClusterQueues of a cluster."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import typer

from tenure.cli.commands import with_records
from tenure.cli.completion import complete_identifier
from tenure.cli.options import ClusterOptions
from tenure.cli.output import OutlineOutput
from tenure.cli.terminal import Color


@dataclass(frozen=True, slots=True)
class QuotaOptions:
    """Whose quota is listed."""

    files: Annotated[
        list[str] | None,
        typer.Option(
            "--filename",
            "-f",
            metavar="PATH",
            help="List the quota of these manifests: a file, a folder, or - for standard input; repeatable.",
            show_default=False,
        ),
    ] = None
    cluster: ClusterOptions = field(default_factory=ClusterOptions)


@dataclass(frozen=True, slots=True)
class ShowPrinting:
    """How it is printed."""

    output: Annotated[OutlineOutput, typer.Option("--output", "-o", help="How to print the entry.")] = (
        OutlineOutput.TEXT
    )
    color: Color = None


@with_records
def show_command(
    *,
    identifier: Annotated[
        str | None,
        typer.Argument(
            metavar="[ID]",
            help="A proposal (KEP-8522), a field (minAdmitDuration), a rule (KQ-320), a finding (F-001), "
            "a claim (PO-TBP-010), a reading, a test case or a divergence (DV-010).",
            show_default="list all of them",
            autocompletion=complete_identifier,
        ),
    ] = None,
    given: QuotaOptions,
    every: Annotated[bool, typer.Option("--all", help="Everything, however much it is.")] = False,
    printing: ShowPrinting,
) -> None:
    """Show an entry of the specification by its identifier, or the quota of every ClusterQueue.

    A proposal, or a field that findings are about: what became of it, which claims hold and which fail, and
    the smallest counterexamples; as Markdown for a pull request:

    \b
    tenure show KEP-8522
    tenure show minAdmitDuration
    tenure show KEP-8522 -o markdown > comment.md

    A rule that an explanation has named: its statement and rationale, its code, what is proved of it under
    each reading, and the cases that pin it down:

    \b
    tenure show TBP-050

    An obligation and a contradiction in a proposal, each with the commands that replay it:

    \b
    tenure show PO-TBP-010
    tenure show F-001

    A choice of readings, a reading, a test case, a signed difference from a release of Kueue:

    \b
    tenure show same_priority_gate
    tenure show guaranteed
    tenure show TBP-020/exactly-at-the-threshold-is-kept
    tenure show DV-010

    All identifiers with their titles, and for another program:

    \b
    tenure show | grep -i lending
    tenure show KQ-320 -o json | jq -r '.related[] | select(.relation == "Obligations") | .id'

    The quota of every ClusterQueue, what is accessible to it while heroes run, and what it is billed for
    them. In the example a hero uses more than its own quota:

    \b
    tenure show --example hero
    kubectl tenure show
    tenure show -f cluster/ --reading as-written -o json | jq '.rows[] | select(.bill > 0)'

    Below that table is every tree, with nominal quota, bill and what is accessible at each node. JSON and
    YAML have the same, in base units or milli-CPU. Priorities and pending workloads play no part.

    The specification comes with Tenure; nothing is proved or fetched. The verdicts are those that
    `tenure prove` must find, or it fails.

    Every text that names an identifier ends with how to look it up, and a terminal that can follow links has
    them behind identifiers: to files of this installation, or to the site that `make docs` builds, where
    TENURE_SITE=https://docs.example.org/tenure is where you serve it.

    Exit codes: 0 shown, 2 no such identifier, or bad input.
    """
    from tenure.cli.show_run import run_show

    run_show(identifier=identifier, given=given, every=every, printing=printing)
