"""What an answer depends on, as a hash: all code and tables of Tenure, the solvers, and the question."""

from __future__ import annotations

import functools
import importlib.util
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tenure.keeping import DECIDING, digest, digest_of_files
from tenure.resources import bundled

OURS = (*DECIDING, "tenure_proofs", "tenure_check")
"""Packages whose files may change from one run to the next; of any other its version counts."""

BESIDE = ("z3-solver", "cvc5", "hypothesis", "pydantic")
"""Packages that take part in an answer."""


def key_of(*asked: object) -> str:
    """The name under which an answer is kept.

    A change of any file of Tenure, or of a solver, asks everything again: what a statement reaches, by a
    helper, a constant, a method or a table, need not be followed.

    Args:
        asked: the question: what kind of answer is wanted, and all that was said to be asked.
    """
    return digest(code_digest(), _versions(), asked)


@functools.cache
def code_digest() -> str:
    """A hash of every file of the packages, and of the tables of the specification."""
    spec = bundled("spec")
    return digest(*(package_digest(name) for name in OURS), digest_of_files(spec, spec.glob("*.toml")))


def package_digest(name: str) -> str:
    """A hash of every file of a package, but of what is compiled from them."""
    folder = file_of(name).parent
    files = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return digest_of_files(folder, files)


def file_of(module: str) -> Path:
    """The file of a module that can be imported."""
    found = importlib.util.find_spec(module)
    assert found is not None
    assert found.origin is not None
    return Path(found.origin)


@functools.cache
def _versions() -> list[str]:
    return [sys.version, *(f"{name} {_version(name)}" for name in BESIDE)]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "absent"  # what needs it says so
