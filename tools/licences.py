"""The licences of what is installed with Tenure, and whether they go together with its own.

    python -m tools.licences          says what is not known to be compatible
    python -m tools.licences write    writes the table of docs/reference/licences.md

They are read from the metadata of what is installed: everything that an extra for users brings.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement

ROOT: Final = Path(__file__).resolve().parents[1]
PAGE: Final = ROOT / "docs" / "reference" / "licences.md"
FIRST, LAST = "<!-- licences: python -m tools.licences write -->", "<!-- end of licences -->"
NOT_FOR_USERS: Final = ("dev", "docs", "release")

PERMISSIVE: Final = {
    *("Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "0BSD", "Zlib", "CC0-1.0", "PSF-2.0"),
    *(
        "Python-2.0",
        "MIT-CMU",
        "HPND",
        "Unlicense",
        "BSL-1.0",
        "matplotlib",
        "Apache-2.0 WITH LLVM-exception",
    ),
}
"""Licences under which something may be used, changed and handed on together with what is Apache-2.0."""

WEAK: Final = {"MPL-2.0", "LGPL-3.0-or-later"}
"""Of files and shared libraries of their own, unchanged here: what uses them need not be under the same."""

_SAID: Final = {
    "Apache Software License": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache License Version 2.0": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "MIT License": "MIT",
    "BSD License": "BSD-3-Clause",
    "BSD": "BSD-3-Clause",
    "New BSD": "BSD-3-Clause",
    "Python Software Foundation License": "PSF-2.0",
    "Python software foundation": "PSF-2.0",
    "PSF": "PSF-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "ISC License (ISCL)": "ISC",
    "Dual License": "Apache-2.0 OR BSD-3-Clause",
}
"""Words of older metadata, as SPDX has them."""

_UNSAID: Final = {"cvc5": "BSD-3-Clause AND MIT AND LGPL-3.0-or-later"}
"""Of what has no licence in its metadata, by the files beside it: cvc5 brings GMP, MPFR and libpoly."""


@dataclass(frozen=True, slots=True)
class Licensed:
    """A distribution.

    Args:
        name: of it.
        licence: an SPDX expression, or what its metadata says instead; empty for nothing.
        extras: what brings it; `-` for Tenure without extras.
    """

    name: str
    licence: str
    extras: tuple[str, ...]

    @property
    def is_compatible(self) -> bool:
        """Whether its licence is known to go together with Apache-2.0.

        >>> Licensed("x", "MIT AND (GPL-2.0 OR BSD-3-Clause)", ()).is_compatible
        True
        >>> Licensed("x", "MIT AND GPL-2.0", ()).is_compatible
        False
        """
        bare = self.licence.replace("(", " ").replace(")", " ")
        return bool(bare.strip()) and all(
            any(choice.strip() in PERMISSIVE | WEAK for choice in part.split(" OR "))
            for part in bare.split(" AND ")
        )


def installed_with_tenure() -> list[Licensed]:
    """Every distribution that Tenure or an extra for users brings, by name.

    Raises:
        PackageNotFoundError: one is not installed here.
    """
    extras = _project()["optional-dependencies"]
    brought: dict[str, set[str]] = {}
    for name in _closure([Requirement(text) for text in _project()["dependencies"]]):
        brought.setdefault(name, set()).add("-")
    for extra, texts in extras.items():
        if extra not in NOT_FOR_USERS:
            for name in _closure([Requirement(text) for text in texts]):
                brought.setdefault(name, set()).add(extra)
    return [
        Licensed(name, licence_of(distribution(name)), ("-",) if "-" in by else tuple(sorted(by)))
        for name, by in sorted(brought.items())
    ]


def _project() -> dict[str, dict[str, list[str]]]:
    found: dict[str, dict[str, list[str]]] = tomllib.loads(
        (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    )["project"]
    return found


def _closure(wanted: Sequence[Requirement]) -> set[str]:
    """The names of some requirements, and of all that they require in turn."""
    found: set[str] = set()
    open_ = [(requirement, ("", *sorted(requirement.extras))) for requirement in wanted]
    while open_:
        requirement, extras = open_.pop()
        name = re.sub(r"[-_.]+", "-", requirement.name).lower()
        if name == "tenure":
            texts = [
                text for extra in requirement.extras for text in _project()["optional-dependencies"][extra]
            ]
            open_ += [(inner, ("", *inner.extras)) for inner in map(Requirement, texts)]
            continue
        if name in found:
            continue
        found.add(name)
        for text in distribution(name).requires or ():
            inner = Requirement(text)
            if inner.marker is None or any(inner.marker.evaluate({"extra": extra}) for extra in extras):
                open_.append((inner, ("", *sorted(inner.extras))))
    return found


def licence_of(found: Distribution) -> str:
    """What metadata says: the expression, the classifiers, or the field of old."""
    about = found.metadata
    if expression := about["License-Expression"]:
        return expression
    classified = [
        text.rpartition(" :: ")[2]
        for text in about.get_all("Classifier") or ()
        if text.startswith("License :: ") and not text.endswith("OSI Approved")
    ]
    said = classified or [str(about["License"] or "").strip().partition("\n")[0]]
    return _UNSAID.get(found.name, "") or " AND ".join(_SAID.get(word, word) for word in said)


def table() -> str:
    """What the page shows."""
    rows = [
        f"| {item.name} | {item.licence} | {', '.join(item.extras)} |" for item in installed_with_tenure()
    ]
    return "\n".join(["| Package | Licence | Extras |", "|---|---|---|", *rows])


def problems() -> Iterator[str]:
    """What is not known to be compatible, and whether the page is as it was written."""
    for item in installed_with_tenure():
        if not item.is_compatible:
            known = "one that tools/licences.py knows to be compatible"
            yield f"{item.name}: licence: found {item.licence!r}, expected {known}"
    if f"{FIRST}\n{table()}\n{LAST}" not in PAGE.read_text(encoding="utf-8"):
        yield f"{PAGE.relative_to(ROOT)}: found another table; python -m tools.licences write"


def main(words: Sequence[str]) -> int:
    """Say or write the licences; 1 where there is a problem."""
    if list(words) == ["write"]:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(FIRST)
        after = rest.partition(LAST)[2]
        PAGE.write_text(f"{before}{FIRST}\n{table()}\n{LAST}{after}", encoding="utf-8")
    try:
        found = list(problems())
    except PackageNotFoundError as error:
        found = [f"{error.name} is not installed: make an environment with all extras"]
    for problem in found:
        print(problem)
    print(f"licences: {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
