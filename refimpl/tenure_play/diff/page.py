"""The page of a difference: the answer, and the bars of both sides once the coming cycles are over."""

from __future__ import annotations

from tenure.errors import InputError
from tenure.model import Instant
from tenure.outline import Outline
from tenure.readings import Reading
from tenure.units import format_instant
from tenure_play.diff.difference import Side
from tenure_play.drawing.cluster import ClusterPicture, picture_of
from tenure_play.drawing.cluster_page import change_page, changed_nodes
from tenure_play.forecast.coming import Outlook
from tenure_play.forecast.joint import gates_over_time
from tenure_play.from_cluster import manifests_of


def page_of_difference(before: Side, after: Side, now: Instant, reading: Reading, outline: Outline) -> str:
    """The page as one HTML file.

    Args:
        before, after: the clusters, under their settings.
        now: the clock of both, ns since the epoch.
        reading: of both.
        outline: the answer.
    """
    try:
        one, other = (_afterwards(side, now, reading) for side in (before, after))
        ends = " and ".join(dict.fromkeys(format_instant(each.now) for each in (one, other)))
        when = f"After the coming cycles of either side, as tenure next lists them: at {ends}."
    except InputError as error:
        one, other = (picture_of(side.loaded, now, reading) for side in (before, after))
        problems = "; ".join(map(str, error.problems))
        when = f"At {format_instant(now)}; what the coming cycles do is not known: {problems}"
    lines = "\n".join(outline.html_lines())
    return change_page("Difference", lines, when, changed_nodes(one, other))


def _afterwards(side: Side, now: Instant, reading: Reading) -> ClusterPicture:
    manifests = manifests_of(side.loaded.objects)
    outlook = Outlook(side.loaded, manifests, now, reading, gates_over_time(side.loaded))
    at, loaded = outlook.afterwards()
    return picture_of(loaded, at, reading)
