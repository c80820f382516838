"""When a waiting workload starts at the latest, if no job runs longer than its limit.

While a workload is blocked, others hold so much of a flavor-resource that it does not fit beside them: all
but what it leaves free in an empty tree. Each of them holds quota no longer than its limit in all. So they
block it together no longer than the sum of their limits, each by the part of that amount which it holds. A
job that ends earlier only shortens the sum. The order in which others start does not matter.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from tenure.api import Loaded, find_pending, in_line, queue_of
from tenure.choices import Engine, Outcome
from tenure.engines import Batch, Detail
from tenure.manifests.structure import dig, entries
from tenure.model import (
    MINUTE,
    SECOND,
    Amount,
    Amounts,
    ClusterQueue,
    Duration,
    FlavorPreference,
    FlavorResource,
    Fungibility,
    Instant,
    PreemptionRules,
    QueueingStrategy,
    ReclaimWithinCohort,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.assignment import PODS
from tenure.oracle.decide import Decision
from tenure.oracle.snapshot import take_snapshot
from tenure.oracle.topology import takes_part
from tenure.oracle.tree import Tree, Usage, available_at, empty_usage, occupy, release
from tenure.readings import Reading
from tenure.units import END_OF_TIME
from tenure_play.actors import Phase
from tenure_play.forecast.answer_types import LatestStart, LimitedRun, StartBefore
from tenure_play.forecast.limits import AssumedRuntime, RunLimit, run_limit
from tenure_play.forecast.run import Course
from tenure_play.record import Ending
from tenure_play.scenario import Scenario, Submission

MOST_PLAYED: Final = 5000
"""So many cycles are played to see when a workload starts if each job runs to its limit."""
_DAY: Final = 24 * 60 * MINUTE
_LONGEST: Final[Duration] = 3650 * _DAY
"""So far is played where no bound is known."""
Limits: TypeAlias = Mapping[str, RunLimit | None]
"""By workload; None for one without a limit."""


@dataclass(frozen=True, slots=True)
class _Bound:
    """The latest start without preemptions, and what each preemption adds."""

    at: Instant
    per_preemption: Duration | None


class _NoBoundError(Exception):
    """No bound is known, for a reason in words."""


def latest_start(
    loaded: Loaded,
    manifests: Mapping[str, Mapping[str, object]],
    scenario: Scenario,
    reading: Reading,
    workload: str,
    runtime: AssumedRuntime | None,
) -> LatestStart:
    """When a workload starts at the latest, if no job runs longer than its limit.

    Args:
        loaded: the cluster.
        manifests: Workloads as they were read, by `namespace/name`.
        scenario: the cluster as it is, in which nothing happens from outside.
        reading: see `tenure.readings`.
        workload: `namespace/name` of one that waits.
        runtime: what is assumed of workloads that declare no limit.

    Raises:
        InputError: a limit that is no number of seconds; more than a play may take.
    """
    tree = _TreeLoad(loaded, scenario, reading, workload)
    eviction = scenario.timing.eviction
    limits = {
        entry.workload.key: run_limit(
            entry.workload, manifests.get(entry.workload.key, {}), runtime, eviction, scenario.start
        )
        for entry in tree.present
    }
    why, bound = "", None
    try:
        bound = tree.bound(limits, manifests)
    except _NoBoundError as error:
        why = str(error)
    end = scenario.start + _LONGEST if bound is None else bound.at + _DAY
    present = tuple(_limited(entry, limits[entry.workload.key]) for entry in tree.present)
    played = dataclasses.replace(scenario, present=present, end=min(end, END_OF_TIME))
    course = Course(played, reading, None, workload, most=MOST_PLAYED)
    if any(limits.values()):
        course.run()
    count = len(course.journal.preemptions)
    ends = tuple(_ends(course, limits))
    # Without the end of a job it is the forecast, looked at for longer.
    is_known = course.is_admitted and bool(ends)
    latest = None
    if bound is not None:
        extra = count * (bound.per_preemption or 0)
        latest = -(-(bound.at + extra) // SECOND) * SECOND
    return LatestStart(
        if_exact=course.player.world.now if is_known else None,
        latest=latest,
        preemptions=count if bound is not None else 0,
        per_preemption=None if bound is None else bound.per_preemption,
        why=why,
        ends=ends if is_known else (),
        starts=tuple(_starts(course, workload)) if is_known else (),
        unlimited=tuple(tree.without_limit(limits)),
        runtime=None if runtime is None else runtime.length,
    )


def _limited(entry: Submission, limit: RunLimit | None) -> Submission:
    return entry if limit is None else dataclasses.replace(entry, work=limit.total)


def _ends(course: Course, limits: Limits) -> Iterator[LimitedRun]:
    """The runs that end before the workload starts, in order."""
    for run in course.journal.runs:
        limit = limits.get(run.workload)
        if run.ended_by == Ending.FINISHED and limit is not None:
            yield LimitedRun(run.workload, run.end, limit.by)


def _starts(course: Course, workload: str) -> Iterator[StartBefore]:
    """Pending workloads that start before it, in order; the first start of each."""
    start = course.scenario.start
    first: dict[str, Instant] = {}
    for run in course.journal.runs:
        if run.start >= start and run.workload != workload:
            first.setdefault(run.workload, run.start)
    for actor in course.player.world.alive.values():
        if actor.phase != Phase.WAITING and actor.reserved >= start and actor.key != workload:
            first.setdefault(actor.key, actor.reserved)
    waiting = {entry.workload.key for entry in course.scenario.present if not entry.workload.cluster_queue}
    found = sorted((at, key) for key, at in first.items() if key in waiting)
    return (StartBefore(key, at) for at, key in found)


class _TreeLoad:
    """The workloads of the tree of a workload that waits, and how long they can block it."""

    def __init__(self, loaded: Loaded, scenario: Scenario, reading: Reading, workload: str) -> None:
        self._loaded, self._scenario, self._reading = loaded, scenario, reading
        self._cluster = scenario.cluster
        self._kept: dict[FlavorResource, Usage] = {}
        self._workload = find_pending(loaded, workload)
        self._queue = queue_of(loaded, self._workload)
        self._empty = take_snapshot(self._cluster, self._queue, scenario.start, reading)
        self._tree: Tree = self._empty.tree
        self._batch = Batch(
            Engine.REFERENCE,
            self._cluster,
            scenario.start,
            reading,
            detail=Detail.TARGETS,
            taken=lambda _: self._empty,
        )
        self._decision = self._alone(self._workload, self._queue)
        self.present = tuple(entry for entry in scenario.present if entry.queue in self._tree.places)
        queues = [self._cluster.cluster_queues[name] for name in self._tree.places]
        self._may_preempt = any(map(_may_preempt, queues))
        self._covered = {queue.name: queue.nominal().keys() for queue in queues}

    def without_limit(self, limits: Limits) -> Iterator[str]:
        """The running workloads without a limit that hold what it needs."""
        needed = {at for at, amount in self._decision.assignment.usage.items() if amount}
        for entry in self.present:
            workload = entry.workload
            holds = workload.cluster_queue is not None and not needed.isdisjoint(workload.usage)
            if holds and not workload.evicted and limits[workload.key] is None:
                yield workload.key

    def _alone(self, workload: Workload, queue: str) -> Decision:
        """What is decided while nothing holds quota."""
        return self._batch.decide(workload, queue)

    def bound(self, limits: Limits, manifests: Mapping[str, Mapping[str, object]]) -> _Bound:
        """The latest start without preemptions, and what each preemption adds.

        Raises:
            _NoBoundError: none is known.
        """
        mine, cluster, timing = self._workload, self._cluster, self._scenario.timing
        if hold := cluster.hold_of(mine):
            raise _NoBoundError(hold)
        if self._decision.outcome != Outcome.FIT:
            raise _NoBoundError("it does not fit even while nothing else runs")
        if self._decision.snapshot.heroes is not None:
            raise _NoBoundError("its tree has a ClusterQueue with preemption rules of KEP-8826")
        if takes_part(mine, cluster.cluster_queues[self._queue], cluster):
            raise _NoBoundError("Kueue also needs a place in a topology, which is not modelled")
        others = [entry for entry in self.present if self._competes(entry)]
        # A workload of a held LocalQueue wakes no other when it ends.
        lasting = {
            entry.workload.key: entry
            for entry in others
            if limits[entry.workload.key] is None or cluster.hold_of(entry.workload)
        }
        least: dict[FlavorResource, Amount] = {}
        for threshold in self._thresholds(lasting):
            for at, amount in threshold.items():
                least[at] = min(amount, least.get(at, amount))
        blocked = 0
        for entry in others:
            limit = limits[entry.workload.key]
            if limit is not None and entry.workload.key not in lasting:
                blocked += self._share(entry, self._left(entry, limit), least, manifests)
        ended = len(others) + 1
        tries = (timing.retry + (ended + 2) * timing.cycle) * ended + ended * timing.cycle
        if any(entry.workload.evicted for entry in others):
            blocked += timing.eviction
        start = max(self._scenario.start, mine.requeue_at or 0)
        # Kueue counts whole seconds of each stay.
        each = timing.eviction + timing.retry + (2 * ended + 2) * timing.cycle + SECOND
        return _Bound(start + blocked + tries, each if self._may_preempt else None)

    def _is_tried(self, entry: Submission) -> bool:
        """Whether a workload holds quota, or waits in a queue that is not stopped."""
        workload, queue = entry.workload, self._cluster.cluster_queues[entry.queue]
        return workload.cluster_queue is not None or not (queue.inactive or self._cluster.hold_of(workload))

    def _competes(self, entry: Submission) -> bool:
        """Whether another workload holds quota, or may be admitted."""
        workload = entry.workload
        if workload.key == self._workload.key or not self._is_tried(entry):
            return False
        is_running = workload.cluster_queue is not None
        return is_running or self._alone(workload, entry.queue).outcome == Outcome.FIT

    def _left(self, entry: Submission, limit: RunLimit) -> Duration:
        """How long it holds quota from now on, at most."""
        workload, now = entry.workload, self._scenario.start
        if workload.cluster_queue is None or workload.evicted:
            return limit.total
        reserved = now if workload.quota_reserved_at is None else min(now, workload.quota_reserved_at)
        return max(0, reserved + limit.total - now)

    def _thresholds(self, lasting: Mapping[str, Submission]) -> Iterator[dict[FlavorResource, Amount]]:
        """By flavor-resource, from which amount on others block the workload, or one that it cannot pass."""
        yield self._threshold(self._queue, self._decision.assignment.usage, self._workload, lasting)
        for name, queued in self._strict_heads():
            usage = queued.usage
            if queued.cluster_queue is None:
                decision = self._alone(queued, name)
                if decision.outcome != Outcome.FIT:
                    if name == self._queue:
                        raise _NoBoundError(f"{queued.key} is ahead of it, never fits and lets no other pass")
                    continue
                usage = decision.assignment.usage
            yield self._threshold(name, usage, queued, lasting)

    def _strict_heads(self) -> Iterator[tuple[str, Workload]]:
        """Those at the head of a StrictFIFO ClusterQueue: they let none pass, or reserve what is free."""
        strict = {
            name
            for name in self._tree.places
            if self._cluster.cluster_queues[name].queueing == QueueingStrategy.STRICT_FIFO
        }
        ahead = self._ahead() if self._queue in strict else set()
        for entry in self.present:
            workload = entry.workload
            if entry.queue not in strict or not self._is_tried(entry):
                continue
            if workload.cluster_queue is not None:
                if self._may_preempt:
                    yield entry.queue, workload
            elif entry.queue != self._queue or workload.key in ahead:
                yield entry.queue, workload

    def _ahead(self) -> set[str]:
        line = in_line(self._loaded, self._queue, END_OF_TIME, self._reading)
        keys = [queued.key for queued in line]
        if self._cluster.growing:
            return set(keys)
        return set(keys[: keys.index(self._workload.key)])

    def _threshold(
        self, queue: str, usage: Amounts, workload: Workload, lasting: Mapping[str, Submission]
    ) -> dict[FlavorResource, Amount]:
        tree, found = self._tree, dict[FlavorResource, Amount]()
        for at, requested in usage.items():
            if requested == 0:
                continue
            held = self._held(at, lasting)
            if workload.key in lasting:
                mine = lasting[workload.key]
                held = release(tree, held, tree.places[queue], {at: self._most(mine, at)})
            slack = available_at(tree, held, tree.places[queue], at) - requested
            if slack < 0:
                keys = [key for key, entry in lasting.items() if self._most(entry, at)]
                who = keys[0] if len(keys) == 1 else f"{len(keys)} running and pending workloads"
                raise _NoBoundError(f"{who} may hold {at.resource} on {at.flavor} without a limit")
            found[at] = slack + 1
        if _is_choosy(self._cluster.cluster_queues[queue]):
            # It may wait for another flavor while one is free.
            found = dict.fromkeys(found, 1)
            if lasting.keys() - {workload.key}:
                raise _NoBoundError("it may wait for another flavor while one is free")
        return found

    def _held(self, at: FlavorResource, lasting: Mapping[str, Submission]) -> Usage:
        """What workloads without a limit hold of a flavor-resource, once all of them are admitted."""
        if at not in self._kept:
            together: Counter[str] = Counter()
            for entry in lasting.values():
                together[entry.queue] += self._most(entry, at)
            held = empty_usage(self._tree)
            for queue, amount in together.items():
                held = occupy(self._tree, held, self._tree.places[queue], {at: amount})
            self._kept[at] = held
        return self._kept[at]

    def _most(self, entry: Submission, at: FlavorResource) -> Amount:
        """The most of a flavor-resource that a workload holds."""
        workload = entry.workload
        if workload.cluster_queue is not None and not (self._may_preempt or workload.evicted):
            return workload.usage.get(at, 0)
        if at not in self._covered[entry.queue]:
            return workload.usage.get(at, 0)
        running = sum(amount for key, amount in workload.usage.items() if key.resource == at.resource)
        if at.resource == PODS:
            return max(running, sum(pod_set.count for pod_set in workload.pod_sets))
        return max(running, sum(pod_set.requests.get(at.resource, 0) for pod_set in workload.pod_sets))

    def _share(
        self,
        entry: Submission,
        left: Duration,
        least: Mapping[FlavorResource, Amount],
        manifests: Mapping[str, Mapping[str, object]],
    ) -> Duration:
        """The part of the time that a workload may block, for as long as it holds quota."""
        parts = [(held, amount) for at, amount in least.items() if (held := self._most(entry, at))]
        if parts and self._may_preempt and _may_grow(manifests.get(entry.workload.key)):
            return left
        return max((min(left, -(-left * held // amount)) for held, amount in parts), default=0)


def _may_grow(raw: object) -> bool:
    """Whether a workload may hold more once it was preempted: it may run with fewer pods."""
    return any(dig(pods, "minCount") is not None for _, pods in entries(dig(raw, "spec", "podSets")))


def _may_preempt(queue: ClusterQueue) -> bool:
    """Whether a workload of a ClusterQueue may preempt any other."""
    return (
        queue.within_cluster_queue != WithinClusterQueue.NEVER
        or queue.reclaim_within_cohort != ReclaimWithinCohort.NEVER
        or queue.rules != PreemptionRules.DEFAULT
    )


def _is_choosy(queue: ClusterQueue) -> bool:
    """Whether a workload may prefer a flavor that it has to preempt in over one in which it fits."""
    several = any(len(group.flavors) > 1 for group in queue.resource_groups)
    chosen = queue.fungibility
    return several and (
        chosen.when_can_preempt == Fungibility.MAY_STOP_SEARCH
        or chosen.preferred != FlavorPreference.BORROWING_OVER_PREEMPTION
    )
