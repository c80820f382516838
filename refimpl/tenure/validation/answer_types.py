"""What the call `validate` and `tenure validate` answer. JSON has the same fields with camelCase names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from tenure.as_json import KueueRelease
from tenure.validation.faults import ErrorType, Notice, Source, WarningType


@dataclass(frozen=True)
class FoundEntry:
    """What was found."""

    object: str
    """Kind, name space where there is one, name; empty where the object has none."""
    field: str
    """Path of the field, in the API version that the user wrote; empty for the whole object."""
    type: ErrorType | WarningType
    """Why."""
    message: str
    """What was found, what would be right, what to do."""
    source: Source
    """The source of the message."""


@dataclass(frozen=True)
class RefusedEntry(FoundEntry):
    """What an API server would refuse."""

    type: ErrorType
    """Why, in the words of Kubernetes."""


@dataclass(frozen=True)
class WarnedEntry(FoundEntry):
    """What is legal but dangerous."""

    type: WarningType
    """Why it is hardly what was meant."""


@dataclass(frozen=True, slots=True)
class ValidateOutput:
    """What is wrong with objects."""

    errors: tuple[RefusedEntry, ...]
    """In the order of the objects."""
    warnings: tuple[WarnedEntry, ...]
    """In the order of the objects."""


@dataclass(frozen=True)
class InFile:
    """Where it was read."""

    file: str
    """The file as the user named it, stdin for standard input."""


@dataclass(frozen=True)
class RefusedIn(RefusedEntry, InFile):
    """What an API server would refuse, and where it was read."""


@dataclass(frozen=True)
class WarnedIn(WarnedEntry, InFile):
    """What is legal but dangerous, and where it was read."""


@dataclass(frozen=True, slots=True)
class ProposedIn:
    """A field that no release of Kueue has."""

    file: str
    """The file as the user named it, stdin for standard input."""
    object: str
    """Kind and name."""
    field: str
    """Path of the field."""
    proposal: str
    """The proposal that adds it."""


@dataclass(frozen=True, slots=True)
class ManifestsAnswer:
    """What the schema, Kueue's webhooks and the proposals refuse, and what they accept that is dangerous or
    without effect."""

    valid: bool
    """Whether there is no error."""
    checked: Annotated[int, Field(ge=0)]
    """How many objects were checked."""
    ignored: Annotated[int, Field(ge=0)]
    """How many objects were of other kinds."""
    sets: tuple[str, ...]
    """The folders that are not applied together and have objects of one name; empty where all is one set."""
    kueue: KueueRelease
    """The release of Kueue of the answer, `0.19`; `0.19+proposals` with all that the proposals add."""
    proposed: tuple[ProposedIn, ...]
    """The fields that no release of Kueue has, in the order of the objects; errors with --kueue."""
    errors: tuple[RefusedIn, ...]
    """In the order of the objects."""
    warnings: tuple[WarnedIn, ...]
    """In the order of the objects."""


def about(notice: Notice) -> dict[str, Any]:
    """What entries about errors and warnings have in common."""
    return {
        "object": notice.object,
        "field": notice.field,
        "message": notice.message,
        "source": Source(notice.source),
    }
