"""For the API pages: examples in docstrings are shown as code, not as Markdown quotes of quotes."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import griffe


class FencedDoctests(griffe.Extension):
    """Puts a fence around every doctest before a docstring is read as Markdown."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called by griffe for every module, class, function and attribute."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(docstring: str) -> str:
    """A docstring with its doctests as blocks of code.

    >>> fenced("One.\\n\\n>>> 1\\n1").splitlines()
    ['One.', '', '```pycon', '>>> 1', '1', '```']
    """
    paragraphs = groupby(docstring.splitlines(), key=lambda line: bool(line.strip()))
    lines: list[str] = []
    for _, group in paragraphs:
        block = list(group)
        lines += ["```pycon", *block, "```"] if block[0].lstrip().startswith(">>> ") else block
    return "\n".join(lines)
