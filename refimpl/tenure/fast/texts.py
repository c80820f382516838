"""A column of texts in two arrays: all their bytes, and where each begins and ends."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tenure.fast.room import with_room
from tenure.fast.tables import Array


class Texts:
    """Texts by row.

    Args:
        texts: the first ones.

    >>> column = Texts(["a", "bc"])
    >>> column.append("d")
    >>> column[1], column[2], len(column)
    ('bc', 'd', 3)
    """

    __slots__ = ("_bytes", "_ends", "_rows")

    def __init__(self, texts: Iterable[str] = ()) -> None:
        written = [_bytes_of(text) for text in texts]
        self._rows = len(written)
        self._ends = np.zeros(self._rows + 1, np.int64)
        np.cumsum([len(each) for each in written], out=self._ends[1:])
        self._bytes = np.frombuffer(b"".join(written), np.uint8).copy()

    def __len__(self) -> int:
        return self._rows

    def __getitem__(self, row: int) -> str:
        start, end = self._ends[row : row + 2]
        return bytes(self._bytes[start:end]).decode("utf-8", "surrogatepass")

    def append(self, text: str) -> None:
        """One more row."""
        written = np.frombuffer(_bytes_of(text), np.uint8)
        start = int(self._ends[self._rows])
        self._ends = with_room(self._ends, self._rows + 2)
        self._bytes = with_room(self._bytes, start + len(written))
        self._bytes[start : start + len(written)] = written
        self._rows += 1
        self._ends[self._rows] = start + len(written)

    def is_whole(self) -> bool:
        """Whether both arrays go together; what was read from a file may be anything.

        >>> Texts(["a", "bc"]).is_whole(), Texts.of(np.array([0, 9]), np.zeros(2, np.uint8)).is_whole()
        (True, False)
        """
        ends, contents = self.arrays()
        return bool(
            ends.dtype == np.int64
            and contents.dtype == np.uint8
            and len(ends) > 0
            and ends[0] == 0
            and (np.diff(ends) >= 0).all()
            and ends[-1] == len(contents)
        )

    def only(self, rows: Array) -> Texts:
        """Some rows, in their order.

        >>> column = Texts(["a", "bc", "d"]).only(np.array([1, 2]))
        >>> column[0], column[1], len(column)
        ('bc', 'd', 2)
        """
        lengths = self._ends[rows + 1] - self._ends[rows]
        ends = np.concatenate(([0], np.cumsum(lengths)))
        places = np.repeat(self._ends[rows] - ends[:-1], lengths) + np.arange(ends[-1])
        return Texts.of(ends, self._bytes[places])

    @property
    def nbytes(self) -> int:
        """Memory of the arrays, bytes."""
        return int(self._ends.nbytes + self._bytes.nbytes)

    def arrays(self) -> tuple[Array, Array]:
        """The two arrays, without spare room."""
        ends = self._ends[: self._rows + 1]
        return ends, self._bytes[: ends[-1]]

    @classmethod
    def of(cls, ends: Array, contents: Array) -> Texts:
        """What `arrays` returned."""
        made = cls()
        made._rows, made._ends, made._bytes = len(ends) - 1, ends.copy(), contents.copy()
        return made


def _bytes_of(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
