"""The schemas of the answers: `python -m tenure.telling.answers.schemas spec/schemas` writes them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tenure.telling.answers.shapes import ExplainAnswer, WhyAnswer, WhyNotAnswer
from tenure.telling.answers.written import schema_of, with_warnings, write_schema

SHAPES = {"explain": ExplainAnswer, "why": WhyAnswer, "why-not": WhyNotAnswer}
"""What each command answers with."""


def answer_schema(command: str) -> dict[str, Any]:
    """The JSON Schema of what a command prints with `-o json`.

    Args:
        command: a key of `SHAPES`.

    >>> answer_schema("why")["title"]
    'tenure why -o json'
    """
    return with_warnings(schema_of(SHAPES[command], f"tenure {command} -o json"))


if __name__ == "__main__":
    for each in SHAPES:
        write_schema(Path(sys.argv[1]), each, answer_schema(each))
