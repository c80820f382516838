"""What published schemas require of texts in answers, beyond that they are texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from tenure.model import Reason


@dataclass(frozen=True, slots=True, eq=False)  # it can be hashed
class SchemaWords:
    """The JSON Schema of a value, where its type has less; pydantic reads it, which is no part of this.

    Args:
        words: the schema.
    """

    words: Mapping[str, Any]

    def __get_pydantic_json_schema__(self, _type: object, _made: object) -> dict[str, Any]:
        return dict(self.words)


_RULE = {"type": "string", "pattern": r"^[A-Z]+-\d{3}$"}

WorkloadKey = Annotated[str, SchemaWords({"type": "string", "pattern": "^[^/]*/[^/]+$"})]
"""namespace/name."""

RuleId = Annotated[str, SchemaWords(_RULE)]
"""Identifier of a rule: a page of the specification."""

RuleIds = Annotated[tuple[str, ...], SchemaWords({"type": "array", "items": _RULE, "minItems": 1})]
"""Rules, at least one."""

ReasonWord = Annotated[str, SchemaWords({"enum": [reason.label for reason in Reason]})]
"""A reason as the API writes it."""
