"""What an answer depends on, as a hash: the modules of ours that are behind it, each as a whole.

A module counts by its source without comments, and so does every module that it imports, wherever in its
source, and so on. No function is looked at by itself: whatever a statement reaches, by a helper, a constant,
a method or a table, is in a module that is imported.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import NamedTuple

OURS = ("tenure", "tenure_proofs")
"""Packages whose code may change from one run to the next; of any other its version counts."""

UNSEEN = ("import_module", "__import__", "run_module", "run_path")
"""What imports a module that no source shows."""


class UnknownCodeError(Exception):
    """Something is reached that may have changed unnoticed; an answer about it is not kept."""


def digest(*parts: object) -> str:
    """A hash of texts, numbers, truth values, None, and tuples, lists and mappings of them.

    Raises:
        UnknownCodeError: a part is something else.

    >>> digest("a", 1) == digest("a", 1), digest("a", 1) == digest("a", "1"), digest("ab") == digest("a", "b")
    (True, False, False)
    """
    return hashlib.sha256(repr([_plain(part) for part in parts]).encode()).hexdigest()


def _plain(part: object) -> object:
    if part is None or type(part) in (str, bytes, int, float, bool):
        return part
    if isinstance(part, Enum):
        return (type(part).__qualname__, part.name)
    if isinstance(part, tuple | list):
        return [_plain(item) for item in part]
    if isinstance(part, Mapping):
        return sorted((repr(_plain(key)), _plain(value)) for key, value in part.items())
    raise UnknownCodeError(f"{part!r} has no fingerprint")


def modules_behind(*names: str, without: Iterable[str] = ()) -> tuple[str, ...]:
    """These modules of ours, and those that they import, and so on; of packages only what is asked for.

    Args:
        names: where to begin.
        without: modules that are not looked into, nor counted.

    Raises:
        UnknownCodeError: a module has no source, or imports another by a name that is made while it runs.
    """
    left_out = set(without)
    found: set[str] = set()
    rest = list(names)
    while rest:
        name = rest.pop()
        if name in found or name in left_out:
            continue
        found.add(name)
        read = _module(name)
        if read.unseen:
            raise UnknownCodeError(f"{name} imports by {read.unseen}")
        rest.extend(read.imported)
    return tuple(sorted(found))


def modules_digest(names: Iterable[str]) -> str:
    """A hash of several modules, and of the packages around them, whose own code runs before theirs.

    Raises:
        UnknownCodeError: a module has no source.
    """
    counted = {part for name in names for part in _path_to(name)}
    return digest({name: _module(name).digest for name in counted})


def package_digest(name: str) -> str:
    """A hash of every file of source below a package, comments included: there are many to read."""
    folder = _file(name).parent
    files = sorted(folder.rglob("*.py"))
    return digest([(path.relative_to(folder).as_posix(), source(path)) for path in files])


def source(path: Path) -> bytes:
    """What a file of source holds."""
    return path.read_bytes()


class Module(NamedTuple):
    """What is known of a module's source.

    Args:
        digest: a hash of it without comments.
        imported: the modules of ours that it imports, wherever in it.
        unseen: how it imports something that its source does not show; empty where it does not.
    """

    digest: str
    imported: tuple[str, ...]
    unseen: str


@functools.cache
def _module(name: str) -> Module:
    path = _file(name)
    tree = ast.parse(source(path))
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    nodes = list(ast.walk(tree))
    return Module(
        hashlib.sha256(ast.dump(tree).encode()).hexdigest(),
        tuple(dict.fromkeys(name for node in nodes for name in _imported(node, package))),
        next((name for node in nodes for name in _named(node) if name in UNSEEN), ""),
    )


def _file(name: str) -> Path:
    found = importlib.util.find_spec(name)
    if found is None or found.origin is None or not found.origin.endswith(".py"):
        raise UnknownCodeError(f"{name} has no source")
    return Path(found.origin)


def _imported(node: ast.AST, package: str) -> Iterator[str]:
    match node:
        case ast.Import(names=names):
            yield from (alias.name for alias in names if _is_ours(alias.name))
        case ast.ImportFrom(module=module, names=names, level=level):
            base = importlib.util.resolve_name("." * level + (module or ""), package)
            if _is_ours(base):
                below = [f"{base}.{alias.name}" for alias in names]
                modules = [name for name in below if _is_module(name)]
                yield from modules
                if len(modules) < len(below):
                    yield base


def _named(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
            yield name


def _path_to(name: str) -> Iterator[str]:
    """A module, and the packages around it."""
    parts = name.split(".")
    return (".".join(parts[: end + 1]) for end in range(len(parts)))


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in OURS


@functools.cache
def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False
