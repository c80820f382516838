"""TNL040: sentences that a page quotes are in the source that it names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tenure.pages import Line, Page, joined
from tools.lints.pages import findings, pages
from tools.lints.problem import Problem

_FROM = re.compile(r"^From (?P<file>\S+), (?P<section>.+):$")


@dataclass(frozen=True, slots=True)
class Quote:
    """A quoted passage and where it is said to be; `file` is empty when nothing is said."""

    text: str
    line: int
    file: str
    section: str


def seeds_folder(root: Path) -> Path:
    """Where the sources lie when they have been checked out beside the repository."""
    return root.resolve().parent / "shared" / "seeds"


def source_quotes(root: Path) -> Iterator[Problem]:
    """TNL040: every blockquote of a rule's Source and of a finding's What disagrees.

    Finds nothing where the sources are absent.
    """
    folder = seeds_folder(root)
    if not folder.is_dir():
        return
    for page in (*pages(root), *findings(root)):
        for quote in quotes_of(page):
            message = _wrong_with(quote, folder)
            if message is not None:
                yield Problem(page.path, quote.line, "TNL040", f"{page.id}: {message}")


def quotes_of(page: Page) -> Iterator[Quote]:
    """The passages that a page quotes from its source; an empty `>` line ends a passage."""
    file = section = ""
    passage: list[Line] = []
    for line in (*page.section("Source"), *page.section("What disagrees"), Line(0, "")):
        if line.text.startswith("> "):
            passage.append(line)
            continue
        if passage:
            yield Quote(joined([part.text[2:] for part in passage]), passage[0].number, file, section)
            passage = []
        named = _FROM.match(line.text)
        if named is not None:
            file, section = named["file"], named["section"]
        elif line.text and line.text != ">":
            file = section = ""


def _wrong_with(quote: Quote, folder: Path) -> str | None:
    if not quote.file:
        return f'"{quote.text}" is quoted from nowhere: put `From <file>, <section>:` before it'
    source = folder / quote.file
    if not source.is_file():
        return f"quotes {quote.file}, which is none of the sources"
    section = _section(source.read_text(encoding="utf-8"), quote.section)
    if section is None:
        return f'{quote.file} has no section "{quote.section}"'
    if quote.text not in section:
        return f'"{quote.text}" is not in {quote.file}, {quote.section}: quote it word for word'
    return None


def _section(text: str, title: str) -> str | None:
    """A section with everything below it, white space joined; None when there is none of this title."""
    level = 0
    found: list[str] = []
    for line in text.splitlines():
        heading = re.match(r"^(#+) (.+?)\s*$", line)
        if heading is not None and level and len(heading[1]) <= level:
            break
        if heading is not None and heading[2] == title:
            level = len(heading[1])
        elif level:
            found.append(line)
    return joined(found) if level else None
