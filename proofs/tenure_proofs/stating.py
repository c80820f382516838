"""Making statements, in which no term has a truth; Z3 would answer by how the term is written."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, TypeVar, cast

import z3

from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.symbols import Symbol

_Statement = TypeVar("_Statement", bound=Callable[..., Any])


@contextmanager
def _without_truth() -> Iterator[None]:
    def refuse(term: z3.AstRef) -> NoReturn:
        raise LiftError(f"the truth of {term} was asked for: it may be either")

    before = z3.AstRef.__bool__, Symbol.__bool__
    z3.AstRef.__bool__, Symbol.__bool__ = refuse, _refuse_symbol  # type: ignore[assignment, method-assign]
    try:
        yield
    finally:
        z3.AstRef.__bool__, Symbol.__bool__ = before  # type: ignore[method-assign]


def _refuse_symbol(_: Symbol) -> NoReturn:
    raise LiftError(
        "Python's and, or, not, if and chained comparisons cannot be used on symbolic values: "
        "use all_of, any_of, negation, implies or choose of tenure_proofs.trusted.logic"
    )


def stating(statement: _Statement) -> _Statement:
    """A statement that is refused where it asks for the truth of a term, in each of its parts."""

    @functools.wraps(statement)
    def stated(*arguments: Any, **named: Any) -> Any:
        with _without_truth():
            made = statement(*arguments, **named)
        return _each(made) if isinstance(made, Iterator) else made

    return cast("_Statement", stated)


def _each(parts: Iterator[Any]) -> Iterator[Any]:
    while True:
        with _without_truth():
            try:
                part = next(parts)
            except StopIteration:
                return
        yield part
