"""`tenure analyze matrix`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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
from tenure.cli.output import Printing, about, print_answer
from tenure.cli.terminal import choose_colour
from tenure.disk import claim, write_file
from tenure.errors import bad_input
from tenure.manifests import SourcedObject, load, read_priority_class
from tenure.manifests.premises import premises_of_states, refuse_unstated
from tenure.manifests.releases import TargetKueue
from tenure.manifests.structure import dig
from tenure.model import Cluster, WorkloadPriorityClass
from tenure.readings import Reading
from tenure.units import format_names
from tenure_check.analysis.answer_cache import AnswerCache, matrices
from tenure_check.analysis.scopes import MatrixRequest, Scope
from tenure_proofs.fingerprints import key_of

if TYPE_CHECKING:
    from tenure_check.analysis.matrix import Effort
    from tenure_check.analysis.matrix_types import MatrixAnswer, MatrixCell
    from tenure_check.analysis.states import PriorityLevel


States = Annotated[
    int, typer.Option(min=1, help="Random states for each ClusterQueue that bring nothing new.")
]
Seed = Annotated[int, typer.Option(help="Seed of the random states.")]
AskAgain = Annotated[bool, typer.Option("--no-cache", help="Ask everything again, and keep nothing.")]


AskedScope = Annotated[
    Scope,
    typer.Option(
        help="Of which states: those that admission alone can produce, or also those after edits of "
        "quotas, limits, flavors and Cohorts while workloads ran."
    ),
]


@dataclass(frozen=True, slots=True)
class MatrixOptions:
    """Of which states, how long is looked, and about which cell is told."""

    scope: AskedScope = Scope.CONSISTENT
    explain: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="CELL CELL",
            help="Show why one cell never happens, or its example: the preemptor's ClusterQueue and priority "
            "class, and the victim's, such as team-a/high team-b/low.",
            show_default="the whole matrix",
        ),
    ] = None
    svg: Annotated[
        str | None, typer.Option(metavar="FILE", help="Draw the matrix into a file, *.svg, as well.")
    ] = None
    states: States = 120
    seed: Seed = 0
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Processes.", show_default="one for each CPU")
    ] = None
    no_cache: AskAgain = False


@with_records
def matrix_command(
    *,
    paths: Paths = None,
    example: Example = None,
    edits: EditOptions,
    interpretation: Interpretation,
    flags: SchedulerFlags,
    asked: MatrixOptions,
    printing: Printing,
) -> None:
    """Find which workloads may ever preempt which others, in every state of a configuration.

    A cell is a preemptor's ClusterQueue and priority class, and a victim's. Its verdict is *never*, which
    Z3 and cvc5 prove for every state of the scope; *can*, with the smallest state found, which decides so
    when it is written as manifests; or *?*. What runs and waits in the files plays no part.

    The bundled example, and your own queues, with WorkloadPriorityClasses if you have some:

    \b
    tenure analyze matrix --example shared-cohort
    tenure analyze matrix queues/
    kubectl tenure analyze matrix

    By which rule and field never, or an example; and before a field is changed:

    \b
    tenure analyze matrix queues/ --explain team-a/high team-b/low
    tenure analyze matrix queues/ --set clusterqueue/team-a.spec.preemption.reclaimWithinCohort=Any

    As a picture, for a page or a pull request:

    \b
    tenure analyze matrix queues/ --svg matrix.svg

    The scope is consistent: every state that admission alone can produce. Quotas that were edited while
    workloads ran are not in it, and may turn never into can; with them:

    \b
    tenure analyze matrix queues/ --scope edited

    An answer is kept, and given again at once while neither the files nor Tenure change.

    Exit codes: 0 every cell is known, 2 bad input, 3 internal error, 5 some cells are not known.
    """
    from tenure_check.analysis.matrix import CellVerdict, Effort
    from tenure_check.analysis.matrix_table import matrix_lines
    from tenure_check.analysis.matrix_types import MatrixAnswer
    from tenure_check.analysis.matrix_words import cell_lines, with_smallest_examples

    choose_colour(printing.color)
    if asked.svg is not None:
        _check_svg(asked.svg)
    kueue, reading = interpretation.target_kueue(), interpretation.chosen()
    cluster, levels, warnings, premises = read_configuration(paths or [], example, edits, kueue, flags)
    effort = Effort(asked.seed, asked.states, 10 * asked.states)
    kept = AnswerCache(MatrixAnswer, wanted=not asked.no_cache)
    key = key_of(cluster, levels, reading, effort, asked.scope)
    found = kept.found(key)
    if found is None:
        found = _answer(cluster, levels, reading, effort, asked)
        kept.keep(key, found)
    premises = (*found.premises, *premises)
    answer = replace(found, kueue=kueue.release, premises=premises, warnings=warnings)
    if asked.svg is not None:
        _draw(answer, Path(asked.svg))
    lines = matrix_lines(answer)
    if asked.explain is not None:
        cell = with_smallest_examples(_named_cell(answer, *asked.explain), cluster, reading, asked.scope)
        cell = _explained(cell, cluster, reading, asked.scope)
        answer, lines = replace(answer, cells=(cell,)), cell_lines(cell)
    print_answer(printing.output, "analyze-matrix", as_json(answer), about(kueue.release, lines))
    if any(cell.verdict == CellVerdict.UNKNOWN.value for cell in answer.cells):
        raise typer.Exit(ExitCode.NOT_KNOWN)


def read_configuration(
    paths: Sequence[str], example: str | None, edits: EditOptions, kueue: TargetKueue, flags: SchedulerFlags
) -> tuple[Cluster, tuple[PriorityLevel, ...], tuple[str, ...], tuple[str, ...]]:
    """The configuration that a command line names, the priorities of its workloads, its warnings, said, and
    what is assumed of how Kueue is configured.

    Raises:
        InputError: everything that is wrong with it; it has no ClusterQueue; nothing shows whether its
            weights decide.
    """
    from tenure_check.analysis.priority_levels import configuration_of, levels_of

    classes: list[WorkloadPriorityClass] = []

    def watched(objects: Iterable[SourcedObject]) -> Iterator[SourcedObject]:
        for sourced in changed(objects, edits.edits(), kueue):
            if dig(sourced.object, "kind") == "WorkloadPriorityClass":
                classes.append(read_priority_class(sourced.object))
            yield sourced

    loaded = kueue.stamped(load(sources_of(paths, example), watched=watched))
    refuse_other_scheduler(loaded)
    if not loaded.cluster.cluster_queues:
        raise bad_input("paths", "no ClusterQueue", "the ClusterQueues of a configuration")
    settled = with_flags(loaded, flags)
    refuse_unstated(settled)
    warnings = tuple(print_warnings(settled.warnings))
    configuration, levels = (
        configuration_of(settled.cluster, classes),
        levels_of(settled.cluster, classes),
    )
    return configuration, levels, warnings, premises_of_states(settled)


def _answer(
    cluster: Cluster,
    levels: Sequence[PriorityLevel],
    reading: Reading,
    effort: Effort,
    options: MatrixOptions,
) -> MatrixAnswer:
    from tenure_check.analysis.matrix_words import answer_of
    from tenure_check.analysis.priority_ranges import Ranges, matrix_of_ranges

    ranges = Ranges(cluster, tuple(levels), reading)
    asked = (ranges.plain, ranges.regions) if ranges.is_needed else (cluster, levels)
    (matrix,), versions = matrices([asked], reading, effort, MatrixRequest(scope=options.scope), options.jobs)
    if ranges.is_needed:
        matrix = matrix_of_ranges(ranges, matrix)
    return answer_of(matrix, cluster, reading.name, effort.seed, versions, ())


def _explained(cell: MatrixCell, cluster: Cluster, reading: Reading, scope: Scope) -> MatrixCell:
    """The cell, with the fields by which it never can where rules alone do not say so."""
    from tenure_check.analysis.blocking_fields import fields_in_the_way
    from tenure_check.analysis.matrix import CellVerdict

    if cell.verdict != CellVerdict.NEVER.value or not cell.reasons:
        return cell
    fields = fields_in_the_way(cluster, reading, scope, cell)
    said = (
        f"it can with {'; or with '.join(fields)}" if fields else "no field alone, set otherwise, allows it"
    )
    return replace(cell, why=f"{cell.why}; {said}")


def _check_svg(path: str) -> None:
    """Whether a picture can be written, before anything is looked for.

    Raises:
        InputError: it cannot.
    """
    if not path.endswith(".svg"):
        raise bad_input("--svg", path, "a file named *.svg")
    claim("--svg", path)


def _draw(answer: MatrixAnswer, path: Path) -> None:
    from tenure_check.analysis.heat_map import heat_map

    try:
        write_file(path, heat_map(answer))
    except OSError as error:
        raise bad_input("--svg", str(path), f"a file that can be written: {error.strerror}") from error


def _named_cell(answer: MatrixAnswer, preemptor: str, victim: str) -> MatrixCell:
    """The cell that `--explain` names."""
    sides: dict[str, None] = {}
    for cell in answer.cells:
        one, other = (f"{side.cluster_queue}/{side.priority_class}" for side in (cell.preemptor, cell.victim))
        if (one, other) == (preemptor, victim):
            return cell
        sides[one] = None
    wrong = preemptor if preemptor not in sides else victim
    raise bad_input("--explain", wrong, f"a ClusterQueue and a priority: {format_names(list(sides), 20)}")
