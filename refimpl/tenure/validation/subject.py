"""One object that is validated, and what its validation depends on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

from tenure.errors import InputError
from tenure.manifests.durations import parse_duration
from tenure.manifests.quantities import parse_quantity
from tenure.manifests.showing import NumberText, Place, show
from tenure.manifests.structure import dig
from tenure.readings import Reading, default_preset, preset
from tenure.validation.faults import Fault, Source


@dataclass(frozen=True, slots=True)
class Subject:
    """An object on its way through the rules.

    Args:
        kind: its kind.
        raw: the object as v1beta2 has it, untrusted: what has the wrong shape counts as absent here, because
            the schema reports it.
        place: how its faults name it, its file and its fields.
        old: the same object before an update; None for a new object.
        gates: feature gates that are known to be on or off; any other has Kueue's default.
        reading: for the rules that depend on one.
    """

    kind: str
    raw: object
    place: Place = field(default_factory=Place)
    old: object = None
    gates: Mapping[str, bool] = field(default_factory=dict)
    reading: Reading = field(default_factory=lambda: preset(default_preset()))

    def get(self, *path: str) -> Any:
        """What stands under a path of keys, None where it ends early."""
        return dig(self.raw, *path)

    @property
    def name(self) -> str:
        """The object's name; empty where it has none."""
        name = self.get("metadata", "name")
        return name if isinstance(name, str) else ""

    @property
    def namespace(self) -> str:
        """The object's name space; `default` where it names none, as for kubectl."""
        name = self.get("metadata", "namespace")
        return name if isinstance(name, str) and name else "default"


Rule: TypeAlias = Callable[[Subject], Iterator[Fault]]
"""A rule about one object."""

Sourced: TypeAlias = tuple[Source, Rule]
"""A rule, and who states it."""


def text(value: object) -> str:
    """Text as it is, anything else as it is shown: a name that is none must not stop the others.

    >>> text("main"), text(["main"])
    ('main', "['main']")
    """
    return value if isinstance(value, str) else show(value)


def quantity(value: object) -> Fraction | None:
    """A quantity, or None where the value is none: the schema reports that.

    >>> quantity("500m"), quantity("half")
    (Fraction(1, 2), None)
    """
    try:
        return parse_quantity(value)
    except InputError:
        return None


def duration(value: object) -> int | None:
    """A duration in nanoseconds, or None where the value is none: the schema reports that.

    >>> duration("1us"), duration(5)
    (1000, None)
    """
    if isinstance(value, NumberText):
        return None
    try:
        return parse_duration(value)
    except InputError:
        return None


def whole(value: Any) -> int | None:
    """A whole number of 64 bits, or None.

    >>> whole(3), whole(True), whole("3")
    (3, None, None)
    """
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    # Beyond 64 bits the schema has refused it, and Python may refuse to print it.
    return value if is_whole and -(2**63) <= value < 2**63 else None
