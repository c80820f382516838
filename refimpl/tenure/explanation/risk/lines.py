"""The exposure of a running workload, line by line: a bounded number of them."""

from __future__ import annotations

from collections.abc import Iterator

from tenure.explanation.quota_alone import note_lines
from tenure.explanation.risk.answer import names
from tenure.explanation.risk.answer_types import ExposureShape, SeenShape
from tenure.units import counted

MOST_GROUPS = 6
"""So many groups of ClusterQueues are listed, unless all of them are asked for."""


def exposure_lines(answer: ExposureShape, *, every: bool = False) -> Iterator[str]:
    """Who could preempt a running workload, and until when it is safe: the headline, then by ClusterQueue.

    Args:
        answer: the answer.
        every: whether every ClusterQueue is named.
    """
    yield answer.summary
    if answer.not_covered:
        return
    yield from note_lines(answer.topology)
    yield ""
    yield "Who could, by ClusterQueue, with a new workload of any size while nothing else changes"
    told = answer.cluster_queues if every else answer.cluster_queues[:MOST_GROUPS]
    for seen in told:
        yield from _seen_lines(seen, every=every)
    rest = answer.cluster_queues[len(told) :]
    if rest:
        count = sum(len(seen.cluster_queues) for seen in rest)
        yield f"  {counted(count, 'more ClusterQueue')}: --all names them"
    if answer.more_changes:
        yield "  Its priority changes after the last instant above too."


def _seen_lines(seen: SeenShape, *, every: bool) -> Iterator[str]:
    first, *later = seen.spans
    named = ", ".join(seen.cluster_queues) if every else names(seen.cluster_queues)
    yield f"  {named}: {first.text}"
    if seen.older is not None:
        yield f"    now also {seen.older.text}"
    for span in later:
        yield f"    from {span.since} on {span.text}"
