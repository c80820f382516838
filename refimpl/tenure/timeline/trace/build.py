"""What the trace engine plays: a scenario as tables, or why it is left to `tenure.timeline.play`."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tenure.fast.uncovered import Uncovered, refuse_unknown
from tenure.model import ClusterQueue, Instant, QueueingStrategy, ReclaimWithinCohort
from tenure.readings import NewerThan, Reading, RequeueOrder, SamePriorityGate, Wake
from tenure.rules.quota import local_quota
from tenure.rules.terms import PreemptionTerms, terms_of
from tenure.rules.time_based import duration_in_force
from tenure.timeline.actors import shape_of
from tenure.timeline.scenario import Scenario, Submission, Submit
from tenure.timeline.trace.tables import (
    CREATED,
    DURATION,
    FIRST_SHAPE,
    FIRST_SLOT,
    HEAD,
    HEAD_ROWS,
    JOB_COLUMNS,
    LAST_CYCLE,
    LOCAL,
    MARK,
    NEVER,
    NO_JOB,
    NOMINAL,
    NOW,
    PREEMPTIONS,
    PREEMPTOR,
    QUEUE,
    QUEUE_COLUMNS,
    QUEUED,
    REQUEST,
    ROTATED,
    RUNS,
    SHAPE,
    STATE_SIZE,
    TARGET_ROWS,
    TASKS,
    TIMERS,
    WAITS,
    WAKE_AT,
    WORK,
    Policies,
    Table,
    TracePlay,
)

MOST_AMOUNT = 2**40
"""Amounts from this on are left to `play`, where they saturate."""
LONGEST = 2**60
"""Durations from this on, decades, are left to `play` too: their sums with instants may not fit 64 bits."""
ROWS = 1024
"""Rows of a growing table at first."""


@dataclass(frozen=True, slots=True)
class TracedJobs:
    """The jobs of a play.

    Args:
        names: in the order of joining.
        rows: a row of `JOB_COLUMNS` for each.
    """

    names: Sequence[str]
    rows: Table


def traced_jobs(scenario: Scenario) -> TracedJobs:
    """The submissions of a scenario as rows.

    Args:
        scenario: one whose events are submissions.

    Raises:
        Uncovered: something else happens, or a workload asks for what the engine does not know.
    """
    joins, submissions = [], []
    for event in scenario.events:
        if not isinstance(event, Submit):
            raise Uncovered(f"an event {type(event).__name__}")
        joins.append(event.at)
        submissions.append(event.submission)
    queues = sorted(scenario.cluster.cluster_queues)
    shapes = _numbered((submission.queue, shape_of(submission.workload)) for submission in submissions)
    ranks = _ranks([(submission.workload.uid, submission.workload.key) for submission in submissions])
    rows = [
        _job_row(submission, at, queues.index(submission.queue), shape, rank)
        for submission, at, shape, rank in zip(submissions, joins, shapes, ranks, strict=True)
    ]
    names = [submission.workload.key for submission in submissions]
    return traced(names, np.array(rows, np.int64).reshape(len(rows), 9))


def traced(names: Sequence[str], given: Table) -> TracedJobs:
    """Jobs from their first columns, `JOINS` to `KEEPS`; shapes may have any numbers."""
    rows = np.zeros((len(given), JOB_COLUMNS), np.int64)
    rows[:, : given.shape[1]] = given
    rows[:, SHAPE] = _by_queue(given)
    rows[:, QUEUED] = rows[:, CREATED]
    rows[:, PREEMPTOR] = NO_JOB
    rows[:, ROTATED] = -1
    return TracedJobs(names, rows)


def _by_queue(given: Table) -> Table:
    """The shapes with numbers of which those of one ClusterQueue stand beside each other."""
    pairs = given[:, [QUEUE, SHAPE]]
    return np.unique(pairs, axis=0, return_inverse=True)[1].reshape(-1)


def _numbered(keys: Iterable[Hashable]) -> list[int]:
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]


def _ranks(uids: Sequence[tuple[str, str]]) -> list[int]:
    ranks = [0] * len(uids)
    for rank, at in enumerate(sorted(range(len(uids)), key=uids.__getitem__)):
        ranks[at] = rank
    return ranks


def _job_row(submission: Submission, at: Instant, queue: int, shape: int, rank: int) -> tuple[int, ...]:
    workload = submission.workload
    if len(workload.pod_sets) != 1 or submission.eviction is not None or workload.requeue_at is not None:
        raise Uncovered("a workload with several pod sets, an eviction of its own or a back-off")
    (pods,) = workload.pod_sets
    if pods.node_selector or pods.node_affinity or pods.settled or pods.min_count is not None:
        raise Uncovered("pods that require nodes, or may be fewer")
    if len(pods.requests) != 1 or not 0 < next(iter(pods.requests.values())) < MOST_AMOUNT:
        raise Uncovered("pods that do not ask for an amount of one resource")
    (request,) = pods.requests.values()
    work = -1 if submission.work is None else submission.work
    return (
        at,
        queue,
        shape,
        workload.priority,
        request,
        rank,
        workload.created_at,
        work,
        int(submission.keeps),
    )


def play_of(scenario: Scenario, reading: Reading, jobs: TracedJobs, *, journal: bool = False) -> TracePlay:
    """The tables of a play, at its start.

    Args:
        scenario: objects, timing and gates; its events are not looked at.
        reading: see `tenure.readings`.
        jobs: who joins; see `traced_jobs`.
        journal: whether every head is written down.

    Raises:
        Uncovered: what the engine does not play.
    """
    _refuse_others(scenario)
    found = sorted(scenario.cluster.cluster_queues.values(), key=lambda queue: queue.name)
    rows = jobs.rows.copy()
    queues = np.zeros((len(found) + 1, QUEUE_COLUMNS), np.int64)
    for place, queue in enumerate(found):
        terms = terms_of(queue, scenario.cluster.settings, reading)
        queues[place, :9] = _queue_row(queue, terms)
    queues[:, HEAD] = NO_JOB
    queues[:, FIRST_SLOT] = np.searchsorted(np.sort(rows[:, QUEUE]), np.arange(len(queues)))
    shape_queue = np.array(sorted({(shape, queue) for queue, shape in rows[:, [QUEUE, SHAPE]].tolist()}))
    shapes = np.zeros((len(shape_queue), 4), np.int64)
    shapes[:, 0] = np.searchsorted(np.sort(rows[:, SHAPE]), np.arange(len(shapes)))
    queues[:, FIRST_SHAPE] = np.searchsorted(shape_queue.reshape(-1, 2)[:, 1], np.arange(len(queues)))
    _refuse_far(scenario, rows, queues)
    lent = int((queues[:-1, NOMINAL] - queues[:-1, LOCAL]).sum())
    most = _most_holders(rows, queues)
    return _room(scenario, rows, queues, shapes, most, _policies(scenario, reading, lent, journal=journal))


def _refuse_others(scenario: Scenario) -> None:
    cluster, settings = scenario.cluster, scenario.cluster.settings
    refuse_unknown(cluster)
    reasons = {
        "fair sharing": settings.fair_sharing is not None,
        "gate PrioritySortingWithinCohort off": not settings.priority_sorting_within_cohort,
        "priority boosts": settings.priority_boost,
        "classes whose priority grows": bool(cluster.growing),
        "workloads that are there at the start": bool(scenario.present),
        "gates of the queues": scenario.gates != type(scenario.gates)(),
        "evictions that take no time": scenario.timing.eviction <= 0,
        "several trees or cohorts in cohorts": len(
            {queue.cohort for queue in cluster.cluster_queues.values()}
        )
        != 1
        or any(cohort.parent is not None for cohort in cluster.cohorts.values()),
        "quota of cohorts": any(cohort.resource_groups for cohort in cluster.cohorts.values()),
        "flavors with taints": any(flavor.taints for flavor in cluster.flavors.values()),
    }
    for reason, found in reasons.items():
        if found:
            raise Uncovered(reason)


def _refuse_far(scenario: Scenario, rows: Table, queues: Table) -> None:
    timing = scenario.timing
    lengths = (
        timing.eviction,
        timing.cycle,
        timing.retry,
        rows[:, WORK].max(initial=0),
        queues[:, DURATION].max(),
    )
    if max(lengths) >= LONGEST:
        raise Uncovered("durations of decades")
    if rows[:, REQUEST].max(initial=0) >= MOST_AMOUNT:
        raise Uncovered("amounts that may saturate")


def _queue_row(queue: ClusterQueue, terms: PreemptionTerms) -> tuple[int, ...]:
    if queue.cohort is None or queue.inactive or terms.hero:
        raise Uncovered("a ClusterQueue that is a hero, inactive or in no cohort")
    if terms.reclaim_within_cohort == ReclaimWithinCohort.UNSET:
        raise Uncovered("reclaimWithinCohort that is not said")
    flavors = [flavor for group in queue.resource_groups for flavor in group.flavors]
    if len(flavors) != 1 or len(flavors[0].nominal) != 1:
        raise Uncovered("several flavors or resources")
    ((resource, nominal),) = flavors[0].nominal.items()
    limit = flavors[0].borrowing_limits.get(resource)
    if not 0 <= nominal < MOST_AMOUNT or not 0 <= (limit or 0) < MOST_AMOUNT:
        raise Uncovered("amounts that may saturate")
    threshold, duration = terms.max_priority_threshold, duration_in_force(terms)
    return (
        nominal,
        local_quota(nominal, flavors[0].lending_limits.get(resource)),
        NEVER if limit is None else limit,
        terms.within_cluster_queue,
        terms.reclaim_within_cohort,
        terms.borrow_within_cohort,
        NEVER if threshold is None else threshold,
        -1 if duration is None else duration,
        int(queue.queueing == QueueingStrategy.STRICT_FIFO),
    )


def _policies(scenario: Scenario, reading: Reading, lent: int, *, journal: bool) -> Policies:
    timing = scenario.timing
    return Policies(
        end=scenario.end,
        eviction=timing.eviction,
        gap=timing.cycle,
        retry=timing.retry,
        lent=lent,
        expired_only=int(reading.same_priority_gate == SamePriorityGate.EXPIRED_ONLY),
        by_reservation=int(reading.newer_than == NewerThan.RESERVED_AFTER_CREATED),
        by_eviction=int(reading.requeue_order == RequeueOrder.EVICTION),
        at_expiry=int(reading.wake == Wake.AT_EXPIRY),
        journal=int(journal),
    )


def _most_holders(rows: Table, queues: Table) -> int:
    """How many jobs hold quota at most at a time: usage never exceeds the quota of all ClusterQueues."""
    if not len(rows):
        return 1
    return int(min(len(rows), queues[:, NOMINAL].sum() // rows[:, REQUEST].min())) + 1


def _room(
    scenario: Scenario, rows: Table, queues: Table, shapes: Table, most: int, policies: Policies
) -> TracePlay:
    def zeros(*size: int) -> Table:
        return np.zeros(size, np.int64)

    heads = len(queues)
    state, margins = zeros(STATE_SIZE), zeros(STATE_SIZE)
    state[NOW], state[WAKE_AT], state[MARK] = scenario.start, NEVER, scenario.start - 1
    state[LAST_CYCLE] = scenario.start - scenario.timing.cycle
    margins[TASKS : TARGET_ROWS + 1] = (
        2 * most + heads,
        heads,
        most,
        heads,
        2 * most,
        heads,
        2 * heads * most,
    )
    sizes = ROWS + margins
    return TracePlay(
        jobs=rows,
        queues=queues,
        shapes=shapes,
        holders=zeros(len(rows)),
        heaps=zeros(len(rows)),
        usage=zeros(4, heads),
        state=state,
        tasks=zeros(sizes[TASKS], 4),
        timers=zeros(sizes[TIMERS], 4),
        entries=zeros(heads, 7),
        turns=zeros(heads),
        found=zeros(2 * heads * most, 2),
        taken=zeros(2 * most),
        candidates=zeros(most, 6),
        order=zeros(most),
        removed=zeros(most),
        runs=zeros(sizes[RUNS], 8),
        waits=zeros(sizes[WAITS], 4),
        preemptions=zeros(sizes[PREEMPTIONS], 7),
        heads=zeros(sizes[HEAD_ROWS], 6),
        targets=zeros(sizes[TARGET_ROWS], 1),
        margins=margins,
        policies=policies,
    )
