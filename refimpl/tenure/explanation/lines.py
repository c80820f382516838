"""Answers in sentences, line by line, without colours.

First the answer, then what would change it, then why. Where there are many workloads they are grouped
(`tenure.explanation.groups`), unless `every` asks for each.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

from tenure.explanation.answer_types import (
    CaseShape,
    CounterfactualsShape,
    DecisionShape,
    ExplainedDecision,
    ShortageShape,
    WhyAnswer,
    WhyNotAnswer,
)
from tenure.explanation.attempts import AttemptTrial, CountTrial, FlavorTrial, PassedOver
from tenure.explanation.explain import WorkloadExplanation
from tenure.explanation.groups import (
    MOST,
    group_lines,
    grouped,
    names_text,
    queues_text,
    rule_named,
    shortened,
    without_place,
)
from tenure.explanation.quota_alone import BY_QUOTA, note_lines
from tenure.explanation.summary import assumed_lines
from tenure.explanation.verdicts import (
    RULES_TITLE,
    deciding_text,
    findings_of,
    remark_lines,
    rules_lines,
)
from tenure.model import Outcome

MOST_CASES = 4
"""So many pending workloads that preempt a running one are listed with what each rule found."""


def explained_lines(explained: ExplainedDecision, *, every: bool = False) -> Iterator[str]:
    """How a decision came about: what would change it, what is short and was tried, what every rule found.

    Args:
        explained: the same as a record.
        every: whether all workloads are listed one by one, however many they are.
    """
    yield from _flip_lines(explained.counterfactuals)
    yield from _account_lines(explained.decision, every=every)
    yield from _every_finding(explained.decision, explained.workloads, every=every)


def _every_finding(
    decision: DecisionShape, workloads: Sequence[WorkloadExplanation], *, every: bool
) -> Iterator[str]:
    """What each rule found about every workload."""
    # The shortage is above already; where the list is long it is not repeated.
    request = decision.request if every or len(workloads) <= MOST else ()
    yield from rules_lines(decision.workload, request, workloads, every=every)


def why_lines(answer: WhyAnswer, *, every: bool = False) -> Iterator[str]:
    """Why a running workload is, or would be, preempted.

    Args:
        answer: the answer.
        every: whether all pending workloads are listed one by one, however many they are.
    """
    yield answer.summary
    if answer.earlier is not None:
        yield f"  {answer.earlier}"
    yield f"  clock {answer.now}, reading {answer.reading_text}"
    yield from assumed_lines(answer.premises)
    yield from note_lines(next((case.topology for case in answer.cases if case.topology), None))
    if len(answer.cases) == 1:
        yield from _only_case_lines(answer.cases[0], every=every)
    else:
        yield from _preempting_lines([case for case in answer.cases if case.preempted], every=every)
        yield from _sparing_lines([case for case in answer.cases if not case.preempted], every=every)
    if answer.undecided:
        yield from ("", "Could not be decided")
        told = [f"{undecided.workload}: {undecided.problem}" for undecided in answer.undecided]
        yield from shortened(told, every=every)


def _only_case_lines(case: CaseShape, *, every: bool) -> Iterator[str]:
    """The only pending workload in question: also what was tried for it."""
    yield from ("", _case_title(case))
    yield from (f"  {line}" for line in case.summary[1:])
    if case.counterfactuals is not None:
        yield from _flip_lines(case.counterfactuals)
    yield from _tried_lines(case.flavors, case.counts)
    yield from _section("Attempts to preempt", (_attempt_lines(attempt, every) for attempt in case.attempts))
    yield from _section(RULES_TITLE, [remark_lines(case.remarks)])


def _case_title(case: CaseShape) -> str:
    by = f" {BY_QUOTA}" if case.topology else ""
    return f"For {case.preemptor} in ClusterQueue {case.cluster_queue} ({case.decision}{by})"


def _preempting_lines(cases: Sequence[CaseShape], *, every: bool) -> Iterator[str]:
    """Pending workloads that preempt it: each with its findings, or counted, and the first of each group."""
    if every or len(cases) <= MOST_CASES:
        for case in cases:
            yield from ("", _case_title(case))
            yield from remark_lines(case.remarks)
        return
    yield from ("", f"Preempted for {len(cases)} pending workloads, each decided alone")
    yield from _case_groups(cases)
    yield from ("", _case_title(cases[0]))
    yield from remark_lines(cases[0].remarks)


def _sparing_lines(cases: Sequence[CaseShape], *, every: bool) -> Iterator[str]:
    if not cases:
        return
    yield from ("", "Not preempted for")
    if every or len(cases) <= MOST:
        yield from (f"  {case.preemptor} ({case.decision}): {case.verdict}" for case in cases)
    else:
        yield from _case_groups(cases)


def _case_groups(cases: Sequence[CaseShape]) -> Iterator[str]:
    """Pending workloads counted by their decision, the verdict and the rules behind it."""

    def common(case: CaseShape) -> tuple[Hashable, ...]:
        verdict = without_place(case.verdict)
        if not case.remarks:  # of another tree: it names the queue of each
            verdict = verdict.replace(case.cluster_queue, "its own")
        return case.decision, verdict, findings_of(case.remarks)

    def told(alike: Sequence[CaseShape]) -> str:
        where = queues_text(case.cluster_queue for case in alike)
        counted = f"{len(alike)} ({alike[0].decision}) in {where}: {without_place(alike[0].verdict)}"
        return f"{counted}; e.g. {alike[0].preemptor}{deciding_text(alike[0].remarks)}"

    yield from group_lines(grouped(cases, common), told)


def why_not_lines(answer: WhyNotAnswer, *, every: bool = False) -> Iterator[str]:
    """Why a pending workload is not admitted, or does not preempt a running one.

    Args:
        answer: the answer.
        every: whether all workloads are listed one by one, however many they are.
    """
    yield answer.summary
    if answer.earlier is not None:
        yield f"  {answer.earlier}"
    if answer.ahead and answer.victim is None and answer.decision.decision in (Outcome.FIT, Outcome.PREEMPT):
        asked = f"tenure next {answer.decision.workload}"
        yield f"  first {answer.ahead[0]}; who else, and when its turn comes: {asked}"
    yield from (f"  {line}" for line in answer.decision.summary)
    yield f"  clock {answer.now}, reading {answer.reading_text}"
    yield from assumed_lines(answer.premises)
    yield from note_lines(answer.decision.topology)
    if answer.victim is None and len(answer.obstacles) > 1:
        yield from _section(
            "Fields that stand in the way", [[f"  {found.text}" for found in answer.obstacles]]
        )
    yield from _flip_lines(answer.counterfactuals)
    if answer.victim is None or answer.workloads:
        yield from _account_lines(answer.decision, every=every)
    elif answer.workload is not None:
        yield from _tried_lines(answer.decision.flavors, answer.decision.counts)
    if answer.workloads:
        yield from _every_finding(answer.decision, answer.workloads, every=every)
    elif answer.workload is not None:
        yield from _section(RULES_TITLE, [remark_lines(answer.workload.remarks)])
        yield from (
            f"  attempt {attempt.name}: {passed_over.why}"
            for attempt in answer.decision.attempts
            for passed_over in attempt.passed_over
            if passed_over.workload == answer.victim
        )


def _account_lines(decision: DecisionShape, *, every: bool) -> Iterator[str]:
    """Where quota is short, which flavors, counts and attempts were tried, and what was filled back."""
    yield from _section(
        "Where quota is short", (_shortage_lines(shortage) for shortage in decision.shortages)
    )
    yield from _tried_lines(decision.flavors, decision.counts)
    yield from _section(
        "Attempts to preempt", (_attempt_lines(attempt, every) for attempt in decision.attempts)
    )
    if decision.filled_back:
        yield f"  fill-back gives their quota back to {names_text(decision.filled_back, every=every)}"


def _tried_lines(flavors: tuple[FlavorTrial, ...], counts: tuple[CountTrial, ...]) -> Iterator[str]:
    several = len({flavor.pod_set for flavor in flavors}) > 1
    yield from _section(
        "Flavors, in the order tried", ([_flavor_line(flavor, several)] for flavor in flavors)
    )
    if len(counts) > 1:
        yield from _section("Numbers of pods, in the order tried", ([_count_line(count)] for count in counts))


def _section(title: str, parts: Iterable[Iterable[str]]) -> Iterator[str]:
    """A title and what is below it; nothing where nothing does."""
    lines = [line for part in parts for line in part]
    if lines:
        yield from ("", title, *lines)


def _flavor_line(flavor: FlavorTrial, several: bool) -> str:
    name = f"{flavor.pod_set}: {flavor.flavor}" if several else flavor.flavor
    return f"  {name} for {', '.join(flavor.resources)}: {flavor.mode}; {flavor.reason}"


def _count_line(count: CountTrial) -> str:
    return f"  {' and '.join(f'{pod.count} of {pod.pod_set}' for pod in count.pods)}: {count.text}"


def _shortage_lines(shortage: ShortageShape) -> Iterator[str]:
    what = f"{shortage.resource} on {shortage.flavor}"
    yield f"  {shortage.short} {what} short: {shortage.asked} asked, {shortage.available} available"
    yield from (f"    {node.text}" for node in shortage.path)
    for withheld in shortage.withheld:
        yield f"    {withheld.amount} idle in {withheld.node}, which its lendingLimit keeps there"


def _attempt_lines(attempt: AttemptTrial, every: bool) -> Iterator[str]:
    yield f"  {attempt.name}: {attempt.text}"
    yield from (f"    {shares}" for shares in attempt.shares)
    if every or len(attempt.passed_over) <= MOST:
        yield from (
            f"    passed over {passed_over.workload}: {passed_over.why}"
            for passed_over in attempt.passed_over
        )
        return

    def told(alike: Sequence[PassedOver]) -> str:
        where = queues_text(passed_over.cluster_queue for passed_over in alike)
        return f"passed over {len(alike)} in {where}; e.g. {alike[0].workload}: {alike[0].why}"

    groups = grouped(attempt.passed_over, lambda passed_over: rule_named(passed_over.why))
    yield from group_lines(groups, told, "    ")


def _flip_lines(flips: CounterfactualsShape) -> Iterator[str]:
    if flips.fields == 0:
        return
    better = "" if flips.worse else " for the better"
    yield from (
        "",
        f"What would change the answer{better}; harmless to other teams first, then your own fields",
    )
    for flip in flips.nearest:
        yield f"  {flip.text}"
    if not flips.nearest:
        yield "  No change of a single field was found that would."
    limit = "" if flips.complete else ", not all of them: the cluster is large"
    yield f"  (searched {flips.fields} fields with {flips.tried} decisions{limit})"
