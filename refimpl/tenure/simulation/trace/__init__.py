"""The trace engine: what `tenure.simulation.play` plays, for traces of many jobs, as whole numbers in tables.

It calls the same rules of family CYC, compiled where numba is installed. What it does not cover is left to
`play`, by `tenure.core.uncovered.Uncovered`.
"""

from tenure.simulation.trace.jobs import TracedJobs, traced
from tenure.simulation.trace.simulated import Simulated, simulate

__all__ = ["Simulated", "TracedJobs", "simulate", "traced"]
