"""`tenure analyze matrix`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tenure.as_json import as_json
from tenure.cli.commands import with_records
from tenure.cli.exit_codes import ExitCode
from tenure.cli.inputs import changed, print_warnings, refuse_other_scheduler, sources_of
from tenure.cli.inquiry import with_flags
from tenure.cli.options import EditOptions, Example, Interpretation, Paths, SchedulerFlags
from tenure.cli.output import print_outline
from tenure.cli.terminal import choose_colour
from tenure.disk import claim, write_named
from tenure.errors import bad_input
from tenure.manifests import SourcedObject, did_you_mean, load, read_priority_class
from tenure.manifests.premises import premises_of_states
from tenure.manifests.releases import TargetKueue
from tenure.manifests.structure import dig
from tenure.model import Cluster, WorkloadPriorityClass
from tenure.readings import Reading
from tenure.units import format_names
from tenure_check.analysis.scopes import MATRIX_STATES, Scope
from tenure_check.commands.outlines import AnalysisPrinting

if TYPE_CHECKING:
    from tenure_check.analysis.matrix_answer import MatrixAnswer, MatrixCell, MatrixRole
    from tenure_check.analysis.two_configurations import Configuration

_NUMBER = re.compile(r"[+-]?[0-9]{1,12}")

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
    states: States = MATRIX_STATES
    seed: Seed = 0
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Processes.", show_default="one for each CPU")
    ] = None
    no_cache: AskAgain = False

    @property
    def sides(self) -> tuple[str | None, str | None]:
        """The preemptor's ClusterQueue and the victim's, if only some cells are of interest."""
        return self.preemptor, self.victim


@with_records
def matrix_command(
    *,
    paths: Paths = None,
    example: Example = None,
    edits: EditOptions,
    interpretation: Interpretation,
    flags: SchedulerFlags,
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
    from tenure_check.analysis.matrix import CellVerdict, Effort
    from tenure_check.analysis.matrix_answer import with_smallest_examples
    from tenure_check.analysis.matrix_text import cells_outline, grouped, matrix_outline
    from tenure_check.answers import matrix_answer

    choose_colour(printing.color)
    if wanted.svg is not None:
        _check_svg(wanted.svg)
    is_part = wanted.sides != (None, None)
    if is_part and (wanted.svg is not None or wanted.explain is not None):
        raise bad_input("--victim, --preemptor", "--svg or --explain", "one of them: these show other cells")
    kueue, reading = interpretation.target_kueue(), interpretation.chosen()
    configured, warnings, premises = read_configuration(
        paths or [], example, edits, kueue, flags, reading, _numbers(wanted.explain or ())
    )
    cluster = configured.cluster
    for option, queue in (("--preemptor", wanted.preemptor), ("--victim", wanted.victim)):
        if queue is not None:
            _check_queue(option, queue, cluster.cluster_queues)
    effort = Effort.of_states(wanted.states, wanted.seed)
    found = matrix_answer(
        configured, effort, wanted.scope, wanted.sides, wanted.jobs, kept=not wanted.no_cache
    )
    premises = (*found.premises, *premises)
    answer = replace(found, kueue=kueue.release, premises=premises, warnings=warnings)
    if wanted.svg is not None:
        _draw(answer, Path(wanted.svg))
    if wanted.explain is None:
        outline = matrix_outline(answer, premises=printing.premises, is_part=is_part)
    else:
        named = _named_cells(answer, *wanted.explain)
        cells = [
            _explained(
                with_smallest_examples(cell, cluster, reading, wanted.scope), cluster, reading, wanted.scope
            )
            for cell, _ in grouped(named)
        ]
        rest = [cell for _, others in grouped(named) for cell in others]
        answer = replace(answer, cells=(*cells, *rest), sentences=())
        outline = cells_outline(answer.cells, *wanted.explain)
    print_outline(printing.output, "analyze-matrix", outline, lambda: as_json(answer), kueue.release)
    if any(cell.verdict == CellVerdict.UNKNOWN.value for cell in answer.cells):
        raise typer.Exit(ExitCode.NOT_KNOWN)


def read_configuration(
    paths: Sequence[str],
    example: str | None,
    edits: EditOptions,
    kueue: TargetKueue,
    flags: SchedulerFlags,
    reading: Reading,
    priorities: Collection[int] = (),
) -> tuple[Configuration, tuple[str, ...], tuple[str, ...]]:
    """The configuration that a command line names, its warnings, which are printed, and the premises about
    Kueue's own configuration.

    Args:
        paths, example, edits, kueue, flags, reading: of the command line.
        priorities: those that have a level in any case.

    Raises:
        InputError: everything that is wrong with it; it has no ClusterQueue; nothing shows whether its
            weights decide.
    """
    from tenure_check.answers import configuration_in

    classes: list[WorkloadPriorityClass] = []

    def watched(objects: Iterable[SourcedObject]) -> Iterator[SourcedObject]:
        for sourced in changed(objects, edits.edits(), kueue):
            if dig(sourced.object, "kind") == "WorkloadPriorityClass":
                classes.append(read_priority_class(sourced.object))
            yield sourced

    loaded = kueue.stamped(load(sources_of(paths, example), watched=watched))
    refuse_other_scheduler(loaded)
    settled = with_flags(loaded, flags)
    configured = configuration_in(settled, classes, reading, priorities)
    return configured, tuple(print_warnings(settled.warnings)), premises_of_states(settled)


def _explained(cell: MatrixCell, cluster: Cluster, reading: Reading, scope: Scope) -> MatrixCell:
    """The cell, with the fields by which it never can where only the solvers exclude it."""
    from tenure_check.analysis.blocking_fields import fields_in_the_way
    from tenure_check.analysis.matrix import CellVerdict

    if cell.verdict != CellVerdict.NEVER.value or not cell.reasons:
        return cell
    fields = fields_in_the_way(cluster, reading, scope, cell)
    would = f"it can with {'; or with '.join(fields)}" if fields else "no single other field value allows it"
    return replace(cell, why=f"{cell.why}; {would}")


def _check_svg(path: str) -> None:
    """Whether a picture can be written, before the search begins.

    Raises:
        InputError: it cannot.
    """
    if not path.endswith(".svg"):
        raise bad_input("--svg", path, "a file named *.svg")
    claim("--svg", path)


def _draw(answer: MatrixAnswer, path: Path) -> None:
    from tenure_check.analysis.heat_map import heat_map

    write_named("--svg", path, heat_map(answer))


def _check_queue(option: str, queue: str, known: Collection[str]) -> None:
    if queue not in known:
        expected = f"a ClusterQueue: {format_names(sorted(known), 20)}{did_you_mean(queue, known)}"
        raise bad_input(option, queue, expected)


def _numbers(sides: Sequence[str]) -> list[int]:
    """The priorities that `--explain` gives as numbers.

    Raises:
        InputError: one is no int32.
    """
    found = [
        int(number) for _, _, number in (side.partition("/") for side in sides) if _NUMBER.fullmatch(number)
    ]
    for number in found:
        if not -(2**31) <= number < 2**31:
            raise bad_input("--explain", str(number), "a priority: an int32")
    return found


def _named_cells(answer: MatrixAnswer, preemptor: str, victim: str) -> list[MatrixCell]:
    """The cells that `--explain` names: one, or all with these ClusterQueues.

    Raises:
        InputError: there is none.
    """
    from tenure_check.analysis.matrix_text import side_name

    roles = {side_name(cell.preemptor): cell.preemptor for cell in answer.cells}

    def named(side: str) -> set[MatrixRole]:
        queue, _, level = side.partition("/")
        found = {role for role in roles.values() if role.cluster_queue == queue}
        if not level:
            return found
        return {role for role in found if role.priority_class == level} or {
            role
            for role in found
            if str(role.priority) == str(int(level) if _NUMBER.fullmatch(level) else level)
        }

    ones, others = named(preemptor), named(victim)
    if not ones or not others:
        queues, names = (
            format_names([*dict.fromkeys(known)], 20)
            for known in zip(
                *((role.cluster_queue, role.priority_class) for role in roles.values()), strict=True
            )
        )
        expected = f"QUEUE, QUEUE/CLASS or QUEUE/NUMBER: ClusterQueues {queues}; priorities {names}"
        raise bad_input("--explain", victim if ones else preemptor, expected)
    return [cell for cell in answer.cells if cell.preemptor in ones and cell.victim in others]
