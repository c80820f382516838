"""Values: constants, members of enums, and one argument for another of its type."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from enum import IntEnum
from typing import Any

from tenure_proofs.mutants.mutant import Change, places, whole, with_part


def value_changes(function: Callable[..., Any], definition: ast.FunctionDef) -> Iterator[Change]:
    """Every constant one off, every member another, every argument exchanged with its neighbour in type.

    >>> from tenure.rules.priority import has_lower_priority
    >>> from tenure_proofs.mutants.mutant import source_of
    >>> changes = value_changes(has_lower_priority, source_of(has_lower_priority))
    >>> [ast.unparse(change.after) for change in changes]
    ['preemptor.priority < preemptor.priority', 'target.priority < target.priority']
    """
    neighbours = _neighbours(definition)
    called = {id(node.func) for node in ast.walk(definition) if isinstance(node, ast.Call)}
    everything = whole(definition)
    for _, node in places(definition):
        if id(node) in called:
            continue
        # A name or a number says little alone, so the whole expression is shown.
        place, expression = everything[id(node)]
        for wrong in _wrong(node, function.__globals__, neighbours):
            yield Change(place, expression, with_part(expression, node, wrong))


def _wrong(node: ast.expr, module: dict[str, Any], neighbours: dict[str, str]) -> Iterator[ast.expr]:
    match node:
        case ast.Constant(value=bool() as truth):
            yield ast.Constant(not truth)
        case ast.Constant(value=int() as number):
            yield ast.Constant(number + 1)
        case ast.Name(id=name, ctx=ast.Load()) if name in neighbours:
            yield ast.Name(neighbours[name], ast.Load())
        case ast.Name(id=name, ctx=ast.Load()) if type(module.get(name)) is int:
            yield ast.BinOp(node, ast.Add(), ast.Constant(1))
        case ast.Attribute(value=ast.Name(id=name) as owner, attr=member):
            enum = module.get(name)
            if isinstance(enum, type) and issubclass(enum, IntEnum) and member in enum.__members__:
                yield ast.Attribute(owner, _next(list(enum.__members__), member), ast.Load())


def _neighbours(definition: ast.FunctionDef) -> dict[str, str]:
    """For each parameter, the next of the same type: ancestor for descendant, target for preemptor."""
    by_type: dict[str, list[str]] = {}
    for arg in definition.args.args:
        if arg.annotation is not None:
            by_type.setdefault(ast.unparse(arg.annotation), []).append(arg.arg)
    alike = [names for names in by_type.values() if len(names) > 1]
    return {name: _next(names, name) for names in alike for name in names}


def _next(names: list[str], name: str) -> str:
    return names[(names.index(name) + 1) % len(names)]
