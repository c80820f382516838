"""The published schemas of `tenure kai`: `python -m tenure.kai.schemas spec/schemas` writes them anew."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tenure.kai.shapes import FilterAnswer, ResolveAnswer, ValidateAnswer
from tenure.telling.answers.written import schema_of, with_warnings, write_schema

SHAPES = {"filter": FilterAnswer, "validate": ValidateAnswer, "resolve": ResolveAnswer}
"""What each command below `tenure kai` answers with."""


def kai_schema(command: str) -> dict[str, Any]:
    """The JSON Schema of what a command prints with `-o json`.

    Args:
        command: a key of `SHAPES`.

    >>> kai_schema("filter")["title"]
    'tenure kai filter -o json'
    """
    return with_warnings(schema_of(SHAPES[command], f"tenure kai {command} -o json"))


if __name__ == "__main__":
    for each in SHAPES:
        write_schema(Path(sys.argv[1]), f"kai-{each}", kai_schema(each))
