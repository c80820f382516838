"""A matrix as JSON has it, and in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

from tenure.conformance.requests import DecideRequest
from tenure.explanation.answers import sentence
from tenure.explanation.explain import explain_workload
from tenure.explanation.verdicts import remark_lines
from tenure.model import Amount, Cluster, Reason
from tenure.oracle.decide import Decision
from tenure.readings import Reading
from tenure.rules.hero_rank import is_hero
from tenure.units import format_amount, format_instant
from tenure_check.analysis.decided_states import Deciding
from tenure_check.analysis.matrix import CellResult, CellVerdict, Matrix
from tenure_check.analysis.matrix_types import (
    ExampleWorkload,
    MatrixAnswer,
    MatrixCell,
    MatrixCounts,
    MatrixExample,
    MatrixReason,
    MatrixRole,
)
from tenure_check.analysis.scopes import Scope
from tenure_check.analysis.small_states import smallest_example
from tenure_check.analysis.states import CellQuery, Example, PriorityLevel, decided


def answer_of(
    matrix: Matrix,
    cluster: Cluster,
    reading: str,
    seed: int,
    solvers: Mapping[str, str],
    warnings: Sequence[str],
) -> MatrixAnswer:
    """The whole answer.

    Args:
        matrix: what was found.
        cluster: the configuration.
        reading: the reading's name.
        seed: of the random states.
        solvers: who proved, by version.
        warnings: about the files.
    """
    decide_one = Deciding().decided
    cells = tuple(
        cell_of(matrix, cluster, preemptor, high, victim, low, decide_one)
        for preemptor, victim in product(matrix.queues, repeat=2)
        for high, low in product(matrix.levels, repeat=2)
    )
    verdicts = [cell.verdict for cell in cells]
    return MatrixAnswer(
        scope=matrix.scope.value,
        premises=matrix.premises,
        reading=reading,
        kueue=None,
        fair_sharing=cluster.settings.fair_sharing is not None,
        seed=seed,
        states=matrix.states,
        solvers=dict(solvers),
        counts=MatrixCounts(*(verdicts.count(known.value) for known in CellVerdict)),
        cells=cells,
        warnings=tuple(warnings),
    )


def cell_of(
    matrix: Matrix,
    cluster: Cluster,
    preemptor: str,
    high: PriorityLevel,
    victim: str,
    low: PriorityLevel,
    decide_one: Callable[[DecideRequest], Decision] = decided,
) -> MatrixCell:
    """One cell of a matrix in which it was asked about."""
    found = matrix.of(preemptor, high.priority, victim, low.priority)
    verdict = matrix.verdict(preemptor, high.priority, victim, low.priority)
    apart = matrix.apart.get((preemptor, victim))
    why = ""
    if apart is not None:
        why = apart.why
    elif verdict == CellVerdict.UNKNOWN:
        why = next(settled.why for _, settled in found if settled.verdict == CellVerdict.UNKNOWN)
    elif verdict == CellVerdict.NEVER:
        why = found[0][1].why if found else why_no_rule(cluster, preemptor, high, victim, low)
    return MatrixCell(
        preemptor=MatrixRole(preemptor, high.name, high.priority),
        victim=MatrixRole(victim, low.name, low.priority),
        verdict=verdict.value,
        reasons=tuple(_reason(reason.label, settled, decide_one) for reason, settled in found),
        why=why,
    )


def _reason(label: str, settled: CellResult, decide_one: Callable[[DecideRequest], Decision]) -> MatrixReason:
    example = settled.example
    return MatrixReason(
        reason=label,
        verdict=settled.verdict.value,
        why=settled.why,
        example=None if example is None else written_example(example, decide_one),
        fewest_victims=None if example is None else example.victims,
        is_fewest=None if example is None else settled.is_fewest,
    )


def written_example(
    example: Example, decide_one: Callable[[DecideRequest], Decision] = decided
) -> MatrixExample:
    """An example as an answer has it."""
    request = example.request
    decision = decide_one(request)
    running = tuple(
        ExampleWorkload(
            workload=workload.key,
            cluster_queue=workload.cluster_queue or "",
            priority=workload.priority,
            usage={f"{at.flavor}/{at.resource}": amount for at, amount in workload.usage.items()},
            quota_reserved_at=workload.quota_reserved_at,
            preempted=workload.key in example.preempted,
            priority_boost=workload.priority_boost,
            job_created_at=workload.job_created_at,
        )
        for workload in request.cluster.admitted
    )
    return MatrixExample(
        now=request.now,
        asked=tuple(dict(pod_set.requests) for pod_set in request.preemptor.pod_sets),
        created_at=request.preemptor.created_at,
        priority_boost=request.preemptor.priority_boost,
        job_created_at=request.preemptor.job_created_at,
        victim=example.victim,
        running=running,
        why=tuple(_why_preempted(decision, example.victim)),
    )


def _why_preempted(decision: Decision, victim: str) -> Iterator[str]:
    for workload in decision.running:
        if workload.key == victim:
            told = explain_workload(decision, workload)
            yield sentence(victim, told.verdict, decision.preemptor.key)
            yield from remark_lines(told.remarks)


def why_no_rule(
    cluster: Cluster, preemptor: str, high: PriorityLevel, victim: str, low: PriorityLevel
) -> str:
    """By which rule and field no basis exists between two, whatever is in use."""
    queue = cluster.cluster_queues[preemptor]
    relation = "lower" if low.priority < high.priority else "equal" if low == high else "higher"
    within, reclaim = queue.within_cluster_queue, queue.reclaim_within_cohort
    by_heroes = _why_not_by_heroes(cluster, preemptor, victim, relation)
    if by_heroes:
        return by_heroes
    if preemptor == victim:
        rule, path, value = "KQ-040", "withinClusterQueue", within.label
    else:
        rule, path, value = "KQ-330", "reclaimWithinCohort", reclaim.label
    says = f"{rule}: spec.preemption.{path} of ClusterQueue/{preemptor} is {value}"
    return says if value in ("Never", "Unset") else f"{says}, and the victim's priority is {relation}"


def _why_not_by_heroes(cluster: Cluster, preemptor: str, victim: str, relation: str) -> str:
    """Where one of two different ClusterQueues is a hero, what does not depend on policies."""
    known = (cluster.cluster_queues[name] for name in (preemptor, victim))
    heroes = [is_hero(queue.rules, queue.cohort is not None) for queue in known]
    if preemptor == victim or heroes == [False, False]:
        return ""
    if heroes == [False, True]:
        return f"UCQ-340: ClusterQueue/{victim} is a hero, which ClusterQueue/{preemptor} is not"
    if heroes == [True, False]:
        return f"UCQ-310: ClusterQueue/{victim} is not in the subtree of the hero, ClusterQueue/{preemptor}"
    not_below = f"ClusterQueue/{victim} is a hero too, and not below ClusterQueue/{preemptor}"
    return f"UCQ-310, UCQ-340: {not_below}, and the victim's priority is {relation}"


def with_smallest_examples(cell: MatrixCell, cluster: Cluster, reading: Reading, scope: Scope) -> MatrixCell:
    """A cell with the smallest example of each reason: fewest workloads, then least amounts."""
    one, other, reasons = cell.preemptor, cell.victim, []
    for reason in cell.reasons:
        if reason.example is not None and reason.fewest_victims is not None:
            label = next(known for known in Reason if known.label == reason.reason)
            query = CellQuery(one.cluster_queue, one.priority, other.cluster_queue, other.priority, label)
            small = smallest_example(cluster, reading, query, scope, most=reason.fewest_victims)
            written = reason.example if small is None else written_example(small)
            reasons.append(replace(reason, example=written))
        else:
            reasons.append(reason)
    return replace(cell, reasons=tuple(reasons))


def cell_lines(cell: MatrixCell) -> Iterator[str]:
    """One cell in words: by which rule and field never, or its example."""
    sides = (cell.preemptor, cell.victim)
    one, other = (f"{side.cluster_queue}/{side.priority_class}" for side in sides)
    yield f"{one} preempts {other}: {cell.verdict}"
    if cell.why:
        yield f"  {cell.why}"
    for reason in cell.reasons:
        yield f"  {reason.reason}: {reason.verdict}, {reason.why}{_together(reason)}"
        if reason.example is not None:
            side = cell.preemptor
            lines = state_lines(side.cluster_queue, side.priority, reason.example)
            yield from (f"    {line}" for line in lines)


def _together(reason: MatrixReason) -> str:
    """How many are preempted together, where that is not one."""
    if reason.fewest_victims is None or reason.fewest_victims == 1:
        return ""
    fewer = "fewer never suffice" if reason.is_fewest else "with fewer no example was found"
    return f"; {reason.fewest_victims} are preempted together, {fewer}"


def state_lines(queue: str, priority: int, example: MatrixExample) -> Iterator[str]:
    """A state in words.

    Args:
        queue, priority: of the pending workload.
        example: the state.
    """
    yield f"at {format_instant(example.now)} these run:"
    for workload in example.running:
        usage = ", ".join(held_words(at, amount) for at, amount in workload.usage.items())
        gone = ": is preempted" if workload.preempted else ""
        since = "" if workload.quota_reserved_at is None else format_instant(workload.quota_reserved_at)
        yield (
            f"  {workload.workload} of {workload.cluster_queue}, priority {workload.priority}"
            f"{_grown(workload)}, since {since}, holds {usage}{gone}"
        )
    asked = "; ".join(
        ", ".join(f"{format_amount(name, amount)} {name}" for name, amount in requests.items())
        for requests in example.asked
    )
    yield (
        f"and a workload of {queue}, priority {priority}"
        f"{_grown(example)}, created {format_instant(example.created_at)}, asks for {asked}"
    )
    yield from example.why


def _grown(workload: ExampleWorkload | MatrixExample) -> str:
    boost = f" with a boost of {workload.priority_boost}" if workload.priority_boost else ""
    if workload.job_created_at is None:
        return boost
    return f"{boost}, of a Job created {format_instant(workload.job_created_at)}"


def held_words(at: str, amount: Amount) -> str:
    """An amount of a flavor and resource, such as `4 f/cpu`."""
    resource = at.partition("/")[2]
    return f"{format_amount(resource, amount)} {at}"
