"""What the trace engine plays: a scenario as tables, or why it is left to `tenure_play.play`."""

from __future__ import annotations

import numpy as np

from tenure.model import Cluster, ClusterQueue, QueueingStrategy, ReclaimWithinCohort
from tenure.readings import FairSharingRepair, NewerThan, Reading, RequeueOrder, SamePriorityGate, Wake
from tenure.rules.terms import PreemptionTerms, terms_of
from tenure.rules.time_based import duration_in_force
from tenure_play.scenario import Scenario, Submit
from tenure_simulate.core.amounts import MOST
from tenure_simulate.core.heroes.plan import has_heroes
from tenure_simulate.core.heroes.tables import DEPTH
from tenure_simulate.core.heroes.tables import HERO as IS_HERO
from tenure_simulate.core.layout import own_quotas
from tenure_simulate.core.uncovered import Uncovered, refuse_unknown
from tenure_simulate.trace.build_trees import planted
from tenure_simulate.trace.jobs import MOST_AMOUNT, TracedJobs
from tenure_simulate.trace.priority_steps import levels_of, lines_of
from tenure_simulate.trace.tables import (
    HEAD_ROWS,
    LAST_CYCLE,
    MARK,
    NEVER,
    NO_JOB,
    NOW,
    PREEMPTIONS,
    RUNS,
    STATE_SIZE,
    TARGET_ROWS,
    TASKS,
    TIMERS,
    WAITS,
    Entries,
    HeroTables,
    Policies,
    Queues,
    Shapes,
    Table,
    TraceJobs,
    TracePlay,
    Trees,
)

LONGEST = 2**60
"""Durations from this on, decades, are left to `play`: their sums with instants may not fit 64 bits."""
ROWS = 1024
"""Rows of a growing table at first."""
PODS = "pods"
"""The resource that counts pods."""


def play_of(scenario: Scenario, reading: Reading, jobs: TracedJobs, *, journal: bool = False) -> TracePlay:
    """The tables of a play, at its start.

    Args:
        scenario: objects, timing and gates; its events are not looked at.
        reading: see `tenure.readings`.
        jobs: who joins; see `tenure_simulate.trace.jobs`.
        journal: whether every head is written down.

    Raises:
        Uncovered: what the engine does not play.
    """
    _refuse_others(scenario, reading)
    found = sorted(scenario.cluster.cluster_queues.values(), key=lambda queue: queue.name)
    rows = TraceJobs(*(column.copy() for column in jobs.rows))
    queues = Queues(*np.zeros((len(Queues._fields), len(found) + 1), np.int64))
    for place, queue in enumerate(found):
        terms = terms_of(queue, scenario.cluster.settings, reading)
        for column, value in zip(queues, _queue_row(queue, terms), strict=False):
            column[place] = value
    queues.head[:], queues.wake_at[:] = NO_JOB, NEVER
    shape_queue = np.unique(np.stack([rows.shape_id, rows.queue], axis=1), axis=0)
    shapes = Shapes(*np.zeros((len(Shapes._fields), len(shape_queue)), np.int64))
    shapes.first[:] = np.searchsorted(np.sort(rows.shape_id), np.arange(len(shape_queue)))
    queues.first_shape[:] = np.searchsorted(shape_queue[:, 1], np.arange(len(found) + 1))
    _refuse_far(scenario, jobs, queues)
    most = _most_holders(scenario.cluster, jobs)
    if has_heroes(scenario.cluster):
        # Not by the quota of all nodes: what heroes bill is rounded down under some readings.
        most = len(jobs.names) + 1
    trees, heroes = planted(scenario, reading, jobs, most, levels_of(scenario, reading, jobs))
    queues.tree[:-1] = _trees(trees)
    queues.hero[:-1] = _cohorts_above_heroes(trees, heroes)
    policies = _policies(scenario, reading, journal=journal)
    lines = lines_of(scenario, reading, jobs, len(found) + 1) if jobs.kinds else None
    return _room(scenario, rows, queues, shapes, most, policies, trees, heroes)._replace(lines=lines)


def _trees(trees: Trees) -> list[int]:
    """The first ClusterQueue of the tree of each."""
    roots = trees.forest.root[trees.tables.node].tolist()
    return [roots.index(root) for root in roots]


def _cohorts_above_heroes(trees: Trees, heroes: HeroTables | None) -> list[int]:
    """How many cohorts are above each ClusterQueue that is a hero; 0 for the others."""
    nodes = trees.tables.node
    if heroes is None:
        return [0] * len(nodes)
    tree = heroes.books.tree
    found: list[int] = (tree[IS_HERO, nodes] * tree[DEPTH, nodes]).tolist()
    return found


def _refuse_others(scenario: Scenario, reading: Reading) -> None:
    cluster, settings = scenario.cluster, scenario.cluster.settings
    refuse_unknown(cluster)
    reasons = {
        # The core may decide by one; the trace engine does not.
        "PreemptionConfigs": any(
            queue.preemption_config is not None for queue in cluster.cluster_queues.values()
        ),
        "fair sharing among workloads that share a uid": settings.fair_sharing is not None
        and _share_uids(scenario),
        "a repair of fair sharing": settings.fair_sharing is not None
        and reading.fair_sharing_repair != FairSharingRepair.NONE,
        "heroes beside fair sharing": settings.fair_sharing is not None and has_heroes(cluster),
        "gate PrioritySortingWithinCohort off": not settings.priority_sorting_within_cohort,
        "gate FlavorFungibility off": not settings.flavor_fungibility,
        "workloads that are there at the start": bool(scenario.present),
        "gates of the queues": scenario.gates != type(scenario.gates)(),
        "evictions that take no time": scenario.timing.eviction <= 0,
        "LocalQueues that are held": bool(cluster.held),
        "no ClusterQueues": not cluster.cluster_queues,
        "flavors with taints": any(flavor.taints for flavor in cluster.flavors.values()),
        "flavors with topologies": any(flavor.topology for flavor in cluster.flavors.values()),
    }
    for reason, found in reasons.items():
        if found:
            raise Uncovered(reason)


def _share_uids(scenario: Scenario) -> bool:
    """Whether workloads share a uid: of two such, neither stands before the other in a tournament."""
    uids = [event.submission.workload.uid for event in scenario.events if isinstance(event, Submit)]
    return len(set(uids)) < len(uids)


def _refuse_far(scenario: Scenario, jobs: TracedJobs, queues: Queues) -> None:
    timing = scenario.timing
    lengths = (
        timing.eviction,
        timing.cycle,
        timing.retry,
        jobs.rows.work.max(initial=0),
        queues.duration.max(),
    )
    if max(lengths) >= LONGEST:
        raise Uncovered("durations of decades")
    if jobs.requests.max(initial=0) >= MOST_AMOUNT:
        raise Uncovered("amounts that may saturate")


def _queue_row(queue: ClusterQueue, terms: PreemptionTerms) -> tuple[int, ...]:
    if terms.reclaim_within_cohort == ReclaimWithinCohort.UNSET:
        raise Uncovered("reclaimWithinCohort that is not set")
    if any(PODS in group.covered_resources for group in queue.resource_groups):
        raise Uncovered("a ClusterQueue that counts pods")
    threshold, duration = terms.max_priority_threshold, duration_in_force(terms)
    return (
        terms.within_cluster_queue,
        terms.reclaim_within_cohort,
        terms.borrow_within_cohort,
        NEVER if threshold is None else threshold,
        -1 if duration is None else duration,
        int(queue.queueing == QueueingStrategy.STRICT_FIFO),
        int(bool(queue.inactive)),
    )


def _policies(scenario: Scenario, reading: Reading, *, journal: bool) -> Policies:
    timing = scenario.timing
    return Policies(
        end=scenario.end,
        eviction=timing.eviction,
        gap=timing.cycle,
        retry=timing.retry,
        expired_only=int(reading.same_priority_gate == SamePriorityGate.EXPIRED_ONLY),
        by_reservation=int(reading.newer_than == NewerThan.RESERVED_AFTER_CREATED),
        by_eviction=int(reading.requeue_order == RequeueOrder.EVICTION),
        at_expiry=int(reading.wake == Wake.AT_EXPIRY),
        journal=int(journal),
    )


def _most_holders(cluster: Cluster, jobs: TracedJobs) -> int:
    """How many jobs hold quota at most at a time: usage never exceeds the quota of all nodes."""
    total: dict[str, int] = {}
    groups = [queue.resource_groups for queue in cluster.cluster_queues.values()]
    groups += [cohort.resource_groups for cohort in cluster.cohorts.values()]
    for own in groups:
        for at, nominal, limit, _ in own_quotas(own):
            if not 0 <= nominal < MOST_AMOUNT or not (0 <= limit < MOST_AMOUNT or limit == MOST):
                raise Uncovered("amounts that may saturate")
            total[at.resource] = total.get(at.resource, 0) + nominal
    most = 0
    for column in range(jobs.requests.shape[1]):
        requested = jobs.requests[:, column]
        quota = total.get(jobs.resources[column], 0) if jobs.resources else sum(total.values())
        most += quota // int(requested[requested > 0].min(initial=MOST_AMOUNT))
    return min(len(jobs.names), most) + 1


def _room(
    scenario: Scenario,
    rows: TraceJobs,
    queues: Queues,
    shapes: Shapes,
    most: int,
    policies: Policies,
    trees: Trees,
    heroes: HeroTables | None,
) -> TracePlay:
    def zeros(*size: int) -> Table:
        return np.zeros(size, np.int64)

    heads = len(queues.tree)
    state, margins = zeros(STATE_SIZE), zeros(STATE_SIZE)
    state[NOW], state[MARK] = scenario.start, scenario.start - 1
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
        heaps=zeros(len(rows.joins)),
        state=state,
        tasks=zeros(sizes[TASKS], 4),
        timers=zeros(sizes[TIMERS], 4),
        entries=Entries(*zeros(len(Entries._fields), heads)),
        turns=zeros(heads),
        found=zeros(2 * heads * most, 2),
        taken=zeros(2 * most),
        runs=zeros(sizes[RUNS], 8),
        waits=zeros(sizes[WAITS], 4),
        preemptions=zeros(sizes[PREEMPTIONS], 7),
        heads=zeros(sizes[HEAD_ROWS], 6),
        targets=zeros(sizes[TARGET_ROWS], 1),
        margins=margins,
        policies=policies,
        trees=trees,
        heroes=heroes,
    )
