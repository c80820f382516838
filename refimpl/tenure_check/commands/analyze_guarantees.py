"""`tenure analyze guarantees`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from tenure.cli.commands import with_records
from tenure.cli.exit_codes import ExitCode
from tenure.cli.output import print_found
from tenure.cli.terminal import choose_colour
from tenure_check.choices import STATES, Scope
from tenure_check.commands.analyze_matrix import AskAgain, AskedScope, ConfigurationOptions, Seed, States
from tenure_check.commands.outlines import AnalysisPrinting


@dataclass(frozen=True, slots=True)
class GuaranteeOptions:
    """Whose guarantees are listed, and how long is searched."""

    of: Annotated[
        str | None,
        typer.Option(
            metavar="QUEUE[/CLASS]",
            help="Only those of one ClusterQueue, or of one of its classes: team-a/high; with details.",
            show_default="all",
        ),
    ] = None
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="List what is known of each priority, too.")
    ] = False
    scope: AskedScope = Scope.CONSISTENT
    states: States = STATES
    seed: Seed = 0
    no_cache: AskAgain = False


@with_records
def guarantees_command(
    *,
    given: ConfigurationOptions,
    asked: GuaranteeOptions,
    printing: AnalysisPrinting,
) -> None:
    """List what each ClusterQueue's workloads may count on, and whom they may lose quota to.

    ALWAYS GETS is the part of its nominal quota that a pending workload gets in every state, at once or by
    preemption. BACK WITHIN is how soon quota is back that others have borrowed. MAY LOSE ITS QUOTA TO lists
    preemptors even while it uses no more than its nominal quota, MAY LOSE BORROWED QUOTA TO those only while
    it uses more: higher, equal or lower priority than the victim's; "after 4h" names a minAdmitDuration. What
    runs and waits in the files plays no part.

    \b
    tenure analyze guarantees --example two-teams
    tenure analyze guarantees queues/ -v
    tenure analyze guarantees queues/ --of team-a/high
    tenure analyze guarantees queues/ -o json | jq '.queues[]'

    It holds in every state that admission alone can produce; with --scope edited also after edits of quotas
    while workloads ran. Where a minAdmitDuration is in force, -v also lists what differs under the reading
    as-written. Under that reading alone, and before a field is changed:

    \b
    tenure analyze guarantees queues/ --reading as-written
    tenure analyze guarantees queues/ \\
      --set clusterqueue/a.spec.preemption.withinClusterQueueConfig.minAdmitDuration=4h

    Answers are cached, as by `tenure analyze matrix`.

    Exit codes: 0 everything is known, 2 bad input, 3 internal error, 5 something is not known.
    """
    from tenure.cli.inputs import as_options
    from tenure_check.api import guarantees

    choose_colour(printing.color)
    reading, loaded = given.interpretation.chosen(), given.loaded()
    with as_options("of"):
        found = guarantees(
            loaded,
            of=asked.of,
            scope=asked.scope,
            reading=reading,
            verbose=asked.verbose,
            premises=printing.premises,
            states=asked.states,
            seed=asked.seed,
            kept=not asked.no_cache,
        )
    print_found(printing.output, found)
    if found.record.unsettled:
        raise typer.Exit(ExitCode.NOT_KNOWN)
