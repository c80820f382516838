"""`tenure why` of a preempted workload, and the line about it in the other answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tenure.resources import bundled
from tests.command_line import tenure
from tests.tenure_play.test_past import cohort_play, objects_at
from tools import libyaml

NOW = ("--now", "2026-01-06T00:00:00Z", "--reading", "released")


def schema(name: str) -> Draft202012Validator:
    return Draft202012Validator(
        json.loads(bundled("spec", "schemas", f"{name}.schema.json").read_text("utf-8"))
    )


@pytest.fixture
def dump(tmp_path: Path) -> str:
    """The cluster an hour after the preemption."""
    return written(tmp_path, 3)


def written(folder: Path, hours: float) -> str:
    path = folder / "cluster.yaml"
    path.write_text(libyaml.dump_all(objects_at(cohort_play(), hours)), encoding="utf-8")
    return str(path)


def answered(*arguments: str) -> Any:
    return json.loads(tenure(*arguments, "-o", "json").stdout)


def lines(*arguments: str) -> list[str]:
    return tenure(*arguments).stdout.decode().splitlines()


def test_a_preempted_workload_is_told_why(dump: str) -> None:
    first, *rest = lines("why", "default/victim", dump, *NOW)
    assert first == (
        "default/victim was preempted at 2026-01-05T11:00:00Z for default/owner, InCohortReclamation: "
        "recorded, and confirmed by deciding again"
    )
    allowed = (
        "  KQ-320, KQ-330, KQ-350: its ClusterQueue had borrowed; the preemptor's request fitted the quota "
        "of its own ClusterQueue or of a nearer Cohort"
    )
    assert allowed in rest
    assert "Not known, or not restored" in rest


def test_json_says_the_same_as_its_schema_says(dump: str) -> None:
    answer = answered("why", "default/victim", dump, *NOW)
    schema("why").validate(answer)
    assert (answer["certainty"], answer["preemptor"]) == ("confirmed", "default/owner")
    assert answer["chains"][0]["rules"] == ["KQ-320", "KQ-330", "KQ-350"]


def test_why_not_of_it_mentions_the_preemption(dump: str) -> None:
    line = "was preempted at 2026-01-05T11:00:00Z, for default/owner: InCohortReclamation"
    answer = answered("why-not", "default/victim", dump, *NOW)
    schema("why-not").validate(answer)
    assert answer["earlier"] == f"{line}; ask tenure why default/victim"
    assert f"  {answer['earlier']}" in lines("why-not", "default/victim", dump, *NOW)


def test_why_of_one_that_runs_again_mentions_it(tmp_path: Path) -> None:
    dump = written(tmp_path, 8)
    answer = answered("why", "default/victim", dump, *NOW)
    schema("why").validate(answer)
    assert answer["cases"] == []
    assert answer["earlier"].startswith("was preempted before 2026-01-05T14:00:01Z")


def test_with_a_pending_workload_named_the_victim_must_run(dump: str) -> None:
    ended = tenure("why", "default/victim", dump, "-w", "default/victim", *NOW)
    assert ended.returncode == 2
    assert b"default/victim is pending" in ended.stderr
