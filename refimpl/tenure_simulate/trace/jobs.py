"""The jobs of a play as rows, and why a scenario's are left to `tenure_play.play`."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tenure.model import Amount, Cluster, Instant, Workload
from tenure.rules.dynamic_priority import elapsed_time, priority_in_decision
from tenure_play.actors import shape_of
from tenure_play.scenario import Scenario, Submission, Submit
from tenure_simulate.core.uncovered import Uncovered
from tenure_simulate.trace.tables import NO_JOB, Table, TraceJobs

MOST_AMOUNT = 2**40
"""Amounts from this on are left to `play`, where they saturate."""
_LATE: Instant = 2**62
"""After every creation."""


@dataclass(frozen=True, slots=True)
class TracedJobs:
    """The jobs of a play.

    Args:
        names: in the order of joining.
        rows: of each its columns; `request` is its request of the first resource.
        resources: what the columns of `requests` are of, by name; none where every job requests the one
            resource that the ClusterQueues have.
        requests: of each job, by resource.
        kinds: the classes whose priority grows, each with a boost, that jobs have.
        ages: of each job, the number of its kind (below 0 for none), and from when its age counts; None
            where there are no kinds.
    """

    names: Sequence[str]
    rows: TraceJobs
    resources: tuple[str, ...]
    requests: Table
    kinds: tuple[PriorityKind, ...] = ()
    ages: Table | None = None


class PriorityKind(NamedTuple):
    """What a priority that grows depends on beside the age.

    Args:
        priority_class: name of the WorkloadPriorityClass.
        boost: what is added to what the class gives.
    """

    priority_class: str
    boost: int = 0


def kind_of(workload: Workload, cluster: Cluster) -> PriorityKind | None:
    """The kind of a workload; None where its priority stays as it is.

    >>> kind_of(Workload("ns", "w", "u", priority=0, created_at=0), Cluster({}))
    """
    if workload.priority_class not in cluster.growing:
        return None
    return PriorityKind(
        workload.priority_class, workload.priority_boost if cluster.settings.priority_boost else 0
    )


def ages_of(workloads: Sequence[Workload], cluster: Cluster) -> tuple[tuple[PriorityKind, ...], Table | None]:
    """`kinds` and `ages` of workloads.

    Args:
        workloads: in the order of joining.
        cluster: its classes whose priority grows.
    """
    found = [kind_of(workload, cluster) for workload in workloads]
    kinds = tuple(sorted({kind for kind in found if kind is not None}))
    if not kinds:
        return (), None
    numbers: dict[PriorityKind | None, int] = {kind: number for number, kind in enumerate(kinds)}
    ages = [
        (numbers.get(kind, -1), _LATE - elapsed_time(workload, _LATE))
        for kind, workload in zip(found, workloads, strict=True)
    ]
    return kinds, np.array(ages, np.int64).reshape(len(ages), 2)


def traced_jobs(scenario: Scenario) -> TracedJobs:
    """The submissions of a scenario as rows.

    Args:
        scenario: one whose events are submissions.

    Raises:
        Uncovered: something else happens, or a workload requests what the engine does not know.
    """
    joins, submissions = [], []
    for event in scenario.events:
        if not isinstance(event, Submit):
            raise Uncovered(f"an event {type(event).__name__}")
        joins.append(event.at)
        submissions.append(event.submission)
    queues = sorted(scenario.cluster.cluster_queues)
    cluster = scenario.cluster
    boosts = cluster.settings.priority_boost
    # What the scheduler takes for equivalent has the same priority too, which `traced` looks at.
    shapes = _numbered(
        (submission.queue, shape_of(submission.workload.with_priority(0))) for submission in submissions
    )
    kinds, ages = ages_of([submission.workload for submission in submissions], cluster)
    ranks = _ranks([(submission.workload.uid, submission.workload.key) for submission in submissions])
    requested = [_requests_of(submission) for submission in submissions]
    resources = tuple(sorted({resource for requests in requested for resource in requests}))
    table = [[requests.get(resource, 0) for resource in resources] for requests in requested]
    rows = [
        _job_row(submission, at, queues.index(submission.queue), shape, requests[0], rank, boosts=boosts)
        for submission, at, shape, requests, rank in zip(
            submissions, joins, shapes, table, ranks, strict=True
        )
    ]
    names = [submission.workload.key for submission in submissions]
    given = np.array(rows, np.int64).reshape(len(rows), 9)
    requests = np.array(table, np.int64).reshape(len(rows), len(resources))
    return traced(names, given, resources, requests, kinds, ages)


def traced(
    names: Sequence[str],
    given: Table,
    resources: Sequence[str] = (),
    requests: Table | None = None,
    kinds: Sequence[PriorityKind] = (),
    ages: Table | None = None,
) -> TracedJobs:
    """Jobs from the columns `joins` to `keeps`; shapes may have any numbers.

    Args:
        names: in the order of joining.
        given: a row for each; those with the same pods have the same shape, whatever their priorities.
        resources, requests: as of `TracedJobs`; column `request` is all where there are none.
        kinds, ages: as of `TracedJobs`.
    """
    rows = TraceJobs(*np.zeros((len(TraceJobs._fields), len(given)), np.int64))
    for column, values in zip(rows, given.T, strict=False):
        column[:] = values
    alike = [rows.queue, rows.shape_id, *(() if kinds else (rows.priority,))]
    rows.shape_id[:] = _by_queue(alike)
    rows.queued[:] = rows.created
    rows.preemptor[:] = NO_JOB
    rows.rotated[:] = -1
    requested = rows.request.reshape(-1, 1).copy() if requests is None else requests
    return TracedJobs(names, rows, tuple(resources), requested, tuple(kinds), ages)


def _by_queue(columns: Sequence[Table]) -> Table:
    """What these columns tell apart, with numbers of which those of one ClusterQueue stand together."""
    return np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)[1].reshape(-1)


def _numbered(keys: Iterable[Hashable]) -> list[int]:
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]


def _ranks(uids: Sequence[tuple[str, str]]) -> list[int]:
    ranks = [0] * len(uids)
    for rank, at in enumerate(sorted(range(len(uids)), key=uids.__getitem__)):
        ranks[at] = rank
    return ranks


def _requests_of(submission: Submission) -> Mapping[str, Amount]:
    """The requests of a job, by resource."""
    workload: Workload = submission.workload
    if len(workload.pod_sets) != 1 or submission.eviction is not None or workload.requeue_at is not None:
        raise Uncovered("a workload with several pod sets, an eviction of its own or a back-off")
    (pods,) = workload.pod_sets
    if pods.node_selector or pods.node_affinity or pods.settled or pods.min_count is not None:
        raise Uncovered("pods that require nodes, or may be fewer")
    if not pods.requests or not all(0 < amount < MOST_AMOUNT for amount in pods.requests.values()):
        raise Uncovered("pods that ask for nothing, or for more than can be counted")
    return pods.requests


def _job_row(
    submission: Submission,
    at: Instant,
    queue: int,
    shape: int,
    request: Amount,
    rank: int,
    *,
    boosts: bool,
) -> tuple[int, ...]:
    workload = submission.workload
    return (
        at,
        queue,
        shape,
        priority_in_decision(workload, None, boosts),
        request,
        rank,
        workload.created_at,
        -1 if submission.work is None else submission.work,
        int(submission.keeps),
    )
