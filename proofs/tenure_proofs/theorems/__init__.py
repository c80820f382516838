"""Theorems about loops of the reference, of any number of steps; a module not imported here has none."""

from tenure_proofs.theorems import decision, headlines, livelock, no_loop, searching, selection, tree
from tenure_proofs.theorems.registry import all_theorems

THEOREMS = all_theorems()
"""Every theorem, by identifier."""

__all__ = ["THEOREMS", "decision", "headlines", "livelock", "no_loop", "searching", "selection", "tree"]
