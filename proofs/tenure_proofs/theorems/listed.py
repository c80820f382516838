"""Every theorem about loops of the reference and kernels of the core; a module not imported here has none."""

from tenure_proofs.theorems import (
    core_amounts,
    core_classify,
    core_gather,
    core_grounds,
    core_heroes,
    core_kept,
    core_plain,
    core_return,
    core_search,
    core_tree,
    core_waiting,
    deciding,
    decision,
    headlines,
    keeping,
    livelock,
    no_loop,
    relations,
    searching,
    selection,
    three_searches,
    tree,
)
from tenure_proofs.theorems.registry import all_theorems

THEOREMS = all_theorems()
"""Every theorem, by identifier."""

__all__ = [
    "THEOREMS",
    "core_amounts",
    "core_classify",
    "core_gather",
    "core_grounds",
    "core_heroes",
    "core_kept",
    "core_plain",
    "core_return",
    "core_search",
    "core_tree",
    "core_waiting",
    "deciding",
    "decision",
    "headlines",
    "keeping",
    "livelock",
    "no_loop",
    "relations",
    "searching",
    "selection",
    "three_searches",
    "tree",
]
