"""Call `accessible`: what is accessible to every ClusterQueue while heroes run."""

from __future__ import annotations

from collections.abc import Iterable

from tenure.conformance.answer_types import AccessibleAccount, AccessibleNode, AccessibleOutput, AccessibleRow
from tenure.conformance.requests import read_cluster_request
from tenure.model import UNLIMITED, Amount
from tenure.oracle.heroes.accessible import NodeAccounts, accessible_trees


def answer_accessible(raw: object) -> AccessibleOutput:
    """The `output` of call `accessible`.

    Args:
        raw: the `input`, untrusted: that of call `decide` without `incoming`; `targetCQ` need not be there.

    Raises:
        InputError: everything that is wrong with it, or a class that the reading refuses.

    Source: KEP-8826, Implementation.

    >>> flavor = {"name": "f", "resources": [{"name": "gpu", "nominalQuota": 4}]}
    >>> group = {"coveredResources": ["gpu"], "flavors": [flavor]}
    >>> queue = {"metadata": {"name": "q"}, "spec": {"resourceGroups": [group]}}
    >>> raw = {"now": "2026-01-01T00:00:00Z", "clusterQueues": [queue], "admitted": []}
    >>> answer_accessible(raw).rows[0].accessible
    4
    """
    checked = read_cluster_request(raw)
    trees = accessible_trees(checked.cluster, checked.now, checked.reading)
    rows = render_rows(node for tree in trees for node in tree)
    return AccessibleOutput(rows, tuple(checked.warnings) or None)


def render_rows(nodes: Iterable[NodeAccounts]) -> tuple[AccessibleRow, ...]:
    """A row for each ClusterQueue, flavor and resource, by their names; null for what is unlimited.

    Args:
        nodes: of any trees; cohorts have no row.
    """
    rows = [
        AccessibleRow(
            cluster_queue=node.name,
            flavor=account.flavor_resource.flavor,
            resource=account.flavor_resource.resource,
            nominal=_bounded(account.nominal),
            bill=account.bill,
            accessible=_bounded(account.accessible),
            borrowing_limit=None if account.borrowing_limit is None else _bounded(account.borrowing_limit),
        )
        for node in nodes
        if node.is_queue
        for account in node.accounts
    ]
    return tuple(sorted(rows, key=lambda row: (row.cluster_queue, row.flavor, row.resource)))


def render_tree(tree: Iterable[NodeAccounts]) -> tuple[AccessibleNode, ...]:
    """The nodes of a tree, cohorts too.

    Args:
        tree: its nodes, from the root down.
    """
    return tuple(
        AccessibleNode(
            kind_of(node),
            node.name,
            node.depth,
            tuple(
                AccessibleAccount(
                    *account.flavor_resource,
                    _bounded(account.nominal),
                    account.bill,
                    _bounded(account.accessible),
                )
                for account in node.accounts
            ),
        )
        for node in tree
    )


def kind_of(node: NodeAccounts) -> str:
    """What a node is: a hero, another ClusterQueue, or a Cohort."""
    if not node.is_queue:
        return "Cohort"
    return "hero" if node.hero else "ClusterQueue"


def _bounded(amount: Amount) -> Amount | None:
    return None if amount == UNLIMITED else amount
