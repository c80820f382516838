"""TNL100: what is read first says it in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tools.lints.pages import findings, pages
from tools.lints.problem import Problem

READ_FIRST = ("README.md", "docs/index.md", "spec/glossary.md")
"""The pages of which every line is looked at."""

_INSTEAD = {
    "nobody": "no workload",
    "everybody": "every workload",
    "somebody": "a workload",
    "anybody": "any workload",
    "anew": "again",
    "own queue": "the preemptor's ClusterQueue",
    "in its turn": "when it is considered",
    "to the letter": "exactly as written",
    "is none": "is not one",
    "taken": "preempted",
}
_WORDS = re.compile(rf"\b({'|'.join(_INSTEAD)})\b", re.IGNORECASE)


def words(root: Path) -> Iterator[Problem]:
    """TNL100: titles and statements of rules, titles of findings, README, first page and glossary."""
    for page in (*pages(root), *findings(root)):
        for text in (page.title, page.statement):
            yield from _in(text, page.path, 1)
    for name in READ_FIRST:
        if (root / name).exists():
            for number, line in enumerate((root / name).read_text(encoding="utf-8").splitlines(), start=1):
                yield from _in(line, name, number)


def _in(text: str, path: str, line: int) -> Iterator[Problem]:
    for found in _WORDS.finditer(text):
        instead = _INSTEAD[found[0].lower()]
        yield Problem(path, line, "TNL100", f'"{found[0]}" is not a word of the glossary: say "{instead}"')
