"""All obligations, one file for each claim family. A module that is not imported here fails the build."""

from tenure_proofs.obligations import (
    ageing,
    analysis,
    base,
    cycle,
    door,
    duration,
    dynamic_priority,
    fair,
    flavors,
    hero_billing,
    hero_fit,
    hero_immunity,
    hero_power,
    hero_rank,
    hero_tree,
    min_runtime,
    order,
    over_time,
    quota_tree,
    reclaim,
    selection,
    time_based,
    without,
)
from tenure_proofs.registry import all_obligations

OBLIGATIONS = all_obligations()
"""Every obligation, by identifier."""

__all__ = [
    "OBLIGATIONS",
    "ageing",
    "analysis",
    "base",
    "cycle",
    "door",
    "duration",
    "dynamic_priority",
    "fair",
    "flavors",
    "hero_billing",
    "hero_fit",
    "hero_immunity",
    "hero_power",
    "hero_rank",
    "hero_tree",
    "min_runtime",
    "order",
    "over_time",
    "quota_tree",
    "reclaim",
    "selection",
    "time_based",
    "without",
]
