"""The answers of `why-not`, `next` and `why` about the jobs of a picture, made before anyone looks."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

from tenure.answer import Answer
from tenure.cli.terminal import progress
from tenure.errors import InputError
from tenure.inquiry import Inquiry
from tenure_play.answers import WorkloadQuestions
from tenure_play.drawing.cluster import ClusterPicture, DrawnJob, jobs_of
from tenure_play.forecast.answer import Horizon
from tenure_play.forecast.coming import Outlook


def answers_of(
    picture: ClusterPicture,
    asked: Inquiry,
    outlook: Outlook | None,
    files: Sequence[str | Path],
    budget: float,
) -> dict[int, str]:
    """The answers as HTML, by the numbers of the jobs. What they are depends on no clock; how many does.

    Args:
        picture: the jobs.
        asked: the cluster with its objects, the clock, the reading.
        outlook: the coming cycles; None where they are not known.
        files: where the lines of fields are looked up.
        budget: no answer is begun after so many seconds.
    """
    if budget <= 0:
        return {}
    horizon = None if outlook is None else Horizon(gates=outlook.gates)
    asking = WorkloadQuestions(asked, files=files, outlook=outlook)
    ends = time.monotonic() + budget
    answers: dict[int, str] = {}
    jobs = sorted(jobs_of(picture), key=lambda job: (job.holds, job.number))
    for job in progress(jobs, "answers about jobs", len(jobs)):
        if time.monotonic() > ends:
            break
        answers[job.number] = "\n".join(_answered(job, asking, horizon))
    return answers


def _answered(job: DrawnJob, asking: WorkloadQuestions, horizon: Horizon | None) -> Iterator[str]:
    def why() -> Answer[Any]:
        return asking.why(job.name) if job.holds else asking.why_not(job.name)

    def when() -> Answer[Any]:
        assert horizon is not None
        return asking.next(job.name, horizon)

    for answer in (why, *([] if job.holds or horizon is None else [when])):
        try:
            yield from answer().outline.html_lines()
        except InputError as error:
            yield from (f"<p>{escape(str(problem))}</p>" for problem in error.problems)
