"""How the exposure of a running workload changes with time, seen from every ClusterQueue of its tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tenure.explanation.risk.configured import least_configured
from tenure.explanation.risk.least_priority import Least, Spending, found_by, least_priority
from tenure.explanation.risk.policy import Prospect, asking
from tenure.explanation.risk.sizes import try_likeliest
from tenure.model import Basis, Cluster, Instant, Workload
from tenure.oracle.ageing import grown_priority
from tenure.oracle.bounded import with_bounded_usage
from tenure.oracle.snapshot import Snapshot, take_snapshot
from tenure.oracle.unmodelled import affected_answers, of_pair
from tenure.readings import NewerThan, Reading
from tenure.rules.dynamic_priority import LEAST_PRIORITY, next_step_at
from tenure.rules.reservation import quota_reservation_time
from tenure.rules.terms import PreemptionTerms, terms_of
from tenure.rules.time_based import duration_in_force, requeue_timestamp

MOST_CHANGES = 6
"""So many instants after the clock are looked at, at most; a priority may grow a thousand times."""


@dataclass(frozen=True, slots=True)
class Span:
    """What holds from an instant on, until the next span of its ClusterQueue begins.

    Args:
        start: ns since the epoch.
        least: what new workloads could do then.
    """

    start: Instant
    least: Least


@dataclass(frozen=True, slots=True)
class Seen:
    """A running workload as one ClusterQueue's workloads see it.

    Args:
        cluster_queue: its name.
        spans: from the clock on, in order, each unlike the one before.
        older: what an equal could do now that counts as older than the running workload, where a new one
            could not; None otherwise.
        older_than: since before when such an equal must have waited, ns; None without one.
    """

    cluster_queue: str
    spans: tuple[Span, ...]
    older: Least | None = None
    older_than: Instant | None = None


@dataclass(frozen=True, slots=True)
class Exposure:
    """Who could preempt a running workload, and from when on.

    Args:
        victim: the running workload, with its effective priority at the clock.
        seen: from each ClusterQueue of its tree, its own first, then by name.
        changes: the instants after the clock at which its own protection changes, as far as they were asked.
        more_changes: whether it changes after the last of them too.
    """

    victim: Workload
    seen: tuple[Seen, ...]
    changes: tuple[Instant, ...]
    more_changes: bool


def exposure_of(cluster: Cluster, victim: Workload, now: Instant, reading: Reading) -> Exposure:
    """Who could preempt a running workload, now and while nothing else happens.

    Args:
        cluster: the cluster.
        victim: one of its workloads that hold quota.
        now: the clock, ns since the epoch.
        reading: see `tenure.readings`.

    Raises:
        InputError: as `tenure.oracle.decide.decide`, about the tree of its ClusterQueue.
    """
    name = victim.cluster_queue or ""
    snapshots = Instants(cluster, name, reading)
    first = snapshots.at(now)
    steps, more = _steps(cluster, victim, now, reading)
    ends = _protection_ends(victim, terms_of(first.queue, cluster.settings, reading), now)
    own = sorted({*steps, *ends})
    queues = [name, *sorted(other for other in first.tree.places if other != name)]
    seen = []
    for queue in queues:
        unknown = of_pair(cluster, first.tree, queue, name)
        if unknown:
            span = Span(now, Least(open_from=LEAST_PRIORITY, unknown=affected_answers(unknown[0])))
            seen.append(Seen(queue, (span,)))
        else:
            seen.append(_seen(snapshots, victim, queue, now, own if queue == name else steps))
    return Exposure(_running(first, victim), tuple(seen), tuple(own), more)


class Instants:
    """The tree of a running workload at several instants; where no priority grows, one serves all of them.

    Args:
        cluster: the cluster.
        cluster_queue: the running workload's.
        reading: see `tenure.readings`.

    Their searches share what may be spent.
    """

    def __init__(self, cluster: Cluster, cluster_queue: str, reading: Reading) -> None:
        self.cluster, self.reading, self.spending = cluster, reading, Spending()
        self._name = cluster_queue
        self._taken: dict[Instant, Snapshot] = {}

    def at(self, now: Instant) -> Snapshot:
        """The tree at an instant, around the running workload's ClusterQueue.

        Raises:
            InputError: as `tenure.oracle.decide.decide`.
        """
        key = now if self.cluster.growing else 0
        if key not in self._taken:
            taken = take_snapshot(self.cluster, self._name, now, self.reading)
            self._taken[key] = with_bounded_usage(taken)
        return self._taken[key]

    def prospect(self, victim: Workload, cluster_queue: str, now: Instant) -> Prospect:
        """A running workload as a ClusterQueue's workloads see it at an instant."""
        snapshot = self.at(now).around(cluster_queue)
        terms = terms_of(snapshot.queue, self.cluster.settings, self.reading)
        return Prospect(snapshot, terms, _running(snapshot, victim), now)


def _running(snapshot: Snapshot, victim: Workload) -> Workload:
    """The workload with its effective priority."""
    place = snapshot.tree.places[victim.cluster_queue or ""]
    return next(workload for workload in snapshot.running[place] if workload.key == victim.key)


def _seen(
    snapshots: Instants, victim: Workload, cluster_queue: str, now: Instant, changes: Sequence[Instant]
) -> Seen:
    spans: list[Span] = []
    for start in (now, *changes[:MOST_CHANGES]):
        prospect = snapshots.prospect(victim, cluster_queue, start)
        configured = prospect.snapshot.queue.preemption_config is not None
        find = least_configured if configured else least_priority
        least = find(prospect, start, snapshots.reading, snapshots.spending)
        if not spans or _told(spans[-1].least) != _told(least):
            spans.append(Span(start, least))
    older, older_than = _older(snapshots, snapshots.prospect(victim, cluster_queue, now), spans[0].least)
    return Seen(cluster_queue, tuple(spans), older, older_than)


def _told(least: Least) -> tuple[int | None, int | None, str, Basis]:
    basis = Basis.NONE if least.target is None else least.target.evidence.basis
    return least.priority, least.open_from, least.refusal, basis


def _older(snapshots: Instants, prospect: Prospect, new: Least) -> tuple[Least | None, Instant | None]:
    """What an equal could do that counts as older (TBP-040), where a new one could do nothing."""
    priority = prospect.victim.priority
    if not prospect.is_own or (new.priority is not None and new.priority <= priority):
        return None, None
    before = _newer_from(prospect.victim, prospect.terms, prospect.now)
    if prospect.least_allowed(before - 1) != priority:
        return None, None
    preemptor = asking(prospect.now, priority, before - 1)
    decision = try_likeliest(prospect, preemptor, snapshots.reading, snapshots.spending.likeliest)
    return (None, None) if decision is None else (found_by(decision, priority, prospect.victim.key), before)


def _newer_from(victim: Workload, terms: PreemptionTerms, now: Instant) -> Instant:
    """The creation from which on an equal without a past counts as no older than a running workload."""
    by_reservation = (
        duration_in_force(terms) is not None and terms.newer_than == NewerThan.RESERVED_AFTER_CREATED
    )
    return quota_reservation_time(victim, now) if by_reservation else requeue_timestamp(victim, terms)


def _protection_ends(victim: Workload, terms: PreemptionTerms, now: Instant) -> Iterator[Instant]:
    """The instants after the clock at which equals gain or lose a basis against a running workload."""
    duration = duration_in_force(terms)
    if duration is not None and victim.quota_reserved_at is not None:
        expires = victim.quota_reserved_at + duration + 1  # TBP-020: strictly more than the duration
        if expires > now:
            yield expires
    stamp = _newer_from(victim, terms, now)
    if stamp > now:  # ahead of the clock: until then even a new equal counts as older
        yield stamp


def _steps(cluster: Cluster, victim: Workload, now: Instant, reading: Reading) -> tuple[list[Instant], bool]:
    """The next instants at which a workload's priority changes, and whether there are more of them."""
    growing = cluster.growing.get(victim.priority_class)
    found: list[Instant] = []
    if growing is None or growing.policy is None:
        return found, False
    at, priority = now, grown_priority(victim, cluster, now, reading)
    while len(found) <= MOST_CHANGES:
        at = next_step_at(victim, growing.policy, at, reading.priority_steps)
        after = grown_priority(victim, cluster, at, reading)
        if after == priority:
            return found, False
        found.append(at)
        priority = after
    return found[:MOST_CHANGES], True
