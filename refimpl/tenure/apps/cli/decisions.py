"""Decisions as text: one, or those about all pending workloads as a table or as a list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from tenure.api import PendingDecision
from tenure.apps.cli.asked import Inquiry
from tenure.apps.cli.output import Output, about, aligned, print_answer
from tenure.conformance.rendering import render_decision, render_problem
from tenure.engines import Engine
from tenure.manifests.showing import in_short
from tenure.model import Outcome
from tenure.oracle.decide import Decision
from tenure.telling.explain import Explanation, explain
from tenure.telling.remarks import GROUND_RULES, Remark
from tenure.telling.summary import engine_of, reading_text, summarize
from tenure.units import format_instant

if TYPE_CHECKING:
    from tenure.conformance import answer_types as written


def decision_lines(decision: Decision, *, explained: bool) -> Iterator[str]:
    """A decision, line by line: the outcome, who leaves, and on request what every rule found."""
    outcome, *shortfalls = summarize(decision)
    yield outcome
    for shortfall in shortfalls:
        yield f"  {shortfall}"
    yield f"  clock {format_instant(decision.now)}, reading {reading_text(decision.reading)}"
    if decision.left:
        yield f"  decided by the reference: the optimized core does not cover {decision.left}"
    width = max((len(target.workload.key) for target in decision.targets), default=0)
    for target in decision.targets:
        rules = ", ".join(GROUND_RULES[target.evidence.ground])
        yield f"  preempt {target.workload.key:{width}}  {target.reason.label}  by {rules}"
    if explained:
        yield from _explanation_lines(decision, explain(decision))


def _explanation_lines(decision: Decision, explanation: Explanation) -> Iterator[str]:
    yield ""
    yield "What each rule found (yes: it applies, no: it does not)"
    yield ""
    yield f"{decision.preemptor.key} asks"
    yield from _remark_lines(explanation.request)
    for workload in explanation.workloads:
        yield ""
        yield f"{workload.workload.key} is {workload.verdict}"
        yield from _remark_lines(workload.remarks)


def _remark_lines(remarks: tuple[Remark, ...]) -> Iterator[str]:
    for remark in remarks:
        yield f"  {remark.rule:8}{'yes' if remark.holds else 'no':4} {remark.text}"


UNDECIDED = "not decided"
HEADS = ("WORKLOAD", "QUEUE", "DECISION", "VICTIMS", "REASONS")
_VICTIMS = HEADS.index("VICTIMS")


def print_pending(
    decisions: Iterable[PendingDecision], asked: Inquiry, *, explained: bool, output: Output
) -> None:
    """Print the decisions about all pending workloads.

    Args:
        decisions: in the order in which they are printed; each is dropped once it is rendered.
        asked: what they have in common.
        explained: whether to add what every rule found.
        output: the form.
    """
    if output != Output.TEXT:
        print_answer(output, rendered_pending(decisions, asked, explained=explained), ())
    elif explained:
        print_answer(output, None, about(asked.kueue, _explained_lines(decisions)))
    else:
        print_answer(output, None, about(asked.kueue, table_lines(decisions, asked)))


def rendered_pending(
    decisions: Iterable[PendingDecision], asked: Inquiry, *, explained: bool
) -> written.PendingAnswer:
    """The decisions as JSON has them: what they share once, then one row for each workload."""
    seen: set[str] = set()
    rows = [_rendered(pending_decision, explained) for pending_decision in _seen(decisions, seen)]
    return {
        "now": format_instant(asked.now),
        "reading": asked.reading.written(),
        "engine": _engine(asked, seen),
        "kueue": asked.kueue,
        "pending": rows,
        "warnings": asked.warnings,
    }


def table_lines(decisions: Iterable[PendingDecision], asked: Inquiry) -> Iterator[str]:
    """The decisions as a table, and below it how many there are of each kind."""
    outcomes: Counter[str] = Counter()
    rows, seen = [HEADS], set[str]()
    for pending_decision in _seen(decisions, seen):
        row = _row(pending_decision)
        outcomes[row[2]] += 1
        rows.append(row)
    yield from aligned(rows, right={_VICTIMS})
    yield ""
    count = len(rows) - 1
    kinds = ", ".join(f"{number} {kind}" for kind, number in outcomes.most_common()) or "none"
    yield f"{count} pending workload{'' if count == 1 else 's'}: {kinds}"
    clock = f"clock {format_instant(asked.now)}, reading {reading_text(asked.reading)}"
    engine = _engine(asked, seen)
    by = "" if engine == Engine.REFERENCE else f", engine {engine}"
    yield f"  {clock}{by}; each evaluated independently"


def _seen(decisions: Iterable[PendingDecision], engines: set[str]) -> Iterator[PendingDecision]:
    """The decisions; who made them is noted while they are drawn."""
    for decision in decisions:
        if decision.decision is not None:
            engines.add(str(decision.decision.engine))
        yield decision


def _engine(asked: Inquiry, seen: set[str]) -> str:
    """The engine that decided, `auto` where some decisions are of either."""
    return engine_of(seen) if asked.engine == Engine.AUTO else str(asked.engine)


def _row(pending_decision: PendingDecision) -> tuple[str, str, str, str, str]:
    queue = pending_decision.cluster_queue or "-"
    if pending_decision.decision is None:
        return pending_decision.workload, queue, UNDECIDED, "", in_short(pending_decision.problems)
    targets = pending_decision.decision.targets
    victims = str(len(targets)) if targets else ""
    return (
        pending_decision.workload,
        queue,
        str(pending_decision.decision.outcome),
        victims,
        _reasons(pending_decision.decision),
    )


def _reasons(decision: Decision) -> str:
    """Why each victim is preempted, counted; where there is none, what is short."""
    if decision.targets:
        counted = Counter(target.reason.label for target in decision.targets)
        return ", ".join(f"{count} {label}" for label, count in counted.items())
    if decision.outcome == Outcome.FIT:
        return ""
    first, *shortfalls = summarize(decision)
    return "; ".join(shortfalls) or first.partition(": ")[2]


def _rendered(
    pending_decision: PendingDecision, explained: bool
) -> written.PendingDecided | written.PendingUndecided:
    if pending_decision.decision is None:
        return {
            "workload": pending_decision.workload,
            "clusterQueue": pending_decision.cluster_queue,
            "decision": None,
            "problems": [render_problem(problem) for problem in pending_decision.problems],
        }
    decided = render_decision(pending_decision.decision, explained=explained)
    row: written.PendingDecided = {
        "workload": pending_decision.workload,
        "clusterQueue": pending_decision.decision.queue.name,
        "decision": decided["decision"],
        "preempted": decided["preempted"],
        "effects": decided["effects"],
    }
    if "leftToReference" in decided:
        row["leftToReference"] = decided["leftToReference"]
    if "trace" in decided:
        row["trace"] = decided["trace"]
    return row


def _explained_lines(decisions: Iterable[PendingDecision]) -> Iterator[str]:
    for number, pending_decision in enumerate(decisions):
        if number:
            yield ""
        if pending_decision.decision is None:
            yield f"{UNDECIDED}: {pending_decision.workload}"
            yield from (f"  {problem}" for problem in pending_decision.problems)
        else:
            yield from decision_lines(pending_decision.decision, explained=True)
