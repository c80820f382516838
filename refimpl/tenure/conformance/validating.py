"""Call `validate`: what an API server, Kueue's webhooks and the proposals refuse, and what is dangerous."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tenure.errors import ErrorCode, InputError, Problem
from tenure.manifests import SourcedObject, gate_problems
from tenure.manifests.showing import Place, did_you_mean, printable, show
from tenure.readings import parse_reading
from tenure.validation.answer_types import RefusedEntry, ValidateOutput, WarnedEntry, about
from tenure.validation.check import validate
from tenure.validation.faults import ErrorType, WarningType, text

_FIELDS = ("objects", "old", "reading", "featureGates")


def answer_validate(raw: object) -> ValidateOutput:
    """The output of a request.

    Args:
        raw: `{"objects": [...], "reading": ..., "old": [...], "featureGates": {...}}`; all but `objects`
            may be left out. `old` holds the objects as they are now, where `objects` update them.

    Raises:
        InputError: the request itself is wrong; what is wrong with an object is in the output.

    >>> answer_validate({"objects": [{"kind": "Cohort"}]}).errors[0].field
    'apiVersion'
    """
    if not isinstance(raw, Mapping):
        raise InputError([Problem("input", show(raw), "an object with objects")])
    problems = [*_unknown(raw), *_lists(raw), *_gates(raw.get("featureGates"))]
    try:
        reading = parse_reading(raw.get("reading"))
    except InputError as error:
        raise InputError([*problems, *error.problems]) from error
    if problems:
        raise InputError(problems)
    objects, old = ([SourcedObject("", item) for item in raw.get(name) or []] for name in ("objects", "old"))
    gates = raw.get("featureGates") or {}
    report = validate(objects, old=old, gates=gates, reading=reading)
    return ValidateOutput(
        tuple(RefusedEntry(type=ErrorType(found.type), **about(found)) for found in report.errors),
        tuple(WarnedEntry(type=WarningType(found.type), **about(found)) for found in report.warnings),
    )


def _unknown(raw: Mapping[Any, Any]) -> list[Problem]:
    problems = []
    for name in raw:
        if name not in _FIELDS:
            hint = did_you_mean(name, _FIELDS) or f"; there are {', '.join(_FIELDS)}"
            expected = f"no field of this name{hint}"
            problems.append(Problem(printable(text(name)), show(raw[name]), expected))
    return problems


def _lists(raw: Mapping[Any, Any]) -> list[Problem]:
    problems = []
    for name in ("objects", "old"):
        found = raw.get(name)
        if not isinstance(found, list) and (name == "objects" or found is not None):
            shown = "nothing" if found is None else show(found)
            problems.append(Problem(name, shown, "a list of Kubernetes objects"))
    return problems


def _gates(found: object) -> list[Problem]:
    return [
        gate_problem
        for gate_problem in gate_problems(found, Place())
        if gate_problem.code != ErrorCode.NOT_MODELLED
    ]
