"""The values that clusters are made of, and every list of workloads and every tree of them.

What is left out because it is only another name for what is there:

- Workloads are a list whose position is the order of their uids, sorted by priority and by stamp. A uid
  decides only between workloads that are equally evicted, of one priority and of one stamp; and among those
  every order is listed. So each cluster with the same workloads under other uids decides as one of the list
  does (`tests/tenure_proofs/bounded/test_families.py`).
- Who asks has priority 1, and is created at one instant: only how others compare with it is asked.
- There is one resource of one flavor. Amounts and quotas are a few units, and stamps lie on both sides of
  each threshold and on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import pairwise, product

from tenure_proofs.bounded.clusters import DURATION, FINAL, INITIAL, NOW, SECOND, Job, Node, Policy

ASKED_AT = NOW - DURATION
"""When who asks was created: at the very threshold of the duration."""

EARLY, LATE = ASKED_AT - DURATION, ASKED_AT + SECOND
LONG, JUST, EXACT, SHORT = ASKED_AT - 2 * SECOND, ASKED_AT - SECOND, ASKED_AT, ASKED_AT + SECOND
"""Stamps that have expired by two seconds and by one; that are of the duration exactly, and of less."""

AGES = ((EARLY, LONG), (EARLY, JUST), (EARLY, EXACT), (EARLY, SHORT), (LATE, SHORT))
"""Creations and stamps of workloads."""

FAIR = ((FINAL, INITIAL), (FINAL,), (INITIAL,))
"""The strategies of fair sharing."""

LIMITS = (None, 0, 1)
"""Borrowing and lending limits."""

COHORTS = ((), (0,), (0, 0), (0, 1))
"""The cohort above each cohort but the root, of every tree of up to three cohorts."""

Shape = tuple[tuple[int, ...], tuple[int, ...]]
"""The cohort above each cohort but the root, and the cohort of each of three ClusterQueues."""


class Size(StrEnum):
    """How large the clusters of a run are."""

    SMALL = "small"
    USUAL = "usual"
    DEEP = "deep"


def job_lists(kinds: Sequence[Job], most: int, least: int = 0) -> Iterator[tuple[Job, ...]]:
    """Every list of so many workloads, as the module says; the shortest first."""
    ranks = {job: (job.priority, job.reserved, job.evicted) for job in kinds}
    for length in range(least, most + 1):
        for jobs in product(kinds, repeat=length):
            if all(ranks[one] <= ranks[two] for one, two in pairwise(jobs)):
                yield jobs


def running(queues: Sequence[int], priorities: Sequence[int], amounts: Sequence[int]) -> list[Job]:
    """Workloads of one age in some ClusterQueues."""
    return [
        Job(queue, priority, amount, EARLY, SHORT)
        for priority, queue, amount in product(priorities, queues, amounts)
    ]


def asking(queue: int, amount: int) -> Job:
    """Who asks."""
    return Job(queue, 1, amount, ASKED_AT)


def tree_shapes(cohorts: int) -> Iterator[Shape]:
    """Every tree of at most so many cohorts, none of them empty."""
    for parents in COHORTS:
        if len(parents) >= cohorts:
            continue
        for places in product(range(len(parents) + 1), repeat=3):
            if all(index in places or index in parents for index in range(1, len(parents) + 1)):
                yield parents, places


def tree_of(
    shape: Shape,
    policy: Policy,
    heroes: Sequence[bool] = (False, False, False),
    inner: tuple[int | None, int | None] = (None, None),
    first_borrows: int | None = None,
) -> tuple[Node, ...]:
    """The nodes of a tree; the first ClusterQueue comes after the cohorts, and each has a quota of 1.

    Args:
        shape: the tree.
        policy: of every ClusterQueue.
        heroes: which of them are heroes.
        inner: borrowing and lending limit of every cohort but the root.
        first_borrows: the first ClusterQueue's borrowing limit.
    """
    parents, places = shape
    cohorts = [Node(f"c{index + 1}", above, 0, *inner) for index, above in enumerate(parents)]
    queues = [
        Node(f"q{index}", above, 1, None if index else first_borrows, None, replace(policy, hero=hero))
        for index, (above, hero) in enumerate(zip(places, heroes, strict=True))
    ]
    return (Node("c0", None), *cohorts, *queues)
