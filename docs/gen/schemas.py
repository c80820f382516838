"""The JSON Schemas: a list with what is at the top of each, and the files themselves beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from docs.gen.markdown import Fills, Pages, heading, table
from tenure.cli.bundled import schema, schema_names

PAGE: Final = "reference/schemas.md"
FOLDER: Final = "schemas"


def schema_files() -> Pages:
    """Every schema as a file of the site."""
    return {
        f"reference/{FOLDER}/{name}.schema.json": json.dumps(schema(name), indent=2, ensure_ascii=False)
        + "\n"
        for name in schema_names()
    }


def schema_list() -> Fills:
    """What the page takes from the schemas."""
    return {PAGE: {"schemas": "\n\n".join(part for name in schema_names() for part in _described(name))}}


def _described(name: str) -> Iterator[str]:
    found = schema(name)
    yield heading(2, found["title"], name)
    file = f"[`{name}.schema.json`]({FOLDER}/{name}.schema.json)"
    yield f"{found.get('description', '')} {file}".strip()
    needed = found.get("required", [])
    rows = [
        [f"`{field}`", "" if field in needed else "optional", _resolved(found, item).get("description", "")]
        for field, item in found.get("properties", {}).items()
    ]
    if rows:
        yield table(["Field", "", "What it holds"], rows)


def _resolved(found: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    """A part as it is described, here or where it refers to."""
    if "description" in part or not part.get("$ref", "").startswith("#/$defs/"):
        return part
    described: dict[str, Any] = found["$defs"][part["$ref"].rpartition("/")[2]]
    return described
