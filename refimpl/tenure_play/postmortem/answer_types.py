"""The shape of an answer about a preemption that has happened. JSON has the same with camelCase names."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tenure.explanation.answer_types import CounterfactualsShape
from tenure.explanation.remarks import Remark
from tenure.versions import kueue_version


class Certainty(StrEnum):
    """How well a cause is known."""

    CONFIRMED = "confirmed"
    """The record names it, and the cluster as it was, as far as it is known, decides the same."""
    RECORDED = "recorded"
    """The record names it; what is left of the cluster of that time does not show it."""
    UNKNOWN = "unknown"
    """The record does not name it."""
    NOT_PREEMPTED = "not-preempted"
    """It was evicted for another reason, which no rule of preemption decides."""


@dataclass(frozen=True, slots=True)
class RuleChain:
    """Rules that allow a preemption together."""

    rules: tuple[str, ...]
    """Their identifiers, outermost first."""
    text: str
    """What they require, in words."""


class PastEventKind(StrEnum):
    """What has happened to a workload since it was preempted."""

    RESERVED = "quota-reserved"
    """Quota was reserved for it again."""
    EVICTED = "evicted"
    """It was evicted for another reason than a preemption."""
    DEACTIVATED = "deactivated"
    """Its `spec.active` is false."""
    FINISHED = "finished"
    """It has finished."""


@dataclass(frozen=True, slots=True)
class PastEvent:
    """What has happened to a workload since it was preempted."""

    at: str | None
    """When; null where that is not recorded."""
    what: PastEventKind
    """What."""
    reason: str
    """Of the condition; empty where none records it."""
    text: str
    """The same in words."""


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """An Event about the workload."""

    at: str
    """When it happened first."""
    last: str
    """When it happened last; the same where it happened once."""
    count: int
    """How often."""
    reason: str
    """Of the Event."""
    message: str
    """Of the Event; where it happened several times, the first one's."""
    text: str
    """The same in words."""


@dataclass(frozen=True, slots=True)
class CountedEvictions:
    """How often Kueue has evicted a workload for one reason, over its whole life."""

    reason: str
    """Of the condition Evicted."""
    cause: str
    """Why it was deactivated; empty otherwise."""
    count: int
    """How often."""


@dataclass(frozen=True, slots=True)
class PastAnswer:
    """Why a workload was preempted."""

    victim: str
    """`namespace/name`."""
    cluster_queue: str | None
    """The ClusterQueue that it ran in, by the record; null where that does not name it."""
    at: str | None
    """When it was preempted, in whole seconds; null where the condition has no stamp."""
    reason: str
    """Of the condition Preempted; of Evicted where it was not preempted."""
    message: str
    """Of the same condition."""
    certainty: Certainty
    """How well the cause is known."""
    preemptor: str | None
    """Who preempted it, `namespace/name`; null where no object has the recorded uid."""
    preemptor_uid: str
    """The recorded uid; empty where none is."""
    preemptor_queue: str | None
    """The preemptor's ClusterQueue, by the record; null where that does not name it."""
    chains: tuple[RuleChain, ...]
    """The rules that allowed it. Of several chains it was one: where the cause is confirmed, first what
    deciding again finds, then what cannot be excluded."""
    together: tuple[str, ...]
    """Other workloads that are recorded as preempted for the same one."""
    since: tuple[PastEvent, ...]
    """What has happened to it since, as far as its conditions record it, in the order of time."""
    evictions: tuple[CountedEvictions, ...]
    """Its evictions by reason, as Kueue counts them; its conditions record only the last ones."""
    events: tuple[RecordedEvent, ...]
    """The Events about it that are given, in the order of time."""
    present: str
    """What it does now, and the command that explains it, in words."""
    summary: str
    """The answer in one line."""
    replay: str
    """What the cluster as it was decides, in a sentence; why nothing is decided, where nothing is."""
    unknown: tuple[str, ...]
    """What could not be restored, or is not known."""
    remarks: tuple[Remark, ...]
    """What each rule found about it then; empty where the replay does not confirm the cause."""
    counterfactuals: CounterfactualsShape | None
    """Changes after which it would have been kept; null where the replay does not confirm the cause, or only
    on the flavors that the preemptor was admitted with later."""
    now: str
    """The clock of the question."""
    reading: str | dict[str, str]
    """A preset's name, or every choice."""
    reading_text: str
    """The same in words: a preset's name, and what differs from it."""
    premises: tuple[str, ...] = ()
    """What is assumed of how Kueue is configured, because no object shows it, in words."""
    warnings: tuple[str, ...] = ()
    """What was assumed or ignored in the input."""
    kueue: str = kueue_version(None)
    """The target release of Kueue, `0.19`; `0.19+proposals` with all that the proposals add."""
    proposals: tuple[str, ...] = ()
    """The proposals of which the cluster uses a field, such as KEP-8522."""
