"""A session of the scheduler, as the plugin lives through it: who is protected, and who may be preempted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from tenure.errors import InputError, Problem, bad_input
from tenure.manifests import comma_separated, did_you_mean, show
from tenure.model import Action, Duration, Instant
from tenure.readings import KaiVersion
from tenure.rules.min_runtime import (
    delay_begins,
    delay_ends,
    is_answer_kept,
    is_delayed,
    is_elastic,
    is_protected,
    keeps_minimum,
    must_keep_minimum,
    passes_filter,
    protection_in_session,
    value_in_session,
)
from tenure_kai.model import Job, Queue, Scene, Victim
from tenure_kai.resolver import Resolution, resolve


@dataclass(frozen=True, slots=True)
class Protection:
    """An answer about a job.

    Args:
        job: its name.
        protected: the answer.
        min_runtime: what was compared, ns; None where an answer from earlier in the session counted.
        until: the end of the protection, ns since the epoch; None without a start stamp.
        resolution: where the minimum runtime comes from; None where an answer from earlier counted.
        kept: whether an answer from earlier in the session counted.
    """

    job: str
    protected: bool
    min_runtime: Duration | None = None
    until: Instant | None = None
    resolution: Resolution | None = None
    kept: bool = False


def protection(job: Job, resolution: Resolution, min_runtime: Duration, now: Instant) -> Protection:
    """The answer by the clock as it is now.

    Args:
        job: the victim.
        resolution: where the value comes from.
        min_runtime: what the session goes on with, ns (KMR-110).
        now: ns since the epoch.

    >>> from tenure.model import Action
    >>> protection(Job("a/b", "q", started_at=0), Resolution(Action.PREEMPT, 60), 60, now=60).protected
    False
    """
    until = None if job.started_at is None else job.started_at + min_runtime
    return Protection(
        job.name, is_protected(job.started_at, min_runtime, now), min_runtime, until, resolution
    )


@dataclass(frozen=True, slots=True)
class Filtered:
    """The filter's answer about a job.

    Args:
        job: its name.
        passes: whether it may be considered.
        elastic: whether it is elastic.
        protection: of the job; None for an elastic one, of which the filter resolves none.
    """

    job: str
    passes: bool
    elastic: bool
    protection: Protection | None = None


def job_is_elastic(job: Job) -> bool:
    """Whether any sub-group makes a job elastic: a fold of KMR-070.

    >>> job_is_elastic(Job("a/b", "q"))
    False
    """
    elastic = False
    for group in job.sub_groups:
        elastic = is_elastic(elastic, group.min_available, len(group.pods))
    return elastic


@dataclass(frozen=True, slots=True)
class GroupLoss:
    """A sub-group of a victim job that loses pods.

    Args:
        name: of the sub-group.
        min_available: what it must have.
        active: how many of its pods hold a place.
        lost: how many pods the scenario takes from it.
        keeps: whether it has its minimum afterwards.
    """

    name: str
    min_available: int
    active: int
    lost: int
    keeps: bool


@dataclass(frozen=True, slots=True)
class JobLoss:
    """A victim job of a scenario.

    Args:
        job: its name.
        elastic: whether it is elastic; a job that is not is not looked at.
        protection: of the job; None where none had to be resolved.
        groups: the sub-groups that lose pods; empty where nothing had to be looked at.
        accepted: whether the scenario is accepted, as far as this job goes.
    """

    job: str
    elastic: bool
    protection: Protection | None
    groups: tuple[GroupLoss, ...]
    accepted: bool


@dataclass(frozen=True, slots=True)
class Validated:
    """The validator's answer about a scenario.

    Args:
        accepted: whether the scenario is accepted.
        losses: the victim jobs, up to the first that refuses it.
    """

    accepted: bool
    losses: tuple[JobLoss, ...]


def taken_from(job: Job, pods: Sequence[str]) -> Counter[str]:
    """How many of some pods belong to each sub-group of a job.

    Args:
        job: the victim.
        pods: names of its pods; one that appears twice counts twice.

    Raises:
        InputError: a pod that the job does not have. The scheduler never names one.

    >>> from tenure_kai.model import Pod, SubGroup
    >>> taken_from(Job("a/b", "q", sub_groups=(SubGroup(pods=(Pod("p"),)),)), ["p", "p"])
    Counter({'default': 2})
    """
    groups = {pod.name: name for name, pod in job.pods()}
    unknown = [name for name in pods if name not in groups]
    if unknown:
        expected = f"a pod of the job: {comma_separated(sorted(groups))}"
        raise InputError([Problem("pods", show(text), expected, object=job.name) for text in unknown])
    return Counter(groups[name] for name in pods)


def group_losses(job: Job, taken: Counter[str]) -> tuple[GroupLoss, ...]:
    """What each sub-group that loses pods comes to, in the order of the job.

    >>> group_losses(Job("a/b", "q"), Counter())
    ()
    """
    return tuple(
        GroupLoss(
            group.name,
            group.min_available,
            group.active,
            taken[group.name],
            keeps_minimum(group.min_available, group.active, taken[group.name]),
        )
        for group in job.sub_groups
        if taken[group.name]
    )


@dataclass(frozen=True, slots=True)
class Delay:
    """Whether a pending job waits with evictions.

    Args:
        delayed: whether it evicts no workload yet.
        until: the end of its delay, ns since the epoch; None without one.
    """

    delayed: bool
    until: Instant | None = None


_Pair = tuple[str, str]


@dataclass(slots=True)
class Session:
    """One session. Its answers are the plugin's, with what the plugin remembers until the session ends.

    Args:
        scene: queues, jobs and arguments; `change` replaces some of them while the session goes on.
        now: the clock, ns since the epoch; it may be moved.
        version: the reading, `kai_version`.

    Source: KAI-Scheduler, MinRuntime Plugin, Caching.

    >>> from tenure_kai.model import Pod, SubGroup
    >>> alone = (SubGroup(pods=(Pod("p"),)),)
    >>> jobs = {"v": Job("v", "q", started_at=0, sub_groups=alone), "w": Job("w", "q")}
    >>> session = Session(Scene({"q": Queue("q", preempt_min_runtime=60)}, jobs), now=59)
    >>> session.filter(Action.PREEMPT, "w", "v").passes
    False
    """

    scene: Scene
    now: Instant
    version: KaiVersion = KaiVersion.MARCH_2026
    _values: dict[tuple[Action, _Pair], Duration] = field(default_factory=dict)
    _answers: dict[tuple[Action, _Pair], bool] = field(default_factory=dict)

    def change(self, *, queues: Iterable[Queue] = (), jobs: Iterable[Job] = ()) -> None:
        """Replace queues and jobs, or add some; what is remembered stays."""
        self.scene = replace(
            self.scene,
            queues={**self.scene.queues, **{queue.name: queue for queue in queues}},
            jobs={**self.scene.jobs, **{job.name: job for job in jobs}},
        )

    def reopen(self) -> None:
        """End the session and begin the next: nothing is remembered."""
        self._values.clear()
        self._answers.clear()

    def job(self, name: str) -> Job:
        """A job by name.

        Raises:
            InputError: there is none.
        """
        jobs = self.scene.jobs
        if name not in jobs:
            known = f"one of {len(jobs)} jobs: {comma_separated(sorted(jobs))}{did_you_mean(name, jobs)}"
            expected = known if jobs else "a PodGroup, and there is none"
            raise bad_input("job", name, expected)
        return jobs[name]

    def resolve(self, action: Action, pending: str | None, victim: str | None) -> Resolution:
        """The minimum runtime between two queues; remembered unless a queue is missing.

        Args:
            action: preempt or reclaim.
            pending: name of the pending job's queue; None for no such queue.
            victim: name of the victim's queue; None for no such queue.

        Raises:
            InputError: the parents of a queue go in a circle.
        """
        key = (action, ("" if action == Action.PREEMPT else pending or "", victim or ""))
        found = resolve(self.scene.queues, self.scene.arguments, action, pending, victim)
        if found.missing:
            return found
        value = value_in_session(self._values.get(key), found.min_runtime)
        self._values[key] = value
        # An older value may apply to no job any more.
        return found if value == found.min_runtime else replace(found, min_runtime=value, source=None)

    def protection(self, action: Action, pending: str, victim: str) -> Protection:
        """Whether a job is protected from another; remembered where it has a start stamp.

        Args:
            action: preempt or reclaim.
            pending: name of the pending job.
            victim: name of the running job.

        Raises:
            InputError: there is no such job, or parents go in a circle.
        """
        waiting, job = self.job(pending), self.job(victim)
        key = (action, ("" if action == Action.PREEMPT else waiting.name, job.name))
        kept = self._answers.get(key)
        if kept is not None:
            return Protection(job.name, protection_in_session(kept, asked_now=False), kept=True)
        resolution = self.resolve(action, waiting.queue, job.queue)
        found = protection(job, resolution, resolution.min_runtime, self.now)
        if is_answer_kept(job.started_at, self.version):
            self._answers[key] = protection_in_session(None, found.protected)
        return found

    def delay(self, pending: str) -> Delay:
        """Whether a pending job waits with evictions; never remembered.

        Args:
            pending: its name.

        Raises:
            InputError: there is no such job.
        """
        job = self.job(pending)
        ends = delay_ends(self.version, job.preemption_delay, delay_begins(job.created, job.evicted_at))
        return Delay(is_delayed(ends, self.now), ends)

    def filter(self, action: Action, pending: str, victim: str) -> Filtered:
        """Whether a running job may be considered as a victim.

        Args:
            action: preempt or reclaim.
            pending: name of the pending job.
            victim: name of the running job.

        Raises:
            InputError: there is no such job, or parents go in a circle.
        """
        job = self.job(victim)
        elastic = job_is_elastic(job)
        protection = None if elastic else self.protection(action, pending, victim)
        passes = passes_filter(elastic, protection is not None and protection.protected)
        return Filtered(job.name, passes, elastic, protection)

    def validate(self, action: Action, pending: str, victims: Iterable[Victim]) -> Validated:
        """Whether a scenario is accepted. It ends with the first job that refuses it.

        Args:
            action: preempt or reclaim.
            pending: name of the pending job.
            victims: who would lose which pods.

        Raises:
            InputError: there is no such job or pod, or parents go in a circle.
        """
        losses: list[JobLoss] = []
        for victim in victims:
            losses.append(self._loss(action, pending, victim))
            if not losses[-1].accepted:
                return Validated(False, tuple(losses))
        return Validated(True, tuple(losses))

    def _loss(self, action: Action, pending: str, victim: Victim) -> JobLoss:
        job = self.job(victim.job)
        taken = taken_from(job, victim.pods)
        elastic = job_is_elastic(job)
        protection = self.protection(action, pending, job.name) if elastic else None
        if not must_keep_minimum(elastic, protection is not None and protection.protected):
            return JobLoss(job.name, elastic, protection, (), accepted=True)
        groups = group_losses(job, taken)
        return JobLoss(job.name, elastic, protection, groups, all(group.keeps for group in groups))
