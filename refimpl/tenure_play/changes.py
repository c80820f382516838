"""What happens to workloads, queues and objects, by itself or from outside, and whom it wakes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tenure.choices import Outcome
from tenure.errors import InputError
from tenure.explanation.cooldowns import cooldown_text
from tenure.explanation.limits import limit_text
from tenure.manifests.showing import in_short
from tenure.model import Duration, Instant, RulePreemption, Target, TurnResult, Workload
from tenure.oracle.backoff import arming
from tenure.oracle.preemption_limits import limits_on, preemption_by
from tenure.readings import Wake
from tenure.rules.cycle import lost_work, persisted, wake_due_at
from tenure.units import format_duration, format_instant
from tenure_play.actors import Actor, Phase, joined, released
from tenure_play.cycle import Handled, Nominee, write_turn
from tenure_play.event_loop import Task, TaskKind, TaskQueue
from tenure_play.objects import asking
from tenure_play.queues import preemptor_after
from tenure_play.record import Ending, Happening
from tenure_play.recorder import KueueJournal
from tenure_play.scenario import ClockJump, Delete, Edit, Finish, Happens, Restart, Submission, Submit
from tenure_play.state import PlayState
from tenure_play.story import PARKED


class Changes:
    """Applies what happens to the world, writes it down, and plans what follows from it.

    Args:
        world, agenda, journal: of the play.

    Source: Kueue main of August 2026, what its controllers do about Workloads, ClusterQueues and Cohorts.
    """

    def __init__(self, world: PlayState, agenda: TaskQueue, journal: KueueJournal) -> None:
        self.world = world
        self.agenda = agenda
        self.journal = journal
        self.dirty = False
        """Whether the next cycle may find anything that the last one did not."""
        self.back_at: Instant | None = None
        """When a controller that is being restarted is back; None where there is one."""

    @property
    def is_down(self) -> bool:
        """Whether there is no controller, because it is being restarted."""
        return self.back_at is not None

    def apply(self, task: Task) -> None:
        """Do what follows from what happened before, and is due now."""
        if task.kind == TaskKind.WAKE:
            tree = {queue.name for queue in self.world.tree_of(task.key)}
            for name in self.world.queues:
                if name in tree:
                    self.wake(name, "something happened in its tree of queues")
        elif task.kind == TaskKind.START:
            self.back_at, self.dirty = None, True
            self.journal.add(Happening.RESTARTED, "the controller is back")
        elif task.kind == TaskKind.COOLDOWN:
            self.dirty = True
            for queue in self.world.tree_of(task.key):
                self.wake(queue.name, f"a cooldown of ClusterQueue {task.key} has ended")
        elif task.kind == TaskKind.LIMIT:
            self._count_ends(task.key)
        elif task.kind == TaskKind.REQUEUE:
            self._back_off_ends(self.world.actors[task.key])
        else:
            self._stay_ends(task)

    def present(self, submission: Submission) -> None:
        """A workload that is there when the play starts."""
        workload, now = submission.workload, self.world.now
        if workload.cluster_queue is None:
            self.join(submission)
            return
        actor = joined(submission, now)
        self.world.add(actor)
        actor.reserved = actor.stopped = now
        if workload.quota_reserved_at is not None:
            actor.reserved = min(now, workload.quota_reserved_at)
        actor.stay = 1
        self.world.took(actor)
        self._plan_end(actor)
        self.journal.add(Happening.NOTE, f"holds quota since {format_instant(actor.reserved)}", actor)
        if actor.workload.priority_class in self.world.cluster.growing:
            self.journal.priority(actor)

    def wake(self, name: str, why: str, only: Iterable[str] | None = None) -> None:
        """The parked workloads of a queue are tried again."""
        woken = self.world.queues[name].wake(only)
        if woken:
            self.dirty = True
            self.journal.woken(woken, why)

    def settle(self, handled: Handled) -> None:
        """What a head's turn comes to is written, and what follows from it happens."""
        entry, result = handled.entry, handled.result
        victims = [*self._victims(entry)] if result == TurnResult.PREEMPTING else []
        write_turn(handled, self.world)
        if result == TurnResult.ADMITTED:
            self._has_quota(entry)
            return
        for target, equal in victims:
            self._is_evicted(entry, target, equal=equal)
        parked = self.world.queues[entry.actor.queue].requeue(entry.actor, result)
        if parked:
            self.dirty = True
            why = (
                limit_text(entry.decision) or "no candidate would free enough quota"
                if entry.outcome == Outcome.NO_CANDIDATES
                else cooldown_text(entry.decision) or "it cannot fit into the quota there is"
            )
            self.journal.parked(parked, why)

    def _has_quota(self, entry: Nominee) -> None:
        """What follows where quota is reserved for a head."""
        actor, world = entry.actor, self.world
        self.dirty = True
        self.journal.waited(actor, admitted=True)
        actor.pod_sets, actor.is_as_it_came = entry.decision.assignment.pod_sets, False
        actor.since = actor.reserved = world.now
        actor.stay += 1
        world.took(actor)
        world.queues[actor.queue].remove(actor.key)
        flavors = sorted({held.flavor for held in actor.workload.usage})
        self.journal.add(Happening.ADMITTED, f"runs on {', '.join(flavors) or 'nothing'}", actor)
        self._plan_end(actor)

    def _victims(self, entry: Nominee) -> Iterator[tuple[Target, bool]]:
        """The targets of a head that are not evicted yet, each with whether it is an equal of its queue."""
        world, preemptor = self.world, entry.actor
        for target in entry.decision.targets:
            actor = world.actors[target.workload.key]
            if actor.phase != Phase.TERMINATING:
                same_queue = actor.queue == preemptor.queue
                yield target, same_queue and world.priority(actor) == world.priority(preemptor)

    def _is_evicted(self, entry: Nominee, target: Target, *, equal: bool) -> None:
        """What follows where a target of a head is evicted."""
        world, preemptor = self.world, entry.actor
        actor = world.actors[target.workload.key]
        self.dirty = True
        selected = entry.decision.selected_by_config(target.workload)
        self.journal.preempted(preemptor, actor, target, equal=equal, selected=selected)
        actor.since = actor.stopped = world.now
        world.is_evicted(actor)
        actor.preempted_by, actor.reason, actor.is_as_it_came = preemptor.key, target.reason, False
        self._back_off(entry, target)
        if selected is not None and world.cluster.preemption_limits:
            self._count(preemption_by(preemptor.queue, target.workload, selected, world.clock))
        message = world.message(preemptor, actor, target.reason, selected)
        actor.preempted = message, persisted(world.clock)
        takes = self._pods_end_after(actor)
        if takes:
            self.agenda.plan(world.now + takes, TaskKind.RELEASE, actor.key, actor.stay)
        else:
            self._give_back(actor)

    def _back_off(self, entry: Nominee, target: Target) -> None:
        """Quota that the ClusterQueue of a victim borrowed is not borrowed again at once (KEP-14468)."""
        world, queue = self.world, target.workload.cluster_queue or ""
        settings, reading = world.cluster.settings.reclaim_backoff, world.reading
        if settings is None:
            return
        for at in arming(entry.decision.snapshot, target.workload, target.reason):
            found = world.backoff.arm(queue, at, world.clock, settings, reading.backoff_deadline)
            if found is not None:
                self.agenda.plan(found.end - world.offset, TaskKind.COOLDOWN, queue)
                until = format_instant(found.end)
                text = f"ClusterQueue {queue} may not borrow {at.resource} of {at.flavor} before {until}"
                self.journal.add(Happening.NOTE, text)

    def _count(self, preemption: RulePreemption) -> None:
        """A preemption counts toward PreemptionLimits until their windows have passed."""
        world = self.world
        longest = max(limit.window for limit in world.cluster.preemption_limits)
        world.preempted = [past for past in world.preempted if world.clock - past.at < longest]
        world.preempted.append(preemption)
        for limit in limits_on(world.cluster, preemption):
            end = preemption.at + limit.window
            # What the limit counts it with is in the key: two states with other counts are not the same.
            key = f"{limit.name} {preemption.preempting} {preemption.victim}"
            self.agenda.plan(end - world.offset, TaskKind.LIMIT, key)
            text = f"counts toward PreemptionLimit {limit.name} until {format_instant(end)}"
            self.journal.add(Happening.NOTE, text, world.actors[preemption.victim])

    def _count_ends(self, key: str) -> None:
        """The text names no timer: parked workloads are woken as at other ends of time."""
        self.dirty = True
        name = key.partition(" ")[0]
        for queue, found in self.world.cluster.cluster_queues.items():
            if found.preemption_config is not None and self.world.reading.wake == Wake.AT_EXPIRY:
                self.wake(queue, f"a preemption no longer counts toward PreemptionLimit {name}")

    def _pods_end_after(self, actor: Actor) -> Duration:
        return self.world.scenario.timing.eviction if actor.eviction is None else actor.eviction

    def _plan_end(self, actor: Actor) -> None:
        left = actor.left()
        if actor.phase == Phase.TERMINATING:
            at = self.world.now + self._pods_end_after(actor)
            self.agenda.plan(at, TaskKind.RELEASE, actor.key, actor.stay)
        elif left is not None:
            self.agenda.plan(
                max(self.world.now, actor.reserved + left), TaskKind.FINISH, actor.key, actor.stay
            )

    def _stay_ends(self, task: Task) -> None:
        actor = self.world.actors[task.key]
        if actor.stay != task.stay:
            return
        if task.kind == TaskKind.RELEASE and actor.phase == Phase.TERMINATING:
            self._give_back(actor)
        elif task.kind == TaskKind.FINISH and actor.phase == Phase.RUNNING:
            self.depart(actor, Ending.FINISHED)

    def _give_back(self, actor: Actor) -> None:
        """The pods are gone: the victim waits again, at once; the others learn of it a little later."""
        done = actor.stopped - actor.reserved
        lost = lost_work(actor.keeps, done, actor.progress)
        actor.progress = actor.progress + done - lost
        self.journal.ran(actor, Ending.PREEMPTED, lost)
        self.world.gave_back(actor)
        # The head of a StrictFIFO queue waits in its heap, and nothing wakes it.
        self.dirty = True
        workload, unknown = self._with_pods(actor)
        actor.workload, actor.is_as_it_came = released(workload), False
        actor.since = self.world.now
        text = "gives its quota back and waits again"
        if lost:
            text += f"; {format_duration(lost)} of work are lost"
        if self.world.cluster.hold_of(actor.workload):
            text += "; its LocalQueue is held, so Kueue tries no other workload for that"
        self.journal.add(Happening.RELEASED, text, actor)
        self._retry_after(actor)
        if unknown:
            self.world.queues[actor.queue].rest(actor)
            self.journal.add(Happening.PARKED, f"is left out: {unknown}", actor)
        else:
            self._push(actor)

    @staticmethod
    def _with_pods(actor: Actor) -> tuple[Workload, str]:
        """The requests of a workload that came with quota are read when they are needed.

        Returns:
            the workload, and why its requests cannot be read; empty where they can.
        """
        if actor.workload.pod_sets or not actor.manifest:
            return actor.workload, ""
        try:
            return asking(actor.workload, actor.manifest), ""
        except InputError as error:
            return actor.workload, in_short(error.problems, actor.key)

    def depart(self, actor: Actor, how: Ending) -> None:
        """A workload is finished or deleted."""
        world = self.world
        self.journal.ended(actor, how)
        if actor.holds:
            world.gave_back(actor)
        actor.is_done, actor.since = True, world.now
        del world.alive[actor.key]
        queue = world.queues[actor.queue]
        queue.preemptor = preemptor_after(queue.preemptor, actor.key, TurnResult.ADMITTED)
        queue.remove(actor.key)
        self.dirty = True
        self._retry_after(actor)

    def join(self, submission: Submission) -> None:
        """A workload joins its queue."""
        actor = joined(submission, self.world.now)
        self.world.add(actor)
        priority = self.world.priority(actor)
        self.journal.add(Happening.SUBMITTED, f"waits, with priority {priority}", actor)
        if actor.workload.priority_class in self.world.cluster.growing:
            self.journal.priority(actor)
        self._queue(actor)

    def _queue(self, actor: Actor) -> None:
        """A workload is queued as soon as its back-off is over."""
        world, until = self.world, actor.workload.requeue_at
        if until is None or until <= world.clock:
            self._push(actor)
            return
        world.queues[actor.queue].rest(actor)
        self.agenda.plan(until - world.offset, TaskKind.REQUEUE, actor.key)
        text = f"is not queued before {format_instant(until)}, its status.requeueState.requeueAt"
        self.journal.add(Happening.PARKED, text, actor)

    def _back_off_ends(self, actor: Actor) -> None:
        if self.world.queues[actor.queue].resting.pop(actor.key, None) is None:
            return
        self.journal.add(Happening.WOKEN, "is queued: its status.requeueState.requeueAt has come", actor)
        self._queue(actor)

    def _push(self, actor: Actor) -> None:
        """A workload is queued, unless its LocalQueue is held."""
        if hold := self.world.cluster.hold_of(actor.workload):
            self.journal.add(Happening.PARKED, f"is not queued: {hold}", actor)
            return
        self.dirty = True
        if not self.world.queues[actor.queue].push(actor):
            text = f"{PARKED}an identical job was found not to fit"
            self.journal.add(Happening.PARKED, text, actor)

    def _retry_after(self, actor: Actor) -> None:
        """A workload has given its quota back.

        Source: Kueue v0.19.2, QueueAssociatedInadmissibleWorkloadsAfter, which finds no ClusterQueue by a
            LocalQueue that is held.
        """
        if not self.world.cluster.hold_of(actor.workload):
            self.retry(actor.queue)

    def retry(self, queue: str) -> None:
        """Parked workloads of a tree are woken soon; events until then wake them together."""
        found = self.world.cluster.cluster_queues.get(queue)
        if found is None:
            return
        root = self.world.root_of(found)
        planned = [task.at for task in self.agenda.planned(TaskKind.WAKE) if self._is_in_tree(task.key, root)]
        now, retry = self.world.now, self.world.scenario.timing.retry
        due = wake_due_at(bool(planned), min(planned, default=0), now, retry)
        if due not in planned:
            self.agenda.plan(due, TaskKind.WAKE, queue)

    def _is_in_tree(self, queue: str, root: str) -> bool:
        found = self.world.cluster.cluster_queues.get(queue)
        return found is not None and self.world.root_of(found) == root


class OutsideEvents:
    """Makes the events of a scenario happen.

    Args:
        world, agenda, journal, changes: of the play.
    """

    def __init__(self, world: PlayState, agenda: TaskQueue, journal: KueueJournal, changes: Changes) -> None:
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
                self._journal.add(Happening.NOTE, "tick: every cohort looks again")
                self._look_again(tuple(self._world.cluster.cluster_queues))

    def _end(self, key: str, how: Ending) -> None:
        actor = self._world.actors.get(key)
        if actor is not None and actor.phase != Phase.DONE:
            self._changes.depart(actor, how)

    def _look_again(self, queues: tuple[str, ...]) -> None:
        for name in queues:
            self._changes.retry(name)

    def _edit(self, event: Edit) -> None:
        """Objects change; parked workloads in their trees are woken a little later."""
        self._world.take_objects(event.cluster)
        self._journal.add(Happening.EDITED, event.text)
        self._look_again(event.queues or tuple(self._world.cluster.cluster_queues))
        self._changes.dirty = True

    def _restart(self, event: Restart) -> None:
        """What is only in memory is lost: parked workloads, whom a head waits for, what is alike."""
        for queue in self._world.queues.values():
            queue.start_over()
        self._world.backoff.forget()
        self._world.preempted.clear()
        for kind in (TaskKind.WAKE, TaskKind.COOLDOWN, TaskKind.LIMIT):
            self._agenda.drop(kind)
        self._changes.dirty = True
        text = "the controller restarts"
        if event.down:
            text += f", and is back in {format_duration(event.down)}"
            self._changes.back_at = self._world.now + event.down
            self._agenda.plan(self._changes.back_at, TaskKind.START)
        self._journal.add(Happening.RESTARTED, text)

    def _jump(self, event: ClockJump) -> None:
        """The controller's clock shows another time from now on; what ran out by that has run out."""
        self._world.offset += event.by
        self._journal.clock_moved("controller", event.by)
        self._changes.dirty = True
        if self._world.reading.wake == Wake.AT_EXPIRY:
            for name in self._world.queues:
                self._changes.wake(name, "the clock has moved")
