"""`@defines`: a claim that says of a rule all that it returns; one check for all such claims.

A definition is a second text of the rule, and no consequence of it: a mistake in both is not noticed. So it
is as short as it can be: cases, and what is returned in each.
"""

from __future__ import annotations

import functools
import typing
from collections.abc import Callable, Sequence
from typing import Any

from tenure_proofs.crosscheck.parameters import parameters_of
from tenure_proofs.reached import rules_reached
from tenure_proofs.registry import Statement, obligation
from tenure_proofs.trusted.claim import Claim, Lifted
from tenure_proofs.trusted.logic import all_of, any_of, iff, implies, negation
from tenure_proofs.trusted.symbols import SymBool

Cases = Sequence[tuple[SymBool | bool, Any]]
"""When, and what is returned then; None where nothing is."""

Definition = Callable[..., Any]
"""What a rule returns of its arguments: a value, or cases."""


def defines(
    identifier: str, function: Callable[..., Any], where: Callable[..., Any] | None = None
) -> Callable[[Definition], Statement]:
    """Register a definition of a rule as an obligation about that rule and all that it calls.

    Args:
        identifier: the obligation's.
        function, where: as of `definition_of`.
    """

    def register(says: Definition) -> Statement:
        return obligation(identifier, rules=rules_reached(function))(definition_of(function, where)(says))

    return register


def definition_of(
    function: Callable[..., Any], where: Callable[..., Any] | None = None
) -> Callable[[Definition], Statement]:
    """A statement that a rule returns what a definition says, of all arguments.

    Args:
        function: the rule; its annotations say what its arguments are.
        where: what they are assumed to be; nothing is claimed of others.

    The cases must leave no arguments out; where two overlap, both must hold.
    """

    def stated(says: Definition) -> Statement:
        @functools.wraps(says)
        def statement(claim: Claim) -> None:
            arguments = [claim.argument(name, domain) for name, domain in parameters_of(function).items()]
            if where is not None:
                claim.assume(where(*arguments))
            is_value = _comparison(claim.lift(function)(*arguments), function)
            said = says(*arguments)
            if not isinstance(said, list):
                claim.prove(is_value(said))
                return
            claim.prove(
                any_of(*(case for case, _ in said)),
                *(implies(case, is_value(value)) for case, value in said),
            )

        return statement

    return stated


def _comparison(result: Lifted, function: Callable[..., Any]) -> Callable[[Any], SymBool]:
    """Whether the result is a value."""
    returned = typing.get_type_hints(function)["return"]
    if type(None) in typing.get_args(returned):
        there, some = result.is_set, result.some
        return lambda value: negation(there) if value is None else all_of(there, some == value)
    found = result.value
    if returned is bool:
        return lambda value: iff(found, value)
    return lambda value: SymBool((found == value).term)
