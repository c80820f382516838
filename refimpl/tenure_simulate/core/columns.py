"""The workloads that hold quota, one array per property: the core's primary store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, pairwise
from operator import attrgetter, methodcaller
from typing import Any, Final, TypeAlias

import numpy as np

from tenure.model import FlavorResource, Selectable, Workload
from tenure_simulate.core.tables import NO_STAMP, Array
from tenure_simulate.core.uncovered import Uncovered, require_numbers

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
        written: list[Any] = list(texts)
        joined = "".join(written)
        if not joined.isascii():  # a character may have several bytes
            written = [_bytes_of(text) for text in written]
        self._rows = len(written)
        self._ends = np.zeros(self._rows + 1, np.int64)
        np.cumsum(np.fromiter(map(len, written), np.int64, self._rows), out=self._ends[1:])
        self._bytes = np.frombuffer(bytearray(_bytes_of(joined)), np.uint8)

    def __len__(self) -> int:
        return self._rows

    def __getitem__(self, row: int) -> str:
        start, end = self._ends[row : row + 2]
        return bytes(self._bytes[start:end]).decode("utf-8", "surrogatepass")

    def at(self, rows: Array) -> list[str]:
        """The texts of some rows, in their order.

        >>> Texts(["a", "bc", "d"]).at(np.array([2, 1]))
        ['d', 'bc']
        """
        written = self._bytes.data
        pairs = zip(self._ends[rows].tolist(), self._ends[rows + 1].tolist(), strict=True)
        return [str(written[start:end], "utf-8", "surrogatepass") for start, end in pairs]

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


FARTHEST: Final = 2**62
"""Instants and priorities beyond it are left to the reference: differences must fit 64 bits."""

BEYOND: Final = 2**63
"""Amounts are only added, by sums that stay within 64 bits."""

_Reader = Callable[[Workload], int | None]

REQUIRED: Final[dict[str, _Reader]] = {
    "priority": attrgetter("priority"),
    "created": attrgetter("created_at"),
    "reserved": attrgetter("quota_reserved_at"),
}
"""Columns that every store has, int64."""

OPTIONAL: Final[dict[str, _Reader]] = {
    "boost": lambda workload: workload.priority_boost or None,
    "job_created": attrgetter("job_created_at"),
    "pods_ready_evicted": attrgetter("pods_ready_evicted_at"),
    "admission_check_evicted": attrgetter("admission_check_evicted_at"),
    "time_based_preempted": attrgetter("time_based_preempted_at"),
    "preempted_while_borrowing": attrgetter("preempted_while_borrowing_at"),
}
"""Columns that only stores have in which some workload has such a value, int64."""

OTHERS: Final[dict[str, Any]] = {
    "queue": np.int32,
    "growing": np.int32,
    "evicted": np.bool_,
    "first": np.int64,
    "width": np.int32,
    "tie": np.int32,
}

_AMOUNTS: Final = methodcaller("values")
_Places = Mapping[str, int]

Labelled: TypeAlias = tuple[str, str, Selectable]
"""Namespace and LocalQueue of a workload, and what else PreemptionConfigs read of it."""
_UNLABELLED: Final = Selectable()


def labelled(workload: Workload) -> Labelled:
    """What PreemptionConfigs read of a workload.

    >>> labelled(Workload("ml", "w", "u", priority=0, created_at=0, queue_name="main"))[:2]
    ('ml', 'main')
    """
    return workload.namespace, workload.queue_name, workload.selectable or _UNLABELLED


class Columns:
    """Workloads by row; a row that was removed is free, its `queue` below zero.

    Args:
        workloads: the first ones.
        queues: node of each ClusterQueue.
        at: column of each flavor-resource.
        growing: number of each class whose priority grows.
        configured: whether a ClusterQueue names a PreemptionConfig, so that labels count.

    Raises:
        Uncovered: a number beyond what the core counts with.
    """

    def __init__(
        self,
        workloads: Sequence[Workload],
        queues: _Places,
        at: Mapping[FlavorResource, int],
        growing: _Places,
        *,
        configured: bool = False,
    ) -> None:
        require_numbers(len(workloads), "workloads")
        self.rows = len(workloads)
        keys, uids = [workload.key for workload in workloads], [workload.uid for workload in workloads]
        self.names, self.uids = Texts(keys), Texts(uids)
        self.labelled = list(map(labelled, workloads)) if configured else None
        self.by: dict[str, Array] = {name: numbers(map(read, workloads)) for name, read in REQUIRED.items()}
        for name, read in OPTIONAL.items():
            self._set_optional(name, list(map(read, workloads)))
        held = [workload.usage for workload in workloads]
        widths = np.fromiter(map(len, held), np.int32, self.rows)
        self.by |= {
            "queue": np.array(
                [queues.get(workload.cluster_queue or "", -1) for workload in workloads], np.int32
            ),
            "evicted": np.array([workload.evicted for workload in workloads], np.bool_),
            "width": widths,
            "first": np.cumsum(widths, dtype=np.int64) - widths,
        }
        if growing:
            self.by["growing"] = np.array(
                [growing.get(workload.priority_class, -1) for workload in workloads], np.int32
            )
        self.entries = int(widths.sum())
        self.at = np.fromiter(map(at.__getitem__, chain.from_iterable(held)), np.int32, self.entries)
        self.amount = numbers(chain.from_iterable(map(_AMOUNTS, held)), BEYOND)
        self.shares_uids = len(set(uids)) < self.rows
        self.by["tie"] = ranks(list(zip(uids, keys, strict=True)) if self.shares_uids else uids)
        self._rows_by_name: dict[str, int] | None = None

    def column(self, name: str) -> Array | None:
        """One column without spare room; None where no workload has such a value."""
        found = self.by.get(name)
        return None if found is None else found[: self.rows]

    def row_of(self, key: str) -> int | None:
        """The row of a workload by `namespace/name`; the index is made when first needed."""
        if self._rows_by_name is None:
            queue = self.by["queue"]
            self._rows_by_name = {self.names[row]: row for row in range(self.rows) if queue[row] != FREE}
        return self._rows_by_name.get(key)

    def twins(self) -> Array:
        """Ranks of the uids alone, int32[n]: those of `tie` where all uids differ."""
        tie = self.by["tie"][: self.rows]
        if not self.shares_uids:
            return tie
        order = np.argsort(tie)
        equal = [first for first, second in pairwise(order.tolist()) if self.uids[first] == self.uids[second]]
        after = np.ones(self.rows, np.int32)
        after[tie[equal] + 1] = 0
        return (np.cumsum(after, dtype=np.int32) - 1)[tie]

    def append(
        self, workload: Workload, queues: _Places, at: Mapping[FlavorResource, int], growing: _Places
    ) -> int:
        """Add a workload behind the others; its row.

        Raises:
            Uncovered: a number beyond what the core counts with.
        """
        row = self.rows
        require_numbers(row + 1, "workloads")
        self.row_of(workload.key)
        values = {name: numbers([read(workload)])[0] for name, read in REQUIRED.items()}
        values["queue"] = queues.get(workload.cluster_queue or "", -1)
        values |= {"evicted": workload.evicted, "first": self.entries, "width": len(workload.usage)}
        values["tie"] = self._new_tie(workload)
        held = numbers(workload.usage.values(), BEYOND)
        for name, read in OPTIONAL.items():
            value = read(workload)
            if value is not None:
                values[name] = numbers([value])[0]
        if growing:
            values["growing"] = growing.get(workload.priority_class, -1)
        for name in {*values, *self.by}:
            self._put(name, row, values.get(name, NO_STAMP))
        self.at = with_room(self.at, self.entries + len(held))
        self.amount = with_room(self.amount, self.entries + len(held))
        self.at[self.entries : self.entries + len(held)] = [
            at[flavor_resource] for flavor_resource in workload.usage
        ]
        self.amount[self.entries : self.entries + len(held)] = held
        self.entries += len(held)
        self.names.append(workload.key)
        self.uids.append(workload.uid)
        if self.labelled is not None:
            self.labelled.append(labelled(workload))
        self.rows += 1
        if self._rows_by_name is not None:
            self._rows_by_name[workload.key] = row
        return row

    def free(self, key: str) -> int:
        """Free the row of a workload that is there; the row."""
        row = self.row_of(key)
        assert row is not None
        assert self._rows_by_name is not None
        del self._rows_by_name[key]
        self.by["queue"][row] = FREE
        return row

    def check(self, nodes: int, flavor_resources: int) -> None:
        """Whether all columns go together: kernels look nothing up twice.

        Args:
            nodes, flavor_resources: how many there are.

        Raises:
            KeyError: a column is missing.
            ValueError: one has another length or type, or points to what is not there.
        """
        types = {**dict.fromkeys((*REQUIRED, *OPTIONAL), np.int64), **OTHERS}
        for name in (*REQUIRED, *OTHERS):
            if name != "growing" and name not in self.by:
                raise KeyError(name)
        for name, column in self.by.items():
            if column.shape != (self.rows,) or column.dtype != types[name]:
                raise ValueError(name)
        first, width = self.by["first"], self.by["width"]
        inside = (
            len(self.uids) == self.rows
            and (self.labelled is None or len(self.labelled) == self.rows)
            and self.names.is_whole()
            and self.uids.is_whole()
            and self.at.shape == self.amount.shape == (self.entries,)
            and self.at.dtype == np.int32
            and self.amount.dtype == np.int64
            and _within(self.by["queue"], FREE, nodes)
            and _within(self.at, 0, flavor_resources)
            and _within(first, 0, self.entries + 1)
            and _within(first + width, 0, self.entries + 1)
            and _within(width, 0, self.entries + 1)
            and np.array_equal(np.sort(self.by["tie"]), np.arange(self.rows))
        )
        if not inside:
            raise ValueError("columns")

    def compact(self) -> None:
        """Take free rows out; the others keep their order, and get new numbers."""
        kept = np.flatnonzero(self.by["queue"][: self.rows] != FREE)
        first, width = self.by["first"][kept], self.by["width"][kept]
        starts = np.cumsum(width, dtype=np.int64) - width
        entries = np.repeat(first - starts, width) + np.arange(int(width.sum()))
        self.at, self.amount = self.at[entries], self.amount[entries]
        self.by = {name: column[: self.rows][kept] for name, column in self.by.items()}
        self.by["first"] = starts
        self.by["tie"] = np.argsort(np.argsort(self.by["tie"])).astype(np.int32)
        self.names, self.uids = self.names.only(kept), self.uids.only(kept)
        if self.labelled is not None:
            self.labelled = [self.labelled[row] for row in kept.tolist()]
        self.rows, self.entries = len(kept), len(entries)
        self._rows_by_name = None

    @property
    def nbytes(self) -> int:
        """Memory of all columns, bytes."""
        arrays = sum(column.nbytes for column in self.by.values())
        return int(arrays + self.at.nbytes + self.amount.nbytes + self.names.nbytes + self.uids.nbytes)

    def _set_optional(self, name: str, values: list[int | None]) -> None:
        if values.count(None) < len(values):
            self.by[name] = numbers(values)

    def _put(self, name: str, row: int, value: int) -> None:
        column = self.by.get(name)
        if column is None:
            dtype = OTHERS.get(name, np.int64)
            column = np.full(row, -1 if dtype == np.int32 else NO_STAMP, dtype)
        self.by[name] = with_room(column, row + 1)
        self.by[name][row] = value

    def _new_tie(self, workload: Workload) -> int:
        """Its rank among all; who comes after it moves on by one."""
        tie = self.by["tie"][: self.rows]
        order = np.argsort(tie)
        low, high, wanted = 0, self.rows, (workload.uid, workload.key)
        while low < high:
            middle = (low + high) // 2
            row = int(order[middle])
            if (self.uids[row], self.names[row]) < wanted:
                low = middle + 1
            else:
                high = middle
        beside = [int(row) for row in order[max(0, low - 1) : low + 1]]
        self.shares_uids = self.shares_uids or any(self.uids[row] == workload.uid for row in beside)
        tie[tie >= low] += 1
        return low


def _within(values: Array, low: int, end: int) -> bool:
    return bool(((values >= low) & (values < end)).all())


FREE: Final = -2
"""`queue` of a row without workload; -1 is a queue that is not known."""


def numbers(values: Any, most: int = FARTHEST) -> Array:
    """Numbers, and `NO_STAMP` for None, as int64.

    Args:
        values: the numbers.
        most: what all are below, and above its negative.

    Raises:
        Uncovered: one that is too large.
    """
    found = list(values)
    try:
        try:
            made = np.fromiter(found, np.int64, len(found))
        except TypeError:
            found = [NO_STAMP if value is None else value for value in found]
            made = np.fromiter(found, np.int64, len(found))
    except OverflowError:
        raise Uncovered("a number beyond 64 bits") from None
    if len(made) and (made.max() >= most or (made[made != NO_STAMP] <= -most).any()):
        raise Uncovered("a number beyond 64 bits")
    return made


def ranks(texts: Sequence[Any]) -> Array:
    """The place of each among them all, int32."""
    made = np.empty(len(texts), np.int32)
    made[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts), dtype=np.int32)
    return made
