"""Markdown that the generated pages have in common: tables, code, and identifiers that are links."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TypeAlias

from docs.gen.sources import places
from tenure.pages import IDENTIFIER, anchor

Pages: TypeAlias = dict[str, str]
"""Markdown by path below `docs/`."""

Fills: TypeAlias = dict[str, dict[str, str]]
"""For a written page, by its path below `docs/`: Markdown by the name of the marker that it replaces."""

UNSEARCHED = " { data-search-exclude }"
"""Behind a heading: what is below it is not searched."""

_FENCE = "```"
_KEPT = re.compile(r"(`+)(?:(?!\1).)*\1|\[[^\]]*\]\([^)]*\)", re.DOTALL)
"""Code, and what is a link already."""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a bar inside a cell is escaped, a line break becomes a space.

    >>> print(table(["a", "b"], [["1", "x | y"]]))
    | a | b |
    |---|---|
    | 1 | x \\| y |
    """
    lines = [_row(head), "|" + "---|" * len(head), *(_row(row) for row in rows)]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    escaped = (cell.replace("\n", " ").replace("|", r"\|") for cell in cells)
    return "| " + " | ".join(escaped) + " |"


def filled(text: str, parts: Mapping[str, str]) -> str:
    """A written page with its generated parts.

    Args:
        text: Markdown with markers, `<!-- rules -->`.
        parts: what takes the place of each marker.

    Raises:
        ValueError: a marker of `parts` is not in the page exactly once.

    >>> filled("Before. <!-- rules -->", {"rules": "After."})
    'Before. After.'
    """
    for name, part in parts.items():
        marker = f"<!-- {name} -->"
        if text.count(marker) != 1:
            raise ValueError(f"the page says {marker} {text.count(marker)} times, not once")
        text = text.replace(marker, part)
    return text


def code(language: str, text: str) -> str:
    """A fenced block."""
    return f"```{language}\n{text.rstrip()}\n```"


def folded(summary: str, parts: Iterable[str]) -> str:
    """Parts of a page that are shown when a reader asks for them.

    >>> print(folded("Two claims", ["A.", "B."]))
    ??? note "Two claims"
    <BLANKLINE>
        A.
    <BLANKLINE>
        B.
    """
    inside = "\n\n".join(parts).replace("\n", "\n    ").replace("\n    \n", "\n\n")
    return f'??? note "{summary}"\n\n    {inside}'


def heading(level: int, text: str, identifier: str) -> str:
    """A heading with a fragment that is made from an identifier, so that links do not depend on its words."""
    return f"{'#' * level} {text} {{#{anchor(identifier)}}}"


def at(identifier: str) -> str:
    """Where an identifier is explained, as `placed` reads it."""
    return f"@{places()[identifier]}"


def placed(text: str, page: str) -> str:
    """A page whose links to `@`, the top of `docs/`, lead there; one to the page itself is its words alone.

    A link to a fragment of the page stays a link.

    Args:
        text: Markdown, or HTML, whose links see each page as a folder.
        page: its path below `docs/`.

    >>> placed('[TBP-020](@rules/TBP-020.md){ .id } <a href="@playground/">', "proofs/obligations.md")
    '[TBP-020](../rules/TBP-020.md){ .id } <a href="../../playground/">'
    >>> placed("[TBP-020](@rules/TBP-020.md){ .id }", "rules/TBP-020.md")
    'TBP-020'
    """
    up = "../" * (len(PurePosixPath(page).parts) - 1)
    folder = up if page.endswith("index.md") else f"../{up}"
    itself = re.escape(page)
    text = re.sub(rf"(?<!!)\[([^\]]*)\]\(@{itself}\)(?:{{ \.id }})?", r"\1", text)
    text = re.sub(rf"(?<!!)\]\(@{itself}#", "](#", text)
    return text.replace("](@", f"]({up}").replace('="@', f'="{folder}')


def link(identifier: str) -> str:
    """An identifier as a link, or as it is where nothing explains it."""
    if identifier not in places():
        return identifier
    # Words and names of vectors may be wider than a phone; an identifier is one short word.
    style = "" if {"/", " "} & {*identifier} else "{ .id }"
    return f"[{identifier}]({at(identifier)}){style}"


def verdict(word: str) -> str:
    """An outcome as the style sheet knows it.

    >>> verdict("proved")
    '**proved**{ .proved }'
    """
    return f"**{word}**{{ .{word} }}"


def linked(text: str) -> str:
    """A text in which every identifier of a rule, an obligation or a finding is a link.

    Headings, code, links and indented blocks stay as they are.

    >>> linked("see TBP-020, not `TBP-020`")
    'see [TBP-020](@rules/TBP-020-time-expired.md){ .id }, not `TBP-020`'
    >>> linked("see [TBP-020](c.md)")
    'see [TBP-020](c.md)'
    """
    lines: list[str] = []
    fenced = False
    for line in text.splitlines():
        fenced ^= line.startswith(_FENCE)
        kept = fenced or line.startswith((_FENCE, "#", "    "))
        lines.append(line if kept else outside(_KEPT, line, lambda part: IDENTIFIER.sub(_link, part)))
    return "\n".join(lines)


def _link(found: re.Match[str]) -> str:
    return link(found[0])


def outside(kept: re.Pattern[str], line: str, change: Callable[[str], str]) -> str:
    """A line, changed where a pattern does not match."""
    parts: list[str] = []
    end = 0
    for found in kept.finditer(line):
        parts += [change(line[end : found.start()]), found[0]]
        end = found.end()
    return "".join([*parts, change(line[end:])])


def sentence(words: str) -> str:
    """A claim's words with a capital.

    >>> sentence("an expired equal can be preempted")
    'An expired equal can be preempted'
    """
    return words[:1].upper() + words[1:]
