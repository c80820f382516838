"""TNL100: what is read first says it in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
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
)
"""The pages of which the prose is looked at, for the words that no sentence needs."""

_NEVER = {
    "nobody": "no workload",
    "everybody": "every workload",
    "somebody": "a workload",
    "anybody": "any workload",
    "anew": "again",
    "in its turn": "when it is considered",
    "to the letter": "exactly as written",
}
_INSTEAD = {
    **_NEVER,
    "own queue": "the preemptor's ClusterQueue",
    "is none": "is not one",
    "taken": "preempted",
}
_NO_PROSE = re.compile(r"^(```|\+\+\+$).*?^\1|^>.*?$|^ {4}.*?$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
"""Fenced blocks and front matter; quoted sentences of a source; commands; names in code."""


def words(root: Path) -> Iterator[Problem]:
    """TNL100: titles and statements, README, first page and glossary; and the prose of all other pages."""
    for page in (*pages(root), *findings(root)):
        for text in (page.title, page.statement):
            yield from _in(text, page.path, _INSTEAD)
    for name in READ_FIRST:
        if (root / name).exists():
            yield from _in((root / name).read_text(encoding="utf-8"), name, _INSTEAD)
    for path in sorted(path for pattern in READ_LATER for path in root.glob(pattern)):
        if (name := relative(path, root)) not in READ_FIRST:
            yield from _in(_NO_PROSE.sub(_blank, path.read_text(encoding="utf-8")), name, _NEVER)


def _blank(found: re.Match[str]) -> str:
    """As many empty lines, so that what follows keeps its number."""
    return "\n" * found[0].count("\n")


def _in(text: str, path: str, instead: Mapping[str, str]) -> Iterator[Problem]:
    for found in re.finditer(rf"\b({'|'.join(instead)})\b", text, re.IGNORECASE):
        line, better = text.count("\n", 0, found.start()) + 1, instead[found[0].lower()]
        yield Problem(path, line, "TNL100", f'"{found[0]}" is not a word of the glossary: say "{better}"')
