"""The compiler of the kernels: numba where it is installed and not switched off, else plain Python, which
answers the same.

Neither what numba obeys nor what it loads depends on the current folder, which may be a stranger's.
"""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, TypeVar, cast

from tenure_simulate.machine_code import is_interpreted, is_kept, kept_folder, warn_not_kept

_RULES = "tenure.rules."

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _imported_njit() -> Any:
    """numba's compiler, deaf to the file `.numba_config.yaml` of the current folder; None without it.

    numba reads that relative path when it is imported, and again whenever it compiles. It cannot without
    PyYAML, and looks for no file where the name is that of a device.
    """
    ours, yaml = "numba" not in sys.modules, sys.modules.get("yaml")
    try:
        if ours:  # a program that has imported numba before has its settings from where it wanted them
            sys.modules["yaml"] = cast("ModuleType", None)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "A Numba config file is found", UserWarning)
            from numba import njit
            from numba.core import config
    except ImportError:
        return None
    finally:
        if yaml is not None:
            sys.modules["yaml"] = yaml
        elif ours:
            del sys.modules["yaml"]
    if ours:
        vars(config)["_config_fname"] = os.devnull
    # Its functions are then those that it was given, without what is set here.
    return None if vars(config)["DISABLE_JIT"] else njit


_njit: Any = None if is_interpreted() else _imported_njit()

COMPILED = _njit is not None
"""Whether kernels are compiled; otherwise they are interpreted over the same arrays, which is slow."""

NOT_COMPILED = "kernels are interpreted: `tenure[fast]` is not installed, or NUMBA_DISABLE_JIT is set"

COMPILING_S = 60
"""About how long all kernels of the trace engine take to compile, on an idle machine."""

_KEPT = kept_folder() if COMPILED else None
_BARE = "bare"
_WITHOUT_WRAPPERS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
_settings_changed = threading.Lock()


def must_compile(kernel: str) -> bool:
    """Whether a kernel is compiled when it is first called: its machine code is not kept yet.

    Args:
        kernel: its module and name, such as `turns.go_on`.
    """
    return COMPILED and not is_kept(kernel, _KEPT)


def compiled(function: _Function) -> _Function:
    """The function compiled, its machine code kept on disk; the function itself without numba.

    Args:
        function: of arrays and numbers only. It may make no array, whole slices included: numba's runtime,
            which counts references to every array at every use, is left out; kernels are 20 times faster so.

    >>> compiled(abs)(-1)
    1
    """
    return _compiled(function) if hasattr(function, "__code__") else function


def compiled_rule(rule: Callable[..., Any], **instead: Any) -> Any:
    """A rule of `tenure.rules` compiled as it is, and with it the rules that it calls.

    It is given records that have the fields that it reads: numbers, and below zero or unlimited for None.

    Args:
        rule: a function of `tenure.rules`.
        instead: by name, what it and the rules that it calls find instead of a global one.

    >>> from tenure_simulate.core.amounts import plus
    >>> from tenure.rules.quota import fits_quota
    >>> compiled_rule(fits_quota, plus=plus)(1, 2, 3)
    True
    """
    names = {**rule.__globals__, **instead}
    for name in rule.__code__.co_names:
        called = names.get(name)
        if isinstance(called, FunctionType) and called.__module__.startswith(_RULES) and name not in instead:
            names[name] = compiled_rule(called, **instead)
    # Machine code is kept by names: what calls something else has to have another one.
    others = sorted(f"{name}_{getattr(called, '__module__', '')}" for name, called in instead.items())
    name = "_with_".join((rule.__name__, *others)).replace(".", "_")
    return compiled(FunctionType(rule.__code__.replace(co_name=name, co_qualname=name), names, name))


def inlined(function: _Function) -> _Function:
    """The same for what kernels call once for every workload: compiled into them, not called.

    A call hands over every array of a record, which may cost more than the work itself.
    """
    return _compiled(function, inline="always")


def _compiled(function: _Function, **options: Any) -> _Function:
    if _njit is None:
        return function
    made = _declared(function, _KEPT, **options)
    if not options:
        _call_bare(made, _declared(function, _KEPT and _KEPT / _BARE, **_WITHOUT_WRAPPERS))
    return cast("_Function", made)


def _declared(function: Callable[..., Any], folder: Path | None, **options: Any) -> Any:
    if folder is not None:
        with _kept_in(folder):
            made = _njit(cache=True, _nrt=False, **options)(function)
        # Where numba cannot write it goes elsewhere without a word.
        if Path(made.stats.cache_path).is_relative_to(folder):
            kept = made._cache
            kept.save_overload = _saved_if_possible(kept.save_overload)
            return made
    return _njit(_nrt=False, **options)(function)


def _call_bare(made: Any, bare: Any) -> None:
    """Let compiled code call what is without wrappers for Python: these are most of the time to compile.

    It is made once for all values and widths of whole numbers: numba would make code for each constant that
    a function is given, and for each width.
    """
    from numba.core.types import int64, signed_domain, unliteral

    def one_for_all(given: Any) -> Any:
        return int64 if given in signed_domain else unliteral(given)  # type: ignore[no-untyped-call]

    def template(args: Sequence[Any], named: Any) -> Any:
        return bare.get_call_template(tuple(map(one_for_all, args)), named)

    made.get_call_template, made.get_overload = template, bare.get_overload


def _saved_if_possible(save: Callable[..., None]) -> Callable[..., None]:
    """As numba saves machine code; a full disk costs the time to compile it again, and no answer."""

    def save_it(*words: Any) -> None:
        try:
            save(*words)
        except OSError as error:
            warn_not_kept(str(error))

    return save_it


@contextmanager
def _kept_in(folder: Path) -> Iterator[None]:
    """Let numba keep what is declared meanwhile in a folder; where a function is kept, is settled then."""
    from numba.core import config

    ours = {"CACHE_DIR": str(folder), "CACHE_LOCATOR_CLASSES": ""}
    with _settings_changed:
        before = {name: getattr(config, name) for name in ours if hasattr(config, name)}
        vars(config).update({name: ours[name] for name in before})
        try:
            yield
        finally:
            vars(config).update(before)
