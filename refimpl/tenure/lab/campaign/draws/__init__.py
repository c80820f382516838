"""Random clusters straight as model objects: no manifest is written or read, which takes most of the time.

Sizes, quotas and policies are drawn from the tables of `tenure.lab.strategies`; each scenario is a function
of its seed and its index alone.
"""

from tenure.lab.campaign.draws.drawing import draw
from tenure.lab.campaign.draws.written import input_of

__all__ = ["draw", "input_of"]
