"""What stands for a function that another one calls: what it comes to depends on everything it is handed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import z3

from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.loops import Row, State, every
from tenure_proofs.trusted.procedures import Law
from tenure_proofs.trusted.specified import Closure, leaves
from tenure_proofs.trusted.symbols import SymBool, SymInt, SymOptional, SymToken, as_term

INT, BOOL, NEVER = z3.IntSort(), z3.BoolSort(), z3.BoolVal(False)
TOLD = SymToken(z3.IntVal(0))
"""What stands where nothing is looked into."""


def token(name: str) -> SymToken:
    return SymToken(z3.Int(name))


def same(first: Value, second: Value) -> z3.BoolRef:
    """Whether two values are one, whatever it is."""
    match first, second:
        case (SymToken(), SymToken()) | (SymInt(), SymInt()) | (SymBool(), SymBool()):
            equal: z3.BoolRef = first.term == second.term
            return equal
        case SymOptional(), SymOptional():
            return z3.And(same(first.present, second.present), same(first.value, second.value))
        case Made(cls, fields), Made(other, others) if (
            cls is other and fields.keys() == others.keys() != set()
        ):
            return z3.And(*(same(value, others[name]) for name, value in fields.items()))
        case tuple(), tuple() if len(first) == len(second):
            return every([*map(same, first, second)])
        case (Closure() | Law(), Closure() | Law()) if first is not second:
            mine, theirs = leaves(first), leaves(second)
            alike = [term.sort() for term in mine] == [term.sort() for term in theirs]
            return every([one == other for one, other in zip(mine, theirs, strict=True)]) if alike else NEVER
    return z3.BoolVal(first is second)


def only_of(value: Value, *expected: Value) -> Law:
    """A function that comes to a value where it is handed these; of anything else it may come to anything."""
    return Law(lambda _, *handed: value if _are(handed, expected) else anything_like(value))


def refuses_only_of(*expected: Value) -> Law:
    """A function that returns nothing and may raise: nothing is stated where it is handed anything else."""

    def law(_: State, *handed: Value) -> Value:
        if not _are(handed, expected):
            raise LiftError("what may raise is handed another value")
        return None

    return Law(law)


def _are(handed: Sequence[Value], expected: Sequence[Value]) -> bool:
    return len(handed) == len(expected) and z3.is_true(z3.simplify(z3.And(*map(same, handed, expected))))


def anything_like(value: Value, name: str = "anything else") -> Value:
    """An arbitrary value of the same kind."""
    match value:
        case tuple():
            return tuple(anything_like(part, f"{name}, {place}") for place, part in enumerate(value))
        case Made(cls, fields):
            return Made(cls, {part: anything_like(inner, f"{name}.{part}") for part, inner in fields.items()})
        case Row(at=at):
            many, told = z3.Int(f"how many of {name}"), (z3.Int(name),)
            return Row(lambda place: anything_like(at(place), name), many, told=told)
        case SymOptional(present=present, value=inner):
            return SymOptional(anything_like(present, name), anything_like(inner, name))
        case None:
            return None
        case bool() | SymBool():
            return SymBool(z3.Bool(f"{name}?"))
        case SymInt():
            return SymInt(z3.Int(name))
    return token(name)


def known_as(value: Value) -> z3.ArithRef:
    """The number that stands for a token, or for a record by the token that it has without a name."""
    inner = value.fields.get("") if isinstance(value, Made) else value
    if isinstance(value, Made | Row | Law) and not isinstance(inner, SymToken | SymOptional):
        raise LiftError(f"no token stands for {value!r}")
    inner = inner.value if isinstance(inner, SymOptional) else inner
    known: z3.ArithRef = (inner if isinstance(inner, SymToken | SymInt) else token("something else")).term
    return known


def truth_of(value: Value) -> z3.BoolRef:
    """A truth."""
    known = isinstance(value, bool | SymBool)
    return as_term(value if known else SymBool(z3.Bool("something else?")), bool)


def telling(name: str, *kinds: Callable[[Value], Any]) -> Law:
    """A function of which nothing more is said, by what stands for each of its arguments."""
    meaning = z3.Function(name, *(kind(None).sort() for kind in kinds), INT)

    def law(_: State, *handed: Value) -> SymToken:
        if len(handed) != len(kinds):
            return token("anything else")
        return SymToken(meaning(*(kind(value) for kind, value in zip(kinds, handed, strict=True))))

    return Law(law, (z3.Int(f"the function {name}"),))


def called(function: Value, held: State, *given: Value) -> Value:
    """What comes of a function that is handed on; None where it is none."""
    return function.value(held, *given) if isinstance(function, Law) else None


def _partial(_: State, function: Value, *given: Value) -> Law:
    try:
        told = tuple(term for value in (function, *given) for term in leaves(value))
    except LiftError:
        told = ()  # so that it cannot be handed to a function with a specification
    return Law(lambda held, *more: called(function, held, *given, *more), told)


PARTIAL = Law(_partial)
"""`functools.partial`, of positional arguments."""
