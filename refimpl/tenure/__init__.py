"""Tenure: who may preempt whom, and when, in Kubernetes batch queues.

`load` reads manifests, `validate` checks them. `decide` and `decide_all` decide, `explain` says why; `why`,
`why_not`, `next` and `diff` answer about workloads, `matrix`, `guarantees` and `loops` about all states of
the queues. `report` draws a cluster, `simulate` a trace of jobs. Everything is imported when first used, so
that `import tenure` costs next to nothing.
"""

from __future__ import annotations

from tenure.release import __version__

# `typing` has one too, and costs more to import than all of this; type checkers take any by this name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenure.answer import Answer
    from tenure.api import Decision, Loaded, PendingDecision, decide, decide_all, load
    from tenure.errors import InputError, Problem
    from tenure.explanation.explain import explain
    from tenure.validation import validate
    from tenure_check.api import guarantees, loops, matrix
    from tenure_play.api import diff, why, why_not
    from tenure_play.api import next_cycles as next  # noqa: A004 - `tenure.next`, as the command
    from tenure_report.api import report
    from tenure_simulate.api import simulate

__all__ = [
    "Answer",
    "Decision",
    "InputError",
    "Loaded",
    "PendingDecision",
    "Problem",
    "__version__",
    "decide",
    "decide_all",
    "diff",
    "explain",
    "guarantees",
    "load",
    "loops",
    "matrix",
    "next",
    "report",
    "simulate",
    "validate",
    "why",
    "why_not",
]


_PLACES = {
    "answer": ("Answer",),
    "api": ("Decision", "Loaded", "PendingDecision", "decide", "decide_all", "load"),
    "errors": ("InputError", "Problem"),
    "explanation.explain": ("explain",),
    "validation": ("validate",),
}
"""Where names are in this package; the others are functions of packages above it."""


# For a type checker a name that is not listed is no name.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        from importlib import import_module

        if name in __all__:
            for module, names in _PLACES.items():
                if name in names:
                    return getattr(import_module(f"tenure.{module}"), name)
            from tenure.registration import added

            return added("tenure.functions", name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted(__all__)
