"""The optimized core: the reference's decisions on a structure of arrays (extra `fast`: NumPy, numba).

`Arrays` is the store, `decide` one decision; what they leave to the reference they say by `Uncovered`.
"""

from tenure.fast.arrays import Arrays, load
from tenure.fast.compiled import COMPILED, NOT_COMPILED
from tenure.fast.decide import Claim, CoreAnswer, decide
from tenure.fast.uncovered import Uncovered

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
