"""Which functions may write an attribute, by the names in their source; nothing is run, no type is looked at.

A function may write an attribute if it stores to one of that name, or names a function that may. Whatever has
that name counts, so what is found is too much at worst.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.source import body_of

UNNAMED = frozenset({"setattr", "__setattr__", "delattr", "__dict__", "vars", "globals", "exec", "eval"})
"""What writes where no statement names the attribute."""


def may_write(attribute: str, module: ModuleType) -> frozenset[str]:
    """The names of the functions that may write an attribute of an object that is there.

    Args:
        attribute: its name.
        module: those of it, and of all that it imports of its package, count.

    Raises:
        LiftError: one of them may write what it does not name, or run where nothing names it.
    """
    units = _all_units(module)
    found = {name for name, node in units if attribute in _stored(node)}
    while more := {name for name, node in units if _named(node) & found} - found:
        found |= more
    unseen = {name for name, node in units if _named(node) & UNNAMED}
    unseen |= {name for name, node in units if _named(node) & found and _is_later(node, found)}
    unseen |= {name for name in found if name.startswith("__")}
    if unseen:
        raise LiftError(f"{', '.join(sorted(unseen))} may write {attribute} unseen")
    return frozenset(found - {""})


def writing(function: Any, names: frozenset[str]) -> tuple[str, ...]:
    """The statements of a function in which one of some functions is named."""
    return tuple(ast.unparse(statement) for statement in body_of(function) if _named(statement) & names)


@functools.cache
def _all_units(module: ModuleType) -> tuple[tuple[str, ast.AST], ...]:
    return tuple(unit for tree in _sources(module) for unit in _units(tree, ""))


def _sources(module: ModuleType) -> Iterator[ast.Module]:
    package = module.__name__.partition(".")[0]
    root = next(path for path in Path(str(module.__file__)).parents if path.name == package).parent
    waiting, seen = [module.__name__], set[str]()
    while waiting:
        file = root / f"{(name := waiting.pop()).replace('.', '/')}.py"
        if name in seen or not name.startswith(f"{package}.") or not file.is_file():
            continue
        seen.add(name)
        yield (tree := ast.parse(file.read_text(encoding="utf-8")))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                waiting += [str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)]
            elif isinstance(node, ast.Import):
                waiting += [alias.name for alias in node.names]


def _units(node: ast.AST, inside: str) -> Iterator[tuple[str, ast.AST]]:
    """Whatever has a name that others may use; a class, where its objects are made."""
    for part in ast.iter_child_nodes(node):
        match part:
            case ast.ClassDef(name=name, bases=bases):
                yield name, ast.Tuple(bases)
                yield from _units(part, name)
            case ast.FunctionDef(name=name):
                yield inside if name in ("__init__", "__post_init__") else name, part
                yield from _units(part, inside)
            case ast.Assign() | ast.AnnAssign():
                yield "", part
            case _:
                yield from _units(part, inside)


@functools.cache
def _named(node: ast.AST) -> frozenset[str]:
    """The names of which something makes use."""
    return frozenset(
        _own_name(inner) for inner in ast.walk(node) if isinstance(inner, ast.Name | ast.Attribute)
    )


def _own_name(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


def _is_later(node: ast.AST, found: set[str]) -> bool:
    """Whether something may run one of some functions when it is over, by what it gives or hands on."""
    parts = [*ast.walk(node)]
    called = {id(part.func) for part in parts if isinstance(part, ast.Call)}
    return any(
        isinstance(part, ast.Yield | ast.YieldFrom)
        or (isinstance(part, ast.Lambda | ast.GeneratorExp) and _named(part) & found)
        or (
            isinstance(part, ast.Name | ast.Attribute) and id(part) not in called and _own_name(part) in found
        )
        for part in parts
    )


def _stored(node: ast.AST) -> set[str]:
    """The attributes that are written, but those of an object that is made there."""
    made = "self" if isinstance(node, ast.FunctionDef) and node.name == "__init__" else ""
    parts = (inner for inner in ast.walk(node) if isinstance(inner, ast.Attribute))
    return {
        part.attr for part in parts if not isinstance(part.ctx, ast.Load) and ast.unparse(part.value) != made
    }
