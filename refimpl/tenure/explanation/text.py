"""Answers in sentences, as text and as Markdown.

First the answer, then what would change it, then why. Where there are many workloads they are grouped
(`tenure.explanation.groups`), unless `every` lists each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

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
    FOR_ALL,
    MOST,
    MOST_NAMES,
    group_lines,
    grouped,
    names_text,
    queues_text,
    rule_named,
    without_place,
)
from tenure.explanation.proposals import clock_text
from tenure.explanation.quota_alone import BY_QUOTA, note_lines
from tenure.explanation.remarks import Remark
from tenure.explanation.risk.answer import names
from tenure.explanation.risk.answer_types import ExposureShape, SeenShape
from tenure.explanation.summary import assumed_lines
from tenure.explanation.verdicts import (
    RULES_TITLE,
    deciding,
    deciding_text,
    findings_of,
    refusing,
    remark_items,
    rules_parts,
)
from tenure.outline import CommandAdvice, Facts, Item, Outline, Part, TitledList, Words
from tenure.units import counted, format_names

DECIDES = "The rule that decides; --verbose shows all"
DECIDE = "The rules that decide, of spec.preemption and of the PreemptionConfig; --verbose shows all"
MOST_SELECTORS = 5
"""So many selectors of a PreemptionConfig are listed that refuse a running workload."""
MOST_CASES = 4
"""So many pending workloads that preempt a running one are listed one by one."""
MOST_GROUPS = 6
"""So many groups of ClusterQueues are listed without --all."""


def explained_lines(explained: ExplainedDecision, *, every: bool = False) -> Iterator[str]:
    """How a decision came about: what would change it, what is short and was tried, what every rule found.

    Args:
        explained: the same as a record.
        every: whether all workloads are listed one by one, however many they are.
    """
    parts = [
        *_counterfactual_parts(explained.counterfactuals),
        *_account_parts(explained.decision, every=every),
        *_every_finding(explained.decision, explained.workloads, every=every),
    ]
    yield from Outline("", parts).text_lines()


def _every_finding(
    decision: DecisionShape, workloads: Sequence[WorkloadExplanation], *, every: bool
) -> Iterator[Part]:
    """What each rule found about every workload."""
    # The shortage is above already; where the list is long it is not repeated.
    request = decision.request if every or len(workloads) <= MOST else ()
    yield from rules_parts(decision.workload, request, workloads, decision.proposals, every=every)


def why_outline(answer: WhyAnswer, *, every: bool = False, verbose: bool = False) -> Outline:
    """Why a running workload is, or would be, preempted.

    Args:
        answer: the answer.
        every: whether all pending workloads are listed one by one, however many they are.
        verbose: whether everything that the rules found is listed, not only what decides.
    """
    return Outline(f"Why {answer.victim} may be preempted", list(_why_parts(answer, every, verbose)))


def _why_parts(answer: WhyAnswer, every: bool, verbose: bool) -> Iterator[Part]:
    facts = [
        *([] if answer.earlier is None else [answer.earlier]),
        clock_text(answer.now, answer.reading_text, answer.proposals),
        *_stripped(assumed_lines(answer.premises)),
        *_stripped(note_lines(next((case.topology for case in answer.cases if case.topology), None))),
    ]
    if len(answer.cases) == 1:
        cases = _only_case_parts(answer.cases[0], answer.proposals, every=every, verbose=verbose)
    else:
        cases = _case_parts(answer.cases, answer.proposals, every=every, verbose=verbose)
    if not isinstance(answer.exposure, ExposureShape):
        yield from (answer.summary, Facts(facts), *cases)
    else:
        first, *others = exposure_parts(answer.exposure, every=every)
        yield from (answer.summary, first, Facts(facts), *cases, *others)
    undecided = [Item(f"{found.workload}: {found.problem}") for found in answer.undecided]
    yield TitledList("Could not be decided", undecided, None if every else MOST, FOR_ALL)


def _stripped(lines: Iterator[str] | tuple[str, ...]) -> Iterator[str]:
    return (line.strip() for line in lines)


def _only_case_parts(case: CaseShape, used: Sequence[str], *, every: bool, verbose: bool) -> Iterator[Part]:
    """The only pending workload in question: also what was tried for it."""
    by = f" {BY_QUOTA}" if case.topology else ""
    title = f"For {case.preemptor} in ClusterQueue {case.cluster_queue} ({case.decision}{by})"
    short = [Item(line) for line in case.summary[1:]]
    yield TitledList(title, short) if short else title
    if case.counterfactuals is not None:
        yield from _counterfactual_parts(case.counterfactuals)
    yield from _tried_parts(case.flavors, case.counts)
    yield _attempts_part(case.attempts, every=every)
    yield findings_part(case.remarks, used, verbose=verbose)


def findings_part(remarks: Sequence[Remark], used: Sequence[str], *, verbose: bool) -> Part:
    """What each rule found about a running workload, or what decides.

    Args:
        remarks: the findings.
        used: the proposals that are used.
        verbose: whether all are listed.
    """
    decides = deciding(remarks, used)
    if verbose or decides is None:
        return TitledList(RULES_TITLE, remark_items(remarks, used))
    selectors = refusing(remarks)
    if not selectors:
        return TitledList(DECIDES, remark_items([decides], used))
    policies = [remark for remark in remarks if not remark.rule.startswith("PCF")]
    policy = deciding(policies, used)
    if policy is None or (policy.holds and policy.rule != "KQ-200"):
        policy = policies[0]  # The headline does not repeat it.
    found = [policy, *selectors[:MOST_SELECTORS]]
    return TitledList(DECIDE, remark_items(found, used))


def _case_parts(
    cases: Sequence[CaseShape], used: Sequence[str], *, every: bool, verbose: bool
) -> Iterator[Part]:
    """Pending workloads that preempt it, each or by groups, and how many do not."""
    preempting = [case for case in cases if case.preempted]
    sparing = [case for case in cases if not case.preempted]
    lines: list[Words]
    if every or len(preempting) <= MOST_CASES:
        lines = [
            f"{case.preemptor} in ClusterQueue {case.cluster_queue}{deciding_text(case.remarks, used)}"
            for case in preempting
        ]
    else:
        lines = list(_case_groups(preempting, used))
    if sparing and not every:
        counts = Counter(case.decision for case in sparing)
        kinds = ", ".join(f"{count} {kind}" for kind, count in counts.most_common())
        others = "1 other does not" if len(sparing) == 1 else f"{len(sparing)} others do not"
        whose = others if preempting else "pending workloads"
        lines.append([f"{whose}: {kinds}", CommandAdvice("; each with --all")])
    yield Facts(lines)
    for case in preempting if verbose else ():
        title = f"For {case.preemptor} in ClusterQueue {case.cluster_queue} ({case.decision})"
        yield TitledList(title, remark_items(case.remarks, used))
    if every:
        spared = [Item(f"{case.preemptor} ({case.decision}): {case.verdict}") for case in sparing]
        yield TitledList("Not preempted for", spared)


def _case_groups(cases: Sequence[CaseShape], used: Sequence[str]) -> Iterator[Words]:
    """Pending workloads counted by their decision, the verdict and the rules behind it."""

    def common(case: CaseShape) -> tuple[Hashable, ...]:
        verdict = without_place(case.verdict)
        if not case.remarks:  # of another tree: it names the queue of each
            verdict = verdict.replace(case.cluster_queue, "its own")
        return case.decision, verdict, findings_of(case.remarks)

    def line(alike: Sequence[CaseShape]) -> str:
        where = queues_text(case.cluster_queue for case in alike)
        counted = f"{len(alike)} ({alike[0].decision}) in {where}: {without_place(alike[0].verdict)}"
        return f"{counted}; e.g. {alike[0].preemptor}{deciding_text(alike[0].remarks, used)}"

    yield from group_lines(grouped(cases, common), line, "")


def why_not_outline(answer: WhyNotAnswer, *, every: bool = False, verbose: bool = False) -> Outline:
    """Why a pending workload is not admitted, or does not preempt a running one.

    Args:
        answer: the answer.
        every: whether all workloads are listed one by one, however many they are.
        verbose: whether everything that the rules found is listed, not only what decides.
    """
    title = f"Why {answer.decision.workload} is not admitted"
    if answer.victim is not None:
        title = f"Why {answer.decision.workload} does not preempt {answer.victim}"
    return Outline(title, list(_why_not_parts(answer, every, verbose)))


def _why_not_parts(answer: WhyNotAnswer, every: bool, verbose: bool) -> Iterator[Part]:
    decision = answer.decision
    yield answer.summary
    facts = [] if answer.earlier is None else [answer.earlier]
    if answer.coming is not None and answer.coming.later:
        facts.append(f"later: {answer.coming.later}; cycle by cycle: tenure next {decision.workload}")
    yield Facts(
        [
            *facts,
            *decision.summary,
            clock_text(answer.now, answer.reading_text, decision.proposals),
            *_stripped(assumed_lines(answer.premises)),
            *_stripped(note_lines(decision.topology)),
        ]
    )
    if answer.victim is None:
        further = [obstacle for obstacle in answer.obstacles if obstacle.text not in answer.summary]
        which = "Further fields" if len(further) < len(answer.obstacles) else "Fields"
        yield TitledList(f"{which} that stand in the way", [Item(obstacle.text) for obstacle in further])
    if answer.coming is not None:
        tried = [Item(text) for text in answer.coming.remedies]
        yield TitledList("What would change the coming cycle, each tried", tried)
    yield from _counterfactual_parts(answer.counterfactuals)
    if answer.victim is None or answer.workloads:
        yield from _account_parts(decision, every=every)
    elif answer.workload is not None:
        yield from _tried_parts(decision.flavors, decision.counts)
    if answer.workloads:
        yield from _every_finding(decision, answer.workloads, every=every)
    elif answer.workload is not None:
        yield findings_part(answer.workload.remarks, decision.proposals, verbose=verbose)
        yield TitledList(
            "When its turn came",
            [
                Item(f"attempt {attempt.name}: {passed_over.why}")
                for attempt in decision.attempts
                for passed_over in attempt.passed_over
                if passed_over.workload == answer.victim
            ],
        )


def _account_parts(decision: DecisionShape, *, every: bool) -> Iterator[Part]:
    """Where quota is short, which flavors, counts and attempts were tried, and what was filled back."""
    yield TitledList("Where quota is short", [_shortage_item(shortage) for shortage in decision.shortages])
    yield from _tried_parts(decision.flavors, decision.counts)
    yield _attempts_part(decision.attempts, every=every)
    if decision.filled_back:
        back = names_text(decision.filled_back, every=every)
        yield Facts([f"fill-back gives their quota back to {back}"])


def _tried_parts(flavors: tuple[FlavorTrial, ...], counts: tuple[CountTrial, ...]) -> Iterator[Part]:
    several = len({flavor.pod_set for flavor in flavors}) > 1
    lines = [Item(_flavor_line(flavor, several)) for flavor in flavors]
    yield TitledList("Flavors, in the order tried", lines)
    if len(counts) > 1:
        yield TitledList(
            "Numbers of pods, in the order tried", [Item(_count_line(count)) for count in counts]
        )


def _flavor_line(flavor: FlavorTrial, several: bool) -> str:
    name = f"{flavor.pod_set}: {flavor.flavor}" if several else flavor.flavor
    return f"{name} for {', '.join(flavor.resources)}: {flavor.mode}; {flavor.reason}"


def _count_line(count: CountTrial) -> str:
    return f"{' and '.join(f'{pod.count} of {pod.pod_set}' for pod in count.pods)}: {count.text}"


def _shortage_item(shortage: ShortageShape) -> Item:
    what = f"{shortage.resource} on {shortage.flavor}"
    path = [Item(node.text) for node in shortage.path]
    kept = [
        Item(f"{withheld.amount} idle in {withheld.node}, which its lendingLimit keeps there")
        for withheld in shortage.withheld
    ]
    words = f"{shortage.short} {what} short: {shortage.asked} asked, {shortage.available} available"
    return Item(words, [*path, *kept])


def _attempts_part(attempts: Sequence[AttemptTrial], *, every: bool) -> Part:
    items = [
        Item(f"{attempt.name}: {attempt.text}", [*map(Item, attempt.shares), *_passed_over(attempt, every)])
        for attempt in attempts
    ]
    return TitledList("Attempts to preempt", items)


def _passed_over(attempt: AttemptTrial, every: bool) -> Iterator[Item]:
    if every or len(attempt.passed_over) <= MOST:
        alike: dict[str, list[str]] = {}
        for passed_over in attempt.passed_over:
            alike.setdefault(passed_over.why, []).append(passed_over.workload)
        for why, names in alike.items():
            yield Item(f"passed over {format_names(names, len(names) if every else MOST_NAMES)}: {why}")
        return

    def line(alike: Sequence[PassedOver]) -> str:
        where = queues_text(passed_over.cluster_queue for passed_over in alike)
        return f"passed over {len(alike)} in {where}; e.g. {alike[0].workload}: {alike[0].why}"

    groups = grouped(attempt.passed_over, lambda passed_over: rule_named(passed_over.why))
    yield from map(Item, group_lines(groups, line, ""))


def _counterfactual_parts(counterfactuals: CounterfactualsShape) -> Iterator[Part]:
    if counterfactuals.fields == 0:
        return
    better = "" if counterfactuals.worse else " for the better"
    items = [Item(change.text) for change in counterfactuals.nearest]
    if not counterfactuals.nearest:
        items.append(Item("No change of a single field was found that would."))
    limit = "" if counterfactuals.complete else ", not all of them: the cluster is large"
    searched = f"searched {counterfactuals.fields} fields with {counterfactuals.tried} decisions{limit}"
    left_out = "".join(f"; not tried: {text}" for text in counterfactuals.not_tried)
    items.append(Item(f"({searched}{left_out})"))
    title = f"What would change the answer{better}; harmless to other teams first, then your own fields"
    yield TitledList(title, items)


def exposure_parts(answer: ExposureShape, *, every: bool = False) -> Iterator[Part]:
    """Who could preempt a running workload, and until when it is safe: the headline, then by ClusterQueue.

    Args:
        answer: the answer.
        every: whether every ClusterQueue is named.
    """
    yield answer.summary
    if answer.not_covered:
        return
    yield Facts([line.strip() for line in note_lines(answer.topology)])
    shown = answer.cluster_queues if every else answer.cluster_queues[:MOST_GROUPS]
    items = [_seen_item(seen, every=every) for seen in shown]
    rest = answer.cluster_queues[len(shown) :]
    if rest:
        count = sum(len(seen.cluster_queues) for seen in rest)
        items.append(Item(f"{counted(count, 'more ClusterQueue')}: --all names them"))
    if answer.more_changes:
        items.append(Item("Its priority changes after the last instant above too."))
    title = "Who could, by ClusterQueue, with a new workload of any size while nothing else changes"
    yield TitledList(title, items)


def _seen_item(seen: SeenShape, *, every: bool) -> Item:
    first, *later = seen.spans
    named = ", ".join(seen.cluster_queues) if every else names(seen.cluster_queues)
    older = [] if seen.older is None else [Item(f"now also {seen.older.text}")]
    spans = [Item(f"from {span.since} on {span.text}") for span in later]
    return Item(f"{named}: {first.text}", [*older, *spans])
