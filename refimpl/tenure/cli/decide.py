"""`tenure decide`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tenure.api import Decision, Loaded, PendingDecision, pending_names, some_of
from tenure.cli.commands import with_records
from tenure.cli.decisions import are_many, head_before, print_pending
from tenure.cli.exit_codes import ExitCode
from tenure.cli.inputs import sources_of
from tenure.cli.inquiry import inquire
from tenure.cli.named import named_workloads
from tenure.cli.options import (
    ENGINE_HELP,
    ClusterOptions,
    Counterfactuals,
    Pending,
    SchedulerFlags,
    Verbose,
    Words,
)
from tenure.cli.output import CheckPrinting, Every, Output, Reporting, about, print_answer
from tenure.cli.terminal import choose_colour, complain, hint, progress
from tenure.engines import Engine, would_be_faster
from tenure.errors import InputError, Problem, bad_input
from tenure.explanation.groups import DEFAULT_LIMIT
from tenure.explanation.summary import summarize
from tenure.explanation.verdicts import decision_lines
from tenure.inquiry import Inquiry
from tenure.model import Outcome
from tenure.registration import added

if TYPE_CHECKING:
    from tenure.joint import JointEffect
    from tenure.manifests.source_lines import SourceLines
    from tenure.reports import Report


FASTER = "so many decisions take a while without the optimized core: pip install 'tenure[fast]'"


@dataclass(frozen=True, slots=True)
class PendingOptions:
    """Which pending workloads are decided about."""

    workload: Pending = None
    all_pending: Annotated[
        bool,
        typer.Option(
            "--all-pending",
            "-a",
            help="Decide for every pending workload: all jointly, and each taken alone.",
        ),
    ] = False

    def check(self, expect: Outcome | None) -> None:
        """Refuse what cannot go with `--all-pending`.

        Raises:
            InputError: a workload is named too, or a decision is expected.
        """
        if self.all_pending:
            _alone("--workload", self.workload)
            _alone("--expect", expect)


@dataclass(frozen=True, slots=True)
class DecidingOptions:
    """How it is decided, and what is expected."""

    verbose: Verbose = False
    counterfactuals: Counterfactuals = DEFAULT_LIMIT
    engine: Annotated[
        Engine | None,
        typer.Option(help=ENGINE_HELP, show_default="reference; auto with --all-pending"),
    ] = None
    expect: Annotated[
        Outcome | None, typer.Option(help="The decision that is expected; exit code 1 for another.")
    ] = None


@with_records
def decide_command(
    *,
    words: Words = None,
    pending: PendingOptions,
    cluster: ClusterOptions,
    cluster_queue: Annotated[
        str | None,
        typer.Option(
            help="The ClusterQueue; with --all-pending, only workloads pending in it.",
            show_default="where its LocalQueue points",
        ),
    ] = None,
    flags: SchedulerFlags,
    deciding: DecidingOptions,
    every: Every = False,
    printing: CheckPrinting,
) -> None:
    """Decide which workloads are preempted for a pending one, and why.

    The cluster that kubectl talks to, and a dump of it, each with Kueue's Configuration:

    \b
    kubectl tenure decide -w ml/train
    kubectl tenure dump > cluster.json
    tenure decide cluster.json -w ml/train

    How the decision came about: where in the tree quota is short, which flavors, numbers of pods and attempts
    were tried, which single field of which object would have to differ, and what each rule found:

    \b
    tenure decide cluster/ -w ml/train --now 2026-03-02T14:00:00Z --verbose
    tenure decide cluster/ -w ml/train -v -o json | jq .explanation

    The proposal exactly as written, for another program:

    \b
    tenure decide cluster/ -w ml/train --reading as-written -o json | jq .preempted

    Every pending workload, as a table, or those of one ClusterQueue:

    \b
    tenure decide cluster/ --all-pending
    tenure decide cluster/ --all-pending --cluster-queue team-a -o json | jq '.pending[].decision'

    In continuous integration, where this job has to fit without preempting any other:

    \b
    tenure decide cluster/ -w ml/train --expect Fit --report junit=decide.xml

    With --all-pending the first line is the joint effect: what the coming cycles do to all workloads
    together, as `tenure next` plays them. Below it each workload is taken alone: no decision sees what
    another would change. Changes that would alter an answer are searched for one workload only.
    With --cluster-queue the joint effect is that on its workloads; with --verbose one workload has what
    becomes of it and its victims in these cycles.

    Workloads are sorted by ClusterQueue, then by effective priority, highest first, then by the time they
    queue from.

    Exit codes: 0 decided, whatever the decision; 1 not that of --expect; 2 bad input, or the
    workload needs what is not modelled, with --all-pending each of them; 3 internal error.
    """
    choose_colour(printing.color)
    reporting = Reporting(printing.report, "tenure decide")
    pending.check(deciding.expect)
    verbose = deciding.verbose
    with reporting.of_bad_input():
        named, paths = named_workloads(words or [], pending.workload, cluster.example, least=0)
        if named and pending.all_pending:
            raise bad_input("workload", named[0], "either a workload or --all-pending, not both")
        workload = named[0] if named else None
        plays = pending.all_pending or verbose
        inquiry = inquire(paths, cluster, flags, cluster_queue, keeps=plays, about=named)
        joint = None
        if pending.all_pending:
            joint = _joint_effect(inquiry)
            grouped = not every and printing.output == Output.TEXT and are_many(inquiry)
            inquiry = inquiry.of_many(deciding.engine, explained=verbose and not grouped)
            pairs = len(inquiry.loaded.cluster.pending) * len(inquiry.loaded.cluster.admitted)
            if inquiry.engine == Engine.AUTO and not inquiry.explained and would_be_faster(pairs):
                hint(FASTER)
        else:
            inquiry = replace(inquiry, engine=deciding.engine or Engine.REFERENCE, explained=verbose)
            _require_a_name(inquiry.loaded, workload)
            decision = inquiry.decided(workload)
            # With a ClusterQueue on the command line the workload need not be one that waits there.
            if plays and cluster_queue is None:
                joint = _joint_effect(inquiry)
    if pending.all_pending:
        count = None if cluster_queue else len(pending_names(inquiry.loaded))
        outcomes: Counter[bool] = Counter()
        decisions = progress(_counted(inquiry.decided_all(), outcomes), "deciding", count)
        _print_all(decisions, inquiry, joint, reporting, grouped=grouped, output=printing.output)
        if outcomes[False] and not outcomes[True]:
            complain("error", f"none of {outcomes[False]} pending workloads can be decided about")
            raise typer.Exit(ExitCode.BAD_INPUT)
        return
    _print(decision, inquiry, joint, deciding, printing.output, every=every)
    wrong = unexpected(decision, deciding.expect)
    reporting.write(lambda lines: _report(decision, wrong, lines, sources_of(paths, cluster.example)))
    if wrong:
        complain("error", wrong)
        raise typer.Exit(ExitCode.FOUND)


def _print(
    decision: Decision,
    inquiry: Inquiry,
    joint: JointEffect | None,
    deciding: DecidingOptions,
    output: Output,
    *,
    every: bool,
) -> None:
    found = None
    outcome = None
    more: Iterable[str] = ()
    if deciding.verbose:
        from tenure.cli.accessible_quota import own_lines
        from tenure.explanation.answers import explained
        from tenure.explanation.text import explained_lines

        found = explained(decision, deciding.counterfactuals, worse=every)
        more = chain(explained_lines(found, every=every), own_lines(decision))
    if joint is not None:
        from tenure.joint import joint_outcome, vain_lines

        victims = [target.workload.key for target in decision.targets]
        outcome = joint_outcome(joint, decision.preemptor.key, victims, decision.now)
        if outcome is not None:
            more = chain([f"  {outcome.text}"], (f"  {line}" for line in vain_lines(outcome.in_vain)), more)
    if output == Output.TEXT:
        behind, premises = head_before(inquiry, decision), inquiry.premises(decision.queue.name)
        lines = decision_lines(decision, premises, every=every, behind=behind)
        print_answer(output, "decide", None, about(inquiry.kueue, chain(lines, more)))
    else:
        from tenure.cli.decision_answers import decide_answer

        print_answer(output, "decide", decide_answer(decision, inquiry, found, outcome), ())


def _counted(decisions: Iterable[PendingDecision], outcomes: Counter[bool]) -> Iterator[PendingDecision]:
    """The decisions; whether each could be made is counted while they are drawn."""
    for pending_decision in decisions:
        outcomes[pending_decision.decision is not None] += 1
        yield pending_decision


def unexpected(decision: Decision, expected: Outcome | None) -> str:
    """What was expected and found, where that is not the same; else nothing.

    Args:
        decision: what was decided.
        expected: what should have been; None for anything.
    """
    if expected in (None, decision.outcome):
        return ""
    return f"expected {expected}, found {' '.join(summarize(decision))}"


def _joint_effect(inquiry: Inquiry) -> JointEffect | None:
    """What the coming cycles do to all pending workloads; None where nothing is installed that plays them."""
    effect = added("tenure.forecasts", "joint")
    if effect is None:
        return None
    found: JointEffect = effect(inquiry.loaded, inquiry.now, inquiry.reading, inquiry.cluster_queue)
    return found


def _print_all(
    decisions: Iterable[PendingDecision],
    inquiry: Inquiry,
    joint: JointEffect | None,
    reporting: Reporting,
    *,
    grouped: bool,
    output: Output,
) -> None:
    if not reporting.is_wanted:
        print_pending(decisions, inquiry, joint, grouped=grouped, output=output)
        return
    from tenure.cli.decision_report import Noted

    noted = Noted()
    print_pending(noted.passing(decisions), inquiry, joint, grouped=grouped, output=output)
    reporting.write(noted.checks)


def _report(decision: Decision, wrong: str, lines: SourceLines, sources: Sequence[str | Path]) -> Report:
    from tenure.cli.decision_report import report_of

    return report_of(decision, wrong, lines, sources)


def _alone(option: str, value: str | None) -> None:
    if value is not None:
        raise bad_input(option, str(value), "either a workload or --all-pending, not both")


def _require_a_name(loaded: Loaded, workload: str | None) -> None:
    waiting = pending_names(loaded)
    if workload is None and len(waiting) > 1:
        expected = f"-w with one of {some_of(waiting, 'pending workloads')}; or --all-pending"
        raise InputError([Problem("--workload", "nothing", expected)])
