"""Symbolic values: what statements are written with, and what the lifter computes with.

Each stands for an arbitrary value of one type, as a solver's term. What can be done with a value is defined
here; everything else is refused. Values that Python knows already stay Python's own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from enum import IntEnum
from typing import Any, NoReturn

import z3

from tenure_proofs.trusted.domains import Domain, LiftError, Optional, Record, Scalar, constant, presence


class Symbol:
    """What stands for a value; it has no truth, and cannot be compared unless it says so."""

    __hash__ = None  # type: ignore[assignment]
    __slots__ = ()

    def __repr__(self) -> str:
        return f"a {type(self).__name__}"

    def __bool__(self) -> NoReturn:
        raise LiftError(f"the truth of {self!r} was asked for: it may be either")

    def __eq__(self, other: object) -> Any:
        raise LiftError(f"{self!r} cannot be compared with {other!r}")

    def __ne__(self, other: object) -> Any:
        return self == other


class Term(Symbol):
    """A symbolic value that is one term; it is equal or not equal to a value of its own type."""

    __slots__ = ("term",)

    def __init__(self, term: Any) -> None:
        self.term = term

    def __eq__(self, other: object) -> SymBool:  # type: ignore[override]
        return SymBool(self.term == self.like(other))

    def __ne__(self, other: object) -> SymBool:  # type: ignore[override]
        return SymBool(self.term != self.like(other))

    def like(self, other: object) -> Any:
        """The term of another value of the same type."""
        return as_term(other, sort_of(self))


class SymBool(Term):
    """A symbolic truth value."""

    __slots__ = ()


class SymEnum(Term):
    """A symbolic member of an IntEnum."""

    __slots__ = ("cls",)

    def __init__(self, cls: type[IntEnum], term: z3.ArithRef) -> None:
        super().__init__(term)
        self.cls = cls


class SymToken(Term):
    """Something that a fold's step hands on without looking into it: a usage, a candidate."""

    __slots__ = ()


class Ordered(Term):
    """A symbolic value of a type that has an order."""

    __slots__ = ()

    def __lt__(self, other: object) -> SymBool:
        return SymBool(self.term < self.like(other))

    def __le__(self, other: object) -> SymBool:
        return SymBool(self.term <= self.like(other))

    def __gt__(self, other: object) -> SymBool:
        return SymBool(self.term > self.like(other))

    def __ge__(self, other: object) -> SymBool:
        return SymBool(self.term >= self.like(other))


class SymText(Ordered):
    """A symbolic text: its rank among all texts. It is compared with other symbolic texts, that is all."""

    __slots__ = ()


class SymInt(Ordered):
    """A symbolic whole number."""

    __slots__ = ()

    def __add__(self, other: object) -> SymInt:
        return SymInt(self.term + self.like(other))

    __radd__ = __add__

    def __sub__(self, other: object) -> SymInt:
        return SymInt(self.term - self.like(other))

    def __rsub__(self, other: object) -> SymInt:
        return SymInt(self.like(other) - self.term)

    def __mul__(self, other: object) -> SymInt:
        return SymInt(self.term * self.like(other))

    def __rmul__(self, other: object) -> SymInt:
        return SymInt(self.like(other) * self.term)

    def __neg__(self) -> SymInt:
        return SymInt(-self.term)


class SymOptional(Symbol):
    """A symbolic value that may be None."""

    __slots__ = ("present", "value")

    def __init__(self, present: Any, value: Any) -> None:
        self.present = present
        self.value = value


class SymRecord(Symbol):
    """A symbolic argument that is a frozen dataclass; `fixed` fields are Python's own values."""

    __slots__ = ("_domain", "_fixed", "_name")

    def __init__(self, name: str, domain: Record, fixed: Mapping[str, Any] | None = None) -> None:
        self._name = name
        self._domain = domain
        self._fixed = dict(fixed or {})

    def __getattr__(self, field: str) -> Any:
        if field in self._fixed:
            return self._fixed[field]
        return symbol(f"{self._name}.{field}", self._domain.field(field))


class SymFunction(Symbol):
    """A function of which nothing is known but what a statement says.

    Args:
        name: of the function.
        result: `bool` for a question, `int` for a number, `SymToken` for a token.
        arity: how many numbers or tokens it takes.
    """

    __slots__ = ("declaration", "result")

    def __init__(self, name: str, result: type, arity: int) -> None:
        sort = z3.BoolSort() if result is bool else z3.IntSort()
        self.declaration = z3.Function(name, *([z3.IntSort()] * arity), sort)
        self.result = result

    def __call__(self, *tokens: Any) -> Any:
        if len(tokens) != self.declaration.arity() or not all(isinstance(token, Term) for token in tokens):
            raise LiftError(f"{self.declaration.name()} takes {self.declaration.arity()} tokens")
        return wrapped(self.result, self.declaration(*(token.term for token in tokens)))


def symbol(name: str, domain: Domain) -> Any:
    """A symbolic argument."""
    match domain:
        case Record():
            return SymRecord(name, domain)
        case Optional(inner):
            return SymOptional(SymBool(presence(name)), symbol(name, inner))
        case Scalar(sort):
            return wrapped(sort, constant(name, domain))


def wrapped(sort: type, term: z3.ExprRef) -> Term:
    """A term as a value of a type: `bool`, `int`, `str`, an IntEnum, or `SymToken`."""
    if isinstance(term, z3.BoolRef) != (sort is bool):
        raise LiftError(f"{term} is no {sort.__name__}")
    simple = _SIMPLE.get(sort)
    return SymEnum(sort, term) if simple is None else simple(term)


_SIMPLE: dict[type, type[Term]] = {bool: SymBool, int: SymInt, str: SymText, SymToken: SymToken}


def sort_of(value: Any) -> type | None:
    """The type of a symbolic or of Python's own scalar; None for anything else."""
    if isinstance(value, SymEnum):
        return value.cls
    for sort, simple in _SIMPLE.items():
        if isinstance(value, simple):
            return sort
    return type(value) if type(value) in (bool, int) or isinstance(value, IntEnum) else None


def as_term(value: Any, sort: type | None) -> Any:
    """The solver's term of a scalar of a type.

    Raises:
        LiftError: it is of another type; an enum's member is no number here, nor a truth value.
    """
    if sort is None or sort_of(value) is not sort:
        raise LiftError(f"{value!r} is no {getattr(sort, '__name__', 'scalar')}")
    if isinstance(value, Term):
        return value.term
    return z3.BoolVal(value) if sort is bool else z3.IntVal(int(value))


def is_chain(cls: type) -> bool:
    """Whether a class puts an element in front of a list."""
    fields = dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ()
    return [field.name for field in fields] == ["head", "rest"]
