"""A line is answered by what it says alone, whatever was asked before it."""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

import pytest

from tenure.conformance.lines import answer_line
from tenure.conformance.protocol import answer
from tenure_lab.generators.strategies import examples


def requests() -> list[dict[str, Any]]:
    drawn = islice(examples(10_000, 31, max_workloads=12), 40)
    return [{"id": number, "call": "decide", "input": entry} for number, entry in enumerate(drawn)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"id": 1, "id": 2}', "the key 'id' appears twice in one object"),
        ('{"input": {"now": 1, "now": 2}}', "the key 'now' appears twice in one object"),
        ('{"input": {"cohorts": [{"a": 1, "a": 2}]}}', "the key 'a' appears twice in one object"),
        ('{"input": {"\\u0069d": 1, "id": 2}}', "the key 'id' appears twice in one object"),
        ('{"input": {}} {}', "Extra data: line 1 column 15 (char 14)"),
        (
            '{"input": {"cohorts": [1,]}}',
            "Illegal trailing comma before end of array: line 1 column 25 (char 24)",
        ),
        ('{"id": NaN}', "NaN is no JSON number"),
        ('{"id": 1', "Expecting ',' delimiter: line 1 column 9 (char 8)"),
    ],
)
def test_what_is_no_json_is_told(text: str, told: str) -> None:
    said = answer_line(text.encode())
    assert said["error"]["message"] == f"the line is not JSON: {told}"


def test_a_request_is_answered_the_same_the_second_time() -> None:
    for request in requests():
        line = json.dumps(request).encode()
        assert answer_line(line) == answer_line(line)


def test_other_settings_make_something_else_of_the_same_lists() -> None:
    nothing: list[Any] = []
    for request in requests():
        for settings in (
            {"featureGates": {"ReclaimablePods": False}},
            {"resourceFlavors": nothing},
            {"resourceFlavors": None},
            {},
        ):
            asked = {**request, "input": {**request["input"], **settings}}
            assert answer_line(json.dumps(asked).encode()) == answer(asked)
