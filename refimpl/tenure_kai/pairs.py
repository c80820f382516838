"""One table of all pairs of queues: which minimum runtime protects a job of one from a job of another."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from tenure.model import Action, Instant
from tenure.readings import KaiVersion
from tenure.units import format_duration, format_instant, format_names
from tenure.versions import kai_revision
from tenure_kai.answer_types import PairsAnswer, PairShape
from tenure_kai.answers import action_name
from tenure_kai.arguments import method_name
from tenure_kai.model import Scene
from tenure_kai.resolver import resolve
from tenure_kai.text import origin

MOST_ROWS = 40
"""So many rows of the table are printed, unless all of them are wanted."""

MOST_QUEUES = 4
"""So many queues with the same answer are named in a row."""


def pairs_answer(
    scene: Scene, started: Instant | None = None, version: KaiVersion = KaiVersion.MARCH_2026
) -> PairsAnswer:
    """The minimum runtime between every two queues that jobs are in: those without queues below, and others.

    Args:
        scene: the queues, and the plugin's arguments.
        started: when a job of the victim's queue started, ns since the epoch; None without one.
        version: the reading, `kai_version`; every one resolves alike.

    Raises:
        InputError: the parents of a queue go in a circle.

    >>> from tenure_kai.model import Queue
    >>> answer = pairs_answer(Scene({"a": Queue("a", reclaim_min_runtime=60 * 10**9), "b": Queue("b")}))
    >>> [(pair.pending_queue, pair.victim_queue, pair.min_runtime) for pair in answer.pairs]
    [('a', 'a', '0s'), ('b', 'a', '1m'), ('b', 'b', '0s'), ('a', 'b', '0s')]
    """
    queues = sorted(queues_with_jobs(scene))
    pairs = tuple(
        _pair(scene, pending, victim, started)
        for victim in queues
        # A preemption within the queue, then the reclaims.
        for pending in (victim, *(queue for queue in queues if queue != victim))
    )
    return PairsAnswer(
        method=method_name(scene.arguments.method),
        started=None if started is None else format_instant(started),
        summary=f"{len(queues)} queues, {len(pairs)} pairs, method {method_name(scene.arguments.method)}",
        pairs=pairs,
        warnings=scene.warnings,
        kai=kai_revision(version),
    )


def queues_with_jobs(scene: Scene) -> set[str]:
    """The queues that have no queue below, and all that a job is in.

    >>> from tenure_kai.model import Queue
    >>> queues_with_jobs(Scene({"a": Queue("a"), "b": Queue("b", "a")}))
    {'b'}
    """
    parents = {queue.parent for queue in scene.queues.values()}
    busy = {job.queue for job in scene.jobs.values()}
    return {name for name in scene.queues if name not in parents or name in busy}


def pairs_lines(answer: PairsAnswer, *, every: bool = False) -> Iterator[str]:
    """The table: a row for all queues that reclaim alike from one queue.

    Args:
        answer: the answer.
        every: whether every row is printed, and every queue of it named.
    """
    yield answer.summary
    if answer.started is not None:
        yield f"  for a job that started at {answer.started}"
    by_victim = groupby(answer.pairs, key=lambda pair: pair.victim_queue)
    rows = [row for _, pairs in by_victim for row in _rows(list(pairs), every=every)]
    heads = (
        "victim in",
        "pending in",
        "action",
        "until" if answer.started else "protected for",
        "because of",
    )
    shown_rows = rows if every else rows[:MOST_ROWS]
    shown = [heads, *shown_rows]
    widths = [max(len(row[column]) for row in shown) for column in range(4)]
    yield ""
    for row in shown:
        yield "  ".join([*(text.ljust(width) for text, width in zip(row, widths, strict=False)), row[4]])
    if len(rows) > len(shown_rows):
        yield f"({len(rows) - len(shown_rows)} more rows: --all prints them)"


def _pair(scene: Scene, pending: str, victim: str, started: Instant | None) -> PairShape:
    action = Action.PREEMPT if pending == victim else Action.RECLAIM
    found = resolve(scene.queues, scene.arguments, action, pending, victim)
    until = None if started is None else format_instant(started + found.min_runtime)
    return PairShape(
        pending_queue=pending,
        victim_queue=victim,
        action=action_name(action),
        min_runtime=format_duration(found.min_runtime),
        min_runtime_ns=found.min_runtime,
        source=found.source,
        level=None if found.source is None else found.path.index(found.source),
        until=until,
        text=origin(found),
    )


def _rows(pairs: list[PairShape], *, every: bool) -> Iterator[tuple[str, str, str, str, str]]:
    """The pairs of one victim's queue, those with the same answer in one row."""
    alike: dict[tuple[str, str, str], list[str]] = {}
    for pair in pairs:
        key = (pair.action, pair.until or pair.min_runtime, pair.text)
        alike.setdefault(key, []).append(pair.pending_queue)
    for (action, protects, text), pending in alike.items():
        named = format_names(pending, len(pending) if every else MOST_QUEUES)
        yield pairs[0].victim_queue, named, action, protects, text
