"""The licences of what is installed with Tenure, and whether they go together with its own.

    python -m tools.licences    lists what is not known to be compatible

They are read from the metadata of what is installed: everything that an extra for users brings.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any, Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT: Final = Path(__file__).resolve().parents[1]
NOT_FOR_USERS: Final = ("dev", "docs", "release")

PERMISSIVE: Final = {
    *("Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "0BSD", "Zlib", "CC0-1.0", "PSF-2.0"),
    *("MIT-CMU", "Apache-2.0 WITH LLVM-exception"),
}
"""Licences under which something may be used, changed and handed on together with what is Apache-2.0."""

WEAK: Final = {"MPL-2.0", "LGPL-3.0-or-later"}
"""Of files and shared libraries of their own, unchanged here: what uses them need not be under the same."""

_SAID: Final = {
    "Apache Software License": "Apache-2.0",
    "MIT License": "MIT",
    "BSD License": "BSD-3-Clause",
    "BSD": "BSD-3-Clause",
    "Python Software Foundation License": "PSF-2.0",
    "ISC License (ISCL)": "ISC",
}
"""Words of older metadata, as SPDX has them."""

_UNSAID: Final = {"cvc5": "BSD-3-Clause AND MIT AND LGPL-3.0-or-later"}
"""Of what has no licence in its metadata, by the files beside it: cvc5 brings GMP, MPFR and libpoly."""


def brought() -> dict[str, tuple[str, ...]]:
    """By distribution, what brings it: extras for users, or `-` for Tenure alone.

    Raises:
        PackageNotFoundError: one is not installed here.
    """
    extras = {
        "-": _closure(""),
        **{
            extra: _closure(extra)
            for extra in _project()["optional-dependencies"]
            if extra not in NOT_FOR_USERS
        },
    }
    found = {
        name: tuple(sorted(extra for extra in extras if name in extras[extra]))
        for name in set().union(*extras.values())
    }
    return {name: ("-",) if "-" in by else by for name, by in sorted(found.items())}


def _project() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def _closure(extra: str) -> set[str]:
    """What Tenure with an extra requires, and all that this requires in turn."""
    found: set[tuple[str, str]] = set()
    wanted = [("tenure", extra)]
    while wanted:
        name, extra = wanted.pop()
        if (name, extra) not in found:
            found.add((name, extra))
            for requirement in map(Requirement, _requires(name)):
                if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                    called = canonicalize_name(requirement.name)
                    wanted += [(called, inner) for inner in ("", *requirement.extras)]
    return {name for name, _ in found} - {"tenure"}


def _requires(name: str) -> list[str]:
    if name != "tenure":
        return distribution(name).requires or []
    extras = _project()["optional-dependencies"].items()
    return [
        *_project()["dependencies"],
        *(f'{text}; extra == "{extra}"' for extra, texts in extras for text in texts),
    ]


def _first(found: Distribution, name: str) -> str:
    """A field of the metadata; readers differ in what an item that is not there is."""
    return next(iter(found.metadata.get_all(name) or ()), "")


def licence_of(found: Distribution) -> str:
    """What metadata says: the expression, the classifiers, or the field of old."""
    about = found.metadata
    said = [
        text.rpartition(" :: ")[2]
        for text in about.get_all("Classifier") or ()
        if text.startswith("License :: ") and not text.endswith("OSI Approved")
    ] or [_first(found, "License").strip().partition("\n")[0]]
    return str(
        _first(found, "License-Expression")
        or _UNSAID.get(found.name)
        or " AND ".join(_SAID.get(word, word) for word in said)
    )


def is_compatible(licence: str) -> bool:
    """Whether an SPDX expression is known to go together with Apache-2.0.

    >>> is_compatible("MIT AND (GPL-2.0 OR BSD-3-Clause)"), is_compatible("MIT AND GPL-2.0")
    (True, False)
    """
    return all(
        any(choice.strip(" ()") in PERMISSIVE | WEAK for choice in part.split(" OR "))
        for part in licence.split(" AND ")
    )


def table() -> str:
    """What the page shows."""
    rows = [
        f"| {name} | {licence_of(distribution(name))} | {', '.join(extras)} |"
        for name, extras in brought().items()
    ]
    return "\n".join(["| Package | Licence | Extras |", "|---|---|---|", *rows])


def problems() -> Iterator[str]:
    """What is not known to be compatible."""
    for name in brought():
        licence = licence_of(distribution(name))
        if not is_compatible(licence):
            known = "one that tools/licences.py knows to be compatible"
            yield f"{name}: licence: found {licence!r}, expected {known}"


def main() -> int:
    """List the problems; 1 where there is one."""
    found = list(problems())
    print("".join(f"{problem}\n" for problem in found) + f"licences: {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
