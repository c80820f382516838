"""A preemption decided again: whether the cluster as it was comes to the recorded victims and reasons."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice, starmap

from tenure.choices import Outcome
from tenure.errors import InputError
from tenure.manifests import Loaded
from tenure.manifests.conversion import object_name
from tenure.manifests.history import path_of
from tenure.manifests.showing import in_short
from tenure.model import SECOND, Amounts, Assignment, Basis, ClusterQueue, Instant, Reason, Workload
from tenure.oracle.decide import Decision, decide
from tenure.oracle.tree import available_at
from tenure.readings import Reading
from tenure.rules.eligibility import preemption_reason
from tenure.units import format_instant
from tenure_play.postmortem.reconstruction import Restored, as_pending, as_request, restored_at
from tenure_play.postmortem.record import PreemptionRecord, Preemptor, record_of, uids_of

_MANY = 500
"""Of more workloads that ran, fewer restorations are decided."""
_FEW_VARIANTS = 6


@dataclass(frozen=True, slots=True)
class Replay:
    """What deciding again came to.

    Args:
        decision: the likeliest that comes to what is recorded; where none does, the likeliest of all. None
            where nothing was decided.
        matches: whether it comes to what is recorded.
        bases: on which bases the victim is preempted where the recorded comes out.
        restored: what was decided on; None where nothing was.
        tried: how many restorations were decided.
        why_not: why nothing was decided; empty where something was.
        on_flavors: whether the preemptor was given the flavors that it was admitted with later.
    """

    decision: Decision | None = None
    matches: bool = False
    bases: frozenset[Basis] = frozenset()
    restored: Restored | None = None
    tried: int = 0
    why_not: str = ""
    on_flavors: bool = False


def bases_of(reason: Reason) -> list[Basis]:
    """The bases that a reason stands for.

    >>> [basis.name for basis in bases_of(Reason.IN_CLUSTER_QUEUE)]
    ['LOWER_PRIORITY', 'NEWER_EQUAL']
    """
    return [basis for basis in Basis if basis != Basis.NONE and preemption_reason(basis) == reason]


def replayed(loaded: Loaded, record: PreemptionRecord, preemptor: Preemptor, reading: Reading) -> Replay:
    """Decide for the preemptor in the cluster as it was, in every way in which that may have been.

    Args:
        loaded: the cluster at a later instant.
        record: of the preemption.
        preemptor: who preempted.
        reading: what is decided under.
    """
    found, parsed, at = preemptor.workload, record.parsed, record.at
    why_not = _why_not(loaded, record, preemptor)
    if why_not or found is None or parsed is None or at is None:
        return Replay(why_not=why_not)
    queue, why_not = _queue_then(loaded, record, found)
    if queue is None:
        return Replay(why_not=why_not)
    restored = restored_at(loaded, record, at, found)
    expected = _Expected.of(loaded, record, at)
    try:
        replay = _decided(loaded, restored, expected, _as_it_waited(found, at), queue, record, reading)
        if replay.matches or not found.usage:
            return replay
        asks = _as_it_waited(found, at)
        given = _decided(loaded, restored, expected, asks, queue, record, reading, found.usage)
    except InputError as error:
        return Replay(why_not=str(error.problems[0]))
    return given if given.matches else replay


def _why_not(loaded: Loaded, record: PreemptionRecord, preemptor: Preemptor) -> str:
    """Why a preemption cannot be decided again, as far as the objects alone show; empty otherwise."""
    found, at = preemptor.workload, record.at
    if record.other:
        return "no workload preempted it"
    aside = loaded.set_aside.get(object_name("Workload", *record.victim.split("/", 1)))
    if aside is not None:
        return f"{record.victim} takes no part: {in_short(aside)}"
    if at is None:
        return "its time is not recorded any more"
    if found is None or record.parsed is None:
        return "the preemptor is not among the objects"
    return f"{found.key} is created after {format_instant(at)}" if found.created_at > at else ""


def _decided(
    loaded: Loaded,
    restored: Restored,
    expected: _Expected,
    asks: Workload,
    queue: str,
    record: PreemptionRecord,
    reading: Reading,
    usage: Amounts | None = None,
) -> Replay:
    """Every restoration decided; with `usage` on the flavors of that."""
    tried = _Tried(expected)
    most = _FEW_VARIANTS if len(restored.certain) > _MANY else None
    queues = _as_active(loaded, record, queue)
    for admitted in islice(restored.variants(), most):
        cluster = dataclasses.replace(
            loaded.cluster, cluster_queues=queues, admitted=admitted, pending=(asks,)
        )
        for clock in _clocks(loaded, record, restored.at):
            decision = decide(cluster, asks, queue, clock, reading)
            if usage is not None:
                given = _on_its_flavors(decision, usage)
                decision = decide(cluster, asks, queue, clock, reading, given, decision.snapshot)
            tried.add(decision)
    return tried.replay(restored, on_flavors=usage is not None)


def _as_active(loaded: Loaded, record: PreemptionRecord, queue: str) -> Mapping[str, ClusterQueue]:
    """The ClusterQueues; those of preemptor and victim were not stopped when the one preempted the other."""
    parsed = record.parsed
    named = {queue, parsed.victim_path[-1]} if parsed and parsed.victim_path else {queue}
    return {
        name: dataclasses.replace(found, inactive="", stop_policy="")
        if name in named and found.inactive == f"spec.stopPolicy is {found.stop_policy}"
        else found
        for name, found in loaded.cluster.cluster_queues.items()
    }


def _queue_then(loaded: Loaded, record: PreemptionRecord, preemptor: Workload) -> tuple[str | None, str]:
    """The preemptor's ClusterQueue, or why the tree of that time is not the tree of today."""
    parsed = record.parsed
    paths = (parsed.preemptor_path, parsed.victim_path) if parsed is not None else ()
    for path in paths:
        today = path_of(loaded.cluster, path[-1]) if path else ()
        if path != today:
            here = f"/{'/'.join(today)}" if today else "not there"
            return None, f"ClusterQueue {path[-1]} was /{'/'.join(path)} then, and is {here} today"
    if paths and paths[0]:
        return paths[0][-1], ""
    waits_in = loaded.cluster.local_queues.get((preemptor.namespace, preemptor.queue_name))
    name = preemptor.cluster_queue or waits_in
    if name is None or name not in loaded.cluster.cluster_queues:
        return None, "the ClusterQueue of the preemptor is not among the objects"
    return name, ""


def _as_it_waited(preemptor: Workload, at: Instant) -> Workload:
    """The preemptor before it got quota, with an earlier eviction of its own where its stamp is left."""
    pod_sets = preemptor.pod_sets or as_request(preemptor.usage)
    stamps = (
        preemptor.pods_ready_evicted_at,
        preemptor.admission_check_evicted_at,
        preemptor.time_based_preempted_at,
        preemptor.preempted_while_borrowing_at,
    )
    earlier = any(stamp is not None and stamp <= at for stamp in stamps)
    waited = preemptor if earlier and preemptor.cluster_queue is None else as_pending(preemptor)
    return dataclasses.replace(waited, pod_sets=pod_sets, requeue_at=None)


def _clocks(loaded: Loaded, record: PreemptionRecord, at: Instant) -> tuple[Instant, ...]:
    """The record is in whole seconds; where time decides, the end of that second may decide otherwise."""
    timed = record.reason.startswith("InClusterQueue") or bool(loaded.cluster.growing)
    return (at, at + SECOND - 1) if timed else (at,)


@dataclass(frozen=True, slots=True)
class _Expected:
    """Whom the record names as preempted for the same workload.

    Args:
        victim: the workload in question.
        reasons: the reason of each that was preempted in the same second, by name.
        perhaps: those of whom that second is not recorded any more.
        selectors: what of a PreemptionConfig selected some of them: its name and its rules.
    """

    victim: str
    reasons: dict[str, str]
    perhaps: frozenset[str]
    selectors: dict[str, tuple[str, str]]

    @classmethod
    def of(cls, loaded: Loaded, record: PreemptionRecord, at: Instant) -> _Expected:
        reasons: dict[str, str] = {}
        perhaps = set()
        selectors: dict[str, tuple[str, str]] = {}
        for other in preempted_by(loaded, record):
            if other.at == at:
                reasons[other.victim] = other.reason
                if other.parsed is not None and other.parsed.config:
                    selectors[other.victim] = other.parsed.config, other.parsed.rules
            elif other.at is None:
                perhaps.add(other.victim)
        return cls(record.victim, reasons, frozenset(perhaps), selectors)

    def basis(self, decision: Decision) -> Basis | None:
        """On what basis the victim is preempted, where a decision comes to what is recorded."""
        targets = {target.workload.key: target for target in decision.targets}
        if decision.outcome != Outcome.PREEMPT or not self.reasons.keys() <= targets.keys():
            return None
        for key, target in targets.items():
            expected = self.reasons.get(key)
            if expected is None and not (key in self.perhaps or target.workload.evicted):
                return None
            if expected is not None and expected != target.reason.label:
                return None
            selected = decision.selected_by_config(target.workload)
            found = None if selected is None else (selected.config, selected.words)
            if self.selectors.get(key, found) != found:
                return None
        return targets[self.victim].evidence.basis


def preempted_by(loaded: Loaded, record: PreemptionRecord) -> Iterator[PreemptionRecord]:
    """What is recorded of all whom the same workload preempted, the one in question included."""
    uids = uids_of(loaded)
    named = {key: uid for key, uid in uids.items() if record.parsed and record.parsed.is_by(key, uid)}
    if not named and record.parsed and record.parsed.uid:
        named = {"": record.parsed.uid}
    for key in loaded.history:
        other = record_of(loaded, key, uids.get(key, ""))
        if other is not None and other.parsed is not None and any(starmap(other.parsed.is_by, named.items())):
            yield other


@dataclass(slots=True)
class _Tried:
    """Restorations, decided one after the other.

    Args:
        expected: what is recorded.
        first: the decision on the likeliest.
        match: the first that comes to what is recorded.
        bases: on which bases those do.
        count: how many were decided.
    """

    expected: _Expected
    first: Decision | None = None
    match: Decision | None = None
    bases: set[Basis] = field(default_factory=set)
    count: int = 0

    def add(self, decision: Decision) -> None:
        self.count += 1
        self.first = self.first or decision
        basis = self.expected.basis(decision)
        if basis is not None:
            self.match = self.match or decision
            self.bases.add(basis)

    def replay(self, restored: Restored, *, on_flavors: bool) -> Replay:
        decision = self.match or self.first
        found = frozenset(self.bases)
        return Replay(decision, self.match is not None, found, restored, self.count, on_flavors=on_flavors)


def _on_its_flavors(decision: Decision, usage: Amounts) -> Assignment:
    """The flavors that the preemptor was admitted with later, as what it gets in a decision."""
    seen = decision.snapshot
    lacking = {
        at for at, amount in usage.items() if available_at(seen.tree, seen.usage, seen.place, at) < amount
    }
    return Assignment(usage, frozenset(lacking))
