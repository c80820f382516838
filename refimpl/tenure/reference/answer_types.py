"""What `tenure show` answers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class IdentifierKind(StrEnum):
    """What an identifier names."""

    RULE = "rule"
    FINDING = "finding"
    OBLIGATION = "obligation"
    THEOREM = "theorem"
    READING = "reading"
    PRESET = "preset"
    VECTOR = "vector"
    DIVERGENCE = "divergence"
    PROPOSAL = "proposal"
    FIELD = "field"


@dataclass(frozen=True, slots=True)
class ExpectedVerdict:
    """What `tenure prove` must find; another verdict fails it, and the build."""

    reading: str
    """A preset, or one with single choices: `guaranteed+wake=events`."""
    verdict: str
    """`proved` or `refuted`."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the text."""

    heading: str
    """Its text."""
    text: str
    """Lines of Markdown, or of code."""


@dataclass(frozen=True, slots=True)
class Related:
    """Something else that has an identifier."""

    relation: str
    """How it belongs here: `Uses`, `Vectors that accept`."""
    id: str
    """Its identifier; `tenure show` takes it."""
    text: str
    """Its text, in a line."""
    expected: tuple[ExpectedVerdict, ...] = ()
    """Of an obligation."""


@dataclass(frozen=True, slots=True)
class Card:
    """The entry of the specification for one identifier."""

    id: str
    """The identifier."""
    kind: IdentifierKind
    """What it names."""
    title: str
    """In a line."""
    source: str
    """Where it comes from: a section of a proposal or of Kueue, or a scheduler's releases."""
    file: str
    """The file that states it, below the installed packages or below their specification."""
    address: str | None
    """Its page: of the site, where TENURE_SITE says where that is, else of this installation; null where it
    has none."""
    expected: tuple[ExpectedVerdict, ...]
    """Of an obligation."""
    sections: tuple[Section, ...]
    """Statement, rationale, code and the rest, in order."""
    related: tuple[Related, ...]
    """What it belongs together with, in order."""
    replay: tuple[str, ...]
    """Commands that run, play or prove it."""


@dataclass(frozen=True, slots=True)
class ListedIdentifier:
    """One of all identifiers."""

    id: str
    """The identifier."""
    kind: IdentifierKind
    """What it names."""
    title: str
    """In a line."""


@dataclass(frozen=True, slots=True)
class CardList:
    """Everything that can be looked up."""

    identifiers: tuple[ListedIdentifier, ...]
    """By kind, in the order of the identifiers."""
