"""Decoding in pieces says what decoding at once says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tenure.conformance.lines import answer_line
from tenure.conformance.pieces import Piece, Pieces
from tenure.conformance.protocol import answer
from tenure.strategies import chunk

DECODER = json.JSONDecoder()


def requests() -> list[dict[str, Any]]:
    drawn = chunk(31, 0, most=40, max_workloads=12)
    return [{"id": number, "call": "decide", "input": each} for number, each in enumerate(drawn)]


@pytest.mark.parametrize(
    "form", [{}, {"separators": (",", ":")}, {"indent": 1}, {"ensure_ascii": False}], ids=str
)
def test_pieces_are_what_the_whole_is(form: dict[str, Any]) -> None:
    pieces = Pieces(DECODER.raw_decode)
    for request in (*requests(), *requests()):
        text = json.dumps(request, **form)
        made = pieces.decoded(f"  {text}\n")
        assert made == request
        assert list(made["input"]) == list(request["input"])


def test_a_list_that_stood_before_is_the_same_object() -> None:
    pieces, text = Pieces(DECODER.raw_decode), json.dumps(requests()[0])
    first, again = (pieces.decoded(text)["input"]["clusterQueues"] for _ in "12")
    assert isinstance(first, Piece)
    assert first is again


def test_a_longer_list_with_the_same_beginning_is_another_one() -> None:
    pieces, entries = Pieces(DECODER.raw_decode), [{"a": "b" * 600}]
    for _ in "12":
        for cohorts in (entries, [*entries, 1], [*entries, 2], entries):
            assert pieces.decoded(json.dumps({"input": {"cohorts": cohorts}}))["input"]["cohorts"] == cohorts


def test_what_is_remembered_is_bounded() -> None:
    pieces = Pieces(DECODER.raw_decode)
    texts = [json.dumps({"input": {"cohorts": [number, "x" * 100_000]}}) for number in range(60)]
    first = pieces.decoded(texts[0])["input"]["cohorts"]
    assert pieces.decoded(texts[0])["input"]["cohorts"] is first
    for text in texts:
        pieces.decoded(text)
    assert pieces.decoded(texts[0])["input"]["cohorts"] is not first


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"id": 1, "id": 2}', "the key 'id' stands twice in one object"),
        ('{"input": {"now": 1, "now": 2}}', "the key 'now' stands twice in one object"),
        ('{"input": {"cohorts": [{"a": 1, "a": 2}]}}', "the key 'a' stands twice in one object"),
        ('{"input": {"\\u0069d": 1, "id": 2}}', "the key 'id' stands twice in one object"),
        ('{"input": {}} {}', "Extra data: line 1 column 15 (char 14)"),
        (
            '{"input": {"cohorts": [1,]}}',
            "Illegal trailing comma before end of array: line 1 column 25 (char 24)",
        ),
        ('{"id": NaN}', "NaN is no JSON number"),
        ('{"id": 1', "Expecting ',' delimiter: line 1 column 9 (char 8)"),
    ],
)
def test_what_is_wrong_is_told_as_of_the_whole_text(text: str, told: str) -> None:
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
