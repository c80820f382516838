"""When two formulas of one call say the same."""

from __future__ import annotations

from collections.abc import Iterator

import z3

from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.shapes import Built, Formula, Maybe, Passed, Shape


def terms_of(shape: Shape) -> Iterator[z3.ExprRef]:
    """Every solver term in a shape."""
    match shape:
        case z3.ExprRef():
            yield shape
        case Maybe(present, value):
            yield from (present, value)
        case Built(_, fields):
            for _, inner in fields:
                yield from terms_of(inner)


def same(first: Shape, second: Shape) -> z3.BoolRef:
    """When two shapes are the same value.

    Raises:
        LiftError: they can never be compared, as a record with a number.
    """
    if isinstance(first, Passed) or isinstance(second, Passed):
        return z3.BoolVal(first == second)
    if isinstance(first, Built) and isinstance(second, Built) and first.cls == second.cls:
        return z3.And(
            [same(mine, theirs) for (_, mine), (_, theirs) in zip(first.fields, second.fields, strict=True)]
        )
    if isinstance(first, Maybe) or isinstance(second, Maybe):
        left, right = as_maybe(first), as_maybe(second)
        return z3.And(left.present == right.present, z3.Implies(left.present, left.value == right.value))
    if isinstance(first, z3.ExprRef) and isinstance(second, z3.ExprRef):
        return first == second
    raise LiftError(f"{first!r} and {second!r} have different shapes")


def equivalent(first: Formula, second: Formula) -> z3.BoolRef:
    """When two formulas return in the same cases, and the same value."""
    return z3.And(first.defined == second.defined, z3.Implies(first.defined, same(first.value, second.value)))


def as_maybe(shape: Shape) -> Maybe:
    """A scalar seen as an optional that is always there."""
    if isinstance(shape, Maybe):
        return shape
    if isinstance(shape, z3.ExprRef):
        return Maybe(z3.BoolVal(True), shape)
    raise LiftError(f"{shape!r} is no scalar")
