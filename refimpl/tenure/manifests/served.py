"""What the API server demands of a field, read off the types by which manifests are read.

A type says it where both agree. `Annotated` adds what the server demands beyond: one of these shapes in place
of the type's own, or `Served` for a list and for whether a field must be there.

Source: Kueue, the CustomResourceDefinitions of `kueue.x-k8s.io/v1beta2`; a test compares them with these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NamedTuple,
    Required,
    TypeAlias,
    get_args,
    get_origin,
    get_type_hints,
)

from typing_extensions import is_typeddict

SUBDOMAIN: Final = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
LABEL: Final = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
INT32 = (-(2**31), 2**31 - 1)
"""The range of most whole numbers in Kubernetes objects."""


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
    """A Kubernetes quantity: a whole number, or text."""


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
    """A list of `least` to `most` items, in which the fields `key` tell one from another.

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
    """

    fields: Mapping[str, Shape]
    required: tuple[str, ...] = ()
    open: bool = False


Shape: TypeAlias = Anything | Flag | Number | Quantity | Duration | Text | Word | Items | Named | Fields

REFERENCE: Final = Text(longest=253, pattern=SUBDOMAIN)
"""The name of another object."""


class Served(NamedTuple):
    """What the server demands of a field beside its type.

    Args:
        required: whether it must be there; None where the type says so.
        most, least, key: of a list, or of a map whose keys the user chose.
        open: whether the items of a list may have fields that are not listed.
    """

    required: bool | None = None
    most: int | None = None
    least: int = 0
    key: tuple[str, ...] = ()
    open: bool = False


_SHAPES: Final = get_args(Shape)
_PLAIN: Final[Mapping[Any, Shape]] = {str: Text(), bool: Flag(), Fraction: Quantity(), Any: Anything()}


def shape_of(model: Any) -> Fields:
    """What the server demands of an object that a type describes.

    Args:
        model: a model or a TypedDict of the schemas.

    >>> from tenure.manifests.workload_schema import ReclaimablePod
    >>> shape_of(ReclaimablePod).fields["count"]
    Number(least=0, most=2147483647, whole=True)
    """
    if is_typeddict(model):
        hints = get_type_hints(model, include_extras=True)
        needed = {name for name, hint in hints.items() if get_origin(hint) is Required}
        noted, config = {name: _noted(hint) for name, hint in hints.items()}, model.__pydantic_config__
    else:
        known = {field.alias or name: field for name, field in model.model_fields.items()}
        needed = {name for name, field in known.items() if field.is_required()}
        noted = {name: _noted(field.annotation, field.metadata) for name, field in known.items()}
        config = model.model_config
    asked = {name: _served(notes).required for name, (_, notes) in noted.items()}
    return Fields(
        {name: _shape(*noted[name]) for name in sorted(noted)},
        required=tuple(
            name for name in sorted(noted) if (name in needed if asked[name] is None else asked[name])
        ),
        open=config["extra"] == "ignore",
    )


def _noted(hint: Any, beside: Sequence[Any] = ()) -> tuple[Any, list[Any]]:
    """A type without what is noted of it, and the notes, the outermost first."""
    notes = list(reversed(beside))
    while True:
        if get_origin(hint) is Annotated:
            notes += reversed(hint.__metadata__)
            hint = hint.__origin__
        elif get_origin(hint) is Required:
            (hint,) = get_args(hint)
        elif type(None) in get_args(hint):
            (hint,) = (part for part in get_args(hint) if part is not type(None))
        else:
            return hint, notes


def _served(notes: list[Any]) -> Served:
    return next((note for note in notes if isinstance(note, Served)), Served())


def _shape(hint: Any, notes: list[Any]) -> Shape:
    shape: Shape | None = next((note for note in notes if isinstance(note, _SHAPES)), None)
    if shape is not None:
        return shape
    served, parts = _served(notes), get_args(hint)
    if get_origin(hint) is Literal:
        return Word(parts)
    if get_origin(hint) is list:
        item = _shape(*_noted(parts[0]))
        if served.open and isinstance(item, Fields):
            # Of what may have any field, those that are not looked at need not be known.
            looked_at = {
                name: inner for name, inner in item.fields.items() if not isinstance(inner, Anything)
            }
            item = Fields(looked_at, item.required, open=True)
        return Items(item, served.most, served.least, served.key)
    if get_origin(hint) is dict:
        return Named(_shape(*_noted(parts[1])), served.most)
    if hint is int:
        limits: list[Any] = [limit for note in notes for limit in getattr(note, "metadata", (note,))]
        return Number(next(limit.ge for limit in limits if hasattr(limit, "ge")))
    return _PLAIN[hint] if hint in _PLAIN else shape_of(hint)
