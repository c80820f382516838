"""`tenure why`, `tenure why-not`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from tenure.api import Decision, Loaded, in_line
from tenure.cli.commands import with_records
from tenure.cli.inquiry import Inquiry, inquire
from tenure.cli.named import NAME_HELP, in_order, named_workloads
from tenure.cli.options import (
    ClusterQueueName,
    Counterfactuals,
    EditOptions,
    Example,
    InputOptions,
    Interpretation,
    Now,
    Pending,
    SchedulerFlags,
    Strict,
    Verbose,
    parse_gates,
)
from tenure.cli.output import Every, OutlineOutput, OutlinePrinting
from tenure.cli.terminal import choose_colour
from tenure.errors import InputError
from tenure.explanation.answers import Locate, why_answer, why_not_answer
from tenure.explanation.groups import DEFAULT_LIMIT
from tenure.explanation.lines import why_not_outline, why_outline
from tenure.explanation.risk.answer import exposure_answer
from tenure.manifests import SourcedObject
from tenure.manifests.naming import LIVE, pending_key, running_key, workload_key
from tenure.manifests.source_lines import SourceLines
from tenure.manifests.structure import dig
from tenure.model import Workload
from tenure_play.forecast.coming import Outlook
from tenure_play.forecast.fates import JointFates
from tenure_play.forecast.joint import gates_over_time
from tenure_play.from_cluster import manifests_of
from tenure_play.not_queued import NotQueued, key_of_any, not_queued_answer
from tenure_play.postmortem.answer import earlier_text, past_answer, preemption_record
from tenure_play.postmortem.text import past_outline


@with_records
def why_command(
    *,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            help=f"The running or preempted workload: {NAME_HELP}; a pending one; files, folders, or - for "
            "standard input. In any order.",
            metavar="VICTIM [WORKLOAD] [PATHS]...",
            show_default=False,
        ),
    ] = None,
    example: Example = None,
    strict: Strict = False,
    edits: EditOptions,
    workload: Annotated[
        str | None,
        typer.Option(
            "--workload", "-w", help=f"The pending workload: {NAME_HELP}.", show_default="all of them"
        ),
    ] = None,
    now: Now = None,
    interpretation: Interpretation,
    cluster_queue: ClusterQueueName = None,
    flags: SchedulerFlags,
    counterfactuals: Counterfactuals = DEFAULT_LIMIT,
    verbose: Verbose = False,
    every: Every = False,
    printing: OutlinePrinting,
) -> None:
    """Explain why a workload was preempted, or which pending workloads could preempt a running one.

    For each ClusterQueue the least priority by which a new workload of any size could preempt it, now and
    later; and which of the pending workloads would, each evaluated independently:

    \b
    tenure why ml/old cluster/

    For one pending workload, by which rules, with the nearest changes that would spare it:

    \b
    tenure why ml/old cluster/ -w ml/train

    Of a workload that was preempted, by its condition Preempted and by the cluster as it was then:

    \b
    tenure why ml/preempted-this-morning cluster/

    Exit codes: 0 answered, also where no workload preempts it; 2 bad input; 3 internal error.
    """
    choose_colour(printing.color)
    named, paths = named_workloads(words or [], workload, example, most=2)
    source = InputOptions(paths, example, strict)
    objects: list[SourcedObject] = []
    asked = inquire(source, now, interpretation, cluster_queue, flags, edits, kept=objects, about=named)
    victim, *others = named if workload is None else reversed(named)
    outlook = _outlook(asked, objects, flags)
    other = others[0] if others else None
    print_why(asked, victim, other, counterfactuals, printing.output, outlook, verbose=verbose, every=every)


def print_why(
    asked: Inquiry,
    victim: str,
    workload: str | None,
    counterfactuals: int,
    output: OutlineOutput,
    outlook: Outlook | None = None,
    *,
    verbose: bool,
    every: bool,
) -> None:
    """Answer `why`.

    Args:
        asked: the cluster, the clock, the reading.
        victim: what the running workload is called, or one that was preempted.
        workload: the pending one; None for all of them.
        counterfactuals: how many changes to name.
        output: how.
        outlook: the coming cycles; None where they are not looked at.
        verbose: whether everything that the rules found is listed, not only what decides.
        every: whether all workloads are listed one by one.

    Raises:
        InputError: there is no such workload, or it cannot be decided about.
    """
    if workload is not None:
        workload, victim = in_order(asked.loaded, workload, victim)
    else:
        loaded = asked.loaded
        ended = {*loaded.history, *loaded.events}
        key = workload_key(loaded, victim, LIVE, field="VICTIM", otherwise=ended)
        record = preemption_record(loaded, key)
        if record is not None:
            past = past_answer(loaded, record, asked.now, asked.reading, counterfactuals)
            past = replace(past, premises=asked.premises(past.preemptor_queue or past.cluster_queue))
            asked.print_outline(output, "why", past, past_outline(past, verbose=verbose))
            return
    target = _running(asked.loaded, victim)
    undecided: list[tuple[str, str]] = []
    if workload is not None:
        decisions = [asked.decided(pending_key(asked.loaded, workload))]
    else:
        decisions, undecided = _decided_all(asked)
    answer = why_answer(target, decisions, asked.now, asked.reading, undecided, counterfactuals, worse=every)
    premises = asked.premises(target.cluster_queue)
    answer = replace(answer, earlier=earlier_text(asked.loaded, target), premises=premises)
    if workload is None:
        exposure = exposure_answer(asked.loaded.cluster, target, asked.now, asked.reading)
        coming = None
        if outlook is not None and not any(case.preempted for case in answer.cases):
            coming = outlook.of_victim(target)
        if coming is not None:
            summary = f"{answer.summary}, each taken alone; {coming.text}"
            answer = replace(answer, summary=summary, coming=coming)
        answer = replace(answer, exposure=exposure)
    asked.print_outline(output, "why", answer, why_outline(answer, every=every, verbose=verbose))


@with_records
def why_not_command(
    *,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            help=f"The pending workload, as -w has it: {NAME_HELP}; a running one; files, folders, or - for "
            "standard input. In any order.",
            metavar="WORKLOAD [VICTIM] [PATHS]...",
            show_default=False,
        ),
    ] = None,
    workload: Pending = None,
    example: Example = None,
    strict: Strict = False,
    edits: EditOptions,
    now: Now = None,
    interpretation: Interpretation,
    cluster_queue: ClusterQueueName = None,
    flags: SchedulerFlags,
    counterfactuals: Counterfactuals = DEFAULT_LIMIT,
    verbose: Verbose = False,
    every: Every = False,
    printing: OutlinePrinting,
) -> None:
    """Explain why a workload is not admitted, or why it does not preempt a running one.

    What it waits for: quota, its turn, an admission check, a back-off, a queue that is held or missing; what
    is short and where, what was tried, and which change would let it in:

    \b
    tenure why-not ml/train cluster/

    The same with what each rule found about every running workload:

    \b
    tenure why-not ml/train cluster/ --verbose

    Why a running one is kept, and which change would preempt it:

    \b
    tenure why-not ml/train ml/old cluster/

    Words may come in any order: those that are no files or folders are the workloads.

    Exit codes: 0 answered, also where it is admitted; 2 bad input; 3 internal error.
    """
    choose_colour(printing.color)
    named, manifests = named_workloads(words or [], workload, example, most=2)
    source = InputOptions(manifests, example, strict)
    objects: list[SourcedObject] = []
    asked = inquire(source, now, interpretation, cluster_queue, flags, edits, kept=objects, about=named)
    # A changed field is not in the file.
    files = () if edits.edits() else (source.paths or ())
    outlook = _outlook(asked, objects, flags)
    if len(named) == 1 and print_not_queued(asked, objects, named[0], printing.output, files, outlook):
        return
    victim = named[1] if len(named) > 1 else None
    print_why_not(
        asked,
        named[0],
        victim,
        counterfactuals,
        printing.output,
        files,
        outlook,
        verbose=verbose,
        every=every,
    )


def print_not_queued(
    asked: Inquiry,
    objects: Iterable[SourcedObject],
    workload: str,
    output: OutlineOutput,
    files: Sequence[str | Path],
    outlook: Outlook | None,
) -> bool:
    """Answer `why-not` about a workload that does not wait for quota; whether it is one.

    Args:
        asked, output: as for `print_why`.
        objects: of the cluster, as they were read.
        workload: what it is called.
        files, outlook: as for `print_why_not`.

    Raises:
        InputError: no workload is called so, or several are.
    """
    key = key_of_any(asked.loaded, workload)
    queues = {str(dig(raw, "metadata", "name")): raw for raw in _of_kind(objects, "ClusterQueue")}
    found = NotQueued(
        asked.loaded, key, manifests_of(objects).get(key, {}), queues, asked.now, asked.cluster_queue
    )

    def coming() -> str | None:
        return None if outlook is None else outlook.summary(key)

    answer = not_queued_answer(found, asked.reading, _locate_in(files), coming)
    if answer is None:
        return False
    asked.print_outline(output, "why-not", answer, answer.outline())
    return True


def _of_kind(objects: Iterable[SourcedObject], kind: str) -> Iterator[Mapping[str, Any]]:
    return (sourced.object for sourced in objects if dig(sourced.object, "kind") == kind)


def _outlook(asked: Inquiry, objects: Iterable[SourcedObject], flags: SchedulerFlags) -> Outlook | None:
    """The coming cycles; None where another ClusterQueue is asked about, or a gate decides about them that is
    not modelled.
    """
    if asked.cluster_queue is not None:
        return None
    try:
        gates = gates_over_time(asked.loaded, parse_gates(flags.feature_gates))
    except InputError:
        return None
    return Outlook(asked.loaded, manifests_of(objects), asked.now, asked.reading, gates)


def print_why_not(
    asked: Inquiry,
    workload: str,
    victim: str | None,
    counterfactuals: int,
    output: OutlineOutput,
    files: Sequence[str | Path] = (),
    outlook: Outlook | None = None,
    *,
    verbose: bool,
    every: bool,
) -> None:
    """Answer `why-not`.

    Args:
        asked, counterfactuals, output, every: as for `print_why`.
        workload: the pending workload.
        victim: the running one that it does not preempt; None for why it is not admitted. The two may be
            the other way round.
        files: where the lines of fields are looked up.
        outlook: the coming cycles; None where they are not looked at.
        verbose: whether to add what each rule found about every running workload.

    Raises:
        InputError: as `print_why`.
    """
    target = None
    if victim is not None:
        workload, victim = in_order(asked.loaded, workload, victim)
        target = _running(asked.loaded, victim, "a file or folder that exists")
    decision = asked.decided(pending_key(asked.loaded, workload))
    ahead = _ahead(asked, decision) if target is None else ()
    earlier = earlier_text(asked.loaded, decision.preemptor)
    premises = asked.premises(decision.queue.name)
    locate = _locate_in(files)
    fates = None if outlook is None or target is not None else JointFates(outlook, decision)
    answer = why_not_answer(
        decision,
        target,
        counterfactuals,
        ahead,
        worse=every,
        every_workload=verbose,
        locate=locate,
        jointly=None if fates is None else fates.of_change,
    )
    coming = None
    if target is None and outlook is not None:
        coming = outlook.of_decision(decision, locate)
    if coming is not None:
        answer = replace(answer, summary=coming.summary, coming=coming)
    answer = replace(answer, earlier=earlier, premises=premises)
    asked.print_outline(output, "why-not", answer, why_not_outline(answer, every=every, verbose=verbose))


def _locate_in(files: Sequence[str | Path]) -> Locate:
    lines = SourceLines()

    def locate(name: str, field: str) -> tuple[str, int]:
        file, _ = lines.of_object(files, name)
        return (file, lines.of_field(file, name, field)) if file else ("", 0)

    return locate


def _ahead(asked: Inquiry, decision: Decision) -> list[str]:
    """Who is ahead of a pending workload in its ClusterQueue; none where that is not known."""
    line = [queued.key for queued in in_line(asked.loaded, decision.queue.name, asked.now, asked.reading)]
    return line[: line.index(decision.preemptor.key)] if decision.preemptor.key in line else []


def _decided_all(asked: Inquiry) -> tuple[list[Decision], list[tuple[str, str]]]:
    """The decisions about all pending workloads, and who could not be decided about, with the reason."""
    decisions: list[Decision] = []
    undecided: list[tuple[str, str]] = []
    # A verdict about the victim needs every finding, also where it is not preempted.
    for pending_decision in asked.of_many(None, explained=True).decided_all():
        if pending_decision.decision is not None:
            decisions.append(pending_decision.decision)
        else:
            undecided.append((pending_decision.workload, "; ".join(map(str, pending_decision.problems))))
    return decisions, undecided


def _running(loaded: Loaded, name: str, beside: str = "") -> Workload:
    key = running_key(loaded, name, field="VICTIM", beside=beside)
    return next(workload for workload in loaded.cluster.admitted if workload.key == key)
