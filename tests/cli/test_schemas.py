"""The published schemas, and real answers against them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tenure.cli.bundled import schema, schema_names
from tests.command_line import tenure
from tools import libyaml, schemas

ROOT = Path(__file__).resolve().parents[2]
OURS = ("accessible", "decide", "example", "oracle-answer", "pending", "prove", "schemas", "show", "vectors")
TWO = ("decide", "--example", "two-teams", "--now", "2026-03-02T14:00:00Z")
COHORT = ("decide", "--example", "shared-cohort", "--now", "2026-05-11T14:00:00Z")
FAIR = ("--fair-sharing", "default")


def check(name: str, *arguments: str, cwd: Path | None = None) -> Any:
    """An answer that is as its schema says, in JSON and in YAML."""
    done = tenure(*arguments, "-o", "json", cwd=cwd)
    answer = json.loads(done.stdout)
    problems = [error.message for error in Draft202012Validator(schema(name)).iter_errors(answer)]
    assert problems == []
    return answer


@pytest.mark.parametrize("name", schema_names())
def test_a_schema_is_one_of_draft_2020_12(name: str) -> None:
    found = schema(name)
    assert found["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert found["title"]
    Draft202012Validator.check_schema(found)


def test_every_schema_is_made_of_a_type() -> None:
    assert set(schemas.schema_names()) == set(schema_names())


@pytest.mark.parametrize("name", schemas.schema_names())
def test_a_published_schema_is_the_one_that_the_types_make(name: str) -> None:
    assert schema(name) == schemas.made_schema(name), "python -m tools.schemas"


@pytest.mark.parametrize(
    "name",
    [
        "why",
        "why-not",
        "next",
        "diff",
        "simulate",
        "simulate-trace",
        "campaign",
        "conform",
        "test",
        "analyze-loops",
        "analyze-sanity",
        "analyze-matrix",
    ],
)
def test_every_field_of_a_schema_is_described(name: str) -> None:
    found = schema(name)
    # Of one answer or another, each is described.
    for described in (*([] if "anyOf" in found else [found]), *found["$defs"].values()):
        assert described["description"]
        fields = described.get("properties", {}).items()
        assert [name for name, field in fields if not field.get("description")] == []


@pytest.mark.parametrize("name", OURS)
def test_a_schema_leaves_nothing_open(name: str) -> None:
    for object_ in objects_of(schema(name)):
        assert "additionalProperties" in object_, object_


def objects_of(node: object) -> Iterator[dict[str, Any]]:
    """Every description of an object."""
    if isinstance(node, dict):
        if node.get("type") == "object":
            yield node
        for item in node.values():
            yield from objects_of(item)
    elif isinstance(node, list):
        for item in node:
            yield from objects_of(item)


@pytest.mark.parametrize(
    "arguments",
    [
        (*TWO, "-w", "team-b/job-eval-suite-d739e"),
        (*TWO, "-w", "team-b/job-eval-suite-d739e", "--verbose"),
        (*TWO, "-w", "team-b/job-moe-64-448bc", "--verbose"),
        (*TWO, "-w", "team-b/job-moe-64-448bc", "--verbose", "--engine", "fast"),
        (*TWO, "-w", "team-a/job-long-context-8a5dc", "--override", "newer_than=reserved_after_created"),
        (*COHORT, "-w", "llm/job-pretrain-mix-9fa75", "--verbose"),
        (*COHORT, "-w", "ads/job-bid-landscape-c66ef", *FAIR, "--verbose"),
    ],
    ids=" ".join,
)
def test_a_decision_is_as_its_schema_says(arguments: tuple[str, ...]) -> None:
    check("decide", *arguments)


@pytest.mark.parametrize(
    "arguments",
    [(*TWO, "--verbose"), COHORT, (*COHORT, *FAIR, "--verbose"), (*TWO, "--reading", "as-written")],
    ids=" ".join,
)
def test_all_decisions_are_as_their_schema_says(arguments: tuple[str, ...]) -> None:
    check("pending", *arguments, "--all-pending")


def test_who_cannot_be_decided_is_as_the_schema_says(tmp_path: Path) -> None:
    folder = shutil.copytree(ROOT / "examples" / "two-teams", tmp_path / "cluster")
    file = folder / "workloads-team-b.yaml"
    whole = libyaml.load(file.read_text(encoding="utf-8"))
    for item in whole["items"]:
        if "admission" not in item.get("status", {}):
            item["spec"]["podSets"][0]["template"]["spec"]["resourceClaims"] = [{"name": "gpu"}]
    file.write_text(libyaml.dump(whole), encoding="utf-8")
    answer = check("pending", "decide", str(folder), "--all-pending")
    assert None in [row["decision"] for row in answer["pending"]]
    assert answer["warnings"]


def test_the_other_answers_are_as_their_schemas_say(tmp_path: Path) -> None:
    check("example", "example")
    check("example", "example", "two-teams")
    check("example", "example", "two-teams", "--to", "mine", cwd=tmp_path)
    check("schemas", "schema")
    check("vectors", "vectors", "run", "TBP-020")
    # One file alone lacks vectors of many rules; a whole folder is checked by the tests of processes.
    kept = tmp_path / "time-based.json"
    kept.write_text(
        (ROOT / "spec" / "vectors" / kept.name).read_text(encoding="utf-8") + "\n", encoding="utf-8"
    )
    folder = str(tmp_path)
    problems = check("vectors", "vectors", "check", "--folder", folder)["problems"]
    assert any(kept.name in str(problem) for problem in problems)
    assert check("vectors", "vectors", "format", "--folder", folder)["formatted"] == ["time-based.json"]


def test_what_a_hero_does_is_as_the_schemas_say() -> None:
    hero = ("--example", "hero", "--now", "2026-06-08T12:00:00Z")
    answer = check("decide", "decide", *hero, "-w", "training/job-foundation-c9e85", "--verbose")
    assert all("proposed" in effect for effect in answer["effects"])
    check("pending", "decide", *hero, "--all-pending", "--verbose")
    check("accessible", "show", *hero)


def test_a_schema_is_printed_as_it_is_published() -> None:
    printed = tenure("schema", "decide").stdout.decode()
    assert printed == (ROOT / "spec" / "schemas" / "decide.schema.json").read_text(encoding="utf-8")
    assert libyaml.load(tenure("schema", "decide", "-o", "yaml").stdout) == json.loads(printed)
    listed = tenure("schema").stdout.decode().splitlines()
    assert [line.split()[0] for line in listed] == schema_names()
    done = tenure("schema", "decisions")
    assert done.returncode == 2
    assert f"expected one of {schema_names()[0]}, ".encode() in done.stderr
