"""Making statements, in which no term has a truth; Z3 would answer by how the term is written."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, TypeVar, cast

import z3

from tenure_proofs.trusted.domains import LiftError

_Statement = TypeVar("_Statement", bound=Callable[..., Any])


@contextmanager
def _without_truth() -> Iterator[None]:
    def refuse(term: z3.AstRef) -> NoReturn:
        raise LiftError(f"the truth of {term} was asked for: it may be either")

    before = z3.AstRef.__bool__
    z3.AstRef.__bool__ = refuse
    try:
        yield
    finally:
        z3.AstRef.__bool__ = before


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
