"""Why a head that could go gets nothing in its cycle: which earlier head is the cause, and by which field."""

from __future__ import annotations

from itertools import groupby

from tenure.explanation.shortages import amount
from tenure.model import Amount, FlavorResource, TurnResult
from tenure.units import format_names
from tenure.versions import KUEUE
from tenure_play.cycle import CycleCharge, Handled, Nominee, TargetOverlap
from tenure_play.scenario import gates_of

RECOMPUTES = "RecomputeAssignmentUponPreemptionTargetsOverlap"
"""The gate by which a head is decided again on its turn (CYC-040)."""
_MOST = 3


def why_skipped(handled: Handled) -> str:
    """Why a head is skipped, or waits for the targets of others, in words; empty for any other result."""
    match handled.result:
        case TurnResult.WAITS_FOR_TARGETS:
            return f"it fits once the victims of others have left: {_overlap_text(handled)}"
        case TurnResult.SKIPPED if handled.overlaps and not handled.decided_again:
            return _overlap_text(handled, ", which it would preempt too,")
        case TurnResult.SKIPPED:
            found = [*handled.hindering()]
            named = (_charge_text(charge, at, number, handled.entry) for charge, at, number in found[:_MOST])
            text = "; ".join(named) or "heads that are handled before it leave too little quota"
            return f"{text}; and {len(found) - _MOST} more" if len(found) > _MOST else text
        case _:
            return ""


def gate_note(handled: Handled) -> str:
    """That a head was decided again, by a gate which releases of Kueue have off; empty where it was not."""
    if not handled.decided_again:
        return ""
    off = "" if gates_of(KUEUE).recompute else f", off in Kueue {KUEUE}, where it would be skipped"
    return f"decided again, since {_overlap_text(handled)} (gate {RECOMPUTES}{off})"


def _overlap_text(handled: Handled, aside: str = "") -> str:
    """Which targets of a head are preempted for which earlier heads."""

    def preemptor(overlap: TargetOverlap) -> str:
        return overlap.preemptor

    found = groupby(sorted(handled.overlaps, key=preemptor), key=preemptor)
    targets = {name: [overlap.target for overlap in overlaps] for name, overlaps in found}
    return "; ".join(
        f"{format_names(victims, _MOST)}{aside} {'is' if len(victims) == 1 else 'are'} already being "
        f"preempted for {name} in this cycle"
        for name, victims in targets.items()
    )


def _charge_text(charge: CycleCharge, at: FlavorResource, number: Amount, entry: Nominee) -> str:
    """How much quota an earlier head gets, or is kept for it, and why it has its turn first."""
    first, queue = charge.entry, charge.entry.decision.queue
    quota = f"{amount(at, number)} {at.resource} on {at.flavor}"
    name, before = (
        f"{first.actor.key} of ClusterQueue {queue.name}",
        f"is handled first{_why_first(first, entry)}",
    )
    if not charge.reserved:
        return f"{name} {before}, and gets {quota}"
    kept = f"{quota} is kept for {name}, which {before}"
    if first.goes_first:
        return kept
    policy = f"spec.preemption.reclaimWithinCohort of ClusterQueue {queue.name}"
    return f"{kept}: {policy} is {queue.reclaim_within_cohort.label}, not Any"


def _why_first(first: Nominee, entry: Nominee) -> str:
    """What puts a head before another one (CYC-020), in words; fair sharing compares shares of many nodes."""
    settings = entry.decision.snapshot.cluster.settings
    if entry.decision.terms.hero or first.decision.terms.hero:
        return ""
    if first.goes_first != entry.goes_first:
        return " as a preemptor that waits for its victims"
    if settings.fair_sharing is not None:
        return " in the order of fair sharing"
    mine, theirs = first.decision, entry.decision
    if mine.assignment.borrowing != theirs.assignment.borrowing:
        return (
            " because it borrows less far from its ClusterQueue"
            if mine.assignment.borrowing
            else (" because it does not borrow")
        )
    if settings.priority_sorting_within_cohort and mine.preemptor.priority != theirs.preemptor.priority:
        return f" because its priority is {mine.preemptor.priority}, not {theirs.preemptor.priority}"
    return " because it queues from an earlier time" if first.queued_from < entry.queued_from else ""
