"""Connectives, conditions, arithmetic and calls: exchanged, negated, dropped, swapped."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from tenure_proofs.mutants.mutant import Change, places

ARITHMETIC: dict[type[ast.operator], ast.operator] = {
    ast.Add: ast.Sub(),
    ast.Sub: ast.Add(),
    ast.Mult: ast.Add(),
    ast.FloorDiv: ast.Mult(),
}
TURNED = (ast.Sub, ast.FloorDiv)
"""Operators whose operands are not to be exchanged."""

EXTREMES = {"min": "max", "max": "min"}


def form_changes(_: Callable[..., Any], definition: ast.FunctionDef) -> Iterator[Change]:
    """Every connective, condition, sum and call of a function, wrong in each way.

    >>> from tenure.rules.priority import effective_priority
    >>> from tenure_proofs.mutants.mutant import source_of
    >>> changes = form_changes(effective_priority, source_of(effective_priority))
    >>> [ast.unparse(change.after) for change in changes]
    ['not boost_gate', 'base - boost', 'base', 'boost']
    """
    conditions = {id(node.test) for node in ast.walk(definition) if isinstance(node, ast.If | ast.IfExp)}
    for place, node in places(definition):
        if id(node) in conditions and not isinstance(node, ast.BoolOp | ast.Compare):
            yield Change(place, node, _negated(node))
        for wrong in _wrong(node):
            yield Change(place, node, wrong)


def _wrong(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BoolOp):
        yield from _wrong_connective(node)
    elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        yield ast.BinOp(node.left, ARITHMETIC[type(node.op)], node.right)
        yield node.left
        yield node.right
        if isinstance(node.op, TURNED):
            yield ast.BinOp(node.right, node.op, node.left)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        yield from _wrong_call(node, node.func)


def _wrong_connective(node: ast.BoolOp) -> Iterator[ast.expr]:
    yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    for position, value in enumerate(node.values):
        before, after = node.values[:position], node.values[position + 1 :]
        rest = [*before, *after]
        yield rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
        # Of a comparison the opposite is another operator, which is another family's.
        if not isinstance(value, ast.Compare):
            yield ast.BoolOp(node.op, [*before, _negated(value), *after])


def _wrong_call(node: ast.Call, called: ast.Name) -> Iterator[ast.expr]:
    if called.id in EXTREMES:
        yield ast.Call(ast.Name(EXTREMES[called.id], called.ctx), node.args, [])
        yield from node.args
    elif len(node.args) == 2 and not node.keywords and called.id[0].islower():
        yield ast.Call(called, node.args[::-1], [])


def _negated(test: ast.expr) -> ast.expr:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    return ast.UnaryOp(ast.Not(), test)
