"""Decisions as text: one, or those about all pending workloads as a table or as a list."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from tenure.api import PendingDecision, assumed_queue, in_line, pending_names, waiting_queues
from tenure.choices import Engine, Outcome
from tenure.cli.output import Output, about, print_answer
from tenure.explanation.groups import MOST, group_lines, grouped, queues_text, shortened
from tenure.explanation.proposals import clock_text, proposals_in
from tenure.explanation.quota_alone import BY_QUOTA, TOPOLOGY_NOTE, quota_alone
from tenure.explanation.summary import assumed_lines, engine_of, outcome_text, reading_text, summarize
from tenure.explanation.verdicts import decision_lines
from tenure.inquiry import Inquiry
from tenure.manifests.showing import in_short
from tenure.model import QueueingStrategy
from tenure.oracle.decide import Decision
from tenure.outline import aligned
from tenure.units import counted, format_instant

if TYPE_CHECKING:
    from tenure.joint import JointEffect


def head_before(inquiry: Inquiry, decision: Decision) -> str | None:
    """Who is the head of the StrictFIFO ClusterQueue in which a workload waits; None where it is that itself.

    Args:
        inquiry: the cluster.
        decision: about the workload.
    """
    line = strict_lines(inquiry, [decision.queue.name]).get(decision.queue.name, [])
    return line[0] if decision.preemptor.key in line[1:] else None


def strict_lines(inquiry: Inquiry, cluster_queues: Iterable[str]) -> dict[str, list[str]]:
    """Who waits, in order, for each of some ClusterQueues that is StrictFIFO and active.

    Args:
        inquiry: the cluster.
        cluster_queues: their names.
    """
    known = inquiry.loaded.cluster.cluster_queues
    strict = [
        name
        for name in cluster_queues
        if not known[name].inactive and known[name].queueing == QueueingStrategy.STRICT_FIFO
    ]
    if not strict:
        return {}
    waiting = waiting_queues(inquiry.loaded, inquiry.now)
    lines = ((name, in_line(inquiry.loaded, name, inquiry.now, inquiry.reading, waiting)) for name in strict)
    return {name: [found.key for found in line] for name, line in lines}


UNDECIDED = "not decided"
HEADS = ("WORKLOAD", "QUEUE", "DECISION", "VICTIMS", "REASONS")
_VICTIMS = HEADS.index("VICTIMS")


def are_many(inquiry: Inquiry) -> bool:
    """Whether more pending workloads are in question than are listed one by one.

    Args:
        inquiry: the cluster, and the ClusterQueue if only one is in question.
    """
    cluster = inquiry.loaded.cluster
    if inquiry.cluster_queue is None or assumed_queue(inquiry.loaded) is not None:
        return len(pending_names(inquiry.loaded)) > MOST
    behind = (
        cluster.local_queues.get((pending.namespace, pending.queue_name)) for pending in cluster.pending
    )
    return sum(queue == inquiry.cluster_queue for queue in behind) > MOST


def print_pending(
    decisions: Iterable[PendingDecision],
    inquiry: Inquiry,
    joint: JointEffect | None,
    *,
    grouped: bool,
    output: Output,
) -> None:
    """Print the decisions about all pending workloads.

    Args:
        decisions: in the order in which they are printed; each is dropped once it is rendered.
        inquiry: what they have in common, and whether to add what every rule found.
        joint: what happens to all of them together; None where that is not known here.
        grouped: whether they are counted by queue, decision and reason, without what every rule found.
        output: the form.
    """
    if output != Output.TEXT:
        from tenure.cli.decision_answers import pending_answer

        print_answer(output, "pending", pending_answer(decisions, inquiry, joint), ())
        return
    if grouped:
        lines = grouped_lines(decisions, inquiry)
    else:
        lines = (_explained_lines if inquiry.explained else table_lines)(decisions, inquiry)
    print_answer(
        output, "pending", None, about(inquiry.kueue, _after_first(_joint_lines(joint), iter(lines)))
    )


def _after_first(head: Iterable[str], lines: Iterator[str]) -> Iterator[str]:
    """Head and lines, from when the first line is known: nothing is printed of what is interrupted before."""
    first = list(islice(lines, 1))
    yield from head
    yield from first
    yield from lines


def _joint_lines(joint: JointEffect | None) -> Iterator[str]:
    """The headline: what happens to all pending workloads together."""
    if joint is None or not (joint.starts or joint.waiting or joint.not_decided):
        return
    from tenure.joint import vain_lines

    yield joint.summary
    yield from vain_lines(joint.in_vain)
    ended = f", {joint.ended_text}" if joint.ended_text else ""
    yield f"  jointly: the coming cycles as `tenure next` plays them{ended}"
    yield ""


def table_lines(decisions: Iterable[PendingDecision], inquiry: Inquiry) -> Iterator[str]:
    """The decisions as a table, and below it how many there are of each kind."""
    seen = set[str]()
    rows = [_row(pending_decision) for pending_decision in seen_of(decisions, seen)]
    yield from aligned([HEADS, *rows], right={_VICTIMS})
    yield ""
    yield from _counted_lines(rows, inquiry, seen)


def grouped_lines(decisions: Iterable[PendingDecision], inquiry: Inquiry) -> Iterator[str]:
    """How many decisions there are of each kind, then by queue, and by decision and reason.

    Args:
        decisions: more than are listed one by one.
        inquiry: what they have in common.
    """
    seen = set[str]()
    rows = [_row(pending_decision) for pending_decision in seen_of(decisions, seen)]
    yield from _counted_lines(rows, inquiry, seen)
    kinds = [kind for kind, _ in Counter(row.decision for row in rows).most_common()]
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        counts.setdefault(row.queue, Counter())[row.decision] += 1
    yield ""
    heads, *lines = aligned(
        [
            ("QUEUE", *(kind.upper() for kind in kinds)),
            *((queue, *(str(counts[queue][kind] or "") for kind in kinds)) for queue in counts),
        ],
        right=range(1, len(kinds) + 1),
    )
    yield heads
    yield from shortened(lines, every=False, indent="")
    yield ""
    yield "By decision and reason; each workload with --all, one with -w WORKLOAD"
    alike = grouped(rows, lambda row: (row.decision, _kind_of_reason(row)))
    yield from map("".join, group_lines(alike, _group))


def _group(rows: Sequence[_Row]) -> str:
    reason = f": {rows[0].reasons}" if rows[0].reasons else ""
    where = queues_text(row.queue for row in rows)
    return f"{len(rows)} {rows[0].decision} in {where}; e.g. {rows[0].workload}{reason}"


def _kind_of_reason(row: _Row) -> str:
    """The reasons without their numbers and without the name of the workload and its queue."""
    plain = row.reasons.replace(row.workload, "it").replace(f"ClusterQueue {row.queue} ", "")
    return re.sub(r"\b\d+[a-zA-Z]*\b", "#", plain)


def _counted_lines(rows: Sequence[_Row], inquiry: Inquiry, seen: set[str]) -> Iterator[str]:
    count = len(rows)
    outcomes = Counter(row.decision for row in rows)
    kinds = ", ".join(f"{number} {kind}" for kind, number in outcomes.most_common()) or "none"
    yield f"{counted(count, 'pending workload')}: {kinds}"
    if behind := _behind_heads(rows, inquiry):
        heads = "the head of a StrictFIFO ClusterQueue, which Kueue tries first"
        yield f"  {behind} of them {'is' if behind == 1 else 'are'} behind {heads}"
    used = proposals_in(inquiry.loaded.cluster)
    clock = clock_text(format_instant(inquiry.now), reading_text(inquiry.reading), used)
    engine = engine_used(inquiry, seen)
    by = "" if engine == Engine.REFERENCE else f", engine {engine}"
    yield f"  {clock}{by}; each taken alone"
    yield from assumed_lines(inquiry.premises(inquiry.cluster_queue))
    if any(row.decision.endswith(BY_QUOTA) for row in rows):
        yield f"  {TOPOLOGY_NOTE}"


def _behind_heads(rows: Iterable[_Row], inquiry: Inquiry) -> int:
    """How many of some workloads wait behind the head of a StrictFIFO ClusterQueue."""
    queues = {row.queue for row in rows if row.decision != UNDECIDED}
    return sum(len(line[1:]) for line in strict_lines(inquiry, queues).values())


def seen_of(decisions: Iterable[PendingDecision], engines: set[str]) -> Iterator[PendingDecision]:
    """The decisions; who made them is noted while they are drawn.

    Args:
        decisions: all of them.
        engines: where the engines that decided are noted.
    """
    for decision in decisions:
        if decision.decision is not None:
            engines.add(str(decision.decision.engine))
        yield decision


def engine_used(inquiry: Inquiry, seen: set[str]) -> str:
    """The engine that decided, `auto` where some decisions are of either.

    Args:
        inquiry: with the engine of the command line.
        seen: the engines that decided.
    """
    return engine_of(seen) if inquiry.engine == Engine.AUTO else str(inquiry.engine)


class _Row(NamedTuple):
    """A pending workload in the table."""

    workload: str
    queue: str
    decision: str
    victims: str
    reasons: str


def _row(pending_decision: PendingDecision) -> _Row:
    queue = pending_decision.cluster_queue or "-"
    decision = pending_decision.decision
    if decision is None:
        return _Row(pending_decision.workload, queue, UNDECIDED, "", in_short(pending_decision.problems))
    victims = str(len(decision.targets)) if decision.targets else ""
    outcome = f"{decision.outcome}{quota_alone(decision.not_modelled)}"
    return _Row(pending_decision.workload, queue, outcome, victims, _reasons(decision))


def _reasons(decision: Decision) -> str:
    """Why each victim is preempted, counted; where there is none, what is short."""
    if decision.targets:
        counted = Counter(target.reason.label for target in decision.targets)
        return ", ".join(f"{count} {label}" for label, count in counted.items())
    if decision.outcome == Outcome.FIT:
        return ""
    if decision.held:
        return decision.held
    first, *shortfalls = summarize(decision)
    return "; ".join(shortfalls) or outcome_text(first, decision)


def is_served(decision: Decision) -> bool:
    """Whether a workload is admitted, at once or when its targets have left.

    Args:
        decision: about it.
    """
    return decision.outcome in (Outcome.FIT, Outcome.PREEMPT)


def _explained_lines(decisions: Iterable[PendingDecision], inquiry: Inquiry) -> Iterator[str]:
    from tenure.explanation.answers import explained
    from tenure.explanation.text import explained_lines

    for number, pending_decision in enumerate(decisions):
        if number:
            yield ""
        if pending_decision.decision is None:
            yield f"{UNDECIDED}: {pending_decision.workload}"
            yield from (f"  {problem}" for problem in pending_decision.problems)
        else:
            decision = pending_decision.decision
            premises = inquiry.premises(decision.queue.name)
            yield from decision_lines(decision, premises, every=True)
            yield from explained_lines(explained(decision, 0), every=True)
