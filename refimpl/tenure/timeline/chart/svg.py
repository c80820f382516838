"""An SVG as a page needs it: named and described for those who do not see it, sized by the page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.sax.saxutils import escape

from tenure.timeline.chart.scene import Box, Mark, Scene, Stroke

_HEAD = re.compile(r"\A.*?<svg (?P<attributes>[^>]*)>", re.DOTALL)
_BOX = re.compile(r'viewBox="(?P<box>[^"]*)"')
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
_FONT = re.compile(r"'DejaVu Sans'(, [^;\"]*)?")
_GROUP = re.compile(r'<g id="(?P<id>(?:focus-)?(?:run|runs|preemption|loop)[-\d of]*)">')


def finished(written: str, title: str, description: str, told: Mapping[str, str]) -> str:
    """What matplotlib wrote, with a title and a description, a generic font, and no trace of when or by what.

    Args:
        written: the SVG.
        title, description: of the whole.
        told: what each named shape says, by its identifier.
    """
    found = _HEAD.search(written)
    box = _BOX.search(written)
    assert found is not None
    assert box is not None
    _, _, width, height = box["box"].split()
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'viewBox="{box["box"]}" width="{width}pt" height="{height}pt" role="img" '
        f'aria-labelledby="chart-title chart-description">\n'
        f' <title id="chart-title">{escape(title)}</title>\n'
        f' <desc id="chart-description">{escape(description)}</desc>'
    )
    body = _METADATA.sub("", written[found.end() :])
    body = _FONT.sub("sans-serif", body)
    return head + _GROUP.sub(lambda group: _titled(group, told), body)


def _titled(group: re.Match[str], told: Mapping[str, str]) -> str:
    text = told.get(group["id"], "")
    return f"{group[0]}<title>{escape(text)}</title>" if text else group[0]


def told_in(scene: Scene) -> dict[str, str]:
    """What each named shape says."""
    named = (each for each in scene.shapes if isinstance(each, Box | Mark | Stroke) and each.id)
    return {each.id: each.told for each in named}
