"""A formula holds whatever it is given: a function is traced with arguments of its own, then given others.

What is concrete stays as it is, because the paths depend on it; so does all that a fold's step is handed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import z3

from tenure_proofs.trusted.domains import constant, leaves, presence
from tenure_proofs.trusted.shapes import Built, Formula, Maybe, Members, Passed, Shape
from tenure_proofs.trusted.symbols import (
    SymBool,
    SymEnum,
    SymInt,
    SymOptional,
    SymRecord,
    SymText,
    identity_of,
)

Pairs = list[tuple[z3.ExprRef, z3.ExprRef]]


@dataclass(frozen=True, slots=True)
class Renamed:
    """Arguments with names of their own.

    Args:
        arguments: what a function is traced with.
        identity: what tells these arguments from those of another trace.
        pairs: each of their terms, and the term that is meant.
        records: the name of each record, and the name that is meant.
    """

    arguments: tuple[Any, ...]
    identity: tuple[Any, ...]
    pairs: Pairs
    records: dict[str, str]

    def meant(self, formula: Formula) -> Formula:
        """A formula of these arguments as one of those that are meant."""
        return Formula(self._shape(formula.value), self._term(formula.defined))

    def _term(self, term: Any) -> Any:
        return z3.substitute(term, *self.pairs) if self.pairs else term

    def _shape(self, shape: Shape) -> Shape:
        match shape:
            case Passed(name):
                return Passed(self.records.get(name, name))
            case Built(cls, fields):
                return Built(cls, tuple((field, self._shape(inner)) for field, inner in fields))
            case Maybe(present, value):
                return Maybe(self._term(present), self._term(value))
            case Members(watched, contains):
                return Members(self._term(watched), self._term(contains))
        return self._term(shape)


def renamed(arguments: tuple[Any, ...], identity: Callable[[Any], Any]) -> Renamed:
    """Arguments of their own for all that are symbolic.

    Args:
        arguments: what is meant.
        identity: what tells other arguments apart.
    """
    made: list[Any] = []
    identities: list[Any] = []
    pairs: Pairs = []
    records: dict[str, str] = {}
    for position, argument in enumerate(arguments):
        name = f"argument {position}"
        own = _own(argument, name, pairs)
        if isinstance(own, SymRecord):
            records[name] = argument._name
            identities.append(identity_of(own))
        else:
            identities.append(identity(own))
        made.append(own)
    return Renamed(tuple(made), tuple(identities), pairs, records)


def _own(argument: Any, name: str, pairs: Pairs) -> Any:
    match argument:
        case SymRecord():
            pairs.extend(_leaf_pairs(argument, name))
            return SymRecord(name, argument._domain, argument._fixed)
        case SymOptional():
            own = SymOptional.__new__(SymOptional)
            own.present = _own(argument.present, f"{name}?", pairs)
            own.value = _own(argument.value, name, pairs)
            return own
        case SymEnum():
            return SymEnum(argument.cls, _fresh(argument.term, name, pairs))
        case SymBool() | SymInt() | SymText():
            return type(argument)(_fresh(argument.term, name, pairs))
    return argument


def _leaf_pairs(record: SymRecord, name: str) -> Pairs:
    found: Pairs = []
    theirs = leaves(record._name, record._domain)
    for (leaf, scalar, optional), (meant, _, _) in zip(leaves(name, record._domain), theirs, strict=True):
        found.append((constant(leaf, scalar), constant(meant, scalar)))
        if optional:
            found.append((presence(leaf), presence(meant)))
    return found


def _fresh(term: z3.ExprRef, name: str, pairs: Pairs) -> z3.ExprRef:
    own = z3.Const(name, term.sort())
    pairs.append((own, term))
    return own
