"""The kinds of field that Kueue's objects have: text, quantities, times, words, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Final, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    StrictInt,
)
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema, core_schema

from tenure.errors import InputError, Problem, not_modelled
from tenure.manifests.durations import parse_duration
from tenure.manifests.instants import parse_instant
from tenure.manifests.limits import MAX_NAME, MAX_TEXT
from tenure.manifests.quantities import parse_quantity
from tenure.manifests.showing import NumberText, show
from tenure.model import NANO


def _amount(value: object) -> Fraction:
    exact = parse_quantity(value)
    if exact.numerator < 0:
        raise InputError([Problem("", show(value), "a quantity that is not negative")])
    return exact


def _weight(value: object) -> int:
    billionths = _amount(value) * NANO
    # What is finer than a billionth was rounded up to one, as Kubernetes does before Kueue compares.
    if billionths == 1:
        raise InputError([Problem("", show(value), "0, or a weight above 10^-9")])
    return int(billionths)


def _text(value: object) -> str:
    # Names are printed by everything that follows: no escape sequences for a terminal, no lone surrogates.
    if type(value) is str and len(value) <= MAX_TEXT and value.isprintable():
        return value
    if not isinstance(value, str) or isinstance(value, NumberText):
        raise InputError([Problem("", show(value), "a string")])
    if len(value) > MAX_TEXT:
        raise InputError([Problem("", show(value), f"a string of at most {MAX_TEXT} characters")])
    if not value.isprintable():
        raise InputError([Problem("", show(value), "a string without control characters")])
    return value


def _name(value: object) -> str:
    text = _text(value)
    if not text:
        raise InputError([Problem("", show(value), "a name that is not empty")])
    return text


def _object_name(value: object) -> str:
    name = _name(value)
    if len(name) > MAX_NAME:
        raise InputError([Problem("", show(value), f"a name of at most {MAX_NAME} characters")])
    return name


class _Unset:
    """Go writes an unset policy as an empty string, which the API server replaces by the default."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(_absent_if_empty, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        inner = handler(schema)
        return {"anyOf": [*inner.get("anyOf", [inner]), {"const": ""}]}


def _absent_if_empty(value: object) -> object:
    return None if value == "" else value


def refuse(word: str, reason: str) -> AfterValidator:
    """A validator that refuses one word of an enumeration because it is not modelled.

    Args:
        word: the word, as the API writes it.
        reason: what it would switch on.
    """

    def check(value: str | None) -> str | None:
        if value == word:
            raise not_modelled("", show(value), reason)
        return value

    return AfterValidator(check)


def refuse_any(reason: str) -> AfterValidator:
    """A validator that refuses every value that is not empty because it is not modelled."""

    def check(value: object) -> object:
        if any(value.values()) if isinstance(value, dict) else value:
            raise not_modelled("", show(value), reason)
        return value

    return AfterValidator(check)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Read:
    """A field that a function reads; `PlainValidator` would look at the function again for each field.

    Args:
        read: gets what was written.
        described: its JSON schema.
    """

    read: Callable[[object], Any]
    described: dict[str, Any]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.read)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return dict(self.described)


_TEXT = {"type": "string", "maxLength": MAX_TEXT}
_GO_DURATION = "^[-+]?(0|(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h))+)$"
_NUMBER = {"type": ["string", "number"]}

Text: TypeAlias = Annotated[str, _Read(_text, _TEXT)]
Name: TypeAlias = Annotated[str, _Read(_name, {**_TEXT, "minLength": 1})]
ObjectName: TypeAlias = Annotated[
    str, _Read(_object_name, {"type": "string", "minLength": 1, "maxLength": MAX_NAME})
]
Quantity: TypeAlias = Annotated[Fraction, _Read(parse_quantity, _NUMBER)]
NonNegative: TypeAlias = Annotated[Fraction, _Read(_amount, _NUMBER)]
Weight: TypeAlias = Annotated[int, _Read(_weight, _NUMBER)]
InstantText: TypeAlias = Annotated[int, _Read(parse_instant, {"type": "string", "format": "date-time"})]
DurationText: TypeAlias = Annotated[int, _Read(parse_duration, {"type": "string", "pattern": _GO_DURATION})]
Int32: TypeAlias = Annotated[StrictInt, Field(ge=-(2**31), lt=2**31)]
Count: TypeAlias = Annotated[StrictInt, Field(ge=0, lt=2**31)]
Positive: TypeAlias = Annotated[StrictInt, Field(ge=1, lt=2**31)]
Unset = _Unset()


KNOWN: Final = ConfigDict(extra="forbid", strict=True)
OPEN: Final = ConfigDict(extra="ignore", strict=True)
# Shapes are built on first use: no command needs all of them.
_MODEL: Final = ConfigDict(frozen=True, alias_generator=to_camel, defer_build=True)


class Known(BaseModel):
    """Fields that the API does not have are errors."""

    model_config = KNOWN | _MODEL


class Open(BaseModel):
    """Fields that are not listed are ignored."""

    model_config = OPEN | _MODEL


class Metadata(Open):
    name: ObjectName
    namespace: Text | None = None
    uid: Text | None = None
    creation_timestamp: InstantText | None = None
    annotations: dict[str, Any] | None = None


class KubernetesObject(Known):
    api_version: Any = None
    kind: Any = None
    metadata: Metadata
    status: Any = None
