"""Amounts and quotas that several statements speak about, and how large they are."""

from __future__ import annotations

from typing import Any

from tenure.model import NodeQuota
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import all_of, any_of, implies, is_set, value_of

HIGHEST = 2**63 - 1
"""An amount without end."""

LOWEST = -(2**63)

LARGE = 2**60
"""Amounts up to here, some at a time, are summed without reaching the ends of 64 bits."""


def within_64_bits(*amounts: Any) -> Any:
    """Amounts that 64 bits hold, unlimited ones included."""
    return all_of(*(all_of(amount >= LOWEST, amount <= HIGHEST) for amount in amounts))


def ordinary(*amounts: Any) -> Any:
    """Amounts from zero up that no few sums bring to the ends of 64 bits."""
    return all_of(*(all_of(amount >= 0, amount <= LARGE) for amount in amounts))


def ordinary_or_unlimited(*amounts: Any) -> Any:
    """The same, or without end."""
    return all_of(*(any_of(ordinary(amount), amount == HIGHEST) for amount in amounts))


def _within_subtree(quota: Any) -> Any:
    """What a node has of its own is part of what its subtree has."""
    parts = (quota.local, quota.nominal)
    return all_of(quota.subtree >= 0, *(all_of(part >= 0, part <= quota.subtree) for part in parts))


def is_bounded(quota: Any) -> Any:
    """The quota of a node as a tree has it, without unlimited amounts."""
    limit = value_of(quota, "borrowing_limit")
    return all_of(_within_subtree(quota), quota.subtree <= LARGE, limit >= 0, limit <= LARGE)


def any_node(claim: Claim, name: str = "quota") -> Any:
    """The quota of a node as a tree has it: nominal and local within subtree, a limit from zero up."""
    quota = claim.record(name, NodeQuota)
    claim.assume(quota.subtree <= HIGHEST, _within_subtree(quota))
    limit = value_of(quota, "borrowing_limit")
    claim.grant(implies(is_set(quota, "borrowing_limit"), all_of(limit >= 0, limit <= HIGHEST)))
    return quota


def bounded_node(claim: Claim, name: str = "quota") -> Any:
    """The same without unlimited amounts."""
    quota = any_node(claim, name)
    claim.assume(quota.subtree <= LARGE)
    claim.grant(implies(is_set(quota, "borrowing_limit"), value_of(quota, "borrowing_limit") <= LARGE))
    return quota


def node_of_a_tree(claim: Claim, name: str = "quota") -> Any:
    """The same with amounts that are ordinary, or without end."""
    quota = any_node(claim, name)
    claim.assume(ordinary_or_unlimited(quota.subtree, quota.local))
    limit = value_of(quota, "borrowing_limit")
    claim.grant(implies(is_set(quota, "borrowing_limit"), ordinary_or_unlimited(limit)))
    return quota
