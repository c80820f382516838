"""The oracle's calls: a request as parsed from JSON, and its answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tenure.conformance.accessible import answer_accessible
from tenure.conformance.priorities import answer_priority
from tenure.conformance.rendering import render_decision, render_problem
from tenure.conformance.requests import read_decide_request
from tenure.engines import Engine, decide
from tenure.errors import ErrorCode, InputError, Problem
from tenure.kai.call import answer_min_runtime
from tenure.manifests import did_you_mean, show
from tenure.validation.check import answer_validate

CALLS = ("decide", "accessible", "priority", "validate", "minruntime")
"""The calls that are answered."""


def answer(request: object, *, engine: Engine = Engine.REFERENCE) -> dict[str, Any]:
    """Answer one request.

    Args:
        request: `{"id": any, "call": "decide", "input": {...}}`, as parsed from JSON.
        engine: what decides where a request names no engine.

    Returns:
        `{"id", "output"}`, or `{"id", "error": {"code", "message", "field", "problems"}}`; never raises
        for anything that a request may hold.

    >>> answer({"id": 1, "call": "guess", "input": {}})["error"]["code"]
    'unknown-call'
    """
    identifier = request.get("id") if isinstance(request, Mapping) else None
    try:
        return {"id": identifier, "output": _output(request, engine)}
    except InputError as error:
        return {"id": identifier, "error": render_error(error)}
    except RecursionError:
        return {
            "id": identifier,
            "error": plain_error(ErrorCode.BAD_INPUT, "the input is nested too deeply", "input"),
        }


def render_error(error: InputError) -> dict[str, Any]:
    """An input error as the protocol writes it: the first problem's code and field, and all problems."""
    first = error.problems[0]
    return {
        **plain_error(first.code, str(error), first.field),
        "problems": [render_problem(problem) for problem in error.problems],
    }


def _output(request: object, engine: Engine) -> Mapping[str, Any]:
    if not isinstance(request, Mapping):
        raise InputError([Problem(field="", found=show(request), expected="an object with id, call, input")])
    call = request.get("call")
    if call not in CALLS:
        raise InputError(
            [
                Problem(
                    field="call",
                    found=show(call),
                    expected=f"one of {', '.join(CALLS)}{did_you_mean(call, CALLS)}",
                    code=ErrorCode.UNKNOWN_CALL,
                )
            ]
        )
    if call == "accessible":
        return answer_accessible(request.get("input"))
    if call == "priority":
        return answer_priority(request.get("input"))
    if call == "validate":
        return answer_validate(request.get("input"))
    if call == "minruntime":
        return answer_min_runtime(request.get("input"))
    checked = read_decide_request(request.get("input"), engine)
    decision = decide(
        checked.engine,
        checked.cluster,
        checked.preemptor,
        checked.queue,
        checked.now,
        checked.reading,
        checked.assignment,
        explained=checked.explained,
    )
    output = render_decision(decision, explained=checked.explained)
    return {**output, "warnings": list(checked.warnings)} if checked.warnings else output


def plain_error(code: ErrorCode, message: str, field: str) -> dict[str, Any]:
    """An error that is about no object."""
    return {"code": str(code), "message": message, "field": field}
