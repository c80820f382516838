"""Random scenarios for property tests and campaigns: whole clusters in which preemption decides something.

Needs Hypothesis, which comes with the extra `proofs`.
"""

from tenure.strategies.inputs import CHUNK, GATES, chunk, clusters, decide_inputs, examples
from tenure.strategies.min_runtime import CASE_DRAWS, min_runtime_case
from tenure.strategies.options import ALL_FEATURES, KUEUE_FEATURES, PROPOSALS, Feature, Options

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
