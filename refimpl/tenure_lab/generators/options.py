"""What a drawn scenario may hold, and how large it may be."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Feature(StrEnum):
    """A part of Kueue, or of a proposal, that scenarios may use.

    >>> Feature("limits") in Options().features
    True
    """

    LIMITS = "limits"
    """Borrowing and lending limits."""
    FLAVORS = "flavors"
    """Several flavors, and several resource groups."""
    TAINTS = "taints"
    """Labels and taints of flavors; node selectors, required affinity and tolerations of pods."""
    FUNGIBILITY = "fungibility"
    """`flavorFungibility` other than the default."""
    WEIGHTS = "weights"
    """Fair-sharing weights other than 1."""
    GATES = "gates"
    """Feature gates other than their defaults, PriorityBoost and its annotation included."""
    EVICTIONS = "evictions"
    """Workloads that are or were evicted."""
    PARTIAL = "partial"
    """`minCount`: partial admission."""
    POD_SETS = "pod-sets"
    """Several pod sets."""
    RECLAIMABLE = "reclaimable"
    """`status.reclaimablePods`."""
    ZEROS = "zeros"
    """Requests and usage of zero."""
    DEBT = "debt"
    """Queues and cohorts that hold more than they may."""
    INACTIVE = "inactive"
    """ClusterQueues with a flavor that does not exist; never the target."""
    UNRESERVED = "unreserved"
    """Workloads among the admitted that have no QuotaReserved condition."""

    DURATIONS = "durations"
    """KEP-8522: `minAdmitDuration`, what it leaves behind, and a reading."""
    AGEING = "ageing"
    """KEP-754: classes whose priority grows, Jobs, and a reading."""
    HEROES = "heroes"
    """KEP-8826: ClusterQueues with UberClusterQueueRules, with and without a cohort, and a reading."""

    LARGE = "large"
    """Quotas, requests and usage of one resource near 2^63, in four of a hundred scenarios."""


PROPOSALS = frozenset((Feature.DURATIONS, Feature.AGEING, Feature.HEROES))
"""The features that Kueue as it is does not have."""

KUEUE_FEATURES = frozenset(Feature) - PROPOSALS - {Feature.LARGE}
"""Every feature of Kueue as it is; amounts near 2^63, some of which are refused, only where wanted."""

ALL_FEATURES = KUEUE_FEATURES | PROPOSALS
"""These and those of the proposals."""


@dataclass(frozen=True, slots=True)
class Options:
    """How large scenarios may be, and what they may hold.

    Args:
        max_workloads: the most workloads that hold quota, 1 to 90.
        max_queues: the most ClusterQueues, 1 to 12.
        max_depth: the most levels of cohorts, 0 to 4; 0 for queues without cohort only.
        fair_sharing: True or False for one kind of preemption only; None for both.
        unique_uids: whether no two workloads share a uid; Kueue is not deterministic when they do.
        features: what may be used; without a word only what Kueue has as it is.
        as_served: whether objects are as an API server gives them, with its defaults and let through by
            Kueue's webhooks.

    Raises:
        ValueError: a number outside its range.

    >>> Options(max_queues=2).max_depth
    4
    >>> Options(max_depth=5)
    Traceback (most recent call last):
    ValueError: max_depth: found 5, expected 0 to 4
    """

    max_workloads: int = 30
    max_queues: int = 6
    max_depth: int = 4
    fair_sharing: bool | None = None
    unique_uids: bool = True
    features: frozenset[Feature] = KUEUE_FEATURES
    as_served: bool = True

    def __post_init__(self) -> None:
        for name, low, high in (("max_workloads", 1, 90), ("max_queues", 1, 12), ("max_depth", 0, 4)):
            value = getattr(self, name)
            if not low <= value <= high:
                raise ValueError(f"{name}: found {value}, expected {low} to {high}")

    def has(self, feature: Feature) -> bool:
        """Whether scenarios may use it.

        >>> Options(features=frozenset()).has(Feature.DEBT)
        False
        """
        return feature in self.features
