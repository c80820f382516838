"""Loops: read from a function's source, so that induction can say what any number of steps comes to.

What is read is `assignments; for … in …: step; return`. First state, order, step, where it stops and what it
returns are what the source says; a statement says none of them again. What cannot be read is refused: an
order that is not in the table of `_Reader.row`, a loop in a loop, a list that two names know.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, TypeGuard

import z3

from tenure_proofs.trusted.ast_lifter import (
    Made,
    Path,
    Truth,
    Value,
    _Lifter,
    _not,
    _outside,
    _Scope,
)
from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.source import body_of, fields_given, parameters_given
from tenure_proofs.trusted.symbols import (
    Symbol,
    SymBool,
    SymFunction,
    SymInt,
    SymToken,
    as_term,
    is_chain,
    sort_of,
    wrapped,
)

State = Mapping[str, Value]
"""The names of a function, with their values."""

OWN = "~"
"""How the names of an induction's own constants begin; no statement may use such a name for another."""

MEMBERS = z3.ArraySort(z3.IntSort(), z3.BoolSort())
"""A set of tokens."""


class Given(SymFunction):
    """A function of tokens that a loop is handed: what the statement says of it, and nothing more.

    Args:
        arity: how many tokens it takes.
        result: `bool`, `int` or `SymToken`.
        meaning: what it comes to, of the tokens' terms.
    """

    __slots__ = ("arity", "meaning")

    def __init__(self, arity: int, result: type, meaning: Callable[..., Any]) -> None:
        self.arity, self.result, self.meaning = arity, result, meaning

    def __call__(self, *tokens: Any) -> Any:
        if len(tokens) != self.arity:
            raise LiftError(f"a function of {self.arity} tokens is given {len(tokens)}")
        return wrapped(self.result, self.meaning(*(as_term(token, SymToken) for token in tokens)))


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Row(Symbol):
    """What a loop goes through; its elements never change.

    Args:
        at: the element at a place, counted from 0.
        size: how many there are.
        linked: whether it is a chain, with `head` and `rest`; else a sequence.
        once: whether it is an iterator, which has neither slices nor an order backwards.
        told: what tells it from other rows, where it is handed on.
    """

    at: Callable[[Any], Value]
    size: Any
    linked: bool = False
    once: bool = False
    told: tuple[Any, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Cells(Symbol):
    """A list of numbers that a loop may write to. One name knows it, so a write is a new value of that name.

    Args:
        term: the numbers, by place.
        size: how many there are.
    """

    term: z3.ArrayRef
    size: Any


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Grown(Symbol):
    """A list of tokens that grows and shrinks at its end. One name knows it, as one knows a list of numbers.

    Args:
        term: the tokens, by place.
        size: how many there are.
    """

    term: z3.ArrayRef
    size: Any


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Groups(Symbol):
    """Lists of numbers that grow, as far as it goes which numbers are in each; one name knows all of them.

    Args:
        term: the numbers of each list, by place.
        size: how many lists there are.
    """

    term: z3.ArrayRef
    size: Any


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Listed(Symbol):
    """A chain of numbered tokens, as far as the folds of its constructor go; None where it is not `there`.

    Args:
        there: whether it has an element.
        head: the first one.
        members: which elements it has.
        rising, falling: whether each element is less than the next, and greater.
    """

    there: z3.BoolRef
    head: z3.ArithRef
    members: z3.ArrayRef
    rising: z3.BoolRef
    falling: z3.BoolRef

    def behind(self, head: z3.ArithRef) -> Listed:
        """The chain with one element more, in front."""
        alone = z3.Not(self.there)
        return Listed(
            z3.BoolVal(True),
            head,
            z3.Store(self.members, head, True),
            z3.Or(alone, z3.And(self.rising, head < self.head)),
            z3.Or(alone, z3.And(self.falling, head > self.head)),
        )

    def unless(self, condition: z3.BoolRef, other: Listed) -> Listed:
        """The other chain where a condition holds."""
        fields = (field.name for field in dataclasses.fields(Listed))
        return Listed(*(z3.If(condition, getattr(other, name), getattr(self, name)) for name in fields))


NONE = Listed(
    z3.BoolVal(False),
    z3.IntVal(0),
    z3.K(z3.IntSort(), z3.BoolVal(False)),
    z3.BoolVal(True),
    z3.BoolVal(True),
)
"""None, where a chain may be."""


def every(formulas: Sequence[z3.BoolRef]) -> z3.BoolRef:
    """All of them; cvc5 has no word for all of none."""
    return z3.And(formulas) if formulas else z3.BoolVal(True)


@dataclasses.dataclass(frozen=True, slots=True)
class Way:
    """One way through statements.

    Args:
        path: how control goes.
        ends: `on` to the next statement or step, `break` or `return`.
        names: what the names stand for at its end.
        value: what it returns.
    """

    path: Path
    ends: str
    names: State
    value: Value = None

    @property
    def condition(self) -> z3.BoolRef:
        """When control goes this way."""
        return every([as_term(asked if answer else _not(asked), bool) for asked, answer in self.path])


class _Reader(_Lifter):
    """The lifter, for statements of a loop as well, and for lists."""

    def __init__(self) -> None:
        super().__init__()
        self.tuples = 0

    def chosen(self, condition: Truth, then: Value, otherwise: Value) -> Value:
        """One of two values, by a condition; lists among them."""
        match then, otherwise:
            case (Listed(), Listed() | None) | (None, Listed()) if then is not otherwise and isinstance(
                condition, SymBool
            ):
                last = NONE if otherwise is None else otherwise
                return last.unless(condition.term, NONE if then is None else then)
        return super().chosen(condition, then, otherwise)

    def truth(self, node: ast.expr, scope: _Scope) -> Truth:
        if isinstance(node, ast.Name) and isinstance(row := scope.names.get(node.id), Row):
            return SymBool(row.size > 0)
        return super().truth(node, scope)

    def call(
        self, function: Any, positional: Sequence[Value], keywords: Mapping[str, Value], path: Path
    ) -> Value:
        if isinstance(function, Given) and not keywords:
            return function(*positional)
        if isinstance(function, type) and dataclasses.is_dataclass(function) and is_chain(function):
            given = fields_given(function, positional, keywords)
            rest = NONE if given["rest"] is None else given["rest"]
            if not isinstance(rest, Listed):
                raise LiftError(f"{rest!r} behind an element is no list")
            return rest.behind(as_term(given["head"], SymToken))
        return super().call(function, positional, keywords, path)

    def construct(self, cls: type, given: Mapping[str, Any], path: Path) -> Value:
        texts = {name: value for name, value in given.items() if isinstance(value, str)}
        made = super().construct(cls, {name: given[name] for name in given if name not in texts}, path)
        return Made(cls, {**made.fields, **texts})

    def expression(self, node: ast.expr, scope: _Scope) -> Value:
        match node:
            case ast.Name(id=name) if isinstance(scope.names.get(name), Cells | Grown | Groups):
                raise LiftError(f"{name} in line {node.lineno} would get another name")
            case ast.Subscript(value=ast.Name(id=name), slice=place) if isinstance(
                cells := scope.names.get(name), Cells
            ):
                return SymInt(cells.term[self.place(cells, place, scope)])
            case ast.Call(
                func=ast.Name(id="tuple"),
                args=[ast.GeneratorExp(elt, [ast.comprehension(target, source, [], 0)])],
            ) | ast.ListComp(elt, [ast.comprehension(target, source, [], 0)]) if (
                scope.outer("tuple") is tuple
            ):
                return self.mapped(elt, target, self.row(source, scope), scope)
            case ast.Attribute(value=ast.Name(id=name), attr="head") if (
                isinstance(row := scope.names.get(name), Row) and row.linked
            ):
                self.require(scope.path, SymBool(row.size > 0))
                return row.at(z3.IntVal(0))
        return super().expression(node, scope)

    def mapped(self, each: ast.expr, target: ast.expr, whole: Row, scope: _Scope) -> Row:
        """What each element comes to. All of them are made at once, so an arbitrary one must not raise."""

        def at(place: Any) -> Value:
            inside = scope.under(SymBool(z3.And(place >= 0, place < whole.size)), True)
            return self.expression(each, self.bind(target, whole.at(place), inside))

        self.tuples += 1
        at(z3.Int(f"{OWN}element {self.tuples}"))
        return Row(at, whole.size)

    def place(self, cells: Cells, node: ast.expr, scope: _Scope) -> Any:
        """A place of a list that is there; Python would count negative ones from the end."""
        place = as_term(self.number(self.expression(node, scope), scope.path), int)
        self.require(scope.path, SymBool(z3.And(place >= 0, place < cells.size)))
        return place

    def ways(self, statements: Sequence[ast.stmt], scope: _Scope) -> list[Way]:
        """Every way through statements without a loop."""
        if not statements:
            return [Way(scope.path, "on", scope.names)]
        first, rest = statements[0], statements[1:]
        match first:
            case ast.Expr(value=ast.Constant()):
                return self.ways(rest, scope)
            case ast.Break():
                return [Way(scope.path, "break", scope.names)]
            case ast.Continue():
                return [Way(scope.path, "on", scope.names)]
            case ast.Return(ast.Name(id=name)) if isinstance(scope.names.get(name), Cells | Grown | Groups):
                return [Way(scope.path, "return", scope.names, scope.names[name])]
            case ast.Return(value=ast.expr() as value):
                return [Way(scope.path, "return", scope.names, self.expression(value, scope))]
            case ast.If(test=test, body=body, orelse=orelse):
                return self.fork(test, [*body, *rest], [*orelse, *rest], scope)
        return self.ways(rest, self.bound(first, scope))

    def fork(
        self, test: ast.expr, then: Sequence[ast.stmt], otherwise: Sequence[ast.stmt], scope: _Scope
    ) -> list[Way]:
        condition = self.truth(test, scope)
        if isinstance(condition, bool):
            return self.ways(then if condition else otherwise, scope)
        return [
            *self.ways(then, scope.under(condition, True)),
            *self.ways(otherwise, scope.under(condition, False)),
        ]

    def bound(self, statement: ast.stmt, scope: _Scope) -> _Scope:
        """What the names stand for after an assignment."""
        match statement:
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=node)], value=value) if (
                isinstance(cells := scope.names.get(name), Cells)
            ):
                written = as_term(self.number(self.expression(value, scope), scope.path), int)
                place = self.place(cells, node, scope)
                return scope.binding(name, Cells(z3.Store(cells.term, place, written), cells.size))
            case ast.Assign(targets=[target], value=value):
                return self.bind(target, self.expression(value, scope), scope)
            case ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value):
                return self.bind(target, self.expression(value, scope), scope)
        raise _outside(statement)

    def row(self, node: ast.expr, scope: _Scope) -> Row:
        """What a `for` goes through, in which order: nothing outside this table is read."""
        match node:
            case ast.Name(id=name) if isinstance(row := scope.names.get(name), Row):
                return row
            case ast.BoolOp(
                op=ast.Or(), values=[ast.Attribute(value=inner, attr="rest"), ast.Tuple(elts=[])]
            ):
                row = self.row(inner, scope)
                if row.linked:
                    self.require(scope.path, SymBool(row.size > 0))
                    return _cut(row, 1, 0)
            case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]) if name not in scope.names:
                return _rearranged(node, scope.outer(name), self.row(inner, scope))
            case ast.Subscript(value=inner, slice=ast.Slice() as part):
                row = self.row(inner, scope)
                if not row.linked and not row.once:
                    return _sliced(node, part, row)
        raise LiftError(f"the order of {ast.unparse(node)} in line {node.lineno} is not known")


def _rearranged(node: ast.expr, how: Any, row: Row) -> Row:
    if how is tuple or how is list:
        return Row(row.at, row.size)
    if how is reversed and not row.linked and not row.once:
        return Row(lambda place: row.at(row.size - 1 - place), row.size, once=True)
    if how is enumerate:
        return Row(lambda place: (SymInt(place), row.at(place)), row.size, once=True)
    raise LiftError(f"the order of {ast.unparse(node)} in line {node.lineno} is not known")


def _sliced(node: ast.expr, part: ast.Slice, row: Row) -> Row:
    match ast.unparse(part).split(":"):
        case ["", "", "-1"]:
            return Row(lambda place: row.at(row.size - 1 - place), row.size)
        case [count, ""] if count.isdecimal():
            return _cut(row, int(count), 0)
        case ["", count] if count.startswith("-") and count[1:].isdecimal() and count != "-0":
            return _cut(row, 0, int(count[1:]))
    raise LiftError(f"the order of {ast.unparse(node)} in line {node.lineno} is not known")


def _cut(row: Row, front: int, back: int) -> Row:
    cut = front + back
    return Row(
        lambda place: row.at(place + front), z3.If(row.size >= cut, row.size - cut, 0), linked=row.linked
    )


def _kind(value: Value) -> Any:
    """What tells the values apart that one arbitrary value cannot stand for.

    Raises:
        LiftError: no arbitrary value stands for it.
    """
    match value:
        case None | Listed():
            return Listed
        case SymToken():
            return value.term.sort().sexpr()
        case Cells() | Groups():
            return type(value), z3.simplify(value.size).sexpr()
        case Grown():
            return Grown
        case Made():
            return value.cls, tuple((name, _kind(part)) for name, part in value.fields.items())
    if sort_of(value) not in (bool, int):
        raise LiftError(f"{value!r} changes from step to step")
    return sort_of(value)


def _arbitrary(name: str, value: Value) -> Value:
    """Whatever may be where a value is."""
    match value:
        case None | Listed():
            return Listed(
                z3.Bool(f"{name}?"),
                z3.Int(f"{name}.head"),
                z3.Const(f"{name}.members", MEMBERS),
                z3.Bool(f"{name}.rising"),
                z3.Bool(f"{name}.falling"),
            )
        case SymToken():
            return SymToken(z3.Const(name, value.term.sort()))
        case Cells() | Groups():
            return type(value)(z3.Const(name, value.term.sort()), value.size)
        case Grown():
            return Grown(z3.Const(name, value.term.sort()), z3.Int(f"{name}.size"))
        case Made():
            parts = {part: _arbitrary(f"{name}.{part}", inner) for part, inner in value.fields.items()}
            return Made(value.cls, parts)
    return SymBool(z3.Bool(name)) if sort_of(value) is bool else SymInt(z3.Int(name))


class Loop:
    """The one loop of a function, as its source has it.

    Args:
        function: `assignments; for … in …: step; return`.
        given: an argument for each parameter.

    Raises:
        LiftError: it has another form, or something in it cannot be read.
    """

    def __init__(self, function: FunctionType, **given: Value) -> None:
        self.function = function
        body = body_of(function)
        *before, loop, result = body if len(body) > 1 else [*body, *body]
        if not isinstance(loop, ast.For) or not isinstance(result, ast.Return) or loop.orelse:
            raise LiftError(f"{function.__name__} is no first state, one loop and a result")
        names = parameters_given(function, (), given)
        lists = [id(value) for value in names.values() if isinstance(value, Cells)]
        if len(set(lists)) != len(lists):
            raise LiftError("two parameters are one list")
        way, self.needed = self._read(before, names)
        if [inner.ends for inner in way] != ["on"]:
            raise LiftError(f"{function.__name__} may return before its loop")
        self.first: State = way[0].names
        self._loop, self._result = loop, result
        self._changed = _stored(loop.body)
        items = _stored([loop.target])
        source = {node.id for node in ast.walk(loop.iter) if isinstance(node, ast.Name)}
        if items & self.first.keys() or items & self._changed or source & self._changed:
            raise LiftError(f"line {loop.lineno}: the loop changes what it goes through")
        reader = _Reader()
        self.row = reader.row(loop.iter, _Scope(dict(self.first), function, ()))
        self.needed = [*self.needed, *reader.required]

    def arbitrary(self) -> dict[str, Value]:
        """Whatever state the loop may be in at a step: what no step changes is as it was at first."""
        return {
            name: _arbitrary(f"{OWN}{name}", value) if name in self._changed and _kind(value) else value
            for name, value in self.first.items()
        }

    def step(self, state: State, element: Value) -> tuple[list[Way], list[z3.BoolRef]]:
        """Every way through one step, and what must hold so that none of them raises.

        Raises:
            LiftError: after it a name stands for what `arbitrary` leaves out.
        """
        scope = _Reader().bind(self._loop.target, element, _Scope(dict(state), self.function, ()))
        ways, needed = self._read(self._loop.body, scope.names)
        for way in ways:
            for name, value in self.first.items():
                if name in self._changed and _kind(way.names[name]) != _kind(value):
                    raise LiftError(f"{self.function.__name__}: {name} is of another kind after a step")
        kept = [
            Way(way.path, way.ends, {name: way.names[name] for name in self.first}, way.value) for way in ways
        ]
        return kept, needed

    def result(self, state: State) -> tuple[Value, list[z3.BoolRef]]:
        """What the function returns after its loop, and what must hold so that it does."""
        (way,), needed = self._read([self._result], state)
        return way.value, needed

    def _read(self, statements: Sequence[ast.stmt], names: State) -> tuple[list[Way], list[z3.BoolRef]]:
        reader = _Reader()
        try:
            ways = reader.ways(statements, _Scope(dict(names), self.function, ()))
        except LiftError as error:
            raise LiftError(f"{self.function.__name__}: {error}") from error
        return ways, reader.required


def _stored(nodes: Sequence[ast.AST]) -> set[str]:
    """The names that statements give another value to, or write a part of, or call a method of."""
    found = [inner for node in nodes for inner in ast.walk(node)]
    names = {node.id for node in found if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    names |= {
        f".{node.attr}"
        for node in found
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    parts = [
        node.value for node in found if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
    ]
    parts += [node.func.value for node in found if isinstance(node, ast.Call) and _grows(node.func)]
    owners = (part.value if isinstance(part, ast.Subscript) else part for part in parts)
    return names | {part.id for part in owners if isinstance(part, ast.Name)}


def _grows(node: ast.expr) -> TypeGuard[ast.Attribute]:
    """Whether what is called makes a list longer or shorter."""
    return isinstance(node, ast.Attribute) and node.attr in ("append", "pop")


def returned(function: FunctionType, **given: Value) -> tuple[Value, list[z3.BoolRef]]:
    """What a function without a loop returns, and what must hold so that it does."""
    reader = _Reader()
    return reader.read(function, parameters_given(function, (), given), ()), reader.required
