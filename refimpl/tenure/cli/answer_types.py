"""What the commands about vectors, examples and schemas write: JSON objects, and what each field means."""

from __future__ import annotations

from typing import Annotated, NotRequired

from pydantic import Field
from typing_extensions import TypedDict  # Python 3.11 has one that pydantic does not read

HowMany = Annotated[int, Field(ge=0)]
"""A count."""


class VectorRun(TypedDict):
    """A vector that was run."""

    id: str
    """Identifier of the vector."""
    comment: str
    """Why it exists."""
    passed: bool
    """Whether the answer is that of the vector."""
    differences: list[str]
    """What the answer has otherwise."""


class VectorsRun(TypedDict):
    """Of tenure vectors run."""

    passed: HowMany
    """How many vectors passed."""
    failed: HowMany
    """How many differ."""
    vectors: list[VectorRun]
    """Each of them."""


class VectorsChecked(TypedDict):
    """Of tenure vectors check."""

    wellFormed: bool
    """Whether there is no problem."""
    problems: list[str]
    """In words."""
    vectors: NotRequired[HowMany]
    """How many there are, where they are well-formed."""
    files: NotRequired[HowMany]
    """In how many files, likewise."""


class VectorsFormatted(TypedDict):
    """Of tenure vectors format."""

    formatted: list[str]
    """Names of the files that were rewritten."""


class VectorAdded(TypedDict):
    """Of tenure vectors add."""

    addedTo: str
    """The file that holds the new vector."""


VectorsAnswer = VectorsRun | VectorsChecked | VectorsFormatted | VectorAdded


class Titled(TypedDict):
    """One that comes with Tenure."""

    name: str
    """As the command takes it."""
    title: str
    """What it is about."""


class ExamplesListed(TypedDict):
    """Of tenure example."""

    examples: list[Titled]
    """The bundled examples."""


class ExampleDescribed(Titled):
    """Of tenure example NAME."""

    files: list[str]
    """Names of its files."""
    readme: str
    """Its README.md."""


class ExampleCopied(TypedDict):
    """Of tenure example NAME --to FOLDER."""

    copiedTo: str
    """The new folder, as it was named."""
    files: list[str]
    """Names of its files."""


ExampleAnswer = ExamplesListed | ExampleDescribed | ExampleCopied


class ScenariosListed(TypedDict):
    """The bundled scenarios."""

    scenarios: list[Titled]
    """By name."""


class SchemasListed(TypedDict):
    """The published schemas."""

    schemas: list[Titled]
    """By name."""
