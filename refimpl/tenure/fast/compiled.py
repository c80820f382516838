"""The compiler of the kernels: numba where it is installed, else plain Python, which answers the same."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

_Function = TypeVar("_Function", bound=Callable[..., Any])

njit: Any
try:
    from numba import njit
except ImportError:
    njit = None

COMPILED = njit is not None
"""Whether kernels are compiled; otherwise they are interpreted over the same arrays, which is slow."""

NOT_COMPILED = "numba is not installed: kernels are interpreted; pip install 'tenure[fast]' compiles them"


def _forget_stale(folder: Path) -> None:
    """Machine code older than any of the sources: numba compares a function's own file only, no callee's."""
    newest = max(path.stat().st_mtime_ns for path in folder.rglob("*.py"))
    for made in folder.rglob("__pycache__/*.nb?"):
        with contextlib.suppress(OSError):  # another process may do the same
            if made.stat().st_mtime_ns < newest:
                made.unlink()


if COMPILED:
    _forget_stale(Path(__file__).parent)


def compiled(function: _Function) -> _Function:
    """The function compiled, its machine code kept on disk; the function itself without numba.

    Args:
        function: of arrays and numbers only. It may make no array, whole slices included: numba's runtime,
            which counts references to every array at every use, is left out; kernels are 20 times faster so.

    >>> compiled(abs)(-1)
    1
    """
    if njit is None or not hasattr(function, "__code__"):
        return function
    return cast("_Function", njit(cache=True, _nrt=False)(function))


def inlined(function: _Function) -> _Function:
    """The same for what kernels call once for every workload: compiled into them, not called.

    A call hands over every array of a record, which may cost more than the work itself.
    """
    if njit is None:
        return function
    return cast("_Function", njit(cache=True, _nrt=False, inline="always")(function))
