"""The exposure of a running workload in words: a bounded number of lines."""

from __future__ import annotations

from collections.abc import Iterator

from tenure.explanation.quota_alone import note_lines
from tenure.explanation.risk.answer import names
from tenure.explanation.risk.answer_types import ExposureShape, SeenShape
from tenure.outline import Facts, Item, Part, TitledList
from tenure.units import counted

MOST_GROUPS = 6
"""So many groups of ClusterQueues are listed without --all."""


def exposure_parts(answer: ExposureShape, *, every: bool = False) -> Iterator[Part]:
    """Who could preempt a running workload, and until when it is safe: the headline, then by ClusterQueue.

    Args:
        answer: the answer.
        every: whether every ClusterQueue is named.
    """
    yield answer.summary
    if answer.not_covered:
        return
    yield Facts([line.strip() for line in note_lines(answer.topology)])
    shown = answer.cluster_queues if every else answer.cluster_queues[:MOST_GROUPS]
    items = [_seen_item(seen, every=every) for seen in shown]
    rest = answer.cluster_queues[len(shown) :]
    if rest:
        count = sum(len(seen.cluster_queues) for seen in rest)
        items.append(Item(f"{counted(count, 'more ClusterQueue')}: --all names them"))
    if answer.more_changes:
        items.append(Item("Its priority changes after the last instant above too."))
    title = "Who could, by ClusterQueue, with a new workload of any size while nothing else changes"
    yield TitledList(title, items)


def _seen_item(seen: SeenShape, *, every: bool) -> Item:
    first, *later = seen.spans
    named = ", ".join(seen.cluster_queues) if every else names(seen.cluster_queues)
    older = [] if seen.older is None else [Item(f"now also {seen.older.text}")]
    spans = [Item(f"from {span.since} on {span.text}") for span in later]
    return Item(f"{named}: {first.text}", [*older, *spans])
