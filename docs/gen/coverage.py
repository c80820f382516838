"""One page for each source, sentence by sentence, and the list of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from docs.gen.elsewhere import commit_of, line_of
from docs.gen.markdown import Fills, Pages, link, linked, table
from docs.gen.sources import ROOT
from tools.accounts import REASONS, CoveragePage, Entry, coverage_pages
from tools.lints.known import readings

COVERAGE = "coverage/index.md"
READINGS_PAGE = "reference/readings.md"
KINDS = {
    "rule": "a rule",
    "validation": "what validation says",
    "effect": "what the cluster would show",
    "manifest": "how manifests are read",
    "reading": "a key of the readings",
    "obligation": "a proof obligation",
    "vector": "a vector",
    "scenario": "a scenario over time",
    "finding": "a finding",
    "not normative": "not normative, for a reason given",
    "process": "about the proposal's own making, tests or release",
}
"""Every kind of account, in words."""
_ELSEWHERE: Final = re.compile(r"\[([^\]]*)\]\([^)\s]+\)")
_CODE = {"validation", "effect", "manifest", "scenario"}
_LINKED = {"rule", "finding", "obligation", "vector"}


def coverage_site() -> Pages:
    """One page for each source."""
    return {f"coverage/{page.name}": "\n\n".join(_sections(page)) + "\n" for page in coverage_pages(ROOT)}


def coverage_list() -> Fills:
    """How many sentences of each source have which kind of account."""
    found = list(coverage_pages(ROOT))
    # A sentence counts once for each kind.
    counts = [
        Counter(kind for entry in page.entries for kind in {kind for kind, _ in entry.references()})
        for page in found
    ]
    rows = [[words, *(str(count[kind]) for count in counts)] for kind, words in KINDS.items()]
    rows.insert(0, ["sentences", *(str(len(page.entries)) for page in found)])
    heads = [f"[{page.title}]({page.name})" for page in found]
    return {COVERAGE: {"coverage": table(["", *heads], rows) if found else "None yet."}}


def _sections(page: CoveragePage) -> Iterator[str]:
    lines = dict(zip((entry.id for entry in page.entries), page.front.get("lines", ()), strict=False))
    for heading in page.headings:
        yield heading
        if heading.startswith("# ") and "document" in page.front:
            yield _read_from(page)
        if heading.startswith("# ") and "excerpts" in page.front:
            yield str(page.front["excerpts"])
        rows = [
            [_number(page, entry.id, lines), _sentence(entry), _account(entry)]
            for entry in page.entries
            if entry.sentence.section == heading
        ]
        if rows:
            yield table(["", "Sentence", "What it is"], rows)


def _read_from(page: CoveragePage) -> str:
    """Where the source can be read, and whether that is the revision of the sentences."""
    number = str(page.front.get("discussion", "")).rpartition("/")[2]
    words, address = f"commit `{commit_of(page)[:7]}`", page.front["document"]
    discussed = (
        f"; discussed in [pull request {number}]({page.front['discussion']})"
        if "discussion" in page.front
        else ""
    )
    earlier = (
        " Some sentences are of an earlier revision of the proposal, and link its discussion."
        if 0 in page.front["lines"]
        else ""
    )
    return f"The source, at [{words}]({address}){discussed}. Each number leads to its line.{earlier}"


def _number(page: CoveragePage, identifier: str, lines: Mapping[str, int]) -> str:
    if "document" not in page.front:
        return identifier
    words, address = line_of(page, lines[identifier])
    return f'[{identifier}]({address} "{words}")'


def _sentence(entry: Entry) -> str:
    """The sentence as it reads; where the source links elsewhere the table does not."""
    text = entry.sentence.text
    return f"`` {text} ``" if entry.sentence.code else _ELSEWHERE.sub(r"\1", text)


def _account(entry: Entry) -> str:
    named = list(entry.references())
    said = [_reference(kind, name) for kind, name in named]
    return "<br>".join([*said, *(linked(note) for note in entry.notes)])


def _reference(kind: str, name: str) -> str:
    if kind in REASONS:
        return f"*{kind}*: {linked(name)}"
    if kind == "reading" and name in readings(ROOT):
        return f"reading [`{name}`](@{READINGS_PAGE}#{name})"
    if kind in _LINKED:
        return link(name)
    return f"{kind} `{name}`" if kind in _CODE else f"{kind} {name}"
