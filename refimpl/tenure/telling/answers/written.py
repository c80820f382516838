"""Answers as JSON writes them, and the schema of that, both from the dataclasses."""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

_ARGUMENT = re.compile(r"^    (\w+): (.*(?:\n      .*)*)", re.MULTILINE)


def written(value: object) -> Any:
    """A value of the shapes as JSON has it: objects with camelCase names, lists, texts, numbers.

    >>> from tenure.telling.findings.counts import PodCount
    >>> written((PodCount("main", 3),))
    [{'podSet': 'main', 'count': 3}]
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        return {camel_case(each.name): written(getattr(value, each.name)) for each in fields}
    if isinstance(value, tuple):
        return [written(each) for each in value]
    return value


def schema_of(shape: type, title: str) -> dict[str, Any]:
    """The JSON Schema (Draft 2020-12) of what `written` makes of a dataclass.

    Descriptions are those of the docstrings.

    Args:
        shape: the dataclass.
        title: of the schema.

    Raises:
        TypeError: a field of a type that no answer has.

    >>> from tenure.telling.findings.counts import PodCount
    >>> schema_of(PodCount, "pods")["required"]
    ['podSet', 'count']
    """
    definitions: dict[str, Any] = {}
    top = _object(shape, definitions)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **top,
        "$defs": dict(sorted(definitions.items())),
    }


def write_schema(folder: Path, name: str, schema: Mapping[str, Any]) -> None:
    """Write a schema as it is published."""
    text = json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
    (folder / f"{name}.schema.json").write_text(text, encoding="utf-8")


def with_warnings(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of an answer of the command line, which has the warnings about its input as well."""
    warnings = {
        "description": "What was assumed or ignored in the input.",
        "type": "array",
        "items": {"type": "string"},
    }
    return {
        **schema,
        "required": [*schema["required"], "warnings"],
        "properties": {**schema["properties"], "warnings": warnings},
    }


def camel_case(name: str) -> str:
    """A name as JSON has it.

    >>> camel_case("cluster_queue")
    'clusterQueue'
    """
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _object(shape: type, definitions: dict[str, Any]) -> dict[str, Any]:
    hints, about = get_type_hints(shape), _described(shape)
    properties = {}
    for each in dataclasses.fields(shape):
        described = {"description": about[each.name]} if each.name in about else {}
        properties[camel_case(each.name)] = {**described, **_type(hints[each.name], definitions)}
    return {
        "description": (inspect.getdoc(shape) or "").splitlines()[0],
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": properties,
    }


def _type(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    if hint in _PLAIN:
        return dict(_PLAIN[hint])
    if get_origin(hint) is tuple:
        return {"type": "array", "items": _type(get_args(hint)[0], definitions)}
    if get_origin(hint) is dict:
        return {"type": "object", "additionalProperties": _type(get_args(hint)[1], definitions)}
    if get_origin(hint) in (types.UnionType, Union):
        return {"anyOf": [_type(each, definitions) for each in get_args(hint)]}
    if not dataclasses.is_dataclass(hint) or not isinstance(hint, type):
        raise TypeError(f"no answer has a field of type {hint}")
    name = camel_case(hint.__name__[0].lower() + hint.__name__[1:]).removesuffix("Shape")
    if name not in definitions:
        definitions[name] = {}  # a shape may hold itself
        definitions[name] = _object(hint, definitions)
    return {"$ref": f"#/$defs/{name}"}


_PLAIN: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
}


def _described(shape: type) -> dict[str, str]:
    """What a docstring says of each field, as the first sentence of a schema does: with a capital letter."""
    doc = inspect.getdoc(shape) or ""
    said = {}
    for name, text in _ARGUMENT.findall(doc):
        flat = " ".join(text.split())
        said[name] = flat[0].upper() + flat[1:] if flat[0].isalpha() else flat
    return said
