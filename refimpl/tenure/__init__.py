"""Tenure: who may preempt whom, and when, in Kubernetes batch queues.

`load` reads manifests, `decide` answers, `explain` says why. They are imported when first used, so
that `import tenure` stays quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tenure.errors import InputError, Problem

if TYPE_CHECKING:
    from tenure.api import Decision, Loaded, decide, explain, load

__version__ = "0.1.0"

__all__ = ["Decision", "InputError", "Loaded", "Problem", "__version__", "decide", "explain", "load"]

_LAZY = ("Decision", "Loaded", "decide", "explain", "load")


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from tenure import api

        return getattr(api, name)
    raise AttributeError(f"module 'tenure' has no attribute {name!r}")
