"""What `tenure analyze matrix` answers: its JSON, and how it is made from a matrix."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from types import MappingProxyType
from typing import Final

from tenure.as_json import IfAny, KueueVersion, Moment
from tenure.conformance.requests import DecideRequest
from tenure.model import Cluster, Reason, Workload
from tenure.oracle.configured import known_of
from tenure.oracle.decide import Decision
from tenure.readings import Reading
from tenure.rules.hero_rank import is_hero
from tenure_check.analysis.decided_states import Deciding, why_preempted
from tenure_check.analysis.matrix import CellResult, CellVerdict, Matrix
from tenure_check.analysis.priority_levels import coverage, thresholds_of
from tenure_check.analysis.selections import reads_names
from tenure_check.analysis.small_states import smallest_example
from tenure_check.analysis.states import CellQuery, Example, PriorityLevel, decided
from tenure_check.choices import Scope

NOT_ASKED: Final[Mapping[CellQuery, CellVerdict]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class MatrixRole:
    """Workloads of one ClusterQueue and one priority."""

    cluster_queue: str
    """The ClusterQueue."""
    priority_class: str
    """The WorkloadPriorityClass; else the priority itself, or a region where the files have no priority."""
    priority: int
    """Its value, or a priority of the region."""


@dataclass(frozen=True, slots=True)
class ExampleWorkload:
    """A running workload of an example."""

    workload: str
    """The workload."""
    cluster_queue: str
    """Whose quota it holds."""
    priority: int
    """Its priority."""
    usage: dict[str, int]
    """What it holds, in base units or milli-CPU, by flavor and resource: `a100/nvidia.com/gpu`."""
    quota_reserved_at: Moment | None
    """Since when."""
    preempted: bool
    """Whether it is preempted."""
    priority_boost: int
    """What is added to its priority (annotation `kueue.x-k8s.io/priority-boost`)."""
    job_created_at: Moment | None
    """Creation of its Job, from which the age counts that its class grows with; null for its own."""
    labels: IfAny[dict[str, str]] = None
    """Those of its labels that a PreemptionConfig reads; left out where it has none of them."""
    class_read: IfAny[str] = None
    """Its priority class, where a PreemptionConfig reads the name of one."""


@dataclass(frozen=True, slots=True)
class MatrixExample:
    """A state in which a victim of the cell is preempted; `tenure decide` decides so from its manifests."""

    now: Moment
    """The clock."""
    asked: tuple[dict[str, int], ...]
    """What each pod set of the pending workload asks for, by resource."""
    created_at: Moment
    """Creation of the pending workload."""
    priority_boost: int
    """What is added to its priority."""
    job_created_at: Moment | None
    """Creation of its Job, from which the age counts that its class grows with; null for its own."""
    victim: str
    """The victim that the cell is about."""
    running: tuple[ExampleWorkload, ...]
    """All that run."""
    why: tuple[str, ...]
    """Why the victim is preempted, as `tenure why` prints it: in a sentence, then by rule."""
    labels: IfAny[dict[str, str]] = None
    """Those of the pending workload's labels that a PreemptionConfig reads; left out where it has none."""
    class_read: IfAny[str] = None
    """Its priority class, where a PreemptionConfig reads the name of one."""


@dataclass(frozen=True, slots=True)
class MatrixReason:
    """A cell for one reason of condition Preempted."""

    reason: str
    """The reason."""
    verdict: str
    """`never`, `can` or `?`."""
    why: str
    """What the verdict rests on."""
    example: MatrixExample | None
    """Where it can: the smallest state found."""
    fewest_victims: int | None
    """Where it can: how many workloads are preempted in it, this one included."""
    is_fewest: bool | None
    """Where it can: whether it is proved that no state of the scope has fewer; one is always the fewest."""
    within_nominal: str | None = None
    """Where it can, with --victim or --preemptor: whether it can while the victim's ClusterQueue uses no more
    than its nominal quota of anything: `can`, `never`, `?`."""


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """Whether workloads of one ClusterQueue and priority can ever preempt those of another."""

    preemptor: MatrixRole
    """The pending workload."""
    victim: MatrixRole
    """The running workload."""
    verdict: str
    """`can` where it can for any reason, else `?` where that is not known of any, else `never`."""
    reasons: tuple[MatrixReason, ...]
    """By reason; without those that no rule gives between the two."""
    why: str
    """Why never, or why it is not known; empty where it can."""


@dataclass(frozen=True, slots=True)
class MatrixCounts:
    """How many cells have which verdict."""

    never: int
    """Proved by both solvers, or by the rules alone."""
    can: int
    """With an example."""
    unknown: int
    """Neither."""


@dataclass(frozen=True, slots=True)
class MatrixAnswer:
    """Which workloads can ever preempt which others, in every state of a scope."""

    scope: str
    """`consistent`: all states that admission alone can produce; `edited`: also those after edits."""
    premises: tuple[str, ...]
    """Premises of every verdict."""
    reading: str
    """The reading, by its name."""
    kueue: KueueVersion
    """The target release of Kueue, `0.19`; `0.19+proposals` with all that the proposals add."""
    fair_sharing: bool
    """Whether fair sharing is configured."""
    seed: int
    """Of the random states."""
    states: int
    """How many random states were decided."""
    solvers: dict[str, str]
    """The solvers, and their versions."""
    counts: MatrixCounts
    """The number of cells of each verdict."""
    cells: tuple[MatrixCell, ...]
    """Every cell, by preemptor and victim."""
    warnings: tuple[str, ...]
    """What is wrong in the files, and what was assumed."""
    covers: str = ""
    """The priorities of the cells, and which others they cover."""
    sentences: tuple[str, ...] = ()
    """The cells in words, by the victim's ClusterQueue, or about the one of --victim or --preemptor."""


def answer_of(
    matrix: Matrix,
    cluster: Cluster,
    reading: str,
    seed: int,
    solvers: Mapping[str, str],
    pairs: Collection[tuple[str, str]] | None = None,
    within: Mapping[CellQuery, CellVerdict] = NOT_ASKED,
) -> MatrixAnswer:
    """The whole answer, without its sentences.

    Args:
        matrix: the settled cells.
        cluster: the configuration.
        reading: the reading's name.
        seed: of the random states.
        solvers: their versions.
        pairs: the ClusterQueues of the cells, the preemptor's first; None for all.
        within: for cells that can, whether also within the nominal quota of the victim's ClusterQueue.
    """
    decide_one = Deciding().decided
    cells = tuple(
        cell_of(matrix, cluster, preemptor, high, victim, low, decide_one, within)
        for preemptor, victim in product(matrix.queues, repeat=2)
        if pairs is None or (preemptor, victim) in pairs
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
        warnings=(),
        covers=coverage(matrix.levels, thresholds_of([cluster]), names_count=reads_names(cluster)),
    )


def cell_of(
    matrix: Matrix,
    cluster: Cluster,
    preemptor: str,
    high: PriorityLevel,
    victim: str,
    low: PriorityLevel,
    decide_one: Callable[[DecideRequest], Decision] = decided,
    within: Mapping[CellQuery, CellVerdict] = NOT_ASKED,
) -> MatrixCell:
    """One cell of a matrix that has it settled."""
    found = matrix.of(preemptor, high.priority, victim, low.priority)
    verdict = matrix.verdict(preemptor, high.priority, victim, low.priority)
    apart = matrix.apart.get((preemptor, victim))
    why = ""
    if apart is not None:
        why = apart.why
    elif verdict == CellVerdict.UNKNOWN:
        why = next(settled.why for _, settled in found if settled.verdict == CellVerdict.UNKNOWN)
    elif verdict == CellVerdict.NEVER:
        why = "; ".join(_why_never(cluster, found, (preemptor, high, victim, low)))
    return MatrixCell(
        preemptor=MatrixRole(preemptor, high.name, high.priority),
        victim=MatrixRole(victim, low.name, low.priority),
        verdict=verdict.value,
        reasons=tuple(
            _reason(
                CellQuery(preemptor, high.priority, victim, low.priority, reason), settled, decide_one, within
            )
            for reason, settled in found
        ),
        why=why,
    )


def _why_never(
    cluster: Cluster,
    found: Sequence[tuple[Reason, CellResult]],
    sides: tuple[str, PriorityLevel, str, PriorityLevel],
) -> Iterator[str]:
    """Why spec.preemption never allows it, and no PreemptionConfig."""
    by_policy = [known for reason, known in found if reason != Reason.CONFIGURABLE_PREEMPTION]
    yield by_policy[0].why if by_policy else why_no_rule(cluster, *sides)
    yield from (known.why for reason, known in found if reason == Reason.CONFIGURABLE_PREEMPTION)


def _reason(
    query: CellQuery,
    settled: CellResult,
    decide_one: Callable[[DecideRequest], Decision],
    within: Mapping[CellQuery, CellVerdict],
) -> MatrixReason:
    example, condition = settled.example, within.get(query)
    return MatrixReason(
        reason=query.reason.label,
        verdict=settled.verdict.value,
        why=settled.why,
        example=None if example is None else written_example(example, decide_one),
        fewest_victims=None if example is None else example.victims,
        is_fewest=None if example is None else settled.is_fewest,
        within_nominal=None if condition is None else condition.value,
    )


def written_example(
    example: Example, decide_one: Callable[[DecideRequest], Decision] = decided
) -> MatrixExample:
    """An example in the form of an answer."""
    request = example.request
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
            labels=labels_read_of(workload),
            class_read=known_of(workload).priority_class or None,
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
        why=example.why or tuple(why_preempted(decide_one(request), example.victim)),
        labels=labels_read_of(request.preemptor),
        class_read=known_of(request.preemptor).priority_class or None,
    )


def labels_read_of(workload: Workload) -> dict[str, str] | None:
    """The labels of a workload of a state; None without any."""
    return dict(known_of(workload).labels) or None


def why_no_rule(
    cluster: Cluster, preemptor: str, high: PriorityLevel, victim: str, low: PriorityLevel
) -> str:
    """The rule and field by which nothing is ever preempted between two, whatever is in use."""
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
    field = f"{rule}: spec.preemption.{path} of ClusterQueue/{preemptor} is {value}"
    return field if value in ("Never", "Unset") else f"{field}, and the victim's priority is {relation}"


def _why_not_by_heroes(cluster: Cluster, preemptor: str, victim: str, relation: str) -> str:
    """Where one of two different ClusterQueues is a hero: the rule, whatever the policies."""
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
