"""What a traced function is given in place of numbers, truth values, texts and records.

Wherever Python asks such a truth value for its truth, the run in progress takes one branch and remembers
the other. Whatever else Python could do with a value is defined here, or refused. With the symbols that
statements are written with these share the names of the solver's constants, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from enum import Enum, IntEnum
from typing import Any, NoReturn, TypeVar

import z3

from tenure_proofs.trusted.domains import Domain, LiftError, Optional, Record, Scalar, constant, presence
from tenure_proofs.trusted.symbols import (
    SymBool,
    SymEnum,
    SymInt,
    SymOptional,
    SymRecord,
    SymText,
)


class Run:
    """One run of the function along a prefix of decisions.

    Args:
        name: the function's.
        prefix: which way to go at each fork, in order; after the last one yes comes first.
        limit: of paths.
        asked: each condition that any run of the function has asked, by the solver's number of it. All runs
            share it: the solver may simplify a condition otherwise when it is asked again, and one run would
            then take for known what another one forks at. It also keeps the terms alive: the solver hands a
            freed term's number to the next one.
    """

    def __init__(self, name: str, prefix: tuple[bool, ...], limit: int, asked: dict[int, Condition]) -> None:
        self.name = name
        self.limit = limit
        self.prefix = prefix
        self.taken: list[bool] = []
        self.conditions: list[z3.BoolRef] = []
        self.pending: list[tuple[bool, ...]] = []
        self._asked = asked
        self._known: dict[int, bool] = {}

    def decide(self, term: z3.BoolRef) -> bool:
        """The truth of a condition on this path."""
        condition = self._asked.get(term.get_id())
        if condition is None:
            condition = self._asked[term.get_id()] = Condition(term)
        if condition.truth is not None:
            return condition.truth
        known = self._known.get(condition.number)
        if known is not None:
            return known
        step = len(self.taken)
        truth = self.prefix[step] if step < len(self.prefix) else True
        if step >= len(self.prefix):
            if len(self.pending) >= self.limit:
                raise LiftError(f"{self.name} has more than {self.limit} paths")
            self.pending.append((*self.taken, False))
        self.taken.append(truth)
        self._known[condition.number] = truth
        self._known[condition.negated_number] = not truth
        self.conditions.append(term)
        return truth


RUN: ContextVar[Run | None] = ContextVar("run", default=None)
"""The run in progress; None while a statement is being written."""


def refuse(what: str) -> NoReturn:
    """Say that a rule does what its formula could not show."""
    raise LiftError(f"a rule may not use {what}: the tracer cannot see it")


class NoneOperandError(TypeError):
    """What plain Python raises for arithmetic on None: the path is not defined."""


class Condition:
    """A condition, what tells it and its negation from others, and its truth where it has only one."""

    __slots__ = ("_kept", "negated_number", "number", "truth")

    def __init__(self, term: z3.BoolRef) -> None:
        simple = z3.simplify(term)
        negated = z3.simplify(z3.Not(simple))
        self._kept = (term, simple, negated)
        self.number = simple.get_id()
        self.negated_number = negated.get_id()
        self.truth = True if z3.is_true(simple) else False if z3.is_false(simple) else None


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


class TracedBool(_Symbol):
    """A symbolic truth value; asking for its truth forks the run."""

    __slots__ = ()

    def __bool__(self) -> bool:
        run = RUN.get()
        if run is None:
            raise LiftError("the truth of a symbolic value was asked for outside a lifted function")
        return run.decide(self.term)

    def __eq__(self, other: object) -> TracedBool:  # type: ignore[override]
        return self._once("==", other, lambda: TracedBool(self.term == _bool_term(other)))

    def __ne__(self, other: object) -> TracedBool:  # type: ignore[override]
        return self._once("!=", other, lambda: TracedBool(self.term != _bool_term(other)))


class _Ordered(_Symbol):
    """A symbolic value of a type that has an order."""

    __slots__ = ()

    def __eq__(self, other: object) -> TracedBool | bool:  # type: ignore[override]
        if other is None:
            return False
        return self._once("==", other, lambda: TracedBool(self.term == self._like(other)))

    def __ne__(self, other: object) -> TracedBool | bool:  # type: ignore[override]
        if other is None:
            return True
        return self._once("!=", other, lambda: TracedBool(self.term != self._like(other)))

    def __lt__(self, other: object) -> TracedBool:
        return self._once("<", other, lambda: TracedBool(self.term < self._like(other)))

    def __le__(self, other: object) -> TracedBool:
        return self._once("<=", other, lambda: TracedBool(self.term <= self._like(other)))

    def __gt__(self, other: object) -> TracedBool:
        return self._once(">", other, lambda: TracedBool(self.term > self._like(other)))

    def __ge__(self, other: object) -> TracedBool:
        return self._once(">=", other, lambda: TracedBool(self.term >= self._like(other)))

    def _like(self, other: object) -> z3.ArithRef:
        """The term of another value of the same type."""
        raise NotImplementedError


class TracedInt(_Ordered):
    """A symbolic whole number."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return bool(self != 0)

    def _like(self, other: object) -> z3.ArithRef:
        return _int_term(other)

    def __add__(self, other: object) -> TracedInt:
        return self._once("+", other, lambda: TracedInt(self.term + _int_term(other)))

    __radd__ = __add__

    def __sub__(self, other: object) -> TracedInt:
        return self._once("-", other, lambda: TracedInt(self.term - _int_term(other)))

    def __rsub__(self, other: object) -> TracedInt:
        return self._once("reversed -", other, lambda: TracedInt(_int_term(other) - self.term))

    def __mul__(self, other: object) -> TracedInt:
        return self._once("*", other, lambda: TracedInt(self.term * _int_term(other)))

    def __rmul__(self, other: object) -> TracedInt:
        return self._once("reversed *", other, lambda: TracedInt(_int_term(other) * self.term))

    def __neg__(self) -> TracedInt:
        return self._once("negated", None, lambda: TracedInt(-self.term))

    def __floordiv__(self, other: object) -> TracedInt:
        return _floor_divide(self.term, _int_term(other))

    def __rfloordiv__(self, other: object) -> TracedInt:
        return _floor_divide(_int_term(other), self.term)

    def __mod__(self, other: object) -> TracedInt:
        divisor = _int_term(other)
        return TracedInt(self.term - divisor * _floor_divide(self.term, divisor).term)

    def __rmod__(self, other: object) -> TracedInt:
        dividend = _int_term(other)
        return TracedInt(dividend - self.term * _floor_divide(dividend, self.term).term)

    def __truediv__(self, other: object) -> NoReturn:
        refuse("true division")

    def __rtruediv__(self, other: object) -> NoReturn:
        refuse("true division")

    def __float__(self) -> NoReturn:
        refuse("floats")

    def __index__(self) -> NoReturn:
        refuse("an integer as an index")

    def __int__(self) -> NoReturn:
        refuse("int()")


class TracedText(_Ordered):
    """A symbolic text: its rank among all texts. Rules may compare it, and print it in an error."""

    __slots__ = ()

    def _like(self, other: object) -> z3.ArithRef:
        return _rank(other)

    def __str__(self) -> str:
        # In messages of errors, made on most paths of the door; a solver's own text takes half the trace.
        return "<text>"


class TracedEnum(_Symbol):
    """A symbolic member of an IntEnum: equal or not equal, nothing else."""

    __slots__ = ("cls",)

    def __init__(self, cls: type[IntEnum], term: z3.ArithRef) -> None:
        super().__init__(term)
        self.cls = cls

    def __eq__(self, other: object) -> TracedBool:  # type: ignore[override]
        return self._once("==", other, lambda: TracedBool(self.term == self._member(other)))

    def __ne__(self, other: object) -> TracedBool:  # type: ignore[override]
        return self._once("!=", other, lambda: TracedBool(self.term != self._member(other)))

    def __str__(self) -> str:
        return f"<{self.cls.__name__}>"

    @property
    def name(self) -> str:
        """For error messages only."""
        return str(self)

    def _member(self, other: object) -> z3.ArithRef:
        if isinstance(other, TracedEnum) and other.cls is self.cls:
            term: z3.ArithRef = other.term
            return term
        if isinstance(other, self.cls):
            return z3.IntVal(int(other))
        raise LiftError(f"{self.cls.__name__} compared with {other!r}")


class TracedRecord:
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
        return resolve(self._seen[field])

    def __setattr__(self, field: str, value: object) -> NoReturn:
        refuse("an assignment to a field")


class TracedOptional:
    """A symbolic value that may be None; reading it forks the run."""

    __slots__ = ("present", "value")

    def __init__(self, present: TracedBool, value: Any) -> None:
        self.present = present
        self.value = value


def symbol(name: str, domain: Domain) -> Any:
    """A field of an argument: for an optional domain a `TracedOptional`, which reading it resolves."""
    match domain:
        case Record():
            return TracedRecord(name, domain)
        case Optional(inner):
            return TracedOptional(TracedBool(presence(name)), symbol(name, inner))
        case Scalar(sort):
            term = constant(name, domain)
            if sort is bool:
                return TracedBool(term)
            if sort is str:
                return TracedText(term)
            return TracedInt(term) if sort is int else TracedEnum(sort, term)


def traced(argument: Any) -> Any:
    """What is in a run for an argument of a claim."""
    match argument:
        case SymBool(term=term):
            return TracedBool(term)
        case SymInt(term=term):
            return TracedInt(term)
        case SymText(term=term):
            return TracedText(term)
        case SymEnum(cls=cls, term=term):
            return TracedEnum(cls, term)
        case SymOptional(present=present, value=value):
            return TracedOptional(traced(present), traced(value))
        case SymRecord():
            return TracedRecord(argument._name, argument._domain, argument._fixed)
    return argument


def resolve(value: Any) -> Any:
    """An argument as the function sees it: an optional one is there or not, on this path."""
    if isinstance(value, TracedOptional):
        return value.value if value.present else None
    return value


def as_term(value: Any) -> z3.ExprRef:
    """The solver term of a symbolic or concrete scalar.

    Raises:
        LiftError: it is no scalar.
    """
    if isinstance(value, TracedBool | TracedInt | TracedText | TracedEnum):
        return value.term
    if isinstance(value, bool):
        return z3.BoolVal(value)
    if isinstance(value, int):
        return z3.IntVal(int(value))
    raise LiftError(f"{value!r} is no scalar that a rule may return")


def _bool_term(value: object) -> z3.BoolRef:
    if isinstance(value, TracedBool):
        return value.term
    if isinstance(value, bool):
        return z3.BoolVal(value)
    raise LiftError(f"a truth value compared with {value!r}")


def _int_term(value: object) -> z3.ArithRef:
    if isinstance(value, TracedInt):
        return value.term
    if isinstance(value, int) and not isinstance(value, bool | Enum):
        return z3.IntVal(value)
    if value is None:
        raise NoneOperandError("None is no number")
    raise LiftError(f"a whole number combined with {value!r}")


def _rank(value: object) -> z3.ArithRef:
    if isinstance(value, TracedText):
        return value.term
    raise LiftError(f"a text compared with {value!r}: only texts of the arguments have a rank")


def _floor_divide(dividend: z3.ArithRef, divisor: z3.ArithRef) -> TracedInt:
    if TracedBool(divisor == 0):
        raise ZeroDivisionError
    # The solvers' integer division rounds towards minus infinity only for a positive divisor.
    return TracedInt(dividend / divisor) if TracedBool(divisor > 0) else TracedInt((-dividend) / (-divisor))
