"""What the API server demands of Kueue's objects, from the CustomResourceDefinitions of a release.

    python -m tools.served write config/components/crd/bases

Writes `served.json`: the schemas without texts, a part that is there several times once. What a status holds
is kept of Workloads alone: of the others nothing reads it.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

ROOT = Path(__file__).resolve().parents[1]
FILE: Final = ROOT / "refimpl" / "tenure" / "manifests" / "served.json"
VERSION: Final = "v1beta2"
KINDS: Final = {
    "ClusterQueue": "clusterqueues",
    "Cohort": "cohorts",
    "LocalQueue": "localqueues",
    "ResourceFlavor": "resourceflavors",
    "Workload": "workloads",
    "WorkloadPriorityClass": "workloadpriorityclasses",
}
_KEPT: Final = (
    "type",
    "format",
    "enum",
    "pattern",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "maxProperties",
    "minimum",
    "maximum",
    "required",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
)
_WORTH_IT: Final = 60
"""Characters from which on a part that is there twice is kept once."""


def crds_in(folder: Path) -> dict[str, Any]:
    """The schemas of whole objects by kind, as a folder of CustomResourceDefinitions has them."""
    return {kind: _schema(folder / f"kueue.x-k8s.io_{plural}.yaml") for kind, plural in KINDS.items()}


def _schema(file: Path) -> Any:
    crd = yaml.safe_load(file.read_text(encoding="utf-8"))
    version = next(one for one in crd["spec"]["versions"] if one["name"] == VERSION)
    return version["schema"]["openAPIV3Schema"]


def reduced(schemas: Mapping[str, Any]) -> dict[str, Any]:
    """What is kept of some schemas.

    >>> reduced({"Cohort": {"type": "object", "description": "A cohort.", "properties": {"status": {}}}})
    {'definitions': {}, 'kinds': {'Cohort': {'type': 'object', 'properties': {'status': {}}}}}
    """
    kept = {kind: _reduced(schema, skip_status=kind != "Workload") for kind, schema in schemas.items()}
    counted: Counter[str] = Counter(text for schema in kept.values() for text in _parts(schema))
    often = [text for text, count in counted.items() if count > 1 and len(text) > _WORTH_IT]
    names = {text: str(i) for i, text in enumerate(sorted(often))}
    definitions = {name: _with_references(json.loads(text), names, top=True) for text, name in names.items()}
    return {
        "definitions": definitions,
        "kinds": {kind: _with_references(kept[kind], names, top=True) for kind in sorted(kept)},
    }


def _reduced(schema: Mapping[str, Any], *, skip_status: bool = False) -> dict[str, Any]:
    kept = {key: schema[key] for key in _KEPT if key in schema}
    if schema.get("x-kubernetes-list-type") == "set":
        kept["x-kubernetes-list-type"] = "set"
    if "properties" in schema:
        kept["properties"] = {
            name: {} if skip_status and name == "status" else _reduced(inner)
            for name, inner in schema["properties"].items()
        }
        defaults = {
            name: inner["default"] for name, inner in schema["properties"].items() if "default" in inner
        }
        kept |= {"defaults": defaults} if defaults else {}
    for name in ("items", "additionalProperties"):
        if isinstance(schema.get(name), dict):
            kept[name] = _reduced(schema[name])
    return kept


def _inner(schema: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield from schema.get("properties", {}).values()
    yield from (schema[name] for name in ("items", "additionalProperties") if name in schema)


def _parts(schema: Mapping[str, Any]) -> Iterator[str]:
    yield json.dumps(schema, sort_keys=True)
    for inner in _inner(schema):
        yield from _parts(inner)


def _with_references(
    schema: dict[str, Any], names: Mapping[str, str], *, top: bool = False
) -> dict[str, Any]:
    name = names.get(json.dumps(schema, sort_keys=True))
    if name is not None and not top:
        return {"$ref": name}
    made = dict(schema)
    if "properties" in made:
        made["properties"] = {
            key: _with_references(inner, names) for key, inner in made["properties"].items()
        }
    for key in ("items", "additionalProperties"):
        if key in made:
            made[key] = _with_references(made[key], names)
    return made


def text_of(schemas: Mapping[str, Any]) -> str:
    """The content of the file: one definition a line."""
    found = reduced(schemas)
    lines = ["{"]
    for part in ("definitions", "kinds"):
        lines += [
            f'"{part}": {{',
            ",\n".join(f'"{key}": {_compact(value)}' for key, value in found[part].items()),
            "},",
        ]
    lines[-1] = "}"
    return "\n".join([*lines, "}"]) + "\n"


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def main(arguments: list[str]) -> int:
    """Write the file."""
    if len(arguments) != 2 or arguments[0] != "write":
        print(__doc__, file=sys.stderr)
        return 2
    FILE.write_text(text_of(crds_in(Path(arguments[1]))), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
