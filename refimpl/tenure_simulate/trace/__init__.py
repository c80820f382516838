"""The trace engine: what `tenure_play.play` plays, for traces of many jobs, as whole numbers in tables.

It calls the same rules of family CYC, compiled where numba is installed. What it does not cover is left to
`play`, by `tenure_simulate.core.uncovered.Uncovered`.
"""

from tenure_simulate.trace.jobs import TracedJobs, traced
from tenure_simulate.trace.simulated import Simulated, simulate

__all__ = ["Simulated", "TracedJobs", "simulate", "traced"]
