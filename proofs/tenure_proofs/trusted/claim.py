"""What an obligation's statement is written with: symbolic arguments, lifted rules, facts and goals."""

from __future__ import annotations

import typing
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import z3

from tenure.readings import Reading
from tenure_proofs.trusted.ast_lifter import lift
from tenure_proofs.trusted.domains import Domain, LiftError, Optional, Record, Scalar, domain_of, well_typed
from tenure_proofs.trusted.shapes import Built, Formula, Maybe, Passed, Shape
from tenure_proofs.trusted.symbols import (
    SymBool,
    SymEnum,
    SymFunction,
    SymInt,
    SymOptional,
    SymRecord,
    Term,
    symbol,
    wrapped,
)

_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True)
class Call:
    """One use of a lifted function, kept so that a model can be replayed in plain Python."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    formula: Formula


Traces = dict[tuple[Any, ...], Call]
"""Calls that were lifted before, by function and arguments: good for as long as no rule's code changes."""


@dataclass(slots=True)
class Claim:
    """An obligation's statement under one reading.

    Args:
        reading: the reading that the terms are fixed to.
        traces: formulas shared with other claims.
    """

    reading: Reading
    traces: Traces = field(default_factory=dict)
    symbols: dict[str, Domain] = field(default_factory=dict)
    arguments: dict[str, Any] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    facts: list[z3.BoolRef] = field(default_factory=list)
    goals: list[z3.BoolRef] = field(default_factory=list)

    def number(self, name: str) -> Any:
        """An arbitrary whole number: a time, a duration or an amount."""
        return self.argument(name, Scalar(int))

    def numbers(self, *names: str) -> list[Any]:
        """Several of them."""
        return [self.number(name) for name in names]

    def optional_number(self, name: str) -> Any:
        """An arbitrary whole number or None, as an argument of a lifted function."""
        return self.argument(name, Optional(Scalar(int)))

    def flag(self, name: str) -> Any:
        """An arbitrary truth value."""
        return self.argument(name, Scalar(bool))

    def flags(self, *names: str) -> list[Any]:
        """Several of them."""
        return [self.flag(name) for name in names]

    def record(self, name: str, cls: type, fixed: dict[str, Any] | None = None) -> Any:
        """An arbitrary record, a workload for example; of `fixed` fields the values are known."""
        return self.argument(name, domain_of(cls), fixed)

    def records(self, cls: type, *names: str) -> list[Any]:
        """Several of them."""
        return [self.record(name, cls) for name in names]

    def member(self, name: str, enum: type) -> Any:
        """An arbitrary member of an IntEnum."""
        return self.argument(name, domain_of(enum))

    def function(self, name: str, result: type, arity: int) -> SymFunction:
        """A function of whole numbers; it is what the facts say of it, and nothing more."""
        return self._keep(name, SymFunction(name, result, arity))

    def lift(self, function: Callable[..., Any]) -> Lifting:
        """A function as a formula of the arguments it is then called with."""
        return Lifting(self, function)

    def assume(self, *facts: SymBool) -> None:
        """Facts under which the goals are claimed."""
        self.facts.extend(fact.term for fact in facts)

    def grant(self, *facts: SymBool) -> None:
        """Instances of axioms, and ranges of types: they hold of everything, and may say nothing here."""
        self.facts.extend(fact.term for fact in facts)

    def prove(self, *goals: SymBool) -> None:
        """What is claimed."""
        self.goals.extend(goal.term for goal in goals)

    def _keep(self, name: str, made: _Made) -> _Made:
        if "." in name or "?" in name:
            raise LiftError(f"{name} is the name of a part of another argument")
        if name in self.arguments:
            raise LiftError(f"{name} is declared twice")
        self.arguments[name] = made
        return made

    def argument(self, name: str, domain: Domain, fixed: dict[str, Any] | None = None) -> Any:
        """An arbitrary value of a domain."""
        self.symbols[name] = domain
        self.facts.extend(well_typed(name, domain))
        made = SymRecord(name, domain, fixed) if isinstance(domain, Record) else symbol(name, domain)
        return self._keep(name, made)


def _identity(argument: Any) -> Any:
    """What tells two arguments of a lifted function apart, for as long as both are kept."""
    match argument:
        case SymEnum():
            return (argument.cls, argument.term.get_id())
        case Term():
            return (type(argument), argument.term.get_id())
        case SymOptional():
            return (SymOptional, _identity(argument.present), _identity(argument.value))
        case SymRecord():
            fixed = sorted(argument._fixed.items())
            return (argument._domain.cls, argument._name, *((name, _identity(item)) for name, item in fixed))
    return (type(argument), argument)


@dataclass(frozen=True, slots=True)
class Lifting:
    """A function that a statement calls as a formula."""

    claim: Claim
    function: Callable[..., Any]

    def __call__(self, *arguments: Any) -> Lifted:
        """The function's formula of these arguments."""
        key = (self.function, *map(_identity, arguments))
        traces = self.claim.traces
        if key not in traces:
            # With the formula its arguments are kept, so that the numbers of their terms stay theirs.
            traces[key] = Call(self.function, arguments, lift(self.function, *arguments))
        call = traces[key]
        self.claim.calls.append(call)
        return Lifted(self.claim, call)


@dataclass(frozen=True, slots=True)
class Lifted:
    """The result of a lifted function, for use in a statement."""

    claim: Claim
    call: Call

    @property
    def defined(self) -> SymBool:
        """Whether the function returns, rather than raise."""
        return SymBool(self.call.formula.defined)

    @property
    def value(self) -> Any:
        """What it returns. Using it claims as well that the function returns at all."""
        self.claim.goals.append(self.call.formula.defined)
        return self._wrapped(self.call.formula.value, typing.get_type_hints(self.call.function)["return"])

    def field(self, name: str) -> Any:
        """A field of the record it returns, where it returns."""
        cls = typing.get_type_hints(self.call.function)["return"]
        return self._wrapped(self._part(name), typing.get_type_hints(cls)[name])

    def hands_on(self, name: str, argument: Any) -> SymBool:
        """Whether a field of the record it returns is this very argument, handed on unread."""
        part = self._part(name)
        if not isinstance(part, Passed):
            raise LiftError(f"{self.call.function.__name__} hands on no argument as {name}")
        return SymBool(z3.BoolVal(self.claim.arguments[part.name] is argument))

    @property
    def is_set(self) -> SymBool:
        """Whether it returns something other than None."""
        return SymBool(self._maybe().present)

    @property
    def some(self) -> SymInt:
        """The number it returns, where it is not None."""
        return SymInt(self._maybe().value)

    def _part(self, name: str) -> Shape:
        shape = self.call.formula.value
        if not isinstance(shape, Built):
            raise LiftError(f"{self.call.function.__name__} builds no record")
        return dict(shape.fields)[name]

    def _maybe(self) -> Maybe:
        self.claim.goals.append(self.call.formula.defined)
        shape = self.call.formula.value
        if not isinstance(shape, Maybe):
            raise LiftError(f"{self.call.function.__name__} never returns None")
        return shape

    def _wrapped(self, shape: Shape, hint: Any) -> Any:
        if isinstance(shape, Maybe | Built | Passed):
            raise LiftError(f"{self.call.function.__name__} returns no scalar: use is_set, some or field")
        domain = domain_of(hint)
        if not isinstance(domain, Scalar):
            raise LiftError(f"{self.call.function.__name__} returns no scalar")
        return wrapped(domain.sort, shape)
