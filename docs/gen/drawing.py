"""A small SVG of boxes, lines and words, in the colours of the charts, for light and for dark pages."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

from docs.gen.markdown import Pages, relative
from tenure.timeline.chart import DARK, LIGHT
from tenure.timeline.chart.scene import Role, Theme

WIDTH = 440.0
"""Of every drawing, in its own units: those of a phone's screen, so that words stay readable there."""
LETTER = 6.4
"""The width that a letter of the usual size is given; wide enough that words end where they should."""
_FONT = "system-ui, 'DejaVu Sans', sans-serif"
_HATCH = "hatch"


@dataclass
class Drawing:
    """Marks from above to below.

    Args:
        title: what a reader who does not see it is told.
        height: in the units of `WIDTH`; grows as marks are added.
    """

    title: str
    height: float = 0.0
    _marks: list[tuple[str, dict[str, Role]]] = field(default_factory=list)

    def box(
        self,
        at: tuple[float, float],
        size: tuple[float, float],
        fill: Role | None = None,
        stroke: Role | None = None,
        *,
        dashed: bool = False,
        hatched: bool = False,
    ) -> None:
        """A box; hatched, lines of the stroke's colour stand for its filling."""
        (x, y), (width, height) = at, size
        shape = f'x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{height:.1f}"'
        roles = {"fill": fill, "stroke": stroke}
        paint = " ".join(f'{what}="{{{what}}}"' if role else f'{what}="none"' for what, role in roles.items())
        dashes = ' stroke-dasharray="4 3"' if dashed else ""
        self._add(
            f'<rect {shape} {paint} stroke-width="1.5"{dashes}/>',
            y + height,
            {what: role for what, role in roles.items() if role},
        )
        if hatched:
            self._add(f'<rect {shape} fill="url(#{_HATCH})"/>', y + height, {})

    def line(self, start: tuple[float, float], end: tuple[float, float], role: Role) -> None:
        """A thin line."""
        (x1, y1), (x2, y2) = start, end
        self._add(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
            'stroke="{stroke}" stroke-width="1.5"/>',
            max(y1, y2),
            {"stroke": role},
        )

    def words(
        self,
        at: tuple[float, float],
        text: str,
        role: Role = Role.TEXT,
        *,
        anchor: str = "start",
        bold: bool = False,
        size: int = 12,
    ) -> None:
        """Words on a base line; `anchor` is SVG's."""
        weight = ' font-weight="600"' if bold else ""
        written = escape(text).replace("{", "{{").replace("}", "}}")
        self._add(
            f'<text x="{at[0]:.1f}" y="{at[1]:.1f}" fill="{{fill}}" font-size="{size}" '
            f'text-anchor="{anchor}"{weight}>{written}</text>',
            at[1] + 4,
            {"fill": role},
        )

    def _add(self, mark: str, bottom: float, roles: dict[str, Role]) -> None:
        self._marks.append((mark, roles))
        self.height = max(self.height, bottom + 2)

    def svg(self, theme: Theme) -> str:
        """The drawing in the colours of a theme."""
        marks = [
            mark.format(**{name: theme[role] for name, role in roles.items()}) for mark, roles in self._marks
        ]
        hatch = (
            f'<defs><pattern id="{_HATCH}" width="6" height="6" patternUnits="userSpaceOnUse" '
            'patternTransform="rotate(45)"><line x1="0" y1="0" x2="0" y2="6" '
            f'stroke="{theme[Role.SAME_QUEUE]}" stroke-width="3"/></pattern></defs>'
        )
        return "\n".join(
            [
                '<svg xmlns="http://www.w3.org/2000/svg" role="img" '
                f'viewBox="0 0 {WIDTH:g} {self.height:.0f}" font-family="{_FONT}">',
                f"<title>{escape(self.title)}</title>",
                *([hatch] if any(_HATCH in mark for mark in marks) else []),
                *marks,
                "</svg>\n",
            ]
        )

    def files(self, path: str) -> Pages:
        """The drawing for both kinds of page, by paths below `docs/` that begin with `path`."""
        return {f"{path}-light.svg": self.svg(LIGHT), f"{path}-dark.svg": self.svg(DARK)}


def shown(path: str, words: str, kind: str, page: str) -> str:
    """The Markdown that shows the two files of a picture on a page, each to readers of its theme.

    Args:
        path: of the files below `docs/`, without theme and ending.
        words: what a reader who does not see it is told.
        kind: its class in the style sheet, `chart` or `picture`.
        page: the page's path below `docs/`.

    >>> print(shown("vectors/pictures/a", "Two [boxes].", "picture", "findings/F-001.md"))
    ![Two boxes.](../vectors/pictures/a-light.svg#only-light){ .picture loading=lazy }
    ![Two boxes.](../vectors/pictures/a-dark.svg#only-dark){ .picture loading=lazy }
    """
    plain = words.replace("[", "").replace("]", "")
    return "\n".join(
        f"![{plain}]({relative(f'{path}-{theme}.svg', page)}#only-{theme}){{ .{kind} loading=lazy }}"
        for theme in ("light", "dark")
    )
