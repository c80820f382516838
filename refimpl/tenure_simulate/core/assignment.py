"""Which flavors a pending workload would get, all of its pods or fewer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tenure.model import (
    Amount,
    Amounts,
    Assignment,
    FlavorMode,
    FlavorQuotas,
    FlavorResource,
    NodeQuota,
    PodSet,
    PodSetFlavors,
    ResourceGroup,
    Workload,
)
from tenure.rules.flavors import (
    is_higher_mode,
    may_preempt_while_borrowing,
    mode_after_search,
    mode_without_search,
    reduced_count,
    tries_next_flavor,
)
from tenure.rules.hero_fit import hero_mode_without_search
from tenure.rules.preemption_config import is_search_made
from tenure.rules.quota import fits_quota, remaining_request
from tenure_simulate.core.amounts import plus
from tenure_simulate.core.flavors import (
    BEST,
    WORST,
    CoreWay,
    charged,
    group_of,
    is_better,
    may_use,
)
from tenure_simulate.core.heroes.view import View
from tenure_simulate.core.nodes import available, potential
from tenure_simulate.core.search import Found, Searcher
from tenure_simulate.core.tables import LOWER_PRIORITY, TIME_EXPIRED, Array, Forest
from tenure_simulate.core.topologies import Topologies

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
            if gate and not tries_next_flavor(way.mode, way.level, fungibility):
                return ServedGroup(ways, way)
            better = (
                is_better(way, best_way, fungibility.preferred)
                if gate
                else way.mode != best_way.mode and is_higher_mode(way.mode, best_way.mode)
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
            if is_better(worst, way, self.searching.queue.fungibility.preferred):
                worst = way
        return worst

    def _way(self, at: FlavorResource, amount: Amount, assumed: Amounts) -> CoreWay:
        """How a request could be served; where only a search decides, search (KQ-520)."""
        searching, request = self.searching, plus(assumed.get(at, 0), amount)
        searching.arrays.require((at,))
        view = searching.view()
        if view is not None:
            return self._way_beside_heroes(view, at, request)
        layout, usage = searching.arrays.layout, searching.arrays.usage
        column = layout.columns[at]
        way = self._way_by_quota(layout.forest, usage, column, request)
        if way.mode != FlavorMode.NO_CANDIDATES:
            return way
        found = searching.find((at,), {at: request})
        without = searching.arrays.work().usage
        return CoreWay(self._mode(found), self._level_in(layout.forest, without, column, request)[0])

    def _way_beside_heroes(self, view: View, at: FlavorResource, request: Amount) -> CoreWay:
        """The same where heroes are in the tree; a hero never borrows (UCQ-250)."""
        searching = self.searching
        node, column = searching.node, searching.arrays.layout.columns[at]
        if view.is_hero(node):
            fits = view.fits(searching.ask((at,), {at: request}))
            mode = hero_mode_without_search(request, fits, view.accessible(node, column))
            if mode != FlavorMode.NO_CANDIDATES:
                return CoreWay(mode, 0)
            return CoreWay(self._mode(searching.find((at,), {at: request})), 0)
        way = self._way_by_quota(view.forest, view.usage, column, request)
        if way.mode != FlavorMode.NO_CANDIDATES:
            return way
        found = searching.find((at,), {at: request})
        left = view.after(node, bool(len(found.rows)), searching.arrays.work().usage)
        return CoreWay(self._mode(found), self._level_in(*left, column, request)[0])

    def _way_by_quota(self, forest: Forest, usage: Array, column: int, request: Amount) -> CoreWay:
        """How quota alone would serve a request; `NO_CANDIDATES` where a search decides."""
        node, path = self.searching.node, self.searching.path
        configured = self.searching.queue.preemption_config is not None
        level, below_root = self._level_in(forest, usage, column, request)
        mode = mode_without_search(
            request,
            max(0, available(forest, usage, path, column)),
            potential(forest, path, column),
            int(forest.nominal[node, column]),
            is_search_made(below_root, may_preempt_while_borrowing(self.searching.terms), configured),
        )
        return CoreWay(mode, level)

    def _mode(self, found: Found) -> FlavorMode:
        """The mode after a search."""
        own = (found.bases >= LOWER_PRIORITY) & (found.bases <= TIME_EXPIRED)
        if self.searching.tiers is not None:  # a PreemptionConfig selects in any ClusterQueue
            own |= self.searching.rows.queue[found.rows] == self.searching.node
        return mode_after_search(bool(len(found.rows)), bool(own.any()))

    def _level_in(self, forest: Forest, usage: Array, column: int, request: Amount) -> tuple[int, bool]:
        """Height of the smallest subtree whose quota a request fits, and whether it is below the root."""
        layout, path, rest = self.searching.arrays.layout, self.searching.path.tolist(), request
        for node in path:
            used = int(usage[node, column])
            if fits_quota(used, rest, int(forest.subtree[node, column])):
                return layout.heights[node], node != path[-1]
            rest = remaining_request(rest, NodeQuota(local=int(forest.local[node, column])), used)
        return layout.heights[path[-1]], False


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
        counts = [reduced_count(most, least, step, steps) for most, least in zip(full, fewest, strict=True)]
        assignment = assigner.assign(counts)
        found = search(assignment)
        if assignment.fits and (not assignment.needs_preemption or len(found.rows)):
            best, end = (assignment, found), step
        else:
            first = step + 1
    return best
