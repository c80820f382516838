"""Answers in sentences, line by line, without colours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tenure.answers.shapes import (
    AttemptShape,
    CaseShape,
    CountShape,
    DecisionShape,
    ExplainAnswer,
    FlavorShape,
    FlipsShape,
    ShortageShape,
    WhyAnswer,
    WhyNotAnswer,
)
from tenure.findings import Finding


def explain_lines(answer: ExplainAnswer) -> Iterator[str]:
    """A whole decision explained."""
    yield from _outcome_lines(answer.decision, answer.now, answer.reading)
    yield from _account_lines(answer.decision)
    yield from _flip_lines(answer.flips)
    yield from ("", "What each rule found (yes: it applies, no: it does not)")
    yield from ("", f"{answer.decision.workload} asks")
    yield from _finding_lines(answer.decision.request)
    for each in answer.workloads:
        yield from ("", f"{each.workload} is {each.verdict}")
        yield from _finding_lines(each.findings)


def why_lines(answer: WhyAnswer) -> Iterator[str]:
    """Why a running workload is, or would be, preempted."""
    yield answer.summary
    yield f"  clock {answer.now}, reading {_reading(answer.reading)}"
    for case in answer.cases:
        if case.taken or len(answer.cases) == 1:
            yield from _case_lines(case)
    others = [case for case in answer.cases if not case.taken] if len(answer.cases) > 1 else []
    if others:
        yield from ("", "Not taken for")
        yield from (f"  {case.preemptor} ({case.decision}): {case.verdict}" for case in others)
    if answer.undecided:
        yield from ("", "Could not be asked about")
        yield from (f"  {each.workload}: {each.problem}" for each in answer.undecided)


def why_not_lines(answer: WhyNotAnswer) -> Iterator[str]:
    """Why a pending workload is not admitted, or does not take a running one."""
    yield answer.summary
    if answer.workload is None and answer.victim is None:
        yield from (f"  {line}" for line in answer.decision.summary)
    else:
        yield f"  {answer.decision.summary[0]}"
    yield f"  clock {answer.now}, reading {_reading(answer.reading)}"
    if answer.workload is not None:
        yield ""
        yield "What each rule found (yes: it applies, no: it does not)"
        yield from _finding_lines(answer.workload.findings)
        passed = [
            (attempt, each)
            for attempt in answer.decision.attempts
            for each in attempt.passed_over
            if each.workload == answer.victim
        ]
        yield from (f"  attempt {attempt.name}: {each.why}" for attempt, each in passed)
    elif answer.victim is None:
        yield from _account_lines(answer.decision)
    yield from _flip_lines(answer.flips)


def _outcome_lines(decision: DecisionShape, now: str, reading: str | dict[str, str]) -> Iterator[str]:
    outcome, *rest = decision.summary
    yield outcome
    yield from (f"  {line}" for line in rest)
    yield f"  clock {now}, reading {_reading(reading)}"
    width = max((len(each.workload) for each in decision.preempted), default=0)
    for each in decision.preempted:
        yield f"  preempt {each.workload:{width}}  {each.reason}  by {', '.join(each.rules)}"


def _account_lines(decision: DecisionShape) -> Iterator[str]:
    """Where quota is short, which flavors, counts and attempts were tried, and what was filled back."""
    yield from _section("Where quota is short", (_shortage_lines(each) for each in decision.shortages))
    several = len({each.pod_set for each in decision.flavors}) > 1
    flavors = ([_flavor_line(each, several)] for each in decision.flavors)
    yield from _section("Flavors, in the order tried", flavors)
    if len(decision.counts) > 1:
        counts = ([_count_line(each)] for each in decision.counts)
        yield from _section("Numbers of pods, in the order tried", counts)
    yield from _section("Attempts to make room", (_attempt_lines(each) for each in decision.attempts))
    if decision.filled_back:
        yield f"  fill-back gives their quota back to {', '.join(decision.filled_back)}"


def _section(title: str, parts: Iterable[Iterable[str]]) -> Iterator[str]:
    """A title and what stands below it; nothing where nothing does."""
    lines = [line for part in parts for line in part]
    if lines:
        yield from ("", title, *lines)


def _flavor_line(flavor: FlavorShape, several: bool) -> str:
    name = f"{flavor.pod_set}: {flavor.flavor}" if several else flavor.flavor
    return f"  {name} for {', '.join(flavor.resources)}: {flavor.mode}; {flavor.reason}"


def _count_line(count: CountShape) -> str:
    return f"  {' and '.join(f'{each.count} of {each.pod_set}' for each in count.pods)}: {count.text}"


def _shortage_lines(shortage: ShortageShape) -> Iterator[str]:
    what = f"{shortage.resource} on {shortage.flavor}"
    yield f"  {shortage.short} {what} short: {shortage.asked} asked, {shortage.available} available"
    yield from (f"    {node.text}" for node in shortage.path)
    for each in shortage.withheld:
        yield f"    {each.amount} idle in {each.node}, which its lendingLimit keeps there"


def _attempt_lines(attempt: AttemptShape) -> Iterator[str]:
    yield f"  {attempt.name}: {attempt.text}"
    yield from (f"    passed over {each.workload}: {each.why}" for each in attempt.passed_over)


def _case_lines(case: CaseShape) -> Iterator[str]:
    yield from (
        "",
        f"For {case.preemptor} in ClusterQueue {case.cluster_queue} ({case.decision})",
    )
    yield from _finding_lines(case.findings)
    if case.flips is not None:
        yield from _flip_lines(case.flips)


def _flip_lines(flips: FlipsShape) -> Iterator[str]:
    if flips.fields == 0:
        return
    yield from ("", "What would change the answer, the smallest change first")
    for flip in flips.nearest:
        yield f"  {flip.text}"
    if not flips.nearest:
        yield "  No change of a single field was found that would."
    limit = "" if flips.complete else ", not all of them: the cluster is large"
    yield f"  (searched {flips.fields} fields with {flips.tried} decisions{limit})"


def _finding_lines(findings: tuple[Finding, ...]) -> Iterator[str]:
    for finding in findings:
        yield f"  {finding.rule:8}{'yes' if finding.holds else 'no':4} {finding.text}"


def _reading(reading: str | dict[str, str]) -> str:
    if isinstance(reading, str):
        return reading
    return ", ".join(f"{key}={choice}" for key, choice in reading.items())
