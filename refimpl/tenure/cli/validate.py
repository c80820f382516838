"""`tenure validate`."""

from __future__ import annotations

from typing import Annotated

import typer

from tenure.cli.commands import with_records
from tenure.cli.options import EditOptions, Example, Interpretation
from tenure.cli.output import CheckPrinting


@with_records
def validate_command(
    *,
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files or folders of manifests of Kueue or KAI-Scheduler; - reads standard input.",
            show_default=False,
        ),
    ] = None,
    example: Example = None,
    old: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH",
            help="The objects as they are now, for what an update may not change; repeatable.",
            show_default="the objects are new",
        ),
    ] = None,
    edits: EditOptions,
    interpretation: Interpretation,
    feature_gates: Annotated[
        str,
        typer.Option(
            metavar="GATE=BOOL,...",
            help="As Kueue's own flag; above those of a Configuration among the files.",
        ),
    ] = "",
    strict: Annotated[
        bool,
        typer.Option("--strict", "--warnings-as-errors", help="Exit code 1 for warnings too."),
    ] = False,
    skip_others: Annotated[
        bool,
        typer.Option(
            "--skip-others",
            help="Pass over files without an object of Kueue or KAI-Scheduler, whatever they hold. Folders "
            "that are not applied together, such as overlays, are sets of their own, and may have objects of "
            "the same name.",
        ),
    ] = False,
    printing: CheckPrinting,
) -> None:
    """List everything that is wrong with manifests, before the API server does.

    Errors are what the schema, Kueue's webhooks or a proposal refuse. Warnings are about what they accept,
    and what is dangerous or without effect all the same.

    A folder, all of it at once:

    \b
    tenure validate cluster/

    The cluster that kubectl talks to, with the scheduler's configuration, whose feature gates count:

    \b
    kubectl tenure validate

    A change, against what is in the cluster:

    \b
    kubectl tenure validate queues/
    tenure validate queues/ --old cluster.json

    In continuous integration, warnings included:

    \b
    tenure validate cluster/ --strict -o json | jq '.errors[] | .file + ": " + .field'
    tenure validate cluster/ --report junit=validate.xml --report sarif=validate.sarif

    All YAML of a repository, whatever else it holds, templates included:

    \b
    tenure validate . --skip-others

    What a cluster with Kueue 0.19 would refuse, fields included that no release has and a KEP proposes:

    \b
    tenure validate cluster/ --kueue 0.19

    As if a field were different; the objects are checked after the change:

    \b
    tenure validate cluster/ --set clusterqueue/nlp.spec.preemption.reclaimWithinCohort=Any

    Exit codes: 0 valid, 1 errors found (with --strict also warnings), 2 unreadable input, 3 internal error.
    """
    from tenure.cli.validate_run import run_validate

    run_validate(
        paths=paths,
        example=example,
        old=old,
        edits=edits,
        interpretation=interpretation,
        feature_gates=feature_gates,
        strict=strict,
        skip_others=skip_others,
        printing=printing,
    )
