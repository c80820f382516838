"""The trace engine: what `tenure.timeline.play` plays, for traces of many jobs, as whole numbers in tables.

It calls the same rules of family CYC, compiled where numba is installed. What it does not cover is left to
`play`, by `tenure.fast.uncovered.Uncovered`.
"""

from tenure.timeline.trace.jobs import TracedJobs, traced
from tenure.timeline.trace.simulated import Simulated, simulate

__all__ = ["Simulated", "TracedJobs", "simulate", "traced"]
