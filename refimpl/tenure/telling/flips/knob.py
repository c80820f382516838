"""One field of one object that a flip may change."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar, TypeAlias

from tenure.oracle.decide import Decision
from tenure.telling.flips.situation import Situation

Value: TypeAlias = int | None
"""Of a field, as the model holds it: a number, a member of an enum, ns; None where it is not set."""

CLOCK, ASKER, OWN_QUEUE, PATH, OTHERS = range(5)
"""How near an object is to the pending workload: among flips of one size the nearest comes first."""


class Knob(ABC):
    """One field of one object.

    A subclass is a frozen dataclass: equal knobs turn the same field.
    """

    fine: ClassVar[bool] = False
    """Whether its unit is finer than what people write, as a nanosecond or a byte is."""

    @property
    @abstractmethod
    def object(self) -> str:
        """The object, as `ClusterQueue/team-a`."""

    @property
    @abstractmethod
    def field(self) -> str:
        """The field's path in the manifest."""

    @property
    def about(self) -> str:
        """What the last part of the path is about, where that needs words; else empty."""
        return ""

    @property
    def kind(self) -> tuple[str, str]:
        """What knobs of several objects have in common: the last part of the path, and what it is about."""
        return (self.field.rsplit(".", 1)[-1], self.about)

    @abstractmethod
    def read(self, situation: Situation) -> Value:
        """The value that the field has."""

    @abstractmethod
    def write(self, situation: Situation, value: Value) -> Situation:
        """The situation with another value in this field, and nothing else changed."""

    @abstractmethod
    def show(self, value: Value) -> str:
        """A value as the manifest writes it."""

    def size(self, old: Value, new: Value) -> float:
        """How large a change is, from 0 to 1; see `tenure.telling.flips.nearest`."""
        return relative_size(old, new)

    def is_plainer(self, value: Value, than: Value) -> bool:
        """Whether one value is written much shorter than another, which is one unit away; neither is None."""
        return self.fine and is_shorter(self.show(value), self.show(than))


class Listed(Knob):
    """A field of which the values that can make a difference are known, so that all of them are tried."""

    @property
    def exhaustive(self) -> bool:
        """Whether nothing changes between two of its values; otherwise they are a choice of round ones."""
        return True

    @abstractmethod
    def values(self, decision: Decision) -> Iterable[Value]:
        """Every value that is tried besides the field's own."""


@dataclass(frozen=True, slots=True)
class Range:
    """Where a measured field is searched.

    Args:
        start: where the search begins: the field's value, or the number that an unset one amounts to.
        low, high: the ends, both included.
        granule: a step that most amounts in play are multiples of, at least 1.
    """

    start: int
    low: int
    high: int
    granule: int


class Measured(Knob):
    """A field with too many values to try them all, which is searched by doubling and halving."""

    @abstractmethod
    def range(self, decision: Decision) -> Range:
        """Where to search."""


def is_shorter(text: str, than: str) -> bool:
    """Whether a text says a number so much shorter that it is the plainer one.

    >>> is_shorter("4Gi", than="4294967295"), is_shorter("9", than="10")
    (True, False)
    """
    return len(than) - len(text) >= 2  # a carry alone makes one digit of difference


def relative_size(old: Value, new: Value) -> float:
    """How far a number moves, as a part of the larger one; 1 for a word, and for what is set or taken away.

    >>> relative_size(100, 101) < relative_size(64, 77) < relative_size(None, 5) == relative_size(-1, 1)
    True
    """
    if old is None or new is None or isinstance(old, IntEnum):
        return 1.0
    return min(1.0, abs(new - old) / max(abs(old), abs(new), 1))
