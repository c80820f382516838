"""The trees of a scenario as the trace engine takes them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tenure.model import SECOND, ClusterQueue, FlavorResource, Settings
from tenure.readings import Reading
from tenure.rules.cycle import persisted
from tenure.rules.flavors import may_preempt_while_borrowing
from tenure.rules.terms import terms_of
from tenure_play.scenario import Scenario
from tenure_simulate.core.heroes.tables import HERO, USAGE
from tenure_simulate.core.layout import Layout, lay_out
from tenure_simulate.core.nodes import potential
from tenure_simulate.core.rounds import rounds_for, strategies_of
from tenure_simulate.core.sorting import ROOM, order_of
from tenure_simulate.core.tables import Forest, Order, Rows, work_for
from tenure_simulate.core.uncovered import Uncovered
from tenure_simulate.trace.build_heroes import planted_heroes
from tenure_simulate.trace.jobs import TracedJobs
from tenure_simulate.trace.tables import (
    FIRST_STAMP,
    FOUND_END,
    RECENT,
    FairSharing,
    HeroTables,
    Table,
    Trees,
    TreeTables,
    TurnContest,
    Ways,
)

_BITS = 63
_AROUND = 3
"""Bits of a key above the order: two for the group, and one for running."""


def planted(
    scenario: Scenario, reading: Reading, jobs: TracedJobs, most: int, levels: Table
) -> tuple[Trees, HeroTables | None]:
    """The trees of a scenario, with nothing in use, and their heroes, if there are any.

    Args:
        scenario: its objects.
        reading: see `tenure.readings`.
        jobs: who joins.
        most: so many jobs hold quota at a time at most.
        levels: the priorities that jobs have, or come to, in order.

    Raises:
        Uncovered: what the engine does not play.
    """
    cluster = scenario.cluster
    queues = sorted(cluster.cluster_queues.values(), key=lambda queue: queue.name)
    resources = jobs.resources or _only_resource(queues)
    layout = lay_out(cluster, {at for queue in queues for at in _offers(queue)})
    if len(layout.queues) < len(queues):
        raise Uncovered("cohorts that are their own ancestors")
    paths = [layout.path(layout.queues[queue.name]) for queue in queues]
    options, first, end = _options(queues, resources, layout)
    low = np.searchsorted(levels, jobs.rows.priority)
    (nodes, columns), width = layout.forest.nominal.shape, len(resources)
    forest, heroes = layout.forest, planted_heroes(layout, cluster, reading, jobs, most)
    if heroes is None:
        used, charged, after = np.zeros((3, nodes, columns), np.int64)
    else:
        used, charged, after = heroes.now[:, USAGE]
        # Only what UCQ-310 allows takes from heroes, and that does not look here.
        forest = forest._replace(active=forest.active & (heroes.books.tree[HERO] == 0))
    fair = None if cluster.settings.fair_sharing is None else _sharing(forest, cluster.settings)
    trees = Trees(
        forest,
        _rows(most, width),
        work_for(layout.forest, most, width, max(map(len, paths)), ROOM),
        TreeTables(
            node=_numbers(layout.queues[queue.name] for queue in queues),
            depth=_numbers(map(len, paths)),
            may_borrow=_numbers(
                may_preempt_while_borrowing(terms_of(queue, cluster.settings, reading)) for queue in queues
            ),
            when_can_borrow=_numbers(queue.fungibility.when_can_borrow for queue in queues),
            when_can_preempt=_numbers(queue.fungibility.when_can_preempt for queue in queues),
            preference=_numbers(queue.fungibility.preferred for queue in queues),
            paths=_side_by_side(paths),
            heights=_numbers(layout.heights),
            potential=_potentials(layout),
            options=options,
            first_option=first,
            end_option=end,
            requests=jobs.requests,
            low=low,
            columns=np.full((len(jobs.names), width), -1, np.int64),
            used=used,
            charged=charged,
            after=after,
            tried=Ways(*np.zeros((len(Ways._fields), width), np.int64)),
            chosen=Ways(*np.zeros((len(Ways._fields), width), np.int64)),
            at=np.zeros(width, np.int32),
            amount=np.zeros(width, np.int64),
            needed=np.zeros(width, np.int32),
            is_needed=np.zeros(columns, np.bool_),
            watched=np.zeros(columns, np.bool_),
            holder=np.zeros(most, np.int64),
            counts=_counts(scenario),
        ),
        _order(scenario, jobs, levels),
        fair,
        1 if fair is None else None,
    )
    return trees, heroes


def _numbers(values: Iterable[int]) -> Table:
    return np.fromiter(values, np.int64)


def _sharing(forest: Forest, settings: Settings) -> FairSharing:
    """Room for the tournaments of fair sharing."""
    nodes = len(forest.parent)
    return FairSharing(
        rounds=rounds_for(forest, ROOM),
        contest=TurnContest(
            entry=np.zeros(nodes, np.int64),
            borrows=np.zeros(nodes, np.bool_),
            ratio=np.zeros(nodes, np.float64),
            share=np.zeros(nodes, np.float64),
        ),
        # No amount is negative, and `build` leaves those that may saturate to `play`.
        how=strategies_of(settings, lowers=True),
    )


def _only_resource(queues: list[ClusterQueue]) -> tuple[str, ...]:
    """The resource that jobs ask for that do not say which."""
    found = {at.resource for queue in queues for at in _offers(queue)}
    if len(found) != 1:
        raise Uncovered("jobs that do not say which resource they ask for")
    return tuple(found)


def _offers(queue: ClusterQueue) -> list[FlavorResource]:
    """Every flavor-resource that a ClusterQueue may assign."""
    return [
        FlavorResource(quotas.flavor, resource)
        for group in queue.resource_groups
        for quotas in group.flavors
        for resource in group.covered_resources
    ]


def _options(
    queues: list[ClusterQueue], resources: tuple[str, ...], layout: Layout
) -> tuple[Table, Table, Table]:
    """The flavors of every group of every ClusterQueue, and where those of each resource are."""
    options: list[list[int]] = []
    first, end = np.zeros((2, len(queues), len(resources)), np.int64)
    for place, queue in enumerate(queues):
        served: set[str] = set()
        for group in queue.resource_groups:
            mine = [name for name in group.covered_resources if name not in served]
            served.update(mine)
            begin = len(options)
            options += [
                [
                    layout.columns[FlavorResource(quotas.flavor, name)] if name in mine else -1
                    for name in resources
                ]
                for quotas in group.flavors
            ]
            for number, name in enumerate(resources):
                if name in mine:
                    first[place, number], end[place, number] = begin, len(options)
    return np.array(options, np.int64).reshape(len(options), len(resources)), first, end


def _side_by_side(paths: list[Table]) -> Table:
    made = np.full((len(paths), max(map(len, paths))), -1, np.int32)
    for place, path in enumerate(paths):
        made[place, : len(path)] = path
    return made


def _potentials(layout: Layout) -> Table:
    made = np.zeros(layout.forest.nominal.shape, np.int64)
    for node in layout.queues.values():
        path = layout.path(node)
        for at in range(made.shape[1]):
            made[node, at] = potential(layout.forest, path, at)
    return made


def _order(scenario: Scenario, jobs: TracedJobs, levels: Table) -> Order:
    order = order_of(max(0, len(levels) - 1).bit_length(), _recent_bits(scenario), _bits(jobs.rows.rank))
    if order.group + _AROUND > _BITS:
        raise Uncovered("more jobs and seconds than an order of candidates can tell apart")
    return order


def _bits(values: Table) -> int:
    return int(values.max(initial=0)).bit_length()


def _recent_bits(scenario: Scenario) -> int:
    """How many bits a stamp may have, in seconds after the first."""
    seconds: int = (scenario.end - persisted(scenario.start)) // SECOND + 1
    return seconds.bit_length()


def _counts(scenario: Scenario) -> Table:
    counts = np.zeros(FOUND_END + 1, np.int64)
    counts[FIRST_STAMP], counts[RECENT] = persisted(scenario.start), _recent_bits(scenario)
    return counts


def _rows(most: int, width: int) -> Rows:
    return Rows(
        size=0,
        queue=np.full(most, -1, np.int32),
        priority=np.zeros(most, np.int64),
        reserved=np.zeros(most, np.int64),
        queued=np.zeros(most, np.int64),
        key=np.zeros(most, np.int64),
        twin=np.zeros(most, np.int32),
        evicted=np.zeros(most, np.bool_),
        first=np.arange(most, dtype=np.int64) * width,
        width=np.zeros(most, np.int32),
        at=np.zeros(most * width, np.int32),
        amount=np.zeros(most * width, np.int64),
    )
