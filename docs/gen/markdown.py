"""Markdown that the generated pages have in common: tables, code, and identifiers that are links."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TypeAlias

from tenure.pages import IDENTIFIER, anchor

Pages: TypeAlias = dict[str, str]
"""Markdown by path below `docs/`."""

Fills: TypeAlias = dict[str, dict[str, str]]
"""For a written page, by its path below `docs/`: Markdown by the name of the marker that it replaces."""

Places: TypeAlias = dict[str, str]
"""Where an identifier is explained, below `docs/`: `TBP-020` in `rules/TBP-020-time-expired.md`."""

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


def heading(level: int, text: str, identifier: str, *, searched: bool = True) -> str:
    """A heading with a fragment of its own, so that links do not depend on its words.

    Args:
        level, text: of the heading.
        identifier: what the fragment is made from.
        searched: whether a search looks into what is below it.
    """
    return f"{'#' * level} {text} {{#{anchor(identifier)}{'' if searched else ' data-search-exclude'}}}"


def relative(place: str, page: str) -> str:
    """A place below `docs/` as a link from a page.

    >>> relative("rules/TBP-020-time-expired.md", "proofs/obligations.md")
    '../rules/TBP-020-time-expired.md'
    """
    up = len(PurePosixPath(page).parts) - 1
    return "../" * up + place


def link(identifier: str, places: Places, page: str) -> str:
    """An identifier as a link, or as it is where nothing explains it or the page itself does."""
    place = places.get(identifier)
    if place is None or place.split("#")[0] == page:
        return identifier
    # Words and names of vectors may be wider than a phone; an identifier is one short word.
    style = "" if {"/", " "} & {*identifier} else "{ .id }"
    return f"[{identifier}]({relative(place, page)}){style}"


def verdict(word: str) -> str:
    """An outcome as the style sheet knows it.

    >>> verdict("proved")
    '**proved**{ .proved }'
    """
    return f"**{word}**{{ .{word} }}"


def linked(text: str, places: Places, page: str) -> str:
    """A text in which every identifier of a rule, an obligation or a finding is a link.

    Headings, code, links and indented blocks stay as they are.

    >>> linked("see TBP-020, not `TBP-020`", {"TBP-020": "rules/a.md"}, "b.md")
    'see [TBP-020](rules/a.md){ .id }, not `TBP-020`'
    >>> linked("see [TBP-020](c.md)", {"TBP-020": "rules/a.md"}, "b.md")
    'see [TBP-020](c.md)'
    """
    lines: list[str] = []
    fenced = False
    for line in text.splitlines():
        fenced ^= line.startswith(_FENCE)
        kept = fenced or line.startswith((_FENCE, "#", "    "))
        lines.append(line if kept else _outside_code(line, lambda part: _link_all(part, places, page)))
    return "\n".join(lines)


def _link_all(text: str, places: Places, page: str) -> str:
    return IDENTIFIER.sub(lambda found: link(found[0], places, page), text)


def _outside_code(line: str, change: Callable[[str], str]) -> str:
    parts: list[str] = []
    end = 0
    for found in _KEPT.finditer(line):
        parts += [change(line[end : found.start()]), found[0]]
        end = found.end()
    return "".join([*parts, change(line[end:])])


def sentence(words: str) -> str:
    """A claim's words with a capital.

    >>> sentence("an expired equal can be preempted")
    'An expired equal can be preempted'
    """
    return words[:1].upper() + words[1:]
