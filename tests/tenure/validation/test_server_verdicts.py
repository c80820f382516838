"""What a live API server with Kueue's webhooks answered, beside `tenure validate --kueue 0.19`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.live.verdicts import ours

RECORDED = json.loads(Path(__file__).with_name("server_verdicts.json").read_text(encoding="utf-8"))


def before_and_after(case: dict[str, Any]) -> tuple[Any, Any]:
    """The object before an update, None for a new one, and the object."""
    if "old" not in case:
        return None, case["new"]
    old = RECORDED["before"][case["old"]]
    return old, {**old, "spec": case["spec"]}


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in RECORDED["cases"]])
def test_the_verdict_is_the_servers(case: dict[str, Any]) -> None:
    old, new = before_and_after(case)
    found = ours(new, old)
    assert bool(found) != case["accepted"], (case["message"], found)
