"""The path-forking tracer: runs the real function on symbolic arguments.

Wherever Python asks a symbolic truth value for its truth, the run takes one branch and remembers the
other; every remembered branch is run again from the start. The paths together are one formula.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from enum import Enum, IntEnum
from typing import Any, NoReturn, TypeVar

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

PATH_LIMIT = 5_000
"""More paths than any rule of at most six branches has."""


class _Run:
    """One run of the function along a prefix of decisions."""

    def __init__(self, name: str, prefix: tuple[bool, ...]) -> None:
        self.name = name
        self.prefix = prefix
        self.taken: list[bool] = []
        self.conditions: list[z3.BoolRef] = []
        self.pending: list[tuple[bool, ...]] = []
        self._known: dict[int, bool] = {}

    def decide(self, simple: _Simple) -> bool:
        """The truth of a condition on this path."""
        if simple.truth is not None:
            return simple.truth
        number = simple.term.get_id()
        if number in self._known:
            return self._known[number]
        step = len(self.taken)
        truth = self.prefix[step] if step < len(self.prefix) else True
        if step >= len(self.prefix):
            if len(self.pending) >= PATH_LIMIT:
                raise LiftError(f"{self.name} has more than {PATH_LIMIT} paths")
            self.pending.append((*self.taken, False))
        self.taken.append(truth)
        self._known[number] = truth
        self._known[simple.negated.get_id()] = not truth
        self.conditions.append(simple.term if truth else simple.negated)
        return truth


_RUN: ContextVar[_Run | None] = ContextVar("run", default=None)


def _refuse(what: str) -> NoReturn:
    raise LiftError(f"a rule may not use {what}: the tracer cannot see it")


class _NoneOperandError(TypeError):
    """What plain Python raises for arithmetic on None: the path is not defined."""


class _Simple:
    """A simplified condition, its negation, and its truth where it has only one.

    Holds its terms alive: the solver hands the number of a freed term to the next one.
    """

    __slots__ = ("negated", "term", "truth")

    def __init__(self, condition: z3.BoolRef) -> None:
        self.term = z3.simplify(condition)
        self.negated = z3.simplify(z3.Not(self.term))
        self.truth = True if z3.is_true(self.term) else False if z3.is_false(self.term) else None


_Made = TypeVar("_Made")


class _Symbol:
    """A symbolic value that builds each combination with another value once for all runs."""

    __hash__ = None  # type: ignore[assignment]
    __slots__ = ("_made", "term")

    def __init__(self, term: Any) -> None:
        self.term = term
        self._made: dict[tuple[Any, ...], tuple[object, Any]] = {}

    def _once(self, operation: str, other: object, make: Callable[[], _Made]) -> _Made:
        value = id(other) if isinstance(other, _Symbol) else other
        key = (operation, type(other), value)
        if key not in self._made:
            self._made[key] = (other, make())  # `other` is kept, so that its id stays its own
        made: _Made = self._made[key][1]
        return made


class SymBool(_Symbol):
    """A symbolic truth value; asking for its truth forks the run."""

    __slots__ = ("_simple",)

    def __init__(self, term: z3.BoolRef) -> None:
        super().__init__(term)
        self._simple: _Simple | None = None

    def __bool__(self) -> bool:
        run = _RUN.get()
        if run is None:
            raise LiftError("the truth of a symbolic value was asked for outside a lifted function")
        if self._simple is None:
            self._simple = _Simple(self.term)
        return run.decide(self._simple)

    def __eq__(self, other: object) -> SymBool:  # type: ignore[override]
        return self._once("==", other, lambda: SymBool(self.term == _bool_term(other)))

    def __ne__(self, other: object) -> SymBool:  # type: ignore[override]
        return self._once("!=", other, lambda: SymBool(self.term != _bool_term(other)))


class SymInt(_Symbol):
    """A symbolic whole number."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return bool(self != 0)

    def __eq__(self, other: object) -> SymBool | bool:  # type: ignore[override]
        if other is None:
            return False
        return self._once("==", other, lambda: SymBool(self.term == _int_term(other)))

    def __ne__(self, other: object) -> SymBool | bool:  # type: ignore[override]
        if other is None:
            return True
        return self._once("!=", other, lambda: SymBool(self.term != _int_term(other)))

    def __lt__(self, other: object) -> SymBool:
        return self._once("<", other, lambda: SymBool(self.term < _int_term(other)))

    def __le__(self, other: object) -> SymBool:
        return self._once("<=", other, lambda: SymBool(self.term <= _int_term(other)))

    def __gt__(self, other: object) -> SymBool:
        return self._once(">", other, lambda: SymBool(self.term > _int_term(other)))

    def __ge__(self, other: object) -> SymBool:
        return self._once(">=", other, lambda: SymBool(self.term >= _int_term(other)))

    def __add__(self, other: object) -> SymInt:
        return self._once("+", other, lambda: SymInt(self.term + _int_term(other)))

    __radd__ = __add__

    def __sub__(self, other: object) -> SymInt:
        return self._once("-", other, lambda: SymInt(self.term - _int_term(other)))

    def __rsub__(self, other: object) -> SymInt:
        return self._once("reversed -", other, lambda: SymInt(_int_term(other) - self.term))

    def __mul__(self, other: object) -> SymInt:
        return self._once("*", other, lambda: SymInt(self.term * _int_term(other)))

    __rmul__ = __mul__

    def __neg__(self) -> SymInt:
        return self._once("negated", None, lambda: SymInt(-self.term))

    def __floordiv__(self, other: object) -> SymInt:
        return _floor_divide(self.term, _int_term(other))

    def __rfloordiv__(self, other: object) -> SymInt:
        return _floor_divide(_int_term(other), self.term)

    def __mod__(self, other: object) -> SymInt:
        divisor = _int_term(other)
        return SymInt(self.term - divisor * _floor_divide(self.term, divisor).term)

    def __rmod__(self, other: object) -> SymInt:
        dividend = _int_term(other)
        return SymInt(dividend - self.term * _floor_divide(dividend, self.term).term)

    def __truediv__(self, other: object) -> NoReturn:
        _refuse("true division")

    def __rtruediv__(self, other: object) -> NoReturn:
        _refuse("true division")

    def __float__(self) -> NoReturn:
        _refuse("floats")

    def __index__(self) -> NoReturn:
        _refuse("an integer as an index")

    def __int__(self) -> NoReturn:
        _refuse("int()")


class SymText(_Symbol):
    """A symbolic text: its rank among all texts. Rules may compare it, and print it in an error."""

    __slots__ = ()

    def __eq__(self, other: object) -> SymBool:  # type: ignore[override]
        return self._once("==", other, lambda: SymBool(self.term == _rank(other)))

    def __ne__(self, other: object) -> SymBool:  # type: ignore[override]
        return self._once("!=", other, lambda: SymBool(self.term != _rank(other)))

    def __lt__(self, other: object) -> SymBool:
        return self._once("<", other, lambda: SymBool(self.term < _rank(other)))

    def __le__(self, other: object) -> SymBool:
        return self._once("<=", other, lambda: SymBool(self.term <= _rank(other)))

    def __gt__(self, other: object) -> SymBool:
        return self._once(">", other, lambda: SymBool(self.term > _rank(other)))

    def __ge__(self, other: object) -> SymBool:
        return self._once(">=", other, lambda: SymBool(self.term >= _rank(other)))

    def __str__(self) -> str:
        return f"<{self.term}>"


class SymEnum(_Symbol):
    """A symbolic member of an IntEnum: equal or not equal, nothing else."""

    __slots__ = ("cls",)

    def __init__(self, cls: type[IntEnum], term: z3.ArithRef) -> None:
        super().__init__(term)
        self.cls = cls

    def __eq__(self, other: object) -> SymBool:  # type: ignore[override]
        return self._once("==", other, lambda: SymBool(self.term == self._member(other)))

    def __ne__(self, other: object) -> SymBool:  # type: ignore[override]
        return self._once("!=", other, lambda: SymBool(self.term != self._member(other)))

    def __str__(self) -> str:
        return f"<{self.term}>"

    @property
    def name(self) -> str:
        """For error messages only."""
        return str(self)

    def _member(self, other: object) -> z3.ArithRef:
        if isinstance(other, SymEnum) and other.cls is self.cls:
            term: z3.ArithRef = other.term
            return term
        if isinstance(other, self.cls):
            return z3.IntVal(int(other))
        raise LiftError(f"{self.cls.__name__} compared with {other!r}")


class SymRecord:
    """A symbolic argument that is a frozen dataclass; `fixed` fields are concrete."""

    __slots__ = ("_domain", "_fixed", "_name", "_seen")

    def __init__(self, name: str, domain: Record, fixed: Mapping[str, Any] | None = None) -> None:
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_domain", domain)
        object.__setattr__(self, "_fixed", dict(fixed or {}))
        object.__setattr__(self, "_seen", {})

    def __getattr__(self, field: str) -> Any:
        if field in self._fixed:
            return self._fixed[field]
        attribute = getattr(self._domain.cls, field, None)
        if isinstance(attribute, property) and attribute.fget is not None:
            return attribute.fget(self)
        if field not in self._seen:
            self._seen[field] = symbol(f"{self._name}.{field}", self._domain.field(field))
        return _resolve(self._seen[field])

    def __setattr__(self, field: str, value: object) -> NoReturn:
        _refuse("an assignment to a field")


class SymOptional:
    """A symbolic value that may be None; reading it forks the run."""

    __slots__ = ("present", "value")

    def __init__(self, name: str, inner: Scalar) -> None:
        self.present = SymBool(presence(name))
        self.value = symbol(name, inner)


def symbol(name: str, domain: Domain) -> Any:
    """A symbolic argument: for an optional domain a `SymOptional`, which a trace resolves as it starts."""
    match domain:
        case Record():
            return SymRecord(name, domain)
        case Optional(inner):
            return SymOptional(name, inner)
        case Scalar(sort):
            term = constant(name, domain)
            if sort is bool:
                return SymBool(term)
            if sort is str:
                return SymText(term)
            return SymInt(term) if sort is int else SymEnum(sort, term)


def _resolve(value: Any) -> Any:
    if isinstance(value, SymOptional):
        return value.value if value.present else None
    return value


def identity_of(record: SymRecord) -> tuple[Any, ...]:
    """What tells one symbolic record from another: name, class, fixed fields."""
    return (record._name, record._domain.cls, *sorted(record._fixed.items()))


def peek(record: SymRecord, field: str) -> Any:
    """A field as a statement sees it: outside any run, an optional one unresolved."""
    if field in record._fixed:
        return record._fixed[field]
    return symbol(f"{record._name}.{field}", record._domain.field(field))


def trace(function: Callable[..., Any], *arguments: Any) -> Formula:
    """Lift a function by running it along every path.

    Args:
        function: any rule, or the door.
        arguments: symbolic or concrete values, in order.

    Raises:
        LiftError: it does what a tracer cannot see, has too many paths, or never returns.
    """
    returned: list[tuple[z3.BoolRef, Any]] = []
    raised: list[z3.BoolRef] = []
    stack: list[tuple[bool, ...]] = [()]
    while stack:
        if len(returned) + len(raised) >= PATH_LIMIT:
            raise LiftError(f"{function.__name__} has more than {PATH_LIMIT} paths")
        run = _Run(function.__name__, stack.pop())
        try:
            result = _follow(run, function, arguments)
        except _Raised:
            raised.append(z3.And(run.conditions))
        else:
            returned.append((z3.And(run.conditions), result))
        stack.extend(run.pending)
    if not returned:
        raise LiftError(f"{function.__name__} never returns")
    return Formula(_merge(returned), z3.simplify(z3.Not(z3.Or(raised))))


def formula_of(function: Callable[..., Any]) -> Formula:
    """A function as a formula of its own parameters."""
    return trace(function, *(symbol(name, domain) for name, domain in parameters_of(function).items()))


class _Raised(Exception):  # noqa: N818 - it says what the function did
    """The function raises on this path, so it is not defined there."""


def _follow(run: _Run, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """The function's result along one path."""
    token = _RUN.set(run)
    try:
        return function(*(_resolve(argument) for argument in arguments))
    except LiftError:
        raise
    except _NoneOperandError as error:
        raise _Raised from error
    except (TypeError, AttributeError, NameError, RecursionError) as error:
        # Python's own complaint about a symbolic value, not something that the function decides.
        unseen = f"{function.__name__}: a rule may not use what the tracer cannot see: {error}"
        raise LiftError(unseen) from error
    except Exception as error:
        raise _Raised from error
    finally:
        _RUN.reset(token)


def _merge(paths: list[tuple[z3.BoolRef, Any]]) -> Shape:
    values = [value for _, value in paths]
    if any(value is None for value in values):
        present = z3.Or([condition for condition, value in paths if value is not None])
        rest = [(condition, value) for condition, value in paths if value is not None]
        merged = _merge(rest) if rest else z3.IntVal(0)
        if not isinstance(merged, z3.ExprRef):
            raise LiftError("a rule returns a record or None")
        return Maybe(z3.simplify(present), merged)
    if all(isinstance(value, SymRecord) for value in values):
        names = {value._name for value in values}
        if len(names) != 1:
            raise LiftError(f"a rule returns one of several arguments: {sorted(names)}")
        return Passed(names.pop())
    if dataclasses.is_dataclass(values[0]):
        return _merge_records(paths)
    return _merge_scalars(paths)


def _merge_records(paths: list[tuple[z3.BoolRef, Any]]) -> Built:
    classes = {type(value) for _, value in paths}
    if len(classes) != 1:
        raise LiftError(f"a rule returns one of several classes: {sorted(cls.__name__ for cls in classes)}")
    cls = classes.pop()
    return Built(
        cls.__name__,
        tuple(
            (field.name, _merge([(condition, getattr(value, field.name)) for condition, value in paths]))
            for field in dataclasses.fields(cls)
        ),
    )


def _merge_scalars(paths: list[tuple[z3.BoolRef, Any]]) -> z3.ExprRef:
    terms = [(condition, as_term(value)) for condition, value in paths]
    merged = terms[-1][1]
    for condition, term in terms[:-1]:
        if term.sort() != merged.sort():
            raise LiftError(f"a rule returns values of several sorts: {term.sort()} and {merged.sort()}")
        merged = z3.If(condition, term, merged)
    return z3.simplify(merged)


def as_term(value: Any) -> z3.ExprRef:
    """The solver term of a symbolic or concrete scalar.

    Raises:
        LiftError: it is no scalar.
    """
    if isinstance(value, SymBool | SymInt | SymText | SymEnum):
        return value.term
    if isinstance(value, bool):
        return z3.BoolVal(value)
    if isinstance(value, int):
        return z3.IntVal(int(value))
    raise LiftError(f"{value!r} is no scalar that a rule may return")


def _bool_term(value: object) -> z3.BoolRef:
    if isinstance(value, SymBool):
        return value.term
    if isinstance(value, bool):
        return z3.BoolVal(value)
    raise LiftError(f"a truth value compared with {value!r}")


def _int_term(value: object) -> z3.ArithRef:
    if isinstance(value, SymInt):
        return value.term
    if isinstance(value, int) and not isinstance(value, bool | Enum):
        return z3.IntVal(value)
    if value is None:
        raise _NoneOperandError("None is no number")
    raise LiftError(f"a whole number combined with {value!r}")


def _rank(value: object) -> z3.ArithRef:
    if isinstance(value, SymText):
        return value.term
    raise LiftError(f"a text compared with {value!r}: only texts of the arguments have a rank")


def _floor_divide(dividend: z3.ArithRef, divisor: z3.ArithRef) -> SymInt:
    if SymBool(divisor == 0):
        raise ZeroDivisionError
    # The solvers' integer division rounds towards minus infinity only for a positive divisor.
    return SymInt(dividend / divisor) if SymBool(divisor > 0) else SymInt((-dividend) / (-divisor))
