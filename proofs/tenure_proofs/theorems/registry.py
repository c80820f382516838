"""`@theorem`: what is claimed of loops that are read from their source, for any number of steps."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from tenure.registration import import_all
from tenure_proofs.stating import stating
from tenure_proofs.theorems.believed import ATTACKED
from tenure_proofs.trusted.induction import Part

Statement: TypeAlias = Callable[..., Iterator[Part]]
"""The parts of a proof; its name is the claim."""

BELIEVED, PYTHON = "believed", "Python"
"""Where no claim proves one: a random search attacks it (`ATTACKED`), or it is about Python itself."""
DEFINED, GIVEN = "definition", "hypothesis"
"""Where one is proved that says what a function of the statement is, or that is the claim's own `if`."""

_ID = re.compile(r"^PO-ANY-\d{3}$")


@dataclass(frozen=True, slots=True)
class Theorem:
    """A claim about a loop, whatever the number of its steps.

    Args:
        id: its identifier, issued once.
        statement: the parts of its proof.
        about: the functions that are read from their source.
        size: of what it holds, in words.
        assumes: what is taken for granted, each with the claim that proves it, or one of the words above.
        modelled: those of `assumes` that no formula says: what stands for a function or a value is made so.
    """

    id: str
    statement: Statement
    about: tuple[Callable[..., Any], ...]
    size: str
    assumes: Mapping[str, str]
    modelled: frozenset[str] = frozenset()

    def __reduce__(self) -> tuple[Callable[[str], Theorem], tuple[str]]:
        """Between processes by its identifier: what a function was compiled from is found in no module."""
        return registered, (self.id,)

    def parts(self, *others: Any, **named: Any) -> Iterator[Part]:
        """The parts of its proof; refused where it asks for the truth of a term.

        Args:
            others, named: functions to read in the place of those that it is about.
        """
        parts: Iterator[Part] = stating(self.statement)(*others, **named)
        return parts

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
    modelled: Collection[str] = (),
) -> Callable[[Statement], Statement]:
    """Register a statement as a theorem.

    Raises:
        ValueError: a malformed identifier, or one in use, a theorem about nothing, `modelled` not assumed, or
            a premise that is BELIEVED and not attacked.
    """
    if not _ID.match(identifier) or identifier in _THEOREMS:
        raise ValueError(f"{identifier!r} is malformed or in use")
    if not about or not size:
        raise ValueError(f"{identifier} says of nothing, or not of how much, what it claims")

    if unknown := set(modelled) - (assumes or {}).keys():
        raise ValueError(f"{identifier} does not assume {sorted(unknown)}")
    believed = {words for words, by in (assumes or {}).items() if by == BELIEVED}
    if spared := believed - ATTACKED.keys():
        raise ValueError(f"{identifier} believes what nothing attacks: {sorted(spared)}")
    # Of what is compiled its source is read.
    plain = tuple(getattr(function, "py_func", function) for function in about)

    def register(statement: Statement) -> Statement:
        _THEOREMS[identifier] = Theorem(
            identifier, statement, plain, size, dict(assumes or {}), frozenset(modelled)
        )
        return statement

    return register


def registered(identifier: str) -> Theorem:
    """The theorem of an identifier."""
    return all_theorems()[identifier]


@cache
def all_theorems() -> Mapping[str, Theorem]:
    """Every theorem, by identifier; who asks for them imports their modules."""
    import_all("tenure_proofs.theorems")
    return {identifier: _THEOREMS[identifier] for identifier in sorted(_THEOREMS)}


def circle(identifier: str, theorems: Mapping[str, Theorem]) -> tuple[str, ...]:
    """How a theorem assumes itself, from one to the next; empty where it does not.

    Args:
        identifier: of one of the theorems.
        theorems: by identifier; what else is assumed is an obligation, which assumes no theorem.
    """
    ways: list[tuple[str, ...]] = [(identifier,)]
    seen = set[str]()
    for way in ways:
        for place in dict.fromkeys(theorems[way[-1]].assumes.values()):
            if place == identifier:
                return (*way, place)
            if place in theorems and place not in seen:
                seen.add(place)
                ways.append((*way, place))
    return ()
