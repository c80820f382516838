"""What is public, in the groups of the page that says how long it stays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from docs.gen.markdown import Fills, table
from tools.surface import present

PAGE: Final = "reference/stability.md"

_GROUPS: Final = (
    ("Commands", ("command",)),
    ("Exit codes", ("exit-code",)),
    ("Calls of the oracle", ("call",)),
    ("Codes of its errors", ("error-code",)),
    ("Schemas", ("schema",)),
    ("Readings", ("preset", "reading")),
    ("Programs, extras, plugin of pytest", ("program", "extra", "pytest-plugin")),
    ("Inputs and outputs of the Action", ("action-input", "action-output")),
    ("Hooks of pre-commit", ("hook",)),
    ("Examples", ("example",)),
)
_COUNTED: Final = (
    ("option", "options"),
    ("field", "fields of schemas"),
    ("rule", "rules"),
    ("obligation", "obligations"),
    ("theorem", "theorems"),
    ("finding", "findings"),
    ("divergence", "divergences"),
    ("vector", "vectors"),
)


def relied_on() -> Fills:
    """The table of all names but those that have pages of their own, which are counted."""
    lines = present()
    return {PAGE: {"surface": "\n\n".join(_parts(lines))}}


def _parts(lines: Sequence[str]) -> Iterator[str]:
    yield table(["What", "Names"], [[title, _names(lines, kinds)] for title, kinds in _GROUPS])
    yield table(["Module", "Names"], list(_modules(lines)))
    counted = ", ".join(f"{sum(_kind(line) == kind for line in lines):,} {words}" for kind, words in _COUNTED)
    yield f"Beside them: {counted}."


def _kind(line: str) -> str:
    return line.partition(" ")[0]


def _names(lines: Sequence[str], kinds: Sequence[str]) -> str:
    return ", ".join(f"`{line.partition(' ')[2]}`" for line in lines if _kind(line) in kinds)


def _modules(lines: Sequence[str]) -> Iterator[list[str]]:
    """Public functions and classes by module; parameters and members of classes are on their own pages."""
    found: dict[str, list[str]] = {}
    for line in lines:
        kind, _, path = line.partition(" ")
        holder, _, name = path.rpartition(".")
        if kind == "python" and holder == holder.lower() and "(" not in path:
            found.setdefault(holder, []).append(name)
    for holder, names in found.items():
        yield [f"`{holder}`", ", ".join(f"`{name}`" for name in names)]
