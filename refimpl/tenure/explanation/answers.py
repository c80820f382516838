"""Answers to *why* and *why not*: what the explanation and the nearest counterfactuals together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from tenure.choices import DEFAULT_LIMIT, Outcome
from tenure.explanation.answer_types import (
    CaseShape,
    CounterfactualShape,
    CounterfactualsShape,
    DecisionShape,
    ExplainedDecision,
    JointFate,
    NodeShape,
    ObstacleShape,
    ShortageShape,
    UndecidedShape,
    WhyAnswer,
    WhyNotAnswer,
    WithheldShape,
)
from tenure.explanation.attempts import attempts, count_trials, flavor_trials, spared
from tenure.explanation.counterfactuals import (
    Counterfactual,
    FaresBetter,
    IsKept,
    IsPreempted,
    Situation,
    Wish,
    search_counterfactuals,
)
from tenure.explanation.counterfactuals.config_fields import not_tried
from tenure.explanation.explain import explain, explain_workload
from tenure.explanation.groups import MOST_NAMES, names_text
from tenure.explanation.obstacles import NO_FIELD, obstacle_of_turn, obstacles, obstacles_of_victim
from tenure.explanation.proposals import proposals_in
from tenure.explanation.quota_alone import BY_QUOTA, quota_alone, topology_of
from tenure.explanation.remarks import Remark
from tenure.explanation.shapes import preempted_workloads
from tenure.explanation.shortages import Shortage, account_text, amount, shortages
from tenure.explanation.summary import engine_of, reading_text, request_remarks, summarize
from tenure.model import Workload
from tenure.oracle.decide import Decision
from tenure.readings import Reading
from tenure.units import format_instant, format_names

Locate: TypeAlias = Callable[[str, str], tuple[str, int]]
"""The file and line of a field of an object, by their names; an empty text and 0 where it is not known."""


def _nowhere(_object: str, _field: str) -> tuple[str, int]:
    return "", 0


Jointly: TypeAlias = Callable[[Counterfactual], JointFate | None]
"""What becomes of the pending workload with a change, beside all others; None where that is not known."""


def explained(
    decision: Decision, counterfactuals: int = DEFAULT_LIMIT, *, worse: bool = False
) -> ExplainedDecision:
    """How a decision came about.

    Args:
        decision: the decision.
        counterfactuals: how many of the nearest counterfactuals at most; 0 searches for none.
        worse: whether counterfactuals that make things worse are searched for too.

    >>> import tenure
    >>> from tenure.resources import bundled
    >>> cluster = tenure.load(bundled("examples", "two-teams"))
    >>> decision = tenure.decide(cluster, "team-a/job-doc-index-dfa0b", now="2026-03-02T14:00:00Z")
    >>> explained(decision, counterfactuals=0).decision.attempts[0].text
    'the request fits after the removal of 1 of 1 candidate'
    """
    return ExplainedDecision(
        decision=decision_shape(decision),
        workloads=explain(decision).workloads,
        counterfactuals=counterfactuals_shape(
            decision, None, counterfactuals, None if worse else FaresBetter()
        ),
    )


def decision_shape(decision: Decision) -> DecisionShape:
    """A decision, and how it came about."""
    return DecisionShape(
        workload=decision.preemptor.key,
        cluster_queue=decision.queue.name,
        decision=str(decision.outcome),
        topology=topology_of(decision.not_modelled),
        summary=summarize(decision),
        preempted=preempted_workloads(decision),
        request=tuple(request_remarks(decision)),
        shortages=tuple(_shortage(shortage) for shortage in shortages(decision)),
        flavors=flavor_trials(decision),
        counts=count_trials(decision),
        attempts=attempts(decision),
        filled_back=spared(decision),
        proposals=proposals_in(decision.snapshot.cluster),
    )


def counterfactuals_shape(
    decision: Decision, target: str | None, limit: int, wish: Wish | None, jointly: Jointly | None = None
) -> CounterfactualsShape:
    """The nearest counterfactuals of a decision.

    Args:
        decision: the decision.
        target: a running workload, or None; see `tenure.explanation.counterfactuals.nearest_counterfactuals`.
        limit: how many at most; 0 searches for none.
        wish: what the user wishes; None for all changes, also those for the worse.
        jointly: what becomes of the workload with a change, beside all others; None leaves it out.
    """
    # No change of a field that is searched lets a workload in that is not queued.
    if limit == 0 or decision.held:
        return CounterfactualsShape(tried=0, fields=0, complete=False, worse=wish is None, nearest=())
    found = search_counterfactuals(Situation.of(decision), target, limit, wish)
    nearest = tuple(
        _counterfactual(change, None if jointly is None else jointly(change))
        for change in found.counterfactuals
    )
    left_out = not_tried(decision)
    return CounterfactualsShape(found.tried, found.fields, found.complete, wish is None, nearest, left_out)


def _counterfactual(change: Counterfactual, jointly: JointFate | None) -> CounterfactualShape:
    together = "" if jointly is None else f", taken alone; {jointly.text}"
    return CounterfactualShape(
        object=change.object,
        field=change.field,
        old=change.old_text,
        new=change.new_text,
        bound=change.bound,
        before=str(change.before),
        after=str(change.after),
        decision=str(change.outcome),
        preempted=change.preempted,
        usable=change.is_usable,
        own=change.own,
        harmless=change.harmless,
        tie=change.tie,
        proposal=change.knob.proposal,
        size=round(change.size, 6),
        exact=change.exact,
        text=f"{change.sentence}{together}",
        jointly=jointly,
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


def why_answer(
    victim: Workload,
    decisions: Sequence[Decision],
    now: int,
    reading: Reading,
    undecided: Sequence[tuple[str, str]] = (),
    counterfactuals: int = DEFAULT_LIMIT,
    *,
    worse: bool = False,
) -> WhyAnswer:
    """Why a running workload is, or would be, preempted for some pending ones.

    Args:
        victim: a workload that holds quota.
        decisions: one for each pending workload in question, each evaluated independently.
        now: their clock, ns since the epoch.
        reading: the reading that they were made under.
        undecided: pending workloads that could not be decided about, and why.
        counterfactuals: how many of the nearest counterfactuals at most, for a single pending workload.
        worse: whether counterfactuals that make things worse are searched for too.
    """
    alone = len(decisions) == 1
    cases = [
        case(decision, victim, counterfactuals if alone else None, worse=worse) for decision in decisions
    ]
    return WhyAnswer(
        victim=victim.key,
        cluster_queue=victim.cluster_queue or "",
        now=format_instant(now),
        reading=reading.written(),
        reading_text=reading_text(reading),
        engine=engine_of(decision.engine for decision in decisions),
        summary=_case_summary(victim, cases, undecided),
        cases=tuple(sorted(cases, key=lambda found: not found.preempted)),
        undecided=tuple(UndecidedShape(name, problem) for name, problem in undecided),
        proposals=tuple(
            sorted({found for decision in decisions for found in proposals_in(decision.snapshot.cluster)})
        ),
    )


def case(
    decision: Decision, victim: Workload, counterfactuals: int | None, *, worse: bool = False
) -> CaseShape:
    """How a running workload fares with one pending workload.

    Args:
        decision: about the pending workload.
        victim: the running workload; it may be in another tree.
        counterfactuals: how many at most; None where there are other pending workloads: nothing is tried.
        worse: whether counterfactuals that make things worse are searched for too.
    """
    found = [
        workload
        for running in decision.snapshot.running.values()
        if running and running[0].cluster_queue == victim.cluster_queue
        for workload in running
        if workload.name == victim.name and workload.namespace == victim.namespace
    ]
    # Of many only the verdicts are shown; each of these repeats a search.
    alone = counterfactuals is not None
    nearest: CounterfactualsShape | None = None
    remarks: tuple[Remark, ...] = ()
    preempted, verdict = False, elsewhere(decision, victim)
    if found:
        about = explain_workload(decision, found[0])
        preempted, verdict, remarks = about.preempted, about.verdict, about.remarks
        wish = None if worse else IsKept(victim.key)
        nearest = (
            None
            if counterfactuals is None
            else counterfactuals_shape(decision, victim.key, counterfactuals, wish)
        )
    return CaseShape(
        preemptor=decision.preemptor.key,
        cluster_queue=decision.queue.name,
        decision=str(decision.outcome),
        topology=topology_of(decision.not_modelled),
        preempted=preempted,
        verdict=verdict,
        summary=summarize(decision),
        flavors=flavor_trials(decision) if alone else (),
        counts=count_trials(decision) if alone else (),
        attempts=attempts(decision) if alone else (),
        remarks=remarks,
        counterfactuals=nearest,
    )


def sentence(victim: str, verdict: str, preemptor: str, by: str = "") -> str:
    """A verdict with the two workloads that it is about.

    Args:
        victim, preemptor: the running workload, and the pending one.
        verdict: the answer, and why.
        by: what the answer rests on, with a space before it; empty where everything is modelled.

    >>> sentence("ml/old", "kept: it may not be preempted", "ml/new", " by quota alone")
    'ml/old is not preempted for ml/new by quota alone: it may not be preempted'
    """
    answer, _, why = verdict.partition(": ")
    return f"{victim} is {'not preempted' if answer == 'kept' else 'preempted'} for {preemptor}{by}: {why}"


def elsewhere(decision: Decision, victim: Workload) -> str:
    """The verdict about a workload of another tree."""
    return (
        f"kept: its ClusterQueue {victim.cluster_queue} shares no cohort with {decision.queue.name}, "
        "and no workload of another tree is preempted"
    )


def _case_summary(victim: Workload, cases: Sequence[CaseShape], undecided: Sequence[tuple[str, str]]) -> str:
    preempting = [case.preemptor for case in cases if case.preempted]
    if not cases and not undecided:
        return f"No workload is pending, so none preempts {victim.key}"
    if not cases:
        return f"No pending workload could be evaluated: whether one preempts {victim.key} is not known"
    by = f" {BY_QUOTA}" if any(case.topology for case in cases) else ""
    if len(cases) == 1:
        return sentence(victim.key, cases[0].verdict, cases[0].preemptor, by)
    asked = f"{len(cases)} pending workloads"
    if not preempting:
        return f"None of {asked} preempts {victim.key}{by}"
    verb = "preempts" if len(preempting) == 1 else "preempt"
    alone = f"each decided alone{by and f' and{by}'}"
    return f"{len(preempting)} of {asked} {verb} {victim.key}, {alone}: {names_text(preempting)}"


def why_not_answer(
    decision: Decision,
    victim: Workload | None = None,
    counterfactuals: int = DEFAULT_LIMIT,
    ahead: Sequence[str] = (),
    *,
    worse: bool = False,
    every_workload: bool = False,
    locate: Locate = _nowhere,
    jointly: Jointly | None = None,
) -> WhyNotAnswer:
    """Why a pending workload is not admitted, or why it does not preempt a running one.

    Args:
        decision: about the pending workload.
        victim: a workload that holds quota; None for why the pending one is not admitted.
        counterfactuals: how many of the nearest counterfactuals at most; 0 searches for none.
        ahead: those who are ahead of it in its ClusterQueue, the head first.
        worse: whether counterfactuals that make things worse are searched for too.
        every_workload: whether it has what each rule found about every workload that holds quota.
        locate: finds the fields that stand in the way.
        jointly: what becomes of the pending one with a change, beside all others; None leaves it out.

    >>> import tenure
    >>> from tenure.resources import bundled
    >>> cluster = tenure.load(bundled("examples", "two-teams"))
    >>> decision = tenure.decide(cluster, "team-a/job-long-context-8a5dc", now="2026-03-02T14:00:00Z")
    >>> why_not_answer(decision, counterfactuals=1).counterfactuals.nearest[0].field
    'now'
    """
    found = [workload for workload in decision.running if victim is not None and workload.key == victim.key]
    found_about = explain_workload(decision, found[0]) if found else None
    in_the_way = _obstacle_shapes(decision, found[0] if found else victim, ahead, locate)
    if victim is None:
        summary = _admission(decision, ahead, in_the_way)
    else:
        verdict = elsewhere(decision, victim) if found_about is None else found_about.verdict
        verdict = ": ".join(filter(None, [verdict, "; ".join(obstacle.text for obstacle in in_the_way)]))
        summary = sentence(victim.key, verdict, decision.preemptor.key, quota_alone(decision.not_modelled))
    # Nothing of what is searched moves a workload into another tree.
    impossible = victim is not None and found_about is None
    wish = FaresBetter() if victim is None else IsPreempted(victim.key)
    return WhyNotAnswer(
        victim=None if victim is None else victim.key,
        now=format_instant(decision.now),
        reading=decision.reading.written(),
        reading_text=reading_text(decision.reading),
        summary=summary,
        ahead=tuple(ahead),
        decision=decision_shape(decision),
        workload=found_about,
        workloads=explain(decision).workloads if every_workload else (),
        counterfactuals=CounterfactualsShape(0, 0, True, worse, ())
        if impossible
        else counterfactuals_shape(
            decision, victim.key if victim else None, counterfactuals, None if worse else wish, jointly
        ),
        obstacles=in_the_way,
    )


def _obstacle_shapes(
    decision: Decision, victim: Workload | None, ahead: Sequence[str], locate: Locate
) -> tuple[ObstacleShape, ...]:
    """The fields in the way of a decision, or the policy that keeps a running workload of the same tree."""
    if victim is None:
        found, turn = obstacles(decision), obstacle_of_turn(decision, ahead)
        found = found if turn is None or not found else (found[0], turn, *found[1:])
    else:
        kept = victim.key not in {candidate.workload.key for candidate in decision.candidates}
        asked = kept and decision.selection is not None and victim in decision.running
        found = obstacles_of_victim(decision, victim) if asked else ()
    shapes = []
    for obstacle in found:
        file, line = locate(obstacle.object, obstacle.field)
        shapes.append(
            ObstacleShape(
                object=obstacle.object,
                field=obstacle.field,
                value=obstacle.value,
                own=obstacle.own,
                file=file or None,
                line=line or None,
                text=obstacle.sentence(f"{file}:{line}" if line else ""),
            )
        )
    return tuple(shapes)


def _admission(decision: Decision, ahead: Sequence[str], in_the_way: Sequence[ObstacleShape]) -> str:
    name, by = decision.preemptor.key, quota_alone(decision.not_modelled)
    match decision.outcome:
        case Outcome.FIT | Outcome.PREEMPT if ahead:
            would = "fit" if decision.outcome == Outcome.FIT else "preempt"
            goes = f"{len(ahead)} workload{' goes' if len(ahead) == 1 else 's go'} first"
            where = f"ClusterQueue {decision.queue.name}"
            return f"{name} waits for its turn: it would {would}{by}, and {goes} in {where}"
        case Outcome.FIT:
            return f"{name} is admitted{by}: it fits without preempting any workload"
        case Outcome.PREEMPT:
            victims = [target.workload.key for target in decision.targets]
            leave = "leaves" if len(victims) == 1 else "leave"
            joined = " and ".join(victims) if len(victims) == 2 else format_names(victims, MOST_NAMES)
            return f"{name} is admitted{by} once {joined} {leave}"
        case Outcome.NO_CANDIDATES:
            short = [
                f"{amount(found.at, found.short)} {found.at.resource} short on {found.at.flavor}"
                for found in shortages(decision)
                if found.short
            ]
            why = in_the_way[0].text if in_the_way else NO_FIELD
            return f"{name} is not admitted{by}: {' and '.join(short) or 'quota is short'}; {why}"
        case Outcome.NO_FIT if in_the_way:
            return f"{name} is not admitted: {in_the_way[0].text}"
        case Outcome.NO_FIT:
            return (
                f"{name} is not admitted: {decision.held or 'no flavor serves the request'}, and {NO_FIELD}"
            )
