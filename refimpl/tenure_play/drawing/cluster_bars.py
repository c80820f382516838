"""A picture of a cluster as a part of a page. Templates escape everything that they are given."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from tenure_play.drawing.cluster import ClusterPicture, jobs_words

_HERE: Final = Path(__file__).parent


def drawing_templates() -> Environment:
    """The templates beside this file."""
    made = Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals["jobs_words"] = jobs_words
    return made


def bars_style() -> str:
    """The rules of a style sheet for bars, below the colours of `tenure_play.drawing.svg.colours`.

    >>> ".limit {" in bars_style()
    True
    """
    return (_HERE / "cluster_bars.css").read_text(encoding="utf-8")


def bars_of(picture: ClusterPicture) -> str:
    """The Cohorts and ClusterQueues with their bars and jobs, and a legend.

    >>> "nominal quota" in bars_of(ClusterPicture(0, (), (), (), (), 0, 0, 0))
    True
    """
    return drawing_templates().get_template("cluster_tree.html.j2").render(picture=picture)
