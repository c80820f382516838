"""Answers in sentences, line by line, without colours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tenure.telling.answer_types import (
    CaseShape,
    DecisionShape,
    ExplainAnswer,
    FlipsShape,
    ShortageShape,
    WhyAnswer,
    WhyNotAnswer,
)
from tenure.telling.remarks import Remark
from tenure.telling.tried import AttemptTrial, CountTrial, FlavorTrial

RULES_TITLE = "What each rule found (yes: it applies, no: it does not)"


def explain_lines(answer: ExplainAnswer) -> Iterator[str]:
    """A whole decision explained."""
    yield from _outcome_lines(answer.decision, answer.now, answer.reading_text)
    yield from _account_lines(answer.decision)
    yield from _flip_lines(answer.flips)
    yield from ("", RULES_TITLE)
    yield from ("", f"{answer.decision.workload} asks")
    yield from _remark_lines(answer.decision.request)
    for workload in answer.workloads:
        yield from ("", f"{workload.workload} is {workload.verdict}")
        yield from _remark_lines(workload.remarks)


def why_lines(answer: WhyAnswer) -> Iterator[str]:
    """Why a running workload is, or would be, preempted."""
    yield answer.summary
    if answer.earlier is not None:
        yield f"  {answer.earlier}"
    yield f"  clock {answer.now}, reading {answer.reading_text}"
    alone = len(answer.cases) == 1
    for case in answer.cases:
        if case.preempted or alone:
            yield from _case_lines(case, alone=alone)
    others = [case for case in answer.cases if not case.preempted] if len(answer.cases) > 1 else []
    if others:
        yield from ("", "Not preempted for")
        yield from (f"  {case.preemptor} ({case.decision}): {case.verdict}" for case in others)
    if answer.undecided:
        yield from ("", "Could not be asked about")
        yield from (f"  {undecided.workload}: {undecided.problem}" for undecided in answer.undecided)


def why_not_lines(answer: WhyNotAnswer) -> Iterator[str]:
    """Why a pending workload is not admitted, or does not preempt a running one."""
    yield answer.summary
    if answer.earlier is not None:
        yield f"  {answer.earlier}"
    yield from (f"  {line}" for line in answer.decision.summary)
    yield f"  clock {answer.now}, reading {answer.reading_text}"
    if answer.workload is not None:
        yield from _tried_lines(answer.decision.flavors, answer.decision.counts)
        yield from _section(RULES_TITLE, [_remark_lines(answer.workload.remarks)])
        passed = [
            (attempt, passed_over)
            for attempt in answer.decision.attempts
            for passed_over in attempt.passed_over
            if passed_over.workload == answer.victim
        ]
        yield from (f"  attempt {attempt.name}: {passed_over.why}" for attempt, passed_over in passed)
    elif answer.victim is None:
        yield from _account_lines(answer.decision)
    yield from _flip_lines(answer.flips)


def _outcome_lines(decision: DecisionShape, now: str, reading: str) -> Iterator[str]:
    outcome, *rest = decision.summary
    yield outcome
    yield from (f"  {line}" for line in rest)
    yield f"  clock {now}, reading {reading}"
    width = max((len(preempted.workload) for preempted in decision.preempted), default=0)
    for preempted in decision.preempted:
        yield f"  preempt {preempted.workload:{width}}  {preempted.reason}  by {', '.join(preempted.rules)}"


def _account_lines(decision: DecisionShape) -> Iterator[str]:
    """Where quota is short, which flavors, counts and attempts were tried, and what was filled back."""
    yield from _section(
        "Where quota is short", (_shortage_lines(shortage) for shortage in decision.shortages)
    )
    yield from _tried_lines(decision.flavors, decision.counts)
    yield from _section("Attempts to preempt", (_attempt_lines(attempt) for attempt in decision.attempts))
    if decision.filled_back:
        yield f"  fill-back gives their quota back to {', '.join(decision.filled_back)}"


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


def _attempt_lines(attempt: AttemptTrial) -> Iterator[str]:
    yield f"  {attempt.name}: {attempt.text}"
    yield from (
        f"    passed over {passed_over.workload}: {passed_over.why}" for passed_over in attempt.passed_over
    )


def _case_lines(case: CaseShape, *, alone: bool) -> Iterator[str]:
    """One pending workload: of the only one that is asked about, also what was tried for it."""
    yield from ("", f"For {case.preemptor} in ClusterQueue {case.cluster_queue} ({case.decision})")
    if alone:
        yield from (f"  {line}" for line in case.summary[1:])
        yield from _tried_lines(case.flavors, case.counts)
        yield from _section("Attempts to preempt", (_attempt_lines(attempt) for attempt in case.attempts))
        yield from _section(RULES_TITLE, [_remark_lines(case.remarks)])
    else:
        yield from _remark_lines(case.remarks)
    if case.flips is not None:
        yield from _flip_lines(case.flips)


def _flip_lines(flips: FlipsShape) -> Iterator[str]:
    if flips.fields == 0:
        return
    yield from ("", "What would change the answer, usable changes first, the smaller first")
    for flip in flips.nearest:
        yield f"  {flip.text}"
    if not flips.nearest:
        yield "  No change of a single field was found that would."
    limit = "" if flips.complete else ", not all of them: the cluster is large"
    yield f"  (searched {flips.fields} fields with {flips.tried} decisions{limit})"


def _remark_lines(remarks: tuple[Remark, ...]) -> Iterator[str]:
    for remark in remarks:
        yield f"  {remark.rule:8}{'yes' if remark.holds else 'no':4} {remark.text}"
