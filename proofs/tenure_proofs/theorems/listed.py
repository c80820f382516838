"""Every theorem about loops and steps of the reference; a module not imported here has none."""

from tenure_proofs.theorems import (
    deciding,
    decision,
    headlines,
    keeping,
    livelock,
    no_loop,
    no_target,
    packing,
    priorities,
    relations,
    searching,
    selection,
    three_searches,
    tournament,
    tree,
)
from tenure_proofs.theorems.registry import all_theorems

THEOREMS = all_theorems()
"""Every theorem, by identifier."""

__all__ = [
    "THEOREMS",
    "deciding",
    "decision",
    "headlines",
    "keeping",
    "livelock",
    "no_loop",
    "no_target",
    "packing",
    "priorities",
    "relations",
    "searching",
    "selection",
    "three_searches",
    "tournament",
    "tree",
]
