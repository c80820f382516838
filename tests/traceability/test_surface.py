"""What users may rely on: all is documented, all that is documented is there, nothing released is gone."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

import tenure
from tests.docs.blocks import ROOT
from tools import surface

_IMPORTED = re.compile(r"(?:>>> |^)from (tenure(?:\.\w+)*) import (\w+(?:, \w+)*)", re.MULTILINE)
_USED = re.compile(r"(?<![\w.])(tenure\.\w+)\(")


@cache
def _now() -> list[str]:
    return surface.surface()


def test_nothing_that_the_last_release_had_is_gone() -> None:
    gone, _ = surface.changes(surface.released(), _now())
    assert not gone, surface.GONE


def test_what_can_be_imported_from_the_package_is_public_and_nothing_else() -> None:
    listed = {
        line.removeprefix("python tenure.")
        for line in surface.present()
        if re.fullmatch(r"python tenure\.\w+", line)
    }
    assert listed == set(tenure.__all__)


def test_python_that_pages_show_uses_public_names_only() -> None:
    public = {line.removeprefix("python ") for line in _now() if line.startswith("python ")}
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    used = {
        (page.name, name)
        for page in pages
        for text in (page.read_text(encoding="utf-8"),)
        for name in (
            *(f"{module}.{name}" for module, names in _IMPORTED.findall(text) for name in names.split(", ")),
            *_USED.findall(text),
        )
    }
    assert len(used) >= 5
    assert {(page, name) for page, name in used if name not in public} == set()


@pytest.mark.parametrize(
    ("before", "after", "gone"),
    [
        pytest.param("python tenure.decide_all", "python tenure.decide_each", True, id="a name renamed"),
        pytest.param(
            "option tenure decide --now", "option tenure decide --clock", True, id="an option renamed"
        ),
        pytest.param("field decide Target reason", "field decide Target why", True, id="a field renamed"),
        pytest.param(
            "vector TBP-020/x 0123456789ab", "vector TBP-020/x ba9876543210", True, id="a vector reused"
        ),
        pytest.param(
            "python tenure.load(paths) (required)", "python tenure.load(paths)", False, id="no longer needed"
        ),
        pytest.param(
            "python tenure.load(paths)", "python tenure.load(paths) (required)", True, id="needed from now on"
        ),
    ],
)
def test_what_takes_something_from_a_user_is_told(before: str, after: str, gone: bool) -> None:
    assert surface.changes([before], [after]) == ([before] if gone else [], [] if not gone else [after])


def test_a_page_that_documents_what_is_not_there_is_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    page = tmp_path / "api.md"
    page.write_text("::: tenure.api\n    options:\n      members: [load, unload]\n")
    monkeypatch.setattr(surface, "PAGES", (page,))
    with pytest.raises(AttributeError, match="unload"):
        list(surface.python_names())


def test_the_command_says_what_is_gone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "surface.txt"
    kept.write_text("\n".join(["# of a release", *_now(), "python tenure.decide_each"]))
    monkeypatch.setattr(surface, "RELEASED", kept)
    monkeypatch.setattr(surface, "surface", _now)
    assert surface.main([]) == 1
    assert "gone: python tenure.decide_each" in capsys.readouterr().out
