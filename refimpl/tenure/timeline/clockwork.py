"""From one instant at which something happens to the next: what plays of every scheduler go by."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

from tenure.model import Instant
from tenure.readings import Reading
from tenure.timeline.agenda import Agenda, Due, Task
from tenure.timeline.expecting import Observed, moments, note
from tenure.timeline.record import Outcome
from tenure.timeline.scenario import Happens, Story


class Clockwork(ABC):
    """A play that goes on by itself.

    Args:
        story: what is played.
        reading: for which the expectations speak.
    """

    def __init__(self, story: Story, reading: Reading) -> None:
        self.story = story
        self.agenda = Agenda()
        self.outcomes: list[Outcome] = []
        self._moments = moments(story, reading)

    @property
    @abstractmethod
    def observed(self) -> Observed:
        """What expectations at an instant look at; its clock is moved by the play."""

    @abstractmethod
    def begin(self) -> None:
        """What is there when the play starts."""

    @abstractmethod
    def step(self, now: Instant) -> None:
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

    def run(self, events: Iterable[Happens]) -> None:
        """From the start to the end."""
        self.begin()
        for event in events:
            self.agenda.plan(event.at, Due.EVENT, event=event)
        self.go_on(self.story.end)
        self._look(self.story.end + 1)
        self.observed.now = self.story.end

    def go_on(self, until: Instant) -> None:
        """Whatever happens up to an instant, that instant included."""
        while (now := self.next_at()) is not None and now <= until:
            self._look(now)
            self.observed.now = now
            self.step(now)

    def _look(self, before: Instant) -> None:
        """What is expected at an instant is looked at when all of that instant has happened."""
        while self._moments and (self._moments[0].at or 0) < before:
            self.outcomes.extend(note(self.observed, self._moments.pop(0)))
