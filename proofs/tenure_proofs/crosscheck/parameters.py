"""A function by itself: what its parameters range over, and its formula of them."""

from __future__ import annotations

import typing
from collections.abc import Callable
from typing import Any

import z3

from tenure_proofs.trusted.ast_lifter import lift
from tenure_proofs.trusted.domains import Domain, domain_of, well_typed
from tenure_proofs.trusted.shapes import Formula
from tenure_proofs.trusted.symbols import symbol


def parameters_of(function: Any) -> dict[str, Domain]:
    """The domain of every parameter of a rule, by name, from its annotations.

    >>> def later(first: int, second: int) -> bool: ...
    >>> list(parameters_of(later))
    ['first', 'second']
    """
    hints = typing.get_type_hints(function)
    return {name: domain_of(hint) for name, hint in hints.items() if name != "return"}


def well_typed_parameters(function: Any) -> list[z3.BoolRef]:
    """What the types of all of a function's parameters promise."""
    return [fact for name, domain in parameters_of(function).items() for fact in well_typed(name, domain)]


def own_symbols(function: Any) -> list[Any]:
    """A symbol for every parameter, by the parameter's name."""
    return [symbol(name, domain) for name, domain in parameters_of(function).items()]


def formula_of(function: Callable[..., Any]) -> Formula:
    """What the syntax lifter reads of a function of its own parameters."""
    return lift(function, *own_symbols(function))
