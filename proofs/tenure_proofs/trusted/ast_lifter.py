"""The second lifter: reads a function's syntax tree and never runs it.

Independent of the tracer on purpose: they share the names of solver constants and nothing else, so
that a mistake in one shows as a difference between the two.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import textwrap
from collections.abc import Callable
from enum import IntEnum
from typing import Any, TypeAlias

import z3

from tenure_proofs.trusted.domains import (
    Domain,
    LiftError,
    Optional,
    Record,
    Scalar,
    constant,
    parameters_of,
    presence,
)
from tenure_proofs.trusted.shapes import Built, Formula, Maybe, Passed, Shape


@dataclasses.dataclass(frozen=True)
class Argument:
    """An argument that is a record; fields in `fixed` are concrete."""

    name: str
    domain: Record
    fixed: tuple[tuple[str, Any], ...] = ()


@dataclasses.dataclass(frozen=True)
class Constructed:
    """A record that the function builds."""

    cls: str
    fields: tuple[tuple[str, Value], ...]


class _Raises:
    """The value of a path that raises."""


RAISES = _Raises()

Value: TypeAlias = "z3.ExprRef | Maybe | Argument | Constructed | _Raises | None"


def argument(name: str, domain: Domain, fixed: dict[str, Any] | None = None) -> Value:
    """The value of a symbolic argument."""
    match domain:
        case Record():
            return Argument(name, domain, tuple((fixed or {}).items()))
        case Optional(inner):
            return Maybe(presence(name), constant(name, inner))
        case Scalar():
            return constant(name, domain)


def lift_syntax(function: Callable[..., Any], *arguments: Value) -> Formula:
    """Lift a function from its source.

    Raises:
        LiftError: a construct outside the subset that rules are written in.
    """
    lifter = _Lifter()
    value = lifter.call(function, list(arguments), {}, z3.BoolVal(True))
    if isinstance(value, _Raises):
        raise LiftError(f"{function.__name__} never returns")
    return Formula(_shape(value), z3.simplify(z3.And(lifter.definedness)))


def formula_of(function: Callable[..., Any]) -> Formula:
    """A function as a formula of its own parameters."""
    parameters = parameters_of(function)
    return lift_syntax(function, *(argument(name, domain) for name, domain in parameters.items()))


def _shape(value: Value) -> Shape:
    match value:
        case Argument(name):
            return Passed(name)
        case Constructed(cls, fields):
            return Built(cls, tuple((field, _shape(inner)) for field, inner in fields))
        case None:
            return Maybe(z3.BoolVal(False), z3.IntVal(0))
        case Maybe() | z3.ExprRef():
            return value
    raise LiftError(f"{value!r} is no result")


@dataclasses.dataclass(frozen=True)
class _Scope:
    """Names visible at one place, and the condition under which control is there."""

    names: dict[str, Value]
    module: dict[str, Any]
    path: z3.BoolRef

    def outer(self, name: str) -> Any:
        """What the function's module calls so."""
        if name not in self.module:
            raise LiftError(f"{name} is outside the subset of rules")
        return self.module[name]

    def under(self, condition: z3.BoolRef) -> _Scope:
        return _Scope(dict(self.names), self.module, z3.And(self.path, condition))


class _Lifter:
    def __init__(self) -> None:
        self.definedness: list[z3.BoolRef] = []

    def require(self, scope: _Scope, condition: z3.BoolRef) -> None:
        self.definedness.append(z3.Implies(scope.path, condition))

    def call(
        self, function: Any, positional: list[Value], keywords: dict[str, Value], path: z3.BoolRef
    ) -> Value:
        if isinstance(function, type) and dataclasses.is_dataclass(function):
            given = _bound(function, positional, keywords)
            return Constructed(function.__name__, tuple(given.items()))
        if not inspect.isfunction(function):
            raise LiftError(f"a call of {function!r}: rules call rules, and build records")
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
        if not isinstance(tree, ast.FunctionDef):
            raise LiftError(f"{function.__name__} is no plain function")
        given = _bound(function, positional, keywords)
        return self.block(tree.body, _Scope(given, function.__globals__, path))

    def block(self, statements: list[ast.stmt], scope: _Scope) -> Value:
        if not statements:
            raise LiftError("a path ends without a return")
        first, rest = statements[0], statements[1:]
        match first:
            case ast.Return(value=expression) if expression is not None:
                return self.expression(expression, scope)
            case ast.Raise():
                self.require(scope, z3.BoolVal(False))
                return RAISES
            case ast.Expr(value=ast.Constant()):
                return self.block(rest, scope)
            case ast.Assign(targets=[ast.Name(id=name)], value=expression):
                value = self.expression(expression, scope)
                return self.block(rest, _Scope({**scope.names, name: value}, scope.module, scope.path))
            case ast.If(test=test, body=body, orelse=orelse):
                condition = z3.simplify(self.truth(test, scope))
                if z3.is_true(condition) or z3.is_false(condition):
                    return self.block([*(body if z3.is_true(condition) else orelse), *rest], scope)
                then = self.block([*body, *rest], scope.under(condition))
                otherwise = self.block([*orelse, *rest], scope.under(z3.Not(condition)))
                return _choose(condition, then, otherwise)
        raise LiftError(f"{type(first).__name__} in line {first.lineno} is outside the subset of rules")

    def truth(self, node: ast.expr, scope: _Scope) -> z3.BoolRef:
        value = self.expression(node, scope)
        if isinstance(value, z3.BoolRef):
            return value
        if isinstance(value, z3.ArithRef):
            return value != 0
        raise LiftError(f"the truth of {ast.unparse(node)}: say what is meant, as `is None`")

    def expression(self, node: ast.expr, scope: _Scope) -> Value:
        match node:
            case ast.Constant(value=constant_value):
                return _constant(constant_value)
            case ast.Name(id=name):
                return scope.names[name] if name in scope.names else _constant(scope.outer(name))
            case ast.Attribute():
                return self.attribute(node, scope)
            case ast.Call():
                return self.invocation(node, scope)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                condition = self.truth(test, scope)
                then = self.expression(body, scope.under(condition))
                otherwise = self.expression(orelse, scope.under(z3.Not(condition)))
                return _choose(condition, then, otherwise)
        return self.operation(node, scope)

    def operation(self, node: ast.expr, scope: _Scope) -> z3.ExprRef:
        match node:
            case ast.Compare():
                return self.comparison(node, scope)
            case ast.BoolOp():
                return self.connective(node, scope)
            case ast.BinOp():
                return self.arithmetic(node, scope)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return z3.Not(self.truth(operand, scope))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.number(operand, scope)
        raise LiftError(f"{type(node).__name__} in line {node.lineno} is outside the subset of rules")

    def attribute(self, node: ast.Attribute, scope: _Scope) -> Value:
        if isinstance(node.value, ast.Name) and node.value.id not in scope.names:
            return _constant(getattr(scope.outer(node.value.id), node.attr))
        owner = self.expression(node.value, scope)
        if isinstance(owner, Constructed):
            return dict(owner.fields)[node.attr]
        if not isinstance(owner, Argument):
            raise LiftError(f"{ast.unparse(node)} in line {node.lineno}: not a field of an argument")
        fixed = dict(owner.fixed)
        if node.attr in fixed:
            return _constant(fixed[node.attr])
        return argument(f"{owner.name}.{node.attr}", owner.domain.field(node.attr))

    def number(self, node: ast.expr, scope: _Scope) -> z3.ArithRef:
        value = self.expression(node, scope)
        if value is None:
            value = Maybe(z3.BoolVal(False), z3.IntVal(0))
        if isinstance(value, Maybe):
            self.require(scope, value.present)
            value = value.value
        if isinstance(value, z3.ArithRef):
            return value
        raise LiftError(f"{ast.unparse(node)} in line {node.lineno} is no number")

    def comparison(self, node: ast.Compare, scope: _Scope) -> z3.BoolRef:
        parts = []
        left = node.left
        for operator, right in zip(node.ops, node.comparators, strict=True):
            part = self.compare(left, operator, right, scope)
            parts.append(part)
            # A chain stops at the first comparison that fails.
            scope = scope.under(part)
            left = right
        return parts[0] if len(parts) == 1 else z3.And(parts)

    def compare(self, left: ast.expr, operator: ast.cmpop, right: ast.expr, scope: _Scope) -> z3.BoolRef:
        if isinstance(operator, ast.Is | ast.IsNot):
            if not (isinstance(right, ast.Constant) and right.value is None):
                raise LiftError(f"`is` in line {left.lineno} against something other than None")
            value = self.expression(left, scope)
            absent = z3.Not(value.present) if isinstance(value, Maybe) else z3.BoolVal(value is None)
            return absent if isinstance(operator, ast.Is) else z3.Not(absent)
        if isinstance(operator, ast.Eq | ast.NotEq):
            equal = _equal(self.expression(left, scope), self.expression(right, scope))
            return equal if isinstance(operator, ast.Eq) else z3.Not(equal)
        first, second = self.number(left, scope), self.number(right, scope)
        match operator:
            case ast.Lt():
                return first < second
            case ast.LtE():
                return first <= second
            case ast.Gt():
                return first > second
            case ast.GtE():
                return first >= second
        raise LiftError(f"{type(operator).__name__} in line {left.lineno} is outside the subset of rules")

    def connective(self, node: ast.BoolOp, scope: _Scope) -> z3.BoolRef:
        parts: list[z3.BoolRef] = []
        conjunction = isinstance(node.op, ast.And)
        for operand in node.values:
            part = self.truth(operand, scope)
            parts.append(part)
            scope = scope.under(part if conjunction else z3.Not(part))
        return z3.And(parts) if conjunction else z3.Or(parts)

    def arithmetic(self, node: ast.BinOp, scope: _Scope) -> z3.ArithRef:
        left, right = self.number(node.left, scope), self.number(node.right, scope)
        match node.op:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case ast.FloorDiv():
                return self.floor(left, right, scope)
            case ast.Mod():
                return left - right * self.floor(left, right, scope)
        raise LiftError(f"{type(node.op).__name__} in line {node.lineno} is outside the subset of rules")

    def floor(self, dividend: z3.ArithRef, divisor: z3.ArithRef, scope: _Scope) -> z3.ArithRef:
        self.require(scope, divisor != 0)
        return z3.If(divisor > 0, dividend / divisor, (-dividend) / (-divisor))

    def invocation(self, node: ast.Call, scope: _Scope) -> Value:
        if not isinstance(node.func, ast.Name):
            raise LiftError(f"a call of {ast.unparse(node.func)} in line {node.lineno}: rules call rules")
        if node.func.id in ("min", "max"):
            return self.extremum(node, scope)
        function = scope.outer(node.func.id)
        arguments = [self.expression(each, scope) for each in node.args]
        keywords = {each.arg: self.expression(each.value, scope) for each in node.keywords if each.arg}
        return self.call(function, arguments, keywords, scope.path)

    def extremum(self, node: ast.Call, scope: _Scope) -> z3.ArithRef:
        numbers = [self.number(each, scope) for each in node.args]
        smaller = isinstance(node.func, ast.Name) and node.func.id == "min"
        best = numbers[0]
        for number in numbers[1:]:
            best = z3.If(number < best if smaller else number > best, number, best)
        return best


def _bound(function: Any, positional: list[Value], keywords: dict[str, Value]) -> dict[str, Value]:
    """Every parameter's value, the defaults included."""
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*positional, **keywords)
    except TypeError as error:
        raise LiftError(f"{function.__name__}: {error}") from error
    return {
        name: bound.arguments[name] if name in bound.arguments else _constant(parameter.default)
        for name, parameter in signature.parameters.items()
    }


def _constant(value: Any) -> Value:
    if value is None or isinstance(value, z3.ExprRef):
        return value
    if isinstance(value, bool):
        return z3.BoolVal(value)
    if isinstance(value, int | IntEnum):
        return z3.IntVal(int(value))
    raise LiftError(f"{value!r} is no constant that a rule may use")


def _equal(first: Value, second: Value) -> z3.BoolRef:
    if isinstance(first, Maybe) or isinstance(second, Maybe) or first is None or second is None:
        return _equal_optional(first, second)
    if isinstance(first, z3.ExprRef) and isinstance(second, z3.ExprRef) and first.sort() == second.sort():
        return first == second
    raise LiftError(f"{first!r} compared with {second!r}")


def _equal_optional(first: Value, second: Value) -> z3.BoolRef:
    left, right = _optional(first), _optional(second)
    both = z3.And(left.present, right.present, left.value == right.value)
    return z3.Or(both, z3.And(z3.Not(left.present), z3.Not(right.present)))


def _optional(value: Value) -> Maybe:
    if isinstance(value, Maybe):
        return value
    if value is None:
        return Maybe(z3.BoolVal(False), z3.IntVal(0))
    if isinstance(value, z3.ExprRef):
        return Maybe(z3.BoolVal(True), value)
    raise LiftError(f"{value!r} is neither None nor a number")


def _choose(condition: z3.BoolRef, then: Value, otherwise: Value) -> Value:
    if isinstance(then, _Raises) or then is otherwise:
        return otherwise
    if isinstance(otherwise, _Raises):
        return then
    if isinstance(then, Argument) and isinstance(otherwise, Argument) and then.name == otherwise.name:
        return then
    if isinstance(then, z3.ExprRef) and isinstance(otherwise, z3.ExprRef):
        return z3.If(condition, then, otherwise)
    if isinstance(then, Constructed) and isinstance(otherwise, Constructed) and then.cls == otherwise.cls:
        pairs = zip(then.fields, otherwise.fields, strict=True)
        return Constructed(
            then.cls, tuple((name, _choose(condition, mine, theirs)) for (name, mine), (_, theirs) in pairs)
        )
    left, right = _optional(then), _optional(otherwise)
    return Maybe(z3.If(condition, left.present, right.present), z3.If(condition, left.value, right.value))
