"""JSON Schemas of typed shapes, the manifests' own among them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, get_args

from pydantic import ConfigDict, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from tenure.manifests import fields
from tenure.manifests.limits import MAX_NAME, MAX_TEXT

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


class Shape(fields.Known):
    """An object of which every field is named; what stands below a field describes it."""

    model_config = ConfigDict(use_attribute_docstrings=True, populate_by_name=True)


def json_schema(shape: Any, title: str) -> dict[str, Any]:
    """The JSON Schema (Draft 2020-12) of a shape.

    Args:
        shape: a class of fields, or a union of some.
        title: of the schema.

    >>> class Pods(Shape):
    ...     pod_set: str
    >>> json_schema(Pods, "pods")["required"]
    ['podSet']
    """
    made = TypeAdapter(shape).json_schema(schema_generator=_Generator)
    plain = _plain(made)
    definitions = plain.pop("$defs", {})
    return {"$schema": DIALECT, "title": title, **plain, "$defs": definitions}


def _function_of(field: Any) -> Callable[..., Any]:
    """The function by which a kind of field is read."""
    function: Callable[..., Any] = get_args(field)[1].func
    return function


_FIRST: Final = ("description", "type", "additionalProperties", "required", "properties")
"""Words of a schema, in the order in which they are read; the others follow."""

_QUANTITY = {"type": ["string", "number"]}
_TEXT = {"type": "string", "maxLength": MAX_TEXT}

_WRITTEN: Final[Mapping[Callable[..., Any], dict[str, Any]]] = {
    _function_of(fields.Text): _TEXT,
    _function_of(fields.Name): {**_TEXT, "minLength": 1},
    fields.Metadata.model_fields["name"].metadata[0].func: {
        "type": "string",
        "minLength": 1,
        "maxLength": MAX_NAME,
    },
    _function_of(fields.Quantity): _QUANTITY,
    _function_of(fields.NonNegative): _QUANTITY,
    _function_of(fields.Weight): _QUANTITY,
    _function_of(fields.InstantText): {"type": "string", "format": "date-time"},
    _function_of(fields.DurationText): {"type": "string"},
}
"""How JSON writes the kinds of field that a function reads."""


class _Generator(GenerateJsonSchema):
    """Pydantic's own, which knows no functions; and a default is what a reader does, no part of the shape."""

    def function_plain_schema(self, schema: core_schema.PlainValidatorFunctionSchema) -> JsonSchemaValue:
        return dict(_WRITTEN[schema["function"]["function"]])

    def function_before_schema(self, schema: core_schema.BeforeValidatorFunctionSchema) -> JsonSchemaValue:
        inner = self.generate_inner(schema["schema"])
        if schema["function"]["function"] is not fields.Unset.func:
            return inner
        return {"anyOf": [*inner.get("anyOf", [inner]), {"const": ""}]}

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])


def _plain(node: Any) -> Any:
    """Without the classes' names, and each description on one line."""
    if isinstance(node, list):
        return [_plain(each) for each in node]
    if not isinstance(node, dict):
        return node
    ordered = sorted(
        node.items(), key=lambda item: _FIRST.index(item[0]) if item[0] in _FIRST else len(_FIRST)
    )
    made = {key: _plain(value) for key, value in ordered if not _is_class_name(key, value)}
    if isinstance(made.get("description"), str):
        made["description"] = " ".join(made["description"].split())
    return made


def _is_class_name(key: str, value: object) -> bool:
    # A property may be called title; what it is called then is an object.
    return key == "title" and isinstance(value, str)
