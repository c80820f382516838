"""Why a running workload is, or would be, preempted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tenure.model import Workload
from tenure.oracle.decide import Decision
from tenure.readings import Reading
from tenure.telling.answers.decision import flips_shape
from tenure.telling.answers.readings import reading_text
from tenure.telling.answers.shapes import CaseShape, FlipsShape, UndecidedShape, WhyAnswer
from tenure.telling.explain import explain_workload, summarize
from tenure.telling.findings import Finding
from tenure.telling.findings.attempts import attempts
from tenure.telling.findings.counts import count_trials
from tenure.telling.findings.flavors import flavor_trials
from tenure.telling.flips import DEFAULT_LIMIT
from tenure.units import format_instant


def why_answer(
    victim: Workload,
    decisions: Sequence[Decision],
    now: int,
    reading: Reading,
    undecided: Sequence[tuple[str, str]] = (),
    flips: int = DEFAULT_LIMIT,
) -> WhyAnswer:
    """Why a running workload is, or would be, preempted for some pending ones.

    Args:
        victim: a workload that holds quota.
        decisions: one for each pending workload that is asked about, each as if it were the only one.
        now: their clock, ns since the epoch.
        reading: the reading that they were made under.
        undecided: pending workloads that could not be decided about, and why.
        flips: how many of the nearest flips at most, where a single pending workload is asked about.
    """
    alone = len(decisions) == 1
    cases = [case(each, victim, flips if alone else None) for each in decisions]
    return WhyAnswer(
        victim=victim.key,
        cluster_queue=victim.cluster_queue or "",
        now=format_instant(now),
        reading=reading.written(),
        reading_text=reading_text(reading),
        engine=engine_of(each.engine for each in decisions),
        summary=_summary(victim, cases),
        cases=tuple(sorted(cases, key=lambda each: not each.taken)),
        undecided=tuple(UndecidedShape(name, problem) for name, problem in undecided),
    )


def engine_of(engines: Iterable[str]) -> str:
    """The engine that made some decisions: `auto` where several did, the reference where there are none.

    >>> engine_of(["fast", "reference"]), engine_of(["fast", "fast"]), engine_of([])
    ('auto', 'fast', 'reference')
    """
    seen = {*engines}
    return "auto" if len(seen) > 1 else next(iter(seen), "reference")


def case(decision: Decision, victim: Workload, flips: int | None) -> CaseShape:
    """How a running workload fares with one pending workload.

    Args:
        decision: about the pending workload.
        victim: the running workload; it may stand in another tree.
        flips: how many flips at most; None where others are asked about too: none, nor what was tried.
    """
    found = [
        workload
        for running in decision.snapshot.running.values()
        for workload in running
        if workload.key == victim.key
    ]
    # Of many, the verdicts are what is asked for; each of these repeats a search.
    alone = flips is not None
    nearest: FlipsShape | None = None
    findings: tuple[Finding, ...] = ()
    taken, verdict = False, elsewhere(decision, victim)
    if found:
        explained = explain_workload(decision, found[0])
        taken, verdict, findings = explained.taken, explained.verdict, explained.findings
        nearest = None if flips is None else flips_shape(decision, victim.key, flips)
    return CaseShape(
        preemptor=decision.preemptor.key,
        cluster_queue=decision.queue.name,
        decision=str(decision.outcome),
        taken=taken,
        verdict=verdict,
        summary=summarize(decision),
        flavors=flavor_trials(decision) if alone else (),
        counts=count_trials(decision) if alone else (),
        attempts=attempts(decision) if alone else (),
        findings=findings,
        flips=nearest,
    )


def sentence(victim: str, verdict: str, preemptor: str) -> str:
    """A verdict with the two workloads that it is about.

    >>> sentence("ml/old", "kept: it may not be taken", "ml/new")
    'ml/old is not taken for ml/new: it may not be taken'
    """
    answer, _, why = verdict.partition(": ")
    return f"{victim} is {'not taken' if answer == 'kept' else 'taken'} for {preemptor}: {why}"


def elsewhere(decision: Decision, victim: Workload) -> str:
    """The verdict about a workload of another tree."""
    return (
        f"kept: its ClusterQueue {victim.cluster_queue} shares no cohort with {decision.queue.name}, "
        "and nobody is taken from another tree"
    )


def _summary(victim: Workload, cases: Sequence[CaseShape]) -> str:
    takers = [each.preemptor for each in cases if each.taken]
    if not cases:
        return f"No pending workload could be asked about, so nobody takes {victim.key}"
    if len(cases) == 1:
        return sentence(victim.key, cases[0].verdict, cases[0].preemptor)
    asked = f"{len(cases)} pending workloads"
    if not takers:
        return f"None of {asked} takes {victim.key}"
    verb = "takes" if len(takers) == 1 else "take"
    return f"{len(takers)} of {asked} {verb} {victim.key}, each decided alone: {', '.join(takers)}"
