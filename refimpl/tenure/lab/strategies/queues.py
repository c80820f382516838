"""ClusterQueues and Cohorts: quotas, limits, policies, weights."""

from __future__ import annotations

from itertools import product

from tenure.lab.strategies.amounts import CPU, GPU, MEMORY, PODS, step_of, written
from tenure.lab.strategies.dice import Dice
from tenure.lab.strategies.objects import Object, object_of
from tenure.lab.strategies.options import Feature, Options
from tenure.lab.strategies.tree import Tree

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
WITHIN = (*("LowerPriority", "LowerOrNewerEqualPriority") * 4, "Never")
# reclaimWithinCohort, the policy of borrowWithinCohort, its threshold. Never with LowerPriority is illegal.
COHORT_POLICIES: tuple[tuple[str, str, int | None], ...] = (
    ("Any", "Never", None),
    ("Any", "LowerPriority", None),
    ("Any", "LowerPriority", None),
    ("LowerPriority", "LowerPriority", None),
    ("Any", "LowerPriority", 1),
    ("LowerPriority", "LowerPriority", 0),
    ("LowerPriority", "Never", None),
    ("Any", "LowerPriority", 2),
    ("Never", "Never", None),
    ("Any", "LowerPriority", -1),
)
SEARCHES = ("TryNextFlavor", "MayStopSearch")
FUNGIBILITY: tuple[tuple[str, str, str | None], ...] = (
    ("MayStopSearch", "TryNextFlavor", None),
    *((borrow, preempt, None) for borrow, preempt in product(SEARCHES, SEARCHES)),
    ("TryNextFlavor", "TryNextFlavor", "BorrowingOverPreemption"),
    ("TryNextFlavor", "TryNextFlavor", "PreemptionOverBorrowing"),
)
WEIGHTS = (None, "1", "1", "2", "500m", "1500m", "0", "0.001", "3")
MISSING_FLAVOR = "gone"
COHORT_DRAWS, QUEUE_DRAWS = 6, 10


def draw_layout(dice: Dice, options: Options) -> Layout:
    """Draw the resource groups that the queues of a scenario have in common.

    >>> draw_layout(Dice(b""), Options())
    ((('cpu',), ('f0',)),)
    """
    several = options.has(Feature.FLAVORS)
    return dice.pick((*SINGLE, *SINGLE, *SEVERAL) if several else SINGLE)


def flavor_names(layout: Layout) -> list[str]:
    """Every flavor of a layout.

    >>> flavor_names(_BOTH)
    ['f0']
    """
    return [flavor for _, flavors in layout for flavor in flavors]


class QueueDraws:
    """Draws the ClusterQueues and Cohorts of one scenario.

    Args:
        dice, options: see there.
        tree: where they are.
        layout: their resource groups.
        fair: whether fair sharing is on, so that weights matter.
    """

    def __init__(self, dice: Dice, options: Options, tree: Tree, layout: Layout, *, fair: bool) -> None:
        self._dice = dice
        self._tree = tree
        self._layout = layout
        self._weighted = fair and options.has(Feature.WEIGHTS) and dice.chance(60)
        self._limited = options.has(Feature.LIMITS) and dice.chance(50)
        self._fungible = options.has(Feature.FUNGIBILITY)
        self._scale = dice.pick((1, 1, 2))
        self._inactive = options.has(Feature.INACTIVE) and dice.chance(6)

    def cluster_queues(self) -> list[Object]:
        """A ClusterQueue for every queue of the tree."""
        return [self._cluster_queue(name, cohort) for name, cohort in self._tree.queues.items()]

    def cohorts(self) -> list[Object]:
        """The Cohort objects; a root may be left out, and then exists implicitly."""
        made = []
        for name, parent in self._tree.cohorts.items():
            dice = self._dice.section(COHORT_DRAWS)
            choice = dice.up_to(9)
            if parent is not None or choice >= 4:
                made.append(self._cohort(dice, name, parent, quota=choice >= 7))
        return made

    def _cohort(self, dice: Dice, name: str, parent: str | None, *, quota: bool) -> Object:
        spec: Object = {"parentName": parent} if parent is not None else {}
        if quota:
            table = COHORT_QUOTAS if self._limited else COHORT_QUOTAS[:4]
            spec["resourceGroups"] = self._groups(dice, self._layout, table, limits=parent is not None)
        return object_of("Cohort", name, self._with_weight(dice, spec))

    def _cluster_queue(self, name: str, cohort: str | None) -> Object:
        dice = self._dice.section(QUEUE_DRAWS)
        layout = self._varied(dice)
        table = (*UNLIMITED_QUOTAS, *LIMITED_QUOTAS) if self._limited else UNLIMITED_QUOTAS
        groups = self._groups(dice, layout, table, limits=cohort is not None)
        if self._inactive and name != self._tree.target:
            self._inactive = False
            groups[-1]["flavors"].append({**groups[-1]["flavors"][-1], "name": MISSING_FLAVOR})
        spec: Object = {
            "resourceGroups": groups,
            "namespaceSelector": {},
            "queueingStrategy": "BestEffortFIFO",
            "stopPolicy": "None",
            "preemption": self._preemption(dice, name == self._tree.target),
            "flavorFungibility": self._fungibility(dice, name == self._tree.target),
        }
        if cohort is not None:
            spec["cohortName"] = cohort
        return object_of("ClusterQueue", name, self._with_weight(dice, spec))

    def _varied(self, dice: Dice) -> Layout:
        if len(self._tree.queues) == 1 or len(flavor_names(self._layout)) == 1:
            return self._layout
        variation = dice.pick(VARIATIONS)
        if variation == "reversed":
            return tuple((resources, flavors[::-1]) for resources, flavors in self._layout)
        if variation == "first-flavor":
            return tuple((resources, flavors[:1]) for resources, flavors in self._layout)
        return self._layout[:1] if variation == "first-group" else self._layout

    def _groups(self, dice: Dice, layout: Layout, table: tuple[Quota, ...], *, limits: bool) -> list[Object]:
        made = []
        for resources, flavors in layout:
            quotas = [
                {"name": flavor, "resources": [self._quota(dice, each, table, limits) for each in resources]}
                for flavor in flavors
            ]
            made.append({"coveredResources": list(resources), "flavors": quotas})
        return made

    def _quota(self, dice: Dice, resource: str, table: tuple[Quota, ...], limits: bool) -> Object:
        nominal, borrowing, lending = dice.pick(table)
        step = step_of(resource) * self._scale
        quota: Object = {"name": resource, "nominalQuota": written(nominal * step, resource)}
        if limits and borrowing is not None:
            quota["borrowingLimit"] = written(borrowing * step, resource)
        if limits and lending is not None:
            quota["lendingLimit"] = written(lending * step, resource)
        return quota

    def _preemption(self, dice: Dice, decides: bool) -> Object:
        # Only the preemptor's own policies decide anything; the others cost no draw.
        within = dice.pick(WITHIN) if decides else "LowerPriority"
        reclaim, borrow, threshold = dice.pick(COHORT_POLICIES) if decides else COHORT_POLICIES[0]
        borrowing: Object = {"policy": borrow}
        if threshold is not None:
            borrowing["maxPriorityThreshold"] = threshold
        return {
            "withinClusterQueue": within,
            "reclaimWithinCohort": reclaim,
            "borrowWithinCohort": borrowing,
        }

    def _fungibility(self, dice: Dice, decides: bool) -> Object:
        choose = decides and self._fungible
        borrow, preempt, preference = dice.pick(FUNGIBILITY) if choose else FUNGIBILITY[0]
        chosen: Object = {"whenCanBorrow": borrow, "whenCanPreempt": preempt}
        if preference is not None:
            chosen["preference"] = preference
        return chosen

    def _with_weight(self, dice: Dice, spec: Object) -> Object:
        weight = dice.pick(WEIGHTS) if self._weighted else None
        if weight is not None:
            spec["fairSharing"] = {"weight": weight}
        return spec
