"""Why a pending workload is not admitted, or does not take a running one."""

from __future__ import annotations

from tenure.model import Outcome, Workload
from tenure.oracle.decide import Decision
from tenure.telling.answers.decision import decision_shape, flips_shape, workload_shape
from tenure.telling.answers.readings import reading_text
from tenure.telling.answers.shapes import FlipsShape, WhyNotAnswer
from tenure.telling.answers.why import elsewhere, sentence
from tenure.telling.explain import explain_workload
from tenure.telling.flips import DEFAULT_LIMIT
from tenure.units import format_instant


def why_not_answer(
    decision: Decision, victim: Workload | None = None, flips: int = DEFAULT_LIMIT
) -> WhyNotAnswer:
    """Why a pending workload is not admitted, or why it does not take a running one.

    Args:
        decision: about the pending workload.
        victim: a workload that holds quota; None asks why the pending one is not admitted.
        flips: how many of the nearest flips at most; 0 searches for none.

    >>> import tenure
    >>> from tenure.resources import bundled
    >>> cluster = tenure.load(bundled("examples", "two-teams"))
    >>> decision = tenure.decide(cluster, "team-a/job-long-context-8a5dc", now="2026-03-02T14:00:00Z")
    >>> why_not_answer(decision, flips=1).flips.nearest[0].field
    'now'
    """
    found = [each for each in decision.running if victim is not None and each.key == victim.key]
    explained = explain_workload(decision, found[0]) if found else None
    if victim is None:
        summary = _admission(decision)
    else:
        verdict = elsewhere(decision, victim) if explained is None else explained.verdict
        summary = sentence(victim.key, verdict, decision.preemptor.key)
    # Nothing of what is searched moves a workload into another tree.
    impossible = victim is not None and explained is None
    return WhyNotAnswer(
        victim=None if victim is None else victim.key,
        now=format_instant(decision.now),
        reading=decision.reading.written(),
        reading_text=reading_text(decision.reading),
        summary=summary,
        decision=decision_shape(decision),
        workload=None if explained is None else workload_shape(explained),
        flips=FlipsShape(0, 0, True, ())
        if impossible
        else flips_shape(decision, victim.key if victim else None, flips),
    )


def _admission(decision: Decision) -> str:
    name = decision.preemptor.key
    match decision.outcome:
        case Outcome.FIT:
            return f"{name} is admitted: it fits without preempting anybody"
        case Outcome.PREEMPT:
            count = len(decision.targets)
            leave = f"{count} running workload{' leaves' if count == 1 else 's leave'}"
            return f"{name} is admitted once {leave}"
        case Outcome.NO_CANDIDATES:
            return f"{name} is not admitted: quota is lacking, and those who may be taken are not enough"
        case Outcome.NO_FIT if decision.queue.inactive:
            return f"{name} is not admitted: ClusterQueue {decision.queue.name} is inactive"
        case Outcome.NO_FIT:
            return f"{name} is not admitted: no flavor serves the request"
