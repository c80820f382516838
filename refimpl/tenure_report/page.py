"""A picture of a cluster as one HTML file. Templates escape everything that they are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from tenure.units import format_instant
from tenure_play.drawing.cluster import ClusterPicture, jobs_words, nodes_of
from tenure_play.drawing.html_page import html_page
from tenure_report.coming_steps import UNSOUGHT, ComingSteps

_HERE: Final = Path(__file__).parent


QUESTIONS: Final = ("matrix", "guarantees")
"""Of `analyze` about ClusterQueues, the quicker one first."""


@dataclass(frozen=True, slots=True)
class QueueAnswers:
    """What is known about ClusterQueues.

    Args:
        of_queue: by ClusterQueue, as HTML in which everything is escaped.
        open: those of `QUESTIONS` that the budget did not reach.
        loops: whether preemptions can go on for ever, as HTML; empty where nothing was sought.
    """

    of_queue: Mapping[str, str] = field(default_factory=dict)
    open: tuple[str, ...] = QUESTIONS
    loops: str = ""


@dataclass(frozen=True, slots=True)
class PageAnswers:
    """The answers in a page, made beforehand.

    Args:
        jobs: by the number of a job its answers as HTML, in which everything is escaped.
        queues: about ClusterQueues.
        coming: what happens next; without a summary it is left out.
    """

    jobs: Mapping[int, str] = field(default_factory=dict)
    queues: QueueAnswers = field(default_factory=QueueAnswers)
    coming: ComingSteps = UNSOUGHT


def page_of(
    picture: ClusterPicture,
    title: str,
    facts: Sequence[tuple[str, str]] = (),
    arguments: str = "",
    answers: PageAnswers | None = None,
    *,
    program: str = "tenure",
) -> str:
    """The page.

    Args:
        picture: what it shows.
        title: its heading.
        facts: further lines about the input: a term and its value.
        arguments: what follows the name of a job in a command about this cluster, quoted for a shell.
        answers: what is known; None for nothing.
        program: the command line that reads the cluster again.

    >>> page = page_of(ClusterPicture(0, (), (), (), (), 0, 0, 0), "<script>")
    >>> "<h1>&lt;script&gt;</h1>" in page
    True
    """
    environment = Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    body = environment.get_template("page.html.j2").render(
        picture=picture,
        title=title,
        facts=[("Clock", format_instant(picture.now)), *facts],
        arguments=arguments,
        program=program,
        jobs_words=jobs_words,
        answers=answers or PageAnswers(),
        queues=[node for node in nodes_of(picture) if node.is_queue],
        marked_up=Markup,
    )
    style, script = ((_HERE / f"page.{kind}").read_text(encoding="utf-8") for kind in ("css", "js"))
    return html_page(title, style, [body], script)
