"""JSON Schemas of what is written and read, as the types are: dataclasses and pydantic models.

The docstring below a field is its description.
"""

from __future__ import annotations

import ast
import inspect
from itertools import pairwise
from typing import Any, Final

from pydantic.alias_generators import to_camel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import core_schema

from tenure.as_json import adapter_of

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def json_schema(shape: Any, title: str, mode: JsonSchemaMode = "serialization") -> dict[str, Any]:
    """The JSON Schema (Draft 2020-12) of a type.

    Args:
        shape: the type, or a union of some.
        title: of the schema.
        mode: `serialization` for what is written, `validation` for what is read.

    >>> from dataclasses import make_dataclass
    >>> from tenure.as_json import Moment
    >>> json_schema(make_dataclass("Wait", [("ended_at", Moment)]), "a wait")["properties"]
    {'endedAt': {'type': 'string'}}
    """
    made = _plain(adapter_of(shape, described=True).json_schema(schema_generator=_Generator, mode=mode))
    definitions = made.pop("$defs", {})
    top = made["items"]
    if "$ref" in top:
        top = definitions.pop(top["$ref"].rpartition("/")[2])
    return {"$schema": DIALECT, "title": title, **top, "$defs": definitions}


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
            return "serialization_exclude_if" not in field
        return super().field_is_required(field, total)

    def dataclass_field_schema(self, schema: core_schema.DataclassField) -> JsonSchemaValue:
        found: Any = schema["schema"]
        while "serialization_exclude_if" in schema and found["type"] in ("default", "nullable"):
            found = found["schema"]
        return self.generate_inner(found)

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        # Pydantic reads the docstrings of a class, and not those of its bases.
        made = super().dataclass_schema(schema)
        for base in schema["cls"].__mro__[1:-1]:
            for name, text in _described(base):
                made["properties"].get(to_camel(name), {}).setdefault("description", text)
        return made


def _described(shape: type[Any]) -> list[tuple[str, str]]:
    """The fields of a class with their docstrings."""
    (parsed,) = ast.parse(inspect.getsource(shape)).body
    assert isinstance(parsed, ast.ClassDef)
    return [
        (field.target.id, str(below.value.value))
        for field, below in pairwise(parsed.body)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
    ]


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
