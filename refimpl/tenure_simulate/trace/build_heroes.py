"""The heroes of a scenario as the trace engine takes them."""

from __future__ import annotations

import numpy as np

from tenure.model import Cluster
from tenure.readings import HeroPrecedence, Reading
from tenure_simulate.core.heroes.plan import Plan, has_heroes, plan_of
from tenure_simulate.core.heroes.search import accessible
from tenure_simulate.core.heroes.tables import BRANCH, HERO, Books
from tenure_simulate.core.heroes.view import books_of, refuse_exact, refuse_large
from tenure_simulate.core.layout import Layout
from tenure_simulate.core.rounds import rounds_for
from tenure_simulate.core.sorting import ROOM
from tenure_simulate.trace.jobs import TracedJobs
from tenure_simulate.trace.tables import AFTER, HeroTables, Table


def planted_heroes(
    layout: Layout, cluster: Cluster, reading: Reading, jobs: TracedJobs, most: int
) -> HeroTables | None:
    """The heroes of a scenario; None where it has none.

    Args:
        layout, cluster: queues and cohorts.
        reading: of it the choices about heroes.
        jobs: who joins.
        most: so many jobs hold quota at a time at most.

    Raises:
        Uncovered: what the engine does not play.
    """
    if not has_heroes(cluster):
        return None
    refuse_exact(reading)
    forest, plan = layout.forest, plan_of(layout, cluster, reading)
    slots = _slots(layout, plan, jobs)
    nodes, columns = forest.nominal.shape
    single_of, usage = np.full(most, -1, np.int32), np.zeros((nodes, columns), np.int64)
    books = books_of(forest, plan, slots, single_of, usage, reading)
    for top in np.flatnonzero(forest.parent < 0).tolist():
        refuse_large(books, top)
    return HeroTables(
        books=books,
        now=_by_row(books.now),
        covered=_by_row(books.covered),
        singles=_by_row(slots[[0, 0]]),
        amounts=_by_row(books.amounts),
        rounds=rounds_for(forest, ROOM),
        accessible=_accessible(books, plan, reading),
        requested=np.zeros(jobs.requests.shape[1], np.int64),
        queues=np.zeros(nodes, np.int32),
        heads=np.zeros(nodes, np.int64),
        stale=_by_row(np.ones((nodes, columns), np.bool_)),
        slot=_by_row(np.zeros(len(jobs.names), np.int64)),
        owner=_by_row(np.zeros(books.amounts.shape[1], np.int64)),
        rank_first=int(reading.hero_precedence == HeroPrecedence.RANK_FIRST),
    )


def _slots(layout: Layout, plan: Plan, jobs: TracedJobs) -> Table:
    """Where the single workloads of each hero begin, and where they end when all its jobs hold quota."""
    slots, end = np.zeros((2, len(layout.names)), np.int64), 0
    for place, (_, node) in enumerate(sorted(layout.queues.items())):
        slots[0, node] = end
        if plan.tree[HERO, node]:
            end += int((jobs.rows.queue == place).sum())
        slots[1, node] = end
    return slots


def _by_row(table: Table) -> Table:
    """The same for each row of usage."""
    return np.stack([table] * (AFTER + 1))


def _accessible(books: Books, plan: Plan, reading: Reading) -> Table:
    """The most that each hero may use."""
    made = np.zeros(books.covers.shape, np.int64)
    for node in plan.heroes.tolist():
        root = int(plan.roots[plan.tree[BRANCH, node]])
        for at in range(made.shape[1]):
            made[node, at] = accessible(books, node, root, at, int(reading.hero_clamp))
    return made
