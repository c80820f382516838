"""Which flavors a pending workload would get."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

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
    ResourceFlavor,
    ResourceGroup,
    Workload,
)
from tenure.oracle.backoff import deferred
from tenure.oracle.heroes.effective import tree_under
from tenure.oracle.heroes.fit import hero_mode
from tenure.oracle.nodes import may_use
from tenure.oracle.question import OWN, Question, Selection
from tenure.oracle.search import Search, find_targets
from tenure.oracle.snapshot import Snapshot
from tenure.oracle.topology import group_name, grouped, is_placed_once, may_serve
from tenure.oracle.tree import Tree, Usage, available_at, borrowing_level, potential_at, quota_at
from tenure.rules.amounts import plus
from tenure.rules.flavors import (
    is_higher_mode,
    is_preferred,
    may_preempt_while_borrowing,
    mode_after_search,
    mode_without_search,
    scaled_request,
    tries_next_flavor,
)
from tenure.rules.preemption_config import is_search_made
from tenure.rules.terms import PreemptionTerms

PODS = "pods"
"""The resource that counts pods; a ClusterQueue that covers it charges every pod set with its count."""


NOTHING = Assignment(usage={}, needs_preemption=frozenset(), fits=False)
"""Where no flavor serves a request."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way of serving a request: how, and how far up the tree quota is borrowed from."""

    mode: FlavorMode
    level: int


BEST = Way(FlavorMode.FIT, 0)
WORST = Way(FlavorMode.NO_FIT, 0)


@dataclass(frozen=True, slots=True)
class Choice:
    """A flavor for the resources of a group, the way each would be served, and the worst of these.

    Args:
        flavor: its name.
        requested: how much of each resource, what earlier pod sets get of the flavor included.
        ways: how each resource would be served.
        worst: of the ways.
    """

    flavor: str
    requested: Amounts
    ways: Mapping[str, Way]
    worst: Way


@dataclass(frozen=True, slots=True)
class GroupTrial:
    """The flavors that were tried for the resources of one group, for pod sets that get the same flavors.

    Args:
        pod_sets: with the numbers of pods that were tried: one, or those of one `podSetGroupName`.
        group: the resource group.
        requests: what the pod sets ask of it together.
        tried: the flavors that were tried, in order.
        choice: the one that the pod sets get; None where none serves them.
        ended: whether the search ended at that flavor; otherwise it is the best of all.
    """

    pod_sets: tuple[PodSet, ...]
    group: ResourceGroup
    requests: Mapping[str, Amount]
    tried: tuple[Choice, ...]
    choice: Choice | None
    ended: bool

    @property
    def pod_set_name(self) -> str:
        """The name of the pod set, or of all that get the same flavors."""
        return " and ".join(pod_set.name for pod_set in self.pod_sets)


@dataclass(frozen=True, slots=True)
class Assigned:
    """An assignment, and the flavors that were tried for it, in order."""

    assignment: Assignment
    groups: tuple[GroupTrial, ...] = ()


@dataclass(slots=True)
class Served:
    """How the resources of pod sets are served, whether any group must wait, and what was tried."""

    flavors: dict[str, tuple[str, Way]]
    waits: bool = False
    groups: list[GroupTrial] = field(default_factory=list)
    lacking: bool = False


@dataclass(frozen=True, slots=True)
class Assigner:
    """Assigns flavors to one pending workload.

    Args:
        snapshot: the tree around its ClusterQueue.
        workload: the workload, with its effective priority.
        terms: what holds for it.
        now: the scheduling cycle's one clock value, ns since the epoch.
        search: finds targets, if only a search shows how a flavor could serve a request.

    Source: Kueue main of August 2026, flavor assigner.
    """

    snapshot: Snapshot
    workload: Workload
    terms: PreemptionTerms
    now: Instant
    search: Search = find_targets

    def assign(self, counts: Sequence[int] | None = None) -> Assigned:
        """Assign every requested resource a flavor of its resource group.

        Args:
            counts: number of pods of each pod set; None for all of them.
        """
        usage: dict[FlavorResource, Amount] = {}
        needed: set[FlavorResource] = set()
        made: list[PodSetFlavors] = []
        groups: list[GroupTrial] = []
        waits, level = False, 0
        for together in grouped(with_counts(self.workload.pod_sets, counts)):
            charged = [charged_requests(pod_set, self.snapshot.queue) for pod_set in together]
            served = self._serve(together, charged, usage)
            groups += served.groups
            if served.lacking:
                return Assigned(NOTHING, tuple(groups))
            waits = waits or served.waits
            for pod_set, requests in zip(together, charged, strict=True):
                own = self._own_flavors(pod_set, requests, served)
                if not is_placed_once(pod_set, own.values(), self.snapshot.queue, self.snapshot.cluster):
                    return Assigned(NOTHING, tuple(groups))
                for resource, flavor in own.items() if requests else ():
                    way = served.flavors[resource][1]
                    place = FlavorResource(flavor, resource)
                    usage[place] = plus(usage.get(place, 0), requests[resource])
                    level = max(level, way.level)
                    if way.mode != FlavorMode.FIT:
                        needed.add(place)
                made.append(PodSetFlavors(pod_set.name, pod_set.count, own))
        # With PreemptionOverBorrowing the worst way of a group may be to fit while another of its resources
        # lacks quota; Kueue then takes the whole group to fit.
        lacking = frozenset(needed) if waits else frozenset[FlavorResource]()
        return Assigned(Assignment(usage, lacking, pod_sets=tuple(made), borrowing=level), tuple(groups))

    def _own_flavors(self, pod_set: PodSet, requests: Mapping[str, Amount], served: Served) -> dict[str, str]:
        """The flavors of one of the pod sets that are served together.

        One without requests that shares a group gets the group's flavors that have a topology: its pods
        are placed there too.
        """
        found = {resource: flavor for resource, (flavor, _) in served.flavors.items()}
        if requests:
            return {resource: flavor for resource, flavor in found.items() if resource in requests}
        if group_name(pod_set) is None:
            return {}
        described = self.snapshot.cluster.flavors
        return {
            resource: flavor
            for resource, flavor in found.items()
            if flavor in described and described[flavor].topology
        }

    def _serve(
        self, pod_sets: tuple[PodSet, ...], charged: Sequence[Mapping[str, Amount]], assumed: Amounts
    ) -> Served:
        """Flavor and way for each resource of some pod sets; incomplete without one for some resource."""
        requests = _together(charged)
        # Kueue takes over what a second pass finds assigned, without asking for quota again.
        served = Served(
            {
                name: (flavor, BEST)
                for pod_set in pod_sets
                for name, flavor in pod_set.settled.items()
                if name in requests
            }
        )
        for resource in sorted(requests):
            group = _group_of(self.snapshot.queue, resource)
            if group is None and requests[resource] == 0:
                continue
            if group is None:
                served.lacking = True
                return served
            if resource in served.flavors:
                continue
            together = {name: requests[name] for name in group.covered_resources if name in requests}
            trial = self._try_flavors(pod_sets, group, together, assumed)
            served.groups.append(trial)
            choice = trial.choice
            if choice is None:
                served.lacking = True
                return served
            served.flavors.update({name: (choice.flavor, way) for name, way in choice.ways.items()})
            served.waits = served.waits or choice.worst.mode != FlavorMode.FIT
        return served

    def _try_flavors(
        self,
        pod_sets: tuple[PodSet, ...],
        group: ResourceGroup,
        requests: Mapping[str, Amount],
        assumed: Amounts,
    ) -> GroupTrial:
        """The flavor of a group at which the search ends, else the best one, and those tried for that."""
        fungibility = self.snapshot.queue.fungibility
        by_preference = self.snapshot.cluster.settings.flavor_fungibility
        tried: list[Choice] = []
        best: Choice | None = None
        best_way = WORST
        for quotas in self._usable(pod_sets, group):
            choice = self._choice(quotas.flavor, requests, assumed)
            tried.append(choice)
            way = choice.worst
            if by_preference and not tries_next_flavor(way.mode, way.level, fungibility):
                return GroupTrial(pod_sets, group, requests, tuple(tried), choice, ended=True)
            better = (
                is_preferred(way.mode, way.level, best_way.mode, best_way.level, fungibility.preferred)
                if by_preference
                else way.mode != best_way.mode and is_higher_mode(way.mode, best_way.mode)
            )
            if better:
                best, best_way = choice, way
            if not by_preference and best_way.mode == FlavorMode.FIT:
                break
        return GroupTrial(pod_sets, group, requests, tuple(tried), best, ended=False)

    def _usable(self, pod_sets: tuple[PodSet, ...], group: ResourceGroup) -> Iterator[FlavorQuotas]:
        queue, cluster = self.snapshot.queue, self.snapshot.cluster
        for quotas in group.flavors:
            flavor = cluster.flavors.get(quotas.flavor, ResourceFlavor(quotas.flavor))
            if all(
                may_serve(pod_set, flavor, group, queue, cluster) and may_use(pod_set, flavor)
                for pod_set in pod_sets
            ):
                yield quotas

    def _worst(self, ways: Iterable[Way]) -> Way:
        preference = self.snapshot.queue.fungibility.preferred
        worst = BEST
        for way in ways:
            if is_preferred(worst.mode, worst.level, way.mode, way.level, preference):
                worst = way
        return worst

    def _choice(self, flavor: str, requests: Mapping[str, Amount], assumed: Amounts) -> Choice:
        requested: dict[FlavorResource, Amount] = {}
        ways: dict[str, Way] = {}
        for resource, amount in requests.items():
            place = FlavorResource(flavor, resource)
            requested[place] = plus(assumed.get(place, 0), amount)
            ways[resource] = self._way(place, requested[place])
        return Choice(flavor, requested, ways, self._worst(ways.values()))

    def _way(self, flavor_resource: FlavorResource, request: Amount) -> Way:
        """How a flavor-resource could serve a request; by a search where quota does not decide."""
        tree, place, usage = self.snapshot.tree, self.snapshot.place, self.snapshot.usage
        if self.terms.hero:
            return self._way_of_hero(flavor_resource, request)
        if any(deferred(self.snapshot, {flavor_resource: request}, self.now)):
            return WORST
        named = self.snapshot.queue.preemption_config is not None
        mode, level = mode_of_quota(tree, usage, place, flavor_resource, request, self.terms, named)
        if mode != FlavorMode.NO_CANDIDATES:
            return Way(mode, level)
        found, mode = self._searched(flavor_resource, request)
        level, _ = borrowing_level(
            tree_under(found.usage, tree), found.usage, place, flavor_resource, request
        )
        return Way(mode, level)

    def _way_of_hero(self, flavor_resource: FlavorResource, request: Amount) -> Way:
        """The same for a hero, which never borrows."""
        mode = hero_mode(self.snapshot.usage, self.snapshot.place, flavor_resource, request)
        return Way(
            mode if mode != FlavorMode.NO_CANDIDATES else self._searched(flavor_resource, request)[1], 0
        )

    def _searched(self, flavor_resource: FlavorResource, request: Amount) -> tuple[Selection, FlavorMode]:
        found = self.search(
            Question(
                self.snapshot,
                self.workload,
                frozenset({flavor_resource}),
                {flavor_resource: request},
                self.terms,
                self.now,
            )
        )
        own = any(candidate.group == OWN for candidate in found.kept)
        return found, mode_after_search(bool(found.kept), own)


def mode_of_quota(
    tree: Tree,
    usage: Usage,
    place: int,
    flavor_resource: FlavorResource,
    request: Amount,
    terms: PreemptionTerms,
    configured: bool = False,
) -> tuple[FlavorMode, int]:
    """How quota alone would serve a request for a flavor-resource, and how far up the tree it borrows.

    Args:
        tree, usage: the tree, and what is in use.
        place: of the preemptor's ClusterQueue.
        flavor_resource, request: the flavor-resource, and how much of it.
        terms: what holds for the preemptor.
        configured: whether its ClusterQueue names a PreemptionConfig.
    """
    level, below_root = borrowing_level(tree, usage, place, flavor_resource, request)
    mode = mode_without_search(
        request,
        max(0, available_at(tree, usage, place, flavor_resource)),
        potential_at(tree, place, flavor_resource),
        quota_at(tree, place, flavor_resource).nominal,
        is_search_made(below_root, may_preempt_while_borrowing(terms), configured),
    )
    return mode, level


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
        yield replace(pod_set, count=count, requests=requests)


def _together(charged: Sequence[Mapping[str, Amount]]) -> Mapping[str, Amount]:
    """What several pod sets are charged with."""
    if len(charged) == 1:
        return charged[0]
    requests: dict[str, Amount] = {}
    for own in charged:
        for resource, amount in own.items():
            requests[resource] = plus(requests.get(resource, 0), amount)
    return requests


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
