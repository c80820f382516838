"""`python -m tools.schemas`: writes the published JSON Schemas, spec/schemas, as the types make them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tenure.as_json import json_schema
from tenure.timeline.record import PlayAnswer

FOLDER: Final = Path(__file__).resolve().parents[1] / "spec" / "schemas"

WRITTEN: Final[Mapping[str, tuple[Any, str]]] = {
    "play": (PlayAnswer, "tenure play -o json"),
}
"""What is written, by the schema's name: the type, and the schema's title."""


def made_schemas() -> dict[str, dict[str, Any]]:
    """Every schema, by its name."""
    return {name: json_schema(shape, title) for name, (shape, title) in WRITTEN.items()}


if __name__ == "__main__":
    for name, schema in made_schemas().items():
        text = json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        (FOLDER / f"{name}.schema.json").write_text(text, encoding="utf-8")
