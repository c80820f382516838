"""What a YAML scalar without quotes means: nothing, a boolean, a number or a text."""

from __future__ import annotations

import re
from typing import Final

from tenure.manifests.showing import NumberText

_LONGEST_INTEGER: Final = 40

_NULLS: Final = frozenset(("", "~", "null", "Null", "NULL"))
_BOOLEANS: Final = {
    spelling: truth
    for truth, words in ((True, ("true", "yes", "on")), (False, ("false", "no", "off")))
    for word in words
    for spelling in (word, word.capitalize(), word.upper())
}
_INTEGER = re.compile(r"[-+]?(?:0[bB][01_]+|0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[0-7_]*|[1-9][0-9_]*)")
_NUMBER = re.compile(
    r"[-+]?(?:(?:[0-9][0-9_]*)(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)


def resolve(text: str) -> object:
    """YAML 1.1 as kubectl reads it: no numbers to the base of sixty, and times stay text.

    Only `y` and `n` are text here and booleans there; kubectl never writes them without quotes.

    >>> resolve("yes"), resolve("0777"), resolve("1.10"), resolve("2026-01-02")
    (True, 511, 1.10, '2026-01-02')
    """
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if text[0] not in "+-.0123456789":
        return text
    if _INTEGER.fullmatch(text):
        return _integer(text)
    return NumberText(text) if _NUMBER.fullmatch(text) else text


def _integer(text: str) -> object:
    if len(text) > _LONGEST_INTEGER:
        return NumberText(text)
    digits = text.replace("_", "")
    octal = re.fullmatch(r"[-+]?0[0-7]+", digits)
    try:
        return int(digits, 8 if octal else 0)
    except ValueError:
        return text
