"""Charts of plays: who ran when, under which protection, and who took whom.

Those that are PNG are drawn by matplotlib. It is an extra, `tenure[charts]`, and imported only for them.
"""

from __future__ import annotations

from pathlib import Path

from tenure.disk import write_named
from tenure.errors import bad_input
from tenure.resources import is_folder
from tenure_play.charts.compose import compose
from tenure_play.charts.labels import clean, description
from tenure_play.drawing.scene import DARK, LIGHT, THEMES, Theme
from tenure_play.drawing.svg import svg
from tenure_play.record import Record

__all__ = ["DARK", "LIGHT", "THEMES", "check_chart", "png_chart", "svg_chart", "write_chart"]

FORMATS = (".svg", ".png")


def check_chart(path: str, theme: str = "light") -> None:
    """Whether a chart can be drawn, before anything is played for it.

    Raises:
        tenure.errors.InputError: the file is neither `.svg` nor `.png`, its folder does not exist, there is
            no such theme, or matplotlib is missing, which a PNG needs.

    >>> check_chart("play.pdf")
    Traceback (most recent call last):
    tenure.errors.InputError: --chart: found 'play.pdf', expected a file named *.svg or *.png
    """
    if not path.endswith(FORMATS):
        raise bad_input("--chart", path, "a file named *.svg or *.png")
    if not is_folder(Path(path).parent):
        raise bad_input("--chart", path, "a file in a folder that exists")
    _theme_named(theme)
    if path.endswith(".png"):
        try:
            import tenure_play.drawing.png
        except ModuleNotFoundError as missing:
            expected = "a file named *.svg, or matplotlib, which draws PNG: pip install 'tenure[charts]'"
            raise bad_input("--chart", path, expected) from missing
        del tenure_play


def _theme_named(name: str) -> Theme:
    if name not in THEMES:
        raise bad_input("--chart-theme", name, f"one of {', '.join(THEMES)}")
    return THEMES[name]


def write_chart(record: Record, path: Path, theme: str = "light") -> None:
    """Draw a play into a file, the same bytes each time; a PNG with the same matplotlib.

    Args:
        record: the play.
        path: the file, `*.svg` or `*.png`; one that exists is written over.
        theme: `light` or `dark`. An SVG has no background, and so fits a page of its theme.

    Raises:
        tenure.errors.InputError: see `check_chart`, or the file cannot be written.
    """
    check_chart(str(path), theme)
    drawn = png_chart(record, theme) if path.suffix == ".png" else svg_chart(record, theme)
    write_named("--chart", path, drawn)


def svg_chart(record: Record, theme: str = "light") -> str:
    """A play as SVG: text as text, a title and a description, and a title for each span that is drawn.

    Raises:
        tenure.errors.InputError: there is no such theme.
    """
    title = f"{clean(record.title or record.scenario)} Reading {clean(record.reading)}."
    return svg(compose(record), title, description(record), _theme_named(theme))


def png_chart(record: Record, theme: str = "light") -> bytes:
    """A play as PNG.

    Raises:
        tenure.errors.InputError: there is no such theme.
    """
    from tenure_play.drawing.png import png

    return png(compose(record), _theme_named(theme))
