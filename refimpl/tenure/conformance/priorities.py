"""Call `priority`: what a WorkloadPriorityClass comes to at an instant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from tenure.conformance.assignments import bad_input
from tenure.errors import InputError, Problem
from tenure.manifests import did_you_mean, parse_instant, printable, read_priority_class
from tenure.model import Cluster, Workload
from tenure.oracle.ageing import refuse_faulty_classes
from tenure.oracle.snapshot import with_effective_priority
from tenure.readings import parse_reading

_Read = TypeVar("_Read")

REQUIRED: Final = ("workloadPriorityClass", "created", "now")
FIELDS: Final = (*REQUIRED, "reading")


def answer_priority(raw: object) -> dict[str, Any]:
    """The `output` of call `priority`.

    Args:
        raw: the `input`, untrusted: `workloadPriorityClass`, the times `created` (of the Job) and `now`, and
            a `reading`.

    Returns:
        `{"priority": int}`.

    Raises:
        InputError: everything that is wrong with it, or a class that the reading refuses.

    Source: KEP-754, Priority Calculation.

    >>> policy = {"step": 400, "max": 1000, "delayForStep": "1h"}
    >>> growing = {"metadata": {"name": "c"}, "spec": {"priority": 100, "dynamicPriorityPolicy": policy}}
    >>> noon, two = "2026-01-01T12:00:00Z", "2026-01-01T14:00:00Z"
    >>> answer_priority({"workloadPriorityClass": growing, "created": noon, "now": two})
    {'priority': 900}
    """
    if not isinstance(raw, Mapping):
        raise bad_input("input", raw, "an object")
    problems = _key_problems(raw)

    def attempt(read: Callable[[], _Read]) -> _Read | None:
        try:
            return read()
        except InputError as error:
            problems.extend(error.problems)
            return None

    where = "workloadPriorityClass"
    found = attempt(lambda: read_priority_class(raw.get(where), where=where)) if where in raw else None
    created = attempt(lambda: parse_instant(raw["created"], field="created")) if "created" in raw else None
    now = attempt(lambda: parse_instant(raw["now"], field="now")) if "now" in raw else None
    reading = attempt(lambda: parse_reading(raw.get("reading")))
    if problems:
        raise InputError(problems)
    assert found is not None
    assert created is not None
    assert now is not None
    assert reading is not None
    cluster = Cluster({}, growing={found.name: found})
    refuse_faulty_classes(cluster, reading)
    waiting = Workload("", "", "", found.base, created, priority_class=found.name, job_created_at=created)
    return {"priority": with_effective_priority(waiting, cluster, now, reading).priority}


def _key_problems(raw: Mapping[str, Any]) -> list[Problem]:
    expected = f"one of {', '.join(FIELDS)}"
    unknown = [
        Problem(printable(str(key)), "an unknown field", expected + did_you_mean(key, FIELDS))
        for key in raw
        if key not in FIELDS
    ]
    missing = [Problem(key, "nothing", "a value: it is required") for key in REQUIRED if key not in raw]
    return unknown + missing
