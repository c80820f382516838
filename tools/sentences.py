"""The sentences of a proposal, in order: what there is to account for."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tenure.pages import joined

_FENCE = re.compile(r"^\s*```")
_HEADING = re.compile(r"^(#{1,6}) (.+?)\s*$")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?=\S)")
_RULER = re.compile(r"^\s*\|[\s:|-]+\|\s*$")
_END = re.compile(r"(?<=[.!?])[)\]\"'*_`]*(?P<gap>\s+)(?=[A-Z0-9`\"'(\[*])")
_ABBREVIATIONS = ("i.e.", "e.g.", "cf.", "vs.")
_TOC = ("<!-- toc -->", "<!-- /toc -->")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence, one line of code or one row of a table.

    Args:
        section: the heading that it is below, with its number signs.
        text: its words, any run of white space as one space.
        code: it is in a fenced block.
        line: where it begins, counted from 1.
    """

    section: str
    text: str
    code: bool
    line: int


def sentences(markdown: str) -> list[Sentence]:
    """Every sentence of a page, in order.

    Prose and comments in code are split at the ends of sentences; every other line of a fenced block and
    every row of a table is one. The table of contents repeats the headings and is left out, as is what
    holds no letter and no digit: a closing bracket, an ellipsis.

    >>> [sentence.text for sentence in sentences("# A\\n\\n- One, i.e. the\\n  first. `Two`.\\n")]
    ['One, i.e. the first.', '`Two`.']
    """
    reader = _Reader()
    for number, line in enumerate(_without_contents(markdown), start=1):
        reader.read(number, line)
    reader.flush()
    return [sentence for sentence in reader.found if re.search(r"\w", sentence.text)]


def headings(markdown: str) -> list[str]:
    """Every heading outside code, in order, with its number signs."""
    found: list[str] = []
    fenced = False
    for line in _without_contents(markdown):
        fenced ^= _FENCE.match(line) is not None
        heading = None if fenced else _HEADING.match(line)
        if heading is not None:
            found.append(heading[0].rstrip())
    return found


def fingerprint(text: str) -> str:
    """A short hash of a text's words.

    >>> fingerprint("two words") == fingerprint("two\\n  words")
    True
    """
    return hashlib.sha256(joined([text]).encode()).hexdigest()[:8]


def split(paragraph: str) -> list[str]:
    """The sentences of a paragraph. What is in backticks is not looked into.

    >>> split("It is so (see `a. B`). 2 more, e.g. Go's.")
    ['It is so (see `a. B`).', "2 more, e.g. Go's."]
    """
    text, start, parts = joined([paragraph]), 0, []
    for end in _END.finditer(text):
        before = text[start : end.start("gap")]
        if before.count("`") % 2 or before.endswith(_ABBREVIATIONS):
            continue
        parts.append(before)
        start = end.end("gap")
    return [*parts, text[start:]]


@dataclass(slots=True)
class _Reader:
    """Collects lines into paragraphs, and paragraphs into sentences."""

    section: str = ""
    fenced: bool = False
    paragraph: list[str] = field(default_factory=list)
    began: int = 0
    found: list[Sentence] = field(default_factory=list)

    def read(self, number: int, line: str) -> None:
        """Take the next line of the page."""
        if _FENCE.match(line):
            self.flush()
            self.fenced = not self.fenced
        elif self.fenced:
            self._read_code(number, line)
        else:
            self._read_prose(number, line)

    def flush(self) -> None:
        """End the paragraph."""
        for text in split(" ".join(self.paragraph)) if self.paragraph else ():
            self.found.append(Sentence(self.section, text, self.fenced, self.began))
        self.paragraph = []

    def _read_prose(self, number: int, line: str) -> None:
        heading = _HEADING.match(line)
        if heading is not None:
            self.flush()
            self.section = heading[0].rstrip()
        elif not line.strip() or _RULER.match(line):
            self.flush()
        elif line.lstrip().startswith("|"):
            self._whole(number, line)
        else:
            self._listed(number, line)

    def _read_code(self, number: int, line: str) -> None:
        comment = line.strip().removeprefix("//")
        if comment == line.strip() or comment.strip().startswith("+"):
            self._whole(number, line if comment == line.strip() else comment)
        else:
            self._listed(number, comment)

    def _whole(self, number: int, line: str) -> None:
        self.flush()
        if line.strip():
            self.found.append(Sentence(self.section, joined([line]), self.fenced, number))

    def _listed(self, number: int, line: str) -> None:
        if _ITEM.match(line):
            self.flush()
        line = _ITEM.sub("", line)
        self.began = self.began if self.paragraph else number
        self.paragraph.append(line)


def lines_of(texts: Iterable[str], markdown: str) -> list[int]:
    """Where each of some sentences begins on a page, counted from 1; 0 for one that the page does not say.

    Only letters and digits are compared: sentences have lost marks and line breaks.

    Args:
        texts: in the order of the page.
        markdown: the page.

    >>> lines_of(["One.", "Two words.", "Three."], "# A\\n\\nOne. Two\\n`words`.\\n")
    [3, 3, 0]
    """
    marks = [
        (letter, number)
        for number, line in enumerate(_without_contents(markdown), start=1)
        for letter in re.sub(r"[\W_]", "", line)
    ]
    page = "".join(letter for letter, _ in marks)
    found: list[int] = []
    reached = 0
    for text in texts:
        letters = re.sub(r"[\W_]", "", text)
        place = page.find(letters, reached)
        place = page.find(letters) if place < 0 else place
        reached = place + len(letters) if place >= 0 else reached
        found.append(marks[place][1] if place >= 0 else 0)
    return found


def _without_contents(markdown: str) -> Iterator[str]:
    """The lines; those of the contents, and the marks of a comment, as empty ones."""
    listed = False
    for line in markdown.splitlines():
        listed = (listed or line.strip() == _TOC[0]) and line.strip() != _TOC[1]
        yield "" if listed else re.sub(r"<!--|-->|<!-- /toc -->", "", line.replace(_TOC[1], ""))
