"""Proofs about the very code of `tenure`: lifters, obligations, mutants, solvers.

`prove` proves a claim of one's own for every state, or finds the smallest state that breaks it.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tenure_proofs.api import prove

__all__ = ["prove"]


def __getattr__(name: str) -> object:
    # Late: `tenure` looks for proofs without the solvers.
    if name == "prove":
        from tenure_proofs.api import prove

        return prove
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
