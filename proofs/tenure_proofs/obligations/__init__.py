"""All obligations, one file for each claim family. A module that is not imported here fails the build."""

from tenure_proofs.obligations import base, fair, flavors, order, quota_tree, reclaim, selection, time_based
from tenure_proofs.registry import all_obligations

OBLIGATIONS = all_obligations()
"""Every obligation, by identifier."""

__all__ = [
    "OBLIGATIONS",
    "base",
    "fair",
    "flavors",
    "order",
    "quota_tree",
    "reclaim",
    "selection",
    "time_based",
]
