"""A decision and its flips as shapes."""

from __future__ import annotations

from tenure.oracle.decide import Decision
from tenure.telling.answers.readings import reading_text
from tenure.telling.answers.shapes import (
    DecisionShape,
    ExplainAnswer,
    FlipShape,
    FlipsShape,
    NodeShape,
    PreemptedShape,
    ShortageShape,
    WithheldShape,
    WorkloadShape,
)
from tenure.telling.explain import GROUND_RULES, WorkloadExplanation, explain, summarize
from tenure.telling.findings import request_findings
from tenure.telling.findings.attempts import attempts, spared
from tenure.telling.findings.counts import count_trials
from tenure.telling.findings.flavors import flavor_trials
from tenure.telling.findings.shortages import Shortage, account_text, amount, shortages
from tenure.telling.flips import DEFAULT_LIMIT, Flip, Situation, search_flips
from tenure.units import format_instant


def explain_answer(decision: Decision, flips: int = DEFAULT_LIMIT) -> ExplainAnswer:
    """A whole decision explained.

    Args:
        decision: the decision.
        flips: how many of the nearest flips at most; 0 searches for none.

    >>> import tenure
    >>> from tenure.resources import bundled
    >>> cluster = tenure.load(bundled("examples", "two-teams"))
    >>> decision = tenure.decide(cluster, "team-a/job-doc-index-dfa0b", now="2026-03-02T14:00:00Z")
    >>> explain_answer(decision, flips=0).decision.attempts[0].text
    'the request fits after the removal of 1 of 1 candidate'
    """
    return ExplainAnswer(
        now=format_instant(decision.now),
        reading=decision.reading.written(),
        reading_text=reading_text(decision.reading),
        decision=decision_shape(decision),
        workloads=tuple(workload_shape(each) for each in explain(decision).workloads),
        flips=flips_shape(decision, None, flips),
    )


def decision_shape(decision: Decision) -> DecisionShape:
    """A decision, and how it came about."""
    return DecisionShape(
        workload=decision.preemptor.key,
        cluster_queue=decision.queue.name,
        decision=str(decision.outcome),
        summary=summarize(decision),
        preempted=tuple(
            PreemptedShape(
                workload=target.workload.key,
                cluster_queue=target.workload.cluster_queue or "",
                reason=target.reason.label,
                rules=GROUND_RULES[target.evidence.ground],
            )
            for target in decision.targets
        ),
        request=tuple(request_findings(decision)),
        shortages=tuple(_shortage(each) for each in shortages(decision)),
        flavors=flavor_trials(decision),
        counts=count_trials(decision),
        attempts=attempts(decision),
        filled_back=spared(decision),
    )


def workload_shape(explained: WorkloadExplanation) -> WorkloadShape:
    """One running workload explained."""
    return WorkloadShape(
        workload=explained.workload.key,
        cluster_queue=explained.workload.cluster_queue or "",
        taken=explained.taken,
        verdict=explained.verdict,
        findings=explained.findings,
    )


def flips_shape(decision: Decision, target: str | None, limit: int) -> FlipsShape:
    """The nearest flips of a decision.

    Args:
        decision: the decision.
        target: a running workload, or None; see `tenure.telling.flips.nearest_flips`.
        limit: how many at most; 0 searches for none.
    """
    if limit == 0:
        return FlipsShape(tried=0, fields=0, complete=False, nearest=())
    found = search_flips(Situation.of(decision), target, limit)
    return FlipsShape(found.tried, found.fields, found.complete, tuple(_flip(each) for each in found.flips))


def _flip(flip: Flip) -> FlipShape:
    return FlipShape(
        object=flip.object,
        field=flip.field,
        old=flip.old_text,
        new=flip.new_text,
        bound=flip.bound,
        before=str(flip.before),
        after=str(flip.after),
        decision=str(flip.outcome),
        preempted=flip.preempted,
        usable=flip.is_usable,
        tie=flip.tie,
        size=round(flip.size, 6),
        exact=flip.exact,
        text=flip.sentence,
    )


def _shortage(found: Shortage) -> ShortageShape:
    at = found.at
    return ShortageShape(
        flavor=at.flavor,
        resource=at.resource,
        asked=amount(at, found.asked),
        available=amount(at, found.available),
        short=amount(at, found.short),
        path=tuple(
            NodeShape(
                kind=node.kind,
                name=node.name,
                usage=amount(at, node.usage),
                nominal=amount(at, node.nominal),
                quota=amount(at, node.quota),
                local_quota=amount(at, node.local_quota),
                borrowing_limit=None if node.borrowing_limit is None else amount(at, node.borrowing_limit),
                available=amount(at, node.available),
                binds=node.binds,
                billed=amount(at, node.billed),
                text=account_text(node, at),
            )
            for node in found.path
        ),
        withheld=tuple(WithheldShape(node, amount(at, idle)) for node, idle in found.withheld),
    )
