"""`tenure analyze loops`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tenure.cli.commands import with_records
from tenure.cli.exit_codes import ExitCode
from tenure.cli.options import (
    EditOptions,
    Example,
    FairSharing,
    FeatureGates,
    Interpretation,
    Paths,
    SchedulerFlags,
)
from tenure.cli.output import print_found
from tenure.cli.terminal import choose_colour, hint
from tenure.disk import claim
from tenure_check.commands.outlines import AnalysisPrinting

if TYPE_CHECKING:
    from tenure_check.analysis.loop_answer import LoopsAnswer
    from tenure_check.api import LoopLimits

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

    def given(self) -> LoopLimits:
        """The same, as `tenure.loops` takes it."""
        return {
            "up_to": self.up_to or UP_TO,
            "sizes": _listed(self.sizes),
            "priorities": _listed(self.priorities),
            "evictions": _listed(self.evictions or EVICTIONS),
            "resources": self.resource or (),
            "within": self.within or WITHIN,
        }


@with_records
def loops_command(
    *,
    paths: Paths = None,
    example: Example = None,
    bounds: LoopBounds,
    edits: EditOptions,
    interpretation: Interpretation,
    feature_gates: FeatureGates = "",
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
    workloads of every size and priority, with labels and boosts where PreemptionConfigs read them, are put
    into every ClusterQueue of a cohort, in every order, and simulated until they rest or a state comes back.
    Workloads and LocalQueues among the files are ignored.

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
    from tenure.cli.inputs import as_options, changed, print_warnings, sources_of
    from tenure.cli.inquiry import with_fair_sharing, with_flags
    from tenure.manifests import Loaded, read_objects
    from tenure.model import Cluster
    from tenure_check.analysis.loop_answer import BY_QUOTA_ALONE
    from tenure_check.api import loops

    choose_colour(printing.color)
    claim("--to", to)
    flags = SchedulerFlags(feature_gates)
    reading, kueue = interpretation.chosen(), interpretation.target_kueue(flags)
    objects = list(changed(read_objects(sources_of(paths or (), example)), edits.edits(), kueue))
    objects = with_fair_sharing(objects, fair_sharing)
    loaded = with_flags(kueue.stamped(Loaded(Cluster({}), objects=tuple(objects))), flags)
    searches = to is not None or bounds != LoopBounds()
    with as_options("evictions", "priorities", "resource", "sizes", "to", "within"):
        found = loops(
            loaded,
            search=searches,
            to=to,
            reading=reading,
            premises=printing.premises,
            note=hint,
            **bounds.given(),
        )
    answer = found.record
    own = [text for text in answer.warnings if text == BY_QUOTA_ALONE]
    warnings = (*print_warnings(text for text in answer.warnings if text not in own), *own)
    print_found(printing.output, replace(found, record=replace(answer, warnings=warnings)))
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
