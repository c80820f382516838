"""Lines made to hurt, and readers and writers that leave: the oracle answers what it can, and ends well."""

from __future__ import annotations

import io
import json
import subprocess
from typing import Any

import pytest

from tenure.conformance import lines
from tenure.conformance.lines import answer_line, serve
from tests.command_line import PATIENCE_S, TENURE
from tests.tenure.conformance.requests import a_queue, a_request, a_workload

GOOD = json.dumps(a_request("good")).encode()


def served(source: bytes) -> list[dict[str, Any]]:
    """What some bytes are answered with."""
    sink = io.StringIO()
    serve(io.BytesIO(source), sink)
    return [json.loads(line) for line in sink.getvalue().splitlines()]


def message(line: bytes) -> str:
    """What is said of a line."""
    return str(answer_line(line)["error"]["message"])


def test_a_line_that_is_too_long_gets_an_error_and_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MAX_LINE", len(GOOD))
    monkeypatch.setattr(lines, "_CHUNK", 7)
    long = b"[" + b" " * 3 * len(GOOD) + b"]"
    first, second, third = served(long + b"\n" + GOOD + b"\n" + long)
    assert (first["id"], first["error"]["code"]) == (None, "bad-input")
    assert first["error"]["message"].startswith("the line is longer than")
    assert second["id"] == "good"
    assert third["error"] == first["error"]


def test_a_line_as_long_as_the_limit_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MAX_LINE", len(GOOD))
    assert [entry["id"] for entry in served(GOOD + b"\n" + GOOD)] == ["good", "good"]


def test_the_last_line_needs_no_end() -> None:
    assert [entry["id"] for entry in served(b"\n\n" + GOOD)] == ["good"]


def test_a_byte_order_mark_is_no_fault() -> None:
    assert served(b"\xef\xbb\xbf" + GOOD)[0]["id"] == "good"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"id": 1, "call": "decide", "call": "x"}', "the line is not JSON: the key 'call' appears twice"),
        (b'{"id": NaN}', "the line is not JSON: NaN is no JSON number"),
        (b'{"id": 1e999}', "the line is not JSON: 1e999 is no JSON number"),
        (b'{"id": ' + b"9" * 5000 + b"}", "the line is not JSON: an integer of 5000 digits"),
        (b'{"id": "\x00"}', "the line is not JSON: Invalid control character"),
        (b"\x00", "the line is not JSON"),
        (b'"\xed\xa0\x80"', "the line is not UTF-8: invalid continuation byte at byte 1"),
        (b"[" * 100_000, "the line is not JSON that can be read: it is nested too deeply"),
        (b'{"id": 1', "the line is not JSON"),
    ],
)
def test_what_is_wrong_with_a_line_is_said(line: bytes, said: str) -> None:
    assert message(line).startswith(said)
    assert len(message(line)) < 300


@pytest.mark.parametrize("depth", [100, 500, 800, 900, 950, 970, 980, 985, 990, 995])
def test_an_id_may_be_anything_that_can_be_written(depth: int) -> None:
    line = b'{"id": ' + b"[" * depth + b"]" * depth + b', "call": "x"}'
    (said,) = served(line)
    assert said["error"]["code"] in ("unknown-call", "bad-json", "bad-input")


def test_a_message_is_no_copy_of_a_large_request() -> None:
    huge = json.dumps({"id": 1, "call": "decide", "input": {"now": "x" * 10**6, "y" * 10**6: 1}}).encode()
    assert len(message(huge)) < 5000
    assert len(message(json.dumps({"call": "x" * 10**6}).encode())) < 500


@pytest.mark.parametrize(
    ("changed", "meant"),
    [
        ({"targetCQ": "queue-1"}, "did you mean queue-2?"),
        ({"resourceFlavours": []}, "did you mean resourceFlavors?"),
        ({"requeuingTimestamp": "eviction"}, "did you mean Eviction?"),
        ({"clusterQueues": [a_queue("queue-2"), {**a_queue(), "spec": {"stopPolicy": "hold"}}]}, "Hold?"),
        ({"incoming": {**a_workload("w"), "spec": {"podSet": []}}}, "did you mean podSets?"),
    ],
)
def test_a_misspelt_name_is_told_with_the_right_one(changed: dict[str, Any], meant: str) -> None:
    given = {"clusterQueues": [a_queue("queue-2")], "targetCQ": "queue-2", **changed}
    assert meant in message(json.dumps(a_request(1, **given)).encode())


def test_an_object_that_was_right_once_does_not_hide_that_another_is_wrong() -> None:
    assert "output" in answer_line(GOOD)
    for priority in (True, 100.0, "100"):
        wrong = a_workload("preemptor")
        wrong["spec"]["priority"] = priority
        said = answer_line(json.dumps(a_request(1, incoming=wrong)).encode())
        assert said["error"]["field"] == "incoming.spec.priority"


def test_requests_about_the_same_cluster_differ_in_who_waits_and_when() -> None:
    kept = json.dumps(a_request(1, now="2026-03-02T10:00:00Z")).encode()
    for _ in range(2):
        assert answer_line(GOOD)["output"]["decision"] == "Preempt"
        assert answer_line(kept)["output"]["decision"] == "NoCandidates"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&-", "< /dev/null", "> /dev/full"])
def test_a_closed_end_is_no_traceback(closed: str) -> None:
    done = subprocess.run(
        ["bash", "-c", f'"{TENURE}" oracle {closed}'],
        input=GOOD + b"\n",
        capture_output=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert b"Traceback" not in done.stderr
    assert done.returncode in (0, 2), done.stderr


def test_a_reader_that_leaves_ends_the_oracle_quietly() -> None:
    with subprocess.Popen(
        [TENURE, "oracle"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Otherwise what is left in our own buffer cannot be written when it is closed.
        bufsize=0,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(GOOD + b"\n")
        assert b'"output"' in process.stdout.readline()
        process.stdout.close()
        try:
            for _ in range(1000):
                process.stdin.write(GOOD + b"\n")
        except BrokenPipeError:
            pass
        assert process.wait(timeout=PATIENCE_S) == 0
        assert process.stderr.read() == b""
