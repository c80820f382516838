"""What is found wrong while manifests are read: errors, and what the scheduler only logs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeGuard

from tenure.errors import InputError, Problem
from tenure.manifests import Place
from tenure.manifests.limits import MAX_NAME


@dataclass(slots=True)
class Notes:
    """Problems end the reading once all objects are read; warnings do not.

    Args:
        problems: what cannot be decided about.
        warnings: what the scheduler goes on with, in words.
    """

    problems: list[Problem] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def refuse(self, place: Place, path: str, found: str, expected: str) -> None:
        """An error about a field of an object; `found` is shown as given."""
        self.problems.append(place.problem(path, found, expected))

    def take(self, place: Place, error: InputError) -> None:
        """The problems of a reader that knows the field and not the object."""
        self.problems += [place.problem(each.field, each.found, each.expected) for each in error.problems]

    def warn(self, place: Place, text: str) -> None:
        """Something that the scheduler logs, or does without a word."""
        self.warnings.append(": ".join(part for part in (place.file, place.object, text) if part))


def is_name(found: object) -> TypeGuard[str]:
    """Whether something may be the name of an object: a text that is not empty, not long, and can be printed.

    >>> is_name("team-a"), is_name(""), is_name("a\\n"), is_name(3)
    (True, False, False, False)
    """
    return isinstance(found, str) and 0 < len(found) <= MAX_NAME and found.isprintable()
