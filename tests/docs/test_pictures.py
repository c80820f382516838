"""The README's pictures are what the code draws now."""

from __future__ import annotations

from tests.docs.blocks import ROOT
from tools.pictures import FOLDER, pictures


def test_the_committed_pictures_are_those_that_are_drawn() -> None:
    drawn = dict(pictures())
    there = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.svg")}
    stale = sorted(name for name in drawn | there if drawn.get(name) != there.get(name))
    assert stale == [], "made again by `make pictures`"


def test_the_readme_shows_every_picture() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [
        path.name for path in FOLDER.glob("*.svg") if f"docs/assets/pictures/{path.name}" not in text
    ] == []
