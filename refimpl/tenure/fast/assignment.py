"""Which flavors a pending workload would get, all of its pods or fewer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tenure.fast.amounts import minus, plus
from tenure.fast.flavors import (
    BEST,
    WORST,
    CoreWay,
    charged,
    group_of,
    is_better,
    is_higher,
    may_use,
    tries_next,
)
from tenure.fast.heroes.view import View
from tenure.fast.nodes import available, potential
from tenure.fast.search import Found, Searcher
from tenure.fast.tables import LOWER_PRIORITY, TIME_EXPIRED, Array, Forest
from tenure.fast.topologies import Topologies
from tenure.model import (
    Amount,
    Amounts,
    Assignment,
    BorrowWithinCohort,
    FlavorMode,
    FlavorQuotas,
    FlavorResource,
    PodSet,
    PodSetFlavors,
    ReclaimWithinCohort,
    ResourceGroup,
    Workload,
)

NO_FIT = Assignment(usage={}, needs_preemption=frozenset(), fits=False)


@dataclass(frozen=True, slots=True)
class ServedGroup:
    """How resources are served: flavor and way of each, and the worst way."""

    ways: Mapping[str, tuple[str, CoreWay]]
    worst: CoreWay


@dataclass(frozen=True, slots=True)
class CoreAssigner:
    """Assigns flavors to one pending workload.

    Args:
        searching: searches for it.
        workload: the workload.

    Source: Kueue main of August 2026, flavor assigner.
    """

    searching: Searcher
    workload: Workload

    def assign(self, counts: Sequence[int] | None = None) -> Assignment:
        """Assign every requested resource a flavor of its resource group.

        Args:
            counts: number of pods of each pod set; None for all of them.
        """
        usage: dict[FlavorResource, Amount] = {}
        lacking: set[FlavorResource] = set()
        made: list[PodSetFlavors] = []
        waits, level = False, 0
        topologies = Topologies(self.searching.arrays.cluster, self.searching.queue)
        topologies.refuse_groups(self.workload.pod_sets)
        for index, pod_set in enumerate(self.workload.pod_sets):
            count = pod_set.count if counts is None else counts[index]
            requests = charged(pod_set, count, self.searching.queue)
            served = self._serve(pod_set, requests, usage)
            if served is None:
                return NO_FIT
            waits = waits or served.worst.mode != FlavorMode.FIT
            for resource, (flavor, way) in served.ways.items():
                at = FlavorResource(flavor, resource)
                usage[at] = plus(usage.get(at, 0), requests[resource])
                level = max(level, way.level)
                if way.mode != FlavorMode.FIT:
                    lacking.add(at)
            flavors = {resource: flavor for resource, (flavor, _) in served.ways.items()}
            if not topologies.is_one(pod_set, count, flavors.values()):
                return NO_FIT
            made.append(PodSetFlavors(pod_set.name, count, flavors))
        # A group of which the worst way is to fit counts as fitting, even where another resource lacks quota.
        needed = frozenset(lacking) if waits else frozenset[FlavorResource]()
        return Assignment(usage, needed, pod_sets=tuple(made), borrowing=level)

    def _serve(self, pod_set: PodSet, requests: Mapping[str, Amount], assumed: Amounts) -> ServedGroup | None:
        """Flavors and ways of a pod set's resources; None when there is none for one of them."""
        queue = self.searching.queue
        ways = {name: (flavor, BEST) for name, flavor in pod_set.settled.items() if name in requests}
        waiting = False
        for resource in sorted(requests):
            group = group_of(queue, resource)
            if group is None and requests[resource] == 0:
                continue
            if group is None:
                return None
            if resource in ways:
                continue
            together = {name: requests[name] for name in group.covered_resources if name in requests}
            choice = self._best(pod_set, group, together, assumed)
            if choice is None:
                return None
            ways.update(choice.ways)
            waiting = waiting or choice.worst.mode != FlavorMode.FIT
        return ServedGroup(ways, WORST if waiting else BEST)

    def _best(
        self, pod_set: PodSet, group: ResourceGroup, requests: Mapping[str, Amount], assumed: Amounts
    ) -> ServedGroup | None:
        """The flavor of a group at which the search ends, else the best one."""
        fungibility = self.searching.queue.fungibility
        gate = self.searching.arrays.cluster.settings.flavor_fungibility
        best: ServedGroup | None = None
        best_way = WORST
        for quotas in self._usable(pod_set, group):
            ways = {
                name: (quotas.flavor, self._way(FlavorResource(quotas.flavor, name), amount, assumed))
                for name, amount in requests.items()
            }
            way = self._worst(way for _, way in ways.values())
            if gate and not tries_next(way, fungibility):
                return ServedGroup(ways, way)
            better = (
                is_better(way, best_way, fungibility.preference)
                if gate
                else is_higher(way.mode, best_way.mode)
            )
            if better:
                best, best_way = ServedGroup(ways, way), way
            if not gate and best_way.mode == FlavorMode.FIT:
                break
        return best

    def _usable(self, pod_set: PodSet, group: ResourceGroup) -> Iterator[FlavorQuotas]:
        cluster = self.searching.arrays.cluster
        topologies = Topologies(cluster, self.searching.queue)
        for quotas in group.flavors:
            flavor = cluster.flavors.get(quotas.flavor)
            if topologies.admit(pod_set, group, quotas.flavor) and (
                flavor is None or may_use(pod_set, flavor)
            ):
                yield quotas

    def _worst(self, ways: Iterable[CoreWay]) -> CoreWay:
        worst = BEST
        for way in ways:
            if is_better(worst, way, self.searching.queue.fungibility.preference):
                worst = way
        return worst

    def _way(self, at: FlavorResource, amount: Amount, assumed: Amounts) -> CoreWay:
        """How a request could be served; where only a search tells, search (KQ-520)."""
        searching, request = self.searching, plus(assumed.get(at, 0), amount)
        searching.arrays.require((at,))
        view = searching.view()
        if view is not None:
            return self._way_beside_heroes(view, at, request)
        layout, usage = searching.arrays.layout, searching.arrays.usage
        column = layout.columns[at]
        level, below_root = self._level(usage, column, request)
        if request > potential(layout.forest, searching.path, column):
            return CoreWay(FlavorMode.NO_FIT, level)
        if request <= max(0, available(layout.forest, usage, searching.path, column)):
            return CoreWay(FlavorMode.FIT, level)
        if not (request <= layout.forest.nominal[searching.node, column] or below_root or self._may_borrow()):
            return CoreWay(FlavorMode.NO_FIT, level)
        found = searching.find((at,), {at: request})
        level, _ = self._level(searching.arrays.work().usage, column, request)  # without the found ones
        return CoreWay(_mode(found), level)

    def _way_beside_heroes(self, view: View, at: FlavorResource, request: Amount) -> CoreWay:
        """The same where heroes are in the tree; a hero never borrows (UCQ-250)."""
        searching = self.searching
        node, path, column = searching.node, searching.path, searching.arrays.layout.columns[at]
        if view.is_hero(node):
            if request > view.accessible(node, column):
                return CoreWay(FlavorMode.NO_FIT, 0)
            if view.fits(searching.ask((at,), {at: request})):
                return BEST
            return CoreWay(_mode(searching.find((at,), {at: request})), 0)
        forest, usage = view.forest, view.usage
        level, below_root = self._level_in(forest, usage, column, request)
        if request > potential(forest, path, column):
            return CoreWay(FlavorMode.NO_FIT, level)
        if request <= max(0, available(forest, usage, path, column)):
            return CoreWay(FlavorMode.FIT, level)
        if not (request <= forest.nominal[node, column] or below_root or self._may_borrow()):
            return CoreWay(FlavorMode.NO_FIT, level)
        found = searching.find((at,), {at: request})
        left = view.after(node, bool(len(found.rows)), searching.arrays.work().usage)
        return CoreWay(_mode(found), self._level_in(*left, column, request)[0])

    def _may_borrow(self) -> bool:
        """Whether the queue may preempt for a request that borrows (KQ-530)."""
        queue, settings = self.searching.queue, self.searching.arrays.cluster.settings
        if queue.borrow_within_cohort != BorrowWithinCohort.NEVER:
            return True
        return settings.fair_sharing is not None and queue.reclaim_within_cohort != ReclaimWithinCohort.NEVER

    def _level(self, usage: Array, column: int, request: Amount) -> tuple[int, bool]:
        """Height of the smallest subtree whose quota a request fits, and whether it is below the root."""
        return self._level_in(self.searching.arrays.layout.forest, usage, column, request)

    def _level_in(self, forest: Forest, usage: Array, column: int, request: Amount) -> tuple[int, bool]:
        """The same in trees with other quotas."""
        layout, path, rest = self.searching.arrays.layout, self.searching.path.tolist(), request
        for node in path:
            used = int(usage[node, column])
            if plus(used, rest) <= int(forest.subtree[node, column]):
                return layout.heights[node], node != path[-1]
            rest = minus(rest, max(0, minus(int(forest.local[node, column]), used)))
        return layout.heights[path[-1]], False


def _mode(found: Found) -> FlavorMode:
    """The mode after a search (KQ-540)."""
    if not len(found.rows):
        return FlavorMode.NO_CANDIDATES
    own = (found.grounds >= LOWER_PRIORITY) & (found.grounds <= TIME_EXPIRED)
    return FlavorMode.PREEMPT if own.any() else FlavorMode.RECLAIM


def reduced(assigner: CoreAssigner, search: Callable[[Assignment], Found]) -> tuple[Assignment, Found] | None:
    """An assignment of fewer pods that fits, alone or with targets; None when halving finds none.

    It has the most pods that fit only if all smaller counts fit too (F-079).

    Args:
        assigner: of the workload.
        search: finds targets for an assignment.
    """
    pod_sets = assigner.workload.pod_sets
    full = [pod_set.count if pod_set.full_count is None else pod_set.full_count for pod_set in pod_sets]
    fewest = [
        most if pod_set.min_count is None else pod_set.min_count
        for pod_set, most in zip(pod_sets, full, strict=True)
    ]
    steps = sum(full) - sum(fewest)
    if not assigner.searching.arrays.cluster.settings.partial_admission or steps <= 0:
        return None
    best: tuple[Assignment, Found] | None = None
    first, end = 0, steps + 1
    while first < end:
        step = (first + end) // 2
        counts = [most - (most - least) * step // steps for most, least in zip(full, fewest, strict=True)]
        assignment = assigner.assign(counts)
        found = search(assignment)
        if assignment.fits and (not assignment.needs_preemption or len(found.rows)):
            best, end = (assignment, found), step
        else:
            first = step + 1
    return best
