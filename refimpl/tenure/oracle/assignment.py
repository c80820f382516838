"""Which flavors a pending workload would get."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tenure.model import (
    Amount,
    Amounts,
    Assignment,
    ClusterQueue,
    FlavorMode,
    FlavorQuotas,
    FlavorResource,
    Instant,
    PodSet,
    PodSetFlavors,
    ResourceGroup,
    Workload,
)
from tenure.oracle.heroes.effective import tree_under
from tenure.oracle.heroes.fit import hero_mode
from tenure.oracle.nodes import may_use
from tenure.oracle.question import OWN, Question, Selection
from tenure.oracle.search import Search, find_targets
from tenure.oracle.snapshot import Snapshot
from tenure.oracle.tree import available_at, borrowing_level, potential_at, quota_at
from tenure.rules.flavors import (
    is_higher_mode,
    is_preferred,
    may_preempt_while_borrowing,
    mode_after_search,
    mode_without_search,
    scaled_request,
    tries_next_flavor,
)
from tenure.rules.terms import PreemptionTerms

PODS = "pods"
"""The resource that counts pods; a ClusterQueue that covers it charges every pod set with its count."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way of serving a request: how, and how far up the tree quota is borrowed from."""

    mode: FlavorMode
    level: int


BEST = Way(FlavorMode.FIT, 0)
WORST = Way(FlavorMode.NO_FIT, 0)


@dataclass(frozen=True, slots=True)
class Choice:
    """A flavor for the resources of a group, the way each would be served, and the worst of these."""

    flavor: str
    ways: Mapping[str, Way]
    worst: Way


@dataclass(slots=True)
class Served:
    """How the resources of one pod set are served, and whether any group must wait."""

    flavors: dict[str, tuple[str, Way]]
    waits: bool = False


@dataclass(frozen=True, slots=True)
class Assigner:
    """Assigns flavors to one pending workload.

    Args:
        snapshot: the tree around its ClusterQueue.
        workload: the workload, with its effective priority.
        terms: what holds for it.
        now: the scheduling cycle's one clock value, ns since the epoch.
        search: finds targets, where only a search tells how a flavor could serve a request.

    Source: Kueue main of August 2026, flavor assigner.
    """

    snapshot: Snapshot
    workload: Workload
    terms: PreemptionTerms
    now: Instant
    search: Search = find_targets

    def assign(self, counts: Sequence[int] | None = None) -> Assignment:
        """Assign every requested resource a flavor of its resource group.

        Args:
            counts: number of pods of each pod set; None for all of them.
        """
        usage: dict[FlavorResource, Amount] = {}
        needed: set[FlavorResource] = set()
        made: list[PodSetFlavors] = []
        waits, level = False, 0
        for pod_set in with_counts(self.workload.pod_sets, counts):
            requests = charged_requests(pod_set, self.snapshot.queue)
            served = self._serve(pod_set, requests, usage)
            if served is None:
                return Assignment(usage={}, needs_preemption=frozenset(), fits=False)
            waits = waits or served.waits
            for resource, (flavor, way) in served.flavors.items():
                place = FlavorResource(flavor, resource)
                usage[place] = usage.get(place, 0) + requests[resource]
                level = max(level, way.level)
                if way.mode != FlavorMode.FIT:
                    needed.add(place)
            flavors = {resource: flavor for resource, (flavor, _) in served.flavors.items()}
            made.append(PodSetFlavors(pod_set.name, pod_set.count, flavors))
        # With PreemptionOverBorrowing the worst way of a group may be to fit while another of its resources
        # lacks quota; Kueue then takes the whole group to fit.
        lacking = frozenset(needed) if waits else frozenset[FlavorResource]()
        return Assignment(usage, lacking, pod_sets=tuple(made), borrowing=level)

    def _serve(self, pod_set: PodSet, requests: Mapping[str, Amount], assumed: Amounts) -> Served | None:
        """Flavor and way for each resource of a pod set; None when there is none for one of them."""
        # Kueue takes over what a second pass finds assigned, without asking for quota again.
        served = Served(
            {name: (flavor, BEST) for name, flavor in pod_set.settled.items() if name in requests}
        )
        for resource in sorted(requests):
            group = _group_of(self.snapshot.queue, resource)
            if group is None and requests[resource] == 0:
                continue
            if group is None:
                return None
            if resource in served.flavors:
                continue
            together = {name: requests[name] for name in group.covered_resources if name in requests}
            choice = self._best_choice(pod_set, group, together, assumed)
            if choice is None:
                return None
            served.flavors.update({name: (choice.flavor, way) for name, way in choice.ways.items()})
            served.waits = served.waits or choice.worst.mode != FlavorMode.FIT
        return served

    def _best_choice(
        self, pod_set: PodSet, group: ResourceGroup, requests: Mapping[str, Amount], assumed: Amounts
    ) -> Choice | None:
        """The flavor of a group at which the search ends, else the best one."""
        fungibility = self.snapshot.queue.fungibility
        by_preference = self.snapshot.cluster.settings.flavor_fungibility
        best: Choice | None = None
        best_way = WORST
        for quotas in self._usable(pod_set, group):
            ways = dict(self._ways(quotas.flavor, requests, assumed))
            way = self._worst(ways.values())
            choice = Choice(quotas.flavor, ways, way)
            if by_preference and not tries_next_flavor(way.mode, way.level, fungibility):
                return choice
            better = (
                is_preferred(way.mode, way.level, best_way.mode, best_way.level, fungibility.preference)
                if by_preference
                else way.mode != best_way.mode and is_higher_mode(way.mode, best_way.mode)
            )
            if better:
                best, best_way = choice, way
            if not by_preference and best_way.mode == FlavorMode.FIT:
                break
        return best

    def _usable(self, pod_set: PodSet, group: ResourceGroup) -> Iterator[FlavorQuotas]:
        described = self.snapshot.cluster.flavors
        for quotas in group.flavors:
            flavor = described.get(quotas.flavor)
            if flavor is None or may_use(pod_set, flavor):
                yield quotas

    def _worst(self, ways: Iterable[Way]) -> Way:
        preference = self.snapshot.queue.fungibility.preference
        worst = BEST
        for way in ways:
            if is_preferred(worst.mode, worst.level, way.mode, way.level, preference):
                worst = way
        return worst

    def _ways(
        self, flavor: str, requests: Mapping[str, Amount], assumed: Amounts
    ) -> Iterator[tuple[str, Way]]:
        for resource, amount in requests.items():
            place = FlavorResource(flavor, resource)
            yield resource, self._way(place, assumed.get(place, 0) + amount)

    def _way(self, asked: FlavorResource, request: Amount) -> Way:
        """How a request for one flavor-resource could be served; where only a search tells, search."""
        tree, place, usage = self.snapshot.tree, self.snapshot.place, self.snapshot.usage
        if self.terms.hero:
            return self._way_of_hero(asked, request)
        level, below_root = borrowing_level(tree, usage, place, asked, request)
        mode = mode_without_search(
            request,
            max(0, available_at(tree, usage, place, asked)),
            potential_at(tree, place, asked),
            quota_at(tree, place, asked).nominal,
            below_root or may_preempt_while_borrowing(self.terms),
        )
        if mode != FlavorMode.NO_CANDIDATES:
            return Way(mode, level)
        found, mode = self._searched(asked, request)
        level, _ = borrowing_level(tree_under(found.usage, tree), found.usage, place, asked, request)
        return Way(mode, level)

    def _way_of_hero(self, asked: FlavorResource, request: Amount) -> Way:
        """The same for a hero, which never borrows."""
        mode = hero_mode(self.snapshot.usage, self.snapshot.place, asked, request)
        return Way(mode if mode != FlavorMode.NO_CANDIDATES else self._searched(asked, request)[1], 0)

    def _searched(self, asked: FlavorResource, request: Amount) -> tuple[Selection, FlavorMode]:
        found = self.search(
            Question(self.snapshot, self.workload, frozenset({asked}), {asked: request}, self.terms, self.now)
        )
        own = any(candidate.group == OWN for candidate in found.kept)
        return found, mode_after_search(bool(found.kept), own)


def with_counts(pod_sets: Sequence[PodSet], counts: Sequence[int] | None) -> Iterator[PodSet]:
    """The pod sets with other numbers of pods.

    >>> [pod_set.requests for pod_set in with_counts([PodSet("main", 4, {"cpu": 8})], [3])]
    [{'cpu': 6}]
    """
    for index, pod_set in enumerate(pod_sets):
        count = pod_set.count if counts is None else counts[index]
        requests = {
            resource: scaled_request(amount, pod_set.count, count)
            for resource, amount in pod_set.requests.items()
        }
        yield PodSet(
            name=pod_set.name,
            count=count,
            requests=requests,
            min_count=pod_set.min_count,
            full_count=pod_set.full_count,
            node_selector=pod_set.node_selector,
            node_affinity=pod_set.node_affinity,
            tolerations=pod_set.tolerations,
            settled=pod_set.settled,
        )


def charged_requests(pod_set: PodSet, queue: ClusterQueue) -> Mapping[str, Amount]:
    """What a pod set is charged with: its requests, and its pods where the queue counts them."""
    if _group_of(queue, PODS) is None:
        return pod_set.requests
    return {**pod_set.requests, PODS: pod_set.count}


def _group_of(queue: ClusterQueue, resource: str) -> ResourceGroup | None:
    for group in queue.resource_groups:
        if resource in group.covered_resources:
            return group
    return None
