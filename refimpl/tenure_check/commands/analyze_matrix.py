"""`tenure analyze matrix`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tenure.cli.commands import with_records
from tenure.cli.exit_codes import ExitCode
from tenure.cli.options import EditOptions, Example, Interpretation, Paths, SchedulerFlags
from tenure.cli.output import print_found
from tenure.cli.terminal import choose_colour
from tenure.disk import claim, write_named
from tenure.errors import bad_input
from tenure_check.choices import STATES, Scope
from tenure_check.commands.outlines import AnalysisPrinting

if TYPE_CHECKING:
    from tenure.manifests import Loaded

States = Annotated[
    int,
    typer.Option(
        min=1,
        help="The search for examples in a ClusterQueue ends after so many random states without a new one.",
    ),
]
Seed = Annotated[int, typer.Option(help="Seed of the random states.")]
AskAgain = Annotated[bool, typer.Option("--no-cache", help="Neither use nor keep earlier answers.")]


AskedScope = Annotated[
    Scope,
    typer.Option(
        help="States: those that admission alone can produce, or also those after edits of "
        "quotas, limits, flavors and Cohorts while workloads ran."
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigurationOptions:
    """A configuration of queues."""

    paths: Paths = None
    example: Example = None
    edits: EditOptions
    interpretation: Interpretation
    flags: SchedulerFlags

    def loaded(self) -> Loaded:
        """The configuration; its warnings are printed.

        Raises:
            InputError: everything that is wrong with it.
        """
        from tenure.cli.inputs import load_input, print_warnings
        from tenure.cli.inquiry import with_flags

        kueue, edits = self.interpretation.target_kueue(self.flags), self.edits.edits()
        read = load_input(self.paths or (), self.example, edits=edits, kueue=kueue, keeps=True)
        loaded = with_flags(read, self.flags)
        return replace(loaded, warnings=tuple(print_warnings(loaded.warnings)))


@dataclass(frozen=True, slots=True)
class MatrixOptions:
    """The states, the effort, and the part of the matrix that is shown."""

    victim: Annotated[
        str | None,
        typer.Option(
            metavar="QUEUE",
            help="Only who can preempt workloads of this ClusterQueue, and whether also within its "
            "nominal quota.",
        ),
    ] = None
    preemptor: Annotated[
        str | None,
        typer.Option(metavar="QUEUE", help="Only whom workloads of this ClusterQueue can preempt, likewise."),
    ] = None
    explain: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="PREEMPTOR VICTIM",
            help="The field by which one never preempts the other, or an example: each a ClusterQueue and a "
            "priority class or number, such as team-a/high team-b/-10, or a ClusterQueue alone for all its "
            "priorities.",
            show_default="the whole matrix",
        ),
    ] = None
    svg: Annotated[
        str | None, typer.Option(metavar="FILE", help="Also draw the matrix into a file, *.svg.")
    ] = None
    scope: AskedScope = Scope.CONSISTENT
    states: States = STATES
    seed: Seed = 0
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Processes.", show_default="one for each CPU")
    ] = None
    no_cache: AskAgain = False


@with_records
def matrix_command(
    *,
    given: ConfigurationOptions,
    wanted: MatrixOptions,
    printing: AnalysisPrinting,
) -> None:
    """Find which workloads can ever preempt which others, in every state of your queues.

    Rows are preemptors' ClusterQueues, columns victims'. An entry has three signs, for victims of lower,
    equal and higher priority than the preemptor: L, E and H where such a victim can be preempted, - where
    never. "LE-" reads: victims of lower and equal priority, never of higher.

    *can*: an example exists, which decides so when it is written as manifests. *never*: Z3 and cvc5 prove
    it for every state, or no rule allows it. Running and waiting workloads of the files count only by their
    priorities: whatever workloads come, the answer holds.

    The bundled example, your own queues, or those of your cluster:

    \b
    tenure analyze matrix --example shared-cohort
    tenure analyze matrix queues/
    kubectl tenure analyze matrix

    Without the plugin, save the cluster once; WorkloadPriorityClasses name the priorities of the answer:

    \b
    kubectl get clusterqueues,cohorts,resourceflavors,localqueues,workloads,workloadpriorityclasses -A -o json > cluster.json
    tenure analyze matrix cluster.json

    One ClusterQueue: who can preempt its workloads, only above its nominal quota or also within:

    \b
    tenure analyze matrix queues/ --victim team-b
    tenure analyze matrix queues/ --preemptor team-a

    The field by which one never preempts another, or an example; by class, by number, or all priorities:

    \b
    tenure analyze matrix queues/ --explain team-a/high team-b/low
    tenure analyze matrix queues/ --explain team-a/-10 team-b/500
    tenure analyze matrix queues/ --explain team-a team-b

    Before a field is changed; as a picture; as Markdown for a pull request:

    \b
    tenure analyze matrix queues/ --set clusterqueue/team-a.spec.preemption.reclaimWithinCohort=Any
    tenure analyze matrix queues/ --svg matrix.svg
    tenure analyze matrix queues/ -o markdown

    Quotas that were edited while workloads ran can turn never into can; with such states:

    \b
    tenure analyze matrix queues/ --scope edited

    Answers are cached, and returned at once while neither the files nor Tenure change.

    Exit codes: 0 every cell is known, 2 bad input, 3 internal error, 5 some cells are not known.
    """  # noqa: E501 - a command is one line
    from tenure.cli.inputs import as_options
    from tenure_check.analysis.matrix import CellVerdict
    from tenure_check.api import matrix

    choose_colour(printing.color)
    if wanted.svg is not None:
        if not wanted.svg.endswith(".svg"):
            raise bad_input("--svg", wanted.svg, "a file named *.svg")
        claim("--svg", wanted.svg)
    is_part = (wanted.preemptor, wanted.victim) != (None, None)
    if is_part and (wanted.svg is not None or wanted.explain is not None):
        raise bad_input("--victim, --preemptor", "--svg or --explain", "one of them: these show other cells")
    reading, loaded = given.interpretation.chosen(), given.loaded()
    with as_options("preemptor", "victim", "explain"):
        found = matrix(
            loaded,
            preemptor=wanted.preemptor,
            victim=wanted.victim,
            explain=wanted.explain,
            scope=wanted.scope,
            reading=reading,
            premises=printing.premises,
            states=wanted.states,
            seed=wanted.seed,
            jobs=wanted.jobs,
            kept=not wanted.no_cache,
        )
    if wanted.svg is not None:
        write_named("--svg", Path(wanted.svg), found.picture)
    print_found(printing.output, found)
    if any(cell.verdict == CellVerdict.UNKNOWN.value for cell in found.record.cells):
        raise typer.Exit(ExitCode.NOT_KNOWN)
