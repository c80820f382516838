"""Every cluster of a few families, the smallest first; `spaces` says what they are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from tenure_proofs.bounded.clusters import ANY, DURATION, LOWER, NEVER, NEWER, Job, Node, Policy, World
from tenure_proofs.bounded.spaces import (
    AGES,
    EARLY,
    EXACT,
    FAIR,
    LIMITS,
    Size,
    asking,
    job_lists,
    running,
    tree_of,
    tree_shapes,
)

Strategies = tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Family:
    """Clusters of one kind.

    Args:
        name: its name.
        bound: what its clusters are, for each size, in words.
        clusters: all of them.
    """

    name: str
    bound: Mapping[Size, str]
    clusters: Callable[[Size], Iterator[World]]


OWN_POLICIES = (Policy(NEVER), Policy(LOWER), Policy(NEWER), Policy(NEWER, DURATION))


def one_queue(size: Size) -> Iterator[World]:
    """One ClusterQueue without cohort: who runs there, since when, and what its policy says."""
    few = [Job(0, priority, amount, *age) for priority in (0, 1) for amount in (1, 2) for age in AGES[1:]]
    many = [Job(0, priority, amount, *age) for priority in (0, 1, 2) for amount in (1, 2) for age in AGES]
    many += [Job(0, priority, 1, EARLY, EXACT, evicted=True) for priority in (0, 1)]
    kinds, quotas, three = {
        Size.SMALL: (few, (2,), few[:0]),
        Size.USUAL: (many, (2,), few),
        Size.DEEP: (many, (1, 2, 3), many),
    }[size]
    for nominal, policy, jobs, amount in product(quotas, OWN_POLICIES, job_lists(kinds, 2), (1, 2)):
        yield World((Node("q", None, nominal, policy=policy),), jobs, asking(0, amount))
    for policy, jobs, amount in product(OWN_POLICIES[2:], job_lists(three, 3, 3), (1, 2)):
        yield World((Node("q", None, 2, policy=policy),), jobs, asking(0, amount))


ELSEWHERE = (
    (NEVER, NEVER, None),
    (LOWER, NEVER, None),
    (ANY, NEVER, None),
    (LOWER, LOWER, None),
    (ANY, LOWER, None),
    (ANY, LOWER, -1),
)
"""`reclaimWithinCohort`, `borrowWithinCohort` and its threshold."""

EVERY_POLICY: tuple[tuple[Policy, Strategies], ...] = (
    *((Policy(within, None, *elsewhere), None) for within, elsewhere in product((NEVER, NEWER), ELSEWHERE)),
    *(
        (Policy(within, None, reclaim), strategies)
        for within, reclaim, strategies in product((NEVER, NEWER), (NEVER, LOWER, ANY), FAIR)
    ),
)
BUSIEST: tuple[tuple[Policy, Strategies], ...] = (
    (Policy(NEWER, None, ANY), None),
    (Policy(NEWER, None, ANY, LOWER), None),
    (Policy(NEWER, None, ANY), FAIR[0]),
    (Policy(NEWER, None, ANY), FAIR[1]),
)
"""The policies under which most may be preempted."""


def two_queues(size: Size) -> Iterator[World]:
    """Two ClusterQueues of one cohort, without limits: every policy, classical and fair."""
    configured, quotas, three = {
        Size.SMALL: (BUSIEST, ((1, 1),), ()),
        Size.USUAL: (EVERY_POLICY, ((1, 1), (2, 0), (0, 2)), BUSIEST),
        Size.DEEP: (EVERY_POLICY, ((1, 1), (2, 0), (0, 2), (2, 1), (1, 2)), EVERY_POLICY),
    }[size]
    kinds = running((1, 2), (0, 1, 2) if size == Size.DEEP else (0, 1), (1, 2))
    for (mine, other), jobs, (policy, strategies), amount in product(
        quotas, job_lists(kinds, 2), configured, (1, 2)
    ):
        yield World(_pair(mine, other, policy), jobs, asking(1, amount), strategies)
    for jobs, (policy, strategies), amount in product(job_lists(kinds, 3, 3), three, (1, 2)):
        yield World(_pair(1, 1, policy), jobs, asking(1, amount), strategies)


def with_durations(size: Size) -> Iterator[World]:
    """Two ClusterQueues of one cohort, the one that asks with minAdmitDuration."""
    most, ways, ages = {
        Size.SMALL: (1, (None,), AGES[1:3]),
        Size.USUAL: (2, (None, FAIR[0]), AGES[1:4]),
        Size.DEEP: (2, (None, *FAIR), AGES),
    }[size]
    kinds = [Job(queue, priority, 1, *age) for queue in (1, 2) for priority in (0, 1) for age in ages]
    policies = (Policy(NEWER, DURATION, ANY), Policy(NEWER, DURATION, LOWER, LOWER))
    for jobs, policy, how, amount in product(job_lists(kinds, most), policies, ways, (1, 2)):
        yield World(_pair(1, 1, policy), jobs, asking(1, amount), how)


def _pair(mine: int, other: int, policy: Policy) -> tuple[Node, ...]:
    return (Node("c", None), Node("a", 0, mine, policy=policy), Node("b", 0, other, policy=policy))


def limits(size: Size) -> Iterator[World]:
    """Two ClusterQueues of one cohort, with what is lent and borrowed, and what the cohort has of its own."""
    policy = Policy(NEWER, None, ANY, LOWER)
    most, quotas = {Size.SMALL: (1, (0, 1)), Size.USUAL: (2, (0, 1)), Size.DEEP: (3, (0, 1, 2))}[size]
    ways: tuple[Strategies, ...] = (None,) if size == Size.SMALL else (None, FAIR[0])
    for jobs, own, mine, borrows, lends, lent, how, amount in product(
        job_lists(running((1, 2), (0,), (1, 2)), most), (0, 1), quotas, LIMITS, LIMITS, LIMITS, ways, (1, 2)
    ):
        nodes = (
            Node("c", None, own),
            Node("a", 0, mine, borrows, lends, policy),
            Node("b", 0, 1, None, lent, policy),
        )
        yield World(nodes, jobs, asking(1, amount), how)


def trees(size: Size) -> Iterator[World]:
    """Three ClusterQueues in every tree."""
    cohorts, most = {Size.SMALL: (2, 1), Size.USUAL: (3, 3), Size.DEEP: (3, 3)}[size]
    inner = tuple(product((None, 0), (None, 0))) if size == Size.DEEP else ((None, None),)
    for shape, limited, (policy, how) in product(tree_shapes(cohorts), inner, BUSIEST[:3]):
        if limited != (None, None) and not shape[0]:
            continue  # nothing is inside a tree of one cohort
        nodes = tree_of(shape, policy, inner=limited)
        first = len(nodes) - 3
        queues = range(first, len(nodes))
        for jobs, amount in product(job_lists(running(queues, (0,), (1,)), most), (1, 2)):
            yield World(nodes, jobs, asking(first, amount), how)


def heroes(size: Size) -> Iterator[World]:
    """Three ClusterQueues in every tree, one or more of them heroes."""
    cohorts, most = {Size.SMALL: (2, 2), Size.USUAL: (2, 2), Size.DEEP: (3, 2)}[size]
    ways: tuple[Strategies, ...] = (None, FAIR[0]) if size == Size.DEEP else (None,)
    policy = Policy(LOWER, None, ANY)
    shapes = list(tree_shapes(cohorts))[:: 5 if size == Size.SMALL else 1]
    last = (False,) if size == Size.SMALL else (True, False)
    for shape, chosen, limit in product(shapes, product((True, False), (True, False), last), (None, 0)):
        # A limit is tried where the first queue is a hero in a tree of one cohort.
        if not any(chosen) or (limit is not None and (shape[0] or not chosen[0])):
            continue
        nodes = tree_of(shape, policy, chosen, first_borrows=limit)
        first = len(nodes) - 3
        kinds = running(range(first, len(nodes)), (0, 2), (1,))
        for jobs, how, amount in product(job_lists(kinds, most), ways, (1, 2, 3)):
            yield World(nodes, jobs, asking(first, amount), how)


FAMILIES: Mapping[str, Family] = {
    family.name: family
    for family in (
        Family(
            "one queue",
            {
                Size.SMALL: "1 ClusterQueue of quota 2, 2 running",
                Size.USUAL: "1 ClusterQueue of quota 2, 2 running of 3 priorities and 3 of 2",
                Size.DEEP: "1 ClusterQueue of quota 1 to 3 with 2 running, of quota 2 with 3 of 3 priorities",
            },
            one_queue,
        ),
        Family(
            "two queues",
            {
                Size.SMALL: "2 ClusterQueues of one cohort, a few policies, 2 running",
                Size.USUAL: "2 ClusterQueues of one cohort, every policy with 2 running, some with 3",
                Size.DEEP: "2 ClusterQueues of one cohort, every policy, 3 running of 3 priorities",
            },
            two_queues,
        ),
        Family(
            "durations",
            {
                Size.SMALL: "2 ClusterQueues of one cohort, minAdmitDuration, 1 running",
                Size.USUAL: "2 ClusterQueues of one cohort, minAdmitDuration, 2 running of 3 ages",
                Size.DEEP: "2 ClusterQueues of one cohort, minAdmitDuration, 2 running of 5 ages",
            },
            with_durations,
        ),
        Family(
            "limits",
            {
                Size.SMALL: "2 ClusterQueues of one cohort, limits none, 0 and 1, 1 running",
                Size.USUAL: "2 ClusterQueues of one cohort, limits none, 0 and 1, 2 running",
                Size.DEEP: "2 ClusterQueues of one cohort, limits none, 0 and 1, 3 running",
            },
            limits,
        ),
        Family(
            "trees",
            {
                Size.SMALL: "3 ClusterQueues in every tree of 1 or 2 cohorts, 1 running",
                Size.USUAL: "3 ClusterQueues in every tree of 1 to 3 cohorts, 3 running",
                Size.DEEP: "3 ClusterQueues in every tree of 1 to 3 cohorts with limits, 3 running",
            },
            trees,
        ),
        Family(
            "heroes",
            {
                Size.SMALL: "1 or 2 heroes of 3 ClusterQueues in a few trees of 1 or 2 cohorts, 2 running",
                Size.USUAL: "1 to 3 heroes of 3 ClusterQueues in every tree of 1 or 2 cohorts, 2 running",
                Size.DEEP: "1 to 3 heroes of 3 ClusterQueues in every tree of 1 to 3 cohorts, 2 running",
            },
            heroes,
        ),
    )
}
"""By name; workloads are at most so many."""
