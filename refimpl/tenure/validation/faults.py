"""Input and output of validation: subjects, faults, notices and the report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any, TypeAlias

from tenure.errors import InputError
from tenure.manifests.durations import parse_duration
from tenure.manifests.quantities import parse_quantity
from tenure.manifests.showing import NumberText, Place, comma_separated, did_you_mean, show
from tenure.manifests.structure import dig
from tenure.readings import Reading, default_preset, preset


class ErrorType(StrEnum):
    """Why an object is refused, in the words of Kubernetes' `field.ErrorType`.

    Source: Kubernetes API machinery, package `field`; Kueue's recorded webhook answers have these words.
    """

    INVALID = "FieldValueInvalid"
    REQUIRED = "FieldValueRequired"
    DUPLICATE = "FieldValueDuplicate"
    FORBIDDEN = "FieldValueForbidden"
    NOT_SUPPORTED = "FieldValueNotSupported"
    NOT_FOUND = "FieldValueNotFound"
    TOO_LONG = "FieldValueTooLong"
    TOO_MANY = "FieldValueTooMany"
    TYPE_INVALID = "FieldValueTypeInvalid"


class WarningType(StrEnum):
    """Why an object that is accepted is probably not what was meant."""

    ALTERNATING_VICTIMS = "AlternatingVictims"
    COHORT_QUOTA_ON_TOP = "CohortQuotaOnTop"
    CYCLE = "Cycle"
    DANGLING_REFERENCE = "DanglingReference"
    EVICTION_LOOP = "EvictionLoop"
    HERO_WITHOUT_COHORT = "HeroWithoutCohort"
    INVALID_PRIORITY_CLASS = "InvalidPriorityClass"
    INVALID_SELECTOR = "InvalidSelector"
    LABEL_NOT_COPIED = "LabelNotCopied"
    LENDING_LIMIT_BYPASSED = "LendingLimitBypassed"
    LENT_FOR_GOOD = "LentForGood"
    NEGATIVE_DURATION = "NegativeDuration"
    NEVER_BORROWS = "NeverBorrows"
    NO_EFFECT = "NoEffect"
    NOT_MODELLED = "NotModelled"
    NOTHING_FITS = "NothingFits"
    REFUSED_WITH_GATE = "RefusedWithGate"
    THRESHOLD_BOUNDS_NOTHING = "ThresholdBoundsNothing"
    UNREADABLE = "Unreadable"
    UNLIMITED_LENDS_NOTHING = "UnlimitedLendsNothing"
    ZERO_WEIGHT = "ZeroWeight"


class Source(StrEnum):
    """The source of the message."""

    SCHEMA = "schema"
    WEBHOOK = "webhook"
    TIME_BASED = "KEP-8522"
    HERO = "KEP-8826"
    DYNAMIC_PRIORITY = "KEP-754"
    CONFIGURATION = "configuration"
    TENURE = "tenure"


@dataclass(frozen=True, slots=True)
class Fault:
    """Something about one field of the object that is being looked at.

    Args:
        type: a member of `ErrorType` or of `WarningType`.
        field: path of the field as Kubernetes writes it.
        message: what was found, what would be right, and where it helps what to do.
    """

    type: ErrorType | WarningType
    field: str
    message: str


def invalid(field: str, found: object, expected: str) -> Fault:
    """A value that is wrong.

    >>> invalid("spec.fairSharing", "-1", "a weight of at least 0").message
    "found '-1', expected a weight of at least 0"
    """
    return Fault(ErrorType.INVALID, field, _message(found, expected))


def wrong_type(field: str, found: object, expected: str) -> Fault:
    """A value that does not decode: a list where there should be a map, a number for a text."""
    return Fault(ErrorType.TYPE_INVALID, field, _message(found, expected))


def required(field: str, why: str) -> Fault:
    """A value that is missing."""
    return Fault(ErrorType.REQUIRED, field, f"found nothing, expected {why}")


def forbidden(field: str, found: object, expected: str) -> Fault:
    """A value that may not be there."""
    return Fault(ErrorType.FORBIDDEN, field, _message(found, expected))


def duplicate(field: str, found: object) -> Fault:
    """A value that appears a second time."""
    return Fault(ErrorType.DUPLICATE, field, f"found {show(found)} a second time, expected it once")


def not_supported(field: str, found: object, allowed: Iterable[str]) -> Fault:
    """A word that is none of those that there are; names the one that was probably meant.

    >>> not_supported("spec.stopPolicy", "Hodl", ["None", "Hold"]).message
    "found 'Hodl', expected one of None, Hold; did you mean Hold?"
    """
    words = list(allowed)
    expected = (
        f"one of {comma_separated(words)}{did_you_mean(found, words)}" if words else "no name: there is none"
    )
    return Fault(ErrorType.NOT_SUPPORTED, field, _message(found, expected))


def _message(found: object, expected: str) -> str:
    return f"found {show(found)}, expected {expected}"


@dataclass(frozen=True, slots=True)
class Subject:
    """An object on its way through the rules.

    Args:
        kind: its kind.
        raw: the object as v1beta2 has it, untrusted: what has the wrong shape counts as absent here, because
            the schema reports it.
        place: how its faults name it, its file and its fields.
        old: the same object before an update; None for a new object.
        gates: feature gates that are known to be on or off; any other has Kueue's default.
        reading: for the rules that depend on one.
    """

    kind: str
    raw: object
    place: Place = field(default_factory=Place)
    old: object = None
    gates: Mapping[str, bool] = field(default_factory=dict)
    reading: Reading = field(default_factory=lambda: preset(default_preset()))

    def get(self, *path: str) -> Any:
        """What is under a path of keys, None where it ends early."""
        return dig(self.raw, *path)

    @property
    def name(self) -> str:
        """The object's name; empty where it has none."""
        name = self.get("metadata", "name")
        return name if isinstance(name, str) else ""

    @property
    def namespace(self) -> str:
        """The object's name space; `default` where it names none, as for kubectl."""
        name = self.get("metadata", "namespace")
        return name if isinstance(name, str) and name else "default"


Rule: TypeAlias = Callable[[Subject], Iterator[Fault]]
"""A rule about one object."""

Sourced: TypeAlias = tuple[Source, Rule]
"""A rule, and who states it."""


def text(value: object) -> str:
    """Text as it is, anything else as it is shown: a malformed name must not stop the others.

    >>> text("main"), text(["main"])
    ('main', "['main']")
    """
    return value if isinstance(value, str) else show(value)


def quantity(value: object) -> Fraction | None:
    """A quantity, or None where the value is not one: the schema reports that.

    >>> quantity("500m"), quantity("half")
    (Fraction(1, 2), None)
    """
    try:
        return parse_quantity(value)
    except InputError:
        return None


def duration(value: object) -> int | None:
    """A duration in nanoseconds, or None where the value is not one: the schema reports that.

    >>> duration("1us"), duration(5)
    (1000, None)
    """
    if isinstance(value, NumberText):
        return None
    try:
        return parse_duration(value)
    except InputError:
        return None


@dataclass(frozen=True, slots=True)
class Notice:
    """An error or a warning, with the object that it is about.

    Args:
        object: `ClusterQueue/team-a` or `Workload/ns/name`.
        field: path of the field, in the API version that the user wrote; empty for the whole object.
        type: a word of `ErrorType` or of `WarningType`.
        message: what was found, what would be right, what to do.
        source: the source of the message.
        file: the file as the user named it; empty where the object came from none.
    """

    object: str
    field: str
    type: str
    message: str
    source: str
    file: str = ""


@dataclass(frozen=True, slots=True)
class ValidationReport:
    """Everything that was found, in the order of the objects.

    Args:
        errors: what is refused.
        warnings: what is accepted, and is dangerous or has no effect.
        checked: how many objects were looked at.
        ignored: how many were of kinds that are not.
        sets: the folders that are not applied together and have objects of one name; empty where all is one
            set.
    """

    errors: tuple[Notice, ...] = ()
    warnings: tuple[Notice, ...] = ()
    checked: int = 0
    ignored: int = 0
    sets: tuple[str, ...] = ()

    @property
    def is_valid(self) -> bool:
        """Whether nothing is refused.

        >>> ValidationReport().is_valid
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
