"""An untrusted value against its shape: every deviation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sized
from functools import cache
from typing import Any, Final, TypeGuard

from tenure.errors import InputError
from tenure.manifests.durations import parse_duration
from tenure.manifests.instants import parse_instant
from tenure.manifests.quantities import parse_quantity
from tenure.manifests.served import (
    INT32,
    INT64,
    Anything,
    Duration,
    Fields,
    Flag,
    Instant,
    Items,
    Named,
    Number,
    NumberOrText,
    Quantity,
    Shape,
    Text,
    Word,
)
from tenure.manifests.showing import NumberText, comma_separated, did_you_mean, printable, show
from tenure.validation.faults import (
    ErrorType,
    Fault,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
    text,
    wrong_type,
)

_NOTHING: Final[tuple[object, ...]] = ("", 0, False, [], {}, None)
_NUMBER: Final = r"([0-9]+(\.[0-9]*)?|\.[0-9]+)"
_QUANTITY: Final = re.compile(rf"[+-]?{_NUMBER}([KMGTPE]i|[numkMGTPE]|[eE][+-]?{_NUMBER})?")
"""What the schema takes for a quantity; not all of it is one. Source: its pattern."""
_LARGEST: Final = 2**53
"""From here on not every whole number of 64 bits with a fraction is one."""


def deviations(shape: Shape, value: object, path: str = "") -> Iterator[Fault]:
    """Where a value departs from its shape; one that is null counts as absent, as in Go.

    Args:
        shape: the shape of the schema.
        value: what was read.
        path: of the value.

    Source: Kubernetes, validation of custom resources against their structural schema.

    >>> shape = Fields({"weight": Quantity()}, required=("weight",))
    >>> [(fault.type.value, fault.field) for fault in deviations(shape, {"wieght": 1}, "spec.fairSharing")]
    [('FieldValueRequired', 'spec.fairSharing.weight'), ('FieldValueForbidden', 'spec.fairSharing.wieght')]
    """
    yield from _LOOK[type(shape)](shape, value, path)


def stored(shape: Shape, value: Any) -> Any:
    """A value with its defaults, and without what Go treats as absent.

    Empty texts, lists and maps, zeros and false count as absent: for Go most of them are. What it does
    distinguish from nothing, a false that is written out for an optional field, is taken as absent too.

    Args:
        shape: the shape of the schema.
        value: what was read.

    Source: Kubernetes, defaulting of custom resources; API machinery, equality.Semantic.

    >>> from tenure.manifests.served import at, kueue_shape
    >>> pod_set = at(kueue_shape("Workload"), "spec", "podSets", "")
    >>> stored(pod_set, {"template": {"spec": {"hostNetwork": False}}})
    {'count': 1, 'name': 'main'}
    """
    if isinstance(shape, Fields) and isinstance(value, dict):
        filled = {**shape.defaults, **{name: inner for name, inner in value.items() if inner is not None}}
        made = {name: stored(shape.fields.get(name, Anything()), inner) for name, inner in filled.items()}
        return {name: inner for name, inner in sorted(made.items()) if inner not in _NOTHING}
    if isinstance(shape, Items) and isinstance(value, list):
        return [stored(shape.item, item) for item in value]
    if isinstance(shape, Named) and isinstance(value, dict):
        return {name: stored(shape.value, inner) for name, inner in value.items()}
    if isinstance(shape, Quantity):
        return _exact(value)
    number = _whole(value) if isinstance(shape, Number) else None
    return value if number is None else number


def _exact(value: object) -> object:
    try:
        return parse_quantity(value)
    except InputError:
        return value


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
            hint = did_you_mean(name, shape.fields) or f"; there are {comma_separated(sorted(shape.fields))}"
            yield forbidden(child(path, text(name)), found, f"no field of this name{hint}")


def _map_entries(shape: Named, value: object, path: str) -> Iterator[Fault]:
    if not isinstance(value, dict):
        yield wrong_type(path, value, "a map")
        return
    yield from _too_many(shape, value, path, "entries")
    for name, found in value.items():
        if found is not None:
            yield from deviations(shape.value, found, f"{path}[{printable(text(name))}]")


def _items(shape: Items, value: object, path: str) -> Iterator[Fault]:
    if not isinstance(value, list):
        yield wrong_type(path, value, "a list")
        return
    yield from _too_many(shape, value, path, "items")
    if len(value) < shape.least:
        yield invalid(path, value, f"at least {shape.least} items")
    seen: set[object] = set()
    for i, item in enumerate(value):
        yield from deviations(shape.item, item, f"{path}[{i}]")
        key = _key(shape, item)
        if key is not None and key in seen:
            yield duplicate(f"{path}[{i}]", item.get(shape.key[0]) if shape.key != ("",) else item)
        if key is not None:
            seen.add(key)


def _too_many(shape: Named | Items, value: Sized, path: str, what: str) -> Iterator[Fault]:
    if shape.most is not None and len(value) > shape.most:
        yield Fault(ErrorType.TOO_MANY, path, f"found {len(value)} {what}, expected at most {shape.most}")


def _key(shape: Items, item: Any) -> object:
    """The key that distinguishes an item from others; None without one."""
    if not shape.key:
        return None
    if shape.key == ("",):
        parts = [item]
    elif isinstance(item, dict):
        defaults = shape.item.defaults if isinstance(shape.item, Fields) else {}
        parts = [defaults.get(name) if item.get(name) is None else item[name] for name in shape.key]
    else:
        return None
    return tuple(parts) if all(isinstance(part, str | int) for part in parts) else None


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
    elif shape.pattern is not None and _compiled(shape.pattern).search(value) is None:
        yield invalid(path, value, f"text that matches {shape.pattern}")


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    # In Go `$` is the end, in Python also before a last line feed.
    return re.compile(re.sub(r"\$$", r"\\Z", pattern))


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
    if not isinstance(value, float | NumberText):
        return None
    # JSON has one kind of number, of 64 bits: 5.0 is a whole one, a larger number is not.
    number = _any_number(value)
    is_whole = number is not None and abs(number) < _LARGEST and number == int(number)
    return int(number) if number is not None and is_whole else None


def _any_number(value: object) -> int | float | None:
    if isinstance(value, NumberText):
        try:
            return float(value)
        except ValueError:
            return None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _quantity(shape: Quantity, value: object, path: str) -> Iterator[Fault]:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        yield wrong_type(path, value, "a quantity such as 4, 500m or 2Gi")
    elif not _is_text(value) and not _is_int64(value):
        yield wrong_type(path, value, f'a whole number of 64 bits, or text: "{show(value)}"')
    elif _is_text(value) and value != value.strip():
        yield invalid(path, value, "a quantity without blanks around it")
    elif shape.parsed or not (isinstance(value, str) and _QUANTITY.fullmatch(value)):
        try:
            parse_quantity(value)
        except InputError as error:
            yield invalid(path, value, error.problems[0].expected)


def _is_int64(value: object) -> bool:
    number = _whole(value)
    return number is not None and INT64[0] <= number <= INT64[1]


def _number_or_text(_: NumberOrText, value: object, path: str) -> Iterator[Fault]:
    number = _whole(value)
    if not _is_text(value) and (number is None or not INT32[0] <= number <= INT32[1]):
        yield wrong_type(path, value, "a whole number of 32 bits, or text")


def _instant(_: Instant, value: object, path: str) -> Iterator[Fault]:
    if not _is_text(value):
        yield wrong_type(path, value, "a time as text, such as 2026-03-02T14:00:00Z")
        return
    try:
        parse_instant(value)
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
    Instant: _instant,
    Items: _items,
    Named: _map_entries,
    Number: _number,
    NumberOrText: _number_or_text,
    Quantity: _quantity,
    Text: _text,
    Word: _word,
}
