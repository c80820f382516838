"""TNL100: what is read first says it in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tools.lints.pages import findings, pages
from tools.lints.problem import Problem, relative

READ_FIRST = ("README.md", "docs/index.md", "spec/glossary.md")
"""The pages of which every line is looked at, for every word."""
READ_LATER = (
    "docs/**/*.md",
    "spec/README.md",
    "spec/rules/*.md",
    "spec/findings/*.md",
    "examples/*/README.md",
    "CONTRIBUTING.md",
)
"""The pages of which the prose is looked at, for the words that no sentence needs."""
READ_IN_CODE = (
    "refimpl/**/*.py",
    "proofs/**/*.py",
    "docs/gen/*.py",
    "spec/*.toml",
    "spec/vectors/scenarios/*.yaml",
)
"""What prints, documents or titles something: looked at line by line, for the words that are never names."""

_NEVER = {
    "nobody": "no workload",
    "everybody": "every workload",
    "somebody": "a workload",
    "anybody": "any workload",
    "anew": "again",
    "in its turn": "when it is considered",
    "to the letter": "exactly as written",
    "own queue": "the preemptor's ClusterQueue",
}
_ON_PAGES = {
    **_NEVER,
    r"(?<!as it )(?<!as they )stands?(?! (?:in )?for\b)": "is, comes, applies",
    r"(?<!there )(?:is|are|was) none(?! of\b)": "is not one",
    r"makes? room": "frees enough quota",
}
"""Idioms stay: as it stands, stands for, there is none, is none of."""
_INSTEAD = {**_ON_PAGES, "taken": "preempted"}
_NO_PROSE = re.compile(r"^(```|\+\+\+$).*?^\1|^>.*?$|^ {4}.*?$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
"""Fenced blocks and front matter; quoted sentences of a source; commands; names in code."""


def words(root: Path) -> Iterator[Problem]:
    """TNL100: what is read first; the prose of other pages; what prints, documents or titles something."""
    for page in (*pages(root), *findings(root)):
        for text in (page.title, page.statement):
            yield from _in(text, page.path, _INSTEAD)
    for name, text in _files(root, READ_FIRST):
        yield from _in(text, name, _INSTEAD)
    for name, text in _files(root, READ_LATER):
        if name not in READ_FIRST:
            yield from _in(_NO_PROSE.sub(_blank, text), name, _ON_PAGES)
    for name, text in _files(root, READ_IN_CODE):
        if "/trusted/" not in name:
            yield from _in(text, name, _NEVER)


def _files(root: Path, patterns: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The names and texts of files."""
    for path in sorted(path for pattern in patterns for path in root.glob(pattern)):
        yield relative(path, root), path.read_text(encoding="utf-8")


def _blank(found: re.Match[str]) -> str:
    """As many empty lines, so that what follows keeps its number."""
    return "\n" * found[0].count("\n")


def _in(text: str, path: str, instead: Mapping[str, str]) -> Iterator[Problem]:
    found = {
        match.start(): (match[0], better)
        for word, better in instead.items()
        for match in re.finditer(rf"\b(?:{word})\b", text, re.IGNORECASE)
    }
    for start, (said, better) in sorted(found.items()):
        line = text.count("\n", 0, start) + 1
        yield Problem(path, line, "TNL100", f'"{said}" is not a word of the glossary: say "{better}"')
