"""What a lint reports."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing to mend.

    Args:
        path: the file, relative to the root, with forward slashes.
        line: counted from 1.
        code: `TNL` and three digits.
        message: which rule or file is meant, and what to do.

    >>> print(Problem("spec/rules/TBP-020-time-expired.md", 3, "TNL022", "wrong id"))
    spec/rules/TBP-020-time-expired.md:3: TNL022 wrong id
    """

    path: str
    line: int
    code: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.code} {self.message}"


Lint: TypeAlias = Callable[[Path], Iterator[Problem]]
"""A check: from the repository's root to what is wrong in it."""


def relative(path: Path, root: Path) -> str:
    """A path as problems show it.

    >>> relative(Path("a/b/c.py"), Path("a"))
    'b/c.py'
    """
    return path.relative_to(root).as_posix()
