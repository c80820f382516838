"""What the API server demands of Kueue's objects, from the CustomResourceDefinitions of a release.

    python -m tools.served write config/components/crd/bases

Writes `served.json`: the schemas without texts. What a status holds is kept of Workloads alone: of the others
nothing reads it.

    python -m tools.served names "$(cd tests/live && go list -m -f '{{.Dir}}' sigs.k8s.io/kueue)"

Writes `tests/tenure/manifests/kueue-api.txt`: every kind and field, annotation and label, and feature gate in
the source of a release. A test looks for each of them in `spec/kueue-api.toml`.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from tools import libyaml

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
NAMES: Final = ROOT / "tests" / "tenure" / "manifests" / "kueue-api.txt"
_GATE: Final = re.compile(r'featuregate\.Feature = "(\w+)"')
_KEY: Final = re.compile(r'= "((?:[a-z0-9-]+\.)*kueue\.x-k8s\.io/[a-z0-9-]+)"')
_ENDS: Final = ("metadata", "spec.podSets[].template.metadata")
"""What is a map of names, or Kubernetes' own, below which no field is Kueue's."""
_POD: Final = "spec.podSets[].template.spec"
"""Below a pod's spec, and a container, one level counts: what is deeper decides with it."""


def crds_in(folder: Path) -> dict[str, Any]:
    """The schemas of whole objects by kind, as a folder of CustomResourceDefinitions has them."""
    return {kind: _schema(folder / f"kueue.x-k8s.io_{plural}.yaml") for kind, plural in KINDS.items()}


def _schema(file: Path) -> Any:
    crd = libyaml.load(file.read_text(encoding="utf-8"))
    version = next(one for one in crd["spec"]["versions"] if one["name"] == VERSION)
    return version["schema"]["openAPIV3Schema"]


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


def text_of(schemas: Mapping[str, Any]) -> str:
    """The content of the file: what is kept of each schema, one kind a line.

    >>> text_of({"Cohort": {"type": "object", "description": "A cohort.", "properties": {"status": {}}}})
    '{\\n"Cohort": {"type":"object","properties":{"status":{}}}\\n}\\n'
    """
    kept = {kind: _reduced(schemas[kind], skip_status=kind != "Workload") for kind in sorted(schemas)}
    lines = (f'"{kind}": {json.dumps(schema, separators=(",", ":"))}' for kind, schema in kept.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def names_in(source: Path) -> Iterator[str]:
    """Every name of Kueue's API, as `ClusterQueue spec.cohortName`, from the source of a release.

    Args:
        source: the folder of its Go module.
    """
    for file in sorted((source / "config" / "components" / "crd" / "bases").glob("*.yaml")):
        crd = libyaml.load(file.read_text(encoding="utf-8"))["spec"]
        for version in crd["versions"]:
            # What v1beta1 has other names for is converted.
            if version["name"] == VERSION or len(crd["versions"]) == 1:
                schema = version["schema"]["openAPIV3Schema"]
                yield from (f"{crd['names']['kind']} {path}" for path in _leaves(schema, ""))
    texts = [path.read_text(encoding="utf-8") for path in sorted(_constants(source))]
    yield from sorted({f"metadata {key}" for text in texts for key in _KEY.findall(text)})
    gates = (source / "pkg" / "features" / "kube_features.go").read_text(encoding="utf-8")
    yield from (f"gate {gate}" for gate in sorted(_GATE.findall(gates)))


def _constants(source: Path) -> Iterator[Path]:
    for folder in ("apis", "pkg"):
        yield from (
            path
            for path in (source / folder).rglob("*.go")
            if not path.name.endswith("_test.go") and "testing" not in path.parts
        )


def _leaves(schema: Mapping[str, Any], path: str) -> Iterator[str]:
    """The paths of the fields that have no fields of their own; `[]` for each element of a list."""
    if "items" in schema:
        yield from _leaves(schema["items"], f"{path}[]")
        return
    if not schema.get("properties") or path in _ENDS or _is_deep(path):
        yield path
        return
    for name, inner in sorted(schema["properties"].items()):
        if path or name not in ("apiVersion", "kind"):
            yield from _leaves(inner, f"{path}.{name}" if path else name)


def _is_deep(path: str) -> bool:
    """Whether a path is of a field of a pod, or of a container."""
    below = path.removeprefix(f"{_POD}.").replace("[]", "")
    return below != path and bool(below) and below.count(".") == (1 if "ontainers" in below else 0)


def main(arguments: list[str]) -> int:
    """Write one of the files."""
    if len(arguments) != 2 or arguments[0] not in ("write", "names"):
        print(__doc__, file=sys.stderr)
        return 2
    folder = Path(arguments[1])
    if arguments[0] == "names":
        NAMES.write_text("".join(f"{name}\n" for name in names_in(folder)), encoding="utf-8")
    else:
        FILE.write_text(text_of(crds_in(folder)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
