"""The generated pages in the navigation, in groups that a reader can look through."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import PurePosixPath
from typing import Any

from docs.gen.findings import source_of
from docs.gen.sources import ROOT
from tenure.pages import FAMILIES, family_of
from tools.lints.pages import findings

_PLAYED = {
    "tbp": FAMILIES["TBP"],
    "ucq": FAMILIES["UCQ"],
    "dyn": FAMILIES["DYN"],
    "kai": FAMILIES["KMR"],
    "kueue": "Reports about Kueue",
}
"""Groups of scenarios, by what their names begin with."""


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
    if folder in ("vectors", "coverage"):
        return mine
    groups: dict[str, list[str]] = {}
    for path in mine:
        groups.setdefault(_group(folder, PurePosixPath(path).name), []).append(path)
    return [{name: groups[name]} for name in sorted(groups, key=_place)]


def _group(folder: str, name: str) -> str:
    """What a rule, a scenario or a finding is listed below, by the name of its page."""
    if folder == "rules":
        return FAMILIES[family_of(name)]
    return _PLAYED[name.partition("-")[0]] if folder == "scenarios" else _sources()[name]


def _place(group: str) -> int:
    order = [*FAMILIES.values(), *_PLAYED.values()]
    return order.index(group) if group in order else -1


@cache
def _sources() -> dict[str, str]:
    """The source of every finding, by the name of its page."""
    return {page.name: source_of(page) for page in findings(ROOT)}
