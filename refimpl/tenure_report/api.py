"""`tenure.report`: a cluster as one HTML page, for a notebook or a file."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from html import escape
from pathlib import Path

from tenure.api import Loaded
from tenure.disk import write_file
from tenure.explanation.summary import reading_text
from tenure.inquiry import Inquiry, inquiry_of
from tenure.model import Instant
from tenure.readings import ReadingLike
from tenure.units import counted
from tenure_play.answers import outlook_of
from tenure_play.drawing.cluster import ClusterPicture, picture_of
from tenure_play.drawing.cluster_page import PageAnswers, page_of
from tenure_report.coming_steps import steps_of
from tenure_report.job_answers import answers_of
from tenure_report.queue_answers import QueueAnalysis, queue_answers

_HEIGHT = 640
"""Of a page in a notebook, in CSS pixels."""


@dataclass(frozen=True, slots=True, repr=False)
class ClusterPage:
    """A page of a cluster.

    Args:
        html: one file that requests nothing.
        summary: what it shows, in a line.
    """

    html: str
    summary: str

    def __repr__(self) -> str:
        return f"<ClusterPage: {self.summary}>"

    def _repr_html_(self) -> str:
        """The page in a frame of its own, so that it and the notebook leave each other's style alone."""
        frame = f'sandbox="allow-scripts" title="Cluster" width="100%" height="{_HEIGHT}"'
        return f'<iframe {frame} srcdoc="{escape(self.html)}"></iframe>'

    def save(self, path: str | Path) -> None:
        """Write it to a file, which is replaced as a whole.

        Raises:
            OSError: it cannot be written.
        """
        write_file(path, self.html)


def report(
    loaded: Loaded,
    *,
    now: str | Instant,
    reading: ReadingLike = None,
    budget: float = 0.0,
) -> ClusterPage:
    """The quota and jobs of a cluster as a page.

    Args:
        loaded: what `tenure.load` returned.
        now: the clock: RFC 3339, or ns since the epoch.
        reading: a reading, its name, or overrides; None for `guaranteed`.
        budget: seconds for the coming cycles and for answers about jobs and ClusterQueues.

    Raises:
        InputError: a malformed time or reading.

    >>> from tenure.api import load
    >>> from tenure.resources import bundled
    >>> report(load(bundled("examples", "two-teams")), now="2026-03-02T14:00:00Z")
    <ClusterPage: 1 ClusterQueue, 16 running and 4 pending workloads>
    """
    asked = inquiry_of(loaded, now, reading)
    picture = picture_of(asked.loaded, asked.now, asked.reading)
    named = [*dict.fromkeys(sourced.file for sourced in loaded.objects)]
    answers = page_answers(picture, asked, named, budget)
    facts = [("Reading", reading_text(asked.reading)), *(("Warning", text) for text in asked.warnings)]
    page = page_of(picture, "Cluster", facts, shlex.join(named), answers)
    return ClusterPage(page, summary_of(picture))


def summary_of(picture: ClusterPicture) -> str:
    """What a picture shows, in a line."""
    queues = counted(picture.queues, "ClusterQueue")
    return f"{queues}, {picture.running} running and {picture.pending} pending workloads"


def page_answers(
    picture: ClusterPicture,
    asked: Inquiry,
    files: Sequence[str | Path],
    budget: float,
    served: QueueAnalysis | None = None,
) -> PageAnswers:
    """The answers in a page, made within some seconds.

    Args:
        picture: what the page shows.
        asked: the cluster with its objects, the clock, the reading.
        files: where the lines of fields are looked up.
        budget: seconds; 0 for no answers.
        served: where questions about ClusterQueues go on after this page; None ends them with the budget.
    """
    if not budget:
        return PageAnswers()
    loaded, reading = asked.loaded, asked.reading
    outlook = outlook_of(asked)
    ends = time.monotonic() + budget
    with nullcontext(served) if served else QueueAnalysis() as analysis:
        problems = analysis.begin(loaded, reading)
        coming = steps_of(picture, outlook, budget / 2)
        jobs = answers_of(picture, asked, outlook, files, ends - time.monotonic())
        left = 0.0 if served else ends - time.monotonic()
        return PageAnswers(jobs, queue_answers(analysis, loaded, reading, problems, left), coming)
