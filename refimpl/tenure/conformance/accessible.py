"""Call `accessible`: what is accessible to every ClusterQueue while heroes run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tenure.conformance.requests import read_cluster_request
from tenure.model import UNLIMITED, Amount
from tenure.oracle.heroes.accessible import NodeAccounts, accessible_trees

if TYPE_CHECKING:
    from tenure.conformance import answer_types as written


def answer_accessible(raw: object) -> written.AccessibleOutput:
    """The `output` of call `accessible`.

    Args:
        raw: the `input`, untrusted: that of call `decide` without `incoming`; `targetCQ` need not be there.

    Returns:
        `{"rows": [...]}`, and `warnings` where there are any.

    Raises:
        InputError: everything that is wrong with it, or a class that the reading refuses.

    Source: KEP-8826, Implementation.

    >>> flavor = {"name": "f", "resources": [{"name": "gpu", "nominalQuota": 4}]}
    >>> group = {"coveredResources": ["gpu"], "flavors": [flavor]}
    >>> queue = {"metadata": {"name": "q"}, "spec": {"resourceGroups": [group]}}
    >>> raw = {"now": "2026-01-01T00:00:00Z", "clusterQueues": [queue], "admitted": []}
    >>> answer_accessible(raw)["rows"][0]["accessible"]
    4
    """
    checked = read_cluster_request(raw)
    trees = accessible_trees(checked.cluster, checked.now, checked.reading)
    output: written.AccessibleOutput = {"rows": render_rows(node for tree in trees for node in tree)}
    if checked.warnings:
        output["warnings"] = list(checked.warnings)
    return output


def render_rows(nodes: Iterable[NodeAccounts]) -> list[written.AccessibleRow]:
    """A row for each ClusterQueue, flavor and resource, by their names; null for what is unlimited.

    Args:
        nodes: of any trees; cohorts have no row.
    """
    rows: list[written.AccessibleRow] = [
        {
            "clusterQueue": node.name,
            "flavor": account.asked.flavor,
            "resource": account.asked.resource,
            "nominal": _bounded(account.nominal),
            "bill": account.bill,
            "accessible": _bounded(account.accessible),
            "borrowingLimit": None if account.borrowing_limit is None else _bounded(account.borrowing_limit),
        }
        for node in nodes
        if node.is_queue
        for account in node.accounts
    ]
    return sorted(rows, key=lambda row: (row["clusterQueue"], row["flavor"], row["resource"]))


def render_tree(tree: Iterable[NodeAccounts]) -> list[written.AccessibleNode]:
    """The nodes of a tree, cohorts too.

    Args:
        tree: its nodes, from the root down.
    """
    return [
        {
            "kind": kind_of(node),
            "name": node.name,
            "depth": node.depth,
            "accounts": [
                {
                    "flavor": account.asked.flavor,
                    "resource": account.asked.resource,
                    "nominal": _bounded(account.nominal),
                    "bill": account.bill,
                    "accessible": _bounded(account.accessible),
                }
                for account in node.accounts
            ],
        }
        for node in tree
    ]


def kind_of(node: NodeAccounts) -> str:
    """What a node is: a hero, another ClusterQueue, or a Cohort."""
    if not node.is_queue:
        return "Cohort"
    return "hero" if node.hero else "ClusterQueue"


def _bounded(amount: Amount) -> Amount | None:
    return None if amount == UNLIMITED else amount
