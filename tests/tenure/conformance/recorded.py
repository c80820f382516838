"""The recorded decisions of the real scheduler, beside the repository where they are."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

RECORDED = Path(__file__).resolve().parents[4] / "shared" / "kueue"
TESTS = (
    "preemption.jsonl",
    "fair_preemptions.jsonl",
    "hierarchical_preemptions.jsonl",
    "preemption_misc.jsonl",
    "scheduler_get_targets.jsonl",
)
RANDOM = "random.jsonl.gz"

needs_recorded = pytest.mark.skipif(
    not RECORDED.is_dir(), reason="the recorded decisions are not beside the repository"
)


@cache
def lines(*names: str) -> list[dict[str, Any]]:
    """Every line of some files; none where they are absent."""
    if not RECORDED.is_dir():
        return []
    return [line for name in names for line in _lines_of(RECORDED / name)]


def _lines_of(path: Path) -> Iterator[dict[str, Any]]:
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    yield from (json.loads(line) for line in text.splitlines())


Recorded = tuple[dict[str, Any], dict[str, Any]]
"""The input of a request, and what was decided."""


def given_assignment(line: dict[str, Any]) -> Recorded:
    """The input with its assignment, and what was decided."""
    return line, line.get("got") or line["want"]


def derived_assignment(line: dict[str, Any]) -> Recorded | None:
    """The input without its assignment, and what was decided; None where that was not recorded."""
    without = {**line, "assignment": None}
    if "derived" in line:
        return without, {**line["derived"]["got"], "decision": line["derived"]["decision"]}
    # The random lines' own assignment was derived by the real assigner.
    return (without, line["want"]) if "got" not in line else None


def targets(decided: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Who leaves, where and why, as a sorted set: the recorded order is no eviction order."""
    return sorted(
        (item["workload"], item["clusterQueue"], item["reason"]) for item in decided.get("preempted") or []
    )


def differences(line: dict[str, Any], said: dict[str, Any], decided: dict[str, Any]) -> Iterator[str]:
    """What an answer says otherwise than recorded."""
    if "error" in said:
        yield f"{line['name']}: {said['error']}"
        return
    output = said["output"]
    if targets(output) != targets(decided):
        yield f"{line['name']}: {targets(output)}, recorded {targets(decided)}"
    if decided.get("decision", output["decision"]) != output["decision"]:
        yield f"{line['name']}: {output['decision']}, recorded {decided['decision']}"
