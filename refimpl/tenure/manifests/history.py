"""What a Workload's conditions keep of a preemption, and the message that names the preemptor."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tenure.errors import InputError
from tenure.manifests.instants import parse_instant
from tenure.manifests.structure import dig, items
from tenure.model import Cluster, Instant, Reason

UNKNOWN: Final = "UNKNOWN"
"""What Kueue writes for what it does not know."""
_KEPT: Final = ("Preempted", "Evicted", "QuotaReserved", "Admitted", "Finished")
_PREVIOUSLY: Final = "Previously: "
_WORDS: Final[Mapping[str, str]] = {
    "InClusterQueue": "prioritization in the ClusterQueue",
    "InCohortReclamation": "reclamation within the cohort",
    "InCohortFairSharing": "Fair Sharing within the cohort",
    "InCohortReclaimWhileBorrowing": "reclamation within the cohort while borrowing",
}
_MESSAGE: Final = re.compile(
    r"Preempted to accommodate a workload \(UID: (?P<uid>[^\s,()]+)(?:, JobUID: (?P<job>[^\s,()]+))?\) "
    r"(?:in the (?:ClusterQueue|cohort)|due to (?P<words>[^;]*)"
    r"(?:; preemptor path: (?P<above>[^\s;]+); preemptee path: (?P<below>[^\s;]+))?)"
    # Only the Event has this, not the condition.
    r"(?:; preemptor effective priority: .*)?"
)


_CONFIGURED: Final = re.compile(
    r"Preempted by (?P<key>[^\s/]+/[^\s/]+) because of preemption config (?P<config>\S+) rule (?P<rules>.+)"
)


@dataclass(frozen=True, slots=True)
class ConditionNote:
    """One condition of a Workload.

    Args:
        holds: whether its status is True.
        reason, message: as they were written; empty where they are not.
        since: its last transition, ns; None without a stamp.
    """

    holds: bool
    reason: str
    message: str
    since: Instant | None

    @property
    def is_reset(self) -> bool:
        """Whether it was True until quota was reserved again: `since` is when that was."""
        return not self.holds and self.message.startswith(_PREVIOUSLY)


EVENT_VERSIONS: Final = ("v1", "events.k8s.io/v1")
PREEMPTED: Final = "Preempted"
RESERVED: Final = "QuotaReserved"
PENDING: Final = "Pending"
EVICTED_BY: Final = "EvictedDueTo"
"""How the reason of an Event about an eviction begins; the reason of condition Evicted follows."""


@dataclass(frozen=True, slots=True)
class WorkloadEvent:
    """One Event about a Workload.

    Args:
        reason, message: as Kueue wrote them; of several like it the message of the first.
        at: when it happened first, ns.
        last: when it happened last, ns; the same where it happened once.
        count: how often.
    """

    reason: str
    message: str
    at: Instant
    last: Instant
    count: int = 1

    @property
    def evicts(self) -> bool:
        """Whether the workload was evicted."""
        return self.reason == PREEMPTED or self.reason.startswith(EVICTED_BY)


@dataclass(frozen=True, slots=True)
class EvictionCount:
    """How often Kueue has evicted a Workload for one reason, over its whole life.

    Args:
        reason: of the condition Evicted.
        cause: why it was deactivated, such as `RequeuingLimitExceeded`; empty otherwise.
        count: how often.
    """

    reason: str
    cause: str
    count: int


@dataclass(frozen=True, slots=True)
class PreemptionMessage:
    """The contents of the message of condition Preempted.

    Args:
        uid: of the preemptor; empty where the message names it by `key`.
        job_uid: of its Job; empty if unknown.
        reason: the condition's reason that the message puts into words; empty where it has no words.
        preemptor_path: from the root Cohort to the preemptor's ClusterQueue; empty if unknown.
        victim_path: the same of the preempted workload.
        key: the preemptor, `namespace/name`, where a PreemptionConfig selected the workload; else empty.
        config: that PreemptionConfig.
        rules: its rules with the places of their selectors, such as `a/0,2; b/1`.
    """

    uid: str
    job_uid: str = ""
    reason: str = ""
    preemptor_path: tuple[str, ...] = ()
    victim_path: tuple[str, ...] = ()
    key: str = ""
    config: str = ""
    rules: str = ""

    def is_by(self, key: str, uid: str) -> bool:
        """Whether the preemptor is a workload.

        Args:
            key: `namespace/name` of the workload.
            uid: its own.

        >>> PreemptionMessage("u1").is_by("ml/a", "u1"), PreemptionMessage("", key="ml/a").is_by("ml/b", "")
        (True, False)
        """
        return self.uid == uid if self.uid else bool(self.key) and self.key == key


def notes_of(raw: object) -> dict[str, ConditionNote]:
    """The conditions about the past, by type; one of the wrong shape counts as absent.

    Args:
        raw: a Workload, untrusted.

    >>> ended = {"type": "Finished", "status": "True", "lastTransitionTime": "1970-01-01T00:00:01Z"}
    >>> notes_of({"status": {"conditions": [ended, None]}})["Finished"].since
    1000000000
    """
    return {
        condition["type"]: ConditionNote(
            holds=condition.get("status") == "True",
            reason=_text(condition.get("reason")),
            message=_text(condition.get("message")),
            since=_instant(condition.get("lastTransitionTime")),
        )
        for condition in items(dig(raw, "status", "conditions"))
        if isinstance(condition, dict) and condition.get("type") in _KEPT
    }


def eviction_counts(raw: object) -> tuple[EvictionCount, ...]:
    """What `status.schedulingStats` counts; what has the wrong shape counts as absent.

    Args:
        raw: a Workload, untrusted.

    Source: Kueue v1beta2 API, WorkloadSchedulingStatsEviction.

    >>> stats = {"evictions": [{"reason": "Preempted", "underlyingCause": "", "count": 2}, None]}
    >>> eviction_counts({"status": {"schedulingStats": stats}})
    (EvictionCount(reason='Preempted', cause='', count=2),)
    """
    stats = dig(raw, "status", "schedulingStats")
    if stats is None:
        return ()
    return tuple(
        EvictionCount(_text(dig(found, "reason")), _text(dig(found, "underlyingCause")), count)
        for found in items(dig(stats, "evictions"))
        if type(count := dig(found, "count")) is int and count > 0
    )


def event_about(raw: object) -> tuple[str, str, WorkloadEvent] | None:
    """The part of a Workload's past in an Event; None for any other Event, or one of another shape.

    Args:
        raw: an Event of either API group, untrusted.

    Returns:
        the Workload's `namespace/name`, its uid, and the event.

    Source: Kubernetes core/v1 and events.k8s.io/v1; Kueue v0.19.2, the events that its scheduler and its
        controller of Workloads record.

    >>> about = {"kind": "Workload", "namespace": "ml", "name": "a", "uid": "u"}
    >>> raw = {"involvedObject": about, "reason": "QuotaReserved", "eventTime": "1970-01-01T00:00:01.5Z"}
    >>> event_about(raw)
    ('ml/a', 'u', WorkloadEvent(reason='QuotaReserved', message='', at=1500000000, last=1500000000, count=1))
    """
    about = dig(raw, "involvedObject") or dig(raw, "regarding")
    reason = _text(dig(raw, "reason"))
    of_past = reason in (PREEMPTED, RESERVED, PENDING) or reason.startswith(EVICTED_BY)
    if dig(about, "kind") != "Workload" or not of_past:
        return None
    at = _first_instant(raw, "eventTime", "firstTimestamp", "deprecatedFirstTimestamp")
    if at is None:
        return None
    counts = (dig(raw, "series", "count"), dig(raw, "count"), dig(raw, "deprecatedCount"))
    count = next((found for found in counts if type(found) is int and found > 0), 1)
    series = _instant(dig(raw, "series", "lastObservedTime"))
    last = series or _first_instant(raw, "lastTimestamp", "deprecatedLastTimestamp") or at
    key = f"{_text(dig(about, 'namespace'))}/{_text(dig(about, 'name'))}"
    message = _text(dig(raw, "message")) or _text(dig(raw, "note"))
    return key, _text(dig(about, "uid")), WorkloadEvent(reason, message, at, max(at, last), count)


def _first_instant(raw: object, *names: str) -> Instant | None:
    found = (_instant(dig(raw, name)) for name in names)
    return next((at for at in found if at is not None), None)


def _text(found: object) -> str:
    return found if isinstance(found, str) else ""


def _instant(found: object) -> Instant | None:
    try:
        return parse_instant(found) if isinstance(found, str) else None
    except InputError:
        return None


def preemption_message(reason: str, message: PreemptionMessage) -> str:
    """The message that Kueue v0.15 and later writes.

    A reason that no release has is written as it is, for it has no words.

    Source: Kueue v0.19.2, preemptionMessage.

    >>> preemption_message("InClusterQueue", PreemptionMessage("u1", victim_path=("all", "a")))[-22:]
    'preemptee path: /all/a'
    """
    above, below = (
        f"/{'/'.join(path)}" if path else UNKNOWN for path in (message.preemptor_path, message.victim_path)
    )
    return (
        f"Preempted to accommodate a workload (UID: {message.uid or UNKNOWN}, "
        f"JobUID: {message.job_uid or UNKNOWN}) "
        f"due to {_WORDS.get(reason, reason)}; preemptor path: {above}; preemptee path: {below}"
    )


def previously(message: str) -> str:
    """What becomes of a message when quota is reserved again.

    Source: Kueue v0.19.2, resetActiveCondition.

    >>> previously("Preempted")
    'Previously: Preempted'
    """
    return _PREVIOUSLY + message


def read_preemption_message(text: str) -> PreemptionMessage | None:
    """The contents of a message of condition Preempted; None if no known release writes it.

    Args:
        text: the message, untrusted; also one that was reset since.

    Source: Kueue v0.7 (UID), v0.8 to v0.10 (UID and reason), v0.11 to v0.14 (JobUID too), v0.15 to v0.19
        (the paths too). v0.6 names no preemptor. Kueue of September 2026 for what a PreemptionConfig selects.

    >>> read_preemption_message("Preempted to accommodate a higher priority Workload") is None
    True
    >>> old = "Preempted to accommodate a workload (UID: u1) due to fair sharing within the cohort"
    >>> read_preemption_message(previously(previously(old))).reason
    'InCohortFairSharing'
    >>> read_preemption_message("Preempted by ml/a because of preemption config hero rule any/0,2").rules
    'any/0,2'
    """
    while text.startswith(_PREVIOUSLY):
        text = text.removeprefix(_PREVIOUSLY)
    configured = _CONFIGURED.fullmatch(text)
    if configured is not None:
        key, config, rules = configured.groups()
        reason = Reason.CONFIGURABLE_PREEMPTION.label
        return PreemptionMessage("", reason=reason, key=key, config=config, rules=rules)
    found = _MESSAGE.fullmatch(text)
    if found is None:
        return None
    words = (found["words"] or "").lower()
    reasons = [reason for reason, known in _WORDS.items() if known.lower() == words]
    return PreemptionMessage(
        uid=_or_empty(found["uid"]),
        job_uid=_or_empty(found["job"]),
        reason=reasons[0] if reasons else "",
        preemptor_path=_path(found["above"]),
        victim_path=_path(found["below"]),
    )


def path_of(cluster: Cluster, queue: str) -> tuple[str, ...]:
    """A ClusterQueue with the Cohorts above it, from the root, as a message names them; empty without it.

    >>> from tenure.model import ClusterQueue
    >>> path_of(Cluster({"q": ClusterQueue("q", cohort="all")}), "q")
    ('all', 'q')
    """
    found = cluster.cluster_queues.get(queue)
    if found is None:
        return ()
    path, above = [queue], found.cohort
    while above is not None and above not in path[1:]:
        path.append(above)
        cohort = cluster.cohorts.get(above)
        above = cohort.parent if cohort else None
    return tuple(reversed(path))


def _or_empty(word: str | None) -> str:
    return "" if word is None or word == UNKNOWN else word


def _path(text: str | None) -> tuple[str, ...]:
    return tuple(_or_empty(text).strip("/").split("/")) if _or_empty(text) else ()
