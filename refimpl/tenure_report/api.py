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
from tenure.errors import bad_input
from tenure.explanation.summary import reading_text
from tenure.inquiry import Inquiry, inquiry_of
from tenure.model import Instant
from tenure.readings import ReadingLike
from tenure.units import counted, format_instant
from tenure.versions import kueue_version
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
        answered: how many jobs have answers.
        open: the questions about ClusterQueues, `matrix` and `guarantees`, that the budget left open.
    """

    html: str
    summary: str
    answered: int = 0
    open: tuple[str, ...] = ()

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


@dataclass(frozen=True, slots=True)
class PageSource:
    """Where a page comes from, and where it goes.

    Args:
        words: where the objects are, as a command line names it.
        arguments: of the commands in the page, behind the name of a job.
        program: the command line that reads the cluster again.
        files: where the lines of fields are looked up.
        number: of the picture, on a page that asks its server for the next one; None for a file.
        analysis: where questions about ClusterQueues go on after this page; None ends them with the budget.
    """

    words: Sequence[str]
    arguments: Sequence[str]
    program: str = "tenure"
    files: Sequence[str | Path] = ()
    number: int | None = None
    analysis: QueueAnalysis | None = None


def report(
    loaded: Loaded,
    *,
    now: str | Instant,
    reading: ReadingLike = None,
    budget: float = 0.0,
    source: PageSource | None = None,
) -> ClusterPage:
    """The quota and jobs of a cluster as a page.

    Args:
        loaded: what `tenure.load` returned.
        now: the clock: RFC 3339, or ns since the epoch.
        reading: a reading, its name, or overrides; None for `guaranteed`.
        budget: seconds for the coming cycles and for answers about jobs and ClusterQueues.
        source: where the cluster comes from; None for the files that were loaded.

    Raises:
        InputError: a malformed time or reading; no ClusterQueue.

    >>> from tenure.api import load
    >>> from tenure.resources import bundled
    >>> report(load(bundled("examples", "two-teams")), now="2026-03-02T14:00:00Z")
    <ClusterPage: 1 ClusterQueue, 16 running and 4 pending workloads>
    """
    asked = inquiry_of(loaded, now, reading)
    if not asked.loaded.cluster.cluster_queues:
        raise bad_input("paths", "no ClusterQueue", "the ClusterQueues of a cluster")
    if source is None:
        named = [*dict.fromkeys(sourced.file for sourced in loaded.objects)]
        source = PageSource(named, [*named, "--now", format_instant(asked.now)], files=named)
    picture = picture_of(asked.loaded, asked.now, asked.reading)
    facts = [
        ("From", shlex.join(source.words)),
        ("Reading", reading_text(asked.reading)),
        ("Kueue", kueue_version(asked.kueue)),
        *(("Warning", text) for text in sorted(asked.warnings)),
    ]
    answers = _answers(picture, asked, source, budget)
    page = page_of(
        picture,
        "Cluster",
        facts,
        shlex.join(source.arguments),
        answers,
        program=source.program,
        served=source.number,
    )
    queues = counted(picture.queues, "ClusterQueue")
    summary = f"{queues}, {picture.running} running and {picture.pending} pending workloads"
    return ClusterPage(page, summary, len(answers.jobs), answers.queues.open)


def _answers(picture: ClusterPicture, asked: Inquiry, source: PageSource, budget: float) -> PageAnswers:
    """The answers in a page, made within some seconds; 0 for none."""
    if not budget:
        return PageAnswers()
    loaded, reading, served = asked.loaded, asked.reading, source.analysis
    outlook = outlook_of(asked)
    ends = time.monotonic() + budget
    with nullcontext(served) if served else QueueAnalysis() as analysis:
        problems = analysis.begin(loaded, reading)
        coming = steps_of(picture, outlook, budget / 2)
        jobs = answers_of(picture, asked, outlook, source.files, ends - time.monotonic())
        left = 0.0 if served else ends - time.monotonic()
        return PageAnswers(jobs, queue_answers(analysis, loaded, reading, problems, left), coming)
