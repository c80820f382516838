"""What other packages add: modules that register something when they are imported, and entry points."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


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


def late(package: str, places: Mapping[str, Collection[str]], name: str) -> object:
    """What a package has under a name, imported when it is first used.

    Args:
        package: its name.
        places: the names in each of its modules.
        name: the one that is used.

    Raises:
        AttributeError: no module has it.

    >>> late("tenure", {"tenure.units": ("counted",)}, "counted").__name__
    'counted'
    """
    for module, names in places.items():
        if name in names:
            return getattr(importlib.import_module(module), name)
    raise AttributeError(f"module {package!r} has no attribute {name!r}")


@cache
def added(group: str, name: str) -> Any:
    """What a package above this one adds under a name; None where no such package is installed.

    It is looked up once in a process: that may read the metadata of every installed distribution.

    Args:
        group: of the entry points, such as `tenure.calls`.
        name: within the group.

    >>> added("tenure.calls", "guess") is None
    True
    """
    return next((entry.load() for entry in _entries(group, name)), None)


def _entries(group: str, name: str) -> Iterator[EntryPoint]:
    """Those of this distribution first: the others are read only for what it does not add."""
    from importlib.metadata import PackageNotFoundError, distribution, entry_points

    with suppress(PackageNotFoundError):
        yield from distribution("tenure").entry_points.select(group=group, name=name)
    yield from entry_points(group=group, name=name)
