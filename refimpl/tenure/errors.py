"""Problems of an input, worded so that its author can act on them."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from dataclasses import field as field_of_dataclass
from enum import StrEnum
from typing import Final


class ErrorCode(StrEnum):
    """The stable name of a kind of error; the JSON-lines oracle prints it as `error.code`."""

    BAD_INPUT = "bad-input"
    NOT_MODELLED = "not-modelled"
    UNKNOWN_CALL = "unknown-call"
    BAD_JSON = "bad-json"
    INTERNAL = "internal"


def in_text(character: str) -> str:
    """A character as Python escapes it in ASCII."""
    return ascii(character)[1:-1]


def safe(line: str, spell: Callable[[str], str] = in_text) -> str:
    r"""A line that no terminal and no log takes for more than it is: what is not printable is escaped.

    Args:
        line: text from anywhere.
        spell: escapes a character.

    >>> safe("é \x1b[2J\n::error::x")
    'é \\x1b[2J\\n::error::x'
    """
    if line.isprintable():
        return line
    return "".join(here if here.isprintable() else spell(here) for here in line)


_LONGEST_NAME: Final = 100
_MOST_NAMES: Final = 500
"""Names that are compared for each name of an input; comparing more costs more than a hint is worth."""


def close_name(
    name: object, known: Collection[str], most: int = _MOST_NAMES, cutoff: float = 0.75
) -> str | None:
    """The name that a misspelt one most likely means; None where none is near.

    Args:
        name: what was written.
        known: the names that there are.
        most: of more of them none is compared.
        cutoff: how alike they are at least, from 0 to 1.

    >>> close_name("Team-B", ["team-b", "team-a"]), close_name("x", ["team-a"])
    ('team-b', None)
    """
    if not isinstance(name, str) or len(name) > _LONGEST_NAME or len(known) > most:
        return None
    others = sorted(other for other in known if other != name)
    same = [other for other in others if other.lower() == name.lower()]
    return next(iter(same or difflib.get_close_matches(name, others, n=1, cutoff=cutoff)), None)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with one field of one object.

    Args:
        field: path of the field as Kubernetes writes it, `spec.resourceGroups[0].flavors[1].name`; empty
            when the whole object or file is meant.
        found: the value found, as it was written.
        expected: what would have been right.
        object: `ClusterQueue/team-a` or `Workload/ns/name`; empty when no object could be read.
        file: the file as the user named it; empty for objects that came from no file.
        code: what kind of error this is.
        unknown: of a field that the object's shape does not have, the keys and indices that lead to it.
        line: of the file, from 1, if reading it gave one; 0 otherwise.

    >>> print(Problem(field="spec.priority", found="'high'", expected="an integer", object="Workload/a/b"))
    Workload/a/b: spec.priority: found 'high', expected an integer
    """

    field: str
    found: str
    expected: str
    object: str = ""
    file: str = ""
    code: ErrorCode = ErrorCode.BAD_INPUT
    unknown: tuple[int | str, ...] = field_of_dataclass(default=(), compare=False, repr=False)
    line: int = 0

    def __str__(self) -> str:
        place = ": ".join(part for part in (self.file, self.object, self.field) if part)
        difference = f"found {self.found}, expected {self.expected}"
        return safe(f"{place}: {difference}" if place else difference)


class InputError(ValueError):
    """An input that cannot be decided. Carries every problem found, never only the first.

    >>> error = InputError([Problem(field="now", found="'soon'", expected="an RFC 3339 time")])
    >>> error.problems[0].field
    'now'
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        if not problems:
            raise ValueError("an InputError names at least one problem")
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def bad_input(field: str, found: object, expected: str, *, object: str = "", file: str = "") -> InputError:  # noqa: A002 - the Kubernetes word for the thing
    """An `InputError` of a single problem; `found` is shown as Python would write it."""
    return InputError([Problem(field=field, found=repr(found), expected=expected, object=object, file=file)])


def not_modelled(field: str, found: str, reason: str, *, object: str = "", file: str = "") -> InputError:  # noqa: A002 - as above
    """An `InputError` for a feature that decides in the real scheduler and that Tenure does not model yet."""
    return InputError(
        [
            Problem(
                field=field,
                found=found,
                expected=f"nothing here: {reason} is not modelled",
                object=object,
                file=file,
                code=ErrorCode.NOT_MODELLED,
            )
        ]
    )
