"""The pages of rules and findings, read as text."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.lints.problem import relative
from tools.lints.source import joined

PAGES = Path("spec/rules")
FINDINGS = Path("spec/findings")
HEADINGS = ("Statement", "Comparisons", "Rationale", "Edge cases", "Source", "Readings")

_FENCE = "+++"
_ROW = re.compile(r"^\| `(?P<code>.+?)` \| (?P<words>.+) \|$")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page with its number, counted from 1."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class StatedComparison:
    """A row of a page's table of comparisons."""

    code: str
    words: str
    line: int


@dataclass(frozen=True, slots=True)
class Page:
    """One page of `spec/rules/` or `spec/findings/`.

    Args:
        path: relative to the root, with forward slashes.
        front: the front matter; empty when there is none or it is no TOML.
        headings: `(level, text)` in order.
        sections: the lines below each second-level heading.
        body: everything below the front matter, as it stands.
    """

    path: str
    front: dict[str, Any]
    headings: tuple[tuple[int, str], ...]
    sections: dict[str, tuple[Line, ...]]
    body: str

    @property
    def name(self) -> str:
        """The file's name."""
        return Path(self.path).name

    @property
    def title(self) -> str:
        """The title that the front matter gives."""
        return str(self.front.get("title", ""))

    @property
    def id(self) -> str:
        """The identifier that the file's name begins with."""
        return "-".join(Path(self.path).stem.split("-")[:2])

    @property
    def slug(self) -> str:
        """The rest of the file's name."""
        return "-".join(Path(self.path).stem.split("-")[2:])

    @property
    def statement(self) -> str:
        """The blockquote of section Statement, joined."""
        return joined([line.text[1:] for line in self.section("Statement") if line.text.startswith(">")])

    def section(self, heading: str) -> tuple[Line, ...]:
        """The lines below a heading; empty when the page does not have it."""
        return self.sections.get(heading, ())

    def comparisons(self) -> list[StatedComparison]:
        """The rows of section Comparisons."""
        rows = ((line, _ROW.match(line.text)) for line in self.section("Comparisons"))
        return [StatedComparison(row["code"], row["words"], line.number) for line, row in rows if row]


def pages(root: Path) -> Iterator[Page]:
    """Every rule's page, by file name."""
    yield from _pages_in(root, PAGES)


def findings(root: Path) -> Iterator[Page]:
    """Every finding's page, by file name."""
    yield from _pages_in(root, FINDINGS)


def _pages_in(root: Path, folder: Path) -> Iterator[Page]:
    for path in sorted((root / folder).glob("*.md")):
        yield _parse(relative(path, root), path.read_text(encoding="utf-8"))


def _parse(path: str, text: str) -> Page:
    lines = [Line(number, content) for number, content in enumerate(text.splitlines(), start=1)]
    front, content = _split_front(lines)
    headings: list[tuple[int, str]] = []
    sections: dict[str, list[Line]] = {}
    current: list[Line] = []
    for line in content:
        heading = re.match(r"^(#+) (.+)$", line.text)
        if heading is None:
            current.append(line)
            continue
        headings.append((len(heading[1]), heading[2]))
        current = sections.setdefault(heading[2], []) if len(heading[1]) == 2 else []
    body = "\n".join(line.text for line in content).strip() + "\n"
    return Page(path, front, tuple(headings), {name: tuple(found) for name, found in sections.items()}, body)


def _split_front(lines: list[Line]) -> tuple[dict[str, Any], list[Line]]:
    fences = [index for index, line in enumerate(lines) if line.text == _FENCE]
    if len(fences) < 2 or fences[0] != 0:
        return {}, lines
    try:
        front = tomllib.loads("\n".join(line.text for line in lines[1 : fences[1]]))
    except tomllib.TOMLDecodeError:
        front = {}
    return front, lines[fences[1] + 1 :]


def slug_of(title: str) -> str:
    """A title as it stands in a file name.

    >>> slug_of("Ground within a ClusterQueue")
    'ground-within-a-clusterqueue'
    """
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
