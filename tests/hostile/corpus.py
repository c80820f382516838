"""What mutations begin with: real manifests and recorded requests where they are, and the examples."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.tenure.conformance.requests import an_input

REPOSITORY = Path(__file__).resolve().parents[2]
SHARED = REPOSITORY.parent / "shared"
MANIFESTS = SHARED / "data" / "manifests"
RECORDED = SHARED / "kueue"


@dataclass(frozen=True, slots=True)
class Manifest:
    """A real file.

    Args:
        name: its path, for reports.
        text: as it stands.
        objects: its documents.
    """

    name: str
    text: str
    objects: tuple[Any, ...]


@cache
def manifests() -> tuple[Manifest, ...]:
    """Every manifest of the shared data and of the examples."""
    found = [
        (folder, path)
        for folder in (MANIFESTS, REPOSITORY / "examples")
        for path in sorted(folder.rglob("*.yaml"))
    ]
    return tuple(_manifest(str(path.relative_to(folder)), path) for folder, path in found)


@cache
def inputs() -> tuple[dict[str, Any], ...]:
    """Inputs of call `decide`: the recorded ones with what it takes, and one of our own."""
    recorded = [
        line
        for path in sorted(RECORDED.glob("*.jsonl"))
        for line in map(json.loads, path.read_text(encoding="utf-8").splitlines())
        if "incoming" in line and "targetCQ" in line
    ]
    for item in recorded:
        for said in ("want", "got", "derived"):
            item.pop(said, None)
    return (an_input(), *recorded)


@cache
def objects() -> tuple[dict[str, Any], ...]:
    """Single Kubernetes objects of all kinds, from manifests and requests."""
    found = [object_ for manifest in manifests() for object_ in manifest.objects if isinstance(object_, dict)]
    for given in inputs():
        for key in ("clusterQueues", "cohorts", "resourceFlavors", "admitted"):
            found += given.get(key) or []
        found.append(given["incoming"])
    return tuple(found)


def _manifest(name: str, path: Path) -> Manifest:
    text = path.read_text(encoding="utf-8")
    return Manifest(
        name, text, tuple(item for item in yaml.load_all(text, yaml.CSafeLoader) if item is not None)
    )
