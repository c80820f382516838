"""The second automatic family, for functions that compare nothing: whatever else they decide by."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from typing import Any

from tenure_proofs.mutants.comparisons import Mutant, compiled, source_tree

ARITHMETIC: dict[type[ast.operator], ast.operator] = {
    ast.Add: ast.Sub(),
    ast.Sub: ast.Add(),
    ast.Mult: ast.Add(),
    ast.FloorDiv: ast.Mult(),
}
EXTREMES = {"min": "max", "max": "min"}


def form_mutants(rule: str, function: Callable[..., Any]) -> Iterator[Mutant]:
    """Every mutant of one function: `and` for `or`, conditions negated, arguments and extremes exchanged.

    >>> from tenure.rules.priority import effective_priority
    >>> [mutant.after for mutant in form_mutants("KQ-080", effective_priority)]
    ['not boost_gate', 'base - boost']
    """
    tree = source_tree(function)
    number = 0
    for index, node in enumerate(ast.walk(tree)):
        for wrong in _wrong(node):
            number += 1
            changed = copy.deepcopy(tree)
            _Put(list(ast.walk(changed))[index], wrong).visit(changed)
            yield Mutant(
                id=f"MU-{rule}-{number:02d}",
                rule=rule,
                function=function,
                before=ast.unparse(_place(node)),
                after=ast.unparse(wrong),
                code=compiled(changed, function),
            )


def _place(node: ast.AST) -> ast.expr:
    """The expression that is changed: of a branch, its condition."""
    place = node.test if isinstance(node, ast.If | ast.IfExp) else node
    assert isinstance(place, ast.expr)
    return place


def _wrong(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.If(test=test) | ast.IfExp(test=test) if not isinstance(test, ast.BoolOp):
            yield _negated(test)
        case ast.BoolOp(op=operator, values=values):
            yield ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values)
            for position, value in enumerate(values):
                yield ast.BoolOp(operator, [*values[:position], _negated(value), *values[position + 1 :]])
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in ARITHMETIC:
            yield ast.BinOp(left, ARITHMETIC[type(operator)], right)
        case ast.Call(func=ast.Name(id=name) as called, args=[first, second, *rest]) if name in EXTREMES:
            yield ast.Call(ast.Name(EXTREMES[name], called.ctx), [first, second, *rest], [])
        case ast.Call(func=ast.Name(id=name) as called, args=[first, second], keywords=[]) if name[
            0
        ].islower():
            yield ast.Call(called, [second, first], [])


def _negated(test: ast.expr) -> ast.expr:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    return ast.UnaryOp(ast.Not(), test)


class _Put(ast.NodeTransformer):
    """Puts a wrong expression in the place of a right one."""

    def __init__(self, node: ast.AST, wrong: ast.expr) -> None:
        self._place = _place(node)
        self._wrong = wrong

    def visit(self, node: ast.AST) -> Any:
        """The wrong expression at the place, everything else as it is."""
        return self._wrong if node is self._place else self.generic_visit(node)
