"""`tenure analyze guarantees`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from tenure.as_json import as_json
from tenure.cli.commands import with_records
from tenure.cli.exit_codes import ExitCode
from tenure.cli.options import EditOptions, Example, Interpretation, Paths, SchedulerFlags
from tenure.cli.output import print_outline
from tenure.cli.terminal import choose_colour
from tenure.errors import bad_input
from tenure.model import Cluster
from tenure.readings import Reading, preset
from tenure.units import format_names
from tenure_check.analysis.answer_cache import AnswerCache, with_solvers
from tenure_check.analysis.scopes import MatrixRequest, Scope
from tenure_check.commands.analyze_matrix import AskAgain, AskedScope, Seed, States, read_configuration
from tenure_check.commands.outlines import AnalysisPrinting
from tenure_proofs.fingerprints import key_of

if TYPE_CHECKING:
    from tenure_check.analysis.guarantee_answer import GuaranteesAnswer
    from tenure_check.analysis.matrix import Effort
    from tenure_check.analysis.states import PriorityLevel


LITERAL = "as-written"
"""The reading whose differences are listed."""


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
    states: States = 400
    seed: Seed = 0
    no_cache: AskAgain = False


@with_records
def guarantees_command(
    *,
    paths: Paths = None,
    example: Example = None,
    edits: EditOptions,
    interpretation: Interpretation,
    flags: SchedulerFlags,
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
    from tenure_check.analysis.guarantee_answer import GuaranteesAnswer, guarantees_outline
    from tenure_check.analysis.matrix import Effort

    choose_colour(printing.color)
    kueue, reading = interpretation.target_kueue(), interpretation.chosen()
    cluster, levels, warnings, premises = read_configuration(paths or [], example, edits, kueue, flags)
    effort = Effort(asked.seed, asked.states, 10 * asked.states)
    kept = AnswerCache(GuaranteesAnswer, wanted=not asked.no_cache)
    key = key_of("guarantees", cluster, levels, reading, effort, asked.scope)
    found = kept.found(key)
    if found is None:
        found = _answer(cluster, levels, reading, effort, asked.scope)
        kept.keep(key, found)
    premises = (*found.premises, *premises)
    answer = replace(found, kueue=kueue.release, premises=premises, warnings=warnings)
    unsettled = answer.unsettled
    if asked.of is not None:
        answer = _named_only(answer, asked.of)
    details = asked.verbose or asked.of is not None
    outline = guarantees_outline(answer, details=details, premises=printing.premises)
    print_outline(printing.output, "analyze-guarantees", outline, lambda: as_json(answer), kueue.release)
    if unsettled:
        raise typer.Exit(ExitCode.NOT_KNOWN)


def _answer(
    cluster: Cluster, levels: Sequence[PriorityLevel], reading: Reading, effort: Effort, scope: Scope
) -> GuaranteesAnswer:
    from tenure_check.analysis.guarantee_answer import with_contrary

    with with_solvers() as (analyzed, versions):
        from tenure_check.analysis import solved_cells
        from tenure_check.analysis.guarantee_answer import guarantees_answer
        from tenure_check.analysis.guarantees import find_guarantees

        def under(read: Reading) -> GuaranteesAnswer:
            matrix, provers = analyzed(cluster, levels, read, effort, MatrixRequest(scope=scope))
            found = find_guarantees(cluster, matrix, read, provers, effort)
            reached = (
                solved_cells.reached(cluster, levels, read, effort.seed) if scope == Scope.CONSISTENT else {}
            )
            return guarantees_answer(found, cluster, reached, read.name, effort.seed, versions)

        answer = under(reading)
        is_timed = any(guarded.min_admit_duration is not None for guarded in answer.cells)
        if not is_timed or reading.name == LITERAL:
            return answer
        return with_contrary(answer, under(preset(LITERAL)))


def _named_only(answer: GuaranteesAnswer, wanted: str) -> GuaranteesAnswer:
    """The part that `--of` names."""
    queue, _, level = wanted.partition("/")
    cells = tuple(
        guarded
        for guarded in answer.cells
        if guarded.workloads.cluster_queue == queue and level in ("", guarded.workloads.priority_class)
    )
    if not cells:
        known = [
            f"{side.cluster_queue}/{side.priority_class}" for side in (c.workloads for c in answer.cells)
        ]
        listed = format_names(known, 20)
        raise bad_input("--of", wanted, f"a ClusterQueue, or one and a priority: {listed}")
    queues = tuple(known for known in answer.queues if known.cluster_queue == queue)
    return replace(answer, cells=cells, queues=queues)
