"""The vectors of the Go module are those of the specification, with the reference's reasons."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import pytest

from tools import go_repairs
from tools.go_vectors import DROPPED_IN, FILE, packed, recorded


def test_the_go_module_has_todays_vectors_and_reasons() -> None:
    assert packed() == recorded(), "go/vectors.json.gz is stale: python -m tools.go_vectors writes it again"


@pytest.mark.parametrize(
    ("name", "data"), [("kueue_test.go", FILE), ("kueue_repairs_test.go", go_repairs.FILE)]
)
def test_the_files_for_kueue_have_the_same(name: str, data: Path) -> None:
    text = (DROPPED_IN / name).read_text(encoding="utf-8").partition("Text = ")[2]
    encoded = "".join(re.findall(r'^\t"([\w+/=]*)" \+$', text, re.M))
    assert base64.b64decode(encoded) == data.read_bytes(), (
        "`go run ./dropin` in the folder go writes it again"
    )


def test_every_victim_has_a_reason() -> None:
    for vector in json.loads(recorded()):
        for victim in vector["expect"].get("preempted", ()):
            assert f"{victim['workload']} is preempted: " in vector["reasons"][victim["workload"]], vector[
                "id"
            ]
