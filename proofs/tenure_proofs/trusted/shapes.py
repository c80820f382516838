"""What a lifted function returns: solver terms in the shape of the Python result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import z3


@dataclass(frozen=True, slots=True)
class Maybe:
    """A result that may be None: `present` says when it is not."""

    present: z3.BoolRef
    value: z3.ExprRef


@dataclass(frozen=True, slots=True)
class Built:
    """A record that the function constructed.

    Args:
        cls: name of its class.
        fields: shape of every field.
    """

    cls: str
    fields: tuple[tuple[str, Shape], ...]


@dataclass(frozen=True, slots=True)
class Passed:
    """An argument that the function handed on unread, by its name."""

    name: str


Shape: TypeAlias = "z3.ExprRef | Maybe | Built | Passed"


@dataclass(frozen=True, slots=True)
class Formula:
    """A function as a formula.

    Args:
        value: what it returns, wherever it returns.
        defined: when it returns at all, rather than raise.
    """

    value: Shape
    defined: z3.BoolRef
