"""Decisions as JSON has them: one, or those about all pending workloads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tenure.api import PendingDecision
from tenure.as_json import IfAny, as_json
from tenure.cli.accessible_quota import own_rows
from tenure.cli.decisions import UNDECIDED, engine_used, head_before, is_served, seen_of, strict_lines
from tenure.conformance.answer_types import (
    AccessibleRow,
    DecideQuestion,
    DecisionFields,
    PendingAnswer,
    PendingCounts,
    PendingDecided,
    PendingUndecided,
    Premises,
    ReadingText,
    Summary,
    Warnings,
)
from tenure.conformance.rendering import fields_of, render_decision, render_problem
from tenure.explanation.answer_types import ExplainedDecision
from tenure.explanation.identifiers import WorkloadKey
from tenure.explanation.shapes import AssignedPods, assigned_pods
from tenure.explanation.summary import reading_text, summarize
from tenure.inquiry import Inquiry
from tenure.joint import JointEffect, JointOutcome
from tenure.oracle.decide import Decision
from tenure.units import format_instant
from tenure.versions import kueue_version


@dataclass(frozen=True, kw_only=True)
class DecideAnswer(DecisionFields, DecideQuestion):
    """One decision, with its question and warnings."""

    reading_text: ReadingText
    """The reading in words."""
    summary: Summary
    """The outcome, and what was short or where it fits, in words."""
    premises: Premises
    """What is assumed of how Kueue is configured, because no object shows it, in words."""
    warnings: Warnings
    """What was assumed or ignored in the input, each once."""
    assignment: IfAny[tuple[AssignedPods, ...]] = None
    """The pods and flavors that it would be admitted with; only of Fit and Preempt."""
    behind: IfAny[WorkloadKey] = None
    """The head of its StrictFIFO ClusterQueue, which Kueue tries first; only where that is another one."""
    explanation: IfAny[ExplainedDecision] = None
    """How it came about; only with --verbose."""
    jointly: IfAny[JointOutcome] = None
    """What becomes of it in the coming cycles, beside all others that are pending; only with --verbose."""
    accessible: IfAny[tuple[AccessibleRow, ...]] = None
    """What is accessible to its ClusterQueue, while heroes run; only with --verbose."""


def decide_answer(
    decision: Decision,
    inquiry: Inquiry,
    found: ExplainedDecision | None,
    jointly: JointOutcome | None = None,
) -> Any:
    """A decision: the protocol's output, with workload, place, time, warnings, and how it came about."""
    answer = DecideAnswer(
        workload=decision.preemptor.key,
        cluster_queue=decision.queue.name,
        now=format_instant(decision.now),
        **(fields_of(decision, explained=found is not None) | {"kueue": kueue_version(inquiry.kueue)}),
        reading_text=reading_text(decision.reading),
        summary=summarize(decision),
        premises=tuple(inquiry.premises(decision.queue.name)),
        warnings=inquiry.warnings,
        assignment=assigned_pods(decision.assignment) if is_served(decision) else None,
        behind=head_before(inquiry, decision),
        explanation=found,
        jointly=jointly,
        accessible=None if found is None else own_rows(decision),
    )
    return as_json(answer)


def pending_answer(
    decisions: Iterable[PendingDecision], inquiry: Inquiry, joint: JointEffect | None = None
) -> Any:
    """The decisions: what they share once, one row for each workload, and what happens to all together."""
    seen: set[str] = set()
    lines = strict_lines(inquiry, inquiry.loaded.cluster.cluster_queues)
    behind = {key: line[0] for line in lines.values() for key in line[1:]}
    rows = tuple(_row(decision, inquiry.explained, behind) for decision in seen_of(decisions, seen))
    counted = Counter(row.decision or UNDECIDED for row in rows)
    counts = (counted[kind] for kind in ("Fit", "Preempt", "NoCandidates", "NoFit", UNDECIDED))
    answer = PendingAnswer(
        now=format_instant(inquiry.now),
        reading=inquiry.reading.written(),
        reading_text=reading_text(inquiry.reading),
        counts=PendingCounts(*counts),
        engine=engine_used(inquiry, seen),
        kueue=kueue_version(inquiry.kueue),
        pending=rows,
        premises=tuple(inquiry.premises(inquiry.cluster_queue)),
        warnings=inquiry.warnings,
        joint=joint,
    )
    return as_json(answer)


def _row(
    pending: PendingDecision, explained: bool, behind: Mapping[str, str]
) -> PendingDecided | PendingUndecided:
    decision = pending.decision
    if decision is None:
        problems = tuple(map(render_problem, pending.problems))
        return PendingUndecided(pending.workload, pending.cluster_queue, None, problems)
    decided = render_decision(decision, explained=explained)
    return PendingDecided(
        workload=pending.workload,
        cluster_queue=decision.queue.name,
        decision=decided.decision,
        summary=summarize(decision),
        preempted=decided.preempted,
        effects=decided.effects,
        assignment=assigned_pods(decision.assignment) if is_served(decision) else None,
        topology=decided.topology,
        left_to_reference=decided.left_to_reference,
        trace=decided.trace,
        behind=behind.get(pending.workload),
    )
