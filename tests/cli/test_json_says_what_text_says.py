"""Every number, time, name and rule of a text answer is in the JSON answer too."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tenure.units import format_amount
from tests.command_line import tenure
from tests.objects import a_local_queue, an_object
from tools import libyaml

TEAMS = ("--example", "two-teams", "--now", "2026-03-02T14:00:00Z")
COHORT = ("--example", "shared-cohort", "--now", "2026-05-11T14:00:00Z")
HERO = ("--example", "hero", "--now", "2026-06-08T12:00:00Z")
LLM, LONG = "llm/job-pretrain-mix-9fa75", "team-a/job-long-context-8a5dc"
ASKED = [
    ("decide", "-w", LLM, *COHORT),
    ("decide", "-w", LLM, *COHORT, "--override", "same_priority_gate=either"),
    ("decide", "-a", *COHORT),
    ("decide", "-a", *TEAMS),
    ("decide", "-v", "-w", LLM, *COHORT, "--counterfactuals", "1"),
    ("why", "team-a/job-pretrain-7b-e95a1", *TEAMS),
    ("why-not", LONG, *TEAMS, "--counterfactuals", "1"),
    ("show", *HERO),
    ("show", *COHORT, "--all"),
    ("validate", "--example", "shared-cohort"),
]
FACT = re.compile(r"[\w.:+-]+/[\w.-]+|[A-Z]+-\d{3}|[\w.:+-]*\d[\w.:+-]*")
"""A name, a rule, or anything with a digit in it."""


def facts(text: str) -> set[str]:
    """The facts of a text, without the punctuation behind them."""
    return {fact.rstrip(".:") for fact in FACT.findall(text)}


def leaves(value: Any) -> Iterator[str]:
    """All that is said at the leaves, what objects are keyed by, and how long each list is."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield key
            yield from leaves(below)
    elif isinstance(value, list):
        yield str(len(value))
        for below in value:
            yield from leaves(below)
    else:
        yield str(value)
        if isinstance(value, int):  # base units; text has quantities
            yield from (format_amount(resource, value) for resource in ("cpu", "memory"))


@pytest.mark.parametrize("arguments", ASKED, ids=" ".join)
def test_every_fact_of_the_text_is_in_the_json(arguments: tuple[str, ...]) -> None:
    text = tenure(*arguments).stdout.decode().partition("look up an identifier")[0]
    answer = json.loads(tenure(*arguments, "-o", "json").stdout)
    known = facts(" ".join(leaves(answer)))
    assert facts(text), text
    assert sorted(facts(text) - known) == []


def test_json_has_what_is_short_and_how_many_there_are_of_each_kind() -> None:
    one = json.loads(tenure("decide", "-w", LONG, *TEAMS, "-o", "json").stdout)
    assert one["summary"][1] == "37 nvidia.com/gpu short on a100: 40 asked, 61 of 64 in use"
    every = json.loads(tenure("decide", "-a", *TEAMS, "-o", "json").stdout)
    assert sum(every["counts"].values()) == len(every["pending"])
    (row,) = (row for row in every["pending"] if row["workload"] == LONG)
    assert row["summary"] == one["summary"]


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_exit_code_says_that_no_workload_could_be_decided_about(form: str, tmp_path: Path) -> None:
    waiting = an_object("Workload", "train", {"queueName": "gone"}, "ml")
    queue = an_object("ClusterQueue", "q")
    local = a_local_queue("main", "ml", "q")
    dump = tmp_path / "dump.yaml"
    dump.write_text(libyaml.dump_all([queue, local, waiting]), encoding="utf-8")
    done = tenure("decide", "-a", str(dump), "--now", "2026-03-02T14:00:00Z", "-o", form)
    assert done.returncode == 2
    assert b"none of 1 pending workloads can be decided about" in done.stderr
    assert b"gone" in done.stdout
    if form == "json":
        assert json.loads(done.stdout)["counts"]["undecided"] == 1
