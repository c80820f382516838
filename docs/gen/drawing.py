"""Pictures for light and for dark pages, and the Markdown that shows them."""

from __future__ import annotations

from dataclasses import replace

from docs.gen.markdown import Pages
from tenure_play.drawing.scene import THEMES, Sketch
from tenure_play.drawing.svg import svg


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
