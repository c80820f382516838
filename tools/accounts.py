"""The pages of `spec/coverage/`: every sentence of a source, and what has become of it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from textwrap import wrap
from typing import Any

from tools.sentences import Sentence, fingerprint, headings, lines_of, normalised

COVERAGE = Path("spec/coverage")
REASONS = ("not normative", "process")
"""Kinds of account that give a reason in words instead of names; see spec/README.md."""
UNACCOUNTED = "unaccounted"

_WIDTH = 116
_FENCE = "+++"
_HEAD = re.compile(r"^(?P<id>[0-9A-Z]+-[0-9]{3}) `(?P<hash>[0-9a-f]*)` (?P<account>\S.*)$")
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
            each of the sentences begins there; 0 for one of another revision.
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


def with_lines(page: CoveragePage, document: str) -> CoveragePage:
    """A page that says where its sentences begin in a document.

    Args:
        page: as it is.
        document: the text of what its `document` names.
    """
    lines = lines_of([entry.sentence.text for entry in page.entries], document)
    return replace(page, front={**page.front, "lines": lines})


def coverage_pages(root: Path) -> Iterator[CoveragePage]:
    """Every page, by file name."""
    for path in sorted((root / COVERAGE).glob("*.md")):
        yield parse(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))


def parse(path: str, text: str) -> CoveragePage:
    """A page read from its text."""
    front, body, above = _split_front(text)
    reader = _Reader(above)
    for line in body.splitlines():
        reader.read(line)
    reader.close()
    return CoveragePage(path, front, tuple(headings(body)), tuple(reader.entries))


def rendered(page: CoveragePage) -> str:
    """A page as its file holds it."""
    front = "\n".join(f"{key} = {_toml(value)}" for key, value in page.front.items())
    parts = [f"{_FENCE}\n{front}\n{_FENCE}"]
    for heading in page.headings:
        parts.append(heading)
        parts += [_block(entry) for entry in page.entries if entry.sentence.section == heading]
    return "\n\n".join(parts) + "\n"


def _toml(value: str | list[int]) -> str:
    """A value of the front matter.

    >>> print(_toml([3, 0]))
    [
      3, 0,
    ]
    """
    if isinstance(value, str):
        return f'"{value}"'
    numbers = wrap(", ".join(map(str, value)) + ",", _WIDTH, initial_indent="  ", subsequent_indent="  ")
    return "\n".join(["[", *numbers, "]"])


def _block(entry: Entry) -> str:
    head = wrap(
        f"{entry.id} `{entry.hash}` {entry.account}",
        _WIDTH + 4,
        break_long_words=False,
        break_on_hyphens=False,
    )
    text = entry.sentence.text
    lines = wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False)
    quote = [_CODE + text] if entry.sentence.code else [f"> {line}" for line in lines]
    return "\n\n".join(["\n".join(head), "\n".join(quote), *entry.notes])


def _split_front(text: str) -> tuple[dict[str, Any], str, int]:
    """The front matter, the rest, and how many lines are above the rest."""
    parts = text.split(f"{_FENCE}\n", 2)
    if len(parts) < 3 or parts[0]:
        return {}, text, 0
    try:
        front = tomllib.loads(parts[1])
    except tomllib.TOMLDecodeError:
        front = {}
    return front, parts[2], parts[1].count("\n") + 2


@dataclass(slots=True)
class _Reader:
    """Puts the lines of a page together to entries: head, quotation, notes."""

    number: int
    section: str = ""
    entries: list[Entry] = field(default_factory=list)
    head: re.Match[str] | None = None
    began: int = 0
    account: list[str] = field(default_factory=list)
    quote: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def read(self, line: str) -> None:
        """Take the next line."""
        self.number += 1
        head = _HEAD.match(line)
        if head is not None or line.startswith("#"):
            self.close()
            self.section = self.section if head is not None else line.rstrip()
            self.head, self.began, self.account = head, self.number, [head["account"]] if head else []
        elif line.startswith(">"):
            self.quote.append(line)
        elif self.quote:
            self.notes.append(line)
        elif line:
            self.account.append(line)

    def close(self) -> None:
        """End the entry."""
        if self.head is not None:
            code = bool(self.quote) and self.quote[0].startswith(_CODE)
            text = normalised(" ".join(line[1:] for line in self.quote))
            sentence = Sentence(self.section, text, code, self.began)
            account = normalised(" ".join(self.account))
            notes = "\n".join(self.notes).strip()
            kept = tuple(notes.split("\n\n")) if notes else ()
            self.entries.append(Entry(self.head["id"], self.head["hash"], account, sentence, kept))
        self.head, self.account, self.quote, self.notes = None, [], [], []


def brought_up_to_date(page: CoveragePage, source: str, found: list[Sentence]) -> CoveragePage:
    """A page with the sentences of its source: known ones keep their entry, new ones have no account yet.

    Args:
        page: as it is.
        source: the source's text, for its headings.
        found: the source's sentences.
    """
    prefix = str(page.front.get("prefix", ""))
    kept: dict[tuple[str, str], list[Entry]] = {}
    for entry in page.entries:
        kept.setdefault((entry.sentence.section, fingerprint(entry.sentence.text)), []).append(entry)
    last = max((int(entry.id.rpartition("-")[2]) for entry in page.entries), default=0)
    entries: list[Entry] = []
    for sentence in found:
        mark = fingerprint(sentence.text)
        same = kept.get((sentence.section, mark))
        if same:
            entries.append(replace(same.pop(0), hash=mark, sentence=sentence))
        else:
            last += 1
            entries.append(Entry(f"{prefix}-{last:03}", mark, UNACCOUNTED, sentence))
    front = dict(page.front)
    if "lines" in front:
        lines = dict(zip((entry.id for entry in page.entries), front["lines"], strict=False))
        front["lines"] = [lines.get(entry.id, 0) for entry in entries]
    return replace(page, front=front, headings=tuple(headings(source)), entries=tuple(entries))
