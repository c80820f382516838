"""TNL090: every sentence of a source is accounted for, and what accounts for it exists."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import TypeAlias

from tools.accounts import COVERAGE, REASONS, UNACCOUNTED, CoveragePage, Entry, coverage_pages
from tools.lints.known import KINDS, readings
from tools.lints.pages import findings
from tools.lints.problem import Problem
from tools.lints.quotes import seeds_folder
from tools.lints.sources import SOURCES, Source
from tools.sentences import Sentence, fingerprint, headings, lines_of, sentences

_NORMATIVE = re.compile(
    r"\b(must|should|can|cannot|can't)\b|[<>]=?|(?<=\s)=(?=\s)|\b(min|max|ceil|floor)\(", re.I
)
_SHOWN = 70

_Marked: TypeAlias = tuple[int, str]


def coverage(root: Path) -> Iterator[Problem]:
    """TNL090: references, hashes, gaps, and the sources' own sentences.

    Where the sources do not lie beside the repository, the last is not compared; nor on a page of excerpts.
    """
    found = list(coverage_pages(root))
    everything = {kind: names(root) for kind, names in KINDS.items()}
    for page in found:
        messages = [
            *_doubled(page),
            *((entry.sentence.line, m) for entry in page.entries for m in _wrong_with(entry, everything)),
            *_against_source(page, root),
            *_lines(page, root),
        ]
        for line, message in messages:
            yield Problem(page.path, line, "TNL090", message)
    yield from _without_page(found, everything["rule"])
    yield from _gaps(root, found, everything["rule"])


def _without_page(found: list[CoveragePage], rules: set[str]) -> Iterator[Problem]:
    for source in SOURCES:
        covered = any(page.front.get("prefix") == source.prefix for page in found)
        if not covered and any(rule.startswith(source.family) for rule in rules):
            message = f"no page accounts for {source.name}, which the rules {source.family}-… are from"
            yield Problem(COVERAGE.as_posix(), 1, "TNL090", message)


def _doubled(page: CoveragePage) -> Iterator[_Marked]:
    for identifier, times in Counter(entry.id for entry in page.entries).items():
        if times > 1:
            yield 1, f"{identifier} is issued {times} times: give one of them the next free number"


def _wrong_with(entry: Entry, known: dict[str, set[str]]) -> Iterator[str]:
    mark = fingerprint(entry.sentence.text)
    if entry.hash != mark:
        yield f"{entry.id}: the hash is {entry.hash}, that of the sentence is {mark}; one of them was changed"
    if entry.account == UNACCOUNTED:
        yield f"{entry.id}: {_shown(entry.sentence.text)} has no account: say which rule, or why none"
        return
    for kind, name in entry.references():
        message = _wrong_reference(entry, kind, name, known)
        if message is not None:
            yield f"{entry.id}: {message}"


def _wrong_reference(entry: Entry, kind: str, name: str, known: dict[str, set[str]]) -> str | None:
    if kind in REASONS:
        normative = _NORMATIVE.search(entry.sentence.text)
        if kind == "not normative" and normative is not None:
            return f'says "{normative[0]}", and so is normative: name its rule, error, effect or finding'
        return None if name else f"{kind} needs a reason"
    if kind not in KINDS:
        return f"{kind!r} is no kind of account; there are {', '.join([*KINDS, *REASONS])}"
    return None if name in known.get(kind, {name}) else f"names {kind} {name}, which does not exist"


def _against_source(page: CoveragePage, root: Path) -> Iterator[_Marked]:
    if "excerpts" in page.front or not seeds_folder(root).is_dir():
        return
    source = seeds_folder(root) / str(page.front.get("source"))
    if not source.is_file():
        yield 1, f"accounts for {page.front.get('source')}, which is none of the sources"
        return
    text = source.read_text(encoding="utf-8")
    if list(page.headings) != headings(text):
        yield 1, f"the headings are not those of {source.name}"
    yield from _differences(page, sentences(text), source.name)
    yield from _told_again(page, sentences(text), seeds_folder(root))


def _lines(page: CoveragePage, root: Path) -> Iterator[_Marked]:
    """Where the sentences are in the document that the site links; that of another revision lacks some."""
    lines = page.front.get("lines", [0] * len(page.entries))
    source = seeds_folder(root) / str(page.front.get("source"))
    if len(lines) != len(page.entries):
        yield 1, f"has {len(page.entries)} sentences and {len(lines)} lines"
    elif 0 not in lines and source.is_file():
        there = lines_of([entry.sentence.text for entry in page.entries], source.read_text(encoding="utf-8"))
        for entry, said, line in zip(page.entries, lines, there, strict=True):
            if said != line:
                yield entry.sentence.line, f"{entry.id} is on line {line} of {source.name}, not on {said}"


def _told_again(page: CoveragePage, there: list[Sentence], folder: Path) -> Iterator[_Marked]:
    """Another form of a source has its letters and digits. It may have lost marks, and have words twice."""
    again = page.front.get("again")
    if again is None:
        return
    if not (folder / str(again)).is_file():
        yield 1, f"accounts for {again} too, which is none of the sources"
        return
    told, so_far = _letters((folder / str(again)).read_text(encoding="utf-8")), ""
    for sentence in there:
        words = _letters(sentence.text)
        before, _, rest = told.partition(words)
        if before not in so_far or len(before) == len(told):
            yield 1, f"{again} parts from {page.front.get('source')} at {_shown(sentence.text)}"
            return
        told, so_far = rest, so_far + words
    if told not in so_far:
        yield 1, f"{again} goes on where {page.front.get('source')} has ended"


def _differences(page: CoveragePage, there: list[Sentence], source: str) -> Iterator[_Marked]:
    here = [_key(entry.sentence) for entry in page.entries]
    matcher = SequenceMatcher(None, here, [_key(sentence) for sentence in there], autojunk=False)
    for tag, first, last, begin, end in matcher.get_opcodes():
        if tag == "equal":
            continue
        for entry in page.entries[first:last]:
            yield (
                entry.sentence.line,
                f"{entry.id}: {_shown(entry.sentence.text)} is not in {source} in this place",
            )
        line = page.entries[min(first, len(page.entries) - 1)].sentence.line if page.entries else 1
        for sentence in there[begin:end]:
            yield (
                line,
                f"{source}:{sentence.line}: {_shown(sentence.text)} is not accounted for in this place",
            )


def _gaps(root: Path, found: list[CoveragePage], rules: set[str]) -> Iterator[Problem]:
    covered = {reference for page in found for entry in page.entries for reference in entry.references()}
    for path, kind, name in _wanted(root, found, rules):
        if (kind, name) not in covered:
            yield Problem(path, 1, "TNL090", f"{kind} {name} is named by no sentence of its source")


def _wanted(root: Path, found: list[CoveragePage], rules: set[str]) -> Iterator[tuple[str, str, str]]:
    """What some sentence must name: where, which kind, which name."""
    pages = {str(page.front.get("prefix")): page.path for page in found}
    for source in SOURCES:
        if source.prefix in pages:
            yield from ((pages[source.prefix], kind, name) for kind, name in _demanded(root, source, rules))
    for page in findings(root):
        # Kueue's own behaviour has no sentences.
        if not str(page.front.get("source")).startswith("Kueue "):
            yield page.path, "finding", page.id


def _demanded(root: Path, source: Source, rules: set[str]) -> Iterator[tuple[str, str]]:
    yield from (("rule", name) for name in sorted(rules) if name.startswith(source.family))
    yield from (("reading", key) for key, text in readings(root).items() if source.is_named_in(text))


def _letters(text: str) -> str:
    r"""The letters and digits of a text alone.

    >>> _letters("1. `a-b`\n- C")
    '1abC'
    """
    return re.sub(r"[\W_]", "", text)


def _key(sentence: Sentence) -> tuple[str, str]:
    return sentence.section, sentence.text


def _shown(text: str) -> str:
    return f'"{text}"' if len(text) <= _SHOWN else f'"{text[:_SHOWN]}…"'
