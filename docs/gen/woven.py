"""What the words of a page refer to: our terms, proposals and issues become links at their first use."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Final

from docs.gen.elsewhere import documents, numbered
from docs.gen.markdown import outside
from docs.gen.sources import ROOT

GLOSSARY: Final = "reference/glossary.md"
TERMS: Final = {
    "Reading": r"readings|(?<=[Aa] )reading|(?<=[Tt]he )reading|(?<=every )reading|(?<=each )reading",
    "Vector": r"vectors?",
    "Obligation": r"obligations?",
    "Finding": r"findings?",
    "Mutant": r"mutants?",
    "Preemptor": r"preemptors?",
    "Flavor-resource": r"flavor-resources?",
    "Effective priority": r"effective priorit(?:y|ies)",
    "Quota reservation time": r"quota reservation time",
    "Fill-back": r"fill-back",
    "Dominant resource share, share": r"dominant resource shares?",
    "Hierarchical advantage": r"hierarchical advantage",
    "Divergence": r"divergences?",
}
"""Terms of the glossary that a reader may not know, and how they are found. The first use on a page is a link
with the first sentence of the definition as its tooltip."""

_WRITTEN_OUT = re.compile(r"^\*\*(?P<term>.+)\*\*\n: (?P<meaning>(?:.+\n?)+)", re.MULTILINE)
_APART = re.compile(
    r"(`+)(?:(?!\1).)*\1|!?\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])?(?:\{[^}]*\})?|<[^>]*>|\{[^}]*\}"
    r"|^[^\[\]]*\]\([^)]*\)|\[[^\]]*$"
)
"""Where no words are looked for: code, links, also those that go on on another line, tags, attributes."""
_UNREAD = ("#", ">", "<", "    ", ":::", "|--", "!", "|  |", "=", "???")


def woven(text: str, page: str) -> str:
    """A page with its links to the glossary, to proposals and to issues.

    Args:
        text: Markdown.
        page: its path below `docs/`.

    >>> print(woven("## A vector\\n\\nA vector `is a vector`, and a vector.", "rules/a.md").splitlines()[2])
    A [vector](@reference/glossary.md#vector "A portable test case") `is a vector`, and a vector.
    """
    seen: set[str] = set()
    return "\n".join(_lines(text.split("\n"), lambda part: numbered(_linked(part, page, seen))))


def defined(text: str) -> str:
    """The glossary with a fragment for each term.

    >>> defined("**Vector**\\n: A case.")
    '**Vector**{ #vector }\\n: A case.'
    """
    return _WRITTEN_OUT.sub(
        lambda found: f"**{found['term']}**{{ #{_fragment(found['term'])} }}\n: {found['meaning']}", text
    )


def _lines(lines: list[str], change: Callable[[str], str]) -> Iterator[str]:
    fence = ""
    fronted = lines[:1] == ["---"]
    for number, line in enumerate(lines):
        if fronted:
            fronted = not (number and line == "---")
            yield line
            continue
        mark = line.lstrip()[:3]
        if mark == "```":
            fence = "" if fence else mark
        yield line if fence or mark == "```" or line.startswith(_UNREAD) else outside(_APART, line, change)


def _linked(part: str, page: str, seen: set[str]) -> str:
    if page == GLOSSARY:
        return part
    places: list[tuple[int, int, str]] = []
    for name, pattern, address, title in _known():
        found = None if name in seen else pattern.search(part)
        if found is not None and not any(
            found.start() < end and start < found.end() for start, end, _ in places
        ):
            seen.add(name)
            places.append((*found.span(), f"[{found[0]}]({address}{title})"))
    for start, end, text in sorted(places, reverse=True):
        part = part[:start] + text + part[end:]
    return part


@cache
def _known() -> list[tuple[str, re.Pattern[str], str, str]]:
    """Everything that is linked at its first use: its name, how it is found, where it leads, its tooltip."""
    meanings = _meanings()
    terms = [
        (name, re.compile(rf"\b(?:{pattern})\b"), f"@{GLOSSARY}#{_fragment(name)}", f' "{meanings[name]}"')
        for name, pattern in TERMS.items()
    ]
    return terms + [
        (name, re.compile(rf"\b{name}\b"), address, ' "The proposal, on GitHub"')
        for name, address in documents().items()
    ]


def _meanings() -> dict[str, str]:
    """The first sentence of every definition, as a tooltip shows it."""
    text = (ROOT / "spec" / "glossary.md").read_text(encoding="utf-8")
    said = {found["term"]: " ".join(found["meaning"].split()) for found in _WRITTEN_OUT.finditer(text)}
    return {term: _shown(meaning) for term, meaning in said.items()}


def _shown(meaning: str) -> str:
    first = re.split(r"(?<=[.:]) ", meaning)[0]
    return first.replace('"', "'").replace("`", "").replace("*", "").rstrip(":")


def _fragment(term: str) -> str:
    return re.sub(r"\W+", "-", term.lower()).strip("-")
