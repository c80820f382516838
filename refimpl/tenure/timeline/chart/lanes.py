"""Who gets a lane: each workload, or where there are many each user, or each place that a workload fills."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tenure.timeline.chart.words import name_of
from tenure.timeline.record import Record, RunSpan, WaitSpan

MOST_WORKLOADS = 12
"""More than these have no lane each."""
MOST_LANES = 40
_NUMBER = re.compile(r"[-_.]?\d+$")

Numbered: TypeAlias = tuple[int, RunSpan]
"""A run, and its place in the record."""


@dataclass(frozen=True, slots=True)
class Lane:
    """A lane.

    Args:
        name: what stands beside it.
        queue: the ClusterQueue under which it stands.
        workloads: `namespace/name` of those in it.
        rows: runs; those of one row do not overlap.
        waits: in the order of their start.
    """

    name: str
    queue: str
    workloads: tuple[str, ...]
    rows: tuple[tuple[Numbered, ...], ...]
    waits: tuple[WaitSpan, ...] = ()


def workload_lanes(record: Record, only: Iterable[str] | None = None) -> tuple[Lane, ...]:
    """A lane for each workload, or for some, by queue and then by submission."""
    chosen = {each.workload for each in record.summaries} if only is None else set(only)
    groups = {(each.queue, each.workload): (each.workload,) for each in record.summaries}
    kept = {key: members for key, members in groups.items() if key[1] in chosen}
    return _lanes(record, {key: (name_of(record, key[1]), members) for key, members in kept.items()})


def lanes_of(record: Record) -> tuple[Lane, ...]:
    """The lanes of a play: by workload, by user, or by place, whichever is the first that is not too many.

    >>> lanes_of(Record("s", "", "guaranteed", 0, 9))
    ()
    """
    if len(record.summaries) <= MOST_WORKLOADS:
        return workload_lanes(record)
    users = _users(record)
    if len(users) <= min(MOST_LANES, len(record.summaries) // 2):
        return _lanes(record, users)
    return _places(record)


def user_of(workload: str) -> str:
    """Whose workload it is, where names end with a number.

    >>> user_of("default/scientist-14-001"), user_of("default/first")
    ('default/scientist-14', 'default/first')
    """
    namespace, slash, name = workload.partition("/")
    return f"{namespace}{slash}{_NUMBER.sub('', name) or name}"


_Groups: TypeAlias = dict[tuple[str, str], tuple[str, tuple[str, ...]]]
"""By queue and key: a lane's name and who is in it."""


def _users(record: Record) -> _Groups:
    members: dict[tuple[str, str], list[str]] = {}
    for each in record.summaries:
        members.setdefault((each.queue, user_of(each.workload)), []).append(each.workload)
    return {key: (name_of(record, key[1]), tuple(members[key])) for key in sorted(members)}


def _lanes(record: Record, groups: _Groups) -> tuple[Lane, ...]:
    lane_of = {name: key for key, (_, members) in groups.items() for name in members}
    runs: dict[tuple[str, str], list[Numbered]] = {key: [] for key in groups}
    waits: dict[tuple[str, str], list[WaitSpan]] = {key: [] for key in groups}
    for number, run in enumerate(record.runs):
        if run.workload in lane_of:
            runs[lane_of[run.workload]].append((number, run))
    for wait in record.waits:
        if wait.workload in lane_of:
            waits[lane_of[wait.workload]].append(wait)
    queues = list(dict.fromkeys(key[0] for key in groups))
    ordered = sorted(groups, key=lambda key: queues.index(key[0]))
    return tuple(
        Lane(groups[key][0], key[0], groups[key][1], packed(runs[key]), tuple(waits[key])) for key in ordered
    )


def packed(runs: Sequence[Numbered]) -> tuple[tuple[Numbered, ...], ...]:
    """Runs in as few rows as there are at once."""
    rows: list[list[Numbered]] = []
    for each in sorted(runs, key=lambda each: (each[1].start, each[0])):
        free = next((row for row in rows if row[-1][1].end <= each[1].start), None)
        if free is None:
            rows.append([each])
        else:
            free.append(each)
    return tuple(tuple(row) for row in rows)


def _places(record: Record) -> tuple[Lane, ...]:
    queues = dict.fromkeys(each.queue for each in record.summaries)
    lanes: list[Lane] = []
    for queue in queues:
        runs = [(number, run) for number, run in enumerate(record.runs) if run.queue == queue]
        for place, row in enumerate(packed(runs), 1):
            lanes.append(Lane(f"place {place}", queue, tuple({run.workload for _, run in row}), (row,)))
    return tuple(lanes)
