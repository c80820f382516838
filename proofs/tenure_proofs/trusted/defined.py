"""What a proof defines for itself: sets by what is in them, numbers by recursion; and induction over numbers.

A definition is no assumption: what is defined occurs in it as the recursion allows, and nowhere else. That
is checked. An induction over whole numbers is two parts of the proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.induction import Part
from tenure_proofs.trusted.loops import OWN
from tenure_proofs.trusted.specified import INDUCTION, Taken

DEFINED = "definition"
"""What shows a fact where no other claim does."""

NUMBER = z3.Int(f"{OWN}number")


class Defined(Taken):
    """What a definition says of some values."""

    def __init__(self, formula: z3.BoolRef, words: str) -> None:
        super().__init__(formula, words, DEFINED)


def _mentions(term: z3.ExprRef, what: z3.FuncDeclRef) -> bool:
    left, seen = [term], set[int]()
    while left:
        found = left.pop()
        if found.get_id() not in seen:
            seen.add(found.get_id())
            if z3.is_app(found) and found.decl().eq(what):
                return True
            left += found.children()
    return False


@dataclass(frozen=True, slots=True)
class Members:
    """A set, by what is in it.

    Args:
        term: a constant that stands for it.
        words: what is in it.
        has: whether a number is.
    """

    term: z3.ArrayRef
    words: str
    has: Callable[[Any], z3.BoolRef]

    def at(self, point: Any) -> Defined:
        """What the definition says of a number."""
        if _mentions(self.has(NUMBER), self.term.decl()):
            raise LiftError(f"{self.words!r} is defined by itself")
        return Defined(self.term[point] == self.has(point), self.words)


@dataclass(frozen=True, slots=True)
class Recursion:
    """A number for every whole number from 0 up, and for some other values.

    Args:
        function: what is defined, of the other values and of the number.
        words: what it is.
        start: at 0, of the other values.
        step: at the next number, of the other values, the number, and of what it is there.
    """

    function: z3.FuncDeclRef
    words: str
    start: Callable[..., Any]
    step: Callable[..., Any]

    def at(self, *given: Any) -> Defined:
        """What the definition says at 0, and of a number and the next one."""
        *values, number = given
        here = self.function(*values, number)
        before = z3.Const(f"{OWN}before", here.sort())
        for told in (self.start(*values), self.step(*values, NUMBER, before)):
            if _mentions(z3.simplify(z3.IntVal(told) if isinstance(told, int) else told), self.function):
                raise LiftError(f"{self.words!r} is defined by itself")
        first = self.function(*values, 0) == self.start(*values)
        following = self.function(*values, number + 1) == self.step(*values, number, here)
        return Defined(z3.And(first, z3.Implies(number >= 0, following)), self.words)


@dataclass(frozen=True, slots=True)
class OfEveryNumber:
    """Something holds of every whole number from 0 up, by induction.

    Args:
        words: what it says.
        holds: of arbitrary values and the number.
        values: constants that stand for the arbitrary ones.
        known: definitions and what others show, of these values and the number.
    """

    words: str
    holds: Callable[..., z3.BoolRef]
    values: Sequence[Any]
    known: Callable[..., Sequence[Taken]]

    def parts(self) -> Iterator[Part]:
        """That it holds of 0, and of the next number wherever it holds."""
        known, goal = tuple(self.known(*self.values, NUMBER)), self.holds(*self.values, NUMBER)
        yield Part("first", known, ((self.words, self.holds(*self.values, z3.IntVal(0))),), self.words)
        following = ((self.words, self.holds(*self.values, NUMBER + 1)),)
        yield Part("keeps", (*known, NUMBER >= 0, goal), following, self.words)

    def of(self, *given: Any) -> Taken:
        """That it holds of these values and this number."""
        said = z3.Implies(given[-1] >= 0, self.holds(*given))
        return Taken(said, self.words, INDUCTION)
