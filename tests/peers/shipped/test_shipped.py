"""What findings say of shipped behaviour is what is asked of the scheduler, and another answer is told."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tenure.readings import KaiVersion
from tenure_lab.programs import our_answer
from tests.peers.shipped.__main__ import asked, cases, main

PEER = """
import json, sys
for line in sys.stdin:
    id, call = (json.loads(line)[name] for name in ("id", "call"))
    output = {"kai": "none"} if call == "version" else {"elastic": False, "filter": False, "protected": True}
    print(json.dumps({"id": id, "output": output}), flush=True)
"""


def ours(requests: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What Tenure answers, as the scheduler would: its errors name no field of a request."""
    answers = [our_answer(request) for request in requests]
    return [{"error": {**said["error"], "field": ""}} if "error" in said else said for said in answers]


def test_every_finding_about_shipped_behaviour_is_asked_about_and_answered_as_it_says() -> None:
    different = {vector.id: problems for _, vector, problems in asked(ours) if problems}
    assert different == {}
    assert any("error" in vector.data["expect"] for _, vector in cases()), "F-048 says what is refused"
    of_march = {f"F-{number:03}" for number in (*range(38, 49), 92)}
    assert {finding for finding, _ in cases()} == of_march
    newer = KaiVersion.V0_17
    assert {vector.id: problems for _, vector, problems in asked(ours, "", newer) if problems} == {}
    assert {finding for finding, _ in cases("", newer)} == {"F-092", "F-093"}


def test_a_plugin_that_protects_the_example_from_a_cousin_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "peer.py").write_text(PEER, encoding="utf-8")
    assert main(["--peer", f"{sys.executable} {tmp_path / 'peer.py'}", "--only", "F-041"]) == 1
    said = capsys.readouterr().out
    assert "asked: kai none" in said
    assert "F-041 differs: KMR-030/the-example-for-a-cousin-is-not-protected" in said


def test_a_peer_that_cannot_be_started_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--peer", str(tmp_path / "none"), "--only", "F-041"]) == 2
    assert "cannot be started" in capsys.readouterr().err
