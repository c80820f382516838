"""Wirings: another value of the same type handed on, a part left out, a step left out."""

from __future__ import annotations

import ast
import typing
from collections.abc import Callable, Iterator
from typing import Any

from tenure_proofs.mutants.mutant import Change, places

_TRUTHS = (ast.Constant(True), ast.Constant(False))
_MANY = ("tuple", "Sequence", "Iterable", "list", "frozenset", "set")
"""How the annotations of what can be empty begin."""


def wiring_changes(function: Callable[..., Any], definition: ast.FunctionDef) -> Iterator[Change]:
    """Every argument of every call another value of its type, or none of it; every call left out.

    >>> from tenure.oracle.selection import fill_back
    >>> from tenure_proofs.mutants.mutant import source_of
    >>> [ast.unparse(change.after) for change in wiring_changes(fill_back, source_of(fill_back))][-1]
    'state'
    """
    types = _types(function, definition)
    for place, node in places(definition):
        if not isinstance(node, ast.Call):
            continue
        for position, argument in enumerate(node.args):
            if _is_partial(node) and position == 0:
                continue
            for wrong in _instead(argument, types):
                arguments = [*node.args[:position], wrong, *node.args[position + 1 :]]
                yield Change(place, node, ast.Call(node.func, arguments, node.keywords))
        for keyword in node.keywords:
            for wrong in _instead(keyword.value, types):
                keywords = [
                    ast.keyword(other.arg, wrong if other is keyword else other.value)
                    for other in node.keywords
                ]
                yield Change(place, node, ast.Call(node.func, node.args, keywords))
        returned = _returned(function, node)
        for argument in node.args:
            if isinstance(argument, ast.Name) and returned and types.get(argument.id) == returned:
                yield Change(place, node, argument)


def _instead(argument: ast.expr, types: dict[str, str]) -> Iterator[ast.expr]:
    """What an argument that is a name may be taken for."""
    kind = types.get(argument.id) if isinstance(argument, ast.Name) else None
    if not isinstance(argument, ast.Name) or kind is None:
        return
    if kind == "bool":
        yield from _TRUTHS
    if kind.startswith(_MANY):
        yield ast.Tuple([], ast.Load())
    for other, its in types.items():
        if its == kind and other != argument.id:
            yield ast.Name(other, ast.Load())


def _types(function: Callable[..., Any], definition: ast.FunctionDef) -> dict[str, str]:
    """The types of parameters, and of names that a call of a function of the same module gives a value."""
    found = {arg.arg: ast.unparse(arg.annotation) for arg in definition.args.args if arg.annotation}
    for node in ast.walk(definition):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if name not in found:
                found |= {name: returned} if (returned := _returned(function, call)) else {}
    return found


def _returned(function: Callable[..., Any], call: ast.Call) -> str:
    """The annotation of what a call returns; empty where that is not known."""
    called = function.__globals__.get(call.func.id) if isinstance(call.func, ast.Name) else None
    if isinstance(called, type):
        return called.__name__
    hint = getattr(called, "__annotations__", {}).get("return", "")
    return hint if isinstance(hint, str) else typing.cast(str, getattr(hint, "__name__", ""))


def _is_partial(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == "partial"
