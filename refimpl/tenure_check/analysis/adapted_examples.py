"""Examples of some cells, changed into states that may well be examples of another.

Only what the two cells differ in is changed: priorities, or whose workload is preempted. Such a state is
small already, and found sooner than a random one. Each has to be decided before it counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from tenure.conformance.requests import DecideRequest
from tenure.model import Workload
from tenure.oracle.tree import Tree
from tenure.readings import Reading
from tenure_check.analysis.admissions import free_at, in_use_with, nothing_in_use
from tenure_check.analysis.states import LARGEST, CellQuery, Example

MOST_TRIED = 4
"""Examples of other victims that are changed for a cell."""


class AdaptedExamples:
    """Changes examples of cells of one tree.

    Args:
        tree: the tree, without heroes, whose bills would change with the victim.
        reading: what it is read with.
    """

    def __init__(self, tree: Tree, reading: Reading) -> None:
        self._tree = tree
        self._nothing = nothing_in_use(tree, reading)
        self._known: dict[str, dict[CellQuery, Example]] = {}

    def note(self, cell: CellQuery, example: Example) -> None:
        """Note an example, which is changed for other cells of the same preemptor."""
        known = self._known.setdefault(cell.preemptor, {})
        known.pop(cell, None)
        known[cell] = example

    def states_for(self, cell: CellQuery) -> Iterator[DecideRequest]:
        """States in scope that may well be examples, those that differ in priorities alone first."""
        known = [*self._known.get(cell.preemptor, {}).items()][::-1]
        for twin, example in known:
            if twin.victim == cell.victim:
                yield _with_priorities(example, twin, cell)
        if cell.victim == cell.preemptor:
            return
        others = (item for item in known if item[0].victim not in (cell.victim, cell.preemptor))
        alike = ((twin, example) for twin, example in others if twin.reason == cell.reason)
        for twin, example in islice(alike, MOST_TRIED):
            moved = self._with_victim(example, twin, cell)
            if moved is not None:
                yield moved

    def _with_victim(self, example: Example, twin: CellQuery, cell: CellQuery) -> DecideRequest | None:
        """With one workload of another ClusterQueue, which has all that is left, for the victim's."""
        both = twin.victim, cell.victim
        running = example.request.cluster.admitted
        kept = [workload for workload in running if workload.cluster_queue not in both]
        usage = self._nothing
        for workload in kept:
            place = self._tree.places[workload.cluster_queue or ""]
            usage = in_use_with(self._tree, usage, place, workload.usage)
        place = self._tree.places[cell.victim]
        free = {at: free_at(self._tree, usage, place, at) for at in self._tree.nodes[place].quotas}
        amounts = {at: min(LARGEST, amount) for at, amount in free.items() if amount > 0}
        if not amounts:
            return None
        victim = next(workload for workload in running if workload.key == example.victim)
        moved = replace(victim, cluster_queue=cell.victim, usage=amounts)
        return _with_priorities(example, twin, cell, (*kept, moved))


def _with_priorities(
    example: Example, twin: CellQuery, cell: CellQuery, running: tuple[Workload, ...] | None = None
) -> DecideRequest:
    """The state of an example with the priorities of another cell."""
    request, levels = example.request, {twin.high: cell.high, twin.low: cell.low}
    changed = tuple(
        replace(workload, priority=levels.get(workload.priority, workload.priority))
        for workload in (request.cluster.admitted if running is None else running)
    )
    return replace(
        request,
        cluster=replace(request.cluster, admitted=changed),
        preemptor=request.preemptor.with_priority(cell.high),
    )
