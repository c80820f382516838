"""`tenure analyze loops`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tenure.as_json import as_json
from tenure.cli.asked import with_fair_sharing
from tenure.cli.commands import with_records
from tenure.cli.exit_codes import ExitCode
from tenure.cli.inputs import changed, said_warnings, sources_of
from tenure.cli.options import EditOptions, Example, FairSharing, Interpretation, Paths
from tenure.cli.output import Output, Printing, about, aligned, print_answer
from tenure.cli.terminal import choose_colour, hint, progress
from tenure.disk import claim, write_file
from tenure.errors import bad_input
from tenure.explanation.summary import assumed_lines
from tenure.manifests import parse_duration, read_objects
from tenure.units import counted, format_duration

if TYPE_CHECKING:
    from tenure_check.analysis.loops import (
        LoopAnswer,
        LoopRequest,
        LoopsAnswer,
        NeededField,
        ResourceSearch,
        TreeSearch,
    )

MOST_WORKLOADS = 9


@dataclass(frozen=True, slots=True)
class LoopBounds:
    """How far is searched."""

    up_to: Annotated[
        int, typer.Option("--up-to", min=2, max=MOST_WORKLOADS, help="The most workloads of a system.")
    ] = 3
    sizes: Annotated[
        str,
        typer.Option(
            metavar="QUANTITY,...",
            help="What workloads ask for, such as 1,2,4.",
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
        typer.Option(metavar="DURATION,...", help="How long the pods of a victim take to end."),
    ] = "5s,5.5s"
    resource: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="What workloads ask for; repeatable.",
            show_default="every resource, of those in proportion the first",
        ),
    ] = None
    within: Annotated[
        str, typer.Option(metavar="DURATION", help="How long to search; 0s for as long as it takes.")
    ] = "1m"

    def request(self) -> LoopRequest:
        """The same, checked.

        Raises:
            InputError: what is no duration.
        """
        from tenure_check.analysis.loops import LoopRequest

        evictions = tuple(parse_duration(text, field="--evictions") for text in _listed(self.evictions))
        if not evictions or min(evictions) < 0 or len(set(evictions)) < len(evictions):
            raise bad_input("--evictions", self.evictions, "different durations, such as 5s,30s")
        within = parse_duration(self.within, field="--within") / 10**9
        if within < 0:
            raise bad_input("--within", self.within, "a duration of at least 0s")
        return LoopRequest(
            up_to=self.up_to,
            evictions=evictions,
            sizes=_listed(self.sizes),
            priorities=_listed(self.priorities),
            resources=tuple(self.resource or ()),
            within=within,
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
    printing: Printing,
) -> None:
    """Search for workloads that would preempt each other for ever, and find the fields that this needs.

    Nothing arrives in such a loop and nothing ends by itself; a state comes back. Workloads of every size and
    priority are put into every ClusterQueue of a cohort, in every order, and simulated as a scenario is,
    with every combination of the times that the pods of victims take to end. Workloads and LocalQueues among
    the files are passed over.

    \b
    tenure analyze loops queues/
    tenure analyze loops queues/ --up-to 4 --within 10m --to loops.yaml
    tenure simulate loops.yaml

    Your own sizes, classes and times; a field as if it were changed:

    \b
    tenure analyze loops queues/ --sizes 1,2,8 --priorities low,high --evictions 30s,31s,2m
    tenure analyze loops queues/ --set clusterqueue/a.spec.preemption.withinClusterQueue=Never

    That no loop is found proves nothing beyond these bounds. Where a theorem excludes loops of any number of
    workloads, nothing is played and the theorem is named; `tenure show PO-ANY-350` says it. A rotation, every
    turn of which waits for minAdmitDuration, is counted and is not called a loop.

    Exit codes: 0 none found, and everything within the bounds was played, or theorems exclude loops; 1 a
    loop; 2 bad input; 5 none found, and not everything was played in the time; 130 interrupted: what was
    found is printed.
    """
    choose_colour(printing.color)
    from tenure_check.analysis.closed_systems import called, stated_premises, trees_of
    from tenure_check.analysis.loops import LoopHunt

    claim("--to", to)
    request, reading = bounds.request(), interpretation.chosen()
    kueue = interpretation.asked_kueue()
    objects = list(changed(read_objects(sources_of(paths or (), example)), edits.edits(), kueue))
    objects = with_fair_sharing(objects, fair_sharing)
    trees, found = trees_of(objects, reading)
    premises = stated_premises(objects)
    warnings = tuple(said_warnings((*found, *kueue.warnings())))
    files = {called(sourced.object): sourced.file for sourced in objects if _is_named(sourced.object)}
    hunt = LoopHunt(trees, request, reading, files, progress)
    answer = replace(hunt.run(warnings), premises=premises, kueue=kueue.release)
    if to is not None and hunt.scenarios:
        _write(to, hunt.scenarios)
    rendered = None if printing.output == Output.TEXT else as_json(answer)
    print_answer(printing.output, "analyze-loops", rendered, about(kueue.release, loop_lines(answer, to)))
    if answer.found and to is None:
        hint("--to FILE writes the loops as scenarios, for tenure simulate")
    code = ExitCode.INTERRUPTED if answer.interrupted else _code(answer)
    if code:
        raise typer.Exit(code)


def loop_lines(answer: LoopsAnswer, to: Path | None = None) -> Iterator[str]:
    """An answer as text.

    Args:
        answer: see there.
        to: where the scenarios are written.
    """
    for tree in answer.trees:
        yield from _tree_lines(tree)
    count = sum(search.loop is not None for tree in answer.trees for search in tree.searches)
    unknown = sum(bool(tree.not_known) for tree in answer.trees)
    trees = f"{counted(len(answer.trees) - unknown, 'tree')} of ClusterQueues"
    loops = f"{counted(count, 'loop')} in {trees}{f', {unknown} not known' if unknown else ''}"
    written = f", written to {to}" if to is not None and count else ""
    yield f"loops: {loops}{written}, under {answer.reading}"
    yield from assumed_lines(answer.premises)
    if answer.interrupted:
        yield "interrupted: the rest was not searched"
    if any(tree.proved is None or not tree.proved.excluded for tree in answer.trees) and not count:
        evictions = " or ".join(map(format_duration, answer.evictions))
        most = f"systems of at most {answer.up_to} workloads, pods that end after {evictions}"
        from tenure_check.analysis.loops import BY_QUOTA_ALONE

        by_quota = BY_QUOTA_ALONE in answer.warnings
        is_searched = answer.complete or by_quota
        yield f"searched, not proved: {most}" if is_searched else f"not all of it was simulated: {most}"
        if by_quota:
            yield BY_QUOTA_ALONE


def _tree_lines(tree: TreeSearch) -> Iterator[str]:
    alike = "; ".join(", ".join(names) for names in tree.alike)
    alike = f", alike: {alike}" if alike and not tree.not_known else ""
    yield f"{tree.tree}: {counted(len(tree.cluster_queues), 'ClusterQueue')}{alike}"
    if tree.proved is not None:
        yield f"  {tree.proved.text} ({', '.join(tree.proved.theorems)})"
    yield from (f"  not known: {text}" for text in tree.not_known)
    if not tree.searches and not tree.not_known and not (tree.proved is not None and tree.proved.excluded):
        yield "  nothing to search: no resource of which it owns a finite amount"
    for search in tree.searches:
        if search.loop is None:
            reached = counted(search.complete_up_to, "workload")
            yield f"  {search.resource}: no loop found up to {reached}; {_searched(search)}"
            yield f"    sizes {', '.join(search.sizes)}; priorities {', '.join(search.priorities)}"
        else:
            yield from _found(search, search.loop)
        yield from _remarks(search)
    yield ""


def _found(search: ResourceSearch, loop: LoopAnswer) -> Iterator[str]:
    count, period = counted(len(loop.workloads), "workload"), format_duration(loop.period)
    yield f"  {search.resource}: a loop of {count}, a turn every {period}; {_searched(search)}"
    rows = [("WORKLOAD", "CLUSTER QUEUE", search.resource.upper(), "PRIORITY", "PODS END AFTER", "")]
    rows += [
        (
            workload.workload,
            workload.cluster_queue,
            workload.request,
            f"{workload.priority_class} ({workload.priority})"
            if workload.priority_class
            else str(workload.priority),
            format_duration(workload.eviction),
            "runs" if workload.runs_first else "joins",
        )
        for workload in loop.workloads
    ]
    yield from (f"    {line}" for line in aligned(rows))
    yield "    a turn:"
    yield from (f"      {pair.preemptor} preempts {pair.victim}" for pair in loop.preemptions)
    yield "    this loop ends without any one of these fields:"
    facts = [(fact.object, fact.field, fact.value, _source(fact)) for fact in loop.needed]
    yield from (f"      {line}" for line in aligned(facts))


def _source(fact: NeededField) -> str:
    return f"{fact.file}:{fact.line}" if fact.file and fact.line else fact.file


def _remarks(search: ResourceSearch) -> Iterator[str]:
    if search.rotations:
        plays = counted(search.rotations, "play")
        yield f"    {plays} ended in a rotation that waits for minAdmitDuration, which is no loop"
    if search.open:
        plays = counted(search.open, "play")
        yield f"    {plays} came neither to rest nor to a loop in the time of a simulation"


def _searched(search: ResourceSearch) -> str:
    text = f"{search.systems:,} systems, {search.plays:,} plays in {search.seconds:.1f} s"
    return f"{text}; the rest was not simulated" if search.stopped else text


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _is_named(raw: Any) -> bool:
    return isinstance(raw, dict) and isinstance(raw.get("kind"), str)


def _code(answer: LoopsAnswer) -> int:
    if answer.found:
        return ExitCode.FOUND
    return 0 if answer.complete else ExitCode.NOT_KNOWN


def _write(file: Path, scenarios: Sequence[dict[str, Any]]) -> None:
    import yaml

    try:
        write_file(file, yaml.safe_dump_all(scenarios, sort_keys=False, allow_unicode=True))
    except OSError as error:
        raise bad_input("--to", str(file), f"a file that can be written: {error.strerror}") from None
