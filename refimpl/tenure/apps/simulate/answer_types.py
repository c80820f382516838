"""What `tenure simulate` answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from tenure.as_json import Span


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
    ending_hours: float
    """What they hold while their pods end, hours times amount."""


@dataclass(frozen=True, slots=True)
class SettingFigures:
    """What a trace comes to under one setting."""

    setting: Mapping[str, str]
    """What is changed, by the name of a sweep; empty for the objects as they are."""
    finished: int
    """How many jobs have finished at the end of the play."""
    never_started: int
    """How many jobs have had no quota by then."""
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
    """Of these, work that is lost by preemptions."""
    ending_hours: float
    """Of these, while the pods of preempted jobs end."""
    utilisation: float
    """What is held, of all nominal quota from the first submission to the end of the play."""
    cycles: int
    """Scheduling cycles."""
    heads: int
    """Heads of all cycles."""
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
    settings: tuple[SettingFigures, ...]
    """In the order of the sweeps."""
    complete: bool
    """Whether all settings that were asked for are there; false after an interruption."""
