"""A picture of a cluster as one HTML file. Templates escape everything that they are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from tenure.units import format_instant
from tenure_play.drawing.cluster import ClusterPicture, jobs_words
from tenure_play.drawing.html_page import html_page
from tenure_report.coming_steps import UNSOUGHT, ComingSteps

_HERE: Final = Path(__file__).parent


def page_of(
    picture: ClusterPicture,
    title: str,
    facts: Sequence[tuple[str, str]] = (),
    arguments: str = "",
    answers: Mapping[int, str] = MappingProxyType({}),
    coming: ComingSteps = UNSOUGHT,
    *,
    program: str = "tenure",
) -> str:
    """The page.

    Args:
        picture: what it shows.
        title: its heading.
        facts: further lines about the input: a term and its value.
        arguments: what follows the name of a job in a command about this cluster, quoted for a shell.
        answers: by the number of a job its answers as HTML, in which everything is escaped.
        coming: what happens next; without a summary it is left out.
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
        coming=coming,
        marked_up=Markup,
        answers={number: Markup(answer) for number, answer in answers.items()},
    )
    style, script = ((_HERE / f"page.{kind}").read_text(encoding="utf-8") for kind in ("css", "js"))
    return html_page(title, style, [body], script)
