"""What `tenure decide` does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tenure.api import Decision, Loaded, PendingDecision, pending_names, some_of
from tenure.choices import Engine, Outcome
from tenure.cli.decide import DecidingOptions, PendingOptions
from tenure.cli.decisions import are_many, head_before, print_pending
from tenure.cli.exit_codes import ExitCode
from tenure.cli.inputs import sources_of
from tenure.cli.inquiry import inquire
from tenure.cli.named import named_workloads
from tenure.cli.options import (
    ClusterOptions,
    SchedulerFlags,
    Words,
)
from tenure.cli.output import CheckPrinting, Every, Output, Reporting, about, print_answer
from tenure.cli.terminal import choose_colour, complain, hint, progress
from tenure.engines import would_be_faster
from tenure.errors import InputError, Problem, bad_input
from tenure.explanation.summary import summarize
from tenure.explanation.verdicts import decision_lines
from tenure.inquiry import Inquiry
from tenure.registration import added

if TYPE_CHECKING:
    from tenure.joint import JointEffect
    from tenure.manifests.source_lines import SourceLines
    from tenure.reports import Report


FASTER = "so many decisions take a while without the optimized core: pip install 'tenure[fast]'"


def run_decide(
    *,
    words: Words,
    pending: PendingOptions,
    cluster: ClusterOptions,
    cluster_queue: str | None,
    flags: SchedulerFlags,
    deciding: DecidingOptions,
    every: Every,
    printing: CheckPrinting,
) -> None:
    """As `tenure.cli.decide.decide_command` documents it."""
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


def _require_a_name(loaded: Loaded, workload: str | None) -> None:
    waiting = pending_names(loaded)
    if workload is None and len(waiting) > 1:
        expected = f"-w with one of {some_of(waiting, 'pending workloads')}; or --all-pending"
        raise InputError([Problem("--workload", "nothing", expected)])
