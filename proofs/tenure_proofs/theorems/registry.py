"""`@theorem`: what is claimed of loops that are read from their source, for any number of steps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from tenure_proofs.trusted.induction import Part

Statement: TypeAlias = Callable[..., Iterator[Part]]
"""The parts of a proof; its name is the claim."""

BELIEVED = "believed"
"""Where an assumption is proved that is not."""

_ID = re.compile(r"^PO-ANY-\d{3}$")


@dataclass(frozen=True, slots=True)
class Theorem:
    """A claim about a loop, whatever the number of its steps.

    Args:
        id: its identifier, issued once.
        statement: the parts of its proof.
        about: the functions that are read from their source.
        size: of what it holds, in words.
        assumes: what is taken for granted, each with the place where it is proved, or BELIEVED.
    """

    id: str
    statement: Statement
    about: tuple[Callable[..., Any], ...]
    size: str
    assumes: Mapping[str, str]

    def __reduce__(self) -> tuple[Callable[[str], Theorem], tuple[str]]:
        """Between processes by its identifier: what a kernel was compiled from is found in no module."""
        return registered, (self.id,)

    @property
    def words(self) -> str:
        """The claim in words."""
        return self.statement.__name__.replace("_", " ")

    @property
    def source(self) -> str:
        """What exactly is claimed, as the docstring says."""
        return " ".join((self.statement.__doc__ or "").split())


_THEOREMS: dict[str, Theorem] = {}


def theorem(
    identifier: str,
    *,
    about: tuple[Callable[..., Any], ...],
    size: str,
    assumes: Mapping[str, str] | None = None,
) -> Callable[[Statement], Statement]:
    """Register a statement as a theorem.

    Raises:
        ValueError: a malformed identifier, or one in use, or a theorem about nothing.
    """
    if not _ID.match(identifier) or identifier in _THEOREMS:
        raise ValueError(f"{identifier!r} is malformed or in use")
    if not about or not size:
        raise ValueError(f"{identifier} says of nothing, or not of how much, what it claims")

    # Of what is compiled its source is read.
    plain = tuple(getattr(function, "py_func", function) for function in about)

    def register(statement: Statement) -> Statement:
        _THEOREMS[identifier] = Theorem(identifier, statement, plain, size, dict(assumes or {}))
        return statement

    return register


def registered(identifier: str) -> Theorem:
    """The theorem of an identifier; only asking for one imports the list, and with it the core's compiler."""
    import tenure_proofs.theorems.listed  # noqa: F401

    return _THEOREMS[identifier]


def all_theorems() -> Mapping[str, Theorem]:
    """Every registered theorem, by identifier."""
    return {identifier: _THEOREMS[identifier] for identifier in sorted(_THEOREMS)}
