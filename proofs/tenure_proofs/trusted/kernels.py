"""Kernels of the optimized core: read from their source, over arrays of numbers of 64 bits.

The reader of loops, for statements that stand anywhere: loops after and within loops, `while`, writes into
arrays, returns from within. Nothing is unrolled: of a loop is known what its invariant says, which is shown
at its first state and of an arbitrary step. Every index must be in range, and every sum, difference and
product within 64 bits; where that is not shown, nothing is. That a `while` ends is not shown.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import IntEnum
from types import FunctionType
from typing import Any

import z3

from tenure_proofs.trusted.ast_lifter import Made, Path, Truth, Value, _any, _outside, _Scope
from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.loops import OWN, Row, State, Way, _arbitrary, _kind, _Reader, _stored, every
from tenure_proofs.trusted.source import body_of, parameters_given
from tenure_proofs.trusted.symbols import Symbol, SymBool, SymInt, as_term, sort_of

LEAST, MOST = -(2**63), 2**63 - 1

POINT = z3.Int(f"{OWN}point")
"""The arbitrary point of every invariant: what is shown of it holds of every point."""


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Table(Symbol):
    """An array that is only read.

    Args:
        at: what is at a place, of a term for each dimension.
        sizes: of each dimension.
    """

    at: Callable[..., Value]
    sizes: tuple[Any, ...]


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Room(Symbol):
    """An array that may be written to: which one. What is in it is kept among the names, as `@name`.

    Args:
        name: of the array; two names are two arrays.
        sizes: of each dimension that is left.
        places: where in the others.
    """

    name: str
    sizes: tuple[Any, ...]
    places: tuple[Any, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Held(Symbol):
    """What is in an array: arrays of arrays, as many as it has dimensions. Or which numbers are in a set."""

    term: z3.ArrayRef


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Law(Symbol):
    """What stands for a kernel that another one calls: what a theorem says of it.

    Args:
        value: what it returns, of the arrays before it and its arguments.
        writes: what is in which arrays after it, of the same.
    """

    value: Callable[..., Value]
    writes: Callable[..., Mapping[str, z3.ArrayRef]] | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Invariant:
    """What is said of a loop.

    Args:
        holds: at a point, of the number of steps taken, the state before the loop, and the state.
        points: at which points it is used, of the number of steps and the state.
        everywhere: what is known at every point, of the point and the state; it is used at the same points.
    """

    holds: Callable[[Any, State, State, Any], Labelled]
    points: Callable[[Any, State], Sequence[Any]] = lambda *_: [POINT]
    everywhere: Callable[[Any, State], Sequence[z3.BoolRef]] = lambda *_: ()


def read_kernel(
    kernel: Any,
    given: Mapping[str, Value],
    claim: Callable[[Way], Labelled],
    *,
    rooms: Mapping[str, z3.ArrayRef] | None = None,
    facts: Sequence[z3.BoolRef] = (),
    loops: Sequence[Invariant] = (),
) -> Iterator[Part]:
    """What has to be shown so that a claim holds wherever a kernel returns.

    Args:
        kernel: which; of a compiled one the function that was compiled.
        given: an argument for each parameter.
        claim: of each way through it; `names` are those of its end, `value` what it returns.
        rooms: what is in each array that it may write to, at first.
        facts: what is known of the arguments.
        loops: an invariant for each loop, in the order of the source.

    Raises:
        LiftError: something in it cannot be read.
    """
    function = plain(kernel)
    held = {f"@{name}": Held(term) for name, term in (rooms or {}).items()}
    reader = _Kernels({function: loops}, tuple(facts))
    scope = _Scope({**parameters_given(function, (), dict(given)), **held}, function, ())
    try:
        ways = [way for way in reader.ways(body_of(function), scope) if reader.live(way.path)]
        if not ways:
            raise LiftError(f"{function.__name__} returns nowhere")
        goals = [(label, z3.Implies(way.condition, goal)) for way in ways for label, goal in claim(way)]
    except (AttributeError, TypeError) as error:
        raise LiftError(f"{function.__name__} has what nothing is claimed of: {error}") from None
    yield from reader.parts
    yield Part("returns", tuple(facts), (("defined", every(reader.required)), *goals))


def plain(kernel: Any) -> FunctionType:
    """The function that a kernel was compiled from; itself where nothing is compiled."""
    function = getattr(kernel, "py_func", kernel)
    if not isinstance(function, FunctionType):
        raise LiftError(f"{kernel!r} is no kernel")
    return function


def _rooms(names: State) -> dict[str, Value]:
    return {name: value for name, value in names.items() if name.startswith("@")}


class _Kernels(_Reader):
    """The reader of loops, for kernels."""

    def __init__(
        self, loops: Mapping[FunctionType, Sequence[Invariant]], facts: tuple[z3.BoolRef, ...]
    ) -> None:
        super().__init__()
        self.loops, self.facts, self.parts, self.made = loops, facts, list[Part](), 0
        self.held: State = {}

    def live(self, path: Path) -> bool:
        """Whether some state goes that way; where a solver cannot tell it counts as yes."""
        solver = z3.Solver()
        solver.set("rlimit", 100_000)
        solver.add(*self.facts, Way(path, "on", {}).condition)
        return bool(solver.check() != z3.unsat)

    # Values.

    def expression(self, node: ast.expr, scope: _Scope) -> Value:
        match node:
            case ast.Subscript(
                value=ast.Attribute(value=inner, attr="shape"), slice=ast.Constant(value=int(place))
            ):
                return SymInt(self.size(self.array(inner, scope), place, node))
            case ast.Subscript(value=whole, slice=places):
                owner = self.expression(whole, scope)
                if isinstance(owner, Table | Room):
                    return self.element(owner, self.indices(owner, places, scope), scope)
            case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in (
                "int",
                "bool",
                "len",
            ):
                return self.converted(scope.outer(name), argument, scope)
        return super().expression(node, scope)

    def array(self, node: ast.expr, scope: _Scope) -> Table | Room:
        value = self.expression(node, scope)
        if isinstance(value, Table | Room):
            return value
        raise LiftError(f"{ast.unparse(node)} in line {node.lineno} is no array")

    def size(self, array: Table | Room, place: int, node: ast.expr) -> Any:
        if place >= len(array.sizes):
            raise LiftError(f"line {node.lineno}: no dimension {place} of {len(array.sizes)}")
        return array.sizes[place]

    def indices(self, array: Table | Room, node: ast.expr, scope: _Scope) -> list[Any]:
        """Places that are there; a place below zero would be counted from the end."""
        nodes = node.elts if isinstance(node, ast.Tuple) else [node]
        places = [as_term(self.number(self.expression(part, scope), scope.path), int) for part in nodes]
        if len(places) > len(array.sizes):
            raise LiftError(f"line {node.lineno}: more indices than dimensions")
        for place, size in zip(places, array.sizes, strict=False):
            self.require(scope.path, SymBool(z3.And(place >= 0, place < size)))
        return places

    def element(self, array: Table | Room, places: Sequence[Any], scope: _Scope) -> Value:
        left = array.sizes[len(places) :]
        if isinstance(array, Table):
            return Table(lambda *more: array.at(*places, *more), left) if left else array.at(*places)
        if left:
            return Room(array.name, left, (*array.places, *places))
        term: Any = self.names_of(scope)[f"@{array.name}"].term
        for place in (*array.places, *places):
            term = term[place]
        return SymBool(term) if z3.is_bool(term) else SymInt(term)

    def names_of(self, scope: _Scope) -> State:
        return {**self.held, **scope.names}

    def converted(self, how: Any, node: ast.expr, scope: _Scope) -> Value:
        if how is len:
            return SymInt(self.size(self.array(node, scope), 0, node))
        value = self.expression(node, scope)
        if how is int and sort_of(value) is bool:
            return SymInt(z3.If(as_term(value, bool), 1, 0))
        if how is bool and sort_of(value) is int:
            return self.truth(node, scope)
        if how in (int, bool) and sort_of(value) is how:
            return value
        raise LiftError(f"{ast.unparse(node)} in line {node.lineno} as {how.__name__}")

    def compare(self, operation: ast.cmpop, left: Value, right: Value, path: Path) -> Truth:
        if isinstance(operation, ast.In) and isinstance(right, tuple):
            return _any([self.compare(ast.Eq(), left, item, path) for item in right])
        if isinstance(operation, ast.In) and isinstance(right, Held):  # a set of numbers
            return SymBool(right.term[as_term(left, int)])
        if sort_of(left) is int and isinstance(right, IntEnum):
            right = int(right)  # kernels are given the members of enums as numbers
        return super().compare(operation, left, right, path)

    def arithmetic(self, node: ast.BinOp, scope: _Scope) -> Value:
        value = super().arithmetic(node, scope)
        term = as_term(value, int)
        self.require(scope.path, SymBool(z3.And(term >= LEAST, term <= MOST)))
        return value

    def operation(self, node: ast.expr, scope: _Scope) -> Value:
        value = super().operation(node, scope)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(value, Symbol):
            self.require(scope.path, SymBool(as_term(value, int) <= MOST))
        return value

    # Calls.

    def invocation(self, node: ast.Call, scope: _Scope) -> Value:
        before, self.held = self.held, {**self.held, **_rooms(scope.names)}
        try:
            return super().invocation(node, scope)
        finally:
            self.held = before

    def call(
        self, function: Any, positional: Sequence[Value], keywords: Mapping[str, Value], path: Path
    ) -> Value:
        if isinstance(function, Law):
            if keywords or function.writes is not None:
                raise LiftError("what writes into an array is called by a statement of its own")
            return function.value(self.held, *positional)
        if isinstance(function, type) and issubclass(function, tuple):
            given = parameters_given(plain(function.__new__), (function, *positional), keywords)
            return Made(function, {name: given[name] for name in getattr(function, "_fields", ())})
        return super().call(getattr(function, "py_func", function), positional, keywords, path)

    def after(self, node: ast.expr, scope: _Scope) -> list[tuple[_Scope, Value]] | None:
        """Where control goes on after a call by a statement, and with which value; None for no such call."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.keywords:
            return None
        function = scope.names[node.func.id] if node.func.id in scope.names else scope.outer(node.func.id)
        if isinstance(function, Law) and function.writes is not None:
            given = [self.expression(argument, scope) for argument in node.args]
            held = _rooms(scope.names)
            written = {f"@{name}": Held(term) for name, term in function.writes(held, *given).items()}
            then = _Scope({**scope.names, **written}, scope.function, scope.path)
            return [(then, function.value(held, *given))]
        function = getattr(function, "py_func", function)
        if not isinstance(function, FunctionType) or not _has_statements(function):
            return None
        given = [self.expression(argument, scope) for argument in node.args]
        names = {**parameters_given(function, given, {}), **_rooms(scope.names)}
        ways = self.ways(body_of(function), _Scope(names, function, scope.path))
        return [
            (_Scope({**scope.names, **_rooms(way.names)}, scope.function, way.path), way.value)
            for way in ways
            if self.live(way.path)
        ]

    # Statements.

    def ways(self, statements: Sequence[ast.stmt], scope: _Scope) -> list[Way]:
        if not statements:
            return super().ways(statements, scope)
        first, rest = statements[0], statements[1:]
        match first:
            case ast.For() | ast.While():
                return self.loop(first, rest, scope)
            case ast.AugAssign(target=target, op=operation, value=value):
                here: Any = ast.parse(ast.unparse(target), mode="eval").body
                total = ast.copy_location(ast.BinOp(here, operation, value), first)
                written = ast.Assign([target], ast.fix_missing_locations(total))
                return self.ways([ast.copy_location(written, first), *rest], scope)
            case ast.Return(value=None):
                return [Way(scope.path, "return", scope.names)]
            case (
                ast.Return(value=ast.expr() as value)
                | ast.Expr(value=ast.Call() as value)
                | ast.Assign(value=value)
            ):
                if (found := self.after(value, scope)) is not None:
                    return [way for then, given in found for way in self.called(first, given, rest, then)]
                if isinstance(value, ast.Call) and isinstance(first, ast.Expr):
                    raise _outside(value)
        return super().ways(statements, scope)

    def called(self, statement: ast.stmt, given: Value, rest: Sequence[ast.stmt], scope: _Scope) -> list[Way]:
        """Every way on from where a statement's call has returned."""
        if isinstance(statement, ast.Return):
            return [Way(scope.path, "return", scope.names, given)]
        for target in statement.targets if isinstance(statement, ast.Assign) else ():
            scope = self.bind(target, given, scope)
        return self.ways(rest, scope)

    def bound(self, statement: ast.stmt, scope: _Scope) -> _Scope:
        if not isinstance(statement, ast.Assign):
            raise _outside(statement)
        value = self.expression(statement.value, scope)
        for target in statement.targets:
            scope = self.bind(target, value, scope)
        return scope

    def bind(self, target: ast.expr, value: Value, scope: _Scope) -> _Scope:
        match target:
            case ast.Subscript(value=whole, slice=node):
                room = self.expression(whole, scope)
                if isinstance(room, Room) and len(places := self.indices(room, node, scope)) == len(
                    room.sizes
                ):
                    return self.written(room, (*room.places, *places), value, scope)
                raise _outside(target)
            case ast.Tuple() if isinstance(value, Made) and hasattr(value.cls, "_fields"):
                value = tuple(value.fields[name] for name in value.cls._fields)
        return super().bind(target, value, scope)

    def written(self, room: Room, places: Sequence[Any], value: Value, scope: _Scope) -> _Scope:
        name = f"@{room.name}"
        return scope.binding(name, Held(_stored_at(scope.names[name].term, places, value)))

    def row(self, node: ast.expr, scope: _Scope) -> Row:
        match node:
            case ast.Call(func=ast.Name(id="range"), args=parts) if scope.outer("range") is range:
                bounds = [self.number(self.expression(part, scope), scope.path) for part in parts]
                return _range(*bounds)
        table = self.array(node, scope)
        if isinstance(table, Table) and len(table.sizes) == 1:
            return Row(table.at, table.sizes[0])
        raise LiftError(f"{ast.unparse(node)} in line {node.lineno} may change while it is gone through")

    def loop(self, node: ast.For | ast.While, rest: Sequence[ast.stmt], scope: _Scope) -> list[Way]:
        """Every way from the beginning of a loop: what its invariant says is shown, and then used."""
        if node.orelse:
            raise _outside(node)
        if not self.live(scope.path):
            return []
        number, invariant = self.numbered(node, scope)
        self.made += 1
        row = self.row(node.iter, scope) if isinstance(node, ast.For) else None
        first = {name: value for name, value in scope.names.items() if name not in _targets(node)}
        self.show("first", scope.path, _said(invariant, z3.IntVal(0), first, first, [POINT]))
        steps = z3.Int(f"{OWN}steps {self.made}")
        label = f"{OWN}{scope.function.__name__} {self.made}"
        numbered = {**first, f"#{number}": SymInt(steps)}
        here = self.anything(node, row, label, steps, _Scope(numbered, scope.function, scope.path))
        points = invariant.points(steps, here)
        facts = [formula for _, formula in _said(invariant, steps, first, here, points)]
        known = [
            steps >= 0,
            *facts,
            *(fact for point in points for fact in invariant.everywhere(point, here)),
        ]
        path = (*scope.path, *((SymBool(fact), True) for fact in known))
        ways, after = self.step(node, row, steps, _Scope(here, scope.function, path))
        goals: list[tuple[str, z3.BoolRef]] = []
        for way in ways:
            self.unchanged(here, way.names, first, scope.function)
            if way.ends == "on":
                shown = _said(invariant, steps + 1, first, way.names, [POINT])
                goals += [(name, z3.Implies(way.condition, formula)) for name, formula in shown]
        self.show("keeps", path, goals)
        ends = [
            _Scope(_left(way.names, here), scope.function, way.path) for way in ways if way.ends == "break"
        ]
        found = [way for then in (*ends, *after) if self.live(then.path) for way in self.ways(rest, then)]
        return [*(way for way in ways if way.ends == "return"), *found]

    def numbered(self, node: ast.For | ast.While, scope: _Scope) -> tuple[int, Invariant]:
        """Which loop of its function it is, and what is said of it."""
        body = body_of(scope.function)
        places = sorted(
            (inner.lineno, inner.col_offset)
            for statement in body
            for inner in ast.walk(statement)
            if isinstance(inner, ast.For | ast.While)
        )
        number = places.index((node.lineno, node.col_offset))
        said = self.loops.get(scope.function, ())
        if number >= len(said):
            raise LiftError(f"{scope.function.__name__}: nothing is said of the loop in line {node.lineno}")
        return number, said[number]

    def show(self, place: str, path: Path, goals: Sequence[tuple[str, z3.BoolRef]]) -> None:
        ways = [as_term(asked, bool) if answer else z3.Not(as_term(asked, bool)) for asked, answer in path]
        self.parts.append(Part(place, (*self.facts, *ways), tuple(goals)))

    def step(
        self, node: ast.For | ast.While, row: Row | None, steps: Any, scope: _Scope
    ) -> tuple[list[Way], list[_Scope]]:
        """The ways through one step, and where control goes on where there is none."""
        if row is not None and isinstance(node, ast.For):
            goes_on, over = SymBool(steps < row.size), SymBool(steps >= row.size)
            taken = self.bind(node.target, row.at(steps), scope.under(goes_on, True))
            return self.ways(node.body, taken), [
                scope.under(SymBool(steps == row.size), True).under(over, True)
            ]
        assert isinstance(node, ast.While)
        test = self.truth(node.test, scope)
        if isinstance(test, bool):
            return self.ways(node.body, scope) if test else [], [] if test else [scope]
        return self.ways(node.body, scope.under(test, True)), [scope.under(test, False)]

    def anything(
        self, node: ast.For | ast.While, row: Row | None, label: str, steps: Any, scope: _Scope
    ) -> dict[str, Value]:
        """Whatever state the loop may be in: what no step changes is as it was before it."""
        stored = _stored(node.body)
        names = {
            name: value
            for name, value in scope.names.items()
            if name in stored and not isinstance(value, Table | Room) and _kind(value)
        }
        loose: set[str] = set()
        while True:
            here = {
                **scope.names,
                **{name: _arbitrary(f"{label}.{name}", value) for name, value in names.items()},
            }
            for name in loose:
                here[name] = Held(z3.Const(f"{label}.{name}", here[name].term.sort()))
            silent = _Kernels(self.loops, self.facts)
            silent.made, silent.held = self.made, self.held
            ways, _ = silent.step(node, row, steps, _Scope(here, scope.function, scope.path))
            changed = {
                name for way in ways for name, value in _rooms(way.names).items() if value is not here[name]
            }
            if changed <= loose:
                return here
            loose |= changed

    def unchanged(self, here: State, names: State, first: State, function: FunctionType) -> None:
        """Refuse a step that changes what the arbitrary state leaves as it was."""
        for name, value in first.items():
            if here[name] is value and names[name] is not value:
                raise LiftError(f"{function.__name__}: a step changes {name}")
            if here[name] is not value and not isinstance(value, Held) and _kind(names[name]) != _kind(value):
                raise LiftError(f"{function.__name__}: {name} is of another kind after a step")


def _said(invariant: Invariant, steps: Any, first: State, here: State, points: Sequence[Any]) -> Labelled:
    """An invariant at some points."""
    return [pair for point in points for pair in invariant.holds(steps, first, here, point)]


def _left(names: State, before: State) -> dict[str, Value]:
    """What the names of a state stand for after a break: no others are known then."""
    return {name: names[name] for name in before}


def _targets(node: ast.For | ast.While) -> set[str]:
    return _stored([node.target]) if isinstance(node, ast.For) else set()


def _has_statements(function: FunctionType) -> bool:
    """Whether a function does more than an expression can: it loops, or writes."""
    found = [inner for statement in body_of(function) for inner in ast.walk(statement)]
    stores = (node for node in found if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store))
    calls = (node for node in found if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call))
    return any(isinstance(node, ast.For | ast.While) for node in found) or any(stores) or any(calls)


def _stored_at(term: Any, places: Sequence[Any], value: Value) -> Any:
    if not places:
        return as_term(value, bool if z3.is_bool(term) else int)
    return z3.Store(term, places[0], _stored_at(term[places[0]], places[1:], value))


def _range(*bounds: Any) -> Row:
    start, end, step = bounds if len(bounds) == 3 else (*bounds, 1) if len(bounds) == 2 else (0, *bounds, 1)
    if step not in (1, -1):
        raise LiftError(f"a range by {step!r}")
    begin, length = as_term(start, int), (as_term(end, int) - as_term(start, int)) * step
    return Row(lambda place: SymInt(begin + step * place), z3.If(length > 0, length, 0))
