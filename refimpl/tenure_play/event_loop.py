"""What is due when, and how a play goes from one instant at which something happens to the next."""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import IntEnum

from tenure.errors import InputError, Problem
from tenure.model import Instant
from tenure.readings import Reading
from tenure.units import format_instant
from tenure_play.expectations import Observed, moments, note
from tenure_play.record import ExpectationResult
from tenure_play.resource_budget import BUDGET, PlayBudget
from tenure_play.scenario import Happens, Story

LESS = (
    "an earlier until, fewer workloads, or longer times between what happens; "
    "tenure simulate plays many jobs with less, and in Python a play may be given another budget"
)
"""What to do where a play takes too much."""


class TaskKind(IntEnum):
    """Kinds of things that are due; of one instant the lower goes first."""

    RELEASE = 0
    """The pods of an evicted workload are gone."""
    FINISH = 1
    """A workload has done its work."""
    EVENT = 2
    """An event of the scenario."""
    WAKE = 3
    """Parked workloads in a tree of queues are woken."""
    START = 4
    """A controller that was restarted is back."""
    CLOSE = 5
    """A session of KAI-Scheduler ends."""
    REQUEUE = 6
    """The back-off of a workload is over, and it is queued."""
    COOLDOWN = 7
    """A ClusterQueue may borrow again (KEP-14468)."""
    LIMIT = 8
    """A preemption no longer counts toward a PreemptionLimit."""


@dataclass(order=True, frozen=True, slots=True)
class Task:
    """One thing that is due.

    Args:
        at: when.
        kind: what.
        number: keeps what is due together in the order in which it was planned.
        key: a workload, or the name of a tree.
        stay: which stay of the workload with quota is meant.
        event: of the scenario.
    """

    at: Instant
    kind: TaskKind
    number: int
    key: str = ""
    stay: int = 0
    event: Happens | None = field(default=None, compare=False)


@dataclass(slots=True)
class TaskQueue:
    """Tasks in the order of time.

    >>> agenda = TaskQueue()
    >>> agenda.plan(5, TaskKind.WAKE, "q"); agenda.plan(5, TaskKind.RELEASE, "ml/a")
    >>> agenda.next_at(), [task.key for task in agenda.due(5)]
    (5, ['ml/a', 'q'])
    """

    _tasks: list[Task] = field(default_factory=list)
    _of: dict[TaskKind, dict[int, Task]] = field(default_factory=lambda: {kind: {} for kind in TaskKind})
    _number: int = 0

    def plan(
        self, at: Instant, kind: TaskKind, key: str = "", stay: int = 0, event: Happens | None = None
    ) -> None:
        """Something is due at an instant."""
        self._number += 1
        task = Task(at, kind, self._number, key, stay, event)
        heapq.heappush(self._tasks, task)
        self._of[kind][task.number] = task

    def next_at(self) -> Instant | None:
        """When the next task is due; None without one."""
        return self._tasks[0].at if self._tasks else None

    def due(self, now: Instant) -> list[Task]:
        """Take out what is due until an instant, in order."""
        found = []
        while self._tasks and self._tasks[0].at <= now:
            task = heapq.heappop(self._tasks)
            del self._of[task.kind][task.number]
            found.append(task)
        return found

    def planned(self, kind: TaskKind) -> list[Task]:
        """The tasks of one kind, in order."""
        return sorted(self._of[kind].values())

    def drop(self, kind: TaskKind) -> None:
        """Forget all tasks of a kind."""
        self._of[kind].clear()
        self._tasks = [task for task in self._tasks if task.kind != kind]
        heapq.heapify(self._tasks)


class EventLoop(ABC):
    """A play that goes on by itself.

    Args:
        story: what is played.
        reading: for which the expectations speak.
        budget: what it may take.
    """

    def __init__(self, story: Story, reading: Reading, budget: PlayBudget = BUDGET) -> None:
        self.story = story
        self.agenda = TaskQueue()
        self.outcomes: list[ExpectationResult] = []
        self._spending = budget.begin()
        self._moments = moments(story, reading)

    @property
    @abstractmethod
    def observed(self) -> Observed:
        """What expectations at an instant look at; its clock is moved by the play."""

    @abstractmethod
    def begin(self) -> None:
        """What is there when the play starts."""

    @abstractmethod
    def pass_instant(self, now: Instant) -> None:
        """Everything of one instant happens."""

    def next_at(self) -> Instant | None:
        """When something happens next; None for never again."""
        return self.agenda.next_at()

    def apply(self, tasks: Iterable[Task]) -> None:
        """Tasks that are due."""
        for task in tasks:
            if task.event is None:
                self.follow(task)
            else:
                self.happen(task.event)

    @abstractmethod
    def follow(self, task: Task) -> None:
        """What follows from earlier happens."""

    @abstractmethod
    def happen(self, event: Happens) -> None:
        """An event of the scenario happens."""

    def run_through(self, events: Iterable[Happens]) -> None:
        """From the start to the end."""
        self.begin()
        for event in events:
            self.agenda.plan(event.at, TaskKind.EVENT, event=event)
        self.go_on_until(self.story.end)
        self._look(self.story.end + 1)
        self.observed.now = self.story.end

    def go_on_until(self, until: Instant, enough: Callable[[], bool] = lambda: False) -> None:
        """Whatever happens up to an instant, that instant included.

        Args:
            until: the instant.
            enough: whether it may end earlier, checked before each instant.

        Raises:
            InputError: it is more than a play may take.
        """
        while not enough() and (now := self.next_at()) is not None and now <= until:
            over = self._spending.over()
            if over:
                raise self._too_much(over, now)
            self._look(now)
            self.observed.now = now
            self.pass_instant(now)

    def _too_much(self, what: str, now: Instant) -> InputError:
        found = f"{what} by {format_instant(now)}"
        expected = f"less: {LESS}{self.hint()}"
        place = f"Scenario/{self.story.name}"
        return InputError([Problem("until", found, expected, object=place, file=self.story.file)])

    def hint(self) -> str:
        """Why a play takes so much, where that is known."""
        return ""

    def _look(self, before: Instant) -> None:
        """What is expected at an instant is looked at when all of that instant has happened."""
        while self._moments and (self._moments[0].at or 0) < before:
            self.outcomes.extend(note(self.observed, self._moments.pop(0)))
