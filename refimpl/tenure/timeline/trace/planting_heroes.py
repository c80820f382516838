"""The heroes of a scenario as the trace engine takes them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tenure.fast.heroes.plan import Plan, has_heroes, plan_of
from tenure.fast.heroes.search import accessible
from tenure.fast.heroes.tables import BRANCH, HERO, USAGE, Books
from tenure.fast.heroes.view import books_of, refuse_exact, refuse_large, seen_by
from tenure.fast.layout import Layout
from tenure.fast.rounds import rounds_for
from tenure.fast.sorting import ROOM
from tenure.fast.tables import Forest, Work
from tenure.model import Cluster
from tenure.readings import HeroClamp, HeroPrecedence, Reading
from tenure.timeline.trace.jobs import TracedJobs
from tenure.timeline.trace.records import given_as
from tenure.timeline.trace.tables import AFTER, HeroTables, Table


class PlantedHeroes(NamedTuple):
    """Trees with heroes in which nothing is in use.

    Args:
        kept: the records that `tables` has addresses of.
        tables: as kernels are given them.
        usage: what is in use, of `USED` to `AFTER`.
        tree: as of `tenure.fast.heroes.plan.Plan`.
    """

    kept: tuple[Any, ...]
    tables: HeroTables
    usage: tuple[Table, ...]
    tree: Table


def planted_heroes(
    layout: Layout, cluster: Cluster, reading: Reading, jobs: TracedJobs, work: Work, most: int
) -> PlantedHeroes | None:
    """The heroes of a scenario; None where it has none.

    Args:
        layout, cluster: queues and cohorts.
        reading: of it the choices about heroes.
        jobs: who joins.
        work: room for searches, which is shared.
        most: so many jobs hold quota at a time at most.

    Raises:
        Uncovered: what the engine does not play.
    """
    if not has_heroes(cluster):
        return None
    refuse_exact(reading)
    forest, plan = layout.forest, plan_of(layout, cluster, reading)
    slots = _slots(layout, plan, jobs)
    used, charged, after, searched = (_books(forest, plan, slots, most, reading) for _ in range(4))
    for top in np.flatnonzero(forest.parent < 0).tolist():
        refuse_large(charged, top)
    offering = forest._replace(active=forest.active & (plan.tree[HERO] == 0))
    forests = seen_by(offering, charged), seen_by(offering, after), seen_by(forest, searched)
    other, rounds = work._replace(usage=searched.now[USAGE]), rounds_for(forest, ROOM)
    nodes, columns = forest.nominal.shape
    tables = HeroTables(
        used=given_as(used),
        charged=given_as(charged),
        after=given_as(after),
        searched=given_as(searched),
        forest_charged=given_as(forests[0]),
        forest_after=given_as(forests[1]),
        seen=given_as(forests[2]),
        work=given_as(other),
        rounds=given_as(rounds),
        accessible=_accessible(charged, plan, reading),
        asked=np.zeros(jobs.requests.shape[1], np.int64),
        queues=np.zeros(nodes, np.int32),
        heads=np.zeros(nodes, np.int64),
        stale=np.ones((AFTER + 1, nodes, columns), np.bool_),
        slot=np.zeros((AFTER + 1, len(jobs.names)), np.int64),
        owner=np.zeros((AFTER + 1, int(slots[1].max(initial=0))), np.int64),
        rank_first=int(reading.hero_precedence == HeroPrecedence.RANK_FIRST),
    )
    kept, usage = (used, charged, after, searched, *forests, other, rounds), (used, charged, after)
    return PlantedHeroes(kept, tables, tuple(books.now[USAGE] for books in usage), plan.tree)


def _slots(layout: Layout, plan: Plan, jobs: TracedJobs) -> Table:
    """Where the single workloads of each hero begin, and where they end when all its jobs hold quota."""
    slots, end = np.zeros((2, len(layout.names)), np.int64), 0
    for place, (_, node) in enumerate(sorted(layout.queues.items())):
        slots[0, node] = end
        if plan.tree[HERO, node]:
            end += int((jobs.rows.queue == place).sum())
        slots[1, node] = end
    return slots


def _books(forest: Forest, plan: Plan, slots: Table, most: int, reading: Reading) -> Books:
    books = books_of(
        forest, plan, slots, np.full(most, -1, np.int32), np.zeros(forest.nominal.shape, np.int64), reading
    )
    return books._replace(singles=np.stack((slots[0], slots[0])))


def _accessible(books: Books, plan: Plan, reading: Reading) -> Table:
    """The most that each hero may use."""
    made = np.zeros(books.covers.shape, np.int64)
    for node in plan.heroes.tolist():
        root = int(plan.roots[plan.tree[BRANCH, node]])
        for at in range(made.shape[1]):
            made[node, at] = accessible(books, node, root, at, reading.hero_clamp == HeroClamp.LIMIT)
    return made
