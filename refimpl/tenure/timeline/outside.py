"""What happens from outside: the events of a scenario."""

from __future__ import annotations

from tenure.readings import Wake
from tenure.timeline.actors import Phase
from tenure.timeline.agenda import Agenda, Due
from tenure.timeline.changes import Changes
from tenure.timeline.journal import Journal
from tenure.timeline.record import Ending, Happening
from tenure.timeline.scenario import ClockJump, Delete, Edit, Finish, Happens, Restart, Submit
from tenure.timeline.world import World
from tenure.units import format_duration


class Outside:
    """Makes the events of a scenario happen.

    Args:
        world, agenda, journal, changes: of the play.
    """

    def __init__(self, world: World, agenda: Agenda, journal: Journal, changes: Changes) -> None:
        self._world = world
        self._agenda = agenda
        self._journal = journal
        self._changes = changes

    def happen(self, event: Happens) -> None:
        """An event happens now."""
        match event:
            case Submit(submission=submission):
                self._changes.join(submission)
            case Finish(workload=key):
                self._end(key, Ending.FINISHED)
            case Delete(workload=key):
                self._end(key, Ending.DELETED)
            case Restart():
                self._restart(event)
            case ClockJump():
                self._jump(event)
            case Edit():
                self._edit(event)
            case _:
                self._journal.tell(Happening.NOTE, "tick: every cohort looks again")
                self._look_again(tuple(self._world.cluster.cluster_queues))

    def _end(self, key: str, how: Ending) -> None:
        actor = self._world.actors.get(key)
        if actor is not None and actor.phase != Phase.DONE:
            self._changes.end(actor, how)

    def _look_again(self, queues: tuple[str, ...]) -> None:
        for name in queues:
            self._changes.retry(name)

    def _edit(self, event: Edit) -> None:
        """Objects change; who waits aside in their trees is woken a little later."""
        self._world.take_objects(event.cluster)
        self._journal.tell(Happening.EDITED, event.text)
        self._look_again(event.queues or tuple(self._world.cluster.cluster_queues))
        self._changes.dirty = True

    def _restart(self, event: Restart) -> None:
        """What is in memory only is lost: who waits aside, whom a head waits for, what is alike."""
        for queue in self._world.queues.values():
            queue.forget()
        self._agenda.drop(Due.WAKE)
        self._changes.dirty = True
        text = "the controller restarts"
        if event.down:
            text += f", and is back in {format_duration(event.down)}"
            self._changes.back_at = self._world.now + event.down
            self._agenda.plan(self._changes.back_at, Due.START)
        self._journal.tell(Happening.RESTARTED, text)

    def _jump(self, event: ClockJump) -> None:
        """The controller's clock shows another time from now on; what ran out by that has run out."""
        self._world.offset += event.by
        way = "forward" if event.by >= 0 else "back"
        text = f"the controller's clock goes {way} by {format_duration(abs(event.by))}"
        self._journal.tell(Happening.CLOCK, text)
        self._changes.dirty = True
        if self._world.reading.wake == Wake.AT_EXPIRY:
            for name in self._world.queues:
                self._changes.wake(name, "the clock has moved")
