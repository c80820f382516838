"""Arrays that grow."""

from __future__ import annotations

import numpy as np

from tenure.fast.tables import Array

_ROOM = 1.25


def with_room(array: Array, needed: int) -> Array:
    """The array, longer where it is too short.

    >>> len(with_room(np.zeros(2), 1)), len(with_room(np.zeros(2), 4))
    (2, 6)
    """
    if needed <= len(array):
        return array
    longer = np.zeros(int(needed * _ROOM) + 1, array.dtype)
    longer[: len(array)] = array
    return longer
