"""The JSON-lines oracle: one request a line, one answer a line, in order."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import IO, Any

from tenure.conformance.rendering import render_decision
from tenure.conformance.requests import read_decide_request
from tenure.errors import ErrorCode, InputError, Problem
from tenure.oracle.decide import decide

CALLS = ("decide",)
"""The calls that are answered."""


def answer(request: object) -> dict[str, Any]:
    """Answer one request.

    Args:
        request: `{"id": any, "call": "decide", "input": {...}}`, as parsed from JSON.

    Returns:
        `{"id", "output"}`, or `{"id", "error": {"code", "message", "field", "problems"}}`; never raises
        for anything that a request may hold.

    >>> answer({"id": 1, "call": "guess", "input": {}})["error"]["code"]
    'unknown-call'
    """
    identifier = request.get("id") if isinstance(request, Mapping) else None
    try:
        return {"id": identifier, "output": _output(request)}
    except InputError as error:
        return {"id": identifier, "error": render_error(error)}
    except RecursionError:
        return {
            "id": identifier,
            "error": _plain(ErrorCode.BAD_INPUT, "the input is nested too deeply", "input"),
        }


def render_error(error: InputError) -> dict[str, Any]:
    """An input error as the protocol writes it: the first problem's code and field, and all problems."""
    first = error.problems[0]
    return {
        **_plain(first.code, str(error), first.field),
        "problems": [
            {
                "object": problem.object,
                "field": problem.field,
                "found": problem.found,
                "expected": problem.expected,
                "code": str(problem.code),
            }
            for problem in error.problems
        ],
    }


def serve(source: IO[bytes], sink: IO[str]) -> None:
    """Answer lines until the source ends; a bad line gets an error answer and the loop goes on.

    Args:
        source: JSON lines, UTF-8.
        sink: where the answers go, one line each, flushed.
    """
    for line in source:
        if not line.strip():
            continue
        # ASCII: the same bytes under every locale, half characters that JSON can write included.
        sink.write(json.dumps(_answer_line(line), separators=(",", ":")) + "\n")
        sink.flush()


def _answer_line(line: bytes) -> dict[str, Any]:
    try:
        request = json.loads(line.decode("utf-8"), parse_constant=_no_number, parse_float=_finite)
    except UnicodeDecodeError as error:
        return {"id": None, "error": _plain(ErrorCode.BAD_JSON, f"the line is not UTF-8: {error}", "")}
    except (ValueError, RecursionError) as error:
        return {"id": None, "error": _plain(ErrorCode.BAD_JSON, f"the line is not JSON: {error}", "")}
    try:
        return answer(request)
    except Exception as error:  # noqa: BLE001 - a fault of ours costs one answer, not the reader's whole run
        identifier = request.get("id") if isinstance(request, Mapping) else None
        fault = f"a fault of Tenure: {type(error).__name__}: {error}"
        return {"id": identifier, "error": _plain(ErrorCode.INTERNAL, fault, "")}


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no JSON number")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _no_number(text)


def _output(request: object) -> dict[str, Any]:
    if not isinstance(request, Mapping):
        raise InputError([Problem(field="", found=repr(request), expected="an object with id, call, input")])
    call = request.get("call")
    if call not in CALLS:
        raise InputError(
            [
                Problem(
                    field="call",
                    found=repr(call),
                    expected=f"one of {', '.join(CALLS)}",
                    code=ErrorCode.UNKNOWN_CALL,
                )
            ]
        )
    checked = read_decide_request(request.get("input"))
    decision = decide(
        checked.cluster, checked.preemptor, checked.queue, checked.now, checked.reading, checked.assignment
    )
    return render_decision(decision, explained=checked.explained)


def _plain(code: ErrorCode, message: str, field: str) -> dict[str, Any]:
    return {"code": str(code), "message": message, "field": field}
