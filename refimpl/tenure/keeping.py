"""Where something is kept from one run to the next, and under which hash."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path

DECIDING = ("tenure", "tenure_kai", "tenure_play", "tenure_simulate", "tenure_lab")
"""The packages that decide, simulate and draw."""
_PRINTING = frozenset({"cli", "commands"})


def cache_folder(name: str, *variables: str) -> Path:
    """A folder of Tenure's in the user's cache. Nothing is made.

    Args:
        name: which one.
        variables: of the environment, that go before XDG_CACHE_HOME.

    Raises:
        RuntimeError: the user has no home folder.

    Source: XDG Base Directory Specification, `XDG_CACHE_HOME`; a relative path is ignored.

    >>> cache_folder("core").parts[-2:]
    ('tenure', 'core')
    """
    folders = (Path(os.environ.get(variable, "")) for variable in (*variables, "XDG_CACHE_HOME"))
    base = next((path for path in folders if path.is_absolute()), None)
    return (base or Path.home() / ".cache") / "tenure" / name


def digest(*parts: object) -> str:
    """A hash of texts, numbers and enums, and of tuples, lists, sets, mappings and dataclasses of these.

    >>> digest("a", 1) == digest("a", 1), digest("a", 1) == digest("a", "1"), digest("ab") == digest("a", "b")
    (True, False, False)
    """
    return hashlib.sha256(_written(parts).encode()).hexdigest()


def _written(value: object) -> str:
    """A value in full: of a dataclass every field, where its own `repr` may be a summary."""
    if is_dataclass(value) and not isinstance(value, type):
        known = (f"{field.name}={_written(getattr(value, field.name))}" for field in fields(value))
        return f"{type(value).__qualname__}({', '.join(known)})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_written(key)}: {_written(found)}' for key, found in value.items())}}}"
    if isinstance(value, tuple):
        return f"({', '.join(map(_written, value))},)"
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, (set, frozenset)):
        return f"{{{', '.join(sorted(map(_written, value)))}}}"
    return repr(value)


def digest_of_files(folder: Path, files: Iterable[Path]) -> str:
    """A hash of some files below a folder: of their names there, and of what is in them."""
    return digest([(path.relative_to(folder).as_posix(), path.read_bytes()) for path in sorted(files)])


@cache
def code() -> str:
    """A hash of the code that decides and draws, without the command lines.

    >>> len(code())
    16
    """
    above = Path(__file__).parents[1]
    folders = (folder for folder in above.glob("tenure*") if folder.name in DECIDING)
    files = (path for folder in folders for path in folder.rglob("*.py"))
    return digest_of_files(above, (path for path in files if not _PRINTING.intersection(path.parts)))[:16]
