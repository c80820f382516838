"""Functions of many statements, read from their source: loops that stand anywhere, returns from within.

The reader of loops, for loops after and within loops, and for `while`. Nothing is unrolled: of a loop is
known what its invariant says, which is shown at its first state and of an arbitrary step. Every index must
be in range; where that is not shown, nothing is. A `while` ends, since with each step a measure falls.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from enum import IntEnum
from types import FunctionType
from typing import Any

import z3

from tenure_proofs.trusted.ast_lifter import RAISES, Made, Path, Truth, Value, _outside, _Scope
from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.loops import (
    OWN,
    Cells,
    Groups,
    Grown,
    Row,
    State,
    Way,
    _arbitrary,
    _kind,
    _Reader,
    _stored,
    every,
)
from tenure_proofs.trusted.source import body_of, parameters_given
from tenure_proofs.trusted.symbols import Symbol, SymBool, SymInt, SymToken, as_term, sort_of

LEAST, MOST = -(2**63), 2**63 - 1
"""Of 64 bits."""

POINT = z3.Int(f"{OWN}point")
"""The arbitrary point of every invariant: what is shown of it holds of every point."""

IN_FRONT = z3.Function("a number in front of a tuple", z3.IntSort(), z3.IntSort(), z3.IntSort())
"""The token of a tuple of numbers: of its first, and of the token of the others."""
EMPTY = z3.Int("the tuple of nothing")


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Table(Symbol):
    """An array that is only read.

    Args:
        at: what is at a place.
        size: how many places there are.
    """

    at: Callable[[Any], Value]
    size: Any


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Keyed(Symbol):
    """A dict by tokens that is only read.

    Args:
        has: whether a key is in it.
        at: what it has there.
    """

    has: Callable[[Any], z3.BoolRef]
    at: Callable[[Any], Value]


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Held(Symbol):
    """A set: which numbers are in it."""

    term: z3.ArrayRef


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Law(Symbol):
    """What stands for a function that another one calls: what a theorem says of it.

    Args:
        value: what it returns, of an empty mapping and of its arguments.
        told: what tells it from other functions, where it is handed on.
        of: the function, where it may be given its arguments by name.
    """

    value: Callable[..., Value]
    told: tuple[Any, ...] = ()
    of: Any = None

    def __call__(self, *given: Value) -> Value:
        """What it returns of its arguments."""
        return self.value({}, *given)


@dataclasses.dataclass(slots=True)
class Calls:
    """What comes of calls to functions with a specification.

    Args:
        needed: what has to be shown where they are called.
        known: what is known then.
    """

    needed: list[z3.BoolRef] = dataclasses.field(default_factory=list)
    known: list[z3.BoolRef] = dataclasses.field(default_factory=list)


CALLS: ContextVar[Calls | None] = ContextVar("calls that are being read", default=None)


@contextmanager
def noting_calls() -> Iterator[Calls]:
    """The calls that are read meanwhile."""
    calls = Calls()
    before = CALLS.set(calls)
    try:
        yield calls
    finally:
        CALLS.reset(before)


@dataclasses.dataclass(frozen=True, slots=True)
class Invariant:
    """What is said of a loop.

    Args:
        holds: at a point, of the number of steps taken, the state before the loop, and the state.
        points: at which points it is used, of the number of steps and the state.
        everywhere: what is known at every point, of the point and the state; it is used at the same points.
        measure: of a `while`: a number of a state, never below zero where there is a step, and less after it.
        may_not_end: whether that is not claimed of a `while`.
    """

    holds: Callable[[Any, State, State, Any], Labelled]
    points: Callable[[Any, State], Sequence[Any]] = lambda *_: [POINT]
    everywhere: Callable[[Any, State], Sequence[z3.BoolRef]] = lambda *_: ()
    measure: Callable[[State], z3.ArithRef] | None = None
    may_not_end: bool = False


def read_procedure(
    procedure: Any,
    given: Mapping[str, Value],
    claim: Callable[[Way], Labelled],
    *,
    facts: Sequence[z3.BoolRef] = (),
    loops: Sequence[Invariant] = (),
    bits: bool = False,
    stored: Mapping[str, Cells] | None = None,
) -> Iterator[Part]:
    """What has to be shown so that a claim holds wherever a function returns.

    Args:
        procedure: which; of a compiled one the function that was compiled.
        given: an argument for each parameter.
        claim: of each way through it; `names` are those of its end, `value` what it returns.
        facts: what is known of the arguments.
        loops: an invariant for each loop, in the order of the source.
        bits: whether every sum, difference and product has to be within 64 bits.
        stored: attributes that it may write: what each has of every object, by the object's number. At the
            end of a way `names` has them by a name that begins with a dot.

    Raises:
        LiftError: something in it cannot be read.
    """
    function = plain(procedure)
    reader = _Procedures({function: loops}, tuple(facts), bits)
    objects = {f".{name}": cells for name, cells in (stored or {}).items()}
    scope = _Scope({**parameters_given(function, (), dict(given)), **objects}, function, ())
    try:
        ways = [way for way in reader.ways(body_of(function), scope) if reader.live(way.path)]
        if not ways:
            raise LiftError(f"{function.__name__} returns nowhere")
        goals = [(label, z3.Implies(way.condition, goal)) for way in ways for label, goal in claim(way)]
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise LiftError(f"{function.__name__} has what nothing is claimed of: {error}") from None
    yield from reader.parts
    goals = [("defined", every(reader.required)), *goals]
    yield Part("returns", reader.facts, tuple(goals), stands=tuple(sorted(reader.stands)))


def plain(procedure: Any) -> FunctionType:
    """The function that something was compiled from; itself where nothing is compiled."""
    function = getattr(procedure, "py_func", procedure)
    if not isinstance(function, FunctionType):
        raise LiftError(f"{procedure!r} is no function")
    return function


class _Procedures(_Reader):
    """The reader of loops, for functions of many statements."""

    def __init__(
        self, loops: Mapping[FunctionType, Sequence[Invariant]], facts: tuple[z3.BoolRef, ...], bits: bool
    ) -> None:
        super().__init__()
        self.loops, self.facts, self.bits = loops, facts, bits
        self.parts, self.made, self.stands = list[Part](), 0, set[str]()

    def live(self, path: Path) -> bool:
        """Whether some state goes that way; where a solver cannot tell it counts as yes."""
        solver = z3.Solver()
        solver.set("rlimit", 100_000)
        solver.add(*self.facts, Way(path, "on", {}).condition)
        return bool(solver.check() != z3.unsat)

    # Values.

    def expression(self, node: ast.expr, scope: _Scope) -> Value:
        match node:
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)], keywords=[]) if (
                isinstance(grown := scope.names.get(name), Grown) and scope.outer("len") is len
            ):
                return SymInt(grown.size)
            case ast.Tuple(elts=[first, ast.Starred(value=others)]):
                number = self.number(self.expression(first, scope), scope.path)
                return SymToken(IN_FRONT(as_term(number, int), _token(self.expression(others, scope))))
            case ast.List(elts=parts):
                grown = Grown(z3.K(z3.IntSort(), z3.IntVal(0)), z3.IntVal(0))
                for part in parts:
                    grown = _longer(grown, self.expression(part, scope))
                return grown
            case ast.Subscript(slice=ast.Slice()):
                return self.row(node, scope)
            case ast.Subscript(value=whole, slice=place):
                if isinstance(table := self.expression(whole, scope), Table):
                    return table.at(self.index(table, place, scope))
            case ast.Call(func=ast.Name(id="len"), args=[argument], keywords=[]):
                if scope.outer("len") is len and isinstance(table := self.expression(argument, scope), Table):
                    return SymInt(table.size)
            case ast.Call(func=ast.Name(id=name)):
                law = scope.names.get(name, scope.function.__globals__.get(name))
                if isinstance(law, Law) and law.of is None:
                    self.stands.add(name)
        return super().expression(node, scope)

    def attribute(self, node: ast.Attribute, scope: _Scope) -> Value:
        if isinstance(cells := scope.names.get(f".{node.attr}"), Cells):
            owner = self.expression(node.value, scope)
            if isinstance(owner, Made) and "" in owner.fields:
                return SymToken(cells.term[_number_of(owner)])
        return super().attribute(node, scope)

    def bound(self, statement: ast.stmt, scope: _Scope) -> _Scope:
        match statement:
            case ast.Assign(targets=[ast.Attribute(value=node, attr=name)], value=value) if isinstance(
                cells := scope.names.get(f".{name}"), Cells
            ):
                # However many names know the object: what it has is kept by its number.
                written = as_term(self.expression(value, scope), SymToken)
                owner = _number_of(self.expression(node, scope))
                return scope.binding(f".{name}", Cells(z3.Store(cells.term, owner, written), cells.size))
        return super().bound(statement, scope)

    def keyed(self, node: ast.expr, scope: _Scope) -> Keyed:
        if isinstance(found := self.expression(node, scope), Keyed):
            return found
        raise LiftError(f"{ast.unparse(node)} in line {node.lineno} is no dict")

    def invocation(self, node: ast.Call, scope: _Scope) -> Value:
        match node:
            case ast.Call(func=ast.Name(id="list" | "tuple" as name), args=[argument], keywords=[]) if (
                scope.outer(name) in (list, tuple)
                and isinstance(table := self.expression(argument, scope), Table)
            ):
                return table
            case ast.Call(func=ast.Attribute(value=whole, attr="get"), args=[key, default], keywords=[]):
                found, place = self.keyed(whole, scope), _key(self.expression(key, scope))
                return self.chosen(
                    SymBool(found.has(place)), found.at(place), self.expression(default, scope)
                )
        return super().invocation(node, scope)

    def operation(self, node: ast.expr, scope: _Scope) -> Value:
        match node:
            case ast.DictComp(
                ast.Name(id=name),
                each,
                [
                    ast.comprehension(
                        ast.Tuple(elts=[ast.Name(id=key), _]) as target,
                        ast.Call(func=ast.Attribute(value=whole, attr="items"), args=[], keywords=[]),
                        [],
                        0,
                    )
                ],
            ) if name == key:
                return self.by_key(each, target, self.keyed(whole, scope), scope)
            case ast.Dict(keys=keys, values=values):
                made = Keyed(lambda _: z3.BoolVal(False), lambda _: RAISES)
                for one, value in zip(keys, values, strict=True):
                    more = self.keyed(value, scope) if one is None else self.only(one, value, scope)
                    made = self.over(made, more)
                return made
        return super().operation(node, scope)

    def only(self, key: ast.expr, value: ast.expr, scope: _Scope) -> Keyed:
        """A dict of one key."""
        one, there = _key(self.expression(key, scope)), self.expression(value, scope)
        return Keyed(lambda other: other == one, lambda _: there)

    def over(self, before: Keyed, more: Keyed) -> Keyed:
        """A dict into which another one is written."""
        return Keyed(
            lambda key: z3.Or(before.has(key), more.has(key)),
            lambda key: self.chosen(SymBool(more.has(key)), more.at(key), before.at(key)),
        )

    def by_key(self, each: ast.expr, target: ast.expr, whole: Keyed, scope: _Scope) -> Keyed:
        """What each value comes to, by the same keys. An arbitrary one must not raise."""

        def at(key: Any) -> Value:
            inside = scope.under(SymBool(whole.has(key)), True)
            return self.expression(each, self.bind(target, (SymToken(key), whole.at(key)), inside))

        self.tuples += 1
        at(z3.Int(f"{OWN}key {self.tuples}"))
        return Keyed(whole.has, at)

    def chosen(self, condition: Truth, then: Value, otherwise: Value) -> Value:
        if isinstance(condition, SymBool) and isinstance(then, Keyed) and isinstance(otherwise, Keyed):
            return Keyed(
                lambda key: z3.If(condition.term, then.has(key), otherwise.has(key)),
                lambda key: self.chosen(condition, then.at(key), otherwise.at(key)),
            )
        return super().chosen(condition, then, otherwise)

    def truth(self, node: ast.expr, scope: _Scope) -> Truth:
        if isinstance(node, ast.Name) and isinstance(grown := scope.names.get(node.id), Grown):
            return SymBool(grown.size > 0)
        return super().truth(node, scope)

    def index(self, table: Table | Groups, node: ast.expr, scope: _Scope) -> Any:
        """A place that is there; a place below zero would be counted from the end."""
        place = as_term(self.number(self.expression(node, scope), scope.path), int)
        self.require(scope.path, SymBool(z3.And(place >= 0, place < table.size)))
        return place

    def compare(self, operation: ast.cmpop, left: Value, right: Value, path: Path) -> Truth:
        if isinstance(operation, ast.In) and isinstance(right, Held | Keyed):
            return SymBool(right.has(_key(left)) if isinstance(right, Keyed) else right.term[_key(left)])
        if sort_of(left) is int and isinstance(right, IntEnum):
            right = int(right)  # where a number stands for any member
        return super().compare(operation, left, right, path)

    def arithmetic(self, node: ast.BinOp, scope: _Scope) -> Value:
        value = super().arithmetic(node, scope)
        if self.bits:
            term = as_term(value, int)
            self.require(scope.path, SymBool(z3.And(term >= LEAST, term <= MOST)))
        return value

    # Calls.

    def call(
        self, function: Any, positional: Sequence[Value], keywords: Mapping[str, Value], path: Path
    ) -> Value:
        if isinstance(function, Law):
            if keywords and function.of is None:
                raise LiftError("a law is given its arguments by their order")
            if keywords and function.of is not None:
                positional = tuple(parameters_given(function.of, positional, keywords).values())
            with noting_calls() as calls:
                value = function(*positional)
            for condition in calls.needed:
                self.require(path, SymBool(condition))
            self.facts = (*self.facts, *calls.known)
            return value
        if isinstance(function, type) and issubclass(function, tuple):
            given = parameters_given(plain(function.__new__), (function, *positional), keywords)
            return Made(function, {name: given[name] for name in getattr(function, "_fields", ())})
        return super().call(function, positional, keywords, path)

    # Statements.

    def ways(self, statements: Sequence[ast.stmt], scope: _Scope) -> list[Way]:
        if not statements:
            return super().ways(statements, scope)
        first, rest = statements[0], statements[1:]
        match first:
            case ast.For() | ast.While():
                return self.loop(first, rest, scope)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="append"), args=[item])):
                return self.ways(rest, self.appended(owner, item, scope))
            case ast.Assign(
                targets=[target],
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="pop"), args=[], keywords=[]),
            ) if isinstance(grown := scope.names.get(name), Grown):
                self.require(scope.path, SymBool(grown.size > 0))
                last = SymToken(grown.term[grown.size - 1])
                shorter = scope.binding(name, Grown(grown.term, grown.size - 1))
                return self.ways(rest, self.bind(target, last, shorter))
            case ast.Return(value=ast.Tuple(elts=parts)) if all(
                isinstance(part, ast.Name) and isinstance(scope.names.get(part.id), Grown) for part in parts
            ):
                lists = tuple(scope.names[part.id] for part in parts if isinstance(part, ast.Name))
                return [Way(scope.path, "return", scope.names, lists)]
            case ast.Expr(value=ast.Call(func=ast.Name(id=name)) as call) if isinstance(
                scope.names.get(name, scope.function.__globals__.get(name)), Law
            ):
                self.expression(call, scope)
                return self.ways(rest, scope)
        return super().ways(statements, scope)

    def appended(self, owner: ast.expr, item: ast.expr, scope: _Scope) -> _Scope:
        """What the names stand for once a list has one element more."""
        match owner:
            case ast.Name(id=name) if isinstance(grown := scope.names.get(name), Grown):
                return scope.binding(name, _longer(grown, self.expression(item, scope)))
            case ast.Subscript(value=ast.Name(id=name), slice=at) if isinstance(
                groups := scope.names.get(name), Groups
            ):
                place, number = self.index(groups, at, scope), as_term(self.expression(item, scope), int)
                more = z3.Store(groups.term, place, z3.Store(groups.term[place], number, True))
                return scope.binding(name, Groups(more, groups.size))
        raise _outside(owner)

    def row(self, node: ast.expr, scope: _Scope) -> Row:
        match node:
            case (
                ast.Call(func=ast.Name(id="enumerate" | "reversed" | "tuple" | "list"))
                | ast.Subscript(slice=ast.Slice())
            ):
                return super().row(node, scope)
            case ast.Call(func=ast.Name(id="range"), args=parts) if scope.outer("range") is range:
                bounds = [self.number(self.expression(part, scope), scope.path) for part in parts]
                return _range(*bounds)
        match found := self.expression(node, scope):
            case Table():
                return Row(found.at, found.size)
            case Row():
                return found
        raise LiftError(f"{ast.unparse(node)} in line {node.lineno} is no array")

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
        here = self.anything(node, label, numbered)
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
                goals += _falls(node, invariant, here, way)
        if any(way.ends == "on" for way in ways):
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

    def anything(self, node: ast.For | ast.While, label: str, names: State) -> dict[str, Value]:
        """Whatever state the loop may be in: what no step changes is as it was before it."""
        changed = {name for name in _stored(node.body) if name in names}
        loose = {name: names[name] for name in changed if not isinstance(names[name], Table)}
        return {
            **names,
            **{name: _arbitrary(f"{label}.{name}", value) for name, value in loose.items() if _kind(value)},
        }

    def unchanged(self, here: State, names: State, first: State, function: FunctionType) -> None:
        """Refuse a step that changes what the arbitrary state leaves as it was."""
        for name, value in first.items():
            if here[name] is value and names[name] is not value:
                raise LiftError(f"{function.__name__}: a step changes {name}")
            if here[name] is not value and _kind(names[name]) != _kind(value):
                raise LiftError(f"{function.__name__}: {name} is of another kind after a step")


def _number_of(owner: Value) -> z3.ArithRef:
    """The number of an object whose attributes are written: its field without a name."""
    if not isinstance(owner, Made) or "" not in owner.fields:
        raise LiftError(f"no number tells {owner!r} apart from other objects")
    return as_term(owner.fields[""], SymToken)


def _key(value: Value) -> Any:
    """What a dict is asked for: a number, or what a token stands for."""
    return as_term(value, int if sort_of(value) is int else SymToken)


def _token(value: Value) -> Any:
    """What stands for a value in a list, or for a tuple."""
    return EMPTY if isinstance(value, tuple) and not value else as_term(value, SymToken)


def _longer(grown: Grown, item: Value) -> Grown:
    """A list with one element more."""
    return Grown(z3.Store(grown.term, grown.size, _token(item)), grown.size + 1)


def _said(invariant: Invariant, steps: Any, first: State, here: State, points: Sequence[Any]) -> Labelled:
    """An invariant at some points."""
    return [pair for point in points for pair in invariant.holds(steps, first, here, point)]


def _falls(node: ast.For | ast.While, invariant: Invariant, here: State, way: Way) -> Labelled:
    """That a `while` comes to an end."""
    if isinstance(node, ast.For) or invariant.may_not_end:
        return []
    if invariant.measure is None:
        raise LiftError(f"nothing is said of how the loop in line {node.lineno} ends")
    before, after = invariant.measure(here), invariant.measure(way.names)
    return [("it ends", z3.Implies(way.condition, z3.And(before >= 0, after < before)))]


def _left(names: State, before: State) -> dict[str, Value]:
    """What the names of a state stand for after a break: no others are known then."""
    return {name: names[name] for name in before}


def _targets(node: ast.For | ast.While) -> set[str]:
    return _stored([node.target]) if isinstance(node, ast.For) else set()


def _range(*bounds: Any) -> Row:
    start, end, step = bounds if len(bounds) == 3 else (*bounds, 1) if len(bounds) == 2 else (0, *bounds, 1)
    if step not in (1, -1):
        raise LiftError(f"a range by {step!r}")
    begin, length = as_term(start, int), (as_term(end, int) - as_term(start, int)) * step
    return Row(lambda place: SymInt(begin + step * place), z3.If(length > 0, length, 0))
