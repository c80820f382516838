"""From a solver's values back to Python objects, and whether Python then agrees with the formula."""

from __future__ import annotations

import dataclasses
from enum import IntEnum
from typing import Any

import z3

from tenure_proofs.trusted.claim import Call
from tenure_proofs.trusted.domains import Domain, Optional, Record, Scalar, constant, presence
from tenure_proofs.trusted.shapes import Built, Maybe, Passed, Shape
from tenure_proofs.trusted.symbols import (
    SymBool,
    SymEnum,
    SymFunction,
    SymInt,
    SymOptional,
    SymRecord,
    SymText,
)

_TEXT_BIAS = 10**24


def text_of(rank: int) -> str:
    """A text for a rank, in the same order as the ranks.

    >>> text_of(-1) < text_of(0) < text_of(1)
    True
    """
    return f"{rank + _TEXT_BIAS:025d}"


def rank_of(text: str) -> int:
    """The rank that a text was made for.

    >>> rank_of(text_of(-7))
    -7
    """
    return int(text) - _TEXT_BIAS


def concrete(argument: Any, model: z3.ModelRef) -> Any:
    """The Python value of a symbolic argument under a solver's values."""
    match argument:
        case SymRecord():
            return _record(argument, model)
        case SymOptional():
            return concrete(argument.value, model) if _truth(argument.present.term, model) else None
        case SymBool():
            return _truth(argument.term, model)
        case SymText():
            return text_of(_whole(argument.term, model))
        case SymEnum():
            return argument.cls(_whole(argument.term, model))
        case SymInt():
            return _whole(argument.term, model)
        case SymFunction():
            return Table(argument, model)
    return argument


class Table:
    """A function as a solver's values tell it, and what it was asked."""

    def __init__(self, function: SymFunction, model: z3.ModelRef) -> None:
        self._ask: tuple[SymFunction, z3.ModelRef] | None = (function, model)
        self._said: dict[tuple[int, ...], int | bool] = {}

    def __call__(self, *tokens: int) -> Any:
        """What the function says of these tokens."""
        if tokens not in self._said:
            assert self._ask is not None, "a table from another process says only what it was asked there"
            function, model = self._ask
            term = function(*(SymInt(z3.IntVal(token)) for token in tokens)).term
            self._said[tokens] = _truth(term, model) if function.result is bool else _whole(term, model)
        return self._said[tokens]

    def __getstate__(self) -> dict[str, Any]:
        # A solver's values cannot leave their process.
        return {"_ask": None, "_said": self._said}

    def __str__(self) -> str:
        return "; ".join(f"{', '.join(map(str, tokens))}: {said}" for tokens, said in self._said.items())


def build(domain: Domain, name: str, model: z3.ModelRef) -> Any:
    """The Python value of a named argument under a solver's values."""
    match domain:
        case Record(cls, fields):
            return cls(**{field: build(inner, f"{name}.{field}", model) for field, inner in fields})
        case Optional(inner):
            return build(inner, name, model) if _truth(presence(name), model) else None
        case Scalar(sort):
            if sort is bool:
                return _truth(constant(name, domain), model)
            number = _whole(constant(name, domain), model)
            if sort is str:
                return text_of(number)
            return sort(number) if issubclass(sort, IntEnum) else number


def replay(call: Call, model: z3.ModelRef) -> str:
    """Run a lifted function in plain Python on the solver's values.

    Returns:
        empty when Python agrees with the formula, else what differs.
    """
    arguments = [concrete(argument, model) for argument in call.arguments]
    defined = _truth(call.formula.defined, model)
    name = call.function.__name__
    try:
        result = call.function(*arguments)
    except Exception as error:  # noqa: BLE001 - raising is what an undefined formula says
        return f"{name} raises {error!r} where the formula is defined" if defined else ""
    if not defined:
        return f"{name} returns {result!r} where the formula is undefined"
    return "" if agrees(result, call.formula.value, model) else f"{name} returns {result!r}, the formula not"


def agrees(result: Any, shape: Shape, model: z3.ModelRef) -> bool:
    """Whether a Python result is what a shape says under a solver's values."""
    match shape:
        case Passed():
            return True
        case Built(_, fields):
            return all(agrees(getattr(result, field), inner, model) for field, inner in fields)
        case Maybe(present, value):
            if result is None or not _truth(present, model):
                return result is None and not _truth(present, model)
            return agrees(result, value, model)
    if isinstance(result, bool):
        return _truth(shape, model) is result
    if isinstance(result, str):
        return text_of(_whole(shape, model)) == result
    return _whole(shape, model) == int(result)


def _record(argument: SymRecord, model: z3.ModelRef) -> Any:
    made = build(argument._domain, argument._name, model)
    return dataclasses.replace(made, **argument._fixed) if argument._fixed else made


def _truth(term: z3.BoolRef, model: z3.ModelRef) -> bool:
    return bool(z3.is_true(model.eval(term, model_completion=True)))


def _whole(term: z3.ExprRef, model: z3.ModelRef) -> int:
    value = model.eval(term, model_completion=True)
    return int(value.as_long())
