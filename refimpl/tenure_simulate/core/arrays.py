"""A cluster as a structure of arrays: what the core decides on, kept up to date in place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any, Final
from zipfile import ZIP_STORED, ZipFile

import numpy as np
from pydantic import TypeAdapter

from tenure.disk import open_regular, written_file
from tenure.model import (
    SECOND,
    Cluster,
    FlavorResource,
    Instant,
    RequeuingTimestamp,
    Workload,
    WorkloadPriorityClass,
)
from tenure.readings import PrioritySteps
from tenure.versions import form
from tenure_simulate.core.ageing import effective_priorities
from tenure_simulate.core.columns import FARTHEST, FREE, Columns, Labelled, Texts
from tenure_simulate.core.layout import Layout, lay_out
from tenure_simulate.core.nodes import change, sum_up
from tenure_simulate.core.rounds import Rounds, find_lightest, rounds_for
from tenure_simulate.core.sorting import ROOM, make_keys
from tenure_simulate.core.tables import NO_STAMP, Array, Order, Rows, Work, work_for
from tenure_simulate.core.uncovered import Uncovered, refuse_unknown

REQUEUED_AFTER: Final = SECOND // 1000
"""How long after its preemption a victim queues again: a millisecond, in ns."""

_ADAPTER: Final = TypeAdapter(Cluster)
_LABELS: Final = TypeAdapter(list[Labelled])
_FORM: Final = form("arrays")
_SUFFIX: Final = ".npz"
_HEADER: Final = (1, 0)
"""The version of NumPy's own format that short headers have."""
MOST_ASKED: Final = 4096
"""So many kinds of questions are kept at a time."""
_MOST_FREE: Final = 64
"""So many free rows are never worth a new store."""


class Arrays:
    """The primary store: workloads by row, quota and usage by node and flavor-resource.

    Args:
        cluster: its queues, cohorts, classes, flavors and settings; its `admitted` become the rows.

    Raises:
        Uncovered: a number beyond what the core counts with.

    >>> from tenure.model import ClusterQueue
    >>> Arrays(Cluster({"q": ClusterQueue("q")})).usage.shape
    (1, 0)
    """

    cluster: Cluster
    layout: Layout
    usage: Array
    classes: tuple[WorkloadPriorityClass, ...]
    desks: dict[str, Any]
    """What searches have in common, by ClusterQueue, until a change; see `tenure_simulate.core.search`."""

    def __init__(self, cluster: Cluster) -> None:
        self._growing: dict[str, int] = {}
        self._free = 0
        self._arrange(cluster, set().union(*(workload.usage for workload in cluster.admitted)))
        configured = any(queue.preemption_config is not None for queue in cluster.cluster_queues.values())
        self.columns = Columns(
            cluster.admitted, self.layout.queues, self.layout.columns, self._growing, configured=configured
        )
        self.counted: Counter[str] = Counter()
        self._made: dict[tuple[object, ...], Any] = {}
        self._asked: dict[tuple[object, ...], Any] = {}
        self._work: Work | None = None
        self._rounds: Rounds | None = None
        self.desks: dict[str, Any] = {}
        self._sum_up()

    def __len__(self) -> int:
        return self.columns.rows - self._free

    @property
    def nbytes(self) -> int:
        """Memory of the arrays about workloads, bytes; keys that decisions have needed included."""
        kept = sum(made[0].nbytes for key, made in self._made.items() if key[0] == "keys")
        return self.columns.nbytes + int(kept)

    def add(self, workload: Workload) -> None:
        """Let a workload hold quota.

        Args:
            workload: none of its name may be there.

        Raises:
            ValueError: there is one.
            Uncovered: a number beyond what the core counts with.
        """
        if self.columns.row_of(workload.key) is not None:
            raise ValueError(f"{workload.key} holds quota already")
        self.require(workload.usage)
        row = self.columns.append(workload, self.layout.queues, self.layout.columns, self._growing)
        self._move(row, adding=True)

    def remove(self, key: str) -> None:
        """Let a workload hold quota no longer.

        Args:
            key: its `namespace/name`.

        Raises:
            KeyError: there is none of this name.
        """
        row = self.columns.row_of(key)
        if row is None:
            raise KeyError(key)
        whole = bool((self.usage >= FARTHEST).any())
        self._move(row, adding=False)
        self.columns.free(key)
        self._free += 1
        if whole:  # what is unlimited stays so whatever is subtracted from it
            self._sum_up()
        if self._free > max(_MOST_FREE, self.columns.rows // 2):
            self.compact()

    def change(self, workload: Workload) -> None:
        """Put a workload in the place of the one of its name.

        Raises:
            KeyError: there is none of this name.
        """
        self.remove(workload.key)
        self.add(workload)

    def compact(self) -> None:
        """Take the rows of removed workloads out; it happens where they are the greater half."""
        self.columns.compact()
        self._free = 0
        self._forget()

    def rearrange(self, cluster: Cluster) -> None:
        """Take other queues, cohorts, classes, flavors and settings; the workloads stay.

        Args:
            cluster: its `admitted` are not looked at.
        """
        names = {node: name for name, node in self.layout.queues.items()}
        before = self.layout.columns
        self._arrange(cluster, before)
        columns = self.columns
        known = [names.get(int(node), "") for node in columns.by["queue"][: columns.rows]]
        queue = columns.by["queue"][: columns.rows]
        moved = [self.layout.queues.get(name, -1) for name in known]
        queue[:] = np.where(queue == FREE, FREE, np.array(moved, np.int32))
        order = np.array([self.layout.columns[at] for at in before], np.int32)
        columns.at[: columns.entries] = order[columns.at[: columns.entries]]
        self._forget()
        self._sum_up()

    def require(self, held: Sequence[FlavorResource] | Any) -> None:
        """Have a column for each of some flavor-resources."""
        if any(at not in self.layout.columns for at in held):
            self._widen({*self.layout.columns, *held})

    def _widen(self, held: set[FlavorResource]) -> None:
        before = self.layout.columns
        self.layout = lay_out(self.cluster, held)
        order = np.array([self.layout.columns[at] for at in before], np.int32)
        self.columns.at[: self.columns.entries] = order[self.columns.at[: self.columns.entries]]
        usage = np.zeros(self.layout.forest.nominal.shape, np.int64)
        usage[:, order] = self.usage
        self.usage = usage
        self._forget()

    def _arrange(self, cluster: Cluster, held: Any) -> None:
        refuse_unknown(cluster)
        self.cluster = Cluster(
            cluster_queues=cluster.cluster_queues,
            flavors=cluster.flavors,
            settings=cluster.settings,
            cohorts=cluster.cohorts,
            growing=cluster.growing,
            topologies=cluster.topologies,
            preemption_configs=cluster.preemption_configs,
        )
        try:
            self.layout = lay_out(cluster, held)
        except OverflowError:
            raise Uncovered("a number beyond 64 bits") from None
        self.classes = tuple(cluster.growing.values())
        self._growing = {priority_class.name: number for number, priority_class in enumerate(self.classes)}

    def _sum_up(self) -> None:
        """What is in use at every node, from the rows."""
        columns, forest = self.columns, self.layout.forest
        self._free = int((columns.by["queue"][: columns.rows] == FREE).sum())
        amounts = columns.amount[: columns.entries]
        at, node = columns.at[: columns.entries], self._nodes_of_entries()
        counts = node >= 0
        self.usage = np.zeros(forest.nominal.shape, np.int64)
        if float(amounts.sum(dtype=np.float64)) >= FARTHEST:
            sum_up(forest, self.usage, node[counts], at[counts], amounts[counts])
            return
        np.add.at(self.usage, (node[counts], at[counts]), amounts[counts])
        for place in range(len(forest.parent) - 1, -1, -1):
            above = forest.parent[place]
            if above >= 0:
                self.usage[above] += np.maximum(0, self.usage[place] - forest.local[place])

    def _nodes_of_entries(self) -> Array:
        """The node at which each entry counts; entries of rows that were changed are their old ones too."""
        columns = self.columns
        queue, width, first = (columns.by[name][: columns.rows] for name in ("queue", "width", "first"))
        node = np.full(columns.entries, FREE, np.int32)
        node[np.repeat(first - np.cumsum(width) + width, width) + np.arange(width.sum())] = np.repeat(
            queue, width
        )
        return node

    def _move(self, row: int, *, adding: bool) -> None:
        columns, log = self.columns, np.empty((3, len(self.layout.heights) + 1), np.int64)
        node, first = int(columns.by["queue"][row]), int(columns.by["first"][row])
        for entry in range(first, first + int(columns.by["width"][row])):
            at, amount = int(columns.at[entry]), int(columns.amount[entry])
            if node >= 0:
                change(self.layout.forest, self.usage, node, at, amount, adding, log, 0)
        self._forget()

    def _forget(self) -> None:
        """Nothing that was made of what the store held is right any more."""
        self._made.clear()
        self._asked.clear()
        self._work = self._rounds = None
        self.desks.clear()

    def rows(
        self,
        now: Instant,
        counting: PrioritySteps,
        requeuing: RequeuingTimestamp,
        since_eviction: bool,
    ) -> tuple[Rows, Order]:
        """What the kernels see of the workloads at an instant.

        Args:
            now: the cycle's clock, ns.
            counting: see reading `priority_steps`.
            requeuing: `Settings.requeuing_timestamp`.
            since_eviction: whether victims of time-based preemption queue from that.
        """
        columns = self.columns
        aged = now if "growing" in columns.by else None
        timed = now if self.made_of(("missing",), self._misses_stamps) else None
        key = ("rows", aged, counting, timed, requeuing, since_eviction)
        found: tuple[Rows, Order] = self.made_of(
            key, lambda: self._rows(aged, timed, counting, requeuing, since_eviction)
        )
        return found

    def made_of(self, key: tuple[object, ...], make: Any) -> Any:
        """What was made since the last change, or is now; only the last instant is kept."""
        if key not in self._made:
            if len(self._made) > 64:
                self._made.clear()
            self._made[key] = make()
        return self._made[key]

    def asked_of(self, key: tuple[object, ...], make: Any) -> Any:
        """The same for what is small, and needed in many kinds."""
        if key not in self._asked:
            made = make()
            if len(self._asked) >= MOST_ASKED:
                self._asked.clear()
            self._asked[key] = made
        return self._asked[key]

    def depends_on_time(self) -> bool:
        """Whether the order of workloads is another one at another instant."""
        return "growing" in self.columns.by or bool(self.made_of(("missing",), self._misses_stamps))

    def is_small(self) -> bool:
        """Whether sums and differences of all that is in use stay within 64 bits, and nothing is negative."""
        small: bool = self.made_of(("small",), self._is_small)
        return small

    def held_by_all(self, columns: Array) -> bool:
        """Whether every workload was assigned one and the same of some columns, with any amount."""
        held: Array = self.made_of(("held by all",), self._held_by_all)
        return bool(held[columns].any())

    def _held_by_all(self) -> Array:
        columns = self.columns
        counts = np.bincount(
            columns.at[: columns.entries][self._nodes_of_entries() != FREE],
            minlength=len(self.layout.columns),
        )
        held: Array = counts == len(self)
        return held

    def _is_small(self) -> bool:
        amounts = self.columns.amount[: self.columns.entries]
        return bool((self.usage < FARTHEST).all() and (amounts >= 0).all())

    def _misses_stamps(self) -> bool:
        return bool((self.columns.by["reserved"][: self.columns.rows] == NO_STAMP).any())

    def _rows(
        self,
        aged: Instant | None,
        timed: Instant | None,
        counting: PrioritySteps,
        requeuing: RequeuingTimestamp,
        since_eviction: bool,
    ) -> tuple[Rows, Order]:
        columns = self.columns
        settings = self.cluster.settings
        priority = effective_priorities(columns, self.classes, settings.priority_boost, aged or 0, counting)
        reserved: Array = columns.column("reserved")
        if timed is not None:
            reserved = np.where(reserved == NO_STAMP, timed, reserved)
        keys, order = self.made_of(
            ("keys", aged, counting, timed),
            lambda: make_keys(priority, reserved, columns.by["tie"][: columns.rows], self.counted),
        )
        rows = Rows(
            size=columns.rows,
            queue=columns.column("queue"),
            priority=priority,
            reserved=reserved,
            queued=self._queued(requeuing, since_eviction),
            key=keys,
            twin=self.made_of(("twin",), columns.twins),
            evicted=columns.column("evicted"),
            first=columns.column("first"),
            width=columns.column("width"),
            at=columns.at,
            amount=columns.amount,
        )
        return rows, order

    def _queued(self, requeuing: RequeuingTimestamp, since_eviction: bool) -> Array:
        """The time each workload queues from (KQ-020, TBP-030)."""
        columns = self.columns
        queued = columns.column("created")
        settings = self.cluster.settings
        stamps: list[tuple[str, int]] = []
        if not settings.priority_sorting_within_cohort:
            stamps.append(("preempted_while_borrowing", REQUEUED_AFTER))
        stamps.append(("admission_check_evicted", 0))
        if requeuing == RequeuingTimestamp.EVICTION:
            stamps.append(("pods_ready_evicted", 0))
        if since_eviction:
            stamps.append(("time_based_preempted", REQUEUED_AFTER))
        for name, later in stamps:
            stamp = columns.column(name)
            if stamp is not None:
                queued = np.where(stamp == NO_STAMP, queued, stamp + later)
        return queued

    def work(self) -> Work:
        """Room for one search; the same one until something changes."""
        if self._work is None:
            widest = int(self.columns.by["width"].max(initial=0))
            deepest = max(self._depths(), default=0)
            self._work = work_for(self.layout.forest, self.columns.rows, widest, deepest, ROOM)
        return self._work

    def rounds(self) -> Rounds:
        """Room for one tournament; the same one until something changes."""
        if self._rounds is None:
            self._rounds = rounds_for(self.layout.forest, ROOM)
            columns, lightest = self.columns, self._rounds.lightest
            counts = np.zeros((lightest.shape[0], lightest.shape[1] + 1), np.int64)
            queue, first, width = (columns.column(name) for name in ("queue", "first", "width"))
            find_lightest(queue, first, width, columns.at, columns.amount, counts, lightest)
        return self._rounds

    def _depths(self) -> list[int]:
        depths: list[int] = []
        for above in self.layout.forest.parent:
            depths.append(1 if above < 0 else depths[above] + 1)
        return depths

    def save(self, path: str | Path) -> None:
        """Write everything to one file of NumPy's format `.npz`; nothing in it is code.

        Args:
            path: where to.
        """
        columns = self.columns
        names, uids = columns.names.arrays(), columns.uids.arrays()
        written: dict[str, Any] = {f"column.{name}": columns.column(name) for name in columns.by}
        described = _ADAPTER.dump_json(self.cluster)
        contents: dict[str, Any] = dict(
            form=np.array([_FORM]),
            shares_uids=np.array([columns.shares_uids]),
            cluster=np.frombuffer(described, np.uint8),
            held=np.frombuffer(
                TypeAdapter(list[FlavorResource]).dump_json(list(self.layout.columns)), np.uint8
            ),
            at=columns.at[: columns.entries],
            amount=columns.amount[: columns.entries],
            name_ends=names[0],
            name_bytes=names[1],
            uid_ends=uids[0],
            uid_bytes=uids[1],
            **written,
        )
        if columns.labelled is not None:
            contents["labelled"] = np.frombuffer(_LABELS.dump_json(columns.labelled), np.uint8)
        with written_file(path if str(path).endswith(_SUFFIX) else f"{path}{_SUFFIX}") as file:
            np.savez(file, **contents)


def load(path: str | Path) -> Arrays:
    """What `Arrays.save` wrote.

    Raises:
        OSError: no such file.
        ValueError: no file of this format, or one whose parts do not go together; the message names the file.
    """
    foreign = f"{path} has not been written by this release of tenure_simulate.core"
    try:
        with open_regular(path) as file, ZipFile(file) as archive:
            found = _parts(archive)
    except _DamagedError:
        raise ValueError(f"{path} is damaged: a part is not as long as its shape") from None
    except OSError:
        raise
    except Exception as error:  # what zipfile and NumPy stumble over in a damaged file, no page lists
        raise ValueError(foreign) from error
    if "form" not in found:
        raise ValueError(foreign)
    if found["form"].tolist() != [_FORM]:
        raise ValueError(f"{foreign}: its form is {found['form'].tolist()}, expected {[_FORM]}")
    try:
        return _restored(found)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is damaged: its parts do not go together") from error


class _DamagedError(Exception):
    """A part has a shape that its bytes do not have."""


def _parts(archive: ZipFile) -> dict[str, Array]:
    """The arrays of an archive; a shape is believed only where so many bytes stand in the file itself."""
    found: dict[str, Array] = {}
    for entry in archive.infolist():
        with archive.open(entry) as part:
            version = np.lib.format.read_magic(part)
            if version != _HEADER:
                raise ValueError("another version of NumPy's format")
            shape, _, kind = np.lib.format.read_array_header_1_0(part)
            if (
                entry.compress_type != ZIP_STORED
                or part.tell() + prod(shape) * kind.itemsize != entry.file_size
            ):
                raise _DamagedError
        with archive.open(entry) as part:
            found[entry.filename.removesuffix(".npy")] = np.lib.format.read_array(part, allow_pickle=False)
    return found


def _restored(found: Mapping[str, Array]) -> Arrays:
    arrays = Arrays(_ADAPTER.validate_json(found["cluster"].tobytes()))
    arrays.require(TypeAdapter(list[FlavorResource]).validate_json(found["held"].tobytes()))
    columns = arrays.columns
    columns.by = {
        name.removeprefix("column."): column for name, column in found.items() if name.startswith("column.")
    }
    columns.at, columns.amount = found["at"], found["amount"]
    columns.names = Texts.of(found["name_ends"], found["name_bytes"])
    columns.uids = Texts.of(found["uid_ends"], found["uid_bytes"])
    columns.shares_uids = bool(found["shares_uids"][0])
    if columns.labelled is not None:
        columns.labelled = _LABELS.validate_json(found["labelled"].tobytes())
    columns.rows, columns.entries = len(columns.names), len(columns.at)
    columns.check(len(arrays.layout.names), len(arrays.layout.columns))
    arrays._sum_up()
    arrays._forget()
    return arrays
