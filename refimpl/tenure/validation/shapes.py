"""The kinds of shape that a field can have, as the schemas of custom resources describe them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

INT32 = (-(2**31), 2**31 - 1)
"""The range of most whole numbers in Kubernetes objects."""


@dataclass(frozen=True, slots=True)
class Anything:
    """A field that is not looked at."""


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number that need not be whole, or `whole`, between `least` and `most`, both included."""

    least: int | None = INT32[0]
    most: int | None = INT32[1]
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Quantity:
    """A Kubernetes quantity: a whole number, or text."""


@dataclass(frozen=True, slots=True)
class Duration:
    """A duration as Go writes it, as text."""


@dataclass(frozen=True, slots=True)
class Text:
    """Text of `shortest` to `longest` characters, matching `pattern` where there is one."""

    longest: int | None = None
    shortest: int = 0
    pattern: str | None = None


@dataclass(frozen=True, slots=True)
class Word:
    """One of some words."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Items:
    """A list of `least` to `most` items, in which the fields `key` tell one from another.

    Args:
        key: empty where items may repeat; `("",)` where the items themselves must differ.
    """

    item: Shape
    most: int | None = None
    least: int = 0
    key: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Named:
    """A map whose keys are names that the user chose."""

    value: Shape
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Fields:
    """A map of known fields.

    Args:
        fields: by name.
        required: those that must be there.
        open: whether a name that is not listed passes.
    """

    fields: Mapping[str, Shape]
    required: tuple[str, ...] = ()
    open: bool = False


Shape: TypeAlias = Anything | Flag | Number | Quantity | Duration | Text | Word | Items | Named | Fields
