"""Copies of the bundled examples that a test may change."""

from __future__ import annotations

import shutil
from pathlib import Path

from tenure.resources import bundled
from tools import libyaml


def copied(example: str, to: Path) -> Path:
    """A copy of a bundled example in a new folder of its name."""
    return Path(shutil.copytree(bundled("examples", example), to / example))


def change(path: Path, kind: str, name: str, *where: str | int, to: object) -> None:
    """Set one field of one object of a file."""
    whole = libyaml.load(path.read_text(encoding="utf-8"))
    (found,) = [item for item in whole["items"] if item["kind"] == kind and item["metadata"]["name"] == name]
    for part in where[:-1]:
        found = found[part]
    found[where[-1]] = to
    path.write_text(libyaml.dump(whole), encoding="utf-8")


def condition_of(path: Path, workload: str, of_type: str) -> tuple[str, str, int]:
    """Where a Workload of a file has its condition of a type: Kueue writes them in any order."""
    whole = libyaml.load(path.read_text(encoding="utf-8"))
    (found,) = [item for item in whole["items"] if item["metadata"]["name"] == workload]
    types = [condition["type"] for condition in found["status"]["conditions"]]
    return ("status", "conditions", types.index(of_type))
