"""Pictures for light and for dark pages, and the Markdown that shows them."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal

from docs.gen.markdown import Pages
from tenure_play.drawing.scene import THEMES, Label, Role, Sketch
from tenure_play.drawing.svg import svg

WIDTH: Final = 440.0
"""Of pictures that are no charts, in points of a phone's screen, so that words stay readable there."""
LETTER: Final = 6.4
"""The width that a letter of the usual size is given; wide enough that words end where they should."""


def words(
    at: tuple[float, float],
    text: str,
    role: Role = Role.TEXT,
    *,
    align: Literal["left", "center", "right"] = "left",
    bold: bool = False,
    size: float = 12.0,
) -> Label:
    """Words on a base line."""
    return Label(at[0], at[1] - 0.36 * size, text, size, role, align, bold)


def themed(path: str, scene: Sketch, title: str) -> Pages:
    """A picture for both kinds of page, by paths below `docs/` that begin with `path`."""
    whole = scene if scene.height else replace(scene, height=scene.bottom + 2)
    return {f"{path}-{name}.svg": svg(whole, title, theme=theme) for name, theme in THEMES.items()}


def shown(path: str, words: str, kind: str) -> str:
    """The Markdown that shows the two files of a picture on a page, each to readers of its theme.

    Args:
        path: of the files below `docs/`, without theme and ending.
        words: what a reader who does not see it is told.
        kind: its class in the style sheet, `chart` or `picture`.

    >>> print(shown("vectors/pictures/a", "Two [boxes].", "picture"))
    ![Two boxes.](@vectors/pictures/a-light.svg#only-light){ .picture loading=lazy }
    ![Two boxes.](@vectors/pictures/a-dark.svg#only-dark){ .picture loading=lazy }
    """
    plain = words.replace("[", "").replace("]", "")
    return "\n".join(
        f"![{plain}](@{path}-{theme}.svg#only-{theme}){{ .{kind} loading=lazy }}"
        for theme in ("light", "dark")
    )
