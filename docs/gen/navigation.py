"""The generated pages in the navigation, in groups that a reader can look through."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any

from tenure.pages import FAMILIES, family_of


def completed(navigation: list[dict[str, Any]], pages: Iterable[str]) -> list[dict[str, Any]]:
    """The navigation with the generated pages.

    Args:
        navigation: that of `mkdocs.yml`; each section of generated pages holds its index alone.
        pages: paths below `docs/`.

    >>> written = [{"Vectors": ["vectors/index.md"]}]
    >>> completed(written, ["vectors/quota.md", "vectors/order.md"])
    [{'Vectors': ['vectors/index.md', 'vectors/order.md', 'vectors/quota.md']}]
    """
    made = sorted(pages)
    return [{title: _entry(entry, made) for title, entry in section.items()} for section in navigation]


def _entry(entry: Any, made: list[str]) -> Any:
    if not isinstance(entry, list):
        return entry
    found: list[Any] = []
    for mapping in entry:
        found.append(
            {title: _entry(below, made) for title, below in mapping.items()}
            if isinstance(mapping, dict)
            else mapping
        )
        found += _behind(mapping, made)
    return found


def _behind(index: Any, made: list[str]) -> list[Any]:
    """What follows an index of generated pages."""
    if not isinstance(index, str):
        return []
    folder = PurePosixPath(index).parent.as_posix()
    mine = [path for path in made if PurePosixPath(path).parent.as_posix() == folder]
    if not index.endswith("/index.md") or folder == "proofs":
        return []
    if folder != "rules":
        return mine
    groups: dict[str, list[str]] = {}
    for path in mine:
        groups.setdefault(FAMILIES[family_of(PurePosixPath(path).name)], []).append(path)
    return [{words: groups[words]} for words in FAMILIES.values() if words in groups]
