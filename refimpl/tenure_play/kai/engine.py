"""A play of KAI-Scheduler: what happens to queues and jobs, and what each session answers."""

from __future__ import annotations

from dataclasses import replace

from tenure.model import Instant
from tenure.readings import Reading
from tenure.rules.cycle import persisted
from tenure.units import counted, format_instant
from tenure.versions import kai_revision
from tenure_kai import Action, Job, PodStatus, Protection, Session, Victim, resolve
from tenure_kai.answers import action_between, action_name
from tenure_kai.case import ACTIONS
from tenure_kai.text import delay_verdict, loss_verdict, verdict_of
from tenure_play.actors import Phase
from tenure_play.event_loop import EventLoop, Task, TaskKind
from tenure_play.expectations import Observed, judge
from tenure_play.kai.scenario import Asking, EditQueues, KaiScenario, OpenSession, PlacePods, Pods
from tenure_play.kai.state import JobActor, KaiJournal, KaiState, staying, with_pods
from tenure_play.record import Ending, Happening, KaiQuestion, Record, SessionSpan, VictimAnswer
from tenure_play.resource_budget import BUDGET, PlayBudget
from tenure_play.scenario import ClockJump, Delete, Finish, Happens

Rules = tuple[str, ...]


def ask(
    session: Session, pending: str, victim: str, pods: Pods, action: Action | None
) -> tuple[VictimAnswer, Rules]:
    """Whether a job may preempt another one, or some of its pods: filter, then validator.

    Args:
        session: whom to ask.
        pending, victim: the two jobs.
        pods: which would go; None for all that hold a place.
        action: preempt or reclaim; None for what the scheduler does between the two queues.

    Returns:
        the answer, and the rules that it rests on.

    Raises:
        InputError: the parents of a queue go in a circle.
    """
    job = session.job(victim)
    delay = session.delay(pending)
    chosen = action_between(session.job(pending), job) if action is None else action
    there = staying(job)
    asked = there if pods is None else tuple(name for name in pods if name in there)
    if not asked:
        verdict = "nothing to preempt: none of the pods holds a place"
        return _answer(chosen, victim, False, (), None, verdict), ()
    if delay.delayed:
        verdict = delay_verdict(pending, delay, session.now)
        return _answer(chosen, victim, False, asked, None, verdict), ("KMR-170",)
    filtered = session.filter(chosen, pending, victim)
    if not filtered.elastic:
        assert filtered.protection is not None
        verdict = verdict_of(filtered.protection, session.now)
        rules = ("KMR-080", "KMR-120" if filtered.protection.kept else "KMR-060")
        return _answer(chosen, victim, filtered.passes, asked, filtered.protection, verdict), rules
    validated = session.validate(chosen, pending, (Victim(victim, asked),))
    loss = validated.losses[0]
    rules = ("KMR-080", "KMR-090", *(("KMR-100",) if loss.groups else ()))
    verdict = loss_verdict(loss, session.now)
    return _answer(chosen, victim, validated.accepted, asked, loss.protection, verdict), rules


def _answer(
    action: Action,
    victim: str,
    may_be_preempted: bool,
    pods: Rules,
    protection: Protection | None,
    verdict: str,
) -> VictimAnswer:
    return VictimAnswer(
        victim=victim,
        action=action_name(action),
        may_be_preempted=may_be_preempted,
        pods=pods,
        protected=None if protection is None else protection.protected,
        remembered=protection is not None and protection.kept,
        min_runtime=None if protection is None else protection.min_runtime,
        until=None if protection is None else protection.until,
        verdict=verdict,
    )


class KaiPlayer(EventLoop):
    """Plays a scenario of KAI-Scheduler. Of the reading it follows `kai_version` alone.

    Args:
        scenario: what is played.
        reading: for which its expectations hold.
        budget: what it may take.

    Source: KAI-Scheduler, its sessions, its action allocate and the MinRuntime plugin.

    >>> from tenure.readings import preset
    >>> KaiPlayer(KaiScenario("idle", "No job comes.", 0, 9), preset("guaranteed")).play().sessions
    ()
    """

    def __init__(self, scenario: KaiScenario, reading: Reading, budget: PlayBudget = BUDGET) -> None:
        self.version = reading.kai_version if scenario.version is None else scenario.version
        scenario = replace(scenario, scene=scenario.scene.as_seen_by(self.version))
        super().__init__(scenario, reading, budget)
        self.scenario = scenario
        self.reading = reading
        self.world = KaiState(scenario)
        self.journal = KaiJournal(self.world)

    @property
    def observed(self) -> Observed:
        """The world."""
        return self.world

    def play(self) -> Record:
        """All of it."""
        self.run_through(self.scenario.events)
        self._close()
        record = replace(
            self.journal.record(self.scenario, self.reading),
            sessions=tuple(self.world.sessions),
            questions=tuple(self.world.questions),
            kai=kai_revision(self.version),
        )
        return judge(self.scenario, record, self.outcomes)

    def begin(self) -> None:
        """The jobs among the objects."""
        for job in self.scenario.scene.jobs.values():
            self._join(job)

    def pass_instant(self, now: Instant) -> None:
        """What is due."""
        self.apply(self.agenda.due(now))

    def follow(self, task: Task) -> None:
        """Pods are gone, or a session ends."""
        if task.kind == TaskKind.RELEASE:
            self._release(self.world.actors[task.key])
        elif task.stay == len(self.world.sessions):
            self._close()

    def happen(self, event: Happens) -> None:
        """An event of the scenario."""
        match event:
            case PlacePods(jobs=jobs):
                for key, pods in jobs.items():
                    self._place(self.world.actors[key], pods)
            case Asking():
                self._ask(event)
            case OpenSession(lasts=lasts):
                self._open(lasts)
            case Finish(workload=key):
                self._end(self.world.actors[key], Ending.FINISHED)
            case Delete(workload=key):
                self._end(self.world.actors[key], Ending.DELETED)
            case _:
                self._change(event)

    def _change(self, event: Happens) -> None:
        """The queues or the clock."""
        if isinstance(event, EditQueues):
            self.world.take_queues(event.queues)
            seen = "" if self.world.session is None else "; the session goes on without"
            self.journal.add(Happening.EDITED, f"{event.text}{seen}")
        elif isinstance(event, ClockJump):
            self.world.offset += event.by
            self.journal.clock_moved("scheduler", event.by)

    def _join(self, job: Job) -> None:
        world, now = self.world, self.world.now
        actor = JobActor(job.name, job.queue, now, since=now, reserved=now, stopped=now)
        world.actors[job.name] = actor
        leaving = [pod.name for _, pod in job.pods() if pod.status == PodStatus.RELEASING]
        if not world.holding(job.name) and not leaving:
            self.journal.add(Happening.SUBMITTED, "waits", actor)
            return
        actor.phase = Phase.RUNNING if world.holding(job.name) else Phase.TERMINATING
        if job.started_at is not None:
            actor.reserved = min(now, job.started_at)
        stamp = "no start stamp"
        if job.started_at is not None:
            stamp = f"start stamp {format_instant(job.started_at)}"
        self.journal.add(Happening.NOTE, f"runs, with {stamp}", actor)
        if leaving:
            self._leave(actor, tuple(leaving))

    def _open(self, lasts: int) -> None:
        self._close()
        world = self.world
        world.session = Session(world.scene, world.clock, self.version)
        self.world.sessions.append(SessionSpan(len(self.world.sessions) + 1, world.now, self.scenario.end))
        self.agenda.plan(world.now + lasts, TaskKind.CLOSE, stay=len(self.world.sessions))
        if lasts:
            self.journal.add(Happening.SESSION, f"session {len(self.world.sessions)} begins")

    def _close(self) -> None:
        """The session ends, and with it all that the plugin remembers."""
        if self.world.session is None:
            return
        self.world.session = None
        span = replace(self.world.sessions[-1], end=self.world.now)
        self.world.sessions[-1] = span
        if span.end > span.start:
            self.journal.add(Happening.SESSION, f"session {span.number} ends")

    def _ask(self, event: Asking) -> None:
        """What is asked at one instant outside of any session is asked in one of that instant."""
        world = self.world
        if world.session is None:
            self._open(0)
        session = world.session
        assert session is not None
        session.now = world.clock
        unseen = [key for key in (event.pending, *event.victims) if key not in session.scene.jobs]
        if unseen:
            self.journal.add(Happening.NOTE, f"no job asks: {unseen[0]} is deleted")
            return
        answers = []
        for key, pods in event.victims.items():
            answer, rules = ask(session, event.pending, key, pods, event.action)
            answers.append(answer)
            self._settle(session, event, answer, rules)
        number = len(self.world.sessions)
        world.questions.append(KaiQuestion(world.now, number, event.pending, event.preempts, tuple(answers)))

    def _settle(self, session: Session, event: Asking, answer: VictimAnswer, rules: Rules) -> None:
        world, pending = self.world, self.world.actors[event.pending]
        actor = world.actors[answer.victim]
        self.journal.answered(actor, answer)
        going = set(answer.pods) & set(world.holding(actor.key))
        if not (event.preempts and answer.may_be_preempted and going):
            self.journal.add_answer(pending, actor, answer, rules)
            return
        scene = session.scene
        action = ACTIONS[answer.action]
        counts = resolve(scene.queues, scene.arguments, action, pending.queue, actor.queue).min_runtime
        self.journal.preempted(pending, actor, answer, rules, counts)
        actor.preempted_by = pending.key
        world.schedule(actor.key, lambda job: with_pods(job, answer.pods, PodStatus.RELEASING))
        world.stamp_eviction(actor.key, persisted(world.clock))
        if not world.holding(actor.key):
            actor.phase, actor.since, actor.stopped = Phase.TERMINATING, world.now, world.now
        self._leave(actor, answer.pods)

    def _leave(self, actor: JobActor, pods: tuple[str, ...]) -> None:
        gone = self.world.now + self.scenario.eviction
        actor.leaving.update(dict.fromkeys(pods, gone))
        if self.scenario.eviction:
            self.agenda.plan(gone, TaskKind.RELEASE, actor.key)
        else:
            self._release(actor)

    def _release(self, actor: JobActor) -> None:
        """Pods are gone; others are made in their place, and wait."""
        world = self.world
        gone = [pod for pod, at in actor.leaving.items() if at <= world.now]
        if actor.phase == Phase.DONE or not gone:
            return
        for pod in gone:
            del actor.leaving[pod]
        world.schedule(actor.key, lambda job: with_pods(job, gone, PodStatus.PENDING))
        if actor.phase == Phase.TERMINATING and not actor.leaving:
            self.journal.ran(actor, Ending.PREEMPTED)
            actor.phase, actor.since, actor.promised = Phase.WAITING, world.now, None
            self.journal.add(Happening.RELEASED, "its pods are gone; new ones wait", actor)

    def _place(self, actor: JobActor, pods: tuple[str, ...] | None) -> None:
        """Pods are placed. A start is stamped where none of the job's pods held a place."""
        world = self.world
        job = world.scene.jobs.get(actor.key)
        waiting = [pod.name for _, pod in job.pods() if pod.status == PodStatus.PENDING] if job else []
        chosen = [name for name in waiting if pods is None or name in pods]
        if not chosen or actor.phase == Phase.DONE:
            self.journal.add(Happening.NOTE, "not placed: none of the pods waits", actor)
            return
        starts = actor.phase == Phase.WAITING
        world.schedule(actor.key, lambda job: with_pods(job, chosen, PodStatus.RUNNING))
        if starts:
            self.journal.waited(actor, admitted=True)
            actor.phase, actor.since, actor.reserved = Phase.RUNNING, world.now, world.now
            world.stamp(actor.key, persisted(world.clock))
        stamped = f", start stamp {format_instant(persisted(world.clock))}" if starts else ""
        count = counted(len(chosen), "pod")
        self.journal.add(Happening.PLACED, f"{count} placed{stamped}", actor)

    def _end(self, actor: JobActor, how: Ending) -> None:
        world = self.world
        if actor.phase == Phase.DONE:
            return
        self.journal.ended(actor, how)
        actor.phase, actor.since = Phase.DONE, world.now
        if how == Ending.DELETED:
            world.forget(actor.key)
        else:
            pods = [pod.name for _, pod in world.scene.jobs[actor.key].pods()]
            world.set_pods(actor.key, pods, PodStatus.SUCCEEDED)
