"""The JSON-lines oracle: every line gets its answer, in order, whatever the line holds."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tenure.conformance.lines import serve
from tenure.conformance.protocol import answer
from tenure.readings import preset
from tests.command_line import tenure
from tests.tenure.conformance.requests import a_queue, a_request, a_workload, an_input


def answers(*lines: bytes) -> list[dict[str, Any]]:
    """What a process answers to some lines; it ends well after the last."""
    done = tenure("oracle", stdin=b"".join(line + b"\n" for line in lines))
    assert (done.returncode, done.stderr) == (0, b"")
    return [_strictly(line) for line in done.stdout.splitlines()]


def _strictly(line: bytes) -> dict[str, Any]:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    parsed: dict[str, Any] = json.loads(line.decode("utf-8"), parse_constant=refuse)
    return parsed


def encoded(request: object) -> bytes:
    """A request as a line."""
    return json.dumps(request).encode()


def error_of(**fields: Any) -> dict[str, Any]:
    """The error that an input gets."""
    error: dict[str, Any] = answer(a_request(**fields))["error"]
    return error


def test_lines_are_answered_in_order_with_their_own_ids() -> None:
    ids = [3, "one", None, {"a": [1]}, 2.5, "é", True]
    said = answers(*(encoded(a_request(identifier)) for identifier in ids))
    assert [entry["id"] for entry in said] == ids
    assert {entry["output"]["decision"] for entry in said} == {"Preempt"}


def test_an_answer_names_who_leaves_why_by_which_rules_and_what_the_cluster_would_show() -> None:
    (said,) = answers(encoded(a_request()))
    message = (
        "Preempted to accommodate a workload (UID: preemptor, JobUID: UNKNOWN) due to time-based "
        "prioritization in the ClusterQueue; preemptor path: /q; preemptee path: /q"
    )
    assert said["output"] == {
        "decision": "Preempt",
        "preempted": [
            {
                "workload": "ml/long",
                "clusterQueue": "q",
                "reason": "InClusterQueueTimeBased",
                "rules": ["KQ-040", "TBP-050", "TBP-020"],
            }
        ],
        "reading": "guaranteed",
        "kueue": "0.19+proposals",
        "engine": "reference",
        "effects": [
            {
                "workload": "ml/long",
                "conditions": [
                    {"type": "Evicted", "status": "True", "reason": "Preempted", "message": message},
                    {
                        "type": "Preempted",
                        "status": "True",
                        "reason": "InClusterQueueTimeBased",
                        "message": message,
                    },
                ],
                "metrics": [
                    {
                        "name": "kueue_preempted_workloads_total",
                        "labels": {"preempting_cluster_queue": "q", "reason": "InClusterQueueTimeBased"},
                        "increment": 1,
                    }
                ],
            }
        ],
    }


def test_after_every_kind_of_bad_line_the_loop_goes_on() -> None:
    bad = [
        (b"{nonsense", "bad-json"),
        (b"\xff\xfe", "bad-json"),
        (b"[" * 100_000, "bad-json"),
        (b'{"id": 1, "call": "decide", "input": ' + b'{"a":' * 100_000, "bad-json"),
        (b"[]", "bad-input"),
        (b'"decide"', "bad-input"),
        (b'{"id": 1, "call": "guess"}', "unknown-call"),
        (b'{"id": 1}', "unknown-call"),
        (b'{"id": 1, "call": ["decide"]}', "unknown-call"),
        (b'{"id": 1, "call": "decide"}', "bad-input"),
        (b'{"id": 1, "call": "decide", "input": []}', "bad-input"),
        (b'{"id": 1, "call": "decide", "input": {}}', "bad-input"),
    ]
    lines = [line for data, _ in bad for line in (data, encoded(a_request("good")))]
    said = answers(*lines)
    assert [entry["error"]["code"] for entry in said[::2]] == [code for _, code in bad]
    assert {entry["id"] for entry in said[1::2] if "output" in entry} == {"good"}
    assert len(said) == len(lines)


def test_blank_lines_get_no_answer() -> None:
    assert len(answers(b"", b"  \t", encoded(a_request()), b"\r", b"")) == 1


def test_an_error_names_the_fault_of_the_line_itself() -> None:
    not_utf8, not_json = answers(b'{"id": "\xff"}', b'{"id": 1,}')
    assert not_utf8["error"]["message"].startswith("the line is not UTF-8")
    assert not_json["error"]["message"].startswith("the line is not JSON")
    assert (not_utf8["id"], not_json["id"]) == (None, None)


def test_a_lone_surrogate_does_not_end_the_loop() -> None:
    # JSON can write half a character, UTF-8 cannot.
    said = answers(b'{"id": "\\ud800", "call": "decide"}', encoded(a_request(2)))
    assert [("error" in entry, "output" in entry) for entry in said] == [(True, False), (False, True)]


@pytest.mark.parametrize("number", [b"NaN", b"Infinity", b"1e999"])
def test_a_number_that_json_does_not_have_is_not_answered_with_itself(number: bytes) -> None:
    said = answers(b'{"id": ' + number + b', "call": "guess"}', encoded(a_request(2)))
    assert ["error" in entry for entry in said] == [True, False]


def test_an_input_nested_deeper_than_the_model_is_bad_input() -> None:
    deep: Any = []
    for _ in range(300):
        deep = [deep]
    assert error_of(incoming={**a_workload("w"), "spec": deep})["code"] == "bad-input"


def test_all_problems_of_a_request_are_told_at_once() -> None:
    broken = an_input(now="soon", explain=1, engine="quick", hurry=True, reading={"newer_than": "later"})
    del broken["targetCQ"]
    broken["clusterQueues"] = [a_queue(quota="many")]
    broken["admitted"][1]["spec"]["priority"] = "high"
    error = answer({"id": 1, "call": "decide", "input": broken})["error"]
    fields = [problem["field"] for problem in error["problems"]]
    assert set(fields) >= {"now", "explain", "engine", "hurry", "targetCQ", "reading.newer_than"}
    assert "clusterQueues[0].spec.resourceGroups[0].flavors[0].resources[0].nominalQuota" in fields
    assert "admitted[1].spec.priority" in fields
    assert error["field"] == fields[0]
    assert all(problem["found"] and problem["expected"] for problem in error["problems"])


@pytest.mark.parametrize("field", ["now", "clusterQueues", "admitted", "incoming", "targetCQ"])
def test_a_missing_field_is_named(field: str) -> None:
    incomplete = an_input()
    del incomplete[field]
    error = answer({"id": 1, "call": "decide", "input": incomplete})["error"]
    assert {"field": field, "found": "nothing"}.items() <= error["problems"][0].items()
    assert [problem["field"] for problem in error["problems"]] == [field]


def test_a_cluster_queue_that_is_wrong_is_still_a_name_for_the_target() -> None:
    error = answer({"id": 1, "call": "decide", "input": an_input(clusterQueues=[a_queue(quota="many")])})[
        "error"
    ]
    assert [problem["field"].rpartition(".")[2] for problem in error["problems"]] == ["nominalQuota"]


def test_an_unknown_field_is_named_and_no_recorded_one_is() -> None:
    assert error_of(preemptionPolicy="Never")["field"] == "preemptionPolicy"
    assert "output" in answer(a_request(suite="x", name="y", got={}, derived={}, nodeUsage=[]))


def test_an_unknown_reading_key_is_named_by_its_path() -> None:
    error = error_of(reading={"preset": "released", "newer_then": "queue_order"})
    assert (error["code"], error["field"]) == ("bad-input", "reading.newer_then")
    assert "did you mean 'newer_than'?" in error["message"]


def test_an_overridden_reading_is_answered_with_every_choice() -> None:
    said = answer(a_request(reading={"preset": "guaranteed", "newer_than": "reserved_after_created"}))
    assert said["output"]["reading"] == preset("guaranteed").choices() | {
        "newer_than": "reserved_after_created"
    }


def test_an_engine_that_does_not_exist_is_bad_input() -> None:
    error = error_of(engine="quick")
    assert (error["code"], error["field"]) == ("bad-input", "engine")


@pytest.mark.parametrize("gate", ["PriorityBoost", "PrioritySortingWithinCohort", "ReclaimablePods"])
def test_a_gate_that_decides_may_be_on_or_off(gate: str) -> None:
    assert all("output" in answer(a_request(featureGates={gate: on})) for on in (True, False))


def test_a_gate_that_would_bring_in_what_is_not_modelled_is_refused() -> None:
    error = error_of(featureGates={"ConcurrentAdmission": True})
    assert (error["code"], error["field"]) == ("not-modelled", "featureGates.ConcurrentAdmission")


def test_a_gate_that_kueue_does_not_have_is_an_error() -> None:
    error = error_of(featureGates={"PriorityBoots": True})
    assert (error["code"], error["field"]) == ("bad-input", "featureGates.PriorityBoots")


def test_without_the_gate_the_duration_has_no_effect() -> None:
    off = answer(a_request(featureGates={"TimeBasedSamePriorityPreemption": False}))
    assert (off["output"]["decision"], off["output"]["preempted"]) == ("NoCandidates", [])


def test_a_queue_given_twice_is_told_with_the_other_problems() -> None:
    error = error_of(clusterQueues=[a_queue(), a_queue()], engine="quick")
    assert {problem["field"] for problem in error["problems"]} == {
        "clusterQueues[1].metadata.name",
        "engine",
    }


def test_a_workload_given_twice_is_not_counted_twice() -> None:
    twice = [a_workload("long", reserved="2026-03-02T09:00:00Z")] * 2
    assert error_of(admitted=twice)["field"].startswith("admitted[1].metadata")


def test_the_trace_is_told_when_it_is_asked_for() -> None:
    assert "trace" not in answer(a_request())["output"]
    trace = answer(a_request(explain=True))["output"]["trace"]
    assert [(row["workload"], row["preempted"]) for row in trace["workloads"]] == [
        ("ml/long", True),
        ("ml/short", False),
    ]


JUNK: tuple[Any, ...] = (
    None,
    True,
    -1,
    2**70,
    0.5,
    "",
    "x",
    [],
    {},
    [None],
    [[]],
    [{}],
    {"x": "y"},
    {"x": None},
    [{"name": "x", "flavors": "x"}],
)
COMPLETE = an_input(
    featureGates={"TimeBasedSamePriorityPreemption": True},
    requeuingTimestamp="Eviction",
    localQueues=[],
    resourceFlavors=[],
    cohorts=[],
    fairSharing=None,
    engine="reference",
    explain=True,
    reading={"preset": "released", "newer_than": "queue_order"},
    assignment={
        "podSets": [{"name": "main", "flavors": {"cpu": {"flavor": "default", "mode": "Preempt"}}}],
        "usage": [{"flavor": "default", "resource": "cpu", "amount": 1000}],
        "frsNeedPreemption": [{"flavor": "default", "resource": "cpu"}],
        "representativeMode": "Preempt",
    },
)


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of everything inside a value."""
    if isinstance(value, list | dict):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield (*at, key)
            yield from places(inner, (*at, key))


def changed(place: tuple[Any, ...], junk: Any) -> dict[str, Any]:
    """The complete input with something else at one place."""
    whole: dict[str, Any] = json.loads(json.dumps(COMPLETE))
    inner: Any = whole
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = junk
    return whole


@pytest.mark.parametrize("junk", JUNK, ids=json.dumps)
def test_no_junk_at_any_place_of_a_request_raises(junk: Any) -> None:
    raised = []
    for place in places(COMPLETE):
        try:
            said = answer({"id": 7, "call": "decide", "input": changed(place, junk)})
        except Exception as error:  # noqa: BLE001 - what must not happen, whatever it is
            raised.append(f"{'.'.join(map(str, place))}: {error!r}")
        else:
            assert ("output" in said) != ("error" in said)
            json.dumps(said, allow_nan=False)
    assert raised == []


def test_a_fault_of_our_own_costs_one_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def faulty(request: dict[str, Any], **_: bool) -> dict[str, Any]:
        if request["id"] == 1:
            raise RuntimeError("the sky fell")
        return answer(request)

    monkeypatch.setattr("tenure.conformance.lines.answer", faulty)
    sink = io.StringIO()
    serve(io.BytesIO(encoded(a_request(1)) + b"\n" + encoded(a_request(2)) + b"\n"), sink)
    first, second = (json.loads(line) for line in sink.getvalue().splitlines())
    assert first["id"] == 1
    assert first["error"]["code"] == "internal"
    assert "RuntimeError: the sky fell" in first["error"]["message"]
    assert "output" in second
