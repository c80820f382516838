"""What other packages add: modules that register something when they are imported, and entry points."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import Any


def import_all(package: str) -> None:
    """Import every module of a package, in the order of their names, but for those that are programs.

    Args:
        package: its name; it may be the one that is being imported.

    >>> import_all("tenure.rules")
    """
    path = importlib.import_module(package).__path__
    for module in pkgutil.iter_modules(path):
        if not module.name.startswith("_"):
            importlib.import_module(f"{package}.{module.name}")


@cache
def added(group: str, name: str) -> Any:
    """What a package above this one adds under a name; None where no such package is installed.

    It is looked up once in a process: that reads the metadata of every installed distribution.

    Args:
        group: of the entry points, such as `tenure.calls`.
        name: within the group.

    >>> added("tenure.calls", "guess") is None
    True
    """
    from importlib.metadata import entry_points

    return next((entry.load() for entry in entry_points(group=group, name=name)), None)
