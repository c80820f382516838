"""The first pages of how-to, explanation and reference: every page of the section, with what it is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from docs.gen.hook import description
from docs.gen.markdown import Fills
from docs.gen.sources import ROOT

LISTED: Final = ("how-to/index.md", "explanation/index.md", "reference/index.md")
"""Pages that have the marker `pages`."""


def listings(navigation: Sequence[Mapping[str, Any]], made: Mapping[str, str]) -> Fills:
    """The lists, in the order of the navigation.

    Args:
        navigation: that of `mkdocs.yml`.
        made: the generated pages, by path.
    """
    sections = [
        entries for section in navigation for entries in section.values() if isinstance(entries, list)
    ]
    return {
        index: {"pages": "\n".join(_items(entries, made))}
        for entries in sections
        for index in entries[:1]
        if index in LISTED
    }


def _items(entries: Sequence[Any], made: Mapping[str, str]) -> Iterator[str]:
    for path in _paths(entries[1:]):
        text = made.get(path) or (ROOT / "docs" / path).read_text(encoding="utf-8")
        title = next(line for line in text.splitlines() if line.startswith("# ")).removeprefix("# ")
        yield f"- [{title}](../{path})  \n  {description(text.partition(title)[2])}"


def _paths(entries: Sequence[Any]) -> Iterator[str]:
    for entry in entries:
        if isinstance(entry, str):
            yield entry
        else:
            for below in entry.values():
                yield from _paths(below if isinstance(below, list) else [below])
