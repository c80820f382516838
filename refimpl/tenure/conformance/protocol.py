"""The oracle's calls: a request as parsed from JSON, and its answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from tenure.as_json import as_json
from tenure.choices import WITH_INPUT, Engine
from tenure.conformance.accessible import answer_accessible
from tenure.conformance.priorities import answer_priority
from tenure.conformance.protocol_types import Refused, Unreadable, VersionOutput
from tenure.conformance.rendering import render_decision, render_problem
from tenure.conformance.requests import read_decide_request
from tenure.conformance.validating import answer_validate
from tenure.engines import Detail, decide
from tenure.errors import ErrorCode, InputError, Problem, bad_input
from tenure.manifests import did_you_mean, show
from tenure.registration import added
from tenure.release import __version__
from tenure.versions import KAI, form, kueue_version

CALLS = (*WITH_INPUT, "version")
"""The calls that are answered."""

PROTOCOL: Final = form("oracle")
"""The version of requests and answers."""


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
        return {"id": identifier, "output": as_json(_output(request, engine))}
    except InputError as error:
        first, problems = error.problems[0], tuple(map(render_problem, error.problems))
        return failed(identifier, Refused(str(first.code), str(error), first.field, problems))
    except RecursionError:
        nested = Unreadable(str(ErrorCode.BAD_INPUT), "the input is nested too deeply", "input")
        return failed(identifier, nested)


def failed(identifier: object, error: Unreadable) -> dict[str, Any]:
    """An error as the answer to a request.

    Args:
        identifier: the request's; None where it has none, or could not be read.
        error: what is wrong.
    """
    return {"id": identifier, "error": as_json(error)}


def _output(request: object, engine: Engine) -> object:
    if not isinstance(request, Mapping):
        raise InputError([Problem(field="", found=show(request), expected="an object with id, call, input")])
    protocol = request.get("protocol", PROTOCOL)
    if protocol != PROTOCOL:
        raise InputError([Problem(field="protocol", found=show(protocol), expected=PROTOCOL)])
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
    if call in _OTHERS:
        return _OTHERS[call](request.get("input"))
    checked = read_decide_request(request.get("input"), engine)
    decision = decide(
        checked.engine,
        checked.cluster,
        checked.preemptor,
        checked.queue,
        checked.now,
        checked.reading,
        checked.assignment,
        Detail.of(explained=checked.explained),
    ).as_held(checked.cluster.hold_of(checked.preemptor))
    output = render_decision(decision, explained=checked.explained)
    return replace(output, warnings=tuple(checked.warnings) or None)


def _min_runtime(raw: object) -> object:
    """What KAI-Scheduler's plugin answers, of the package that has it.

    Raises:
        InputError: it is not installed; or what is wrong with the input.
    """
    call = added("tenure.calls", "minruntime")
    if call is None:
        raise bad_input("call", "minruntime", "a call of this installation, which lacks tenure_kai")
    return call(raw)


_OTHERS: Final[Mapping[object, Callable[[object], object]]] = {
    "accessible": answer_accessible,
    "priority": answer_priority,
    "validate": answer_validate,
    "minruntime": _min_runtime,
    "version": lambda _: VersionOutput(__version__, PROTOCOL, kueue_version(None), KAI),
}
"""What answers each call but decide."""
