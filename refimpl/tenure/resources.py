"""Where the specification's own files are: inside an installed wheel, or beside the sources."""

from __future__ import annotations

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
