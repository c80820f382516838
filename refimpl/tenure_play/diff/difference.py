"""What `tenure diff` answers: how two clusters decide every pending workload, each taken alone.

Times are RFC 3339; workloads are `namespace/name`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

from tenure.api import Loaded, PendingDecision, decide_all, pending_names
from tenure.as_json import KueueVersion, Moment
from tenure.choices import Engine
from tenure.explanation.quota_alone import topology_of
from tenure.explanation.shapes import WorkloadWithReason
from tenure.joint import JointDifference
from tenure.manifests.premises import premises_of_both
from tenure.model import Cluster, ClusterQueue, Duration, Instant, NotModelled, Target, Workload
from tenure.oracle.unmodelled import over_time
from tenure.readings import Reading, SamePriorityGate
from tenure.rules.reservation import quota_reservation_time
from tenure.rules.terms import PreemptionTerms, terms_of
from tenure.rules.time_based import duration_in_force, is_time_expired
from tenure.units import format_duration
from tenure_play.diff.trees import reached
from tenure_play.diff.victim_periods import Spell, spells

ABSENT = "absent"
UNDECIDED = "not decided"


@dataclass(frozen=True, slots=True)
class PendingChange:
    """A pending workload that is decided otherwise."""

    workload: str
    """The workload."""
    cluster_queue: str | None
    """Where it waits after, or before where it does not afterwards."""
    before: str
    """The decision; `absent` where it does not wait there, `not decided` where it cannot be decided about."""
    after: str
    """The decision afterwards, likewise."""
    gained: tuple[WorkloadWithReason, ...]
    """Those whom it preempts afterwards only, or for another reason."""
    lost: tuple[WorkloadWithReason, ...]
    """Those whom it preempts before only, or for another reason."""


@dataclass(frozen=True, slots=True)
class RunningChange:
    """A running workload that is preempted for a pending workload on one side only."""

    workload: str
    """The workload."""
    cluster_queue: str | None
    """Whose quota it holds."""
    runs_before: bool
    """Whether it runs before."""
    runs_after: bool
    """Whether it runs afterwards."""
    preemptors: tuple[WorkloadWithReason, ...]
    """The pending workloads that would preempt it, each decided about alone, on the side where any would."""
    protected_before: Moment | None
    """Until when no equal of its ClusterQueue may preempt it, before; null where nothing protects it now."""
    protected_after: Moment | None
    """The same afterwards."""
    until: Moment | None
    """The last instant at which it is still a victim afterwards, or still none, of those who wait now, if
    nothing but time passes; null where it does not run, or where no such instant was found."""
    looked_until: Moment | None
    """Until when that was looked for; null where it was found, or where nothing can change later."""


@dataclass(frozen=True, slots=True)
class DiffAnswer:
    """What is decided otherwise in one cluster than in another, at one instant."""

    before: str
    """What BEFORE is."""
    after: str
    """What AFTER is."""
    now: Moment
    """The clock of both."""
    reading: str
    """The reading of both, by its name."""
    pending_count: int
    """How many workloads wait on either side."""
    running_count: int
    """How many run on either side."""
    pending: tuple[PendingChange, ...]
    """Those that are decided otherwise, by name."""
    gained_victims: tuple[RunningChange, ...]
    """Running workloads that a pending one preempts afterwards only, by name."""
    lost_victims: tuple[RunningChange, ...]
    """Running workloads that a pending one preempts before only, by name."""
    kueue: KueueVersion
    """The target release of Kueue, `0.19`; `0.19+proposals` with all that the proposals add."""
    notes: tuple[str, ...]
    """What follows from the change and is easily overlooked, in sentences."""
    premises: tuple[str, ...] = ()
    """What is assumed on either side of how Kueue is configured, because no object shows it, in words."""
    topology: str | None = None
    """`not modelled` where Kueue also needs a place in a topology for any decision, so that the answer is by
    quota alone; null where no topology takes part."""
    not_known: tuple[str, ...] = ()
    """What decides on either side and is not modelled, in words: what it touches is not decided."""
    warnings: tuple[str, ...] = ()
    """About the input."""
    joint: JointDifference | None = None
    """What the change does to the pending workloads of the trees that it reaches, all together."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of two clusters.

    Args:
        words: what it is, for the answer.
        loaded: what was read, with its objects.
    """

    words: str
    loaded: Loaded


@dataclass(slots=True)
class _Decided:
    """What is decided in one cluster, as far as the change can reach it.

    Args:
        pending: by pending workload: its queue, the decision in a word, and reasons by victim.
        victims: by running workload: reasons by preemptor.
        running: the running workloads by name.
        not_modelled: what any of the decisions leaves out.
    """

    cluster: Cluster
    now: Instant
    reading: Reading
    pending: dict[str, tuple[str | None, str, dict[str, str]]] = field(default_factory=dict)
    victims: dict[str, dict[str, str]] = field(default_factory=dict)
    running: dict[str, Workload] = field(init=False)
    terms: dict[str, PreemptionTerms] = field(default_factory=dict)
    not_modelled: set[NotModelled] = field(default_factory=set)
    _reasons: dict[int, tuple[tuple[Target, ...], dict[str, str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.running = {workload.key: workload for workload in self.cluster.admitted}

    def take(self, decided: PendingDecision) -> None:
        """Keep one decision."""
        decision = decided.decision
        if decision is None:
            self.pending[decided.workload] = decided.cluster_queue, UNDECIDED, {}
            return
        reasons = self._reasons_of(decision.targets)
        self.not_modelled |= {*decision.not_modelled}
        self.pending[decided.workload] = decided.cluster_queue, str(decision.outcome), reasons
        for victim, reason in reasons.items():
            self.victims.setdefault(victim, {})[decided.workload] = reason

    def _reasons_of(self, targets: tuple[Target, ...]) -> dict[str, str]:
        """Reasons by victim; many workloads have the very same victims."""
        known = self._reasons.get(id(targets))
        if known is None:
            reasons = {target.workload.key: target.reason.label for target in targets}
            known = self._reasons[id(targets)] = targets, reasons
        return known[1]

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
    one, other = (_Decided(side.loaded.cluster, now, reading) for side in (before, after))
    parts = reached(before.loaded, after.loaded)
    for decided, part in zip((one, other), parts, strict=True):
        for row in decide_all(part, now=now, reading=reading, engine=engine):
            decided.take(row)
    changed = one.victims.keys() ^ other.victims.keys()
    spells_after = spells(parts[1], now, reading, other.victims, changed, engine)
    return DiffAnswer(
        before=before.words,
        after=after.words,
        now=now,
        reading=reading.name,
        pending_count=len({*pending_names(before.loaded), *pending_names(after.loaded)}),
        running_count=len(one.running.keys() | other.running.keys()),
        pending=tuple(_pending_changes(one, other)),
        gained_victims=tuple(_running_changes(other.victims, one.victims, one, other, spells_after)),
        lost_victims=tuple(_running_changes(one.victims, other.victims, one, other, spells_after)),
        kueue=after.loaded.cluster.settings.release,
        notes=tuple(_notes(one, other)),
        premises=premises_of_both(before.loaded, after.loaded),
        topology=topology_of(one.not_modelled | other.not_modelled),
        not_known=tuple(
            dict.fromkeys(found.text for decided in (one, other) for found in over_time(decided.cluster))
        ),
    )


def _pending_changes(one: _Decided, other: _Decided) -> Iterator[PendingChange]:
    nowhere: tuple[str | None, str, dict[str, str]] = (None, ABSENT, {})
    known: dict[tuple[int, int], tuple[tuple[WorkloadWithReason, ...], tuple[WorkloadWithReason, ...]]] = {}
    for key in sorted(one.pending.keys() | other.pending.keys()):
        queue, before, lost = one.pending.get(key, nowhere)
        queue_after, after, gained = other.pending.get(key, nowhere)
        if (before, lost) != (after, gained):
            pair = id(gained), id(lost)
            if pair not in known:
                known[pair] = _without(gained, lost), _without(lost, gained)
            yield PendingChange(key, queue_after or queue, before, after, *known[pair])


def _without(some: Mapping[str, str], others: Mapping[str, str]) -> tuple[WorkloadWithReason, ...]:
    """What is in one map and not so in another."""
    return tuple(
        WorkloadWithReason(name, reason) for name, reason in some.items() if others.get(name) != reason
    )


def _running_changes(
    here: Mapping[str, Mapping[str, str]],
    there: Mapping[str, Mapping[str, str]],
    one: _Decided,
    other: _Decided,
    spells_after: Mapping[str, Spell],
) -> Iterator[RunningChange]:
    """Those who are victims on one side only."""
    taken = cache(WorkloadWithReason)
    for key in sorted(here.keys() - there.keys()):
        runs = other.running.get(key) or one.running[key]
        spell = spells_after.get(key, Spell())
        yield RunningChange(
            workload=key,
            cluster_queue=runs.cluster_queue,
            runs_before=key in one.running,
            runs_after=key in other.running,
            preemptors=tuple(taken(name, reason) for name, reason in here[key].items()),
            protected_before=one.protected_until(key),
            protected_after=other.protected_until(key),
            until=spell.until,
            looked_until=spell.looked_until,
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
