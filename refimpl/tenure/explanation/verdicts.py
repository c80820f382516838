"""A decision in lines: the outcome, which running workloads are preempted, and what the rules found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tenure.explanation.explain import WorkloadExplanation
from tenure.explanation.groups import MOST, group_lines, grouped, queues_text, without_place
from tenure.explanation.quota_alone import note_lines, topology_of
from tenure.explanation.remarks import Remark
from tenure.explanation.shapes import PreemptedWorkload, preempted_workloads
from tenure.explanation.summary import assumed_lines, reading_text, summarize
from tenure.oracle.decide import Decision
from tenure.units import format_instant

RULES_TITLE = "What each rule found (yes: it applies, no: it does not)"
MOST_VICTIMS = 10
"""So many victims are listed one by one."""


def decision_lines(
    decision: Decision, premises: Iterable[str] = (), *, every: bool = False, behind: str | None = None
) -> Iterator[str]:
    """A decision, line by line: the outcome, and the victims.

    Args:
        decision: the decision.
        premises: what it assumes, in words.
        every: whether all victims are listed one by one, however many they are.
        behind: the head of its StrictFIFO ClusterQueue, where that is another workload.
    """
    outcome, *shortfalls = summarize(decision)
    yield outcome
    yield from (f"  {shortfall}" for shortfall in shortfalls)
    if behind is not None:
        place = f"the head of StrictFIFO ClusterQueue {decision.queue.name}"
        yield f"  {decision.preemptor.key} is behind {behind}, {place}; Kueue tries {behind} first"
    yield f"  clock {format_instant(decision.now)}, reading {reading_text(decision.reading)}"
    yield from assumed_lines(premises)
    yield from note_lines(topology_of(decision.not_modelled))
    if decision.left:
        yield f"  decided by the reference: the optimized core does not cover {decision.left}"
    yield from _preempt_lines(preempted_workloads(decision), every=every)


def _preempt_lines(preempted: Sequence[PreemptedWorkload], *, every: bool) -> Iterator[str]:
    """The victims in order, or counted by queue, reason and rules."""
    if every or len(preempted) <= MOST_VICTIMS:
        width = max((len(victim.workload) for victim in preempted), default=0)
        for victim in preempted:
            yield f"  preempt {victim.workload:{width}}  {victim.reason}  by {', '.join(victim.rules)}"
        return

    def told(victims: Sequence[PreemptedWorkload]) -> str:
        first = victims[0]
        where = queues_text(victim.cluster_queue for victim in victims)
        return (
            f"preempt {len(victims)} in {where}: {first.reason} by {', '.join(first.rules)}; "
            f"e.g. {first.workload}"
        )

    alike = grouped(preempted, lambda victim: (victim.cluster_queue, victim.reason, victim.rules))
    yield from group_lines(alike, told)


def rules_lines(
    preemptor: str, request: tuple[Remark, ...], workloads: Sequence[WorkloadExplanation], *, every: bool
) -> Iterator[str]:
    """What each rule found about the request of a pending workload and about the running workloads."""
    yield from ("", RULES_TITLE)
    if request:
        yield from ("", f"{preemptor} asks")
        yield from remark_lines(request)
    if not every and len(workloads) > MOST:
        what = "each with --all, one with tenure why WORKLOAD -w"
        yield from ("", f"The {len(workloads)} running workloads; {what} {preemptor}")
        yield from _workload_groups(workloads)
        return
    for workload in workloads:
        yield from ("", f"{workload.workload} is {workload.verdict}")
        yield from remark_lines(workload.remarks)


def _workload_groups(workloads: Sequence[WorkloadExplanation]) -> Iterator[str]:
    """Workloads counted by verdict and by the rules behind it, the preempted ones first."""

    def told(alike: Sequence[WorkloadExplanation]) -> str:
        where = queues_text(workload.cluster_queue for workload in alike)
        counted = f"{len(alike)} {without_place(alike[0].verdict)}; in {where}"
        return f"{counted}; e.g. {alike[0].workload}{deciding_text(alike[0].remarks)}"

    groups = grouped(
        workloads, lambda workload: (without_place(workload.verdict), findings_of(workload.remarks))
    )
    yield from group_lines(sorted(groups, key=lambda alike: not alike[0].preempted), told)


def findings_of(remarks: Sequence[Remark]) -> tuple[tuple[str, bool], ...]:
    """What tells one kind of verdict from another: the two outermost rules, and those about equals."""
    told = [*remarks[:2], *(remark for remark in remarks[2:] if remark.rule in ("TBP-020", "TBP-050"))]
    return tuple((remark.rule, remark.holds) for remark in told)


def deciding_text(remarks: Sequence[Remark]) -> str:
    """The finding that decides: about equals, or the node that is within its quota; else the second one.

    The outermost finding repeats the verdict.
    """
    behind = remarks[1:]
    telling = [
        remark for remark in behind if remark.rule == "TBP-050" or (remark.rule == "KQ-200" and remark.holds)
    ]
    decides = next(iter((*telling, *behind)), None)
    return f" ({decides.rule} {'yes' if decides.holds else 'no'}: {decides.text})" if decides else ""


def remark_lines(remarks: Sequence[Remark]) -> Iterator[str]:
    """A line for each finding."""
    for remark in remarks:
        yield f"  {remark.rule:8}{'yes' if remark.holds else 'no':4} {remark.text}"
