"""Comparisons with another operator, or one off."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from tenure_proofs.mutants.mutant import Change, places

ALTERNATIVES: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
"""What each comparison becomes: off by one, turned round, or negated."""

FARTHER: dict[type[ast.cmpop], ast.operator] = {
    ast.Lt: ast.Sub(),
    ast.LtE: ast.Add(),
    ast.Gt: ast.Add(),
    ast.GtE: ast.Sub(),
}
"""Off by one on the other side, where the other operator is off by one on this."""


def operator_changes(_: Callable[..., Any], definition: ast.FunctionDef) -> Iterator[Change]:
    """Every comparison of a function, with every other operator.

    >>> from tenure.rules.quota import fits_quota
    >>> from tenure_proofs.mutants.mutant import source_of
    >>> [ast.unparse(change.after) for change in operator_changes(fits_quota, source_of(fits_quota))]
    ['plus(usage, request) < quota', 'plus(usage, request) >= quota']
    """
    for place, node, position in _comparisons(definition):
        for alternative in ALTERNATIVES.get(type(node.ops[position]), ()):
            operators = [*node.ops[:position], alternative(), *node.ops[position + 1 :]]
            yield Change(place, node, ast.Compare(node.left, operators, node.comparators))


def off_by_one_changes(_: Callable[..., Any], definition: ast.FunctionDef) -> Iterator[Change]:
    """Every comparison of order, off by one to the side that no other operator reaches.

    >>> from tenure.rules.quota import fits_quota
    >>> from tenure_proofs.mutants.mutant import source_of
    >>> [ast.unparse(change.after) for change in off_by_one_changes(fits_quota, source_of(fits_quota))]
    ['plus(usage, request) <= quota + 1']
    """
    for place, node, position in _comparisons(definition):
        operator = type(node.ops[position])
        if operator in FARTHER:
            moved = ast.BinOp(node.comparators[position], FARTHER[operator], ast.Constant(1))
            comparators = [*node.comparators[:position], moved, *node.comparators[position + 1 :]]
            yield Change(place, node, ast.Compare(node.left, node.ops, comparators))


def _comparisons(definition: ast.FunctionDef) -> Iterator[tuple[int, ast.Compare, int]]:
    """Each comparison, and each operator of a chain."""
    for place, node in places(definition):
        if isinstance(node, ast.Compare):
            yield from ((place, node, position) for position in range(len(node.ops)))
