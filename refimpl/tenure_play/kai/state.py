"""All that there is at an instant of a play of KAI-Scheduler, and its record in the making."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from tenure.model import Duration, Instant
from tenure_kai import Job, Pod, PodStatus, Queue, Session
from tenure_play.actors import Phase
from tenure_play.kai.scenario import KaiScenario
from tenure_play.record import Happening, KaiQuestion, Preemption, SessionSpan, VictimAnswer
from tenure_play.recorder import Participant, PlayLedger, to_the_millisecond


@dataclass(slots=True)
class JobActor:
    """A job on its way through a play; it changes.

    Args:
        key: `namespace/name`.
        queue: its queue.
        submitted: when it joined.
        phase: what it does; `TERMINATING` where all pods that hold a place are on their way out.
        since: since when.
        reserved: when it was placed, by the scenario's clock, which stamps cut to whole seconds.
        stopped: when it was evicted.
        preempted_by: the job for which pods of it were last preempted.
        promised: the latest end of a protection that an answer named; None where none did.
        leaving: pods on their way out, and when they are gone.
    """

    key: str
    queue: str
    submitted: Instant
    phase: Phase = Phase.WAITING
    since: Instant = 0
    reserved: Instant = 0
    stopped: Instant = 0
    preempted_by: str | None = None
    promised: Instant | None = None
    leaving: dict[str, Instant] = field(default_factory=dict)


class KaiState:
    """The state of a play; it changes. What a session sees is what there was when it began.

    Args:
        scenario: what is played.

    >>> KaiState(KaiScenario("s", "", 5, 9)).clock
    5
    """

    def __init__(self, scenario: KaiScenario) -> None:
        self.scenario = scenario
        self.now: Instant = scenario.start
        self.offset: Duration = 0
        self.scene = scenario.scene
        self.actors: dict[str, JobActor] = {}
        self.session: Session | None = None
        self.sessions: list[SessionSpan] = []
        self.questions: list[KaiQuestion] = []

    @property
    def clock(self) -> Instant:
        """What the scheduler's clock shows."""
        return self.now + self.offset

    def is_parked(self, key: str) -> bool:
        """False: only Kueue parks workloads."""
        del key
        return False

    def priority_of(self, key: str) -> int | None:
        """None: the plugin knows no priorities."""
        del key
        return None

    def holding(self, key: str) -> tuple[str, ...]:
        """Pods of a job that hold a place and are not on their way out; none for one that is deleted."""
        job = self.scene.jobs.get(key)
        return () if job is None else staying(job)

    def take_queues(self, queues: Mapping[str, Queue]) -> None:
        """The queues are these from now on; the session goes on with those that it has."""
        self.scene = replace(self.scene, queues=queues)

    def forget(self, key: str) -> None:
        """A job is deleted."""
        self.scene = replace(
            self.scene, jobs={name: job for name, job in self.scene.jobs.items() if name != key}
        )

    def set_pods(self, key: str, pods: Iterable[str], status: PodStatus) -> None:
        """Pods of a job have another state from now on, which the session does not see."""
        self._keep(with_pods(self.scene.jobs[key], pods, status))

    def schedule(self, key: str, change: Callable[[Job], Job]) -> None:
        """The scheduler changes a job: its session sees that too."""
        self._keep(change(self.scene.jobs[key]))
        if self.session is not None and key in self.session.scene.jobs:
            self.session.change(jobs=(change(self.session.job(key)),))

    def stamp(self, key: str, cluster: Instant) -> None:
        """A start: in the session to the nanosecond, in the cluster as the annotation keeps it.

        Args:
            key: the job.
            cluster: the annotation's time, ns.
        """
        self._stamp(key, lambda job, at: replace(job, started_at=at), cluster)

    def stamp_eviction(self, key: str, cluster: Instant) -> None:
        """An eviction, kept as a start is."""
        self._stamp(key, lambda job, at: replace(job, evicted_at=at), cluster)

    def _stamp(self, key: str, change: Callable[[Job, Instant], Job], cluster: Instant) -> None:
        self._keep(change(self.scene.jobs[key], cluster))
        if self.session is not None and key in self.session.scene.jobs:
            self.session.change(jobs=(change(self.session.job(key), self.clock),))

    def _keep(self, job: Job) -> None:
        self.scene = replace(self.scene, jobs={**self.scene.jobs, job.name: job})


def staying(job: Job) -> tuple[str, ...]:
    """Pods of a job that hold a place and are not on their way out.

    >>> staying(Job("a/b", "q"))
    ()
    """
    return tuple(
        pod.name for _, pod in job.pods() if pod.status.holds_a_place and pod.status != PodStatus.RELEASING
    )


def with_pods(job: Job, pods: Iterable[str], status: PodStatus) -> Job:
    """The job with some of its pods in another state.

    >>> with_pods(Job("a/b", "q"), ["b-0"], PodStatus.RUNNING) == Job("a/b", "q")
    True
    """
    names = set(pods)
    groups = (
        replace(
            group,
            pods=tuple(Pod(pod.name, status) if pod.name in names else pod for pod in group.pods),
        )
        for group in job.sub_groups
    )
    return replace(job, sub_groups=tuple(groups))


class KaiJournal(PlayLedger):
    """Everything that a record of KAI-Scheduler holds, for one play.

    Args:
        world: the play.
    """

    def __init__(self, world: KaiState) -> None:
        super().__init__(world)
        self._world = world

    def protected_until(self, actor: Participant) -> Instant | None:
        """The latest end of a protection that an answer named during the stay."""
        return self._world.actors[actor.key].promised

    def answered(self, actor: JobActor, answer: VictimAnswer) -> None:
        """Keep the end of a protection that an answer names, on the scenario's clock."""
        if answer.until is not None and actor.phase == Phase.RUNNING:
            until = answer.until - self._world.offset
            actor.promised = until if actor.promised is None else max(until, actor.promised)

    def add_answer(
        self, pending: JobActor, actor: JobActor, answer: VictimAnswer, rules: tuple[str, ...]
    ) -> None:
        """A line about an answer of which nothing follows."""
        what = Happening.MAY_BE_PREEMPTED if answer.may_be_preempted else Happening.KEPT
        self.add(what, f"{answer.action} for {pending.key}: {answer.verdict}", actor, rules)

    def preempted(
        self,
        pending: JobActor,
        actor: JobActor,
        answer: VictimAnswer,
        rules: tuple[str, ...],
        counts: Duration,
    ) -> None:
        """Pods of a job are preempted now.

        Args:
            pending, actor: the two jobs.
            answer, rules: what was answered, and by which rules.
            counts: the minimum runtime between their queues, ns.
        """
        world = self._world
        ran = world.now - actor.reserved
        whole = set(answer.pods) >= set(world.holding(actor.key))
        # By the scenario's clock and not by the stamp; beyond an elastic job's minimum nothing was promised.
        cut = max(0, counts - ran) if whole else 0
        self.preemptions.append(
            Preemption(
                at=world.now,
                preemptor=pending.key,
                victim=actor.key,
                preemptor_queue=pending.queue,
                cluster_queue=actor.queue,
                reason=answer.action,
                rules=rules,
                ran=ran,
                cut_short=cut,
                cycle=len(world.sessions),
            )
        )
        what = "preempted" if whole else f"loses {', '.join(answer.pods)}"
        text = f"{what} after {to_the_millisecond(ran)}, {answer.action} for {pending.key}: {answer.verdict}"
        if cut:
            text += f"; {to_the_millisecond(cut)} short of its minimum runtime"
        self.add(Happening.PREEMPTED, text, actor, rules)
