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
    loops,
    min_runtime,
    order,
    over_time,
    quota_tree,
    reclaim,
    selection,
    time_based,
    topology,
    without,
)
from tenure_proofs.registry import Obligation, all_obligations

OBLIGATIONS = all_obligations()
"""Every obligation, by identifier."""


def source_text(obligation: Obligation) -> str:
    """Where a claim comes from, as its docstring says."""
    return " ".join((obligation.statement.__doc__ or "").split())


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
    "loops",
    "min_runtime",
    "order",
    "over_time",
    "quota_tree",
    "reclaim",
    "selection",
    "source_text",
    "time_based",
    "topology",
    "without",
]
