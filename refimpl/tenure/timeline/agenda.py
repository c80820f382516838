"""What is due when."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from enum import IntEnum

from tenure.model import Instant
from tenure.timeline.scenario import Happens


class Due(IntEnum):
    """Kinds of things that are due; of one instant the lower goes first."""

    RELEASE = 0
    """The pods of an evicted workload are gone."""
    FINISH = 1
    """A workload has done its work."""
    EVENT = 2
    """The scenario says so."""
    WAKE = 3
    """Those that wait aside in a tree of queues are woken."""
    START = 4
    """A controller that was restarted is back."""
    CLOSE = 5
    """A session of KAI-Scheduler ends."""


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
    kind: Due
    number: int
    key: str = ""
    stay: int = 0
    event: Happens | None = field(default=None, compare=False)


@dataclass(slots=True)
class Agenda:
    """Tasks in the order of time.

    >>> agenda = Agenda()
    >>> agenda.plan(5, Due.WAKE, "q"); agenda.plan(5, Due.RELEASE, "ml/a")
    >>> agenda.next_at(), [task.key for task in agenda.due(5)]
    (5, ['ml/a', 'q'])
    """

    _tasks: list[Task] = field(default_factory=list)
    _number: int = 0

    def plan(
        self, at: Instant, kind: Due, key: str = "", stay: int = 0, event: Happens | None = None
    ) -> None:
        """Something is due at an instant."""
        self._number += 1
        heapq.heappush(self._tasks, Task(at, kind, self._number, key, stay, event))

    def next_at(self) -> Instant | None:
        """When the next task is due; None where there is none."""
        return self._tasks[0].at if self._tasks else None

    def due(self, now: Instant) -> list[Task]:
        """Take out what is due until an instant, in order."""
        found = []
        while self._tasks and self._tasks[0].at <= now:
            found.append(heapq.heappop(self._tasks))
        return found

    def planned(self, kind: Due) -> list[Task]:
        """The tasks of one kind, in order."""
        return sorted(task for task in self._tasks if task.kind == kind)

    def drop(self, kind: Due) -> None:
        """Forget all tasks of a kind."""
        self._tasks = [task for task in self._tasks if task.kind != kind]
        heapq.heapify(self._tasks)
