"""Shapes as SVG: text stays text, and nothing is loaded from elsewhere.

Colours are attributes, not styles, which a page's content security policy may forbid.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import singledispatch
from html import escape
from itertools import groupby
from typing import Final

from tenure_play.drawing.scene import DARK, LIGHT, Box, Hatch, Label, Mark, Role, Shape, Sketch, Stroke, Theme

_FONT: Final = "system-ui, sans-serif"
_HATCHES: Final[Mapping[Hatch, tuple[float, float, int]]] = {
    Hatch.SLANTED: (4.24, 0.6, 45),
    Hatch.UPRIGHT: (2, 0.6, 0),
    Hatch.STRIPES: (6, 1.5, 45),
}
"""From one line to the next, how wide a line is, and how far it is turned to the right."""


def _variable(role: Role) -> str:
    return f"--{role.value.replace(' ', '-')}"


BY_SCHEME: Final[Theme] = {role: f"var({_variable(role)})" for role in Role}
"""The colours of a picture within a page whose style has `schemes`."""


def colours(selector: str, theme: Theme) -> str:
    """A rule of a style sheet: the colours of a theme."""
    return f"{selector} {{ {' '.join(f'{_variable(role)}: {colour};' for role, colour in theme.items())} }}"


def schemes(selector: str) -> str:
    """Rules of a style sheet: light colours, or the dark ones where the reader's system is dark."""
    light, dark = (colours(selector, theme) for theme in (LIGHT, DARK))
    return f"{light} @media (prefers-color-scheme: dark) {{ {dark} }}"


def svg(scene: Sketch, title: str, description: str = "", theme: Theme | None = None) -> str:
    """A picture as SVG without paper.

    Args:
        scene: its shapes.
        title, description: what it shows, for those who do not see it.
        theme: its colours; None for those of the reader's system, light or dark.
    """
    paint = BY_SCHEME if theme is None else theme
    size = f'viewBox="0 0 {_n(scene.width)} {_n(scene.height)}" width="{_n(scene.width)}pt"'
    named, words = "", f"<title>{escape(title)}</title>"
    if description:
        named = ' aria-labelledby="chart-title chart-description"'
        words = (
            f'<title id="chart-title">{escape(title)}</title>'
            f'<desc id="chart-description">{escape(description)}</desc>'
        )
    style = [f"<style>{schemes('svg')}</style>"] if theme is None else []
    hatched = {
        (shape.hatch, shape.edge): _pattern(shape.hatch, shape.edge, paint)
        for shape in scene.shapes
        if isinstance(shape, Box) and shape.hatch
    }
    defined = [f"<defs>{''.join(hatched.values())}</defs>"] if hatched else []
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"{named} font-family="{_FONT}">'
    return "\n".join([head, words, *style, *defined, *_marks(scene.shapes, paint), "</svg>\n"])


def _n(value: float) -> str:
    """A number to a hundredth of a point."""
    return f"{round(value, 2) + 0:.6g}"


def _pattern(hatch: Hatch, edge: Role | None, paint: Theme) -> str:
    period, line, turned = _HATCHES[hatch]
    return (
        f'<pattern id="{_pattern_name(hatch, edge)}" width="{period}" height="{period}" '
        f'patternUnits="userSpaceOnUse" patternTransform="rotate({turned})">'
        f'<path d="M{period / 2} 0v{period}" stroke="{paint[edge or Role.TEXT]}" '
        f'stroke-width="{line}"/></pattern>'
    )


def _pattern_name(hatch: Hatch, edge: Role | None) -> str:
    return f"{hatch.name.lower()}-{(edge or Role.TEXT).value.replace(' ', '-')}"


def _marks(shapes: Sequence[Shape], paint: Theme) -> Iterator[str]:
    """The shapes in their order; plain boxes of one colour beside each other are one path."""

    def plain(shape: Shape) -> Role | None:
        is_plain = isinstance(shape, Box) and not (shape.edge or shape.hatch or shape.id or shape.told)
        return shape.fill if is_plain and isinstance(shape, Box) else None

    for fill, group in groupby(shapes, plain):
        if fill is None:
            yield from (_named(shape, _mark(shape, paint)) for shape in group)
        else:
            boxes = "".join(_rectangle(shape) for shape in group if isinstance(shape, Box))
            yield f'<path d="{boxes}" fill="{paint[fill]}"/>'


def _named(shape: Shape, mark: str) -> str:
    """A mark with the identifier and the words of its shape."""
    name, told = (shape.id, shape.told) if isinstance(shape, Box | Mark) else ("", "")
    if not name and not told:
        return mark
    title = f"<title>{escape(told)}</title>" if told else ""
    named = f' id="{escape(name)}"' if name else ""
    return f"<g{named}>{title}{mark}</g>"


def _rectangle(box: Box) -> str:
    return f"M{_n(box.x)} {_n(box.y)}h{_n(box.width)}v{_n(box.height)}h{_n(-box.width)}z"


@singledispatch
def _mark(shape: Shape, paint: Theme) -> str:
    raise TypeError(f"no such shape: {shape} in {paint}")


@_mark.register
def _(shape: Box, paint: Theme) -> str:
    place = f'd="{_rectangle(shape)}"'
    fill = "none" if shape.fill is None else paint[shape.fill]
    edge = "" if shape.edge is None else f' stroke="{paint[shape.edge]}" stroke-width="{_n(shape.line)}"'
    # What has no filling is pointed at as if it had one.
    pointed = ' pointer-events="all"' if shape.told and shape.fill is None else ""
    lines = ""
    if shape.hatch:
        lines = f'<path {place} fill="url(#{_pattern_name(shape.hatch, shape.edge)})"/>'
    return f'<path {place} fill="{fill}"{edge}{_dashed(shape.dash)}{pointed}/>{lines}'


@_mark.register
def _(shape: Stroke, paint: Theme) -> str:
    points = " ".join(f"{_n(x)},{_n(y)}" for x, y in shape.points)
    style = f'fill="none" stroke="{paint[shape.role]}" stroke-width="{_n(shape.width)}"'
    return f'<polyline points="{points}" {style}{_dashed(shape.dash)}/>'


@_mark.register
def _(shape: Mark, paint: Theme) -> str:
    colour = paint[shape.role]
    if shape.hollow or shape.shape == "|":
        style = f'fill="none" stroke="{colour}" stroke-width="1.2"'
    else:
        style = f'fill="{colour}" stroke="{paint[Role.PAPER]}" stroke-width="{_n(shape.size / 9)}"'
    return f'<path d="{_outline(shape)}" {style}/>'


@_mark.register
def _(shape: Label, paint: Theme) -> str:
    anchor = {"left": "", "center": ' text-anchor="middle"', "right": ' text-anchor="end"'}[shape.align]
    weight = ' font-weight="600"' if shape.bold else ""
    place = f'x="{_n(shape.x)}" y="{_n(shape.y + 0.36 * shape.size)}" font-size="{_n(shape.size)}"'
    halo = f' paint-order="stroke" stroke="{paint[Role.PAPER]}" stroke-width="3"' if shape.halo else ""
    style = f'fill="{paint[shape.role]}"{halo}'
    return f"<text {place}{anchor}{weight} {style}>{escape(shape.text, quote=False)}</text>"


def _dashed(dash: tuple[float, float] | None) -> str:
    return "" if dash is None else f' stroke-dasharray="{_n(dash[0])} {_n(dash[1])}"'


def _round(*radii: float) -> tuple[tuple[float, float], ...]:
    """Corners around a middle, from the top."""
    turn = 2 * math.pi / len(radii)
    return tuple(
        (radius * math.sin(turn * corner), -radius * math.cos(turn * corner))
        for corner, radius in enumerate(radii)
    )


_THIRD: Final = 1 / 6
_OUTLINES: Final[Mapping[str, tuple[tuple[float, float], ...]]] = {
    "|": ((0, -0.5), (0, 0.5)),
    "s": ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)),
    "^": ((0, -0.5), (0.5, 0.5), (-0.5, 0.5)),
    "v": ((0, 0.5), (0.5, -0.5), (-0.5, -0.5)),
    "D": _round(*[math.sqrt(0.5)] * 4),
    "p": _round(*[0.5] * 5),
    "h": _round(*[0.5] * 6),
    "*": _round(*[0.5, 0.191] * 5),
    "P": (
        (-_THIRD, -0.5), (_THIRD, -0.5), (_THIRD, -_THIRD), (0.5, -_THIRD), (0.5, _THIRD), (_THIRD, _THIRD),
        (_THIRD, 0.5), (-_THIRD, 0.5), (-_THIRD, _THIRD), (-0.5, _THIRD), (-0.5, -_THIRD), (-_THIRD, -_THIRD),
    ),
    "X": (
        (-0.25, -0.5), (0, -0.25), (0.25, -0.5), (0.5, -0.25), (0.25, 0), (0.5, 0.25),
        (0.25, 0.5), (0, 0.25), (-0.25, 0.5), (-0.5, 0.25), (-0.25, 0), (-0.5, -0.25),
    ),
}  # fmt: skip
"""Of marks, in their sizes; any other is a circle."""


def _outline(mark: Mark) -> str:
    points = _OUTLINES.get(mark.shape)
    if points is None:
        arc = f"a{_n(mark.size / 2)} {_n(mark.size / 2)} 0 1 0"
        return f"M{_n(mark.x - mark.size / 2)} {_n(mark.y)}{arc} {_n(mark.size)} 0{arc} {_n(-mark.size)} 0z"
    return (
        "M" + "L".join(f"{_n(mark.x + mark.size * x)} {_n(mark.y + mark.size * y)}" for x, y in points) + "z"
    )
