"""Shapes drawn with matplotlib, as PNG, or as SVG with a description; the only module that knows it."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import singledispatchmethod
from typing import Any
from xml.sax.saxutils import escape

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from matplotlib.transforms import Affine2D

from tenure.timeline.chart.scene import WIDTH, Box, Label, Mark, Role, Shape, Sketch, Stroke, Theme

POINTS = 72
SHARPNESS = 216
"""Dots per inch of a PNG: three for a point."""
_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",  # text stays text: it can be searched, read aloud and selected
    "svg.hashsalt": "tenure",
    "font.family": ["DejaVu Sans"],  # matplotlib brings it, so that a PNG is the same everywhere
    "text.parse_math": False,  # a dollar in a name is a dollar
    "text.usetex": False,
    "hatch.linewidth": 0.6,
    "path.simplify": False,
}


def png(scene: Sketch, theme: Theme) -> bytes:
    """The scene as PNG, on the theme's paper."""
    with _settings():
        figure = _drawn(scene, theme)
        figure.set_facecolor(theme[Role.PAPER])
        written = io.BytesIO()
        figure.savefig(written, format="png", metadata={"Software": None})
    return written.getvalue()


def svg(scene: Sketch, theme: Theme, title: str, description: str) -> str:
    """The scene as SVG without paper: sized by the page, named and described for those who do not see it.

    Args:
        scene: what is drawn.
        theme: its colours.
        title, description: of the whole.
    """
    with _settings():
        figure = _drawn(scene, theme)
        figure.patch.set_visible(False)
        written = io.StringIO()
        figure.savefig(written, format="svg", metadata={"Date": None})
    return _finished(written.getvalue(), title, description, _told_in(scene))


@contextmanager
def _settings() -> Iterator[None]:
    """The settings of a chart, whatever those of the user are."""
    with mpl.rc_context(), warnings.catch_warnings():
        # A letter that the font does not have is a box in a PNG, and itself in an SVG.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        mpl.rcdefaults()
        mpl.rcParams.update(_SETTINGS)
        yield


def _drawn(scene: Sketch, theme: Theme) -> Figure:
    figure = Figure(figsize=(WIDTH / POINTS, scene.height / POINTS), dpi=SHARPNESS)
    pen = _Pen(figure, scene.height, theme)
    for shape in scene.shapes:
        pen.draw(shape)
    return figure


class _Pen:
    """Draws shapes, whose points count from the top, on a figure, which counts from the bottom."""

    def __init__(self, figure: Figure, height: float, theme: Theme) -> None:
        self._figure = figure
        self._theme = theme
        down = Affine2D().scale(1 / POINTS, -1 / POINTS).translate(0, height / POINTS)
        self._place = down + figure.dpi_scale_trans

    def draw(self, shape: Shape) -> None:
        """Draw one shape on top of the others."""
        artist = self._made(shape)
        # In the order of the scene, whatever kind it is.
        artist.set_zorder(1)
        name = getattr(shape, "id", "")
        if name:
            artist.set_gid(name)
        self._figure.add_artist(artist, clip=False)

    @singledispatchmethod
    def _made(self, shape: Shape) -> Artist:
        raise TypeError(f"no such shape: {shape}")

    @_made.register
    def _(self, shape: Box) -> Artist:
        return Rectangle(
            (shape.x, shape.y),
            shape.width,
            shape.height,
            facecolor="none" if shape.fill is None else self._theme[shape.fill],
            edgecolor="none" if shape.edge is None else self._theme[shape.edge],
            hatch=shape.hatch or None,
            linewidth=0.0 if shape.edge is None else 0.7,
            transform=self._place,
        )

    @_made.register
    def _(self, shape: Stroke) -> Artist:
        x, y = zip(*shape.points, strict=True)
        line = Line2D(x, y, color=self._theme[shape.role], linewidth=shape.width, transform=self._place)
        if shape.dash is not None:
            line.set_linestyle((0, tuple(figure / shape.width for figure in shape.dash)))
            line.set_dash_capstyle("butt")
        line.set_solid_capstyle("butt")
        return line

    @_made.register
    def _(self, shape: Mark) -> Artist:
        colour = self._theme[shape.role]
        is_line = shape.shape == "|"
        return Line2D(
            [shape.x],
            [shape.y],
            linestyle="none",
            marker=shape.shape,
            markersize=shape.size,
            markerfacecolor="none" if shape.hollow else colour,
            markeredgecolor=colour if shape.hollow or is_line else self._theme[Role.PAPER],
            markeredgewidth=1.2 if shape.hollow or is_line else shape.size / 9,
            transform=self._place,
        )

    @_made.register
    def _(self, shape: Label) -> Artist:
        return Text(
            shape.x,
            shape.y,
            shape.text,
            fontsize=shape.size,
            color=self._theme[shape.role],
            horizontalalignment=shape.align,
            verticalalignment="center_baseline",
            fontweight="bold" if shape.bold else "normal",
            transform=self._place,
        )


_HEAD = re.compile(r"\A.*?<svg (?P<attributes>[^>]*)>", re.DOTALL)
_BOX = re.compile(r'viewBox="(?P<box>[^"]*)"')
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
_FONT = re.compile(r"'DejaVu Sans'(, [^;\"]*)?")
_GROUP = re.compile(r'<g id="(?P<id>(?:focus-)?(?:run|runs|preemption|loop)[-\d of]*)">')


def _finished(written: str, title: str, description: str, told: Mapping[str, str]) -> str:
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


def _told_in(scene: Sketch) -> dict[str, str]:
    """What each named shape says."""
    named = (shape for shape in scene.shapes if isinstance(shape, Box | Mark | Stroke) and shape.id)
    return {shape.id: shape.told for shape in named}
