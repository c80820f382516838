"""Premises that no claim proves, and the random search for a state that refutes each: its figures.

The searches: `tests/tenure_proofs/test_believed.py`; their long stage draws as many states as given here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

SEED = 37
"""What every search draws from."""

ATTACKED: Mapping[str, tuple[int, str]] = MappingProxyType(
    {
        "two shares compare as their places in one order": (300_000, "triples of shares"),
        "with no cohort, second flavor or quota for pods, as many or fewer pods find a place if fewer run": (
            2_000,
            "plays",
        ),
        "what is packed are numbers of 64 bits": (5_000, "columns of workloads"),
    }
)
"""By premise: how many states are drawn, and of what kind they are."""
