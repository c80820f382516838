"""An untrusted value against its shape: every deviation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sized
from typing import Any, TypeGuard

from tenure.errors import InputError
from tenure.manifests.durations import parse_duration
from tenure.manifests.quantities import parse_quantity
from tenure.manifests.served import (
    Anything,
    Duration,
    Fields,
    Flag,
    Items,
    Named,
    Number,
    Quantity,
    Shape,
    Text,
    Word,
)
from tenure.manifests.showing import NumberText, listed, printable, show
from tenure.validation.faults import (
    ErrorType,
    Fault,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
    suggestion,
    text,
    wrong_type,
)


def deviations(shape: Shape, value: object, path: str = "") -> Iterator[Fault]:
    """Where a value departs from its shape; one that is null counts as absent, as in Go.

    Args:
        shape: what the schema says.
        value: what was read.
        path: of the value.

    Source: Kubernetes, validation of custom resources against their structural schema.

    >>> shape = Fields({"weight": Quantity()}, required=("weight",))
    >>> [(fault.type.value, fault.field) for fault in deviations(shape, {"wieght": 1}, "spec.fairSharing")]
    [('FieldValueRequired', 'spec.fairSharing.weight'), ('FieldValueForbidden', 'spec.fairSharing.wieght')]
    """
    yield from _LOOK[type(shape)](shape, value, path)


def child(path: str, name: str) -> str:
    """The path of a field of the object at `path`.

    >>> child("", "spec"), child("spec", "preemption")
    ('spec', 'spec.preemption')
    """
    return f"{path}.{printable(name)}" if path else printable(name)


def _fields(shape: Fields, value: object, path: str) -> Iterator[Fault]:
    if not isinstance(value, dict):
        yield wrong_type(path, value, "a map")
        return
    for name in shape.required:
        if value.get(name) is None:
            yield required(child(path, name), "a value")
    for name, found in value.items():
        known = shape.fields.get(name) if isinstance(name, str) else None
        if known is not None:
            if found is not None:
                yield from deviations(known, found, child(path, name))
        elif not shape.open:
            hint = suggestion(name, shape.fields) or f"; there are {listed(sorted(shape.fields))}"
            yield forbidden(child(path, text(name)), found, f"no field of this name{hint}")


def _named(shape: Named, value: object, path: str) -> Iterator[Fault]:
    if not isinstance(value, dict):
        yield wrong_type(path, value, "a map")
        return
    yield from _too_many(shape, value, path, "entries")
    for name, found in value.items():
        yield from deviations(shape.value, found, f"{path}[{printable(text(name))}]")


def _items(shape: Items, value: object, path: str) -> Iterator[Fault]:
    if not isinstance(value, list):
        yield wrong_type(path, value, "a list")
        return
    yield from _too_many(shape, value, path, "items")
    if len(value) < shape.least:
        yield invalid(path, value, f"at least {shape.least} items")
    seen: set[str] = set()
    for i, item in enumerate(value):
        yield from deviations(shape.item, item, f"{path}[{i}]")
        key = _key(shape, item)
        if key is not None and key in seen:
            yield duplicate(f"{path}[{i}]", item.get(shape.key[0]) if isinstance(item, dict) else item)
        if key is not None:
            seen.add(key)


def _too_many(shape: Named | Items, value: Sized, path: str, what: str) -> Iterator[Fault]:
    if shape.most is not None and len(value) > shape.most:
        yield Fault(ErrorType.TOO_MANY, path, f"found {len(value)} {what}, expected at most {shape.most}")


def _key(shape: Items, item: object) -> str | None:
    """What tells an item from another; None where nothing does."""
    if not shape.key:
        return None
    if not isinstance(item, dict):
        return item if isinstance(item, str) else None
    parts = [item.get(name) for name in shape.key]
    return "\0".join(map(str, parts)) if all(isinstance(part, str) for part in parts) else None


def _is_text(value: object) -> TypeGuard[str]:
    # A number keeps its digits as text, and is not text.
    return isinstance(value, str) and not isinstance(value, NumberText)


def _text(shape: Text, value: object, path: str) -> Iterator[Fault]:
    if not _is_text(value):
        yield wrong_type(path, value, "text")
        return
    if shape.longest is not None and len(value) > shape.longest:
        found = f"found {len(value)} characters, expected at most {shape.longest}"
        yield Fault(ErrorType.TOO_LONG, path, found)
    elif len(value) < shape.shortest:
        yield invalid(path, value, f"at least {shape.shortest} characters")
    elif shape.pattern is not None and re.search(shape.pattern, value) is None:
        yield invalid(path, value, f"text that matches {shape.pattern}")


def _word(shape: Word, value: object, path: str) -> Iterator[Fault]:
    if not _is_text(value):
        yield wrong_type(path, value, f"one of {', '.join(shape.words)}")
    elif value not in shape.words:
        yield not_supported(path, value, shape.words)


def _number(shape: Number, value: object, path: str) -> Iterator[Fault]:
    number = _whole(value) if shape.whole else _any_number(value)
    if number is None:
        yield wrong_type(path, value, "a whole number" if shape.whole else "a number")
    elif shape.least is not None and number < shape.least:
        yield invalid(path, value, f"at least {shape.least}")
    elif shape.most is not None and number > shape.most:
        yield invalid(path, value, f"at most {shape.most}")


def _whole(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    # JSON has one kind of number: 5.0 is a whole one.
    return int(value) if isinstance(value, float) and value.is_integer() else None


def _any_number(value: object) -> float | None:
    if isinstance(value, NumberText):
        try:
            return float(value)
        except ValueError:
            return None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _quantity(_: Quantity, value: object, path: str) -> Iterator[Fault]:
    fraction = isinstance(value, NumberText) or (isinstance(value, float) and not value.is_integer())
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        yield wrong_type(path, value, "a quantity such as 4, 500m or 2Gi")
    elif fraction:
        yield wrong_type(path, value, f'a whole number, or text: "{show(value)}"')
    else:
        try:
            parse_quantity(value)
        except InputError as error:
            yield invalid(path, value, error.problems[0].expected)


def _duration(_: Duration, value: object, path: str) -> Iterator[Fault]:
    if not _is_text(value):
        yield wrong_type(path, value, "a duration as text, such as 4h or 1h30m")
        return
    try:
        parse_duration(value)
    except InputError as error:
        yield invalid(path, value, error.problems[0].expected)


def _flag(_: Flag, value: object, path: str) -> Iterator[Fault]:
    if not isinstance(value, bool):
        yield wrong_type(path, value, "true or false")


def _anything(_: Anything, __: object, ___: str) -> Iterator[Fault]:
    yield from ()


# `Any`: a look-up by class, which the type checker cannot follow.
_LOOK: dict[type, Callable[[Any, object, str], Iterator[Fault]]] = {
    Anything: _anything,
    Duration: _duration,
    Fields: _fields,
    Flag: _flag,
    Items: _items,
    Named: _named,
    Number: _number,
    Quantity: _quantity,
    Text: _text,
    Word: _word,
}
