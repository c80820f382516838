"""`tenure show`: the same content as text, JSON and YAML."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tenure.cli.bundled import schema
from tests.command_line import tenure
from tools import libyaml

EXAMPLE = ("--example", "hero", "--now", "2026-06-08T12:00:00Z")
TREE = """\
Cohort company            nvidia.com/gpu on h100: 40 nominal, 0 billed, 40 accessible
  ClusterQueue products   nvidia.com/gpu on h100: 160 nominal, 0 billed, 160 accessible
  Cohort research-lab     nvidia.com/gpu on h100: 0 nominal, 0 billed, 0 accessible
    ClusterQueue alpha    nvidia.com/gpu on h100: 200 nominal, 16 billed, 184 accessible
"""


def answered(*arguments: str) -> dict[str, Any]:
    """The answer as JSON, by its schema."""
    done = tenure("show", *arguments, "-o", "json")
    found: dict[str, Any] = json.loads(done.stdout)
    assert [error.message for error in Draft202012Validator(schema("accessible")).iter_errors(found)] == []
    return found


def test_a_table_and_a_picture_of_the_tree() -> None:
    text = tenure("show", *EXAMPLE).stdout.decode()
    head, *rows = text.partition("\n\n")[0].splitlines()
    assert head.split() == [
        "QUEUE",
        "FLAVOR",
        "RESOURCE",
        "NOMINAL",
        "BILL",
        "ACCESSIBLE",
        "BORROWING",
        "LIMIT",
    ]
    assert [row.split()[0] for row in rows] == [
        "alpha",
        "bravo",
        "charlie",
        "delta",
        "products",
        "training-hero",
    ]
    assert rows[1].split()[3:] == ["200", "16", "184", "66"]
    assert TREE in text
    assert text.endswith("clock 2026-06-08T12:00:00Z, reading guaranteed\n")


def test_json_and_yaml_say_the_same() -> None:
    found = answered(*EXAMPLE)
    assert libyaml.load(tenure("show", *EXAMPLE, "-o", "yaml").stdout) == found
    assert found["rows"][-1] == {
        "clusterQueue": "training-hero",
        "flavor": "h100",
        "resource": "nvidia.com/gpu",
        "nominal": 0,
        "bill": 0,
        "accessible": 800,
        "borrowingLimit": None,
    }
    assert (found["reading"], found["warnings"]) == ("guaranteed", [])


def test_without_a_hero_no_queue_is_billed() -> None:
    rows = answered("--example", "shared-cohort")["rows"]
    assert rows
    assert [row for row in rows if row["bill"] or row["accessible"] != row["nominal"]] == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--override", "accessible_rounding=exact"), "one of floor, cumulative"),
        (("--override", "hero_scope=forest"), "one of branch, tree"),
        (("--reading", "written"), "a preset"),
        (("--now", "soon"), "expected an RFC 3339 time"),
    ],
)
def test_bad_input_is_named(arguments: tuple[str, ...], words: str) -> None:
    done = tenure("show", "--example", "hero", *arguments)
    assert done.returncode == 2
    assert words in done.stderr.decode()


def test_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    done = tenure("show", "-f", str(tmp_path / "none.yaml"))
    assert (done.returncode, done.stdout) == (2, b"")
    assert "none.yaml" in done.stderr.decode()
