"""What a loop goes through, and where it stops: reversed, one left out, never."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from tenure_proofs.mutants.mutant import Change

ORDERS = ("reversed(tuple({}))", "tuple({})[1:]", "tuple({})[:-1]")


def order_changes(_: Callable[..., Any], definition: ast.FunctionDef) -> Iterator[Change]:
    """Every order of a function's loops, and every stop, wrong in each way.

    >>> from tenure.oracle.selection import fill_back
    >>> from tenure_proofs.mutants.mutant import source_of
    >>> [ast.unparse(change.after) for change in order_changes(fill_back, source_of(fill_back))][1:]
    ['tuple(removed.rest or ())[1:]', 'tuple(removed.rest or ())[:-1]']
    """
    loops = {id(node.iter) for node in ast.walk(definition) if isinstance(node, ast.For)}
    stops = {
        id(node.test)
        for node in ast.walk(definition)
        if isinstance(node, ast.If) and any(isinstance(inner, ast.Break) for inner in node.body)
    }
    for place, node in enumerate(ast.walk(definition)):
        if id(node) in stops and isinstance(node, ast.expr):
            yield Change(place, node, ast.Constant(value=False))
        if id(node) in loops and isinstance(node, ast.expr):
            inner, named = _gone_through(node)
            for order in ORDERS:
                wrong = ast.parse(order.format(ast.unparse(inner)), mode="eval").body
                yield Change(place, node, ast.Call(ast.Name("enumerate"), [wrong], []) if named else wrong)


def _gone_through(node: ast.expr) -> tuple[ast.expr, bool]:
    """What a loop goes through, and whether its places are counted."""
    match node:
        case ast.Call(func=ast.Name(id="enumerate"), args=[inner], keywords=[]):
            return inner, True
    return node, False
