"""Random scenarios for property tests and campaigns: whole clusters in which preemption decides something.

Needs Hypothesis, which comes with the extra `proofs`.
"""

from tenure.strategies.inputs import CHUNK, GATES, chunk, clusters, decide_inputs, examples
from tenure.strategies.options import ALL_FEATURES, Feature, Options

__all__ = [
    "ALL_FEATURES",
    "CHUNK",
    "GATES",
    "Feature",
    "Options",
    "chunk",
    "clusters",
    "decide_inputs",
    "examples",
]
