"""ClusterQueues and Cohorts."""

from __future__ import annotations

from collections.abc import Container

from tenure.lab.campaign.draws.proposals import Proposals
from tenure.lab.strategies.amounts import step_of
from tenure.lab.strategies.dice import Dice
from tenure.lab.strategies.queues import (
    COHORT_QUOTAS,
    LIMITED_QUOTAS,
    MISSING_FLAVOR,
    UNLIMITED_QUOTAS,
    VARIATIONS,
    Layout,
    Quota,
    flavor_names,
)
from tenure.lab.strategies.tree import Tree
from tenure.manifests import with_flavors
from tenure.model import (
    NANO,
    BorrowWithinCohort,
    ClusterQueue,
    Cohort,
    FlavorFungibility,
    FlavorPreference,
    FlavorQuotas,
    Fungibility,
    ReclaimWithinCohort,
    ResourceGroup,
    WithinClusterQueue,
)

_W, _R, _B = WithinClusterQueue, ReclaimWithinCohort, BorrowWithinCohort
WITHIN = (*(_W.LOWER_PRIORITY, _W.LOWER_OR_NEWER_EQUAL_PRIORITY) * 4, _W.NEVER)
# Never with LowerPriority is illegal; UNSET is an object without an API server's defaults.
POLICIES: tuple[tuple[ReclaimWithinCohort, BorrowWithinCohort, int | None], ...] = (
    (_R.ANY, _B.NEVER, None),
    (_R.ANY, _B.LOWER_PRIORITY, None),
    (_R.ANY, _B.LOWER_PRIORITY, None),
    (_R.LOWER_PRIORITY, _B.LOWER_PRIORITY, None),
    (_R.ANY, _B.LOWER_PRIORITY, 1),
    (_R.LOWER_PRIORITY, _B.LOWER_PRIORITY, 0),
    (_R.LOWER_PRIORITY, _B.NEVER, None),
    (_R.ANY, _B.LOWER_PRIORITY, 2),
    (_R.NEVER, _B.NEVER, None),
    (_R.UNSET, _B.NEVER, None),
    (_R.ANY, _B.LOWER_PRIORITY, -1),
)
WEIGHTS = (NANO, NANO, 2 * NANO, NANO // 2, 3 * NANO // 2, 0, NANO // 1000, 3 * NANO)
FUNGIBILITY = tuple(
    FlavorFungibility(borrow, preempt, preference)
    for preference in FlavorPreference
    for borrow in Fungibility
    for preempt in Fungibility
)


class QueueDraws:
    """Draws the ClusterQueues and Cohorts of one scenario.

    Args:
        dice: the draws.
        tree: where they are.
        layout: their resource groups.
        proposals: what the KEPs add.
        fair: whether fair sharing is on, so that weights matter.
    """

    def __init__(self, dice: Dice, tree: Tree, layout: Layout, proposals: Proposals, *, fair: bool) -> None:
        self._dice = dice
        self._tree = tree
        self._layout = layout
        self._proposals = proposals
        self._weighted = fair and dice.chance(60)
        self._limited = dice.chance(50)
        self._scale = dice.pick((1, 1, 2))
        others = [name for name in tree.queues if name != tree.target]
        self._inactive = dice.pick(others) if others and dice.chance(6) else ""

    def cluster_queues(self, flavors: Container[str]) -> dict[str, ClusterQueue]:
        """A ClusterQueue for every queue of the tree, by name; one may name a flavor that is not there."""
        return {
            name: with_flavors(self._cluster_queue(name, cohort), flavors)
            for name, cohort in self._tree.queues.items()
        }

    def cohorts(self) -> dict[str, Cohort]:
        """The Cohort objects by name; a root may be left out, and then exists implicitly."""
        made = {}
        for name, parent in self._tree.cohorts.items():
            choice = self._dice.up_to(9)
            if parent is not None or choice >= 4:
                table = COHORT_QUOTAS if self._limited else COHORT_QUOTAS[:4]
                groups = self._groups(self._layout, table, limits=parent is not None) if choice >= 7 else ()
                made[name] = Cohort(name, parent, groups, self._weight())
        return made

    def _cluster_queue(self, name: str, cohort: str | None) -> ClusterQueue:
        target = name == self._tree.target
        table = (*UNLIMITED_QUOTAS, *LIMITED_QUOTAS) if self._limited else UNLIMITED_QUOTAS
        groups = self._groups(self._varied(), table, limits=cohort is not None)
        if name == self._inactive:
            groups = (*groups[:-1], _with_missing_flavor(groups[-1]))
        reclaim, borrow, threshold = self._dice.pick(POLICIES)
        duration = self._proposals.min_admit_duration(target=target)
        return ClusterQueue(
            name=name,
            resource_groups=groups,
            within_cluster_queue=self._dice.pick(WITHIN)
            if duration is None
            else WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY,
            min_admit_duration=duration,
            cohort=cohort,
            reclaim_within_cohort=reclaim,
            borrow_within_cohort=borrow,
            max_priority_threshold=threshold,
            fungibility=self._dice.pick(FUNGIBILITY) if self._dice.chance(40) else FUNGIBILITY[1],
            weight=self._weight(),
            rules=self._proposals.rules(target=target),
        )

    def _weight(self) -> int:
        return self._dice.pick(WEIGHTS) if self._weighted else NANO

    def _varied(self) -> Layout:
        if len(self._tree.queues) == 1 or len(flavor_names(self._layout)) == 1:
            return self._layout
        variation = self._dice.pick(VARIATIONS)
        if variation == "reversed":
            return tuple((resources, flavors[::-1]) for resources, flavors in self._layout)
        if variation == "first-flavor":
            return tuple((resources, flavors[:1]) for resources, flavors in self._layout)
        return self._layout[:1] if variation == "first-group" else self._layout

    def _groups(self, layout: Layout, table: tuple[Quota, ...], *, limits: bool) -> tuple[ResourceGroup, ...]:
        return tuple(
            ResourceGroup(
                resources, tuple(self._quotas(flavor, resources, table, limits) for flavor in flavors)
            )
            for resources, flavors in layout
        )

    def _quotas(
        self, flavor: str, resources: tuple[str, ...], table: tuple[Quota, ...], limits: bool
    ) -> FlavorQuotas:
        nominal, borrowing, lending = {}, {}, {}
        for resource in resources:
            own, borrow, lend = self._dice.pick(table)
            step = step_of(resource) * self._scale
            nominal[resource] = own * step
            if limits and borrow is not None:
                borrowing[resource] = borrow * step
            if limits and lend is not None:
                lending[resource] = lend * step
        return FlavorQuotas(flavor, nominal, borrowing, lending)


def _with_missing_flavor(group: ResourceGroup) -> ResourceGroup:
    last = group.flavors[-1]
    missing = FlavorQuotas(MISSING_FLAVOR, last.nominal, last.borrowing_limits, last.lending_limits)
    return ResourceGroup(group.covered_resources, (*group.flavors, missing))
