"""The lifter: reads a function's syntax tree and never runs it. What it gives is what claims are made of.

It evaluates the tree as Python would, on values of which some are symbolic. What Python knows already, as a
reading's choice, Python computes. Where a condition is symbolic, both sides are read, and their values chosen
between. Every construct that is not named here is refused.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import operator
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from types import FunctionType
from typing import Any, TypeAlias

import z3

from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.shapes import Built, Formula, Maybe, Passed, Shape
from tenure_proofs.trusted.source import (
    body_of,
    check_fields,
    check_record,
    fields_given,
    parameters_given,
    types_of,
)
from tenure_proofs.trusted.symbols import (
    Symbol,
    SymBool,
    SymFunction,
    SymInt,
    SymOptional,
    SymRecord,
    SymToken,
    as_term,
    sort_of,
    wrapped,
)

Value: TypeAlias = Any
"""None, Python's own scalars, symbols, records that are constructed, tuples of values, and `RAISES`."""

Truth: TypeAlias = SymBool | bool

Path: TypeAlias = "tuple[tuple[SymBool, bool], ...]"
"""How control got somewhere: the symbolic conditions that were asked, each with its answer."""


@dataclasses.dataclass(frozen=True, slots=True)
class Made:
    """A record that is constructed."""

    cls: type
    fields: Mapping[str, Value]


RAISES = object()
"""The value of a path that raises."""

ORDERS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def lift(function: Callable[..., Any], *arguments: Any) -> Formula:
    """A function as a formula of its arguments.

    Args:
        function: a rule, the door, or a fold's step.
        arguments: symbols, Python's own values, and records of these.

    Raises:
        LiftError: a construct outside the subset that rules are written in, or it never returns.
    """
    lifter = _Lifter()
    value = lifter.call(function, [_known(argument) for argument in arguments], {}, ())
    return Formula(_shape(value), z3.And(lifter.required) if lifter.required else z3.BoolVal(True))


@dataclasses.dataclass(frozen=True, slots=True)
class _Scope:
    """The names that are bound at one place, whose they are, and how control gets there."""

    names: dict[str, Value]
    function: FunctionType
    path: Path

    def under(self, condition: Truth, answer: bool) -> _Scope:
        if isinstance(condition, bool):
            return self
        return _Scope(self.names, self.function, (*self.path, (condition, answer)))

    def binding(self, name: str, value: Value) -> _Scope:
        return _Scope({**self.names, name: value}, self.function, self.path)

    def outer(self, name: str) -> Any:
        """What the function's module calls so, or Python."""
        if name in self.function.__code__.co_varnames:
            raise LiftError(f"{name} has no value on every path to where it is used")
        for names in (self.function.__globals__, vars(builtins)):
            if name in names:
                return names[name]
        raise LiftError(f"{name} is outside the subset of rules")


class _Lifter:
    def __init__(self) -> None:
        self.required: list[z3.BoolRef] = []
        self.inside: list[FunctionType] = []

    def require(self, path: Path, condition: Truth) -> None:
        """Where control gets here, the function returns only if this holds."""
        ways = [as_term(asked if answer else _not(asked), bool) for asked, answer in path]
        needed = as_term(condition, bool)
        if condition is not True and not any(way.eq(needed) for way in ways):
            self.required.append(z3.Implies(z3.And(ways), needed) if ways else needed)

    def there(self, value: Value, path: Path) -> Value:
        """A value that Python would not go on without; None stands for any number, where nothing returns."""
        if value is None:
            self.require(path, False)
            return 0
        if isinstance(value, SymOptional):
            self.require(path, value.present)
            return value.value
        return value

    def declared(self, value: Value, hint: Any, path: Path) -> Value:
        """A value of which a type says that it is there, as it has to be: Python would hand on None."""
        if not (isinstance(hint, type) and (hint in (int, bool, str) or issubclass(hint, IntEnum))):
            return value
        known = len(self.required)
        value = self.there(value, path)
        if not all(map(_always, self.required[known:])):
            raise LiftError(f"None, perhaps, where {hint.__name__} is declared")
        if sort_of(value) is not hint:
            raise LiftError(f"{value!r} where {hint.__name__} is declared")
        return value

    def call(
        self, function: Any, positional: Sequence[Value], keywords: Mapping[str, Value], path: Path
    ) -> Value:
        if function is min or function is max:
            return self.extremum(function, positional, keywords, path)
        if isinstance(function, SymFunction):
            if keywords or not all(isinstance(item, SymToken) for item in positional):
                raise LiftError("a function that a step is given takes tokens only")
            return function(*positional)
        if isinstance(function, type) and dataclasses.is_dataclass(function):
            return self.construct(function, fields_given(function, positional, keywords), path)
        if not isinstance(function, FunctionType):
            raise LiftError(f"a call of {function!r}: rules call rules, and build records")
        return self.read(function, parameters_given(function, positional, keywords), path)

    def read(self, function: FunctionType, given: Mapping[str, Any], path: Path) -> Value:
        """What a function returns, its parameters being given."""
        if function in self.inside:
            raise LiftError(f"{function.__name__} calls itself")
        names = {name: _known(value) for name, value in given.items()}
        self.inside.append(function)
        try:
            value = self.block(body_of(function), _Scope(names, function, path))
            if value is not RAISES:
                value = self.declared(value, types_of(function).get("return"), path)
        except LiftError as error:
            raise LiftError(f"{function.__name__}: {error}") from error
        self.inside.pop()
        if value is RAISES:
            raise LiftError(f"{function.__name__} never returns")
        return value

    def construct(self, cls: type, given: Mapping[str, Any], path: Path) -> Value:
        hints = types_of(cls)
        fields = {name: self.declared(_known(value), hints[name], path) for name, value in given.items()}
        return Made(cls, fields)

    def block(self, statements: Sequence[ast.stmt], scope: _Scope) -> Value:
        if not statements:
            raise LiftError("a path ends without a return")
        first, rest = statements[0], statements[1:]
        match first:
            case ast.Return(value=expression) if expression is not None:
                return self.expression(expression, scope)
            case ast.Raise():
                self.require(scope.path, False)
                return RAISES
            case ast.Expr(value=ast.Constant()):
                return self.block(rest, scope)
            case ast.Expr(value=ast.Call() as call):
                return self.block(rest, self.stored(call, scope))
            case ast.Assign(targets=[target], value=expression):
                return self.block(rest, self.bind(target, self.expression(expression, scope), scope))
            case ast.If(test=test, body=body, orelse=orelse):
                return self.either(
                    self.truth(test, scope),
                    scope,
                    lambda inside: self.block([*body, *rest], inside),
                    lambda inside: self.block([*orelse, *rest], inside),
                )
        raise _outside(first)

    def either(
        self,
        condition: Truth,
        scope: _Scope,
        then: Callable[[_Scope], Value],
        otherwise: Callable[[_Scope], Value],
    ) -> Value:
        """What one side comes to, or the other; of a condition that Python knows only one is read."""
        if isinstance(condition, bool):
            return then(scope) if condition else otherwise(scope)
        return self.chosen(
            condition, then(scope.under(condition, True)), otherwise(scope.under(condition, False))
        )

    def chosen(self, condition: Truth, then: Value, otherwise: Value) -> Value:
        """One of two values, by a condition."""
        if isinstance(condition, bool):
            return then if condition else otherwise
        if then is RAISES or otherwise is RAISES or then is otherwise:
            return otherwise if then is RAISES else then
        if isinstance(then, bool) and isinstance(otherwise, bool):
            return condition if then else _not(condition)
        match then, otherwise:
            case SymRecord(), SymRecord() if then._name == otherwise._name:
                return then
            case tuple(), tuple() if len(then) == len(otherwise):
                pairs = zip(then, otherwise, strict=True)
                return tuple(self.chosen(condition, *pair) for pair in pairs)
            case Made(cls, fields), Made(other, others) if cls is other and fields.keys() == others.keys():
                named = ((name, value, others[name]) for name, value in fields.items())
                return Made(cls, {name: self.chosen(condition, *pair) for name, *pair in named})
        return self._chosen_scalar(condition, then, otherwise)

    def _chosen_scalar(self, condition: SymBool, then: Value, otherwise: Value) -> Value:
        if any(item is None or isinstance(item, SymOptional) for item in (then, otherwise)):
            left, right = _optional(then), _optional(otherwise)
            present = self.chosen(condition, left.present, right.present)
            # What is absent has no value, so any will do.
            value = left.value if right.value is None else right.value
            if left.value is not None and right.value is not None:
                value = self.chosen(condition, left.value, right.value)
            return SymOptional(present, value)
        sort = sort_of(then)
        if sort is None or sort is not sort_of(otherwise):
            raise LiftError(f"either {then!r} or {otherwise!r}: values of different types")
        return wrapped(sort, z3.If(condition.term, as_term(then, sort), as_term(otherwise, sort)))

    def stored(self, node: ast.Call, scope: _Scope) -> _Scope:
        """`object.__setattr__(name, "field", value)` of a field that has no value yet.

        So no field changes: whatever else has a name for the object never sees two values.
        """
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="object"), attr="__setattr__"),
                args=[ast.Name(id=name), ast.Constant(value=str(field)), expression],
                keywords=[],
            ) if scope.outer("object") is object:
                owner = scope.names.get(name)
                if isinstance(owner, Made) and field not in owner.fields and field in types_of(owner.cls):
                    value = self.expression(expression, scope)
                    stored = self.declared(value, types_of(owner.cls)[field], scope.path)
                    return scope.binding(name, Made(owner.cls, {**owner.fields, field: stored}))
        raise _outside(node)

    def bind(self, target: ast.expr, value: Value, scope: _Scope) -> _Scope:
        match target, value:
            case ast.Name(id=name), _:
                return scope.binding(name, value)
            case ast.Tuple(elts=parts), tuple() if len(parts) == len(value):
                for part, item in zip(parts, value, strict=True):
                    scope = self.bind(part, item, scope)
                return scope
        raise _outside(target)

    def truth(self, node: ast.expr, scope: _Scope) -> Truth:
        value = self.expression(node, scope)
        if sort_of(value) is int:
            return value != 0  # type: ignore[no-any-return]  # a number is compared by itself or by its symbol
        if sort_of(value) is bool:
            return value  # type: ignore[no-any-return]  # its sort says so
        raise LiftError(f"the truth of {ast.unparse(node)}: say what is meant, as `is None`")

    def expression(self, node: ast.expr, scope: _Scope) -> Value:
        match node:
            case ast.Constant(value=value):
                return _known(value)
            case ast.Name(id=name):
                return scope.names[name] if name in scope.names else _known(scope.outer(name))
            case ast.Attribute():
                return self.attribute(node, scope)
            case ast.Call():
                return self.invocation(node, scope)
            case ast.Tuple(elts=parts):
                return tuple(self.expression(part, scope) for part in parts)
            case ast.Subscript(value=whole, slice=ast.Constant(value=int(place))):
                return self.part(self.expression(whole, scope), place)
        return self.operation(node, scope)

    def operation(self, node: ast.expr, scope: _Scope) -> Value:
        match node:
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.either(
                    self.truth(test, scope),
                    scope,
                    lambda inside: self.expression(body, inside),
                    lambda inside: self.expression(orelse, inside),
                )
            case ast.Compare():
                return self.comparison(node, scope)
            case ast.BoolOp():
                return self.connective(node, scope)
            case ast.BinOp():
                return self.arithmetic(node, scope)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return _not(self.truth(operand, scope))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.number(self.expression(operand, scope), scope.path)
        raise _outside(node)

    def attribute(self, node: ast.Attribute, scope: _Scope) -> Value:
        if isinstance(node.value, ast.Name) and node.value.id not in scope.names:
            enum = scope.outer(node.value.id)
            if isinstance(enum, type) and issubclass(enum, IntEnum) and node.attr in enum.__members__:
                return enum.__members__[node.attr]
        owner = self.there(self.expression(node.value, scope), scope.path)
        if isinstance(owner, Made) and node.attr in owner.fields:
            return owner.fields[node.attr]
        if isinstance(owner, SymRecord):
            check_fields(owner._domain.cls)
            return _known(getattr(owner, node.attr))
        raise LiftError(f"{ast.unparse(node)} in line {node.lineno}: not a field of a record")

    def part(self, whole: Value, place: int) -> Value:
        """One of a tuple's parts."""
        if isinstance(whole, tuple) and place < len(whole):
            return whole[place]
        raise LiftError(f"{whole!r}[{place}]: only tuples of known length have parts")

    def number(self, value: Value, path: Path) -> Any:
        value = self.there(value, path)
        if sort_of(value) is not int:
            raise LiftError(f"{value!r} is no number")
        return value

    def comparison(self, node: ast.Compare, scope: _Scope) -> Truth:
        found: list[Truth] = []
        left = self.expression(node.left, scope)
        for operation, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.expression(comparator, scope)
            holds = self.compare(operation, left, right, scope.path)
            # A chain stops at the first comparison that fails.
            found.append(holds)
            if holds is False:
                break
            scope, left = scope.under(holds, True), right
        return _all(found)

    def compare(self, operation: ast.cmpop, left: Value, right: Value, path: Path) -> Truth:
        match operation:
            case ast.Is() if right is None:
                return _is_none(left)
            case ast.IsNot() if right is None:
                return _not(_is_none(left))
            case ast.Eq():
                return _equal(left, right)
            case ast.NotEq():
                return _not(_equal(left, right))
        if type(operation) not in ORDERS:
            raise LiftError(
                f"{type(operation).__name__} of {left!r} and {right!r} is outside the subset of rules"
            )
        return self.order(ORDERS[type(operation)], left, right, path)

    def order(self, holds: Callable[[Any, Any], Any], left: Value, right: Value, path: Path) -> Truth:
        left, right = self.there(left, path), self.there(right, path)
        known = not isinstance(left, Symbol) and not isinstance(right, Symbol)
        if sort_of(left) is None or sort_of(left) is not sort_of(right):
            raise LiftError(f"the order of {left!r} and {right!r}")
        if not known and sort_of(left) not in (int, str):
            raise LiftError(f"the order of {left!r} and {right!r}")
        found: Truth = holds(left, right)
        return found

    def connective(self, node: ast.BoolOp, scope: _Scope) -> Truth:
        """`and` or `or` of truth values; of anything else they give back one of the operands."""
        goes_on = isinstance(node.op, ast.And)
        found: list[Truth] = []
        for operand in node.values:
            value = self.expression(operand, scope)
            if sort_of(value) is not bool:
                raise LiftError(f"{ast.unparse(operand)} in line {node.lineno} is no truth value")
            found.append(value)
            if value is (not goes_on):
                break
            scope = scope.under(value, goes_on)
        return _all(found) if goes_on else _any(found)

    def arithmetic(self, node: ast.BinOp, scope: _Scope) -> Value:
        left = self.number(self.expression(node.left, scope), scope.path)
        right = self.number(self.expression(node.right, scope), scope.path)
        match node.op:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case ast.FloorDiv():
                return self.floor(left, right, scope.path)
            case ast.Mod():
                return left - right * self.floor(left, right, scope.path)
        raise _outside(node)

    def floor(self, dividend: Any, divisor: Any, path: Path) -> Any:
        """A quotient rounded towards minus infinity; the solvers' is, where the divisor is positive."""
        self.require(path, divisor != 0)
        over, under = as_term(dividend, int), as_term(divisor, int)
        return self.chosen(divisor > 0, SymInt(over / under), SymInt(-over / -under))

    def invocation(self, node: ast.Call, scope: _Scope) -> Value:
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="object"), attr="__new__"),
                args=[ast.Name(id=name)],
                keywords=[],
            ) if scope.outer("object") is object:
                check_fields(cls := scope.outer(name))
                return Made(cls, {})
        if not isinstance(node.func, ast.Name) or any(named.arg is None for named in node.keywords):
            raise LiftError(f"a call of {ast.unparse(node)} in line {node.lineno}: rules call rules")
        name = node.func.id
        function = scope.names[name] if name in scope.names else scope.outer(name)
        positional = [self.expression(argument, scope) for argument in node.args]
        keywords = {named.arg: self.expression(named.value, scope) for named in node.keywords if named.arg}
        return self.call(function, positional, keywords, scope.path)

    def extremum(
        self, function: Any, positional: Sequence[Value], keywords: Mapping[str, Value], path: Path
    ) -> Value:
        if keywords or len(positional) < 2:
            raise LiftError(f"{function.__name__} of something other than some numbers")
        best, *others = [self.number(item, path) for item in positional]
        for other in others:
            best = self.chosen(other < best if function is min else other > best, other, best)
        return best


def _always(condition: z3.BoolRef) -> bool:
    """Whether a condition needs nothing to hold; where a solver cannot tell it counts as no."""
    solver = z3.Solver()
    solver.set("rlimit", 1_000_000)
    solver.add(z3.Not(condition))
    return bool(solver.check() == z3.unsat)


def _outside(node: Any) -> LiftError:
    what = f"`{ast.unparse(node)}`" if isinstance(node, ast.expr) else type(node).__name__
    return LiftError(f"{what} in line {node.lineno} is outside the subset of rules")


def _known(value: Any) -> Value:
    """A value from outside the function: of the arguments, the module, a default.

    Raises:
        LiftError: it is none that a rule may use.
    """
    if value is None or sort_of(value) is not None or isinstance(value, Symbol | Made):
        return value
    if type(value) is tuple:
        return tuple(map(_known, value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        check_record(type(value))
        fields = {field.name: _known(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return Made(type(value), fields)
    raise LiftError(f"{value!r} is no constant that a rule may use")


def _not(truth: Truth) -> Truth:
    if isinstance(truth, bool):
        return not truth
    return SymBool(truth.term.arg(0) if z3.is_not(truth.term) else z3.Not(truth.term))


def _all(truths: Sequence[Truth]) -> Truth:
    if any(truth is False for truth in truths):
        return False
    terms = [truth.term for truth in truths if isinstance(truth, SymBool)]
    return SymBool(z3.And(terms) if len(terms) > 1 else terms[0]) if terms else True


def _any(truths: Sequence[Truth]) -> Truth:
    if any(truth is True for truth in truths):
        return True
    terms = [truth.term for truth in truths if isinstance(truth, SymBool)]
    return SymBool(z3.Or(terms) if len(terms) > 1 else terms[0]) if terms else False


def _is_none(value: Value) -> Truth:
    if value is None:
        return True
    if isinstance(value, SymOptional):
        return _not(value.present)
    if isinstance(value, SymToken) or not (
        isinstance(value, SymRecord | Made | tuple) or sort_of(value) is not None
    ):
        raise LiftError(f"whether {value!r} is None: that is not known")
    return False


def _equal(left: Value, right: Value) -> Truth:
    if isinstance(left, tuple) and isinstance(right, tuple):
        if len(left) != len(right):
            return False
        return _all([_equal(mine, theirs) for mine, theirs in zip(left, right, strict=True)])
    if left is None or right is None:
        return _is_none(right if left is None else left)
    if isinstance(left, SymOptional) or isinstance(right, SymOptional):
        mine, theirs = _optional(left), _optional(right)
        both = _all([mine.present, theirs.present, _equal(mine.value, theirs.value)])
        return _any([both, _all([_not(mine.present), _not(theirs.present)])])
    if sort_of(left) in (None, SymToken) or sort_of(left) is not sort_of(right):
        raise LiftError(f"{left!r} compared with {right!r}")
    return left == right  # type: ignore[no-any-return]  # of one sort, so Python or their symbols say


def _optional(value: Value) -> SymOptional:
    """A scalar or None as what may be either."""
    if value is not None and not isinstance(value, SymOptional) and sort_of(value) is None:
        raise LiftError(f"{value!r} is neither a scalar nor None")
    return value if isinstance(value, SymOptional) else SymOptional(value is not None, value)


def _shape(value: Value) -> Shape:
    """A result as the solver's terms."""
    match value:
        case None:
            return Maybe(z3.BoolVal(False), z3.IntVal(0))
        case SymOptional(present=present, value=inner):
            return Maybe(as_term(present, bool), _shape(inner))
        case SymRecord(_name=name):
            return Passed(name)
        case Made(cls, fields) if len(fields) == len(dataclasses.fields(cls)):
            names = [field.name for field in dataclasses.fields(cls)]
            return Built(cls.__name__, tuple((name, _shape(fields[name])) for name in names))
        case tuple():
            return Built("tuple", tuple((str(place), _shape(inner)) for place, inner in enumerate(value)))
    return as_term(value, sort_of(value))
