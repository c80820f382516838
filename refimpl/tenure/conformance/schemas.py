"""The published schemas of the oracle and of commands that answer as it does.

`python -m tenure.conformance.schemas spec/schemas` writes them anew.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tenure.conformance.answer_shapes import AccessibleAnswer, Answer
from tenure.conformance.json_schema import json_schema
from tenure.conformance.request_shapes import Request
from tenure.telling.answers.written import write_schema

SHAPES: Final[Mapping[str, tuple[Any, str]]] = {
    "oracle-request": (Request, "a request of tenure oracle"),
    "oracle-answer": (Answer, "an answer of tenure oracle"),
    "accessible": (AccessibleAnswer, "tenure accessible -o json"),
}
"""By the schema's name: the shape, and the title."""


def oracle_schema(name: str) -> dict[str, Any]:
    """The JSON Schema of one line that the oracle reads, or of one that it writes.

    Args:
        name: a key of `SHAPES`.

    >>> oracle_schema("oracle-answer")["title"]
    'an answer of tenure oracle'
    """
    shape, title = SHAPES[name]
    return json_schema(shape, title)


if __name__ == "__main__":
    for each in SHAPES:
        write_schema(Path(sys.argv[1]), each, oracle_schema(each))
