"""The page of names that have changed: each new one is there, and each old one is gone."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from functools import cache

import pytest

from tests.docs.blocks import ROOT
from tools.surface import surface

PAGE = ROOT / "docs" / "reference" / "renamed.md"
_NAMES = re.compile(r"`([^`]+)`")


@cache
def _lines() -> frozenset[str]:
    return frozenset(surface())


def _rows(title: str) -> Iterator[list[list[str]]]:
    """The rows of the table below a heading: the names in each cell."""
    text = PAGE.read_text(encoding="utf-8").partition(f"## {title}\n")[2].partition("\n## ")[0]
    for line in text.splitlines():
        cells = [_NAMES.findall(cell) for cell in line.strip("|").split(" | ")]
        if line.startswith("|") and all(cells):
            yield cells


def _is_there(name: str) -> bool:
    """Whether a module, or something in one, can be had by this name."""
    words = name.split(".")
    for length in range(len(words), 0, -1):
        try:
            found: object = importlib.import_module(".".join(words[:length]))
        except ModuleNotFoundError:
            continue
        for word in words[length:]:
            if word not in getattr(found, "__dataclass_fields__", ()) and not hasattr(found, word):
                return False
            found = getattr(found, word, None)
        return True
    return False


def _fields(schema: str) -> set[str]:
    return {line.rpartition(" ")[2] for line in _lines() if line.startswith(f"field {schema} ")}


@pytest.mark.parametrize(("was", "now"), [(was, now) for (was,), (now,) in _rows("Commands")])
def test_an_option_is_there_by_its_new_name_alone(was: str, now: str) -> None:
    assert f"option {now}" in _lines()
    assert f"option {was}" not in _lines()


@pytest.mark.parametrize(
    ("schema", "was", "now"),
    [
        (schema, was, now)
        for schemas, (was,), (now,) in _rows("Fields of JSON, and keys of files")
        for schema in schemas
    ],
)
def test_a_field_is_there_by_its_new_name_alone(schema: str, was: str, now: str) -> None:
    assert now in _fields(schema)
    assert was not in _fields(schema)


@pytest.mark.parametrize(("was", "now"), [(was, now) for (was,), (now,) in _rows("Python")])
def test_a_python_name_is_there_by_its_new_name_alone(was: str, now: str) -> None:
    assert _is_there(now)
    assert not _is_there(was)


def test_every_table_of_the_page_is_read() -> None:
    titles = re.findall(r"^## (.+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sum(len(list(_rows(title))) for title in titles) == sum(
        line.startswith("| `") for line in PAGE.read_text(encoding="utf-8").splitlines()
    )
