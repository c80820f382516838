"""How answers are written as JSON, as their types are: dataclasses, whose fields JSON has in camelCase."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Annotated, Any, TypeAlias, TypeVar, get_args, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, TypeAdapter
from pydantic.alias_generators import to_camel

from tenure.model import Duration, Instant
from tenure.units import format_duration, format_instant
from tenure.versions import kueue_version

Moment: TypeAlias = Annotated[Instant, PlainSerializer(format_instant, return_type=str)]
"""A time that JSON writes as RFC 3339 does."""

Span: TypeAlias = Annotated[Duration, PlainSerializer(format_duration, return_type=str)]
"""A duration that JSON writes as Go does."""

KueueRelease: TypeAlias = Annotated[str, Field(pattern=r"^0\.\d+(\+proposals)?$")]
"""The Kueue that an answer is about: a release, or one with all that the proposals add."""

KueueVersion: TypeAlias = Annotated[str | None, PlainSerializer(kueue_version, return_type=KueueRelease)]
"""The same, as `--kueue` takes it; None for all that the proposals add."""

_Value = TypeVar("_Value")

IfAny = Annotated[_Value | None, Field(exclude_if=lambda value: value is None)]
"""A value that JSON omits if None."""


class Shape(BaseModel):
    """An object that is read or described, and has no other fields than these."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        alias_generator=to_camel,
        populate_by_name=True,
    )


# Of the classes that inherit it: reading the docstrings of one without fields takes time too.
Shape.model_config["use_attribute_docstrings"] = True


def as_json(value: object) -> Any:
    """A record as JSON has it: objects with camelCase names, lists, texts, numbers.

    Args:
        value: an instance of a dataclass.

    >>> from dataclasses import make_dataclass
    >>> as_json(make_dataclass("Wait", [("ended_at", Moment), ("length", Span)])(0, 90 * 10**9))
    {'endedAt': '1970-01-01T00:00:00Z', 'length': '1m30s'}
    """
    shape: Any = type(value)
    return _writer(shape).dump_python([value], mode="json", by_alias=True)[0]


def columns_of(shape: Any) -> Iterator[str]:
    """The names that JSON has in every record of a type, dotted for what is nested.

    Args:
        shape: a dataclass, or any other type, which has none.

    >>> from dataclasses import make_dataclass
    >>> place = make_dataclass("Place", [("line_number", int)])
    >>> [*columns_of(make_dataclass("Found", [("name", str), ("found_at", place | None)]))]
    ['name', 'foundAt.lineNumber']
    """
    if not is_dataclass(shape):
        return
    hints = get_type_hints(shape)
    for field in fields(shape):
        arms = get_args(hints[field.name]) if isinstance(hints[field.name], UnionType) else ()
        name = to_camel(field.name)
        below = [column for arm in arms or [hints[field.name]] for column in columns_of(arm)]
        yield from (f"{name}.{column}" for column in below) if below else [name]


@cache
def _writer(shape: type[Any]) -> TypeAdapter[Any]:
    return adapter_of(shape, described=False)


def adapter_of(shape: Any, *, described: bool) -> TypeAdapter[Any]:
    """What writes and describes lists of a type.

    Args:
        shape: the type, or a union of some.
        described: whether docstrings are read from the sources, which takes time.
    """
    # The configuration that is given with a list is that of every dataclass in it: none needs its own.
    config = ConfigDict(alias_generator=to_camel, extra="forbid", use_attribute_docstrings=described)
    return TypeAdapter(list[shape], config=config)
