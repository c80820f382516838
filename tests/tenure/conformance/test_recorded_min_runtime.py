"""What KAI-Scheduler's own code said about its own cases, said again by the oracle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import tenure

RECORDED = Path(__file__).resolve().parents[4] / "shared" / "kai" / "minruntime.jsonl"
pytestmark = pytest.mark.skipif(
    not RECORDED.is_file(), reason="the recorded cases of KAI-Scheduler are not beside the repository"
)
COUNT = 70


def cases() -> list[dict[str, Any]]:
    """Every recorded case."""
    return [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]


def test_every_case_is_answered_as_recorded() -> None:
    recorded = cases()
    lines = (json.dumps({"id": entry["id"], "call": "minruntime", "input": entry}) for entry in recorded)
    said = [
        json.loads(line) for line in tenure("oracle", stdin="\n".join(lines).encode()).stdout.splitlines()
    ]
    different = [
        (entry["id"], answer)
        for entry, answer in zip(recorded, said, strict=True)
        if answer != {"id": entry["id"], "output": entry["want"]}
    ]
    assert different == []
    assert len(recorded) == COUNT


def test_a_case_without_its_want_is_answered_alike() -> None:
    for case in cases():
        asked = {key: value for key, value in case.items() if key != "want"}
        line = json.dumps({"id": 1, "call": "minruntime", "input": asked}).encode()
        assert json.loads(tenure("oracle", stdin=line).stdout)["output"] == case["want"]
        break
