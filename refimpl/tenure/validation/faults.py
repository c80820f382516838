"""What validation says about one field: the kinds of error that Kubernetes has, and our kinds of warning."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from tenure.manifests.showing import listed, printable, show

_LONGEST_NAME = 100


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
    CYCLE = "Cycle"
    DANGLING_REFERENCE = "DanglingReference"
    EVICTION_LOOP = "EvictionLoop"
    HERO_WITHOUT_COHORT = "HeroWithoutCohort"
    INVALID_PRIORITY_CLASS = "InvalidPriorityClass"
    LENDING_LIMIT_BYPASSED = "LendingLimitBypassed"
    LENT_FOR_GOOD = "LentForGood"
    NEGATIVE_DURATION = "NegativeDuration"
    NEVER_BORROWS = "NeverBorrows"
    NO_EFFECT = "NoEffect"
    NOTHING_FITS = "NothingFits"
    THRESHOLD_BOUNDS_NOTHING = "ThresholdBoundsNothing"
    UNLIMITED_LENDS_NOTHING = "UnlimitedLendsNothing"
    ZERO_WEIGHT = "ZeroWeight"


class Source(StrEnum):
    """Who says so."""

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
    """A value that stands a second time."""
    return Fault(ErrorType.DUPLICATE, field, f"found {show(found)} a second time, expected it once")


def not_supported(field: str, found: object, allowed: Iterable[str]) -> Fault:
    """A word that is none of those that there are; names the one that was probably meant.

    >>> not_supported("spec.stopPolicy", "Hodl", ["None", "Hold"]).message
    "found 'Hodl', expected one of None, Hold; did you mean Hold?"
    """
    words = list(allowed)
    expected = f"one of {listed(words)}{suggestion(found, words)}" if words else "no name: there is none"
    return Fault(ErrorType.NOT_SUPPORTED, field, _message(found, expected))


def suggestion(found: object, known: Iterable[str]) -> str:
    """The end of a sentence that names what a misspelt name most likely means; empty where nothing is near.

    >>> suggestion("a1000", ["a100", "t4"]), suggestion("h200", ["t4"])
    ('; did you mean a100?', '')
    """
    if not isinstance(found, str):
        return ""
    close = difflib.get_close_matches(found[:_LONGEST_NAME], list(known), n=1)
    return f"; did you mean {printable(close[0])}?" if close else ""


def _message(found: object, expected: str) -> str:
    return f"found {show(found)}, expected {expected}"
