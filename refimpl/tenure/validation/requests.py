"""The call `validate` of the protocol: from a request's input to its output."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from tenure.errors import ErrorCode, InputError, Problem
from tenure.manifests import SourcedObject, gate_problems
from tenure.manifests.showing import Place, printable, show
from tenure.readings import parse_reading
from tenure.validation.check import validate
from tenure.validation.report import Notice, Report
from tenure.validation.subject import text

_FIELDS = ("objects", "old", "reading", "featureGates")


def answer_validate(raw: object) -> dict[str, Any]:
    """The output of a request.

    Args:
        raw: `{"objects": [...], "reading": ..., "old": [...], "featureGates": {...}}`; all but `objects`
            may be left out. `old` holds the objects as they are now, where `objects` update them.

    Returns:
        `{"errors": [{"object", "field", "type", "message", "source"}], "warnings": [...]}`.

    Raises:
        InputError: the request itself is wrong; what is wrong with an object stands in the output.

    >>> answer_validate({"objects": [{"kind": "Cohort"}]})["errors"][0]["field"]
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
    objects, old = ([SourcedObject("", each) for each in raw.get(name) or []] for name in ("objects", "old"))
    gates = raw.get("featureGates") or {}
    return render(validate(objects, old=old, gates=gates, reading=reading))


def render(report: Report, *, files: bool = False) -> dict[str, Any]:
    """A report as JSON has it.

    Args:
        report: what was found.
        files: whether each entry names its file.

    >>> render(Report())
    {'errors': [], 'warnings': []}
    """
    return {
        "errors": [_entry(each, files) for each in report.errors],
        "warnings": [_entry(each, files) for each in report.warnings],
    }


def _entry(each: Notice, files: bool) -> dict[str, str]:
    entry = {
        "object": each.object,
        "field": each.field,
        "type": each.type,
        "message": each.message,
        "source": each.source,
    }
    return {"file": each.file, **entry} if files else entry


def _unknown(raw: Mapping[Any, Any]) -> list[Problem]:
    problems = []
    for name in raw:
        if name not in _FIELDS:
            close = difflib.get_close_matches(text(name)[:100], _FIELDS, n=1)
            hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(_FIELDS)}"
            expected = f"no field of this name; {hint}"
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
    return [each for each in gate_problems(found, Place()) if each.code != ErrorCode.NOT_MODELLED]
