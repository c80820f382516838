"""Functions that pack fields into one number, read from their source as numbers of so many bits.

What is read is assignments and a return of an expression of shifts, `|`, `^`, `&`, `+`, `-`, numbers and
calls of such functions; nothing of it is run. Whatever branches or compares is refused.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

import z3

from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.source import body_of, parameters_given

OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.LShift: operator.lshift,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.BitAnd: operator.and_,
    ast.Add: operator.add,
    ast.Sub: operator.sub,
}


def packed(function: Callable[..., Any], *arguments: z3.BitVecRef) -> z3.BitVecRef:
    """What a function returns of numbers of as many bits as its first argument has.

    Raises:
        LiftError: it has something else than assignments and one return of such an expression.
    """
    if not isinstance(function, FunctionType):
        raise LiftError(f"{function!r} is no function")
    names: dict[str, z3.BitVecRef] = parameters_given(function, arguments, {})
    *before, last = (node for node in body_of(function) if not _is_docstring(node))
    for statement in before:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                names[name] = _value(value, function, names, arguments[0].sort())
            case _:
                raise _refused(statement)
    if not isinstance(last, ast.Return) or last.value is None:
        raise _refused(last)
    return _value(last.value, function, names, arguments[0].sort())


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _value(
    node: ast.expr, function: FunctionType, names: Mapping[str, z3.BitVecRef], sort: z3.BitVecSortRef
) -> Any:
    def of(part: ast.expr) -> Any:
        return _value(part, function, names, sort)

    match node:
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            return z3.BitVecVal(number, sort)
        case ast.BinOp(left, how, right) if type(how) in OPERATORS:
            return OPERATORS[type(how)](of(left), of(right))
        case ast.Call(func=ast.Name(id=name), args=given, keywords=[]) if name not in names:
            return packed(function.__globals__.get(name, name), *map(of, given))
    raise _refused(node)


def _refused(node: ast.AST) -> LiftError:
    return LiftError(f"{ast.unparse(node)} is outside what packs fields")
