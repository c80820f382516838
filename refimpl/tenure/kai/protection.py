"""Whether a running job is protected now."""

from __future__ import annotations

from dataclasses import dataclass

from tenure.kai.model import Job
from tenure.kai.resolver import Resolution
from tenure.model import Duration, Instant
from tenure.rules.min_runtime import is_protected


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
