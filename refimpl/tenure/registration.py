"""Packages whose modules register something when they are imported."""

from __future__ import annotations

import importlib
import pkgutil


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
