"""Vector files: what makes one wrong, and the commands that run, check, format and add."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tenure.conformance import vectors
from tenure.conformance.vectors import (
    add_vector,
    check_vectors,
    format_files,
    formatted,
    load_vectors,
    run_vector,
)
from tenure.errors import InputError
from tenure.versions import form
from tests.command_line import tenure
from tests.published import published_vectors
from tests.tenure.conformance.requests import an_input

File = dict[str, Any]
LONG = {
    "workload": "ml/long",
    "clusterQueue": "q",
    "reason": "InClusterQueueTimeBased",
    "rules": ["KQ-040", "TBP-050", "TBP-020"],
}


def a_vector(claim: str = "a-long-one-is-taken", **fields: Any) -> File:
    """A case that passes."""
    return {
        "id": f"TBP-020/{claim}",
        "rules": ["TBP-020"],
        "verdict": "accept",
        "flags": ["Plain"],
        "comment": "Five hours against four.",
        "reading": "guaranteed",
        "call": "decide",
        "input": an_input(),
        "expect": {"decision": "Preempt", "preempted": [LONG]},
        **fields,
    }


def a_file(*vectors: File, **fields: Any) -> File:
    """A vector file."""
    flags = {"Plain": "Nothing else is going on."}
    return {"schema": form("vectors"), "area": "expiry", "flags": flags, "vectors": list(vectors), **fields}


def written(folder: Path, data: Any, text: str | None = None) -> Path:
    """A folder of one file."""
    (folder / "expiry.json").write_text(formatted(data) if text is None else text, encoding="utf-8")
    return folder


def problems(folder: Path) -> list[str]:
    """What is wrong, besides the rules that one small file cannot cover."""
    return [vector for vector in check_vectors(folder) if not vector.startswith("rule ")]


def test_a_right_file_has_no_problems(tmp_path: Path) -> None:
    assert problems(written(tmp_path, a_file(a_vector()))) == []


def test_the_published_vectors_pass() -> None:
    assert list(check_vectors()) == []
    assert [run for run in map(run_vector, published_vectors()) if run.differences] == []


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (a_file(a_vector(verdict="maybe")), "$.vectors[0].verdict: found 'maybe' is not one of"),
        (a_file(a_vector(id="expired")), "$.vectors[0].id: found 'expired' does not match"),
        (a_file(a_vector(comment="why")), "$.vectors[0].comment: found 'why' is too short"),
        (a_file(a_vector(color="red")), "'color' was unexpected"),
        (a_file(a_vector(expect={"preempted": []})), "$.vectors[0].expect"),
        (a_file(a_vector(call="guess")), "$.vectors[0].call: found 'guess' is not one of"),
        (a_file(a_vector(flags=[])), "$.vectors[0].flags"),
        (a_file(), "$.vectors: found [] should be non-empty"),
        (a_file(a_vector(), area="other"), "area: found 'other', expected the file's name, expiry"),
    ],
    ids=["verdict", "id", "comment", "field", "expect", "call", "flags", "empty", "area"],
)
def test_a_file_that_breaks_the_schema_is_told_where(tmp_path: Path, data: File, words: str) -> None:
    (problem,) = problems(written(tmp_path, data))
    assert words in problem
    assert problem.startswith("expiry.json: ")


@pytest.mark.parametrize("text", ["{", "[]", "7"])
def test_a_file_that_is_no_json_object_is_told(tmp_path: Path, text: str) -> None:
    (problem,) = problems(written(tmp_path, None, text))
    assert "expiry.json" in problem


def test_all_files_that_break_the_schema_are_told_at_once(tmp_path: Path) -> None:
    written(tmp_path, a_file(a_vector(verdict="maybe")))
    (tmp_path / "other.json").write_text("{", encoding="utf-8")
    assert {name for name in ("expiry", "other") for problem in problems(tmp_path) if name in problem} == {
        "expiry",
        "other",
    }


def test_an_identifier_stands_once(tmp_path: Path) -> None:
    found = problems(written(tmp_path, a_file(a_vector(), a_vector())))
    assert found == ["expiry.json: TBP-020/a-long-one-is-taken appears twice"]


def test_a_flag_that_the_file_does_not_define_is_told(tmp_path: Path) -> None:
    found = problems(written(tmp_path, a_file(a_vector(flags=["Plain", "Boundary"]))))
    assert found == [
        "expiry.json: TBP-020/a-long-one-is-taken has flag Boundary, which the file does not define"
    ]


def test_a_flag_that_no_vector_carries_is_reported(tmp_path: Path) -> None:
    flags = {"Plain": "Nothing else is going on.", "Boundary": "Where an answer changes."}
    found = problems(written(tmp_path, a_file(a_vector(), flags=flags)))
    assert found == ["expiry.json: flag Boundary is defined and never used"]


def test_a_verdict_that_no_finding_bears_out_is_told(tmp_path: Path) -> None:
    # Nobody in this case has higher priority: KQ-010 never says yes.
    found = problems(written(tmp_path, a_file(a_vector(rules=["KQ-010"]))))
    assert found == [
        "expiry.json: TBP-020/a-long-one-is-taken expects accept, but KQ-010 never gives it there"
    ]


def test_a_rule_that_does_not_exist_is_told(tmp_path: Path) -> None:
    found = problems(written(tmp_path, a_file(a_vector(rules=["TBP-020", "TBP-990"]))))
    assert "a vector names rule TBP-990, which does not exist" in found


def test_a_rule_without_rejecting_vector_is_told(tmp_path: Path) -> None:
    found = list(check_vectors(written(tmp_path, a_file(a_vector()))))
    assert "rule TBP-020 has no rejecting vector" in found
    assert "rule TBP-020 has no accepting vector" not in found


def test_a_file_written_otherwise_is_told_and_mended(tmp_path: Path) -> None:
    written(tmp_path, None, json.dumps(a_file(a_vector(comment="Fünf Stunden gegen vier."))))
    assert problems(tmp_path) == ["expiry.json: not formatted; `tenure vectors format` does it"]
    assert [path.name for path in format_files(tmp_path)] == ["expiry.json"]
    assert problems(tmp_path) == []
    assert "Fünf" in (tmp_path / "expiry.json").read_text(encoding="utf-8")
    assert format_files(tmp_path) == [], "a second time nothing changes"


Expect = dict[str, Any]


def other(**fields: Any) -> Expect:
    """An expectation that differs in one target's fields."""
    return {"decision": "Preempt", "preempted": [{**LONG, **fields}]}


@pytest.mark.parametrize(
    ("expect", "difference"),
    [
        ({"decision": "Fit", "preempted": [LONG]}, "decision: expected 'Fit', got 'Preempt'"),
        ({"decision": "Preempt", "preempted": []}, "preempted: expected [], got ['ml/long']"),
        (
            other(reason="InClusterQueue"),
            "ml/long.reason: expected 'InClusterQueue', got 'InClusterQueueTimeBased'",
        ),
        (other(workload="ml/short"), "preempted: expected ['ml/short'], got ['ml/long']"),
        (
            {"error": {"code": "bad-input", "field": "now"}},
            "expected error bad-input at now, got an answer",
        ),
    ],
    ids=["decision", "nobody", "reason", "who", "error"],
)
def test_a_run_tells_what_the_answer_has_otherwise(tmp_path: Path, expect: Expect, difference: str) -> None:
    (vector,) = load_vectors(written(tmp_path, a_file(a_vector(expect=expect))))
    assert run_vector(vector).differences == (difference,)


def test_an_error_that_was_not_expected_is_a_difference(tmp_path: Path) -> None:
    (vector,) = load_vectors(written(tmp_path, a_file(a_vector(input=an_input(now="soon")))))
    (difference,) = run_vector(vector).differences
    assert difference.startswith("expected an answer, got error")
    assert "now: found 'soon'" in difference


def test_a_fault_of_ours_is_a_difference_of_its_vector_and_ends_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by hand")

    (vector,) = load_vectors(written(tmp_path, a_file(a_vector())))
    assert run_vector(vector).differences == ()
    monkeypatch.setattr(vectors, "answer", broken)
    assert run_vector(vector).differences == (
        "expected an answer, got an internal error, ZeroDivisionError: by hand",
    )


def test_the_expected_error_is_compared_by_code_and_field(tmp_path: Path) -> None:
    expect = {"error": {"code": "bad-input", "field": "then"}}
    (vector,) = load_vectors(written(tmp_path, a_file(a_vector(input=an_input(now="soon"), expect=expect))))
    assert run_vector(vector).differences == ("error.field: expected 'then', got 'now'",)


def without_expect(**fields: Any) -> File:
    """A case whose answer is not written yet."""
    vector = a_vector("another-one", **fields)
    del vector["expect"]
    return vector


def test_a_vector_added_without_expectation_gets_the_answer(tmp_path: Path) -> None:
    written(tmp_path, a_file(a_vector()))
    add_vector("expiry", without_expect(), tmp_path)
    added = load_vectors(tmp_path)[1]
    assert added.data["expect"] == {"decision": "Preempt", "preempted": [LONG]}
    assert run_vector(added).differences == ()
    assert problems(tmp_path) == []


def test_a_refusal_becomes_an_expected_error(tmp_path: Path) -> None:
    written(tmp_path, a_file(a_vector()))
    add_vector("expiry", without_expect(input=an_input(engine="quick")), tmp_path)
    assert load_vectors(tmp_path)[1].data["expect"] == {"error": {"code": "bad-input", "field": "engine"}}


def test_a_vector_added_with_its_expectation_keeps_it(tmp_path: Path) -> None:
    written(tmp_path, a_file(a_vector()))
    wrong = {"decision": "Fit", "preempted": []}
    add_vector("expiry", a_vector("another-one", expect=wrong), tmp_path)
    assert load_vectors(tmp_path)[1].data["expect"] == wrong


def _without_id() -> File:
    vector = without_expect()
    del vector["id"]
    return vector


@pytest.mark.parametrize(
    ("area", "make"),
    [
        ("eviction", a_vector),
        ("expiry", a_vector),
        ("expiry", _without_id),
        ("expiry", lambda: without_expect(verdict="maybe")),
        ("expiry", lambda: without_expect(input=[])),
        ("expiry", lambda: without_expect(input="x")),
        ("expiry", lambda: without_expect(input=None)),
        ("expiry", lambda: without_expect(reading=[])),
        ("expiry", lambda: without_expect(rules=["KQ-020"])),
        ("expiry", lambda: without_expect(flags=["Boundary"])),
    ],
    ids=[
        "unknown area",
        "taken id",
        "no id",
        "verdict",
        "input list",
        "input text",
        "no input",
        "reading",
        "a verdict that its rule never gives",
        "a flag that the file does not define",
    ],
)
def test_a_vector_that_may_not_be_added_changes_nothing(
    tmp_path: Path, area: str, make: Callable[[], File]
) -> None:
    before = (written(tmp_path, a_file(a_vector())) / "expiry.json").read_bytes()
    with pytest.raises(InputError):
        add_vector(area, make(), tmp_path)
    assert (tmp_path / "expiry.json").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["expiry.json"]


def test_an_unknown_area_is_refused_with_those_that_exist(tmp_path: Path) -> None:
    written(tmp_path, a_file(a_vector()))
    with pytest.raises(InputError, match="expected an area that has a file: expiry"):
        add_vector("expiries", a_vector("another-one"), tmp_path)


def test_the_command_names_a_failing_vector_why_it_exists_and_what_differs(tmp_path: Path) -> None:
    low = a_vector("nobody-is-taken", expect={"decision": "NoCandidates", "preempted": []})
    written(tmp_path, a_file(a_vector(), low))
    done = tenure("vectors", "run", "--folder", str(tmp_path))
    assert done.returncode == 1
    assert done.stdout.decode().splitlines() == [
        "FAIL TBP-020/nobody-is-taken: Five hours against four.",
        "     decision: expected 'NoCandidates', got 'Preempt'",
        "     preempted: expected [], got ['ml/long']",
        "vectors: 1 passed, 1 failed",
    ]


def test_the_command_runs_the_published_vectors_of_one_rule() -> None:
    done = tenure("vectors", "run", "TBP-020", "--verbose")
    assert done.returncode == 0
    *cases, closing = done.stdout.decode().splitlines()
    assert cases
    assert all(line.startswith("ok   TBP-020/") for line in cases)
    assert closing == f"vectors: {len(cases)} passed, 0 failed"


def test_the_command_adds_from_a_file_and_from_standard_input(tmp_path: Path) -> None:
    folder = tmp_path / "vectors"
    folder.mkdir()
    written(folder, a_file(a_vector()))
    source = tmp_path / "case.json"
    source.write_text(json.dumps(without_expect()), encoding="utf-8")
    assert tenure("vectors", "add", "expiry", str(source), "--folder", str(folder)).returncode == 0
    third = without_expect() | {"id": "TBP-020/a-third"}
    text = json.dumps(third).encode()
    assert tenure("vectors", "add", "expiry", "--folder", str(folder), stdin=text).returncode == 0
    assert [vector.id for vector in load_vectors(folder)][1:] == ["TBP-020/another-one", "TBP-020/a-third"]


@pytest.mark.parametrize(
    ("arguments", "stdin"),
    [
        (("run", "NOPE"), b""),
        (("add", "time-based"), b"{"),
        (("add", "time-based"), b"[]"),
        (("add", "time-based"), b"\xff"),
        (("add", "no-such-area"), b"{}"),
        (("add", "time-based", "absent.json"), b""),
        (("add", "time-based", "."), b""),
    ],
    ids=["unknown prefix", "no json", "a list", "not UTF-8", "unknown area", "absent file", "a folder"],
)
def test_the_command_says_bad_input(tmp_path: Path, arguments: tuple[str, ...], stdin: bytes) -> None:
    done = tenure("vectors", *arguments, stdin=stdin, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b""), done.stderr.decode()
    assert done.stderr.startswith(b"error: ")


def test_check_fails_on_a_wrong_folder_and_says_what(tmp_path: Path) -> None:
    done = tenure("vectors", "check", "--folder", str(written(tmp_path, a_file(a_vector(), a_vector()))))
    assert done.returncode == 1
    assert b"TBP-020/a-long-one-is-taken appears twice" in done.stdout
