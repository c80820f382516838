"""What a ClusterQueue may not borrow yet (KEP-14468), in words."""

from __future__ import annotations

from tenure.choices import Outcome
from tenure.model import FlavorResource, Instant
from tenure.oracle.backoff import deferred
from tenure.oracle.decide import Decision
from tenure.units import format_instant, joined


def cooldown_text(decision: Decision) -> str:
    """Which cooldowns keep a workload from fitting, and until when; empty where none does.

    Args:
        decision: about the workload.
    """
    if decision.outcome != Outcome.NO_FIT:
        return ""
    found: dict[FlavorResource, Instant] = {}
    for trial in decision.trials:
        for group in trial.groups:
            for choice in group.tried:
                found.update(deferred(decision.snapshot, choice.requested, decision.now))
    parts = [
        f"{at.resource} of {at.flavor} before {format_instant(end)}" for at, end in sorted(found.items())
    ]
    return f"its ClusterQueue may not borrow {joined(parts)}" if parts else ""
