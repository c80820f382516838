"""What `tenure simulate` answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from tenure.as_json import KueueRelease, Span


class GroupedBy(StrEnum):
    """What jobs are grouped by."""

    QUEUE = "queue"
    SIZE = "size"
    PRIORITY = "priority"


@dataclass(frozen=True, slots=True)
class WaitFigures:
    """Percentiles of how long jobs wait: the shortest wait that so many percent of the jobs do not exceed."""

    p50: Span
    """Half of the jobs wait no longer."""
    p95: Span
    """95 of 100 jobs wait no longer."""
    p99: Span
    """99 of 100 jobs wait no longer."""


@dataclass(frozen=True, slots=True)
class MostPreempted:
    """The job that is preempted most often; of equals the first that joins."""

    job: str
    """Its name in the trace."""
    times: int
    """How often."""


@dataclass(frozen=True, slots=True)
class SpanRange:
    """Between which waits a percentile lies in 95 of 100 draws of weeks."""

    low: Span
    """In 25 of 1000 draws it is no more."""
    high: Span
    """In 975 of 1000 draws it is no more."""


@dataclass(frozen=True, slots=True)
class RatioRange:
    """Between which numbers a figure lies in 95 of 100 draws of weeks."""

    low: float
    """In 25 of 1000 draws it is no more."""
    high: float
    """In 975 of 1000 draws it is no more."""


@dataclass(frozen=True, slots=True)
class Confidence:
    """How far figures would differ with other weeks: bootstrap over the weeks in which jobs join."""

    weeks: int
    """How many weeks the trace has."""
    draws: int
    """How often so many weeks were drawn with replacement."""
    seed: int
    """Of the draws."""
    first_wait_p95: SpanRange
    """Of the first waits."""
    all_waits_p95: SpanRange
    """Of all waits."""
    preemptions_per_job: RatioRange
    """How often a job is preempted."""
    wasted_share: RatioRange
    """Of the hours that quota is held those that are wasted."""


@dataclass(frozen=True, slots=True)
class QueueFigures:
    """What a ClusterQueue has of its own and of others' quota; hours are hours times amount."""

    queue: str
    """Its name."""
    nominal: float
    """Its nominal quota, in the sizes of the trace."""
    held_hours: float
    """What its jobs hold, those included whose pods end."""
    borrowed_hours: float
    """Of this, what is more than its nominal quota."""
    asked_hours: float
    """What its jobs hold or wait for."""
    owed_hours: float
    """Nominal quota that it does not hold although jobs wait that fit it: the smaller of what of the nominal
    quota is unused, and the sum of the waiting requests none of which is more than that."""
    regained: int
    """How many spells there are in which it is owed without a break."""
    regain: WaitFigures
    """How long they last."""
    longest_regain: Span
    """How long the longest lasts."""


@dataclass(frozen=True, slots=True)
class QueueLanes:
    """A ClusterQueue over time: means of equal parts of what counts of the play, in sizes of the trace."""

    queue: str
    """Its name."""
    own: tuple[float, ...]
    """What its jobs hold of its nominal quota."""
    borrowed: tuple[float, ...]
    """What they hold beyond it."""
    asked: tuple[float, ...]
    """What they hold or wait for."""
    owed: tuple[float, ...]
    """What they do not hold of its nominal quota although jobs wait that fit it."""


@dataclass(frozen=True, slots=True)
class JobLane:
    """One of the most preempted jobs over time."""

    job: str
    """Its name in the trace."""
    queue: str
    """Its ClusterQueue."""
    size: float
    """How much it asks for."""
    times: int
    """How often it is preempted."""
    joined: float
    """When it joins, in parts of the time."""
    ended: float
    """When it works for the last time, in parts of the time."""
    running: tuple[float, ...]
    """Of each part of the time, how much of it the job works."""


@dataclass(frozen=True, slots=True)
class DrawnFigures:
    """What the pictures of a setting are drawn from."""

    all_waits: tuple[Span, ...]
    """The 1st to the 99th percentile of all waits of a job."""
    queues: tuple[QueueLanes, ...]
    """The ClusterQueues over time, by name."""
    most_preempted: tuple[JobLane, ...]
    """The jobs that are preempted most often."""


@dataclass(frozen=True, slots=True)
class GroupFigures:
    """What the jobs of one queue, size or priority come to."""

    group: str
    """The ClusterQueue, the size as the trace has it, or the priority."""
    jobs: int
    """How many jobs are in it."""
    first_wait: WaitFigures
    """From joining to the first admission."""
    all_waits: WaitFigures
    """All waiting of a job."""
    preemptions: int
    """How often one of them is preempted."""
    lost_hours: float
    """Their work that is lost by preemptions, hours times amount."""
    restart_hours: float
    """What they hold while they start again after a preemption."""
    ending_hours: float
    """What they hold while their pods end, hours times amount."""
    wasted_hours: float
    """The sum of the three."""


@dataclass(frozen=True, slots=True)
class SettingFigures:
    """What a trace comes to under one setting."""

    setting: Mapping[str, str]
    """What is changed, by the name of a sweep; empty for the objects as they are."""
    jobs: int
    """How many jobs count: those that join after the warm-up."""
    finished: int
    """How many of them have finished at the end of the play."""
    never_started: int
    """How many of them have had no quota by then."""
    first_wait: WaitFigures
    """From joining to the first admission."""
    all_waits: WaitFigures
    """All waiting of a job: the first wait and those after preemptions."""
    preemptions: int
    """How often a job is preempted."""
    preempted_jobs: int
    """How many jobs are preempted at least once."""
    most_preempted: MostPreempted | None
    """Null where no job is."""
    cut_short: int
    """Preemptions by an equal of the same ClusterQueue that come more than a second before minAdmitDuration
    has passed; stamps are whole seconds."""
    held_hours: float
    """Hours that quota is held, times the amount held: GPU-hours where the resource is GPUs."""
    lost_hours: float
    """Of these, work that is lost by preemptions: since the last checkpoint where there are any."""
    restart_hours: float
    """Of these, while jobs start again after a preemption."""
    ending_hours: float
    """Of these, while the pods of preempted jobs end."""
    wasted_hours: float
    """The sum of what is lost, of restarts, and of what ends."""
    owed_hours: float
    """Nominal quota that ClusterQueues do not hold although jobs wait that fit it; see `queues`."""
    regain: WaitFigures
    """How long a ClusterQueue is owed quota without a break, of all ClusterQueues."""
    idle_runs: int
    """Stays with quota that end by a preemption, and of which no work is kept."""
    utilisation: float
    """What is held, of all nominal quota from the end of the warm-up to the end of the play."""
    cycles: int
    """Scheduling cycles."""
    heads: int
    """Heads of all cycles."""
    queues: tuple[QueueFigures, ...]
    """The ClusterQueues, by name."""
    confidence: Confidence | None
    """Null where the trace has fewer than four weeks."""
    drawn: DrawnFigures | None
    """Null without `--drawn`."""
    groups: tuple[GroupFigures, ...]
    """The jobs by what `--by` says; empty without it."""


@dataclass(frozen=True, slots=True)
class SimulateAnswer:
    """What a trace comes to under every setting."""

    trace: str
    """The file."""
    jobs: int
    """How many jobs it has."""
    resource: str
    """What they ask for."""
    length: Span
    """From the first submission to the end of the play."""
    reading: str
    """The preset that decides, unless a setting says another one."""
    kueue: KueueRelease
    """The release of Kueue that is played; `0.19+proposals` with all that the proposals add."""
    settings: tuple[SettingFigures, ...]
    """In the order of the sweeps."""
    complete: bool
    """Whether all settings that were asked for are there; false after an interruption."""
