"""Tenure: who may preempt whom, and when, in Kubernetes batch queues.

`load` reads manifests, `decide` and `decide_all` answer, `explain` says why. Everything is imported when
first used, so that `import tenure` costs next to nothing.
"""

from __future__ import annotations

from tenure.release import __version__

# `typing` has one too, and costs more to import than all of this; type checkers take any by this name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenure.api import Decision, Loaded, PendingDecision, decide, decide_all, explain, load
    from tenure.errors import InputError, Problem

__all__ = [
    "Decision",
    "InputError",
    "Loaded",
    "PendingDecision",
    "Problem",
    "__version__",
    "decide",
    "decide_all",
    "explain",
    "load",
]


# For a type checker a name that is not listed is no name.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name in ("InputError", "Problem"):
            from tenure import errors

            return getattr(errors, name)
        if name in __all__:
            from tenure import api

            return getattr(api, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted(__all__)
