"""What the real scheduler decided, decided again: every recorded case, through Python and the process."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tenure.conformance.protocol import answer
from tenure.readings import preset_names
from tests.command_line import tenure_process
from tests.sampling import sample
from tests.tenure.conformance.recorded import (
    RANDOM,
    TESTS,
    Recorded,
    derived_assignment,
    differences,
    given_assignment,
    lines,
    needs_recorded,
)

pytestmark = needs_recorded

CASES = [
    pytest.param(TESTS, given_assignment, 148, id="tests-given"),
    pytest.param(TESTS, derived_assignment, 90, id="tests-derived"),
    pytest.param((RANDOM,), given_assignment, 1097, id="random-given"),
    pytest.param((RANDOM,), derived_assignment, 1097, id="random-derived"),
]
Chosen = Callable[[dict[str, Any]], Recorded | None]


def chosen(files: tuple[str, ...], with_assignment: Chosen) -> list[tuple[dict[str, Any], Recorded]]:
    """The recorded lines that say something with this kind of assignment."""
    pairs = ((line, with_assignment(line)) for line in lines(*files))
    return [(line, recorded) for line, recorded in pairs if recorded is not None]


@pytest.mark.parametrize(("files", "with_assignment", "count"), CASES)
def test_every_line_is_decided_as_recorded(
    files: tuple[str, ...], with_assignment: Chosen, count: int
) -> None:
    recorded = chosen(files, with_assignment)
    different = [
        difference
        for line, (request, decided) in recorded
        for difference in differences(line, answer({"id": 1, "call": "decide", "input": request}), decided)
    ]
    assert different == []
    assert len(recorded) == count


@pytest.mark.parametrize("reading", preset_names())
def test_no_reading_changes_what_is_recorded(reading: str) -> None:
    # No recorded queue sets minAdmitDuration, so every reading must decide as the released scheduler.
    different = [
        difference
        for line, (request, decided) in chosen(TESTS, derived_assignment)
        for difference in differences(
            line, answer({"id": 1, "call": "decide", "input": {**request, "reading": reading}}), decided
        )
    ]
    assert different == []


def test_the_oracle_process_decides_lines_as_recorded() -> None:
    # In the sample one in eight: every line is decided in this process above.
    every = sample(8, 1)
    recorded = [pair for case in CASES for pair in chosen(*case.values[:2])][::every]  # type: ignore[arg-type]
    requests = [
        json.dumps({"id": number, "call": "decide", "input": request})
        for number, (_, (request, _)) in enumerate(recorded)
    ]
    done = tenure_process("oracle", stdin="\n".join(requests).encode())
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert [item["id"] for item in said] == list(range(-(-(148 + 90 + 1097 + 1097) // every)))
    different = [
        difference
        for (line, (_, decided)), answered in zip(recorded, said, strict=True)
        for difference in differences(line, answered, decided)
    ]
    assert different == []


def test_the_lines_with_an_admission_scope_are_among_them() -> None:
    scoped = [
        line["name"]
        for line in lines(*TESTS)
        if any("admissionScope" in queue["spec"] for queue in line["clusterQueues"])
    ]
    assert len(scoped) == 4
