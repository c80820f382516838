"""What runs here: `tenure --version`."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from tenure import __version__

SOLVERS = ("z3-solver", "cvc5")


def version_lines() -> Iterator[str]:
    """Tenure, Python and the solvers, one a line.

    >>> next(version_lines()) == f"tenure {__version__}"
    True
    """
    yield f"tenure {__version__}"
    yield f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    for solver in SOLVERS:
        yield f"{solver} {_installed(solver)}"


def _installed(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "is not installed: pip install 'tenure[proofs]'"
