"""Where the specification's own files are, in an installed wheel or beside the sources; what a path is."""

from __future__ import annotations

import os
from pathlib import Path

_PACKAGE = Path(__file__).parent


def bundled(*parts: str) -> Path:
    """The path of a file or folder of `spec/` or `examples/`.

    Args:
        parts: path below the repository's root, `"spec", "readings.toml"`.

    Raises:
        FileNotFoundError: neither the wheel nor the source tree holds it.

    >>> bundled("spec", "readings.toml").name
    'readings.toml'
    """
    for root in (_PACKAGE / "_bundled", _PACKAGE.parents[1]):
        path = root.joinpath(*parts)
        if path.exists():
            return path
    raise FileNotFoundError(f"{'/'.join(parts)} is neither in the installed package nor in the source tree")


def is_folder(path: str | Path) -> bool:
    """Whether a path means a folder; one that cannot be looked at means none.

    >>> is_folder("."), is_folder("x" * 300)
    (True, False)
    """
    return os.path.isdir(path)  # noqa: PTH112 - Path.is_dir raises where a name is too long


def is_there(path: str | Path) -> bool:
    """Whether a path means a file or a folder; one that cannot be looked at means none.

    >>> is_there("."), is_there("x" * 300)
    (True, False)
    """
    return os.path.exists(path)  # noqa: PTH110 - Path.exists raises where a name is too long
