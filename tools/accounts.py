"""The pages of `spec/coverage/`: every sentence of a source, and what has become of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tenure.pages import joined, parse_page
from tools.sentences import Sentence

COVERAGE = Path("spec/coverage")
REASONS = ("not normative", "process")
"""Kinds of account that give a reason in words instead of names; see spec/README.md."""
UNACCOUNTED = "unaccounted"

_BLOCK = re.compile(r"^(?:.+\n?)+", re.MULTILINE)
_HEAD = re.compile(r"(?P<id>[0-9A-Z]+-[0-9]{3}) `(?P<hash>[0-9a-f]*)` (?P<account>\S.*)", re.DOTALL)
_CODE = ">     "


@dataclass(frozen=True, slots=True)
class Entry:
    """A sentence and its account.

    Args:
        id: `8522-041`.
        hash: of the sentence's words, as the page states it.
        account: `rule TBP-020; finding F-004`, or a reason.
        sentence: as the page quotes it.
        notes: what else there is to say, in paragraphs.
    """

    id: str
    hash: str
    account: str
    sentence: Sentence
    notes: tuple[str, ...] = ()

    def references(self) -> Iterator[tuple[str, str]]:
        """What the account names, with its kind: `("rule", "TBP-020")`. A reason is one name.

        >>> entry = Entry("1-001", "", "rule A, B; finding F", Sentence("", "", False, 1))
        >>> list(entry.references())
        [('rule', 'A'), ('rule', 'B'), ('finding', 'F')]
        """
        kind, colon, reason = self.account.partition(":")
        if colon and kind in REASONS:
            yield kind, reason.strip()
            return
        for part in self.account.split("; "):
            kind, _, names = part.partition(" ")
            for name in names.split(", "):
                yield kind, name


@dataclass(frozen=True, slots=True)
class CoveragePage:
    """One page of `spec/coverage/`.

    Args:
        path: relative to the root, with forward slashes.
        front: the front matter: among others `document`, where the source can be read, and `lines`, where
            each of the sentences begins there; 0 for one of another revision; `excerpts`, what a page covers
            whose source is not beside the repository.
        headings: with their number signs, in order: those of the source.
        entries: in order.
    """

    path: str
    front: dict[str, Any]
    headings: tuple[str, ...]
    entries: tuple[Entry, ...]

    @property
    def name(self) -> str:
        """The file's name."""
        return Path(self.path).name

    @property
    def title(self) -> str:
        """The source's own title."""
        return self.headings[0].lstrip("# ") if self.headings else self.name


def coverage_pages(root: Path) -> Iterator[CoveragePage]:
    """Every page, by file name."""
    for path in sorted((root / COVERAGE).glob("*.md")):
        yield parse(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))


def parse(path: str, text: str) -> CoveragePage:
    """A page read from its text: below a heading entries, each a head, a quotation, and notes."""
    entries: list[Entry] = []
    section = ""
    for block in _BLOCK.finditer(text):
        words, head = block[0].strip(), _HEAD.match(block[0])
        if words.startswith("#"):
            section = words
        elif head is not None:
            sentence = Sentence(section, "", False, text.count("\n", 0, block.start()) + 1)
            entries.append(Entry(head["id"], head["hash"], joined([head["account"]]), sentence))
        elif entries and words.startswith(">"):
            quoted = joined(line[1:] for line in words.splitlines())
            sentence = replace(entries[-1].sentence, text=quoted, code=words.startswith(_CODE))
            entries[-1] = replace(entries[-1], sentence=sentence)
        elif entries:
            entries[-1] = replace(entries[-1], notes=(*entries[-1].notes, words))
    page = parse_page(path, text)
    return CoveragePage(
        path, page.front, tuple(f"{'#' * n} {said}" for n, said in page.headings), tuple(entries)
    )
