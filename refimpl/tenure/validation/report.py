"""What a validation found."""

from __future__ import annotations

from dataclasses import dataclass

from tenure.validation.faults import ErrorType, Fault, Source
from tenure.validation.subject import Subject


@dataclass(frozen=True, slots=True)
class Notice:
    """An error or a warning, with the object that it is about.

    Args:
        object: `ClusterQueue/team-a` or `Workload/ns/name`.
        field: path of the field, in the API version that the user wrote; empty for the whole object.
        type: a word of `ErrorType` or of `WarningType`.
        message: what was found, what would be right, what to do.
        source: who says so.
        file: the file as the user named it; empty where the object came from none.
    """

    object: str
    field: str
    type: str
    message: str
    source: str
    file: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that was found, in the order of the objects.

    Args:
        errors: what is refused.
        warnings: what is accepted, and is dangerous or has no effect.
        checked: how many objects were looked at.
        ignored: how many were of kinds that are not.
    """

    errors: tuple[Notice, ...] = ()
    warnings: tuple[Notice, ...] = ()
    checked: int = 0
    ignored: int = 0

    @property
    def is_valid(self) -> bool:
        """Whether nothing is refused.

        >>> Report().is_valid
        True
        """
        return not self.errors


def notice(subject: Subject, fault: Fault, source: Source) -> Notice:
    """A fault with the object that it is about.

    >>> from tenure.validation.faults import required
    >>> notice(Subject("Cohort", {}), required("spec", "a spec"), Source.SCHEMA).type
    'FieldValueRequired'
    """
    place = subject.place
    field = place.own(fault.field)
    # Names that an object gives itself are printed on a terminal: no escape sequences.
    message = fault.message if fault.message.isprintable() else ascii(fault.message)[1:-1]
    return Notice(place.object, field, str(fault.type), message, str(source), place.file)


def is_error(entry: Notice) -> bool:
    """Whether this is an error, and no warning."""
    return entry.type in set(ErrorType)
