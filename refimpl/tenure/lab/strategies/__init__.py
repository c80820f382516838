"""Random scenarios for property tests and campaigns: whole clusters in which preemption decides something.

The strategies themselves need Hypothesis, which comes with the extra `strategies`. It is imported with the
first of them: the tables and the arithmetic below serve campaigns without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tenure.lab.strategies.min_runtime import CASE_DRAWS, min_runtime_case
from tenure.lab.strategies.options import ALL_FEATURES, KUEUE_FEATURES, PROPOSALS, Feature, Options

if TYPE_CHECKING:
    from tenure.lab.strategies.inputs import CHUNK, GATES, chunk, clusters, decide_inputs, examples

__all__ = [
    "ALL_FEATURES",
    "CASE_DRAWS",
    "CHUNK",
    "GATES",
    "KUEUE_FEATURES",
    "PROPOSALS",
    "Feature",
    "Options",
    "chunk",
    "clusters",
    "decide_inputs",
    "examples",
    "min_runtime_case",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from tenure.lab.strategies import inputs

    return getattr(inputs, name)
