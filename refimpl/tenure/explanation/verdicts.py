"""A decision in lines: the outcome, which running workloads are preempted, and what the rules found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from tenure.explanation.groups import MOST, group_lines, grouped, queues_text, without_place
from tenure.explanation.proposals import clock_text, proposals_in, shown_remarks, shown_rules
from tenure.explanation.quota_alone import note_lines, topology_of
from tenure.explanation.remarks import Remark
from tenure.explanation.shapes import PreemptedWorkload, preempted_workloads
from tenure.explanation.summary import assumed_lines, reading_text, summarize
from tenure.oracle.decide import Decision
from tenure.outline import CommandAdvice, Item, Part, TitledList, Words
from tenure.units import format_instant

if TYPE_CHECKING:
    from tenure.explanation.explain import WorkloadExplanation

RULES_TITLE = "What each rule found"
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
    used = proposals_in(decision.snapshot.cluster)
    yield f"  {clock_text(format_instant(decision.now), reading_text(decision.reading), used)}"
    yield from assumed_lines(premises)
    yield from note_lines(topology_of(decision.not_modelled))
    if decision.left:
        yield f"  decided by the reference: the optimized core does not cover {decision.left}"
    yield from _preempt_lines(preempted_workloads(decision), used, every=every)


def _preempt_lines(
    preempted: Sequence[PreemptedWorkload], used: Sequence[str], *, every: bool
) -> Iterator[str]:
    """The victims in order, or counted by queue, reason and rules."""
    if every or len(preempted) <= MOST_VICTIMS:
        width = max((len(victim.workload) for victim in preempted), default=0)
        for victim in preempted:
            rules = shown_rules(victim.rules, used)
            yield f"  preempt {victim.workload:{width}}  {victim.reason}  by {rules}"
        return

    def line(victims: Sequence[PreemptedWorkload]) -> str:
        first = victims[0]
        where = queues_text(victim.cluster_queue for victim in victims)
        return (
            f"preempt {len(victims)} in {where}: {first.reason} by {shown_rules(first.rules, used)}; "
            f"e.g. {first.workload}"
        )

    alike = grouped(preempted, lambda victim: (victim.cluster_queue, victim.reason, victim.rules))
    yield from map("".join, group_lines(alike, line))


def rules_parts(
    preemptor: str,
    request: tuple[Remark, ...],
    workloads: Sequence[WorkloadExplanation],
    used: Sequence[str],
    *,
    every: bool,
) -> Iterator[Part]:
    """What each rule found about the request of a pending workload and about the running workloads.

    Args:
        preemptor: the pending workload.
        request: the findings about its request.
        workloads: the running workloads.
        used: the proposals that are used.
        every: whether all workloads are listed one by one, however many they are.
    """
    yield RULES_TITLE
    yield TitledList(f"{preemptor} requests", remark_items(request, used))
    if not every and len(workloads) > MOST:
        what = CommandAdvice(f"; each with --all, one with tenure why WORKLOAD -w {preemptor}")
        title = [f"The {len(workloads)} running workloads", what]
        yield TitledList(title, [Item(line) for line in _workload_groups(workloads, used)])
        return
    for workload in workloads:
        judged, items = f"{workload.workload} is {workload.verdict}", remark_items(workload.remarks, used)
        yield TitledList(judged, items) if items else judged


def _workload_groups(workloads: Sequence[WorkloadExplanation], used: Sequence[str]) -> Iterator[Words]:
    """Workloads counted by verdict and by the rules behind it, the preempted ones first."""

    def line(alike: Sequence[WorkloadExplanation]) -> str:
        where = queues_text(workload.cluster_queue for workload in alike)
        counted = f"{len(alike)} {without_place(alike[0].verdict)}; in {where}"
        return f"{counted}; e.g. {alike[0].workload}{deciding_text(alike[0].remarks, used)}"

    groups = grouped(
        workloads, lambda workload: (without_place(workload.verdict), findings_of(workload.remarks))
    )
    yield from group_lines(sorted(groups, key=lambda alike: not alike[0].preempted), line, "")


def findings_of(remarks: Sequence[Remark]) -> tuple[tuple[str, bool], ...]:
    """What distinguishes kinds of verdicts: the two outermost rules, and those about equals."""
    kind = [*remarks[:2], *(remark for remark in remarks[2:] if remark.rule in ("TBP-020", "TBP-050"))]
    return tuple((remark.rule, remark.holds) for remark in kind)


def deciding(remarks: Sequence[Remark], used: Sequence[str]) -> Remark | None:
    """The finding that decides: about equals; of a kept workload the first that keeps it; else the second.

    The outermost finding repeats the verdict.

    Args:
        remarks: what each rule found about a running workload.
        used: the proposals that are used.
    """
    behind = remarks[1:]
    keeps = [remark for remark in behind if remark.rule == "KQ-200" and remark.holds]
    refuses = [remark for remark in behind if not remark.holds and remark.rule != "KQ-200"]
    about_equals = [remark for remark in behind if remark.rule == "TBP-050"]
    timed = any(remark.rule == "TBP-010" and remark.holds for remark in behind)
    kept = bool(remarks) and not remarks[0].holds
    expired = (remark for remark in behind if timed and remark.rule == "TBP-020" and remark.holds != kept)
    first = (*expired, *about_equals, *(keeps if kept else ()), *(refuses if kept else ()))
    return next(shown_remarks((*first, *behind), used), None)


def refusing(remarks: Sequence[Remark]) -> list[Remark]:
    """Of each selector of a PreemptionConfig the first finding by which a running workload is no candidate.

    Empty where a selector that is tried selects it, or where its ClusterQueue names no PreemptionConfig.

    Args:
        remarks: what each rule found about the workload.
    """
    first: dict[str, Remark] = {}
    selecting = 0
    for remark in remarks:
        selecting += remark.rule == "PCF-070" and remark.holds
        if (remark.rule in _PARTS and not remark.holds) or (remark.rule == "PCF-100" and remark.holds):
            first.setdefault(remark.text.partition(":")[0], remark)
    untried = sum(remark.rule == "PCF-080" for remark in first.values())
    return [] if selecting > untried else list(first.values())


_PARTS: Final = ("PCF-010", "PCF-020", "PCF-040", "PCF-050", "PCF-060", "PCF-080")
"""The rules about the parts of a selector and about its tier; PCF-070 is about all parts together."""


def deciding_text(remarks: Sequence[Remark], used: Sequence[str]) -> str:
    """The finding that decides, in brackets; empty where there is none."""
    found = deciding(remarks, used)
    return f" ({found.rule}: {found.text})" if found else ""


def remark_items(remarks: Iterable[Remark], used: Sequence[str]) -> list[Item]:
    """An entry for each finding, without those of proposals that are not used."""
    return [Item(line.strip()) for line in remark_lines(shown_remarks(remarks, used))]


def remark_lines(remarks: Iterable[Remark]) -> Iterator[str]:
    """A line for each finding."""
    for remark in remarks:
        yield f"  {remark.rule:7} {remark.text}"
