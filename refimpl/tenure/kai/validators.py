"""Whether a scenario leaves its victims what they must keep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tenure.errors import InputError, Problem
from tenure.kai.model import Job
from tenure.kai.protection import Protection
from tenure.manifests import listed, show
from tenure.rules.min_runtime import keeps_minimum


@dataclass(frozen=True, slots=True)
class GroupLoss:
    """A sub-group of a victim job that loses pods.

    Args:
        name: of the sub-group.
        min_available: what it must have.
        active: how many of its pods hold a place.
        taken: how many the scenario names.
        keeps: whether it has its minimum afterwards.
    """

    name: str
    min_available: int
    active: int
    taken: int
    keeps: bool


@dataclass(frozen=True, slots=True)
class JobLoss:
    """A victim job of a scenario.

    Args:
        job: its name.
        elastic: whether it is elastic; a job that is not is not looked at.
        protection: what was asked; None where nothing had to be.
        groups: the sub-groups that lose pods; empty where nothing had to be looked at.
        stands: whether the scenario may stand, as far as this job goes.
    """

    job: str
    elastic: bool
    protection: Protection | None
    groups: tuple[GroupLoss, ...]
    stands: bool


@dataclass(frozen=True, slots=True)
class Validated:
    """The validator's answer about a scenario.

    Args:
        stands: whether the scenario may stand.
        losses: the victim jobs, up to the first that refuses it.
    """

    stands: bool
    losses: tuple[JobLoss, ...]


def taken_from(job: Job, pods: Sequence[str]) -> Counter[str]:
    """How many of some pods belong to each sub-group of a job.

    Args:
        job: the victim.
        pods: names of its pods; one that stands twice counts twice.

    Raises:
        InputError: a pod that the job does not have. The scheduler never names one.

    >>> from tenure.kai.model import Pod, SubGroup
    >>> taken_from(Job("a/b", "q", sub_groups=(SubGroup(pods=(Pod("p"),)),)), ["p", "p"])
    Counter({'default': 2})
    """
    groups = {pod.name: name for name, pod in job.pods()}
    unknown = [name for name in pods if name not in groups]
    if unknown:
        expected = f"a pod of the job: {listed(sorted(groups))}"
        raise InputError([Problem("pods", show(each), expected, object=job.name) for each in unknown])
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
