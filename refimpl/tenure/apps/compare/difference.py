"""What is decided otherwise: every pending workload of both clusters, each decided about alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tenure.api import Loaded, PendingDecision, decide_all
from tenure.apps.compare.answer_types import DiffAnswer, PendingChange, RunningChange, Taken
from tenure.engines import Engine
from tenure.model import Cluster, ClusterQueue, Duration, Instant, Workload
from tenure.readings import Reading, SamePriorityGate
from tenure.rules.reservation import quota_reservation_time
from tenure.rules.terms import PreemptionTerms, terms_of
from tenure.rules.time_based import duration_in_force, is_time_expired
from tenure.units import format_duration

ABSENT = "absent"
UNDECIDED = "not decided"


@dataclass(frozen=True, slots=True)
class Side:
    """One of two clusters.

    Args:
        words: what it is, for the answer.
        loaded: what was read.
    """

    words: str
    loaded: Loaded


@dataclass(slots=True)
class _Decided:
    """What is decided in one cluster.

    Args:
        pending: by pending workload: its queue, the decision in a word, and reasons by victim.
        victims: by running workload: reasons by preemptor.
        running: the running workloads by name.
    """

    cluster: Cluster
    now: Instant
    reading: Reading
    pending: dict[str, tuple[str | None, str, dict[str, str]]] = field(default_factory=dict)
    victims: dict[str, dict[str, str]] = field(default_factory=dict)
    running: dict[str, Workload] = field(default_factory=dict)
    terms: dict[str, PreemptionTerms] = field(default_factory=dict)

    def take(self, decided: PendingDecision) -> None:
        """Keep one decision."""
        decision = decided.decision
        if decision is None:
            self.pending[decided.workload] = decided.cluster_queue, UNDECIDED, {}
            return
        reasons = {target.workload.key: target.reason.label for target in decision.targets}
        self.pending[decided.workload] = decided.cluster_queue, str(decision.outcome), reasons
        for victim, reason in reasons.items():
            self.victims.setdefault(victim, {})[decided.workload] = reason

    def terms_of(self, queue: ClusterQueue) -> PreemptionTerms:
        """The terms of a ClusterQueue, made once."""
        known = self.terms.get(queue.name)
        if known is None:
            known = self.terms[queue.name] = terms_of(queue, self.cluster.settings, self.reading)
        return known

    def protected_until(self, key: str) -> Instant | None:
        """Until when no equal of its ClusterQueue may preempt a workload; None where nothing protects it."""
        workload = self.running.get(key)
        queue = self.cluster.cluster_queues.get(workload.cluster_queue or "") if workload else None
        if workload is None or queue is None:
            return None
        terms = self.terms_of(queue)
        duration = duration_in_force(terms)
        guaranteed = terms.same_priority_gate == SamePriorityGate.EXPIRED_ONLY
        if duration is None or not guaranteed or is_time_expired(workload, self.now, duration):
            return None
        return quota_reservation_time(workload, self.now) + duration


def difference(
    before: Side, after: Side, now: Instant, reading: Reading, engine: Engine = Engine.AUTO
) -> DiffAnswer:
    """What is decided otherwise in one cluster than in another.

    Args:
        before, after: the clusters, under their settings.
        now: the clock of both, ns since the epoch.
        reading: of both.
        engine: who decides.
    """
    one, other = (_decided(side.loaded, now, reading, engine) for side in (before, after))
    return DiffAnswer(
        before=before.words,
        after=after.words,
        now=now,
        reading=reading.name,
        pending_count=len(one.pending.keys() | other.pending.keys()),
        running_count=len(one.running.keys() | other.running.keys()),
        pending=tuple(_pending_changes(one, other)),
        gained_victims=tuple(_running_changes(other.victims, one.victims, one, other)),
        lost_victims=tuple(_running_changes(one.victims, other.victims, one, other)),
        kueue=after.loaded.cluster.settings.release,
        notes=tuple(_notes(one, other)),
    )


def _decided(loaded: Loaded, now: Instant, reading: Reading, engine: Engine) -> _Decided:
    cluster = loaded.cluster
    decided = _Decided(cluster, now, reading)
    decided.running.update((workload.key, workload) for workload in cluster.admitted)
    for pending_decision in decide_all(loaded, now=now, reading=reading, engine=engine):
        decided.take(pending_decision)
    return decided


def _pending_changes(one: _Decided, other: _Decided) -> Iterator[PendingChange]:
    nowhere: tuple[str | None, str, dict[str, str]] = (None, ABSENT, {})
    for key in sorted(one.pending.keys() | other.pending.keys()):
        queue, before, lost = one.pending.get(key, nowhere)
        queue_after, after, gained = other.pending.get(key, nowhere)
        if (before, lost) != (after, gained):
            yield PendingChange(
                key, queue_after or queue, before, after, _without(gained, lost), _without(lost, gained)
            )


def _without(some: Mapping[str, str], others: Mapping[str, str]) -> tuple[Taken, ...]:
    """What is in one map and not so in another."""
    return tuple(Taken(name, reason) for name, reason in some.items() if others.get(name) != reason)


def _running_changes(
    here: Mapping[str, Mapping[str, str]],
    there: Mapping[str, Mapping[str, str]],
    one: _Decided,
    other: _Decided,
) -> Iterator[RunningChange]:
    """Those who are victims on one side only."""
    for key in sorted(here.keys() - there.keys()):
        runs = other.running.get(key) or one.running[key]
        yield RunningChange(
            workload=key,
            cluster_queue=runs.cluster_queue,
            runs_before=key in one.running,
            runs_after=key in other.running,
            preemptors=tuple(Taken(name, reason) for name, reason in here[key].items()),
            protected_before=one.protected_until(key),
            protected_after=other.protected_until(key),
        )


def _notes(one: _Decided, other: _Decided) -> Iterator[str]:
    for name, queue in sorted(other.cluster.cluster_queues.items()):
        former = one.cluster.cluster_queues.get(name)
        before = None if former is None else duration_in_force(one.terms_of(former))
        after = duration_in_force(other.terms_of(queue))
        if former is not None and after is not None and before is None:
            yield _exposed(other, name, after)


def _exposed(decided: _Decided, queue: str, duration: Duration) -> str:
    """What a duration does that was not in force: without it only newer equals may be preempted."""
    running = [workload for workload in decided.running.values() if workload.cluster_queue == queue]
    expired = sum(is_time_expired(workload, decided.now, duration) for workload in running)
    return (
        f"ClusterQueue {queue}: minAdmitDuration {format_duration(duration)} comes into force. Without it a "
        "workload may be preempted only by an equal that queued before it; with it, by any equal once it has "
        f"run longer than that, so older ones are exposed (TBP-050): {expired} of {len(running)} running "
        "workloads already have."
    )
