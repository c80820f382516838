"""`tenure analyze loops`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tenure.as_json import as_json
from tenure.cli.commands import with_records
from tenure.cli.exit_codes import ExitCode
from tenure.cli.inputs import changed, print_warnings, sources_of
from tenure.cli.inquiry import with_fair_sharing
from tenure.cli.options import EditOptions, Example, FairSharing, Interpretation, Paths
from tenure.cli.output import print_outline
from tenure.cli.terminal import choose_colour, hint, progress
from tenure.disk import claim, write_named
from tenure.errors import bad_input
from tenure.manifests import parse_duration, read_objects
from tenure_check.commands.outlines import AnalysisPrinting

if TYPE_CHECKING:
    from tenure_check.analysis.loop_answer import LoopsAnswer
    from tenure_check.analysis.loops import LoopRequest

MOST_WORKLOADS = 9
UP_TO, EVICTIONS, WITHIN = 3, "5s,5.5s", "1m"


@dataclass(frozen=True, slots=True)
class LoopBounds:
    """Whether loops are searched for, and how far."""

    search: Annotated[
        bool,
        typer.Option(
            "--search",
            help="Search where no theorem excludes loops; every option of the search implies it.",
        ),
    ] = False
    up_to: Annotated[
        int | None,
        typer.Option(
            "--up-to",
            min=2,
            max=MOST_WORKLOADS,
            help="The most workloads of a system.",
            show_default=str(UP_TO),
        ),
    ] = None
    sizes: Annotated[
        str,
        typer.Option(
            metavar="QUANTITY,...",
            help="What workloads request, such as 1,2,4.",
            show_default="quarters of what a tree owns, and nominal quotas in it",
        ),
    ] = ""
    priorities: Annotated[
        str,
        typer.Option(
            metavar="PRIORITY,...",
            help="Their priorities: numbers, or names of WorkloadPriorityClasses.",
            show_default="the lowest class, one between and the highest; without classes 0, 50 and 100",
        ),
    ] = ""
    evictions: Annotated[
        str,
        typer.Option(
            metavar="DURATION,...",
            help="How long the pods of a victim take to end.",
            show_default=EVICTIONS,
        ),
    ] = ""
    resource: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="The resource that workloads request; repeatable.",
            show_default="every resource, of those in proportion the first",
        ),
    ] = None
    within: Annotated[
        str,
        typer.Option(
            metavar="DURATION",
            help="How long to search; 0s for as long as it takes.",
            show_default=WITHIN,
        ),
    ] = ""

    def request(self, *, written: bool) -> LoopRequest:
        """The same, checked.

        Args:
            written: whether loops are to be written to a file, which takes a search.

        Raises:
            InputError: what is no duration.
        """
        from tenure_check.analysis.loops import LoopRequest

        given = self.up_to, self.sizes, self.priorities, self.evictions, self.resource, self.within
        listed = _listed(self.evictions or EVICTIONS)
        evictions = tuple(parse_duration(text, field="--evictions") for text in listed)
        if not evictions or min(evictions) < 0 or len(set(evictions)) < len(evictions):
            raise bad_input("--evictions", self.evictions, "different durations, such as 5s,30s")
        within = parse_duration(self.within or WITHIN, field="--within") / 10**9
        if within < 0:
            raise bad_input("--within", self.within, "a duration of at least 0s")
        return LoopRequest(
            up_to=self.up_to or UP_TO,
            evictions=evictions,
            sizes=_listed(self.sizes),
            priorities=_listed(self.priorities),
            resources=tuple(self.resource or ()),
            within=within,
            searches=self.search or written or any(given),
        )


@with_records
def loops_command(
    *,
    paths: Paths = None,
    example: Example = None,
    bounds: LoopBounds,
    edits: EditOptions,
    interpretation: Interpretation,
    fair_sharing: FairSharing = None,
    to: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the loops as scenarios, which `tenure simulate` runs.",
            show_default=False,
        ),
    ] = None,
    printing: AnalysisPrinting,
) -> None:
    """Find out whether workloads would preempt each other for ever, and which fields that takes.

    Theorems come first: they exclude loops of any number of workloads, or the answer lists the conditions
    that they miss, with field and line. With --search, loops are searched for in the remaining trees:
    workloads of every size and priority are put into every ClusterQueue of a cohort, in every order, and
    simulated until they come to rest or a state comes back. Workloads and LocalQueues among the files are
    ignored.

    \b
    tenure analyze loops queues/
    tenure analyze loops queues/ --search
    tenure analyze loops queues/ --search --up-to 4 --within 10m --to loops.yaml
    tenure simulate loops.yaml

    Your own sizes, classes and times; a field as if it were changed:

    \b
    tenure analyze loops queues/ --sizes 1,2,8 --priorities low,high --evictions 30s,31s,2m
    tenure analyze loops queues/ --set clusterqueue/a.spec.preemption.withinClusterQueue=Never

    A search that finds none proves nothing beyond its bounds. A rotation in which every turn waits for
    minAdmitDuration is counted, and is no loop. `tenure show PO-ANY-350` shows a theorem.

    Exit codes: 0 no loop, by theorems or after a complete search within the bounds; 1 a loop; 2 bad input;
    5 not known: not searched, or not everything; 130 interrupted: what was found is printed.
    """
    choose_colour(printing.color)
    from tenure_check.analysis.closed_systems import object_files, stated_premises, trees_of
    from tenure_check.analysis.loop_answer import loops_outline
    from tenure_check.analysis.loops import LoopHunt

    claim("--to", to)
    request, reading = bounds.request(written=to is not None), interpretation.chosen()
    kueue = interpretation.target_kueue()
    objects = list(changed(read_objects(sources_of(paths or (), example)), edits.edits(), kueue))
    objects = with_fair_sharing(objects, fair_sharing)
    trees, found = trees_of(objects, reading)
    premises = stated_premises(objects)
    notes = [sourced.note for sourced in objects if sourced.note]
    warnings = tuple(print_warnings((*notes, *found, *kueue.warnings())))
    hunt = LoopHunt(trees, request, reading, object_files(objects), progress)
    answer = replace(hunt.run(warnings), premises=premises, kueue=kueue.release)
    if to is not None and hunt.scenarios:
        _write(to, hunt.scenarios)
    outline = loops_outline(answer, str(to or ""), premises=printing.premises)
    print_outline(printing.output, "analyze-loops", outline, lambda: as_json(answer), kueue.release)
    if answer.found and to is None:
        hint("--to FILE writes the loops as scenarios, for tenure simulate")
    code = ExitCode.INTERRUPTED if answer.interrupted else _code(answer)
    if code:
        raise typer.Exit(code)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _code(answer: LoopsAnswer) -> int:
    if answer.found:
        return ExitCode.FOUND
    return 0 if answer.complete else ExitCode.NOT_KNOWN


def _write(file: Path, scenarios: Sequence[dict[str, Any]]) -> None:
    import yaml

    write_named("--to", file, yaml.safe_dump_all(scenarios, sort_keys=False, allow_unicode=True))
