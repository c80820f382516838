"""Records of arrays as tables of addresses, in which compiled code finds them at once.

Called from Python, compiled code looks at each of its arguments and at each array of a record one by one,
a quarter of a microsecond every time; a search has fifty arrays. A table is one array. It says nothing of
types: `address_table` refuses a record whose arrays are not what `tenure.fast.readers` takes them for.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tenure.fast.rounds import Rounds
from tenure.fast.tables import Array, Ask, Forest, Order, Rows, Work

CELLS: Final = 4
"""Of each field: its address and up to three lengths, or a number itself and nothing."""

_FIELDS: Final[dict[type, str]] = {
    Rows: "- i4 i8 i8 i8 i8 i4 ? i8 i4 i4 i8",
    Forest: "i4 i4 i4 ? ? i8x2 i8x2 i8x2 i8x2 ?x2 i4 f8",
    Ask: "- i4 i4 i8 i4 ? ? -",
    Work: "i8x2 i1 i4 i8 i4 i4 i1 i1 i4 i8x2 i8 i8x2",
    Rounds: "i8x2 f8 f8 i8x2 i8 i8 i8 i8 i8 i8 i8x2 i8 i4 ? ? i8x2",
    Order: "- - -",
}
"""Of each record the types of its arrays, in order, and their dimensions where there are more than one; - a
number."""


def _kinds(fields: str) -> tuple[tuple[np.dtype[Any], int] | None, ...]:
    words = (word.partition("x") for word in fields.split())
    return tuple(None if name == "-" else (np.dtype(name), int(count or 1)) for name, _, count in words)


KINDS: Final = {record: _kinds(fields) for record, fields in _FIELDS.items()}
"""Of each record type and each of its fields the type and the dimensions of the array; None for a number."""


def describe(record: type, fields: str) -> None:
    """Let records of another type have tables too.

    Args:
        record: the type.
        fields: as `_FIELDS` has them.
    """
    KINDS[record] = _kinds(fields)


def address_table(record: Any) -> Array:
    """Where the arrays of a record are; right as long as the record is kept.

    Args:
        record: `Rows`, `Order`, `Forest`, `Ask`, `Work` or `Rounds`.

    Returns:
        int64[4 * fields].

    Raises:
        TypeError: an array is not what is expected, by type, dimensions or order in memory.

    >>> arrays = (np.zeros(count, kind) for kind, count in (("i4", 2), ("i4", 1), ("i8", 1), ("i4", 1)))
    >>> flags = np.zeros(3, "?")
    >>> address_table(Ask(7, *arrays, flags, flags, 0))[[0, 5, 9]].tolist()
    [7, 2, 1]
    """
    kinds = KINDS[type(record)]
    table = np.zeros(CELLS * len(kinds), np.int64)
    for place, (value, kind) in enumerate(zip(record, kinds, strict=True)):
        cell = CELLS * place
        if kind is None:
            table[cell] = value
        elif (value.dtype, value.ndim) != kind or not value.flags.carray:
            name = f"{type(record).__name__}.{type(record)._fields[place]}"
            raise TypeError(f"{name}: found {value.dtype} of {value.ndim} dimensions, expected {kind}")
        else:
            table[cell] = value.__array_interface__["data"][0]
            table[cell + 1 : cell + 1 + value.ndim] = value.shape
    return table
