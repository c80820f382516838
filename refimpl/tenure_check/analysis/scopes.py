"""The states that verdicts are about: those that admission alone produces, or those after edits as well.

Admission leaves nothing short: at every node of the tree at least zero is available. Whoever lowers a quota
or a limit, takes a flavor out of a ClusterQueue or moves a ClusterQueue to another Cohort while workloads
run leaves them running, and so any amount may be in use of whatever the tree has.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias, TypedDict

from tenure.model import Amount, Cluster, FlavorQuotas, ResourceGroup
from tenure.oracle.topology import has_topology
from tenure.oracle.tree import Tree, build_tree
from tenure.outline import CommandAdvice, Item, Part, TitledList
from tenure_check.choices import Scope

if TYPE_CHECKING:
    from tenure.conformance.requests import DecideRequest


class StateSearch(TypedDict, total=False):
    """How examples are searched for, by keyword."""

    states: int
    """The search in a ClusterQueue ends after so many random states without a new example."""
    seed: int
    """Of the random states."""
    jobs: int | None
    """Processes; None for one for each CPU."""
    kept: bool
    """Whether an earlier answer is used, and this one kept."""


CellSides: TypeAlias = tuple[str, int, str, int]
"""Preemptor's ClusterQueue and priority, and the victim's."""


@dataclass(frozen=True, slots=True)
class MatrixRequest:
    """The part of a configuration's matrix that is wanted.

    Args:
        cells: the cells; None for all. Of others nothing may be read from the matrix.
        scope: of which states it is.
        known: states of the scope that are decided before random ones.
    """

    cells: Collection[CellSides] | None = None
    scope: Scope = Scope.CONSISTENT
    known: Sequence[DecideRequest] = ()


ALL_CELLS = MatrixRequest()


_OF_ALL = (
    "every workload was created before its quota was reserved, and neither is in the future",
    "no running workload is being evicted already",
    "no pending workload has flavors assigned already (status.admission)",
    "no more than 2^60 of a flavor's resource is in use in a tree of Cohorts, or asked for",
)

PREMISES: Mapping[Scope, tuple[str, ...]] = {
    Scope.CONSISTENT: (
        "a state is one that admission alone can produce: at no node less than zero is available, or, in a "
        "tree with heroes, each workload fitted when it got its quota",
        *_OF_ALL,
    ),
    Scope.EDITED: (
        "a state may be one after edits of quotas, limits, flavors and Cohorts: any amount may be in use",
        *_OF_ALL,
    ),
}
"""What every verdict assumes, by scope."""

BY_QUOTA_ALONE = (
    "topology is not modelled: where flavors have one, can is by quota alone, and never is known only where "
    "no policy allows it"
)
"""What verdicts about ClusterQueues whose flavors have a topology assume as well."""


def premise_parts(premises: Sequence[str], reading: str, *, listed: bool) -> list[Part]:
    """The end of an answer: its reading and its premises, those of all verdicts in one line.

    Args:
        premises: all of them.
        reading: the reading's name.
        listed: whether each has a line.

    >>> premise_parts([*PREMISES[Scope.CONSISTENT], "fair sharing off"], "guaranteed", listed=False)
    [['usual premises', ' (--premises lists them)', ', reading guaranteed; assumed: fair sharing off']]
    """
    usual = set(chain(*PREMISES.values()))
    if listed:
        return [f"reading {reading}", TitledList("Premises", [*map(Item, premises)])]
    assumed = "; ".join(premise for premise in premises if premise not in usual)
    words = f"reading {reading}{f'; assumed: {assumed}' if assumed else ''}"
    if not usual.intersection(premises):
        return [words]
    return [["usual premises", CommandAdvice(" (--premises lists them)"), f", {words}"]]


def premises_of(scope: Scope, *clusters: Cluster) -> tuple[str, ...]:
    """What every verdict about some configurations assumes.

    Args:
        scope: the states that verdicts are about.
        clusters: the configurations.

    >>> len(premises_of(Scope.CONSISTENT, Cluster({}))) == len(PREMISES[Scope.CONSISTENT])
    True
    """
    placed = any(
        has_topology(queue, cluster) for cluster in clusters for queue in cluster.cluster_queues.values()
    )
    return (*PREMISES[scope], BY_QUOTA_ALONE) if placed else PREMISES[scope]


def tree_before_edits(dice: random.Random, cluster: Cluster, tree: Tree) -> Tree:
    """A tree as it may have been before quotas, limits and flavors were edited; its nodes keep their places.

    Args:
        dice: draw what was edited.
        cluster: the configuration as it is now.
        tree: one of its trees.

    >>> from tenure.model import ClusterQueue
    >>> quotas = (ResourceGroup(("gpu",), (FlavorQuotas("a100", {"gpu": 4}),)),)
    >>> cluster = Cluster({"q": ClusterQueue("q", quotas)})
    >>> tree = build_tree(cluster, cluster.cluster_queues["q"])
    >>> before = [tree_before_edits(random.Random(seed), cluster, tree) for seed in range(9)]
    >>> sorted({quota.nominal for known in before for quota in known.nodes[0].quotas.values()})
    [0, 2, 4, 5, 8, 13]
    """
    flavors = sorted({at.flavor for at in tree.nodes[0].quotas})
    groups = [known.resource_groups for name, known in cluster.cluster_queues.items() if name in tree.places]
    queues = {
        name: replace(
            known, resource_groups=_edited(dice, known.resource_groups or dice.choice(groups), flavors)
        )
        for name, known in cluster.cluster_queues.items()
        if name in tree.places
    }
    cohorts = {
        name: replace(known, resource_groups=_edited(dice, known.resource_groups, ()))
        for name, known in cluster.cohorts.items()
    }
    before = replace(cluster, cluster_queues=queues, cohorts=cohorts)
    return build_tree(before, queues[next(iter(tree.places))])


def _edited(
    dice: random.Random, groups: Sequence[ResourceGroup], flavors: Sequence[str]
) -> tuple[ResourceGroup, ...]:
    """Resource groups with other quotas, and with some of the flavors that they do not have now."""
    known = {quotas.flavor for group in groups for quotas in group.flavors}
    removed = [flavor for flavor in flavors if flavor not in known and dice.random() < 0.5]
    made = []
    for number, group in enumerate(groups):
        more = removed if number == 0 else []
        gone = (FlavorQuotas(flavor, dict.fromkeys(group.covered_resources, 4)) for flavor in more)
        flavored = tuple(_other_quotas(dice, quotas) for quotas in (*group.flavors, *gone))
        made.append(replace(group, flavors=flavored))
    return tuple(made)


def _other_quotas(dice: random.Random, quotas: FlavorQuotas) -> FlavorQuotas:
    nominal = {name: _other(dice, amount) for name, amount in quotas.nominal.items()}
    return FlavorQuotas(
        quotas.flavor,
        nominal,
        _kept_or_not(dice, quotas.borrowing_limits),
        _kept_or_not(dice, quotas.lending_limits),
    )


def _other(dice: random.Random, amount: Amount) -> Amount:
    return dice.choice((amount, amount, amount // 2, 0, amount + 1, 2 * amount, 3 * amount + 1, 4))


def _kept_or_not(dice: random.Random, limits: Mapping[str, Amount]) -> Mapping[str, Amount]:
    return {name: _other(dice, limit) for name, limit in limits.items() if dice.random() < 0.5}
