"""`@theorem`: what is claimed of loops that are read from their source, for any number of steps."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from tenure.claims import claim_words
from tenure.registration import import_all
from tenure_proofs.stating import stating
from tenure_proofs.theorems.taken import ASSUMED, SHOWN, Uses, watched
from tenure_proofs.trusted.defined import DEFINED
from tenure_proofs.trusted.induction import Part
from tenure_proofs.trusted.specified import GIVEN, INDUCTION

Statement: TypeAlias = Callable[..., Iterator[Part]]
"""The parts of a proof; its name is the claim."""

BELIEVED, PYTHON = "believed", "Python"
"""Where no claim proves one: a random search attacks it (`ATTACKED`), or it is about Python itself."""
KINDS = (BELIEVED, PYTHON, ASSUMED, DEFINED, INDUCTION, GIVEN)
"""What no other claim shows, and why none has to."""

_ID = re.compile(r"^PO-ANY-\d{3}$")


@dataclass(frozen=True, slots=True)
class Theorem:
    """A claim about a loop, whatever the number of its steps.

    Args:
        id: its identifier, issued once.
        statement: the parts of its proof.
        about: the functions that are read from their source.
        size: of what it holds, in words.
    """

    id: str
    statement: Statement
    about: tuple[Callable[..., Any], ...]
    size: str

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
    def uses(self) -> Uses:
        """What it takes for granted, by its words and by what proves it, or one of the words above: how."""
        return used_of(_recorded(self))

    @property
    def shows(self) -> frozenset[str]:
        """What it shows of functions, for claims about what calls them."""
        return frozenset(words for words, by in _recorded(self) if by == SHOWN)

    @property
    def words(self) -> str:
        """The claim in words."""
        return claim_words(self.statement.__name__)

    @property
    def source(self) -> str:
        """What exactly is claimed, as the docstring says."""
        return " ".join((self.statement.__doc__ or "").split())


_THEOREMS: dict[str, Theorem] = {}


def theorem(
    identifier: str, *, size: str, about: tuple[Callable[..., Any], ...] | None = None
) -> Callable[[Statement], Statement]:
    """Register a statement as a theorem, about the functions that it takes unless others are read.

    Raises:
        ValueError: a malformed identifier, or one in use, or a theorem about nothing.
    """
    if not _ID.match(identifier) or identifier in _THEOREMS:
        raise ValueError(f"{identifier!r} is malformed or in use")

    def register(statement: Statement) -> Statement:
        read = inspect.getfullargspec(statement).defaults if about is None else about
        if not read or not size:
            raise ValueError(f"{identifier} says of nothing, or not of how much, what it claims")
        # Of what is compiled its source is read.
        plain = tuple(getattr(function, "py_func", function) for function in read)
        _THEOREMS[identifier] = Theorem(identifier, statement, plain, size)
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


@cache
def _recorded(theorem: Theorem) -> Uses:
    """Recorded while it is stated; no solver is asked."""
    found: Uses = {}
    for _ in watched(theorem.parts, found):
        pass
    return found


def used_of(recorded: Uses) -> Uses:
    """What a claim uses, of all that is recorded while it is stated."""
    return {pair: form for pair, form in recorded.items() if pair[1] not in ("", SHOWN)}


def circle(identifier: str, theorems: Mapping[str, Theorem]) -> tuple[str, ...]:
    """How a theorem assumes itself, from one to the next; empty where it does not.

    Args:
        identifier: of one of the theorems.
        theorems: by identifier; what else is assumed is an obligation, which assumes no theorem.
    """
    ways: list[tuple[str, ...]] = [(identifier,)]
    seen = set[str]()
    for way in ways:
        for place in dict.fromkeys(by for _, by in theorems[way[-1]].uses):
            if place == identifier:
                return (*way, place)
            if place in theorems and place not in seen:
                seen.add(place)
                ways.append((*way, place))
    return ()
