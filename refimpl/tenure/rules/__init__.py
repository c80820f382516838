"""One small pure function per rule. Importing this package registers all of them."""

from tenure.rules import (
    amounts,
    eligibility,
    flavors,
    min_runtime,
    ordering,
    priority,
    queue_order,
    quota,
    reclaim,
    reservation,
    share,
    time_based,
)

__all__ = [
    "amounts",
    "eligibility",
    "flavors",
    "min_runtime",
    "ordering",
    "priority",
    "queue_order",
    "quota",
    "reclaim",
    "reservation",
    "share",
    "time_based",
]
