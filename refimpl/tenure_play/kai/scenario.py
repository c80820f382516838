"""What is played of KAI-Scheduler: queues, jobs, what happens to them and who asks for whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from tenure.model import Duration, Instant
from tenure.readings import KaiVersion
from tenure_kai import Action, Queue, Scene
from tenure_play.scenario import ClockJump, Delete, Finish, Story

Pods: TypeAlias = tuple[str, ...] | None
"""Names of pods of a job; None for all that can be meant."""


@dataclass(frozen=True, slots=True)
class PlacePods:
    """The scheduler places pods of jobs that wait.

    Args:
        at: when.
        jobs: by name, which pods.
    """

    at: Instant
    jobs: Mapping[str, Pods]


@dataclass(frozen=True, slots=True)
class Asking:
    """A job asks for victims, each as a scenario of its own.

    Args:
        at: when.
        pending: the job.
        victims: by name, which pods would go.
        action: preempt or reclaim; None for what the scheduler does between the two queues.
        preempts: whether those that may be preempted are.
    """

    at: Instant
    pending: str
    victims: Mapping[str, Pods]
    action: Action | None = None
    preempts: bool = False


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A session begins, and ends after `lasts` ns or when the next begins."""

    at: Instant
    lasts: Duration = 0


@dataclass(frozen=True, slots=True)
class EditQueues:
    """A queue is changed or created.

    Args:
        at: when.
        text: what changed, in words.
        queues: all queues from then on.
    """

    at: Instant
    text: str
    queues: Mapping[str, Queue]


KaiEvent: TypeAlias = PlacePods | Asking | OpenSession | EditQueues | Finish | Delete | ClockJump


@dataclass(frozen=True, slots=True)
class KaiScenario(Story):
    """A play of KAI-Scheduler.

    Args:
        scene: queues, jobs and arguments at the start.
        events: in the order of time; of one instant in the order in which they were written.
        eviction: how long the pods of a victim take to end, ns.
        version: the KAI-Scheduler; None for that of the reading.

    >>> KaiScenario("idle", "", 0, 9).events
    ()
    """

    scene: Scene = field(default_factory=Scene)
    events: tuple[KaiEvent, ...] = ()
    eviction: Duration = 0
    version: KaiVersion | None = None
