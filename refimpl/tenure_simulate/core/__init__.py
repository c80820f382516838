"""The optimized core: the reference's decisions on a structure of arrays (extra `fast`: NumPy, numba).

`Arrays` is the store, `decide` one decision; what they leave to the reference they say by `Uncovered`.
"""

from tenure_simulate.core.arrays import Arrays, load
from tenure_simulate.core.compiled import COMPILED, NOT_COMPILED
from tenure_simulate.core.decide import Claim, CoreAnswer, decide
from tenure_simulate.core.uncovered import Uncovered

__all__ = [
    "COMPILED",
    "NOT_COMPILED",
    "Arrays",
    "Claim",
    "CoreAnswer",
    "Uncovered",
    "decide",
    "load",
]
