"""Draws of what workloads are put into: a tree of cohorts, ClusterQueues, quotas, policies and flavors."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from tenure.manifests import with_flavors
from tenure.model import (
    NANO,
    SECOND,
    BorrowWithinCohort,
    ClusterQueue,
    Cohort,
    Duration,
    FlavorFungibility,
    FlavorPreference,
    FlavorQuotas,
    Fungibility,
    PreemptionRules,
    ReclaimWithinCohort,
    ResourceFlavor,
    ResourceGroup,
    Taint,
    Toleration,
    WithinClusterQueue,
)
from tenure_lab.generators.dice import Dice
from tenure_lab.generators.options import Feature, Options
from tenure_lab.generators.quotas import CPU, GPU, MEMORY, PODS, step_of

QUEUES = (1, 2, 2, 3, 3, 3, 4, 4, 5, 6, 8, 12)
LEVELS = (0, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4)
EXTRA_COHORTS = (0, 0, 0, 1, 1, 2, 3)

Group = tuple[tuple[str, ...], tuple[str, ...]]
"""Covered resources, and flavors in order of preference."""
Layout = tuple[Group, ...]
Quota = tuple[int, int | None, int | None]
"""Nominal quota, borrowing limit, lending limit, in steps."""

_CPU_ONLY: Layout = (((CPU,), ("f0",)),)
_GPU_ONLY: Layout = (((GPU,), ("f0",)),)
_BOTH: Layout = (((CPU, GPU), ("f0",)),)
SINGLE: tuple[Layout, ...] = (_CPU_ONLY, _CPU_ONLY, _GPU_ONLY, _GPU_ONLY, _BOTH, (((CPU, PODS), ("f0",)),))
SEVERAL: tuple[Layout, ...] = (
    (((GPU,), ("f0", "f1")),),
    (((CPU,), ("f0", "f1")),),
    (((CPU, GPU), ("f0", "f1")),),
    (((CPU,), ("f0",)), ((GPU,), ("f1",))),
    (((GPU,), ("f0", "f1", "f2")),),
    (((CPU, MEMORY), ("f0",)), ((GPU,), ("f1", "f2"))),
    (((GPU, PODS), ("f0", "f1")),),
)
UNLIMITED_QUOTAS: tuple[Quota, ...] = tuple((steps, None, None) for steps in (3, 2, 4, 1, 3, 5, 0, 6))
LIMITED_QUOTAS: tuple[Quota, ...] = (
    (2, 1, None),
    (2, 2, None),
    (3, 0, None),
    (2, None, 0),
    (3, None, 1),
    (4, None, 2),
    (4, 2, 2),
    (2, 4, 1),
    (0, 2, None),
    (0, None, 0),
    (1, 3, 1),
    (3, 1, 3),
)
COHORT_QUOTAS: tuple[Quota, ...] = (
    (2, None, None),
    (1, None, None),
    (3, None, None),
    (0, None, None),
    (2, 1, None),
    (2, None, 1),
    (0, 2, None),
    (1, 0, 3),
    (0, None, 2),
    (2, None, 0),
)
VARIATIONS = ("same",) * 8 + ("reversed", "first-flavor", "first-group")

_W, _R, _B = WithinClusterQueue, ReclaimWithinCohort, BorrowWithinCohort
WITHIN = (*(_W.LOWER_PRIORITY, _W.LOWER_OR_NEWER_EQUAL_PRIORITY) * 4, _W.NEVER)
# reclaimWithinCohort, the policy of borrowWithinCohort, its threshold. Never with LowerPriority is illegal.
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
SERVED_POLICIES = tuple(policy for policy in POLICIES if policy[0] is not _R.UNSET)
"""Those that an API server gives: it fills in what is not set."""
WEIGHTS = (NANO, NANO, 2 * NANO, NANO // 2, 3 * NANO // 2, 0, NANO // 1000, 3 * NANO)
FUNGIBILITY = tuple(
    FlavorFungibility(
        borrow, preempt, preference if borrow is preempt is Fungibility.TRY_NEXT_FLAVOR else otherwise
    )
    for preference, otherwise in zip(
        FlavorPreference, (None, FlavorPreference.PREEMPTION_OVER_BORROWING), strict=True
    )
    for borrow in Fungibility
    for preempt in Fungibility
)
USUAL_FUNGIBILITY = FUNGIBILITY[1]
SERVED_FUNGIBILITY = tuple(
    flavor_fungibility
    for flavor_fungibility in FUNGIBILITY
    if flavor_fungibility.preference is None
    or flavor_fungibility.when_can_borrow
    == flavor_fungibility.when_can_preempt
    == Fungibility.TRY_NEXT_FLAVOR
)
"""Those that Kueue's webhook lets through: a preference needs two times TryNextFlavor."""
DURATIONS: tuple[Duration, ...] = tuple(
    seconds * SECOND for seconds in (600, 300, 900, 600, 60, 599, 601, 3600, 0)
)
"""Most end exactly when a reservation of the tables is that old."""
MISSING_FLAVOR = "gone"
COHORT_DRAWS, QUEUE_DRAWS = 12, 24
MOST_COHORTS = LEVELS[-1] + EXTRA_COHORTS[-1]

POOL = "pool"
TIER = "tier"
TAINTS = ((Taint("dedicated", "batch"),), (Taint("spot", "", "NoExecute"),), ())
TOLERATES_TAINT = Toleration("dedicated", value="batch", effect="NoSchedule")


@dataclass(frozen=True, slots=True)
class DrawnTree:
    """The shape of a scenario.

    Args:
        cohorts: parent by cohort, None for a root; parents come first.
        queues: cohort by ClusterQueue, None for one without.
        target: the ClusterQueue of the incoming workload.
    """

    cohorts: dict[str, str | None]
    queues: dict[str, str | None]
    target: str

    def root_of(self, queue: str) -> str:
        """The root above a ClusterQueue; itself when it has no cohort.

        >>> DrawnTree({"c0": None, "c1": "c0"}, {"q0": "c1"}, "q0").root_of("q0")
        'c0'
        """
        above = self.queues[queue]
        name = queue
        while above is not None:
            name, above = above, self.cohorts[above]
        return name


def draw_tree(dice: Dice, options: Options) -> DrawnTree:
    """Draw a tree of at most the levels and queues of the options.

    >>> draw_tree(Dice(), Options())
    DrawnTree(cohorts={}, queues={'q0': None}, target='q0')
    """
    count = min(dice.pick(QUEUES), options.max_queues)
    levels = min(dice.pick(LEVELS), options.max_depth)
    cohorts = _cohorts(dice, levels) if levels else {}
    places: list[str | None] = [*cohorts, *cohorts, *cohorts]
    if not cohorts or count > 2:
        places.append(None)
    queues: dict[str, str | None] = {f"q{index}": dice.pick(places) for index in range(count)}
    # A preemptor with a cohort finds more to decide than one without.
    grouped = [name for name, cohort in queues.items() if cohort is not None]
    target = dice.pick([*grouped, *grouped, *grouped, *queues])
    return DrawnTree(cohorts, queues, target)


def _cohorts(dice: Dice, levels: int) -> dict[str, str | None]:
    """A chain of all levels first, then more cohorts wherever there is a level left."""
    names: list[str] = [f"c{level}" for level in range(levels)]
    cohorts: dict[str, str | None] = {
        name: names[index - 1] if index else None for index, name in enumerate(names)
    }
    level = {name: index + 1 for index, name in enumerate(names)}
    for index in range(levels, levels + dice.pick(EXTRA_COHORTS)):
        parents: list[str | None] = [name for name in cohorts if level[name] < levels]
        parent = dice.pick([*parents, *parents, None])
        cohorts[f"c{index}"] = parent
        level[f"c{index}"] = level[parent] + 1 if parent is not None else 1
    return cohorts


def draw_layout(dice: Dice, options: Options) -> Layout:
    """Draw the resource groups that the queues of a scenario have in common.

    >>> draw_layout(Dice(), Options())
    ((('cpu',), ('f0',)),)
    """
    several = options.has(Feature.FLAVORS)
    return dice.pick((*SINGLE, *SINGLE, *SEVERAL) if several else SINGLE)


@dataclass(frozen=True, slots=True)
class DrawnFlavors:
    """The ResourceFlavors of a scenario.

    Args:
        by_name: the flavors.
        constrained: whether labels and taints play a part.
    """

    by_name: dict[str, ResourceFlavor]
    constrained: bool


def draw_flavors(dice: Dice, options: Options, layout: Layout) -> DrawnFlavors:
    """Draw a ResourceFlavor for each name of a layout.

    >>> draw_flavors(Dice(), Options(), _BOTH).by_name == {"f0": ResourceFlavor("f0")}
    True
    """
    constrained = options.has(Feature.TAINTS) and dice.chance(25)
    names = _names(layout)
    made = {name: _constrained(dice, name) if constrained else ResourceFlavor(name) for name in names}
    return DrawnFlavors(made, constrained)


def _constrained(dice: Dice, name: str) -> ResourceFlavor:
    # One draw for both: labels in half of the cases, a tier in a quarter; taints in a quarter.
    choice = dice.up_to(95)
    labels, taint = choice % 8, choice // 8
    pool = {POOL: name} if labels >= 4 else {}
    return ResourceFlavor(
        name,
        labels=pool | ({TIER: "gold"} if labels >= 6 else {}),
        taints=TAINTS[taint - 9] if taint >= 9 else (),
        tolerations=(TOLERATES_TAINT,) if taint == 11 else (),
    )


def _names(layout: Layout) -> list[str]:
    return [flavor for _, flavors in layout for flavor in flavors]


@dataclass(frozen=True, slots=True)
class Proposals:
    """What the KEPs add to a scenario.

    Args:
        durations: KEP-8522.
        ageing: KEP-754.
        heroes: KEP-8826.
    """

    durations: bool
    ageing: bool
    heroes: bool


class QueueDraws:
    """Draws the ClusterQueues and Cohorts of one scenario.

    Args:
        dice, options, proposals: see there.
        tree: where they are.
        layout: their resource groups.
        fair: whether fair sharing is on, so that weights matter.
    """

    def __init__(
        self,
        dice: Dice,
        options: Options,
        proposals: Proposals,
        tree: DrawnTree,
        layout: Layout,
        *,
        fair: bool,
    ) -> None:
        self._all = self._dice = dice
        self._proposals = proposals
        self._tree = tree
        self._layout = layout
        self._weighted = fair and options.has(Feature.WEIGHTS) and dice.chance(60)
        self._limited = options.has(Feature.LIMITS) and dice.chance(50)
        self._scale = dice.pick((1, 1, 2))
        others = [name for name in tree.queues if name != tree.target]
        inactive = others and options.has(Feature.INACTIVE) and dice.chance(6)
        self._inactive = dice.pick(others) if inactive else ""
        self._fungible = options.has(Feature.FUNGIBILITY)
        self._policies = SERVED_POLICIES if options.as_served else POLICIES
        self._searches = SERVED_FUNGIBILITY if options.as_served else FUNGIBILITY

    def cluster_queues(self, flavors: Container[str]) -> dict[str, ClusterQueue]:
        """A ClusterQueue for every queue of the tree, by name; one may name a flavor that is not there."""
        made = {}
        for name, cohort in self._tree.queues.items():
            self._dice = self._all.section(QUEUE_DRAWS)
            made[name] = with_flavors(self._cluster_queue(name, cohort), flavors)
        return made

    def cohorts(self) -> dict[str, Cohort]:
        """The Cohort objects by name; a root may be left out, and then exists implicitly."""
        made = {}
        for name, parent in self._tree.cohorts.items():
            self._dice = self._all.section(COHORT_DRAWS)
            choice = self._dice.up_to(9)
            if parent is not None or choice >= 4:
                table = COHORT_QUOTAS if self._limited else COHORT_QUOTAS[:4]
                groups = self._groups(self._layout, table, limits=parent is not None) if choice >= 7 else ()
                made[name] = Cohort(name, parent, groups, self._weight())
        return made

    def _cluster_queue(self, name: str, cohort: str | None) -> ClusterQueue:
        dice, target = self._dice, name == self._tree.target
        table = (*UNLIMITED_QUOTAS, *LIMITED_QUOTAS) if self._limited else UNLIMITED_QUOTAS
        groups = self._groups(self._varied(), table, limits=cohort is not None)
        if name == self._inactive:
            groups = (*groups[:-1], _with_missing_flavor(groups[-1]))
        reclaim, borrow, threshold = dice.pick(self._policies)
        timed = self._proposals.durations and dice.chance(95 if target else 60)
        duration = dice.pick(DURATIONS) if timed else None
        within = WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY if timed else dice.pick(WITHIN)
        # The order of draws is part of what a seed means.
        unusual = self._fungible and dice.chance(40)
        fungibility = dice.pick(self._searches) if unusual else USUAL_FUNGIBILITY
        weight = self._weight()
        hero = self._proposals.heroes and dice.chance(60 if target else 35)
        return ClusterQueue(
            name=name,
            resource_groups=groups,
            within_cluster_queue=within,
            min_admit_duration=duration,
            cohort=cohort,
            reclaim_within_cohort=reclaim,
            borrow_within_cohort=borrow,
            max_priority_threshold=threshold,
            fungibility=fungibility,
            weight=weight,
            rules=PreemptionRules.UBER_CLUSTER_QUEUE if hero else PreemptionRules.DEFAULT,
        )

    def _weight(self) -> int:
        return self._dice.pick(WEIGHTS) if self._weighted else NANO

    def _varied(self) -> Layout:
        if len(self._tree.queues) == 1 or len(_names(self._layout)) == 1:
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
