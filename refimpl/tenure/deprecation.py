"""Names of an earlier release that work for one more minor release, and warn.

`docs/reference/stability.md` says what users may count on; `tools/surface.py` what a name is called here.
"""

from __future__ import annotations

import importlib
import warnings

FORMER: dict[str, tuple[str, str]] = {}
"""A former name to the present one, and the release that renamed it.

Both are lines of the surface, of kind `python`, `command` or `option`:
`"option tenure conform --told": ("option tenure conform --show", "0.2")`. An entry goes with the next minor
release.
"""


def advice(former: str) -> str | None:
    """What to use in place of a former name; None where it is none.

    >>> FORMER["option tenure conform --told"] = ("option tenure conform --show", "0.2")
    >>> advice("option tenure conform --told")
    '--told is --show since Tenure 0.2; the former name goes with the next minor release'
    >>> del FORMER["option tenure conform --told"]
    """
    if former not in FORMER:
        return None
    present, since = FORMER[former]
    old, new = (line.rpartition(" ")[2] for line in (former, present))
    return f"{old} is {new} since Tenure {since}; the former name goes with the next minor release"


def renamed(module: str, name: str) -> object:
    """What a module's former name stands for; its `__getattr__` ends with this.

    Args:
        module: the module's own name.
        name: what is asked of it, and is not there.

    Raises:
        AttributeError: it never was there, or is gone.

    >>> renamed("tenure", "undecide")
    Traceback (most recent call last):
        ...
    AttributeError: module 'tenure' has no attribute 'undecide'
    """
    former = f"python {module}.{name}"
    told = advice(former)
    if told is None:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    # Of whoever asked the module: its `__getattr__` lies between.
    warnings.warn(told, DeprecationWarning, stacklevel=3)
    holder, _, attribute = FORMER[former][0].removeprefix("python ").rpartition(".")
    found: object = getattr(importlib.import_module(holder), attribute)
    return found
