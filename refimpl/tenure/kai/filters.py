"""Who may be considered as a victim."""

from __future__ import annotations

from dataclasses import dataclass

from tenure.kai.model import Job
from tenure.kai.protection import Protection
from tenure.rules.min_runtime import is_elastic


@dataclass(frozen=True, slots=True)
class Filtered:
    """The filter's answer about a job.

    Args:
        job: its name.
        passes: whether it may be considered.
        elastic: whether it is elastic.
        protection: what was asked; None for an elastic job, which the filter asks nothing about.
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
