"""What the API server demands of a field: shapes, and those of Kueue's objects as a release has them.

Source: Kueue, the CustomResourceDefinitions of `kueue.x-k8s.io/v1beta2`: `served.json` holds them without
their texts, and `python -m tools.served` writes it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple, TypeAlias

SUBDOMAIN: Final = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
INT32 = (-(2**31), 2**31 - 1)
"""The range of most whole numbers in Kubernetes objects."""
INT64 = (-(2**63), 2**63 - 1)
"""The range of all others."""


class Anything(NamedTuple):
    """A field that is not looked at."""


class Flag(NamedTuple):
    """True or false."""


class Number(NamedTuple):
    """A number that need not be whole, or `whole`, between `least` and `most`, both included."""

    least: int | None = INT32[0]
    most: int | None = INT32[1]
    whole: bool = True


class Quantity(NamedTuple):
    """A Kubernetes quantity: a whole number, or text.

    Args:
        parsed: whether a webhook reads it, so that only the form of the schema must be right.
    """

    parsed: bool = True


class NumberOrText(NamedTuple):
    """A whole number, or text."""


class Instant(NamedTuple):
    """A time of RFC 3339, as text."""


class Duration(NamedTuple):
    """A duration as Go writes it, as text."""


class Text(NamedTuple):
    """Text of `shortest` to `longest` characters, matching `pattern` where there is one."""

    longest: int | None = None
    shortest: int = 0
    pattern: str | None = None


class Word(NamedTuple):
    """One of some words."""

    words: tuple[str, ...]


class Items(NamedTuple):
    """A list of `least` to `most` items, whose fields `key` distinguish them.

    Args:
        key: empty where items may repeat; `("",)` where the items themselves must differ.
    """

    item: Shape
    most: int | None = None
    least: int = 0
    key: tuple[str, ...] = ()


class Named(NamedTuple):
    """A map whose keys are names that the user chose."""

    value: Shape
    most: int | None = None


class Fields(NamedTuple):
    """A map of known fields.

    Args:
        fields: by name.
        required: those that must be there.
        open: whether a name that is not listed passes.
        defaults: what the server fills in where a field is absent or null, by its name.
    """

    fields: Mapping[str, Shape]
    required: tuple[str, ...] = ()
    open: bool = False
    defaults: Mapping[str, Any] = {}


Shape: TypeAlias = (
    Anything
    | Flag
    | Number
    | Quantity
    | NumberOrText
    | Instant
    | Duration
    | Text
    | Word
    | Items
    | Named
    | Fields
)

REFERENCE: Final = Text(longest=253, pattern=SUBDOMAIN)
"""The name of another object."""

_FILE: Final = "served.json"
_RANGES: Final = {"int32": INT32, "int64": INT64}


@cache
def kueue_shape(kind: str) -> Fields:
    """What the schema demands of a whole object of Kueue.

    Args:
        kind: such as `ClusterQueue`.

    >>> spec = kueue_shape("LocalQueue").fields["spec"]
    >>> spec.fields["stopPolicy"].words, spec.defaults["stopPolicy"]
    (('None', 'Hold', 'HoldAndDrain'), 'None')
    """
    shape = _shape(_content()[kind])
    assert isinstance(shape, Fields)
    return shape


def at(shape: Shape, *path: str) -> Shape:
    """The shape of a field below another; through lists and maps without a step of its own.

    The last step may be empty: what the items of a list have.

    >>> at(kueue_shape("ClusterQueue"), "spec", "resourceGroups", "flavors", "name") == REFERENCE
    True
    """
    for name in path:
        while isinstance(shape, Items | Named):
            shape = shape.item if isinstance(shape, Items) else shape.value
        if name:
            assert isinstance(shape, Fields)
            shape = shape.fields[name]
    return shape


def changed(shape: Shape, path: tuple[str, ...], new: Shape | None, **others: Any) -> Any:
    """A shape with another field in it, or without it; `others` replace the map of the field.

    Args:
        shape: of a map, or of lists of it.
        path: of the field; through lists without a step of its own.
        new: its shape; None where there is no such field.
        others: such as `required`.
    """
    if isinstance(shape, Items):
        return shape._replace(item=changed(shape.item, path, new, **others))
    assert isinstance(shape, Fields)
    name, *rest = path
    kept = {key: inner for key, inner in shape.fields.items() if key != name}
    if rest:
        return shape._replace(fields={**kept, name: changed(shape.fields[name], tuple(rest), new, **others)})
    return shape._replace(fields=kept if new is None else {**kept, name: new}, **others)


@cache
def _content() -> Any:
    return json.loads(files("tenure.manifests").joinpath(_FILE).read_text(encoding="utf-8"))


def _shape(schema: Mapping[str, Any]) -> Shape:
    if schema.get("x-kubernetes-int-or-string"):
        return Quantity() if "pattern" in schema else NumberOrText()
    if "enum" in schema:
        return Word(tuple(schema["enum"]))
    make = _OF_TYPE.get(schema.get("type", ""))
    return make(schema) if make is not None else Anything()


def _text(schema: Mapping[str, Any]) -> Shape:
    if schema.get("format") == "date-time":
        return Instant()
    return Text(schema.get("maxLength"), schema.get("minLength", 0), schema.get("pattern"))


def _number(schema: Mapping[str, Any]) -> Shape:
    least, most = _RANGES[schema.get("format", "int64")]
    return Number(max(least, schema.get("minimum", least)), min(most, schema.get("maximum", most)))


def _items(schema: Mapping[str, Any]) -> Shape:
    alone = ("",) if "x-kubernetes-list-type" in schema else ()
    key = tuple(schema.get("x-kubernetes-list-map-keys", alone))
    return Items(_shape(schema["items"]), schema.get("maxItems"), schema.get("minItems", 0), key)


def _map(schema: Mapping[str, Any]) -> Shape:
    if "additionalProperties" in schema:
        return Named(_shape(schema["additionalProperties"]), schema.get("maxProperties"))
    fields = {name: _shape(inner) for name, inner in schema.get("properties", {}).items()}
    required = tuple(sorted(schema.get("required", ())))
    return Fields(fields, required, defaults=schema.get("defaults", {}))


_OF_TYPE: Final[Mapping[str, Callable[[Mapping[str, Any]], Shape]]] = {
    "string": _text,
    "integer": _number,
    "boolean": lambda _: Flag(),
    "array": _items,
    "object": _map,
}
