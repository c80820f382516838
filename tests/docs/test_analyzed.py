"""Pictures of `tenure analyze` and `tenure simulate` show what the commands of their pages print."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from docs.gen import analyzed
from docs.gen.sources import ROOT
from tenure_play.charts import DARK, LIGHT
from tenure_play.drawing.scene import Box, Role


def test_a_matrix_is_drawn_for_light_and_dark_pages_and_told_in_words(tmp_path: Path) -> None:
    files: dict[str, str] = {}
    words = analyzed._matrix("lender", "consistent", tmp_path, files)
    assert "4 cells can, 12 never, 0 are not known. keeper can preempt nothing. lender can preempt" in words
    assert len(files) == 2
    for name, theme in (("light", LIGHT), ("dark", DARK)):
        svg = files[f"how-to/pictures/matrix-lender-consistent-{name}.svg"]
        ElementTree.fromstring(svg)
        assert f'fill="{theme[Role.SAME_QUEUE]}"' in svg
        schemed = [word for word in ("@media", "var(") if word in svg]
        assert schemed == [], "the reader chooses the scheme on the page"


def test_the_matrices_are_those_that_the_pages_print() -> None:
    page = (ROOT / "docs" / analyzed.FIVE).read_text(encoding="utf-8")
    shown = re.findall(r"^\$ tenure analyze matrix --example (\S+)(?: --scope (\S+))?$", page, re.MULTILINE)
    drawn = [asked for (of, _), asked in analyzed.MATRICES.items() if of == analyzed.FIVE]
    assert [(example, scope or "consistent") for example, scope in shown] == drawn


def test_a_command_that_ends_otherwise_stops_the_build() -> None:
    with pytest.raises(RuntimeError, match="exit code 0, expected 1"):
        analyzed._run(1, "example", "two-teams")


def test_bars_are_as_long_as_the_figures_of_the_page() -> None:
    page = (ROOT / "docs" / analyzed.SIMULATED).read_text(encoding="utf-8")
    title, sketch = analyzed.settings_compared(page)
    assert "Preemptions: off 2,348, 8h 3,719, 4h 5,217." in title
    bars = [shape.width for shape in sketch.shapes if isinstance(shape, Box)]
    assert len(bars) == 3 * len(analyzed.COMPARED)
    assert bars[3] / bars[5] == pytest.approx(2348 / 5217, rel=1e-2)
