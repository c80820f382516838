"""The vectors of the Go module are those of the specification, with the reference's reasons."""

from __future__ import annotations

import json

from tools.go_vectors import packed, recorded


def test_the_go_module_has_todays_vectors_and_reasons() -> None:
    assert packed() == recorded(), "go/vectors.json.gz is stale: python -m tools.go_vectors writes it again"


def test_every_victim_has_a_reason() -> None:
    for vector in json.loads(recorded()):
        for victim in vector["expect"].get("preempted", ()):
            assert f"{victim['workload']} is preempted: " in vector["reasons"][victim["workload"]], vector[
                "id"
            ]
