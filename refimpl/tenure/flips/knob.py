"""One field of one object that a flip may change."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

from tenure.flips.situation import Situation
from tenure.oracle.decide import Decision

Value: TypeAlias = int | None
"""Of a field, as the model holds it: a number, a member of an enum, ns; None where it is not set."""

CLOCK, ASKER, OWN_QUEUE, PATH, OTHERS = range(5)
"""How near an object is to the pending workload: among flips of one size the nearest comes first."""


class Knob(ABC):
    """One field of one object.

    A subclass is a frozen dataclass: equal knobs turn the same field.
    """

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
        """How large a change is, from 0 to 1; see `tenure.flips.nearest`."""
        return relative_size(old, new)


class Listed(Knob):
    """A field of which the values that can make a difference are known, so that all of them are tried."""

    @abstractmethod
    def values(self, decision: Decision) -> Iterable[Value]:
        """Every value that may decide otherwise than the field's own; between two of them nothing changes."""


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


def relative_size(old: Value, new: Value) -> float:
    """How far a number moves, as a part of the larger one; 1 for a word, and for what is set or taken away.

    >>> relative_size(100, 101) < relative_size(64, 77) < relative_size(None, 5) == relative_size(-1, 1)
    True
    """
    if old is None or new is None or isinstance(old, IntEnum):
        return 1.0
    return min(1.0, abs(new - old) / max(abs(old), abs(new), 1))
