"""How answers are written as JSON, and JSON Schemas of what is written and read: both follow from the types.

A type is a dataclass, a `TypedDict` or a pydantic model. The docstring below a field is its description; JSON
has the field's name in camelCase.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Final, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, TypeAdapter
from pydantic.alias_generators import to_camel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import core_schema

from tenure.model import Duration, Instant
from tenure.units import format_duration, format_instant
from tenure.versions import kueue_asked

Moment: TypeAlias = Annotated[Instant, PlainSerializer(format_instant, return_type=str)]
"""A time that JSON writes as RFC 3339 does."""

Span: TypeAlias = Annotated[Duration, PlainSerializer(format_duration, return_type=str)]
"""A duration that JSON writes as Go does."""

KueueRelease: TypeAlias = Annotated[str, Field(pattern=r"^0\.\d+(\+proposals)?$")]
"""The Kueue that an answer is about: a release, or one with all that the proposals add."""

KueueAsked: TypeAlias = Annotated[str | None, PlainSerializer(kueue_asked, return_type=KueueRelease)]
"""The same, as `--kueue` says it; None for all that the proposals add."""

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


class Shape(BaseModel):
    """An object that is read or described, and has no other fields than these."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        alias_generator=to_camel,
        use_attribute_docstrings=True,
        populate_by_name=True,
    )


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


def json_schema(shape: Any, title: str, mode: JsonSchemaMode = "serialization") -> dict[str, Any]:
    """The JSON Schema (Draft 2020-12) of a type.

    Args:
        shape: the type, or a union of some.
        title: of the schema.
        mode: `serialization` for what is written, `validation` for what is read.

    >>> class Wait(Shape):
    ...     ended_at: Moment
    >>> json_schema(Wait, "a wait")["properties"]
    {'endedAt': {'type': 'string'}}
    """
    made = _plain(_adapter(shape, described=True).json_schema(schema_generator=_Generator, mode=mode))
    definitions = made.pop("$defs", {})
    top = made["items"]
    if "$ref" in top:
        top = definitions.pop(top["$ref"].rpartition("/")[2])
    return {"$schema": DIALECT, "title": title, **top, "$defs": definitions}


@cache
def _writer(shape: type[Any]) -> TypeAdapter[Any]:
    return _adapter(shape, described=False)


def _adapter(shape: Any, *, described: bool) -> TypeAdapter[Any]:
    # The configuration that is given with a list is that of every dataclass in it: none needs its own.
    # Descriptions are read from the sources, which takes time.
    config = ConfigDict(alias_generator=to_camel, extra="forbid", use_attribute_docstrings=described)
    return TypeAdapter(list[shape], config=config)


_FIRST: Final = ("description", "type", "additionalProperties", "required", "properties")
"""Words of a schema, in the order in which they are read; the others follow."""


class _Generator(GenerateJsonSchema):
    """Pydantic's own. Defaults are the reader's, no part of a shape; what is written has every field."""

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def field_is_required(
        self,
        field: core_schema.ModelField | core_schema.DataclassField | core_schema.TypedDictField,
        total: bool,
    ) -> bool:
        if field["type"] == "dataclass-field" and self.mode == "serialization":
            return True
        return super().field_is_required(field, total)


def _plain(node: Any) -> Any:
    """Without the types' names, and of each docstring the first paragraph, on one line."""
    if isinstance(node, list):
        return [_plain(part) for part in node]
    if not isinstance(node, dict):
        return node
    ordered = sorted(
        node.items(), key=lambda item: _FIRST.index(item[0]) if item[0] in _FIRST else len(_FIRST)
    )
    made = {key: _plain(value) for key, value in ordered if not _is_type_name(key, value)}
    if isinstance(made.get("description"), str):
        made["description"] = " ".join(made["description"].partition("\n\n")[0].split())
    return made


def _is_type_name(key: str, value: object) -> bool:
    # A property may be called title; what it is called then is an object.
    return key == "title" and isinstance(value, str)
