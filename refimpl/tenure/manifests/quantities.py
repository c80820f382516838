"""Kubernetes quantities, exactly: `250m`, `1.5Gi`, `2e3` to integers without a float in between."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from functools import lru_cache
from typing import Final

from tenure.errors import InputError, Problem
from tenure.manifests.showing import show
from tenure.model import Amount

MAX_AMOUNT: Final = 2**63 - 1
"""The largest amount, where Kueue's arithmetic saturates; as a quota it means unlimited."""

_LONGEST = 128
_QUANTITY = re.compile(
    r"(?P<sign>[+-]?)(?P<whole>[0-9]*)(?:\.(?P<part>[0-9]*))?"
    r"(?P<suffix>[KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+|)"
)
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
# Text is at most 128 digits long, so that beyond this exponent every value is either above all amounts
# or below the finest step; larger powers would only cost memory.
_FARTHEST_EXPONENT = 300
_NANO = 10**9
_CPU = "cpu"
_REMEMBERED = 2**14
"""A cluster of any size has few different quantities, and each of them thousands of times."""


def parse_quantity(value: object, *, field: str = "quantity") -> Fraction:
    """The exact value of a Kubernetes quantity.

    As in Kubernetes nothing is finer than a nano-unit: what is, is rounded away from zero to the next
    one. A value with a binary suffix is capped at 2**63 - 1.

    Args:
        value: the text, or a number as YAML and JSON have them.
        field: path of the field, for the error.

    Returns:
        The value in the resource's own unit: cores for `cpu`, bytes for `memory`.

    Raises:
        InputError: it is no quantity.

    Source: Kubernetes API machinery, resource.Quantity and its grammar.

    >>> parse_quantity("250m"), parse_quantity("1.5Ki"), parse_quantity(2)
    (Fraction(1, 4), Fraction(1536, 1), Fraction(2, 1))
    """
    text = _text(value)
    exact = None if text is None or len(text) > _LONGEST else _parse(text)
    if exact is None:
        problem = Problem(
            field=field, found=show(value), expected="a Kubernetes quantity such as 4, 500m or 2Gi"
        )
        raise InputError([problem])
    return exact


def amount_of(resource: str, quantity: object) -> Amount:
    """The integer in which Kueue counts a request or a usage.

    Args:
        resource: name of the resource; `cpu` is counted in milli-CPU, everything else in its base unit.
        quantity: text or number as for `parse_quantity`, or what it returned.

    Returns:
        The amount, rounded away from zero, saturating at plus and minus 2**63 - 1.

    Raises:
        InputError: it is no quantity.

    Source: Kueue, resource requests; Kubernetes Quantity.MilliValue and Quantity.Value.

    >>> amount_of("cpu", "0.1m"), amount_of("memory", "2Ki"), amount_of("nvidia.com/gpu", "1e99999999")
    (1, 2048, 9223372036854775807)
    """
    exact = quantity if isinstance(quantity, Fraction) else parse_quantity(quantity)
    return _rounded(exact.numerator, exact.denominator, 1000 if resource == _CPU else 1)


def quota_of(resource: str, quantity: object) -> Amount:
    """The integer in which Kueue counts a quota: as `amount_of`, but unlimited a little earlier for `cpu`.

    Args:
        resource: name of the resource.
        quantity: text or number as for `parse_quantity`, or what it returned.

    Raises:
        InputError: it is no quantity.

    Source: Kueue, quota amounts: whole cores whose milli-CPU would not fit count as unlimited.

    >>> quota_of("cpu", "9223372036854775") == MAX_AMOUNT
    True
    """
    exact = quantity if isinstance(quantity, Fraction) else parse_quantity(quantity)
    if resource == _CPU and exact >= MAX_AMOUNT // 1000:
        return MAX_AMOUNT
    return amount_of(resource, exact)


def saturated(amount: int) -> Amount:
    """The amount, held within plus and minus 2**63 - 1.

    >>> saturated(10**30) == MAX_AMOUNT
    True
    """
    return max(-MAX_AMOUNT, min(MAX_AMOUNT, amount))


@lru_cache(maxsize=_REMEMBERED)
def _parse(text: str) -> Fraction | None:
    match = _QUANTITY.fullmatch(text)
    if match is None or not (match["whole"] or match["part"]):
        return None
    magnitude = _magnitude(match)
    return -magnitude if match["sign"] == "-" else magnitude


@lru_cache(maxsize=_REMEMBERED)
def _rounded(numerator: int, denominator: int, scale: int) -> Amount:
    amount = -(-abs(numerator) * scale // denominator)
    return saturated(amount if numerator >= 0 else -amount)


def _text(value: object) -> str | None:
    if isinstance(value, str):
        # Go reads a quantity without the blanks around it.
        return value.strip(" ")
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return str(value) if value.bit_length() <= 4 * _LONGEST else None
    # The shortest text that reads back as this float is most likely the text of the document.
    return repr(value) if isinstance(value, float) else None


def _magnitude(match: re.Match[str]) -> Fraction:
    part = match["part"] or ""
    digits = int((match["whole"] + part) or "0")
    suffix = match["suffix"]
    if suffix in _BINARY:
        exact = Fraction(digits << _BINARY[suffix], 10 ** len(part))
        return min(_to_nano(exact), Fraction(MAX_AMOUNT))
    exponent = _exponent(suffix) - len(part)
    exact = Fraction(digits * 10**exponent) if exponent >= 0 else Fraction(digits, 10**-exponent)
    return _to_nano(exact)


def _exponent(suffix: str) -> int:
    if suffix in _DECIMAL:
        return _DECIMAL[suffix]
    return max(-_FARTHEST_EXPONENT, min(_FARTHEST_EXPONENT, int(suffix[1:])))


def _to_nano(exact: Fraction) -> Fraction:
    return Fraction(math.ceil(exact * _NANO), _NANO)
