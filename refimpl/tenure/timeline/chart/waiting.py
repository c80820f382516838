"""Who waits when, and whether aside, where nobody looks until something happens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from tenure.model import Instant
from tenure.timeline.record import Happening, Record

Span: TypeAlias = tuple[Instant, Instant]
"""From, to; ns since the epoch."""

_LEAVES = {Happening.WOKEN, Happening.ADMITTED, Happening.FINISHED, Happening.DELETED}


def aside_spans(record: Record) -> dict[str, list[Span]]:
    """When each workload waits outside its queue's heap."""
    spans: dict[str, list[Span]] = {}
    since: dict[str, Instant] = {}
    for entry in record.story:
        if entry.what == Happening.PARKED:
            since.setdefault(entry.workload, entry.at)
        elif entry.what == Happening.RESTARTED:
            for name, start in since.items():
                spans.setdefault(name, []).append((start, entry.at))
            since.clear()
        elif entry.what in _LEAVES and entry.workload in since:
            spans.setdefault(entry.workload, []).append((since.pop(entry.workload), entry.at))
    for name, start in since.items():
        spans.setdefault(name, []).append((start, record.end))
    return spans


def united(spans: Iterable[Span], gap: int = 0) -> list[Span]:
    """Spans in order; those that meet, or nearly so, are one.

    Args:
        spans: in any order.
        gap: what may lie between two that become one, ns.

    >>> united([(5, 9), (0, 4), (2, 5)])
    [(0, 9)]
    """
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1] + gap:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def parted(span: Span, cut: Sequence[Span]) -> tuple[list[Span], list[Span]]:
    """The parts of a span within other spans, which are in order, and the parts outside.

    >>> parted((0, 10), [(2, 4), (8, 20)])
    ([(2, 4), (8, 10)], [(0, 2), (4, 8)])
    """
    start, end = span
    inside = [(max(a, start), min(b, end)) for a, b in cut if a < end and b > start]
    edges = [start, *(each for pair in inside for each in pair), end]
    outside = [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if a < b]
    return inside, outside
