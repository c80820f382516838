"""TNL080: a finding names what it rests on, and all of that exists."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tools.lints.pages import Page
from tools.lints.pages import findings as finding_pages
from tools.lints.problem import Problem

HEADINGS = ("What disagrees", "The scenario", "The outcome under each", "The repair, and why")
"""The sections of every finding, in order; the third goes on with `preset` or `reading`."""

_OBLIGATION = re.compile(r'^@obligation\(\s*"(PO-[A-Z]+-[0-9]{3})"', re.MULTILINE)


def findings(root: Path) -> Iterator[Problem]:
    """TNL080: headings, reading key, obligations and vectors of every finding."""
    known = {
        "obligations": _obligations(root),
        "vectors": _vectors(root),
        "reading": set(tomllib.loads((root / "spec/readings.toml").read_text(encoding="utf-8"))["keys"]),
    }
    for page in finding_pages(root):
        for message in _wrong_with(page, known):
            yield Problem(page.path, 1, "TNL080", f"{page.id}: {message}")


def _wrong_with(page: Page, known: dict[str, set[str]]) -> Iterator[str]:
    if page.front.get("id") != page.id:
        yield f"the front matter says {page.front.get('id')!r}; the file's name says {page.id}"
    titles = [title for level, title in page.headings if level == 2]
    if len(titles) != len(HEADINGS) or not all(map(str.startswith, titles, HEADINGS)):
        yield f"its sections are {titles}; write {list(HEADINGS)}"
    if page.front.get("reading") not in known["reading"]:
        yield f"reading {page.front.get('reading')!r} is no key of spec/readings.toml"
    for kind in ("obligations", "vectors"):
        named = page.front.get(kind) or []
        if not named:
            yield f"names no {kind}: a finding is proved and can be replayed"
        for name in named:
            if name not in known[kind]:
                yield f"names {name}, which is none of the {kind}"


def _obligations(root: Path) -> set[str]:
    folder = root / "proofs/tenure_proofs/obligations"
    return {
        identifier
        for path in sorted(folder.glob("*.py"))
        for identifier in _OBLIGATION.findall(path.read_text(encoding="utf-8"))
    }


def _vectors(root: Path) -> set[str]:
    folder = root / "spec/vectors"
    return {
        vector["id"]
        for path in sorted(folder.glob("*.json"))
        if path.name != "schema.json"
        for vector in json.loads(path.read_text(encoding="utf-8"))["vectors"]
    }
