"""What Kueue's own webhooks answered about 60 objects, beside what validation says."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.conformance.protocol import answer
from tests.tenure.conformance.recorded import lines, needs_recorded

pytestmark = needs_recorded

FILES = {
    "validate_clusterqueue.jsonl": 39,
    "validate_clusterqueue_update.jsonl": 11,
    "validate_clusterqueue_limits.jsonl": 9,
    "validate_cohort.jsonl": 1,
}

NO_MODE = "the schema requires a mode"
NO_COVERED_RESOURCES = "the test's group and its flavor have no resources; the schema requires both"
TOO_MANY = "the test puts more than 64 of them into one group, for a function that adds groups up"
REFUSED_BEFORE_THE_WEBHOOK = {
    "ConcurrentAdmissionPolicy constraints with empty migration mode is allowed": NO_MODE,
    "admissionCheckStrategy defined with a valid flavor": NO_COVERED_RESOURCES,
    "flavor with qualified names": NO_COVERED_RESOURCES,
    "TestValidateTotalCoveredResources/At_limit_(256_covered_resources)": TOO_MANY,
    "TestValidateTotalCoveredResources/over_limit_(257_covered_resources)": TOO_MANY,
    "TestValidateTotalFlavors/At_limit_(256_flavors)": TOO_MANY,
    "TestValidateTotalFlavors/over_limit_(257_flavors)": TOO_MANY,
}
"""Objects of Go tests that no API server would let through to the webhook, and why: their further errors."""

RECORDED = [pytest.param(line, id=f"{line['suite']}: {line['name']}") for line in lines(*FILES)]


def errors_about(line: dict[str, Any]) -> list[dict[str, str]]:
    """The errors of the protocol's answer about a recorded object, or a recorded update."""
    new = line.get("clusterQueue") or line.get("cohort") or line["new"]
    old = [line["old"]] if "old" in line else []
    given = {"objects": [new], "old": old, "featureGates": line["featureGates"]}
    errors: list[dict[str, str]] = answer({"id": 1, "call": "validate", "input": given})["output"]["errors"]
    return errors


def places(errors: list[dict[str, str]]) -> list[tuple[str, str]]:
    """Type and field of each error: what Kueue's tests compare."""
    return sorted((error["type"], error["field"]) for error in errors)


def test_every_line_is_compared() -> None:
    assert {name: len(lines(name)) for name in FILES} == FILES


@pytest.mark.parametrize("line", RECORDED)
def test_the_webhooks_errors_are_the_recorded_ones(line: dict[str, Any]) -> None:
    said = [error for error in errors_about(line) if error["source"] == "webhook"]
    assert places(said) == places(line["got"]["errors"])
    assert bool(said) == (not line["got"]["valid"])


@pytest.mark.parametrize("line", RECORDED)
def test_the_schema_refuses_nothing_else_but_what_is_listed(line: dict[str, Any]) -> None:
    further = [error for error in errors_about(line) if error["source"] != "webhook"]
    assert bool(further) == (line["name"] in REFUSED_BEFORE_THE_WEBHOOK)
    assert {error["source"] for error in further} <= {"schema"}


def test_every_listed_name_is_recorded() -> None:
    assert set(REFUSED_BEFORE_THE_WEBHOOK) <= {line["name"] for line in lines(*FILES)}
