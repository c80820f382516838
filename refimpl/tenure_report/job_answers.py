"""The answers of `why-not`, `next` and `why` about the jobs of a picture, made before anyone looks."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from tenure.api import Loaded
from tenure.cli.inquiry import Inquiry
from tenure.cli.output import OutlineOutput
from tenure.cli.terminal import progress
from tenure.errors import InputError
from tenure.explanation.groups import DEFAULT_LIMIT
from tenure.manifests import SourcedObject
from tenure.outline import Outline
from tenure_play.commands.next import print_next
from tenure_play.commands.why import print_not_queued, print_why, print_why_not
from tenure_play.drawing.cluster import ClusterPicture, DrawnJob, jobs_of
from tenure_play.forecast.answer import Horizon
from tenure_play.forecast.coming import Outlook
from tenure_play.forecast.joint import gates_over_time
from tenure_play.from_cluster import manifests_of

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_FORM = OutlineOutput.TEXT


@dataclass(frozen=True, slots=True)
class KeptInquiry(Inquiry):
    """An inquiry whose answers are kept instead of printed.

    Args:
        outlines: the answers.
    """

    outlines: list[Outline] = field(default_factory=list)

    def print_outline(
        self, output: OutlineOutput, name: str, answer: DataclassInstance, outline: Outline
    ) -> None:
        """Keep an answer."""
        del output, name, answer
        self.outlines.append(outline)

    def warned(self, texts: Iterable[str], loaded: Loaded) -> KeptInquiry:
        """The same about another cluster; the page has the warnings once."""
        del texts
        return replace(self, loaded=loaded)


def answers_of(
    picture: ClusterPicture,
    asked: Inquiry,
    objects: Sequence[SourcedObject],
    outlook: Outlook | None,
    files: Sequence[str | Path],
    budget: float,
) -> dict[int, str]:
    """The answers as HTML, by the numbers of the jobs. What they are depends on no clock; how many does.

    Args:
        picture: the jobs.
        asked: the cluster, the clock, the reading.
        objects: of the cluster, as they were read.
        outlook: as `outlook_of` gives it.
        files: where the lines of fields are looked up.
        budget: no answer is begun after so many seconds.
    """
    if budget <= 0:
        return {}
    horizon = None if outlook is None else Horizon(gates=outlook.gates)
    ends = time.monotonic() + budget
    answers: dict[int, str] = {}
    jobs = sorted(jobs_of(picture), key=lambda job: (job.holds, job.number))
    for job in progress(jobs, "answers about jobs", len(jobs)):
        if time.monotonic() > ends:
            break
        answers[job.number] = "\n".join(_answered(job, asked, objects, outlook, horizon, files))
    return answers


def outlook_of(asked: Inquiry, objects: Sequence[SourcedObject], gates: Mapping[str, bool]) -> Outlook | None:
    """The coming cycles; None where a gate decides about them that is not modelled.

    Args:
        asked: the cluster, the clock, the reading.
        objects: of the cluster, as they were read.
        gates: as the command line has them.
    """
    try:
        found = gates_over_time(asked.loaded, gates)
    except InputError:
        return None
    return Outlook(asked.loaded, manifests_of(objects), asked.now, asked.reading, found)


def _answered(
    job: DrawnJob,
    asked: Inquiry,
    objects: Sequence[SourcedObject],
    outlook: Outlook | None,
    horizon: Horizon | None,
    files: Sequence[str | Path],
) -> Iterator[str]:
    kept = KeptInquiry(
        asked.loaded, asked.now, asked.reading, None, asked.warnings, asked.engine, asked.explained
    )

    def why() -> None:
        if job.holds:
            print_why(kept, job.name, None, DEFAULT_LIMIT, _FORM, outlook, verbose=False, every=False)
        elif not print_not_queued(kept, objects, job.name, _FORM, files, outlook):
            print_why_not(
                kept, job.name, None, DEFAULT_LIMIT, _FORM, files, outlook, verbose=False, every=False
            )

    def when() -> None:
        if not job.holds and horizon is not None:
            print_next(kept, objects, job.name, horizon, _FORM, every=False)

    for answer in (why, when):
        before = len(kept.outlines)
        try:
            answer()
        except InputError as error:
            yield from (f"<p>{escape(str(problem))}</p>" for problem in error.problems)
        for outline in kept.outlines[before:]:
            yield from outline.html_lines()
