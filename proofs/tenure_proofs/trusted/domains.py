"""What a symbolic argument ranges over, read from the type that a rule declares for it.

Both lifters name the same solver constants through this module; each wraps them in values of its own.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Iterator
from difflib import get_close_matches
from enum import IntEnum
from typing import Any, TypeAlias

import z3


class LiftError(Exception):
    """A construct that a lifter cannot read. Never a verdict: it makes an obligation an error."""


@dataclasses.dataclass(frozen=True, slots=True)
class Scalar:
    """A whole number, a truth value, a text or a member of an enum.

    Args:
        sort: `int`, `bool`, `str` or the IntEnum. A text is its rank in the order of all texts, so rules
            can compare texts and do nothing else with them.
    """

    sort: type


@dataclasses.dataclass(frozen=True, slots=True)
class Optional:
    """A scalar or None."""

    inner: Scalar


@dataclasses.dataclass(frozen=True, slots=True)
class Record:
    """A frozen dataclass; fields of other types are out of a rule's sight.

    Args:
        cls: the dataclass.
        fields: domain of each field that a rule may read.
    """

    cls: type
    fields: tuple[tuple[str, Domain], ...]

    def field(self, name: str) -> Domain:
        """The domain of a field.

        Raises:
            LiftError: a rule may not read that field.
        """
        for known, domain in self.fields:
            if known == name:
                return domain
        near = "".join(f"; did you mean {known}?" for known in get_close_matches(name, dict(self.fields), 1))
        raise LiftError(f"{self.cls.__name__} has no field {name} that a rule may read{near}")


Domain: TypeAlias = Scalar | Optional | Record


@functools.cache
def domain_of(annotation: Any) -> Domain:
    """The domain of a type.

    Raises:
        LiftError: the type is none that a rule may take.

    >>> domain_of(int | None)
    Optional(inner=Scalar(sort=<class 'int'>))
    """
    if isinstance(annotation, type):
        if annotation in (int, bool, str) or issubclass(annotation, IntEnum):
            return Scalar(annotation)
        if dataclasses.is_dataclass(annotation):
            return Record(annotation, tuple(_readable_fields(annotation)))
    if isinstance(annotation, types.UnionType) or typing.get_origin(annotation) is typing.Union:
        inner = [arm for arm in typing.get_args(annotation) if arm is not type(None)]
        domain = domain_of(inner[0]) if len(inner) == 1 else None
        if isinstance(domain, Scalar):
            return Optional(domain)
    raise LiftError(f"{annotation!r} is no domain: integers, booleans, texts, IntEnums, records, Optional")


def _readable_fields(cls: type) -> Iterator[tuple[str, Domain]]:
    hints = typing.get_type_hints(cls)
    for field in dataclasses.fields(cls):
        try:
            yield field.name, domain_of(hints[field.name])
        except LiftError:
            continue


def constant(name: str, scalar: Scalar) -> z3.ExprRef:
    """The solver constant of a scalar leaf."""
    return z3.Bool(name) if scalar.sort is bool else z3.Int(name)


def presence(name: str) -> z3.BoolRef:
    """The solver constant that says whether an optional leaf is there."""
    return z3.Bool(f"{name}?")


def leaves(name: str, domain: Domain) -> Iterator[tuple[str, Scalar, bool]]:
    """Name, scalar and whether it is optional, of every leaf below a named argument.

    >>> [leaf for leaf, _, _ in leaves("d", Optional(Scalar(int)))]
    ['d']
    """
    match domain:
        case Scalar():
            yield name, domain, False
        case Optional(inner):
            yield name, inner, True
        case Record(_, fields):
            for field, inner_domain in fields:
                yield from leaves(f"{name}.{field}", inner_domain)


def well_typed(name: str, domain: Domain) -> list[z3.BoolRef]:
    """What the types alone promise: an enum is one of its members."""
    return [
        z3.Or([constant(leaf, scalar) == int(member) for member in scalar.sort])
        for leaf, scalar, _ in leaves(name, domain)
        if issubclass(scalar.sort, IntEnum)
    ]
