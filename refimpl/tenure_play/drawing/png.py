"""Shapes drawn with matplotlib, as PNG; the only module that knows it."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import singledispatchmethod
from typing import Any

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from matplotlib.transforms import Affine2D

from tenure_play.drawing.scene import Box, Label, Mark, Role, Shape, Sketch, Stroke, Theme

POINTS = 72
SHARPNESS = 216
"""Dots per inch of a PNG: three for a point."""
_SETTINGS: dict[Any, Any] = {
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


@contextmanager
def _settings() -> Iterator[None]:
    """The settings of a chart, whatever those of the user are."""
    with mpl.rc_context(), warnings.catch_warnings():
        # A letter that the font does not have is a box in a PNG.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        mpl.rcdefaults()
        mpl.rcParams.update(_SETTINGS)
        yield


def _drawn(scene: Sketch, theme: Theme) -> Figure:
    figure = Figure(figsize=(scene.width / POINTS, scene.height / POINTS), dpi=SHARPNESS)
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
            linewidth=0.0 if shape.edge is None else shape.line,
            linestyle="solid" if shape.dash is None else (0, shape.dash),
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
