"""The matrix is what the distribution claims; what takes the place of an absent interpreter."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

from tools import pythons
from tools.pythons import MINE, PYTHONS, ROOT, interpreter, main, minor, nearest

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_what_is_claimed_is_tested_and_what_runs_these_tests_is_claimed_or_newer() -> None:
    claimed = re.findall(r"Python :: (3\.\d+)$", "\n".join(PROJECT["classifiers"]), re.MULTILINE)
    oldest, newest = PYTHONS
    last = minor(claimed[-1])
    assert claimed == [f"3.{number}" for number in range(minor(oldest), last + 1)]
    assert last <= minor(newest)
    assert MINE in claimed or minor(MINE) > last
    assert PROJECT["requires-python"] == f">={oldest}"


def test_an_interpreter_is_found_by_its_own_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for version in (MINE, "3.99"):
        (tmp_path / f"python{version}").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert interpreter(MINE) == tmp_path / f"python{MINE}"
    assert interpreter("3.99") is None


def test_the_newest_between_takes_the_place_of_an_absent_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pythons, "MINE", "3.11")
    monkeypatch.setattr(pythons, "interpreter", {"3.12": Path("a"), "3.11": Path("b")}.get)
    assert [nearest(version) for version in ("3.14", "3.11")] == [("3.12", Path("a")), ("3.11", Path("b"))]
    monkeypatch.setattr(pythons, "MINE", "3.12")
    assert [nearest(version) for version in ("3.14", "3.11")] == [None, ("3.11", Path("b"))]


def test_an_absent_one_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(pythons, "interpreter", lambda _: None)
    monkeypatch.setattr(pythons, "MINE", "3.12")
    assert [main([version]) for version in (*PYTHONS, "2.7")] == [0, 0, 2]
    said = capsys.readouterr()
    assert said.out.count("left out") == len(PYTHONS)
    assert "found 2.7, expected 3.11 or 3.14" in said.err
