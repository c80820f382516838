"""A session of the scheduler, as the plugin lives through it: what is asked, and what is remembered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from tenure.errors import bad_input
from tenure.kai.filters import Filtered, job_is_elastic
from tenure.kai.model import Job, Queue, Scene, Victim
from tenure.kai.protection import Protection, protection
from tenure.kai.resolver import Resolution, resolve
from tenure.kai.validators import JobLoss, Validated, group_losses, taken_from
from tenure.manifests import did_you_mean, listed
from tenure.model import Action, Duration, Instant
from tenure.rules.min_runtime import (
    is_answer_kept,
    must_keep_minimum,
    passes_filter,
    protection_in_session,
    value_in_session,
)

_Pair = tuple[str, str]


@dataclass(slots=True)
class Session:
    """One session. Its answers are the plugin's, with what the plugin remembers until the session ends.

    Args:
        scene: queues, jobs and arguments; `change` replaces some of them while the session goes on.
        now: the clock, ns since the epoch; it may be moved.

    Source: KAI-Scheduler, MinRuntime Plugin, Caching.

    >>> from tenure.kai.model import Pod, SubGroup
    >>> alone = (SubGroup(pods=(Pod("p"),)),)
    >>> jobs = {"v": Job("v", "q", started_at=0, sub_groups=alone), "w": Job("w", "q")}
    >>> session = Session(Scene({"q": Queue("q", preempt_min_runtime=60)}, jobs), now=59)
    >>> session.filter(Action.PREEMPT, "w", "v").passes
    False
    """

    scene: Scene
    now: Instant
    _values: dict[tuple[Action, _Pair], Duration] = field(default_factory=dict)
    _answers: dict[tuple[Action, _Pair], bool] = field(default_factory=dict)

    def change(self, *, queues: Iterable[Queue] = (), jobs: Iterable[Job] = ()) -> None:
        """Replace queues and jobs, or add some; what is remembered stays."""
        self.scene = replace(
            self.scene,
            queues={**self.scene.queues, **{each.name: each for each in queues}},
            jobs={**self.scene.jobs, **{each.name: each for each in jobs}},
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
            expected = f"one of {len(jobs)} jobs: {listed(sorted(jobs))}{did_you_mean(name, jobs)}"
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
        # An older value may be nobody's any more.
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
        if is_answer_kept(job.started_at):
            self._answers[key] = protection_in_session(None, found.protected)
        return found

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
        asked = None if elastic else self.protection(action, pending, victim)
        passes = passes_filter(elastic, asked is not None and asked.protected)
        return Filtered(job.name, passes, elastic, asked)

    def validate(self, action: Action, pending: str, victims: Iterable[Victim]) -> Validated:
        """Whether a scenario may stand. It ends with the first job that refuses it.

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
            if not losses[-1].stands:
                return Validated(False, tuple(losses))
        return Validated(True, tuple(losses))

    def _loss(self, action: Action, pending: str, victim: Victim) -> JobLoss:
        job = self.job(victim.job)
        taken = taken_from(job, victim.pods)
        elastic = job_is_elastic(job)
        asked = self.protection(action, pending, job.name) if elastic else None
        if not must_keep_minimum(elastic, asked is not None and asked.protected):
            return JobLoss(job.name, elastic, asked, (), stands=True)
        groups = group_losses(job, taken)
        return JobLoss(job.name, elastic, asked, groups, all(each.keeps for each in groups))
