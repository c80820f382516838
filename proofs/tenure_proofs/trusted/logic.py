"""The connectives that statements are written in."""

from __future__ import annotations

from typing import Any

import z3

from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.symbols import SymBool, SymInt, SymOptional, SymRecord


def _terms(parts: tuple[SymBool | bool, ...]) -> list[z3.BoolRef]:
    return [part.term if isinstance(part, SymBool) else z3.BoolVal(part) for part in parts]


def all_of(*parts: SymBool | bool) -> SymBool:
    """True when every part is."""
    return SymBool(z3.And(_terms(parts)) if parts else z3.BoolVal(True))


def any_of(*parts: SymBool | bool) -> SymBool:
    """True when some part is."""
    return SymBool(z3.Or(_terms(parts)) if parts else z3.BoolVal(False))


def negation(part: SymBool | bool) -> SymBool:
    """True when the part is not."""
    return SymBool(z3.Not(*_terms((part,))))


def implies(condition: SymBool | bool, consequence: SymBool | bool) -> SymBool:
    """True unless the condition holds and the consequence does not."""
    return SymBool(z3.Implies(*_terms((condition, consequence))))


def iff(first: SymBool | bool, second: SymBool | bool) -> SymBool:
    """True when both parts have the same truth."""
    left, right = _terms((first, second))
    return SymBool(left == right)


def notion(definition: SymBool) -> SymBool:
    """A condition with a name of its own: it is defined by cases, of which a claim need not have all.

    Whatever looks for cases that never occur takes it for one condition.
    """
    return SymBool(z3.If(definition.term, z3.BoolVal(True), z3.BoolVal(False)))


def is_set(record: SymRecord, field: str) -> SymBool:
    """Whether an optional field of an argument has a value."""
    present: SymBool = _optional(record, field).present
    return present


def value_of(record: SymRecord, field: str) -> Any:
    """The value of an optional field; means something only where `is_set` holds."""
    return _optional(record, field).value


def has_value(record: SymRecord, field: str, value: Any) -> SymBool:
    """Whether an optional field has this very value."""
    return all_of(is_set(record, field), value_of(record, field) == value)


def equal_fields(first: SymRecord, second: SymRecord, *but: str) -> SymBool:
    """Whether two arguments of one class have the same fields, those left out aside."""
    names = [name for name, _ in first._domain.fields if name not in but]
    return notion(all_of(*(_same(getattr(first, name), getattr(second, name)) for name in names)))


def _same(first: Any, second: Any) -> SymBool | bool:
    if not isinstance(first, SymOptional):
        same: SymBool | bool = first == second
        return same
    return all_of(
        iff(first.present, second.present),
        implies(first.present, first.value == second.value),
    )


def quotient(dividend: SymInt, divisor: SymInt) -> SymInt:
    """How often a positive number goes into another, rounded towards minus infinity."""
    return SymInt(dividend.term / divisor.term)


def choose(condition: SymBool, then: SymInt, otherwise: SymInt) -> SymInt:
    """One of two numbers."""
    return SymInt(z3.If(condition.term, then.term, otherwise.term))


def _optional(record: SymRecord, field: str) -> SymOptional:
    symbol = getattr(record, field)
    if not isinstance(symbol, SymOptional):
        raise LiftError(f"{field} is not optional")
    return symbol
