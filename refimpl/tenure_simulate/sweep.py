"""What is varied: sweeps, and the settings that they come to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from tenure.errors import bad_input
from tenure.readings import preset_names

DURATION: Final = "minAdmitDuration"
READING: Final = "reading"
OFF: Final = "off"
MOST_SETTINGS: Final = 1000


@dataclass(frozen=True, slots=True)
class Sweep:
    """One thing that is varied.

    Args:
        key: `minAdmitDuration`, `reading`, or `KIND/NAME.PATH` as `--set` has it.
        values: what it becomes, one after the other.
    """

    key: str
    values: tuple[str, ...]


def parse_sweep(text: str) -> Sweep:
    """A sweep as the command line has it.

    Raises:
        InputError: it is none, or names no such reading.

    >>> parse_sweep("minAdmitDuration=off,4h")
    Sweep(key='minAdmitDuration', values=('off', '4h'))
    """
    key, _, listed = text.rpartition("=")
    values = tuple(value.strip() for value in listed.split(","))
    if not key or not all(values) or len(set(values)) < len(values):
        raise bad_input("--sweep", text, f"KEY=VALUE,..., different values, such as {DURATION}=off,1h,4h")
    for value in values:
        if key == READING and value not in preset_names():
            raise bad_input("--sweep", value, f"a reading: {', '.join(preset_names())}")
    return Sweep(key, values)


def settings_of(sweeps: Sequence[Sweep]) -> tuple[dict[str, str], ...]:
    """Every combination, the last sweep varying fastest.

    Raises:
        InputError: more than `MOST_SETTINGS`, or a key twice.

    >>> settings_of([Sweep("reading", ("released",)), Sweep("minAdmitDuration", ("off", "4h"))])[1]
    {'reading': 'released', 'minAdmitDuration': '4h'}
    """
    keys = [sweep.key for sweep in sweeps]
    if len(set(keys)) < len(keys):
        raise bad_input("--sweep", ", ".join(keys), "each key once")
    found = tuple(dict(zip(keys, values, strict=True)) for values in product(*(s.values for s in sweeps)))
    if len(found) > MOST_SETTINGS:
        raise bad_input("--sweep", f"{len(found)} settings", f"at most {MOST_SETTINGS}")
    return found
