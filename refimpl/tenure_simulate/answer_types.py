"""The answer of `tenure simulate --trace`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tenure.as_json import KueueRelease, Span


@dataclass(frozen=True, slots=True)
class WaitFigures:
    """Percentiles of waits: the shortest wait that so many percent of the jobs do not exceed."""

    p50: Span
    """Half of the jobs wait no longer."""
    p95: Span
    """95 of 100 jobs wait no longer."""
    p99: Span
    """99 of 100 jobs wait no longer."""


@dataclass(frozen=True, slots=True)
class MostPreempted:
    """The job with most preemptions; of equals the first that joins."""

    job: str
    """Its name in the trace."""
    times: int
    """The number of its preemptions."""


@dataclass(frozen=True, slots=True)
class SpanRange:
    """The range of a percentile of waits in 95 of 100 draws of weeks."""

    low: Span
    """In 25 of 1000 draws it is no more."""
    high: Span
    """In 975 of 1000 draws it is no more."""


@dataclass(frozen=True, slots=True)
class RatioRange:
    """The range of a ratio in 95 of 100 draws of weeks."""

    low: float
    """In 25 of 1000 draws it is no more."""
    high: float
    """In 975 of 1000 draws it is no more."""


@dataclass(frozen=True, slots=True)
class Confidence:
    """How far figures would differ with other weeks: bootstrap over the weeks in which jobs join."""

    weeks: int
    """The weeks of the trace."""
    draws: int
    """How often so many weeks were drawn with replacement."""
    seed: int
    """The seed of the draws."""
    first_wait_p95: SpanRange
    """The first waits."""
    all_waits_p95: SpanRange
    """All waits of a job together."""
    preemptions_per_job: RatioRange
    """Preemptions of a job."""
    wasted_share: RatioRange
    """The lost part of the hours for which quota is held."""


@dataclass(frozen=True, slots=True)
class QueueFigures:
    """What a ClusterQueue has of its own and of others' quota; hours are hours times amount."""

    queue: str
    """Its name."""
    nominal: float
    """Its nominal quota, in the sizes of the trace."""
    held_hours: float
    """Quota that its jobs hold, terminating pods included."""
    borrowed_hours: float
    """The part of it beyond its nominal quota."""
    asked_hours: float
    """Quota that its jobs hold or wait for."""
    owed_hours: float
    """Unmet nominal quota: what it does not hold of it although jobs wait that fit it, the smaller of the
    unused nominal quota and the sum of the waiting requests none of which is more than that."""
    regained: int
    """The number of uninterrupted spells with unmet nominal quota."""
    regain: WaitFigures
    """Their lengths: how long it takes to reclaim the quota."""
    longest_regain: Span
    """The length of the longest spell."""


@dataclass(frozen=True, slots=True)
class QueueLanes:
    """A ClusterQueue over time: means of equal parts of the counted time, in sizes of the trace."""

    queue: str
    """Its name."""
    own: tuple[float, ...]
    """Its nominal quota that its jobs hold."""
    borrowed: tuple[float, ...]
    """What they hold beyond it."""
    asked: tuple[float, ...]
    """What they hold or wait for."""
    owed: tuple[float, ...]
    """Unmet nominal quota: what they do not hold of it although jobs wait that fit it."""


@dataclass(frozen=True, slots=True)
class JobLane:
    """One of the most preempted jobs over time."""

    job: str
    """Its name in the trace."""
    queue: str
    """Its ClusterQueue."""
    size: float
    """Its request."""
    times: int
    """The number of its preemptions."""
    joined: float
    """When it joins, in parts of the time."""
    ended: float
    """When it works for the last time, in parts of the time."""
    running: tuple[float, ...]
    """The share of each part of the time for which the job works."""


@dataclass(frozen=True, slots=True)
class DrawnFigures:
    """What the pictures of a setting are drawn from."""

    all_waits: tuple[Span, ...]
    """The 1st to the 99th percentile of all waits of a job together."""
    queues: tuple[QueueLanes, ...]
    """The ClusterQueues over time, by name."""
    most_preempted: tuple[JobLane, ...]
    """The jobs with most preemptions."""


@dataclass(frozen=True, slots=True)
class GroupFigures:
    """The figures of the jobs of one queue, size or priority."""

    group: str
    """The ClusterQueue, the size as the trace has it, or the priority."""
    jobs: int
    """The number of its jobs."""
    first_wait: WaitFigures
    """From joining to the first admission."""
    all_waits: WaitFigures
    """All waits of a job together: the first and those after preemptions."""
    preemptions: int
    """Preemptions of its jobs."""
    lost_hours: float
    """As `lostHours` of the setting; restarts and terminating pods likewise."""
    restart_hours: float
    """As `restartHours` of the setting."""
    ending_hours: float
    """As `endingHours` of the setting."""
    wasted_hours: float
    """The sum of the three."""


@dataclass(frozen=True, slots=True)
class SettingFigures:
    """The figures of a trace under one setting."""

    setting: Mapping[str, str]
    """The swept values, by the name of their sweep; empty for the objects as they are."""
    jobs: int
    """The jobs that count: those that join after the warm-up."""
    finished: int
    """Those that have finished at the end of the simulation."""
    never_started: int
    """Those that have had no quota by then."""
    first_wait: WaitFigures
    """From joining to the first admission."""
    all_waits: WaitFigures
    """All waits of a job together: the first and those after preemptions."""
    preemptions: int
    """Preemptions of jobs."""
    preempted_jobs: int
    """Jobs that are preempted at least once."""
    most_preempted: MostPreempted | None
    """Null where no job is."""
    cut_short: int
    """Preemptions by an equal of the same ClusterQueue that come more than a second before minAdmitDuration
    has passed; stamps are whole seconds."""
    held_hours: float
    """Hours that quota is held, times the amount held: GPU-hours where the resource is GPUs."""
    lost_hours: float
    """Redone work: what preemptions cost since the last checkpoint, or since the beginning."""
    restart_hours: float
    """Restarts after preemptions."""
    ending_hours: float
    """Terminating pods of preempted jobs."""
    wasted_hours: float
    """The sum of redone work, restarts and terminating pods."""
    owed_hours: float
    """Nominal quota that ClusterQueues do not hold although jobs wait that fit it; see `queues`."""
    regain: WaitFigures
    """How long it takes to reclaim such quota, of all ClusterQueues."""
    idle_runs: int
    """Stays with quota that end by a preemption, and of which no work is kept."""
    available_hours: float
    """All nominal quota, from the end of the warm-up to the end of the simulation."""
    utilisation: float
    """The held part of it."""
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
    """The jobs by `--by`; empty without it."""


@dataclass(frozen=True, slots=True)
class SimulateInputs:
    """The inputs that decide the figures, to simulate again."""

    trace_sha256: str
    """The hash of the trace's file; of a dump, that of its objects."""
    queues: tuple[str, ...]
    """The files of the queues, by name."""
    queues_sha256: str
    """The hash of their objects: of canonical JSON, in an order of its own."""
    progress: str
    """Whether the work of a preempted job is `kept` or `lost`."""
    checkpoint: Span | None
    """The interval of checkpoints; null where all work is kept, or none."""
    restart: Span
    """The time of a restart."""
    eviction: Span
    """How long the pods of a preempted job terminate."""
    warm_up: Span
    """The time at the beginning that does not count."""
    seed: int
    """The seed of the draws of weeks."""


@dataclass(frozen=True, slots=True)
class SimulateAnswer:
    """The figures of a trace under every setting."""

    trace: str
    """The file."""
    jobs: int
    """The number of its jobs."""
    resource: str
    """What they request."""
    length: Span
    """From the first submission to the end of the simulation."""
    reading: str
    """The preset that decides, unless a setting names another one."""
    kueue: KueueRelease
    """The simulated release of Kueue; `0.19+proposals` with all that the proposals add."""
    inputs: SimulateInputs
    """Hashes of the trace and of the queues, and the options that count."""
    settings: tuple[SettingFigures, ...]
    """In the order of the sweeps."""
    complete: bool
    """Whether all settings are there; false after an interruption."""
