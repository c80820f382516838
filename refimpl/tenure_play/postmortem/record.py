"""What the objects record of a preemption: when, for which reason, and for whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from tenure.manifests import Loaded, WorkloadReader, place_of
from tenure.manifests.history import (
    PREEMPTED,
    RESERVED,
    ConditionNote,
    PreemptionMessage,
    WorkloadEvent,
    notes_of,
    read_preemption_message,
)
from tenure.manifests.naming import key_of_raw
from tenure.manifests.structure import dig, has_condition
from tenure.model import SECOND, Instant, Reason, Workload


@dataclass(frozen=True, slots=True)
class PreemptionRecord:
    """What the condition Preempted of a workload records.

    Args:
        victim: the workload, `namespace/name`.
        at: when it was preempted, ns, in whole seconds; None where the condition was reset since, and no
            Event tells.
        again: when it got quota again, ns; None where it has not.
        reason: of the condition, or by its message where it was reset; empty where neither has one.
        message: of the condition.
        parsed: the message, parsed; None where no known release writes such a message, or where it
            contradicts the reason.
        other: whether it was evicted for another reason than a preemption, which is recorded instead.
    """

    victim: str
    at: Instant | None
    again: Instant | None
    reason: str
    message: str
    parsed: PreemptionMessage | None
    other: bool = False

    @property
    def known_reason(self) -> Reason | None:
        """The reason, where it is one that the rules have."""
        return next((reason for reason in Reason if reason.label == self.reason), None)


@dataclass(frozen=True, slots=True)
class EndedWorkload:
    """A workload that has finished or is not active, as far as its object can be read.

    Args:
        workload: with what it held, or what it requests where it holds no quota; None where that is not read.
        key: `namespace/name`.
        uid, job_uid: its own, and its Job's.
        ended: when it finished, ns; None where that is not known.
    """

    workload: Workload | None
    key: str
    uid: str
    job_uid: str
    ended: Instant | None


def record_of(loaded: Loaded, key: str, uid: str) -> PreemptionRecord | None:
    """What is recorded of the last preemption of a workload; None where none is.

    Args:
        loaded: the cluster.
        key: the workload, `namespace/name`.
        uid: its own; empty where that is not known.

    Source: Kueue v0.19.2: a quota reservation sets Preempted to False and keeps its message.

    >>> from tenure.model import Cluster
    >>> record_of(Loaded(Cluster({})), "ml/train", "u") is None
    True
    """
    note = noted(loaded, key, "Preempted")
    if note is None or not (note.holds or note.is_reset):
        return _by_event(loaded, key)
    parsed = read_preemption_message(note.message)
    if parsed is not None and (
        (uid and parsed.is_by(key, uid)) or (note.holds and parsed.reason not in ("", note.reason))
    ):
        parsed = None
    if note.holds:
        return PreemptionRecord(key, note.since, None, note.reason, note.message, parsed)
    reason = parsed.reason if parsed else ""
    return PreemptionRecord(
        key, _time_of(loaded, key, note, parsed), note.since, reason, note.message, parsed
    )


def _preemptions(loaded: Loaded, key: str) -> list[WorkloadEvent]:
    """The Events about preemptions of a workload, without those that stand for several at once."""
    events = loaded.events.get(key, ())
    return [event for event in events if event.reason == PREEMPTED and event.count == 1]


def _time_of(
    loaded: Loaded, key: str, note: ConditionNote, parsed: PreemptionMessage | None
) -> Instant | None:
    """When a preemption was whose condition was reset, by the last Event with its message before that."""
    if parsed is None or note.since is None:
        return None
    found = (
        event.at
        for event in reversed(_preemptions(loaded, key))
        if event.at < note.since + SECOND and read_preemption_message(event.message) == parsed
    )
    at = next(found, None)
    return None if at is None else at - at % SECOND


def _by_event(loaded: Loaded, key: str) -> PreemptionRecord | None:
    """What the last Event about a preemption records, where no condition does."""
    for event in reversed(_preemptions(loaded, key)):
        parsed = read_preemption_message(event.message)
        later = (each.at for each in loaded.events[key] if each.reason == RESERVED and each.at > event.at)
        again, reason = next(later, None), parsed.reason if parsed else ""
        return PreemptionRecord(key, event.at - event.at % SECOND, again, reason, event.message, parsed)
    return None


def uids_of(loaded: Loaded) -> dict[str, str]:
    """The uids of all workloads that can be read, by `namespace/name`.

    Args:
        loaded: the cluster.
    """
    ended = {key_of_raw(raw): str(dig(raw, "metadata", "uid") or "") for raw in loaded.out_of_play}
    here = chain(loaded.cluster.admitted, loaded.cluster.pending)
    return ended | {workload.key: workload.uid for workload in here}


def eviction_of(loaded: Loaded, key: str) -> PreemptionRecord | None:
    """What is recorded of an eviction that is in force and no preemption is recorded of; None without one.

    Args:
        loaded: the cluster.
        key: the workload, `namespace/name`.

    Source: Kueue v0.19.2, reasons of condition Evicted; v0.6 has no condition Preempted.
    """
    note = noted(loaded, key, "Evicted")
    if note is None or not note.holds:
        return None
    preempted = note.reason == "Preempted"
    reason = "" if preempted else note.reason
    return PreemptionRecord(key, note.since, None, reason, note.message, None, other=not preempted)


def later_eviction_of(loaded: Loaded, record: PreemptionRecord) -> ConditionNote | None:
    """The eviction in force that came after a preemption, for another reason; None without one.

    Args:
        loaded: the cluster.
        record: of the preemption.
    """
    note = noted(loaded, record.victim, "Evicted")
    if record.other or note is None or not note.holds or note.reason == "Preempted":
        return None
    return note


def ended_workloads(loaded: Loaded) -> Iterator[EndedWorkload]:
    """The workloads that have finished or are not active; what cannot be read of one is left out."""
    reader = WorkloadReader()
    for raw in loaded.out_of_play:
        holds = has_condition(raw, "QuotaReserved")
        finished = notes_of(raw).get("Finished")
        yield EndedWorkload(
            workload=reader.read(raw, place_of(raw, "Workload"), [], holds_quota=holds),
            key=key_of_raw(raw),
            uid=str(dig(raw, "metadata", "uid") or ""),
            job_uid=str(dig(raw, "metadata", "labels", "kueue.x-k8s.io/job-uid") or ""),
            ended=finished.since if finished else None,
        )


@dataclass(frozen=True, slots=True)
class Preemptor:
    """The workload that a message names.

    Args:
        key: `namespace/name`; empty where no object has its uid, and the message does not name it.
        workload: as it is now; None where it is not there, or not read.
        ended: whether it has finished or is not active.
        same_job: `namespace/name` of the workloads of the same Job, where its own object is not there.
    """

    key: str = ""
    workload: Workload | None = None
    ended: bool = False
    same_job: tuple[str, ...] = ()


def preemptor_of(loaded: Loaded, parsed: PreemptionMessage) -> Preemptor:
    """The workload that a message names, by its uid, or by its name where it has no uid.

    Args:
        loaded: the cluster.
        parsed: the message.
    """
    here = list(chain(loaded.cluster.admitted, loaded.cluster.pending))
    for workload in here:
        if parsed.is_by(workload.key, workload.uid):
            return Preemptor(workload.key, workload)
    ended = list(ended_workloads(loaded))
    for other in ended:
        if parsed.is_by(other.key, other.uid):
            return Preemptor(other.key, other.workload, ended=True)
    if parsed.key:
        return Preemptor(parsed.key)
    known = [(workload.key, workload.job_uid) for workload in here]
    known += [(other.key, other.job_uid) for other in ended]
    return Preemptor(same_job=tuple(sorted(key for key, job in known if job and job == parsed.job_uid)))


def held_by_events(loaded: Loaded, key: str, at: Instant) -> tuple[bool, Instant | None] | None:
    """Whether a workload held quota at an instant, and since when, by the last Event before it.

    Args:
        loaded: the cluster.
        key: the workload, `namespace/name`.
        at: the instant, ns, in whole seconds.

    Returns:
        None where no Event has it: they are deleted after an hour.
    """
    before = (event for event in reversed(loaded.events.get(key, ())) if event.last < at)
    event = next((event for event in before if event.evicts or event.reason == RESERVED), None)
    if event is None:
        return None
    return (False, None) if event.evicts else (True, event.last - event.last % SECOND)


def noted(loaded: Loaded, key: str, kind: str) -> ConditionNote | None:
    """A condition of a workload that was evicted before; None where it has none of that type."""
    return loaded.history.get(key, {}).get(kind)
