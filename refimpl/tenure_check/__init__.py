"""Checks of a configuration of queues: what can happen in every state, and what files expect.

Check expectations in files, as `tenure test` does (`load_documents`, `run`, `Checked`). Settle for all
states who can preempt whom (`analyze`, which returns a `Matrix`), what each ClusterQueue always gets
(`find_guarantees`), whether preemptions can go round (`LoopHunt`, `LoopRequest`), and what changes between
two configurations (`matrix_difference`). What needs solvers is imported when first used.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tenure_check.analysis.difference import matrix_difference
    from tenure_check.analysis.guarantees import Guarantees, find_guarantees
    from tenure_check.analysis.loops import LoopHunt, LoopRequest
    from tenure_check.analysis.matrix import Matrix, analyze
    from tenure_check.expectations import Checked, load_documents, run

__all__ = [
    "Checked",
    "Guarantees",
    "LoopHunt",
    "LoopRequest",
    "Matrix",
    "analyze",
    "find_guarantees",
    "load_documents",
    "matrix_difference",
    "run",
]

_PLACES = {
    "tenure_check.analysis.difference": ("matrix_difference",),
    "tenure_check.analysis.guarantees": (
        "Guarantees",
        "find_guarantees",
    ),
    "tenure_check.analysis.loops": (
        "LoopHunt",
        "LoopRequest",
    ),
    "tenure_check.analysis.matrix": (
        "Matrix",
        "analyze",
    ),
    "tenure_check.expectations": (
        "Checked",
        "load_documents",
        "run",
    ),
}


def __getattr__(name: str) -> object:
    # Late: a command, or the plugin of pytest, imports no more than it needs.
    from tenure.registration import late

    return late(__name__, _PLACES, name)
